"""Real numbers of 50 digits at one point: for functions that switch, and for points that must lie on constraints."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import mpmath
import numpy as np
from sympy import Abs, Expr, Float, NumberSymbol, Pow, Rational, Symbol
from sympy.core.function import AppliedUndef

from dalembert.derive.exact.numbers import Array, Unvalued

DIGITS = 50
CONTEXT = mpmath.MPContext()  # one for all: numbers of another one count as no numbers
CONTEXT.dps = DIGITS


class Real:
    """The numbers of one point: `values` for symbols that have one, random ones else, between ½ and 3/2 times `spread`.

    With `signs` they may be negative, but for symbols that cannot be.
    """

    count = 1
    dtype: Any = object

    def __init__(
        self, random: Random, values: Mapping[Symbol, Any] | None = None, spread: int = 1, signs: bool = False
    ) -> None:
        self.mp = CONTEXT
        self.tolerance = self.mp.mpf(10) ** (-DIGITS // 2)
        self.good = np.ones(1, dtype=bool)
        self._random, self._spread, self._signs = random, spread, signs
        self.values = dict(values or {})

    def reduce(self, a: Array) -> Array:
        """They are in normal form."""
        return a

    def number(self, x: Any) -> Array:
        """One number as an array of them."""
        return np.array([x], dtype=object)

    def rational(self, number: Expr) -> Any:
        """A rational or decimal number."""
        value = Rational(str(number)) if isinstance(number, Float) else Rational(number)
        return self.mp.mpf(int(value.p)) / int(value.q)

    def symbol(self, s: Symbol) -> Array:
        """The value of a symbol."""
        if s not in self.values:
            turned = self._signs and not s.is_nonnegative and self._random.random() < 0.5
            self.values[s] = self.random() * (-1 if turned else 1) * (1 if s.is_nonnegative else self._spread)
        return self.number(self.values[s])

    def random(self) -> Any:
        """A random number between ½ and 3/2."""
        return self.mp.mpf(self._random.randrange(10**15)) / 10**15 + self.mp.mpf(1) / 2

    def drawn(self, _: Expr) -> Array:
        """A new random number."""
        return self.number(self.random())

    def inverse(self, x: Array) -> Array:
        """1/x."""
        return self._checked(x, lambda v: 1 / v, abs(x[0]) > self.tolerance**2)

    def start(self, e: Expr, parts: Sequence[Array]) -> Array:
        """A function at numbers, by its name in mpmath."""
        if isinstance(e, NumberSymbol):
            return self.number(self.mp.mpf(str(e.evalf(DIGITS + 5))))
        if isinstance(e, AppliedUndef):
            return self.drawn(e)
        if isinstance(e, Pow):
            base, exponent = parts
            return self._checked(base, lambda v: v ** exponent[0], base[0] > 0)
        function = self.mp.fabs if isinstance(e, Abs) else getattr(self.mp, e.func.__name__, None)
        if function is None:
            raise Unvalued(f"{e.func.__name__} is not known here")
        return self._checked(parts[0], lambda v: function(v, *(p[0] for p in parts[1:])), True)

    def sign(self, x: Array) -> Array:
        """+1 or −1."""
        self.good &= abs(x[0]) > self.tolerance
        return self.number(self.mp.sign(x[0]))

    def pivot(self, values: Array, scale: Any = None) -> int | None:
        """The place of the largest number, where it is more than rounding beside `scale`."""
        if not len(values):
            return None
        sizes = [abs(v[0]) for v in values]
        best = max(range(len(sizes)), key=sizes.__getitem__)
        least = self.tolerance * (1 if scale is None else scale)
        return best if sizes[best] > least else None

    def _checked(self, x: Array, f: Callable[[Any], Any], exists: bool) -> Array:
        """f(x) where it is a real number; else the point is no longer good."""
        try:
            out = f(x[0]) if exists else None
        except (ValueError, ZeroDivisionError, OverflowError):
            out = None
        if not isinstance(out, self.mp.mpf) or not self.mp.isfinite(out):
            self.good &= False
            return self.number(self.mp.mpf(1))
        return self.number(out)
