"""The velocities in which a motion is described: read as people give them, u = U(q, t) q̇ + u₀(q, t)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from sympy import Expr, Symbol

from dalembert.derive.algebra import Symbols
from dalembert.derive.effort import TooMuch, effort, weigh
from dalembert.derive.independence import Sample
from dalembert.derive.mechanics import rows
from dalembert.derive.tape import Tape
from dalembert.derive.tidy import tidy
from dalembert.model import ModelError, Statement, is_coordinate, name_of, time
from dalembert.model.checks import expression, no_reactions, parameters_in, unknown_coordinates
from dalembert.model.clock import function_of_time

RANK = 1e-9  # of the balanced rows: below it they depend on each other
EFFORT = 1.0  # to see whether a definition is linear


class Chosen(NamedTuple):
    """The velocities u by the symbols they are shown with, and each as an expression linear in the velocities q̇."""

    symbols: tuple[Expr, ...]
    definitions: tuple[Expr, ...]


def read_velocities(system: Statement, given: Any, faults: list[str]) -> Chosen:
    """What was given, a sequence of velocities or a mapping from new names to definitions; its faults are added."""
    if isinstance(given, Mapping):
        return _quasi(system, given, faults)
    if isinstance(given, str) or not isinstance(given, Iterable):
        faults.append(f"the velocities are {given!r}; give a list of velocities, or a mapping from new names to them")
        return Chosen((), ())
    known: dict[Any, Expr] = {}
    for q, v in zip(system.coordinates, system.velocities, strict=True):
        known |= dict.fromkeys((q, v, name_of(q), name_of(v)), v)
    found = []
    for one in given:
        v = known.get(one) if isinstance(one, (str, Expr)) else None
        if v is None:
            names = ", ".join(map(name_of, system.velocities))
            faults.append(f"{one} is not a velocity of this system ({names}); a new one needs a definition: {{u: …}}")
        elif v in found:
            faults.append(f"the velocity {name_of(v)} is given twice")
        else:
            found.append(v)
    return Chosen(tuple(found), tuple(found))


def _quasi(system: Statement, given: Mapping[Any, Any], faults: list[str]) -> Chosen:
    taken = {name_of(q) for q in system.coordinates} | {s.name for s in system.symbols} | {time().name}
    algebra, symbols, definitions = Symbols(system), [], []
    for key, value in given.items():
        symbol = _symbol(key, faults)
        if symbol is None:
            continue
        name = name_of(symbol)
        if name in taken:
            faults.append(f"the name {name!r} is taken already: give the velocity another")
        taken.add(name)
        what = f"the velocity {name}"
        definition, found = expression(value, what)
        faults += found
        if definition is None or found:
            continue
        found = [*no_reactions(definition, what), *unknown_coordinates(definition, system.coordinates, what)]
        foreign = sorted(s.name for s in parameters_in([definition]) - set(system.symbols))
        found += [f"{what} uses {s}, which is not a parameter of this system" for s in foreign]
        if not found:
            definition, found = _linear(definition, algebra, what)
        faults += found
        symbols.append(symbol)
        definitions.append(definition)
    return Chosen(tuple(symbols), tuple(definitions))


def _symbol(key: Any, faults: list[str]) -> Expr | None:
    """u(t) for a name, a symbol or u(t) itself."""
    if is_coordinate(key):
        return key
    if isinstance(key, Symbol) or (isinstance(key, str) and key.isidentifier()):
        return function_of_time(str(key))
    faults.append(f"{key!r} cannot name a velocity: give a symbol, a dynamicsymbol or a name")
    return None


def _linear(definition: Expr, algebra: Symbols, what: str) -> tuple[Expr, list[str]]:
    """The definition, written so that it is seen to be linear in the velocities, or the fault that it is not."""
    expr = algebra.convert(definition)
    if not is_linear(expr, algebra):
        with suppress(TooMuch), effort(EFFORT):
            weigh(expr)
            expr = tidy(expr.expand())
    if not is_linear(expr, algebra):
        return definition, [f"{what} = {definition} is not linear in the velocities"]
    if not algebra.gradient(expr, algebra.v):
        return definition, [f"{what} = {definition} contains no velocity"]
    return algebra.restore(expr), []


def is_linear(f: Expr, algebra: Symbols) -> bool:
    """Whether the slopes of f by the velocities are seen to be free of velocities."""
    slopes = algebra.gradient(f, algebra.v).values()
    return not any(slope.free_symbols & set(algebra.v) for slope in slopes)


def dependence_faults(
    system: Statement, chosen: Chosen, independent: Sequence[int], tried: Sequence[Sample]
) -> Iterator[str]:
    """A fault where, at every state tried, the velocities and the constraints depend on each other: [A; U] singular."""
    if not chosen.symbols or not tried:
        return
    algebra = Symbols(system)
    U, _ = rows([algebra.convert(e) for e in chosen.definitions], algebra)
    tape = Tape([*algebra.q, algebra.t, *algebra.parameters.values()], U.values())
    smallest = None
    for sample in tried:
        try:
            out = tape([*sample.q, sample.t, *(sample.values[s] for s in system.symbols)])
        except ModelError:
            continue  # a definition need not exist everywhere
        own = np.zeros((len(chosen.symbols), len(system.coordinates)))
        for place, value in zip(U, out, strict=True):
            own[place] = value
        K = np.vstack([sample.rows.A[list(independent)], own])
        length = np.linalg.norm(K, axis=1)
        if not length.all():
            continue
        left, sigma, _ = np.linalg.svd(K / length[:, None])
        if sigma[-1] > RANK:
            return
        if smallest is None or sigma[-1] < smallest[0]:
            smallest = float(sigma[-1]), left[:, -1]
    if smallest is None:
        yield "the velocities have no value at any of the states tried"
        return
    weights, k = np.abs(smallest[1]), len(independent)
    by = [name_of(chosen.symbols[i]) for i in np.flatnonzero(weights[k:] > RANK)]
    why = [
        repr(system.constraints[r].name) for r, weight in zip(independent, weights[:k], strict=True) if weight > RANK
    ]
    under = f" under the constraint{'s' * (len(why) > 1)} {', '.join(why)}" if why else ""
    if len(by) == 1:
        yield f"the velocity {by[0]} is fixed{under}: it cannot be an independent one"
    else:
        yield f"the velocities {', '.join(by)} depend on each other{under}: choose others"
