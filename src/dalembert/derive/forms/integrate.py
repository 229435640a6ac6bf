"""A statement whose integrable constraints are stated holonomically: f(q, t) − f(start) = 0 in place of ω = 0."""

from collections.abc import Sequence
from typing import NamedTuple

from sympy import Expr

from dalembert.derive.forms.branches import left_branch
from dalembert.derive.forms.classify import classify
from dalembert.derive.forms.closure import independent_rows
from dalembert.derive.forms.elsewhere import Integral, elsewhere, jumps_at
from dalembert.derive.forms.exchange import Rows, exchanged
from dalembert.derive.forms.frobenius import Row
from dalembert.derive.forms.ground import Ground
from dalembert.derive.forms.kinds import Kind, Kinds
from dalembert.derive.forms.ranks import follow
from dalembert.model import (
    ON_POSITIONS,
    Constraint,
    Coulomb,
    Holonomic,
    Ideal,
    ModelError,
    Multiplier,
    OneSided,
    Particles,
    Reaction,
    Statement,
    name_of,
    refuse,
)

LESS = "but in the place of whichever row, there may be places where the rest would say less than the rows do"


class Integrated(NamedTuple):
    """The equivalent constraints, and which of those that can be integrated were left as they are, and why."""

    constraints: tuple[Constraint, ...]
    kept: tuple[str, ...]


def integrated(system: Statement) -> Integrated:
    """The constraints with every integral that was found stated as a relation among coordinates.

    Row by row where a row can be integrated by itself, with its name and nature. Rows that can only be integrated
    together, all of them ideal, give way to their integrals, which take their names in order; rows that remain are
    kept. Constants are the values of the integrals at the statement's start. Raises ModelError where there is none, or
    an integral does not exist there.
    """
    kinds = classify(system)
    alone, kept, faults = _alone(system, kinds)
    stated = [alone.get(c.name, c) for c in system.constraints]
    more, reasons, found = _jointly(system, kinds, stated)
    refuse(ModelError, f"System {system.name!r}" if system.name else "System", [*faults, *found])
    return Integrated(tuple(more), (*kept, *reasons))


def _alone(system: Statement, kinds: Kinds) -> tuple[dict[str, Constraint], list[str], list[str]]:
    """What each row that can be integrated by itself becomes, what is kept though it can, and faults."""
    out: dict[str, Constraint] = {}
    kept: list[str] = []
    faults: list[str] = []
    ground = Ground.of(system)
    idle = _idle(system, kinds)
    scaled = {c.name for c, form in zip(system.constraints, ground.forms, strict=True) if form.divided != 1}
    for kind in kinds.constraints:
        if isinstance(kind.constraint, ON_POSITIONS) or not kind.holonomic or kind.name in kinds.contradictory:
            continue
        if kind.name in idle:
            kept.append(f"{kind.name!r} says less, or something else, where the relations among coordinates hold")
        elif kind.integral is None:
            kept.append(f"{kind.name!r} is integrable, but its integral was not found in closed form")
        elif part := left_branch(ground.stated(kind.integral), set(ground.variables)):
            kept.append(f"{kind.name!r}: {_ends(ground, kind.integral, part)}")
        elif ((kind.factor != 1 or kind.name in scaled) and (reason := _bound(system, kind, kinds))) or (
            reason := _elsewhere(system, kind, ground)
        ):
            kept.append(f"{kind.name!r}: {reason}")
        elif kind.constant is None:
            faults.append(_without_constant(system, kind.integral, repr(kind.name)))
        else:
            out[kind.name] = Holonomic(kind.integral - kind.constant, kind.name, kind.constraint.nature)
    return out, kept, faults


def _idle(system: Statement, kinds: Kinds) -> set[str]:
    """The rows whose integrals do not follow where the stated relations hold."""
    ground = Ground.of(system)
    held = [i for i, c in enumerate(system.constraints) if not isinstance(c, OneSided)]
    own = [k for k in kinds.constraints if k.integral is not None and not isinstance(k.constraint, ON_POSITIONS)]
    follows = follow(ground, held, [ground.stated(k.integral) for k in own])
    return {k.name for k, keeps in zip(own, follows, strict=True) if not keeps}


def _without_constant(system: Statement, integral: Expr, what: str) -> str:
    if system.initial:
        return f"the integral {integral} of {what} does not exist at the start"
    listed = ", ".join(name_of(q) for q in system.coordinates)
    return f"the constant of the integral {integral} of {what} comes from a start; give one, with values of {listed}"


def _ends(ground: Ground, integral: Expr, part: Expr) -> str:
    shown = ground.algebra.restore(part)
    return f"in its integral {integral}, {shown} jumps or has no value at places where the row goes on"


