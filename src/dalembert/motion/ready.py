"""From one stage to the next: the mode that follows a switch, proved by the first moments of its compiled stage."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.modes import BACKWARD, FORWARD, OFF, SLIPS, STICKS, Mode, Switches
from dalembert.derive.switching.stages import Meaning
from dalembert.engine import Flow
from dalembert.motion.decide import NEAR, Decided, Judge, Paradox
from dalembert.motion.guard import natural_time
from dalembert.motion.laws import Outcome, Scene
from dalembert.motion.planar import Bridge, moved_on, nudged, push_off, watched_speeds
from dalembert.motion.staging import Staging

FIRST = np.array([0.0, *(4.0**-k for k in range(18, 1, -1))])  # of a step: where a stage shows its first moments
LONGER, TRY = 12, 200  # spans, each four times the last, in which a guard must rise, and the steps of each
NOISE, FINE = 1e-12, 4e-16  # what counts as zero of a guard, relative to what it is made of; and of a gap
T = TypeVar("T")
CLEAR = 1e3  # a guard so many times larger is not zero


class Floors(NamedTuple):
    """What counts as zero of each guard (g,): at one state, and as much more for every unit of time after it.

    A guard below `near` begins at zero.
    """

    zero: Array
    rates: Array
    near: Array

    def after(self, delay: Array | float) -> Array:
        """What counts as zero a time later, (g,) or (k, g)."""
        out: Array = 4 * (self.zero + np.multiply.outer(delay, self.rates))
        return out


class Ready(NamedTuple):
    """A mode about to begin: its engine, when, and in which state (2n,).

    `ties` are the guards that begin at zero, `floors` what counts as zero of each; `clear`: whether all of them rise.
    `begin` is the state right after the switch, before the `bridge` where there is one. `inertia`: the trace of M.
    """

    mode: Mode
    flow: Flow
    t: float
    state: Array
    ties: list[int]
    floors: Floors
    clear: bool
    begin: tuple[float, Array]
    bridge: Bridge | None = None
    inertia: float = 0.0


class Successor:
    """Finds the mode that follows, for one system with its values; nothing is tried out beyond a time."""

    def __init__(self, staging: Staging, judge: Judge, until: float) -> None:
        self._staging, self._judge, self._until = staging, judge, until
        self._switches = staging.switches
        self._n = len(staging.system.coordinates)
        self._engines: dict[tuple[Mode, tuple[float, ...]], Flow] = {}
        self._floored: dict[Mode, tuple[Floors, float]] = {}
        self._inertia = 0.0
        self.failed: set[Mode] = set()  # modes that ended where they began, at this time

    def blank(self) -> Mode:
        """A mode that says nothing, to begin with."""
        s = self._switches
        k = len(s.rubs)
        return Mode((), (OFF,) * k, (1,) * len(s.pressed), (1,) * len(s.gated.gates), (((), -1),) * k)

    def resumed(self, t: float, state: Array, mode: Mode) -> Ready:
        """A mode that is known to hold at a state."""
        scene = self._judge.scene(t, state, mode.signs)
        slow = tuple(max(x, 0.0) for x in watched_speeds(self._judge, scene, mode, None))
        moving = self._engine(t, state, mode, slow)
        floors = self._known_floors(mode, moving, t, state)
        now = moving.guards(np.array([t]), state[None, :])[0]
        ties = np.flatnonzero(now[: len(floors.zero)] <= floors.near).tolist()
        return self._ready(mode, moving, t, state, ties, floors, now)

    def after(self, t: float, state: Array, before: Mode, fired: Meaning | None) -> Ready:
        """The mode from a state on; raises Paradox where there is none, or more than one."""
        if fired is not None and (ready := self._plainly(t, state, before, fired)):
            return ready
        unclear: list[Ready] = []
        found = self.candidates(t, state, before, fired)
        for decided in found:
            if decided.mode not in self.failed and (ready := self._tried(t, decided, fired)):
                if ready.clear:
                    self._refuse_another(t, decided, found, fired)
                    return ready
                unclear.append(ready)
        if unclear:  # nothing tells them apart: what holds goes on holding
            return max(unclear, key=lambda r: (r.mode.rubs.count(STICKS), len(r.mode.closed)))
        why = " (friction that follows the actual normal force: Painlevé)" if self._switches.actual else ""
        raise Paradox(f"no motion is possible{why}: of nothing that could happen the conditions hold")

    def _refuse_another(self, t: float, decided: Decided, rest: Iterator[Decided], fired: Meaning | None) -> None:
        """Raise Paradox where another sign of a switching function would do as well, and move otherwise.

        A motion that comes from one side of a surface goes on to the other; one that begins on it has no such reason.
        """
        if fired is not None and fired.kind in ("gate", "above", "below"):
            return
        mode, a = decided.mode, decided.outcome.acceleration
        for other in rest:
            b = other.outcome.acceleration
            if other.mode.signs == mode.signs or 0 in other.mode.signs or np.allclose(a, b, rtol=1e-9, atol=1e-300):
                continue
            alike = replace(other.mode, signs=mode.signs, still=mode.still) == mode
            ready = self._tried(t, other, fired) if alike else None
            if ready is not None and ready.clear:
                words = f"({self._switches.words(mode)}) and ({self._switches.words(other.mode)})"
                raise Paradox(f"more than one motion is possible: {words}")

    def candidates(self, t: float, state: Array, before: Mode, fired: Meaning | None) -> Iterator[Decided]:
        """The modes that may be from a state on, by the laws, the likeliest first."""
        signs, zero = self._signs(t, state, before, fired)
        yield from self._judge.modes(t, state, before, fired, zero, signs)

    def signs_now(self, t: float, state: Array, before: Mode, fired: Meaning | None) -> tuple[int, ...]:
        """The likeliest signs of the switching functions from a state on."""
        return self._signs(t, state, before, fired)[0]

    def at_rest_in_plane(self, t: float, state: Array, mode: Mode) -> bool:
        """Whether a friction is said to slide in a plane and is at rest: its direction does not exist there."""
        scene = self._judge.scene(t, state, mode.signs)
        return any(x < 0 for x in watched_speeds(self._judge, scene, mode, None))

    def _signs(self, t: float, state: Array, before: Mode, fired: Meaning | None) -> tuple[tuple[int, ...], list[int]]:
        """The signs of the switching functions, the likeliest where they are zero, and which are."""
        earlier = tuple(s or 1 for s in before.signs)
        if not earlier:
            return (), []
        signs, zero = self._judge.signs(t, state, earlier, self._ideal_multipliers(t, state, earlier))
        if fired is not None and fired.kind in ("gate", "above", "below"):
            g = fired.place
            zero = zero if g in zero else [*zero, g]
            new = {"gate": -earlier[g], "above": 1, "below": -1}[fired.kind]  # across the surface first
            signs = tuple(new if i == g else s for i, s in enumerate(signs))
        return signs, zero

    def _ideal_multipliers(self, t: float, state: Array, signs: tuple[int, ...]) -> Array:
        """The multipliers of the ideal force, for switching functions that depend on them."""
        if not self._staging.gates_feel_forces:
            return np.zeros(len(self._staging.system.constraints))
        scene = self._judge.scene(t, state, signs)
        closed = tuple(j for j in self._judge.touching(scene) if self._judge.closing(scene, j) <= 0)
        return scene.rows(replace(self.blank(), closed=closed, signs=signs)).ideal

    def _plainly(self, t: float, state: Array, before: Mode, fired: Meaning) -> Ready | None:
        """The mode after a switch of one thing that leaves nothing else open, by its compiled guards alone.

        None where it is not as plain as that: contacts, a plane, a friction that may have several answers.
        """
        if self._switches.one_sided or self._switches.actual or SLIPS in before.rubs:
            return None
        for likely in _next(self._switches, before, fired):
            if likely in self.failed:
                return None
            sticks = fired.kind == "stop" and likely.rubs[fired.place] == STICKS
            mode, begin = self._held(t, state, likely, sticks)
            moving = self._engine(t, begin, mode)
            if sticks:
                values, own = moving.guards(np.array([t]), begin[None, :]), []
            else:
                values = self._first_moments(moving, t, begin)
                begins = Meaning("stop", fired.place) if fired.kind in ("up", "down") else fired
                own = [i for i, m in enumerate(self._staging.staged(mode).meanings) if m == begins]
            floors = self._known_floors(mode, moving, t, begin)
            now = values[0, : len(floors.zero)]
            other = np.ones(len(now), dtype=bool)
            other[own] = False
            if not np.isfinite(values).all():
                return None
            if (now < -floors.near)[other].any():
                continue
            open_ = (now <= floors.near)[other].any()
            if open_ or (own and not self._rise(moving, t, begin, own, values, floors)):
                return None
            return self._ready(mode, moving, t, begin, own, floors, values[0])
        return None

    def _held(self, t: float, state: Array, mode: Mode, sticks: bool) -> tuple[Mode, Array]:
        """A mode with what is at rest in it, as it was when it began before, and the state it begins with."""
        n, known = self._n, self._staging.still
        still = known.get(mode)
        if still is not None and len(still) == n:
            return replace(mode, still=still), np.concatenate([state[:n], np.zeros(n)])
        if still is not None and not sticks and not state[[n + i for i in still]].any():
            return replace(mode, still=still), state
        found, begin = self._judge.held(self._judge.scene(t, state, mode.signs), mode)
        known[mode] = found.still
        return found, begin

    def _tried(self, t: float, decided: Decided, fired: Meaning | None) -> Ready | None:
        """The mode with its engine, where its first moments are what it says; None where they are not."""
        mode, outcome = decided.mode, decided.outcome
        begin = decided.state
        scene = self._judge.scene(t, begin, mode.signs)
        slow = watched_speeds(self._judge, scene, mode, fired)
        there, later, bridge, certain = begin, t, None, True
        if any(x < 0 for x in slow):  # from rest in a plane
            bridge = Bridge(push_off(self._judge, outcome, t, self._until), outcome.acceleration)
            span = min(self._until - t, 1.0)
            held, begin = begin, nudged(self._judge, scene, mode, outcome, begin, span)
            certain = bool((held == begin).all())
            there, later = moved_on(begin, *bridge), t + bridge.tau
            further = self._judge.scene(later, there, mode.signs)
            slow = watched_speeds(self._judge, further, mode, None, moving=True)
        moving = self._engine(later, there, mode, slow if any(slow) else ())
        values = self._first_moments(moving, later, there)
        self.note(mode, np.abs(values).max(axis=0))
        floors = self._floors(scene, t, mode, outcome)
        self._floored[mode.shape] = (floors, self._judge.speed)
        now = values[0, : len(floors.zero)]
        ties = np.flatnonzero(now <= floors.near).tolist()
        if not np.isfinite(values).all() or (now < -CLEAR * floors.zero).any():
            return None
        risen = self._rise(moving, later, there, ties, values, floors)
        if risen is False:
            return None
        self._inertia = float(np.trace(scene.now.M))
        ready = self._ready(mode, moving, later, there, ties, floors, values[0])
        return ready._replace(begin=(t, begin), bridge=bridge, clear=bool(risen) and certain)

    def _ready(
        self, mode: Mode, moving: Flow, t: float, state: Array, ties: list[int], floors: Floors, now: Array
    ) -> Ready:
        known = len(floors.zero)  # a stage may have guards after those that are known, which begin clear
        pad = np.zeros(len(now) - known)
        zero = np.concatenate([floors.zero + np.maximum(0.0, -now[:known]), pad])
        whole = Floors(zero, np.concatenate([floors.rates, pad]), np.concatenate([floors.near, pad]))
        return Ready(mode, moving, t, state, ties, whole, True, (t, state), None, self._inertia)

    def _engine(self, t: float, state: Array, mode: Mode, slow: tuple[float, ...] = ()) -> Flow:
        """The engine of a mode, made once."""
        key = (mode, slow)
        if key not in self._engines:
            self._engines[key] = self._staging.flow(t, state, mode, slow=slow)
        moving = self._engines[key]
        moving.renew()
        return moving

    def _first_moments(self, moving: Flow, t: float, state: Array) -> Array:
        """The guards at the start of a stage and a little later, (18, g), by its Taylor polynomial."""
        full = np.concatenate([state, np.zeros(len(moving.works))])
        times = t + self._span(moving, t, full) * FIRST
        states, _ = moving.leap(t, full, times)
        states[0] = full
        return moving.guards(times, states)

    def _span(self, moving: Flow, t: float, full: Array) -> float:
        """About how long a step of a stage is; where it has no end of its own, how long things take there."""
        step = min(moving.reach(t, full), self._until - t)
        if step < self._until - t:
            return step
        a = moving.along(np.array([t]), full[None, :]).acceleration[0]
        return min(step, natural_time(self._judge.places, full[self._n : 2 * self._n], a))

    def _rise(
        self, moving: Flow, t: float, state: Array, ties: list[int], values: Array, floors: Floors
    ) -> bool | None:
        """Whether guards that begin at zero become positive: what the first of their values that is not zero says.

        `values` are those of the first moments; where they all are zero, the stage is tried for longer and longer, and
        where none comes of that either, None.
        """
        full = np.concatenate([state, np.zeros(len(moving.works))])
        span = self._span(moving, t, full)
        zero, open_ = floors.after(span * FIRST[1:]), []
        for i in ties:
            growth = values[1:, i] - values[0, i]
            large = np.flatnonzero(np.abs(growth) > zero[:, i])
            if not len(large) and values[0, i] > 4 * floors.zero[i]:
                continue  # it is small, but not zero, and stays what it is
            if not len(large):
                open_.append(i)
            elif growth[large[0]] < 0:
                return False
        if not open_:
            return True
        moving.look_away(range(values.shape[1]))
        begin, falls = t, False
        for _ in range(LONGER):
            ahead = min(t + span, self._until)
            if not (open_ and ahead > t):
                break
            piece = moving.advance(t, full, np.array([ahead]), TRY)
            t, full, span = piece.time, piece.end, 4 * span
            growth = moving.guards(np.array([t]), full[None, :])[0] - values[0]
            bound = floors.after(t - begin)
            falls = any(growth[i] < -bound[i] for i in open_)
            open_ = [i for i in open_ if not growth[i] > bound[i]]
            if piece.broken or falls:
                break
        moving.renew()
        return False if falls else None if open_ else True

    def note(self, mode: Mode, sizes: Array) -> None:
        """Take note of the sizes of switching functions, by those of the guards."""
        for place, (kind, g) in enumerate(self._staging.staged(mode).meanings):
            if kind == "gate" and np.isfinite(sizes[place]):
                self._judge.scales[g] = max(self._judge.scales[g], float(sizes[place]))

    def _known_floors(self, mode: Mode, moving: Flow, t: float, state: Array) -> Floors:
        """What counts as zero of each guard: as when a mode of this shape began last, unless all is faster now."""
        shape = mode.shape
        if shape not in self._floored or self._judge.speed > 2 * self._floored[shape][1]:
            scene = self._judge.scene(t, state, mode.signs)
            along = self._staging.along(moving, mode, np.array([t]), state[None, :])
            size = max(scene.length(scene.now.Q), scene.length(along.ideal[0] + along.nonideal[0]))
            outcome = Outcome(along.acceleration[0], along.multipliers[0], along.reactions[0], {}, (), size)
            self._floored[shape] = (self._floors(scene, t, mode, outcome), self._judge.speed)
        return self._floored[shape][0]

    def _floors(self, scene: Scene, t: float, mode: Mode, outcome: Outcome) -> Floors:
        """What counts as zero of each guard, by the forces and speeds there are."""
        now, out, rates, near = scene.now, [], [], []
        size = max(outcome.size, 1e-300)
        for kind, i in self._staging.staged(mode).meanings:
            rates.append(0.0)
            if kind in ("release", "normal"):
                out.append(size / (scene.length(now.A[i]) or 1.0))
            elif kind == "touch":
                out.append(self._judge.extent(scene, t, i) * FINE / NOISE)
            elif kind == "gate":
                out.append(self._judge.scale(scene, i, outcome.multipliers) or 1e-300)
            elif kind in ("stop", "pace"):
                lay = scene.lay(i, self._switches.active(mode))
                out.append(self._judge.pace_of(lay) if len(lay.J) == 1 else float(np.linalg.norm(lay.s)))
                rates[-1] = size * max(scene.length(row) for row in lay.J) if len(lay.J) == 1 else 0.0
            elif kind in ("up", "down", "hold"):
                lay = scene.lay(i, self._switches.active(mode))
                one = size / max(scene.length(row) for row in lay.J)
                out.append(one**2 if kind == "hold" else one)
            else:
                out.append(1.0)
            near.append(NEAR * self._judge.extent(scene, t, i) if kind == "touch" else CLEAR * NOISE * out[-1])
        return Floors(np.maximum(NOISE * np.array(out), 1e-300), NOISE * np.array(rates), np.array(near))


def _next(switches: Switches, before: Mode, fired: Meaning) -> Iterator[Mode]:
    """The modes that may follow when one thing switches and all else stays."""
    kind, i = fired
    if kind in ("stop", "up", "down"):
        other = BACKWARD if before.rubs[i] == FORWARD else FORWARD
        for way in {"stop": (STICKS, other), "up": (BACKWARD,), "down": (FORWARD,)}[kind]:
            yield replace(before, rubs=_changed(before.rubs, i, way), still=())
    elif kind == "normal":
        k = switches.pressed.index(i)
        yield replace(before, normals=_changed(before.normals, k, -before.normals[k]), still=())
    elif kind == "gate":
        yield replace(before, signs=_changed(before.signs, i, -before.signs[i]), still=())


def _changed(items: tuple[T, ...], place: int, new: T) -> tuple[T, ...]:
    return (*items[:place], new, *items[place + 1 :])
