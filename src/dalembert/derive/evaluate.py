"""Numbers at an instant: M, Q, A, b and C of a statement at a state, as NumPy arrays."""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import scipy
from sympy import Expr

from dalembert.derive.mechanics import Derived
from dalembert.derive.prepared import Prepared, prepared
from dalembert.derive.scales import CLOSE, closeness
from dalembert.derive.states import numbers
from dalembert.derive.tape import Tape
from dalembert.model import ModelError, OneSided, StateError, Statement, name_of, refuse
from dalembert.principles import Instant, dependencies, explicit

Array = np.ndarray


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
    kept = prepared(system)
    d, n = kept.derived, len(system.coordinates)
    free = located(kept.free, inputs, system)
    M = _filled((n, n), d.M, free)
    Q = np.array(free[len(d.M) :])
    A, b, _, _ = _rows(kept, located(kept.rows, inputs, system))
    names = kept.coordinates, kept.constraints
    now = Instant((M + M.T) / 2, Q, A, b, np.zeros(n), *names)
    work = kept.work
    if work is None:
        return now
    lam = explicit(now).multipliers

    def effect(multipliers: Array) -> Array:
        return _work(d, located(work, [*inputs, *multipliers], system), n)

    C = effect(lam)
    _refuse_arbitrary(now, lam, C, effect)
    if any(f.row is not None for f in d.friction):
        units = {
            f.row: located(work, [*inputs, *np.eye(len(b))[f.row]], system) for f in d.friction if f.row is not None
        }
        C = _following_actual(system, now, C, d, units)
    return Instant(now.M, Q, A, b, C, *names)


def _following_actual(
    system: Statement, now: Instant, C: Array, d: Derived[Expr], units: Mapping[int, list[float]]
) -> Array:
    """C with the friction that follows the actual multipliers: −D|λ̂| with Qᶜ = C + Aᵀλ̂; `units` is it at |λ̂| = 1.

    Raises `StateError` where no signs of λ̂, or more than one set of them, agree with what they lead to (Painlevé).
    """
    D = np.zeros((now.n, now.m))
    for row, values in units.items():
        D[:, row] = _friction(d, values, now.n, row)
    S, load = np.linalg.solve(now.M, now.A.T), np.linalg.solve(now.M, now.Q + C)
    found = []
    for signs in product((1.0, -1.0), repeat=len(units)):
        if any(s < 0 and isinstance(system.constraints[r], OneSided) for s, r in zip(signs, units, strict=True)):
            continue  # it may only push
        signed = D.copy()
        for s, r in zip(signs, units, strict=True):
            signed[:, r] *= s
        matrix = now.A @ S + now.A @ np.linalg.solve(now.M, signed)
        actual = np.linalg.lstsq(matrix, now.b - now.A @ load, rcond=None)[0]
        if all(s * actual[r] >= 0 for s, r in zip(signs, units, strict=True)):
            found.append(signed @ actual)
    if not found or any(np.abs(other - found[0]).max() > 1e-9 * (1 + np.abs(found[0]).max()) for other in found):
        many = "more than one normal force is" if found else "no normal force is"
        raise StateError("the state", [f"with its friction {many} possible here (Painlevé)"])
    whole: Array = C + found[0]
    return whole


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


def _refuse_arbitrary(now: Instant, lam: Array, C: Array, effect: Callable[[Array], Array]) -> None:
    """Raise where C depends on how redundant rows share the ideal force among them, which nothing determines."""
    involved = {row for d in dependencies(now) for row in (d.row, *d.on)}
    if not involved:
        return
    free = scipy.linalg.null_space(now.A.T, rcond=1e-11)  # what can be added to λ without changing Aᵀλ
    step = 1e-3 * (np.abs(lam).max() or 1.0)
    changes = [np.abs(effect(lam + step * z) - C).max() for z in free.T]
    if max(changes, default=0.0) > 1e-6 * (np.abs(C).max() + step):
        listed = ", ".join(repr(now.constraints[row]) for row in sorted(involved))
        fault = (
            f"the rows {listed} are redundant, so the force of each alone is not determined, and a nature depends on "
            "it: give all of them that nature, or take the surplus rows away"
        )
        raise StateError("the state", [fault])


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
    size = np.maximum(np.abs(level), np.abs(rate))
    length = np.linalg.norm(A, axis=1)
    distance = np.divide(size, length, out=np.where(size > 0, np.inf, 0.0), where=length > 0)
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


def _friction(d: Derived[Expr], values: list[float], n: int, row: int) -> Array:
    """C of the friction of one constraint, from the numbers of the friction terms."""
    C = np.zeros(n)
    rest = iter(values[n:])
    for friction in d.friction:
        size, speed = next(rest), next(rest)
        along = {i: next(rest) for i in friction.along}
        if friction.row == row and size:
            if not speed:
                fault = f"the friction of constraint {friction.constraint!r} has no direction at rest"
                raise StateError("the state", [f"{fault}: whether it sticks or slips cannot be told at one instant"])
            for i, a in along.items():
                C[i] -= size * a / speed
    return C


def _work(d: Derived[Expr], values: list[float], n: int) -> Array:
    """C from the smooth part and the friction terms; friction of no size needs no direction."""
    C = np.array(values[:n])
    rest = iter(values[n:])
    faults = []
    for friction in d.friction:
        size, speed = next(rest), next(rest)
        along = {i: next(rest) for i in friction.along}
        if size == 0 or friction.row is not None:
            continue
        if size < 0:
            faults.append(f"the friction coefficient of constraint {friction.constraint!r} is negative here")
            continue
        if speed == 0:
            faults.append(
                f"the friction of constraint {friction.constraint!r} has no direction at rest "
                f"(its bound is {size:.6g}): whether it sticks or slips cannot be told at one instant"
            )
            continue
        for i, a in along.items():
            C[i] -= size * a / speed
    refuse(StateError, "the state", faults)
    return C
