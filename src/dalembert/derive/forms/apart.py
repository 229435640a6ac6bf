"""Relations among coordinates that no configuration satisfies, where that can be proved.

A sum of multiples of relations that vanishes nowhere is a proof. The multiples are found by eliminating the monomials
of highest degree (x² + y² − 1 and (x − 3)² + y² − 1 leave 6 x − 9), and coordinates that stand alone in what is left;
of few relations of low degree a Gröbner basis finds them all.
"""

from collections.abc import Sequence

from sympy import Add, Dummy, Expr, Matrix, Poly, PolynomialError, Pow, S, Symbol, expand, fraction, groebner, together

from dalembert.derive.effort import TooMuch, effort, spend, weigh
from dalembert.derive.reducing.bounds import never_zero

EFFORT = 1.0
MOST_TERMS = 400  # of one relation
MOST_ENTRIES = 2000  # of the matrix of their coefficients
FEW, LOW = 4, 3  # variables and relations, and their degree, of which a Gröbner basis is asked for
ORDERS = ("grevlex", "lex")


def apart(relations: Sequence[Expr], variables: Sequence[Symbol]) -> bool:
    """Whether it is proved that relations φ = 0 have no common zero in real numbers."""
    if any(never_zero(phi) for phi in relations):
        return True
    try:
        with effort(EFFORT):
            equations = _polynomial(relations)
            return _eliminated(equations, variables) or _no_zeros(equations)
    except (TooMuch, PolynomialError):
        return False


def _polynomial(relations: Sequence[Expr]) -> list[Expr]:
    """Numerators written out, with a symbol r ≥ 0 for each square root, and r² − u."""
    roots = {p for phi in relations for p in phi.atoms(Pow) if p.exp.is_Rational and p.exp.q == 2 and p.free_symbols}
    known = {u: Dummy("r", nonnegative=True) for u in sorted({p.base for p in roots}, key=lambda u: u.sort_key())}
    rule = {p: known[p.base] ** p.exp.p for p in roots}
    plain = [phi.xreplace(rule) for phi in relations] + [r**2 - u.xreplace(rule) for u, r in known.items()]
    return [_written(fraction(together(e))[0]) for e in plain]


def _written(e: Expr) -> Expr:
    weigh(e, most=MOST_TERMS)
    return expand(e, log=False, power_base=False, trig=False)


def _eliminated(equations: Sequence[Expr], variables: Sequence[Symbol]) -> bool:
    """Whether something that vanishes nowhere is left when monomials, then single coordinates, are eliminated."""
    left = list(equations)
    while left:
        left = _reduced(left)
        if any(never_zero(e) for e in left):
            return True
        alone = next(((e, x) for e in reversed(left) for x in _unknowns(e, variables)), None)
        if alone is None:
            return False
        e, x = alone
        value = x - e / e.coeff(x)
        left = [_written(other.xreplace({x: value})) for other in left if other is not e]
        left = [other for other in left if other != 0]
    return False


def _unknowns(e: Expr, variables: Sequence[Symbol]) -> list[Symbol]:
    """The unknowns that occur in one term only, times a number."""
    own = [x for x in e.free_symbols if x in variables or isinstance(x, Dummy)]
    found = [x for x in own if e.coeff(x).is_Rational and e.coeff(x) != 0 and not (e - e.coeff(x) * x).has(x)]
    return sorted(found, key=lambda x: x.sort_key())


def _reduced(equations: Sequence[Expr]) -> list[Expr]:
    """The same relations, with fewest monomials of high degree."""
    terms = [dict(e.as_coefficients_dict()) for e in equations]
    monomials = sorted({m for one in terms for m in one}, key=lambda m: (-_degree(m), m.sort_key()))
    spend(len(terms) * len(monomials) / 10)
    if len(terms) * len(monomials) > MOST_ENTRIES:
        return list(equations)
    reduced, _ = Matrix([[one.get(m, S.Zero) for m in monomials] for one in terms]).rref()
    rows = [Add(*(c * m for c, m in zip(reduced.row(i), monomials, strict=True))) for i in range(reduced.rows)]
    return [e for e in rows if e != 0]


def _degree(m: Expr) -> int:
    """How often a monomial has factors that are no numbers; what is no symbol counts for more."""
    total = 0
    for f in m.as_ordered_factors() if m.is_Mul else [m]:
        base, exponent = f.as_base_exp()
        if f.free_symbols:
            times = int(exponent) if exponent.is_Integer else 1
            total += times * (1 if base.is_Symbol else 2)
    return total


def _no_zeros(equations: Sequence[Expr]) -> bool:
    """Whether few polynomials of low degree have no common zero: a Gröbner basis says so, or one of its members."""
    unknowns = sorted(set().union(*(e.free_symbols for e in equations)), key=lambda x: x.sort_key())
    if not 0 < len(unknowns) <= FEW or len(equations) > FEW:
        return False
    polys = [Poly(e, *unknowns) for e in equations]
    if any(p.total_degree() > LOW or not all(c.is_Rational for c in p.coeffs()) for p in polys):
        return False
    basis = [p for order in ORDERS for p in groebner(polys, *unknowns, order=order).polys]
    return any(never_zero(p.as_expr()) or _no_root(p) for p in basis)


def _no_root(p: Poly) -> bool:
    """Whether a polynomial of one unknown has no real root (Sturm)."""
    own = p.exclude()
    return len(own.gens) == 1 and own.gen.is_Symbol and own.count_roots() == 0
