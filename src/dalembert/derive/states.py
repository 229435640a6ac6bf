"""States, times and parameter values as people give them, turned into numbers; all that is wrong with them at once."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sympy import Expr, S
from sympy.core.function import AppliedUndef

from dalembert.model import (
    StateError,
    Statement,
    against_assumptions,
    all_expressions,
    as_number,
    is_coordinate,
    name_of,
    refuse,
)


def numbers(system: Statement, state: Any, t: Any, parameters: Any) -> list[float]:
    """Coordinates, velocities, time and parameter values as floats, parameters in the order of `symbols`."""
    faults: list[str] = []
    values = parameter_values(system, parameters, faults)
    given = state_values(system, state, values, faults)
    moment = as_number(t)
    if moment is None:
        faults.append(f"the time is {t!r}, a finite number is meant")
    faults += [f"{f} is a function without a definition: it has no numeric value" for f in undefined(system)]
    refuse(StateError, _subject(system), faults)
    assert moment is not None  # no faults
    ordered = [given[key] for key in (*system.coordinates, *system.velocities)]
    return [*ordered, moment, *(values[s] for s in system.symbols)]


def initial_state(system: Statement, parameters: Any = None) -> dict[Expr, float]:
    """What a statement gives of its start, and zero elsewhere; `motion.own_start` solves what constraints demand."""
    faults: list[str] = []
    values = parameter_values(system, parameters, faults)
    refuse(StateError, _subject(system), faults)
    given = dict(system.initial)
    state = {key: given.get(key, S.Zero) for key in (*system.coordinates, *system.velocities)}
    found = state_values(system, state, values, faults)
    refuse(StateError, f"{_subject(system)}, its start", faults)
    return found


def parameter_values(system: Statement, parameters: Any, faults: list[str]) -> dict[Any, float]:
    """The value of every parameter: those of the statement, and over them those given here, by symbol or name."""
    by_name = {s.name: s for s in system.symbols}
    values = dict(system.values)
    if parameters is not None and not isinstance(parameters, Mapping):
        faults.append(f"the parameters are {parameters!r}; give a mapping from parameters to numbers")
        parameters = None
    seen = set()
    for key, value in (parameters or {}).items():
        symbol = by_name.get(key) if isinstance(key, str) else key
        if symbol not in by_name.values():
            faults.append(f"{key} is not a parameter of this system ({', '.join(by_name) or 'it has none'})")
            continue
        if symbol in seen:
            faults.append(f"the parameter {symbol} is given twice")
        seen.add(symbol)
        number = as_number(value)
        if number is None:
            faults.append(f"the parameter {key} has the value {value!r}, a finite real number is meant")
        else:
            faults += against_assumptions(symbol, number)
            values[symbol] = number
    if missing := [s.name for s in system.symbols if s not in values]:
        faults.append(f"no value is given for the parameter{'s' * (len(missing) > 1)} {', '.join(missing)}")
    return values


def state_values(
    system: Statement, state: Any, values: Mapping[Any, float], faults: list[str], *, partial: bool = False
) -> dict[Expr, float]:
    """The value of every coordinate and velocity, by symbol or name; a value may be an expression of parameters.

    A `partial` state may leave some of them out.
    """
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
        if own in given:
            faults.append(f"the state gives {name_of(own)} twice")
        number = as_number(value.xreplace(dict(values)) if isinstance(value, Expr) else value)
        if number is None:
            faults.append(f"the state gives {name_of(own)} the value {value!r}, a finite real number is meant")
        else:
            faults += against_assumptions(own, number)
        given[own] = 0.0 if number is None else number
    if not partial and (missing := [name for name, key in wanted.items() if key not in given]):
        faults.append(f"the state lacks {', '.join(missing)}")
    return given


@lru_cache(maxsize=64)
def undefined(system: Statement) -> tuple[str, ...]:
    """The functions a statement uses without defining them."""
    parts = {f for _, expr in all_expressions(system) for f in expr.atoms(AppliedUndef) if not is_coordinate(f)}
    return tuple(sorted(map(str, parts)))


def _subject(system: Statement) -> str:
    return f"System {system.name!r}" if system.name else "System"
