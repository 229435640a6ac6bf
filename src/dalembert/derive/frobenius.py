"""How much of a set of 1-forms is integrable, by Frobenius: the brackets of the directions that they leave free.

The forms ω_i = Σ a_ij dx_j leave the directions X with ω_i(X) = 0. Solved for some of the variables (the pivots p),
the forms are dx_p + Σ c_pj dx_j, and X_j = ∂_j − Σ c_pj ∂_p for every other variable j. Functions f with df in the span
of the forms are those that no X_j changes, hence no bracket [X_i, X_j], [X_i, [X_j, X_k]], … either: the set has as
many independent integrals as directions that the closure under brackets leaves out. It is integrable
(dω_i ∧ ω_1 ∧ … ∧ ω_k = 0) when no bracket leaves the span of the X_j. Brackets only have components along the pivots,
which keeps them small.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from sympy import Expr

from dalembert.derive.exact import Point
from dalembert.derive.fields import Modular
from dalembert.derive.jets import Array

Row = Sequence[Expr]  # the coefficients of dx_1 … dx_N


class Span(NamedTuple):
    """What was found at a point: independent rows and their pivots, and how many brackets add at each depth.

    `integrals` is None where the order of the jets did not suffice to see the end.
    """

    rows: tuple[int, ...]
    pivots: tuple[int, ...]
    growth: tuple[int, ...]
    integrals: int | None


def span_at(point: Point, rows: Sequence[Row]) -> Span:
    """The rank of forms and the number of their integrals, seen at one generic point, with jets of its order."""
    chosen, pivots, c = _echelon(point, rows)
    k, order = len(chosen), point.series.jets.order
    free = [j for j in range(len(point.variables)) if j not in pivots]
    if not k:
        return Span((), (), (), 0)
    fields = {j: {p: point.field.reduce(-c[r][j]) for r, p in enumerate(pivots)} for j in free}
    found = _Basis(point)  # the brackets at the point
    growth: list[int] = []
    newest: list[dict[int, Array]] = []
    for depth in range(1, order + 1):
        if depth == 1:
            brackets = [_bracket(point, depth, i, fields[i], fields[j], j) for i, j in combinations(free, 2)]
        else:
            brackets = [_bracket(point, depth, i, fields[i], y) for y in newest for i in free]
        newest = [b for b in brackets if found.takes(np.array([b[p][0] for p in pivots]))]
        growth.append(len(newest))
        if not newest or len(found) == k:
            return Span(chosen, pivots, tuple(growth), k - len(found))
    return Span(chosen, pivots, tuple(growth), None)


def _bracket(
    point: Point, depth: int, i: int, x: dict[int, Array], y: dict[int, Array], j: int | None = None
) -> dict[int, Array]:
    """[X_i, Y] = X_i(Y) − Y(X_i) by its components along the pivots; Y is X_j, or lies along the pivots.

    The result is one order lower than what the brackets before it are known to.
    """
    jets = point.series.jets
    for _ in range(depth - 1):
        jets = jets.lower
    low = jets.lower
    out = {}
    for p in x:
        total = jets.derivative(jets.cut(y[p]), i)  # ∂_i Y_p
        if j is not None:
            total = total - jets.derivative(jets.cut(x[p]), j)
        for q in x:
            total = total + low.product(low.cut(x[q]), jets.derivative(jets.cut(y[p]), q))
            total = total - low.product(low.cut(y[q]), jets.derivative(jets.cut(x[p]), q))
        out[p] = point.field.reduce(total)
    return out


def _echelon(point: Point, rows: Sequence[Row]) -> tuple[tuple[int, ...], tuple[int, ...], list[Array]]:
    """The earliest independent rows, their pivot columns, and the rows solved for these: c[r][j] with 1 at the pivots.

    The last variable, the time, is no pivot as long as another one can be.
    """
    series, field = point.series, point.field
    kept: list[int] = []
    pivots: list[int] = []
    solved: list[Array] = []
    for number, row in enumerate(rows):
        own = np.array([point.jet(e) for e in row])
        scale = max(field.size(e[0]) for e in own)
        for p, other in zip(pivots, solved, strict=True):
            factor = own[p].copy()
            own = _minus(point, own, factor, other)
        sizes = [field.size(e[0]) for e in own]
        usable = [not _small(point, size, scale) for size in sizes]
        usable[-1] &= not any(usable[:-1])
        best = max(range(len(sizes)), key=lambda j: (usable[j], sizes[j]))
        if not usable[best]:
            continue
        over = series.inverse(own[best])
        own = np.array([series.jets.product(e, over) for e in own])
        solved = [_minus(point, other, other[best].copy(), own) for other in solved]
        kept.append(number)
        pivots.append(best)
        solved.append(own)
    return tuple(kept), tuple(pivots), solved


def _minus(point: Point, row: Array, factor: Array, other: Array) -> Array:
    product = point.series.jets.product
    return point.field.reduce(row - np.array([product(factor, e) for e in other]))


def _small(point: Point, size: Any, scale: Any) -> bool:
    """Whether a number is zero beside others of some scale."""
    return not size if isinstance(point.field, Modular) else bool(size <= scale * point.field.tolerance)


class _Basis:
    """Independent vectors of numbers, each with 1 at a place where the others have 0."""

    def __init__(self, point: Point) -> None:
        self._point = point
        self._vectors: list[tuple[int, Array]] = []

    def __len__(self) -> int:
        return len(self._vectors)

    def takes(self, vector: Array) -> bool:
        """Whether a vector is independent of the others; if so it joins them."""
        field = self._point.field
        scale = max(1, *map(field.size, vector))
        for place, other in self._vectors:
            vector = field.reduce(vector - vector[place] * other)
        best = max(range(len(vector)), key=lambda p: field.size(vector[p]))
        if _small(self._point, field.size(vector[best]), scale):
            return False
        own = field.reduce(vector * field.inverse(vector[best]))
        self._vectors = [(place, field.reduce(v - v[best] * own)) for place, v in self._vectors]
        self._vectors.append((best, own))
        return True
