"""Dynamics, constraints and virtual work as one linear system in acceleration and force together."""

import numpy as np

from dalembert.principles.answers import answer
from dalembert.principles.errors import Array
from dalembert.principles.extended import null_basis
from dalembert.principles.factors import qr, solve_triangular
from dalembert.principles.guard import in_words
from dalembert.principles.instant import Answer, Instant
from dalembert.principles.ready import prepare


@in_words
def stacked(now: Instant) -> Answer:
    """L r = s for r = (q̈_s, Fᶜ_s), 2n unknowns and 2n + m − k rows of which 2n are independent.

        q̈_s − Fᶜ_s = a_s          dynamics
        B q̈_s       = b            constraints
        Vᵀ Fᶜ_s     = Vᵀ c_s       virtual work
    Scaled by R, M = RᵀR (Cholesky): q̈_s = R q̈, Fᶜ_s = R⁻ᵀ Fᶜ. L has full column rank, so a QR solution is
    the only one. Two right-hand sides: the ideal motion, s = (a_s, b, 0), and what C adds to it, s = (c_s, 0, 0) for
    the force less C, which is the same as (0, 0, Vᵀc_s) for the whole of it.
    Raises MassError, ContradictionError. Udwadia, Kalaba and Eun 1997, (17)-(25), appendix 1.
    """
    ready = prepare(now)
    n = ready.n
    R = ready.L.T
    B = solve_triangular(R, ready.A.T, trans="T").T
    V = null_basis(B, ready.rank)
    Z, upper = np.linalg.qr(stack(B, V))
    none = np.zeros(V.shape[1])

    def solve(load: Array, right: Array) -> tuple[Array, Array]:
        s = np.concatenate([solve_triangular(R, load, trans="T"), right, none])
        r = solve_triangular(upper, Z.T @ s)
        return solve_triangular(R, r[:n]), _multipliers(B, r[n:], ready.rank)

    return answer(ready, solve)


def stack(B: Array, V: Array) -> Array:
    """L (2n + m − k, 2n) of (24), from B (m, n) and V (n, n − k)."""
    m, n = B.shape
    free = V.shape[1]
    eye = np.eye(n)
    return np.block([[eye, -eye], [B, np.zeros((m, n))], [np.zeros((free, n)), V.T]])


def _multipliers(B: Array, force_s: Array, rank: int) -> Array:
    """One λ (m,) with Bᵀλ = force_s: zero but on `rank` independent rows, which pivoted QR picks."""
    Z, R, order = qr(B.T, mode="economic", pivoting=True)
    lam = np.zeros(B.shape[0])
    lam[order[:rank]] = solve_triangular(R[:rank, :rank], Z[:, :rank].T @ force_s)
    return lam
