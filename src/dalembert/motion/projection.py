"""The way back onto the constraints, which changes neither the energy balance nor more of the state than it must."""

from collections.abc import Sequence

import numpy as np

from dalembert.derive import Array, mass_and_rows
from dalembert.engine import Flow
from dalembert.model import ON_POSITIONS, Statement
from dalembert.motion.blame import FAILURES
from dalembert.motion.guard import drift

RANK = 1e-10
NEWTON, QUADRATIC = 8, 1e-9  # steps at most; after a step this small, the next would be below rounding
SLIGHT = 1e-6  # a relative change of velocity beyond which energy is not put right


class Return:
    """Puts states of one run back: first the nearest on the constraints, then the energy balance of its start.

    Off the constraints their forces do work that no motion has. It is of the order of the drift, but always of the same
    sign where the drift is, so that over many returns it would add up.
    """

    def __init__(self, system: Statement, values: Array, t0: float, state: Array) -> None:
        self._system, self._values = system, values
        self._start = (t0, state)
        self._balance: float | None = None

    def project(self, moving: Flow, t: float, state: Array) -> tuple[Array, float]:
        """The state (d,) put back, and how far off it is then; infinitely far where there is no way back."""
        n = len(self._system.coordinates)
        place = state.copy()
        try:
            place[: 2 * n], w, response = back(self._system, place[: 2 * n], t, self._values)
            place[n : 2 * n] += self._share(moving, t, place, response) * w
        except (*FAILURES, np.linalg.LinAlgError):
            return state, np.inf
        return place, float(drift(moving.watch(np.array([t]), place[None, :]), place[None, :], n)[0])

    def _share(self, moving: Flow, t: float, place: Array, response: float) -> float:
        """The μ for which the velocity q̇ + μw restores the energy balance: dE/dμ = wᵀMq̇, the response."""
        if self._balance is None:
            self._balance = self._balance_at(moving, *self._start)
        gap = self._balance - self._balance_at(moving, t, place)
        return gap / response if abs(gap) < SLIGHT * abs(response) else 0.0

    def _balance_at(self, moving: Flow, t: float, place: Array) -> float:
        energy = moving.along(np.array([t]), place[None, :]).energy[0]
        return float(energy - place[2 * len(self._system.coordinates) :].sum())


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


def _positive(M: Array) -> Array:
    """M, or M with a little of its own scale added where it is not positive definite."""
    values = np.linalg.eigvalsh(M) if M.size else np.ones(1)
    lack = max(0.0, 1e-9 * max(abs(values).max(), 1e-300) - values.min())
    shifted: Array = M + lack * np.eye(len(M))
    return shifted
