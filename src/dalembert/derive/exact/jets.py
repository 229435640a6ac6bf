"""Truncated Taylor series in several variables, at many points at once: a function and its derivatives there.

A jet is an array (size, count) of the coefficients of monomials, f = Σ f_α (x − x₀)^α, those of lower degree first, so
that a jet of lower order is a prefix.
"""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from dalembert.derive.exact.numbers import Array, Numbers


class Jets:
    """The arithmetic of jets of N variables up to an order."""

    def __init__(self, variables: int, order: int, numbers: Numbers) -> None:
        self.variables, self.order, self.numbers = variables, order, numbers
        self._table = _table(variables, order)
        self.size = len(self._table.monomials)

    @cached_property
    def lower(self) -> "Jets":
        """The same, of one order less."""
        return Jets(self.variables, self.order - 1, self.numbers)

    def constant(self, value: Any) -> Array:
        """The jet of a constant."""
        out = np.zeros((self.size, self.numbers.count), dtype=self.numbers.dtype)
        out[0] = value
        return out

    def variable(self, place: int, value: Array, one: Any) -> Array:
        """The jet of a variable."""
        out = self.constant(value)
        if self.order:
            out[1 + place] = one
        return out

    def cut(self, a: Array) -> Array:
        """A jet of this or a higher order, without what is beyond this order."""
        return a[: self.size]

    def product(self, a: Array, b: Array) -> Array:
        """The product of two jets, or of arrays of them, (…, size, count)."""
        reduce = self.numbers.reduce
        if not self.order:
            return reduce(a * b)
        left, right, made = self._table.pairs
        kept = np.flatnonzero(_used(a)[left] & _used(b)[right])  # jets are sparse: most monomials are not there
        left, right, made = left[kept], right[kept], made[kept]
        starts = np.flatnonzero(np.diff(made, prepend=-1))
        shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        out = np.zeros((*shape, self.size, self.numbers.count), dtype=self.numbers.dtype)
        if len(starts):
            sums = np.add.reduceat(reduce(a[..., left, :] * b[..., right, :]), starts, axis=-2)
            out[..., made[starts], :] = reduce(sums)
        return out

    def compose(self, series: Sequence[Any], a: Array) -> Array:
        """f(a) from the Taylor coefficients f⁽ʲ⁾(a₀)/j! of a function of one variable."""
        step = a.copy()
        step[0] = 0 * step[0]
        out = self.constant(series[self.order])
        for c in reversed(series[: self.order]):
            out = self.product(out, step)
            out[0] = c
        return out

    def derivative(self, a: Array, place: int) -> Array:
        """∂a/∂x, a jet of one order less."""
        source, factor = self._table.shifts[place]
        return self.numbers.reduce(a[source] * factor[:, None])


def _used(a: Array) -> Array:
    """The monomials that an array of jets (…, size, count) has anywhere."""
    if a.dtype == object:
        return np.array([any(map(bool, a[..., i, :].flat)) for i in range(a.shape[-2])])
    used: Array = np.any(a, axis=(*range(a.ndim - 2), -1))
    return used


class _Table:
    """The monomials of N variables up to an order by degree, which pairs of them make which, and how they shift."""

    def __init__(self, variables: int, order: int) -> None:
        self.monomials = [
            tuple(chosen.count(x) for x in range(variables))
            for degree in range(order + 1)
            for chosen in combinations_with_replacement(range(variables), degree)
        ]
        self.index = {monomial: i for i, monomial in enumerate(self.monomials)}
        self._order = order

    @cached_property
    def pairs(self) -> tuple[Array, Array, Array]:
        """Places i, j of factors and of their product, sorted by that."""
        degree = [sum(m) for m in self.monomials]
        upto = [bisect_right(degree, d) for d in range(self._order + 1)]  # how many have at most this degree
        found = sorted(
            (self.index[tuple(map(sum, zip(a, self.monomials[j], strict=True)))], i, j)
            for i, a in enumerate(self.monomials)
            for j in range(upto[self._order - degree[i]])
        )
        product, left, right = (np.array(column) for column in zip(*found, strict=True))
        return left, right, product

    @cached_property
    def shifts(self) -> list[tuple[Array, Array]]:
        """For each variable, the places and exponents whose terms its derivative is made of."""
        lower = [m for m in self.monomials if sum(m) < self._order]
        out = []
        for x in range(len(self.monomials[0])):
            raised = [(*m[:x], m[x] + 1, *m[x + 1 :]) for m in lower]
            out.append((np.array([self.index[m] for m in raised]), np.array([m[x] for m in raised])))
        return out


@lru_cache(maxsize=64)
def _table(variables: int, order: int) -> _Table:
    return _Table(variables, order)
