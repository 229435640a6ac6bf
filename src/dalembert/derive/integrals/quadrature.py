"""Antiderivatives term by term: a short table first, SymPy's integration by rules where the table ends.

What SymPy is asked is short, and counted: see `effort`.
"""

from functools import lru_cache

from sympy import (
    Add,
    Expr,
    I,
    Integer,
    Integral,
    Mul,
    Piecewise,
    Poly,
    Pow,
    Symbol,
    atan,
    cos,
    cosh,
    exp,
    expand,
    factor,
    log,
    nan,
    oo,
    posify,
    sin,
    sinh,
    sqrt,
    zoo,
)
from sympy.integrals.manualintegrate import manualintegrate

from dalembert.derive.effort import TooMuch, spend, weigh
from dalembert.derive.sizes import size_of

BAD = (Integral, Piecewise, nan, zoo, oo, -oo)
MOST_OPERATIONS = 30  # of what SymPy is asked to integrate
MOST_TERMS = 400  # that are integrated one by one
MOST_SQUARED = 60  # terms of what is written as a square
ASKED = 10  # steps that it takes for each operation


def antiderivative(e: Expr, x: Symbol) -> Expr | None:
    """F with ∂F/∂x = e, with no additive constant; None when none is found."""
    if not e.has(x):
        return e * x
    whole = _table(e, x)
    if whole is not None:
        return whole
    try:
        weigh(e, most=MOST_TERMS)
    except TooMuch:
        return None
    parts = [_one(term, x) for term in Add.make_args(expand(e, trig=False, log=False))]
    if any(p is None for p in parts):
        return _general(e, x)
    return Add(*(p for p in parts if p is not None))


def _one(term: Expr, x: Symbol) -> Expr | None:
    constant, part = term.as_independent(x, as_Add=False)
    found = _table(part, x) if part.has(x) else x
    found = _general(part, x) if found is None else found
    return None if found is None else constant * found


def _general(e: Expr, x: Symbol) -> Expr | None:
    if e.count_ops() > MOST_OPERATIONS:
        return None
    spend(ASKED * e.count_ops())
    return _asked(e, x)


@lru_cache(256)
def _asked(e: Expr, x: Symbol) -> Expr | None:
    try:
        found = manualintegrate(e, x)
    except (NotImplementedError, ValueError, TypeError, ArithmeticError, AttributeError, RecursionError):
        return None  # SymPy's ways of saying that it does not know
    return None if found.has(*BAD) else found


def _table(e: Expr, x: Symbol) -> Expr | None:
    """x^n, g(a x + b), x^n g(a x + b) by parts, x (a x² + b)^n and 1/(a x² + b x + c)."""
    constant, e = e.as_independent(x, as_Add=False)
    if e == x:
        return constant * x**2 / 2
    powers = Mul.make_args(e)
    if len(powers) == 1:
        found = _simple(e, x)
    elif len(powers) == 2:
        a, b = powers if powers[0] == x or powers[0].as_base_exp()[0] == x else powers[::-1]
        found = _by_parts(a, b, x)
    else:
        found = None
    return None if found is None else constant * found


def _simple(e: Expr, x: Symbol) -> Expr | None:
    """A function or power of a x + b, or 1/(a x² + b x + c), 1/sin and 1/cos of a x + b."""
    if isinstance(e, Pow) and e.exp == -1 and isinstance(e.base, sin | cos):
        u = e.base.args[0]
        f, sign = (sin(u), -1) if isinstance(e.base, cos) else (cos(u), 1)
        slope = u.diff(x)
        return None if slope.has(x) else sign * (log(f - 1) - log(f + 1)) / (2 * slope)
    inner = e.base if isinstance(e, Pow) and not e.exp.has(x) else e.args[0] if len(e.args) == 1 else None
    if inner is None or not inner.is_polynomial(x):
        return None
    slope = inner.diff(x)
    if slope.has(x):
        return _square(inner, x) if isinstance(e, Pow) and e.exp == -1 else None
    if isinstance(e, Pow):
        n = e.exp + 1
        return log(inner) / slope if n == 0 else inner**n / (n * slope)
    raised = {sin: lambda u: -cos(u), cos: sin, exp: exp, sinh: cosh, cosh: sinh}.get(e.func)
    return None if raised is None else raised(inner) / slope


def _square(inner: Expr, x: Symbol) -> Expr | None:
    """∫ 1/(a x² + b x + c) by its square, a ((x + b/2a)² + r²)."""
    if size_of(inner).terms > MOST_SQUARED or Poly(inner, x).degree() != 2:
        return None
    a, b, c = Poly(inner, x).all_coeffs()
    left = factor(c / a - b**2 / (4 * a**2))
    size = Mul(*map(_root, Mul.make_args(left)))  # the result is even in it
    return None if size == 0 or size.has(I) else atan((x + b / (2 * a)) / size) / (a * size)


def _root(e: Expr) -> Expr:
    """√e or −√e, for symbols that are positive."""
    base, n = e.as_base_exp()
    if n.is_Integer and n % 2 == 0:
        return base ** (n // 2)
    positive, back = posify(e)
    return sqrt(positive).subs(back)


def _by_parts(a: Expr, b: Expr, x: Symbol) -> Expr | None:
    """∫ x^n g = x^n G − n ∫ x^(n−1) G, and ∫ x (c x² + d)^n."""
    base, n = a.as_base_exp()
    if base != x:
        return None
    if isinstance(b, Pow) and a == x and b.base.is_polynomial(x) and not b.exp.has(x):
        c = (b.base.diff(x) / (2 * x)).expand()
        if c.has(x):
            return None
        m = b.exp + 1
        return log(b.base) / (2 * c) if m == 0 else b.base**m / (2 * c * m)
    if not (isinstance(n, Integer) and n > 0) or isinstance(b, Pow):
        return None
    whole = _simple(b, x)
    if whole is None:
        return None
    rest = antiderivative(x ** (n - 1) * whole, x)
    return None if rest is None else a * whole - n * rest
