"""Which rows of a set integrals may take the place of, so that the rank is the same wherever the integrals hold.

df_j = Σ μ_ji ω_i. Where the rows S give way, ω_S = K⁻¹ (df − μ_rest ω_rest) with K = μ_S: what is left says all that
the set did, at places where these coefficients have no pole. A pole is no harm where the integrals never come, as x = 0
for x² y = 1.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, islice, product
from typing import NamedTuple

from sympy import Expr, Matrix, Mul, Poly, PolynomialError, S, Symbol, fraction, groebner, reduced, together

from dalembert.derive.effort import TooMuch, effort, weigh
from dalembert.derive.exact import leaf_points, settled
from dalembert.derive.forms.closure import independent_rows
from dalembert.derive.forms.combination import Combination, combination
from dalembert.derive.forms.frobenius import Row
from dalembert.derive.forms.ground import Ground
from dalembert.derive.reducing.bounds import never_zero
from dalembert.derive.tidy import tidy

EFFORT = 1.0
MOST_CHOICES = 40  # of integrals and rows that are tried
MOST_TERMS = 200
FEW, LOW = 4, 3  # variables and polynomials, and their degree: of so many common zeros are looked for
FAINT = 1e-6  # of its size elsewhere, below which a coefficient vanishes at a place found in floating-point numbers
FOUND = 2  # points at which a factor vanishes, of which one is not enough to be sure


class Rows(NamedTuple):
    """Rows by their places: those that may give way, and all; `levels` are functions that are zero on a motion."""

    own: Sequence[tuple[int, Row]]
    others: Sequence[Row]
    levels: Sequence[Expr]


def exchanged(integrals: Sequence[Expr], rows: Rows, ground: Ground) -> dict[int, int]:
    """The places of the rows that give way, with the numbers of the integrals that take them; as many as may."""
    every = [*rows.others, *(row for _, row in rows.own)]
    chosen, pivots = independent_rows(every, ground.variables)
    base = [every[j] for j in chosen]
    free = {k: rows.own[j - len(rows.others)][0] for k, j in enumerate(chosen) if j >= len(rows.others)}
    lasting = [j for j, f in enumerate(integrals) if never_there(fraction(together(f))[1], rows.levels, ground)]
    found = {j: combination(ground.differential(integrals[j]), base, pivots, ground.variables) for j in lasting}
    made = {j: one.coefficients for j, one in found.items() if one is not None and _regular(one, rows, ground)}
    for own, places in islice(_choices(sorted(made), sorted(free, reverse=True)), MOST_CHOICES):
        if _is_kept([made[j] for j in own], places, rows, ground):
            return {free[k]: j for k, j in zip(sorted(places), own, strict=True)}
    return {}


def _regular(made: Combination, rows: Rows, ground: Ground) -> bool:
    """Whether the rows say something wherever the integral made of them does: no coefficient has a pole there."""
    return all(never_there(fraction(together(c))[1], rows.levels, ground) for c in made.coefficients)


def _choices(integrals: Sequence[int], rows: Sequence[int]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Integrals with as many rows: as many as there can be first, and the later rows first."""
    for size in range(min(len(integrals), len(rows)), 0, -1):
        yield from product(combinations(integrals, size), combinations(rows, size))


def _is_kept(made: Sequence[Sequence[Expr]], places: tuple[int, ...], rows: Rows, ground: Ground) -> bool:
    """Whether the rows at some places follow from the integrals and the other rows, wherever the integrals hold."""
    try:
        with effort(EFFORT):
            K = Matrix([[one[k] for k in places] for one in made])
            rest = Matrix([[one[k] for k in range(len(one)) if k not in places] for one in made])
            for e in K:
                weigh(e, most=MOST_TERMS)
            det = tidy(K.det())
            if det == 0:
                return False
            inverse = K.adjugate() / det
            entries = [*inverse, *(inverse * rest)]
            below = {fraction(together(tidy(e)))[1] for e in entries if e != 0}
            return all(never_there(d, rows.levels, ground) for d in below)
    except (TooMuch, PolynomialError):
        return False


def never_there(e: Expr, levels: Sequence[Expr], ground: Ground) -> bool:
    """Whether it is plain that an expression vanishes nowhere on some levels φ = 0."""
    return all(
        never_zero(f) or any(_apart(f, phi, ground) for phi in levels) or _together_apart(f, levels, ground)
        for f, _ in factors_of(e)
    )


def factors_of(e: Expr) -> Iterator[tuple[Expr, Expr]]:
    """The factors of an expression with their exponents."""
    for f in Mul.make_args(e.factor() if e.is_Add else e):
        yield f.as_base_exp()


def _apart(f: Expr, phi: Expr, ground: Ground) -> bool:
    """Whether f is a number different from zero on φ = 0, or φ on f = 0."""
    top = fraction(together(phi))[0]
    if not f.free_symbols & top.free_symbols & set(ground.variables):
        return False
    try:
        weigh(f, top, most=MOST_TERMS)
        return any(never_zero(settled(reduced(one, [other])[1])) for one, other in ((f, top), (top, f)))
    except (PolynomialError, TooMuch):
        return False


def _together_apart(f: Expr, levels: Sequence[Expr], ground: Ground) -> bool:
    """Whether polynomials of low degree have no common zero: one is a combination of them (Hilbert)."""
    variables = [x for x in ground.variables if any(x in e.free_symbols for e in (f, *levels))]
    try:
        polys = [Poly(fraction(together(e))[0], *variables) for e in (f, *levels)]
    except PolynomialError:
        return False
    few = len(variables) <= FEW and len(polys) <= FEW and all(p.total_degree() <= LOW for p in polys)
    if not few or not all(c.is_Rational for p in polys for c in p.coeffs()):
        return False
    return bool(groebner(polys, *variables).exprs == [S.One])


def found_there(e: Expr, levels: Sequence[Expr], row: Row, slopes: Row, ground: Ground) -> Expr | None:
    """A factor that vanishes at places on some levels where a differential does and a row does not, if one is found."""
    for f, n in factors_of(e):
        if not f.free_symbols & set(ground.variables) or n.is_negative or never_there(f, levels, ground):
            continue
        points = (p for p in leaf_points([f, *levels], ground.variables, ground.near) if not p.missed())
        idle = (p for p in points if says(row, p.numbers) and not says(slopes, p.numbers))
        if len(list(islice(idle, FOUND))) == FOUND:
            return f
    return None


def says(row: Row, at: dict[Symbol, float]) -> bool:
    """Whether a row has a coefficient that does not vanish at a point, beside what it is some way from there."""
    unit = max(map(abs, at.values()), default=0.0) or 1.0
    away = {x: v + unit * (0.3 + 0.1 * k) for k, (x, v) in enumerate(at.items())}
    here, there = _sizes(row, at), _sizes(row, away)
    return any(v > FAINT * max([*here, *there]) for v in here)


def _sizes(row: Row, at: dict[Symbol, float]) -> list[float]:
    values = [S(e.xreplace(at)) for e in row[:-1]]
    return [abs(float(v)) for v in values if v.is_number and v.is_real and v.is_finite]
