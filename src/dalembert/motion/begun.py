"""A statement with a start of one's own, completed where it leaves coordinates to the constraints."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from sympy import Expr, Float, S

from dalembert.derive import initial_state, parameter_values, residuals
from dalembert.model import Holonomic, ModelError, Statement, initial_values, refuse, time
from dalembert.motion.start import CLOSE, Start, completed, own_keys

T = TypeVar("T", bound=Statement)


def stated_start(system: T, start: Mapping[Any, Any] | Start | None) -> T:
    """The statement with a start, exactly as it is stated; coordinates it leaves open are zero or, where that is off
    the relations among coordinates, solved from them.

    Raises ModelError, StateError with all that is wrong with it.
    """
    given = dict(system.initial) if start is None else start.state if isinstance(start, Start) else start
    if not isinstance(given, Mapping):
        raise ModelError("the start", [f"it is {given!r}; give a mapping by coordinates and velocities"])
    faults: list[str] = []
    keys = own_keys(system, given, "the start", faults)
    refuse(ModelError, "the start", faults)
    pairs, faults = initial_values(dict(zip(keys, given.values(), strict=True)), system.coordinates)
    refuse(ModelError, "the start", faults)
    begun = replace(system, initial=pairs)
    left = [q for q in system.coordinates if q not in dict(pairs)]
    if not pairs or not left or not any(isinstance(c, Holonomic) for c in system.constraints):
        return begun
    return replace(begun, initial=(*pairs, *_solved(begun, left)))


def _solved(begun: Statement, left: list[Expr]) -> list[tuple[Expr, Expr]]:
    """The coordinates left open, where zero is off the constraints."""
    given = dict(begun.initial)
    at = {time(): S.Zero, **{q: given.get(q, S.Zero) for q in begun.coordinates}}
    stated = [c.expr.xreplace(at) for c in begun.constraints if isinstance(c, Holonomic)]
    if all(e == 0 for e in stated):
        return []
    state = initial_state(begun)
    off = residuals(begun, state)
    relations = [abs(x) for c, x in zip(begun.constraints, off.level, strict=True) if isinstance(c, Holonomic)]
    if max(relations) <= CLOSE:
        return []
    values = parameter_values(begun, None, [])
    known = {key: state[key] for key in given}
    place = completed(begun, known, 0.0, np.array([values[s] for s in begun.symbols]))
    found = dict(zip(begun.coordinates, place, strict=False))
    return [(q, Float(found[q])) for q in left]
