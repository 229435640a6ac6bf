"""Weighted least squares over the stacked rows, for constraints or forces that were measured."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dalembert.principles.errors import Array, MassError
from dalembert.principles.estimate import estimate
from dalembert.principles.extended import null_basis
from dalembert.principles.factors import qr, solve_triangular
from dalembert.principles.guard import in_words
from dalembert.principles.instant import Instant
from dalembert.principles.ready import Ready, decide, prepare
from dalembert.principles.root import root_of
from dalembert.principles.stacked import stack
from dalembert.principles.trust import Trust
from dalembert.principles.weights import weight_root


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


@in_words
def least_squares(now: Instant, weights: ArrayLike | None = None) -> Reconciled:
    """Acceleration and force that come closest to all rows at once, each trusted by its weight.

    r = (LᵀWL)⁻¹ LᵀW s, with L r = s the rows of `stacked` in stated units: n of dynamics, m of constraints,
    n − k of virtual work. `weights` is None (all ones), or a vector or a positive definite matrix of size m
    (trust in the constraint rows) or 2n + m − k (all rows). A row written twice as large weighs four times
    as much. LᵀWL is never formed.

    What the parts mean when rows contradict each other. V spans null(A), the directions that every row as
    written permits; right-hand sides play no part in it. The ideal force is the answer for C = 0, the
    nonideal one what C adds. As Lᵀ(u, y, w) = 0 only for u = 0, w = 0, Aᵀy = 0, rows can only fail each
    other inside the constraints: with weights on the constraints alone, dynamics and virtual work hold
    exactly, the ideal force stays in the range of Aᵀ, and A q̈ = b is met in the weighted mean; then `estimate`
    answers, in which units of coordinates play no part. A W of all rows that couples them lets the others
    give way too; then Aᵀ multipliers is the part of the ideal force that rows of A can exert. Rows that do not
    contradict each other are met exactly, whatever W.

    Raises InstantError with every fault of the weights; MassError where M is not positive on a free direction, or,
    with weights on all rows, is not positive definite while rows contradict each other.
    Udwadia, Kalaba and Eun 1997, (37)-(38).
    """
    free = now.n - decide(now).natural.rank
    F = weight_root(weights, now.n, now.m, free)  # raises with every fault
    if weights is None or np.shape(weights)[0] == now.m:
        return _uncoupled(now, Trust([("constraint", i) for i in range(now.m)], weights))
    return _coupled(now, F)


def _uncoupled(now: Instant, trust: Trust) -> Reconciled:
    """With weights on the constraints alone."""
    found = estimate(now, trust, now.b)
    _, inverse, _, V = _scaled(now, prepare(now, contradictory=True, stated=True))
    force = found.ideal + found.nonideal
    return Reconciled(
        found.acceleration,
        found.ideal,
        found.nonideal,
        found.multipliers,
        unsatisfied=now.A @ found.acceleration - now.b,
        dynamics=inverse @ (now.M @ found.acceleration - now.Q - force),
        virtual_work=V.T @ (inverse @ (force - now.C)),
    )


def _coupled(now: Instant, F: Array) -> Reconciled:
    """With weights W = FᵀF on all rows: F L r = F s by QR."""
    ready = prepare(now, contradictory=True, stated=True)
    if ready.replaced and ready.conflict is not None:
        raise _indefinite(now)
    half, inverse, B, V = _scaled(now, ready)
    Q = np.ldexp(ready.decided.loaded(ready.Q, ready.b), ready.power - ready.decided.powers)
    a_s, c_s = inverse @ Q, inverse @ now.C
    n, m, free = now.n, now.m, V.shape[1]

    L = stack(B, V)
    s = np.zeros((L.shape[0], 2))
    s[:, 0] = np.concatenate([a_s, now.b, np.zeros(free)])
    s[n + m :, 1] = V.T @ c_s
    r = _solve(F @ L, F @ s)
    left = (L @ r - s).sum(axis=1)
    acceleration = inverse @ r[:n].sum(axis=1)
    return Reconciled(
        acceleration,
        half @ r[n:, 0],
        half @ r[n:, 1],
        _multipliers(ready, B, r[n:, 0]),
        unsatisfied=now.A @ acceleration - now.b,
        dynamics=left[:n],
        virtual_work=left[n + m :],
    )


def _scaled(now: Instant, ready: Ready) -> tuple[Array, Array, Array, Array]:
    """M^(1/2), M^(−1/2), B = A M^(−1/2) and V spanning its null space, in stated units."""
    half, inverse = root_of(np.ldexp(ready.L, -ready.decided.powers[:, None]))
    B = now.A @ inverse
    return half, inverse, B, null_basis(ready.rows.scale[:, None] * B, ready.rank)


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
    return ready.decided.least_norm(lam)


def _indefinite(now: Instant) -> MassError:
    """The error for rows that contradict each other over a mass matrix that is not positive definite."""
    _, directions = np.linalg.eigh(now.M)
    v = directions[:, 0] / directions[np.argmax(np.abs(directions[:, 0])), 0]
    inertia = float(v @ now.M @ v)
    reason = (
        f"the mass matrix is not positive definite (vᵀMv = {inertia:.3g}) and constraint rows contradict "
        "each other: weights that couple them to the dynamics then have no metric. Give every coordinate inertia, "
        "weigh the constraints alone, or correct the rows."
    )
    return MassError(v, inertia, now.coordinates, reason)
