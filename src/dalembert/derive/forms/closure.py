"""Rank and number of integrals of a set of forms: the best that was seen at random points, and how sure that is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import comb

import numpy as np
from sympy import Expr, Symbol

from dalembert.derive.exact import PROVED, Evidence, Germs, Untried, leaf_points, tried
from dalembert.derive.forms.frobenius import Independent, Row, Span, independent, span

MOST_PAIRS = 60_000  # products of coefficients in one product of jets
LEAF_POINTS = 3
LEAF_ORDER = 3


@dataclass(frozen=True)
class Closure:
    """Independent rows and pivots of a set of forms, how many integrals it has (at most, where not `complete`)."""

    rows: tuple[int, ...]
    pivots: tuple[int, ...]
    integrals: int
    growth: tuple[int, ...]
    complete: bool
    evidence: Evidence

    @property
    def rank(self) -> int:
        """The number of independent rows."""
        return len(self.rows)


def closure(rows: Sequence[Row], variables: Sequence[Symbol]) -> Closure:
    """Rank and integrals of forms at generic points, by exact arithmetic where their functions allow it.

    That brackets lead out of the span is proved by the point at which they do; that they do not is tried. Raises
    `Untried` where nothing can be evaluated.
    """
    places = _occurring(rows, variables)
    own, short = [variables[j] for j in places], [[row[j] for j in places] for row in rows]
    entries = [e for row in short for e in row]
    active = [x for x in own if any(x in e.free_symbols for e in entries)]
    order = 1
    while True:
        found, evidence = tried(entries, active, lambda germs: span(germs, short, own), _widest, order)
        if found.complete or comb(2 * len(active) + order + 1, order + 1) > MOST_PAIRS:
            certain = evidence.exact and len(found.rows) == len(rows) and not found.integrals
            known = Evidence(True, evidence.points, 0.0) if certain else evidence
            return _closed(found._replace(pivots=tuple(places[p] for p in found.pivots)), known)
        order += 1


def _occurring(rows: Sequence[Row], variables: Sequence[Symbol]) -> list[int]:
    """The places of variables that forms contain, and of the last, the time: the others commute with everything."""
    used = set().union(*(e.free_symbols for row in rows for e in row)) if rows else set()
    last = len(variables) - 1
    return [j for j, x in enumerate(variables) if j == last or x in used or any(row[j] != 0 for row in rows)]


def independent_rows(rows: Sequence[Row], variables: Sequence[Symbol]) -> Independent:
    """The earliest rows that are independent at generic points, and their pivots."""
    return _independent(rows, variables)[0]


def _independent(rows: Sequence[Row], variables: Sequence[Symbol]) -> tuple[Independent, Evidence]:
    entries = [e for row in rows for e in row]
    return tried(entries, variables, lambda germs: independent(germs, rows), _most, 0)


def _most(found: list[Independent]) -> Independent:
    return max(found, key=lambda one: len(one.rows))


def _widest(found: Sequence[Span]) -> Span:
    """What is generic: the largest rank, and the largest closure, that were seen."""
    return max(found, key=lambda one: (len(one.rows), sum(one.growth)))


def closure_of_exact(rows: Sequence[Row], variables: Sequence[Symbol]) -> Closure:
    """The same as `closure` for forms that are differentials: every bracket stays in their span."""
    found, evidence = _independent(rows, variables)
    known = PROVED if evidence.exact and len(found.rows) == len(rows) else evidence
    return Closure(found.rows, found.pivots, len(found.rows), (0,) if found.rows else (), True, known)


def closure_on(
    relations: Sequence[Expr], rows: Sequence[Row], variables: Sequence[Symbol], near: Mapping[Symbol, float]
) -> Closure:
    """The same where relations φ = 0 hold, whose differentials are among the rows; by numbers of 50 digits.

    Off φ = 0 the forms need not be integrable, nor have the same rank.
    """
    points = list(islice(leaf_points(relations, variables, near), LEAF_POINTS))
    order = 1
    while True:
        seen = [(span(Germs(real, variables, order), rows, variables), real) for real in points]
        spans = [found for found, real in seen if np.all(real.good)]
        if not spans:
            raise Untried("no point on the constraints was found")
        best = _widest(spans)
        if best.complete or order >= LEAF_ORDER:
            return _closed(best, Evidence(False, len(spans), 1e-20))
        order += 1


def follow_on(
    relations: Sequence[Expr],
    rows: Sequence[Row],
    extra: Sequence[Row],
    variables: Sequence[Symbol],
    near: Mapping[Symbol, float],
) -> list[bool]:
    """Whether each of some forms is a combination of the rows where relations φ = 0 hold.

    True of all where no point on the relations is found.
    """
    out = [True] * len(extra)
    for real in islice(leaf_points(relations, variables, near), LEAF_POINTS):
        germs = Germs(real, variables, 1)
        rank = len(independent(germs, rows).rows)
        for j, row in enumerate(extra):
            out[j] = out[j] and len(independent(germs, [*rows, row]).rows) == rank
    return out


def _closed(found: Span, evidence: Evidence) -> Closure:
    return Closure(found.rows, found.pivots, found.integrals, found.growth, found.complete, evidence)
