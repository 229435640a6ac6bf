"""Scaled accelerations: constrained motion where the metric of M is plain Euclidean length."""

from typing import NamedTuple

import numpy as np

from dalembert.principles.errors import Array
from dalembert.principles.frame import frame
from dalembert.principles.guard import in_words
from dalembert.principles.instant import Instant


class Scaled(NamedTuple):
    """The vectors of figure 1 of Udwadia and Kalaba 2001, each (n,), and the subspaces they lie in.

    unconstrained a_s = M^(1/2) a; prescribed c_s = M^(−1/2) C; acceleration q̈_s = M^(1/2) q̈; free = N(a_s + c_s);
    met = B⁺b; toward = B⁺e; along = N c_s. null (n, n − k) and range (n, k) are orthonormal bases of N(B) and R(Bᵀ);
    N and T (n, n) the projectors on them. q̈_s = free + met and q̈_s − a_s = toward + along, each sum of two orthogonal
    vectors. `replaced`: M was not positive definite, and all of this belongs to the equivalent M + γT, Q + γA⁺b.
    """

    unconstrained: Array
    prescribed: Array
    acceleration: Array
    free: Array
    met: Array
    toward: Array
    along: Array
    null: Array
    range: Array
    N: Array
    T: Array
    replaced: bool


@in_words
def scaled(now: Instant) -> Scaled:
    """The scaled accelerations of an instant: q̈_s = N(a_s + c_s) + B⁺b, q̈_s − a_s = B⁺e + N c_s, N = I − B⁺B.

    Raises MassError, ContradictionError. Udwadia and Kalaba 2001, (18)-(23).
    """
    ready, _, inverse, Q, scale, B, P = frame(now)
    Vt = np.linalg.svd(B)[2] if now.m else np.eye(now.n)
    span, null = Vt[: ready.rank].T, Vt[ready.rank :].T
    a_s, c_s = inverse @ Q, inverse @ now.C
    T = span @ span.T
    N = null @ null.T
    free, met = N @ (a_s + c_s), P @ (scale * now.b)
    toward, along = met - T @ a_s, N @ c_s
    return Scaled(a_s, c_s, free + met, free, met, toward, along, null, span, N, T, ready.replaced)
