"""Jets of expressions at points: each sub-expression once, over residues modulo a prime or reals of 50 digits."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from sympy import (
    Abs,
    Add,
    And,
    Derivative,
    Dummy,
    Expr,
    Function,
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
    S,
    Subs,
    Symbol,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    cot,
    coth,
    csc,
    exp,
    log,
    sec,
    sign,
    sin,
    sinh,
    tan,
    tanh,
)
from sympy.core.function import AppliedUndef

from dalembert.derive.exact.decimals import exact
from dalembert.derive.exact.numbers import Array, Numbers, Unvalued
from dalembert.derive.exact.series import Series
from dalembert.model.writing import leaves_first

TURNING = (sin, cos, tan, cot, sec, csc)
GROWING = (exp, sinh, cosh, tanh, coth)
SLOPES = {  # f′ = factor (…)^power of an inverse function: factor, the sign of u² in 1 ± u² (2 for u² − 1), power
    asin: (1, -1, -S.Half),
    acos: (-1, -1, -S.Half),
    atan: (1, 1, S.NegativeOne),
    asinh: (1, 1, -S.Half),
    acosh: (1, 2, -S.Half),
    atanh: (1, -1, S.NegativeOne),
}
SWITCHING = (Piecewise, Max, Min, sign, Heaviside)


class Germs:
    """Jets up to an order, in some variables, of any expression at the points of some numbers.

    Raises `Unvalued` where the numbers have no values for a function; points at which something does not exist are no
    longer good. `case` says what parts that switch are; other ones are decided by the signs of the numbers.
    """

    def __init__(
        self, numbers: Numbers, variables: Sequence[Symbol], order: int, case: Mapping[Expr, Expr] | None = None
    ) -> None:
        self.numbers, self.variables, self._case = numbers, tuple(variables), case or {}
        self.series = Series(numbers, len(self.variables), order)
        self._places = {x: i for i, x in enumerate(self.variables)}
        self._made: dict[Expr, Array] = {}

    def jet(self, e: Expr) -> Array:
        """The jet of an expression."""
        for part in leaves_first(e):
            if part not in self._made and isinstance(part, Expr):
                self._made[part] = self._rule(part)
        return self._made[e]

    def slopes(self, e: Expr) -> Array:
        """The first derivatives of an expression by the variables, (N, count); the order must be at least 1."""
        return self.jet(e)[1 : 1 + len(self.variables)]

    def vanish(self, values: Array) -> bool:
        """Whether numbers (places, count) are zero at all points that are good."""
        return self.numbers.pivot(self.numbers.reduce(values)) is None

    def _rule(self, e: Expr) -> Array:
        jets, numbers = self.series.jets, self.numbers
        if e in self._case:
            return self.jet(self._case[e])
        if isinstance(e, Symbol):
            value = numbers.symbol(e)
            return jets.variable(self._places[e], value, self.series.one) if e in self._places else jets.constant(value)
        if e.is_Rational or e.is_Float:
            return jets.constant(numbers.rational(e))
        if isinstance(e, NumberSymbol):
            return jets.constant(numbers.start(e, ()))
        if isinstance(e, SWITCHING):
            return self.jet(self._branch(e))
        if not e.args:
            raise Unvalued(f"{e} is no number")
        if isinstance(e, Derivative):
            raise Unvalued(f"{e} is the derivative of a function that is only named")
        parts = [self._made[a] for a in e.args]
        if isinstance(e, Add):
            return numbers.reduce(sum(parts[1:], parts[0]))
        if isinstance(e, Mul):
            out = parts[0]
            for part in parts[1:]:
                out = jets.product(out, part)
            return out
        if isinstance(e, Pow) and e.exp.is_Integer:
            return self.series.whole_power(parts[0], int(e.exp))
        if isinstance(e, AppliedUndef):
            return self._undefined(e, parts)
        return self._function(e, parts)

    def _function(self, e: Expr, parts: list[Array]) -> Array:
        series, u = self.series, parts[0]
        if isinstance(e, TURNING):
            return self._periodic(e, u)
        if isinstance(e, exp) or (isinstance(e, Pow) and e.base == S.Exp1):
            return series.exp(self._start(e, parts), parts[-1])
        if isinstance(e, GROWING):
            return self._hyperbolic(e, u)
        if isinstance(e, Pow):
            return self._power(e, *parts)
        if isinstance(e, log):
            return series.log(self._start(e, parts), u)
        if isinstance(e, Abs):  # |u| = u |u₀|/u₀
            factor = self.numbers.reduce(self._start(e, parts) * self.numbers.inverse(u[0]))
            return self.numbers.reduce(u * factor)
        if isinstance(e, atan2):
            return self._inverse(atan, self._start(e, parts), e.args[0] / e.args[1], series.divide(*parts))
        if e.func in SLOPES:
            return self._inverse(e.func, self._start(e, parts), e.args[0], u)
        if isinstance(e, Function) and len(parts) == 1:
            return self._by_derivatives(e, u)
        raise Unvalued(f"{e.func.__name__} is not known here")

    def _by_derivatives(self, e: Expr, u: Array) -> Array:
        """Another function of one argument, by its derivatives, as far as these are made of known functions."""
        x = Dummy("x", real=True)
        terms, slope, over = [self._start(e, [u])], e.func(x), S.One
        for j in range(1, self.series.jets.order + 1):
            slope, over = slope.diff(x), over / j
            if slope.has(Derivative, Subs):
                raise Unvalued(f"{e.func.__name__} is not known here")
            value = self.jet(slope.xreplace({x: e.args[0]}) * over)[0]
            terms.append(value)
        return self.series.jets.compose(terms, u)

    def _start(self, e: Expr, parts: list[Array]) -> Array:
        """The values of a function at the points."""
        return self.numbers.start(e, [part[0] for part in parts])

    def _first(self, function: Any, argument: Expr, u: Array) -> Array:
        """The values of a function that stands for another one, whose argument has the jet u.

        SymPy may know a shorter form: e^(log x) is x, and then it is that which has the value.
        """
        e = function(argument)
        plain = isinstance(e, function) and e.args == (argument,)
        return self._start(e, [u]) if plain else self.jet(e)[0]

    def _power(self, e: Pow, a: Array, n: Array) -> Array:
        start = self._start(e, [a, n])
        if e.exp.is_Rational or e.exp.is_Float:
            return self.series.power(start, a, exact(e.exp))
        return self.series.exp(start, self.series.jets.product(self.series.log(self._first(log, e.base, a), a), n))

    def _periodic(self, e: Expr, u: Array) -> Array:
        series, argument = self.series, e.args[0]
        cosine, sine = series.cos_sin(self._first(cos, argument, u), self._first(sin, argument, u), u)
        if isinstance(e, sin | cos):
            return sine if isinstance(e, sin) else cosine
        if isinstance(e, sec | csc):
            return series.inverse(cosine if isinstance(e, sec) else sine)
        return series.divide(sine, cosine) if isinstance(e, tan) else series.divide(cosine, sine)

    def _hyperbolic(self, e: Expr, u: Array) -> Array:
        reduce, series = self.numbers.reduce, self.series
        up = series.exp(self._first(exp, e.args[0], u), u)
        down, half = series.inverse(up), self.numbers.rational(S.Half)
        odd, even = reduce(reduce(up - down) * half), reduce(reduce(up + down) * half)
        if isinstance(e, sinh | cosh):
            return odd if isinstance(e, sinh) else even
        return series.divide(odd, even) if isinstance(e, tanh) else series.divide(even, odd)

    def _inverse(self, function: Any, start: Array, argument: Expr, u: Array) -> Array:
        """An inverse function by its derivative."""
        factor, square, power = SLOPES[function]
        below = {1: 1 + argument**2, -1: 1 - argument**2, 2: argument**2 - 1}[square]
        values = self.numbers.reduce(self.jet(below)[0])
        n = self.series.jets.constant(self.numbers.rational(power))[0]
        slope = (
            self.numbers.inverse(values)
            if power == -1
            else self.numbers.start(Pow(below, power, evaluate=False), [values, n])
        )
        jet = self.series.inverse_function(0 * start, slope, square, power, u)
        jet = self.numbers.reduce(jet * factor)
        jet[0] = start
        return jet

    def _undefined(self, e: Expr, parts: list[Array]) -> Array:
        """A function that is only named: all its derivatives are random numbers, the same wherever it is met."""
        jets, order = self.series.jets, self.series.jets.order
        steps = [part.copy() for part in parts]
        for step in steps:
            step[0] = 0 * step[0]
        out = jets.constant(self.numbers.start(e, [part[0] for part in parts]))
        for powers in product(range(order + 1), repeat=len(parts)):
            if 0 < sum(powers) <= order:
                term = jets.constant(self.numbers.drawn(e))
                for step, times in zip(steps, powers, strict=True):
                    term = jets.product(term, self.series.whole_power(step, times))
                out = self.numbers.reduce(out + term)
        return out

    def _branch(self, e: Expr) -> Expr:
        """What a function that switches is at the points, none of which may be at the switch."""
        if isinstance(e, (Max, Min)):
            way = 1 if isinstance(e, Max) else -1
            best = e.args[0]
            for other in e.args[1:]:
                best = other if self._rises(other - best, way) else best
            return best
        if isinstance(e, Piecewise):
            return next(value for value, condition in e.args if self._holds(condition))
        up = self._rises(e.args[0])
        return S.One if up else S.NegativeOne if isinstance(e, sign) else S.Zero

    def _rises(self, e: Expr, way: int = 1) -> bool:
        return bool(prod(self.numbers.sign(self.jet(e)[0])) == way)

    def _holds(self, condition: Any) -> bool:
        if condition in (S.true, S.false):
            return condition is S.true
        if isinstance(condition, (Gt, Ge, Lt, Le)):
            return self._rises(condition.gts - condition.lts)
        if isinstance(condition, (And, Or)):
            return (all if isinstance(condition, And) else any)(map(self._holds, condition.args))
        if isinstance(condition, Not):
            return not self._holds(condition.args[0])
        raise Unvalued(f"the condition {condition}")
