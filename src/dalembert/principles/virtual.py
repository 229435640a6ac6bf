"""The general equation of dynamics, on the virtual displacements."""

import numpy as np

from dalembert.principles.answers import answer
from dalembert.principles.errors import Array
from dalembert.principles.factors import cho_solve, cholesky, qr, solve_triangular
from dalembert.principles.guard import in_words
from dalembert.principles.instant import Answer, Instant
from dalembert.principles.ready import prepare


@in_words
def virtual(now: Instant) -> Answer:
    """vᵀ (M q̈ − Q − C) = 0 for every virtual displacement v, with A q̈ = b: no root of M is taken.

    As in the classics, k of the coordinates are solved for: pivoted QR A P = Z [R₁ R₂] picks them, and
        V = P [−R₁⁻¹R₂; I] spans null(A),   p = P [R₁⁻¹Zᵀb; 0] has A p = b,
        VᵀMV y = Vᵀ(Q − M p),   VᵀMV w = VᵀC,   q̈ = p + V y + V w.
    The forces follow from the motion: ideal = M (p + V y) − Q, nonideal = M V w; the multipliers from the k
    components of the ideal force along the coordinates solved for. Asked twice, with Q and b, and with C and 0.
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
    inertia = cholesky(V.T @ M @ V)

    def solve(load: Array, right: Array) -> tuple[Array, Array]:
        p = np.zeros(n)
        p[solved] = solve_triangular(R1, Z.T @ right)
        z = p + V @ cho_solve((inertia, False), V.T @ (load - M @ p))
        force = (M @ z - load)[solved]
        return z, Z @ solve_triangular(R1, force, trans="T")  # Aᵀλ = force on those k

    return answer(ready, solve)
