"""Numbers at an instant: M, Q, A, b and C of a statement at a state, as NumPy arrays.

The symbolic derivation and its tape are made once for a statement and kept.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import null_space
from sympy import Expr

from dalembert.derive.algebra import Symbols
from dalembert.derive.mechanics import Derived, derive
from dalembert.derive.states import numbers, undefined
from dalembert.derive.tape import Tape
from dalembert.model import ModelError, StateError, Statement, name_of, refuse
from dalembert.principles import Instant, dependencies, explicit

Array = np.ndarray


class RowNumbers(NamedTuple):
    """The constraint rows in numbers: A (m, n), b, level and rate (m,)."""

    A: Array
    b: Array
    level: Array
    rate: Array


class Residuals(NamedTuple):
    """How far a state is off the constraints: φ or ψ, φ̇ or ψ, and the distance they stand for, each (m,)."""

    level: Array
    rate: Array
    distance: Array


def symbols_of(system: Statement) -> Symbols:
    """The SymPy algebra of a statement; equal statements share one."""
    return _symbols(_form(system))


def derived(system: Statement) -> Derived[Expr]:
    """The symbolic M, Q, A, b, C of a statement in its SymPy algebra."""
    return _derived(_form(system))


@lru_cache(maxsize=64)
def _form(system: Statement) -> Statement:
    """The statement without its values: what the derivation depends on."""
    return replace(system, values=tuple((s, 0.0) for s in system.symbols), initial=(), until=None, name="")


@lru_cache(maxsize=64)
def _symbols(form: Statement) -> Symbols:
    return Symbols(form)


@lru_cache(maxsize=64)
def _derived(form: Statement) -> Derived[Expr]:
    return derive(form, _symbols(form))


def _inputs(form: Statement) -> list[Expr]:
    algebra = _symbols(form)
    return [*algebra.q, *algebra.v, algebra.t, *algebra.parameters.values()]


@lru_cache(maxsize=64)
def _free_tape(form: Statement) -> Tape:
    """M and Q."""
    d = _derived(form)
    return Tape(_inputs(form), [*d.M.values(), *d.Q])


@lru_cache(maxsize=64)
def _row_tape(form: Statement) -> Tape:
    """A, b and the constraints' level and rate."""
    d = _derived(form)
    return Tape(_inputs(form), [*d.A.values(), *d.b, *d.level, *d.rate])


@lru_cache(maxsize=64)
def _work_tape(form: Statement) -> Tape | None:
    """C and the parts of the friction terms, by the multipliers too; None where every constraint is ideal."""
    d = _derived(form)
    if not d.friction and all(c == 0 for c in d.C):
        return None
    parts = [*d.C, *(e for f in d.friction for e in (f.size, f.speed, *f.along.values()))]
    return Tape([*_inputs(form), *_symbols(form).lam], parts)


def caches() -> tuple[Any, ...]:
    """The caches of derived statements; each has `cache_clear`, for those who measure."""
    return _form, _symbols, _derived, _free_tape, _row_tape, _work_tape, undefined


def instant(
    system: Statement, state: Mapping[Any, Any], t: float = 0.0, parameters: Mapping[Any, Any] | None = None
) -> Instant:
    """M, Q, A, b, C at a state: every coordinate and velocity must be given, every parameter must have a value.

    Raises `StateError` with everything that is missing, foreign or not finite, or that does not exist there.
    """
    inputs = numbers(system, state, t, parameters)
    form = _form(system)
    d, n = _derived(form), len(system.coordinates)
    free = _located(_free_tape(form), inputs, state)
    M = _filled((n, n), d.M, free)
    Q = np.array(free[len(d.M) :])
    A, b, _, _ = _rows(form, _located(_row_tape(form), inputs, state))
    names = tuple(map(name_of, system.coordinates)), tuple(c.name for c in system.constraints)
    now = Instant((M + M.T) / 2, Q, A, b, np.zeros(n), *names)
    work = _work_tape(form)
    if work is None:
        return now
    lam = explicit(now).multipliers

    def effect(multipliers: Array) -> Array:
        return _work(d, _located(work, [*inputs, *multipliers], state), n)

    C = effect(lam)
    _refuse_arbitrary(now, lam, C, effect)
    return Instant(now.M, Q, A, b, C, *names)


def mass_and_rows(
    system: Statement, state: Mapping[Any, Any], t: float = 0.0, parameters: Mapping[Any, Any] | None = None
) -> tuple[Array, RowNumbers]:
    """M and the constraint rows at a state, without the natures of constraint forces, which need not exist there."""
    inputs = numbers(system, state, t, parameters)
    form = _form(system)
    n = len(system.coordinates)
    M = _filled((n, n), _derived(form).M, _located(_free_tape(form), inputs, state))
    return (M + M.T) / 2, _rows(form, _located(_row_tape(form), inputs, state))


def _refuse_arbitrary(now: Instant, lam: Array, C: Array, effect: Callable[[Array], Array]) -> None:
    """Raise where C depends on how redundant rows share the ideal force among them, which nothing determines."""
    involved = {row for d in dependencies(now) for row in (d.row, *d.on)}
    if not involved:
        return
    free = null_space(now.A.T, rcond=1e-11)  # what can be added to λ without changing Aᵀλ
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
    form = _form(system)
    A, _, level, rate = _rows(form, _located(_row_tape(form), numbers(system, state, t, parameters), state))
    size = np.maximum(np.abs(level), np.abs(rate))
    length = np.linalg.norm(A, axis=1)
    distance = np.divide(size, length, out=np.where(size > 0, np.inf, 0.0), where=length > 0)
    return Residuals(level, rate, distance)


def row_numbers(system: Statement, q: Array, v: Array, t: float, values: Mapping[Any, float]) -> RowNumbers | None:
    """The constraint rows at bare numbers, or None where they do not exist."""
    form = _form(system)
    try:
        out = _row_tape(form)([*q, *v, t, *(values[s] for s in _symbols(form).parameters)])
    except ModelError:
        return None
    return _rows(form, out)


def _rows(form: Statement, out: list[float]) -> RowNumbers:
    d, m, n = _derived(form), len(form.constraints), len(form.coordinates)
    b, level, rate = np.array(out[len(d.A) :]).reshape(3, m)
    return RowNumbers(_filled((m, n), d.A, out), b, level, rate)


def _located(tape: Tape, inputs: list[float], state: Mapping[Any, Any]) -> list[float]:
    try:
        return tape(inputs)
    except StateError as error:
        listed = ", ".join(f"{name_of(k) if isinstance(k, Expr) else k} = {v}" for k, v in state.items())
        raise StateError(f"the state {listed}", error.faults) from None


def _filled(shape: tuple[int, int], sparse: Mapping[tuple[int, int], Any], values: list[float]) -> Array:
    matrix = np.zeros(shape)
    for place, value in zip(sparse, values, strict=False):  # the values go on with other quantities
        matrix[place] = value
    return matrix


def _work(d: Derived[Expr], values: list[float], n: int) -> Array:
    """C from the smooth part and the friction terms; friction of no size needs no direction."""
    C = np.array(values[:n])
    rest = iter(values[n:])
    faults = []
    for friction in d.friction:
        size, speed = next(rest), next(rest)
        along = {i: next(rest) for i in friction.along}
        if size == 0:
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
