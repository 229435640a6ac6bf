"""The surfaces of switching functions: the force that jumps across one, and its slopes."""

from typing import Literal

from sympy import Add, Dummy, Expr, S, Symbol

from dalembert.derive.prepared import prepared
from dalembert.derive.variants import bare
from dalembert.model import Prescribed, Reaction, Statement, time, velocity
from dalembert.model.checks import coordinates_in, velocities_in


def jump(base: Statement, gate: Symbol) -> tuple[dict[int, Expr], Literal["force", "friction"]]:
    """The generalized force a gate multiplies, by coordinate, and whose it is; empty where it is not one of a force."""
    kept = prepared(bare(base))
    down = kept.algebra.parameters.get(gate, gate)
    d = kept.derived
    fixed = [*d.M.values(), *d.A.values(), *d.level]
    active = {i: kept.algebra.restore(Q.diff(down)) for i, Q in enumerate(d.Q) if Q.has(down)}
    own: dict[int, list[Expr]] = {}
    for c in base.constraints:
        if isinstance(c.nature, Prescribed):
            for place, (q, e) in enumerate(c.nature.components):
                if e.has(gate):
                    own.setdefault(place if q is None else base.coordinates.index(q), []).append(e.diff(gate))
        elif any(e.has(gate) for e in c.nature.expressions()):
            return {}, "friction"
    u = {i: Add(active.get(i, S.Zero), *own.get(i, [])) for i in {*active, *own}}
    if any(e.has(down) for e in fixed) or any(e.has(gate) for e in u.values()):
        return {}, "force"
    return u, "force" if active else "friction"


def moves(expr: Expr) -> bool:
    """Whether an expression changes along a motion."""
    return expr.has(time()) or bool(coordinates_in(expr)) or bool(velocities_in(expr)) or bool(expr.atoms(Reaction))


def moves_by_itself(expr: Expr) -> bool:
    """Whether time stands in a constraint by itself."""
    still = {x: Dummy() for q in coordinates_in(expr) for x in (velocity(q), q)}  # all different: none cancels another
    return time() in expr.xreplace(still).free_symbols


def carried_by(expr: Expr) -> frozenset[Expr]:
    """The coordinates by whose places alone a relation among velocities asks for one, as on a turntable."""
    return frozenset(coordinates_in(expr.xreplace(dict.fromkeys(velocities_in(expr), S.Zero))))


def slope(function: Expr, x: Expr) -> Expr:
    """∂f/∂x, coordinates and velocities being independent."""
    dummy = Dummy()
    velocities = {v: Dummy() for v in velocities_in(function) if v != x}
    free = function.xreplace(velocities).xreplace({x: dummy}).diff(dummy)
    return free.xreplace({dummy: x, **{d: v for v, d in velocities.items()}})
