"""Shapes of first integrals: which functions to combine, read from what occurs in the forms."""

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from math import comb

from sympy import (
    Abs,
    Expr,
    Function,
    Poly,
    Pow,
    Rational,
    atan,
    cancel,
    cos,
    cot,
    coth,
    csc,
    exp,
    factor_list,
    fraction,
    log,
    posify,
    sec,
    sign,
    sin,
    sqrt,
    tan,
    tanh,
    together,
)
from sympy.polys.polyerrors import BasePolynomialError

from dalembert.derive.integrals.sets import Basis, Pfaffian
from dalembert.derive.sizes import size_of

LONGEST = 150  # operations of a coefficient that is still factored
MOST_TERMS = 100  # of what is factored
MOST_MONOMIALS = 5000  # that are looked at for one shape


def simple(gens: tuple[Expr, ...]) -> Iterator[Basis]:
    """The shapes tried first: linear, then quadratic and cubic with logarithms of the variables."""
    logs = tuple(log(g) for g in gens if not isinstance(g, exp | log | Pow))
    yield Basis(gens, exponents(gens, 1))
    yield Basis(gens, exponents(gens, 2), logs)
    yield Basis(gens, exponents(gens, 3), logs)


def factored(forms: Pfaffian, gens: tuple[Expr, ...], found: Sequence[Expr]) -> Iterator[Basis]:
    """Logarithms of factors of the coefficients, and the angles that belong to sums of squares."""
    bases = factors(forms, gens)
    yield Basis(gens, exponents(gens, 2), (*map(log, bases), *angles((*bases, *found), forms)))


def large(forms: Pfaffian, gens: tuple[Expr, ...]) -> Iterator[Basis]:
    """The shapes tried last: negative powers, higher degrees."""
    both = gens + tuple(1 / p for p in factors(forms, gens))
    yield Basis(both, exponents(both, 2))
    yield Basis(both, exponents(both, 3))
    for degree in (4, 5, 6):
        yield Basis(gens, exponents(gens, degree))


def generators(forms: Pfaffian) -> tuple[Expr, ...]:
    """The variables whose differentials occur, and the roots and functions of them in the coefficients."""
    found: dict[Expr, None] = dict.fromkeys(forms.moving)
    for e in (e for row in forms.rows for e in row.values()):
        for part in sorted(e.atoms(Function, Pow), key=lambda a: a.sort_key()):
            found.update(dict.fromkeys(g for g in _kernels(part) if within(g, forms)))
    return tuple(found)


def _kernels(part: Expr) -> tuple[Expr, ...]:
    if isinstance(part, sin | cos | tan | cot | sec | csc):
        return sin(part.args[0]), cos(part.args[0])
    if isinstance(part, Pow):
        if part.exp.is_Integer or isinstance(part.base, Pow):
            return ()
        return (part.base ** Rational(1, part.exp.q),) if part.exp.is_Rational else (part.base**part.exp,)
    if isinstance(part, sign):
        return (Abs(part.args[0]),)
    if isinstance(part, exp):
        return (part,) if not part.args[0].could_extract_minus_sign() else (exp(-part.args[0]),)
    return () if isinstance(part, tanh | coth) else (part,)


def within(e: Expr, forms: Pfaffian) -> bool:
    """Whether an expression varies, and only with variables whose differentials occur."""
    varying = e.free_symbols & set(forms.variables)
    return bool(varying) and varying <= set(forms.moving)


def exponents(gens: Sequence[Expr], degree: int) -> tuple[tuple[int, ...], ...]:
    """The exponents of all monomials up to a degree, lowest first, less those that identities make superfluous.

    None where there are too many.
    """
    if comb(len(gens) + degree, degree) > MOST_MONOMIALS:
        return ()
    out, limits, pairs = [], [_limit(g, gens, degree) for g in gens], _reciprocal(gens)
    for d in range(1, degree + 1):
        for chosen in combinations_with_replacement(range(len(gens)), d):
            one = tuple(map(chosen.count, range(len(gens))))
            if all(e <= most for e, most in zip(one, limits, strict=True)) and not any(
                one[i] and one[j] for i, j in pairs
            ):
                out.append(one)
    return tuple(out)


def _limit(g: Expr, gens: Sequence[Expr], degree: int) -> int:
    """cos² = 1 − sin², and (u^(1/q))^q = u."""
    if isinstance(g, cos) and sin(g.args[0]) in gens:
        return 1
    return int(g.exp.q) - 1 if isinstance(g, Pow) and g.exp.is_Rational and not g.exp.is_Integer else degree


def _reciprocal(gens: Sequence[Expr]) -> list[tuple[int, int]]:
    return [(i, j) for i, g in enumerate(gens) for j, h in enumerate(gens) if i < j and g * h == 1]


def factors(forms: Pfaffian, gens: Sequence[Expr]) -> tuple[Expr, ...]:
    """What may stand to some power in an integral or its factor: the generators and the factors of coefficients."""
    found = {g: None for g in gens if not isinstance(g, exp | log) and not isinstance(g, Pow)}
    for e in {e: None for row in forms.rows for e in row.values() if e.count_ops() <= LONGEST}:
        found.update(dict.fromkeys(split(e, forms)))
    return tuple(found)


def split(e: Expr, forms: Pfaffian) -> Iterator[Expr]:
    """The factors of an expression that are sums; single symbols and functions are left out."""
    for side in fraction(together(e)):
        if not (side.is_Add or side.is_Mul or side.is_Pow) or size_of(side).terms > MOST_TERMS:
            continue
        try:
            parts = factor_list(side)[1]
        except BasePolynomialError:
            continue
        yield from (part for part, _ in parts if part.is_Add and within(part, forms))


def angles(sums: Sequence[Expr], forms: Pfaffian) -> Iterator[Expr]:
    """atan(√(a/b) (x − x₀)/(y − y₀)) for each sum a (x − x₀)² + b (y − y₀)² of two squares."""
    for e in sums:
        try:
            terms = dict(Poly(e, *(x for x in forms.variables if e.has(x))).terms())
        except BasePolynomialError:
            continue
        if not {(2, 0), (0, 2)} <= set(terms) <= {(2, 0), (0, 2), (1, 0), (0, 1), (0, 0)}:
            continue
        x, y = (x for x in forms.variables if e.has(x))
        a, b, c, d = (terms.get(m, 0) for m in ((2, 0), (0, 2), (1, 0), (0, 1)))
        ratio, back = posify(a / b)
        if ratio.is_positive and cancel(terms.get((0, 0), 0) - c**2 / (4 * a) - d**2 / (4 * b)) == 0:
            yield atan(sqrt(ratio).subs(back) * (x + c / (2 * a)) / (y + d / (2 * b)))
