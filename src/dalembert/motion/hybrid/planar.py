"""Friction that slides in a plane: its direction does not exist at rest, so that it is left and reached with care.

From rest a friction begins to slip along e with |e| = 1 where the sliding velocity s grows along it: with ṡ = c − G e,
that is (r + G) e = c for some r = |ṡ| > 0; where no such e exists it holds. Several do so together (`onset`). The
motion then begins with a moment of second order. Where the load has only just become more than friction holds, ṡ is
zero at first and grows (`growing`).

A friction that comes to rest is followed until its speed is too small to be seen, and then brought to rest in the time
it takes, to second order.
"""

from collections.abc import Mapping

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.modes import SLIPS, Mode
from dalembert.engine.taylor import Setup
from dalembert.motion.hybrid.impact import mobility
from dalembert.motion.hybrid.onset import scales_of
from dalembert.motion.hybrid.programs import Arrays, Programs
from dalembert.principles import balanced_units

FAINT = 2.0**-38  # of the sliding speeds there are: one that is too small to be seen
REST = 2.0**-40  # and one from which a slip is brought to rest
UNSEEN = 2.0**-32  # of the speed of what it slides against: below it, no direction of sliding is known
STUCK = 2.0**-66  # of how easily it moves alone: what all other rows hold
MOMENT = 2.0**-32  # of how long things take: a slip begins with a moment of second order


class PlaneFriction:
    """Frictions that slide in a plane, of one system."""

    def __init__(self, programs: Programs) -> None:
        self._programs, self._engine = programs, programs.engine

    def rows(self, mode: Mode, k: int) -> list[int]:
        """The rows of the sliding velocity of a friction."""
        return list(self._programs.staged(mode).sticks[k])

    def paces(self, mode: Mode, now: Arrays, v: Array, scales: Array, paces: Array, span: float) -> dict[int, float]:
        """The natural scale of the sliding speed of each plane friction."""
        n = len(now.Q)
        speeds = scales[n : 2 * n] + paces * span
        staged = self._programs.staged(mode)
        drift = np.abs(now.rate - now.A @ v) * (UNSEEN / REST)  # against what moves, rounding is that of its speed
        return {
            k: max(float((np.abs(now.A[list(rows)]) @ speeds).max()), float(drift[list(rows)].max()))
            for k, rows in staged.sticks.items()
            if len(rows) > 1
        }

    def faint(self, paces: Mapping[int, float]) -> dict[int, float]:
        """The speed of each friction that is too small to be seen."""
        return {k: FAINT * pace for k, pace in paces.items()}

    def slow(self, mode: Mode, paces: dict[int, float]) -> tuple[float, ...]:
        """The speed from which each friction is brought to rest."""
        return tuple(REST * paces.get(k, 0.0) for k in range(len(mode.rubs)))

    def gram(self, mode: Mode, k: int, now: Arrays) -> Array:
        """The products of the rows that hold a friction: |f|² = λᵀ G λ, |s|² = ṡᵀ G⁻¹ ṡ."""
        return products(now, self.rows(mode, k), list(self._programs.switches.rubs[k].particle))

    def begun(
        self,
        mode: Mode,
        setup: Setup,
        t: float,
        state: Array,
        ways: dict[int, Array],
        rates: dict[int, float] | None,
        sizes: dict[int, float],
    ) -> Array:
        """The state (2n,) of frictions that begin to slip along their ways, with speeds of these sizes at most.

        In proportion to their `rates`, where all of them gain speed.
        """
        if rates is not None and min(rates.values()) > 0:
            share = max(rates[k] / sizes[k] for k in ways)
            sizes = {k: rates[k] / share for k in ways}
        return self.pushed(mode, setup, t, state, {k: sizes[k] * way for k, way in ways.items()})

    def stirred(
        self, mode: Mode, setup: Setup, t: float, state: Array, mine: list[int], paces: dict[int, float]
    ) -> tuple[Array, list[int]]:
        """Velocities (n,) by which frictions at rest slide too little to be seen, some way that all of them can.

        And the frictions that cannot: all other rows hold them, or nothing acts.
        """
        now = self._programs.arrays(setup, t, state)
        inverse = self.inverse(setup, now)
        J = now.A[[r for k in mine for r in self.rows(mode, k)]]
        W = J @ inverse @ J.T
        alone = ((J * balanced_units(now.M, now.A)) ** 2).sum(axis=1)  # how easily it moves without other rows
        can = np.diag(W).reshape(-1, 2).max(axis=1) > STUCK * alone.reshape(-1, 2).max(axis=1)
        held = [k for k, free in zip(mine, can, strict=True) if not free or not paces[k] > 0]
        if held:
            return np.zeros(len(state) // 2), held
        change = inverse @ J.T @ (scales_of(W) * np.cos(np.arange(1, len(J) + 1)))  # no way that is like any other
        speeds = np.linalg.norm((J @ change).reshape(-1, 2), axis=1)
        largest = max(float(speed) / (FAINT * paces[k]) for k, speed in zip(mine, speeds, strict=True))
        return change / largest, []

    def pushed(self, mode: Mode, setup: Setup, t: float, state: Array, speeds: dict[int, Array]) -> Array:
        """The state (2n,) with sliding velocities as given, the others as the rows in force leave them."""
        now = self._programs.arrays(setup, t, state)
        inverse, rows = self.inverse(setup, now), [r for k in speeds for r in self.rows(mode, k)]
        J = now.A[rows]
        wanted = np.concatenate(list(speeds.values())) - now.rate[rows]
        W = J @ inverse @ J.T
        scale = scales_of(W)
        impulse = scale * np.linalg.lstsq(W * np.outer(scale, scale), scale * wanted, rcond=1e-12)[0]
        n = len(state) // 2
        return np.concatenate([state[:n], state[n:] + inverse @ J.T @ impulse])

    def time_to_rest(self, mode: Mode, setup: Setup, t: float, state: Array, k: int) -> tuple[float, Array] | None:
        """How long a friction takes to come to rest, and the acceleration; None where it does not head for it."""
        a = self._engine.watch(setup, np.array([t]), state[None, :]).acceleration[0]
        now = self._programs.arrays(setup, t, state)
        rows = self.rows(mode, k)
        s, rate = now.rate[rows], now.A[rows] @ a - now.b[rows]
        size = float(rate @ rate)
        tau = -float(s @ rate) / size if size > 0 else -1.0
        return (tau, a) if tau > 0 else None

    def inverse(self, setup: Setup, now: Arrays) -> Array:
        """M⁻¹ on the motions that the rows in force leave free."""
        force = self._engine.in_force([setup])[0]
        return mobility(now, np.flatnonzero(force).tolist())


def slipping_at_rest(mode: Mode, speeds: dict[int, Array], floors: dict[int, float]) -> list[int]:
    """The frictions that are said to slip in a plane and are at rest."""
    return [k for k, state in enumerate(mode.rubs) if state == SLIPS and float(np.linalg.norm(speeds[k])) <= floors[k]]


def products(now: Arrays, rows: list[int], P: list[int]) -> Array:
    """G of the rows that hold a friction, of the particle with these coordinates: |f|² = λᵀ G λ, |s|² = ṡᵀ G⁻¹ ṡ."""
    if not P or len(rows) == 1:
        return np.eye(len(rows))
    J, M = now.A[np.ix_(rows, P)], now.M[np.ix_(P, P)]
    plain = np.array_equal(M, M[0, 0] * np.eye(len(P)))
    out: Array = J @ J.T if plain else J @ np.linalg.solve(M, J.T)
    return out
