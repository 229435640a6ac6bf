"""What the constraint rows are among themselves: rank, dependence, contradiction."""

from typing import NamedTuple

import numpy as np

from dalembert.principles.errors import Array
from dalembert.principles.factors import qr, solve_triangular

RANK = 1e-11
"""A singular value of the balanced rows counts towards the rank above this fraction of the largest."""

CONSISTENT = 1e-8
"""Dependent rows agree when their right-hand sides do to this fraction of their size."""

ROUNDING = 1e-13
"""… or to this fraction of the acceleration without constraints, which no right-hand side can resolve."""


class Rows(NamedTuple):
    """The one decision on rank that every principle shares.

    Shapes: A (m, n) the rows divided by their length in the metric of M⁻¹ and `scale` (m,) what they were
    multiplied by; span (m, k) and left (m, m − k) orthonormal bases of range(A) and null(Aᵀ);
    virtual (n, n − k) a basis of null(A) and held (n, k) one of its complement, together orthonormal in the metric
    of M; sigma (k,) the singular values of A M^(−1/2) that count: A held = span sigma.
    """

    A: Array
    scale: Array
    rank: int
    span: Array
    left: Array
    virtual: Array
    held: Array
    sigma: Array


class Dependency(NamedTuple):
    """A row that is a combination of earlier chosen ones: A[row] = Σ coefficients_j A[on_j]."""

    row: int
    on: tuple[int, ...]
    coefficients: tuple[float, ...]


class Contradiction(NamedTuple):
    """Rows that cannot hold together: Σ coefficients_i A[rows_i] = 0 but Σ coefficients_i b[rows_i] = gap."""

    rows: tuple[int, ...]
    coefficients: tuple[float, ...]
    gap: float


def balance_rows(A: Array, lengths: Array | None = None) -> tuple[Array, Array]:
    """A with rows of length near one, and the powers of two that did it; rows of zeros stay.

    `lengths` (m,) is Euclidean where not given. Powers of two, so that nothing is rounded.
    """
    if lengths is None:
        # Two steps, so that squaring a row of 1e-200 does not lose it.
        first = _powers(np.max(np.abs(A), axis=1, initial=0.0))
        lengths = np.linalg.norm(first[:, None] * A, axis=1) / first
    scale = _powers(lengths)
    return scale[:, None] * A, scale


def rank_of(sigma: Array) -> int:
    """How many singular values count."""
    return int(np.count_nonzero(sigma > RANK * np.max(sigma, initial=0.0)))


def decide_rows(A: Array, M: Array, rank: int | None = None) -> Rows:
    """Balance the rows in the metric of M⁻¹ and decide their rank there: B = A L⁻ᵀ with M = L Lᵀ.

    A factor on a row, or a change of units of a coordinate, changes nothing. Shapes A (m, n), M (n, n).
    `rank` imposes a decision already taken.
    """
    # np.linalg.solve, not solve_triangular: this is called at every step of the plain engine, and SciPy's threads cost
    # a hundred times the work of a small system on a machine that is busy.
    L = np.linalg.cholesky(M)
    A, first = balance_rows(A)
    B = np.linalg.solve(L, A.T).T
    B, second = balance_rows(B)
    U, sigma, Vt = np.linalg.svd(B)
    k = rank_of(sigma) if rank is None else rank
    basis = np.linalg.solve(L.T, Vt.T)
    return Rows(second[:, None] * A, first * second, k, U[:, :k], U[:, k:], basis[:, k:], basis[:, :k], sigma[:k])


def contradiction(rows: Rows, b: Array, acceleration: float) -> Contradiction | None:
    """The rows in the support of y, the part of b that no A q̈ can meet, or None when it is rounding.

    y = (I − A A⁺) b, yᵀA = 0 and yᵀb = ‖y‖² ≠ 0. `b` (m,) belongs to the balanced rows; `acceleration` is
    the size, in the metric of M, of the acceleration without constraints.
    """
    off = rows.left @ rows.left.T  # the projector I − A A⁺
    y = off @ b
    empty = ~rows.A.any(axis=1)
    y[empty] = b[empty]  # exactly: nothing else sets the unit of a row of zeros
    bound = np.where(empty, 0.0, CONSISTENT * (np.abs(off) @ np.abs(b)) + ROUNDING * acceleration)
    if np.all(np.abs(y) <= bound):
        return None
    y[np.abs(y) <= np.maximum(bound, 1e-6 * np.max(np.abs(y)))] = 0.0
    if np.any(y[empty]):
        y = np.where(np.arange(y.size) == np.flatnonzero(y * empty)[0], y, 0.0)  # one such row is enough
    support = np.flatnonzero(y)
    weights = y[support] * rows.scale[support]
    weights /= weights[np.argmax(np.abs(weights))]
    gap = float(weights @ (b[support] / rows.scale[support]))
    return Contradiction(tuple(support.tolist()), tuple(weights.tolist()), gap)


def dependent_rows(rows: Rows, M: Array) -> tuple[Dependency, ...]:
    """Each row outside an independent set of k rows, written by those of the set; earlier rows are preferred.

    Pivoted QR of Bᵀ = (A L⁻ᵀ)ᵀ with weights that fall with the index of the row: Bᵀ P = Z [R₁ R₂], and
    R₁⁻¹R₂ holds the coefficients. M (n, n) is the balanced mass matrix.
    """
    B = solve_triangular(np.linalg.cholesky(M), rows.A.T, lower=True)
    weight = 1.0 / (1.0 + np.arange(B.shape[1]))
    R, order = qr(B * weight, mode="r", pivoting=True)
    k = rows.rank
    chosen, others = order[:k], order[k:]
    factors = solve_triangular(R[:k, :k], R[:k, k:])
    found = []
    for column, i in enumerate(others):
        natural = factors[:, column] * weight[chosen] / weight[i]
        keep = np.flatnonzero(np.abs(natural) > CONSISTENT)
        keep = keep[np.argsort(chosen[keep])]
        stated = natural[keep] * rows.scale[chosen[keep]] / rows.scale[i]
        found.append(Dependency(int(i), tuple(chosen[keep].tolist()), tuple(stated.tolist())))
    return tuple(sorted(found))


def _powers(size: Array) -> Array:
    """The powers of two nearest 1/size; one where size is zero."""
    safe = np.where(size > 0, size, 1.0)
    powers: Array = np.ldexp(1.0, -np.round(np.log2(safe)).astype(int))
    return powers
