"""The elimination, unrolled once, symbolically and sparsely, over any algebra.

M and S = A M⁻¹ Aᵀ are factored as LDLᵀ in an order that keeps fill low; only entries that are structurally non-zero
are ever written, so a chain of N links costs O(N).
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic

from dalembert.derive.algebra import Algebra, E

Sparse = Mapping[tuple[int, int], E]
Vector = dict[int, E]


@dataclass(frozen=True, eq=False)
class Factors(Generic[E]):
    """A symmetric matrix as LDLᵀ: for each pivot in order, its D and the entries of L below it."""

    order: tuple[int, ...]
    pivots: dict[int, E]
    below: dict[int, dict[int, E]]

    def solve(self, right: Mapping[int, E], algebra: Algebra[E]) -> Vector[E]:
        """X with (LDLᵀ) X = right, touching only what is not zero; rows that stay zero are left out."""
        y = _forward(self.order, self.below, right)
        x: Vector[E] = {}
        for pivot in reversed(self.order):
            terms = [factor * x[i] for i, factor in self.below[pivot].items() if i in x]
            if pivot in y:
                own = y[pivot] / self.pivots[pivot]
                x[pivot] = own - algebra.total(terms) if terms else own
            elif terms:
                x[pivot] = -algebra.total(terms)
        return x


def _forward(order: tuple[int, ...], below: Mapping[int, Mapping[int, E]], right: Mapping[int, E]) -> Vector[E]:
    """L⁻¹ times a vector, touching only what is not zero."""
    y = dict(right)
    for pivot in order:
        if pivot in y:
            for i, entry in below[pivot].items():
                step = entry * y[pivot]
                y[i] = y[i] - step if i in y else -step
    return y


def factor(matrix: Sparse[E]) -> Factors[E]:
    """LDLᵀ of a symmetric positive definite matrix given by its non-zero entries."""
    rest: dict[int, dict[int, E]] = defaultdict(dict)
    for (i, j), entry in matrix.items():
        rest[i][j] = entry
    order = minimum_degree({i: set(row) - {i} for i, row in rest.items()})
    pivots: dict[int, E] = {}
    below: dict[int, dict[int, E]] = {}
    for pivot in order:
        row = rest.pop(pivot)
        d = pivots[pivot] = row.pop(pivot)
        below[pivot] = {i: entry / d for i, entry in row.items()}
        columns = sorted(row)
        for place, i in enumerate(columns):
            del rest[i][pivot]
            for j in columns[place:]:
                change = below[pivot][i] * row[j]
                rest[i][j] = rest[i][j] - change if j in rest[i] else -change
                rest[j][i] = rest[i][j]
    return Factors(tuple(order), pivots, below)


@dataclass(frozen=True, eq=False)
class Triangles(Generic[E]):
    """A matrix that need not be symmetric as LU: for each pivot in order, the L below it and the U right of it."""

    order: tuple[int, ...]
    pivots: dict[int, E]
    below: dict[int, dict[int, E]]
    right: dict[int, dict[int, E]]

    def solve(self, given: Mapping[int, E], algebra: Algebra[E]) -> Vector[E]:
        """X with (LU) X = given; rows that stay zero are left out."""
        y = _forward(self.order, self.below, given)
        x: Vector[E] = {}
        for pivot in reversed(self.order):
            terms = [entry * x[j] for j, entry in self.right[pivot].items() if j in x]
            if pivot in y or terms:
                total = y[pivot] - algebra.total(terms) if pivot in y and terms else y.get(pivot)
                x[pivot] = (-algebra.total(terms) if total is None else total) / self.pivots[pivot]
        return x


def triangles(matrix: Sparse[E]) -> Triangles[E]:
    """LU without pivoting, in an order that keeps fill low; the diagonal must not vanish."""
    rest: dict[int, dict[int, E]] = defaultdict(dict)
    pattern: dict[int, set[int]] = defaultdict(set)
    for (i, j), entry in matrix.items():
        rest[i][j] = entry
        pattern[i] |= {j} - {i}
        pattern[j] |= {i} - {j}
    order = minimum_degree(pattern)
    pivots: dict[int, E] = {}
    below: dict[int, dict[int, E]] = {}
    right: dict[int, dict[int, E]] = {}
    for pivot in order:
        row = rest.pop(pivot)
        d = pivots[pivot] = row.pop(pivot)
        right[pivot] = row
        below[pivot] = {i: other.pop(pivot) / d for i, other in rest.items() if pivot in other}
        for i, factor in below[pivot].items():
            for j, entry in row.items():
                change = factor * entry
                rest[i][j] = rest[i][j] - change if j in rest[i] else -change
    return Triangles(tuple(order), pivots, below, right)


def minimum_degree(neighbours: Mapping[int, set[int]]) -> list[int]:
    """An order of elimination: always the vertex with the fewest neighbours left, which then become a clique."""
    graph = {i: set(js) for i, js in neighbours.items()}
    buckets: dict[int, set[int]] = defaultdict(set)
    for i, js in graph.items():
        buckets[len(js)].add(i)
    order: list[int] = []
    while graph:
        degree = next(d for d in range(len(graph)) if buckets[d])
        pivot = min(buckets[degree])
        buckets[degree].discard(pivot)
        around = graph.pop(pivot)
        for i in around:
            buckets[len(graph[i])].discard(i)
            graph[i] |= around
            graph[i] -= {i, pivot}
            buckets[len(graph[i])].add(i)
        order.append(pivot)
    return order
