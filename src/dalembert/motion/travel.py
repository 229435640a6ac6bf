"""A whole motion: one run where nothing switches, else stage after stage, each from a switch to the next."""

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.modes import SLIPS, Mode
from dalembert.derive.switching.stages import Meaning
from dalembert.engine import WORKS, Flow
from dalembert.model import StateError, refuse
from dalembert.motion.blame import FAILURES, at
from dalembert.motion.decide import Judge, Paradox
from dalembert.motion.planar import Bridge, moment_to_rest, moved_on
from dalembert.motion.ready import Ready, Successor
from dalembert.motion.record import Episode, Limits, Progress, Record
from dalembert.motion.run import Run
from dalembert.motion.staging import Staging
from dalembert.motion.status import Ending, Event, Status
from dalembert.motion.strikes import Strikes
from dalembert.motion.switching import told

AHEAD = 1e-3  # of a run: so far beyond its end a mode may be tried out
OFTEN = 0.1  # seconds between calls of progress
LAST = 1e-12  # of the time: what is left of a run that is none
CROWD, WITHIN = 2000, 1e-9  # so many switches within this fraction of a run are too many
BRIEF = 1e-3  # of the time so far: four switches within it are quick
ROUNDING = 1e-14  # of the energies there are
FAINT = 1e-26  # the square of a speed that is none
TRAIL = 64  # states of a stage by which the sizes of switching functions are known
IMPACT = WORKS.index("impact")


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
    past: "Past | None" = None,
    settle: bool = False,
) -> Travelled:
    """Move from a state (2n,) at t0 until a time; going on from a motion before, where there is one.

    `settle` puts a start that is a little off the constraints on them first. Raises StateError, MassError or
    ContradictionError where no motion begins.
    """
    if staging.switches:
        return Travel(staging, t0, state, samples, until, limits, progress, settle).go(past)
    moving = staging.flow(t0, state, None)
    full = np.concatenate([state, np.zeros(len(moving.works))])
    run = Run(moving, staging.system, staging.values, t0, full, samples, until, limits, progress)
    if settle:
        run.begin_on_constraints()
    return Travelled(run.go(), moving, 0)


