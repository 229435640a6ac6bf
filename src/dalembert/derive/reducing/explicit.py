"""A relation solved for one coordinate by formula, and in words why it is not where none fits.

There are formulas here for polynomials of degree one or two in the coordinate, in one of its powers, in one function or
root of it, for a cos q + b sin q + c, and for products of these. Other relations are left.
"""

from collections.abc import Callable, Iterator
from math import lcm

from sympy import (
    Abs,
    Expr,
    Function,
    Mul,
    Poly,
    PolynomialError,
    Pow,
    S,
    Symbol,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    degree,
    exp,
    expand,
    factor,
    fraction,
    log,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    together,
)

from dalembert.derive.effort import TooMuch, weigh
from dalembert.derive.sizes import size_of
from dalembert.derive.tidy import tidy

MOST_TERMS = 200  # of a relation that is written out
MOST_FACTORED = 60  # of one that is factored


class NoFormula(Exception):
    """A relation for which there is no formula; the reason is the message."""


def _undone(inverse: type, f: type) -> Callable[[Expr], list[Expr]]:
    """The inverse of an odd function, which undoes the function itself."""

    def of(c: Expr) -> list[Expr]:
        for sign in (1, -1):
            if isinstance(sign * c, f):
                return [sign * (sign * c).args[0]]
        return [inverse(c)]

    return of


INVERSE: dict[type, Callable[[Expr], list[Expr]]] = {  # f(u) = c for each u = g(c)
    exp: lambda c: [log(c)],
    log: lambda c: [exp(c)],
    sinh: _undone(asinh, sinh),
    cosh: lambda c: [acosh(c), -acosh(c)],
    tanh: _undone(atanh, tanh),
    asinh: lambda c: [sinh(c)],
    atanh: lambda c: [tanh(c)],
    tan: lambda c: [atan(c), atan(c) + S.Pi],
    atan: lambda c: [tan(c)],
    asin: lambda c: [sin(c)],
    acos: lambda c: [cos(c)],
    Abs: lambda c: [c, -c],
}


def solutions(e: Expr, q: Symbol) -> list[Expr]:
    """All q with e = 0 that a formula gives. Raises NoFormula."""
    try:
        weigh(e, most=MOST_TERMS)
        top = expand(fraction(together(e))[0], trig=False, log=False, power_base=False)
        return [tidy(s) for s in _of_factors(top, q)]
    except TooMuch as reason:
        raise NoFormula(str(reason)) from None


def _of_factors(top: Expr, q: Symbol) -> list[Expr]:
    """The solutions of those factors for which there is a formula; raises NoFormula where there is for none."""
    whole = factor(top) if size_of(top).terms <= MOST_FACTORED else top
    out: list[Expr] = []
    reason: NoFormula | None = None
    for part in Mul.make_args(whole):
        try:
            out += _solved(expand(part, trig=False, log=False, power_base=False), q) if part.has(q) else ()
        except NoFormula as found:
            reason = found
    if not out and reason is not None:
        raise reason
    return out


def _solved(top: Expr, q: Symbol) -> Iterator[Expr]:
    roots = {part for part in top.atoms(Pow) if part.base.has(q) and part.exp.is_Rational and not part.exp.is_Integer}
    parts = {part for part in top.atoms(Function) if part.has(q)}
    if roots and not any(part.has(*roots) for part in parts):
        yield from _rooted(top, q, roots)
        return
    if not parts:
        yield from _polynomial(top, q)
        return
    outer = [part for part in parts if not any(part is not other and other.has(part) for other in parts)]
    if all(isinstance(part, sin | cos) for part in outer):
        yield from _turning(top, q, outer)
        return
    if len(outer) > 1:
        raise NoFormula("it stands in several functions")
    (part,) = outer
    if type(part) not in INVERSE:
        raise NoFormula(f"it stands in {part.func.__name__}")
    u = Symbol("u", real=True)
    rest = top.xreplace({part: u})
    if rest.has(q):
        raise NoFormula(f"it stands inside {part.func.__name__} and outside")
    for value in _polynomial(rest, u):
        for inner in INVERSE[type(part)](value):
            yield from _solved(expand(fraction(together(part.args[0] - inner))[0]), q)


