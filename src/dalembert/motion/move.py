"""A system moved from a state until a time, by the engine and the mover that fit it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dalembert.derive import Array, form
from dalembert.derive.factors import without_factors
from dalembert.derive.switching.modes import Mode, switches
from dalembert.derive.variants import with_exponents
from dalembert.engine import engine
from dalembert.model import StateError, Statement
from dalembert.motion.record import Limits, Progress, Record, Settings
from dalembert.motion.singular_start import risen, singular_at_start, without_direction
from dalembert.motion.smooth.mover import Mover, SmoothMover
from dalembert.motion.smooth.run import Run

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
    known = np.abs(state) if sizes is None else np.maximum(np.abs(state), sizes)
    hybrid = settings.engine != "plain" and bool(switches(form(system)))

    def begun() -> Run:
        mover: Mover
        if hybrid:
            from dalembert.motion.hybrid.mover import HybridMover

            mover = HybridMover(moving, system, values, t0, until, known, limits.drift, before)
        else:
            mover = SmoothMover(moving, system, values, t0, state, known)
        run = Run(moving, mover, stated, t0, state, samples, until, limits, progress)
        if settle:
            run.begin_on_constraints()
        return run

    run = begun()
    lost = without_direction(stated, values, t0, state) if sizes is None else []
    try:
        record = run.go(singular_at_start(lost, t0) if lost else None)
    except StateError:
        if not lost:
            raise
        raise StateError("the start", [singular_at_start(lost, t0)]) from None  # friction has no mode for that reason
    if (status := risen(stated, values, record)) is not None:
        run = begun()
        record = run.go(status)  # the way it went was none: nothing but the start is a state of the motion
    return Moved(record, moving, run.mover.count)
