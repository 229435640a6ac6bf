"""Decimal numbers as the fractions they stand for.

A decimal has 53 bits, and what is computed with decimals is off in the last of them: 0.1 + 0.2 is not 0.3. The rule: a
decimal stands for the fraction with a denominator of at most a million within a few of its last bits, if there is one;
else for the shortest decimal that is written like it, which is what was written. 0.333… is a third. Among numbers that
stand together (`Together`) one that is a simple multiple of another but for rounding is that multiple: beside √2,
1.4142135623730951 is √2 and 2.8284271247461903 twice that.
"""

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from math import isfinite, log10, ulp

from sympy import Basic, Expr, Float, Function, NumberSymbol, Pow, Rational

SMALL = 10**6  # denominators of fractions that a decimal number may stand for
LAST = 8  # of its last bits that a decimal may be off
SIMPLE = 1000  # the largest numerator and denominator of a simple multiple, but for powers of ten


def exact(x: Basic | float) -> Rational:
    """The fraction that a decimal number stands for; a rational number is itself."""
    if isinstance(x, Basic) and x.is_Rational:
        return x
    return _exact(float(x))


@lru_cache(4096)
def _exact(x: float) -> Rational:
    if (near := _near(x)) is not None:
        return Rational(near.numerator, near.denominator)
    return Rational(repr(x)) if x else Rational(0)


def _near(x: float) -> Fraction | None:
    """The fraction with a small denominator that a decimal is but for its last bits."""
    near = Fraction(x).limit_denominator(SMALL)
    few = near and abs(near.numerator) * near.denominator <= SMALL**2  # else there is one near any large number
    return near if few and abs(Fraction(x) - near) <= LAST * Fraction(ulp(x)) else None


class Together:
    """Decimals and other constants of expressions that stand together, and what each decimal stands for among them.

    `taken` are those that stand for something else than what was written.
    """

    def __init__(self, expressions: Iterable[Basic]) -> None:
        self._known: list[tuple[float, Expr]] = []
        self.taken: dict[Expr, Expr] = {}
        whole = list(expressions)
        for c in sorted({c for e in whole for c in _irrational(e)}, key=lambda c: (c.count_ops(), c.sort_key())):
            value = float(c)
            if isfinite(value) and value:
                self._known.append((value, c))
        for f in sorted({f for e in whole for f in e.atoms(Float)}, key=lambda f: f.sort_key()):
            value = self.told(f)
            if value != exact(f):
                self.taken[f] = value
            elif value.is_Rational and value.q > SMALL:
                self._known.append((float(f), value))

    def told(self, f: Expr) -> Expr:
        """What a decimal stands for: a small fraction, a simple multiple of another constant, or what was written."""
        if f.is_Rational or not isfinite(x := float(f)) or x == 0:
            return exact(f)
        for value, c in self._known:
            if (times := _simple(x / value)) is not None:
                return c if times == 1 else Rational(times.numerator, times.denominator) * c
        return exact(f)

    def of(self, e: Expr) -> Expr:
        """An expression with these in place of its decimals."""
        return e.xreplace({f: self.told(f) for f in e.atoms(Float)})


def _irrational(e: Basic) -> set[Expr]:
    """The constants of an expression that are roots, functions of numbers or numbers with a name."""
    found = e.atoms(Pow, Function, NumberSymbol)
    return {c for c in found if c.is_number and c.is_real and not c.is_Rational and not c.has(Float)}


def _simple(ratio: float) -> Fraction | None:
    """A ratio as a fraction of small numbers times a power of ten, within a few of its last bits."""
    if not isfinite(ratio) or not ratio:
        return None
    for k in (0, -round(log10(abs(ratio)))):
        scaled = Fraction(ratio) * Fraction(10) ** k
        near = scaled.limit_denominator(SIMPLE)
        if 0 < abs(near.numerator) <= SIMPLE and abs(scaled - near) <= LAST * abs(scaled) / 2**53:
            return near / Fraction(10) ** k
    return None


def with_fractions(e: Expr) -> Expr:
    """An expression with fractions in place of its decimals."""
    return e.xreplace({f: exact(f) for f in e.atoms(Float)})
