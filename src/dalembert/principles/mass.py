"""A positive definite mass matrix in balanced coordinates, or the reason there is none."""

from typing import NamedTuple

import numpy as np

from dalembert.principles.errors import Array, MassError
from dalembert.principles.instant import Instant
from dalembert.principles.rows import balance_rows, rank_of

POSITIVE = 1e-13
"""An eigenvalue of the balanced mass matrix counts as positive above this fraction of the largest."""


class Mass(NamedTuple):
    """M and Q in balanced coordinates x, q̈ = units · ẍ, M positive definite.

    Shapes: units (n,), M (n, n), Q (n,). `rank` is the rank of A where it had to be decided to find M, else
    None; `replaced` says that M and Q are the equivalent pair of `positive_mass`, not the stated one.
    """

    units: Array
    M: Array
    Q: Array
    rank: int | None
    replaced: bool


def balanced_units(M: Array) -> Array:
    """Powers of two u, shape (n,), for which u_i M_ij u_j has a diagonal near one: units do not decide ranks.

    Where M cannot be positive definite (some M_ij² > M_ii M_jj) the largest entry of a row stands for its
    diagonal; a coordinate with no mass at all takes the geometric mean of the others.
    """
    diagonal = np.diag(M)
    root = np.sqrt(np.abs(diagonal))
    definite = np.all(diagonal >= 0) and np.all(np.abs(M) <= np.outer(root, root) * (1 + 1e-9))
    size = root if definite else np.sqrt(np.max(np.abs(M), axis=1))
    known = size > 0
    typical = np.exp(np.mean(np.log(size[known]))) if known.any() else 1.0
    units: Array = np.ldexp(1.0, -np.round(np.log2(np.where(known, size, typical))).astype(int))
    return units


def positive_mass(now: Instant) -> Mass:
    """The stated M where it is positive definite, else an equivalent that is, where the motion is unique.

    With T the projector on range(Aᵀ), every possible acceleration has T q̈ = A⁺b, so
        (M + γT) q̈ = (Q + γ A⁺b) + Qᶜ   says the same as   M q̈ = Q + Qᶜ
    and leaves q̈, Qᶜ and its two parts unchanged. With V spanning null(A) and U its complement, M + γT is
    positive definite when VᵀMV is and γ exceeds −λ_min of the Schur complement
        S = UᵀMU − UᵀMV (VᵀMV)⁻¹ VᵀMU.
    Raises MassError naming a free direction where VᵀMV is not positive definite.
    Udwadia and Kalaba 2001 need M > 0; singular M made unique by constraints is Udwadia and Phohomsiri 2006.
    """
    units = balanced_units(now.M)
    M = units[:, None] * now.M * units
    Q = units * now.Q
    eigenvalues = np.linalg.eigvalsh(M)
    if eigenvalues[0] > POSITIVE * eigenvalues[-1]:
        return Mass(units, M, Q, None, False)

    A, scale = balance_rows(now.A * units)
    left, sigma, right = np.linalg.svd(A)
    rank = rank_of(sigma)
    U, V = right[:rank].T, right[rank:].T
    size = np.max(np.abs(eigenvalues))
    Mvv, Muv = V.T @ M @ V, U.T @ M @ V
    inertia, directions = np.linalg.eigh(Mvv)
    if inertia.size and inertia[0] <= POSITIVE * size:
        v = units * (V @ directions[:, 0])
        v /= v[np.argmax(np.abs(v))]
        raise MassError(v, float(v @ now.M @ v), now.coordinates)
    S = U.T @ M @ U - Muv @ np.linalg.solve(Mvv, Muv.T)
    gamma = 2 * np.max(np.abs(np.linalg.eigvalsh(S)), initial=0.0) + size
    met = U @ ((left[:, :rank].T @ (scale * now.b)) / sigma[:rank])  # A⁺b
    return Mass(units, M + gamma * (U @ U.T), Q + gamma * met, rank, True)
