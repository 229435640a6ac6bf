"""Decimal fractions as they are written, with a symbol for each, so that terms that cancel but for rounding are seen.

SymPy makes one number of 0.3 x − 0.1·3 x at once, −5.6e−17 x, of which nobody can tell that it is a rounding.
"""

from sympy import Basic, Dummy, Expr, Float, Pow, Rational, Symbol


class Decimals:
    """Symbols for the decimal fractions of some expressions, and their exact `values`."""

    def __init__(self) -> None:
        self.values: dict[Symbol, Rational] = {}
        self._known: dict[Rational, Symbol] = {}

    def masked(self, e: Expr) -> Expr:
        """The expression with a symbol for every decimal fraction; those in exponents become rational numbers."""
        powers = {p for p in e.atoms(Pow) if p.exp.is_Float}
        e = e.replace(lambda part: part in powers, lambda part: Pow(part.base, exact(part.exp)))
        return e.xreplace({f: self._stands_for(f) for f in e.atoms(Float)})

    def _stands_for(self, f: Float) -> Expr:
        value = exact(f)
        if value in (-1, 0, 1):
            return value
        size = abs(value)
        if size not in self._known:
            self._known[size] = Dummy(f"d{len(self._known)}", positive=True)
            self.values[self._known[size]] = size
        return self._known[size] if value > 0 else -self._known[size]


def exact(f: Basic) -> Rational:
    """A decimal fraction as it is written."""
    return Rational(repr(float(f)))
