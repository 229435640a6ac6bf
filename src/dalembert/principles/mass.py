"""A positive definite mass matrix in balanced coordinates, or the reason there is none."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalembert.principles.errors import Array, MassError
from dalembert.principles.instant import Instant
from dalembert.principles.rows import balance_rows, rank_of

POSITIVE = 1e-13
"""An eigenvalue of the balanced mass matrix counts as positive above this fraction of the largest."""

EQUAL = 8
"""How often the rows of a mass matrix that is not positive definite are brought nearer to one size."""


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


def balanced_units(M: Array, A: Array) -> Array:
    """Powers of two u, shape (n,), for which u_i M_ij u_j has a diagonal near one: units do not decide ranks.

    Where M cannot be positive definite (some M_ij² > M_ii M_jj) the largest entry of a row stands for its diagonal. A
    coordinate with no mass at all takes the unit in which it stands in the rows of A (m, n) as those with mass do.
    """
    diagonal = np.diag(M)
    root = np.sqrt(np.abs(diagonal))
    if np.all(diagonal >= 0) and np.all(np.abs(M) <= np.outer(root, root) * (1 + 1e-9)):
        size = root
    else:
        size = np.where(M.any(axis=1), 1.0, 0.0)
        for _ in range(EQUAL):  # until the largest entry of every row is one, nearly (Ruiz 2001)
            safe = np.where(size > 0, size, 1.0)
            size = size * np.sqrt(np.max(np.abs(M) / np.outer(safe, safe), axis=1))
    known = size > 0
    typical = np.exp(np.mean(np.log(size[known]))) if known.any() else 1.0
    powers = -np.round(np.log2(np.where(known, size, typical))).astype(int)
    return np.asarray(np.ldexp(1.0, powers if known.all() else _in_rows(A, powers, known)))


def _in_rows(A: Array, powers: Array, known: NDArray[np.bool_]) -> Array:
    """The powers of two of all units, those of coordinates without mass from the rows of A that they share.

    In a row a coordinate without mass is so much larger or smaller than those whose unit is known; the median over the
    rows is taken off. Entries that are rounding in their row and in their column do not count.
    """
    size = np.abs(balance_rows(A * np.ldexp(1.0, powers))[0])
    least = np.minimum(size.max(axis=0, initial=0.0), size.max(axis=1, initial=0.0)[:, None])
    with np.errstate(divide="ignore"):
        logs = np.where(size > 8 * np.finfo(float).eps * least, np.log2(size), -np.inf)
    known, powers = known.copy(), powers.copy()
    while not known.all():
        told = np.max(logs[:, known], axis=1, initial=-np.inf)  # (m,), −∞ where no unit in the row is known
        shares = np.isfinite(logs) & np.isfinite(told)[:, None] & ~known
        if not shares.any():
            known[int(np.argmin(known))] = True  # tied to nothing that is known: any unit will do
            continue
        for i in np.flatnonzero(shares.any(axis=0)):
            rows = shares[:, i]
            shift = int(np.round(np.median(logs[rows, i] - told[rows])))
            powers[i] -= shift
            logs[:, i] -= shift
            known[i] = True
    return powers


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
    units = balanced_units(now.M, now.A)
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
    gamma = 2 * np.max(np.abs(np.linalg.eigvalsh(S)), initial=0.0) + size or 1.0  # M = 0: any γ will do
    met = U @ ((left[:, :rank].T @ (scale * now.b)) / sigma[:rank])  # A⁺b
    return Mass(units, M + gamma * (U @ U.T), Q + gamma * met, rank, True)