class Past(NamedTuple):
    """What is known of a motion that goes on: the sizes of its coordinates and velocities (2n,), and its mode.

    The mode holds on as it is where the motion is gone over again (`same`); else it is what events are told against.
    """

    largest: Array
    mode: Mode | None
    same: bool


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
        self.t0, self.t, self.until, self.state = t0, t0, until, state
        self.samples, self.works, self.settle = samples, np.zeros(len(WORKS)), settle
        self.judge = Judge(staging.switches, staging.given)
        self._successor = Successor(staging, self.judge, until + AHEAD * (until - t0))
        self._strikes = Strikes(self.judge, self._checked(t0, state))
        self._begin = state
        self._ready: Ready | None = None
        self._parts: list[Record] = []
        self._events: list[Event] = []
        self._episodes: list[Episode] = []
        self._recent: deque[float] = deque(maxlen=CROWD)  # times of the last switches
        self._steps = 0
        self._count = 0
        self._last_told = -np.inf  # when progress was
        self._energy = 0.0  # the largest of energies and works so far

    def _checked(self, t: float, state: Array) -> dict[int, float]:
        """The restitutions; raises StateError with all that is wrong with them and with frictions at the start."""
        faults: list[str] = []
        out: dict[int, float] = {}
        try:
            out = self.staging.restitutions()
        except StateError as error:
            faults += error.faults
        try:
            scene = self.judge.scene(t, state, self._successor.blank().signs)
            scene.probe.coefficients(scene.inputs, np.zeros(len(self.staging.system.constraints)))
        except StateError as error:
            faults += error.faults
        refuse(StateError, "the run", faults)
        return out

    def go(self, past: Past | None = None) -> Travelled:
        """Move until the end, or until something ends it; going on from a motion before, where there is one."""
        self._clock = perf_counter()
        mode = None if past is None else past.mode
        if past is not None:
            self.judge.seen(past.largest)
        known = mode if past is not None and past.same else None
        if known is not None and not self._successor.at_rest_in_plane(self.t, self.state, known):
            self._ready = self._successor.resumed(self.t, self.state, known)
        try:
            status = self._loop(mode)
        except KeyboardInterrupt:
            if not self._parts:
                raise
            status = Status(Ending.INTERRUPTED, f"from the keyboard at t = {self.t:.9g} of {self.until:.9g}")
        return self._ended(status)

    def _loop(self, mode: Mode | None) -> Status:
        before, fired, known = mode, None, self._ready is not None
        while True:
            if not known and (status := self._begun(before, fired)):
                return status
            known, began = False, self.t
            assert self._ready is not None
            status, place = self._moved(self._ready)
            if status.ending == Ending.FINISHED and self._struck(self._ready.mode, None):
                self._sample_again()  # what closes just at the end has struck
            if status.ending != Ending.SWITCHED:
                return status
            before, meaning = self._ready.mode, self._meaning(self._ready.mode, place)
            if self.t > began:
                self._successor.failed.clear()
            else:
                self._successor.failed.add(before)
            if ended := self._jammed(meaning) or self._crowded() or self._late():
                return ended
            fired = self._stopped(self._ready, meaning)
            if self.until - self.t <= LAST * max(abs(self.t), abs(self.until)):
                if self._begun(before, fired) is None:
                    self._episodes.append(Episode(self.t, self._ready.flow.choice, self._ready.mode))
                self.state = moved_on(self.state, self.until - self.t, np.zeros(len(self.state) // 2))
                self.t = self.until
                return Status(Ending.FINISHED, f"reached t = {self.t:.12g}")

    def _begun(self, before: Mode | None, fired: Meaning | None) -> Status | None:
        """Begin the mode that follows; how the run ends where there is none."""
        try:
            self._ready = self._next(before, fired)
        except Paradox as paradox:
            where = self._where()
            if self._ready is None:
                raise StateError("the start", [f"{paradox}, at {where}"]) from None
            if self._ever_faster():
                words = f"they follow each other ever faster and accumulate (Zeno) near {where}"
                return Status(Ending.SWITCHES, words)
            return Status(Ending.PARADOX, f"{paradox}, at {where}")
        except FAILURES as error:
            if self._ready is None:
                raise
            return Status(Ending.BROKEN, f"no motion goes on from {self._where()}: {error}")
        return None

    def _where(self) -> str:
        return at(self.staging.system, self.t, self.state)

    def _next(self, before: Mode | None, fired: Meaning | None) -> Ready:
        """The mode from here on, after what impacts there are; what switched is told."""
        earlier = before or self._successor.blank()
        known = self._struck(earlier, fired)
        ready = self._successor.after(self.t, self.state, earlier, fired)
        t, state = ready.begin
        if before is not None:
            stopped = fired.place if fired is not None and fired.kind == "stop" else None
            self._events += told(self.staging.switches, before, ready.mode, t, tuple(map(float, state)), stopped, known)
            self._count += ready.mode != before or bool(known)
        v, new = self.state[len(state) // 2 :], state[len(state) // 2 :]
        if (v != new).any():  # put on the rows of the mode: a kink of a constraint takes energy, rounding does not
            M = self.judge.scene(t, self.state, tuple(s or 1 for s in ready.mode.signs)).now.M
            taken = 0.5 * float((new - v) @ M @ (new + v))
            self._book(taken if abs(taken) > ROUNDING * self._energy else 0.0)
        self.state = state
        if ready.bridge:
            self._cross(ready.mode, ready.flow, ready.bridge, "nonideal")
        return ready

    def _struck(self, before: Mode, fired: Meaning | None) -> set[str]:
        """Let contacts that close here strike, and bounces that can no longer be seen rest; which are told of."""
        signs = self._successor.signs_now(self.t, self.state, before, fired)
        mode = replace(before, signs=signs)
        struck = self._strikes.at(self.t, self.state, mode)
        if struck is None:
            return set()
        if struck.faint:
            likely = next(self._successor.candidates(self.t, struck.state, mode, None), None)
            if likely is not None:
                struck = self._strikes.rest(self.t, struck, mode, likely, self._accumulates) or struck
        self.state = struck.state
        self._book(struck.energy)
        self._events += struck.events
        if struck.rolls is not None and self._ready is not None:  # what is left of the bounces has no friction
            self._cross(before, self._ready.flow, struck.rolls, "ideal" if self._strikes.moving else "force")
        return {e.name for e in struck.events}

    def _sample_again(self) -> None:
        """Take the last sample back, to be what it is after a switch at its time."""
        last = self._parts[-1]
        if len(last.times) and last.times[-1] == self.t:
            self._parts[-1] = replace(last, times=last.times[:-1], states=last.states[:-1], works=last.works[:-1])
            self.samples = np.array([self.t])

    def _book(self, energy: float) -> None:
        """Count energy as the work of impulses."""
        self.works = self.works + energy * (np.arange(len(WORKS)) == IMPACT)

    def _late(self) -> Status | None:
        """The end of a run that has taken as long as it may."""
        if perf_counter() - self._clock > self.limits.seconds:
            where = f"at t = {self.t:.9g} of {self.until:.9g}"
            return Status(Ending.CLOCK, f"{self.limits.seconds:g} s have passed {where}")
        return None

    def _moved(self, ready: Ready) -> tuple[Status, int]:
        """Move in a mode until it ends; how it ended, and the guard that fell."""
        moving = ready.flow
        full = np.concatenate([self.state, np.zeros(len(moving.works))])
        steps = self._steps
        limits = replace(self.limits, steps=self.limits.steps - steps)
        statement = self.staging.staged(ready.mode).stage.statement
        values = self.staging.values_of(ready.mode)
        run = Run(moving, statement, values, self.t, full, self.samples, self.until, limits, self._progress(steps))
        run.began, run.earlier = self._clock, steps
        run.size = max(self._energy, FAINT * ready.inertia)
        run.largest[: len(self.state)] = np.concatenate([self.judge.places, self.judge.speeds])
        if self.settle:
            run.begin_on_constraints()
            self.settle = False
        record = run.go(ready.ties, ready.floors.after)
        works, kept = record.works + self.works, len(record.times)
        if record.status.ending == Ending.SWITCHED and kept and record.times[-1] == record.time:
            kept -= 1  # a sample at the switch is taken after it
        record = replace(
            record,
            times=record.times[:kept],
            states=record.states[:kept],
            works=works[:kept],
            end_works=record.end_works + self.works,
        )
        self._take(record, ready.mode)
        self.judge.seen(run.largest)
        self._energy = max(self._energy, run.size)
        if self.staging.switches.gated.gates:
            times, states = (np.concatenate(parts)[-TRAIL:] for parts in zip(*run.trail, strict=True))
            self._successor.note(ready.mode, np.abs(moving.guards(times, states)).max(axis=0))
        return record.status, -1 if run.fired is None else run.fired

    def _take(self, record: Record, mode: Mode) -> None:
        """Keep a part of the motion and stand at its end."""
        self._parts.append(record)
        self._steps += record.steps
        self._episodes += [e._replace(mode=mode) for e in record.episodes]
        self._events += record.events
        self.samples = self.samples[len(record.times) :]
        self.t, self.state, self.works = record.time, record.end, record.end_works

    def _cross(self, mode: Mode, moving: Flow, bridge: Bridge, who: str) -> None:
        """Go through a moment to second order, and keep the samples in it; the energy it takes is the work of `who`."""
        tau, a = bridge
        ends = np.array([self.state, moved_on(self.state, tau, a)])
        before, after = moving.along(np.array([self.t, self.t + tau]), ends).energy
        self.works = self.works + (after - before) * (np.arange(len(WORKS)) == WORKS.index(who))
        inside = self.samples[: np.searchsorted(self.samples, self.t + tau, side="left")]
        states = [moved_on(self.state, float(time) - self.t, a) for time in inside]
        self._take(
            Record(
                times=inside,
                states=np.array(states).reshape(len(inside), len(self.state)),
                works=np.tile(self.works, (len(inside), 1)),
                begin_time=self.t,
                begin=self.state,
                time=self.t + tau,
                end=moved_on(self.state, tau, a),
                end_works=self.works,
                status=Status(Ending.SWITCHED, "a moment"),
                events=(),
                projections=(),
                episodes=(Episode(self.t, moving.choice),),
                steps=0,
                drift=0.0,
            ),
            mode,
        )

    def _stopped(self, ready: Ready, meaning: Meaning) -> Meaning | None:
        """What has switched: a friction in a plane that heads for rest is brought to it, else it has not stopped."""
        if meaning.kind == "pace":
            return None
        if meaning.kind != "stop" or ready.mode.rubs[meaning.place] != SLIPS:
            return meaning
        scene = self.judge.scene(self.t, self.state, ready.mode.signs)
        a = ready.flow.along(np.array([self.t]), self.state[None, :]).acceleration[0]
        tau = moment_to_rest(self.judge, scene, ready.mode, meaning.place, a, self.until - self.t0)
        if tau is None:
            return None
        self._cross(ready.mode, ready.flow, Bridge(tau, a), "nonideal")
        return meaning

    def _meaning(self, mode: Mode, place: int) -> Meaning:
        meanings = self.staging.staged(mode).meanings
        return meanings[place] if place < len(meanings) else Meaning("jam", place - len(meanings))

    def _progress(self, steps: int) -> Callable[[Progress], object] | None:
        told_to = self.progress
        if told_to is None:
            return None

        def tell(now: Progress) -> object:
            if perf_counter() - self._last_told < OFTEN:
                return None
            self._last_told = perf_counter()
            return told_to(Progress((now.time - self.t0) / (self.until - self.t0), now.time, now.steps + steps))

        return tell

    def _accumulates(self) -> float:
        """How long it is to the end of switches that follow each other ever faster: the sum of what is left of them."""
        if len(self._recent) < 3:
            return 0.0
        first, second = np.diff([self._recent[k] for k in (-3, -2, -1)])
        return float(second**2 / (first - second)) if first > second > 0 else 0.0

    def _ever_faster(self) -> bool:
        """Whether switches follow each other in ever shorter times, and have become many."""
        spans = np.diff(list(self._recent)[-13::4])
        brief = len(spans) == 3 and spans[-1] < BRIEF * (self.t - self.t0)
        return bool(brief and (spans[1:] < 0.9 * spans[:-1]).all())

    def _jammed(self, meaning: Meaning) -> Status | None:
        """The end of a run where friction is no longer what it can be: unique, and against the motion."""
        if meaning.kind == "coefficient":
            name = self.staging.system.constraints[meaning.place].name
            words = (
                f"the friction of constraint {name!r} has a coefficient that falls below zero, or a static one below it"
            )
            return Status(Ending.BROKEN, f"{words}, at {self._where()}")
        if meaning.kind != "jam":
            return None
        words = "friction and rigidity leave no unique motion from here on (Painlevé)"
        return Status(Ending.PARADOX, f"{words}, at {self._where()}")

    def _crowded(self) -> Status | None:
        """The end of a run that switches without end in no time."""
        self._recent.append(self.t)
        if len(self._recent) == CROWD and self.t - self._recent[0] <= WITHIN * (self.until - self.t0):
            names = sorted({f"{e.kind} {e.name!r}" for e in self._events[-50:]})
            words = f"{CROWD} between t = {self._recent[0]:.12g} and {self.t:.12g}, and no end to them"
            return Status(Ending.SWITCHES, f"{words} ({', '.join(names)}): they accumulate (Zeno)")
        return None

    def _ended(self, status: Status) -> Travelled:
        assert self._ready is not None
        parts, last = self._parts, len(self.samples) > 0 and self.samples[0] <= self.t
        times = [p.times for p in parts]
        states, works = [p.states for p in parts], [p.works for p in parts]
        if last or (not status.ok and not any(len(p) and p[-1] == self.t for p in times[-1:])):
            times.append(self.samples[:1] if last else np.array([self.t]))
            states.append(self.state[None, :])
            works.append(self.works[None, :])
        record = Record(
            times=np.concatenate(times),
            states=np.vstack(states),
            works=np.vstack(works),
            begin_time=self.t0,
            begin=self._begin,
            time=self.t,
            end=self.state,
            end_works=self.works,
            status=status,
            events=tuple(sorted(self._events, key=lambda e: e.time)),
            projections=tuple(p for part in parts for p in part.projections),
            episodes=tuple(self._episodes),
            steps=self._steps,
            drift=max(p.drift for p in parts),
        )
        return Travelled(record, self._ready.flow, self._count)
