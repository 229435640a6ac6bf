"""The compiled algebra: a statement in heyoka expressions, differentiated by heyoka.

This is the only room that imports heyoka. Parameters are run-time values, so that a new value never recompiles.

Whole powers become products: heyoka expands u**3 by a rule that divides by u, which has no value where u is zero.
A root of something that moves gets a run-time value of its own, `ROOT`: 1, or 0 where what stands under it is zero and
stays zero, so that the root is zero too; the series of a root does not exist there.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import product
from typing import Any

import heyoka as hy
import sympy as sp
from sympy import Expr

from dalembert.derive.tape import GuardedRoot
from dalembert.engine.smoothness import NotSmooth, moves
from dalembert.model import ModelError, Statement, time

Expression = Any  # heyoka.expression carries no annotations


def _least(u: Expression) -> tuple[Expression, Expression]:
    """The lesser of exp u and exp −u, and whether that is the second; either way the same functions of u."""
    one = hy.expression(1.0)
    up = hy.gte(u, hy.expression(0.0))
    return hy.exp(-hy.select(up, one, -one) * u), up


def _sech(u: Expression) -> Expression:
    small, _ = _least(u)
    return 2.0 * small / (1.0 + small * small)


def _csch(u: Expression) -> Expression:
    small, up = _least(u)
    return hy.select(up, 2.0 * small, -2.0 * small) / (1.0 - small * small)


SMOOTH: dict[type, Callable[..., Expression]] = {
    sp.sin: hy.sin, sp.cos: hy.cos, sp.tan: hy.tan,
    sp.cot: lambda x: 1.0 / hy.tan(x), sp.sec: lambda x: 1.0 / hy.cos(x), sp.csc: lambda x: 1.0 / hy.sin(x),
    sp.asin: hy.asin, sp.acos: hy.acos, sp.atan: hy.atan, sp.atan2: hy.atan2,
    sp.acot: lambda x: hy.atan(1.0 / x), sp.asec: lambda x: hy.acos(1.0 / x), sp.acsc: lambda x: hy.asin(1.0 / x),
    sp.sinh: hy.sinh, sp.cosh: hy.cosh, sp.tanh: hy.tanh,
    sp.asinh: hy.asinh, sp.acosh: hy.acosh, sp.atanh: hy.atanh,
    sp.sech: _sech, sp.csch: _csch, sp.coth: lambda x: 1.0 / hy.tanh(x), sp.exp: hy.exp, sp.log: hy.log,
}  # fmt: skip
STEADY: dict[type, Callable[..., Expression]] = {  # of parameters alone: they do not switch
    sp.Abs: lambda x: _abs(x),
    sp.Max: lambda *xs: reduce(lambda a, b: (a + b + _abs(a - b)) / 2.0, xs),
    sp.Min: lambda *xs: reduce(lambda a, b: (a + b - _abs(a - b)) / 2.0, xs),
}
FEW = 3  # up to so many variables, forward differentiation costs less than the reverse mode
ROOT = "root"
"""What the run-time values of roots are called, with their place: root0, root1, …"""


class HeyokaAlgebra:
    """The heyoka algebra of a statement: q0, q1, … and v0, v1, …, time, and multipliers where they are known."""

    def __init__(self, system: Statement, lam: Sequence[Expression] = ()) -> None:
        n = len(system.coordinates)
        self.q = tuple(hy.expression(f"q{i}") for i in range(n))
        self.v = tuple(hy.expression(f"v{i}") for i in range(n))
        self.t = hy.expression("t")  # heyoka differentiates by variables only; `finished` makes it time
        self.lam = tuple(lam)
        self.zero = hy.expression(0.0)
        self.radicands: dict[Expression, int] = {}  # what stands under a root and moves, in order
        self.jumps: dict[Expression, Expr] = {}  # what must not vanish, or a function jumps: the branch of this angle
        self._bases: dict[str, Expression] = {str(x): x for x in (*self.q, *self.v)}
        self._parameters = [hy.par[i] for i in range(len(system.symbols))]
        self._constants: dict[Expression, int] = {}
        self._by_name = {str(x): x for x in (*self.q, *self.v, self.t)}
        self._known_places: dict[tuple[int, ...], dict[str, int]] = {}
        self._known: dict[Expr, Expression] = {
            **dict(zip(system.velocities, self.v, strict=True)),
            **dict(zip(system.coordinates, self.q, strict=True)),
            **{s: hy.par[i] for i, s in enumerate(system.symbols)},
            time(): self.t,
        }
        self._known_in_forces = dict(self._known)

    def convert(self, expr: Expr, known: Mapping[Expr, Expression]) -> Expression:
        """A SymPy expression as a heyoka one; equal parts are converted once."""
        return _Conversion(self, {**self._known, **known} if known else self._known, False)(expr)

    def convert_force(self, expr: Expr, known: Mapping[Expr, Expression]) -> Expression:
        """The same of a force, which is not differentiated: its roots may be and stay zero."""
        return _Conversion(self, {**self._known_in_forces, **known} if known else self._known_in_forces, True)(expr)

    def gradient(self, f: Expression, variables: Sequence[Expression]) -> dict[int, Expression]:
        """The non-zero derivatives, by reverse mode where there are many."""
        places = self._places(variables)
        found = sorted((places[name], name) for name in hy.get_variables(f) if name in places)
        used = [(i, self._by_name[name]) for i, name in found]
        if len(used) > FEW:
            slopes = hy.diff_tensors([f], diff_args=[x for _, x in used], diff_order=1).gradient
            out = {i: slope for (i, _), slope in zip(used, slopes, strict=True)}
        else:
            out = {i: hy.diff(f, x) for i, x in used}
        return {i: slope for i, slope in out.items() if not self.is_zero(slope)}

    def _places(self, variables: Sequence[Expression]) -> dict[str, int]:
        """Where each variable is in a list, by name; lists that are asked for again are looked through once."""
        key = (len(variables), id(variables[0]), id(variables[-1])) if variables else ()
        if key not in self._known_places:
            self._known_places[key] = {str(x): i for i, x in enumerate(variables)}
        return self._known_places[key]

    def finished(self, expressions: Sequence[Expression], run_time: Mapping[str, int]) -> list[Expression]:
        """The expressions as the integrator wants them: t as its own time, run-time values as its parameters."""
        given = {"t": hy.time, **{name: hy.par[place] for name, place in run_time.items()}}
        return self.substituted(list(expressions), given) if expressions else []

    def substituted(self, f: Any, values: Mapping[str, Expression]) -> Any:
        """An expression, or a list of them, with variables replaced by name."""
        return hy.subs(f, dict(values))

    def moves(self, f: Expression) -> bool:
        """Whether f changes along a motion."""
        return bool(hy.get_variables(f))

    def total(self, terms: Sequence[Expression]) -> Expression:
        """The sum of the terms; zero where there are none."""
        return terms[0] if len(terms) == 1 else hy.sum(list(terms))

    def combine(self, pairs: Sequence[tuple[Expression, Expression]]) -> Expression:
        """The sum of the products of pairs, those whose first is the same up to a factor taken together.

        A product of two functions of time costs a Taylor integrator the square of its order; a sum costs nothing.
        """
        groups: dict[Expression, list[tuple[float, Expression]]] = {}
        for a, b in pairs:
            ratio, base = self.scaled(a)
            groups.setdefault(base, []).append((ratio, b))
        products = []
        for base, terms in groups.items():
            common, inner = self._factored(terms)
            products.append((common, base * inner))
        return times(*self._factored(products))

    def _factored(self, terms: Sequence[tuple[float, Expression]]) -> tuple[float, Expression]:
        """Σ ratio · f as a number times a sum: the ratio of the first, where it divides the others."""
        first = terms[0][0] if terms else 1.0
        if any(abs(ratio) != abs(first) for ratio, _ in terms):
            first = 1.0
        return first, self.known(self.total([times(ratio / first, f) for ratio, f in terms]))

    def known(self, f: Expression) -> Expression:
        """f, to be recognised in what is made of it later."""
        text = str(f)
        return self._bases.setdefault(text, f) if len(text) <= SHOWN and "..." not in text else f

    def scaled(self, f: Expression) -> tuple[float, Expression]:
        """f as a number times an expression seen before, where there is one, else one times itself.

        heyoka shows nothing of an expression but its text, and simplifies little: -(2 * (x - y)) is not to it the
        opposite of 2 * (x - y).
        """
        number, rest = _leading(str(f))
        base = self._bases.get(rest)
        return (1.0, self.known(f)) if base is None else (number, base)

    def constant(self, f: Expression) -> Expression:
        """f, or where it is made of parameters alone, a parameter of its own, evaluated once before a run."""
        if self.moves(f) or not hy.get_params(f) or f in self._parameters:
            return f
        place = self._constants.setdefault(f, len(self._constants))
        return hy.par[len(self._parameters) + place]

    @property
    def constants(self) -> list[Expression]:
        """What `constant` made parameters of, in their order."""
        return list(self._constants)

    def is_zero(self, f: Expression) -> bool:
        """Whether f is the constant zero."""
        return bool(f == self.zero)

    def sqrt(self, f: Expression) -> Expression:
        """The square root."""
        return self.rooted(f, hy.sqrt)

    def rooted(self, f: Expression, root: Callable[[Expression], Expression], may_rest: bool = True) -> Expression:
        """A root or a power of f that is no whole one; zero where its run-time value says that f is and stays zero.

        Zero also where f is below zero, by rounding: that a motion leaves the domain of a root is seen by its radicand.
        """
        if not self.moves(f):
            return root(f)
        place = self.radicands.setdefault(f, len(self.radicands))
        if not may_rest:
            return root(f)
        on = hy.logical_and([hy.gt(hy.expression(f"{ROOT}{place}"), 0.5), hy.gt(f, self.zero)])
        return hy.select(on, root(hy.select(on, f, hy.expression(1.0))), self.zero)

    def inverse_root(self, f: Expression, root: Callable[[Expression], Expression], may_rest: bool) -> Expression:
        """A power of f below zero: none where its run-time value says that f is and stays zero, as v|v|^(−1/2) is at
        rest; else it has no bound there.
        """
        if not self.moves(f):
            return root(f)
        place = self.radicands.setdefault(f, len(self.radicands))
        if not may_rest:
            return root(f)
        on = hy.gt(hy.expression(f"{ROOT}{place}"), 0.5)
        return hy.select(on, root(hy.select(on, f, hy.expression(1.0))), self.zero)

    def magnitude(self, f: Expression) -> Expression:
        """|f|, of what is only looked at, not expanded."""
        return hy.sqrt(f * f)

    def length(self, components: Sequence[Expression]) -> Expression:
        """The Euclidean length of a vector that is only looked at, not expanded."""
        return hy.sqrt(self.total([c * c for c in components]))

    def abs(self, f: Expression) -> Expression:  # noqa: ARG002
        """|f| switches where f changes sign: refused."""
        raise NotSmooth("the compiled engine", ["friction switches with the sign of its normal force"])


def times(ratio: float, f: Expression) -> Expression:
    """A number times an expression, without a factor of one."""
    return f if ratio == 1 else -f if ratio == -1 else ratio * f


NUMBER = re.compile(r"\((-?\d+\.\d+(?:e[+-]?\d+)?) \* ")
SHOWN = 4000  # longer texts are not looked at; heyoka cuts off the longest with an ellipsis


@lru_cache(maxsize=1 << 16)
def _leading(text: str) -> tuple[float, str]:
    """The number an expression begins with, and the text of the rest: -(2 * (x - y)) is -2 times (x - y)."""
    number, whole = 1.0, text
    if len(text) > SHOWN or "..." in text:
        return 1.0, whole
    while True:
        if text.startswith("-") and (text[1:2] == "-" or text[1:].isalnum() or _closes(text[1:])):
            number, text = -number, text[1:]
        elif (found := NUMBER.match(text)) and _closes(text):
            number, text = number * float(found[1]), text[found.end() : -1]
        else:
            return (number, text) if number else (1.0, whole)


def _closes(text: str) -> bool:
    """Whether a text is one pair of parentheses and what is in it."""
    if not (text.startswith("(") and text.endswith(")")):
        return False
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return place == len(text) - 1
    return False


def exponential(e: Expr) -> bool:
    """Whether an expression is exp u, or aᵘ of a number a."""
    return isinstance(e, sp.exp) or (
        isinstance(e, sp.Pow) and not e.exp.is_number and bool(e.base.is_number and e.base.is_positive)
    )


def _above_exponential(e: Expr) -> tuple[Expr, Expr] | None:
    """c and exp u of c + exp u, with a number c above zero."""
    if not isinstance(e, sp.Add) or len(e.args) != 2:
        return None
    number, grows = sorted(e.args, key=exponential)
    return (number, grows) if exponential(grows) and number.is_number and number.is_positive else None


def _abs(x: Expression) -> Expression:
    return hy.sqrt(x * x)


def _without_modulus(e: sp.Pow) -> tuple[Expr, Expr]:
    """Base and exponent of a power; |u|² is u²."""
    even = e.exp.is_Integer and e.exp.is_even and isinstance(e.base, sp.Abs)
    return (e.base.args[0] if even else e.base), e.exp


def _parts(e: Expr) -> tuple[Expr, ...]:
    """What an expression is made of; log|u| of u."""
    if isinstance(e, sp.Pow):
        return _without_modulus(e)
    modulus = isinstance(e, sp.log) and isinstance(e.args[0], sp.Abs)
    parts: tuple[Expr, ...] = e.args[0].args if modulus else e.args
    return parts


class _Conversion:
    """A SymPy expression walked parts first, without recursion, into the algebra."""

    def __init__(self, algebra: HeyokaAlgebra, memo: dict[Expr, Expression], may_rest: bool) -> None:
        self._algebra, self._memo, self._may_rest = algebra, memo, may_rest

    def __call__(self, root: Expr) -> Expression:
        memo, stack = self._memo, [(root, False)]
        while stack:
            e, ready = stack.pop()
            if e in memo:
                continue
            if e.is_number:
                memo[e] = hy.expression(_float(e))
            elif ready:
                made = self._node(e)
                memo[e] = self._algebra.known(made) if isinstance(e, sp.Add) and len(e.args) <= FEW else made
            else:
                stack.append((e, True))
                stack.extend((a, False) for a in _parts(e))
        return memo[root]

    def _node(self, e: Expr) -> Expression:
        if isinstance(e, sp.Pow):
            return self._power(e, *(self._memo[a] for a in _without_modulus(e)))
        arguments = [self._memo[a] for a in _parts(e)]
        if isinstance(e, sp.log) and isinstance(e.args[0], sp.Abs):  # the same on both sides of zero
            return 0.5 * hy.log(arguments[0] * arguments[0])
        if isinstance(e, sp.Add):
            return hy.sum(arguments)
        if isinstance(e, sp.Mul):
            return hy.prod(self._factors(e))
        if isinstance(e, GuardedRoot):
            return hy.sqrt(arguments[0])
        if function := SMOOTH.get(type(e)):
            self._watch(e, arguments)
            return function(*arguments)
        if (function := STEADY.get(type(e))) and not moves(e):
            return function(*arguments)
        if isinstance(e, sp.Symbol):
            raise ModelError("the compiled engine", [f"{e} has no value"])
        raise NotSmooth("the compiled engine", [f"{type(e).__name__} in {e} is not a smooth function it can expand"])

    def _power(self, e: sp.Pow, base: Expression, exponent: Expression) -> Expression:
        if e.exp.is_Integer:
            n = int(e.exp)
            if n < 0 and (inverse := self._small(e.base)) is not None:
                return product_power(inverse, -n)
            return product_power(base, n) if n > 0 else 1.0 / product_power(base, -n)
        if not e.exp.is_number:
            return hy.exp(math.log(e.base) * exponent) if exponential(e) else base**exponent
        power = float(e.exp)
        if power < 0:
            return self._algebra.inverse_root(base, lambda u: 1.0 / u**-power, self._may_rest)
        may_rest = self._may_rest or power > 1  # then its slope is zero too
        return self._algebra.rooted(base, hy.sqrt if power == 0.5 else lambda u: u**power, may_rest)

    def _factors(self, e: sp.Mul) -> list[Expression]:
        """The factors of a product; exp u / (c + exp u) as one, where either part may be too large for a float."""
        left = {f: self._memo[f] for f in e.args}
        for f, g in product(filter(exponential, e.args), e.args):
            n = -int(g.exp) if isinstance(g, sp.Pow) and g.exp.is_Integer else 0
            if n <= 0 or f not in left or (found := _above_exponential(g.base)) is None:
                continue
            times = next((k for k in range(1, n + 1) if found[1] ** k == f), 0)
            if times and (inverse := self._small(g.base)) is not None:
                del left[f]
                share = product_power(self._share(*found), times)
                left[g] = share * product_power(inverse, n - times) if n > times else share
        return list(left.values())

    def _small(self, base: Expr) -> Expression | None:
        """The inverse of what may be too large for a float, where that is known by itself: 1/cosh u, 1/(c + exp u)."""
        if isinstance(base, sp.cosh):
            return _sech(self._memo[base.args[0]])
        if (found := _above_exponential(base)) is not None:
            c, (small, up) = _float(found[0]), _least(self._exponent(found[1]))
            return hy.select(up, small / (1.0 + c * small), 1.0 / (c + small))
        return None

    def _share(self, number: Expr, grows: Expr) -> Expression:
        """exp u / (c + exp u)."""
        c, (small, up) = _float(number), _least(self._exponent(grows))
        return hy.select(up, 1.0 / (1.0 + c * small), small / (c + small))

    def _exponent(self, e: Expr) -> Expression:
        """u of exp u; of aᵘ, log a times it."""
        made = self._memo[e.args[-1]]
        return made if isinstance(e, sp.exp) else math.log(e.base) * made

    def _watch(self, e: Expr, arguments: Sequence[Expression]) -> None:
        """Take note of what must not vanish lest a function has no slope, or jumps."""
        if not moves(e):
            return
        u, places = arguments[0], self._algebra.jumps
        if isinstance(e, (sp.asin, sp.acos)):  # their slope has a root of 1 - u²
            self._algebra.radicands.setdefault(1.0 - u * u, len(self._algebra.radicands))
        elif isinstance(e, sp.atan):  # it jumps where its argument has a pole
            places.setdefault(1.0 / (1.0 + u * u), e)
        elif isinstance(e, sp.acot):  # it jumps where its argument vanishes
            places.setdefault(u * u, e)
        elif isinstance(e, sp.atan2):  # it jumps where y vanishes and x is not above zero
            b, a = arguments
            zero = self._algebra.zero
            places.setdefault(b * b + hy.select(hy.gte(a, zero), a * a, zero), e)


def product_power(base: Expression, n: int) -> Expression:
    """base**n for a whole n > 0 by squares and products, which have a series where the base is zero."""
    out = None
    while n:
        if n & 1:
            out = base if out is None else out * base
        n >>= 1
        base = base**2.0 if n else base
    return out


def _float(e: Expr) -> float:
    try:
        return float(e)
    except (TypeError, OverflowError):
        raise ModelError("the compiled engine", [f"{e} is not a real number a float can hold"]) from None
