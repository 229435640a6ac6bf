"""What comes back from a run: samples, forces, energy, how it ended; everything else is derived when asked for."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cached_property
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sympy import Expr

from dalembert.derive import Array
from dalembert.derive.switching.modes import SLIPS, Mode
from dalembert.engine import Along, Steps, engine
from dalembert.model import StateError, Statement, name_of, refuse
from dalembert.motion.blame import FAILURES
from dalembert.motion.derived import Derivation
from dalembert.motion.legs import Legs
from dalembert.motion.move import COMPILE, move
from dalembert.motion.passed import with_passages
from dalembert.motion.record import DRIFT, Episode, Limits, Origin, Record, Settings
from dalembert.motion.status import Event, Projection, Status

if TYPE_CHECKING:
    from xarray import Dataset

    from dalembert.motion.certificate import MotionCertificate

AGAIN = 2**25  # numbers of polynomials kept, 256 MB, where a motion has to be gone over again
LIMIT = 2.0**-12  # of a stretch, or of so many usual steps: so far apart are the times that tell a limit
STRIDE = 2  # usual steps
ONSETS = ("slip", "reverse")  # where friction in a plane may begin to slip
TO_ZERO = np.array([4.0, -6.0, 4.0, -1.0])  # weights at 1, 2, 3, 4 of the value at 0 of the cubic through them
SAME = 1e-9  # how near the end of one motion and the start of the next must be to join them


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """A motion of n coordinates under m constraints at k sample times, and how it ended. Nothing in it changes.

    `t` (k,) and `y` (2n, k), coordinates then velocities, are what `scipy.integrate.solve_ivp` returns; `at(t)` is the
    state at any time of the run; `dataset` has everything with names. `origins` are the times and states from which it
    was moved without a break: one, or one for each motion that was joined to the first. `sizes` (2n,): how large the
    coordinates and velocities were of late, for a motion that goes on from its end.
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
    origins: tuple[Origin, ...] = ()
    sizes: tuple[float, ...] = ()

    @classmethod
    def of(
        cls,
        system: Statement,
        values: Array,
        record: Record,
        settings: Settings,
        statistics: dict[str, Any],
        sizes: tuple[float, ...] = (),
        until: float | None = None,
    ) -> Self:
        """The trajectory a run leaves, which was to last `until` a time."""
        motion = cls(
            system,
            _frozen(values),
            _frozen(record.times),
            _frozen(record.states.T),
            _frozen(record.works.T),
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
            (Origin(record.begin_time, tuple(map(float, record.begin)), settings, sizes, until),),
            tuple(map(float, record.sizes)),
        )
        last = slice(max(len(record.times) - 1, 0), None)
        unsure = len(record.times) and not record.status.ok
        if unsure and not motion._derivable(record.times[last], record.states[last]):
            kept = slice(last.start)  # forces may not exist where a run breaks; the end itself is kept
            motion = replace(
                motion,
                t=_frozen(record.times[kept]),
                y=_frozen(record.states[kept].T),
                works=_frozen(record.works[kept].T),
            )
        vars(motion)["_dense"] = record.dense
        return motion

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
        return self.derived_anew()

    def derived_anew(self) -> Along:
        """The same, from the states, whatever is kept."""
        k, n, m = len(self.t), len(self.system.coordinates), len(self.system.constraints)
        if not k:
            return Along(*(_frozen(np.zeros(shape)) for shape in ((0, n), (0, n), (0, n), (0, m), (0, m), (0,))))
        derived = self._with_limits(self._derivation.along(self.t, self.y.T))
        found = Along(*map(_frozen, with_passages(self, derived)))
        for name, part in self._named(found):
            if not (told := self._told(name, part)).all():
                where = float(self.t[np.argmax(~told.reshape(len(part), -1).all(axis=1))])
                verb = "do" if name in ("multipliers", "reactions") else "does"
                raise StateError("the motion", [f"its {name} {verb} not exist at t = {where:.12g}"])
        return found

    @staticmethod
    def _named(found: Along) -> Iterator[tuple[str, Array]]:
        return zip(Along._fields, found, strict=True)

    def _told(self, name: str, part: Array) -> Array:
        """Which numbers exist; multipliers that a factor of a row makes too large for a float are infinite."""
        large = self._derivation.divides and name in ("multipliers", "reactions")
        out: Array = np.isfinite(part) | (np.isinf(part) & large)
        return out

    def _with_limits(self, found: Along) -> Along:
        """What is derived, with limits from later times where friction begins to slip in a plane: it has no direction.

        Extrapolated from four times of the same stretch; the energy needs no direction and is left alone.
        """
        told = np.hstack([self._told(*each).reshape(len(self.t), -1) for each in self._named(found)])
        bad: Array = np.logical_not(told.all(axis=1))
        begun: Array = np.isin(self.t, [self.begin_time, *(e.time for e in self.events if e.kind in ONSETS)])
        begun[begun] = [SLIPS in getattr(self.mode_at(float(t)), "rubs", ()) for t in self.t[begun]]
        usual = STRIDE * (self.end_time - self.begin_time) / max(1, int(self.statistics.get("steps", 1)))
        ends = np.append([e.time for e in self.episodes], self.end_time)
        for k in np.flatnonzero(bad | begun).tolist():
            t = float(self.t[k])
            after = ends[np.searchsorted(ends, t, side="right")] if t < self.end_time else t
            times = t + LIMIT * min(float(after) - t, usual) * np.arange(1, 5)
            if times[0] > t and np.isfinite(self.y[:, k]).all():
                states = self.at(times).T
                if not (bad[k] or self._derivation.undirected(t, self.y[:, k], times[0], states[0])):
                    continue
                near = self._derivation.along(times, states)
                for (name, part), values in zip(self._named(found), near, strict=True):
                    if name != "energy" or not np.isfinite(part[k]):
                        part[k] = np.tensordot(TO_ZERO, values, 1)
        return found

    def _derivable(self, times: Array, states: Array) -> bool:
        """Whether everything that is derived exists at states."""
        if not len(times):
            return True
        try:
            return bool(self.episodes) and all(np.isfinite(p).all() for p in self._derivation.along(times, states))
        except FAILURES:
            return False

    @cached_property
    def residual(self) -> Array:
        """The value of each constraint at the samples, (k, m)."""
        if not len(self.t):
            return _frozen(np.zeros((0, len(self.system.constraints))))
        return _frozen(self._derivation.residual(self.t, self.y.T))

    @cached_property
    def balance(self) -> Array:
        """Energy less the work done since the start, (k,): it stays what it was."""
        return _frozen(self.along.energy - self.works.sum(axis=0))

    def mode_at(self, t: float) -> Mode | None:
        """The mode at a time, that after a switch there; None where nothing switches."""
        place = int(np.searchsorted([e.time for e in self.episodes], t, side="right")) - 1
        return self.episodes[max(place, 0)].mode

    def at(self, t: ArrayLike) -> Array:
        """The state at a time, (2n,), or at k times, (2n, k), as exact as the samples; right after a switch there.

        Raises `StateError` for a time outside the run.
        """
        try:
            times = np.atleast_1d(np.array(t, dtype=float))
        except (TypeError, ValueError):
            raise StateError("at", [f"{t!r} is not a time"]) from None
        first, last = self.begin_time, self.end_time
        if times.ndim > 1 or not ((times >= first) & (times <= last)).all():  # false for NaN too
            raise StateError("at", [f"{t!s} is not a time of this motion, which goes from {first:.12g} to {last:.12g}"])
        out = np.zeros((len(self.begin_values), len(times)))
        unknown = np.ones(len(times), dtype=bool)
        for known, states in ((self.t, self.y.T), (np.array([last]), self.end_values[None, :])):
            place = np.clip(np.searchsorted(known, times), 0, max(len(known) - 1, 0))
            same = (known[place] == times) if len(known) else np.zeros(len(times), dtype=bool)
            out[:, same] = states[place[same]].T if len(known) else 0.0
            unknown &= ~same
        if unknown.any():
            out[:, unknown] = self._between(times[unknown])
        result: Array = out[:, 0] if np.ndim(t) == 0 else out
        return result

    def _between(self, times: Array) -> Array:
        """States (2n, k) at times of the run: by the polynomials of its steps, or by going over it again."""
        legs = self._legs
        whole = "_gone_over" not in vars(self) or all(
            record.time >= self._until(k) for k, record in enumerate(self._gone_over)
        )
        return legs.at(times).T if legs and whole else self._again(times)

    def _again(self, times: Array) -> Array:
        """States (2n, k) at times by going over the motion again, from the last state it was moved from."""
        begins = np.array([origin.time for origin in self.origins])
        place = np.clip(np.searchsorted(begins, times, side="right") - 1, 0, len(begins) - 1)
        out = np.zeros((len(self.begin_values), len(times)))
        for k in np.unique(place).tolist():
            mine = np.flatnonzero(place == k)
            wanted = np.unique(times[mine])
            done = self._over_again(k, wanted)
            states = done.states[: len(wanted)]
            if len(states) < len(wanted):
                raise StateError("at", [f"the motion cannot be gone over again: {done.status}"])
            out[:, mine] = states[np.searchsorted(wanted, times[mine])].T
        return out

    def _over_again(self, k: int, wanted: Array, room: int = 0) -> Record:
        """What going over the motion again from one of its origins leaves, with samples at these times."""
        begin, state, s, sizes, until = self.origins[k]
        drift = DRIFT * s.tolerance if s.drift is None else s.drift
        end = self._until(k)
        limits = Limits(np.inf, np.inf, drift, s.singular, s.step, room=room, wanted=end)
        known, start = np.array(sizes) if sizes else None, np.array(state)
        last = end if until is None else max(until, end)  # how closely a run is looked at follows from its length
        record = move(self.system, self.values, s, begin, start, wanted, last, limits, sizes=known).record
        return record if record.time <= end else record.until(end)

    def _until(self, k: int) -> float:
        """When the motion from one of its origins ends."""
        return self.end_time if k + 1 == len(self.origins) else self.origins[k + 1].time

    def polynomials(self) -> tuple[Steps, ...] | None:
        """The steps of the motion, those of each leg between switches together; None where they are too many to keep.

        A long motion, and one from a file, has none with it and is gone over again for them, once.
        """
        return None if self._legs is None else self._legs.steps

    @cached_property
    def _legs(self) -> Legs | None:
        """The legs of the motion, as they were kept or as going over it again leaves them."""
        dense = vars(self).get("_dense")
        if dense is None:
            found = [record.dense for record in self._gone_over]
            dense = None if None in found else tuple(leg for part in found for leg in part or ())
        if dense is None:
            return None
        return Legs(tuple(Steps(times, terms, unit=unit) for times, terms, unit in dense if len(terms)))

    @cached_property
    def _gone_over(self) -> tuple[Record, ...]:
        """What going over the motion again leaves, from each of its origins."""
        count = len(self.origins)
        return tuple(self._over_again(k, np.zeros(0), AGAIN // count) for k in range(count))

    @contextmanager
    def _lent(self) -> Iterator[None]:
        """What going over the motion leaves is kept meanwhile, and then no longer than it was before."""
        before = "_gone_over" in vars(self)
        try:
            yield
        finally:
            if not before and vars(self).pop("_gone_over", None) is not None:
                vars(self).pop("_legs", None)

    @cached_property
    def _derivation(self) -> Derivation:
        if not self.episodes:
            raise StateError("the motion", ["it was ended before it began, so that nothing can be derived along it"])
        s = self.settings
        return Derivation(engine(s.engine, s.tolerance, COMPILE[s.compile]), self.system, self.values, self.episodes)

    @property
    def dataset(self) -> "Dataset":
        """Everything, named: an `xarray.Dataset` (see docs/motion.md for its variables), each time a fresh one."""
        return self._dataset.copy()  # of the names; the arrays are read-only and shared

    @cached_property
    def _dataset(self) -> "Dataset":
        from dalembert.motion.dataset import dataset

        return dataset(self)

    def verify(self) -> "MotionCertificate":
        """What holds along the motion, computed anew: `.passed`, `.checks`, `.text()`, `.as_dict()`.

        Another integrator retraces it; constraints, energy, contacts, friction, principles, modes, impacts and events
        are looked at from beginning to end (docs/motion.md). A motion that ended early is certified up to there.
        """
        from dalembert.motion.certificate import certify

        return certify(self)

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
        numbers |= {
            key: max(self.statistics.get(key, 0.0), later.statistics.get(key, 0.0))
            for key in ("largest_drift", "largest_defect", "tolerance")
        }
        said = [str(part.statistics.get("engine", part.settings.engine)) for part in (self, later)]
        engines = dict.fromkeys(name for names in said for name in names.split(" and "))
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
            origins=(*self.origins, *later.origins),
            sizes=later.sizes,
            settings=later.settings,
            statistics=MappingProxyType({**later.statistics, **numbers, "engine": " and ".join(engines)}),
        )
        halves = [vars(part).get("_dense") for part in (self, later)]
        vars(joined)["_dense"] = None if None in halves else (*halves[0], *halves[1])  # type: ignore[misc]
        if "along" in vars(self) or self.settings.engine != later.settings.engine:  # to each part what its engine said
            pairs = zip((*self.along, self.residual), (*later.along, later.residual), strict=True)
            *along, residual = (_frozen(np.concatenate([a, b[skip:]])) for a, b in pairs)
            vars(joined).update(along=Along(*along), residual=residual)
        return joined

    def resume(self, until: float, **options: Any) -> Self:
        """Go on from the end of this motion until a later time, and join the two."""
        from dalembert.motion.simulate import simulate

        given = dict(zip(self.system.symbols, map(float, self.values), strict=True))
        s = self.settings
        usual: dict[str, Any] = {"tolerance": s.tolerance, "engine": s.engine, "compile": s.compile, "drift": s.drift}
        usual |= {"singular": s.singular, "max_step": None if s.step == np.inf else s.step}
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
