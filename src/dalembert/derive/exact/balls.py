"""Ball arithmetic: numbers that know how far they may be from what they stand for.

A ball is a midpoint of some binary digits and a radius. Every operation gives a ball that holds all results for members
of its operands, rounding included. So a ball without zero is a proof that what it stands for is not zero, however small
it is and whatever relations hold among the constants in it.
"""

from collections.abc import Callable
from typing import Self

from mpmath import libmp
from mpmath.libmp import fone, fzero, mpf_abs, mpf_add, mpf_cmp, mpf_div, mpf_lt, mpf_mul, mpf_neg, mpf_shift, mpf_sub

ROUGH = 30  # bits of a radius, rounded up
VAST = 2000  # log₂ of numbers beyond which functions are not asked: their digits would fill the memory
GUARD = 20  # bits beyond those kept, with which functions are computed
Raw = tuple[int, int, int, int]


class NoValue(Exception):
    """A function that does not exist on all of a ball, or is not known to."""


def _up(a: Raw, b: Raw) -> Raw:
    out: Raw = mpf_add(a, b, ROUGH, "u")
    return out


class Ball:
    """The real numbers within a `radius` of a `middle`, both binary floats, with so many `bits`."""

    __slots__ = ("bits", "middle", "radius")

    def __init__(self, middle: Raw, radius: Raw, bits: int) -> None:
        self.middle, self.radius, self.bits = middle, radius, bits

    @classmethod
    def fraction(cls, p: int, q: int, bits: int) -> Self:
        """The ball of a rational number."""
        if q == 1 and p.bit_length() <= bits:
            return cls(libmp.from_int(p), fzero, bits)
        return cls._rounded(libmp.from_rational(p, q, bits, "n"), fzero, bits)

    @classmethod
    def _rounded(cls, middle: Raw, radius: Raw, bits: int) -> Self:
        """A ball whose middle was rounded to its last bit."""
        if middle == fzero:
            return cls(middle, radius, bits)
        return cls(middle, _up(radius, (0, 1, middle[2] + middle[3] - bits, 1)), bits)

    def __add__(self, other: "Ball | int") -> "Ball":
        if isinstance(other, int):
            if not other:
                return self
            other = Ball.fraction(other, 1, self.bits)
        if other.radius is fzero and not other.middle[1]:
            return self
        if self.radius is fzero and not self.middle[1]:
            return other
        middle = mpf_add(self.middle, other.middle, self.bits, "n")
        if self.radius is fzero:
            radius = other.radius
        elif other.radius is fzero:
            radius = self.radius
        else:
            radius = _up(self.radius, other.radius)
        return Ball._rounded(middle, radius, self.bits)

    __radd__ = __add__

    def __neg__(self) -> "Ball":
        return Ball(mpf_neg(self.middle), self.radius, self.bits)

    def __sub__(self, other: "Ball | int") -> "Ball":
        return self + (-other)

    def __rsub__(self, other: int) -> "Ball":
        return -self + other

    def __mul__(self, other: "Ball | int") -> "Ball":
        if isinstance(other, int):
            if other in (0, 1):
                return self if other else Ball(fzero, fzero, self.bits)
            other = Ball.fraction(other, 1, self.bits)
        a, b, r, s = self.middle, other.middle, self.radius, other.radius
        if r is fzero and not a[1]:
            return self
        if s is fzero and not b[1]:
            return other
        middle = mpf_mul(a, b, self.bits, "n")
        radius = fzero
        if s is not fzero and a != fzero:
            radius = mpf_mul(mpf_abs(a), s, ROUGH, "u")
        if r is not fzero and b != fzero:
            radius = _up(radius, mpf_mul(mpf_abs(b), r, ROUGH, "u"))
        if r is not fzero and s is not fzero:
            radius = _up(radius, mpf_mul(r, s, ROUGH, "u"))
        return Ball._rounded(middle, radius, self.bits)

    __rmul__ = __mul__

    def inverse(self) -> "Ball":
        """1/x; raises NoValue where the ball holds zero: |1/x − 1/m| ≤ r / (|m| (|m| − r))."""
        size = mpf_abs(self.middle)
        least = mpf_sub(size, self.radius, ROUGH, "d")
        if not mpf_lt(fzero, least):
            raise NoValue("1/0")
        middle = mpf_div(fone, self.middle, self.bits, "n")
        if self.radius is fzero:
            return Ball._rounded(middle, fzero, self.bits)
        below = mpf_mul(size, least, ROUGH, "d")
        return Ball._rounded(middle, mpf_div(self.radius, below, ROUGH, "u"), self.bits)

    def __abs__(self) -> "Ball":
        """An upper bound of the size, as a ball of its own: it only orders, and decides nothing."""
        return Ball(_up(mpf_abs(self.middle), self.radius), fzero, self.bits)

    def __gt__(self, other: "Ball") -> bool:
        return bool(mpf_cmp(self.middle, other.middle) > 0)

    def __lt__(self, other: "Ball") -> bool:
        return bool(mpf_cmp(self.middle, other.middle) < 0)

    def __ge__(self, other: "Ball") -> bool:
        return bool(mpf_cmp(self.middle, other.middle) >= 0)

    def __bool__(self) -> bool:
        """Whether it is anything but the plain number zero."""
        return bool(self.middle[1]) or self.radius is not fzero

    @property
    def sign(self) -> int:
        """+1 or −1 where all of it has that sign, else 0."""
        if not mpf_lt(self.radius, mpf_abs(self.middle)):
            return 0
        return -1 if self.middle[0] else 1

    @property
    def least(self) -> Raw:
        """A lower bound of the size of all its members."""
        low: Raw = mpf_sub(mpf_abs(self.middle), self.radius, ROUGH, "d")
        return low if mpf_lt(fzero, low) else fzero

    @property
    def ends(self) -> tuple[Raw, Raw]:
        """The lowest and the highest member, rounded outwards."""
        m, r, bits = self.middle, self.radius, self.bits + GUARD
        return mpf_sub(m, r, bits, "f"), mpf_add(m, r, bits, "c")

    def widened(self, radius: Raw) -> "Ball":
        """The ball with more room."""
        return Ball(self.middle, _up(self.radius, radius), self.bits)

    def __float__(self) -> float:
        return float(libmp.to_float(self.middle))

    def __repr__(self) -> str:
        return f"{libmp.to_str(self.middle, 15)} ± {libmp.to_str(self.radius, 3)}"


