"""Motions that would begin where constraints lose their rank: at a crossing, a cusp, the tip of a cone."""

from contextlib import suppress

import numpy as np

from dalembert.derive import Array, prepared
from dalembert.derive.scales import coordinate_units
from dalembert.model import OneSided, StateError, Statement
from dalembert.motion.record import Record
from dalembert.motion.starts.surface import Frame
from dalembert.motion.status import Ending, Status

BESIDE = 2.0**-10  # of the coordinates, or of one where all are zero: so far away the row has a direction
TRIES = 4


def singular_at_start(lost: list[str], t: float) -> Status:
    """How a run ends that cannot begin, in words."""
    rows = " and ".join(map(repr, lost))
    have = "has" if len(lost) == 1 else "have"
    words = f"the rank of the constraints drops at t = {t:.9g}: {rows} {have} no direction there"
    return Status(
        Ending.SINGULAR, f"{words}. It is the start: begin beside it, or, where it is a square, state its root"
    )


def risen(system: Statement, values: Array, record: Record) -> Status:
    """How a run ended, told as a loss of rank where it left the constraints because they had more of it than before."""
    if record.status.ending is not Ending.LEFT:
        return record.status
    try:
        before = _rank(system, values, record.begin_time, record.begin)
        after = _rank(system, values, record.time, record.end)
    except StateError:
        return record.status
    if before >= after:
        return record.status
    words = f"the rank of the constraints is {before} at t = {record.begin_time:.9g}, where the motion begins"
    return Status(Ending.SINGULAR, f"{words}, and {after} beside it: they do not say which way it goes from there")


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
