"""Which constraint rows are combinations of which others."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalembert.principles.errors import Array
from dalembert.principles.factors import solve_triangular
from dalembert.principles.rows import NaturalRows
from dalembert.principles.tolerances import COEFFICIENT, EARLIER, EPS, RANK


class Dependency(NamedTuple):
    """A row that is a combination of earlier chosen ones: A[row] = Σ coefficients_j A[on_j]."""

    row: int
    on: tuple[int, ...]
    coefficients: tuple[float, ...]


class Combinations(NamedTuple):
    """An independent set of k rows, `chosen` (k,), and the `others` (m − k,) as combinations of them, `factors`
    (k, m − k), all rows taken as of length one: A_others = factorsᵀ A_chosen.
    """

    chosen: NDArray[np.int64]
    others: NDArray[np.int64]
    factors: Array


def dependent_rows(natural: NaturalRows) -> tuple[Dependency, ...]:
    """Each row outside an independent set of k rows, written by those of the set; earlier rows are preferred."""
    made = combinations(natural, -np.log2(1.0 + np.arange(len(natural.A))))
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
    weight: Array = np.log2(natural.length) - natural.powers
    return combinations(natural, weight)


def combinations(natural: NaturalRows, weight: Array) -> Combinations:
    """An independent set of rows, those of large weight 2^weight (m,) preferred, and how the others are made of them.

    The rows, of length one, are orthogonalised one after the other, Aᵀ = Z R. Next comes the one of which most is left,
    times its weight; of several that are equal, the earliest. A row is dependent as soon as nothing of it is left but
    rounding, and then it is made of the rows chosen by then alone: on later ones, which may be lighter by many decades,
    it has no factor, not even a rounded zero.
    """
    m, n = natural.A.shape
    k = natural.rank
    unit = natural.A.T
    left, Z = unit.copy(), np.zeros((n, k))
    chosen: list[int] = []
    known: dict[int, int] = {}  # a dependent row, and of how many chosen rows it is made
    least = 1.0
    for step in range(k + 1):
        size = np.linalg.norm(left, axis=0)
        nothing = max(RANK, 64 * EPS / least)
        for i in range(m):
            if i not in chosen and i not in known and (size[i] <= nothing or step == k):
                known[i] = step
        if step == k:
            break
        open_ = [i for i in range(m) if i not in chosen and i not in known]
        if not open_:  # the rank was decided by all rows together: what is left of some row counts
            open_ = [i for i in range(m) if i not in chosen]
        with np.errstate(divide="ignore"):
            wanted = weight[open_] + np.log2(size[open_])
        pick = open_[int(np.argmax(wanted >= np.max(wanted) - EARLIER))]
        known.pop(pick, None)
        chosen.append(pick)
        least = min(least, float(size[pick]))
        z = left[:, pick] - Z @ (Z.T @ left[:, pick])  # twice is enough
        Z[:, step] = z / np.linalg.norm(z)
        left = left - np.outer(Z[:, step], Z[:, step] @ left)
    R = np.triu(Z.T @ unit[:, chosen])
    others = sorted(known)
    factors = np.zeros((k, len(others)))
    for column, i in enumerate(others):
        j = known[i]
        factors[:j, column] = solve_triangular(R[:j, :j], Z[:, :j].T @ unit[:, i]) if j else 0.0
    return Combinations(np.array(chosen, dtype=np.int64), np.array(others, dtype=np.int64), factors)
