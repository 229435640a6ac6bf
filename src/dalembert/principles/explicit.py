"""The explicit equation of motion, by the pseudo-inverse."""

import numpy as np

from dalembert.principles.errors import Array
from dalembert.principles.instant import Answer, Instant
from dalembert.principles.ready import prepare
from dalembert.principles.root import root


def explicit(now: Instant) -> Answer:
    """The explicit equation of motion with constraint forces that do work.

    M q̈ = Q + M^(1/2) B⁺ (b − A a) + M^(1/2) (I − B⁺B) M^(−1/2) C, with B = A M^(−1/2), a = M⁻¹Q.
    The second term is the ideal force, the third the work-doing one.
    Raises MassError, ContradictionError. Udwadia and Kalaba 2001, (7), (11), (12).
    """
    ready = prepare(now)
    half, inverse = root(ready.M)
    B = ready.A @ inverse
    a_s, c_s = inverse @ ready.Q, inverse @ ready.C  # scaled accelerations M^(1/2) a, M^(1/2) c
    P = pseudo_inverse(B, ready.rank)
    ideal_s = P @ (ready.b - B @ a_s)  # B⁺ e
    nonideal_s = c_s - P @ (B @ c_s)  # N c_s
    return ready.answer(
        acceleration=inverse @ (a_s + ideal_s + nonideal_s),
        ideal=half @ ideal_s,
        nonideal=half @ nonideal_s,
        multipliers=P.T @ ideal_s,  # Aᵀ P ᵀ = M^(1/2) (P B)ᵀ and (P B) P = P
    )


def pseudo_inverse(B: Array, rank: int) -> Array:
    """B⁺ (n, m) of B (m, n) of known rank, by singular values."""
    U, sigma, Vt = np.linalg.svd(B, full_matrices=False)
    P: Array = (Vt[:rank].T / sigma[:rank]) @ U[:, :rank].T
    return P
