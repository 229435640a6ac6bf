"""A problem stated in SymPy, as this project and `LagrangesMethod` both read it."""

from types import SimpleNamespace
from typing import NamedTuple

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols


class Stated(NamedTuple):
    """A Lagrangian with its symbols; `values` are the parameters, `start` the state by symbol."""

    lagrangian: sp.Expr
    q: list
    v: list
    holonomic: list
    pfaffian: list
    values: dict
    start: dict


def state(problem) -> Stated:
    q = [dynamicsymbols(name) for name in problem.coordinates]
    v = [x.diff(dynamicsymbols._t) for x in q]
    p = SimpleNamespace(**{name: sp.Symbol(name, positive=True) for name in problem.parameters})
    return Stated(
        problem.lagrangian(q, v, p, sp),
        q,
        v,
        problem.holonomic(q, p),
        problem.pfaffian(q, v, p, sp),
        {getattr(p, name): value for name, value in problem.parameters.items()},
        dict(zip([*q, *v], problem.start.tolist(), strict=True)),
    )
