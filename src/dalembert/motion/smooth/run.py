"""The run: a system moved course by course, each looked at before it counts, and ended in words."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from math import inf
from time import perf_counter
from typing import Any

import numpy as np

from dalembert.derive import Array
from dalembert.engine import OutOfTime, Steps, Watch, is_narrow, patterns
from dalembert.model import Statement
from dalembert.motion.blame import at
from dalembert.motion.keyboard import Keyboard, keyboard
from dalembert.motion.record import Limits, Progress, Record
from dalembert.motion.smooth.fading import Fading, row_of
from dalembert.motion.smooth.leg import Course, Leg, told_on
from dalembert.motion.smooth.minima import Minimum, least
from dalembert.motion.smooth.missed import is_missed, reach
from dalembert.motion.smooth.monitors import REGULAR, Problem, approaching, first_problem, jump_between, jumps
from dalembert.motion.smooth.mover import FADE, Moved, Mover, OnRows
from dalembert.motion.smooth.nearing import Near, Tops, left, nearing, tops
from dalembert.motion.smooth.passing import UNCARRIED, Over, again, last_sound, passed
from dalembert.motion.smooth.projection import distance, put_back
from dalembert.motion.smooth.recorder import Recorder
from dalembert.motion.smooth.roots import beyond_jump
from dalembert.motion.smooth.sides import CLOSER, Side, forces_jump, what_jumps
from dalembert.motion.smooth.undirected import told, without_direction
from dalembert.motion.smooth.view import View, seen
from dalembert.motion.smooth.watched import EVERY
from dalembert.motion.status import BRANCH, Ending, Event, Projection, Status
from dalembert.motion.tolerances import EPS, tolerance

POINTS = 400  # looks at a run at the least, spread over all of it
NARROW = 16  # times as many, where something in the statement may act within a small part of the way
FEWEST, MOST = 2, 512  # looks at a step
LONGER = 1.25  # times as long as is looked at so often
SLIGHT = 2.0**-20  # of a look: steps that are a simple part of a run are so in any units
GONE, FALL = 1e-15, 1e-3  # what vanishes where steps end, of its size at the start and a little before
BEFORE = 2.0**-20  # of the run: so long before
CLOSE = 2.0**12  # roundings of the time: in less a motion that grows without bound doubles
ALIKE = 4  # times as many: steps that are to be looked at so differently are not looked at together
SPENT = 400  # looks more than are asked for cost no more than looking twice
FIRST, LONGEST = 512, 1024  # steps of the first course, and of any
MANY = 32  # steps: a course of fewer asks for no projection by itself
WORK = 6e8  # of one course at most, in steps × size of the program × order²
NUMBERS = 2**18  # of the polynomials of one course: memory that is new costs more than what is done with it
SHORTER, TRIES = 4.0, 26  # by how much a step that fails is made shorter, and how often

OFTEN = 0.1  # seconds between calls of progress
SHORTLY = 2.0**-10  # of a step: so long after it a root that stays zero is told from one that is passed
FASTER = 2.0**20  # times a velocity that has become none: there its force is told from one that has no limit
NEARER, CALM = 2.0**-5, 0.5  # of the way to a root that becomes zero, and what is left of its force ever nearer
AROUND = 2.0**-22  # of a step: where a function jumps is known to this, by what touches zero there
BESIDE, FAR = 2.0**-26, 2.0**12  # of a step, and of the rounding of the time: so far beside it both sides are compared
SAME_PLACE = 1.25  # times as far: other rows that become dependent there do so at the same place
LEAVES = 3  # times in a row: a motion that leaves the constraints at once comes near a place where they lose their rank
COARSE = 2.0**8  # times the drift that is allowed: where an angle has turned often, its rounding is much
FURTHER = 4.0  # steps: how far their polynomials are then believed
HELD, STEPS = 16, 64  # legs, and steps of each
IN_VAIN, CRAWL = 256, 2.0**-12  # times in a row, within this part of a run: what stands, or is put back, gets nowhere
CREEP, TURNS = 2.0**-14, 2.0  # of a run in MANY_MORE steps, in which nothing moves to and fro: no end is near
MANY_MORE = 4096  # steps
ANEW = 4  # times in one place: weights of rows are taken again
OVER = ("passed", "crossing")  # told of a place by what leads over it
LEAP = 2.0**-10  # of a velocity: the way back onto the constraints changes it by less, or it is no rounding
NEAR = 8.0  # a root that is zero again within so many times the way beyond it stays zero


class Run:
    """One run of a system by a mover, smooth or across switches: made, `go` once, and left."""

    def __init__(
        self,
        engine: Any,
        mover: Mover,
        system: Statement,
        t0: float,
        state: Array,
        samples: Array,
        until: float,
        limits: Limits,
        progress: Callable[[Progress], object] | None = None,
    ) -> None:
        self.engine, self.mover, self.system = engine, mover, system
        self.t0, self.t, self.until, self.state = t0, t0, until, state
        self.limits, self.progress = limits, progress
        self.kept = Recorder.of(samples, (until - t0) / POINTS, limits.room)
        self._n = len(system.coordinates)
        self._begin = state
        self.sizes = self._largest = mover.sizes  # of late, and ever
        self._heights: list[tuple[float, Array]] = []
        self._made = np.zeros(len(state))  # what forces could make of a state in a step of late: it is known to that
        self._bound = limits.drift
        self._finest = min(
            limits.drift, tolerance("DRIFT") * engine.finest
        )  # the bound where steps are taken at machine precision
        self._coarse = engine.tolerance > engine.finest or limits.drift > self._finest
        self._sharp: float | None = None  # the bound before, while steps are taken at machine precision
        self._tops: dict[Any, Tops] = {}  # how large what may vanish has been, by program
        self._cap: tuple[float, float] | None = None  # a longest step, until a time
        self._reductions = 0
        self._drifts = 0  # in a row, in the first step of a course
        self._crossed = -inf
        self._expected: tuple[Problem, str] | None = None  # ahead, up to which all was sound when it was seen
        self._fading = Fading()
        self._left_rows: dict[tuple[int, ...], float] = {}  # the times ahead at which they become dependent
        self._weak: float | None = None  # pivots below this are too small; None: as the engine says
        self._crossings: tuple[float, float] = (-inf, 0.0)
        self._held: list[Leg] = []  # the last before here, to their whole steps: one may lead over a singular place
        self._before: tuple[Any, Watch] | None = None  # of a program, where the course begins
        self._balance: float | None = None
        self._rooted = inf  # from then on a step comes to a root that is zero
        self._unproved: Status | None = None  # how the run ends where something was kept that is not proved
        self._pending: list[Event] = []
        self._ceiling = LONGEST
        self._most = FIRST if mover.setup is None else min(FIRST, engine.most_steps(mover.setup, WORK, NUMBERS))
        self._told = -inf
        self._weighed = (-inf, 0)  # where weights of rows were taken again, and how often
        self._stood = (-inf, 0)  # where no step was taken, and how often
        self._projected: deque[tuple[float, int]] = deque(maxlen=IN_VAIN)  # when, and after how many steps
        self._finer = NARROW if is_narrow(system) else 1
        self._keyboard = Keyboard()
        self._mark = (t0, 0)  # a time, and the steps till then

    def go(self, never: Status | None = None) -> Record:
        """Move until the end, or until something ends it; not at all where it can `never` begin."""
        if never is not None:
            return self._record(never)
        try:
            with keyboard() as self._keyboard:
                status = self._loop()
        except KeyboardInterrupt:
            status = self._interrupted()
        except OutOfTime:
            status = late(self.limits, self._where())
        return self._record(status)

    def _interrupted(self) -> Status:
        return Status(Ending.INTERRUPTED, f"from the keyboard {self._where()}")

    def _record(self, status: Status) -> Record:
        kept = self.kept
        if not kept.episodes and status.ending != Ending.INTERRUPTED:  # it is known in which mode it would have begun
            with suppress(OutOfTime):
                for leg in self._ahead().legs[:1]:
                    kept.begin(leg)
        kept.events += [event for event in self._pending if event.kind in OVER]  # the run ends right beyond it
        if status.ending != Ending.FINISHED and kept.last_time() != self.t:
            kept.take_sample(self.t, self.state)
        d = len(self._begin)
        return Record(
            times=np.concatenate(kept.times) if kept.times else np.zeros(0),
            states=np.vstack(kept.states) if kept.states else np.zeros((0, d)),
            works=np.vstack(kept.sampled_works) if kept.times else np.zeros((0, len(kept.works))),
            begin_time=self.t0,
            begin=self._begin,
            time=self.t,
            end=self.state,
            end_works=kept.works,
            status=status,
            events=tuple(sorted(kept.events, key=lambda e: e.time)),
            projections=tuple(kept.projections),
            episodes=tuple(kept.episodes),
            steps=kept.steps,
            drift=kept.drift,
            defect=kept.defect,
            points=kept.points,
            dense=None if kept.dense is None else tuple(kept.dense),
            sizes=self.sizes if self.mover.mode is None else self.mover.sizes,
            heights=tuple(self._heights),
        )

    def off_rows(self) -> OnRows | None:
        """The start put on its rows, where it is off them by more than drift may be; None where it need not be."""
        put = self.mover.on_rows(self.t, self.state, self._bound / 2)
        if put is None or put.before > tolerance("HOPELESS"):  # so far off is no rounding: a constraint jumps there
            return None
        if not put.after < put.before:
            self._allow(put.before)
            return None
        return put

    def was_put(self, put: OnRows) -> None:
        """Tell that the start was put on its rows: its distance would be taken for drift."""
        self.kept.projections.append(Projection(self.t, put.before, put.after))
        self._allow(put.after)

    def _allow(self, off: float) -> None:
        """Rounding at the start may allow no better than a distance from rows; what is further off is no rounding."""
        if off <= tolerance("HOPELESS"):
            self._bound = max(self._bound, 4 * off)

    def _distance(self, t: float, state: Array) -> float:
        """How far a state is off the constraints, relative to the size of their terms."""
        scales = np.append(self.sizes + self._made, abs(t))
        return distance(self.engine, self.mover.setup, t, state, scales)

    # -- moving ----------------------------------------------------------------------------------------------

    def _loop(self) -> Status:
        while self.t < min(self.until, self.limits.wanted) and self._unproved is None:
            if status := self._limit():
                return status
            moved = self._ahead()
            legs = told_on(moved.legs, self._pending)
            whole = [leg for leg in legs if leg.steps.count]
            if not whole:
                self._pending = []
                self._stand(legs)
                if status := moved.status or self._stuck(moved) or self._still_here():
                    return status
                continue
            if status := self._take_all(whole, moved, legs):
                return status
        if self.t < self.until and self._unproved is None:
            return Status(Ending.STOPPED, f"all that was wanted is known {self._where()}")
        return self._unproved or Status(Ending.FINISHED, f"reached t = {self.t:.12g}")

    def _still_here(self) -> Status | None:
        """The end of a run that stands where it stood again and again."""
        last, count = self._stood
        self._stood = (self.t, count + 1 if self.t == last else 0)
        return self._in_vain("no step leads on") if count >= IN_VAIN else None

    def _in_vain(self, what: str) -> Status:
        fault = self.mover.blame(self.t, self.state)
        ending = Ending.BROKEN if fault.missing else Ending.UNRESOLVED
        return Status(ending, f"{what} after {at(self.system, self.t, self.state)}: {fault.words}")

    def _ahead(self) -> Moved:
        """Legs from here on, not yet looked at."""
        longest, until = self.limits.step, self.until
        if self._cap is not None and self.t >= self._cap[1]:
            self._cap = None
        if self._cap is not None:
            longest = min(longest, self._cap[0])
            until = min(until, self._cap[1])
        most = int(min(self._most, self.limits.steps - self.kept.steps))
        return self.mover.legs(self.t, self.state, until, most, longest)

    def _limit(self) -> Status | None:
        """Whether a limit or the caller ends the run here."""
        steps = self.kept.steps
        if self._keyboard.pressed:
            return self._interrupted()
        if steps >= self.limits.steps:
            return Status(Ending.STEPS, f"{steps} steps were taken {self._where()}")
        if steps - self._mark[1] >= MANY_MORE and (status := self._creeping()):
            return status
        now = perf_counter()
        if now - self.limits.began > self.limits.seconds:
            return late(self.limits, self._where())
        if self.progress is not None and now - self._told > OFTEN:
            self._told = now
            fraction = (self.t - self.t0) / (self.until - self.t0)
            if self.progress(Progress(fraction, self.t, steps)) is False:
                return Status(Ending.STOPPED, f"by the progress callback {self._where()}")
        return None

    def _creeping(self) -> Status | None:
        """The end of a run whose steps become so short, while nothing moves to and fro, that they lead to no end."""
        (begun, _), states = self._mark, np.concatenate(self.kept.begun)
        self._mark, self.kept.begun = (self.t, self.kept.steps), []
        if self.t - begun > CREEP * (self.until - self.t0):
            return None
        if (np.abs(np.diff(states, axis=0)).sum(axis=0) > TURNS * np.abs(states).max(axis=0)).any():
            return None
        words = f"{MANY_MORE} steps lead only from t = {begun:.12g}, because the equations are stiff there,"
        return Status(Ending.UNRESOLVED, f"{words} to {at(self.system, self.t, self.state)}")

    def _where(self) -> str:
        return f"at t = {self.t:.9g} of {self.until:.9g}"

    # -- looking ---------------------------------------------------------------------------------------------

    def _view(self, course: Course) -> View:
        points = course.points(self._fractions(course))
        sizes = np.fmax(self.sizes, np.abs(self.state))
        watch = seen(self.engine, course, points.times, points.states, points.places)
        setup = course.legs[0].setup
        if self._before is None or self._before[0] is not setup.code:
            start = course.legs[0].steps.coefficients[0, :, 0]
            self._before = setup.code, self.engine.watch(setup, np.array([course.begin]), start[None, :])
        begun, bound, ends = self._before[1], self._bound, self.until
        known = begun, bound, self._crossed, self._weak, ends
        weighs = self._weighed[0] < self.t or self._weighed[1] < ANEW
        return View(self.engine, course, points, sizes, *known, watch, again=self._reductions > 0, weighs=weighs)

    def _fractions(self, course: Course) -> Array:
        """Where each step is looked at: as often as the longest of them asks for.

        Not for a few that are a little longer, where steps are so short that looks are twice as many anyhow.
        """
        asked = self._finer * POINTS / (self.until - self.t0) * course.spans
        enough = 2 * asked.sum() <= FEWEST * len(asked) and asked.max() <= LONGER * FEWEST
        count = FEWEST if enough else int(self._looks(course.spans).max())
        return np.arange(1, count + 1) / count

    def _looks(self, spans: Array) -> Array:
        """How often steps are looked at (s,), by how long they are: nowhere in a run are looks further apart."""
        density = self._finer * POINTS / (self.until - self.t0)
        asked: Array = np.clip(np.ceil(density * spans - SLIGHT), FEWEST, self._finer * MOST).astype(int)
        return asked

    def _courses(self, legs: list[Leg]) -> Iterator[list[Leg]]:
        """Legs of one program, parted where long steps follow short ones: they are looked at more often."""
        every = self._looks(np.concatenate([leg.steps.times[1:] - leg.steps.times[:-1] for leg in legs]))
        if every.max() <= ALIKE * every.min() or every.max() * len(every) <= every.sum() + SPENT:
            yield legs
            return
        course: list[Leg] = []
        least, most, done = self._finer * MOST, 0, 0
        for leg in legs:
            asked, first = every[done : done + leg.steps.count].tolist(), 0
            done += leg.steps.count
            for k, count in enumerate(asked):
                if max(most, count) > ALIKE * min(least, count):
                    if k > first:
                        course.append(leg.part(first, k))
                    yield course
                    course, first, least, most = [], k, self._finer * MOST, 0
                least, most = min(least, count), max(most, count)
            course.append(leg.part(first, len(asked)))
        yield course

    def _take_all(self, whole: list[Leg], moved: Moved, legs: list[Leg]) -> Status | None:
        """Look at legs, those of one program together, keep what holds, and act on the first thing amiss."""
        programs = (list(group) for _, group in groupby(whole, key=lambda leg: id(leg.setup.code)))
        for course in (course for program in programs for course in self._courses(program)):
            view = self._view(Course(course))
            leapt, status = self._beside(view)
            if leapt:
                return status
            near, problem = self._near(view, first_problem(view))
            if near is not None:
                return self._sharpen(view, near)
            if problem is not None:
                return self._act(view, problem)
            if self._expected is not None and self._steps_over(view, self._expected[0]):
                return self._last_before(self._expected[1])
            self._accept(view, view.course.legs)
            self._leave(view)
        self._stand(legs[legs.index(whole[-1]) + 1 :])
        self._reductions = self._drifts = 0
        if self._cap is not None and self.t >= self._cap[1]:
            self._cap = None
        if status := self._after(view, moved):
            return status
        self._pace()
        return None

    def _stand(self, legs: list[Leg]) -> None:
        """Keep legs without steps: what happened where they begin, and the state they begin with."""
        if legs:
            self.kept.take(self.engine, legs, False)
            if legs[-1].start is not None:
                self.state = legs[-1].start

    def _begin_with(self, leg: Leg) -> None:
        """Stand at the beginning of a leg; an impact there has been, and what follows goes on from the state after."""
        start = leg.steps.coefficients[0, :, 0]
        if np.array_equal(start, self.state):
            self._pending = list(leg.events)
            return
        self.kept.take(self.engine, [replace(leg, steps=leg.steps.part(0, 0), start=start)], last=False)
        self.state = start

    def _accept(self, view: View, legs: list[Leg], passing: int | None = None) -> None:
        """Keep legs that were looked at, and stand at their end; a step that is `passing` was looked at beyond it."""
        self._pending = []
        if not legs:
            self._begin_with(view.course.legs[0])
            return
        last = legs[-1].end >= self.until
        if last:
            legs = [*legs[:-1], replace(legs[-1], steps=_ending(legs[-1].steps, self.until))]
        self.kept.take(self.engine, legs, last)
        if self.limits.singular == "pass":
            self._hold(view, legs)
        end = legs[-1].steps
        self.t, self.state = float(end.times[-1]), end.end
        used = view.points.times <= self.t
        if passing is not None:
            used &= view.points.places < passing
        if used.any():
            self._prove(view, used)
            self.kept.drift = max(self.kept.drift, float(view.residuals[used].max()))
            self.kept.points += int(used.sum())
            now = np.abs(view.points.states[used]).max(axis=0)
            fade = FADE ** sum(leg.steps.count for leg in legs)
            self.sizes = np.fmax(np.fmax(np.abs(self.state), now), fade * self.sizes)
            if (self.sizes > self._largest).any():
                self._largest = np.fmax(self._largest, self.sizes)
                self._heights.append((legs[0].begin, self._largest))
            if view.watch.level.shape[1]:
                longest = view.course.spans[: view.course.place(self.t) + 1].max()
                self._made = np.fmax(fade * self._made, view.made_in(longest))
        setup = legs[-1].setup
        self._before = setup.code, self.engine.watch(setup, np.array([self.t]), self.state[None, :])

    def _prove(self, view: View, used: Array) -> None:
        """Count the defects at points (k,) that are kept; one beyond its bound ends the run, whatever let it pass."""
        used = used & (view.points.times < self._rooted)
        worst = float(view.defects[used].max(initial=0.0))
        self.kept.defect = max(self.kept.defect, worst)
        bad = used & ~(view.defects <= view.defect_bound)
        if bad.any():
            first = float(view.points.times[bad][0])
            words = f"the motion does not obey its equation near t = {first:.6g}"
            self._unproved = Status(Ending.UNRESOLVED, f"{words}, and no step that does was found (defect {worst:.2g})")

    def _hold(self, view: View, legs: list[Leg]) -> None:
        """Hold some steps of the same motion; what happens at the beginning of a leg makes it another one."""
        for leg, kept in zip(view.course.legs, legs, strict=False):
            if self._held and not leg.continues(self._held[-1]):
                self._held = []
            count = kept.steps.count
            self._held = [*self._held[1 - HELD :], leg.part(max(0, count - STEPS), count)]

    def _after(self, view: View, moved: Moved) -> Status | None:
        """What the end of a course that stands asks for: no further step, weaker pivots, a drift that grows."""
        if moved.status is not None:
            return moved.status
        if moved.broken:
            return self._stuck(moved)
        last = view.course.legs[-1].steps
        long = last.count >= MANY and last.fired is None
        if self.t < self.until and long and view.residuals[-1] > tolerance("AIM") * self._bound:
            return self._project(float(view.residuals[-1]))
        return None

    def _pace(self) -> None:
        """How many steps the next course has, by what is counted, not by the clock."""
        setup = self.mover.setup
        if self._sharp is not None:
            return
        self._ceiling = min(LONGEST, self._ceiling + self._ceiling // 16)
        self._most = min(self._ceiling, 2 * self._most, self.engine.most_steps(setup, WORK, NUMBERS))
        done = self.t - self.t0
        if done > 0:
            self.engine.pays(setup, int(min(1e12, (self.until - self.t) / done * self.kept.steps)))

    # -- near singular places ---------------------------------------------------------------------------------

    def _near(self, view: View, problem: Problem | None) -> tuple[Near | None, Problem | None]:
        """From where on a motion at a coarse tolerance is to be taken at machine precision; or what is amiss before."""
        if not self._coarse or self._sharp is not None:
            return None, problem
        near = nearing(view, self._known(view), reach(self._bound))
        if near is None or problem is None:
            return near, problem
        if problem.kind in EVERY and (problem := first_problem(view, REGULAR)) is None:
            return near, None
        if problem.minimum is not None:
            return (near if near.time < problem.time else None), problem
        if problem.place == near.place and problem.kind in ("unresolved", "crossed"):
            near = Near(float(view.course.begins[near.place]), near.place)
        return (near if near.place <= problem.place else None), problem

    def _known(self, view: View) -> Tops:
        """How large what may vanish has been, in the program of a course."""
        assert self._before is not None
        code = view.course.legs[0].setup.code
        if code not in self._tops:
            self._tops[code] = tops(self._before[1], None)
        return self._tops[code]

    def _sharpen(self, view: View, near: Near) -> Status | None:
        """Put a motion back on its constraints before a singular place comes near; go on at machine precision."""
        self._until(view, near.place, near.time)
        off = self._distance(self.t, self.state)
        status = self._project(off) if off > tolerance("AIM") * self._finest else None
        self._sharp, self._bound = self._bound, max(self._finest, 4 * self._distance(self.t, self.state))
        self.engine.sharpen(True)
        self._held = []
        return status

    @property
    def _allowed(self) -> float:
        """How far off the constraints a motion may be that is known as well as steps are taken."""
        return self.limits.drift if self._sharp is None else self._finest

    def _leave(self, view: View) -> None:
        """Go on at the tolerance that was asked for where no singular place is near any more."""
        if not self._coarse:
            return
        code, known = view.course.legs[0].setup.code, self._known(view)
        self._tops[code] = tops(view.watch, known)
        if self._sharp is not None and left(view, known, reach(self._sharp)):
            self._bound, self._sharp = max(self._sharp, self._bound), None
            self.engine.sharpen(False)
            self._held = []

    def _steps_over(self, view: View, expected: Problem) -> bool:
        """Whether a course leads over a singular place that was seen ahead of it, without having been there."""
        way = expected.time - view.course.begin
        if expected.kind not in ("row", "dependent") or not 0 < way <= view.course.end - view.course.begin:
            return False
        assert expected.minimum is not None
        end = min(expected.time + way, view.course.end)
        evaluate = view.evaluate(EVERY[expected.kind])
        found = least(view.course, view.course.begin, end, expected.minimum.column, 1.0, 0.0, evaluate)
        return is_missed(view, found, reach(max(view.bound, tolerance("TIE"))))

    # -- acting ----------------------------------------------------------------------------------------------

    def _act(self, view: View, problem: Problem) -> Status | None:
        if problem.place:  # steps before it stand
            self._drifts = 0
        match problem.kind:
            case "unresolved" | "crossed":
                return self._shorter(view, problem)
            case "root" | "jump":
                return self._beyond(view, problem)
            case "drifted":
                return self._drifted(view, problem)
            case "weak":
                return self._weaker(view, problem)
            case "unbalanced":
                return self._balanced(view, problem)
            case "unweighed":
                self._reweigh(view, problem)
                return None
            case "risen":
                self._until(view, problem.place, problem.time)
                self.mover.wake([int(problem.value)])
                return None
        return self._singular(view, problem)

    def _until(self, view: View, place: int, time: float, passing: int | None = None) -> None:
        """Keep a course up to a time, and go on in the mode there."""
        legs = view.course.until(place, time)
        self._accept(view, legs, passing)
        self.mover.resume(view.course.legs[len(legs) - 1 if legs else 0].memo)

    def _up_to(self, view: View, time: float, place: int) -> None:
        """Keep a course up to a time, or up to the last point before it that was seen on the constraints."""
        state = view.course.states(np.array([time]), np.array([place]))[0]
        if self._distance(time, state) > self._bound:
            seen = np.flatnonzero((view.points.times < time) & (view.residuals <= self._bound))
            if len(seen) and view.points.times[seen[-1]] > self.t:
                place, time = int(view.points.places[seen[-1]]), float(view.points.times[seen[-1]])
        self._until(view, place, time)

    def _balanced(self, view: View, problem: Problem) -> Status | None:
        """Go on by accelerations that obey the rows to their own rounding; by shorter steps where there are none."""
        self._until(view, problem.place, problem.time)
        self.mover.balance(self.t, self.state)
        self._before = None
        return None if self.mover.setup.choice.balanced else self._again(view, problem)

    def _shorter(self, view: View, problem: Problem) -> Status | None:
        """Take again, by shorter steps, what a step has got wrong."""
        self._until(view, problem.place, problem.time)
        return self._again(view, problem)

    def _again(self, view: View, problem: Problem) -> Status | None:
        """Take a step again, from where it begins, by shorter ones."""
        span = float(view.course.spans[problem.place])
        end = problem.time + span
        if problem.place:
            self._reductions = 0
        self._reductions += 1
        short = span / SHORTER
        if self._reductions > TRIES or short <= 64 * EPS * abs(self.t):
            if self._at_rest():
                return None
            if self._carried():
                return None
            if (ended := self._vanished()) is not None:
                return ended
            fault = self.mover.blame(self.t, self.state)
            where = at(self.system, self.t, self.state)
            if problem.kind == "unbalanced":
                words = "what forces in balance leave of the motion cannot be told from their rounding after"
                return Status(Ending.UNRESOLVED, f"{words} {where}")
            if fault.missing or self._too_fast():
                return Status(Ending.BROKEN, f"no finite step can be taken, at {where}: {fault.words}")
            if problem.kind == "crossed":
                return Status(Ending.UNRESOLVED, f"a switch cannot be told from rounding after {where}")
            words = f"the equations change faster than steps can follow after {where}"
            return Status(Ending.UNRESOLVED, f"{words}: {fault.words} (defect {problem.value:.2g})")
        self._cap = (short, min(end, self.until))
        return None

    def _carried(self) -> bool:
        """Whether the mover knows of a moment beyond a place where steps end, and the motion is carried over it."""
        leg = self.mover.carry(self.t, self.state, self.until)
        if leg is None:
            return False
        self.kept.take(self.engine, [leg], False)
        self.t, self.state = leg.end, leg.steps.end if leg.start is None else leg.start
        self._reductions, self._cap, self._before = 0, None, None
        return True

    def _too_fast(self) -> bool:
        """Whether velocities double in less than the rounding of the time: the motion grows without bound."""
        a = self.engine.watch(self.mover.setup, np.array([self.t]), self.state[None, :]).acceleration[0]
        v = self.state[self._n :]
        with np.errstate(divide="ignore", invalid="ignore"):
            times = np.abs(v / a)
        return bool(np.nanmin(times, initial=inf) < CLOSE * EPS * abs(self.t))

    def _beyond(self, view: View, problem: Problem) -> Status | None:
        """Carry the motion by its polynomial a little beyond a point where it has no Taylor series."""
        assert problem.minimum is not None
        course, place, time = view.course, problem.place, problem.time
        span = float(course.spans[place])
        way = max(tolerance("BESIDE") * span, 32 * EPS * abs(time))
        root = problem.kind == "root"
        again = root and (
            time - self._crossings[0] < NEAR * self._crossings[1]
            or self._stays(view, place, time, problem.minimum.column)
        )
        again = again and self._calm(view, place, time, problem.minimum.column)
        if not root:
            around = max(way, AROUND * span)
            time = jump_between(view, place, max(time - around, float(course.begins[place])), time + around)
            if status := self._stepped(view, place, time, problem.minimum.column):
                return status
        if root and not again and (status := self._undirected(view, place, time)):
            return status
        end = min(time if again or not root else time + way, self.until)
        if root:  # a force by a power below one has no series there: its last tenth was let pass with the root itself
            self._rooted = time - 0.1 * (time - float(course.begins[place]))
        self._until(view, place, end)
        self._rooted = inf
        if not root and self.t < self.until:
            self._leap(course.legs[int(course.leg_of[place])], min(way, self.until - self.t))
        self._crossed = max(time, self.t)
        if again:
            self.mover.rest([problem.minimum.column])
        elif root:
            self._crossings = (self.t, way)
        what = "the root of zero: passed by the polynomial of the step before it" if root else BRANCH
        self._pending.append(Event(time, "crossing", what))
        self._before = None
        return None

    def _undirected(self, view: View, place: int, time: float) -> Status | None:
        """The end of a run at a place where a force has a size and no direction."""
        span, n = float(view.course.spans[place]), self._n
        sides = without_direction(self.engine, lambda when: self._side(view, place, when), time, span)
        if sides is None:
            return None
        largest = np.maximum(self.sizes, np.abs(self.state))[n : 2 * n]
        self._until(view, place, time)
        words = told(self.system, sides, self.state[n:], largest)
        return Status(Ending.BROKEN, f"no motion goes on from {at(self.system, self.t, self.state)}: {words}")

    def _stepped(self, view: View, place: int, time: float, branch: int) -> Status | None:
        """The end of a run where energy, momenta or a constraint jump with the branch of an angle."""
        way = max(BESIDE * float(view.course.spans[place]), FAR * EPS * abs(time))

        def sides(share: float) -> tuple[Side, Side]:
            return self._side(view, place, time - share * way), self._side(view, place, time + share * way)

        what = what_jumps(self.engine, sides, view.sizes_by(time), rates=True)
        if what is None:
            return None
        self._until(view, place, sides(CLOSER)[0].t)
        return self._jumped(what, sides(CLOSER)[0], branch)

    def _beside(self, view: View) -> tuple[bool, Status | None]:
        """Whether a run begins on the branch of an angle and goes to the other side of it, and if that ends it, how."""
        if self.kept.steps or self._before is None:
            return False, None
        now, (_, high) = self._before[1].jumps[0], view.range_of(jumps)
        for branch in np.flatnonzero((now <= tolerance("ROOT") * high) & (high > 0)).tolist():
            first, way = self._side(view, 0, self.t), BESIDE * float(view.course.spans[0])

            def sides(share: float, first: Side = first, way: float = way) -> tuple[Side, Side]:
                return first, self._side(view, 0, first.t + share * way)

            if (what := what_jumps(self.engine, sides, view.sizes_by(first.t), rates=True)) is not None:
                self.kept.begin(view.course.legs[0])
                return True, self._jumped(what, first, branch)
            if forces_jump(self.engine, sides):
                self._until(view, 0, self.t)
                self._leap(view.course.legs[0], min(way, self.until - self.t))
                self._crossed, self._before = self.t, None
                self._pending.append(Event(first.t, "crossing", BRANCH))
                return True, None
        return False, None

    def _side(self, view: View, place: int, time: float) -> Side:
        """The state at a time by the polynomial of a step, with the setup of that."""
        course = view.course
        state = course.states(np.array([time]), np.array([place]))[0]
        return Side(course.legs[int(course.leg_of[place])].setup, time, state)

    def _jumped(self, what: str, side: Side, branch: int) -> Status:
        """The end of a run where something jumps, in words."""
        angle = self.engine.branches(side.setup)[branch]
        words = f"{what} jumps where the branch of {angle} ends, which no force states"
        return Status(Ending.BROKEN, f"{words}, at {at(self.system, self.t, self.state)}")

    def _leap(self, leg: Leg, way: float) -> None:
        """A moment away from where a force has jumped, by what it is beyond."""
        steps = beyond_jump(self.engine, leg.setup, self.t, self.state, way)
        if steps is not None:
            self.kept.take(self.engine, [replace(leg, steps=steps, events=(), impulse=0.0, brief=True)], False)
            self.t, self.state = float(steps.times[-1]), steps.end

    def _calm(self, view: View, place: int, time: float, root: int) -> bool:
        """Whether the acceleration towards a root that becomes zero tends to the one without it."""
        course = view.course
        setup = course.legs[int(course.leg_of[place])].setup
        off = setup.resting(sorted({root, *np.flatnonzero(self.engine.roots(setup) == 0).tolist()}))
        span = time - float(course.begins[place])
        times = time - span * np.array([NEARER, NEARER**5])
        states = course.states(times, np.full(2, place))
        apart = np.abs(self.engine.watch(setup, times, states).acceleration - self.engine.watch(off, times, states)[0])
        return bool((apart[1] <= CALM * apart[0]).all())

    def _at_rest(self) -> bool:
        """Whether steps end because a velocity under a root has become none, as by v' = −v^(1/4); it stays so.

        What stands under it is nothing by its natural scale, without it nothing would move of what it acts on, and its
        force falls with the velocity.
        """
        setup, t, n = self.mover.setup, np.array([self.t]), self._n
        mine = np.flatnonzero(self.engine.roots(setup) > 0) if self.engine.name != "plain" else ()
        if not len(mine):
            return False
        shaken = self.state + patterns(2 * n) * self._largest[: 2 * n]
        natural = self.engine.watch(setup, np.repeat(t, len(shaken)), shaken)
        here = self.engine.watch(setup, t, self.state[None, :])
        zero = [int(r) for r in mine if here.radicands[0, r] <= EPS * np.abs(natural.radicands[:, r]).max()]
        if not zero:
            return False
        off = setup.resting(sorted({*zero, *np.flatnonzero(self.engine.roots(setup) == 0).tolist()}))
        faster = np.concatenate([self.state[:n], FASTER * self.state[n:]])
        states, times = np.vstack([self.state, faster]), np.repeat(t, 2)
        without = self.engine.watch(off, times, states).acceleration
        apart = np.abs(self.engine.watch(setup, times, states).acceleration - without)
        acts = apart[1] > apart[1].max() / FASTER  # others may go on
        still = np.abs(without[0][acts]) <= apart[1].max() / FASTER
        if not ((apart[0] <= CALM * apart[1]).all() and still.all()):
            return False
        self.mover.rest(zero)
        none = np.abs(self.state[n:]) <= EPS**0.5 * self._largest[n : 2 * n]
        self.state = np.concatenate([self.state[:n], np.where(none, 0.0, self.state[n:])])
        self._reductions, self._cap, self._before = 0, None, None
        return True

    def _stays(self, view: View, place: int, time: float, root: int) -> bool:
        """Whether what stands under a root that becomes zero stays so by the forces that then act."""
        course, n = view.course, self._n
        setup = course.legs[int(course.leg_of[place])].setup
        state = course.states(np.array([time]), np.array([place]))[0]
        off = sorted({root, *np.flatnonzero(self.engine.roots(setup) == 0).tolist()})
        a = self.engine.watch(setup.resting(off), np.array([time]), state[None, :]).acceleration[0]
        tau = SHORTLY * float(course.spans[place])
        later = np.concatenate([state[:n] + tau * state[n:] + tau**2 / 2 * a, state[n:] + tau * a])
        grown = self.engine.watch(setup, np.array([time + tau]), later[None, :]).radicands[0, root]
        largest = np.nanmax(np.abs(view.watch.radicands[view.points.places == place, root]), initial=0.0)
        return bool(grown <= SHORTLY**4 * largest)

    def _drifted(self, view: View, problem: Problem) -> Status | None:
        self._drifts += not problem.place
        if (
            self.limits.singular == "pass"
            and self._drifts > LEAVES
            and (ahead := approaching(view, FURTHER)) is not None
        ):
            ahead = ahead._replace(place=problem.place)  # what has left the constraints does not lead over it
            over = passed(view, self._held, ahead, self.until, self.mover.beyond)
            if not isinstance(over, str):
                return self._over(view, ahead, over, self._lost(view, ahead))
        expected = self._expected
        if self._drifts and expected is not None and self.t < expected[0].time and expected[0].kind != "pole":
            return self._last_before(expected[1])  # by rounding alone, right before it
        if self._drifts > LEAVES:  # right after it was put back: rounding within a step allows no better
            self._bound = max(self._bound, min(1.25 * problem.value, COARSE * self._allowed))
        k = int(np.searchsorted(view.points.times, problem.time)) - 1
        self._ceiling = max(FIRST // 2, min(self._ceiling, int(0.75 * problem.place)))  # so that less is done in vain
        if k >= 0 and view.points.times[k] > self.t:
            self._until(view, int(view.points.places[k]), float(view.points.times[k]))
            self._leave_faded()
            return self._project(float(view.residuals[k]))
        self._until(view, problem.place, problem.time)
        self._leave_faded()
        return self._project(problem.value)

    def _leave_faded(self) -> None:
        """Go on without a row that has faded, where others that it depends on have not."""
        setup = self.mover.setup
        if len(setup.choice.rows) < len(self.system.constraints):
            row = self._fading.row(self.engine, setup, self.t, self.state)
            if row is not None:
                self._choose(row)

    def _weaker(self, view: View, problem: Problem) -> Status | None:
        """Where pivots have become small: take other rows, or refine more often; else be content with less."""
        self._up_to(view, problem.time, problem.place)
        if self._choose():
            self._weak = None
        else:
            self._weak = (self._weak or self.engine.pivot_limit(self.mover.setup)) / 10
        return None

    def _reweigh(self, view: View, problem: Problem) -> None:
        """Take weights of rows that fit from here on; what was watched by those before says nothing of what comes."""
        assert view.fitting is not None
        self._until(view, problem.place, problem.time)
        last, count = self._weighed
        self._weighed = (self.t, count + 1 if self.t == last else 0)
        self.mover.weigh(view.fitting[1])
        self._tops.pop(self.mover.setup.code, None)
        self._before = None

    def _project(self, before: float) -> Status | None:
        """Put the state back on the constraints and go on from there."""
        place = put_back(self.engine, self.mover.setup, self.t, self.state, self._energy())
        after = self._distance(self.t, place)
        if not after <= max(tolerance("HOPELESS"), self._allowed):
            return self._left()
        if self._jumps(place):
            return self._left("no way back that leaves velocities as they are")
        self._projected.append((self.t, self.kept.steps))
        begun, steps = self._projected[0]
        crawls = self.t - begun < CRAWL * (self.until - self.t0) and self.kept.steps - steps <= 2 * IN_VAIN
        if len(self._projected) == IN_VAIN and crawls:
            return self._in_vain("every step leaves the constraints")
        self.state = place
        self.kept.projections.append(Projection(self.t, before, after))
        self._before = None
        if after > self._bound / 2:
            self._bound = 4 * after  # rounding at this state allows no better
        return None

    def _energy(self) -> float | None:
        """The energy there should be: that of the start and the work since; not known across switches."""
        if self.mover.mode is not None:  # that of the start is of another mode
            return None
        if self._balance is None:
            self._balance = self.engine.energy(self.mover.setup, self.t0, self._begin)
        return float(self._balance + self.kept.works.sum())

    def _jumps(self, place: Array) -> bool:
        """Whether the way back to a place changes velocities by more than drift does, as where all but no rank is left.

        Across a curve that crosses itself it would lead onto the other branch.
        """
        n = self._n
        paces = self.engine.paces(self.mover.setup, np.array([self.t]), self.state[None, :])[0]
        speeds = np.maximum(self.sizes, np.abs(self.state))[n:] + paces * (self.until - self.t0)  # at rest, what comes
        return bool((np.abs(place - self.state)[n:] > max(LEAP, ALIKE * self._bound) * speeds).any())

    def _left(self, way: str = "no way back") -> Status:
        fault = self.mover.blame(self.t, self.state)
        if fault.missing and not fault.contradicts:
            where = at(self.system, self.t, self.state)
            return Status(Ending.BROKEN, f"the motion leaves the constraints after {where}: {fault.words}")
        watch = self.engine.watch(self.mover.setup, np.array([self.t]), self.state[None, :])
        rows = [
            f"{c.name!r} is at {level:.3g}, its rate at {rate:.3g}"
            for c, level, rate in zip(self.system.constraints, watch.level[0], watch.rate[0], strict=False)
        ]
        where = at(self.system, self.t, self.state)
        words = f"the motion leaves them at {where}, and there is {way} ({'; '.join(rows)})"
        return Status(Ending.LEFT, f"{words}: either they contradict each other, or they lose their rank there")

    def _choose(self, avoided: int | None = None) -> bool:
        """Take better rows, or refine more, where the state asks for it; whether the choice changed."""
        rows = self.mover.setup.choice.rows
        if len(rows) < len(self.system.constraints):
            self._fading.look(self.engine, self.mover.setup, self.t, self.state)
        if not self.mover.choose(self.t, self.state, avoided):
            return False
        chosen = self.mover.setup.choice.rows
        if chosen != rows:
            names = ", ".join(self.system.constraints[r].name for r in chosen)
            self._pending.append(Event(self.t, "rows", names))
        self._before = None
        return True

    def _singular(self, view: View, problem: Problem) -> Status | None:
        """The end of a run where a pivot or a row vanishes: its last sound state before; or over it, where asked."""
        words, begun = self._lost(view, problem), self.t
        if self.limits.singular == "pass":
            # others may hold where the chosen rows do not: then no rank is lost
            if self.mover.mode is None and (self._other_rows(view, problem) or self.t > begun):
                return None
            place = problem.place
            if abs(self.until - problem.time) <= tolerance("BESIDE") * view.course.spans[place]:  # it ends right there
                self._until(view, place, self.until, passing=place)
                return None
            over = passed(view, self._held, problem, self.until, self.mover.beyond)
            if not isinstance(over, str):
                return self._over(view, problem, over, words)
            words = f"{words}. It is not passed: {over}"
            place = problem.place - (problem.time <= view.course.begins[problem.place] and problem.place > 0)
            span = float(view.course.spans[place])
            way = problem.time - float(view.course.begins[place])
            nearer = (0 < way < span / 4 or place < problem.place) and not over.startswith(UNCARRIED)
            nearer = nearer and not problem.value > max(view.defect_bound**2, tolerance("DEPENDENT"))  # it is missed
            if nearer and self._reductions < TRIES:
                self._until(view, place, float(view.course.begins[place]))  # by a step that has it in its middle
                self._reductions += 1
                self._cap = (2 * way, min(self.t + 2.5 * way, self.until))
                return None
        if self._other_rows(view, problem):
            return None
        if self.t > begun:  # what was kept is not kept again: the place is looked for from there, if it is ahead
            ahead = problem.time - self.t > tolerance("BESIDE") * (problem.time - begun)
            return None if ahead else self._last_before(words)
        time, place = last_sound(view, problem, tolerance("SOUND"), self._at_start())
        end = view.course.end
        ahead = problem.time > end > self.t
        if ahead and end - time <= SLIGHT * (end - self.t):  # all is sound so far
            self._until(view, view.course.steps - 1, end)
            self._expected = (problem, words)
            return None
        if time > self.t:
            self._up_to(view, time, place)
        if problem.kind in ("mass", "massless") and self._choose():  # constraints may make up for it
            return None
        return self._last_before(words)

    def _last_before(self, words: str) -> Status:
        """The end of a run at the last sound state before a singular place."""
        return Status(Ending.SINGULAR, f"{words}. The last state before it: {at(self.system, self.t, self.state)}")

    def _at_start(self) -> Watch:
        """What is watched, in the mode of now, at the start of the run."""
        found: Watch = self.engine.watch(self.mover.setup, np.array([self.t0]), self._begin[None, :])
        return found

    def _other_rows(self, view: View, problem: Problem) -> bool:
        """Go up to where the pivot of a row becomes small, and on without that row where others do."""
        setup, row = self.mover.setup, None
        if len(setup.choice.rows) < len(self.system.constraints):
            row = row_of(view, problem)
        if row is None:
            return False
        time, place = last_sound(view, problem, tolerance("WEAK"), self._at_start())
        if time > self.t:
            self._up_to(view, time, place)
        self._left_rows = {rows: when for rows, when in self._left_rows.items() if when > self.t}
        latest = self.t + SAME_PLACE * (problem.time - self.t)
        back = self._left_rows.get(setup.choice.rows, inf) <= latest  # left for that place, and taken again
        self._left_rows[setup.choice.rows] = problem.time
        before = self.mover.memo()
        if back or not self._choose(row):
            return False
        if self._left_rows.get(self.mover.setup.choice.rows, inf) > latest:
            return True
        self.mover.resume(before)  # all rows become dependent there
        return False

    def _over(self, view: View, problem: Problem, over: Over, words: str) -> Status | None:
        """Go over a singular place by the polynomial of a step before it, and on from there."""
        event = Event(problem.time, "passed", words)
        more = again(view, over, problem)
        told = [event, *(Event(other.time, "passed", self._lost(view, other)) for other in more)]
        if over.own >= 0:
            view.course.cut(over.own, over.order)
            self._until(view, over.own, problem.time if over.turns else over.end, passing=over.own)
        if over.own < 0 or over.turns:
            legs = over.legs(self.t, problem.time)
            legs[0] = replace(legs[0], events=tuple(self._pending))
            if over.turns:
                legs[-1], told = replace(legs[-1], events=(*legs[-1].events, event)), told[1:]
            self._accept(view, legs, passing=0)
            self.mover.resume(legs[-1].memo)
        self._held = []
        place = put_back(self.engine, self.mover.setup, self.t, self.state, self._energy())
        if self._jumps(place):
            return self._left("no way back that leaves velocities as they are")
        self.state, self._crossed = place, self.t
        self._reductions, self._cap = 0, None
        self._pending += told
        self._before = None
        return None

    def _lost(self, view: View, problem: Problem) -> str:
        """What is lost where a pivot is zero, in words."""
        state = view.course.states(np.array([problem.time]), np.array([problem.place]))[0]
        return self._lost_at(problem, state)

    def _lost_at(self, problem: Problem, state: Array) -> str:
        """The same, at a state."""
        assert problem.minimum is not None
        inertia, masses, rows = self.engine.names(self.mover.setup)
        column, time = problem.minimum.column, problem.time
        lost = f"the mass matrix is singular at t = {time:.6g}"
        helped = problem.kind == "dependent" or (problem.kind == "massless" and self.mover.setup.choice.augment)
        if helped and self.mover.lacks_mass(time, state):
            return f"{lost}: no mass is left along what the constraints leave free"
        if problem.kind in ("massless", "mass"):
            return f"{lost}: {(inertia if problem.kind == 'massless' else masses)[column]} vanishes"
        if problem.kind == "pole":
            return f"{rows[column]} does not exist at t = {time:.6g}: its coefficients grow without bound there"
        fate = "becomes dependent on the others" if problem.kind == "dependent" else "has no direction there"
        return f"the rank of the constraints drops at t = {time:.6g}: {rows[column]} {fate}"

    def _stuck(self, moved: Moved) -> Status | None:
        """The end of a run from which no further step can be taken."""
        if moved.broken is None or self._at_rest() or self._carried():
            return None
        if self.mover.setup is not None and self.mover.setup.choice.augment and self._choose():
            return None  # M was made definite by weights of a place before
        if (ended := self._vanished()) is not None:
            return ended
        fault = self.mover.blame(self.t, self.state)
        return Status(Ending.BROKEN, f"{moved.broken}, at {at(self.system, self.t, self.state)}: {fault.words}")

    def _vanished(self) -> Status | None:
        """The end of a run whose steps end at a singular place, to which no polynomial leads, as at a cusp."""
        n, setup, way = self._n, self.mover.setup, BEFORE * (self.t - self.t0)
        earlier = np.concatenate([self.state[:n] - way * self.state[n:], self.state[n:]])
        watch = self.engine.watch(setup, np.array([self.t, self.t - way]), np.vstack([self.state, earlier]))
        start = self._at_start()
        for kind, what in EVERY.items():
            was, (now, before) = np.abs(what(start)[0]), np.abs(what(watch))
            gone = np.flatnonzero((now <= GONE * was) & (now <= FALL * before) & np.isfinite(was))
            if len(gone):
                found = Problem(kind, self.t, 0, 0.0, Minimum(self.t, 0, int(gone[0]), 0.0))
                words = self._lost_at(found, self.state)
                if self.limits.singular == "pass":
                    words += ". It is not passed: no step leads over it"
                return self._last_before(words)
        return None


def late(limits: Limits, where: str) -> Status:
    """The end of a run that is out of time."""
    return Status(Ending.CLOCK, f"{limits.seconds:g} s have passed {where}")


def _ending(steps: Steps, until: float) -> Steps:
    times = steps.times.copy()
    times[-1] = until
    return replace(steps, times=times)
