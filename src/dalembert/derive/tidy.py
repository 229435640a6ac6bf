"""Short forms of an expression: a common fraction, factored, with trigonometric identities used.

Which forms are tried depends on the size of the expression alone, so that the same one always comes out the same.
"""

from collections.abc import Iterator

from sympy import (
    Add,
    Expr,
    Float,
    Function,
    Mul,
    Piecewise,
    Pow,
    cancel,
    cos,
    cot,
    csc,
    expand,
    factor,
    factor_terms,
    fraction,
    sec,
    sin,
    tan,
    together,
)
from sympy.functions.elementary.trigonometric import TrigonometricFunction
from sympy.polys.polyerrors import PolynomialError
from sympy.simplify.fu import TR2, TR8, TR2i

from dalembert.derive.effort import spend
from dalembert.derive.sizes import size_of

MOST_OPERATIONS = 400
MOST_TERMS = 160  # above and below a fraction, that are written out
MOST_TURNED = 240  # of sums of angles
MOST_FACTORED = 240  # terms times symbols and functions of what is factored


def tidy(e: Expr) -> Expr:
    """The shortest of a few equivalent forms; expressions too long to be read are left as they are.

    Raises TooMuch where the effort that is allowed is used up.
    """
    if e.is_Atom or e.has(Piecewise) or e.count_ops() > MOST_OPERATIONS:
        return e
    e = e.replace(lambda part: isinstance(part, Function), lambda f: f.func(*map(tidy, f.args)))
    return min((sign for form in _forms(e) for sign in (form, *_signs(form))), key=_length)


def _length(e: Expr) -> tuple[int, int, int, int]:
    """Operations; then digits of decimals, sums that begin with a minus, and parts."""
    digits = sum(len(f"{float(f):.17g}") for f in e.atoms(Float))
    return e.count_ops(), digits, sum(a.could_extract_minus_sign() for a in e.atoms(Add)), len(e.args)


def _forms(e: Expr) -> Iterator[Expr]:
    yield e
    if size_of(e).terms > MOST_TERMS:
        return
    if e.has(TrigonometricFunction):
        yield from _turned(e)
    else:
        yield from _fractions(together(e))


def _fractions(e: Expr) -> Iterator[Expr]:
    """One fraction, cancelled and factored."""
    size = size_of(e)
    spend(size.terms * size.kernels / 4)
    try:
        one = cancel(e)
        yield one
        size = size_of(one)
        if size.terms * size.kernels <= MOST_FACTORED:
            spend(size.terms * size.kernels / 4)
            yield factor(one)
        else:
            yield factor_terms(one)
    except PolynomialError:
        yield factor_terms(e)


def _turned(e: Expr) -> Iterator[Expr]:
    """Products of sines and cosines as sums of angles, and with squares of one of them replaced by the other."""
    yield factor_terms(e)
    if e.has(tan, cot, sec, csc):
        e = TR2(e.replace(lambda f: isinstance(f, sec | csc), lambda f: 1 / (cos if f.func is sec else sin)(*f.args)))
    top, bottom = map(expand, fraction(together(e)))
    yield from _tangents(top, bottom)
    tried = {(top, bottom)}
    yield from _fractions(top / bottom)
    turned = size_of(top).turned + size_of(bottom).turned
    if turned <= MOST_TURNED and max(size_of(top).turning, size_of(bottom).turning) > 1:
        spend(turned)
        one = factor_terms(TR8(top)) / factor_terms(TR8(bottom))
        yield one
        yield from _fractions(together(one))
    for kept, gone in ((cos, sin), (sin, cos)):
        pair = _without_squares(top, kept, gone), _without_squares(bottom, kept, gone)
        if pair not in tried and sum(size_of(side).terms for side in pair) <= MOST_TERMS:
            tried.add(pair)
            for form in _fractions(pair[0] / pair[1]):
                yield form
                yield from _tangents(*fraction(form))


def _without_squares(e: Expr, kept: type, gone: type) -> Expr:
    """sin² = 1 − cos², or the other way, written out."""
    out = e.replace(
        lambda p: p.is_Pow and isinstance(p.base, gone) and p.exp.is_Integer and p.exp > 1,
        lambda p: (1 - kept(p.base.args[0]) ** 2) ** (p.exp // 2) * p.base ** (p.exp % 2),
    )
    whole: Expr = expand(out)
    return whole


def _tangents(top: Expr, bottom: Expr) -> Iterator[Expr]:
    """sin/cos as tan, term by term, where one product of cosines and sines is below."""
    if bottom.is_Add or not bottom.has(sin, cos):
        return
    terms = [TR2i(term / bottom) for term in Add.make_args(expand(top))]
    if any(term.has(tan) for term in terms):
        yield factor_terms(Add(*terms))
        yield TR2i(top / bottom)


def _signs(e: Expr) -> Iterator[Expr]:
    """−(b − a) as a − b, above and below, for one sum and for all that begin with a minus."""
    if not e.is_Mul:
        return
    sums = [f for f in e.args if f.is_Add or (f.is_Pow and f.base.is_Add and f.exp.is_Integer and f.exp % 2)]
    for turned in (*([f] for f in sums), [f for f in sums if f.as_base_exp()[0].could_extract_minus_sign()]):
        rest = Mul(*(g for g in e.args if g not in turned))
        opposite = (Pow(Add(*(-a for a in f.as_base_exp()[0].args)), f.as_base_exp()[1]) for f in turned)
        yield (-1) ** len(turned) * rest * Mul(*opposite)
