"""A whole motion: one run where nothing switches, else stage after stage, each from a switch to the next."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from time import perf_counter
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.derive.modes import BACKWARD, FORWARD, OFF, SLIPS, STICKS, Mode, Switches
from dalembert.derive.stages import Meaning
from dalembert.engine import WORKS, Flow
from dalembert.model import StateError
from dalembert.motion.blame import at
from dalembert.motion.decide import Decided, Judge, Paradox
from dalembert.motion.impact import hit
from dalembert.motion.laws import Outcome, Scene
from dalembert.motion.record import Episode, Limits, Progress, Record
from dalembert.motion.run import Run
from dalembert.motion.staging import Staging
from dalembert.motion.status import Ending, Event, Status
from dalembert.motion.switching import told

SLOWER, SLOW = 1e-4, 2e-7  # of the speed so far: a plane friction is watched, and brought to rest
STRAIGHT = 1e-6  # and must head for it as straight as this
FINE, LOW = 4e-16, 2e-12  # a gap of this fraction of the coordinates is none; bounces lower than this are at rest
FAINT = 1e-26  # the square of a speed that is none
CROWD, WITHIN = 2000, 1e-9  # so many switches within this fraction of a run are too many
FIRST = np.array([0.0, *(4.0**-k for k in range(18, 1, -1))])  # of a step: where a stage shows its first moments
TRAIL = 64  # states of a stage by which the sizes of switching functions are known
EPS = float(np.finfo(float).eps)
LONGER, TRY = 12, 200  # spans, each four times the last, in which a guard must rise, and the steps of each
NOISE = 1e-12  # what counts as zero of a guard, relative to what it is made of


class Travelled(NamedTuple):
    """What a motion leaves, the engine it ended with, and how often it switched."""

    record: Record
    flow: Flow
    switches: int


def travel(
    staging: Staging,
    t0: float,
    state: Array,
    samples: Array,
    until: float,
    limits: Limits,
    progress: Callable[[Progress], object] | None = None,
    mode: Mode | None = None,
    settle: bool = False,
) -> Travelled:
    """Move from a state (2n,) at t0 until a time; in a mode to begin with, where it is known.

    `settle` puts a start that is a little off the constraints on them first. Raises StateError, MassError or
    ContradictionError where no motion begins.
    """
    if staging.switches:
        return Travel(staging, t0, state, samples, until, limits, progress, settle).go(mode)
    moving = staging.flow(t0, state, None)
    full = np.concatenate([state, np.zeros(len(moving.works))])
    run = Run(moving, staging.system, staging.values, t0, full, samples, until, limits, progress)
    if settle:
        run.begin_on_constraints()
    return Travelled(run.go(), moving, 0)


class Ready(NamedTuple):
    """A mode about to begin: its engine, the guards that begin at zero, and what counts as zero of each guard."""

    mode: Mode
    flow: Flow
    ties: list[int]
    floors: Array
    outcome: Outcome | None


class Travel:
    """A motion across switches: made, `go` once, and left."""

    def __init__(
        self,
        staging: Staging,
        t0: float,
        state: Array,
        samples: Array,
        until: float,
        limits: Limits,
        progress: Callable[[Progress], object] | None,
        settle: bool,
    ) -> None:
        self.staging, self.limits, self.progress = staging, limits, progress
        self.t0, self.t, self.until, self.state = t0, t0, until, state.copy()
        self.samples, self.works, self.settle = samples, np.zeros(len(WORKS)), settle
        self._n = len(staging.system.coordinates)
        self._begin = state
        given = dict(zip(staging.system.symbols, map(float, staging.values), strict=True))
        self.judge = Judge(staging.switches, given)
        self._restitution = staging.restitutions()
        self._parts: list[Record] = []
        self._events: list[Event] = []
        self._episodes: list[Episode] = []
        self._recent: list[float] = []
        self._failed: set[Mode] = set()
        self._engines: dict[tuple[Mode, tuple[float, ...]], Flow] = {}
        self._floored: dict[Mode, tuple[Array, float]] = {}
        self._instant = (t0, tuple(map(float, state)))  # of the last switch
        self._count = 0
        self._inertia = 0.0
        self._energy = 0.0  # the largest of energies and works so far

    def go(self, mode: Mode | None = None) -> Travelled:
        """Move until the end, or until something ends it; in a mode to begin with, where it is known."""
        self._clock = perf_counter()
        before, fired = mode, None
        ready = None
        while True:
            try:
                if ready is None and mode is not None:
                    ready = self._resumed(mode)
                else:
                    ready = self._ready(before, fired)
            except Paradox as paradox:
                words = f"{paradox}, at {at(self.staging.system, self.t, self.state)}"
                if ready is None:
                    raise StateError("the start", [words]) from None
                return self._ended(Status(Ending.PARADOX, words), ready)
            if before is not None:
                stopped = fired.index if fired is not None and fired.kind == "stop" else None
                self._events += told(self.staging.switches, before, ready.mode, *self._instant, stopped)
            began = self.t
            status, place = self._moved(ready)
            if self.t > began:
                self._failed.clear()
            if status.ending != Ending.SWITCHED:
                return self._ended(status, ready)
            meaning = self._meaning(ready.mode, place)
            if meaning.kind == "jam":
                words = "friction and rigidity leave no unique motion from here on (Painlevé)"
                where = at(self.staging.system, self.t, self.state)
                return self._ended(Status(Ending.PARADOX, f"{words}, at {where}"), ready)
            if self.t == began:
                self._failed.add(ready.mode)
            if crowded := self._crowded():
                return self._ended(crowded, ready)
            before, fired = ready.mode, self._at_rest(ready, meaning)
            if self.until - self.t <= 8 * EPS * max(abs(self.t), abs(self.until)):
                self.t = self.until
                return self._ended(Status(Ending.FINISHED, f"reached t = {self.t:.12g}"), ready)

    # One stage

    def _moved(self, ready: Ready) -> tuple[Status, int]:
        """Move in a mode until it ends; how it ended, and the guard that fell."""
        moving, n2 = ready.flow, 2 * self._n
        full = np.concatenate([self.state, np.zeros(len(moving.works))])
        spent = perf_counter() - self._clock
        steps = sum(part.steps for part in self._parts)
        limits = replace(self.limits, steps=self.limits.steps - steps, seconds=self.limits.seconds - spent)
        statement = self.staging.staged(ready.mode).stage.statement
        values = self.staging.values_of(ready.mode)
        run = Run(moving, statement, values, self.t, full, self.samples, self.until, limits, self._progress(steps))
        run.size = max(self._energy, FAINT * self._inertia)
        if self.settle:
            run.begin_on_constraints()
            self.settle = False
        record = run.go(ready.ties, ready.floors)
        record = replace(record, works=record.works + self.works, end_works=record.end_works + self.works)
        if record.status.ending == Ending.SWITCHED and len(record.times) and record.times[-1] == record.time:
            record = replace(  # a sample at the switch is taken after it
                record, times=record.times[:-1], states=record.states[:-1], works=record.works[:-1]
            )
        self._parts.append(record)
        self._episodes += [e._replace(mode=ready.mode) for e in record.episodes]
        self._events += record.events
        self.samples = self.samples[len(record.times) :]
        self.t, self.state, self.works = record.time, record.end[:n2].copy(), record.end_works
        self.judge.seen(run.largest)
        self._energy = max(self._energy, run.size)
        if self.staging.switches.gated.gates:
            times, states = (np.concatenate(parts)[-TRAIL:] for parts in zip(*run.trail, strict=True))
            self._note(ready.mode, np.abs(moving.guards(times, states)).max(axis=0))
        return record.status, -1 if run.fired is None else run.fired

    def _progress(self, steps: int) -> Callable[[Progress], object] | None:
        told_to = self.progress
        if told_to is None:
            return None

        def tell(now: Progress) -> object:
            return told_to(Progress((now.time - self.t0) / (self.until - self.t0), now.time, now.steps + steps))

        return tell

    def _meaning(self, mode: Mode, place: int) -> Meaning:
        meanings = self.staging.staged(mode).meanings
        return meanings[place] if place < len(meanings) else Meaning("jam", place - len(meanings))

    # From one stage to the next

    def _ready(self, before: Mode | None, fired: Meaning | None) -> Ready:
        """The mode from here on, after what impacts there are."""
        if before is not None and fired is not None and (ready := self._plainly(before, fired)):
            return ready
        earlier = before or self._blank()
        if struck := self._strike(earlier):
            self._rest(earlier, struck)
        return self._decided(earlier, fired)

    def _plainly(self, before: Mode, fired: Meaning) -> Ready | None:
        """The mode after a switch of one thing that leaves nothing else open, by its compiled guards alone.

        None where it is not as plain as that: several contacts, a plane, a friction that may have several answers.
        """
        switches = self.staging.switches
        if switches.one_sided or self.staging.switches.actual or SLIPS in before.rubs:
            return None
        for mode in _next(switches, before, fired):
            sticks = fired.kind == "stop" and mode.rubs[fired.index] == STICKS
            mode, state = self._halted(mode) if sticks else (mode, self.state)
            moving = self._engine(self.t, state, mode)
            if sticks:
                values, own = moving.guards(np.array([self.t]), state[None, :]), []
            else:
                values = self._first_moments(moving, self.t, state)
                own = [i for i, m in enumerate(self.staging.staged(mode).meanings) if m == fired]
            floors = self._known_floors(mode, moving, state)
            now = values[0, : len(floors)]
            if not np.isfinite(values).all():
                return None
            other = np.ones(len(floors), dtype=bool)
            other[own] = False
            if (now < -1e3 * floors)[other].any():
                continue
            if (now < 1e3 * floors)[other].any() or (own and not self._rise(moving, self.t, state, own, values, 4 * floors)):
                return None
            self.state = state
            self._instant = (self.t, tuple(map(float, state)))
            return Ready(mode, moving, own, _padded(floors + np.maximum(0.0, -now), values.shape[1]), None)
        return None

    def _halted(self, mode: Mode) -> tuple[Mode, Array]:
        """A mode in which a friction sticks, with what is at rest in it, and the state it begins with."""
        still = self.staging.still.get(mode)
        if still is not None and len(still) == self._n:
            return replace(mode, still=still), np.concatenate([self.state[: self._n], np.zeros(self._n)])
        found, v = self.judge.held(self.judge.scene(self.t, self.state, mode.signs), mode)
        self.staging.still[mode] = found.still
        return found, np.concatenate([self.state[: self._n], v])

    def _engine(self, t: float, state: Array, mode: Mode, slow: tuple[float, ...] = ()) -> Flow:
        """The engine of a mode, made once."""
        key = (mode, slow)
        if key not in self._engines:
            self._engines[key] = self.staging.flow(t, state, mode, slow=slow)
        moving = self._engines[key]
        moving.renew()
        return moving

    def _known_floors(self, mode: Mode, moving: Flow, state: Array) -> Array:
        """What counts as zero of each guard: as it was when a mode of this shape began last."""
        shape = mode.shape
        if shape not in self._floored or self.judge.speed > 2 * self._floored[shape][1]:
            scene = self.judge.scene(self.t, state, mode.signs)
            along = self.staging.along(moving, mode, np.array([self.t]), state[None, :])
            size = max(scene.length(scene.now.Q), scene.length(along.ideal[0] + along.nonideal[0]))
            outcome = Outcome(along.acceleration[0], along.multipliers[0], along.reactions[0], {}, (), size)
            self._floored[shape] = (self._floors(scene, mode, outcome), self.judge.speed)
        return self._floored[shape][0]

    def _blank(self) -> Mode:
        """A mode that says nothing, to begin with."""
        s = self.staging.switches
        return Mode((), (OFF,) * len(s.rubs), (1,) * len(s.pressed), (1,) * len(s.gated.gates), (((), -1),) * len(s.rubs))

    def _decided(self, before: Mode, fired: Meaning | None) -> Ready:
        for decided in self._candidates(before, fired):
            if decided.mode not in self._failed and (ready := self._tried(decided, fired)):
                return ready
        why = " (friction that follows the actual normal force: Painlevé)" if self.staging.switches.actual else ""
        raise Paradox(f"no motion is possible{why}: of nothing that could happen the conditions hold")

    def _candidates(self, before: Mode, fired: Meaning | None) -> Iterator[Decided]:
        """The modes that may be from here on, the likeliest first."""
        earlier = tuple(s or 1 for s in before.signs)
        lam = self._ideal_multipliers(earlier)
        signs, zero = self.judge.signs(self.t, self.state, earlier, lam)
        if fired is not None and fired.kind in ("gate", "above", "below"):
            g = fired.index
            if g not in zero:
                zero.append(g)
            if fired.kind == "gate":  # across the surface first
                signs = tuple(-earlier[i] if i == g else s for i, s in enumerate(signs))
            else:
                signs = tuple((1 if fired.kind == "above" else -1) if i == g else s for i, s in enumerate(signs))
        yield from self.judge.modes(self.t, self.state, before, fired, zero, signs)

    def _ideal_multipliers(self, signs: tuple[int, ...]) -> Array:
        """The multipliers of the ideal force, for switching functions that depend on them."""
        m = len(self.staging.system.constraints)
        if not self.staging.gates_feel_forces:
            return np.zeros(m)
        scene = self.judge.scene(self.t, self.state, signs)
        closed = tuple(j for j in self.judge.touching(scene) if self.judge.closing(scene, j) <= 0)
        blank = replace(self._blank(), closed=closed, signs=signs)
        return scene.rows(blank).ideal

    def _tried(self, decided: Decided, fired: Meaning | None) -> Ready | None:
        """The mode with its engine, where its first moments are what it says; None where they are not."""
        mode, outcome = decided.mode, decided.outcome
        t, state = self.t, np.concatenate([self.state[: self._n], decided.velocity])
        scene = self.judge.scene(t, state, mode.signs)
        slow = self._slow(scene, mode, fired)
        bridge = None
        if any(x < 0 for x in slow):  # from rest in a plane: a first moment by hand, along the acceleration
            bridge = (self._push_off(outcome), outcome.acceleration)
            t, state = t + bridge[0], _moved_on(state, *bridge)
            later = self.judge.scene(t, state, mode.signs)
            slow = tuple(abs(x) for x in self._slow(later, mode, None))
        moving = self._engine(t, state, mode, slow if any(slow) else ())
        values = self._first_moments(moving, t, state)
        self._note(mode, np.abs(values).max(axis=0))
        floors = self._floors(scene, mode, outcome)
        self._floored[mode.shape] = (floors, self.judge.speed)
        now = values[0, : len(floors)]
        ties = [i for i in range(len(floors)) if now[i] <= 1e3 * floors[i]]
        if not np.isfinite(values).all() or (now < -1e3 * floors).any():
            return None
        if not self._rise(moving, t, state, ties, values, 4 * floors):
            return None
        self.state[self._n :] = decided.velocity
        self._instant = (self.t, tuple(map(float, self.state)))
        if bridge:
            self._bridge(mode, moving, *bridge)
        self.t, self.state = t, state
        self._inertia = float(np.trace(scene.now.M))
        return Ready(mode, moving, ties, _padded(floors + np.maximum(0.0, -now), values.shape[1]), outcome)

    def _rise(self, moving: Flow, t: float, state: Array, ties: list[int], values: Array, floors: Array) -> bool:
        """Whether guards that begin at zero become positive: what the first of their values that is not zero says.

        `values` are those of the first moments; where they all are zero, the stage is tried for longer and longer.
        """
        open_ = []
        for i in ties:
            growth = values[1:, i] - values[0, i]
            large = np.flatnonzero(np.abs(growth) > floors[i])
            if not len(large):
                open_.append(i)
            elif growth[large[0]] < 0:
                return False
        full = np.concatenate([state, np.zeros(len(moving.works))])
        span = moving.reach(t, full)
        if not open_ or not np.isfinite(span):
            return True
        moving.look_away(range(values.shape[1]))
        here, risen = t, True
        for _ in range(LONGER):
            ahead = min(here + span, self.until)
            if not (open_ and ahead > here):
                break
            piece = moving.advance(here, full, np.array([ahead]), TRY)
            growth = moving.guards(np.array([piece.time]), piece.end[None, :])[0] - values[0]
            risen = risen and not any(growth[i] < -floors[i] for i in open_)
            open_ = [i for i in open_ if not abs(growth[i]) > floors[i]] if risen else []
            here, full, span = piece.time, piece.end, 4 * span
            if piece.broken:
                break
        moving.look_away()
        return risen

    def _first_moments(self, moving: Flow, t: float, state: Array) -> Array:
        """The guards at the start of a stage and a little later, (18, g), by its Taylor polynomial."""
        full = np.concatenate([state, np.zeros(len(moving.works))])
        step = min(moving.reach(t, full), self.until - t)
        times = t + (step if np.isfinite(step) else min(self.until - t, 1.0)) * FIRST
        states, _ = moving.leap(t, full, times)
        states[0] = full
        return moving.guards(times, states)

    def _note(self, mode: Mode, sizes: Array) -> None:
        """Take note of the sizes of switching functions, by those of the guards."""
        for place, (kind, g) in enumerate(self.staging.staged(mode).meanings):
            if kind == "gate" and np.isfinite(sizes[place]):
                self.judge.scales[g] = max(self.judge.scales[g], float(sizes[place]))

    def _floors(self, scene: Scene, mode: Mode, outcome: Outcome) -> Array:
        """What counts as zero of each guard."""
        now, out = scene.now, []
        size, speed = max(outcome.size, 1e-300), max(self.judge.speed, 1e-300)
        for kind, i in self.staging.staged(mode).meanings:
            if kind in ("release", "normal"):
                out.append(size / (scene.length(now.A[i]) or 1.0))
            elif kind == "touch":
                out.append(self._extent(scene, i) * float(np.linalg.norm(now.A[i])) * FINE / NOISE)
            elif kind in ("stop", "pace", "up", "down", "hold"):
                J, _, s, _, _ = scene.lay(i, self.staging.switches.active(mode))
                unit = max((scene.length(row) for row in J), default=1.0)
                length = max((float(np.linalg.norm(row)) for row in J), default=1.0)
                pace = length * speed if len(J) == 1 else float(np.linalg.norm(s))
                one = pace if kind in ("stop", "pace") else size / unit
                out.append(one**2 if kind == "hold" else one)
            elif kind == "gate":
                lam = outcome.multipliers
                out.append(self.judge.scale(scene, i, lam) or 1e-300)
            else:
                out.append(1.0)
        return NOISE * np.array(out)

    def _resumed(self, mode: Mode) -> Ready:
        """A mode that is known to hold here."""
        scene = self.judge.scene(self.t, self.state, mode.signs)
        slow = tuple(max(x, 0.0) for x in self._slow(scene, mode, None))
        moving = self._engine(self.t, self.state, mode, slow)
        floors = self._known_floors(mode, moving, self.state)
        now = moving.guards(np.array([self.t]), self.state[None, :])[0]
        ties = [i for i in range(len(floors)) if now[i] <= 1e3 * floors[i]]
        return Ready(mode, moving, ties, _padded(floors + np.maximum(0.0, -now[: len(floors)]), len(now)), None)

    # Frictions in a plane

    def _slow(self, scene: Scene, mode: Mode, fired: Meaning | None) -> tuple[float, ...]:
        """The speed at which a plane friction is brought to rest; negative where it is at rest and begins to slip."""
        out = []
        active = self.staging.switches.active(mode)
        for k, rub in enumerate(self.staging.switches.rubs):
            if mode.rubs[k] != SLIPS:
                out.append(0.0)
                continue
            lay = scene.lay(k, active)
            s = float(np.linalg.norm(lay.s))
            unit = max(float(np.linalg.norm(row)) for row in lay.J)
            stopped = fired is not None and fired == Meaning("stop", k)
            rest = stopped or s <= 1e-10 * unit * self.judge.speed
            out.append(-1.0 if rest else min(SLOWER * unit * self.judge.speed, s / 8))
        return tuple(out)

    def _push_off(self, outcome: Outcome) -> float:
        """How long the first moment of a plane slip is, to second order: its direction does not exist at rest."""
        size = float(np.abs(outcome.acceleration).max()) or 1.0
        tau = SLOW * min(self.until - self.t, float(np.sqrt(self.judge.size / size)) or 1.0)
        if self.judge.speed > 0:
            tau = min(tau, SLOW * self.judge.speed / size)
        return max(tau, 4 * EPS * max(abs(self.t), abs(self.until)))

    def _bridge(self, mode: Mode, moving: Flow, tau: float, a: Array) -> None:
        """Keep the samples of a moment that is gone through to second order."""
        inside = self.samples[: np.searchsorted(self.samples, self.t + tau, side="left")]
        states = np.array([_moved_on(self.state, at - self.t, a) for at in inside]).reshape(len(inside), 2 * self._n)
        works = np.tile(self.works, (len(inside), 1))
        end, episodes = _moved_on(self.state, tau, a), (Episode(self.t, moving.choice, mode),)
        moment = Status(Ending.SWITCHED, "a moment")
        self._parts.append(
            Record(inside, states, works, self.t, self.state, self.t + tau, end, self.works, moment, (), (), episodes, 0, 0.0)
        )
        self._episodes += episodes
        self.samples = self.samples[len(inside) :]

    def _at_rest(self, ready: Ready, meaning: Meaning) -> Meaning | None:
        """Bring a plane friction that heads for rest to it; then it has stopped, else it has not."""
        if meaning.kind == "pace":
            return None
        if meaning.kind != "stop" or ready.mode.rubs[meaning.index] != SLIPS:
            return meaning
        k = meaning.index
        scene = self.judge.scene(self.t, self.state, ready.mode.signs)
        lay = scene.lay(k, self.staging.switches.active(ready.mode))
        a = ready.flow.along(np.array([self.t]), self.state[None, :]).acceleration[0]
        if np.linalg.norm(lay.s) > SLOW * self.judge.speed * max(float(np.linalg.norm(row)) for row in lay.J):
            return None
        rate = lay.J @ a - lay.bias
        tau = -float(lay.s @ rate) / float(rate @ rate)
        if not (tau > 0 and np.linalg.norm(lay.s + rate * tau) <= STRAIGHT * np.linalg.norm(lay.s)):
            return None
        self._bridge(ready.mode, ready.flow, tau, a)
        self.t, self.state = self.t + tau, _moved_on(self.state, tau, a)
        return meaning

    # Impacts

    def _strike(self, mode: Mode) -> tuple[int, ...]:
        """The impact of contacts that close here, told; which were struck."""
        if not self.staging.switches.one_sided:
            return ()
        scene = self.judge.scene(self.t, self.state, tuple(s or 1 for s in mode.signs))
        touching = self.judge.touching(scene)
        if not any(self.judge.closing(scene, j) < 0 for j in touching):
            return ()
        return self._hit(scene, mode, touching, self._restitution, "impact")

    def _strike_dead(self, mode: Mode, resting: dict[int, float], closed: tuple[int, ...]) -> None:
        """The end of bounces that all but last no time: what is left of their velocity is taken."""
        scene = self.judge.scene(self.t, self.state, tuple(s or 1 for s in mode.signs))
        now = scene.now
        kept = [*self._hard(), *closed]
        A = now.A[[*kept, *resting]]
        rate = np.concatenate([np.zeros(len(kept)), [now.rate[j] for j in resting]])
        v = now.v - scene.raised(A.T @ (np.linalg.pinv(A @ scene.raised(A.T), rcond=1e-10, hermitian=True) @ rate))
        self.works[WORKS.index("impact")] += 0.5 * float((v - now.v) @ now.M @ (v + now.v))
        self.state = np.concatenate([self.state[: self._n], v])
        names = [c.name for c in self.staging.system.constraints]
        for j, left in resting.items():
            self._events = [e for e in self._events if not (e.time == self.t and e.kind == "impact" and e.name == names[j])]
            self._events.append(Event(self.t + left, "rest", names[j], "open", "closed", tuple(map(float, self.state))))

    def _hard(self) -> list[int]:
        s = self.staging.switches
        return [j for j in range(len(s.form.constraints)) if j not in s.one_sided]

    def _hit(self, scene: Scene, mode: Mode, touching: list[int], e: dict[int, float], kind: str) -> tuple[int, ...]:
        switches = self.staging.switches
        constraints = switches.form.constraints
        active = (*self._hard(), *touching)
        mu, _ = scene.probe.coefficients(scene.inputs, np.zeros(len(constraints)))
        friction = {}
        for k, rub in enumerate(switches.rubs):
            for j in rub.members:
                if j in touching and constraints[j].impact_friction:
                    lay = scene.lay(k, tuple(sorted((*self._hard(), j))))
                    unit = np.zeros(len(constraints))
                    unit[j] = 1.0
                    friction[j] = (mu[j] * scene.normal(j, unit), lay)
        del active
        tired = {j: 0.0 if abs(scene.now.rate[j]) < 1e-12 * self._pace(scene, j) else e[j] for j in touching}
        done = hit(scene, touching, self._hard(), tired, friction, lambda j: 1e-10 * self._pace(scene, j))
        before = {j: float(scene.now.rate[j]) for j in touching}
        self.state = np.concatenate([self.state[: self._n], done.velocity])
        self.works[WORKS.index("impact")] += done.energy
        after = self.judge.scene(self.t, self.state, tuple(s or 1 for s in mode.signs))
        for j in done.struck:
            old = "closed" if j in mode.closed else "open"
            new = "open" if after.now.rate[j] > 1e-10 * self._pace(scene, j) else "closed"
            if before[j] < 0 or new != old:
                self._events.append(Event(self.t, kind, constraints[j].name, old, new, tuple(map(float, self.state))))
        return done.struck

    def _extent(self, scene: Scene, j: int) -> float:
        """What the rounding of a gap is measured by: coordinates, and where it moves by itself, the way gone in all time."""
        way = abs(self.t) * self.judge.speed if scene.probe.moving[j] else 0.0
        return max(self.judge.size, way, 1e-300)

    def _pace(self, scene: Scene, j: int) -> float:
        return self.judge.speed * float(np.linalg.norm(scene.now.A[j]))

    def _rest(self, before: Mode, struck: tuple[int, ...]) -> None:
        """Let the contacts just struck rest whose bounces have become too low to be seen."""
        decided = next(self._candidates(before, None), None)
        if decided is None:
            return
        scene = self.judge.scene(self.t, self.state, decided.mode.signs)
        resting = {}
        for j in self.judge.touching(scene):
            rate, e = float(scene.now.rate[j]), self._restitution[j]
            fall = float(scene.now.A[j] @ decided.outcome.acceleration - scene.now.b[j])
            if j not in decided.mode.closed and rate > 0 and fall < 0 and e < 1:
                low = LOW * self._extent(scene, j) * float(np.linalg.norm(scene.now.A[j]))
                if -(rate**2) / fall / 2 < low:
                    resting[j] = -2 * rate / fall / (1 - e) if j in struck else self._accumulates()
        if resting:
            self._strike_dead(before, resting, decided.mode.closed)

    def _accumulates(self) -> float:
        """How long it is to the end of switches that follow each other ever faster."""
        first, second = np.diff([*self._recent, self.t, self.t][-4:-1])[-2:] if len(self._recent) > 2 else (0.0, 0.0)
        return float(second**2 / (first - second)) if first > second > 0 else 0.0

    # The end

    def _crowded(self) -> Status | None:
        """The end of a run that switches without end in no time."""
        self._count += 1
        self._recent = [*self._recent[1 - CROWD :], self.t]
        if len(self._recent) == CROWD and self.t - self._recent[0] <= WITHIN * (self.until - self.t0):
            names = sorted({f"{e.kind} {e.name!r}" for e in self._events[-50:]})
            words = f"{CROWD} between t = {self._recent[0]:.12g} and {self.t:.12g}, and no end to them"
            return Status(Ending.SWITCHES, f"{words} ({', '.join(names)}): they accumulate (Zeno)")
        return None

    def _ended(self, status: Status, ready: Ready) -> Travelled:
        parts = self._parts
        times = np.concatenate([p.times for p in parts]) if parts else np.zeros(0)
        states = np.vstack([p.states for p in parts]) if parts else np.zeros((0, 2 * self._n))
        works = np.vstack([p.works for p in parts]) if parts else np.zeros((0, len(WORKS)))
        if len(self.samples) and self.samples[0] <= self.t and (not len(times) or times[-1] < self.t):
            times, states = np.append(times, self.samples[0]), np.vstack([states, self.state])
            works = np.vstack([works, self.works])
        elif not status.ok and not (len(times) and times[-1] == self.t):
            times, states = np.append(times, self.t), np.vstack([states, self.state])
            works = np.vstack([works, self.works])
        events = tuple(sorted(self._events, key=lambda e: e.time))
        projections = tuple(p for part in parts for p in part.projections)
        record = Record(
            times,
            states,
            works,
            self.t0,
            self._begin,
            self.t,
            self.state,
            self.works,
            status,
            events,
            projections,
            tuple(self._episodes),
            sum(p.steps for p in parts),
            max((p.drift for p in parts), default=0.0),
        )
        return Travelled(record, ready.flow, self._count)


def _next(switches: Switches, before: Mode, fired: Meaning) -> Iterator[Mode]:
    """The modes that may follow when one thing switches and all else stays."""
    kind, i = fired
    if kind in ("stop", "up", "down"):
        ways = {"stop": (STICKS, BACKWARD if before.rubs[i] == FORWARD else FORWARD), "up": (BACKWARD,), "down": (FORWARD,)}
        for way in ways[kind]:
            yield replace(before, rubs=(*before.rubs[:i], way, *before.rubs[i + 1 :]), still=())
    elif kind == "normal":
        k = switches.pressed.index(i)
        yield replace(before, normals=(*before.normals[:k], -before.normals[k], *before.normals[k + 1 :]))
    elif kind == "gate":
        yield replace(before, signs=(*before.signs[:i], -before.signs[i], *before.signs[i + 1 :]))


def _moved_on(state: Array, tau: float, a: Array) -> Array:
    """A state (2n,) after a moment, to second order."""
    q, v = np.split(state, 2)
    return np.concatenate([q + v * tau + a * tau**2 / 2, v + a * tau])


def _padded(floors: Array, size: int) -> Array:
    """The floors with none for the guards after them."""
    return np.concatenate([floors, np.zeros(size - len(floors))])
