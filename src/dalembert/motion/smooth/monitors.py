"""What is looked at along a course of steps before it counts: small rules, each of which finds the first thing amiss.

Every monitor sees the same points inside the steps, which the step rule never looked at, and gives the first problem
it finds, or none. The earliest of all problems is acted on; what comes before it stands.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.engine import Watch, patterns
from dalembert.motion.smooth.leg import Course, Points
from dalembert.motion.smooth.minima import Minimum, Range, least, range_of, uneven, vanishing
from dalembert.motion.tolerances import EPS, tolerance

SHAKE = 2.0**-28  # how much the inputs of an acceleration are changed, relative to their natural scales
FEW_COLUMNS = 32
DIP = 2.0  # a minimum that three points show below so many times a limit is looked at closer
CLOSER = 9  # points between two that were looked at, again and again
FEW, FALL, SHRINK = 6, 1e-2, 0.3  # steps in a course; a fall of a pivot and of the step that are looked at
FURTHER = 2.2  # steps: how far the polynomial of one is believed
FAR = 10.0  # steps: how far it may lead where it obeys the equation of motion all the way
WAY = np.array([0.25, 0.5, 0.75, 0.9])  # of the way to a place ahead: where that is looked at
ZERO_AHEAD, NONE_AHEAD = 1e-13, 1e-40  # of the value at the beginning of the step: zero, and looked for no closer
JUMP = 1e3  # times what a 64th of the way changes: more than that is no change but a jump
RISEN = 1e-20  # a radicand above this part of its natural scale is not zero


class Problem(NamedTuple):
    """Something amiss: its kind, when, in which step, and what more is known of it."""

    kind: str
    time: float
    place: int
    value: float = 0.0
    minimum: Minimum | None = None


@dataclass(frozen=True, eq=False)
class View:
    """A course with everything seen at points inside its steps.

    `sizes` (2n,): how large coordinates and velocities have been of late. `before`: what was seen at its beginning.
    `bound`: the largest distance from a constraint, relative to the size of its terms. `crossed`: what vanished at or
    before this time has been dealt with. `weak`: pivots below this are too small, None for what the engine says.
    `until`: the end of the run, beyond which nothing matters.
    """

    engine: Any
    course: Course
    points: Points
    sizes: Array
    before: Watch | None
    bound: float
    crossed: float
    weak: float | None
    until: float
    watch: Watch

    @cached_property
    def ends(self) -> slice:
        """The points at the ends of steps."""
        return slice(self.points.per_step - 1, None, self.points.per_step)

    @cached_property
    def residuals(self) -> Array:
        """How far off the constraints the points are, relative to the size of their terms, (k,).

        By the sizes at the end of each step, with what the shortest makes of them, first; where that is beyond the
        bound, by those at the point itself.
        """
        m, p, course = self.watch.level.shape[1], self.points, self.course
        if not m:
            return np.zeros(len(p.times))
        setups = {id(leg.setup): leg.setup for leg in course.legs}
        free = {key: ~np.tile(self.engine.holding(setup), 2) for key, setup in setups.items()}
        numbers = course.numbers(np.arange(course.steps))
        scales = self._scales(course.spans.min(keepdims=True), np.abs(p.times[self.ends]).min(keepdims=True))[0]
        setup = course.legs[0].setup
        sizes = self.engine.sizes(setup, p.times[self.ends], p.states[self.ends], scales, numbers)
        sizes = np.where(sizes > 0, sizes, 1e-300)
        off = np.abs(np.hstack([self.watch.level, self.watch.rate]))
        masks = list(free.values())
        if not self.brief.any() and all(np.array_equal(mask, masks[0]) for mask in masks[1:]):
            off[:, masks[0]] = 0.0
            most = largest(_of_steps(np.maximum, off, p.per_step) / sizes)
            if (most <= self.bound).all():  # of each step the largest tells enough
                return np.repeat(most, p.per_step)
            masks = []
        for k, leg in enumerate(course.legs) if masks else ():
            if leg.brief or free[id(leg.setup)].any():
                mine = slice(course.first[k] * p.per_step, course.first[k + 1] * p.per_step)
                off[mine, slice(None) if leg.brief else free[id(leg.setup)]] = 0.0
        with np.errstate(over="ignore"):
            out = largest(off / np.repeat(sizes, p.per_step, axis=0))
        bad = np.flatnonzero(~(out <= self.bound))
        if len(bad):
            at = p.places[bad]
            scales = self._scales(p.spans[bad], p.times[bad])
            own = self.engine.sizes(setup, p.times[bad], p.states[bad], scales, course.numbers(at))
            out[bad] = largest(off[bad] / np.where(own > 0, own, 1e-300))
        return out

    def _scales(self, spans: Array, times: Array) -> Array:
        """Natural scales (k, 2n + 1), with what the forces that act could make of them in steps of some spans (k,).

        A velocity that forces in balance leave at zero is known only to their rounding.
        """
        made = self.made_in(spans[:, None])
        return np.hstack([self.sizes[: made.shape[1]] + made, np.abs(times)[:, None]])

    @cached_property
    def _paces(self) -> Array:
        """The accelerations (n,) that forces as large as those at the beginning could give each coordinate."""
        leg = self.course.legs[0]
        out: Array = self.engine.paces(leg.setup, np.array([leg.begin]), leg.steps.coefficients[:1, :, 0])[0]
        return out

    def made_in(self, span: Array) -> Array:
        """What forces could make of coordinates and velocities (2n,) in a time; of several (k, 1), a table (k, 2n)."""
        n = len(self.sizes) // 2
        speeds = span * self._paces
        return np.concatenate([span * (self.sizes[n : 2 * n] + speeds), speeds], axis=-1)

    @cached_property
    def _ranges(self) -> dict[Callable[[Watch], Array], Range]:
        return {}

    def range_of(self, what: Callable[[Watch], Array]) -> Range:
        """The least and the greatest finite value of each column of a quantity of the watch, found once."""
        if what not in self._ranges:
            self._ranges[what] = range_of(what(self.watch))
        return self._ranges[what]

    @property
    def numbers(self) -> Array | None:
        """The parameters at the points."""
        return self.course.numbers(self.points.places)

    @cached_property
    def defects(self) -> Array:
        """h |v̇ − q̈| over the natural scale of each velocity, the largest at each point; less what is rounding.

        The scale is the largest of the velocity of late, and in the steps up to this one: what comes after a step that
        does not stand says nothing. What has not moved at all by then is measured by what follows.
        """
        p, n = self.points, self.watch.acceleration.shape[1]
        k = p.per_step
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            raw = p.slopes - self.watch.acceleration
            np.abs(raw, out=raw)
            raw *= p.spans[:, None]
            speeds = np.fmax(_of_steps(np.fmax, np.abs(p.states[:, n:]), k), 0.0)
            raw[self.brief] = 0.0
            scale = np.maximum(speeds, self.sizes[n : 2 * n])
            quick = largest(raw / np.repeat(scale, k, axis=0))
        if quick.max(initial=0.0) <= self.defect_bound:  # NaN is not
            return quick
        scale = np.maximum.accumulate(scale, axis=0)
        scale = np.repeat(np.where(scale > 0, scale, speeds.max(axis=0, initial=0.0)), k, axis=0)
        out = _relative(raw, scale)
        bad = np.flatnonzero(out > self.defect_bound)
        if len(bad):
            out[bad] = self._beyond_rounding(bad, raw[bad], scale[bad])
        return out

    def _beyond_rounding(self, bad: Array, raw: Array, scale: Array) -> Array:
        """The defects (k,) at some points, less what rounding makes of the accelerations there."""
        finite = np.isfinite(raw).all(axis=1)
        spans = self.points.spans[bad, None]
        paces = self.engine.paces(self.course.legs[0].setup, self.points.times[bad], self.points.states[bad])
        known = spans * (self._rounding(bad) + tolerance("FORCES") * paces)
        left = _relative(np.maximum(raw - known, 0.0), scale)
        still = np.flatnonzero(finite & (left > self.defect_bound))
        if len(still):
            error = self.engine.rounding_error(
                self.course.legs[0].setup,
                self.points.times[bad[still]],
                self.points.states[bad[still]],
                self.watch.acceleration[bad[still]],
                self._numbers_at(bad[still]),
            )
            if error is not None:
                within = np.maximum(raw[still] - 8 * spans[still] * np.maximum.accumulate(error, axis=0), 0.0)
                left[still] = np.minimum(left[still], _relative(within, scale[still]))
        return np.where(finite, left, np.inf)

    def _numbers_at(self, points: Array) -> Array:
        """The parameters (k, p) at some points."""
        legs = self.course.legs
        table = np.array([leg.setup.numbers for leg in legs])
        out: Array = table[self.course.leg_of[self.points.places[points]]]
        return out

    @cached_property
    def brief(self) -> Array:
        """Which points are in brief legs (k,)."""
        brief = np.array([leg.brief for leg in self.course.legs], dtype=bool)
        out: Array = brief[self.course.leg_of[self.points.places]]
        return out

    @property
    def defect_bound(self) -> float:
        """The largest defect that stands."""
        return tolerance("DEFECT") * float(self.engine.defect_bound)

    def _rounding(self, points: Array) -> Array:
        """What rounding makes of the accelerations at some points (k, n).

        By how much they change when every coordinate, velocity and parameter and the time change a little, relative to
        their natural scales, in a few patterns of signs.
        """
        p, n2 = self.points, self.points.states.shape[1]
        legs, numbers = self.course.legs, self._numbers_at(points)
        times, states = p.times[points], p.states[points]
        worst = np.zeros((len(points), n2 // 2))
        for sign in patterns(n2 + 1 + numbers.shape[1]):
            shaken = states + SHAKE * sign[:n2] * np.maximum(self.sizes[:n2], np.abs(states))
            other = numbers * (1 + SHAKE * sign[n2 + 1 :] * self.engine.stated(legs[0].setup))
            at = times + SHAKE * sign[n2] * np.abs(times)
            changed = self.engine.watch(legs[0].setup, at, shaken, other).acceleration
            with np.errstate(invalid="ignore", over="ignore"):
                worst = np.fmax(worst, np.abs(changed - self.watch.acceleration[points]))
        return worst * (tolerance("ROUNDING") / SHAKE)

    def evaluate(self, what: Callable[[Watch], Array]) -> Callable[[Array, Array], Array]:
        """A quantity of the watch at any times of the course."""

        def at(times: Array, places: Array) -> Array:
            states = self.course.states(times, places)
            return what(seen(self.engine, self.course, times, states, places))

        return at


def seen(engine: Any, course: Course, times: Array, states: Array, places: Array) -> Watch:
    """Everything that is watched at points of a course; no acceleration where what stands under a root is negative."""
    found: Watch = engine.watch(course.legs[0].setup, times, states, course.numbers(places))
    outside = np.any(found.radicands < 0, axis=1)
    if outside.any():
        found = found._replace(acceleration=np.where(outside[:, None], np.nan, found.acceleration))
    return found


Monitor = Callable[[View], Problem | None]


def _pivots(watch: Watch) -> Array:
    return watch.pivots


def _squares(watch: Watch) -> Array:
    return watch.squares


def _inertia(watch: Watch) -> Array:
    return watch.inertia


def _masses(watch: Watch) -> Array:
    return watch.masses


WATCHED: dict[str, Callable[[Watch], Array]] = {
    "dependent": _pivots,
    "row": _squares,
    "massless": _inertia,
    "mass": _masses,
}


def _of_steps(better: np.ufunc, values: Array, per_step: int) -> Array:
    """The largest in each step (s, c), of values at so many points of each: slices are faster than short reductions."""
    found: Array = reduce(better, (values[j::per_step] for j in range(per_step)))
    return found


def largest(values: Array) -> Array:
    """The largest in each row (k,); column by column, where these are few."""
    if not 0 < values.shape[1] <= FEW_COLUMNS:
        return np.asarray(values.max(axis=1, initial=-np.inf))
    found: Array = reduce(np.maximum, values.T)
    return found


def _relative(raw: Array, scale: Array) -> Array:
    """The largest of some quantities over their scales, in each row; infinite where one is not finite."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        relative = np.where(raw > 0, raw / scale, 0.0)
    out: Array = np.where(np.isfinite(raw).all(axis=1), largest(relative), np.inf)
    return out


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
        ("dependent", _pivots, tolerance("DEPENDENT")),
        ("massless", _inertia, tolerance("MASSLESS")),
    ):
        found = _vanishing(view, what, zero, own=False)
        if found is not None:
            return Problem(kind, found.time, found.place, found.value, found)
    return None


