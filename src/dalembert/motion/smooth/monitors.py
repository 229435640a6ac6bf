"""What is looked at along a course of steps before it counts: small rules, each of which finds the first thing amiss.

Every monitor sees the same points inside the steps, which the step rule never looked at, and gives the first problem
it finds, or none. The earliest of all problems is acted on; what comes before it stands.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.engine import Watch, patterns
from dalembert.motion.smooth.leg import Course
from dalembert.motion.smooth.minima import Minimum, Range, least, parabola, range_of, uneven, vanishing
from dalembert.motion.smooth.missed import is_missed, nearness
from dalembert.motion.smooth.view import View, seen
from dalembert.motion.smooth.watched import EVERY, SIGNED, inertia, masses, pivots, squares
from dalembert.motion.tolerances import EPS, tolerance

DIP = 2.0  # a minimum that three points show below so many times a limit is looked at closer
CLOSER = 9  # points between two that were looked at, again and again
FEW, FALL, SHRINK = 6, 1e-2, 0.3  # steps in a course; a fall of a pivot and of the step that are looked at
FURTHER = 2.2  # steps: how far the polynomial of one is believed
FAR = 10.0  # steps: how far it may lead where it obeys the equation of motion all the way
WAY = np.array([0.25, 0.5, 0.75, 0.9])  # of the way to a place ahead: where that is looked at
ZERO_AHEAD, NONE_AHEAD = 1e-13, 1e-40  # of the value at the beginning of the step: zero, and looked for no closer
JUMP = 1e3  # times what a 64th of the way changes: more than that is no change but a jump
BESIDE = 2.0**-10  # of a step: so far beside a place at which a row grows without bound it is large too
STEEP = 2.0  # times as large as beside it is a row where it grows without bound
RISEN = 1e-20  # a radicand above this part of its natural scale is not zero


class Problem(NamedTuple):
    """Something amiss: its kind, when, in which step, and what more is known of it."""

    kind: str
    time: float
    place: int
    value: float = 0.0
    minimum: Minimum | None = None


Monitor = Callable[[View], Problem | None]


def jumps(watch: Watch) -> Array:
    """What must not vanish, lest a function jumps."""
    return watch.jumps


def unresolved(view: View) -> Problem | None:
    """A step whose polynomial does not obey the equation of motion inside it."""
    bad = np.flatnonzero(~(view.defects <= view.defect_bound))
    if not len(bad):
        return None
    place = int(view.points.places[bad[0]])
    return Problem("unresolved", float(view.course.begins[place]), place, float(view.defects[bad[0]]))


def dependent(view: View) -> Problem | None:
    """Rows that become dependent, or a mass matrix that becomes singular: a pivot vanishes against its own diagonal."""
    for kind, what, zero in (
        ("dependent", pivots, tolerance("DEPENDENT")),
        ("massless", inertia, tolerance("MASSLESS")),
    ):
        found = _vanishing(view, what, zero, own=False)
        if found is None and what is pivots and (near := nearness(view)):
            found = _vanishing(view, what, near, own=False, accepts=lambda each: is_missed(view, each))
        if found is not None:
            return Problem(kind, found.time, found.place, found.value, found)
    return None


def vanished(view: View) -> Problem | None:
    """A row or a mass that vanishes, measured by its own values within the step."""
    missed = view.defect_bound**2  # by so little steps of a loose tolerance miss a place where a row vanishes
    for kind, what, missing in (("row", squares, missed), ("mass", masses, 0.0)):
        found = _vanishing(view, what, max(tolerance("VANISHES"), missing), own=True, fallen=True)
        if found is None and what is squares and (near := nearness(view)):
            found = _vanishing(view, what, near, own=True, fallen=True, accepts=lambda each: is_missed(view, each))
        if found is not None:
            return Problem(kind, found.time, found.place, found.value, found)
    return None


def boundless(view: View) -> Problem | None:
    """A row whose coefficients grow without bound, as those of 1 + y/x where x is zero: it does not exist there.

    Whether or not a look falls on it: the inverse of what they are squared vanishes, on both sides.
    """
    low, high = view.range_of(squares)
    columns = np.flatnonzero(high > 0)
    with np.errstate(all="ignore"):
        wide = Range(1 / high[columns], 1 / low[columns])
    columns = columns[uneven(wide, None, tolerance("VANISHES"), own=True)]
    if not len(columns):
        return None
    course, p = view.course, view.points
    force = view.engine.in_force([leg.setup for leg in course.legs])[:, columns] > 0

    def inverse(values: Array, places: Array) -> Array:
        with np.errstate(all="ignore"):
            out: Array = np.where(force[course.leg_of[places]], 1 / values[:, columns], np.inf)
        return out

    def evaluate(times: Array, places: Array) -> Array:
        return inverse(view.evaluate(squares)(times, places), places)

    values = inverse(view.watch.squares, p.places)
    scales = _around(values, p.per_step, fallen=True)

    def grows(found: Minimum) -> bool:
        """Whether it does beside it too, but less: a quotient that has a limit there does not, nor what is constant."""
        near = found.time + np.array([-1.0, 0.0, 1.0]) * BESIDE * float(course.spans[found.place])
        before, there, after = evaluate(np.clip(near, course.begin, None), np.full(3, found.place))[:, found.column]
        sides = np.array([before, after])
        scale = scales[p.places == found.place, found.column].max()  # where it vanishes in the next step, without bound
        rises = ~(sides <= STEEP * there) if there > 0 else True
        return bool((rises & (np.nan_to_num(sides, nan=0.0) <= BESIDE**0.5 * scale)).all())

    found = vanishing(
        course, p.times, values, scales, None, tolerance("VANISHES"), view.crossed, evaluate, accepts=grows
    )
    if found is None:
        return None
    found = found._replace(column=int(columns[found.column]))
    return Problem("pole", found.time, found.place, found.value, found)


def approaching(view: View, further: float = FURTHER) -> Problem | None:
    """A singular place ahead, which steps come nearer and nearer without reaching it, at most so many steps further.

    Close to it the equation is known ever less well, and steps become short; the polynomials of those before reach
    beyond it.
    """
    if view.course.steps < FEW:
        return None
    for kind, what in EVERY.items():
        low, high = view.range_of(what)
        for column in np.flatnonzero(low < FALL * high):
            found = _ahead(view, what(view.watch)[view.ends, column], what, int(column), further)
            if found is not None:
                return Problem(kind, found.time, found.place, found.value, found)
    return None


def _ahead(view: View, values: Array, what: Callable[[Watch], Array], column: int, further: float) -> Minimum | None:
    course = view.course
    known = np.where(np.isfinite(values), values, 0.0)
    high, wide = np.maximum.accumulate(known), np.maximum.accumulate(course.spans)
    falls = (values < FALL * high) & (course.spans < SHRINK * wide)
    places = np.flatnonzero(falls)
    if not len(places):
        return None
    k = int(places[0])
    now = float(course.begins[k])
    for j in range(k - 1, max(k - 60, -1), -1):
        begin, span = float(course.begins[j]), float(course.spans[j])

        def evaluate(times: Array, places: Array, j: int = j) -> Array:
            return view.evaluate(what)(times, np.full_like(places, j))

        for reach in (further * span, FAR * span):
            if begin + reach <= now or begin + reach <= view.crossed:
                continue
            found = least(course, now, begin + reach, column, float(values[j]) or 1.0, NONE_AHEAD, evaluate)
            ahead = found.value <= ZERO_AHEAD and view.crossed < found.time < min(begin + 0.98 * reach, view.until)
            if ahead and _leads(view, j, found.time):
                return found._replace(place=j)
    return None


def _leads(view: View, place: int, time: float) -> bool:
    """Whether the polynomial of a step obeys the equation of motion on its way to a place ahead.

    Measured by the velocities on that way, and by what forces could make of them where it begins: those of late may be
    much larger, as where the place was missed before.
    """
    course, n = view.course, view.watch.acceleration.shape[1]
    begin, unit = float(course.begins[place]), float(course.units[place])
    terms = course.coefficients[place]
    powers = np.arange(terms.shape[1])
    times = begin + (time - begin) * WAY
    rise = ((times - begin) / unit)[:, None] ** powers
    slopes = rise[:, :-1] @ (powers[1:] * terms[n:, 1:]).T / unit
    states = rise @ terms.T
    found = seen(view.engine, course, times, states, np.full(len(times), place)).acceleration
    with np.errstate(all="ignore"):
        longest = course.spans[: place + 1].max()
        off = np.abs(slopes - found) * longest
        scale = np.maximum(np.abs(states[:, n : 2 * n]).max(axis=0), longest * view.paces_at(place))
        return bool((off <= tolerance("PASSED") * scale).all())


def rooted(view: View) -> Problem | None:
    """What stands under a root becomes zero, or what must not vanish lest a function jumps."""

    def looked_at(found: Minimum) -> bool:
        """Not in a moment that leads away from that very place."""
        return not view.course.legs[int(view.course.leg_of[found.place])].brief

    for kind, what in (("root", lambda w: w.radicands), ("jump", jumps)):
        found = _vanishing(view, what, tolerance("ROOT"), own=True, accepts=looked_at)
        if found is not None and nearness(view) and is_missed(view, found):  # with a row: its direction is no speed
            there = view.evaluate(squares)(np.array([found.time]), np.array([found.place]))[0]
            column = int(np.argmin(there / view.range_of(squares).high))
            return Problem("row", found.time, found.place, found.value, found._replace(column=column))
        if found is not None and found.value >= -tolerance("ROOT"):  # else it goes on below zero: out of the domain
            return Problem(kind, found.time, found.place, found.value, found)
    return None


def risen(view: View) -> Problem | None:
    """What stands under a root that was taken as zero is so no longer, measured by its natural scale."""
    resting = view.watch.resting
    if not resting.size or not (resting > 0).any():
        return None
    p, n2 = view.points, view.points.states.shape[1]
    leg = view.course.legs[0]
    sizes = np.where(view.sizes[:n2] > 0, view.sizes[:n2], np.abs(p.states).max(axis=0))  # at rest: what follows
    shaken = view.course.legs[0].steps.coefficients[0, :, 0] + patterns(n2) * sizes
    scale = np.abs(view.engine.watch(leg.setup, np.full(len(shaken), leg.begin), shaken).resting).max(axis=0)
    bad = np.argwhere(resting > RISEN * scale)
    if not len(bad):
        return None
    k, column = (int(i) for i in bad[0])
    begin = float(p.times[k - 1]) if k else view.course.begin
    if view.course.leg_of[view.course.place(begin)] != view.course.leg_of[p.places[k]]:
        begin = float(view.course.begins[view.course.first[view.course.leg_of[p.places[k]]]])
    under = view.evaluate(lambda w: w.resting[:, column : column + 1])

    def has_risen(values: Array) -> Array:
        return np.asarray(~(values[:, 0] <= RISEN * scale[column]))

    time = _first(view.course, begin, float(p.times[k]), under, has_risen)
    return Problem("risen", time, view.course.place(time), float(column))


def crossed(view: View) -> Problem | None:
    """What ends a mode where it falls below zero has done so, and the mode goes on."""
    course, p, setup = view.course, view.points, view.course.legs[0].setup
    values = view.engine.armed_guards(setup, p.times, p.states, view.numbers)
    if not values.size:
        return None
    values[view.brief] = np.inf

    def evaluate(times: Array, places: Array) -> Array:
        out: Array = view.engine.armed_guards(setup, times, course.states(times, places), course.numbers(places))
        return out

    live = uneven(range_of(values), None, 0.0, own=False)
    if not len(live):
        return None
    fired = course.legs[-1].steps.fired
    falls = int(np.searchsorted(live, fired)) if fired is not None and fired in live else None
    begins = np.zeros(len(values), dtype=bool)
    begins[course.first[:-1] * p.per_step] = True
    found = vanishing(
        course,
        p.times,
        values[:, live],
        np.ones((len(values), len(live))),
        None,
        0.0,
        view.crossed,
        lambda times, places: evaluate(times, places)[:, live],
        begins,
        falls,
    )
    if found is None:
        return None
    gone = np.flatnonzero((values[:, live] <= 0).any(axis=1))
    place = min(found.place, int(p.places[max(int(gone[0]) - 1, 0)])) if len(gone) else found.place
    return Problem("crossed", float(course.begins[place]), place, found.value)


def weak(view: View) -> Problem | None:
    """Pivots too small for how often multipliers are refined, or small where other rows could be taken."""
    limit = view.engine.pivot_limit(view.course.legs[0].setup) if view.weak is None else view.weak
    if not view.watch.pivots.size:
        return None
    low, high = view.range_of(pivots)
    if (low - (high - low) / 8 >= DIP * limit).all():  # of three points the vertex is no deeper below the least
        return None
    time = _dip(view, limit)
    bad = np.flatnonzero(~(view.watch.pivots.min(axis=1) >= limit))
    if len(bad) and view.points.times[bad[0]] < time:
        k = int(bad[0])
        time = float(view.points.times[k])
        time = _first_below(view, float(view.points.times[k - 1]) if k else view.course.begin, time, limit)
    return Problem("weak", time, view.course.place(time)) if time < np.inf else None


def _dip(view: View, limit: float) -> float:
    """When pivots first fall below a limit only to rise again between points that were looked at; infinite if never."""
    values, times = view.watch.pivots, view.points.times
    left, low, right = values[:-2], values[1:-1], values[2:]
    gaps = np.diff(times)[:, None]
    vertex, _ = parabola(left, low, right, gaps[:-1], gaps[1:])
    near = (low >= limit) & (low <= left) & (low <= right) & (vertex < DIP * limit) & (low > vertex)
    for k, column in np.argwhere(near).tolist():
        begin, end = float(times[k]), float(times[k + 2])
        found = least(view.course, begin, end, column, 1.0, limit, view.evaluate(lambda w: w.pivots), quick=True)
        if found.value < limit:
            return _first_below(view, begin, found.time, limit)
    return np.inf


def _first_below(view: View, begin: float, end: float, limit: float) -> float:
    """When pivots fall below a limit between two times: not where a step happened to be looked at."""
    course = view.course
    if course.leg_of[course.place(begin)] != course.leg_of[course.place(end)]:
        return end
    return _first(course, begin, end, view.evaluate(pivots), lambda values: ~(values.min(axis=1) >= limit))


def _first(
    course: Course,
    begin: float,
    end: float,
    evaluate: Callable[[Array, Array], Array],
    amiss: Callable[[Array], Array],
) -> float:
    """The first time between two of a course at which something is amiss, as it is at the second."""
    return first(begin, end, lambda times: amiss(evaluate(times, course.places(times))))


def first(begin: float, end: float, amiss: Callable[[Array], Array]) -> float:
    """The first time between two at which something is amiss, as it is at the second; looked at closer and closer."""
    while end - begin > 4 * EPS * max(abs(begin), abs(end)):
        tried = np.linspace(begin, end, CLOSER)
        bad = amiss(tried)
        k = int(np.argmax(bad[1:])) + 1 if bad[1:].any() else CLOSER - 1
        if not tried[k - 1] < tried[k] or tried[k] - tried[k - 1] >= end - begin:
            break
        begin, end = float(tried[k - 1]), float(tried[k])
    return end


def jump_between(view: View, place: int, begin: float, end: float) -> float:
    """When accelerations jump between two times, by the polynomial of a step; their middle where none does."""
    acceleration = view.evaluate(lambda w: w.acceleration)

    def at(times: list[float]) -> Array:
        return acceleration(np.array(times), np.full(len(times), place))

    before, nearly, after = at([begin, begin + (end - begin) / 64, end])
    change, slight = np.abs(after - before).max(), np.abs(nearly - before).max()
    if not np.isfinite(change) or not change > JUMP * slight:
        return (begin + end) / 2
    while begin < (middle := (begin + end) / 2) < end:
        now = at([middle])[0]
        begin, end = (middle, end) if np.abs(now - before).max() < np.abs(now - after).max() else (begin, middle)
    return end


def drifted(view: View) -> Problem | None:
    """The distance from the constraints is beyond its bound."""
    off = view.residuals
    bad = np.flatnonzero(~(off <= view.bound))
    if not len(bad):
        return None
    k = int(bad[0])
    return Problem("drifted", float(view.points.times[k]), int(view.points.places[k]), float(off[k]))


def unbalanced(view: View) -> Problem | None:
    """Rounding of forces in balance has led off the rows, in a step in which they could move far more than there is."""
    off = view.strays
    bad = np.flatnonzero(off > view.bound)
    if not len(bad):
        return None
    place = int(view.points.places[bad[0]])
    return Problem("unbalanced", float(view.course.begins[place]), place, float(off[bad[0]]))


def unweighed(view: View) -> Problem | None:
    """The weights of rows in M + AᵀGA fit no longer."""
    if view.fitting is None:
        return None
    place, _ = view.fitting
    return Problem("unweighed", float(view.course.begins[place]), place)


MONITORS: tuple[Monitor, ...] = (
    rooted,
    risen,
    approaching,
    boundless,
    dependent,
    vanished,
    crossed,
    weak,
    unbalanced,
    unweighed,
    drifted,
    unresolved,
)
PLACES: tuple[Monitor, ...] = (approaching, boundless, dependent, vanished)
"""What vanishes, here or ahead."""

REGULAR = tuple(monitor for monitor in MONITORS if monitor not in PLACES)
"""What is amiss where nothing vanishes."""


def first_problem(view: View, monitors: Sequence[Monitor] = MONITORS) -> Problem | None:
    """The earliest of all problems; in one step, what vanishes comes before what that does to the step.

    A row that vanishes has no pivot there, which is no matter of others.
    """
    found = [problem for monitor in monitors if (problem := monitor(view)) is not None]
    if not found:
        return None
    earliest = min(problem.place for problem in found)
    here = [problem for problem in found if problem.place == earliest]
    for problem in here:
        if problem.kind == "unweighed":  # what else is amiss may be so by it
            return problem
    gone = min((problem.time for problem in here if problem.kind == "row"), default=np.inf)
    here = [problem for problem in here if problem.kind != "dependent" or problem.time < gone]
    unsound = None
    for problem in here:
        if problem.minimum is not None:
            if (value := _defect_before(view, problem)) is None:
                return problem
            unsound = Problem("unresolved", float(view.course.begins[earliest]), earliest, value)
    rest = [p for p in here if p.minimum is None]
    return next((p for p in rest if p.kind == "unresolved"), unsound or rest[0])


def _defect_before(view: View, problem: Problem) -> float | None:
    """The defect of a step before the place where something vanishes in it; None where it obeys the equation there.

    A polynomial is good up to where what stands under a root is zero; close to where a pivot vanishes it is known ill.
    """
    begin, span = float(view.course.begins[problem.place]), float(view.course.spans[problem.place])
    smooth, way = problem.kind in ("root", "jump"), problem.time - begin
    end = begin + 0.9 * way if smooth else min(problem.time - 0.1 * span, begin + 0.9 * way)
    early = view.defects[(view.points.places == problem.place) & (view.points.times < end)]
    if not len(early) and way > 0:
        early = view.part(problem.place, problem.time, WAY if smooth else WAY[:-1]).defects
    bad = early[~(early <= view.defect_bound)]
    return float(bad[0]) if len(bad) else None


def _vanishing(
    view: View,
    what: Callable[[Watch], Array],
    zero: float,
    own: bool,
    fallen: bool = False,
    accepts: Callable[[Minimum], bool] = lambda _: True,
) -> Minimum | None:
    """Where a quantity is zero, by its `own` size, or by one; with `fallen`, by what it falls from and rises to again.

    Steps may become ever shorter towards a zero.
    """
    values = what(view.watch)
    if not values.shape[1]:
        return None
    before = None if view.before is None else what(view.before)[0]
    side = _side(values, before) if what in SIGNED else None
    if side is not None:
        values, before = values * side, None if before is None else before * side
    columns = uneven(view.range_of(what) if side is None else range_of(values), before, zero, own)
    if what is jumps:
        columns = columns[view.range_of(what).high[columns] > 0]  # along a branch itself no function jumps
    if not len(columns):
        return None
    p, values = view.points, values[:, columns]
    scales = np.ones_like(values) if not own else _around(values, p.per_step, fallen)
    before = None if before is None else before[columns]
    signs = 1.0 if side is None else side[columns]
    evaluate = view.evaluate(lambda w: what(w)[:, columns] * signs)
    found = vanishing(view.course, p.times, values, scales, before, zero, view.crossed, evaluate, accepts=accepts)
    if found is None:
        return None
    if what in SIGNED and found.value < -zero:
        c = found.column
        found = _turned(view, found, values[:, c], lambda times, places: evaluate(times, places)[:, c])
    return found._replace(column=int(columns[found.column]))


def _side(values: Array, before: Array | None) -> Array | None:
    """The sign (m,) that masses begin a course with; None where none is ever negative."""
    first = values[0] if before is None else before
    return np.where(first < 0, -1.0, 1.0) if (first < 0).any() else None


def _turned(view: View, found: Minimum, values: Array, evaluate: Callable[[Array, Array], Array]) -> Minimum:
    """Where a quantity (k,) that has been found below zero went through it, to rounding.

    `evaluate` gives it (k,) anywhere: what was found is no more than a place where it has done so.
    """
    p, course = view.points, view.course
    sound = np.flatnonzero((p.times < found.time) & (values > 0))
    begin = float(p.times[sound[-1]]) if len(sound) else course.begin
    begin = max(begin, view.crossed, course.left(found.place)) if begin < found.time else begin
    time = _first(course, begin, found.time, evaluate, lambda each: ~(each > 0))
    return found._replace(time=time, place=course.place(time))


def _around(values: Array, per_step: int, fallen: bool) -> Array:
    """The largest of each quantity in a step and its neighbours, at every point; or what it falls from and rises to."""
    s, c = len(values) // per_step, values.shape[1]
    largest = np.nan_to_num(np.abs(values), nan=0.0, posinf=0.0).reshape(s, per_step, c).max(axis=1)
    padded = np.vstack([largest[:1], largest, largest[-1:]])
    near = np.maximum(np.maximum(padded[:-2], padded[1:-1]), padded[2:])
    if fallen:
        both = np.minimum(np.maximum.accumulate(largest), np.maximum.accumulate(largest[::-1])[::-1])
        near = np.maximum(near, both)
    out: Array = np.repeat(near, per_step, axis=0)
    return out
