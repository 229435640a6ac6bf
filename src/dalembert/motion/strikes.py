"""Contacts that close: their impact at one time, the events it is told by, and bounces that come to rest."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.modes import OFF, Mode
from dalembert.derive.switching.surfaces import moves_by_itself
from dalembert.model import OneSided
from dalembert.motion.decide import Decided, Judge
from dalembert.motion.impact import hit
from dalembert.motion.laws import Lay, Scene
from dalembert.motion.planar import Bridge, moved_on
from dalembert.motion.status import Event

LOW = 2e-12  # bounces lower than this fraction of the coordinates are at rest
TIRED = 1e-12  # a speed of approach this small, relative to those there are, is taken without restitution
SLACK = 1e-10  # and one this small is none
FAINT = 1e-4  # one above this, after an impact, is that of a bounce that can be seen


class Struck(NamedTuple):
    """The state (2n,) after impacts at one time, the energy their impulses gave, what is told, and what was struck.

    `faint` says that something parts so slowly that it may be at rest. `rolls`: the time that is left of bounces that
    have come to rest, in which nothing rubs, and the acceleration in it.
    """

    state: Array
    energy: float
    events: list[Event]
    contacts: tuple[int, ...]
    faint: bool
    rolls: Bridge | None = None


class Strikes:
    """The impacts of one system with its restitutions by constraint."""

    def __init__(self, judge: Judge, restitution: dict[int, float]) -> None:
        self._judge, self._restitution = judge, restitution
        self._constraints = judge.switches.form.constraints
        self.moving = any(moves_by_itself(c.expr) for c in self._constraints)
        self._hard = [j for j in range(len(self._constraints)) if j not in judge.switches.one_sided]

    def at(self, t: float, state: Array, mode: Mode) -> Struck | None:
        """The impact of contacts that close at a state, in a mode; None where none does."""
        if not self._judge.switches.one_sided:
            return None
        scene = self._scene(t, state, mode)
        touching = self._judge.touching(scene)
        if not any(self._judge.closing(scene, j) < 0 for j in touching):
            return None
        now = scene.now
        pace = {j: self._judge.pace(now.A[j]) for j in touching}
        e = {j: 0.0 if abs(now.rate[j]) < TIRED * pace[j] else self._restitution[j] for j in touching}
        done = hit(scene, touching, self._hard, e, self._friction(scene, touching), lambda j: SLACK * pace[j])
        after = np.concatenate([state[: len(now.v)], done.velocity])
        rates = now.rate + now.A @ (done.velocity - now.v)
        events = []
        for j in done.struck:
            old = "closed" if j in mode.closed else "open"
            new = "open" if rates[j] > SLACK * pace[j] else "closed"
            if now.rate[j] < 0 or new == "open" or new != old:
                events.append(Event(t, "impact", self._constraints[j].name, old, new, tuple(map(float, after))))
        faint = any(0 < rates[j] < FAINT * pace[j] for j in touching)
        return Struck(after, done.energy, events, done.struck, faint)

    def rest(
        self, t: float, struck: Struck, mode: Mode, decided: Decided, accumulates: Callable[[], float]
    ) -> Struck | None:
        """The same with contacts at rest whose bounces have become too low to be seen, in a mode that would follow.

        `accumulates` says how long it is to the end of switches that follow each other ever faster. None where all
        bounces can be seen.
        """
        scene = self._scene(t, struck.state, mode)
        now = scene.now
        resting: dict[int, float] = {}
        for j in self._judge.touching(scene):
            rate, e = float(now.rate[j]), self._restitution[j]
            fall = float(now.A[j] @ decided.outcome.acceleration - now.b[j])
            if j in decided.mode.closed or not (rate > 0 > fall) or e == 1:
                continue
            if -(rate**2) / fall / 2 < LOW * self._judge.extent(scene, t, j):
                resting[j] = -2 * rate / fall / (1 - e) if j in struck.contacts else accumulates()
        if not resting:
            return None
        kept = [*self._hard, *decided.mode.closed]
        A = now.A[[*kept, *resting]]
        rates = np.concatenate([np.zeros(len(kept)), [now.rate[j] for j in resting]])
        S = np.linalg.pinv(A @ scene.raised(A.T), rcond=1e-10, hermitian=True)
        v = now.v - scene.raised(A.T @ (S @ rates))
        state = np.concatenate([struck.state[: len(v)], v])
        energy = struck.energy + 0.5 * float((v - now.v) @ now.M @ (v + now.v))
        names = {self._constraints[j].name: left for j, left in resting.items()}
        events = [e for e in struck.events if e.name not in names]
        left = max(names.values())
        free = replace(decided.mode, closed=(*decided.mode.closed, *resting), rubs=(OFF,) * len(decided.mode.rubs))
        outcome = self._scene(t, state, mode).solve(free, {})
        a = np.zeros(len(v)) if outcome is None else outcome.acceleration
        there = tuple(map(float, moved_on(state, left, a)))
        events += [Event(t + after, "rest", name, "open", "closed", there) for name, after in names.items()]
        return Struck(state, energy, events, struck.contacts, False, Bridge(left, a) if left > 0 else None)

    def _scene(self, t: float, state: Array, mode: Mode) -> Scene:
        return self._judge.scene(t, state, tuple(s or 1 for s in mode.signs))

    def _friction(self, scene: Scene, touching: list[int]) -> dict[int, tuple[float, Lay]]:
        """μ times the normal force of a unit impulse, and the lay, of the contacts in whose impact friction acts."""
        out: dict[int, tuple[float, Lay]] = {}
        unit = np.zeros(len(self._constraints))
        for k, rub in enumerate(self._judge.switches.rubs):
            for j in rub.members:
                c = self._constraints[j]
                if j in touching and isinstance(c, OneSided) and c.impact_friction:
                    mu, _ = scene.probe.coefficients(scene.inputs, unit)
                    one = unit.copy()
                    one[j] = 1.0
                    out[j] = (mu[j] * scene.normal(j, one), scene.lay(k, tuple(sorted((*self._hard, j)))))
        return out
