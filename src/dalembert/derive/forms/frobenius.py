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
from typing import NamedTuple

import numpy as np
from sympy import Expr, Symbol

from dalembert.derive.exact import Germs
from dalembert.derive.exact.numbers import Array

Row = Sequence[Expr]  # the coefficients of dx_1 … dx_N


class Span(NamedTuple):
    """What was found at generic points: independent rows and their pivots, and how many brackets add at each depth.

    `complete` is False where the order of the jets did not suffice to see the end.
    """

    rows: tuple[int, ...]
    pivots: tuple[int, ...]
    growth: tuple[int, ...]
    complete: bool

    @property
    def integrals(self) -> int:
        """How many independent integrals there are; at most so many where it is not complete."""
        return len(self.rows) - sum(self.growth)


class Independent(NamedTuple):
    """The earliest independent rows, and columns at which they are regular, one for each."""

    rows: tuple[int, ...]
    pivots: tuple[int, ...]


def independent(germs: Germs, rows: Sequence[Row]) -> Independent:
    """Which rows are independent at generic points; the time is a pivot only where no other variable can be."""
    found = _Echelon(germs, rows)
    return Independent(tuple(found.kept), tuple(found.pivots))


def spanned(germs: Germs, rows: Sequence[Row], others: Sequence[Row]) -> list[bool]:
    """Whether each of some forms is a combination of the rows at generic points."""
    found = _Echelon(germs, rows)
    return [found.spans(row) for row in others]


def span(germs: Germs, rows: Sequence[Row], columns: Sequence[Symbol]) -> Span:
    """The rank of forms and the number of their integrals, seen at generic points, with jets of some order.

    `columns` are the variables x_1 … x_N; jets need only those on which a coefficient depends.
    """
    found = _Echelon(germs, rows)
    chosen, pivots, c = tuple(found.kept), tuple(found.pivots), found.solved
    k, order, reduce = len(chosen), germs.series.jets.order, germs.numbers.reduce
    free = [j for j in range(len(columns)) if j not in pivots]
    places = [germs.variables.index(x) if x in germs.variables else None for x in columns]
    if not k:
        return Span((), (), (), True)
    fields = {j: {p: reduce(-c[r][j]) for r, p in enumerate(pivots)} for j in free}
    basis = _Basis(germs)  # the brackets at the points
    growth: list[int] = []
    newest: list[dict[int, Array]] = []
    for depth in range(1, order + 1):
        if depth == 1:
            brackets = [_bracket(germs, places, depth, i, fields[i], fields[j], j) for i, j in combinations(free, 2)]
        else:
            brackets = [_bracket(germs, places, depth, i, fields[i], y) for y in newest for i in free]
        newest = [b for b in brackets if basis.takes(np.array([b[p][0] for p in pivots]))]
        growth.append(len(newest))
        if not newest or len(basis) == k:
            return Span(chosen, pivots, tuple(growth), True)
    return Span(chosen, pivots, tuple(growth), False)


def _bracket(
    germs: Germs,
    places: Sequence[int | None],
    depth: int,
    i: int,
    x: dict[int, Array],
    y: dict[int, Array],
    j: int | None = None,
) -> dict[int, Array]:
    """[X_i, Y] = X_i(Y) − Y(X_i) by its components along the pivots; Y is X_j, or lies along the pivots.

    The result is one order lower than what the brackets before it are known to.
    """
    jets = germs.series.jets
    for _ in range(depth - 1):
        jets = jets.lower
    low = jets.lower

    def along(f: Array, direction: int) -> Array:
        place = places[direction]
        return low.constant(0) if place is None else jets.derivative(jets.cut(f), place)

    out = {}
    for p in x:
        total = along(y[p], i)  # ∂_i Y_p
        if j is not None:
            total = total - along(x[p], j)
        for q in x:
            if places[q] is not None and (np.any(x[q]) or np.any(y[q])):
                total = total + low.product(low.cut(x[q]), along(y[p], q))
                total = total - low.product(low.cut(y[q]), along(x[p], q))
        out[p] = germs.numbers.reduce(total)
    return out


class _Echelon:
    """The earliest independent rows, their pivot columns, and the rows solved for these: c[r][j] with 1 at the pivots.

    The last variable, the time, is no pivot as long as another one can be.
    """

    def __init__(self, germs: Germs, rows: Sequence[Row]) -> None:
        self._germs = germs
        self.kept: list[int] = []
        self.pivots: list[int] = []
        self.solved: list[Array] = []
        self._used: list[Array] = []  # the columns of each that are not zero: rows are sparse
        for number, row in enumerate(rows):
            if self._takes(row):
                self.kept.append(number)

    def spans(self, row: Row) -> bool:
        """Whether a row is a combination of those that were taken."""
        return self._reduced(row)[1] is None

    def _reduced(self, row: Row) -> tuple[Array, int | None, Array]:
        """What is left of a row, the column where it is best divided by, and the columns where it may not vanish."""
        series, numbers = self._germs.series, self._germs.numbers
        own = np.array([self._germs.jet(e) for e in row])  # (N, size, count)
        scale = numbers.size(own)  # of derivatives too: a coefficient may vanish where it is looked at
        there = _columns(own)
        for p, other, columns in zip(self.pivots, self.solved, self._used, strict=True):
            if np.any(own[p]):
                own[columns] = numbers.reduce(own[columns] - series.jets.product(own[p].copy(), other[columns]))
                there = np.union1d(there, columns)
        best = numbers.pivot(own[:-1, 0], scale)
        if best is None and numbers.pivot(own[-1:, 0], scale) is not None:
            best = len(row) - 1
        return own, best, there

    def _takes(self, row: Row) -> bool:
        """Whether a row is independent of those before; if so it joins them."""
        series, numbers = self._germs.series, self._germs.numbers
        own, best, there = self._reduced(row)
        if best is None:
            return False
        there = there[[bool(np.any(own[j])) for j in there]]
        own[there] = series.jets.product(series.inverse(own[best]), own[there])
        for k, other in enumerate(self.solved):
            if np.any(other[best]):
                other[there] = numbers.reduce(other[there] - series.jets.product(other[best].copy(), own[there]))
                self._used[k] = np.union1d(self._used[k], there)
        self.pivots.append(best)
        self.solved.append(own)
        self._used.append(there)
        return True


def _columns(row: Array) -> Array:
    """The columns of a row (N, size, count) that are not zero."""
    return np.flatnonzero([np.any(column) for column in row])


class _Basis:
    """Independent vectors (k, count) of numbers, each with 1 at a place where the others have 0."""

    def __init__(self, germs: Germs) -> None:
        self._numbers = germs.numbers
        self._vectors: list[tuple[int, Array]] = []

    def __len__(self) -> int:
        return len(self._vectors)

    def takes(self, vector: Array) -> bool:
        """Whether a vector is independent of the others; if so it joins them."""
        reduce = self._numbers.reduce
        scale = self._numbers.size(vector)
        for place, other in self._vectors:
            vector = reduce(vector - reduce(vector[place] * other))
        best = self._numbers.pivot(vector, scale)
        if best is None:
            return False
        own = reduce(vector * self._numbers.inverse(vector[best]))
        self._vectors = [(place, reduce(v - reduce(v[best] * own))) for place, v in self._vectors]
        self._vectors.append((best, own))
        return True
