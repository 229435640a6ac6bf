"""The start of a system said in the new coordinates, exactly where its expressions allow it.

A coordinate that stays keeps its value; one that stands alone and linearly in the place of a known old coordinate is
solved for; an angle whose sine and cosine follow from the places is atan2 of them.
"""

from collections.abc import Mapping
from contextlib import suppress

from sympy import Expr, Matrix, S, atan2, cos, sin

from dalembert.derive.effort import TooMuch, effort
from dalembert.derive.linear import NotSolved, solve
from dalembert.derive.reducing.chart import Chart
from dalembert.derive.reducing.identity import vanishes
from dalembert.derive.tidy import tidy

EFFORT = 2.0


def exact_start(chart: Chart, known: Mapping[Expr, Expr]) -> dict[Expr, Expr] | None:
    """The new coordinates and velocities at t = 0 from expressions of the old ones; None where they are not found.

    `known` has the old coordinates and velocities whose start is known as an expression of parameters.
    """
    with suppress(TooMuch, NotSolved), effort(EFFORT):
        x = _positions(chart, known)
        if x is None:
            return None
        v = _velocities(chart, known, x)
        if v is None:
            return None
        up = chart.algebra.restore
        values = zip((*chart.embedding.new, *(q.diff() for q in chart.embedding.new)), (*x, *v), strict=True)
        return {key: up(tidy(value)) for key, value in values}
    return None


def is_start(chart: Chart, start: Mapping[Expr, Expr], known: Mapping[Expr, Expr]) -> bool:
    """Whether a start in the new coordinates is the one known in the old, for all values of the parameters."""
    a = chart.algebra
    new = (*chart.embedding.new, *(q.diff() for q in chart.embedding.new))
    here = dict(zip((*a.q, *a.v), (a.convert(start[key]) for key in new), strict=True)) | {a.t: S.Zero}
    keys = (*chart.system.coordinates, *chart.system.velocities)
    return all(
        vanishes(e.xreplace(here) - a.convert(known[key])).vanishes
        for key, e in zip(keys, (*chart.y, *chart.rates), strict=True)
    )


def _positions(chart: Chart, known: Mapping[Expr, Expr]) -> list[Expr] | None:
    a = chart.algebra
    found: dict[Expr, Expr] = {a.t: S.Zero}
    pairs = [
        (y, a.convert(known[q])) for q, y in zip(chart.system.coordinates, chart.y, strict=True) if q in known
    ]  # y_i(x, 0) = y_i0
    while len(found) <= chart.k:
        gaps = [y.xreplace(found) - start for y, start in pairs]
        more = next((hit for x in a.q if x not in found and (hit := _one(x, gaps, a.q)) is not None), None)
        if more is None:
            return None
        x, value = more
        found[x] = value
    return [found[x] for x in a.q]


def _one(x: Expr, gaps: list[Expr], all_x: tuple[Expr, ...]) -> tuple[Expr, Expr] | None:
    """A coordinate with its value, from the relations in which no other unknown stands."""
    own = [g for g in gaps if {s for s in all_x if g.has(s)} == {x}]
    for g in own:
        slope = g.diff(x)
        if not slope.has(x) and slope.is_zero is not True:
            return x, tidy(-g.xreplace({x: S.Zero}) / slope)
    turning = []
    for g in own:
        c, s = g.coeff(cos(x)), g.coeff(sin(x))
        rest = (g - c * cos(x) - s * sin(x)).expand()
        if not any(e.has(x) for e in (c, s, rest)):
            turning.append((c, s, rest))
    if len(turning) < 2:
        return None
    (c1, s1, r1), (c2, s2, r2) = turning[:2]
    det = tidy(c1 * s2 - s1 * c2)
    if det == 0 or det.is_nonzero is not True:
        return None
    return x, atan2(tidy((r1 * c2 - c1 * r2) / det), tidy((s1 * r2 - r1 * s2) / det))


def _velocities(chart: Chart, known: Mapping[Expr, Expr], x: list[Expr]) -> list[Expr] | None:
    """ẋ from J ẋ = ẏ − y_t, on rows that determine it."""
    a = chart.algebra
    here = dict(zip(a.q, x, strict=True)) | {a.t: S.Zero}
    rows, right = [], []
    for i, u in enumerate(chart.system.velocities):
        if u in known and chart.J[i]:
            rows.append([chart.J[i].get(j, S.Zero).xreplace(here) for j in range(chart.k)])
            right.append(a.convert(known[u]) - chart.drift[i].xreplace(here))
    if all(r == 0 for r in right) and len(rows) == sum(map(bool, chart.J)):
        return [S.Zero] * chart.k
    J, b = Matrix(rows).applyfunc(tidy), Matrix(right).applyfunc(tidy)
    if J.rows < chart.k:
        return None
    return list(solve((J.T * J).applyfunc(tidy), (J.T * b).applyfunc(tidy)))
