"""A course of steps with everything seen at points inside them, and how far off what is seen is, by natural scales."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np

from dalembert.derive import Array
from dalembert.engine import Watch, patterns
from dalembert.motion.smooth.leg import Course, Points
from dalembert.motion.smooth.minima import Range, range_of
from dalembert.motion.tolerances import tolerance

SHAKE = 2.0**-28  # how much the inputs of an acceleration are changed, relative to their natural scales
FEW_COLUMNS = 32
BEYOND = 16  # steps from where weights fit no longer, for which others are taken
LONG = 16.0  # times as far as there is, forces could move in such a step: their balance is known to rounding alone


@dataclass(frozen=True, eq=False)
class View:
    """A course with everything seen at points inside its steps.

    `sizes` (2n,): how large coordinates and velocities have been of late. `before`: what was seen at its beginning.
    `bound`: the largest distance from a constraint, relative to the size of its terms. `crossed`: what vanished at or
    before this time has been dealt with. `weak`: pivots below this are too small, None for what the engine says.
    `until`: the end of the run, beyond which nothing matters. `again`: its first step is a part of one that did not
    stand. `weighs`: whether other weights of rows may be taken.
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
    again: bool = False
    weighs: bool = True

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
        off = np.abs(np.concatenate([self.watch.level.T, self.watch.rate.T])).T  # column by column, as they come
        masks = list(free.values())
        if not self._has_brief and all(np.array_equal(mask, masks[0]) for mask in masks[1:]):
            if masks[0].any():
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

    @cached_property
    def strays(self) -> Array:
        """How far places are off the rows where steps are so long that forces could move far more than there is, (k,).

        Relative to the terms of the row alone, without what forces could make of them; zero in other steps, and where
        accelerations obey the rows to their own rounding anyway.
        """
        p, m, n = self.points, self.watch.level.shape[1], len(self.sizes) // 2
        out = np.zeros(len(p.times))
        setup = self.course.legs[0].setup
        if not m or setup.choice.balanced:
            return out
        own = self.sizes[:n]
        if not ((self.made_in(self.course.spans.max())[:n] > LONG * own) & (own > 0)).any():
            return out
        long = (self.made_in(self.course.spans[:, None])[:, :n] > LONG * own) & (own > 0)
        at = np.flatnonzero(np.asarray(np.any(long, axis=1))[p.places] & ~self.brief)
        if not len(at):
            return out
        holds = {id(leg.setup): self.engine.holding(leg.setup) for leg in self.course.legs}
        mine = np.array([holds[id(leg.setup)] for leg in self.course.legs])[self.course.leg_of[p.places[at]]]
        made = self.made_in((p.times - self.course.begins[p.places])[at, None])
        known = np.where(self.sizes[: 2 * n] > tolerance("FORCES") * made, self.sizes[: 2 * n], made)  # or it has none
        scales = np.hstack([known, np.abs(p.times[at])[:, None]])
        sizes = self.engine.sizes(setup, p.times[at], p.states[at], scales, self._numbers_at(at))[:, :m]
        off = np.where(mine & (sizes > 0), np.abs(self.watch.level[at]), 0.0)
        out[at] = largest(off / np.where(sizes > 0, sizes, 1.0))
        return out

    def _scales(self, spans: Array, times: Array) -> Array:
        """Natural scales (k, 2n + 1), with what the forces that act could make of them in steps of some spans (k,).

        A velocity that forces in balance leave at zero is known only to their rounding.
        """
        made = self.made_in(spans[:, None])
        return np.hstack([self.sizes[: made.shape[1]] + made, np.abs(times)[:, None]])

    @cached_property
    def _paces(self) -> Array:
        return self.paces_at(0)

    def paces_at(self, place: int) -> Array:
        """The accelerations (n,) that forces as large as those where a step begins could give each coordinate."""
        course = self.course
        setup, begin = course.legs[int(course.leg_of[place])].setup, course.begins[place : place + 1]
        out: Array = self.engine.paces(setup, begin, course.coefficients[place : place + 1, :, 0])[0]
        return out

    def made_in(self, span: Array) -> Array:
        """What forces could make of coordinates and velocities (2n,) in a time; of several (k, 1), a table (k, 2n)."""
        n = len(self.sizes) // 2
        speeds = span * self._paces
        return np.concatenate([span * (self.sizes[n : 2 * n] + speeds), speeds], axis=-1)

    @cached_property
    def _ranges(self) -> dict[Callable[[Watch], Array], Range]:
        return {}

    def sizes_by(self, time: float) -> Array:
        """How large coordinates and velocities (2n,) have been of late, at a time of the course."""
        seen = np.abs(self.points.states[self.points.times <= time])
        out: Array = np.fmax(self.sizes[: seen.shape[1]], seen.max(axis=0, initial=0.0))
        return out

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
            speeds = np.fmax(_of_steps(np.fmax, np.abs(p.states[:, n:]), k), 0.0)
            if self._has_brief:
                raw[self.brief] = 0.0
            scale = np.maximum(speeds, self.sizes[n : 2 * n])
            most = _of_steps(np.maximum, raw, k)
            most *= self.course.spans[:, None]
            most /= scale
        quick = largest(most)
        if quick.max(initial=0.0) <= self.defect_bound:  # of each step the largest tells enough; NaN is not
            return np.repeat(quick, k)
        raw *= p.spans[:, None]
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
        fine = self.engine.defect_bound <= self.engine.finest
        for k in np.flatnonzero(finite & (left > self.defect_bound)).tolist() if fine or self.again else ():
            given = float(self.points.times[bad[k]]), self.points.states[bad[k]], self._numbers_at(bad[k : k + 1])[0]
            own = tolerance("FORCES") * self.engine.shaken(self.course.legs[0].setup, *given)
            left[k] = min(left[k], _relative(np.maximum(raw[k] - spans[k] * own, 0.0)[None, :], scale[k : k + 1])[0])
            if not left[k] <= self.defect_bound:  # this step is done again, whatever comes after it
                break
        return np.where(finite, left, np.inf)

    def _numbers_at(self, points: Array) -> Array:
        """The parameters (k, p) at some points."""
        legs = self.course.legs
        table = np.array([leg.setup.numbers for leg in legs])
        out: Array = table[self.course.leg_of[self.points.places[points]]]
        return out

    @cached_property
    def _has_brief(self) -> bool:
        return any(leg.brief for leg in self.course.legs)

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

    @cached_property
    def fitting(self) -> tuple[int, Any] | None:
        """The first step in which the weights of rows fit no longer, and a setup whose weights fit there and beyond."""
        light = self.engine.light(self.course.legs[0].setup, self.watch)
        if not self.weighs or not light.any():
            return None
        place = int(self.points.places[int(np.argmax(light))])
        leg = int(self.course.leg_of[place])
        last = min(place + BEYOND, int(self.course.first[leg + 1]))
        mine = (self.points.places >= place) & (self.points.places < last)
        found = self.engine.fitting(self.course.legs[leg].setup, self.points.times[mine], self.points.states[mine])
        return None if found is None else (place, found)

    def part(self, place: int, end: float, fractions: Array) -> "View":
        """One step up to a time in it, seen at other points: none of those of the course may lie before that time."""
        leg = self.course.until(place, end)[-1]
        course = Course([leg.part(leg.steps.count - 1, leg.steps.count)])
        points = course.points(fractions)
        earlier = np.abs(self.points.states[self.points.places < place]).max(axis=0, initial=0.0)
        watch = seen(self.engine, course, points.times, points.states, points.places)
        return replace(self, course=course, points=points, sizes=np.fmax(self.sizes, earlier), watch=watch)

    def evaluate(self, what: Callable[[Watch], Array]) -> Callable[[Array, Array], Array]:
        """A quantity of the watch at any times of the course."""

        def at(times: Array, places: Array) -> Array:
            states = self.course.states(times, places)
            return what(seen(self.engine, self.course, times, states, places))

        return at


def seen(engine: Any, course: Course, times: Array, states: Array, places: Array) -> Watch:
    """Everything that is watched at points of a course; no acceleration where what stands under a root is negative."""
    found: Watch = engine.watch(course.legs[0].setup, times, states, course.numbers(places))
    if found.radicands.shape[1] and (outside := np.any(found.radicands < 0, axis=1)).any():
        found = found._replace(acceleration=np.where(outside[:, None], np.nan, found.acceleration))
    return found


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
