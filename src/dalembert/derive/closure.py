"""Rank and number of integrals of a set of forms: the best that was seen at random points, and how sure that is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb

from sympy import Expr, Symbol

from dalembert.derive.frobenius import Row, Span, span_at
from dalembert.derive.leaf import leaf_points
from dalembert.derive.trials import Evidence, Untried, tried

MOST_PAIRS = 300_000  # products of coefficients in one product of jets


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


def closure(rows: Sequence[Row], variables: Sequence[Symbol], values: Mapping[Symbol, Expr] | None = None) -> Closure:
    """Rank and integrals of forms at generic points, by exact arithmetic where their functions allow it.

    That brackets lead out of the span is proved by the point at which they do; that they do not is tried. Raises
    `Untried` where nothing can be evaluated.
    """
    entries = [e for row in rows for e in row]
    order = 1
    while True:
        spans, evidence = tried(entries, variables, lambda point: span_at(point, rows), order, values)
        best = _best(spans)
        if best.integrals is not None or comb(2 * len(variables) + order + 1, order + 1) > MOST_PAIRS:
            return _closed(best, rows, evidence)
        order += 1


def closure_on(
    relations: Sequence[Expr],
    rows: Sequence[Row],
    variables: Sequence[Symbol],
    values: Mapping[Symbol, Expr],
    near: Mapping[Symbol, float],
) -> Closure:
    """The same where relations φ = 0 hold, whose differentials are among the rows; by numbers of 50 digits.

    Off φ = 0 the forms need not be integrable, nor have the same rank.
    """
    order = 1
    while True:
        points = leaf_points(relations, variables, values, near, order)
        if not points:
            raise Untried("no point on the constraints was found")
        best = _best([span_at(point, rows) for point in points])
        if best.integrals is not None or order > 3:
            return _closed(best, rows, Evidence(False, len(points), 1e-20))
        order += 1


def _best(spans: Sequence[Span]) -> Span:
    """What is generic: the largest rank, and the largest closure, that were seen."""
    return max(spans, key=lambda span: (len(span.rows), sum(span.growth)))


def _closed(best: Span, rows: Sequence[Row], evidence: Evidence) -> Closure:
    k = len(best.rows)
    left = k - sum(best.growth)
    certain = evidence.exact and k == len(rows) and left == 0
    known = Evidence(True, evidence.points, 0.0) if certain else evidence
    return Closure(best.rows, best.pivots, left, best.growth, best.integrals is not None, known)
