"""The potential of a closed 1-form, and the factor that makes a form the differential of a function."""

from collections.abc import Mapping, Sequence

import numpy as np
from sympy import Add, Expr, S, Symbol, cancel, expand, nan, oo, zoo
from sympy.polys.polyerrors import BasePolynomialError

from dalembert.derive.effort import TooMuch, effort, weigh
from dalembert.derive.exact import PRIMES, Points, Untried, Unvalued, is_closed
from dalembert.derive.integrals.quadrature import antiderivative
from dalembert.derive.integrals.sets import Pfaffian, gradient, plain
from dalembert.derive.tidy import tidy

PLACES = (0, 1, 2, -1)
EFFORT = 1.0


def potential(row: Mapping[Symbol, Expr], variables: Sequence[Symbol], units: float) -> Expr | None:
    """f with df = Σ row[x] dx exactly; None when the form is not closed, or f is not found with so much effort.

    Partial integration in one variable after another: f ← f + ∫ (ω_x − ∂f/∂x) dx. What remains for x does not depend
    on the variables before it, when the form is closed. The result has been verified.
    """
    forms, back = plain([row], variables)
    if not forms.rows:
        return None
    try:
        with effort(units):
            found = primitive(forms.rows[0], forms)
            return None if found is None else found.xreplace(back)
    except TooMuch:
        return None


def primitive(row: Mapping[Symbol, Expr], forms: Pfaffian) -> Expr | None:
    """The potential of one row in the variables of the forms. Raises TooMuch."""
    try:
        if not is_closed([row.get(x, S.Zero) for x in forms.variables], forms.variables):
            return None
        found = _integrated(row, forms)
        return found if found is not None and _matches(found, row, forms) else None
    except (Unvalued, Untried):
        return None


def _integrated(row: Mapping[Symbol, Expr], forms: Pfaffian) -> Expr | None:
    total: list[Expr] = []
    for k, x in enumerate(forms.variables):
        rest = row.get(x, 0) - Add(*total).diff(x)
        if rest == 0:
            continue
        weigh(rest)
        rest = _without(expand(rest, trig=False, log=False), forms.variables[:k])
        part = None if rest is None else antiderivative(rest, x)
        if part is None:
            return None
        total.append(part)
    weigh(*total)
    terms = Add.make_args(expand(Add(*total), trig=False, log=False, power_base=False))
    flat = Add(*(term for term in terms if term.free_symbols & set(forms.variables)))
    return min(flat, Add(*total), key=lambda e: e.count_ops())


def _without(e: Expr, variables: Sequence[Symbol]) -> Expr | None:
    """The same function written without variables it does not depend on: they take any value where it is defined."""
    for x in variables:
        if not e.has(x):
            continue
        held = (e.subs(x, place) for place in PLACES)
        e = next((h for h in held if not h.has(nan, oo, zoo, -oo)), None)
        if e is None:
            return None
    return e


def _matches(f: Expr, row: Mapping[Symbol, Expr], forms: Pfaffian) -> bool:
    """Whether ∂f/∂x = row[x] for all variables, at random points modulo a prime."""
    points = Points(forms.variables, 64, PRIMES[2], seed=9, vary=True)
    gaps = gradient(f, forms.variables, points)
    for k, x in enumerate(forms.variables):
        if x in row:
            gaps[:, k] -= points.of(row[x])
    return bool(np.any(points.good)) and not np.any(gaps[points.good] % points.prime)


def integrating_factor(row: Mapping[Symbol, Expr], f: Expr) -> Expr | None:
    """μ with df = μ ω for the form ω = Σ row[x] dx, in a short form; None when df is no multiple of ω.

    The variables are the keys of the row, with coefficient zero too; other symbols of f are constants.
    """
    forms, back = plain([row], tuple(row))
    if not forms.rows:
        return None
    first = forms.moving[0]
    factor = f.diff(first) / forms.rows[0][first].xreplace(back)
    try:
        with effort(EFFORT):
            weigh(factor)
            factor = min((factor, cancel(factor), tidy(factor)), key=lambda e: e.count_ops())
    except (TooMuch, BasePolynomialError):
        pass  # the quotient as it stands is right, only longer
    try:
        scaled = {x: factor * e for x, e in row.items() if e != 0}
        return factor if factor != 0 and _matches(f, scaled, forms) else None
    except (Unvalued, Untried):
        return None
