"""Elementary functions of jets, given their values at the points."""

from collections.abc import Callable
from typing import Any

from sympy import Expr, S

from dalembert.derive.exact.jets import Jets
from dalembert.derive.exact.numbers import Array, Numbers


class Series:
    """Elementary functions over the jets of N variables up to an order."""

    def __init__(self, numbers: Numbers, variables: int, order: int) -> None:
        self.numbers = numbers
        self.jets = Jets(variables, order, numbers)
        self.one = numbers.rational(S.One)
        self._over = [numbers.rational(S.One / j) for j in range(1, order + 1)]  # 1, 1/2, 1/3, …
        self._factorials = [self.one]
        for over in self._over:
            self._factorials.append(self._times(self._factorials[-1], over))

    def _times(self, *factors: Any) -> Any:
        out = factors[0]
        for factor in factors[1:]:
            out = self.numbers.reduce(out * factor)
        return out

    def inverse(self, a: Array) -> Array:
        """1/a."""
        w = self.numbers.inverse(a[0])
        terms = [w]
        for _ in range(self.jets.order):
            terms.append(self._times(-terms[-1], w))
        return self.jets.compose(terms, a)

    def divide(self, a: Array, b: Array) -> Array:
        """a/b."""
        return self.jets.product(a, self.inverse(b))

    def whole_power(self, a: Array, times: int) -> Array:
        """a to a whole power, by squaring."""
        out, base = self.jets.constant(self.one), a if times >= 0 else self.inverse(a)
        times = abs(times)
        while times:
            out = self.jets.product(out, base) if times & 1 else out
            times >>= 1
            base = self.jets.product(base, base) if times else base
        return out

    def power(self, start: Array, a: Array, exponent: Expr) -> Array:
        """a to a rational power, which is `start` at the points: terms binomial(e, j) a₀^(e − j)."""
        e, w, terms = self.numbers.rational(exponent), self.numbers.inverse(a[0]), [start]
        for j, over in enumerate(self._over):
            terms.append(self._times(terms[-1], e - j * self.one, over, w))
        return self.jets.compose(terms, a)

    def exp(self, start: Array, u: Array) -> Array:
        """exp u, which is `start` at the points."""
        return self.jets.compose([self._times(start, f) for f in self._factorials], u)

    def cos_sin(self, c: Array, s: Array, u: Array) -> tuple[Array, Array]:
        """cos u and sin u, which are c and s at the points."""
        cosine = [self._times((c, -s, -c, s)[j % 4], f) for j, f in enumerate(self._factorials)]
        sine = [self._times((s, c, -s, -c)[j % 4], f) for j, f in enumerate(self._factorials)]
        return self.jets.compose(cosine, u), self.jets.compose(sine, u)

    def log(self, start: Array, u: Array) -> Array:
        """log u, which is `start` at the points."""
        return self._integrated(start, u, lambda line, x: line.inverse(x))

    def inverse_function(self, start: Array, slope: Array, square: int, power: Expr, u: Array) -> Array:
        """f(u) with f′ = ±(1 ± u²)^power, that is asin u and its kin; `start` is f and `slope` is f′ at the points.

        `square` is the sign of u², 2 for u² − 1.
        """

        def derivative(line: "Series", x: Array) -> Array:
            one, squared = line.jets.constant(line.one), line.jets.product(x, x)
            below = {1: one + squared, -1: one - squared, 2: squared - one}[square]
            return line.power(slope, line.numbers.reduce(below), power)

        return self._integrated(start, u, derivative)

    def _integrated(self, start: Array, u: Array, slope: Callable[["Series", Array], Array]) -> Array:
        """f(u) from f(u₀) and f′ as a function of jets of one variable."""
        if not self.jets.order:
            return self.jets.constant(start)
        line = Series(self.numbers, 1, self.jets.order - 1)
        derivative = slope(line, line.jets.variable(0, u[0], self.one))
        terms = [self._times(d, over) for d, over in zip(derivative, self._over, strict=True)]
        return self.jets.compose([start, *terms], u)
