"""The way back onto the constraints, which changes neither the energy balance nor more of the state than it must."""

import numpy as np

from dalembert.derive import Array
from dalembert.engine import Flow
from dalembert.model import Statement
from dalembert.motion.blame import FAILURES
from dalembert.motion.guard import drift
from dalembert.motion.nearest import back

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