def between(low: Raw, high: Raw, bits: int) -> Ball:
    """The ball of an interval."""
    middle = mpf_shift(mpf_add(low, high, bits, "n"), -1)
    radius = max_raw(mpf_sub(high, middle, ROUGH, "u"), mpf_sub(middle, low, ROUGH, "u"))
    return Ball(middle, radius if mpf_lt(fzero, radius) else fzero, bits)


def max_raw(a: Raw, b: Raw) -> Raw:
    """The larger of two binary floats."""
    return b if mpf_lt(a, b) else a


def rising(f: Callable[[Raw, int, str], Raw], x: Ball) -> Ball:
    """f(x) of a function of libmp that rises, or falls, on all of the ball: between its values at the ends."""
    low, high = x.ends
    one = _value(f, low, x.bits)
    other = one if low == high else _value(f, high, x.bits)
    if mpf_lt(other, one):
        one, other = other, one
    whole = between(one, other, x.bits + GUARD)
    return Ball(whole.middle, _up(whole.radius, _slack(max_raw(mpf_abs(one), mpf_abs(other)), x.bits)), x.bits)


def steady(f: Callable[[Raw, int, str], Raw], x: Ball) -> Ball:
    """f(x) of a function of libmp whose slope is between −1 and 1."""
    middle = _value(f, x.middle, x.bits)
    return Ball(middle, _up(x.radius, _slack(middle, x.bits)), x.bits)


def _value(f: Callable[[Raw, int, str], Raw], x: Raw, bits: int) -> Raw:
    """A function at one number, where it is a real number; raises NoValue."""
    if x[1] and x[2] + x[3] > VAST:
        raise NoValue("a number that is too large")
    try:
        out = f(x, bits + GUARD, "n")
    except (libmp.ComplexResult, ValueError, ArithmeticError):
        raise NoValue(str(f)) from None
    if not out[1] and out[2]:  # an infinity, or no number
        raise NoValue(str(f))
    return out


def _slack(size: Raw, bits: int) -> Raw:
    """More than functions of libmp are off, some of their last bits."""
    return fzero if size == fzero else (0, 1, size[2] + size[3] - bits, 1)
