"""What people pass to make a statement, brought into one form; what is wrong with it comes back as faults."""

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from math import isfinite
from typing import Any, get_args

from sympy import Expr, ImmutableDenseMatrix, Symbol, sympify
from sympy.core.sympify import SympifyError

from dalembert.model.checks import against_assumptions, expression, is_coordinate, is_velocity, name_of, names_once
from dalembert.model.clock import time
from dalembert.model.constraints import Constraint, Stated
from dalembert.model.errors import ModelError
from dalembert.model.reactions import Reaction

ENGINES = ("taylor", "plain")


def sequence(values: Any, what: str, subject: str) -> tuple[Any, ...]:
    """A tuple of what was given, which must not be a text."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ModelError(subject, [f"{what}: {values!r} is not a sequence"])
    return tuple(values)


def constraint_sequence(given: Any) -> tuple[tuple[Any, ...], list[str]]:
    """The constraints as a tuple; a single one may come bare."""
    if isinstance(given, get_args(Stated)):
        return (given,), []
    if isinstance(given, str) or not isinstance(given, Iterable):
        return (), [f"the constraints are {given!r}; give a sequence of them"]
    return tuple(given), []


def coordinate_faults(coordinates: tuple[Any, ...]) -> Iterator[str]:
    """What is wrong with the coordinates."""
    if not coordinates:
        yield "there are no coordinates"
    for q in coordinates:
        if not is_coordinate(q):
            yield f"the coordinate {q!r} is not a dynamicsymbol x(t): make it by dynamicsymbols({str(q)!r})"
    yield from names_once((name_of(q) for q in coordinates if is_coordinate(q)), "coordinate")


def by_coordinate(given: Any, coordinates: tuple[Expr, ...], what: str) -> tuple[tuple[Expr, ...], list[str]]:
    """One expression for each coordinate, from a mapping (zero elsewhere) or a full sequence."""
    n = len(coordinates)
    if isinstance(given, Mapping):
        known = {q for q in coordinates if is_coordinate(q)}
        faults = [f"there is a {what} on {k}, which is not a coordinate" for k in given if k not in known]
        listed = [given.get(q, 0) for q in coordinates]
    elif isinstance(given, Iterable) and not isinstance(given, str):
        listed = list(given)
        faults = [] if len(listed) == n else [f"there are {len(listed)} {what}s for {n} coordinates"]
    else:
        return (), [f"the {what}s are {given!r}; give a mapping by coordinate or one for each coordinate"]
    parts = [expression(value, f"{what} {place}") for place, value in enumerate(listed, 1)]
    faults += [fault for _, found in parts for fault in found]
    return tuple(e for e, _ in parts if e is not None), faults


def mass_matrix(M: Any, n: int) -> tuple[ImmutableDenseMatrix, list[str]]:
    """An n × n symmetric matrix of expressions."""
    try:
        rows = [list(row) for row in (M.tolist() if hasattr(M, "tolist") else M)]
    except TypeError:
        return ImmutableDenseMatrix(), [f"M is {M!r}; a matrix of {n} × {n} is meant"]
    if len(rows) != n or any(len(row) != n for row in rows):
        shape = f"{len(rows)} × {'/'.join(str(k) for k in sorted({len(r) for r in rows})) or 0}"
        return ImmutableDenseMatrix(), [f"M is {shape}; it must be {n} × {n} for {n} coordinates"]
    faults: list[str] = []
    entries: list[Expr] = []
    for i, row in enumerate(rows, 1):
        for j, value in enumerate(row, 1):
            entry, found = expression(value, f"M[{i}, {j}]")
            entries.append(entry if entry is not None else sympify(0))
            faults += found
    mass = ImmutableDenseMatrix(n, n, entries)
    faults += [
        f"M is not symmetric: M[{i + 1}, {j + 1}] = {mass[i, j]} but M[{j + 1}, {i + 1}] = {mass[j, i]}"
        for i in range(n)
        for j in range(i)
        if mass[i, j] != mass[j, i] and (mass[i, j] - mass[j, i]).equals(0) is not True
    ]
    return ImmutableDenseMatrix(n, n, lambda i, j: mass[min(i, j), max(i, j)]), faults  # both alike


def parameter_values(given: Any) -> tuple[tuple[tuple[Symbol, float], ...], list[str]]:
    """Parameter values as sorted pairs of symbol and finite float."""
    if not isinstance(given, Mapping):
        return (), [f"the parameters are {given!r}; give a mapping from symbols to numbers"]
    faults: list[str] = []
    pairs: list[tuple[Symbol, float]] = []
    for symbol, value in given.items():
        if not isinstance(symbol, Symbol):
            faults.append(f"the parameter {symbol!r} is not a symbol")
            continue
        number = as_number(value)
        if number is not None:
            faults += against_assumptions(symbol, number)
        if number is None:
            faults.append(f"the parameter {symbol} has the value {value!r}, a finite real number is meant")
        else:
            pairs.append((symbol, number))
    return tuple(sorted(pairs, key=lambda pair: (pair[0].name, str(pair[0].assumptions0)))), faults


def as_number(value: object) -> float | None:
    """A finite real number as a float, or None."""
    if isinstance(value, (str, bool)):
        return None
    if isinstance(value, float):
        return float(value) if isfinite(value) else None
    try:
        number = float(sympify(value, strict=True))
    except (SympifyError, TypeError, ValueError, OverflowError):
        return None
    return number if isfinite(number) else None


def initial_values(given: Any, coordinates: tuple[Expr, ...]) -> tuple[tuple[tuple[Expr, Expr], ...], list[str]]:
    """Initial values as sorted pairs; a value may be an expression of the parameters."""
    if not isinstance(given, Mapping):
        return (), [f"the initial state is {given!r}; give a mapping by coordinates and velocities"]
    faults: list[str] = []
    pairs: list[tuple[Expr, Expr]] = []
    known = {q for q in coordinates if is_coordinate(q)}
    for key, value in given.items():
        if key not in known and not (is_velocity(key) and key.expr in known):
            faults.append(f"the initial state names {key}, which is neither a coordinate nor a velocity")
            continue
        expr, found = expression(value, f"the initial value of {name_of(key)}")
        faults += found
        if expr is not None:
            if expr.atoms(Reaction) or any(a.has(time()) for a in (expr,)):
                faults.append(f"the initial value of {name_of(key)} is {expr}: only parameters may stand in it")
            pairs.append((key, expr))
    return tuple(sorted(pairs, key=lambda pair: str(pair[0]))), faults


def end_time(value: Any) -> tuple[float | None, list[str]]:
    """The time a run ends, as a float."""
    number = None if value is None else as_number(value)
    return number, [] if value is None or number is not None else [f"until is {value!r}, a finite number is meant"]


def run_faults(until: Any, tolerance: Any, engine: Any) -> list[str]:
    """What is wrong with what a statement says of its runs; None says nothing."""
    faults = end_time(until)[1]
    number = as_number(tolerance)
    if tolerance is not None and (number is None or not 0 < number < 1):
        faults.append(f"the tolerance is {tolerance!r}, a number between 0 and 1 is meant")
    if engine is not None and engine not in ENGINES:
        faults.append(f"the engine is {engine!r}; it can be {' or '.join(map(repr, ENGINES))}")
    return faults


def named(constraints: tuple[Any, ...]) -> tuple[tuple[Constraint, ...], list[str]]:
    """The constraints, each with a name of its own: unnamed ones are called by their place."""
    faults = [
        f"constraint {place} is {c!r}; it is one of Holonomic, Nonholonomic, Differential, OneSided"
        for place, c in enumerate(constraints, 1)
        if not isinstance(c, get_args(Stated))
    ]
    if faults:
        return (), faults
    named = tuple(c if c.name else _rename(c, f"constraint {place}") for place, c in enumerate(constraints, 1))
    return named, list(names_once((c.name for c in named), "constraint"))


def _rename(constraint: Constraint, name: str) -> Constraint:
    """The same constraint, already checked, under another name."""
    renamed = copy(constraint)
    object.__setattr__(renamed, "name", name)
    return renamed
