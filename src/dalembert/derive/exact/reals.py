"""Real numbers at one point, as balls: what is not zero there is proved not to be; what may be zero is told apart.

They serve for functions that switch, for points that must lie on constraints, and wherever residues would take for
unrelated what may be related: constants, roots under roots, logarithms, inverse functions.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import mpmath
import numpy as np
from mpmath import libmp
from sympy import (
    Abs,
    Expr,
    NumberSymbol,
    Pow,
    Rational,
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
    erf,
    exp,
    log,
    sin,
    sinh,
    tanh,
)
from sympy.core.function import AppliedUndef

from dalembert.derive.exact.balls import Ball, NoValue, between, rising, steady
from dalembert.derive.exact.decimals import exact
from dalembert.derive.exact.numbers import Array, Unvalued

DIGITS = 50
BITS = 200  # of a ball, where nothing else is said
CONTEXT = mpmath.MPContext()  # numbers without a radius, for those who only look
CONTEXT.dps = DIGITS
FINE = 30  # random numbers are whole multiples of 2^−FINE, which are balls without a radius

RISING: dict[type, Callable[..., Any]] = {
    exp: libmp.mpf_exp,
    log: libmp.mpf_log,
    atan: libmp.mpf_atan,
    asin: libmp.mpf_asin,
    acos: libmp.mpf_acos,
    sinh: libmp.mpf_sinh,
    tanh: libmp.mpf_tanh,
    asinh: libmp.mpf_asinh,
    acosh: libmp.mpf_acosh,
    atanh: libmp.mpf_atanh,
    erf: libmp.mpf_erf,
}
STEADY: dict[type, Callable[..., Any]] = {sin: libmp.mpf_sin, cos: libmp.mpf_cos}


class Real:
    """The numbers of one point: `values` for symbols that have one, random ones else, between ½ and 3/2 times `spread`.

    With `signs` they may be negative, but for symbols that cannot be. `clear` is whether every number that could not be
    told from zero was so small beside what it came from that only a zero explains it; `sure` whether all balls hold
    what they stand for by theorem, not by trust in a function of mpmath.
    """

    count = 1
    dtype: Any = object

    def __init__(
        self,
        random: Random,
        values: Mapping[Symbol, Any] | None = None,
        spread: Rational | int = 1,
        signs: bool = False,
        bits: int = BITS,
    ) -> None:
        self.bits, self.clear, self.sure = bits, True, True
        self.good = np.ones(1, dtype=bool)
        self._faint = Ball(libmp.mpf_shift(libmp.fone, -bits // 2), libmp.fzero, bits)
        self._random, self._spread, self._signs = random, Rational(spread), signs
        self.values: dict[Symbol, Ball] = {s: self.ball(v) for s, v in (values or {}).items()}

    def ball(self, x: Any) -> Ball:
        """A number of Python's, SymPy's or mpmath's as a ball."""
        if isinstance(x, Ball):
            return Ball(x.middle, x.radius, self.bits)
        if isinstance(x, float | int):
            p, q = x.as_integer_ratio()
            return Ball.fraction(p, q, self.bits)
        if isinstance(x, Expr):
            r = exact(x)
            return Ball.fraction(int(r.p), int(r.q), self.bits)
        return Ball(x._mpf_, libmp.fzero, self.bits)

    def reduce(self, a: Array) -> Array:
        """They are in normal form."""
        return a

    def number(self, x: Ball) -> Array:
        """One number as an array of them."""
        out = np.empty(1, dtype=object)
        out[0] = x
        return out

    def rational(self, number: Expr) -> Ball:
        """A rational or decimal number."""
        value = exact(number)
        return Ball.fraction(int(value.p), int(value.q), self.bits)

    def symbol(self, s: Symbol) -> Array:
        """The value of a symbol."""
        if s not in self.values:
            turned = s.is_nonpositive or (self._signs and not s.is_nonnegative and self._random.random() < 0.5)
            size = self._spread if not (s.is_nonnegative or s.is_nonpositive) else Rational(1)
            value = self._drawn() * size * (-1 if turned else 1)
            self.values[s] = Ball.fraction(int(value.p), int(value.q), self.bits)
        return self.number(self.values[s])

    def _drawn(self) -> Rational:
        """A random number between ½ and 3/2."""
        return Rational(self._random.randrange(2**FINE) + 2 ** (FINE - 1), 2**FINE)

    def drawn(self, _: Expr) -> Array:
        """A new random number."""
        value = self._drawn()
        return self.number(Ball.fraction(int(value.p), int(value.q), self.bits))

    def inverse(self, x: Array) -> Array:
        """1/x."""
        return self._checked(self.ball(x[0]).inverse)

    def size(self, a: Array) -> Ball:
        """The largest size among numbers."""
        out = self.ball(0)
        for x in a.flat:
            if isinstance(x, Ball) and abs(x) > out:
                out = abs(x)
        return out

    def start(self, e: Expr, parts: Sequence[Array]) -> Array:
        """A function at numbers."""
        if isinstance(e, AppliedUndef):
            return self.drawn(e)
        return self._checked(lambda: self._value(e, [self.ball(part[0]) for part in parts]))

    def _value(self, e: Expr, x: list[Ball]) -> Ball:
        if isinstance(e, NumberSymbol):
            return Ball._rounded(e._as_mpf_val(self.bits + 10), libmp.fzero, self.bits)
        if isinstance(e, Pow):
            if x[0].sign <= 0:
                raise NoValue("a power of what is not positive")
            return rising(libmp.mpf_exp, rising(libmp.mpf_log, x[0]) * x[1])
        if type(e) in RISING:
            return rising(RISING[type(e)], x[0])
        if type(e) in STEADY:
            return steady(STEADY[type(e)], x[0])
        if isinstance(e, Abs):
            return -x[0] if x[0].middle[0] else x[0]
        if isinstance(e, cosh):
            up = rising(libmp.mpf_exp, x[0])
            return (up + up.inverse()) * Ball.fraction(1, 2, self.bits)
        if isinstance(e, atan2):
            return self._angle(*x)
        return self._trusted(e, x)

    def _angle(self, y: Ball, x: Ball) -> Ball:
        """atan2(y, x), away from its cut."""
        if x.sign > 0:
            return rising(libmp.mpf_atan, y * x.inverse())
        if not y.sign:
            raise NoValue("an angle at its cut")
        half = Ball._rounded(libmp.mpf_shift(libmp.mpf_pi(self.bits + 10), -1), libmp.fzero, self.bits)
        return half * y.sign - rising(libmp.mpf_atan, x * y.inverse())

    def _trusted(self, e: Expr, x: list[Ball]) -> Ball:
        """Another function by its name in mpmath, between its values at the ends of the ball: likely, not proved."""
        context = mpmath.MPContext()
        context.prec = self.bits + 20
        function = getattr(context, e.func.__name__, None)
        if function is None:
            raise Unvalued(f"{e.func.__name__} is not known here")
        self.sure = False
        rest = [context.make_mpf(b.middle) for b in x[1:]]
        found = [function(context.make_mpf(end), *rest) for end in x[0].ends]
        if not all(isinstance(f, context.mpf) and context.isfinite(f) for f in found):
            raise NoValue(e.func.__name__)
        low, high = sorted(found)
        whole = between(low._mpf_, high._mpf_, self.bits)
        return Ball._rounded(whole.middle, whole.radius, self.bits)

    def sign(self, x: Array) -> Array:
        """+1 or −1."""
        sign = self.ball(x[0]).sign
        self.good &= sign != 0
        return np.array([sign or 1], dtype=object)

    def pivot(self, values: Array, scale: Any = None) -> int | None:
        """The place of the number whose least size is largest; None where none is surely different from zero.

        One that may be zero, but is not small beside `scale`, is not `clear`.
        """
        if not len(values):
            return None
        balls = [self.ball(v[0]) for v in values]
        best = 0
        for i, x in enumerate(balls):
            if libmp.mpf_lt(balls[best].least, x.least):
                best = i
        if balls[best].least != libmp.fzero:
            return best
        bound = (scale if isinstance(scale, Ball) else self.ball(1)) * self._faint
        self.clear &= all(bound >= abs(x) for x in balls)
        return None

    def _checked(self, f: Callable[[], Ball]) -> Array:
        """What a function gives where it exists; else the point is no longer good."""
        try:
            return self.number(f())
        except (NoValue, ValueError, ArithmeticError):
            self.good &= False
            return self.number(Ball.fraction(1, 1, self.bits))
