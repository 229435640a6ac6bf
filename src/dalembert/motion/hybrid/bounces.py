"""Contacts that close: their impact at one time, the events it is told by, and bounces that come to rest."""

from dataclasses import replace
from math import inf
from typing import Any, NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.modes import Mode
from dalembert.engine.taylor import Setup
from dalembert.motion.hybrid.collapse import end_of
from dalembert.motion.hybrid.impact import Hit, hit, mobility, put_together, stopped
from dalembert.motion.hybrid.programs import Arrays, Programs
from dalembert.motion.hybrid.rough_impacts import rubbing
from dalembert.motion.status import Event
from dalembert.motion.tolerances import EPS, tolerance

LOW = 16.0  # times what counts as zero of a gap: bounces lower than this are at rest
BRIEF = 2.0**10 * EPS  # of the time: bounces shorter than this are at rest
ABOUT = 16.0  # times as high as that: what may come to rest is looked at


class Struck(NamedTuple):
    """Coordinates and velocities (n,) after impacts at one time, the energy of impulses, what is told, what is at rest.

    `met`: whether the constraints allow it. `rests`: the contacts whose bounces come to rest, and in what time.
    `alone`: whether contacts were struck one by one.
    """

    place: Array
    velocity: Array
    energy: float
    events: list[Event]
    met: bool
    rests: dict[int, float]
    alone: bool


def low(e: Any, t: Any, rate: Any, gap: Any, lasted: Any) -> Any:
    """Whether a contact with restitution e that parts at a rate may come to rest, after a flight that lasted so long.

    The next flight is about as long, and a quarter of its time and rate high. `gap`: the gap that counts as none. All
    may be arrays.
    """
    return (e < 1) & ((lasted < 2 * BRIEF * abs(t)) | (rate * lasted < ABOUT * LOW * gap))


