"""The compiled algebra: a statement in heyoka expressions, differentiated by heyoka.

This is the only room that imports heyoka. Parameters are run-time values, so that a new value never recompiles.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import heyoka as hy
import sympy as sp
from sympy import Expr

from dalembert.engine.smooth import NotSmooth, moves
from dalembert.model import ModelError, Statement, time

Expression = Any  # heyoka.expression carries no annotations

SMOOTH: dict[type, Callable[..., Expression]] = {
    sp.sin: hy.sin, sp.cos: hy.cos, sp.tan: hy.tan,
    sp.cot: lambda x: 1.0 / hy.tan(x), sp.sec: lambda x: 1.0 / hy.cos(x), sp.csc: lambda x: 1.0 / hy.sin(x),
    sp.asin: hy.asin, sp.acos: hy.acos, sp.atan: hy.atan, sp.atan2: hy.atan2,
    sp.acot: lambda x: hy.atan(1.0 / x), sp.asec: lambda x: hy.acos(1.0 / x), sp.acsc: lambda x: hy.asin(1.0 / x),
    sp.sinh: hy.sinh, sp.cosh: hy.cosh, sp.tanh: hy.tanh,
    sp.asinh: hy.asinh, sp.acosh: hy.acosh, sp.atanh: hy.atanh,
    sp.exp: hy.exp, sp.log: hy.log,
}  # fmt: skip
STEADY: dict[type, Callable[..., Expression]] = {  # of parameters alone: they do not switch
    sp.Abs: lambda x: _abs(x),
    sp.Max: lambda *xs: reduce(lambda a, b: (a + b + _abs(a - b)) / 2.0, xs),
    sp.Min: lambda *xs: reduce(lambda a, b: (a + b - _abs(a - b)) / 2.0, xs),
}
FEW = 3  # up to so many variables, forward differentiation costs less than the reverse mode


class Compiled:
    """The heyoka algebra of a statement: q0, q1, … and v0, v1, …, time, and multipliers where they are known."""

    def __init__(self, system: Statement, lam: Sequence[Expression] = ()) -> None:
        n = len(system.coordinates)
        self.q = tuple(hy.expression(f"q{i}") for i in range(n))
        self.v = tuple(hy.expression(f"v{i}") for i in range(n))
        self.t = hy.expression("t")  # heyoka differentiates by variables only; `finished` makes it time
        self.lam = tuple(lam)
        self.zero = hy.expression(0.0)
        self.radicands: list[Expression] = []  # what stands under a root: where it vanishes there is no Taylor series
        self._names = {id(x): f"{kind}{i}" for kind, xs in (("q", self.q), ("v", self.v)) for i, x in enumerate(xs)}
        self._names[id(self.t)] = "t"
        self._known: dict[Expr, Expression] = {
            **dict(zip(system.velocities, self.v, strict=True)),
            **dict(zip(system.coordinates, self.q, strict=True)),
            **{s: hy.par[i] for i, s in enumerate(system.symbols)},
            time(): self.t,
        }

    def convert(self, expr: Expr, known: Mapping[Expr, Expression]) -> Expression:
        """A SymPy expression as a heyoka one; equal parts are converted once."""
        return _convert(expr, {**self._known, **known} if known else self._known, self.radicands)

    def gradient(self, f: Expression, variables: Sequence[Expression]) -> dict[int, Expression]:
        """The non-zero derivatives, by reverse mode where there are many."""
        present = set(hy.get_variables(f))
        used = [(i, x) for i, x in enumerate(variables) if self._names.get(id(x)) in present]
        if len(used) > FEW:
            slopes = hy.diff_tensors([f], diff_args=[x for _, x in used], diff_order=1).gradient
            out = {i: slope for (i, _), slope in zip(used, slopes, strict=True)}
        else:
            out = {i: hy.diff(f, x) for i, x in used}
        return {i: slope for i, slope in out.items() if not self.is_zero(slope)}

    def finished(self, expressions: Sequence[Expression]) -> list[Expression]:
        """The expressions with t as heyoka's own time, as the integrator wants them."""
        return self.substituted(list(expressions), {"t": hy.time}) if expressions else []

    def substituted(self, f: Any, values: Mapping[str, Expression]) -> Any:
        """An expression, or a list of them, with variables replaced by name."""
        return hy.subs(f, dict(values))

    def moves(self, f: Expression) -> bool:
        """Whether f changes along a motion."""
        return bool(hy.get_variables(f))

    def total(self, terms: Sequence[Expression]) -> Expression:
        """The sum of the terms; zero where there are none."""
        return terms[0] if len(terms) == 1 else hy.sum(list(terms))

    def is_zero(self, f: Expression) -> bool:
        """Whether f is the constant zero."""
        return bool(f == self.zero)

    def sqrt(self, f: Expression) -> Expression:
        """The square root."""
        self.radicands.append(f)
        return hy.sqrt(f)

    def length(self, components: Sequence[Expression]) -> Expression:
        """The Euclidean length of a vector that is only looked at, not expanded."""
        return hy.sqrt(self.total([c * c for c in components]))

    def abs(self, f: Expression) -> Expression:  # noqa: ARG002
        """|f| switches where f changes sign: refused."""
        raise NotSmooth("the compiled engine", ["friction switches with the sign of its normal force"])


def _abs(x: Expression) -> Expression:
    return hy.sqrt(x * x)


def _convert(root: Expr, memo: dict[Expr, Expression], radicands: list[Expression]) -> Expression:
    """Post-order over the expression, without recursion."""
    stack = [(root, False)]
    while stack:
        e, ready = stack.pop()
        if e in memo:
            continue
        if e.is_number:
            memo[e] = hy.expression(_float(e))
        elif ready:
            memo[e] = _node(e, memo)
            if isinstance(e, sp.Pow) and not e.exp.is_integer and moves(e.base):
                radicands.append(memo[e.base])
        else:
            stack.append((e, True))
            stack.extend((a, False) for a in e.args)
    return memo[root]


def _node(e: Expr, memo: Mapping[Expr, Expression]) -> Expression:
    arguments = [memo[a] for a in e.args]
    if isinstance(e, sp.Add):
        return hy.sum(arguments)
    if isinstance(e, sp.Mul):
        return hy.prod(arguments)
    if isinstance(e, sp.Pow):
        base, exponent = arguments
        if e.exp == sp.S.Half:
            return hy.sqrt(base)
        return base ** float(e.exp) if e.exp.is_number else base**exponent
    if function := SMOOTH.get(type(e)):
        return function(*arguments)
    if (function := STEADY.get(type(e))) and not moves(e):
        return function(*arguments)
    if isinstance(e, sp.Symbol):
        raise ModelError("the compiled engine", [f"{e} has no value"])
    raise NotSmooth("the compiled engine", [f"{type(e).__name__} in {e} is not a smooth function it can expand"])


def _float(e: Expr) -> float:
    try:
        return float(e)
    except (TypeError, OverflowError):
        raise ModelError("the compiled engine", [f"{e} is not a real number a float can hold"]) from None
