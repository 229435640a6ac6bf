"""Whether a constant is zero, exactly: by a ball without zero, or by a bound below which an algebraic number is zero.

An algebraic number is a quotient U/L of algebraic integers. If all conjugates of U are at most u and those of L at most
l, and its degree is at most D, then it is zero or at least 1/(u^(D−1) l) in size (Burnikel, Funke, Mehlhorn, Schirra
and Schmitt 2001). Both bounds follow from how it is written.
"""

from functools import lru_cache
from math import lcm, log2
from random import Random
from typing import NamedTuple

from mpmath import libmp
from sympy import Add, Expr, GoldenRatio, Mul, Pow, Rational, cos, pi, sin, totient
from sympy.functions.elementary.trigonometric import TrigonometricFunction

from dalembert.derive.exact.balls import Ball
from dalembert.derive.exact.decimals import with_fractions
from dalembert.derive.exact.germs import Germs
from dalembert.derive.exact.numbers import Unvalued
from dalembert.derive.exact.reals import BITS, Real

MOST_BITS = 40_000  # beyond which a bound is not tried
FINE = 4  # times the usual bits, with which a number that is not algebraic is told from zero


class Height(NamedTuple):
    """log₂ of the bounds u and l."""

    u: float
    l: float  # noqa: E741  (the letter of the source)


@lru_cache(4096)
def constant_is_zero(c: Expr) -> bool | None:
    """Whether a constant is zero; None where it is too small to be seen, and no bound for it is known."""
    c = with_fractions(c)
    if c.is_Rational:
        return bool(c == 0)
    for bits in (BITS, FINE * BITS):
        found = ball_of(c, bits)
        if found is None:
            return None
        if found.sign:
            return False
    least = zero_bits(c)
    if least is None or least > MOST_BITS:
        return None
    found = ball_of(c, least + BITS)
    if found is None or found.sign:
        return None if found is None else False
    top = abs(found).middle
    return True if top == libmp.fzero or top[2] + top[3] < -least else None


def ball_of(c: Expr, bits: int) -> Ball | None:
    """The ball of a constant; None where it is no real number."""
    real = Real(Random(0), bits=bits)
    try:
        value = real.ball(Germs(real, (), 0).jet(c)[0, 0])
    except Unvalued:
        return None
    return value if real.good.all() and real.sure else None


def zero_bits(c: Expr) -> int | None:
    """b such that the constant is zero where it is below 2^−b in size; None where it is not known to be algebraic."""
    degrees: dict[Expr, int] = {}
    height = _height(c, degrees)
    if height is None:
        return None
    degree = 1
    turn = degrees.pop(pi, 1)
    if turn > MOST_BITS**3:  # its totient is then beyond that number of bits, and may take long to be found
        return None
    if turn > 1:
        degree = max(1, int(totient(lcm(4, turn))))
    for n in degrees.values():
        degree *= n
    bits = max(height.u, 0.0) * (degree - 1) + max(height.l, 0.0)
    return int(bits) + 2 if bits < 1e9 else None


def _height(c: Expr, degrees: dict[Expr, int]) -> Height | None:
    """The bounds of an expression; the roots it holds are added to `degrees`, angles as a common multiple for π."""
    if c.is_Rational:
        return Height(_log(int(c.p)), _log(int(c.q)))
    if c == GoldenRatio:
        degrees[c] = 2
        return Height(1.0, 0.0)
    if isinstance(c, TrigonometricFunction):
        return _turning(c, degrees)
    if not isinstance(c, Add | Mul | Pow):
        return None
    if isinstance(c, Pow):
        return _power(c, degrees)
    parts = [_height(a, degrees) for a in c.args]
    if any(p is None for p in parts):
        return None
    known = [p for p in parts if p is not None]
    below = sum(p.l for p in known)
    if isinstance(c, Mul):
        return Height(sum(p.u for p in known), below)
    return Height(_sum([p.u + below - p.l for p in known]), below)


def _power(c: Expr, degrees: dict[Expr, int]) -> Height | None:
    base, exponent = c.args
    inner = _height(base, degrees) if exponent.is_Rational else None
    if inner is None:
        return None
    u, l = inner  # noqa: E741
    k = int(exponent.q)
    if k > 1:
        degrees[base ** Rational(1, k)] = k
        u, l = ((u + (k - 1) * l) / k, l) if u >= l else (u, ((k - 1) * u + l) / k)  # noqa: E741
    n = int(exponent.p)
    return Height(n * u, n * l) if n > 0 else Height(-n * l, -n * u)


def _turning(c: Expr, degrees: dict[Expr, int]) -> Height | None:
    """2 cos and 2 sin of fractions of π are algebraic integers, at most 2 with all their conjugates."""
    factor, rest = c.args[0].as_coeff_Mul()
    if rest != pi or not factor.is_Rational:
        return None
    if not isinstance(c, sin | cos):
        return _height(c.rewrite(cos), degrees) if c.rewrite(cos).has(cos) else None
    degrees[pi] = lcm(degrees.get(pi, 1), 2 * int(factor.q))
    return Height(1.0, 1.0)


def _log(n: int) -> float:
    """log₂ of a whole number, not below the truth."""
    return 0.0 if abs(n) <= 1 else log2(abs(n)) + 1e-9 if abs(n) < 2**900 else float(abs(n).bit_length())


def _sum(logs: list[float]) -> float:
    most = max(logs)
    return most + log2(sum(2.0 ** (x - most) for x in logs)) + 1e-9