def _elsewhere(system: Statement, kind: Kind, ground: Ground) -> str:
    """Where an integral says something else than its row at places on its level; "" where nothing is found."""
    row = next(f.coefficients for c, f in zip(system.constraints, ground.forms, strict=True) if c.name == kind.name)
    if row is None or kind.integral is None or kind.constant is None:
        return ""
    if kind.factor is None:
        return f"that its integral {kind.integral} says the same everywhere was not seen"
    levels = [ground.stated(c.expr) for c in system.constraints if isinstance(c, Holonomic)]
    levels.append(ground.stated(kind.integral - kind.constant))
    return elsewhere(Integral(row, ground.stated(kind.integral), ground.stated(kind.factor), levels), ground)


def _bound(system: Statement, kind: Kind, kinds: Kinds) -> str:
    """Why the multiplier of a row must keep its scale, which an integrating factor would change."""
    if kinds.dependent and (following := [c.name for c in system.constraints if _follows_forces(c)]):
        listed = ", ".join(map(repr, following))
        return f"rows are redundant, so its scale has a part in the multipliers, which the work of {listed} follows"
    points = isinstance(system.unconstrained, Particles)  # whose friction follows the force, not its multiplier
    for c in system.constraints:
        nature = c.nature
        refers = any(str(m.args[0]) == kind.name for e in nature.expressions() for m in e.atoms(Multiplier))
        pressing: tuple[str, ...] = ()
        if isinstance(nature, Coulomb) and nature.sliding is not None and not points:
            pressing = nature.of or (c.name,)
        if refers or kind.name in pressing:
            return f"the work of {c.name!r} follows its multiplier, which an integrating factor would scale"
    return ""


def _jointly(
    system: Statement, kinds: Kinds, stated: Sequence[Constraint]
) -> tuple[list[Constraint], list[str], list[str]]:
    """The constraints after rows that are integrable only together have given way to their integrals; what is kept."""
    ground = Ground.of(system, valued=bool(system.values))
    rows = [f.coefficients for f in ground.forms]
    held = [i for i, c in enumerate(stated) if not isinstance(c, OneSided) and c.name not in kinds.contradictory]
    open_ = [(i, row) for i in held if not isinstance(stated[i], ON_POSITIONS) and (row := rows[i]) is not None]
    own = [(i, row) for i, row in open_ if not kinds[stated[i].name].holonomic]  # by itself: it was kept before
    taken = [_differential(stated[i].expr, ground) for i in held if isinstance(stated[i], ON_POSITIONS)]
    taken += [row for i, row in open_ if kinds[stated[i].name].holonomic]
    others = list(taken)
    fresh: list[tuple[Expr, Expr | None]] = []
    ends: list[str] = []
    for f, constant in zip(kinds.integrals, kinds.constants, strict=True):
        part = left_branch(ground.stated(f), set(ground.variables))
        if part is None and _adds(taken, _differential(f, ground), ground):
            fresh.append((f, constant))
        elif part is not None and _adds([*taken], _differential(f, ground), ground):
            ends.append(f"the constraints together: {_ends(ground, f, part)}")
    out = list(stated)
    work = [out[i].name for i, _ in own if not isinstance(out[i].nature, Ideal)]
    work += [out[i].name for i in held if _follows_forces(out[i])]
    if work:
        listed = ", ".join(map(repr, dict.fromkeys(work)))
        reason = (
            f"integrable only together, which changes the multipliers, while forces that do work belong to {listed}"
        )
        return out, [*ends, *([reason] if fresh else [])], []
    faults = [_without_constant(system, f, "the constraints together") for f, constant in fresh if constant is None]
    if own and not ends and len(independent_rows(taken, ground.variables).rows) < kinds.integrable:
        ends.append("the constraints together keep more than was found in closed form where the row goes on")
    if faults or not fresh:
        return out, ends, faults
    integrals = [f - constant for f, constant in fresh if constant is not None]
    levels = [ground.stated(f) for f in (*(c.expr for c in stated if isinstance(c, Holonomic)), *integrals)]
    jumping = [place for _, row in own for place in jumps_at(row, levels, ground)]
    if jumping:
        place = ground.algebra.restore(jumping[0])
        return out, [*ends, f"the constraints together: where {place} = 0 coefficients jump, and integrals go on"], []
    places = exchanged([ground.stated(f) for f in integrals], Rows(own, others, levels), ground)
    for i, j in places.items():
        out[i] = Holonomic(integrals[j], name=stated[i].name)
    left = [f for j, f in enumerate(integrals) if j not in places.values()]
    ends += [f"the constraints together keep {f} = 0; {LESS}" for f in left]
    return out, ends, faults


def _follows_forces(constraint: Constraint) -> bool:
    """Whether the nature of a constraint depends on constraint forces."""
    nature = constraint.nature
    return isinstance(nature, Coulomb) or any(e.has(Reaction) for e in nature.expressions())


def _differential(f: Expr, ground: Ground) -> Row:
    return ground.differential(ground.stated(f))


def _adds(taken: list[Row], row: Row, ground: Ground) -> bool:
    """Whether a row is independent of others; if so it joins them."""
    if len(taken) not in independent_rows([*taken, row], ground.variables).rows:
        return False
    taken.append(row)
    return True
