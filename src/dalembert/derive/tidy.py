"""Short forms of an expression: a common fraction, factored, with trigonometric identities used."""

from collections.abc import Iterator

from sympy import Expr, Piecewise, cancel, expand, factor, factor_terms, fraction, together, trigsimp
from sympy.core.function import Function
from sympy.functions.elementary.trigonometric import TrigonometricFunction
from sympy.polys.polyerrors import PolynomialError
from sympy.simplify.fu import TR8

MOST_OPERATIONS = 400
MOST_FOR_SEARCH = 50


def tidy(e: Expr) -> Expr:
    """The shortest of a few equivalent forms; expressions too long to be read are left as they are."""
    if e.is_Atom or e.has(Piecewise) or e.count_ops() > MOST_OPERATIONS:
        return e
    e = e.replace(lambda part: isinstance(part, Function), lambda f: f.func(*map(tidy, f.args)))
    return min(_forms(e), key=lambda form: (form.count_ops(), len(form.args)))


def _forms(e: Expr) -> Iterator[Expr]:
    yield e
    turning = e.has(TrigonometricFunction)
    if turning:  # products of sines and cosines as sums of angles: what cancels is then seen by the polynomials
        top, bottom = fraction(together(e))
        e = factor_terms(TR8(expand(top))) / factor_terms(TR8(expand(bottom)))
        yield e
    try:
        one = cancel(together(e))
        yield one
        yield factor(one)
    except PolynomialError:
        one = together(e)
        yield factor_terms(one)
    if turning and one.count_ops() <= MOST_FOR_SEARCH:
        yield trigsimp(one)
