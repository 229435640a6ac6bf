"""Bounds of an expression by interval arithmetic: enough to see that 2 − cos²θ is never zero."""

from math import inf

from sympy import Abs, Add, Expr, Mul, Pow, cos, cosh, exp, sin, tanh

Bounds = tuple[float, float]
LINE: Bounds = (-inf, inf)


def never_zero(e: Expr) -> bool:
    """Whether an expression of real symbols is plainly without a zero."""
    if e.is_nonzero:
        return True
    low, high = bounds(e)
    return low > 0 or high < 0


def bounds(e: Expr) -> Bounds:
    """Numbers that an expression of real symbols does not leave; all of the line where nothing better is seen."""
    if e.is_number:
        try:
            value = float(e)
        except (TypeError, OverflowError):
            return LINE
        margin = 1e-12 * abs(value)
        return value - margin, value + margin
    match e:
        case Add():
            parts = [bounds(a) for a in e.args]
            return sum(low for low, _ in parts), sum(high for _, high in parts)
        case Mul():
            out: Bounds = (1.0, 1.0)
            for factor in e.args:
                out = _product(out, bounds(factor))
            return out
        case Pow() if e.exp.is_Integer and e.exp > 0:
            return _power(bounds(e.base), int(e.exp))
        case sin() | cos() | tanh():
            return -1.0, 1.0
        case cosh():
            return 1.0, inf
        case exp() | Abs():
            return 0.0, inf
    return 0.0 if e.is_nonnegative else -inf, 0.0 if e.is_nonpositive else inf


def _product(a: Bounds, b: Bounds) -> Bounds:
    ends = [0.0 if x == 0 or y == 0 else x * y for x in a for y in b]
    return min(ends), max(ends)


def _power(a: Bounds, n: int) -> Bounds:
    ends = [a[0] ** n, a[1] ** n]
    if n % 2 == 0 and a[0] <= 0 <= a[1]:
        return 0.0, max(ends)
    return min(ends), max(ends)
