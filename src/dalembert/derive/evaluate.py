"""Numbers at an instant: M, Q, A, b and C of a statement at a state, as NumPy arrays."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from dalembert.derive.nonideal import unshared, work_doing
from dalembert.derive.prepared import Prepared, prepared
from dalembert.derive.scales import CLOSE, closeness, moment_later, right_sizes
from dalembert.derive.states import numbers
from dalembert.derive.tape import Tape
from dalembert.model import ModelError, StateError, Statement, name_of
from dalembert.principles import ContradictionError, Instant, MassError

Array = np.ndarray
Values = Callable[[Tape, Sequence[float]], list[float]]


class RowNumbers(NamedTuple):
    """The constraint rows in numbers: A (m, n), b, level and rate (m,)."""

    A: Array
    b: Array
    level: Array
    rate: Array


class Residuals(NamedTuple):
    """How far a state is off the constraints: φ or ψ, φ̇ or ψ, and the distance they stand for, each (m,).

    `level_part` and `rate_part` are the same without units, parts of the terms that make each of them up
    (`dalembert.derive.scales`): by them it is decided whether a state is on a constraint.
    """

    level: Array
    rate: Array
    distance: Array
    level_part: Array
    rate_part: Array

    @property
    def part(self) -> Array:
        """The larger of the two parts, (m,): no more than 1e-9 where the state is on the constraint."""
        larger: Array = np.maximum(self.level_part, self.rate_part)
        return larger

    @property
    def on(self) -> Array:
        """Which constraints the state satisfies, (m,)."""
        satisfied: Array = self.part <= CLOSE
        return satisfied


def instant(
    system: Statement, state: Mapping[Any, Any], t: float = 0.0, parameters: Mapping[Any, Any] | None = None
) -> Instant:
    """M, Q, A, b, C at a state: every coordinate and velocity must be given, every parameter must have a value.

    Raises `StateError` with everything that is missing, foreign or not finite, or that does not exist there.
    """
    return instant_at(system, numbers(system, state, t, parameters))


def instant_at(system: Statement, inputs: Sequence[float]) -> Instant:
    """M, Q, A, b, C at bare numbers: coordinates, velocities, time, then parameters in the order of `symbols`."""
    return with_work(system, inputs, bare_instant(system, inputs))


def bare_instant(system: Statement, inputs: Sequence[float]) -> Instant:
    """M, Q, A, b at bare numbers, and C = 0: the system were its constraints ideal."""
    return _bare(system, inputs, lambda tape, given: located(tape, given, system))


def too_large(system: Statement, inputs: Sequence[float]) -> str | None:
    """What of M, Q, A or b is too large for a float on the way to its value, in words."""
    kept = prepared(system)
    found = kept.free.too_large(inputs) or kept.rows.too_large(inputs)
    return f"{found} is too large for a float" if found else None


def with_work(system: Statement, inputs: Sequence[float], now: Instant) -> Instant:
    """An instant of the system with the C that belongs to its load Q and right sides b, which need not be those stated.

    C may follow the multipliers of the constraint force; these are those of `now`. Raises StateError, and where there
    are no multipliers ContradictionError and MassError.
    """
    return _with_work(prepared(system), inputs, now, lambda tape, given: located(tape, given, system))


def from_tapes(system: Statement, inputs: Sequence[float], values: Values) -> Instant:
    """M, Q, A, b, C at bare numbers, where `values` says what tapes give."""
    return _with_work(prepared(system), inputs, _bare(system, inputs, values), values)


def _bare(system: Statement, inputs: Sequence[float], values: Values) -> Instant:
    kept = prepared(system)
    d, n = kept.derived, len(system.coordinates)
    free = values(kept.free, inputs)
    M = _filled((n, n), d.M, free)
    A, b, _, _ = _rows(kept, values(kept.rows, inputs))
    sizes = partial(right_sizes, system, tuple(inputs)) if kept.constraints else None
    return Instant((M + M.T) / 2, free[len(d.M) :], A, b, np.zeros(n), kept.coordinates, kept.constraints, sizes)


def _with_work(kept: Prepared, inputs: Sequence[float], now: Instant, values: Values) -> Instant:
    if kept.work is None:
        return now
    tape = kept.work
    C = work_doing(kept, now, lambda lam: values(tape, [*inputs, *lam]))
    return Instant(now.M, now.Q, now.A, now.b, C, now.coordinates, now.constraints, now.sizes)


def unshared_friction(
    system: Statement, inputs: Sequence[float], held: Sequence[int], together: Sequence[Sequence[int]]
) -> str | None:
    """Why the frictions of constraints, of which some are in force, are not determined; None where they are."""
    kept = prepared(system)
    tape = kept.work
    if tape is None:
        return None
    try:
        now = bare_instant(system, inputs)
        return unshared(kept, now, lambda lam: tape([*inputs, *lam]), held, together)
    except (StateError, ContradictionError, MassError):  # then there is no load to speak of
        return None


def follows_multipliers(system: Statement) -> bool:
    """Whether the work-doing force of some constraint depends on the multipliers of constraints."""
    return prepared(system).follows


def mass_and_rows(system: Statement, inputs: Sequence[float]) -> tuple[Array, RowNumbers]:
    """M and the constraint rows at bare numbers, without the natures of constraint forces, which need not exist there.

    The numbers are those of `numbers`: coordinates, velocities, time, parameters.
    """
    kept, n = prepared(system), len(system.coordinates)
    M = _filled((n, n), kept.derived.M, located(kept.free, inputs, system))
    return (M + M.T) / 2, _rows(kept, located(kept.rows, inputs, system))


def energy_and_power(system: Statement, inputs: Sequence[float]) -> tuple[float, float]:
    """The energy at bare numbers, and the rate at which everything but the constraints changes it."""
    energy, power = located(prepared(system).energy, inputs, system)
    return energy, power


def residuals(
    system: Statement, state: Mapping[Any, Any], t: float = 0.0, parameters: Mapping[Any, Any] | None = None
) -> Residuals:
    """How far a state is off the constraints: the values of φ or ψ, and φ̇ or ψ, and the distance they stand for.

    The distance of a row is the larger of |φ| and |φ̇| (or |ψ|) over the length of its gradient, to first order how far
    the state must move; it is infinite where the gradient vanishes and the row does not hold.
    """
    return residuals_at(system, numbers(system, state, t, parameters))


def residuals_at(system: Statement, inputs: Sequence[float]) -> Residuals:
    """`residuals` at bare numbers: coordinates, velocities, time, then parameters in the order of `symbols`."""
    kept = prepared(system)
    A, _, level, rate = _rows(kept, located(kept.rows, inputs, system))
    later = moment_later(system, inputs)
    rate = rate if later is inputs else kept.relations.plain(later)[len(level) :]
    size, largest = np.maximum(np.abs(level), np.abs(rate)), np.max(np.abs(A), axis=1, initial=0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        distance = size / largest / np.linalg.norm(A / largest[:, None], axis=1)  # rows of any size
    distance[largest == 0] = np.where(size[largest == 0] > 0, np.inf, 0.0)
    return Residuals(level, rate, distance, *closeness(system, inputs))


def row_numbers(system: Statement, q: Array, v: Array, t: float, values: Mapping[Any, float]) -> RowNumbers | None:
    """The constraint rows at bare numbers, or None where they do not exist."""
    kept = prepared(system)
    try:
        out = kept.rows([*q, *v, t, *(values[s] for s in system.symbols)])
    except ModelError:
        return None
    return _rows(kept, out)


def _rows(kept: Prepared, out: list[float]) -> RowNumbers:
    d, m, n = kept.derived, len(kept.form.constraints), len(kept.form.coordinates)
    b, level, rate = np.array(out[len(d.A) :]).reshape(3, m)
    return RowNumbers(_filled((m, n), d.A, out), b, level, rate)


def located(tape: Tape, inputs: Sequence[float], system: Statement) -> list[float]:
    """What a tape gives; what does not exist is told with the state."""
    try:
        return tape(inputs)
    except StateError as error:
        names = [*map(name_of, (*system.coordinates, *system.velocities)), "t"]
        listed = ", ".join(f"{name} = {float(value)!r}" for name, value in zip(names, inputs, strict=False))
        raise StateError(f"the state {listed}", error.faults) from None


def _filled(shape: tuple[int, int], sparse: Mapping[tuple[int, int], Any], values: list[float]) -> Array:
    matrix = np.zeros(shape)
    for place, value in zip(sparse, values, strict=False):  # the values go on with other quantities
        matrix[place] = value
    return matrix
