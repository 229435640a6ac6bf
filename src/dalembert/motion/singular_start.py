"""Motions that would begin where constraints lose their rank: at a crossing, a cusp, the tip of a cone."""

from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from dalembert.derive import CLOSE, Array, prepared
from dalembert.derive.scales import coordinate_units
from dalembert.model import OneSided, StateError, Statement
from dalembert.motion.record import Record
from dalembert.motion.starts.surface import Frame
from dalembert.motion.status import Ending, Status

BESIDE = 2.0**-10  # of the coordinates, or of one where all are zero: so far away the row has a direction
TRIES = 4
FARTHER = 2.0 ** np.arange(8, 41, 8)  # times as far as a run came


def singular_at_start(lost: list[str], t: float) -> Status:
    """How a run ends that cannot begin, in words."""
    rows = " and ".join(map(repr, lost))
    have = "has" if len(lost) == 1 else "have"
    words = f"the rank of the constraints drops at t = {t:.9g}: {rows} {have} no direction there"
    return Status(
        Ending.SINGULAR, f"{words}. It is the start: begin beside it, or, where it is a square, state its root"
    )


def risen(system: Statement, values: Array, record: Record) -> Status | None:
    """How a run ends that left the constraints at once because they have more rank beside the start; None for others.

    Rows that depend on each other at the start alone ask for something of higher order, which no force of them obeys.
    """
    if record.status.ending is not Ending.LEFT:
        return None
    try:
        before = _rank(system, values, record.begin_time, record.begin)
        after = _rank(system, values, record.time, record.end)
        if before >= after and not _went_on(system, values, record):
            after = max(_ranks_farther(system, values, record), default=0)
    except StateError:
        return None
    if before >= after:
        return None
    words = f"the rank of the constraints is {before} at t = {record.begin_time:.9g}, where the motion begins"
    return Status(Ending.SINGULAR, f"{words}, and {after} beside it: they do not say which way it goes from there")


def _ranks_farther(system: Statement, values: Array, record: Record) -> Iterator[int]:
    """The ranks farther along the way a run took: where that was short, rows look dependent all along it."""
    moved = record.end - record.begin
    for far in FARTHER:
        with suppress(StateError):
            yield _rank(system, values, record.time, record.begin + far * moved)


def _went_on(system: Statement, values: Array, record: Record) -> bool:
    """Whether the first state that was kept after the start is on the two-sided constraints.

    By their own terms: beside a start at rest rounding would explain whatever a short way makes of a square. A row of
    one coordinate alone has no terms to be measured by.
    """
    later = np.flatnonzero(record.times > record.begin_time)
    t, state = (record.times[later[0]], record.states[later[0]]) if len(later) else (record.time, record.end)
    relations, m = prepared(system).relations, len(system.constraints)
    level, _, size, _ = relations.values([*state.tolist(), float(t), *values.tolist()])
    chosen = [r for r, c in enumerate(system.constraints) if not isinstance(c, OneSided) and relations.alone[:m][r] < 0]
    return bool((np.abs(level) <= CLOSE * size)[chosen].all())


def _rank(system: Statement, values: Array, t: float, state: Array) -> int:
    """The rank of the two-sided constraints, in units of the coordinates."""
    kept, inputs = prepared(system), [*state.tolist(), t, *values.tolist()]
    chosen = [r for r, c in enumerate(system.constraints) if not isinstance(c, OneSided)]
    return Frame(kept.relations.speeds.at(inputs)[1][chosen] * coordinate_units(kept, inputs)).rank


def without_direction(system: Statement, values: Array, t: float, state: Array) -> list[str]:
    """The names of two-sided constraints whose coefficients are all zero at a state, and are not beside it."""
    chosen = [r for r, c in enumerate(system.constraints) if not isinstance(c, OneSided)]
    speeds = prepared(system).relations.speeds
    if not chosen:
        return []

    def vanishing(place: Array) -> Array:
        return np.asarray(~speeds.at([*place.tolist(), t, *values.tolist()])[1].any(axis=1))

    try:
        lost = vanishing(state)
    except StateError:
        return []
    found = np.zeros(len(lost), dtype=bool)
    for way in np.random.default_rng(0).uniform(-1, 1, (TRIES, len(state))) if lost[chosen].any() else ():
        with suppress(StateError):
            found = found | (lost & ~vanishing(state + BESIDE * way * (np.abs(state).max(initial=0.0) or 1.0)))
    return [system.constraints[r].name for r in chosen if found[r]]
