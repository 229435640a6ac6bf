"""The state on the constraints nearest to a given one, in the metric of the mass matrix: positions, then velocities.

    minimise ½ (q − q₀)ᵀ M (q − q₀)   over   φ(q, t) = 0,   then   ½ (v − v₀)ᵀ M (v − v₀)   over   ψ(q, v, t) = 0

with ψ every velocity-level relation (φ̇ for a holonomic φ). What is not free does not move.
"""

from collections.abc import Callable, Sequence

import numpy as np

from dalembert.derive import Array, RowNumbers, mass_and_rows
from dalembert.model import ON_POSITIONS, Statement

STEPS = 100
RANK = 1e-10
NEWTON, QUADRATIC = 8, 1e-9  # steps at most; after a step this small, the next would be below rounding


def nearest(system: Statement, place: Array, free: Array, t: float, values: Sequence[float] | Array) -> Array:
    """The consistent state (2n,) nearest to `place`, or the last one tried where there is none.

    `free` (2n,) says what may move; `values` are the parameters in the order of `symbols`.
    """
    n = len(system.coordinates)
    M, _ = mass_and_rows(system, [*place, t, *values])
    holonomic = np.array([isinstance(c, ON_POSITIONS) for c in system.constraints], dtype=bool)

    def rows(q: Array, v: Array) -> RowNumbers:
        return mass_and_rows(system, [*q, *v, t, *values])[1]

    def positions(q: Array) -> tuple[Array, Array]:
        at = rows(q, place[n:])
        return at.level[holonomic], at.A[holonomic]

    q = _nearest(place[:n], positions, M, free[:n]) if holonomic.any() else place[:n]

    def velocities(v: Array) -> tuple[Array, Array]:
        at = rows(q, v)
        return at.rate, at.A

    v = _nearest(place[n:], velocities, M, free[n:]) if len(holonomic) else place[n:]
    return np.concatenate([q, v])


def back(system: Statement, place: Array, t: float, values: Sequence[float] | Array) -> tuple[Array, Array, float]:
    """A state a little off the constraints put back by Newton's method, the shortest way in the metric of M.

    Also the part w of its velocity that the constraints leave free (all of it where they do not move), and wᵀMq̇.
    """
    n = len(system.coordinates)
    place = place.copy()
    holonomic = np.array([isinstance(c, ON_POSITIONS) for c in system.constraints], dtype=bool)
    for part in (slice(0, n), slice(n, 2 * n)):
        for _ in range(NEWTON):
            M, rows = mass_and_rows(system, [*place, t, *values])
            chosen = holonomic if part.start == 0 else np.ones(len(holonomic), dtype=bool)
            f = (rows.level if part.start == 0 else rows.rate)[chosen]
            L = np.linalg.cholesky(_positive(M))
            B = np.linalg.solve(L, rows.A[chosen].T).T
            P = np.linalg.pinv(B, rcond=RANK)
            change = np.linalg.solve(L.T, -P @ f)
            place[part] += change
            if np.abs(change).max(initial=0.0) <= QUADRATIC * (1 + np.abs(place[part]).max()):
                break
    free = L.T @ place[n:]
    w = np.linalg.solve(L.T, free - P @ (B @ free))
    return place, w, float(w @ M @ place[n:])


def _nearest(x0: Array, relation: Callable[[Array], tuple[Array, Array]], M: Array, free: Array) -> Array:
    """The point nearest to x0 in the metric of M where f(x) = 0 holds, or the last one tried if there is none.

    Each step solves the problem with f linearised, f + A (x − x_k) = 0; when the steps no longer get smaller, what is
    left is done by Newton's method, which only seeks the relation.
    """
    L = np.linalg.cholesky(_positive(M[np.ix_(free, free)]))
    x, last = x0.copy(), np.inf
    for step in range(STEPS):
        f, A = relation(x)
        B = np.linalg.solve(L, A[:, free].T).T  # A L⁻ᵀ
        P = np.linalg.pinv(B, rcond=RANK)
        y = -P @ f
        if step < STEPS // 2:  # and towards x0, along the relation
            back = L.T @ (x0 - x)[free]
            y = y + back - P @ (B @ back)
        change = np.linalg.solve(L.T, y)
        x[free] += change
        size = float(np.abs(change).max(initial=0.0))
        if size <= 4 * np.finfo(float).eps * (1 + np.abs(x).max()) or (step > STEPS // 2 and size >= last):
            break
        last = size
    return x


def _positive(M: Array) -> Array:
    """M, or M with a little of its own scale added where it is not positive definite."""
    values = np.linalg.eigvalsh(M) if M.size else np.ones(1)
    lack = max(0.0, 1e-9 * max(abs(values).max(), 1e-300) - values.min())
    shifted: Array = M + lack * np.eye(len(M))
    return shifted
