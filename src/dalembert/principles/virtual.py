"""The general equation of dynamics, on the virtual displacements."""

import numpy as np

from dalembert.principles.factors import cho_solve, cholesky, qr, solve_triangular
from dalembert.principles.instant import Answer, Instant
from dalembert.principles.ready import prepare


def virtual(now: Instant) -> Answer:
    """vᵀ (M q̈ − Q − C) = 0 for every virtual displacement v, with A q̈ = b: no root of M is taken.

    As in the classics, k of the coordinates are solved for: pivoted QR A P = Z [R₁ R₂] picks them, and
        V = P [−R₁⁻¹R₂; I] spans null(A),   p = P [R₁⁻¹Zᵀb; 0] has A p = b,
        VᵀMV y = Vᵀ(Q − M p),   VᵀMV w = VᵀC,   q̈ = p + V y + V w.
    The forces follow from the motion: ideal = M (p + V y) − Q, nonideal = M V w; the multipliers from the k
    components of the ideal force along the coordinates solved for.
    Raises MassError, ContradictionError. Zubelevich, (10); Udwadia 2000, (11).
    """
    ready = prepare(now)
    M, k, n = ready.M, ready.rank, ready.n
    Z, R, order = qr(ready.A, mode="economic", pivoting=True)
    Z, R1, R2 = Z[:, :k], R[:k, :k], R[:k, k:]
    solved = order[:k]
    V = np.zeros((n, n - k))
    V[solved] = -solve_triangular(R1, R2)
    V[order[k:]] = np.eye(n - k)
    p = np.zeros(n)
    p[solved] = solve_triangular(R1, Z.T @ ready.b)

    right = np.column_stack([V.T @ (ready.Q - M @ p), V.T @ ready.C])
    y, w = cho_solve((cholesky(V.T @ M @ V), False), right).T
    motion = p + V @ y
    ideal = M @ motion - ready.Q
    return ready.answer(
        acceleration=motion + V @ w,
        ideal=ideal,
        nonideal=M @ (V @ w),
        multipliers=Z @ solve_triangular(R1, ideal[solved], trans="T"),  # Aᵀλ = ideal on those k
    )
