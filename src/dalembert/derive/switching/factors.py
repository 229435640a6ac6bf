"""What a product switches on: the sign of a b is that of a times that of b, and a² − b² is (a − b) (a + b).

Where two factors change their signs one after the other within a moment, as those of a short pulse (t − t₁) (t₂ − t),
the product leaves zero by less than its rounding, and each of them passes through it as fast as ever.
"""

from collections.abc import Callable, Container

import sympy as sp
from sympy import Add, Expr, Mul

from dalembert.derive.reducing.bounds import bounds
from dalembert.model.checks import has_plain_sign


def factors_that_switch(u: Expr, moving: Callable[[Expr], bool], gates: Container[Expr]) -> list[Expr]:
    """Expressions whose signs make that of u: its factors, or u alone.

    What never changes its sign goes with the first of them. A product with a divisor, or a gate in it, stays as it is.
    """
    parts = Mul.make_args(_of_squares(u))
    if len(parts) < 2 or any(p in gates or (p.is_Pow and not p.exp.is_positive) for p in parts):
        return [u]
    own = [p for p in parts if moving(p) and not _keeps_its_sign(p)]
    if len(own) < 2:
        return [u]
    return [Mul(own[0], *(p for p in parts if p not in own)), *own[1:]]


def in_first_powers(u: Expr) -> Expr:
    """An expression with the sign of u in which no factor has an odd power: where x³ is zero x passes with a slope."""
    odd = [p for p in Mul.make_args(u) if p.is_Pow and p.exp.is_Integer and p.exp.is_odd and p.exp.is_positive]
    return Mul(*(p.base if p in odd else p for p in Mul.make_args(u)))


def _keeps_its_sign(u: Expr) -> bool:
    low, high = bounds(u)
    return bool(low >= 0 or high <= 0)


def _of_squares(u: Expr) -> Expr:
    """a² − b² as a product, where both are squares as they are written, or one is and the other a positive number."""
    if not isinstance(u, Add) or len(u.args) != 2:
        return u
    one, other = u.args
    if one.could_extract_minus_sign() == other.could_extract_minus_sign():
        return u
    above, below = (other, -one) if one.could_extract_minus_sign() else (one, -other)
    a, b = _root(above), _root(below)
    if a is None or b is None:
        return u
    return Mul(a - b, a + b)


def _root(u: Expr) -> Expr | None:
    """The root of a square, up to its sign; None of what is none."""
    parts = []
    for p in Mul.make_args(u):
        if p.is_Pow and p.exp.is_Integer and p.exp.is_even and p.exp.is_positive:
            parts.append(p.base ** (p.exp / 2))
        elif has_plain_sign(p) and p.is_positive is True:
            parts.append(sp.sqrt(p))
        else:
            return None
    return Mul(*parts)
