"""Decimal numbers as the fractions they stand for.

A decimal has 53 bits, and what is computed with decimals is off in the last of them: 0.1 + 0.2 is not 0.3. The rule: a
decimal stands for the fraction with a denominator of at most a million within a few of its last bits, if there is one;
else for its value rounded to fifteen digits. So decimals that agree to rounding are the same number; 0.333… is a third.
"""

from fractions import Fraction
from functools import lru_cache
from math import ulp

from sympy import Basic, Expr, Float, Rational

SMALL = 10**6  # denominators of fractions that a decimal number may stand for
LAST = 8  # of its last bits that a decimal may be off
PLACES = 15  # digits that are kept of one that is no such fraction


def exact(x: Basic | float) -> Rational:
    """The fraction that a decimal number stands for; a rational number is itself."""
    if isinstance(x, Basic) and x.is_Rational:
        return x
    return _exact(float(x))


@lru_cache(4096)
def _exact(x: float) -> Rational:
    near = Fraction(x).limit_denominator(SMALL)
    if abs(Fraction(x) - near) <= LAST * Fraction(ulp(x)) and near:
        return Rational(near.numerator, near.denominator)
    return Rational(f"{x:.{PLACES}g}") if x else Rational(0)


def with_fractions(e: Expr) -> Expr:
    """An expression with fractions in place of its decimals."""
    return e.xreplace({f: exact(f) for f in e.atoms(Float)})
