"""Which constraint rows are combinations of which others."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalembert.principles.errors import Array
from dalembert.principles.rows import NaturalRows
from dalembert.principles.tolerances import COEFFICIENT, EARLIER, EPS, RANK

Places = NDArray[np.int64]


class Dependency(NamedTuple):
    """A row that is a combination of earlier chosen ones: A[row] = Σ coefficients_j A[on_j]."""

    row: int
    on: tuple[int, ...]
    coefficients: tuple[float, ...]


class Combinations(NamedTuple):
    """An independent set of k rows, `chosen` (k,), and the `others` (m − k,) as combinations of them, `factors`
    (k, m − k), all rows taken as of length one: A_others = factorsᵀ A_chosen. Of s instants: all (s, …).
    """

    chosen: Places
    others: Places
    factors: Array


def dependent_rows(natural: NaturalRows) -> tuple[Dependency, ...]:
    """Each row outside an independent set of k rows, written by those of the set; earlier rows are preferred."""
    made = _of_one(natural, -np.log2(1.0 + np.arange(len(natural.A))))
    found = []
    for i, factors in zip(made.others.tolist(), made.factors.T, strict=True):
        keep = np.flatnonzero(np.abs(factors) > COEFFICIENT)
        keep = keep[np.argsort(made.chosen[keep])]
        on = made.chosen[keep]
        length = natural.length[i] / natural.length[on]
        stated = np.ldexp(factors[keep] * length, natural.powers[on] - natural.powers[i])
        found.append(Dependency(int(i), tuple(on.tolist()), tuple(stated.tolist())))
    return tuple(sorted(found))


def heavy_first(natural: NaturalRows) -> Combinations:
    """The combinations in which no row is made of rows that are lighter than it as they are stated."""
    return _of_one(natural, np.log2(natural.length) - natural.powers)


def _of_one(natural: NaturalRows, weight: Array) -> Combinations:
    """The same of one instant."""
    made = combinations(natural.A[None], weight[None], natural.rank)
    return Combinations(made.chosen[0], made.others[0], made.factors[0])


def combinations(A: Array, weight: Array, rank: int) -> Combinations:
    """An independent set of `rank` rows, those of large weight 2^weight (s, m) preferred, and how the others are made.

    The rows A (s, m, n) of s instants, of length one, are orthogonalised one after the other, Aᵀ = Z R. Next comes the
    one of which most is left, times its weight; of several that are equal, the earliest. A row is dependent as soon as
    nothing of it is left but rounding, and then it is made of the rows chosen by then alone: on later ones, which may
    be lighter by many decades, it has no factor, not even a rounded zero.
    """
    s, m, n = A.shape
    each = np.arange(s)
    unit = A.transpose(0, 2, 1)
    left, Z = unit.copy(), np.zeros((s, n, rank))
    chosen, made_of = np.zeros((s, rank), dtype=np.int64), np.full((s, m), rank)
    taken, known = np.zeros((2, s, m), dtype=bool)  # `known`: dependent, and made of the first `made_of` chosen rows
    least = np.ones(s)
    for step in range(rank):
        size = np.linalg.norm(left, axis=1)
        nothing = ~taken & ~known & (size <= np.maximum(RANK, 64 * EPS / least)[:, None])
        made_of[nothing], known = step, known | nothing
        open_ = ~taken & ~known
        none = ~open_.any(axis=1)  # the rank was decided by all rows together: what is left of some row counts
        open_[none] = ~taken[none]
        with np.errstate(divide="ignore"):
            wanted = np.where(open_, weight + np.log2(size), -np.inf)
        best = np.max(wanted, axis=1, keepdims=True)
        pick = np.argmax(open_ & (wanted >= np.where(np.isfinite(best), best - EARLIER, best)), axis=1)
        taken[each, pick], known[each, pick] = True, False
        chosen[:, step] = pick
        least = np.minimum(least, size[each, pick])
        one = left[each, :, pick]
        z = one - np.einsum("snk,sk->sn", Z, np.einsum("snk,sn->sk", Z, one))  # twice is enough
        size = np.linalg.norm(z, axis=1, keepdims=True)
        Z[:, :, step] = z / np.where(size > 0, size, 1.0)
        left = left - Z[:, :, step, None] * (Z[:, None, :, step] @ left)
    others = np.argsort(taken, axis=1, kind="stable")[:, : m - rank]
    R = np.triu(Z.transpose(0, 2, 1) @ np.take_along_axis(unit, chosen[:, None, :], axis=2))
    right = Z.transpose(0, 2, 1) @ np.take_along_axis(unit, others[:, None, :], axis=2)
    right[np.arange(rank)[:, None] >= np.take_along_axis(made_of, others, axis=1)[:, None, :]] = 0.0
    gone = (np.arange(rank), np.arange(rank))
    R[:, *gone] = np.where(R[:, *gone] == 0, 1.0, R[:, *gone])
    factors: Array = np.asarray(np.linalg.solve(R, right), dtype=float)  # R is triangular: what is zero below stays so
    return Combinations(chosen, others, factors)
