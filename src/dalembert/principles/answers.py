"""From a principle, a way to solve for accelerations and multipliers, to its answer in stated units."""

from collections.abc import Callable

import numpy as np

from dalembert.principles.errors import Array, InstantError
from dalembert.principles.instant import Answer
from dalembert.principles.ready import Ready, length
from dalembert.principles.tolerances import CORRECTION

Solve = Callable[[Array, Array], tuple[Array, Array]]
"""A principle at an instant: for a load (n,) and right sides (m,) it gives z (n,) and λ (m,), one of those possible,
with M z = load + Aᵀλ and A z = right."""


def answer(ready: Ready, solve: Solve) -> Answer:
    """What a principle says: the ideal motion, with load Q and right sides b, and what C adds, with load C and zero.

    Each is corrected once by what it leaves of M z = load + Aᵀλ, A z = right, by the same principle: each part of it is
    then right to its own size, not only to that of the largest (Skeel 1980). A correction that is not rounding is not
    made, so that a principle that is wrong stays wrong.
    Raises InstantError where an answer is too large for a number of double precision.
    """
    z, lam = _corrected(ready, solve, ready.Q, ready.b)
    w, nu = _corrected(ready, solve, ready.C, np.zeros_like(ready.b))
    p, power = ready.decided.powers, ready.power
    with np.errstate(over="ignore", under="ignore"):
        found = Answer(
            acceleration=np.ldexp(z + w, p + power),
            ideal=np.ldexp(ready.A.T @ lam, power - p),
            nonideal=np.ldexp(ready.C + ready.A.T @ nu, power - p),
            multipliers=np.ldexp(ready.decided.least_norm(lam), power),
        )
    parts = found._asdict().items()
    if faults := [f"{name}: it is too large to be a number" for name, part in parts if not np.isfinite(part).all()]:
        raise InstantError(faults)
    return found


def _corrected(ready: Ready, solve: Solve, load: Array, right: Array) -> tuple[Array, Array]:
    """z (n,) and λ (m,), corrected once."""
    if not (load.any() or right.any()):
        return np.zeros_like(load), np.zeros_like(right)
    decided, M, A = ready.decided, ready.decided.inertia, ready.A
    z, lam = solve(decided.loaded(load, right), right)
    left, missed = load + A.T @ lam - M @ z, right - A @ z
    off = ready.rows.left
    missed -= off @ (off.T @ missed)  # rounding that no acceleration can meet
    dz, dlam = solve(decided.loaded(left, missed), missed)
    at_work = np.linalg.norm(ready.L.T @ z) + length(ready.L, load)
    if np.linalg.norm(ready.L.T @ dz) > CORRECTION * at_work:
        return z, lam
    return z + dz, lam + dlam
