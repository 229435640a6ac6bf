"""Rank and number of integrals of a set of forms: the best that was seen at random points, and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from sympy import Symbol

from dalembert.derive.exact import PROVED, Evidence, tried
from dalembert.derive.forms.frobenius import Independent, Row, Span, independent, span, spanned

MOST_PAIRS = 60_000  # products of coefficients in one product of jets


@dataclass(frozen=True)
class Closure:
    """Independent rows and pivots of a set of forms, how many integrals it has (at most, where not `complete`).

    What the evidence calls certain is that there are no more integrals than so, and no fewer independent rows.
    """

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

    That brackets lead out of the span is proved by the point at which they do; that they do not is tried, unless less
    than two directions are free, which leave no bracket. Raises `Untried` where nothing can be evaluated.
    """
    places = _occurring(rows, variables)
    own, short = [variables[j] for j in places], [[row[j] for j in places] for row in rows]
    entries = [e for row in short for e in row]
    active = [x for x in own if any(x in e.free_symbols for e in entries)]
    order = 1
    while True:
        found, evidence = tried(
            entries, active, lambda germs: span(germs, short, own), widest, order, lambda one: (one.rows, one.growth)
        )
        if found.complete or comb(2 * len(active) + order + 1, order + 1) > MOST_PAIRS:
            whole = len(found.rows) == len(rows) or len(found.rows) == len(own)
            certain = evidence.certain and whole and (not found.integrals or len(found.rows) >= len(own) - 1)
            known = Evidence(True, evidence.points, 0.0) if certain else evidence
            return closed(found._replace(pivots=tuple(places[p] for p in found.pivots)), known)
        order += 1


def _occurring(rows: Sequence[Row], variables: Sequence[Symbol]) -> list[int]:
    """The places of variables that forms contain: the directions of others commute with everything."""
    used = set().union(*(e.free_symbols for row in rows for e in row)) if rows else set()
    found = [j for j, x in enumerate(variables) if x in used or any(row[j] != 0 for row in rows)]
    return found or [len(variables) - 1]


def independent_rows(rows: Sequence[Row], variables: Sequence[Symbol]) -> Independent:
    """The earliest rows that are independent at generic points, and their pivots."""
    return _independent(rows, variables)[0]


def _independent(rows: Sequence[Row], variables: Sequence[Symbol]) -> tuple[Independent, Evidence]:
    entries = [e for row in rows for e in row]
    return tried(entries, variables, lambda germs: independent(germs, rows), most, 0, lambda one: one.rows)


def combined(rows: Sequence[Row], others: Sequence[Row], variables: Sequence[Symbol]) -> list[bool]:
    """Whether each of some forms is a combination of the rows at generic points."""
    entries = [e for row in (*rows, *others) for e in row]

    def merge(found: list[tuple[bool, ...]]) -> tuple[bool, ...]:
        return tuple(map(all, zip(*found, strict=True)))

    return list(tried(entries, variables, lambda germs: tuple(spanned(germs, rows, others)), merge, 0)[0])


def most(found: Sequence[Independent]) -> Independent:
    """What is generic: the most rows that were seen."""
    return max(found, key=lambda one: len(one.rows))


def widest(found: Sequence[Span]) -> Span:
    """What is generic: the largest rank, and the largest closure, that were seen."""
    return max(found, key=lambda one: (len(one.rows), sum(one.growth)))


def closure_of_exact(rows: Sequence[Row], variables: Sequence[Symbol]) -> Closure:
    """The same as `closure` for forms that are differentials: every bracket stays in their span."""
    found, evidence = _independent(rows, variables)
    known = PROVED if evidence.certain and len(found.rows) == len(rows) else evidence
    return Closure(found.rows, found.pivots, len(found.rows), (0,) if found.rows else (), True, known)


def closed(found: Span, evidence: Evidence) -> Closure:
    """What was found, with how sure it is."""
    return Closure(found.rows, found.pivots, found.integrals, found.growth, found.complete, evidence)
