"""The explicit equation of motion, by the pseudo-inverse."""

import numpy as np

from dalembert.principles.answers import answer
from dalembert.principles.errors import Array
from dalembert.principles.guard import in_words
from dalembert.principles.instant import Answer, Instant
from dalembert.principles.ready import prepare
from dalembert.principles.root import root_of


@in_words
def explicit(now: Instant) -> Answer:
    """The explicit equation of motion with constraint forces that do work.

    M q̈ = Q + M^(1/2) B⁺ (b − A a) + M^(1/2) (I − B⁺B) M^(−1/2) C, with B = A M^(−1/2), a = M⁻¹Q.
    The second term is the ideal force, the third the work-doing one: C, and M^(1/2) B⁺ (0 − A M⁻¹C) as the constraints
    answer it.
    Raises MassError, ContradictionError. Udwadia and Kalaba 2001, (7), (11), (12).
    """
    ready = prepare(now)
    inverse = root_of(ready.L).inverse
    B = ready.A @ inverse
    P = pseudo_inverse(B, ready.rank)

    def solve(load: Array, right: Array) -> tuple[Array, Array]:
        a_s = inverse @ load  # the scaled acceleration M^(1/2) a
        force_s = P @ (right - B @ a_s)  # B⁺ e
        return inverse @ (a_s + force_s), P.T @ force_s  # AᵀPᵀ = M^(1/2) (P B)ᵀ and (P B) P = P

    return answer(ready, solve)


def pseudo_inverse(B: Array, rank: int) -> Array:
    """B⁺ (n, m) of B (m, n) of known rank, by singular values."""
    U, sigma, Vt = np.linalg.svd(B, full_matrices=False)
    P: Array = (Vt[:rank].T / sigma[:rank]) @ U[:, :rank].T
    return P
