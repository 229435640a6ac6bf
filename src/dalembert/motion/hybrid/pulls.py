"""What acts on frictions that hardly slide in a plane: which way they begin to slip, and what they gain speed by.

With f_k the force of each friction against its sliding, all of them begin as in `onset`. Where friction follows the
ideal normal force, f_k is known. Where it follows the actual one, what presses depends on which way all slip: they are
asked which way they would slip by what presses, and what would press if they did, until the two agree.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.linalg import block_diag

from dalembert.derive import Array
from dalembert.derive.switching.guard_kinds import GuardKey
from dalembert.derive.switching.modes import OFF, Mode
from dalembert.engine.taylor import Setup
from dalembert.motion.hybrid.onset import Slipping, moving, together
from dalembert.motion.hybrid.planar import PlaneFriction
from dalembert.motion.hybrid.programs import Programs
from dalembert.motion.tolerances import EPS, tolerance

TURNS, AGREE = 60, 1e-12  # of what presses and the ways of slipping: how often, until they change by so little
MARGINAL = 1e-7  # of what forces could give: an acceleration of sliding that is none yet
SEEN = 2.0**-26  # of the velocities of what slides: a speed whose direction is known, and that changes little
ASIDE = 2.0**-12  # of a sliding velocity: by so much others are compared with it


class Onset(NamedTuple):
    """How frictions at rest in a plane begin to slip: directions by friction, ṡ along each, and what could be.

    `holds`: whether one of them does not begin to slip at all. `acceleration` (n,): the one they begin with.
    """

    ways: dict[int, Array]
    rates: dict[int, float]
    largest: dict[int, float]
    holds: bool
    acceleration: Array

    @property
    def marginal(self) -> bool:
        """Whether one of them has no acceleration yet."""
        return any(rate <= MARGINAL * self.largest[k] for k, rate in self.rates.items())


class Pull(NamedTuple):
    """What acts on frictions that slide at given velocities, hardly more than at rest.

    `rates` (2 K,): ṡ of all; `ways` (2 K, m): a basis of the sliding velocities that there can be, `along` (m, 2 K)
    what a velocity is in it; `slopes` (2 K, m): by how much ṡ changes with s along each; `acceleration` (n,).
    """

    rates: Array
    ways: Array
    along: Array
    slopes: Array
    acceleration: Array


class Planes(NamedTuple):
    """Some frictions at a state, by rows in which their sliding velocities are lengths.

    `roots` (2 K, 2 K): of their Gram matrices; `rows` (2 K, n) and `b` (2 K,), so that ṡ = rows a − b; `inverse`: M⁻¹
    on what can move; `Y` (2 K, 2 K): by how much their forces change ṡ.
    """

    roots: Array
    rows: Array
    b: Array
    inverse: Array

    @property
    def Y(self) -> Array:
        """The mobility of all of them."""
        out: Array = self.rows @ self.inverse @ self.rows.T
        return out


class Begun(NamedTuple):
    """How frictions begin to slip: `pulls` ṡ without their forces (2 K,), `bounds` of these (K,), `acceleration` (n,).

    `unsure` (K,): the part of each bound that is not known.
    """

    slipping: Slipping
    pulls: Array
    bounds: Array
    acceleration: Array
    unsure: Array


class Pulls:
    """What acts on frictions that slide in a plane, of one system."""

    def __init__(self, programs: Programs, planar: PlaneFriction) -> None:
        self._programs, self._engine, self._planar = programs, programs.engine, planar

    def onset(
        self,
        mode: Mode,
        setup: Setup,
        t: float,
        state: Array,
        paces: Mapping[int, float],
        scales: Array,
    ) -> Onset:
        """Which way frictions at rest begin to slip in a mode that says they do.

        `paces` are the natural scales of their sliding speeds, `scales` (2n + 1,) those of the state.
        """
        mine = list(paces)
        planes = self._planes(mode, setup, t, state, mine)
        begun = (self._agreed if self._programs.switches.actual else self._known)(mode, setup, t, state, paces, planes)
        ways, rates, met = begun.slipping
        sizes, bounds = np.linalg.norm(ways, axis=1), begun.bounds
        margins = 4 * self._ties(mode, setup, t, state, mine, scales) / np.maximum(bounds, 1e-300) ** 2
        margins = np.maximum(np.maximum(margins, 4 * tolerance("TIE")), begun.unsure)
        holds = not met or bool(((rates <= 0) & (1 - sizes > margins)).any())
        units = planes.roots @ (ways / np.where(sizes > 0, sizes, 1.0)[:, None]).ravel()
        could = np.stack([begun.pulls, planes.Y @ np.repeat(bounds, 2)]).reshape(2, -1, 2)
        largest = dict(zip(mine, np.linalg.norm(could, axis=2).sum(axis=0).tolist(), strict=True))
        gained = dict(zip(mine, (0.0 * rates if holds else rates).tolist(), strict=True))
        return Onset(_by_friction(mine, units), gained, largest, holds, begun.acceleration)

    def pull(self, mode: Mode, setup: Setup, t: float, state: Array, speeds: dict[int, Array]) -> Pull:
        """What acts on frictions that slide at given velocities, those of a state, and how it changes with them."""
        mine = list(speeds)
        planes = self._planes(mode, setup, t, state, mine)
        Y, root = planes.Y, planes.roots
        basis, scale = moving(Y)
        ways, along = root @ (basis / scale[:, None]), (basis * scale[:, None]).T @ np.linalg.inv(root)
        if self._programs.switches.actual:
            return self._seen_pull(mode, setup, t, state, speeds, ways, along)
        s = np.linalg.solve(root, np.concatenate(list(speeds.values()))).reshape(-1, 2)
        sizes, bounds = np.linalg.norm(s, axis=1), self._bounds(mode, setup, t, state, mine)
        e = s / sizes[:, None]
        turned = block_diag(
            *(b / size * (np.eye(2) - np.outer(u, u)) for b, size, u in zip(bounds, sizes, e, strict=True))
        )
        forces, free = (bounds[:, None] * e).ravel(), self._free(mode, t, state, mine)
        rates = root @ (planes.rows @ free - planes.b - Y @ forces)
        slopes = -root @ Y @ turned @ (basis / scale[:, None])
        return Pull(rates, ways, along, slopes, free - planes.inverse @ planes.rows.T @ forces)

    def _seen_pull(
        self, mode: Mode, setup: Setup, t: float, state: Array, speeds: dict[int, Array], ways: Array, along: Array
    ) -> Pull:
        """The same where friction changes what presses: by what the mode says at the state, and beside it."""
        rows = [r for k in speeds for r in self._planar.rows(mode, k)]
        s, least = np.concatenate(list(speeds.values())), min(float(np.linalg.norm(own)) for own in speeds.values())
        steps = least * ASIDE / np.abs(ways).max(axis=0)
        asides = np.concatenate([(ways * steps).T, -(ways * steps).T])
        beside = (_by_friction(list(speeds), s + aside) for aside in asides)
        states = [state, *(self._planar.pushed(mode, setup, t, state, own) for own in beside)]
        accelerations = self._engine.watch(setup, np.full(len(states), t), np.stack(states)).acceleration
        both = zip(accelerations, (self._programs.arrays(setup, t, there) for there in states), strict=True)
        rates = np.array([now.A[rows] @ a - now.b[rows] for a, now in both])
        more, less = np.split(rates[1:], 2)
        return Pull(rates[0], ways, along, ((more - less) / (2 * steps[:, None])).T, accelerations[0])

    def _known(
        self, mode: Mode, setup: Setup, t: float, state: Array, paces: Mapping[int, float], planes: Planes
    ) -> Begun:
        """How frictions begin to slip whose forces are known, since none changes what presses."""
        mine = list(paces)
        free, bounds = self._free(mode, t, state, mine), self._bounds(mode, setup, t, state, mine)
        c = planes.rows @ free - planes.b
        found = together(planes.Y, c, bounds)
        a = free - planes.inverse @ planes.rows.T @ (bounds[:, None] * found.ways).ravel()
        return Begun(found, c, bounds, a, np.zeros(len(mine)))

    def _agreed(
        self, mode: Mode, setup: Setup, t: float, state: Array, paces: Mapping[int, float], planes: Planes
    ) -> Begun:
        """The same where they follow what presses as they slip: what all do then says how they slip."""
        mine, Y, n = list(paces), planes.Y, len(state) // 2
        rows = [r for k in mine for r in self._planar.rows(mode, k)]
        moving = np.abs(self._programs.arrays(setup, t, state).A[rows]) @ np.abs(state[n:])
        speeds = dict(zip(mine, SEEN * moving.reshape(-1, 2).max(axis=1), strict=True))
        sizes = {k: max(speeds[k], faint) for k, faint in self._planar.faint(paces).items()}
        unsure = np.array([16 * EPS / SEEN * speeds[k] / sizes[k] for k in mine])
        ways, rates, before = planes.rows @ self._free(mode, t, state, mine) - planes.b, None, None
        found = Begun(Slipping(np.zeros((len(mine), 2)), np.zeros(len(mine)), False), ways, unsure, state[n:], unsure)
        for _ in range(TURNS):
            way = _by_friction(mine, planes.roots @ _units(ways))
            there = self._planar.begun(mode, setup, t, state, way, rates, sizes)
            a = self._engine.watch(setup, np.array([t]), there[None, :]).acceleration[0]
            slides = np.linalg.solve(planes.roots, self._programs.arrays(setup, t, there).rate[rows])
            bounds = self._bounds(mode, setup, t, there, mine)
            forces = np.repeat(bounds, 2) * _units(slides)
            if not np.isfinite(np.concatenate([a, forces])).all():
                break
            c = planes.rows @ a - planes.b + Y @ forces
            slipping = together(Y, c, bounds)
            more = forces - (bounds[:, None] * slipping.ways).ravel()
            found = Begun(slipping, c, bounds, a + planes.inverse @ planes.rows.T @ more, unsure)
            ways, rates = slipping.ways.ravel(), dict(zip(mine, slipping.rates.tolist(), strict=True))
            now = np.concatenate([c / np.abs(c).max(initial=1e-300), _units(ways)])
            if before is not None and np.abs(now - before).max() <= AGREE:
                break
            before = now
        return found

    def _planes(self, mode: Mode, setup: Setup, t: float, state: Array, mine: list[int]) -> Planes:
        now = self._programs.arrays(setup, t, state)
        rows = [r for k in mine for r in self._planar.rows(mode, k)]
        roots = block_diag(*(np.linalg.cholesky(self._planar.gram(mode, k, now)) for k in mine))
        inverse = self._planar.inverse(setup, now)
        return Planes(roots, np.linalg.solve(roots, now.A[rows]), np.linalg.solve(roots, now.b[rows]), inverse)

    def _free(self, mode: Mode, t: float, state: Array, mine: list[int]) -> Array:
        """The acceleration (n,) without the forces of some frictions."""
        off = replace(mode, rubs=tuple(OFF if k in mine else r for k, r in enumerate(mode.rubs)))
        setup = self._programs.setup(off, t, state)
        out: Array = self._engine.watch(setup, np.array([t]), state[None, :]).acceleration[0]
        return out

    def _bounds(self, mode: Mode, setup: Setup, t: float, state: Array, mine: list[int]) -> Array:
        """The force (K,) that each of some frictions has when it slips."""
        staged = self._programs.staged(mode)
        looked = setup.code.looked(state[None, :], np.array([t]), setup.numbers)[0]
        out: Array = np.maximum(looked[[staged.slipping[k] for k in mine]], 0.0)
        return out

    def _ties(self, mode: Mode, setup: Setup, t: float, state: Array, mine: list[int], scales: Array) -> Array:
        """What counts as zero of the bound of each friction, squared, less the square of what it holds."""
        keys = self._programs.staged(mode).keys
        sizes = setup.code.guard_sizes(state[None, :], np.array([t]), setup.numbers, scales)[0]
        own = sizes[[keys.index(GuardKey("hold", k)) for k in mine]]
        return tolerance("TIE") * np.where(np.isfinite(own), own, 0.0)


def _units(x: Array) -> Array:
    """Directions in planes side by side (2 K,), one along the first axis where there is none."""
    parts = x.reshape(-1, 2)
    sizes = np.linalg.norm(parts, axis=1, keepdims=True)
    out: Array = np.where(sizes > 0, parts / np.where(sizes > 0, sizes, 1.0), [1.0, 0.0])
    return out.ravel()


def _by_friction(mine: list[int], x: Array) -> dict[int, Array]:
    """What lies side by side (2 K,), by friction."""
    return dict(zip(mine, x.reshape(-1, 2), strict=True))
