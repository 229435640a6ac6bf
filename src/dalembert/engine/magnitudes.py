"""How large the terms are that an expression is made of: what its value is compared with to be called zero.

A value that comes out of terms of size s is known to about s ε. The size of a sum is the sum of the sizes of its terms,
that of a product their product, and f(u) has |f(u)| + |f′(u)| · size of u: the first order of a running error analysis
(Wilkinson; Higham 2002, 3.3). What functions add so is carried by itself, that of a product being of first order too:
sin² u is known to 2 |sin u cos u| times the size of u, not to the square of that. Coordinates, velocities and time
enter by their natural scales, not by their values here,
so that a change of units changes nothing.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

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
    memo: dict[Expr, Size] = {}
    stack = [(root, False)]
    while stack:
        e, ready = stack.pop()
        if e in memo:
            continue
        if e in scales:
            memo[e] = Size(scales[e])
        elif e.is_number or not e.args or isinstance(e, Reaction):
            memo[e] = Size(algebra.magnitude(algebra.convert(e, known)))
        elif ready:
            memo[e] = _node(e, memo, algebra, known)
        else:
            stack.append((e, True))
            stack.extend((a, False) for a in e.args)
    return memo[root].total


class Size(NamedTuple):
    """The terms of an expression, and what functions in it add by the size of their arguments; None for none."""

    terms: Expression
    unsure: Expression | None = None

    @property
    def total(self) -> Expression:
        """Both together."""
        return self.terms if self.unsure is None else self.terms + self.unsure


def _node(e: Expr, memo: Mapping[Expr, Size], algebra: HeyokaAlgebra, known: Mapping[Expr, Expression]) -> Size:
    sizes = [memo[a] for a in e.args]
    if isinstance(e, sp.Add):
        unsure = [s.unsure for s in sizes if s.unsure is not None]
        return Size(hy.sum([s.terms for s in sizes]), hy.sum(unsure) if unsure else None)
    if isinstance(e, sp.Mul):
        terms = [s.terms for s in sizes]
        unsure = [hy.prod([*terms[:i], s.unsure, *terms[i + 1 :]]) for i, s in enumerate(sizes) if s.unsure is not None]
        return Size(hy.prod(terms), hy.sum(unsure) if unsure else None)
    value = algebra.magnitude(algebra.convert(e, known))
    if isinstance(e, sp.Pow):
        if e.exp.is_Integer and e.exp > 0:
            own, made, p = sizes[0].terms, sizes[0].unsure, float(e.exp)
            return Size(own**p, None if made is None else p * own ** (p - 1.0) * made)
        base = algebra.magnitude(algebra.convert(e.base, known))
        return Size(value, value * sizes[1].total * sizes[0].total / (base + TINY))
    if slope := SLOPES.get(type(e)):
        return Size(value, algebra.magnitude(slope(algebra.convert(e.args[0], known))) * sizes[0].total)
    return Size(value, hy.sum([s.total for s in sizes]))


TINY = 1e-300  # keeps a quotient by zero finite
