"""Elementary functions of jets, given their values at the point."""

from collections.abc import Callable
from typing import Any

from sympy import Expr, S

from dalembert.derive.fields import Field, Modular
from dalembert.derive.jets import Array, Jets


class Series:
    """Elementary functions over the jets of N variables up to an order, with the numbers of a field."""

    def __init__(self, field: Field, variables: int, order: int) -> None:
        self.field = field
        self.jets = Jets(variables, order, field.reduce, field.dtype)
        self.one = field.rational(S.One)
        self._over = [field.inverse(field.rational(S(j))) for j in range(1, order + 1)]  # 1/1, 1/2, …
        self._factorials = [self.one]
        for over in self._over:
            self._factorials.append(self.normal(self._factorials[-1] * over))

    def normal(self, x: Any) -> Any:
        """A number in normal form."""
        return x % self.field.p if isinstance(self.field, Modular) else x

    def inverse(self, a: Array) -> Array:
        """1/a."""
        w = self.field.inverse(a[0])
        terms = [w]
        for _ in range(self.jets.order):
            terms.append(self.normal(-terms[-1] * w))
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

    def power(self, a: Array, exponent: Expr) -> Array:
        """a to a rational power: terms binomial(e, j) a₀^(e − j)."""
        root = self.field.root(a[0], int(exponent.q))
        above, times = (root if exponent.p > 0 else self.field.inverse(root)), abs(int(exponent.p))
        first = pow(int(above), times, self.field.p) if isinstance(self.field, Modular) else above**times
        e, w, terms = self.field.rational(exponent), self.field.inverse(a[0]), [first]
        for j, over in enumerate(self._over):
            step = self.normal(self.normal(e - j * self.one) * self.normal(w * over))
            terms.append(self.normal(terms[-1] * step))
        return self.jets.compose(terms, a)

    def exp(self, start: Any, u: Array) -> Array:
        """exp u, which is `start` at the point."""
        return self.jets.compose([self.normal(start * f) for f in self._factorials], u)

    def cos_sin(self, c: Any, s: Any, u: Array) -> tuple[Array, Array]:
        """cos u and sin u, which are c and s at the point."""
        sine = [self.normal([s, c, -s, -c][j % 4] * f) for j, f in enumerate(self._factorials)]
        cosine = [self.normal([c, -s, -c, s][j % 4] * f) for j, f in enumerate(self._factorials)]
        return self.jets.compose(cosine, u), self.jets.compose(sine, u)

    def log(self, start: Any, u: Array) -> Array:
        """log u, which is `start` at the point."""
        return self._integrated(start, u, lambda line, x: line.inverse(x))

    def inverse_function(self, name: str, start: Any, u: Array) -> Array:
        """asin u and its kin, by their derivatives; `start` is the value at the point."""
        return self._integrated(start, u, lambda line, x: line.slope(name, x))

    def slope(self, name: str, x: Array) -> Array:
        """The derivative of an inverse function."""
        one, square = self.jets.constant(self.one), self.jets.product(x, x)
        below = {"atan": one + square, "asinh": one + square, "acosh": square - one}.get(name, one - square)
        slope = self.power(self.field.reduce(below), S.NegativeOne if name in ("atan", "atanh") else -S.Half)
        return self.field.reduce(-slope) if name == "acos" else slope

    def _integrated(self, start: Any, u: Array, slope: "Callable[[Series, Array], Array]") -> Array:
        """f(u) from f(u₀) and f′ as a function of jets of one variable."""
        if not self.jets.order:
            return self.jets.constant(start)
        line = Series(self.field, 1, self.jets.order - 1)
        derivative = slope(line, line.jets.variable(0, u[0], self.one))
        terms = [self.normal(d * over) for d, over in zip(derivative, self._over, strict=True)]
        return self.jets.compose([start, *terms], u)
