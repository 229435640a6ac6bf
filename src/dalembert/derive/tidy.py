"""Short forms of an expression: a common fraction, factored, with trigonometric identities used."""

from sympy import Expr, Piecewise, cancel, factor, factor_terms, together, trigsimp
from sympy.core.function import Function
from sympy.functions.elementary.trigonometric import TrigonometricFunction
from sympy.polys.polyerrors import PolynomialError

MOST_OPERATIONS = 250


def tidy(e: Expr) -> Expr:
    """The shortest of a few equivalent forms; expressions too long to be read are left as they are."""
    if e.is_Atom or e.count_ops() > MOST_OPERATIONS or e.has(Piecewise):
        return e
    e = e.replace(lambda part: isinstance(part, Function), lambda f: f.func(*map(tidy, f.args)))
    forms = [e]
    try:
        forms.append(cancel(together(e)))
        forms.append(factor(forms[-1]))
    except PolynomialError:
        forms.append(factor_terms(together(e)))
    if e.has(TrigonometricFunction):
        forms.append(trigsimp(forms[-1]))
    return min(forms, key=lambda form: (form.count_ops(), len(form.args)))
