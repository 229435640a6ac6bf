"""First integrals as people write them: whole coefficients, no logarithm where a product says the same."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from sympy import (
    Add,
    Expr,
    Integer,
    Mul,
    Pow,
    Symbol,
    cancel,
    cos,
    exp,
    expand,
    factor,
    factor_terms,
    gcd_list,
    lcm_list,
    log,
    sin,
    together,
)
from sympy.functions.elementary.trigonometric import InverseTrigonometricFunction
from sympy.polys.polyerrors import BasePolynomialError

from dalembert.derive.sizes import size_of

MOST_TERMS = 200  # of what is factored
MOST_SHORTENED = 300  # terms, of all integrals together
MOST_IN_EXPONENT = 2  # terms of the exponent, where a sum with logarithms is written as a product


def written(terms: Mapping[Expr, Expr], variables: Sequence[Symbol]) -> Expr:
    """Σ c m without fractions, common factors and logarithms; its leading term is positive.

    A function of an integral is an integral: a Σ c m for any constant a, and exp Σ c m, which turns sums of logarithms
    into products.
    """
    logs = {m: c for m, c in terms.items() if isinstance(m, log)}
    if logs:
        whole = dict(zip(terms, _whole(terms.values(), logs.values()), strict=True))
        rest = {m: c for m, c in whole.items() if m not in logs}
        powers = {m.args[0]: whole[m] for m in logs}
        turned = any(m.has(InverseTrigonometricFunction) for m in rest)
        if not rest or (not turned and len(rest) <= MOST_IN_EXPONENT and all(c.is_Integer for c in powers.values())):
            return _product(powers, rest)
    whole = dict(zip(terms, _whole(terms.values(), terms.values()), strict=True))
    lead = min(whole, key=lambda m: _order(m, variables))
    sign = -1 if whole[lead].could_extract_minus_sign() else 1
    flat = Add(*(sign * c * m for m, c in whole.items()))
    best = min(_forms(flat), key=lambda e: e.count_ops())
    return -best if best.is_Mul and best.could_extract_minus_sign() else best


def _forms(f: Expr) -> Iterator[Expr]:
    yield f
    yield factor_terms(f)
    if size_of(f).terms > MOST_TERMS:
        return
    if any(isinstance(p, Pow) and p.exp.could_extract_minus_sign() for p in f.atoms(Pow)):
        one = together(f)
        yield one
        try:
            yield factor(one)
        except BasePolynomialError:
            return


def rewritten(f: Expr, variables: Sequence[Symbol]) -> Expr:
    """An integral found by quadrature in the same manner, when that is shorter."""
    terms = {m: c for m, c in _terms(f, variables).items() if m != 1}
    return written(terms, variables) if terms else f


def shortened(integrals: Sequence[Expr], variables: Sequence[Symbol]) -> list[Expr]:
    """The same integrals less multiples of each other, wherever that leaves fewer terms."""
    out, terms = list(integrals), [_terms(f, variables) for f in integrals]
    again = sum(map(len, terms)) <= MOST_SHORTENED
    while again:
        again = False
        for i, j in permutations(range(len(out)), 2):
            best = min(_less(terms[i], terms[j]), key=len, default=terms[i])
            if len(best) < len(terms[i]):
                terms[i], out[i], again = best, written(best, variables), True
    return out


def _less(one: Mapping[Expr, Expr], other: Mapping[Expr, Expr]) -> Iterator[dict[Expr, Expr]]:
    """one − c other for every c that makes a common term vanish."""
    for c in {cancel(one[m] / other[m]): None for m in one if m in other}:
        left = {m: cancel(one.get(m, 0) - c * other.get(m, 0)) for m in {**one, **other}}
        yield {m: a for m, a in left.items() if a != 0}


def _terms(f: Expr, variables: Sequence[Symbol]) -> dict[Expr, Expr]:
    """{m: c} with f = Σ c m, c being constant."""
    if size_of(f).terms > MOST_TERMS:
        return {f: Integer(1)}
    terms: dict[Expr, Expr] = {}
    for part in Add.make_args(expand(f, trig=False, log=False, power_base=False)):
        constant, varying = part.as_independent(*variables, as_Add=False)
        terms[varying] = terms.get(varying, Integer(0)) + constant
    return {m: c for m, c in terms.items() if c != 0}


def restored(f: Expr, back: Mapping[Expr, Expr], variables: Sequence[Symbol]) -> Expr:
    """The integral with the functions of constants put back, sin² + cos² among its coefficients being 1."""
    f = f.xreplace(back)
    cosines = [c for c in back.values() if isinstance(c, cos)]
    if not cosines:
        return f
    one = {c**2: 1 - sin(c.args[0]) ** 2 for c in cosines}
    terms = {m: expand(c.subs(one)) for m, c in _terms(f, variables).items()}
    return min(f, Add(*(m * c for m, c in terms.items())), key=lambda e: e.count_ops())


def _whole(values: Iterable[Expr], by: Iterable[Expr]) -> list[Expr]:
    """The values times one constant that makes those of `by` whole and without common factor."""
    by, values = list(by), list(values)
    if all(c.is_Rational for c in by):
        bottom = lcm_list([c.q for c in by])
        scale = bottom / gcd_list([Integer(c * bottom) for c in by])
        return [c * scale for c in values]
    pieces = [together(c).as_numer_denom() for c in by]
    bottom, top = lcm_list([d for _, d in pieces]), gcd_list([n for n, _ in pieces])
    common = gcd_list([cancel(c * bottom) for c in by]) if top.is_Number else None
    return [cancel(c * bottom / (common if common is not None else top)) for c in values]


def _product(powers: Mapping[Expr, Expr], rest: Mapping[Expr, Expr]) -> Expr:
    """Π p^c exp Σ a m, or one over it: whichever has the smaller denominator."""
    below = [b for b, c in powers.items() if c.could_extract_minus_sign()]
    above = [b for b in powers if b not in below]
    down, up = (sum(abs(powers[b]) if powers[b].is_number else 1 for b in side) for side in (below, above))
    last = list(powers)[-1]
    sign = -1 if down > up or (down == up and last in below) else 1
    exponent = Add(*(sign * c * m for m, c in rest.items()))
    return Mul(*(b ** (sign * c) for b, c in powers.items())) * (exp(exponent) if rest else 1)


def _order(m: Expr, variables: Sequence[Symbol]) -> tuple[Any, ...]:
    """Highest total degree first, then the earlier variables first."""
    powers = m.as_powers_dict()
    degree = sum(int(e) for e in powers.values() if e.is_Integer)
    places = [k for k, x in enumerate(variables) if x in m.free_symbols]
    own = [-int(powers[x]) if x in powers and powers[x].is_Integer else 0 for x in variables]
    return -degree, places, own, m.sort_key()