def vanished(view: View) -> Problem | None:
    """A row or a mass that vanishes, measured by its own values within the step."""
    for kind, what in (("row", _squares), ("mass", _masses)):
        found = _vanishing(view, what, tolerance("VANISHES"), own=True, fallen=True)
        if found is not None:
            return Problem(kind, found.time, found.place, found.value, found)
    return None


def approaching(view: View, further: float = FURTHER) -> Problem | None:
    """A singular place ahead, which steps come nearer and nearer without reaching it, at most so many steps further.

    Close to it the equation is known ever less well, and steps become short; the polynomials of those before reach
    beyond it.
    """
    if view.course.steps < FEW:
        return None
    for kind, what in WATCHED.items():
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
            if ahead and (found.time <= begin + further * span or _leads(view, j, found.time)):
                return found._replace(place=j)
    return None


def _leads(view: View, place: int, time: float) -> bool:
    """Whether the polynomial of a step obeys the equation of motion on its way to a place ahead."""
    course, n = view.course, view.watch.acceleration.shape[1]
    begin, unit = float(course.begins[place]), float(course.units[place])
    terms = course.coefficients[place]
    powers = np.arange(terms.shape[1])
    times = begin + (time - begin) * WAY
    rise = ((times - begin) / unit)[:, None] ** powers
    slopes = rise[:, :-1] @ (powers[1:] * terms[n:, 1:]).T / unit
    found = seen(view.engine, course, times, rise @ terms.T, np.full(len(times), place)).acceleration
    with np.errstate(all="ignore"):
        off = np.abs(slopes - found) * course.spans[: place + 1].max()
        scale = np.maximum(view.sizes[n : 2 * n], view.made_in(course.spans[: place + 1].max())[n:])
        return bool((off <= tolerance("PASSED") * scale).all())


