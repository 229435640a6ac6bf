"""How large the terms are that an expression is made of: what its value is compared with to be called zero.

A value that comes out of terms of size s is known to about s ε. The size of a sum is the sum of the sizes of its terms,
that of a product their product, and f(u) has |f(u)| + |f′(u)| · size of u: the first order of a running error analysis
(Wilkinson; Higham 2002, 3.3). Coordinates, velocities and time enter by their natural scales, not by their values here,
so that a change of units changes nothing.
"""

from collections.abc import Callable, Mapping

import heyoka as hy
import sympy as sp
from sympy import Expr

from dalembert.engine.heyoka_algebra import Expression, HeyokaAlgebra
from dalembert.model import Reaction

SLOPES: dict[type, Callable[[Expression], Expression]] = {
    sp.sin: hy.cos, sp.cos: hy.sin, sp.tan: lambda u: 1.0 + hy.tan(u) * hy.tan(u),
    sp.atan: lambda u: 1.0 / (1.0 + u * u), sp.sinh: hy.cosh, sp.cosh: hy.sinh,
    sp.tanh: lambda u: 1.0 - hy.tanh(u) * hy.tanh(u), sp.asinh: lambda u: 1.0 / hy.sqrt(1.0 + u * u),
    sp.exp: hy.exp, sp.log: lambda u: 1.0 / u,
    sp.asin: lambda u: 1.0 / hy.sqrt(1.0 - u * u), sp.acos: lambda u: 1.0 / hy.sqrt(1.0 - u * u),
}  # fmt: skip
"""Derivatives, up to their sign; the size of another function is that of its value and of its argument."""


def magnitude(
    root: Expr, scales: Mapping[Expr, Expression], algebra: HeyokaAlgebra, known: Mapping[Expr, Expression]
) -> Expression:
    """The size of an expression; `scales` are those of coordinates, velocities, time and reactions, `known` values."""
    memo: dict[Expr, Expression] = {}
    stack = [(root, False)]
    while stack:
        e, ready = stack.pop()
        if e in memo:
            continue
        if e in scales:
            memo[e] = scales[e]
        elif e.is_number or not e.args or isinstance(e, Reaction):
            memo[e] = algebra.magnitude(algebra.convert(e, known))
        elif ready:
            memo[e] = _node(e, memo, algebra, known)
        else:
            stack.append((e, True))
            stack.extend((a, False) for a in e.args)
    return memo[root]


def _node(
    e: Expr, memo: Mapping[Expr, Expression], algebra: HeyokaAlgebra, known: Mapping[Expr, Expression]
) -> Expression:
    sizes = [memo[a] for a in e.args]
    if isinstance(e, sp.Add):
        return hy.sum(sizes)
    if isinstance(e, sp.Mul):
        return hy.prod(sizes)
    value = algebra.magnitude(algebra.convert(e, known))
    if isinstance(e, sp.Pow):
        if e.exp.is_Integer and e.exp > 0:
            return sizes[0] ** float(e.exp)
        base = algebra.magnitude(algebra.convert(e.base, known))
        return value * (1.0 + sizes[1] * sizes[0] / (base + TINY))
    if slope := SLOPES.get(type(e)):
        return value + algebra.magnitude(slope(algebra.convert(e.args[0], known))) * sizes[0]
    return hy.sum([value, *sizes])


TINY = 1e-300  # keeps a quotient by zero finite