def _rooted(top: Expr, q: Symbol, roots: set[Expr]) -> Iterator[Expr]:
    """Powers of one base with fractions for exponents: all are powers of one root of it."""
    bases = {part.base for part in roots}
    if len(bases) > 1:
        raise NoFormula("it stands under several roots")
    (base,) = bases
    n = lcm(*(int(part.exp.q) for part in roots))
    u = Symbol("u", real=True)
    rest = top.xreplace({part: u ** (part.exp * n) for part in roots})
    if rest.has(q):
        raise NoFormula("it stands under a root and outside")
    for value in _polynomial(expand(fraction(together(rest))[0]), u):
        yield from _solved(expand(fraction(together(base - value**n))[0]), q)


def _polynomial(top: Expr, q: Symbol) -> Iterator[Expr]:
    """Zeros of a polynomial of degree one or two in q or in one of its powers."""
    try:
        poly = Poly(top, q)
    except PolynomialError:
        raise NoFormula("it stands under a root or in an exponent") from None
    powers = [n for (n,) in poly.monoms() if n]
    if not powers:
        raise NoFormula("it does not stand in it")
    step = min(powers)
    if any(n not in (step, 2 * step) for n in powers):
        raise NoFormula(f"it stands in a polynomial of degree {degree(poly)}")
    a, b, c = (poly.coeff_monomial(q**n) for n in (2 * step, step, 0))
    if a == 0:
        values = [-c / b]
    else:
        root = sqrt(tidy(b**2 - 4 * a * c))
        values = [(-b + root) / (2 * a), (-b - root) / (2 * a)]
    for value in values:
        yield from _root(value, step)


def _root(value: Expr, n: int) -> Iterator[Expr]:
    """q with q^n = value."""
    if n == 1:
        yield value
        return
    positive = tidy(value) ** (S.One / n)
    yield positive
    if n % 2 == 0:
        yield -positive
    else:
        yield -(tidy(-value) ** (S.One / n))


def _turning(top: Expr, q: Symbol, parts: list[Expr]) -> Iterator[Expr]:
    """a cos u + b sin u + c = 0 for u = k q + …: u = atan2(b, a) ± acos(−c/√(a² + b²)); sin and cos alone simply."""
    angles = {part.args[0] for part in parts}
    if len(angles) > 1:
        raise NoFormula("it stands in several angles")
    (u,) = angles
    slope = u.diff(q)
    if slope.has(q) or slope == 0:
        raise NoFormula("it does not stand linearly in the angle")
    C, S_ = Symbol("C", real=True), Symbol("S", real=True)
    flat = top.xreplace({cos(u): C, sin(u): S_})
    if flat.has(q):
        raise NoFormula("it stands inside an angle and outside")
    try:
        poly = Poly(flat, C, S_)
    except PolynomialError:
        raise NoFormula("its sine or cosine stands under a root or in an exponent") from None
    if poly.total_degree() > 1:
        raise NoFormula("its sine and cosine do not stand linearly")
    a, b, c = (poly.coeff_monomial(m) for m in (C, S_, 1))
    for angle in _angles(a, b, c):
        yield (angle - u.xreplace({q: S.Zero})) / slope


def _angles(a: Expr, b: Expr, c: Expr) -> list[Expr]:
    if b == 0:
        return [acos(tidy(-c / a)), -acos(tidy(-c / a))]
    if a == 0:
        return [asin(tidy(-c / b)), S.Pi - asin(tidy(-c / b))]
    size, first = sqrt(tidy(a**2 + b**2)), atan2(b, a)
    return [first + acos(tidy(-c / size)), first - acos(tidy(-c / size))]
