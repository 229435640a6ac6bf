"""Lagrange's undetermined multipliers."""

import numpy as np

from dalembert.principles.factors import qr, solve_triangular
from dalembert.principles.instant import Answer, Instant
from dalembert.principles.ready import prepare


def multipliers(now: Instant) -> Answer:
    """Accelerations and multipliers from one linear system.

        ⎡ M  −Aᵀ ⎤ ⎡ q̈ ⎤   ⎡ Q ⎤
        ⎣ A   0  ⎦ ⎣ λ ⎦ = ⎣ b ⎦
    With redundant rows it is singular, and with nearly dependent ones its condition is that of A squared. So
    it is written for k orthonormal combinations of the rows, Aᵀ P = Z R (pivoted QR): the rows Zᵀ q̈ = R⁻ᵀ b_P
    with multipliers μ, and λ_P = R⁻¹ μ leads back, zero on the rows left out.
    With C in place of Q and b = 0 the same matrix gives what C adds: M w = C + Zν, Zᵀw = 0, and the
    work-doing force is C + Zν. The multipliers answered are the λ of the ideal force Aᵀλ.
    Raises MassError, ContradictionError. Zubelevich, (12)-(15); Thornton and Marion (7.65)-(7.66).
    """
    ready = prepare(now)
    n, k = ready.n, ready.rank
    Z, R, order = qr(ready.A.T, mode="economic", pivoting=True)
    Z, R, kept = Z[:, :k], R[:k, :k], order[:k]
    K = np.block([[ready.M, -Z], [Z.T, np.zeros((k, k))]])
    right = np.zeros((n + k, 2))
    right[:n, 0], right[:n, 1] = ready.Q, ready.C
    right[n:, 0] = solve_triangular(R, ready.b[kept], trans="T")
    motion, added = np.linalg.solve(K, right).T
    lam = np.zeros_like(ready.b)
    lam[kept] = solve_triangular(R, motion[n:])
    return ready.answer(
        acceleration=motion[:n] + added[:n],
        ideal=Z @ motion[n:],
        nonideal=ready.C + Z @ added[n:],
        multipliers=lam,
    )
