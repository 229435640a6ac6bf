"""Consistent starts: the state nearest to a guess, with what was moved; and a start of which only a part is stated."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr

from dalembert.derive import Array, Residuals, mass_and_rows, numbers, residuals
from dalembert.derive.variants import bare, two_sided
from dalembert.model import OneSided, StateError, Statement, name_of, refuse
from dalembert.motion.nearest import nearest

CLOSE = 1e-9  # how far off a constraint, relative to the size of the state, still counts as on it
MOVED = 1e-12  # relative change from which on a value counts as moved
FAR = 1e6  # a solution this much larger than what is stated is none
TRIES = 12  # guesses for what is not stated, where zero leads nowhere


@dataclass(frozen=True, eq=False)
class Start:
    """A state on the constraints, and what was moved to get there: {name: (from, to)}."""

    state: Mapping[Expr, float]
    moved: Mapping[str, tuple[float, float]]
    residuals: Residuals
    t: float

    def text(self) -> str:
        """For a person to read."""
        lines = [", ".join(f"{name_of(key)} = {value:.12g}" for key, value in self.state.items())]
        lines += [f"moved {name} from {old:.6g} to {new:.12g}" for name, (old, new) in self.moved.items()]
        return "\n".join(lines if self.moved else [*lines, "nothing was moved"])

    def __str__(self) -> str:
        return self.text()

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """What a notebook shows."""
        printer.text(self.text())


def start(
    system: Statement,
    guess: Mapping[Any, Any],
    fixed: Iterable[Any] = (),
    t: float = 0.0,
    parameters: Mapping[Any, Any] | None = None,
) -> Start:
    """The nearest consistent state to `guess` (zero where it says nothing), `fixed` coordinates and velocities held.

    Raises `StateError` with each constraint's residual where no consistent state is found.
    """
    keys = (*system.coordinates, *system.velocities)
    faults: list[str] = []
    held = own_keys(system, fixed, "fixed", faults)
    given = own_keys(system, guess, "the guess", faults)
    refuse(StateError, "start", faults)
    stated = dict(zip(given, dict(guess).values(), strict=True))
    inputs = numbers(system, {key: stated.get(key, 0.0) for key in keys}, t, parameters)  # checks every value
    begin, values = np.array(inputs[: len(keys)]), inputs[len(keys) + 1 :]
    free = np.array([key not in held for key in keys])
    given_values = dict(zip(system.symbols, values, strict=True))
    words = f" with {', '.join(sorted(map(name_of, held)))} held" if held else ""

    def reach(rows: Statement, places: Array | None, still: bool) -> Array:
        n = len(system.coordinates)
        guess, loose = begin, free
        if not still:
            loose = np.concatenate([free[:n], np.ones(n, dtype=bool)])
        if places is not None:
            guess, loose = np.concatenate([places, begin[n:]]), np.concatenate([np.zeros(n, dtype=bool), free[n:]])
        place = nearest(rows, guess, loose, t, values)
        faults = off_constraints(rows, _residuals(rows, place, t, given_values), place)
        refuse(StateError, f"no consistent start was found{words}", faults)
        return place

    found = _outside(system, reach, free, t, given_values)
    off = _residuals(system, found, t, given_values)
    size = 1 + np.abs(found).max()
    moved = {
        name_of(key): (float(old), float(new))
        for key, old, new in zip(keys, begin, found, strict=True)
        if abs(new - old) > MOVED * size
    }
    return Start(dict(zip(keys, map(float, found), strict=True)), moved, off, float(t))


def completed(system: Statement, stated: Mapping[Expr, float], t: float, values: Array) -> Array:
    """The state (2n,) with everything stated as it is, and the rest zero or, where that is off the constraints, solved.

    Raises `StateError` with each residual where what is stated is inconsistent, and where the rest has more than one
    solution.
    """
    keys = (*system.coordinates, *system.velocities)
    free = np.array([key not in stated for key in keys])
    parameters = dict(zip(system.symbols, values, strict=True))

    def reach(rows: Statement, places: Array | None, still: bool) -> Array:
        known = {} if places is None else dict(zip(system.coordinates, map(float, places), strict=True))
        given = {key: value for key, value in stated.items() if still or key in system.coordinates} | known
        return _completed(rows, given, np.array([key not in given for key in keys]), t, values)

    return _outside(system, reach, free, t, parameters)


def _outside(
    system: Statement,
    reach: Callable[[Statement, Array | None, bool], Array],
    free: Array,
    t: float,
    parameters: Mapping[Any, float],
) -> Array:
    """The state that `reach` finds for the two-sided constraints, and those one-sided ones it would penetrate, closed.

    `reach` is given the rows, places to hold, and whether to keep to the stated velocities: a contact that closes may
    be struck or left by them.

    Raises `StateError` where a one-sided constraint stays penetrated.
    """
    closed: dict[int, None] = {}
    while True:
        rows = two_sided(system, tuple(closed))
        try:
            place = reach(rows, None, True)
        except StateError:
            if not closed:
                raise
            place = reach(two_sided(system), reach(rows, None, False)[: len(system.coordinates)], True)
        deep = penetrated(system, place, t, parameters)
        if not set(deep) - set(closed):
            return place
        if not free[: len(system.coordinates)].any():
            faults = [
                f"constraint {system.constraints[j].name!r} is at {level:.6g}, and must not be below zero"
                for j, level in deep.items()
            ]
            refuse(StateError, "the start penetrates a one-sided constraint", faults)
        closed |= dict.fromkeys(deep)


def penetrated(system: Statement, place: Array, t: float, parameters: Mapping[Any, float]) -> dict[int, float]:
    """The one-sided constraints a state is beyond, with their values."""
    sided = [j for j, c in enumerate(system.constraints) if isinstance(c, OneSided)]
    if not sided:
        return {}
    _, rows = mass_and_rows(bare(system), [*place, t, *(parameters[s] for s in system.symbols)])
    reach = np.linalg.norm(rows.A, axis=1)
    bound = max(CLOSE * size_of(place), 1e-15)
    return {j: float(rows.level[j]) for j in sided if rows.level[j] < -bound * (reach[j] or 1.0)}


def _completed(system: Statement, stated: Mapping[Expr, float], free: Array, t: float, values: Array) -> Array:
    keys = (*system.coordinates, *system.velocities)
    place = np.array([stated.get(key, 0.0) for key in keys])
    parameters = dict(zip(system.symbols, values, strict=True))
    off = _residuals(system, place, t, parameters)
    faults = off_constraints(system, off, place)
    if not faults:
        return place
    if not free.any():
        refuse(StateError, "the start does not satisfy the constraints", faults)
    n = len(system.coordinates)
    random = np.random.default_rng(0)
    scale = 1 + np.abs(place).max()
    found: list[Array] = []
    for attempt in range(TRIES):
        guess = place.copy()
        if attempt:  # zero may be a point where a constraint has no gradient
            guess[:n][free[:n]] += scale * random.uniform(-1, 1, np.count_nonzero(free[:n]))
        reached = nearest(system, guess, free, t, values)
        if np.abs(reached).max() > FAR * scale:
            continue
        if not off_constraints(system, _residuals(system, reached, t, parameters), reached):
            found.append(reached)
            if not attempt:
                break  # the nearest to zero
    if not found:
        words = ", ".join(name_of(key) for key, is_free in zip(keys, free, strict=True) if is_free)
        refuse(StateError, f"the start does not satisfy the constraints, whatever {words}", faults)
    first = found[0]
    if any(np.abs(other - first).max() > CLOSE * scale for other in found[1:]):
        apart = np.ptp(found, axis=0) > CLOSE * scale
        open_ = [f"{name_of(key)} could be {np.min(c):.6g} or {np.max(c):.6g}, among others"
                 for key, c, differs in zip(keys, np.transpose(found), apart, strict=True) if differs]  # fmt: skip
        refuse(StateError, "the constraints do not determine what the start leaves open: state more of it", open_)
    return first


def own_keys(system: Statement, keys: Iterable[Any], what: str, faults: list[str]) -> list[Expr]:
    """The coordinates and velocities meant by symbols or names."""
    by_name = {name_of(key): key for key in (*system.coordinates, *system.velocities)}
    known = set(by_name.values())
    out = []
    for key in keys:
        own = by_name.get(key) if isinstance(key, str) else key if key in known else None
        if own is None:
            faults.append(f"{what} names {key}, which is neither a coordinate nor a velocity of this system")
        else:
            out.append(own)
    return out


def size_of(place: Array) -> float:
    """The largest of a state, by which distances are judged; one where all is zero."""
    return float(np.abs(place).max()) or 1.0


def off_constraints(system: Statement, off: Residuals, place: Array) -> list[str]:
    """What a state leaves unsatisfied, in words: nothing where it is on the constraints."""
    size = size_of(place)
    return [
        f"constraint {c.name!r} is left at {level:.6g}, its rate at {rate:.6g}"
        for c, level, rate, distance in zip(system.constraints, *off, strict=True)
        if not distance <= CLOSE * size
    ]


def _residuals(system: Statement, place: Array, t: float, parameters: Any) -> Residuals:
    keys = (*system.coordinates, *system.velocities)
    return residuals(system, dict(zip(keys, map(float, place), strict=True)), t, parameters)
