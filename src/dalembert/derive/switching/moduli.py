"""Roots of squares: √(u²) is |u|, √(u² w) is |u| √w, and odd powers of them are so too; where they switch, |u| does."""

from collections.abc import Mapping
from typing import NamedTuple

import sympy as sp
from sympy import Add, Basic, Expr, Mul, Pow, S

from dalembert.derive.reducing.bounds import bounds
from dalembert.model import is_coordinate, is_velocity, time

MOST_TERMS, MOST_DEGREE = 12, 8  # of a polynomial that is looked at for squares


class Part(NamedTuple):
    """A factor `base`**`power` of a root, of the modulus of the base where that is told."""

    base: Expr
    power: Expr
    modulus: bool


def roots_of_squares(node: Basic, moving: Mapping[Basic, bool]) -> list[Part] | None:
    """The factors of a root with squares under it; None of anything else.

    What is left under it must not be negative anywhere, or not move: elsewhere the root of both is not the product of
    their roots. `moving` says of its parts whether they move.
    """
    if not (node.is_Pow and node.exp.is_Rational and not node.exp.is_Integer):
        return None
    outside, inside = [], []
    for base, exponent in _factors(node.base):
        power = exponent * node.exp
        if exponent.is_Integer and exponent.is_even and power.is_Integer:
            u = base.args[0] if isinstance(base, sp.Abs) else base
            outside.append(Part(u, power, bool(power.is_odd)))
        else:
            inside.append(base**exponent)
    if not outside:
        return None
    rest = Mul(*inside)
    if rest != 1 and moving.get(rest, True) and not bounds(rest)[0] >= 0:
        return None
    return [*outside, Part(rest, node.exp, False)] if rest != 1 else outside


def _factors(e: Expr) -> list[tuple[Expr, Expr]]:
    """The factors of an expression and their powers."""
    if isinstance(e, Add):
        return _of_polynomial(e)
    out: list[tuple[Expr, Expr]] = []
    for factor in Mul.make_args(e):
        if isinstance(factor, Pow) and factor.exp.is_Integer:
            out.append((factor.base, factor.exp))
        else:
            out += _of_polynomial(factor) if isinstance(factor, Add) else [(factor, S.One)]
    return out


def _of_polynomial(e: Add) -> list[tuple[Expr, Expr]]:
    """The same of a sum, where it is a short polynomial with a square in it: x² + 2 x + 1 is (x + 1)²."""
    whole = [(e, S.One)]
    if len(e.args) > MOST_TERMS or e.has(sp.Float) or not _even_somewhere(e):
        return whole
    plain = {x: sp.Dummy() for x in e.atoms(sp.Function, sp.Derivative) if is_coordinate(x) or is_velocity(x)}
    plain |= {time(): sp.Dummy()}
    bare = e.xreplace(plain)
    if not bare.is_polynomial() or sp.Poly(bare).total_degree() > MOST_DEGREE:
        return whole
    number, found = sp.sqf_list(bare)
    if not any(count % 2 == 0 for _, count in found):
        return whole
    back = {dummy: x for x, dummy in plain.items()}
    odd = Mul(number, *(f for f, count in found if count % 2))
    squares = [(f.xreplace(back), sp.Integer(count - count % 2)) for f, count in found if count > 1]
    return [*squares, (odd.xreplace(back), S.One)] if odd != 1 else squares


def _even_somewhere(e: Add) -> bool:
    """Whether some term has no factor to an odd power: of a square the leading term is one."""
    return any(
        all(f.is_number or (f.is_Pow and f.exp.is_Integer and f.exp.is_even) for f in Mul.make_args(term))
        for term in e.args
    )
