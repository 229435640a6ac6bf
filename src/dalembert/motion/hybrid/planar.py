"""Friction that slides in a plane: its direction does not exist at rest, so that it is left and reached with care.

From rest a friction begins to slip along e with |e| = 1 where the sliding velocity s grows along it: with ṡ = c − G e,
that is (r + G) e = c for some r = |ṡ| > 0; where no such e exists it holds. Several do so together (`onset`). The
motion then begins with a moment of second order. Where the load has only just become more than friction holds, ṡ is
zero at first and grows (`growing`).

A friction that comes to rest is followed until its speed is too small to be seen, and then brought to rest in the time
it takes, to second order.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.guard_kinds import GuardKey
from dalembert.derive.switching.modes import OFF, SLIPS, Mode
from dalembert.engine.taylor import Setup
from dalembert.motion.hybrid.impact import mobility
from dalembert.motion.hybrid.onset import together
from dalembert.motion.hybrid.programs import Arrays, Programs
from dalembert.motion.tolerances import tolerance

FAINT = 2.0**-38  # of the sliding speeds there are: one that is too small to be seen
REST = 2.0**-40  # and one from which a slip is brought to rest
UNSEEN = 2.0**-32  # of the speed of what it slides against: below it, no direction of sliding is known
MOMENT = 2.0**-32  # of how long things take: a slip begins with a moment of second order
TURNS = 60  # of several plane frictions that begin to slip together
MARGINAL = 1e-7  # of what forces could give: an acceleration of sliding that is none yet


class Onset(NamedTuple):
    """How frictions at rest in a plane begin to slip: directions by friction, ṡ along each, and what could be.

    `holds`: whether one of them does not begin to slip at all. `acceleration` (n,): the one they begin with, where it
    is known.
    """

    ways: dict[int, Array]
    rates: dict[int, float]
    largest: dict[int, float]
    holds: bool
    acceleration: Array | None = None


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

    def slow(self, mode: Mode, paces: dict[int, float]) -> tuple[float, ...]:
        """The speed from which each friction is brought to rest."""
        return tuple(REST * paces.get(k, 0.0) for k in range(len(mode.rubs)))

    def onset(
        self,
        mode: Mode,
        setup: Setup,
        t: float,
        state: Array,
        resting: list[int],
        paces: dict[int, float],
        scales: Array,
        lag: Mapping[int, Array] | None = None,
    ) -> Onset:
        """Which way frictions at rest begin to slip in a mode that says they do; `scales` (2n + 1,) are natural.

        `lag`: |s| e′ of each, which their turning takes of the acceleration where they slip already; none if left out.
        """
        lag = lag or dict.fromkeys(resting, np.zeros(2))
        if self._programs.switches.actual:
            return self._in_turns(mode, setup, t, state, resting, paces, lag)
        now = self._programs.arrays(setup, t, state)
        inverse = self._inverse(setup, now)
        roots = {k: np.linalg.cholesky(self.gram(mode, k, now)) for k in resting}
        J = {k: np.linalg.solve(roots[k], now.A[self.rows(mode, k)]) for k in resting}
        every = np.vstack(list(J.values()))
        Y = every @ inverse @ every.T
        bounds = self._bounds(mode, setup, t, state, resting)
        without = replace(mode, rubs=tuple(OFF if k in resting else r for k, r in enumerate(mode.rubs)))
        free = self._programs.setup(without, t, state)
        a = self._engine.watch(free, np.array([t]), state[None, :]).acceleration[0]
        c = every @ a - np.concatenate([np.linalg.solve(roots[k], now.b[self.rows(mode, k)] + lag[k]) for k in resting])
        found = together(Y, c, bounds)
        sizes = np.linalg.norm(found.ways, axis=1)
        margins = 4 * self._ties(mode, setup, t, state, resting, scales) / np.maximum(bounds, 1e-300) ** 2
        holds = bool(((found.rates <= 0) & (1 - sizes > np.maximum(margins, 4 * tolerance("TIE")))).any())
        units = found.ways / np.where(sizes > 0, sizes, 1.0)[:, None]
        forces = (bounds[:, None] * found.ways).ravel()
        ways = {k: roots[k] @ e for k, e in zip(resting, units, strict=True)}
        rates = {k: 0.0 if holds else float(r) for k, r in zip(resting, found.rates, strict=True)}
        largest = {
            k: float(np.linalg.norm(c[2 * i : 2 * i + 2]) + np.linalg.norm(Y[2 * i : 2 * i + 2] @ np.repeat(bounds, 2)))
            for i, k in enumerate(resting)
        }
        return Onset(ways, rates, largest, holds or not found.met, a - inverse @ every.T @ forces)

    def _ties(self, mode: Mode, setup: Setup, t: float, state: Array, mine: list[int], scales: Array) -> Array:
        """What counts as zero of the bound of each friction, squared, less the square of what it holds."""
        keys = self._programs.staged(mode).keys
        sizes = setup.code.guard_sizes(state[None, :], np.array([t]), setup.numbers, scales)[0]
        own = sizes[[keys.index(GuardKey("hold", k)) for k in mine]]
        return tolerance("TIE") * np.where(np.isfinite(own), own, 0.0)

    def gram(self, mode: Mode, k: int, now: Arrays) -> Array:
        """The products of the rows that hold a friction: |f|² = λᵀ G λ, |s|² = ṡᵀ G⁻¹ ṡ."""
        return products(now, self.rows(mode, k), list(self._programs.switches.rubs[k].particle))

    def _bounds(self, mode: Mode, setup: Setup, t: float, state: Array, mine: list[int]) -> Array:
        """The force (K,) that each of some frictions has when it slips."""
        staged = self._programs.staged(mode)
        looked = setup.code.looked(state[None, :], np.array([t]), setup.numbers)[0]
        out: Array = np.maximum(looked[[staged.slipping[k] for k in mine]], 0.0)
        return out

    def _in_turns(
        self,
        mode: Mode,
        setup: Setup,
        t: float,
        state: Array,
        resting: list[int],
        paces: dict[int, float],
        lag: Mapping[int, Array],
    ) -> Onset:
        """The same where friction changes what presses, so that the forces do not add up: one after the other."""
        now = self._programs.arrays(setup, t, state)
        inverse = self._inverse(setup, now)
        ways = {k: np.array([1.0, 0.0]) for k in resting}
        rates = dict.fromkeys(resting, 0.0)
        largest = dict.fromkeys(resting, 0.0)
        holds = False
        for turn in range(1 if len(resting) == 1 else TURNS):
            change = 0.0
            for k in resting:
                rows = self.rows(mode, k)

                def rate(e: Array, k: int = k, rows: list[int] = rows) -> Array:
                    there = self._nudged(now, inverse, mode, state, ways | {k: e}, paces)
                    a = self._engine.watch(setup, np.array([t]), there[None, :]).acceleration[0]
                    later = self._programs.arrays(setup, t, there)
                    out: Array = later.A[rows] @ a - later.b[rows] - lag[k]
                    return out

                one, other = np.array([1.0, 0.0]), np.array([0.0, 1.0])
                first, back, second = rate(one), rate(-one), rate(other)
                c = (first + back) / 2
                G = np.column_stack([c - first, c - second])
                e, holds = direction(G, c)
                change = max(change, float(np.abs(e - ways[k]).max()))
                ways[k] = e
                rates[k] = float(np.linalg.norm(c - G @ e)) if not holds else 0.0
                largest[k] = float(np.linalg.norm(c) + np.linalg.norm(G))
                if holds:
                    return Onset(ways, rates, largest, True)
            if turn and change < 1e-14:
                break
        return Onset(ways, rates, largest, holds)

    def begun(
        self, mode: Mode, setup: Setup, t: float, state: Array, ways: dict[int, Array], paces: dict[int, float]
    ) -> Array:
        """The state (2n,) of frictions that begin to slip, with a speed along their ways too small to be seen."""
        now = self._programs.arrays(setup, t, state)
        return self._nudged(now, self._inverse(setup, now), mode, state, ways, paces)

    def pushed(self, mode: Mode, setup: Setup, t: float, state: Array, speeds: dict[int, Array]) -> Array:
        """The state (2n,) with sliding velocities as given, the others as the rows in force leave them."""
        now = self._programs.arrays(setup, t, state)
        return self._with_speeds(now, self._inverse(setup, now), mode, state, speeds)

    def time_to_rest(self, mode: Mode, setup: Setup, t: float, state: Array, k: int) -> tuple[float, Array] | None:
        """How long a friction takes to come to rest, and the acceleration; None where it does not head for it."""
        a = self._engine.watch(setup, np.array([t]), state[None, :]).acceleration[0]
        now = self._programs.arrays(setup, t, state)
        rows = self.rows(mode, k)
        s, rate = now.rate[rows], now.A[rows] @ a - now.b[rows]
        size = float(rate @ rate)
        tau = -float(s @ rate) / size if size > 0 else -1.0
        return (tau, a) if tau > 0 else None

    def _inverse(self, setup: Setup, now: Arrays) -> Array:
        """M⁻¹ on the motions that the rows in force leave free."""
        force = self._engine.in_force([setup])[0]
        return mobility(now, np.flatnonzero(force).tolist())

    def _nudged(
        self, now: Arrays, inverse: Array, mode: Mode, state: Array, ways: dict[int, Array], paces: dict[int, float]
    ) -> Array:
        sizes = {k: max(FAINT * paces[k], float(np.linalg.norm(now.rate[self.rows(mode, k)]))) for k in ways}
        return self._with_speeds(now, inverse, mode, state, {k: sizes[k] * e for k, e in ways.items()})

    def _with_speeds(self, now: Arrays, inverse: Array, mode: Mode, state: Array, speeds: dict[int, Array]) -> Array:
        rows = [r for k in speeds for r in self.rows(mode, k)]
        J = now.A[rows]
        wanted = np.concatenate(list(speeds.values())) - now.rate[rows]
        W = J @ inverse @ J.T
        scale = 1.0 / np.sqrt(np.where(np.diag(W) > 0, np.diag(W), 1.0))
        impulse = scale * np.linalg.lstsq(W * np.outer(scale, scale), scale * wanted, rcond=1e-12)[0]
        n = len(state) // 2
        return np.concatenate([state[:n], state[n:] + inverse @ J.T @ impulse])


def direction(G: Array, rate: Array) -> tuple[Array, bool]:
    """e with (r + G) e = rate and |e| = 1 for some r ≥ 0; or the shorter one of r = 0, and that friction holds."""

    def solved(r: float) -> Array:
        e: Array = np.linalg.lstsq(r * np.eye(len(G)) + G, rate, rcond=None)[0]
        return e

    low, high = 0.0, float(np.linalg.norm(rate))
    if not high:
        return np.array([1.0, 0.0]), True
    if (size := float(np.linalg.norm(held := solved(1e-14 * high)))) <= 1:
        margin = 1 - size
        return (held / size if size > 0 else held), margin > tolerance("TIE") * 4
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.linalg.norm(solved(middle)) > 1 else (low, middle)
    e = solved(high)
    out: Array = e / np.linalg.norm(e)
    return out, False


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
