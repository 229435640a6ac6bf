"""Everything a motion holds, with names and units: an `xarray.Dataset`.

Names that are taken: the fixed names below come first, then the coordinates in their order, then the velocities, then
the accelerations. A name that is already taken gets underscores until it is free, so that nothing is lost: a
coordinate `energy` is the variable `energy_`; beside a coordinate `x_dot`, the velocity of x is `x_dot_`.

A statement carries no units. Read in SI, time is in s and energy in J; a coordinate of particles is in m and a force
on it in N; of any other coordinate only "unit of x" can be said.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.derive import Array, form
from dalembert.derive.switching.modes import switches
from dalembert.model import ON_POSITIONS, Particles, Statement, name_of
from dalembert.motion.record import Episode

if TYPE_CHECKING:
    from xarray import Dataset

    from dalembert.motion.lift import LiftedMotion
    from dalembert.motion.trajectory import Trajectory

FIXED = (
    "time", "coordinate", "constraint", "ideal_force", "nonideal_force", "multiplier", "residual", "energy",
    "force_work", "ideal_work", "nonideal_work", "impact_work", "constraint_work", "balance", "reaction", "mode",
)  # fmt: skip
SIGN = (
    "M q̈ = Q + Qᶜ with Qᶜ = ideal_force + nonideal_force, and ideal_force = Aᵀ multiplier with A = ∂f/∂q "
    "(∂f/∂q̇ for a constraint on velocities) for f = 0 as it was stated"
)
SCALAR, FORCE, ROW = ("time",), ("time", "coordinate"), ("time", "constraint")


class Names(NamedTuple):
    """What the variables of n coordinates, their velocities and their accelerations are called."""

    coordinate: tuple[str, ...]
    velocity: tuple[str, ...]
    acceleration: tuple[str, ...]


class Units(NamedTuple):
    """What a statement's variables are measured in: one word for each coordinate, then the others."""

    coordinate: tuple[str, ...]
    force: str
    multiplier: str


class Column(NamedTuple):
    """A variable to be: its name, dimensions and values, what it is in words, its unit, and what else is said of it."""

    name: str
    dims: tuple[str, ...]
    values: Array
    long_name: str
    units: str
    more: dict[str, str] = {}  # noqa: RUF012  never written to


def dataset(motion: "Trajectory") -> "Dataset":
    """The motion as a dataset; its arrays are read-only, so that the motion stays what it is."""
    columns = (*_moved(motion.system, motion.y, motion.along.acceleration), *_reactions(motion), *_energies(motion))
    about = {
        "status": str(motion.status),
        "engine": motion.settings.engine,
        "tolerance": motion.settings.tolerance,
    }
    return _made(motion.system, motion.t, columns, about)


def lifted(motion: "LiftedMotion") -> "Dataset":
    """A lifted motion as a dataset, its variables called as in that of a motion."""
    system = motion.system
    columns = [
        *_moved(system, motion.y, motion.acceleration),
        *_forces(system, motion.ideal, motion.nonideal, motion.multipliers),
        _left(motion.residual),
    ]
    return _made(system, motion.t, columns, {"status": "lifted from a reduced system"})


def _made(system: Statement, times: Array, columns: Iterable[Column], about: dict[str, Any]) -> "Dataset":
    from xarray import Dataset, Variable

    variables = {
        c.name: Variable(c.dims, _read_only(c.values), {"long_name": c.long_name, "units": c.units, **c.more})
        for c in columns
    }
    labels = {
        "coordinate": [name_of(q) for q in system.coordinates],
        "constraint": [c.name for c in system.constraints],
    }
    coordinates = {name: Variable(name, np.array(who, dtype=str), {"long_name": name}) for name, who in labels.items()}
    coordinates["time"] = Variable("time", times, {"long_name": "time", "units": "s"})
    return Dataset(variables, coordinates, {"system": system.name, **about, "sign": SIGN})


def variable_names(system: Statement) -> Names:
    """The names of the variables, each different from every other and from the fixed ones."""
    taken = set(FIXED)

    def free(name: str) -> str:
        while name in taken:
            name += "_"
        taken.add(name)
        return name

    names = [name_of(q) for q in system.coordinates]
    return Names(*(tuple(free(name + ending) for name in names) for ending in ("", "_dot", "_ddot")))


def units(system: Statement) -> Units:
    """The units of a statement's variables, read in SI."""
    if isinstance(system.unconstrained, Particles):
        own, force = ("m",) * len(system.coordinates), "N"
    else:
        own, force = tuple(f"unit of {name_of(q)}" for q in system.coordinates), "J/(unit of coordinate)"
    on_velocities = [not isinstance(c, ON_POSITIONS) for c in system.constraints]
    if not any(on_velocities):
        multiplier = "J/(unit of f)"
    elif all(on_velocities):
        multiplier = "W/(unit of f)"
    else:
        multiplier = "J/(unit of f), W/(unit of f) for a constraint on velocities"
    return Units(own, force, multiplier)


