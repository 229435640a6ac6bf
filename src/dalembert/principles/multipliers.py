"""Lagrange's undetermined multipliers."""

import numpy as np

from dalembert.principles.answers import answer
from dalembert.principles.errors import Array
from dalembert.principles.factors import qr, solve_triangular
from dalembert.principles.guard import in_words
from dalembert.principles.instant import Answer, Instant
from dalembert.principles.ready import prepare


@in_words
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

    def solve(load: Array, right: Array) -> tuple[Array, Array]:
        found = np.linalg.solve(K, np.concatenate([load, solve_triangular(R, right[kept], trans="T")]))
        lam = np.zeros_like(right)
        lam[kept] = solve_triangular(R, found[n:])
        return found[:n], lam

    return answer(ready, solve)
