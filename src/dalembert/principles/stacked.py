"""Dynamics, constraints and virtual work as one linear system in acceleration and force together."""

import numpy as np

from dalembert.principles.errors import Array
from dalembert.principles.extended import null_basis
from dalembert.principles.factors import cholesky, qr, solve_triangular
from dalembert.principles.instant import Answer, Instant
from dalembert.principles.ready import prepare


def stacked(now: Instant) -> Answer:
    """L r = s for r = (q̈_s, Fᶜ_s), 2n unknowns and 2n + m − k rows of which 2n are independent.

        q̈_s − Fᶜ_s = a_s          dynamics
        B q̈_s       = b            constraints
        Vᵀ Fᶜ_s     = Vᵀ c_s       virtual work
    Scaled by R, M = RᵀR (Cholesky): q̈_s = R q̈, Fᶜ_s = R⁻ᵀ Fᶜ. L has full column rank, so a QR solution is
    the only one. Two right-hand sides: the ideal motion, and what C adds to it.
    Raises MassError, ContradictionError. Udwadia, Kalaba and Eun 1997, (17)-(25), appendix 1.
    """
    ready = prepare(now)
    n = ready.n
    R = cholesky(ready.M)
    B = solve_triangular(R, ready.A.T, trans="T").T
    a_s = solve_triangular(R, ready.Q, trans="T")
    c_s = solve_triangular(R, ready.C, trans="T")
    V = null_basis(B, ready.rank)
    L = stack(B, V)
    s = np.zeros((L.shape[0], 2))
    s[:, 0] = np.concatenate([a_s, ready.b, np.zeros(V.shape[1])])
    s[L.shape[0] - V.shape[1] :, 1] = V.T @ c_s
    Z, upper = np.linalg.qr(L)
    r = solve_triangular(upper, Z.T @ s)
    ideal_s, nonideal_s = r[n:, 0], r[n:, 1]
    return ready.answer(
        acceleration=solve_triangular(R, r[:n, 0] + r[:n, 1]),
        ideal=R.T @ ideal_s,
        nonideal=R.T @ nonideal_s,
        multipliers=_multipliers(B, ideal_s, ready.rank),
    )


def stack(B: Array, V: Array) -> Array:
    """L (2n + m − k, 2n) of (24), from B (m, n) and V (n, n − k)."""
    m, n = B.shape
    free = V.shape[1]
    eye = np.eye(n)
    return np.block([[eye, -eye], [B, np.zeros((m, n))], [np.zeros((free, n)), V.T]])


def _multipliers(B: Array, ideal_s: Array, rank: int) -> Array:
    """One λ (m,) with Bᵀλ = ideal_s: zero but on `rank` independent rows, which pivoted QR picks."""
    Z, R, order = qr(B.T, mode="economic", pivoting=True)
    lam = np.zeros(B.shape[0])
    lam[order[:rank]] = solve_triangular(R[:rank, :rank], Z[:, :rank].T @ ideal_s)
    return lam
