"""Whether an expression vanishes identically: by numbers of fifty digits at random points, and in symbols.

A value that is not zero at one point settles it. Zero at all points is said to hold: an analytic function that
vanishes at random points vanishes, and of those with switches (|x|, max, piecewise) many points are tried, on both
sides. That it was also seen in symbols is told apart.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from sympy import Abs, Add, Expr, Float, Heaviside, Max, Min, Piecewise, Rational, Symbol, expand, sign, simplify

from dalembert.derive.deadline import Overtime, deadline
from dalembert.derive.tidy import tidy

DIGITS = 50
ZERO, ROUNDED = 1e-30, 1e-13  # of the terms that cancel: exactly, and where decimal fractions stand in them
POINTS, SWITCHED = 6, 24
TRIES = 120
SECONDS = 2.0
SWITCHES = (Abs, sign, Heaviside, Max, Min, Piecewise)
SPREADS = (1.0, 0.3, 1.0, 0.1, 2.0)


class Verdict(NamedTuple):
    """Whether an expression vanishes; `value` is it at a point `at`, and `shown` whether symbols say it too.

    `tried` is how many points it has a value at.
    """

    vanishes: bool
    shown: bool
    value: float
    at: dict[Symbol, float]
    tried: int


def vanishes(expr: Expr) -> Verdict:
    """Whether an expression of real symbols is identically zero where it is defined."""
    if expr == 0:
        return Verdict(True, True, 0.0, {}, 0)
    exact = expr.xreplace({f: Rational(repr(float(f))) for f in expr.atoms(Float)})
    bound = ROUNDED if expr.has(Float) else ZERO
    wanted = SWITCHED if expr.has(*SWITCHES) else POINTS
    tried = 0
    symbols = sorted(exact.free_symbols, key=lambda s: (s.name, s.sort_key()))
    for point in random_points(symbols, TRIES):
        found = _value(exact, point)
        if found is None:
            continue
        tried += 1
        value, size = found
        if abs(value) > bound * (1.0 + size):
            return Verdict(False, False, value, point, tried)
        if tried == wanted:
            break
    return Verdict(tried > 0, tried > 0 and _seen(exact), 0.0, {}, tried)


def random_points(symbols: Sequence[Symbol], count: int, seed: int = 0) -> Iterator[dict[Symbol, float]]:
    """Values for symbols, as they are declared: positive ones about 1, real ones of both signs.

    These are of several sizes, and of ever smaller ones later: a root √(l² − x²) may exist near zero only.
    """
    random = np.random.default_rng(seed)
    for attempt in range(count):
        spread = SPREADS[attempt % len(SPREADS)] * 10.0 ** -(attempt // (2 * len(SPREADS)))
        yield {s: _drawn(s, random, spread) for s in symbols}


def _drawn(s: Symbol, random: "np.random.Generator", spread: float) -> float:
    size = float(random.uniform(0.4, 1.6))
    if s.is_integer:
        return float(random.integers(1, 5)) * (-1.0 if s.is_nonpositive else 1.0)
    if s.is_nonnegative or s.is_nonpositive:
        return -size if s.is_nonpositive else size
    return spread * size * float(random.choice([-1.0, 1.0]))


def _value(expr: Expr, point: dict[Symbol, float]) -> tuple[float, float] | None:
    """The value at a point to many digits, and the size of its terms; None where it has no real value."""
    rule = {s: Float(v, DIGITS) for s, v in point.items()}
    try:
        terms = [term.xreplace(rule).evalf(DIGITS) for term in Add.make_args(expr)]
    except (TypeError, ValueError, ArithmeticError):
        return None
    if not all(term.is_Float or term.is_Rational for term in terms):
        return None
    total, size = float(Add(*terms)), float(Add(*map(abs, terms)))
    return (total, size) if np.isfinite(total) and np.isfinite(size) else None


def _seen(expr: Expr) -> bool:
    """Whether symbols show it in reasonable time."""
    with suppress(Overtime), deadline(SECONDS):
        return bool(tidy(expr) == 0 or expand(expr) == 0 or simplify(expr) == 0)
    return False
