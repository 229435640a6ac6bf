"""What the parts of a statement must satisfy together; each rule gives its faults in words."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sympy import Dummy, Expr, Piecewise

from dalembert.model.cases import uncovered
from dalembert.model.checks import (
    coordinates_in,
    name_of,
    names_once,
    no_reactions,
    not_real,
    unknown_coordinates,
    velocity,
)
from dalembert.model.clock import time
from dalembert.model.constraints import Constraint
from dalembert.model.natures import Coulomb, Prescribed, Quadratic, Viscous
from dalembert.model.reactions import IdealForce, IdealMagnitude, Multiplier
from dalembert.model.unconstrained import Particles

if TYPE_CHECKING:
    from dalembert.model.statement import Statement


def all_expressions(system: "Statement") -> Iterator[tuple[str, Expr]]:
    """Every expression of the statement, with the words an error would use for it."""
    yield from system.unconstrained.expressions()
    for c in system.constraints:
        for expr in c.expressions():
            yield f"constraint {c.name!r}", expr
        for expr in c.nature.expressions():
            yield f"the nature of constraint {c.name!r}", expr
    for key, expr in system.initial:
        yield f"the initial value of {name_of(key)}", expr


def statement_faults(system: "Statement") -> Iterator[str]:
    """What is wrong with the parts of a statement taken together."""
    for what, expr in system.unconstrained.expressions():
        yield from no_reactions(expr, what)
    known = set(system.coordinates)
    for what, expr in all_expressions(system):
        if not coordinates_in(expr) <= known:
            yield from unknown_coordinates(expr, system.coordinates, what)
        yield from _without_value(expr, what)
    yield from names_once(
        [*(name_of(q) for q in system.coordinates), *(s.name for s in system.symbols), time().name], "symbol"
    )
    yield from not_real(system.symbols)
    for constraint in system.constraints:
        yield from _nature_faults(system, constraint)


def _without_value(expr: Expr, what: str) -> Iterator[str]:
    """A fault for every `Piecewise` in `expr` with cases that do not cover everything."""
    for cases in sorted(expr.atoms(Piecewise), key=str) if expr.has(Piecewise) else ():
        if words := uncovered(cases):
            yield f"{what} contains a Piecewise without a value, {words}; give it a last case (value, True)"


def _nature_faults(system: "Statement", constraint: Constraint) -> Iterator[str]:
    nature, what = constraint.nature, f"the nature of constraint {constraint.name!r}"
    names, known = {c.name for c in system.constraints}, set(system.coordinates)
    for expr in nature.expressions():
        for reaction in sorted(expr.atoms(IdealForce, IdealMagnitude, Multiplier), key=str):
            for argument in reaction.args:
                if argument not in known and str(argument) not in names:
                    yield f"{what} refers to {argument} in {reaction}, which is no coordinate and no constraint"
    if isinstance(nature, Prescribed):
        keys = [key for key, _ in nature.components]
        if None in keys and len(keys) != len(system.coordinates):
            yield f"{what} prescribes {len(keys)} components of C for {len(system.coordinates)} coordinates"
        for key in keys:
            if key is not None and key not in known:
                yield f"{what} prescribes a component along {key}, which is not a coordinate"
    elif isinstance(nature, Coulomb) and (nature.sliding is not None or nature.of):
        for name in nature.of:
            if name not in names:
                yield f"{what} is pressed by the constraint {name!r}, which there is not"
        if nature.normal == "actual" and nature.of not in ((), (constraint.name,)):
            yield f"{what} follows the actual force of other constraints ({', '.join(nature.of)}): its own is meant"
        if nature.sliding is None:
            yield from _unclear(system, constraint)
    elif isinstance(nature, Coulomb):
        yield from _unclear(system, constraint)
    elif isinstance(nature, (Viscous, Quadratic)) and sliding(system, constraint) is None:
        yield (
            f"{what}, {type(nature).__name__}: it cannot be told which particle slides; use Prescribed and write C "
            f"with da.multiplier({constraint.name!r}), the velocity that slides and the coefficient"
        )


def _unclear(system: "Statement", constraint: Constraint) -> Iterator[str]:
    """Why the sliding velocity of a friction cannot be told by itself, and how to give it."""
    what = f"the nature of constraint {constraint.name!r}, Coulomb"
    how = "give it: Coulomb(mu, sliding=…), the velocity of what slides against what it slides on"
    if _moves(constraint):
        yield f"{what}: the constraint moves by itself, and how fast its surface slides cannot be told; {how}"
    elif sliding(system, constraint) is None:
        yield f"{what}: it cannot be told which particle slides, and so not its sliding velocity; {how}"


def _moves(constraint: Constraint) -> bool:
    """Whether time stands in a constraint by itself, not only in its coordinates and velocities."""
    still = {symbol: Dummy() for q in coordinates_in(constraint.expr) for symbol in (velocity(q), q)}
    return time() in constraint.expr.xreplace(still).free_symbols


def sliding(system: "Statement", constraint: Constraint) -> tuple[int, ...] | None:
    """The coordinates (by index) of the particle that slides on a constraint, or None where that is not clear.

    Among mass points it is the one point whose coordinates the constraint contains. A system stated otherwise counts
    as one particle as long as it has at most three coordinates; drag, which needs no normal force, then also goes
    with any number of them.
    """
    if isinstance(system.unconstrained, Particles):
        used = {q for e in constraint.expressions() for q in coordinates_in(e)}
        touched = [p for p in system.unconstrained.points if not used.isdisjoint(p.position)]
        if len(touched) != 1:
            return None
        place = {q: i for i, q in enumerate(system.coordinates)}
        return tuple(place[x] for x in touched[0].position)
    if len(system.coordinates) > 3 and isinstance(constraint.nature, Coulomb):
        return None
    return tuple(range(len(system.coordinates)))
