"""The run itself: an engine moved stretch by stretch, watched, put back on the constraints, and ended in words."""

from collections.abc import Callable, Sequence
from math import sqrt
from time import perf_counter

import numpy as np

from dalembert.derive import Array
from dalembert.engine import POWERS, Flow, Piece, Watch, flow
from dalembert.model import Statement
from dalembert.motion.blame import FAILURES, at, blame
from dalembert.motion.guard import LOST, LOW, ROOT, ZERO, Low, Positive, drift, natural_time
from dalembert.motion.projection import Return
from dalembert.motion.record import Episode, Limits, Progress, Record, Stretch, all_works
from dalembert.motion.status import Ending, Event, Projection, Status

STRETCH = 0.1  # seconds between looks at the clock, the keyboard and the drift
FIRST, MOST = 512, 100_000  # steps in the first stretch, and in any
NUMBERS = 4_000_000  # of states held for one stretch
WEAK = 1e-2  # a pivot below this makes a run look for better rows, where there are others
AIM = 16.0  # a long run is put back on the constraints at this fraction of the bound already: it drifts as t²
BRIDGE, CROSSING = 24, 2000  # steps of the plain twin over a point without a Taylor series, to nowhere or to a time
STEEP, LONGEST = 0.01, 8192  # a fall of pivots that is looked at as a whole, in a stretch of at most so many steps
APART = 1e-9  # how far they must lead
TRAIL = 8  # stretches kept to leap from
FAINT = 1e-3  # a pivot this small where the constraints are left is why
EXACT = 1e-9  # the last terms of a series that may pass over a singular place
UNSEEN = 128  # looks at a run at the least, and steps where a force may be too faint to be seen from afar
CLOSELY = 4  # looks a step at what stands under roots
JUMP = 100  # a drift of so many bounds at once is no drift: the equations were not solved there
UNBALANCED = 1e-7  # a gap between energy and work, relative to their size, that is no rounding
SHORTEST = 1e-7  # the shortest step, relative to the run, tried to close it
FREE = 16.0  # times what things take: the longest step of a motion that is a polynomial
APPROACH, SHRINKS = 64, 16  # the first moments of a stage, over a step, and how often they are made shorter
HOPELESS = 1e-6  # a distance from the constraints that projection cannot leave means contradictory rows


