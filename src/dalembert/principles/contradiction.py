"""Whether constraint rows can hold together."""

from typing import NamedTuple

import numpy as np

from dalembert.principles.dependence import combinations
from dalembert.principles.errors import Array
from dalembert.principles.rows import NaturalRows
from dalembert.principles.tolerances import CONSISTENT, EPS, NAMED, ROUNDING


class Contradiction(NamedTuple):
    """Rows that cannot hold together: Σ coefficients_i A[rows_i] = 0 but Σ coefficients_i b[rows_i] = gap."""

    rows: tuple[int, ...]
    coefficients: tuple[float, ...]
    gap: float


class Settled(NamedTuple):
    """Rows that disagree by no more than their terms are known to: right sides `b` (m,) of rows of length one that all
    can be met, by what the `certain` (k,) ask for."""

    b: Array
    certain: tuple[int, ...]


def settled(natural: NaturalRows, b: Array, sizes: Array) -> Settled | None:
    """What the rows ask for where the part of b that cannot be met is no more than a part of its terms; else None.

    `b` and the sizes (m,) of the terms it is made of belong to the rows of length one. A row whose coefficients nearly
    vanish is known the less: it says nothing, and what the others ask for stands.
    """
    known = np.where(sizes > 0, sizes, EPS * (np.min(sizes[sizes > 0]) if sizes.any() else 1.0))
    made = combinations(natural.A[None], -np.log2(known)[None], natural.rank)
    chosen, others, factors = made.chosen[0], made.others[0], made.factors[0]
    asked = factors.T @ b[chosen]
    if (np.abs(b[others] - asked) > CONSISTENT * (sizes[others] + np.abs(factors.T) @ sizes[chosen])).any():
        return None
    out = b.copy()
    out[others] = asked
    return Settled(out, tuple(sorted(chosen.tolist())))


def contradiction(natural: NaturalRows, b: Array, acceleration: float) -> Contradiction | None:
    """The rows in the support of y, the part of b that no A q̈ can meet, or None when it is rounding.

    y = (I − A A⁺) b, yᵀA = 0 and yᵀb = ‖y‖² ≠ 0. `b` (m,) belongs to the rows of length one; `acceleration` is
    the length, in natural units, of the acceleration without constraints. Coefficients are those of the stated rows,
    the gap that of their right sides, in the unit of b.
    """
    off = natural.off @ natural.off.T  # the projector I − A A⁺
    y = off @ b
    empty = ~natural.A.any(axis=1)
    y[empty] = b[empty]  # exactly: nothing else sets the unit of a row of zeros
    bound = np.where(empty, 0.0, CONSISTENT * (np.abs(off) @ np.abs(b)) + ROUNDING * acceleration)
    over = np.abs(y) > bound
    if not over.any():
        return None
    if np.any(over & empty):
        support = np.flatnonzero(over & empty)[:1]  # one such row is enough
    else:
        support = np.flatnonzero(over & (np.abs(y) > NAMED * np.max(np.abs(y))))
    shift = natural.powers[support]
    with np.errstate(under="ignore"):
        weights = np.ldexp(y[support] / natural.length[support], shift - np.max(shift))
    weights /= weights[np.argmax(np.abs(weights))]
    gap = float(weights @ np.ldexp(b[support] * natural.length[support], -shift))
    return Contradiction(tuple(support.tolist()), tuple(weights.tolist()), gap)
