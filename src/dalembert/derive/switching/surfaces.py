"""The surfaces of switching functions: the force that jumps across one, and its slopes."""

from collections.abc import Mapping
from typing import Literal

from sympy import Add, Dummy, Expr, Mul, Pow, S, Symbol

from dalembert.derive.algebra import replaced
from dalembert.derive.prepared import prepared
from dalembert.derive.switching.gates import Gate
from dalembert.derive.variants import bare
from dalembert.model import Coulomb, Prescribed, Reaction, Statement, time, velocity
from dalembert.model.checks import coordinates_in, velocities_in


def jump(base: Statement, gate: Gate) -> tuple[dict[int, Expr], Literal["force", "friction"]]:
    """The generalized force a gate multiplies on its surface, by coordinate, and whose it is; empty where it is not
    one of a force.
    """
    kept = prepared(bare(base))
    symbol = gate.symbol
    down = kept.algebra.parameters.get(symbol, symbol)
    function = kept.algebra.convert(gate.function)
    d = kept.derived
    fixed = [*d.M.values(), *d.A.values(), *d.level]
    active = {i: kept.algebra.restore(_on_it(Q, down, function).diff(down)) for i, Q in enumerate(d.Q) if Q.has(down)}
    own: dict[int, list[Expr]] = {}
    for c in base.constraints:
        if isinstance(c.nature, Prescribed):
            for place, (q, e) in enumerate(c.nature.components):
                if e.has(symbol):
                    found = _on_it(e, symbol, gate.function).diff(symbol)
                    own.setdefault(place if q is None else base.coordinates.index(q), []).append(found)
        elif any(e.has(symbol) for e in c.nature.expressions()):
            return {}, "friction"
    parts = {i: Add(active.get(i, S.Zero), *own.get(i, [])) for i in {*active, *own}}
    u = {i: e for i, e in parts.items() if e != 0}
    if any(e.has(down) for e in fixed) or any(e.has(symbol) for e in u.values()):
        return {}, "force"
    return u, "force" if active else "friction"


def _on_it(force: Expr, gate: Symbol, function: Expr) -> Expr:
    """A force on the surface of a gate: |u| and its powers, which are those of gate × function, vanish there."""
    whole = {f for f in Mul.make_args(function) if not f.is_number}
    zero = {e: S.Zero for e in force.atoms(Mul) if gate in e.args and whole.issubset(_bases(e))}
    zero |= {e: S.Zero for e in force.atoms(Pow) if e.base in zero and not e.exp.is_negative and e.exp.is_real}
    return replaced(force, zero)


def _bases(product: Expr) -> set[Expr]:
    """The factors of a product, and what those are powers of that vanish with it."""
    powers = {e.base for e in product.args if e.is_Pow and e.exp.is_positive}
    return {*product.args, *powers}


def moves(expr: Expr) -> bool:
    """Whether an expression changes along a motion."""
    return expr.has(time()) or bool(coordinates_in(expr)) or bool(velocities_in(expr)) or bool(expr.atoms(Reaction))


def is_rough(nature: Coulomb, given: Mapping[Symbol, float]) -> bool:
    """Whether a friction is one at all with given values: its coefficients are not zero."""
    parts = [nature.coefficient, *([] if nature.static is None else [nature.static])]
    return any(moves(e) or float(e.xreplace(given)) != 0 for e in parts)


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
