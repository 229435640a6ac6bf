"""The geometry of constrained motion at an instant."""

from typing import NamedTuple

import numpy as np

from dalembert.principles.errors import Array
from dalembert.principles.frame import frame
from dalembert.principles.guard import in_words
from dalembert.principles.instant import Instant
from dalembert.principles.ready import virtual_basis


class Geometry(NamedTuple):
    """How the acceleration deviates from the unconstrained one, and along what.

    unconstrained (n,) = a = M⁻¹Q; dissatisfaction (m,) = e = b − A a; N and T (n, n), the orthogonal
    projectors on null(B) and range(Bᵀ), which act on scaled accelerations M^(1/2) q̈; toward (n,) =
    M^(−1/2) B⁺ e, the component that meets the constraints; along (n,) = M^(−1/2) N M^(−1/2) C, the one that
    C adds; inner, their M-inner product, zero; rank k; virtual (n, n − k), an orthonormal basis of the
    virtual displacements.
    `replaced`: M was not positive definite, and all of this belongs to the equivalent M + γT, Q + γA⁺b.
    """

    unconstrained: Array
    dissatisfaction: Array
    N: Array
    T: Array
    toward: Array
    along: Array
    inner: float
    rank: int
    virtual: Array
    replaced: bool


@in_words
def geometry(now: Instant) -> Geometry:
    """The deviation q̈ − a in two components, orthogonal in the metric of M, and the projectors behind them.

    q̈ − a = (M^(−1/2) B⁺) e + (M^(−1/2) N M^(−1/2)) C, N = I − B⁺B, T = B⁺B.
    Raises MassError, ContradictionError. Udwadia and Kalaba 2001, section 6, (21)-(24).
    """
    ready, M, inverse, Q, scale, B, P = frame(now)
    a = inverse @ (inverse @ Q)
    T = P @ B
    N = np.eye(now.n) - T
    e = now.b - now.A @ a
    toward = inverse @ (P @ (scale * e))
    along = inverse @ (N @ (inverse @ now.C))
    virtual = virtual_basis(ready)
    return Geometry(a, e, N, T, toward, along, float(toward @ M @ along), ready.rank, virtual, ready.replaced)
