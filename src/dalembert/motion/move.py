"""A system moved from a state until a time, by the engine and the mover that fit it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dalembert.derive import Array, form
from dalembert.derive.factors import without_factors
from dalembert.derive.switching.modes import Mode, switches
from dalembert.derive.variants import with_exponents
from dalembert.engine import OutOfTime, deadline, engine
from dalembert.model import OneSided, StateError, Statement
from dalembert.motion.record import Limits, Progress, Record, Settings, unmoved
from dalembert.motion.singular_start import risen, singular_at_start, without_direction
from dalembert.motion.smooth.mover import Mover, SmoothMover
from dalembert.motion.smooth.run import Run, late

COMPILE = {"auto": None, "compact": True, "full": False}


class Moved(NamedTuple):
    """What a motion leaves, the engine it was moved by, and how often it switched."""

    record: Record
    engine: Any
    switches: int


@np.errstate(all="ignore")  # what is not finite is looked for and told
def move(
    system: Statement,
    values: Array,
    settings: Settings,
    t0: float,
    state: Array,
    samples: Array,
    until: float,
    limits: Limits,
    progress: Callable[[Progress], object] | None = None,
    before: Mode | None = None,
    settle: bool = False,
    sizes: Array | None = None,
) -> Moved:
    """Move from a state (2n,) at t0 until a time; events are told against the mode `before`, where there is one.

    `sizes` (2n,): how large coordinates and velocities have been of late, where a motion goes on.
    `settle` puts a start that is a little off the constraints on them first. Raises StateError, MassError or
    ContradictionError where no motion begins.
    """
    stated, system = system, without_factors(with_exponents(system, values)).statement
    moving = engine(settings.engine, settings.tolerance, COMPILE[settings.compile])

    def known(state: Array) -> Array:
        out: Array = np.abs(state) if sizes is None else np.maximum(np.abs(state), sizes)
        return out

    hybrid = settings.engine != "plain" and bool(switches(form(system)))

    def begun(state: Array) -> Run:
        mover: Mover
        if hybrid:
            from dalembert.motion.hybrid.mover import HybridMover

            mover = HybridMover(moving, system, values, t0, until, known(state), limits.drift, before)
        else:
            mover = SmoothMover(moving, system, values, t0, state, known(state))
        return Run(moving, mover, stated, t0, state, samples, until, limits, progress)

    counts = 0
    with deadline(limits.began + limits.seconds):
        try:
            run = begun(state)
            if settle and (put := run.off_rows()) is not None:
                state = put.state
                run = begun(state)
                run.was_put(put)
            record, counts = _gone(run, stated, values, t0, sizes is None, lambda: begun(state))
        except OutOfTime:
            rows = tuple(r for r, c in enumerate(stated.constraints) if not isinstance(c, OneSided))
            record = unmoved(t0, state, rows, late(limits, f"at t = {t0:.9g} of {until:.9g}"))
    return Moved(record, moving, counts)


def _gone(
    run: Run, stated: Statement, values: Array, t0: float, begins: bool, anew: Callable[[], Run]
) -> tuple[Record, int]:
    """What a run leaves, and how often it switched; where it cannot begin, nothing but the start."""
    lost = without_direction(stated, values, t0, run.state) if begins else []
    try:
        record = run.go(singular_at_start(lost, t0) if lost else None)
    except StateError:
        if not lost:
            raise
        raise StateError("the start", [singular_at_start(lost, t0)]) from None  # friction has no mode for that reason
    if (status := risen(stated, values, record)) is not None:
        run = anew()
        record = run.go(status)  # the way it went was none: nothing but the start is a state of the motion
    return record, run.mover.count
