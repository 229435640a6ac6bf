"""What comes back from a run: samples, forces, energy, how it ended; everything else is derived when asked for."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sympy import Expr

from dalembert.derive import Array
from dalembert.derive.switching.modes import Mode
from dalembert.engine import Along, Engine, Flow
from dalembert.model import StateError, Statement, name_of, refuse
from dalembert.motion.record import DRIFT, Episode, Limits, Record
from dalembert.motion.staging import Staging
from dalembert.motion.status import Event, Projection, Status
from dalembert.motion.travel import Past, travel

if TYPE_CHECKING:
    from xarray import Dataset

EPS = float(np.finfo(float).eps)
MOMENT = 1e-6  # of the time between two samples
SAME = 1e-9  # how near the end of one motion and the start of the next must be to join them


@dataclass(frozen=True)
class Settings:
    """How a motion was computed, so that it can be gone over again."""

    engine: Engine
    tolerance: float
    compile: Literal["auto", "compact", "full"]


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """A motion of n coordinates under m constraints at k sample times, and how it ended. Nothing in it changes.

    `t` (k,) and `y` (2n, k), coordinates then velocities, are what `scipy.integrate.solve_ivp` returns; `at(t)` is the
    state at any time of the run; `dataset` has everything with names.
    """

    system: Statement
    values: Array
    t: Array
    y: Array
    works: Array
    begin_time: float
    begin_values: Array
    end_time: float
    end_values: Array
    end_works: Array
    status: Status
    events: tuple[Event, ...]
    projections: tuple[Projection, ...]
    episodes: tuple[Episode, ...]
    settings: Settings
    statistics: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        system: Statement,
        values: Array,
        record: Record,
        moved: Flow,
        settings: Settings,
        statistics: dict[str, Any],
    ) -> Self:
        """The trajectory a run leaves."""
        times, states, works = record.times, record.states, record.works
        if not record.status.ok and len(times):  # forces may not exist where a run breaks; the end itself is kept
            last = moved.along(times[-1:], states[-1:])
            if not all(np.isfinite(part).all() for part in last):
                times, states, works = times[:-1], states[:-1], works[:-1]
        return cls(
            system,
            _frozen(values),
            _frozen(times),
            _frozen(states.T),
            _frozen(works.T),
            record.begin_time,
            _frozen(record.begin),
            record.time,
            _frozen(record.end),
            _frozen(record.end_works),
            record.status,
            record.events,
            record.projections,
            record.episodes,
            settings,
            MappingProxyType(statistics),
        )

    def __repr__(self) -> str:
        name = f" of {self.system.name!r}" if self.system.name else ""
        span = f"{len(self.t)} samples from t = {self.begin_time:g} to {self.end_time:g}"
        return f"<{type(self).__name__}{name}: {span}, {self.status.ending}>"

    @property
    def success(self) -> bool:
        """Whether the run came to its end."""
        return self.status.ok

    @property
    def end(self) -> Mapping[Expr, float]:
        """The last state, by coordinates and velocities."""
        keys = (*self.system.coordinates, *self.system.velocities)
        return MappingProxyType(dict(zip(keys, map(float, self.end_values), strict=True)))

    @cached_property
    def along(self) -> Along:
        """Accelerations, constraint forces, multipliers and energy at the samples: (k, n), (k, m), (k,)."""
        k, n, m = len(self.t), len(self.system.coordinates), len(self.system.constraints)
        if not k:
            return Along(*(_frozen(np.zeros(shape)) for shape in ((0, n), (0, n), (0, n), (0, m), (0, m), (0,))))
        found = Along(*self._evaluated(self._staging.along))
        for name, part in zip(Along._fields, found, strict=True):
            if not np.isfinite(part).all():
                where = float(self.t[np.argmax(~np.isfinite(part.reshape(len(part), -1)).all(axis=1))])
                raise StateError("the motion", [f"its {name} does not exist at t = {where:.12g}"])
        return found

    @cached_property
    def residual(self) -> Array:
        """The value of each constraint at the samples, (k, m)."""
        if not len(self.t):
            return _frozen(np.zeros((0, len(self.system.constraints))))
        (level,) = self._evaluated(lambda *asked: (self._staging.residual(*asked),))
        return level

    @cached_property
    def balance(self) -> Array:
        """Energy less the work done since the start, (k,): it stays what it was."""
        return _frozen(self.along.energy - self.works.sum(axis=0))

    def at(self, t: ArrayLike) -> Array:
        """The state at a time, (2n,), or at k times, (2n, k): found by moving on from the sample before it.

        Raises `StateError` for a time outside the run.
        """
        try:
            times = np.atleast_1d(np.array(t, dtype=float))
        except (TypeError, ValueError):
            raise StateError("at", [f"{t!r} is not a time"]) from None
        first, last = self.begin_time, self.end_time
        if times.ndim > 1 or not ((times >= first) & (times <= last)).all():  # false for NaN too
            raise StateError("at", [f"{t!s} is not a time of this motion, which goes from {first:.12g} to {last:.12g}"])
        known = np.concatenate([[first], self.t, [last]])
        states = np.column_stack([self.begin_values, self.y, self.end_values])
        out = np.zeros((len(self.y), len(times)))
        place = np.searchsorted(known, times, side="right") - 1
        told = {i: state for i, t in enumerate(times) if (state := self._told_at(float(t))) is not None}
        for k in np.unique(place):
            mine = [i for i in np.flatnonzero(place == k) if i not in told]
            if mine:
                out[:, mine] = self._onwards(float(known[k]), states[:, k], times[mine])
        for i, state in told.items():
            out[:, i] = state
        result: Array = out[:, 0] if np.ndim(t) == 0 else out
        return result

    def _told_at(self, t: float) -> tuple[float, ...] | None:
        """The state right after the last event at a time, but for rounding."""
        here = [e.state for e in self.events if e.state and abs(e.time - t) <= 4 * EPS * abs(t)]
        return here[-1] if here else None

    def _onwards(self, t: float, state: Array, times: Array) -> Array:
        """States (2n, …) at times from a state at t on."""
        out = np.repeat(state[:, None], len(times), axis=1)
        after = times > t
        if not after.any():
            return out
        wanted = np.unique(times[after])
        limits = Limits(np.inf, np.inf, DRIFT * self.settings.tolerance, "pass")
        past = Past(self.largest, self._mode_at(t), same=True)
        record = travel(self._staging, t, state, wanted, float(wanted[-1]), limits, past=past).record
        if len(record.times) < len(wanted) or not record.status.ok:
            raise StateError("at", [f"the motion cannot be followed from t = {t:.12g}: {record.status}"])
        out[:, after] = record.states[np.searchsorted(wanted, times[after])].T
        return out

    @cached_property
    def largest(self) -> Array:
        """The largest of each coordinate and velocity, (2n,)."""
        known = np.column_stack(
            [self.begin_values, self.y, self.end_values, *(e.state for e in self.events if e.state)]
        )
        return _frozen(np.abs(known).max(axis=1))

    @cached_property
    def _staging(self) -> Staging:
        s = self.settings
        return Staging(self.system, self.values, s.engine, s.tolerance, s.compile)

    def _mode_at(self, t: float) -> Mode | None:
        """The mode of a sample: the last that began by then."""
        place = int(np.searchsorted([e.time for e in self.episodes], t, side="right")) - 1
        return self.episodes[max(place, 0)].mode

    def _evaluated(self, ask: Callable[[Flow, Mode | None, Array, Array], Iterable[Array]]) -> list[Array]:
        """What an engine says along the samples, each stretch in its mode, on the rows that were chosen for it."""
        begins = np.searchsorted(self.t, [e.time for e in self.episodes])
        begins[0] = 0
        bounds = [*begins, len(self.t)]
        parts = []
        for (_, choice, mode), i, j in zip(self.episodes, bounds[:-1], bounds[1:], strict=True):
            if j > i:
                states = self.y[:, i:j].T
                moving = self._staging.flow(float(self.t[i]), states[0], mode, choice)
                parts.append(self._completed(ask(moving, mode, self.t[i:j], states), ask, moving, mode, i))
        return [_frozen(np.concatenate(column)) for column in zip(*parts, strict=True)]

    def _completed(self, found: Iterable[Array], ask: Any, moving: Flow, mode: Mode | None, i: int) -> Iterable[Array]:
        """What was found, where it does not exist at the first sample, but a moment later, that of the moment later.

        A friction that begins to slip in a plane has no direction at rest.
        """
        parts = list(found)
        if mode is None or all(np.isfinite(part[0]).all() for part in parts) or i + 1 >= len(self.t):
            return parts
        later = float(self.t[i] + MOMENT * (self.t[i + 1] - self.t[i]))
        state = self._onwards(float(self.t[i]), self.y[:, i], np.array([later]))
        for part, new in zip(parts, ask(moving, mode, np.array([later]), state.T), strict=True):
            part[0] = new[0]
        return parts

    @property
    def dataset(self) -> "Dataset":
        """Everything, named: an `xarray.Dataset` (see docs/motion.md for its variables), each time a fresh one."""
        return self._dataset.copy()  # of the names; the arrays are read-only and shared

    @cached_property
    def _dataset(self) -> "Dataset":
        from dalembert.motion.dataset import dataset

        return dataset(self)

    def __add__(self, later: "Trajectory") -> Self:
        """This motion and the one that goes on from its end, as one."""
        if not isinstance(later, Trajectory):
            return NotImplemented
        faults = []
        if later.system.form() != self.system.form() or not np.array_equal(later.values, self.values):
            faults.append("they are motions of different systems, or with different parameter values")
        else:
            if abs(later.begin_time - self.end_time) > SAME * (1 + abs(self.end_time)):
                times = f"the first ends at t = {self.end_time:.12g}, the second begins at t = {later.begin_time:.12g}"
                faults.append(times)
            elif np.abs(later.begin_values - self.end_values).max() > SAME * (1 + np.abs(self.end_values).max()):
                faults.append("the second does not start in the state where the first ends")
        refuse(StateError, "these motions cannot be joined", faults)
        skip = 1 if len(self.t) and len(later.t) and self.t[-1] == later.t[0] else 0
        numbers = {
            key: self.statistics.get(key, 0) + later.statistics.get(key, 0)
            for key in ("steps", "run_seconds", "compile_seconds", "projections", "switches")
        }
        drift = max(self.statistics.get("largest_drift", 0.0), later.statistics.get("largest_drift", 0.0))
        before = self.end_works[:, None]
        joined = replace(
            self,
            t=_frozen(np.concatenate([self.t, later.t[skip:]])),
            y=_frozen(np.concatenate([self.y, later.y[:, skip:]], axis=1)),
            works=_frozen(np.concatenate([self.works, before + later.works[:, skip:]], axis=1)),
            end_time=later.end_time,
            end_values=later.end_values,
            end_works=_frozen(self.end_works + later.end_works),
            status=later.status,
            events=(*self.events, *later.events),
            projections=(*self.projections, *later.projections),
            episodes=(*self.episodes, *later.episodes),
            settings=later.settings,
            statistics=MappingProxyType({**later.statistics, **numbers, "largest_drift": drift}),
        )
        if "along" in vars(self) or self.settings.engine != later.settings.engine:  # to each part what its engine said
            pairs = zip((*self.along, self.residual), (*later.along, later.residual), strict=True)
            *along, residual = (_frozen(np.concatenate([a, b[skip:]])) for a, b in pairs)
            vars(joined).update(along=Along(*along), residual=residual)
        return joined

    def resume(self, until: float, **options: Any) -> Self:
        """Go on from the end of this motion until a later time, and join the two."""
        from dalembert.motion.simulate import simulate

        given = dict(zip(self.system.symbols, map(float, self.values), strict=True))
        usual = {"tolerance": self.settings.tolerance, "engine": self.settings.engine, "compile": self.settings.compile}
        return self + simulate(type(self), self.system, self, until, parameters=given, **(usual | options))

    def save(self, path: str | PathLike[str]) -> None:
        """Write everything to a NetCDF file, or a Zarr store where the name ends in `.zarr`; `load` loses nothing."""
        from dalembert.motion.files import save

        save(self, path)

    def __reduce__(self) -> Any:
        given = {f.name: getattr(self, f.name) for f in fields(self)} | {"statistics": dict(self.statistics)}
        return _restored, (type(self), given)

    def names(self) -> Iterator[str]:
        """The names of the coordinates."""
        return map(name_of, self.system.coordinates)


def _restored(kind: type[Trajectory], given: dict[str, Any]) -> Trajectory:
    held = {name: _frozen(value) if isinstance(value, np.ndarray) else value for name, value in given.items()}
    return kind(**held | {"statistics": MappingProxyType(given["statistics"])})


def _frozen(array: Array) -> Array:
    kept = np.ascontiguousarray(array)
    kept = kept.copy() if kept is array or kept.base is not None else kept
    kept.setflags(write=False)
    return kept
