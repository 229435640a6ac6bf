"""Expressions and their derivatives at a point, exactly in a prime field or with 50 digits: jets of expressions."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from sympy import (
    Abs,
    Add,
    And,
    Expr,
    Ge,
    Gt,
    Heaviside,
    Le,
    Lt,
    Max,
    Min,
    Mul,
    Not,
    NumberSymbol,
    Or,
    Piecewise,
    Pow,
    Rational,
    S,
    Symbol,
    atan2,
    cos,
    cosh,
    cot,
    csc,
    exp,
    log,
    preorder_traversal,
    sec,
    sign,
    sin,
    sinh,
    tan,
    tanh,
)
from sympy.core.function import AppliedUndef

from dalembert.derive.fields import Field, Modular, NotExact, denominators
from dalembert.derive.jets import Array
from dalembert.derive.series import Series
from dalembert.model.writing import leaves_first

TURNING = (sin, cos, tan, cot, sec, csc)
GROWING = (exp, sinh, cosh, tanh)
INVERSE = {"asin", "acos", "atan", "asinh", "acosh", "atanh"}


def scan(expressions: Iterable[Expr]) -> dict[Hashable, int]:
    """In which fractions angles and exponents occur in expressions: what a prime field must know beforehand."""
    return denominators(_arguments(expressions))


def _arguments(expressions: Iterable[Expr]) -> Iterator[tuple[Hashable, Expr]]:
    seen: set[Expr] = set()
    for whole in expressions:
        for e in preorder_traversal(whole):
            if e in seen:
                continue
            seen.add(e)
            if isinstance(e, TURNING):
                yield "angle", e.args[0]
            elif isinstance(e, GROWING):
                yield "exp", e.args[0]
            elif isinstance(e, Pow) and not e.exp.is_Rational:
                yield ("exp", e.exp) if e.base == S.Exp1 else (("power", e.base), e.exp)


class Point:
    """A point of the space of some variables, and jets there of any expression, each sub-expression once.

    `values` gives numbers of the field to variables and parameters; what it does not name is random. Raises `BadPoint`
    where something does not exist at the point, `NotExact` where the field has no numbers for a function.
    """

    def __init__(
        self, field: Field, variables: Sequence[Symbol], order: int, values: Mapping[Symbol, Any] | None = None
    ) -> None:
        self.field, self.variables = field, tuple(variables)
        self.series = Series(field, len(self.variables), order)
        self._places = {x: i for i, x in enumerate(self.variables)}
        self._values = dict(values or {})
        self._made: dict[Expr, Array] = {}
        self._generic: dict[Hashable, list[Any]] = {}

    def jet(self, e: Expr) -> Array:
        """The jet of an expression."""
        for part in leaves_first(e):
            if part not in self._made and isinstance(part, Expr):
                self._made[part] = self._rule(part)
        return self._made[e]

    def slopes(self, e: Expr) -> Array:
        """The first derivatives of an expression by the variables; the order must be at least 1."""
        return self.jet(e)[1 : 1 + len(self.variables)]

    def normal(self, x: Any) -> Any:
        """A number in normal form."""
        return self.series.normal(x)

    def value(self, symbol: Symbol) -> Any:
        """The number a symbol stands for at this point."""
        if symbol not in self._values:
            self._values[symbol] = self.field.free()
        return self._values[symbol]

    def _rule(self, e: Expr) -> Array:
        jets, field = self.series.jets, self.field
        if isinstance(e, Symbol):
            if e in self._places:
                return jets.variable(self._places[e], self.value(e), self.series.one)
            return jets.constant(self.value(e))
        if e.is_Rational or e.is_Float:
            return jets.constant(field.rational(e))
        if isinstance(e, NumberSymbol):
            return jets.constant(field.exp(S.One, self.series.one) if e == S.Exp1 else field.number(e))
        if isinstance(e, (Piecewise, Max, Min, Abs, sign, Heaviside)):
            return self._made[self._branch(e)]
        parts = [self._made[a] for a in e.args]
        if isinstance(e, Add):
            return field.reduce(sum(parts[1:], parts[0]))
        if isinstance(e, Mul):
            out = parts[0]
            for part in parts[1:]:
                out = jets.product(out, part)
            return out
        if isinstance(e, Pow):
            return self._power(e, *parts)
        if isinstance(e, AppliedUndef):
            return self._undefined(e, parts)
        if isinstance(e, (*TURNING, *GROWING)):
            return self._periodic(e, parts[0])
        if isinstance(e, log):
            return self.series.log(field.log(e.args[0], parts[0][0]), parts[0])
        if isinstance(e, atan2):
            y, x = parts
            return self.series.inverse_function("atan", field.inverse_function(e, y[0]), self.series.divide(y, x))
        if type(e).__name__ in INVERSE:
            return self.series.inverse_function(type(e).__name__, field.inverse_function(e, parts[0][0]), parts[0])
        raise NotExact(f"{e.func.__name__} is not known here")

    def _power(self, e: Pow, a: Array, n: Array) -> Array:
        series, field = self.series, self.field
        if e.base == S.Exp1:
            return series.exp(field.exp(e.exp, n[0]), n)
        if e.exp.is_Integer:
            return series.whole_power(a, int(e.exp))
        if e.exp.is_Rational or e.exp.is_Float:
            return series.power(a, Rational(str(e.exp)) if e.exp.is_Float else e.exp)
        grown = series.jets.product(series.log(field.log(e.base, a[0]), a), n)
        start = field.power(e.base, e.exp, a[0]) if isinstance(field, Modular) else field.exp(e, grown[0])
        return series.exp(start, grown)

    def _periodic(self, e: Expr, u: Array) -> Array:
        series = self.series
        if isinstance(e, TURNING):
            c, s = self.field.cos_sin(e.args[0], u[0])
            cosine, sine = series.cos_sin(c, s, u)
            over = {tan: (sine, cosine), cot: (cosine, sine), sec: (None, cosine), csc: (None, sine)}
            if e.func in over:
                above, below = over[e.func]
                return series.inverse(below) if above is None else series.divide(above, below)
            return sine if isinstance(e, sin) else cosine
        up = series.exp(self.field.exp(e.args[0], u[0]), u)
        if isinstance(e, exp):
            return up
        down, half = series.inverse(up), self.field.rational(S.Half)
        odd, even = self.field.reduce(up - down), self.field.reduce(up + down)
        if isinstance(e, tanh):
            return series.divide(odd, even)
        return self.field.reduce((odd if isinstance(e, sinh) else even) * half)

    def _undefined(self, e: Expr, parts: list[Array]) -> Array:
        """A function that is only named: a random polynomial of its arguments, the same wherever it is met."""
        jets, degree = self.series.jets, self.series.jets.order + 1
        exponents = [m for m in product(range(degree + 1), repeat=len(parts)) if sum(m) <= degree]
        if e.func not in self._generic:
            self._generic[e.func] = [self.field.free() for _ in exponents]
        out = jets.constant(0 * self.series.one)
        for c, powers in zip(self._generic[e.func], exponents, strict=True):
            term = jets.constant(c)
            for a, times in zip(parts, powers, strict=True):
                term = jets.product(term, self.series.whole_power(a, times))
            out = self.field.reduce(out + term)
        return out

    def _branch(self, e: Expr) -> Expr:
        """What a function that switches is at this point, which must not be at the switch."""
        if isinstance(e, (Max, Min)):
            way = 1 if isinstance(e, Max) else -1
            best = e.args[0]
            for other in e.args[1:]:
                best = other if self.field.sign(self._made[other][0] - self._made[best][0]) == way else best
            return best
        if isinstance(e, Piecewise):
            return next(value for value, condition in e.args if self._holds(condition))
        up = self.field.sign(self._made[e.args[0]][0]) > 0
        one = {Abs: (e.args[0], -e.args[0]), sign: (S.One, S.NegativeOne), Heaviside: (S.One, S.Zero)}[e.func]
        branch: Expr = one[0] if up else one[1]
        self.jet(branch)
        return branch

    def _holds(self, condition: Any) -> bool:
        if condition in (S.true, S.false):
            return condition is S.true
        if isinstance(condition, (Gt, Ge, Lt, Le)):
            return self.field.sign(self.jet(condition.gts)[0] - self.jet(condition.lts)[0]) > 0
        if isinstance(condition, (And, Or)):
            return (all if isinstance(condition, And) else any)(map(self._holds, condition.args))
        if isinstance(condition, Not):
            return not self._holds(condition.args[0])
        raise NotExact(f"the condition {condition}")