def modes(motion: "Trajectory") -> tuple[Array, str]:
    """The number of the mode at each sample, (k,), and what each number means; equal modes share one.

    Where the system has no modes of its own, they are the choices of rows.
    """
    numbers: dict[str, int] = {}
    names = [c.name for c in motion.system.constraints]
    known = switches(form(motion.system)) if any(e.mode is not None for e in motion.episodes) else None

    def words(episode: Episode) -> str:
        if episode.mode is not None and known is not None:
            return known.words(episode.mode)
        chosen = [names[r] for r in episode.choice.rows]
        said = "no constraints" if not names else "all constraints" if len(chosen) == len(names) else ", ".join(chosen)
        return said + (" (with M + AᵀA for M)" if episode.choice.augment else "")

    of_stretch = [numbers.setdefault(words(e), len(numbers)) for e in motion.episodes]
    stretch = np.searchsorted([e.time for e in motion.episodes], motion.t, side="right") - 1
    meaning = "; ".join(f"{number}: {said}" for said, number in numbers.items())
    return np.array(of_stretch, dtype=np.int32)[np.maximum(stretch, 0)], meaning


def _moved(system: Statement, y: Array, acceleration: Array) -> Iterator[Column]:
    """Coordinates, velocities and accelerations."""
    called = variable_names(system)
    n = len(called.coordinate)
    own = units(system).coordinate
    per = [f"({u})" if " " in u else u for u in own]
    for kind, names, rows, dots, measured in (
        ("coordinate", called.coordinate, y[:n], "", own),
        ("velocity", called.velocity, y[n:], "'", [f"{u}/s" for u in per]),
        ("acceleration", called.acceleration, acceleration.T, "''", [f"{u}/s^2" for u in per]),
    ):
        for name, row, of, unit in zip(names, rows, map(name_of, system.coordinates), measured, strict=True):
            yield Column(name, SCALAR, row, f"{kind} {of}{dots}", unit, {"kind": kind, "of": of})


def _reactions(motion: "Trajectory") -> Iterator[Column]:
    """Constraint forces, multipliers, and what is left of the constraints."""
    along, unit = motion.along, units(motion.system)
    yield from _forces(motion.system, along.ideal, along.nonideal, along.multipliers)
    actual = {"sign": SIGN, "comment": "of Qᶜ = C + Aᵀλ̂, C the work-doing force as it was stated; λ where C is zero"}
    yield Column("reaction", ROW, along.reactions, "actual multiplier λ̂", unit.multiplier, actual)
    yield _left(motion.residual)


def _forces(system: Statement, ideal: Array, nonideal: Array, multipliers: Array) -> Iterator[Column]:
    """The two parts of the constraint force, and the multipliers of the ideal one."""
    unit, sign = units(system), {"sign": SIGN}
    least = {"comment": "f is the constraint as in residual; where λ is not unique it is the one of least norm"}
    yield Column("ideal_force", FORCE, ideal, "constraint force, ideal part", unit.force, sign)
    yield Column("nonideal_force", FORCE, nonideal, "constraint force, work-doing part", unit.force, sign)
    yield Column("multiplier", ROW, multipliers, "multiplier λ", unit.multiplier, sign | least)


def _left(residual: Array) -> Column:
    return Column("residual", ROW, residual, "value of the constraint f = 0", "unit of f")


def _energies(motion: "Trajectory") -> Iterator[Column]:
    """Energy, the work that changed it, and what is left when that is taken away; and the mode."""
    force, ideal, nonideal, impact = motion.works
    what = {"comment": "q̇ᵀ ∂L/∂q̇ − L; ½ q̇ᵀMq̇ where the system was stated by mass and force"}
    yield Column("energy", SCALAR, motion.along.energy, "energy", "J", what)
    yield Column("force_work", SCALAR, force, "work since the start of active forces and explicit time", "J")
    yield Column("ideal_work", SCALAR, ideal, "work since the start of the ideal constraint force", "J")
    yield Column("nonideal_work", SCALAR, nonideal, "work since the start of the work-doing constraint force", "J")
    yield Column("constraint_work", SCALAR, ideal + nonideal, "work since the start of all constraint force", "J")
    yield Column("impact_work", SCALAR, impact, "work since the start of the impulses of impacts", "J")
    yield Column("balance", SCALAR, motion.balance, "energy less all work since the start", "J")
    numbers, meaning = modes(motion)
    yield Column(
        "mode",
        SCALAR,
        numbers,
        "mode: contacts, friction, signs of what switches; else the constraint rows in use",
        "1",
        {"meaning": meaning},
    )


def _read_only(values: Array) -> Array:
    view = values.view()
    view.setflags(write=False)
    return view