def rooted(view: View) -> Problem | None:
    """What stands under a root becomes zero, or what must not vanish lest a function jumps."""
    for kind, what in (("root", lambda w: w.radicands), ("jump", lambda w: w.jumps)):
        found = _vanishing(view, what, tolerance("ROOT"), own=True)
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
    shaken = view.course.legs[0].steps.coefficients[0, :, 0] + patterns(n2) * view.sizes[:n2]
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
    low, high = view.range_of(_pivots)
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
    with np.errstate(all="ignore"):
        vertex = low - (right - left) ** 2 / (8 * (left - 2 * low + right))
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
    return _first(course, begin, end, view.evaluate(_pivots), lambda values: ~(values.min(axis=1) >= limit))


def _first(
    course: Course,
    begin: float,
    end: float,
    evaluate: Callable[[Array, Array], Array],
    amiss: Callable[[Array], Array],
) -> float:
    """The first time between two at which something is amiss, as it is at the second; looked at closer and closer."""
    while end - begin > 4 * EPS * max(abs(begin), abs(end)):
        tried = np.linspace(begin, end, CLOSER)
        bad = amiss(evaluate(tried, course.places(tried)))
        first = int(np.argmax(bad[1:])) + 1 if bad[1:].any() else CLOSER - 1
        if not tried[first - 1] < tried[first] or tried[first] - tried[first - 1] >= end - begin:
            break
        begin, end = float(tried[first - 1]), float(tried[first])
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


