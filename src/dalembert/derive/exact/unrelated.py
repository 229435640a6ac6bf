"""What is known to be unrelated: terms of exponents and roots; and into what parts exponents must be divided."""

from collections.abc import Iterable
from math import lcm

from sympy import Expr, Mul, Poly, Rational, exp, log, pi
from sympy.functions.elementary.hyperbolic import HyperbolicFunction
from sympy.functions.elementary.trigonometric import TrigonometricFunction
from sympy.polys.polyerrors import BasePolynomialError

from dalembert.derive.sizes import size_of

MOST_TERMS = 400  # of an expression that is written out


def finest_of(expressions: Iterable[Expr]) -> int:
    """A common multiple of the denominators in angles and exponents."""
    parts = {f.args[0] for e in expressions for f in e.atoms(TrigonometricFunction, HyperbolicFunction, exp)}
    return lcm(1, *(int(r.q) for part in parts for r in part.atoms(Rational)))


def is_monomial(term: Expr) -> bool:
    """Whether a term is a product of symbols, π and roots of fractions: then exponentials of terms are unrelated."""
    return all(
        f.is_Symbol
        or f == pi
        or is_root(f)
        or (f.is_Pow and f.base.is_Symbol and f.exp.is_Integer and f.exp > 0)
        or (isinstance(f, log) and f.args[0].is_Symbol)
        for f in Mul.make_args(term)
    )


def is_root(e: Expr) -> bool:
    """Whether a constant is a product of roots of fractions."""
    return all(
        f.is_Rational or (f.is_Pow and f.base.is_Rational and f.base > 0 and f.exp.is_Rational)
        for f in Mul.make_args(e)
    )


def is_plain(e: Expr) -> bool:
    """Whether an expression is a polynomial of symbols without a square in it: its root is no other function."""
    if size_of(e).terms > MOST_TERMS:
        return False
    try:
        whole = Poly(e, *sorted(e.free_symbols, key=lambda s: s.sort_key()), domain="QQ")
    except (BasePolynomialError, ValueError):
        return False
    return bool(whole.is_sqf)
