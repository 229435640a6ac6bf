"""Numbers at an instant: M, Q, A, b and C of a statement at a state, as NumPy arrays.

The symbolic derivation and its tape are made once for a statement and kept.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from sympy import Expr, S
from sympy.core.function import AppliedUndef

from dalembert.derive.algebra import Symbols
from dalembert.derive.mechanics import Derived, derive
from dalembert.derive.tape import Tape
from dalembert.model import (
    ModelError,
    StateError,
    Statement,
    all_expressions,
    as_number,
    is_coordinate,
    name_of,
    refuse,
)
from dalembert.principles import Instant, explicit

Array = np.ndarray


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


@lru_cache(maxsize=64)
def _undefined(form: Statement) -> tuple[str, ...]:
    """The functions a statement uses without defining them."""
    parts = {f for _, expr in all_expressions(form) for f in expr.atoms(AppliedUndef) if not is_coordinate(f)}
    return tuple(sorted(map(str, parts)))


def caches() -> tuple[Any, ...]:
    """The caches of derived statements; each has `cache_clear`, for those who measure."""
    return _form, _symbols, _derived, _free_tape, _row_tape, _work_tape, _undefined


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
    return Instant(now.M, Q, A, b, _work(d, _located(work, [*inputs, *lam], state), n), *names)


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


class RowNumbers(NamedTuple):
    """The constraint rows in numbers: A (m, n), b, level and rate (m,)."""

    A: Array
    b: Array
    level: Array
    rate: Array


def row_numbers(system: Statement, q: Array, v: Array, values: Mapping[Any, float]) -> RowNumbers | None:
    """The constraint rows at bare numbers (t = 0), or None where they do not exist."""
    form = _form(system)
    try:
        out = _row_tape(form)([*q, *v, 0.0, *(values[s] for s in _symbols(form).parameters)])
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


def numbers(system: Statement, state: Mapping[Any, Any], t: float, parameters: Mapping[Any, Any] | None) -> list[float]:
    """Coordinates, velocities, time and parameter values as floats, in the order of the tape's inputs."""
    faults: list[str] = []
    values = _parameter_values(system, parameters, faults)
    given = _state_values(system, state, values, faults)
    moment = as_number(t)
    if moment is None:
        faults.append(f"the time is {t!r}, a finite number is meant")
    form = _form(system)
    faults += [f"{f} is a function without a definition: it has no numeric value" for f in _undefined(form)]
    refuse(StateError, f"System {system.name!r}" if system.name else "System", faults)
    assert moment is not None  # no faults
    ordered = [given[key] for key in (*system.coordinates, *system.velocities)]
    return [*ordered, moment, *(values[s] for s in _symbols(form).parameters)]


def _parameter_values(system: Statement, parameters: Mapping[Any, Any] | None, faults: list[str]) -> dict[Any, float]:
    by_name = {s.name: s for s in system.symbols}
    values = dict(system.values)
    for key, value in (parameters or {}).items():
        symbol = by_name.get(key) if isinstance(key, str) else key
        if symbol not in system.symbols:
            faults.append(f"{key} is not a parameter of this system ({', '.join(by_name) or 'it has none'})")
            continue
        number = as_number(value)
        if number is None:
            faults.append(f"the parameter {key} has the value {value!r}, a finite real number is meant")
        else:
            values[symbol] = number
    if missing := [s.name for s in system.symbols if s not in values]:
        faults.append(f"no value is given for the parameter{'s' * (len(missing) > 1)} {', '.join(missing)}")
    return values


def _state_values(system: Statement, state: Any, values: Mapping[Any, float], faults: list[str]) -> dict[Expr, float]:
    if not isinstance(state, Mapping):
        faults.append(f"the state is {state!r}; give a mapping by coordinates and velocities")
        return {}
    wanted = {name_of(key): key for key in (*system.coordinates, *system.velocities)}
    keys = set(wanted.values())
    given: dict[Expr, float] = {}
    for key, value in state.items():
        own = wanted.get(key) if isinstance(key, str) else key if key in keys else None
        if own is None:
            faults.append(f"the state names {key}, which is neither a coordinate nor a velocity of this system")
            continue
        number = as_number(value.xreplace(dict(values)) if isinstance(value, Expr) else value)
        if number is None:
            faults.append(f"the state gives {name_of(own)} the value {value!r}, a finite real number is meant")
        given[own] = 0.0 if number is None else number
    if missing := [name for name, key in wanted.items() if key not in given]:
        faults.append(f"the state lacks {', '.join(missing)}")
    return given


def initial_state(system: Statement, parameters: Mapping[Any, Any] | None = None) -> dict[Expr, float]:
    """The state a statement starts from: what it gives, zero elsewhere."""
    faults: list[str] = []
    values = _parameter_values(system, parameters, faults)
    refuse(StateError, f"System {system.name!r}" if system.name else "System", faults)
    given = dict(system.initial)
    state = {key: given.get(key, S.Zero) for key in (*system.coordinates, *system.velocities)}
    return _state_values(system, state, values, faults)
