"""Lagrange's undetermined multipliers."""

import numpy as np
from scipy.linalg import lu_factor, lu_solve

from .errors import Array
from .instant import Answer, Instant
from .ready import prepare

REFINEMENTS = 5
"""Steps of refinement; one is enough but where rows are nearly dependent."""


def multipliers(now: Instant) -> Answer:
    """Accelerations and multipliers from one linear system.

        ⎡ M  −Aᵀ  0 ⎤ ⎡ q̈ ⎤   ⎡ Q ⎤
        ⎢ A   0   Y ⎥ ⎢ λ ⎥ = ⎢ b ⎥
        ⎣ 0   Yᵀ  0 ⎦ ⎣ z ⎦   ⎣ 0 ⎦
    Y (m, m − k) spans null(Aᵀ). Without redundant rows it is empty and the system is Lagrange's. With them,
    Yᵀλ = 0 settles the multipliers that would be open, and z = 0 follows since b is in the range of A.
    With C in place of Q and b = 0 the same matrix gives what C adds: M w = C + Aᵀμ, A w = 0, and the
    work-doing force is C + Aᵀμ. The multipliers answered are the λ of the ideal force Aᵀλ.
    Raises MassError, ContradictionError. Zubelevich, (12)-(15); Thornton and Marion (7.65)-(7.66).
    """
    ready = prepare(now)
    n, m = ready.n, len(ready.b)
    Y = ready.rows.left
    K = np.zeros((n + m + Y.shape[1],) * 2)
    K[:n, :n] = ready.M
    K[:n, n : n + m] = -ready.A.T
    K[n : n + m, :n] = ready.A
    K[n : n + m, n + m :] = Y
    K[n + m :, n : n + m] = Y.T
    right = np.zeros((K.shape[0], 2))
    right[:n, 0], right[n : n + m, 0] = ready.Q, ready.b
    right[:n, 1] = ready.C
    solution = refined_solve(K, right)
    lam, mu = solution[n : n + m, 0], solution[n : n + m, 1]
    return ready.answer(
        acceleration=solution[:n, 0] + solution[:n, 1],
        ideal=ready.A.T @ lam,
        nonideal=ready.C + ready.A.T @ mu,
        multipliers=lam,
    )


def refined_solve(K: Array, right: Array) -> Array:
    """K⁻¹ right by LU, with steps of refinement.

    Elimination alone errs as if the zero blocks of K were not quite zero, which costs the square of the
    condition of A; refinement in the same precision makes the error relative to each entry of K (Skeel 1980).
    """
    factors = lu_factor(K)
    solution: Array = lu_solve(factors, right)
    for _ in range(REFINEMENTS):
        solution = solution + lu_solve(factors, right - K @ solution)
    return solution