MONITORS: tuple[Monitor, ...] = (
    rooted,
    risen,
    approaching,
    dependent,
    vanished,
    crossed,
    weak,
    drifted,
    unresolved,
)


def first_problem(view: View, monitors: Sequence[Monitor] = MONITORS) -> Problem | None:
    """The earliest of all problems; in one step, what vanishes comes before what that does to the step."""
    found = [problem for monitor in monitors if (problem := monitor(view)) is not None]
    if not found:
        return None
    earliest = min(problem.place for problem in found)
    here = [problem for problem in found if problem.place == earliest]
    for problem in here:
        if problem.minimum is not None and _resolved_before(view, problem):
            return problem
    rest = [p for p in here if p.minimum is None] or here
    return next((p for p in rest if p.kind == "unresolved"), rest[0])


def _resolved_before(view: View, problem: Problem) -> bool:
    """Whether the step obeys the equation of motion before the place where something vanishes in it."""
    mine = np.flatnonzero(view.points.places == problem.place)
    begin, span = view.course.begins[problem.place], view.course.spans[problem.place]
    early = mine[view.points.times[mine] < min(problem.time - 0.1 * span, begin + 0.9 * (problem.time - begin))]
    return bool((view.defects[early] <= view.defect_bound).all())


def _vanishing(
    view: View, what: Callable[[Watch], Array], zero: float, own: bool, fallen: bool = False
) -> Minimum | None:
    """Where a quantity is zero, by its `own` size, or by one; with `fallen`, by what it falls from and rises to again.

    Steps may become ever shorter towards a zero.
    """
    values = what(view.watch)
    if not values.shape[1]:
        return None
    before = None if view.before is None else what(view.before)[0]
    columns = uneven(view.range_of(what), before, zero, own)
    if not len(columns):
        return None
    p, values = view.points, values[:, columns]
    scales = np.ones_like(values) if not own else _around(values, p.per_step, fallen)
    before = None if before is None else before[columns]
    evaluate = view.evaluate(lambda w: what(w)[:, columns])
    found = vanishing(view.course, p.times, values, scales, before, zero, view.crossed, evaluate)
    return None if found is None else found._replace(column=int(columns[found.column]))


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
