"""A motion looked at from outside: states at its samples and between them, natural scales, and where it may jump."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.guard_kinds import GuardKey
from dalembert.derive.switching.modes import Mode
from dalembert.engine import Steps
from dalembert.motion.legs import Legs, Passes, earlier
from dalembert.motion.passed import beside
from dalembert.motion.record import Episode
from dalembert.motion.smooth.left_open import left_open
from dalembert.motion.status import Event
from dalembert.motion.stretch import Stretch
from dalembert.motion.tolerances import EPS, tolerance

if TYPE_CHECKING:
    from dalembert.motion.trajectory import Trajectory

BETWEEN = 0.382  # of the way from a sample to the next
INNER = (0.127, 0.5, 0.873)  # of a stretch in one mode
MOST = 2048  # places between samples, at most
FEW = 64  # places at which the plain engine is asked
ROUNDINGS = 8  # so many of what a number makes up for in its rows it may be off by
REACH = 16.0  # times as far as a coordinate has been: its scale is no more
CLOCK = 2.0**-8  # of the way in the time since zero: what rounding of the time of a switch moves, as in a run


class Jump(NamedTuple):
    """Where one leg of a motion ends and the next begins: when, and the states (2n,) before and after."""

    time: float
    before: Array
    after: Array


class Guards(NamedTuple):
    """The guards of a stretch that count in its mode: what each is of, its values and sizes (k, g) at places (k,)."""

    mode: Mode
    keys: tuple[GuardKey, ...]
    places: Array
    values: Array
    sizes: Array


class Part(NamedTuple):
    """A stretch in one mode: its setup, the episode, and where its times are among all."""

    setup: Any
    episode: Episode
    where: slice


@dataclass(frozen=True, eq=False)
class Look:
    """States (k, 2n) of a motion at times (k,): all samples, as they are, and places between, on the steps.

    They are taken `on` the legs of the motion, or, where its steps are too many to be kept, by going over it again.
    """

    motion: "Trajectory"
    on: Legs | Passes
    times: Array
    states: Array
    sampled: Array

    @classmethod
    def of(cls, motion: "Trajectory") -> "Look":
        """A motion looked at at all its samples, between them, and within each of its stretches."""
        on: Legs | Passes | None = motion._legs
        first, last, t = motion.begin_time, motion.end_time, motion.t
        gaps = np.unique(np.linspace(0, max(len(t) - 2, 0), MOST).astype(int)) if len(t) > 1 else np.zeros(0, int)
        ends = np.clip([*(e.time for e in motion.episodes), last], first, last)
        inner = ends[:-1, None] + np.diff(ends)[:, None] * np.array(INNER)
        times = np.unique(
            np.concatenate([t, t[gaps] + BETWEEN * (t[gaps + 1] - t[gaps]), inner.ravel(), [first, last]])
        )
        if not on:
            on = Passes(motion)
            told = np.array([*(e.time for e in motion.events), *(e.time for e in motion.episodes), last])
            told = told[(told >= first) & (told <= last)]
            on.at(np.concatenate([times, told, earlier(motion, told)]))  # all that will be asked for, at once
        look = cls(motion, on, times, np.zeros(0), np.isin(times, t))
        states = look.at(times)
        states[np.searchsorted(times, t)] = motion.y.T
        return cls(motion, on, times, states, look.sampled)

    def at(self, times: Array) -> Array:
        """The states (k, 2n) at times, on the steps; right after a switch there."""
        out = self.on.at(times)
        out[times == self.motion.end_time] = self.motion.end_values  # after what happens there
        return out

    def before(self, times: Array) -> Array:
        """The same, right before a switch there."""
        return self.on.before(times)

    def step_end(self, time: float, until: float) -> float:
        """Where the step of the motion that a time is in ends, at the latest then."""
        if not self.legs:
            return until
        assert isinstance(self.on, Legs)
        times = self.on.leg(time).times
        later = times[np.searchsorted(times, time, side="right") :]
        return min(until, float(later[0])) if len(later) else until

    def step_of(self, time: float) -> tuple[float, float]:
        """Where the step of the motion that a time is in begins and ends; the time itself where steps are not known."""
        if not self.legs:
            return time, time
        assert isinstance(self.on, Legs)
        times = self.on.leg(time).times
        k = int(np.clip(np.searchsorted(times, time, side="right"), 1, len(times) - 1))
        return float(times[k - 1]), float(times[k])

    @property
    def legs(self) -> tuple[Steps, ...]:
        """The steps of the motion; none where they are too many to be kept."""
        return self.on.steps if isinstance(self.on, Legs) else ()

    @cached_property
    def jumps(self) -> tuple[Jump, ...]:
        """Where a leg begins: the state there, and what it was before."""
        if not self.legs:
            times = np.unique([e.time for e in self.motion.events if self.motion.begin_time < e.time])
            return tuple(map(Jump, times.tolist(), self.before(times), self.at(times))) if len(times) else ()
        found = []
        assert isinstance(self.on, Legs)
        begins = np.concatenate([[self.motion.begin_time], self.on.begins])
        befores = [self.motion.begin_values, *(leg.end for leg in self.legs)]
        for k, leg in enumerate(self.legs):
            if k + 1 == len(self.legs) or begins[k + 2] > begins[k + 1]:
                found.append(Jump(float(leg.times[0]), befores[k], leg.coefficients[0, :, 0]))
        if self.on.begins[-1] < self.motion.end_time:
            found.append(Jump(self.motion.end_time, befores[-1], self.motion.end_values))
        return tuple(found)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The stretches, each in its mode."""
        out, done = [], 0
        for setup, episode, times, _ in self.motion._derivation.stretches(self.times, self.states):
            out.append(Part(setup, episode, slice(done, done + len(times))))
            done += len(times)
        return tuple(out)

    @cached_property
    def largest(self) -> Array:
        """How large each coordinate and velocity has been so far (k, 2n)."""
        known = [np.abs(np.array(o.sizes or o.state)) for o in self.motion.origins[:1]]
        states = np.where(np.isfinite(self.states), np.abs(self.states), 0.0)  # what is not finite has no size
        found = np.fmax(states, np.max([*known, np.abs(self.motion.begin_values)], axis=0))
        begins, sizes = self._heights  # a peak may be short beside what is between the times
        if len(begins):
            place = np.searchsorted(begins, self.times, side="right") - 1
            found = np.maximum(found, np.where(place[:, None] >= 0, sizes[np.maximum(place, 0)], 0.0))
        out: Array = np.maximum.accumulate(found, axis=0)
        return out

    @property
    def _heights(self) -> tuple[Array, Array]:
        """From when on (k,) steps have been so large (k, 2n); as seen in going over it where they are too many."""
        if self.legs:
            begins = np.concatenate([leg.times[:-1] for leg in self.legs])
            sizes = np.concatenate([np.abs(leg.coefficients[:, :, 0]) for leg in self.legs])
            return begins, np.maximum.accumulate(sizes, axis=0)
        if self.motion.end_time <= self.motion.begin_time:
            return np.zeros(0), np.zeros(0)
        seen = [height for record in self.motion._gone_over for height in record.heights]
        sizes = np.array([size for _, size in seen])
        return np.array([begin for begin, _ in seen]), np.maximum.accumulate(sizes, axis=0) if seen else sizes

    @cached_property
    def scales(self) -> Array:
        """Natural scales (k, 2n + 1) of coordinates, velocities and time, with what acts makes of them in a step."""
        n, t = self.states.shape[1] // 2, np.abs(self.times)[:, None]
        q, v = self.largest[:, :n], self.largest[:, n:]
        v = v + self.spans[:, None] * self.paces
        q = np.maximum(q, CLOCK * t * v) + self.spans[:, None] * v
        return np.hstack([within_reach(q, self.largest[-1, :n]), v, t])

    @cached_property
    def left_open(self) -> Array:
        """What rounding leaves open of coordinates and velocities (2n,) on their rows, where a motion begins."""
        engine, part, start = self.motion._derivation.engine, self.parts[0], self.motion.begin_values
        out: Array = ROUNDINGS * EPS * left_open(engine, part.setup, self.motion.begin_time, start)
        return out

    @cached_property
    def made(self) -> Array:
        """The largest velocities (k, n) so far that forces could make in a step: what they made is known to that."""
        out: Array = np.maximum.accumulate(self.spans[:, None] * self.paces, axis=0)
        return out

    @cached_property
    def shaken(self) -> Array:
        """What rounding of the numbers of a state makes of the accelerations (k, n)."""
        from dalembert.motion.unsure import accelerations

        return accelerations(self)

    @cached_property
    def paces(self) -> Array:
        """The accelerations (k, n) that forces as large as those that act could give each coordinate."""
        engine = self.motion._derivation.engine
        out = np.zeros((len(self.times), self.states.shape[1] // 2))
        for part in self.parts:
            times, states = self.times[part.where], self.states[part.where]
            few = slice(None, None, 1 + len(times) // FEW if engine.name == "plain" else 1)  # plain takes its time
            found = engine.paces(part.setup, times[few], states[few])
            out[part.where] = found if few.step == 1 else found.max(axis=0)
        return np.nan_to_num(out, nan=0.0, posinf=0.0)

    @cached_property
    def roundings(self) -> Array:
        """What rounding of the forces themselves leaves of the accelerations (k, n): those of longer numbers differ."""
        engine = self.motion._derivation.engine
        out = np.zeros((len(self.times), self.states.shape[1] // 2))
        for part in self.parts if engine.name != "plain" else ():
            times, states = self.times[part.where], self.states[part.where]
            found = engine.watch(part.setup, times, states).acceleration
            numbers = np.tile(part.setup.numbers, (len(times), 1))
            error = engine.rounding_error(part.setup, times, states, found, numbers)
            if error is not None:
                out[part.where] = error
        return np.nan_to_num(out, nan=0.0, posinf=0.0)

    @cached_property
    def passages(self) -> list[tuple[float, float]]:
        """The steps that lead over singular places, from when to when; they are parted where a mode turns round."""
        times = [e.time for e in self.motion.events if e.kind == "passed"]
        return [(self.step_of(float(np.nextafter(t, -np.inf)))[0], self.step_of(t)[1]) for t in times]

    def known(self, place: int) -> Array:
        """What accelerations (n,) are known to: by the rounding of forces in balance, and of a velocity in a step."""
        n = self.states.shape[1] // 2
        slow = tolerance("DEFECT") * self.accuracy * self.largest[place, n:] / self.spans[place]
        out: Array = tolerance("ROUNDING") * self.paces[place] + slow
        return out

    @property
    def steps(self) -> int:
        """How many steps the motion has: by itself, and as it says only where they are too many to be kept."""
        return sum(leg.count for leg in self.legs) or int(self.motion.statistics.get("steps", 0))

    @cached_property
    def spans(self) -> Array:
        """How long the step is that a time is in (k,)."""
        if not self.legs:
            length = self.motion.end_time - self.motion.begin_time
            return np.full(len(self.times), length / max(1, self.steps))
        begins = np.concatenate([leg.times[:-1] for leg in self.legs])
        spans = np.concatenate([np.diff(leg.times) for leg in self.legs])
        out: Array = spans[np.clip(np.searchsorted(begins, self.times, side="right") - 1, 0, len(begins) - 1)]
        return out

    @cached_property
    def cuts(self) -> Array:
        """The times at which a motion switches, is hit, or was begun anew, and its end."""
        m = self.motion
        bound = self.jump_bound
        hit = self.jump_times[self.jump_sizes > bound]
        told = [*(e.time for e in m.episodes), *(e.time for e in m.events), *(o.time for o in m.origins)]
        return np.unique([*hit, *told, m.end_time])

    @cached_property
    def jump_times(self) -> Array:
        """When velocities may jump (j,), in their order."""
        return np.array([jump.time for jump in self.jumps])

    @cached_property
    def jump_sizes(self) -> Array:
        """By how much a velocity jumps each time, relative to the largest of late, (j,)."""
        n = self.states.shape[1] // 2
        out = []
        for jump in self.jumps:
            scale = np.maximum(self.scales[self.place(jump.time), n : 2 * n], np.abs(jump.before[n:]))
            out.append(largest_part(jump.after[n:] - jump.before[n:], scale))
        return np.array(out)

    def place(self, t: float) -> int:
        """The place of the first time that is not before this one."""
        return min(int(np.searchsorted(self.times, t)), len(self.times) - 1)

    @property
    def jump_bound(self) -> float:
        """What counts as a jump."""
        return max(tolerance("JUMP"), tolerance("DRIFT") * self.accuracy)

    @property
    def accuracy(self) -> float:
        """The relative error of a step of the run: its tolerance, the loosest of motions that were joined.

        The polynomials of the plain engine, which give the samples, have a lower order than its steps.
        """
        m = self.motion
        loosest = max(EPS, m.settings.tolerance, float(m.statistics.get("tolerance", 0.0)))
        plain = "plain" in str(m.statistics.get("engine", m.settings.engine))
        return loosest**0.75 if plain else loosest

    @cached_property
    def guards(self) -> tuple[Guards, ...]:
        """What must be positive in each stretch, away from where it begins and ends."""
        from dalembert.motion.hybrid.guard_watch import counting, key_of

        out = []
        for part in self.parts:
            places = np.arange(part.where.start, part.where.stop)
            places = places[~np.isin(self.times[places], self.cuts)]
            if part.episode.mode is None or not len(places):
                continue
            staged = self.motion._derivation.programs.staged(part.episode.mode)
            given = self.states[places], self.times[places], part.setup.numbers
            values = part.setup.code.guards(*given)
            sizes = part.setup.code.guard_sizes(*given, self.scales[places])
            sizes = np.maximum(np.nan_to_num(sizes, nan=0.0, posinf=0.0), np.abs(values))
            live = np.flatnonzero(counting(staged, part.episode.mode, values.shape[1]))
            keys = tuple(key_of(staged, i) for i in live.tolist())
            out.append(Guards(part.episode.mode, keys, places, values[:, live], sizes[:, live]))
        return tuple(out)

    @cached_property
    def told_by(self) -> dict[Event, int | None]:
        """The places of the jumps that events tell, as far as they were looked for."""
        return {}

    @cached_property
    def _stretches(self) -> dict[Mode | None, Stretch]:
        return {}

    def stretch(self, t: float) -> Stretch:
        """The smooth system at a time, by the principles."""
        mode = self.motion.mode_at(t)
        if mode not in self._stretches:
            self._stretches[mode] = Stretch(self.motion.system, self.motion.values, mode)
        return self._stretches[mode]

    def spread(self, count: int, among: Array | None = None) -> Iterator[int]:
        """Places of about so many times, spread evenly among those that are meant, away from switches and passages."""
        clear = ~np.isin(self.times, self.cuts) & ~beside(self.motion, self.times)
        clear &= np.isfinite(self.states).all(axis=1)
        places = np.flatnonzero(clear if among is None else clear & among)
        picked = np.unique(((np.arange(count) + BETWEEN) / count * len(places)).astype(int))
        return iter(places[picked].tolist() if len(places) else [])


def within_reach(scales: Array, largest: Array) -> Array:
    """Scales of coordinates, at most some times as large as these have been, where that is more than rounding.

    What forces in balance could make of a coordinate in a long step says nothing of where it is.
    """
    told = largest > tolerance("FORCES") * scales
    out: Array = np.where(told, np.minimum(scales, REACH * largest), scales)
    return out


def largest_part(values: Array, scales: Array) -> float:
    """The largest of values over their scales; infinite where one is not finite, or has no scale and is not zero."""
    size = np.abs(values)
    if not np.isfinite(size).all():
        return float("inf")
    parts = np.divide(size, scales, out=np.where(size > 0, np.inf, 0.0), where=scales > 0)
    return float(parts.max(initial=0.0))
