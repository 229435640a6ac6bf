"""`reconcile`: what a system and measurements that need not agree say together, at an instant or along a series."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple, overload

import numpy as np

from dalembert.derive import Array, apart, bare_instant, numbers, residuals_at
from dalembert.derive.states import parameter_values, undefined
from dalembert.model import ModelError, OneSided, StateError, Statement, as_number, name_of, refuse
from dalembert.motion.clocks import Series, series
from dalembert.motion.dataset import variable_names
from dalembert.motion.notes import off_note, off_series_note, pulling_notes
from dalembert.motion.reconciled import ReconciledSeries
from dalembert.motion.rowkeys import Keys, Plan, labelled, plan
from dalembert.motion.samples import Moment
from dalembert.motion.settling import settled
from dalembert.motion.starts import Start
from dalembert.motion.tables import is_table
from dalembert.motion.trajectory import Trajectory
from dalembert.principles import ContradictionError, Instant, MassError, Reconciliation
from dalembert.principles import reconcile as reconciled_at
from dalembert.principles.reconcile import FAR
from dalembert.principles.snooping import LEVEL

SUBJECT = "reconcile"


class Asked(NamedTuple):
    """What was asked besides the system and the state."""

    weights: Any
    sigma: Any
    measured: Any
    t: Any
    parameters: Any
    level: float


@overload
def reconcile(
    system: Statement,
    state: Mapping[Any, Any] | Start,
    weights: Any = None,
    *,
    sigma: Any = None,
    measured: Any = None,
    t: float = 0.0,
    parameters: Mapping[Any, Any] | None = None,
    level: float = LEVEL,
) -> Reconciliation: ...
@overload
def reconcile(
    system: Statement,
    state: Any,
    weights: Any = None,
    *,
    sigma: Any = None,
    measured: Any = None,
    t: float = 0.0,
    parameters: Mapping[Any, Any] | None = None,
    level: float = LEVEL,
) -> ReconciledSeries: ...
def reconcile(
    system: Statement,
    state: Any,
    weights: Any = None,
    *,
    sigma: Any = None,
    measured: Any = None,
    t: float = 0.0,
    parameters: Mapping[Any, Any] | None = None,
    level: float = LEVEL,
) -> Reconciliation | ReconciledSeries:
    """The least-squares acceleration and constraint force of rows that need not agree, and the row to doubt.

    Main arguments:

    - `state`: values by coordinates and velocities, for one instant; or a motion, an `xarray.Dataset`, a DataFrame, a
      mapping with `time`, or the path of a CSV or NetCDF file with columns time, x, x_dot, …, for a series.
    - `weights`, `sigma`: the trust in rows, a weight 1/σ² or a standard deviation σ: a mapping by row, or one number
      for each constraint; `weights` may be a positive definite matrix over the constraints. Constraints that are not
      named hold exactly; where neither is given, all of them have the weight 1, as in `least_squares`.
    - `measured`: values by row; for a constraint the right side b of A q̈ = b. Along a series, a table with `time` (it
      may be the one that has the states).

    Rows are constraints by name, `force_x` the impressed force on x, `x_ddot` (or x.diff(t, 2)) its acceleration,
    `reaction_x` the constraint force on it. What is measured and no constraint needs a trust. Others: `t` the time of
    an instant, `parameters` values over those of the statement (a motion brings its own), `level` the probability that
    a fault is found where there is none.

    Raises ModelError with every fault of what was given; ContradictionError where exact constraints contradict each
    other; MassError. Udwadia, Kalaba and Eun 1997, (37)-(38); Baarda 1968.
    """
    if not isinstance(system, Statement):
        raise ModelError(SUBJECT, [f"the system is a {type(system).__name__}; give a System"])
    faults = [] if as_number(level) is not None and 0 < level < 1 else [f"level is {level!r}; give one between 0 and 1"]
    asked = Asked(weights, sigma, measured, t, parameters, level)
    if isinstance(state, Trajectory) or is_table(state):
        return _along(system, state, asked, faults)
    if isinstance(state, Start):
        return _at(system, state.state, asked._replace(t=state.t if t == 0.0 else t), faults)
    return _at(system, state, asked, faults)


def _at(system: Statement, state: Any, asked: Asked, faults: list[str]) -> Reconciliation:
    """At one instant."""
    inputs: list[float] = []
    wrong: tuple[str, ...] = ()
    try:
        inputs = numbers(system, _by_symbol(system, state), asked.t, asked.parameters)
    except StateError as error:
        wrong = error.faults
    open_ = _apart(system, inputs) if inputs else ()
    touching = system.without(open_) if open_ else system
    measured = _values(asked.measured, faults)
    found = plan(Keys(touching, open_), asked.weights, asked.sigma, measured, faults)
    refuse(ModelError if faults else StateError, SUBJECT, [*faults, *wrong])
    assert found is not None  # no faults
    try:
        now, y = _evidence(bare_instant(touching, inputs), found, measured)
        now = settled(touching, inputs, now, found.trust, y)
        made = reconciled_at(now, found.trust, y, asked.level, found.names)
    except ContradictionError as error:
        error.add_note("In reconcile, a row that is given a weight or a sigma need not hold exactly.")
        raise
    off = off_note(touching, residuals_at(touching, inputs))
    return replace(made, notes=(*off, *pulling_notes(touching, made)))


def _along(system: Statement, states: Any, asked: Asked, faults: list[str]) -> ReconciledSeries:
    """Along a series."""
    if asked.t != 0.0:
        faults.append(f"t is {asked.t!r}, but a series has its own times: leave it out")
    if isinstance(states, Trajectory):
        run = dict(zip(states.system.symbols, map(float, states.values), strict=True))
        system = system.with_parameters({s: run[s] for s in system.symbols if s in run})
    values = parameter_values(system, asked.parameters, faults)
    faults += [f"{f} is a function without a definition: it has no numeric value" for f in undefined(system)]
    keys = Keys(system)
    found = series(system, states, asked.measured, keys, faults)
    rows = plan(keys, asked.weights, asked.sigma, None if found is None else found.measured, faults)
    refuse(ModelError, SUBJECT, faults)
    assert found is not None
    assert rows is not None  # no faults
    return _followed(system, found, rows, [values[s] for s in system.symbols], asked.level)


def _followed(system: Statement, found: Series, rows: Plan, values: list[float], level: float) -> ReconciledSeries:
    """Every time of a series, one after the other."""
    moments, off = [], []
    for i, t in enumerate(found.times.tolist()):
        measured = {key: float(column[i]) for key, column in found.measured.items()}
        try:
            inputs = [*found.states[i].tolist(), t, *values]
            now, y = _evidence(bare_instant(system, inputs), rows, measured)
            now = settled(system, inputs, now, rows.trust, y)
            moments.append(Moment.of(now, rows.trust, y))
            off.append(residuals_at(system, inputs))
        except StateError as error:
            raise StateError(f"at t = {t:.12g}, {error.subject}", error.faults) from None
        except (ContradictionError, MassError) as error:
            error.add_note(f"This is at t = {t:.12g}.")
            raise
    notes = tuple(off_series_note(system, found.times, off))
    return ReconciledSeries.of(system, found.times, moments, rows, level, notes)


def _evidence(now: Instant, rows: Plan, measured: Mapping[Any, float]) -> tuple[Instant, Array]:
    """The instant with measured right sides in place, and what the uncertain rows read."""
    reads = {rows.rows[key]: value for key, value in measured.items()}
    b = now.b.copy()
    for row, value in reads.items():
        if row.kind == "constraint":
            b[row.place] = value
    stated = {"constraint": b, "force": now.Q}
    y = np.array([reads[row] if row in reads else stated[row.kind][row.place] for row in rows.trust.rows])
    if (far := np.flatnonzero(np.abs(y) > FAR * rows.trust.sigma)).size:
        fault = f"{rows.names[far[0]]} is {y[far[0]]:.6g}, more than {FAR:g} times its standard deviation"
        raise StateError("what was measured", [fault])
    if not np.array_equal(b, now.b):
        now = now.with_right(b)
    return now, y


def _values(measured: Any, faults: list[str]) -> dict[Any, float]:
    """Measured values at one instant."""
    if measured is None:
        return {}
    if (pairs := labelled(measured)) is None:
        faults.append(f"measured is {measured!r}; for one instant give a mapping from rows to numbers")
        return {}
    found = {key: as_number(value) for key, value in pairs}
    for key, value in pairs:
        if found[key] is None:
            faults.append(f"measured gives {str(key)!r} the value {value!r}, a finite real number is meant")
    return {key: value or 0.0 for key, value in found.items()}


def _apart(system: Statement, inputs: list[float]) -> tuple[str, ...]:
    """The contacts that are open at a state: they have no row."""
    if not any(isinstance(c, OneSided) for c in system.constraints):
        return ()
    return apart(system, residuals_at(system, inputs))


def _by_symbol(system: Statement, state: Any) -> Any:
    """A state whose text keys may be those of a table, x_dot for x'."""
    names = variable_names(system)
    symbols = (*system.coordinates, *system.velocities)
    known = dict(zip((*names.coordinate, *names.velocity), symbols, strict=True)) | {name_of(s): s for s in symbols}
    if not isinstance(state, Mapping):
        return state
    given = [(known.get(key, key) if isinstance(key, str) else key, value) for key, value in state.items()]
    return dict(given) if len(dict(given)) == len(given) else state