class Bounces:
    """The impacts of one system with its restitutions by constraint."""

    def __init__(self, programs: Programs) -> None:
        self._programs, self._restitution = programs, programs.restitutions()
        self._constraints = programs.switches.form.constraints
        self._sided = list(programs.switches.one_sided)
        self._hard = [j for j in range(len(self._constraints)) if j not in programs.switches.one_sided]

    def at(
        self,
        t: float,
        state: Array,
        mode: Mode,
        setup: Setup,
        scales: Array,
        lasted: float = inf,
        first: int | None = None,
    ) -> Struck | None:
        """The impact of contacts that close at a state, in a mode that lasted so long; None where none does.

        `first`: this one falls now, and those before did one by one: they may come to rest together.
        """
        engine = self._programs.engine
        times, states = np.array([t]), state[None, :]
        now = self._programs.arrays(setup, t, state)
        rows = len(now.b)
        floors = tolerance("TIE") * engine.sizes(setup, times, states, scales)[0]
        gaps, slack = floors[:rows], floors[rows:]
        touching = [j for j in self._sided if now.level[j] <= gaps[j]]
        if not any(now.rate[j] < -slack[j] for j in touching):
            return None
        rates = {j: float(slack[j]) for j in touching}
        friction = rubbing(self._programs, mode, t, state, touching)
        q, v = np.split(state, 2)
        resting = {} if first is None or friction else self._jointly(t, state, mode, now, setup, gaps, lasted, first)
        if resting:
            held = [*self._hard, *mode.closed]
            done = stopped(now, v, sorted(resting), held)
            after = now.rate + now.A @ (done.velocity - v)
            others = [j for j in touching if j not in resting]
            if not any(after[j] < -slack[j] for j in others):
                left = max(resting.values())  # what is held by the others is at rest with them
                resting |= {j: left for j in others if j not in mode.closed and after[j] <= slack[j]}
                events = self._events(t, state, done, now, after, mode, slack, resting)
                place = put_together(now, q, sorted(resting), held)
                energy = done.energy - float(now.Q @ (place - q))
                return Struck(place, done.velocity, energy, events, done.met, resting, alone=True)
            resting = {}
        done = hit(now, v, touching, self._hard, self._restitution, friction, rates)
        while True:  # what makes one rest may throw another, as little
            slow = self._resting(t, state, mode, done, now, setup, gaps, slack, lasted, touching)
            if not set(slow) - set(resting):
                break
            resting = {**slow, **resting}
            given = self._restitution | dict.fromkeys(resting, 0.0)
            thrown = [j for j in resting if j not in done.struck]  # by the impact of another, to come back as soon
            rest = hit(now, v, touching, [*self._hard, *thrown], given, friction, rates)
            done = rest if rest.met else hit(now, v, touching, self._hard, given, friction, rates)
        after = now.rate + now.A @ (done.velocity - v)
        if any(after[j] > slack[j] for j in resting):  # by the bounce of another, which cannot rest yet
            resting, done = {}, hit(now, v, touching, self._hard, self._restitution, friction, rates)
            after = now.rate + now.A @ (done.velocity - v)
        events = self._events(t, state, done, now, after, mode, slack, resting)
        return Struck(q, done.velocity, done.energy, events, done.met, resting, alone=len(done.struck) < 2)

    def _jointly(
        self, t: float, state: Array, mode: Mode, now: Arrays, setup: Setup, gaps: Array, lasted: float, first: int
    ) -> dict[int, float]:
        """The contacts that come to rest, by the bounces of several on each other, and in what time."""
        loose = [j for j in self._sided if j not in mode.closed]
        limits = 4 * LOW * gaps
        if len(loose) < 2 or not abs(now.rate[first]) * lasted < 4 * limits[first]:
            return {}
        free = replace(setup, numbers=self._opened(setup, loose))
        a = self._programs.engine.watch(free, np.array([t]), state[None, :]).acceleration[0]
        later = self._programs.arrays(free, t, state)
        A = now.A[loose]
        W = A @ mobility(now, [*self._hard, *mode.closed]) @ A.T
        if not (np.isfinite(a).all() and (np.diag(W) > 0).all()):
            return {}
        levels = np.where(np.array(loose) == first, 0.0, np.maximum(now.level[loose], 0.0))
        falls = later.A[loose] @ a - later.b[loose]
        e = [self._restitution[j] for j in loose]
        found = end_of(levels, now.rate[loose], falls, W, e, limits[loose].tolist())
        return {} if found is None else {loose[k]: found.time for k in found.contacts}

    def _events(
        self,
        t: float,
        state: Array,
        done: Hit,
        now: Arrays,
        after: Array,
        mode: Mode,
        slack: Array,
        resting: dict[int, float],
    ) -> list[Event]:
        q, v = state[: len(state) // 2], done.velocity
        place = (*map(float, q), *map(float, v))
        events = []
        for j in (*done.struck, *(j for j in resting if j not in done.struck)):
            name = self._constraints[j].name
            if j in resting:
                there = (*map(float, q + v * resting[j]), *map(float, v))
                events.append(Event(t + resting[j], "rest", name, "open", "closed", there))
                continue
            old = "closed" if j in mode.closed else "open"
            new = "open" if after[j] > slack[j] else "closed"
            if now.rate[j] < -slack[j] or new == "open" or new != old:
                events.append(Event(t, "impact", name, old, new, place))
        return events

    def _resting(
        self,
        t: float,
        state: Array,
        mode: Mode,
        done: Hit,
        now: Arrays,
        setup: Setup,
        gaps: Array,
        slack: Array,
        lasted: float,
        touching: list[int],
    ) -> dict[int, float]:
        """The contacts whose next bounce could not be told from none, and how long all that follow would take."""
        n = len(state) // 2
        rates = now.rate + now.A @ (done.velocity - state[n:])
        slow = [j for j in touching if slack[j] < rates[j] and low(self._restitution[j], t, rates[j], gaps[j], lasted)]
        if not slow:
            return {}
        there = np.concatenate([state[:n], done.velocity])
        free = replace(setup, numbers=self._opened(setup, slow))
        a = self._programs.engine.watch(free, np.array([t]), there[None, :]).acceleration[0]
        later = self._programs.arrays(free, t, there)
        out: dict[int, float] = {}
        for j in slow:
            fall = float(later.A[j] @ a - later.b[j])
            if not fall < 0:
                continue
            height, time = float(rates[j]) ** 2 / (-2 * fall), 2 * float(rates[j]) / -fall
            left = time / (1 - self._restitution[j])
            unseen = height < LOW * gaps[j] or time < BRIEF * abs(t)
            if height < gaps[j] or (unseen and not self._disturbed(j, left, later, a, mode, touching)):
                out[j] = left
        return out

    def _disturbed(self, j: int, left: float, now: Arrays, a: Array, mode: Mode, touching: list[int]) -> bool:
        """Whether another contact closes, and strikes this one too, before the bounces that are left of it end."""
        others = [k for k in self._sided if k not in touching and k not in mode.closed]
        A = now.A[others]
        reached = now.level[others] + now.rate[others] * left + (A @ a - now.b[others]) * left**2 / 2
        along = mobility(now, [*self._hard, *mode.closed]) @ now.A[j]
        return any(reach < 0 and row @ along for reach, row in zip(reached, A, strict=True))

    def _opened(self, setup: Setup, contacts: list[int]) -> Array:
        """The parameters of a setup with some contacts open."""
        numbers = setup.numbers.copy()
        numbers[setup.code.masks[contacts]] = 0.0
        return numbers
