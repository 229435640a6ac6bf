"""`simulate`: a system moved from a start until a time; every fault of what was asked comes in one error."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Literal, TypeVar

import numpy as np
from sympy import Expr, oo

from dalembert.derive import Array, instant_at, parameter_values, state_values
from dalembert.engine import EngineName, compile_seconds, compiled_engine, refuse_switches, refuse_unknown
from dalembert.model import StateError, Statement, as_number, refuse
from dalembert.motion.move import COMPILE, move
from dalembert.motion.record import DRIFT, Limits, Progress, Settings
from dalembert.motion.starts import Begun, Start, begun, own_keys
from dalembert.motion.status import Ending, Interrupted, RunError
from dalembert.motion.trajectory import Trajectory

SAMPLES, MOST = 201, 100_000_000  # where none are asked for, and at most
EPS = float(np.finfo(float).eps)
T = TypeVar("T", bound=Trajectory)


@dataclass(frozen=True, eq=False)
class Plan:
    """What a run is asked to do, checked."""

    values: Array
    t0: float
    until: float
    stated: Mapping[Expr, float]
    samples: Array
    settings: Settings
    limits: Limits


def simulate(
    kind: type[T],
    system: Statement,
    start: Any = None,
    until: Any = None,
    *,
    t0: Any = None,
    tolerance: Any = None,
    samples: Any = None,
    parameters: Mapping[Any, Any] | None = None,
    engine: EngineName | None = None,
    compile: Literal["auto", "compact", "full"] = "auto",
    drift: Any = None,
    singular: Literal["stop", "pass"] = "stop",
    max_step: Any = None,
    max_steps: Any = None,
    max_seconds: Any = None,
    progress: Callable[[Progress], object] | None = None,
    throw: bool = True,
) -> T:
    """Move a system; `System.simulate` says what the arguments are."""
    called = perf_counter()
    plan = _plan(
        system,
        start,
        until,
        t0,
        system.tolerance if tolerance is None else tolerance,
        samples,
        parameters,
        system.engine if engine is None else engine,
        compile,
        drift,
        singular,
        max_step,
        max_steps,
        max_seconds,
        progress,
        throw,
    )
    settings, compiled = plan.settings, compile_seconds()
    (refuse_switches if settings.engine == "plain" else refuse_unknown)(system)
    state, solved = _begun(system, start, plan)
    begin, earlier = perf_counter(), compile_seconds()
    before, sizes = None, tuple[float, ...]()
    if isinstance(start, Trajectory) and start.system.form() == system.form():
        before, sizes = start.episodes[-1].mode, start.sizes
    known = np.array(sizes) if sizes else None
    done = move(
        system,
        plan.values,
        settings,
        plan.t0,
        state,
        plan.samples,
        plan.until,
        replace(plan.limits, began=called),
        progress,
        before,
        True,
        known,
    )
    seconds, record = perf_counter() - begin - (compile_seconds() - earlier), done.record
    if record.status.ending == Ending.BROKEN and record.time == plan.t0:
        instant_at(system, [*state, plan.t0, *plan.values])  # raises where the start itself is at fault
    statistics = {
        **done.engine.facts,
        "compile_seconds": compile_seconds() - compiled,
        "steps": record.steps,
        "run_seconds": seconds,
        "largest_drift": record.drift,
        "largest_defect": record.defect,
        "looked_at": record.points,
        "projections": len(record.projections),
        "switches": done.switches,
        "solved": list(solved),
    }
    motion = kind.of(system, plan.values, record, settings, statistics, sizes, plan.until)
    if throw and not motion.status.ok:
        raise (Interrupted if record.status.ending == Ending.INTERRUPTED else RunError)(motion)
    return motion


def _begun(system: Statement, start: Any, plan: Plan) -> Begun:
    """The whole state a run starts from: that of a motion which goes on as it is, else what the start says."""
    if (
        isinstance(start, Trajectory)
        and start.status.ending != Ending.LEFT
        and start.system.form() == system.form()
        and plan.t0 == start.end_time
        and np.array_equal(plan.values, start.values)
    ):
        return Begun(start.end_values.copy(), ())
    return begun(system, plan.stated, plan.t0, plan.values)


def _plan(
    system: Statement,
    start: Any,
    until: Any,
    t0: Any,
    tolerance: Any,
    samples: Any,
    parameters: Any,
    engine: Any,
    compile_mode: Any,
    drift: Any,
    singular: Any,
    max_step: Any,
    max_steps: Any,
    max_seconds: Any,
    progress: Any,
    throw: Any,
) -> Plan:
    faults: list[str] = []
    if isinstance(start, Trajectory) and start.system.symbols == system.symbols and parameters is None:
        parameters = dict(zip(system.symbols, map(float, start.values), strict=True))
    values = parameter_values(system, parameters, faults)
    if isinstance(start, Trajectory):
        begin = start.end_time if t0 is None else t0
        given: Any = start.end
    elif isinstance(start, Start):
        begin, given = start.t if t0 is None else t0, start.state
    else:
        begin, given = 0.0 if t0 is None else t0, dict(system.initial) if start is None else start
    stated = _stated(system, given, values, faults)
    first = _number(begin, "the start time t0", faults)
    last = _number(system.until if until is None else until, "until", faults, "say until when to move the system")
    if first is not None and last is not None and not last > first:
        faults.append(f"until is {last:g}, which is not after the start at t = {first:g}")
        last = None
    wanted = _times(samples, first, last, faults)
    tol = EPS if tolerance is None else _number(tolerance, "the tolerance", faults)
    if tol is not None and not 0 < tol < 1:
        faults.append(f"the tolerance is {tol:g}, a number between 0 and 1 is meant")
    finest = 100 * EPS if str(engine) == "plain" or not compiled_engine() else EPS
    bound = DRIFT * max(finest, tol or EPS) if drift is None else _positive(drift, "the drift bound", faults)
    steps, step = _limit(max_steps, "max_steps", faults), _limit(max_step, "max_step", faults)
    if np.isfinite(steps) and steps != int(steps):
        faults.append(f"max_steps is {max_steps!r}, a whole number is meant")
    if progress is not None and not callable(progress):
        faults.append(f"progress is {progress!r}, a function is meant")
    if not isinstance(throw, (bool, np.bool_)):
        faults.append(f"throw is {throw!r}, True or False is meant")
    clock = _limit(max_seconds, "max_seconds", faults)
    for value, allowed, what in (
        (engine, (None, "taylor", "plain"), "engine"),
        (compile_mode, tuple(COMPILE), "compile"),
        (singular, ("stop", "pass"), "singular"),
    ):
        if not isinstance(value, (str, type(allowed[0]))) or value not in allowed:
            faults.append(f"{what} is {value!r}; it can be {' or '.join(repr(a) for a in allowed if a)}")
    if isinstance(engine, str) and engine == "taylor" and not compiled_engine():
        faults.append('engine "taylor" needs heyoka, which is not installed; engine "plain" works without it')
    refuse(StateError, f"the run of {system.name!r}" if system.name else "the run", faults)
    assert first is not None
    assert last is not None
    assert wanted is not None
    assert tol is not None
    settings = Settings(engine or _usual_engine(), max(tol, EPS), compile_mode, bound, singular, step)
    return Plan(
        np.array([values[s] for s in system.symbols]),
        first,
        last,
        stated,
        wanted,
        settings,
        Limits(steps, clock, bound, singular, step),
    )


def _stated(system: Statement, given: Any, values: Mapping[Any, float], faults: list[str]) -> dict[Expr, float]:
    """What a start says, in numbers."""
    if not isinstance(given, Mapping):
        faults.append(f"the start is {given!r}; give a mapping by coordinates and velocities, or what start() returns")
        return {}
    foreign: list[str] = []
    own_keys(system, given, "the start", foreign)
    if foreign:
        faults += foreign
        return {}
    return state_values(system, given, values, faults, partial=True)


def _number(value: Any, what: str, faults: list[str], hint: str = "a finite number is meant") -> float | None:
    number = as_number(value)
    if number is None:
        faults.append(f"{what} is {value!r}; {hint}")
    return number


def _positive(value: Any, what: str, faults: list[str]) -> float:
    number = as_number(value)
    if number is None or not number > 0:
        faults.append(f"{what} is {value!r}, a finite number above zero is meant")
        return 1.0
    return number


def _limit(value: Any, what: str, faults: list[str]) -> float:
    """A bound on what a run takes; none where nothing is given, or infinity."""
    if value is None or (isinstance(value, float) and value == np.inf) or value is oo:
        return np.inf
    return _positive(value, what, faults)


def _times(samples: Any, first: float | None, last: float | None, faults: list[str]) -> Array | None:
    """The sample times: a count of them, the times themselves, or a usual number."""
    if first is None or last is None:
        first, last = 0.0, 1.0  # to find what else is wrong
    if samples is None:
        return np.unique(np.linspace(first, last, SAMPLES))
    if isinstance(samples, (int, np.integer)) and not isinstance(samples, bool):
        if samples < 2:
            faults.append(f"samples is {samples}; at least 2 are meant, the start and the end, or a sequence of times")
            return None
        if samples > MOST:
            faults.append(f"samples is {samples}; at most {MOST:,} fit into memory")
            return None
        return np.unique(np.linspace(first, last, int(samples)))  # unique where the run is a few roundings long
    try:
        given = np.asarray(samples)
        if given.ndim == 0 or given.dtype.kind not in "iufO":  # a text or a truth that NumPy would read as a number
            raise TypeError
        times = given.astype(float)
    except (TypeError, ValueError):
        faults.append(f"samples is {samples!r}; a count or a sequence of times is meant")
        return None
    if times.ndim != 1 or not len(times):
        faults.append(f"samples is {samples!r}; a count or a sequence of times is meant")
    elif not np.isfinite(times).all():
        faults.append("samples has times that are not finite")
    elif not (np.diff(times) > 0).all():
        faults.append("the sample times do not increase")
    elif times[0] < first or times[-1] > last:
        faults.append(
            f"the sample times go from {times[0]:g} to {times[-1]:g}, outside the run from {first:g} to {last:g}"
        )
    return times


_told: list[bool] = []


def _usual_engine() -> EngineName:
    """The compiled engine, or its plain twin where heyoka is not installed, which is said once."""
    if compiled_engine():
        return "taylor"
    if not _told:
        _told.append(True)
        warnings.warn(
            "heyoka is not installed, so motions are computed by the plain engine: right, but slow. "
            "It has pip wheels for Linux and conda-forge packages for macOS and Windows.",
            stacklevel=4,
        )
    return "plain"