class Run:
    """One run: made, `go` once, and left."""

    def __init__(
        self,
        moving: Flow,
        system: Statement,
        values: Array,
        t0: float,
        state: Array,
        samples: Array,
        until: float,
        limits: Limits,
        progress: Callable[[Progress], object] | None = None,
    ) -> None:
        self.flow, self.system, self.values = moving, system, values
        self.t0, self.t, self.until, self.state = t0, t0, until, state
        self.samples, self.limits, self.progress = samples, limits, progress
        self._n = len(system.coordinates)
        self._begin = state
        self._back = Return(system, values, t0, state)
        self._before = (t0, state)
        self.trail = [(np.array([t0]), state[None, :])]  # the last stretches, to leap from
        self._times: list[Array] = []
        self._states: list[Array] = []
        self._events: list[Event] = []
        self._projections: list[Projection] = []
        self._episodes = [Episode(t0, moving.choice)]
        self._steps, self._drift, self._bound = 0, 0.0, limits.drift
        self._most_steps = moving.first
        self._cap = min(limits.step, (until - t0) / UNSEEN if moving.steep else np.inf)  # of the step
        self._spacing = min(moving.reach(t0, state), (until - t0) / 4, self._cap)  # about one step
        self._weak, self._crossed = WEAK, -np.inf
        self._balance: float | None = None
        self.size = 0.0  # of energies and works so far
        self._slack = max(UNBALANCED, 1e4 * float(str(moving.facts["tolerance"])))
        self.largest = np.abs(state)  # of each coordinate, velocity and work
        self.began, self.earlier = perf_counter(), 0  # the clock, and the steps before this run
        self._guarded = False
        self.fired: int | None = None  # the guard that ended a stage
        self._pivots = Positive(lambda watch: watch.pivots, self._zeros())
        self._radicands = Positive(lambda watch: watch.radicands, ROOT)

    def go(self, ties: Sequence[int] = (), zero: Callable[[Array], Array] | None = None) -> Record:
        """Move until the end, or until something ends it; `ties` are the guards that begin at zero (see `leave`)."""
        if len(self.samples) and self.samples[0] <= self.t0:
            self._keep(self.samples[:1], self.state[None, :])
        try:
            self._guarded = zero is not None
            self._bound_step()
            status = (self.leave(ties, zero) if zero is not None else None) or self._loop()
        except KeyboardInterrupt:
            status = Status(Ending.INTERRUPTED, f"from the keyboard {self._where()}")
        done = status.ending in (Ending.FINISHED, Ending.SWITCHED)
        if not done and not (self._times and self._times[-1][-1] == self.t):
            self._times.append(np.array([self.t]))
            self._states.append(self.state[None, :])
        n2 = 2 * self._n
        states = np.vstack(self._states) if self._states else np.zeros((0, len(self.state)))
        return Record(
            np.concatenate(self._times) if self._times else np.zeros(0),
            states[:, :n2],
            all_works(states[:, n2:], self.flow.works),
            self.t0,
            self._begin[:n2],
            self.t,
            self.state[:n2],
            all_works(self.state[None, n2:], self.flow.works)[0],
            status,
            tuple(self._events),
            tuple(self._projections),
            tuple(self._episodes),
            self._steps,
            self._drift,
        )

    def begin_on_constraints(self) -> None:
        """Put a start that is a little off on the constraints, or its distance would be taken for drift."""
        here = np.array([self.t0]), self.state[None, :]
        before = float(drift(self.flow.watch(*here), here[1], self._n)[0])
        if before <= self._bound / 2:
            return
        place, after = self._back.project(self.flow, self.t0, self.state)
        if after < before:
            self.state = self._begin = place
            self._before = (self.t0, place)
            self._back = Return(self.system, self.values, self.t0, place)
            self._projections.append(Projection(self.t0, before, after))
        self._bound = max(self._bound, 4 * min(before, after))  # rounding at this state may allow no better

    def _loop(self) -> Status:
        while self.t < self.until:
            if status := self._limit():
                return status
            begin, before = perf_counter(), self.t
            self._bound_step()
            grid, wanted = self._grid()
            steps = int(min(self._most_steps, self.limits.steps - self._steps))
            piece = self.flow.advance(self.t, self.state, grid, steps, self._cap)
            if status := self._take(piece, wanted):
                return status
            if self.t > before:
                self._pace(perf_counter() - begin, piece.steps)
        return Status(Ending.FINISHED, f"reached t = {self.t:.12g}")

    def _bound_step(self) -> None:
        """Where a step has no end of its own, as in free fall, a root far inside it would be lost: bound it."""
        if not self._guarded or self.flow.reach(self.t, self.state) < np.inf:
            return
        n = self._n
        a = self.flow.along(np.array([self.t]), self.state[None, :]).acceleration[0]
        self._cap = min(self.limits.step, FREE * natural_time(self.largest[:n], self.state[n : 2 * n], a))
        self._spacing = min((self.until - self.t0) / 4, self._cap)

    def _limit(self) -> Status | None:
        """Whether a limit or the caller ends the run here."""
        if self._steps >= self.limits.steps:
            return Status(Ending.STEPS, f"{self.earlier + self._steps} steps were taken {self._where()}")
        if perf_counter() - self.began > self.limits.seconds:
            return Status(Ending.CLOCK, f"{self.limits.seconds:g} s have passed {self._where()}")
        if self.progress is not None:
            fraction = (self.t - self.t0) / (self.until - self.t0)
            if self.progress(Progress(fraction, self.t, self._steps)) is False:
                return Status(Ending.STOPPED, f"by the progress callback {self._where()}")
        return None

    def _where(self) -> str:
        return f"at t = {self.t:.9g} of {self.until:.9g}"

    def _grid(self) -> tuple[Array, Array]:
        """The next times to look at, and which of them are samples: about one a step at least, and the last."""
        most = max(16, NUMBERS // len(self.state))
        samples = self.samples[:most]
        ahead = min(self.until, self.t + 1.5 * self._spacing * self._most_steps)
        if len(samples) == most:
            ahead = min(ahead, float(samples[-1]))
        samples = samples[: np.searchsorted(samples, ahead, side="right")]
        apart = min(self._spacing / (CLOSELY if self.flow.roots else 1), (self.until - self.t0) / UNSEEN)
        if len(samples) * apart >= 0.5 * (ahead - self.t) and samples[-1] == ahead:
            return samples, np.ones(len(samples), dtype=bool)
        count = int(min(most, np.ceil((ahead - self.t) / apart)))
        checks = np.linspace(self.t, ahead, count + 1)[1:]
        grid = np.union1d(samples, checks) if len(samples) else checks
        grid = grid[grid > self.t]
        return grid, np.isin(grid, samples)

    def _take(self, piece: Piece, wanted: Array) -> Status | None:
        """Watch a piece and keep what holds of it; where something is amiss, act on it and end the piece there."""
        self._steps += piece.steps
        s = self._stretch(piece, wanted)
        off = np.flatnonzero(~(s.drift <= self._bound))
        first = int(off[0]) if len(off) else len(s.times)
        pivots = self._pivots.relative(s.watch, first)
        if self._falling(piece, pivots):
            self._most_steps *= 2
            return None  # from the same state again, to see what they fall to
        again, status = self._unbalanced(s, first)
        if again or status is not None:
            return status
        weak = self._weak_place(pivots, first)
        if weak is not None and self._choose(float(s.times[weak]), s.states[weak]):
            self._accept(s, weak)
            return None
        for k in self._pivots.suspects(pivots):
            if k > first and pivots[first : k + 1].min(axis=1).max() > LOW:
                break  # the constraints are left before, and not because of this
            low = self._look(self._pivots, s, k)
            if low.vanishes and low.time > self._crossed:
                before = max(min(k, first) - 1, 1)
                if self._others() and self._choose(float(s.times[before]), s.states[before]):
                    self._accept(s, before)
                    return None
                return self._end_or_pass(s, min(k, first), low)
        for k in (
            ()
            if not self.flow.roots
            else self._radicands.suspects(self._radicands.relative(s.watch, first)[: first + 1])
        ):
            low = self._look(self._radicands, s, k)
            if low.vanishes and low.time > self._crossed:
                self._accept(s, max(k - 1, 1))
                return self._cross(float(s.times[min(k + 1, len(s.times) - 1)]), "the root of zero")
        if first < len(s.times) and s.drift[first] > JUMP * self._bound:
            low = self._look(self._pivots, s, first)
            if low.value < FAINT:
                return self._end_or_pass(s, first, low)
            self._accept(s, max(first - 1, 1))
            return self._left(s.watch, first)
        if first < len(s.times):
            self._drift = max(self._drift, float(s.drift[:first].max()))
            return self._project(s, first)
        self._drift = max(self._drift, float(s.drift.max()))
        if s.drift[-1] > self._bound / AIM and piece.time < self.until and piece.steps >= FIRST // 8:
            return self._project(s, len(s.times) - 1) or self._switched(piece)
        self._accept(s, len(s.times) - 1)
        if piece.broken:
            return self._cross(None, piece.broken)
        return self._switched(piece)

    def _switched(self, piece: Piece) -> Status | None:
        """The end of a stage where a guard has fallen to zero."""
        self.fired = piece.fired
        return None if piece.fired is None else Status(Ending.SWITCHED, self._where())

    def leave(self, ties: Sequence[int], zero: Callable[[Array], Array]) -> Status | None:
        """The first moments of a stage some of whose guards begin at zero: not looked at until they have risen.

        `zero` is what counts as zero of each guard (k, g), times (k,) after the start. Guards that stay there are not
        looked at for longer and longer.
        """
        places, begin = list(ties), self.t
        longest = min(self._spacing / APPROACH, self.until - self.t)
        while places and self.t < self.until:
            status = self._approach(places, longest, lambda times: zero(times - begin))
            if status is not None or not places:
                return status
            longest = min(4 * longest, self.until - self.t)
        return None

    def _approach(self, places: list[int], longest: float, zero: Callable[[Array], Array]) -> Status | None:
        """A moment without a look at some guards, at most so long; those that have risen are taken off the list."""
        for k in range(SHRINKS):
            end = self.t + longest / 8.0**k
            if not end > self.t:
                break
            inside = self.samples[: np.searchsorted(self.samples, end, side="right")]
            grid = np.union1d(inside, np.linspace(self.t, end, 9)[1:])
            grid = grid[grid > self.t]
            self.flow.look_away(places)
            piece = self.flow.advance(self.t, self.state, grid, FIRST, self._cap)
            self.flow.look_away()
            if piece.broken or not len(piece.times):
                continue
            times, states = np.append(piece.times, piece.time), np.vstack([piece.states, piece.end])
            values = self.flow.guards(times, states)[:, places]
            bounds = zero(times)[:, places]
            risen = values > bounds
            still: list[bool] = [not any(column) for column in risen.T]
            if (values >= -bounds).all() and (risen[-1] | np.array(still)).all():  # and not fallen again
                places[:] = [place for place, stays in zip(places, still, strict=True) if stays]
                return self._take_unseen(piece, grid, inside)
        self.fired = places[0]
        return Status(Ending.SWITCHED, self._where())

    def _take_unseen(self, piece: Piece, grid: Array, inside: Array) -> Status | None:
        """Keep a piece that is too short to go wrong in."""
        self._steps += piece.steps
        if len(inside):
            wanted = np.isin(grid[: len(piece.times)], inside)
            self._keep(piece.times[wanted], piece.states[wanted])
        self._before, self.t, self.state = (self.t, self.state), piece.time, piece.end.copy()
        return self._switched(piece)

    def _stretch(self, piece: Piece, wanted: Array) -> Stretch:
        reached, states, marks = piece.times, piece.states, wanted[: len(piece.times)]
        if not (len(reached) and reached[-1] == piece.time):
            reached, states = np.append(reached, piece.time), np.vstack([states, piece.end])
            marks = np.append(marks, False)
        times = np.concatenate([[self._before[0], self.t], reached])
        states = np.concatenate([[self._before[1], self.state], states])
        watch = self.flow.watch(times, states)
        away = drift(watch, states, self._n)
        away[:2] = 0.0  # they are behind
        return Stretch(times, states, np.concatenate([[False, False], marks]), watch, away)

    def _unbalanced(self, s: Stretch, first: int) -> tuple[bool, Status | None]:
        """Whether energy and work no longer agree: a step has passed over what it could not see at its beginning.

        The stretch is then done again by shorter steps (True), and at last the run ends.
        """
        energy, works = s.watch.energy[:first], s.states[:first, 2 * self._n :]
        balance = energy - works.sum(axis=1) if works.shape[1] else energy
        if self._balance is None:
            self._balance = float(balance[0])
            self.size = max(self.size, float(abs(energy[0]) + abs(s.watch.kinetic[0])))
        away = np.abs(balance - self._balance)
        if away.max() <= self._slack * self.size:
            return False, None
        sizes = np.abs(energy) + np.abs(s.watch.kinetic[:first]) + np.abs(works).sum(axis=1)
        self.size = max(self.size, float(sizes[np.isfinite(sizes)].max(initial=0.0)))
        if (away <= self._slack * self.size).all() or (first < 3 and len(s.times) > first):
            return False, None
        self._cap = min(self._cap, (s.times[-1] - self.t) / 4, self._cap / 8)
        self._spacing = min(self._spacing, self._cap)
        if self._cap > SHORTEST * (self.until - self.t0):
            return True, None
        worst = int(np.argmax(~(away <= self._slack * self.size)))
        self._accept(s, max(worst - 1, 1))
        where = at(self.system, self.t, self.state)
        words = f"energy and work no longer agree after {where}: a force changes too fast to be seen"
        return False, Status(Ending.BROKEN, words)

    def _falling(self, piece: Piece, pivots: Array) -> bool:
        """Whether the steps of a stretch ran out while a pivot fell steeply: towards zero steps become very small."""
        if piece.broken or piece.steps < self._most_steps or self._most_steps > LONGEST or not pivots.shape[1]:
            return False
        low = pivots[1:].min(axis=1)
        return bool(low[-1] < STEEP * low.max() and low[-1] <= low[-2])

    def _look(self, quantity: Positive, s: Stretch, k: int) -> Low:
        """The minimum of a quantity next to a place."""
        begin, end = max(k - 1, 0), min(k + 1, len(s.times) - 1)
        if s.times[end] > s.times[begin]:
            return quantity.least(self.flow, float(s.times[begin]), s.states[begin], float(s.times[end]), k)
        return Low(float(s.times[k]), 0, np.inf, False, float(s.times[k]), s.states[k])

    def _weak_place(self, pivots: Array, before: int) -> int | None:
        """Where a pivot is weak while there are other rows to take."""
        if not self._others() or not pivots.shape[1]:
            return None
        places = np.flatnonzero(pivots[2:before].min(axis=1) < self._weak) + 2
        return int(places[0]) if len(places) else None

    def _zeros(self) -> Array:
        """What counts as zero of each pivot."""
        return np.array([ZERO] * self.flow.masses + [LOST] * self.flow.rows)

    def _others(self) -> bool:
        """Whether there are rows that the elimination does not stand on."""
        return len(self.flow.choice.rows) < len(self.system.constraints)

    def _choose(self, t: float, state: Array) -> bool:
        """Take better rows where there are any; else be content with weaker pivots."""
        try:
            changed = self.flow.choose(t, state)
        except FAILURES:  # what stops the motion is told by its own check
            changed = False
        if not changed:
            self._weak /= 10
            return False
        self._weak = WEAK
        self._pivots.forget(self._zeros())
        names = ", ".join(self.system.constraints[r].name for r in self.flow.choice.rows)
        self._events.append(Event(t, "rows", names))
        self._episodes.append(Episode(t, self.flow.choice))
        return True

    def _lost(self, low: Low) -> str:
        """What is lost where a pivot is zero, in words."""
        what = self.flow.pivots[low.column]
        if low.column < self.flow.masses:
            return f"the mass matrix is singular at t = {low.time:.9g}: {what} vanishes"
        return f"the rank of the constraints drops at t = {low.time:.9g}: {what} becomes dependent on the others"

    def _end_or_pass(self, s: Stretch, k: int, low: Low) -> Status | None:
        """What the caller wishes where a pivot is zero."""
        return self._singular(s, k, low) if self.limits.singular == "stop" else self._pass(s, k, low)

    def _singular(self, s: Stretch, k: int, low: Low) -> Status:
        """The end of a run where a pivot reaches zero: its last sound state before."""
        self._accept(s, max(k - 1, 1))
        if low.sound_time > self.t:
            self.t, self.state = low.sound_time, low.sound_state
        return Status(
            Ending.SINGULAR, f"{self._lost(low)}. The last state before it: {at(self.system, self.t, self.state)}"
        )

    def _pass(self, s: Stretch, k: int, low: Low) -> Status | None:
        """Over a zero of a pivot by the series of a place well before it, as the caller wished."""
        self._accept(s, max(k - 1, 1))
        each, leap, best = (low.time - self.t0) / max(self._steps, 1), None, EXACT
        for begin, state in ((float(t), y) for times, states in self.trail for t, y in zip(times, states, strict=True)):
            if low.time - begin < each / 4:
                break
            end = min(low.time + 0.5 * (low.time - begin), self.until)
            inside = self.samples[: np.searchsorted(self.samples, end, side="right")]
            grid = np.union1d(inside, [end])
            states, error = self.flow.leap(begin, state, grid)
            if error < best:
                best, leap = error, (grid, states, np.isin(grid, inside))
        if leap is None:
            return self._singular(s, k, low)
        grid, states, wanted = leap
        states[-1], after = self._back.project(self.flow, float(grid[-1]), states[-1])
        if not after <= HOPELESS:
            return self._singular(s, k, low)
        over = self._stretch(Piece(grid, states, float(grid[-1]), states[-1], 1), wanted)
        self._accept(over, len(over.times) - 1)
        self._crossed = self.t
        self._events.append(Event(low.time, "passed", self._lost(low)))
        return None

    def _cross(self, to: float | None, why: str) -> Status | None:
        """Over a point that has an acceleration but no Taylor series (|v| at rest), steps of the plain twin.

        To a time, or, where none is given, a few steps; ends the run where the twin cannot go on either.
        """
        began, twin_failed = self.t, True
        if self.flow.facts["engine"] != "plain" and (
            to is not None or self.t - self._crossed > APART * (1 + abs(self.t))
        ):
            twin_failed = self._by_twin(to)
        if twin_failed:
            fault = blame(self.system, self.values, self.t, self.state)
            return Status(Ending.BROKEN, f"{why}, at {at(self.system, self.t, self.state)}: {fault}")
        self._crossed = self.t
        self._events.append(Event(began, "crossing", f"{why}: crossed by the plain engine"))
        return None

    def _by_twin(self, to: float | None) -> bool:
        """Go on by the plain twin; whether it failed."""
        until = to if to is not None else float(self.samples[0]) if len(self.samples) else self.until
        inside = self.samples[: np.searchsorted(self.samples, until, side="right")]
        grid = np.union1d(inside, [until])
        began, (state, places) = self.t, self._for_twin()
        try:
            twin = flow("plain", self.system, self.values, self.t, self.state, float(str(self.flow.facts["tolerance"])))
            over = twin.advance(self.t, state, grid, BRIDGE if to is None else CROSSING)
            over = over._replace(states=over.states[:, places], end=over.end[places])
            s = self._stretch(over, np.isin(grid, inside))
        except FAILURES:
            return True
        self._steps += over.steps
        if over.time > self.t:
            self._accept(s, len(s.times) - 1)
        return bool(over.broken) or not self.t - began > APART * (1 + abs(began))

    def _for_twin(self) -> tuple[Array, list[int]]:
        """The state with all works, as the plain twin has it, and where the places of this engine are in it."""
        works = [2 * self._n + i for i, name in enumerate(POWERS) if name in self.flow.works]
        places = [*range(2 * self._n), *works]
        state = np.zeros(2 * self._n + len(POWERS))
        state[places] = self.state
        return state, places

    def _project(self, s: Stretch, k: int) -> Status | None:
        """Put the state at k back on the constraints and go on from there."""
        t, before = float(s.times[k]), float(s.drift[k])
        place, after = self._back.project(self.flow, t, s.states[k])
        if not after <= max(HOPELESS, self.limits.drift):
            self._accept(s, k - 1)
            return self._left(s.watch, k)
        s.states[k] = place
        self._accept(s, k)
        self._projections.append(Projection(t, before, after))
        self._drift = max(self._drift, min(before, self._bound))
        if after > self._bound / 2:
            self._bound = 4 * after  # rounding at this state allows no better
        return None

    def _left(self, watch: Watch, k: int) -> Status:
        rows = [
            f"{c.name!r} is at {level:.3g}, its rate at {rate:.3g}"
            for c, level, rate in zip(self.system.constraints, watch.level[k], watch.rate[k], strict=True)
        ]
        where = at(self.system, self.t, self.state)
        words = f"the motion leaves them after {where}, and there is no way back ({'; '.join(rows)})"
        return Status(Ending.LEFT, f"{words}: either they contradict each other, or they lose their rank there")

    def _accept(self, s: Stretch, last: int) -> None:
        """Keep the samples up to a place and stand there."""
        chosen = np.flatnonzero(s.wanted[: last + 1])
        if len(chosen):
            self._keep(s.times[chosen], s.states[chosen])
        self._pivots.settle(last)
        self._radicands.settle(last)
        self._before = (float(s.times[last - 1]), s.states[last - 1])
        self.largest = np.maximum(self.largest, np.abs(s.states[: last + 1]).max(axis=0))
        if last > 1:
            self.trail = [*self.trail[1 - TRAIL :], (s.times[2 : last + 1], s.states[2 : last + 1])]
        self.t, self.state = float(s.times[last]), s.states[last].copy()

    def _keep(self, times: Array, states: Array) -> None:
        self._times.append(times)
        self._states.append(states)
        self.samples = self.samples[len(times) :]

    def _pace(self, seconds: float, steps: int) -> None:
        """Choose the length of the next stretch by what this one took and how far it drifted."""
        most = min(MOST, 4 * self._most_steps, STRETCH * max(steps, 1) / seconds)
        if self._projections and self._projections[-1].time == self.t:
            aimed = steps * sqrt(self._bound / AIM / max(self._projections[-1].before, 1e-300))
            most = max(FIRST / 8, min(most, 1.2 * aimed))
        self._most_steps = max(1, int(most))
        elapsed, done = perf_counter() - self.began, self.t - self.t0
        self._spacing = done / max(self._steps, 1)
        if elapsed > STRETCH:
            self.flow.expect((self.until - self.t) / done * elapsed)
