"""Constants in one form: those that are equal look equal, and a sum of them that is zero is zero."""

from functools import lru_cache

import mpmath
from sympy import (
    Add,
    Expr,
    Function,
    GoldenRatio,
    Mul,
    Pow,
    Rational,
    S,
    TribonacciConstant,
    exp,
    expand,
    log,
    sqrtdenest,
)
from sympy.core.numbers import NumberSymbol
from sympy.functions.elementary.hyperbolic import HyperbolicFunction

from dalembert.derive.exact.algebraic import constant_is_zero
from dalembert.derive.exact.coprime import coprime_base, exponents
from dalembert.derive.exact.decimals import with_fractions

MOST_TERMS = 400  # of an expression that is written out to see which of its coefficients vanish
MOST_BASIS = 8  # numbers by which a root under a root is tried to be expressed
DIGITS = 60


def settled(e: Expr) -> Expr:
    """An expression with its constants in one form, and fractions for decimals.

    Constants are roots of fractions where they can be said by these (also roots under roots), logarithms are those of
    primes, and sums of constants that are zero are 0.
    """
    e = with_fractions(e)
    if not e.has(Function, Pow, NumberSymbol):
        return e
    rule = {c: new for c in sorted(_constants(e), key=lambda c: c.count_ops()) if (new := _one(c)) != c}
    e = _replaced(e, rule) if rule else e
    return _without_zeros(e)


def _constants(e: Expr) -> set[Expr]:
    """The functions and powers of numbers in an expression, and the numbers with a name."""
    return {c for c in e.atoms(Function, Pow, NumberSymbol) if c.is_number and not c.is_Rational}


def _replaced(e: Expr, rule: dict[Expr, Expr]) -> Expr:
    """The inner ones first, so that what holds them is seen again."""
    for old, new in rule.items():
        e = e.xreplace({old: new})
    return e


@lru_cache(1024)
def _one(c: Expr) -> Expr:
    if c in (GoldenRatio, TribonacciConstant):
        return c.expand(func=True)
    if isinstance(c, log) and c.args[0].is_Rational and c.args[0] > 0:
        both = ((c.args[0].p, 1), (c.args[0].q, -1))
        split = ((s, exponents(int(number), coprime_base([int(number)]))) for number, s in both)
        return Add(*(s * n * log(p) for s, parts in split for p, n in parts.items()))
    if isinstance(c, HyperbolicFunction) and c.args[0].has(log):  # cosh(log 3) is 5/3
        new = c.rewrite(exp)
        return new if new.is_Rational else c
    if isinstance(c, Pow) and c.exp.is_Rational and not c.exp.is_Integer and not c.base.is_Rational:
        return _denested(c)
    return c


def _denested(c: Expr) -> Expr:
    """A root of something with roots in it by simpler roots, where that is found, and proved."""
    for guess in _simpler(c):
        if guess != c and not _is_nested(guess) and constant_is_zero(c - guess) is True:
            return guess
    return c


def _simpler(c: Expr) -> list[Expr]:
    out = [sqrtdenest(c)] if c.exp in (S.Half, -S.Half) else []
    inner = sorted({r for r in c.base.atoms(Pow) if not r.exp.is_Integer}, key=lambda r: r.sort_key())
    basis: list[Expr] = [S.One]
    for r in inner:
        powers = [r ** (n / r.exp.p) for n in range(1, int(r.exp.q))]
        basis = list(dict.fromkeys([*basis, *(b * p for b in basis for p in powers)]))
    if len(basis) > MOST_BASIS:
        return out
    context = mpmath.MPContext()
    context.dps = DIGITS
    values = [context.mpf(str(x.evalf(DIGITS))) for x in (c, *basis)]
    found = context.pslq(values, maxcoeff=10**4, maxsteps=10**4)
    if found and found[0]:
        out.append(Add(*(Rational(-n, found[0]) * b for n, b in zip(found[1:], basis, strict=True))))
    return out


def _is_nested(e: Expr) -> bool:
    return any(r.base.has(Pow) and not r.exp.is_Integer for r in e.atoms(Pow))


def _without_zeros(e: Expr) -> Expr:
    """Sums of constants that are zero are 0, and so are coefficients of sums written out, where that shortens them."""
    sums = {a for a in e.atoms(Add) if a.is_number}
    zeros = {a: S.Zero for a in sums if constant_is_zero(a)}
    e = e.xreplace(zeros) if zeros else e
    if not e.free_symbols or not _constants(e):
        return e
    return _collected(e)  # one constant is enough: √2 (√2 x − 1) − 2 x is −√2


def _collected(e: Expr) -> Expr:
    """An expression written out without the terms whose coefficients are zero, where that is shorter."""
    terms = coefficients(e)
    if terms is None:
        return e
    out = Add(*(c * m for m, c in terms.items() if not constant_is_zero(c)))
    return out if out.count_ops() < e.count_ops() else e


def coefficients(e: Expr) -> dict[Expr, Expr] | None:
    """{m: c} with e = Σ c m and every c a constant; None where there are too many terms."""
    if _terms(e) > MOST_TERMS:
        return None
    out: dict[Expr, Expr] = {}
    for term in Add.make_args(expand(e, log=False, power_base=False, trig=False)):
        numbers = [f for f in Mul.make_args(term) if f.is_number]
        varying = Mul(*(f for f in Mul.make_args(term) if not f.is_number))
        out[varying] = out.get(varying, S.Zero) + Mul(*numbers)
    return out


def _terms(e: Expr) -> int:
    """A bound of how many terms there are when products are written out."""
    if e.is_Add:
        return sum(map(_terms, e.args))
    if e.is_Mul:
        out = 1
        for a in e.args:
            out = min(out * _terms(a), 10**6)
        return out
    if e.is_Pow and e.exp.is_Integer and e.exp > 0:
        return int(min(_terms(e.base) ** int(min(e.exp, 30)), 10**6))
    return 1


def is_plainly_zero(e: Expr) -> bool:
    """Whether an expression is zero when it is written out, constants compared exactly."""
    terms = coefficients(e)
    return terms is not None and all(c == 0 or constant_is_zero(c) is True for c in terms.values())
