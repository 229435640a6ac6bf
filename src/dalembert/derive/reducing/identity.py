"""Whether an expression vanishes identically: by exact arithmetic at random points, on every side of its switches.

Residues modulo a prime decide for rational functions, roots, exponentials and angles, however small and far away what
is left may be. Where a relation between functions may be hidden from them (√(a² + 2ab + b²) = a + b for positive a, b),
numbers of fifty digits at points near and far decide. Decimal fractions are exact as written; an expression that
vanishes but for their rounding, beside its own terms, is said to be `rounded`.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import lcm
from typing import NamedTuple

import numpy as np
from sympy import Expr, Function, Pow, Rational, Symbol, cos, cosh, exp, sin, sinh, tan, tanh

from dalembert.derive.exact import PRIMES, Points, Unvalued
from dalembert.derive.exact.cases import Countless, branches, switching_in
from dalembert.derive.reducing.decimals import Decimals
from dalembert.derive.reducing.digits import ROUNDED, value_and_size

ZERO = 1e-30  # of the terms that cancel
DRAWN, ENOUGH = (5, 40, 640), 3  # points of residues, and at how many of them everything must exist
FINEST = 10**9  # the largest common denominator that angles are multiplied by
POINTS, TRIES = 12, 160
CLEAR = 1e-3  # of the terms: a value that is good to be shown
SPREADS = (1.0, 0.3, 3.0, 10.0, 0.1, 100.0)  # of the numbers tried: what moves may go far
NEAR = (1.0, 0.3, 1.0, 0.1, 2.0)
KNOWN = (sin, cos, tan, exp, sinh, cosh, tanh)  # functions whose relations residues know all of


class Verdict(NamedTuple):
    """Whether an expression vanishes; `value` is it at a point `at`, on one side of its switches where `side` is true.

    `shown` is whether that was exact, `rounded` whether it vanishes but for the rounding of decimal fractions, and
    `tried` at how many points of fifty digits it has a value, where it was not exact.
    """

    vanishes: bool
    shown: bool
    value: float = 0.0
    at: dict[Symbol, float] = {}  # noqa: RUF012  (never changed)
    tried: int = 0
    rounded: bool = False
    side: bool = False


def vanishes(expr: Expr, decimals: Mapping[Symbol, Rational] | None = None) -> Verdict:
    """Whether an expression of real symbols is identically zero where it is defined, on all sides of its switches.

    `decimals` are symbols in it that stand for decimal fractions; those that stand in it themselves have theirs here.
    """
    if expr == 0:
        return Verdict(True, True)
    own = Decimals()
    masked = own.masked(expr)
    fixed = {**(decimals or {}), **own.values}
    fixed = {s: value for s, value in fixed.items() if masked.has(s)}
    if _residues(masked.xreplace(fixed)):
        return Verdict(True, True)
    if not switching_in(masked):
        return _judged(masked, fixed)
    try:
        sides = branches(masked)
    except Countless:
        sides = []
    found = [Verdict(True, True) if _residues(side.xreplace(fixed)) else _judged(side, fixed) for side in sides]
    bad = next((v for v in found if not v.vanishes), None)
    if found and bad is None:
        rounded, tried = any(v.rounded for v in found), max(v.tried for v in found)
        return Verdict(True, all(v.shown for v in found), tried=tried, rounded=rounded)
    whole = _numbers(masked, fixed, ZERO)
    if not whole.vanishes and whole.tried:
        return whole
    return Verdict(False, False, side=True) if bad is None else bad._replace(side=True)


def _judged(e: Expr, fixed: Mapping[Symbol, Rational]) -> Verdict:
    """The verdict on an expression without switches that does not vanish by residues."""
    found = _numbers(e, fixed, ROUNDED if fixed else ZERO)
    if not found.vanishes:
        return found
    hidden = _hidden(e.xreplace(dict(fixed)))
    if fixed:
        return found._replace(rounded=not hidden or not _numbers(e, fixed, ZERO).vanishes)
    return found if hidden else found._replace(vanishes=False)


def _hidden(e: Expr) -> bool:
    """Whether residues may have missed a relation: between roots, or inverse functions."""
    roots = any(not p.exp.is_Integer for p in e.atoms(Pow))
    return roots or any(not isinstance(f, KNOWN) for f in e.atoms(Function)) or _residues(e) is None


def _residues(e: Expr) -> bool | None:
    """Whether it vanishes modulo a prime wherever it was tried; None where residues have no values for it."""
    symbols = sorted(e.free_symbols, key=lambda s: (s.name, s.sort_key()))
    shared = lcm(*(int(r.q) for r in e.atoms(Rational)))
    for scaled in (e, e.xreplace({s: shared * s for s in symbols}) if 1 < shared <= FINEST else None):
        if scaled is None:
            return None
        try:
            for count in DRAWN:
                points = Points(symbols, count, PRIMES[1], seed=2, vary=True)
                values = points.of(scaled)
                if np.count_nonzero(points.good) >= ENOUGH:
                    return not np.any(values[points.good])
            return None
        except Unvalued:
            continue
    return None


def _numbers(e: Expr, fixed: Mapping[Symbol, Rational], bound: float) -> Verdict:
    """The verdict of numbers of fifty digits, with a point where the value is above the bound, of its terms."""
    symbols = sorted(e.free_symbols - fixed.keys(), key=lambda s: (s.name, s.sort_key()))
    tried, found = 0, list[tuple[bool, bool, int, float, dict[Symbol, float]]]()
    for point in random_points(symbols, TRIES, spreads=SPREADS):
        pair = value_and_size(e, {**point, **fixed})
        if pair is None:
            continue
        tried += 1
        value, size = pair
        if abs(value) > bound * size:
            found.append((float(value) != 0, abs(value) > CLEAR * size, -tried, float(value), point))
        if tried == POINTS:
            break
    if not found:
        return Verdict(tried > 0, False, tried=tried)
    *_, shown, at = max(found, key=lambda one: one[:3])
    return Verdict(False, False, shown, at, tried)


def random_points(
    symbols: Sequence[Symbol], count: int, seed: int = 0, spreads: Sequence[float] = NEAR
) -> Iterator[dict[Symbol, float]]:
    """Values for symbols, as they are declared: positive ones about 1, real ones of both signs.

    These are of several sizes, and of ever smaller ones later: a root √(l² − x²) may exist near zero only.
    """
    random = np.random.default_rng(seed)
    for attempt in range(count):
        spread = spreads[attempt % len(spreads)] * 10.0 ** -(attempt // (2 * len(spreads)))
        yield {s: _drawn(s, random, spread) for s in symbols}


def _drawn(s: Symbol, random: "np.random.Generator", spread: float) -> float:
    size = float(random.uniform(0.4, 1.6))
    if s.is_integer:
        return float(random.integers(1, 5)) * (-1.0 if s.is_nonpositive else 1.0)
    if s.is_nonnegative or s.is_nonpositive:
        return -size if s.is_nonpositive else size
    return spread * size * float(random.choice([-1.0, 1.0]))
