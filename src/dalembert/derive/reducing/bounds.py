"""Whether an expression has zeros: bounds by interval arithmetic, which see that 2 − cos²θ has none, and a search."""

from collections.abc import Collection
from math import inf

import numpy as np
from sympy import Abs, Add, Expr, Mul, Pow, Symbol, cos, cosh, exp, sin, tanh

from dalembert.derive.reducing.identity import random_points
from dalembert.derive.tape import Tape
from dalembert.model import ModelError

Bounds = tuple[float, float]
LINE: Bounds = (-inf, inf)
STARTS, FOUND = 8, 1e-8
SEARCH = {"xatol": 1e-9, "fatol": 1e-14, "maxfev": 400}


def never_zero(e: Expr) -> bool:
    """Whether an expression of real symbols is plainly without a zero."""
    if e.is_nonzero:
        return True
    low, high = bounds(e)
    return low > 0 or high < 0


def has_zero(e: Expr, moving: Collection[Symbol]) -> bool:
    """Whether a zero was found in the symbols that move, the others at random: a change of sign, or a search for it."""
    from scipy.optimize import minimize  # it takes longer to import than most runs

    if never_zero(e):
        return False
    symbols = sorted(e.free_symbols, key=lambda s: (s.name, s.sort_key()))
    free = [s for s in symbols if s in moving]
    tape, signs, sizes = Tape(symbols, [e]), set(), []

    def value(x: "np.ndarray", point: dict[Symbol, float]) -> float:
        try:
            return tape([dict(zip(free, x, strict=True)).get(s, point[s]) for s in symbols])[0]
        except ModelError:
            return inf

    for point in random_points(symbols, STARTS, seed=3):
        x = np.array([point[s] for s in free])
        here = value(x, point)
        if not np.isfinite(here):
            continue
        signs.add(np.sign(here))
        sizes.append(abs(here))
        best = minimize(lambda x, p=point: min(abs(value(x, p)), 1e100), x, method="Nelder-Mead", options=SEARCH)
        signs.add(np.sign(value(best.x, point)))
        if len(signs) > 1 or best.fun <= FOUND * max(sizes):
            return True
    return False


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
