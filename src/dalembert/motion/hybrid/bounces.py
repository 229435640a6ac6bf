"""Contacts that close: their impact at one time, the events it is told by, and bounces that come to rest."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.modes import Mode
from dalembert.engine.taylor import Setup
from dalembert.motion.hybrid.collapse import Low, end_of
from dalembert.motion.hybrid.impact import RANK, Hit, Rubbing, hit, mobility, put_together, stopped
from dalembert.motion.hybrid.programs import Arrays, Programs
from dalembert.motion.hybrid.rough_impacts import rubbing
from dalembert.motion.status import Event
from dalembert.motion.tolerances import EPS, tolerance

HIGH = 64.0  # times what counts as zero of a gap: bounces lower than this are not seen
HIGHER = tolerance("UNSEEN") / tolerance("TIE")  # the same, where some bounce too low to be followed, and others higher
BRIEF = 2.0**10 * EPS  # of the time: bounces shorter than this are at rest
KNOWN = 2.0**-5  # of what counts as zero: what rounding leaves of a gap, or a rate


class Struck(NamedTuple):
    """Coordinates and velocities (n,) after impacts at one time, the energy of impulses, what is told, what is at rest.

    `met`: whether the constraints allow it. `rests`: the contacts whose bounces come to rest, and in what time.
    """

    place: Array
    velocity: Array
    energy: float
    events: list[Event]
    met: bool
    rests: dict[int, float]


class Touch(NamedTuple):
    """Contacts that touch at a state, after a flight that `lasted` so long, and the friction of their impact.

    `gaps`, `slack`: what counts as zero of gaps and rates (r,).
    """

    t: float
    state: Array
    mode: Mode
    setup: Setup
    now: Arrays
    gaps: Array
    slack: Array
    contacts: list[int]
    lasted: float
    friction: dict[int, Rubbing]

    @property
    def falling(self) -> list[int]:
        """Those that close."""
        return [j for j in self.contacts if self.now.rate[j] < -self.slack[j]]


def low(e: Any, t: Any, rate: Any, gap: Any, lasted: Any) -> Any:
    """Whether a contact with restitution e that parts at a rate may come to rest, after a flight that lasted so long.

    The next flight is about as long, and a quarter of its time and rate high. `gap`: the gap that counts as none. All
    may be arrays.
    """
    return (e < 1) & ((lasted < 2 * BRIEF * abs(t)) | (rate * lasted < 4 * HIGH * gap))


class Bounces:
    """The impacts of one system with its restitutions by constraint."""

    def __init__(self, programs: Programs) -> None:
        self._programs, self._restitution = programs, programs.restitutions()
        self._constraints = programs.switches.form.constraints
        self._sided = list(programs.switches.one_sided)
        self._hard = [j for j in range(len(self._constraints)) if j not in programs.switches.one_sided]

    def at(self, t: float, state: Array, mode: Mode, setup: Setup, scales: Array, lasted: float = inf) -> Struck | None:
        """The impact of contacts that close at a state, in a mode that lasted so long; None where none does."""
        now = self._programs.arrays(setup, t, state)
        rows = len(now.b)
        floors = tolerance("TIE") * self._programs.engine.sizes(setup, np.array([t]), state[None, :], scales)[0]
        gaps, slack = floors[:rows], floors[rows:]
        touching = [j for j in self._sided if now.level[j] <= gaps[j]]
        if not any(now.rate[j] < -slack[j] for j in touching):
            return None
        friction = rubbing(self._programs, mode, t, state, touching)
        touch = Touch(t, state, mode, setup, now, gaps, slack, touching, lasted, friction)
        left = self._left(touch, HIGH) if any(_short(touch, j) for j in touch.falling) else {}
        done = None
        if not left:
            done = self._hit(touch, {}, [])
            left = self._left(touch, HIGHER) if self._lowest(touch, done) else {}
        if left and not friction and (ended := self._ended(touch, left)) is not None:
            return ended
        return self._bounced(touch, left if friction else {}, done)

    def unseen(self, t: float, state: Array, mode: Mode, setup: Setup, scales: Array) -> Struck | None:
        """The rest of contacts that part, to be back before their gaps are seen to be open; None where none does.

        As of what slides over a hill, stated to so many digits.
        """
        now, (q, v) = self._programs.arrays(setup, t, state), np.split(state, 2)
        floors = tolerance("TIE") * self._programs.engine.sizes(setup, np.array([t]), state[None, :], scales)[0]
        gaps, slack = np.split(floors[: 2 * len(now.b)], 2)
        parting = [j for j in self._sided if abs(now.level[j]) <= gaps[j] and now.rate[j] > slack[j]]
        touch = Touch(t, state, mode, setup, now, gaps, slack, parting, inf, {})
        falls = self._falls(touch, parting) if parting else None
        if falls is None:
            return None
        hops = [j for j in parting if now.rate[j] ** 2 <= -2 * falls[j] * gaps[j]]
        if not hops:
            return None
        lost = {j: 1 - self._restitution[j] or 1.0 for j in hops}  # without loss one flight is taken for all
        left = {j: float(2 * now.rate[j] / -falls[j] / lost[j]) for j in hops}
        done = stopped(now, v, hops, [*self._hard, *mode.closed])
        after = now.rate + now.A @ (done.velocity - v)
        return Struck(q, done.velocity, done.energy, self._events(touch, done, after, left), True, left)

    def _left(self, touch: Touch, high: float) -> dict[int, float]:
        """The contacts whose bounces are unseen from here on and end, and what time is left of them.

        With friction, what is closed is held, as what it does when thrown is not known; with friction in the impact
        the contact that is struck is alone.
        """
        now, mode = touch.now, touch.mode
        rough = bool(self._programs.switches.rubs)
        held = [*self._hard, *(mode.closed if rough else ())]
        mine = [j for j in self._sided if j not in held]
        every, due = self._falls(touch, mine), [j for j in touch.falling if j in mine]
        if every is None or not due:
            return {}
        falls, A = every[mine], now.A[mine]
        W = A @ mobility(now, held) @ A.T
        if not (np.diag(W) > 0).all():
            return {}
        shut = [k for k, j in enumerate(mine) if j in mode.closed]
        levels, rates = np.maximum(now.level[mine], 0.0), now.rate[mine].copy()
        levels[shut] = rates[shut] = 0.0
        levels[mine.index(min(due, key=lambda j: now.level[j] / touch.gaps[j]))] = 0.0
        limits = high * np.array(_unseen(touch, falls, mine))
        limits[self._throws(now, mode.closed, mine) if rough else []] = -1.0
        nothing = (KNOWN * touch.gaps[mine]).tolist(), (KNOWN * touch.slack[mine]).tolist()
        e = [self._restitution[j] for j in mine]
        ends = end_of(Low(levels, rates, falls, W, e, limits.tolist(), nothing, rough))
        found = {mine[k]: left for k, left in ends.items()}
        return found if any(found.values()) and (not touch.friction or len(found) == 1) else {}

    def _falls(self, touch: Touch, opened: list[int]) -> Array | None:
        """How the rates of all gaps change (r,) with some contacts open; None where there is no acceleration."""
        free = replace(touch.setup, numbers=self._opened(touch.setup, opened))
        a = self._programs.engine.watch(free, np.array([touch.t]), touch.state[None, :]).acceleration[0]
        later = self._programs.arrays(free, touch.t, touch.state)
        return later.A @ a - later.b if np.isfinite(a).all() else None

    def _throws(self, now: Arrays, closed: Sequence[int], mine: list[int]) -> Array:
        """The places of contacts whose impulse throws one of those that are closed."""
        A, inverse = now.A[list(closed)], mobility(now, self._hard)
        bears = -np.linalg.pinv(A @ inverse @ A.T, rcond=RANK, hermitian=True) @ A @ inverse @ now.A[mine].T
        out: Array = np.flatnonzero((bears < -RANK * np.abs(bears).max(initial=0.0)).any(axis=0))
        return out

    def _ended(self, touch: Touch, left: dict[int, float]) -> Struck | None:
        """Bounces that are over but for what is unseen: contacts are closed together, and at rest.

        What arrives at that very time with a speed is struck then, with those at rest.
        """
        now, mode, slack = touch.now, touch.mode, touch.slack
        q, v = np.split(touch.state, 2)
        mine = sorted({*left, *mode.closed})
        done = stopped(now, v, mine, self._hard)
        after = now.rate + now.A @ (done.velocity - v)
        if any(abs(after[j]) > slack[j] for j in mine):
            return None
        more = [j for j in touch.contacts if j not in mine and abs(after[j]) <= slack[j]]
        left = left | dict.fromkeys(more, max(left.values()))  # what is held by the others is at rest with them
        if any(after[j] < -slack[j] for j in touch.contacts):
            rates = {j: float(slack[j]) for j in touch.contacts}
            later = hit(
                now._replace(rate=after), done.velocity, touch.contacts, self._hard, self._restitution, {}, rates
            )
            energy, struck = done.energy + later.energy, (*later.struck, *(j for j in left if j not in later.struck))
            done = Hit(later.velocity, energy, struck, later.met)
            after = now.rate + now.A @ (done.velocity - v)
            left = {j: 0.0 for j in left if after[j] <= slack[j]}
        events = self._events(touch, done, after, left)
        place = put_together(now, q, mine, self._hard)
        moved = self._programs.arrays(touch.setup, touch.t, np.concatenate([place, done.velocity]))
        rest = stopped(moved, done.velocity, [j for j in mine if after[j] <= slack[j]], self._hard)
        energy = done.energy + rest.energy - float(now.Q @ (place - q))
        return Struck(place, rest.velocity, energy, events, done.met, left)

    def _hit(self, touch: Touch, resting: Mapping[int, float], held: list[int]) -> Hit:
        """The impact of all that touch, some of which rest after it, and some are held."""
        given = self._restitution | dict.fromkeys(resting, 0.0)
        v, rates = touch.state[len(touch.state) // 2 :], {j: float(touch.slack[j]) for j in touch.contacts}
        return hit(touch.now, v, touch.contacts, [*self._hard, *held], given, touch.friction, rates)

    def _bounced(self, touch: Touch, resting: dict[int, float], done: Hit | None) -> Struck:
        """The impact of all that touch, after which some rest: those that are to, and what would bounce too low."""
        now, slack = touch.now, touch.slack
        q, v = np.split(touch.state, 2)
        if done is None or resting:
            done = self._hit(touch, resting, [])
        while True:  # what makes one rest may throw another, as little
            lowest = self._lowest(touch, done)
            if not set(lowest) - set(resting):
                break
            resting = {**lowest, **resting}
            thrown = [j for j in resting if j not in done.struck]  # by the impact of another, to come back as soon
            rest = self._hit(touch, resting, thrown)
            done = rest if rest.met else self._hit(touch, resting, [])
        after = now.rate + now.A @ (done.velocity - v)
        if any(after[j] > slack[j] for j in resting):  # by the bounce of another, which cannot rest yet
            resting, done = {}, self._hit(touch, {}, [])
            after = now.rate + now.A @ (done.velocity - v)
        return Struck(q, done.velocity, done.energy, self._events(touch, done, after, resting), done.met, resting)

    def _events(self, touch: Touch, done: Hit, after: Array, resting: Mapping[int, float]) -> list[Event]:
        t, rate, slack = touch.t, touch.now.rate, touch.slack
        q, v = touch.state[: len(touch.state) // 2], done.velocity
        place = (*map(float, q), *map(float, v))
        events = []
        for j in (*done.struck, *(j for j in resting if j not in done.struck)):
            name, old = self._constraints[j].name, "closed" if j in touch.mode.closed else "open"
            if resting.get(j) and old == "open":
                there = (*map(float, q + v * resting[j]), *map(float, v))
                events.append(Event(t + resting[j], "rest", name, "open", "closed", there))
                continue
            new = "open" if after[j] > slack[j] else "closed"
            if rate[j] < -slack[j] or new == "open" or new != old:
                events.append(Event(t, "impact", name, old, new, place))
        return events

    def _lowest(self, touch: Touch, done: Hit) -> dict[int, float]:
        """The contacts whose next bounce could not be told from none, and how long all that follow would take."""
        now = touch.now
        after = now.rate + now.A @ (done.velocity - touch.state[len(touch.state) // 2 :])
        slow = [
            j
            for j in touch.contacts
            if touch.slack[j] < after[j] and low(self._restitution[j], touch.t, after[j], touch.gaps[j], touch.lasted)
        ]
        falls = self._falls(touch, slow) if slow else None
        if falls is None:
            return {}
        unseen = _unseen(touch, falls[slow], slow)
        return {
            j: 2 * float(after[j] / -falls[j]) / (1 - self._restitution[j])
            for j, height in zip(slow, unseen, strict=True)
            if falls[j] < 0 and after[j] ** 2 < -2 * falls[j] * height
        }

    def _opened(self, setup: Setup, contacts: list[int]) -> Array:
        """The parameters of a setup with some contacts open."""
        numbers = setup.numbers.copy()
        numbers[setup.code.masks[contacts]] = 0.0
        return numbers


def _short(touch: Touch, j: int) -> bool:
    """Whether the flight to the rate at which a contact closes was about as low as is unseen."""
    high = -float(touch.now.rate[j]) * touch.lasted < 4 * HIGH * touch.gaps[j]
    return bool(high or touch.lasted < 2 * BRIEF * abs(touch.t))


def _unseen(touch: Touch, falls: Array, contacts: Sequence[int]) -> list[float]:
    """The heights of bounces that cannot be told from none, nor their times from none."""
    brief = BRIEF / sqrt(HIGH) * abs(touch.t)
    return [max(float(touch.gaps[j]), -float(a) * brief**2 / 8) for j, a in zip(contacts, falls, strict=True)]
