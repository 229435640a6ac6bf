"""The extended D'Alembert principle: the explicit equation without generalized inverses."""

from typing import NamedTuple

import numpy as np

from dalembert.principles.answers import answer
from dalembert.principles.errors import Array
from dalembert.principles.factors import qr, solve_triangular
from dalembert.principles.guard import in_words
from dalembert.principles.instant import Answer, Instant
from dalembert.principles.ready import prepare
from dalembert.principles.root import root_of


class Extension(NamedTuple):
    """B (m, n), V (n, n − k) spanning null(B), and D = BᵀB, E = VVᵀ, J = (D + E)⁻¹, each (n, n)."""

    B: Array
    V: Array
    D: Array
    E: Array
    J: Array


@in_words
def extended(now: Instant) -> Answer:
    """No force of constraint has a part along null(B) but the one prescribed: the extended principle.

    q̈ = M^(−1/2) J (Bᵀb + E (a_s + c_s)), Fᶜ_ideal = M^(1/2) J (Bᵀb − D a_s), Fᶜ_nonideal = M^(1/2) J E c_s, which is
    C − M^(1/2) J D c_s, with V spanning null(B), D = BᵀB, E = VVᵀ, J = (D + E)⁻¹.
    D + E = KᵀK with K = [B; Vᵀ] (27), so J is applied through K = Z R, as R⁻¹R⁻ᵀ, and never formed: that
    would square the condition of B.
    Raises MassError, ContradictionError. Udwadia, Kalaba and Eun 1997, (20)-(22), (27), (35)-(36).
    """
    ready = prepare(now)
    inverse = root_of(ready.L).inverse
    B = ready.A @ inverse
    V = null_basis(B, ready.rank)
    m = B.shape[0]
    Z, R = np.linalg.qr(np.vstack([B, V.T]))
    Zb, Zv = Z[:m], Z[m:]  # J Bᵀ = R⁻¹ Zbᵀ, J V = R⁻¹ Zvᵀ

    def solve(load: Array, right: Array) -> tuple[Array, Array]:
        a_s = inverse @ load
        force_s = solve_triangular(R, Zb.T @ (right - B @ a_s))  # J (Bᵀ right − D a_s)
        motion_s = solve_triangular(R, Zb.T @ right + Zv.T @ (V.T @ a_s))  # J (Bᵀ right + E a_s)
        return inverse @ motion_s, Zb @ solve_triangular(R, force_s, trans="T")  # λ = (J Bᵀ)ᵀ force_s

    return answer(ready, solve)


def extension(now: Instant) -> Extension:
    """B, V, D, E and J of the instant in balanced units, J formed as the paper writes it.

    J Bᵀ satisfies the four Moore-Penrose conditions for B. Udwadia, Kalaba and Eun 1997, appendix 2.
    """
    ready = prepare(now)
    B = ready.A @ root_of(ready.L).inverse
    V = null_basis(B, ready.rank)
    D, E = B.T @ B, V @ V.T
    return Extension(B, V, D, E, np.asarray(np.linalg.inv(D + E), dtype=float))


def null_basis(B: Array, rank: int) -> Array:
    """An orthonormal basis V (n, n − rank) of null(B), B (m, n): the last columns of Z in Bᵀ P = Z R."""
    Z, _, _ = qr(B.T, pivoting=True)
    V: Array = Z[:, rank:]
    return V
