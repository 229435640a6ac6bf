"""Weights of rows with which M + AᵀGA is positive definite around a place, not only at the place itself.

Where the system happens to stand, a coordinate may have no inertia, or next to none, that it has elsewhere: x at (1, 0)
by (x ẏ − y ẋ)²/2. Its row then says nothing of how heavy it will be, or that it is heavier than anything else.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dalembert.principles.errors import Array
from dalembert.principles.units import dominance, made_definite, natural_weights

Place = Callable[[Array], tuple[Array, Array] | None]  # M (n, n) and A (m, n) at some coordinates, where they exist

ALONE = 20.0
"""In powers of two: a coordinate that is above the others of its row by so much may be so only at the place."""

REACH, COARSE = 80, 8
"""Powers of two by which coordinates are changed at most, and how far apart these are at first."""


def weights_around(at: Place, q: Array, force: NDArray[np.bool_]) -> Array:
    """Weights (m,) of the rows in `force`, zero of the others, that hold at q (n,) and around it.

    A row that one coordinate dominates at q has the weight of where the others, moved together by their natural units,
    have come to count in it as much as that one does. Where that is nowhere, it has the weight it has at q.
    """
    here = at(q)
    if here is None:
        raise ValueError("M and A do not exist at the place itself")
    M, A = here
    weights, told = natural_weights(M, A, force), dominance(M, A)
    alone = np.flatnonzero(force & (told.excess > ALONE))
    still = told.loose.copy()
    still[told.first[alone]] = True
    if len(alone) and not still.all():
        way = np.where(still, 0.0, _spread(len(q)) * np.exp2(told.logs))
        for r, found in _even(at, q, way, alone.tolist(), told.first, force):
            weights[r] = found
    return made_definite(M, A, weights)


def _even(
    at: Place, q: Array, way: Array, rows: Sequence[int], first: NDArray[np.int_], force: NDArray[np.bool_]
) -> Iterator[tuple[int, float]]:
    """Of each row that becomes even along a way, the row and its weight there."""
    seen: dict[int, tuple[Array, Array] | None] = {}

    def above(k: int, r: int) -> float:
        """How far the coordinate that dominates a row is above the others, 2^k along the way; NaN where not known."""
        if k not in seen:
            seen[k] = at(q + np.ldexp(way, k))
        if (there := seen[k]) is None or not all(np.isfinite(part).all() for part in there):
            return np.nan
        told = dominance(*there)
        return float(told.excess[r] if told.first[r] == first[r] else -told.excess[r])

    for r in rows:
        low = -REACH
        for high in range(COARSE - REACH, REACH + 1, COARSE):
            if above(high, r) <= 0 < above(low, r):
                break
            low = high
        else:
            continue
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if above(middle, r) > 0 else (low, middle)
        if (there := seen[high]) is not None:
            yield r, float(natural_weights(*there, force)[r])


@lru_cache(maxsize=64)
def _spread(n: int) -> Array:
    """Signs and sizes, all different, so that nothing cancels."""
    random = np.random.default_rng(1)
    out: Array = random.choice((-1.0, 1.0), n) * random.uniform(0.5, 1.0, n)
    return out
