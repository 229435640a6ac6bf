"""First integrals as people write them: whole coefficients, no logarithm where a product says the same."""

from collections.abc import Mapping, Sequence

from sympy import Add, Expr, Integer, Mul, Symbol, cancel, exp, gcd_list, lcm_list, log, together

MOST_TERMS = 2  # of the exponent, where a sum with logarithms is written as a product


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
        if (len(rest) <= MOST_TERMS and all(c.is_Integer for c in powers.values())) or not rest:
            return _product(powers, rest)
    whole = dict(zip(terms, _whole(terms.values(), terms.values()), strict=True))
    lead = min(whole, key=lambda m: _order(m, variables))
    sign = -1 if whole[lead].could_extract_minus_sign() else 1
    return Add(*(sign * c * m for m, c in whole.items()))


def _whole(values, by) -> list[Expr]:
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


def _order(m: Expr, variables: Sequence[Symbol]) -> tuple:
    """Highest total degree first, then the earlier variables first."""
    powers = m.as_powers_dict()
    degree = sum(int(e) for e in powers.values() if e.is_Integer)
    places = [k for k, x in enumerate(variables) if x in m.free_symbols]
    own = [-int(powers[x]) if x in powers and powers[x].is_Integer else 0 for x in variables]
    return -degree, places, own, m.sort_key()
