"""States and measured series on one clock: a motion or a table of states, and a table of what was measured.

Nothing is interpolated: what is not on the clock is refused, with the first difference.
"""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.model import OneSided, Statement, against_assumptions, name_of
from dalembert.motion.dataset import FIXED, variable_names
from dalembert.motion.rowkeys import Keys
from dalembert.motion.table_files import same_file
from dalembert.motion.tables import Table, gaps, table
from dalembert.motion.trajectory import Trajectory

SAME = 1e-6  # of the shortest step: times that differ by less are one time, written in fewer figures
ROUNDING = 1e-12  # of the end of a motion: a time that is beyond it by less is the end


class Series(NamedTuple):
    """k times: times (k,), states (k, 2n) coordinates then velocities, and the measured columns (k,) by key."""

    times: Array
    states: Array
    measured: Mapping[Any, Array]


def series(system: Statement, states: Any, measured: Any, keys: Keys, faults: list[str]) -> Series | None:
    """The states at the measured times, or None and all that is wrong with either."""
    before = len(faults)
    faults += _foreign(system, states)
    if isinstance(measured, Trajectory):
        faults.append(
            "measured is a motion, of which nothing was measured: leave it out to take the rows as stated, or choose "
            "what stands for measurements, such as motion.dataset[['x_ddot']]"
        )
        measured = None
    same = measured is not None and _same(states, measured)
    own = None if isinstance(states, Trajectory) else table(states, "the states", faults)
    if own is not None:
        faults += _state_faults(system, own, keys)
    taken = own if same else None if measured is None else table(measured, "the measured series", faults)
    columns: list[Any] = []
    if taken is not None:
        columns = [*_row_columns(taken, keys, same, faults)]
        faults += gaps(taken, iter(columns))
    times = taken.times if taken is not None else own.times if own is not None else None
    if isinstance(states, Trajectory) and (taken is not None or measured is None):
        times = _within(states, states.t if taken is None else taken.times, faults)
    elif own is not None and taken is not None and not same:
        faults += _clocks(own, taken)
    if len(faults) > before or times is None:
        return None
    found = states.at(times).T if isinstance(states, Trajectory) else _states(system, own)
    return Series(times, found, {} if taken is None else {name: taken.columns[name] for name in columns})


def _foreign(system: Statement, states: Any) -> Iterator[str]:
    """What is wrong with a motion as the motion of a system, and with a system along any series."""
    for c in system.constraints:
        if isinstance(c, OneSided):
            yield (
                f"the constraint {c.name!r} is one-sided: along a series nothing says when it is closed. "
                "Give it as Holonomic for times in contact, take it away for others; or reconcile single instants"
            )
    if isinstance(states, Trajectory) and states.system.coordinates != system.coordinates:
        named = [", ".join(map(name_of, s.coordinates)) for s in (states.system, system)]
        yield f"the motion is one of {named[0]}, the system has the coordinates {named[1]}"


def _same(states: Any, measured: Any) -> bool:
    """Whether one table holds the states and what was measured."""
    if isinstance(states, (str, PathLike)) and isinstance(measured, (str, PathLike)):
        return same_file(states, measured)
    return states is measured


def _state_faults(system: Statement, own: Table, keys: Keys) -> Iterator[str]:
    """Columns of states that are missing, have gaps, break what a coordinate is declared to be, or mean nothing."""
    if missing := [name for name in keys.states if name not in own.columns]:
        others = [str(name) for name in own.columns if name not in keys.states]
        near = {name: get_close_matches(name, others, n=1) for name in missing}
        said = [f"{name} (there is {close[0]!r})" if close else name for name, close in near.items()]
        yield f"{own.what} lack {', '.join(said)}: a coordinate is a column x, its velocity a column x_dot"
    present = [name for name in keys.states if name in own.columns]
    yield from gaps(own, iter(present))
    for name, symbol in zip(keys.states, (*system.coordinates, *system.velocities), strict=True):
        if name in present:
            column = own.columns[name]
            ends = [float(v) for v in (np.nanmin(column), np.nanmax(column))] if np.isfinite(column).any() else []
            yield from (fault for value in ends for fault in against_assumptions(symbol, value))
    known = {*keys.states, *keys.name.values(), *FIXED, *variable_names(system).acceleration}
    if not missing:
        yield from _unknown(own, known, known)


def _row_columns(taken: Table, keys: Keys, same: bool, faults: list[str]) -> Iterator[Any]:
    """The columns that are rows; the others must be states of the same table."""
    rows = set(keys.name.values())
    for name in taken.columns:
        if same and isinstance(name, str) and name not in rows:
            continue  # states, or what has been said of them already
        if name in keys.states and name not in rows:
            faults.append(
                f"{taken.what}: {name} is a coordinate or a velocity, and no row: rows are accelerations, forces and "
                "constraints. Leave it out, or give this table as the states too"
            )
        elif not isinstance(name, str) or name in rows:
            yield name
        else:
            faults += _unknown(taken._replace(columns={name: taken.columns[name]}), rows, rows)
    if not same and taken.other:
        faults.append(f"{taken.what}: {', '.join(taken.other)}: a row is a column along time alone")


def _unknown(found: Table, known: set[str], among: set[str]) -> Iterator[str]:
    """A fault for every column that means nothing here."""
    for name in found.columns:
        if isinstance(name, str) and name not in known:
            near = get_close_matches(name, sorted(among), n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ": it is no row, coordinate or velocity of this system"
            yield f"{found.what}: the column {name!r} is unknown{hint}"


def _within(motion: Trajectory, times: Array, faults: list[str]) -> Array:
    """The times, those that are beyond an end by rounding put on it."""
    first, last = motion.begin_time, motion.end_time
    slack = ROUNDING * max(abs(first), abs(last))
    out = (times < first - slack) | (times > last + slack)
    if out.any():
        faults.append(
            f"the measured series goes from t = {times[0]:.12g} to {times[-1]:.12g}, the motion from {first:.12g} to "
            f"{last:.12g}: {_times(int(out.sum()))} outside it. Cut the series, or move the system for longer"
        )
    inside: Array = np.clip(times, first, last)
    return inside


def _times(count: int) -> str:
    return "1 time is" if count == 1 else f"{count} times are"


def _clocks(own: Table, taken: Table) -> Iterator[str]:
    """A fault where two tables are not on one clock."""
    one, two = own.times, taken.times
    hint = "Bring them to one clock yourself first, for example by Dataset.interp(time=…): nothing is done silently"
    if len(one) != len(two):
        spans = [f"{len(t)} time{'s' * (len(t) > 1)} from {t[0]:.12g} to {t[-1]:.12g}" for t in (one, two)]
        yield f"different clocks: the states have {spans[0]}, the measured series {spans[1]}. {hint}"
        return
    step = np.diff(one).min() if len(one) > 1 else 1.0
    apart = np.abs(one - two) > SAME * step
    if apart.any():
        i = int(np.argmax(apart))
        yield (
            f"different clocks: {int(apart.sum())} of {len(one)} times differ, the first where the states have "
            f"t = {one[i]:.12g} and the measured series {two[i]:.12g}. {hint}"
        )


def _states(system: Statement, own: Table | None) -> Array:
    names = variable_names(system)
    assert own is not None  # no faults
    return np.array([own.columns[name] for name in (*names.coordinate, *names.velocity)]).T
