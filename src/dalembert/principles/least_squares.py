"""Weighted least squares over the stacked rows, for constraints or forces that were measured."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dalembert.principles.errors import Array, InstantError, MassError
from dalembert.principles.extended import null_basis
from dalembert.principles.factors import block_diagonal, qr, solve_triangular
from dalembert.principles.instant import Instant
from dalembert.principles.ready import Ready, prepare
from dalembert.principles.root import root
from dalembert.principles.stacked import stack


class Reconciled(NamedTuple):
    """What least squares makes of rows that need not agree.

    acceleration, ideal, nonideal (n,), multipliers (m,) as in Answer; unsatisfied (m,) = A q̈ − b, row by
    row; dynamics (n,) = M^(1/2) q̈ − M^(−1/2) (Q + Qᶜ) and virtual_work (n − k,) = Vᵀ M^(−1/2) (Qᶜ − C), the
    residuals of the other rows, which are zero unless the weights couple them to the constraints.
    """

    acceleration: Array
    ideal: Array
    nonideal: Array
    multipliers: Array
    unsatisfied: Array
    dynamics: Array
    virtual_work: Array

    @property
    def force(self) -> Array:
        """The whole constraint force Qᶜ = ideal + nonideal, shape (n,)."""
        return self.ideal + self.nonideal


def least_squares(now: Instant, weights: ArrayLike | None = None) -> Reconciled:
    """Acceleration and force that come closest to all rows at once, each trusted by its weight.

    r = (LᵀWL)⁻¹ LᵀW s, with L r = s the rows of `stacked` in stated units: n of dynamics, m of constraints,
    n − k of virtual work. `weights` is None (all ones), or a vector or a positive definite matrix of size m
    (trust in the constraint rows) or 2n + m − k (all rows). A row written twice as large weighs four times
    as much. W = FᵀF by Cholesky and F L r = F s by QR: LᵀWL is never formed.

    What the parts mean when rows contradict each other. V spans null(A), the directions that every row as
    written permits; right-hand sides play no part in it. The ideal force is the answer for C = 0, the
    nonideal one what C adds. As Lᵀ(u, y, w) = 0 only for u = 0, w = 0, Aᵀy = 0, rows can only fail each
    other inside the constraints: with weights on the constraints alone, dynamics and virtual work hold
    exactly, the ideal force stays in the range of Aᵀ, and A q̈ = b is met in the weighted mean. A W of all
    rows that couples them lets the others give way too; then Aᵀ multipliers is the part of the ideal
    force that rows of A can exert. Rows that do not contradict each other are met exactly, whatever W.

    Raises InstantError with every fault of the weights; MassError where M is not positive on a free
    direction, or is not positive definite while rows contradict each other.
    Udwadia, Kalaba and Eun 1997, (37)-(38).
    """
    ready = prepare(now, contradictory=True)
    if ready.replaced and ready.conflict is not None:
        raise _indefinite(now)
    M = ready.M / np.outer(ready.units, ready.units)
    half, inverse = root(M)
    B = now.A @ inverse
    V = null_basis(ready.rows.scale[:, None] * B, ready.rank)
    a_s, c_s = inverse @ (ready.Q / ready.units), inverse @ now.C
    n, m, free = now.n, now.m, V.shape[1]

    L = stack(B, V)
    s = np.zeros((L.shape[0], 2))
    s[:, 0] = np.concatenate([a_s, now.b, np.zeros(free)])
    s[n + m :, 1] = V.T @ c_s
    F = weight_root(weights, n, m, free)
    r = _solve(F @ L, F @ s)
    left = (L @ r - s).sum(axis=1)
    acceleration = inverse @ r[:n].sum(axis=1)
    ideal, nonideal = half @ r[n:, 0], half @ r[n:, 1]
    return Reconciled(
        acceleration,
        ideal,
        nonideal,
        _multipliers(ready, B, r[n:, 0]),
        unsatisfied=now.A @ acceleration - now.b,
        dynamics=left[:n],
        virtual_work=left[n + m :],
    )


def weight_root(weights: ArrayLike | None, n: int, m: int, free: int) -> Array:
    """F with W = FᵀF over all n + m + free rows, from weights in any accepted form.

    Raises InstantError with every fault.
    """
    size = n + m + free
    if weights is None:
        return np.eye(size)
    try:
        W = np.array(weights, dtype=float)
    except (TypeError, ValueError) as error:
        raise InstantError([f"weights: not an array of real numbers ({error})"]) from None
    faults = []
    if W.ndim not in (1, 2) or any(length not in (m, size) for length in W.shape) or len({*W.shape}) > 1:
        forms = f"({m},) or ({m}, {m}) for the constraint rows, ({size},) or ({size}, {size}) for all rows"
        faults.append(f"weights: shape {W.shape} found; {forms if m < size else f'({m},) or ({m}, {m}) expected'}")
    if not np.isfinite(W).all():
        faults.append("weights: some are not finite")
    elif W.ndim == 1 and (W <= 0).any():
        i = int(np.argmin(W))
        faults.append(f"weights: weights[{i}] = {W[i]:.6g} is not positive; leave a row out to distrust it")
    elif W.ndim == 2 and W.shape[0] == W.shape[1] and W.size:
        faults += _not_definite(W)
    if faults:
        raise InstantError(faults)
    F = np.diag(np.sqrt(W)) if W.ndim == 1 else _matrix_root(W)
    return F if F.shape[0] == size else block_diagonal(np.eye(n), F, np.eye(free))


def _not_definite(W: Array) -> list[str]:
    """What is wrong with a square W, seen with its diagonal brought to one: units of rows decide nothing."""
    i = int(np.argmin(np.diag(W)))
    if W[i, i] <= 0:
        return [f"weights: the matrix is not positive definite, weights[{i}][{i}] = {W[i, i]:.6g}"]
    size = np.sqrt(np.diag(W))
    shape = W / size / size[:, None]
    if np.max(np.abs(shape - shape.T)) > 1e-9:
        return ["weights: the matrix is not symmetric"]
    if (least := float(np.linalg.eigvalsh(shape)[0])) <= W.shape[0] * np.finfo(float).eps:
        return [f"weights: the matrix is not positive definite, least eigenvalue {least:.6g} with a diagonal of ones"]
    return []


def _matrix_root(W: Array) -> Array:
    """The upper triangular F with W = FᵀF, W (u, u) positive definite."""
    size = np.sqrt(np.diag(W))
    shape = W / size / size[:, None]
    return np.asarray(np.linalg.cholesky((shape + shape.T) / 2).T * size, dtype=float)


def _solve(L: Array, s: Array) -> Array:
    """The least-squares solution of L r = s, L of full column rank.

    Rows are sorted by size and columns pivoted, so that a light row keeps its figures beside heavy ones
    (Cox and Higham 1998).
    """
    order = np.argsort(-np.max(np.abs(L), axis=1))
    Z, R, columns = qr(L[order], mode="economic", pivoting=True)
    r = np.empty((L.shape[1], s.shape[1]))
    r[columns] = solve_triangular(R, Z.T @ s[order])
    return r


def _multipliers(ready: Ready, B: Array, ideal_s: Array) -> Array:
    """The λ (m,) of least norm with Bᵀλ nearest to ideal_s."""
    k, scale = ready.rank, ready.rows.scale
    Z, R, order = qr((scale[:, None] * B).T, mode="economic", pivoting=True)
    lam = np.zeros(B.shape[0])
    lam[order[:k]] = solve_triangular(R[:k, :k], Z[:, :k].T @ ideal_s)
    nothing = np.zeros(ready.n)
    return ready.answer(nothing, nothing, nothing, lam).multipliers


def _indefinite(now: Instant) -> MassError:
    """The error for rows that contradict each other over a mass matrix that is not positive definite."""
    _, directions = np.linalg.eigh(now.M)
    v = directions[:, 0] / directions[np.argmax(np.abs(directions[:, 0])), 0]
    inertia = float(v @ now.M @ v)
    reason = (
        f"the mass matrix is not positive definite (vᵀMv = {inertia:.3g}) and constraint rows contradict "
        "each other: least squares then has no metric to reconcile them in. Give every coordinate inertia, "
        "or correct the rows."
    )
    return MassError(v, inertia, now.coordinates, reason)
