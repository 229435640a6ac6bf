"""Singular places: the last sound state before one, and the smooth branch beyond it.

Where the rank drops at an isolated time the motion itself is smooth, only its equation is not. The polynomial of a step
that began well before it goes on; that it is the motion is seen beyond, where its equation holds again.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import comb

from dalembert.derive import Array
from dalembert.engine import Steps, Watch
from dalembert.motion.smooth.leg import Course, Leg
from dalembert.motion.smooth.minima import Minimum
from dalembert.motion.smooth.monitors import Problem, first
from dalembert.motion.smooth.projection import put_back
from dalembert.motion.smooth.view import View
from dalembert.motion.tolerances import tolerance

WHAT = {"dependent": "pivots", "massless": "inertia", "row": "squares", "mass": "masses", "pole": "squares"}
HALVES = 30  # of an interval in which a pivot becomes too small
FAR = (1.0, 0.5, 0.35, 0.25, 0.15, 0.08)  # how far beyond, of the way from the beginning of the step
LEFT_OUT = (0, 3, 5, 7, 9, 12)  # terms of the highest orders
BEYOND = np.array([0.6, 0.8, 1.0])  # of the way beyond
NEAREST = 2.0**-5  # of how far before the place the step begins from which it was seen: nearer ones may be beyond it
LEAST, LONGEST = 0.02, 10.0  # of a step: so long before the place it must begin, and so far it may lead
OFTEN = np.union1d(2.0 ** -np.arange(20), np.arange(1, 17) / 16)  # of the way beyond: there masses are looked at
RISEN = 4.0  # times what is left of what vanishes, or more, where it is passed
SEEN = FAR[3]  # of that way: there is looked at what holds beyond
UNCARRIED = "friction and contacts cannot be carried over it"

Beyond = Callable[[Leg, float, Array], Leg | None]  # a leg in the mode that holds at a time and state, if any does


class Over(NamedTuple):
    """A step of a course that leads over a singular place, the time it leads to, and the order it is taken to.

    Rounding of the highest terms grows beyond the step faster than what leaving them out does. `own`: which step of the
    course that is looked at; below zero, one from before it. `before`, `after`: its leg, and the same in the mode that
    holds beyond the place, where a gradient has turned round, and with it the signs of multipliers and directions.
    """

    course: Course
    place: int
    end: float
    order: int
    own: int
    before: Leg
    after: Leg

    @property
    def turns(self) -> bool:
        """Whether another mode holds beyond the place."""
        return self.after.mode != self.before.mode

    def leg(self, begin: float) -> Leg:
        """The rest of it from a time on."""
        course, unit, terms = self.course, float(self.course.units[self.place]), self.order + 1
        delay = (begin - float(course.begins[self.place])) / unit
        old = course.coefficients[self.place].astype(np.longdouble)
        new = np.zeros(course.coefficients.shape[1:])
        for j in range(terms):  # the same polynomial, in powers of the time from `begin`
            ways = comb(np.arange(j, terms), j) * np.longdouble(delay) ** np.arange(terms - j)
            new[:, j] = (old[:, j:terms] * ways).sum(axis=1)
        steps = Steps(np.array([begin, self.end]), new[None], unit=unit)
        return replace(self.before, steps=steps, events=(), impulse=0.0)

    def legs(self, begin: float, time: float) -> list[Leg]:
        """The rest of it from a time on, parted where the mode turns."""
        whole = self.leg(begin)
        if not self.turns:
            return [whole]
        rest = replace(self.after, steps=self.leg(max(begin, time)).steps, events=(), impulse=0.0)
        return [whole.until(0, time), rest] if time > begin else [rest]

    def states(self, times: Array) -> Array:
        """The states (k, 2n) that it leads to at some times."""
        delay = (times - self.course.begins[self.place]) / self.course.units[self.place]
        rise = delay[:, None] ** np.arange(self.order + 1)
        out: Array = rise @ self.course.coefficients[self.place, :, : self.order + 1].T
        return out


def last_sound(view: View, problem: Problem, sound: float, start: Watch) -> tuple[float, int]:
    """The last time before a singular place at which its pivot is still above what is sound, and its step.

    A row or a mass is measured by what it was at the start of the run, where it was something. A row that grows
    without bound keeps its direction, and so the motion up to the place itself, almost.
    """
    assert problem.minimum is not None
    course = view.course
    sound = sound**2 if problem.kind == "pole" else sound
    last = min(problem.time, course.end)
    times = last - (last - course.begin) * 2.0 ** -np.arange(0.0, 40.0, 0.5)
    places = course.places(times)
    values = view.evaluate(lambda w: _column(w, problem))(times, places)[:, 0]
    largest = 1.0
    if problem.kind in ("row", "mass", "pole"):
        own = float(_column(start, problem)[0, 0])
        largest = own if 0 < own < np.inf else float(np.nanmax(np.abs(values)))
    good = np.flatnonzero(values > sound * largest)
    k = int(good[-1]) if len(good) else 0
    low, high = float(times[k]), float(times[min(k + 1, len(times) - 1)])
    for _ in range(HALVES if len(good) else 0):
        middle = np.array([(low + high) / 2])
        value = view.evaluate(lambda w: _column(w, problem))(middle, course.places(middle))[0, 0]
        low, high = (float(middle[0]), high) if value > sound * largest else (low, float(middle[0]))
    return low, course.place(low)


def passed(view: View, held: Sequence[Leg], problem: Problem, until: float, beyond: Beyond) -> Over | str:
    """How a step leads over a singular place on the smooth branch; why it is not sure that one does, in words.

    Near the place steps grow short, by rounding alone; those `held` from before may lead over it by far. `beyond` says
    what mode holds there.
    """
    course, time = Course([*held, *view.course.legs]), problem.time
    before, order = course.steps - view.course.steps, course.coefficients.shape[2] - 1
    longest = int(course.spans[: before + problem.place + 1].argmax())
    speeds = _speeds(view, course, longest)
    scale = speeds / float(course.spans[longest])
    nearest = NEAREST * (time - float(view.course.begins[problem.place]))
    found: list[tuple[float, Over]] = []
    tried = False
    latest = before + max(problem.place, _sound(view, time))
    for place in range(latest, course.since(latest) - 1, -1):  # what was before an impact is another motion
        begin, span = float(course.begins[place]), float(course.spans[place])
        way = time - begin
        if not LEAST * span <= way <= LONGEST * span or way < nearest:
            continue
        leg = course.legs[int(course.leg_of[place])]
        seen = Over(course, place, min(time + SEEN * way, until), order, place - before, leg, leg)
        after, tried = beyond(leg, seen.end, seen.states(np.array([seen.end]))[0]), True
        if after is None:
            continue
        ways = [
            seen._replace(end=min(time + far * way, until), order=order - k, after=after)
            for far in FAR
            for k in LEFT_OUT
            if 2 * k <= order
        ]
        defects = _defects_beyond(view, ways, time, scale).tolist()
        found += [(defect, over) for defect, over in zip(defects, ways, strict=True) if over.end > time]
    found.sort(key=lambda each: each[0])
    good = [over for defect, over in found if defect <= tolerance("PASSED")]
    taken = next((over for over in good if _still(over, beyond) and _goes_on(view, over, problem, speeds)), None)
    return taken or _why_not(tried, found[0] if found else None)


def again(view: View, over: Over, problem: Problem) -> list[Problem]:
    """The places before the end of a step over one at which masses go through zero once more."""
    setup, time = over.after.setup, problem.time
    times = time + (over.end - time) * OFTEN
    found: dict[float, Problem] = {}
    for kind in ("massless", "mass"):
        masses = getattr(view.engine.watch(setup, times, over.states(times)), WHAT[kind])
        for k, c in np.argwhere(masses[:-1] * masses[1:] < 0).tolist():
            was = masses[k, c] > 0

            def turned(tried: Array, kind: str = kind, c: int = c, was: bool = was) -> Array:
                here = getattr(view.engine.watch(setup, tried, over.states(tried)), WHAT[kind])
                return np.asarray((here[:, c] > 0) != was)

            when = first(float(times[k]), float(times[k + 1]), turned)
            found[when] = Problem(kind, when, problem.place, 0.0, Minimum(when, problem.place, c, 0.0))
    return [found[when] for when in sorted(found)]


def _goes_on(view: View, over: Over, problem: Problem, speeds: Array) -> bool:
    """Whether a step over a place ends beyond it, and the constraints leave velocities as they are there.

    Beyond a cusp they do not. What vanishes with a high power does so for all that rounding says long before the place.
    """
    times, n = np.array([problem.time, over.end]), len(speeds)
    states = over.states(times)
    rows = view.course.legs[int(view.course.leg_of[problem.place])].setup  # a step from before may stand on others
    sizes = _column(view.engine.watch(rows, times, states), problem)[:, 0]
    if not sizes[1] > RISEN * sizes[0]:
        return False
    jump = np.abs(put_back(view.engine, over.after.setup, over.end, states[1], None) - states[1])[n:]
    return bool((jump <= max(tolerance("JUMP"), view.defect_bound) * speeds).all())


def _why_not(tried: bool, best: tuple[float, Over] | None) -> str:
    """Why it is not sure that a motion goes on over a singular place, in words."""
    if not tried:
        return "no step begins where the motion is still known well and reaches over it"
    if best is None:
        return f"{UNCARRIED}: in which mode they are beyond it is not sure"
    defect, over = best
    if defect <= tolerance("PASSED"):
        what = "the constraints" if over.before.mode is None else "the constraints, or what presses and rubs,"
        return f"right beyond it {what} would not let the motion go on as it does"
    words = f"obeys the equation of motion beyond it to {defect:.1e}, not to {tolerance('PASSED'):.1e} as is asked"
    if over.turns:
        return f"{UNCARRIED}: what goes on smoothly {words}, in the mode that holds"
    return f"the branch that goes on smoothly {words}"


def _still(over: Over, beyond: Beyond) -> bool:
    """Whether the mode that holds a little beyond the place still does where a step over it ends."""
    found = beyond(over.after, over.end, over.states(np.array([over.end]))[0])
    return found is not None and found.mode == over.after.mode


def _sound(view: View, time: float) -> int:
    """The last step before a time whose beginning is on the constraints and obeys the equation of motion."""
    bad = np.flatnonzero(~((view.residuals <= view.bound) & (view.defects <= view.defect_bound)))
    first = int(view.points.places[bad[0]]) if len(bad) else view.course.steps - 1
    return min(first, view.course.place(time))


def _speeds(view: View, course: Course, longest: int) -> Array:
    """How large each velocity (n,) was, or forces as large as those that act would make it in the longest step."""
    n, setup = course.coefficients.shape[1] // 2, course.legs[int(course.leg_of[longest])].setup
    late = np.maximum(view.sizes[n : 2 * n], np.abs(course.coefficients[: longest + 1, n:, 0]).max(axis=0))
    state = course.coefficients[longest, :, 0]
    paces = view.engine.paces(setup, course.begins[longest : longest + 1], state[None, :])[0]
    out: Array = np.maximum(late, paces * course.spans[longest])
    return out


def _defects_beyond(view: View, ways: Sequence[Over], time: float, scale: Array) -> Array:
    """How well polynomials of one step (k,) obey the equation of motion in the last part beyond a singular place."""
    course, place, setup = ways[0].course, ways[0].place, ways[0].after.setup
    times = (time + np.array([[over.end - time] for over in ways]) * BEYOND).ravel()
    unit, powers = course.units[place], np.arange(course.coefficients.shape[2])
    taken = np.repeat([powers <= over.order for over in ways], len(BEYOND), axis=0)
    rise = np.where(taken, ((times - course.begins[place]) / unit)[:, None] ** powers, 0.0)
    states = rise @ course.coefficients[place].T
    n = len(scale)
    slopes = (rise[:, :-1] * taken[:, 1:]) @ (powers[1:] * course.coefficients[place, n:, 1:]).T / unit
    with np.errstate(all="ignore"):
        found = np.abs(slopes - view.engine.watch(setup, times, states).acceleration)
        found = np.where(found == 0, 0.0, found / scale)
    off = found.max(axis=1).reshape(-1, len(BEYOND)).max(axis=1)
    return np.where(np.isfinite(off), off, np.inf)


def _column(watch: Watch, problem: Problem) -> Array:
    """How large what vanishes is; a mass may be negative, and of a row without bound it is the inverse."""
    assert problem.minimum is not None
    c = problem.minimum.column
    out: Array = np.abs(getattr(watch, WHAT[problem.kind])[:, c : c + 1])
    if problem.kind == "pole":
        with np.errstate(all="ignore"):
            out = np.nan_to_num(1 / out, nan=0.0, posinf=0.0)
    return out
