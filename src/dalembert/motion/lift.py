"""The way back from a reduced system: positions, velocities, and the reactions, at a state and along a motion.

"Release from constraints": with ÿ = J ẍ + γ from the acceleration of the reduced system, the constraint force is
Qᶜ = M ÿ − Q. Its ideal part is what the constraints would exert were they all ideal; the rest does the work.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sympy import Expr, Symbol

from dalembert.derive import Array, form, instant_at, mass_and_rows
from dalembert.derive.reducing.placing import Placing, State
from dalembert.derive.reducing.worked import Rubbing
from dalembert.derive.switching.modes import STICKS, switches
from dalembert.derive.variants import bare, with_constraints
from dalembert.model import Coulomb, Held, OneSided, StateError, Statement, name_of
from dalembert.motion.trajectory import Trajectory
from dalembert.principles import explicit

if TYPE_CHECKING:
    from xarray import DataArray, Dataset


class Released(NamedTuple):
    """The old system at a state: acceleration, ideal and nonideal force (n,), multipliers (m,), rows A (m, n)."""

    acceleration: Array
    ideal: Array
    nonideal: Array
    multipliers: Array
    rows: Array


@dataclass(frozen=True, eq=False)
class Lifted(Mapping[Expr, float]):
    """A state of the old coordinates, a mapping by coordinates and velocities (or their names), with its reactions.

    Shapes: `positions`, `velocities`, `acceleration`, `ideal_force`, `nonideal_force` (n,), `multipliers` (m,);
    `reactions` has for each constraint its generalized force λ_j A_j (n,). M ÿ = Q + Qᶜ, Qᶜ_i = Aᵀ λ.
    """

    variables: tuple[Expr, ...]
    positions: Array
    velocities: Array
    acceleration: Array
    ideal_force: Array
    nonideal_force: Array
    multipliers: Array
    reactions: Mapping[str, Array]

    def __getitem__(self, key: Any) -> float:
        names = [name_of(k) for k in self.variables]
        listed: Sequence[Any] = names if isinstance(key, str) else self.variables
        if key not in listed:
            raise KeyError(key)
        return float(np.concatenate([self.positions, self.velocities])[listed.index(key)])

    def __iter__(self) -> Iterator[Expr]:
        return iter(self.variables)

    def __len__(self) -> int:
        return len(self.variables)


@dataclass(frozen=True, eq=False)
class LiftedMotion:
    """A motion of the reduced system in the old coordinates: `t` (k,), `y` (2n, k), and `dataset` with names.

    The dataset has the variables of a motion: places, velocities, accelerations, the two parts of the constraint force,
    multipliers and residuals. `lifted["x"]` is one of them.
    """

    system: Statement
    t: Array
    y: Array
    acceleration: Array
    ideal: Array
    nonideal: Array
    multipliers: Array
    residual: Array

    def __getitem__(self, name: str) -> "DataArray":
        return self.dataset[name]

    @property
    def dataset(self) -> "Dataset":
        """Everything, named, as in the dataset of a motion; each time a fresh one."""
        return self._dataset.copy()

    @cached_property
    def _dataset(self) -> "Dataset":
        from dalembert.motion.dataset import lifted

        return lifted(self)

    def __repr__(self) -> str:
        name = f" of {self.system.name!r}" if self.system.name else ""
        return f"<LiftedMotion{name}: {len(self.t)} samples>"


class _Release:
    """A system ready to be asked for its reactions; contacts that are `apart` have none.

    Where frictions stick, by name, their sliding velocities are rows too, as in a motion of the system itself; what
    these exert counts as work-doing.
    """

    def __init__(
        self, system: Statement, apart: Collection[str], values: Sequence[float], stuck: Collection[str] = ()
    ) -> None:
        whole = bare(system)
        self.here = [j for j, c in enumerate(system.constraints) if c.name not in apart]
        rows = [whole.constraints[j] for j in self.here]
        self.held = with_constraints(whole, [*rows, *_held(system, stuck)])
        self.shape = len(system.constraints), len(system.coordinates)
        self.values = values

    def at(self, place: Array, acceleration: Array, t: float) -> Released:
        """The reactions at `place` (2n,) with this acceleration (n,)."""
        now = instant_at(self.held, [*place, t, *self.values])
        answer = explicit(now)
        force = now.M @ acceleration - now.Q
        multipliers, rows, stated = np.zeros(self.shape[0]), np.zeros(self.shape), len(self.here)
        multipliers[self.here], rows[self.here] = answer.multipliers[:stated], now.A[:stated]
        ideal = rows.T @ multipliers if stated < now.m else answer.ideal
        return Released(acceleration, ideal, force - ideal, multipliers, rows)


def _held(system: Statement, stuck: Collection[str]) -> Iterator[Held]:
    """The rows of frictions that stick; frictions with one sliding velocity rub together, and it is one row."""
    slides = [c.nature.sliding or () for c in system.constraints if isinstance(c.nature, Coulomb) and c.name in stuck]
    for i, velocity in enumerate(dict.fromkeys(s for each in slides for s in each)):
        yield Held(velocity, f"friction {i + 1}", "friction")


def lift_state(
    placing: Placing, state: State, acceleration: Array, values: Sequence[float], apart: Collection[str]
) -> Lifted:
    """The lifted state with its reactions, from the acceleration (k,) of the reduced system there."""
    system = placing.chart.system
    at = placing.at(state)
    release = _Release(system, apart, values)
    found = release.at(np.concatenate([at.y, at.rates]), at.J @ acceleration + at.bias, state.t)
    pairs = zip(system.constraints, found.multipliers, found.rows, strict=True)
    reactions = {c.name: _frozen(lam * row) for c, lam, row in pairs}
    return Lifted(
        (*system.coordinates, *system.velocities),
        _frozen(at.y),
        _frozen(at.rates),
        _frozen(found.acceleration),
        _frozen(found.ideal),
        _frozen(found.nonideal),
        _frozen(found.multipliers),
        MappingProxyType(reactions),
    )


def lift_motion(
    placing: Placing,
    motion: Trajectory,
    given: Mapping[Symbol, float],
    never: Collection[str] = (),
    rubs: Collection[Rubbing] = (),
) -> LiftedMotion:
    """A motion of the reduced system in the old coordinates; `given` has the values of all parameters.

    Contacts named in `never` do not touch on the embedding; `rubs` are frictions that have become active forces.
    """
    system, k = placing.chart.system, placing.chart.k
    n, m, count = len(system.coordinates), len(system.constraints), len(motion.t)
    values = [given[s] for s in system.symbols]
    whole, releases = bare(system), dict[tuple[tuple[str, ...], tuple[str, ...]], _Release]()
    y, levels = np.zeros((count, 2 * n)), np.zeros((count, m))
    parts = [np.zeros((count, width)) for width in (n, n, n, m)]
    for i, (t, now) in enumerate(zip(motion.t.tolist(), motion.y.T, strict=True)):
        at = placing.at(State(now[:k], now[k:], t, given))
        y[i] = np.concatenate([at.y, at.rates])
        mode = (*never, *open_contacts(motion, t)), stuck_frictions(motion, t, rubs)
        if mode not in releases:
            releases[mode] = _Release(system, mode[0], values, mode[1])
        found = releases[mode].at(y[i], at.J @ motion.along.acceleration[i] + at.bias, t)
        for part, value in zip(parts, found[:4], strict=True):
            part[i] = value
        levels[i] = mass_and_rows(whole, [*y[i], t, *values])[1].level
    return LiftedMotion(system, motion.t, *map(_frozen, (y.T, *parts, levels)))


def open_contacts(motion: Trajectory, t: float) -> tuple[str, ...]:
    """The contacts of a motion that are open at a time, by name."""
    constraints = motion.system.constraints
    if not any(isinstance(c, OneSided) for c in constraints):
        return ()
    mode = motion.mode_at(t)
    if mode is None:
        raise StateError("the motion", ["it has contacts and does not say which are closed"])
    known = switches(form(motion.system))
    return tuple(constraints[j].name for j in known.one_sided if j not in mode.closed)


def stuck_frictions(motion: Trajectory, t: float, rubs: Collection[Rubbing] = ()) -> tuple[str, ...]:
    """The constraints whose friction sticks at a time of a motion, by name, also those that have become forces."""
    known, mode = switches(form(motion.system)), motion.mode_at(t)
    if mode is None:
        return ()
    stuck = [rub for rub, state in zip(known.rubs, mode.rubs, strict=True) if state == STICKS]
    still = [g.function for g, sign in zip(known.gated.gates, mode.signs, strict=True) if sign == 0]
    gone = [rub.constraint for rub in rubs if any(_alike(rub.speed, f) for f in still)]
    return (*(motion.system.constraints[j].name for rub in stuck for j in known.rubbing(rub, mode)), *gone)


def _alike(speed: Expr, other: Expr) -> bool:
    """Whether two velocities are the same but for their sign."""
    return any((speed + way * other).expand() == 0 for way in (1, -1))


def _frozen(array: Array) -> Array:
    kept = np.array(array, dtype=float)
    kept.setflags(write=False)
    return kept
