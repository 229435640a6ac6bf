"""What one constraint is, taken by itself."""

from dataclasses import replace

import numpy as np
from sympy import Expr, S

from dalembert.derive.exact import PROVED, UNTRIED, Evidence, Germs, is_closed, tried, vanishes
from dalembert.derive.forms.closure import Closure, closure
from dalembert.derive.forms.combination import combination
from dalembert.derive.forms.frobenius import Row
from dalembert.derive.forms.ground import NOWHERE, Ground, is_sayable, shortened
from dalembert.derive.forms.jumps import across
from dalembert.derive.forms.kinds import Kind
from dalembert.derive.forms.pfaff import Form
from dalembert.derive.forms.singular import singular_places
from dalembert.derive.integrals import find_integrals, potential
from dalembert.model import ON_POSITIONS, Constraint

EFFORT = 1.0


def kind_of(constraint: Constraint, form: Form, ground: Ground, *, seek: bool = True) -> Kind:
    """The kind of a constraint, whose form is given; integrals are sought unless only the verdict is wanted.

    Raises `Untried` where it has a function nothing is known of.
    """
    if form.coefficients is None:
        return _nonlinear(constraint, form.psi, ground)
    if isinstance(constraint, ON_POSITIONS):
        return _stated(constraint, form.coefficients, ground, seek)
    return _linear(constraint, form.coefficients, ground, seek)


def _nonlinear(constraint: Constraint, psi: Expr, ground: Ground) -> Kind:
    algebra = ground.algebra
    rest = psi.xreplace(dict.fromkeys(algebra.v, S.Zero))
    change = algebra.gradient(psi, [algebra.t]).get(0, S.Zero)
    return Kind(
        constraint,
        holonomic=False,
        exact=False,
        linear=False,
        catastatic=not rest.has(*NOWHERE) and ground.vanishes(rest),
        rheonomic=not vanishes(change, [*ground.variables, *algebra.v]),
        evidence=UNTRIED,
    )


def _stated(constraint: Constraint, row: Row, ground: Ground, seek: bool) -> Kind:
    phi = ground.stated(constraint.expr)
    still = ground.vanishes(row[-1])
    return Kind(
        constraint,
        holonomic=True,
        exact=True,
        linear=True,
        catastatic=still,
        rheonomic=not still,
        evidence=PROVED,
        integral=constraint.expr,
        factor=S.One,
        constant=S.Zero,
        form=ground.form(row),
        singular=ground.restored(singular_places([row[:-1]], ground.algebra.q, [phi])) if seek else (),
    )


def _linear(constraint: Constraint, row: Row, ground: Ground, seek: bool) -> Kind:
    found = closure([row], ground.variables)
    whole, still = found.integrals == found.rank, ground.vanishes(row[-1])
    jump = across([row], (), ground.variables, ground.near) if whole and found.rank else None
    if jump is not None:
        whole = False
        known = PROVED if jump.proved else Evidence(False, found.evidence.points, 1.0)
        found = replace(found, integrals=0, evidence=known)
    exact = jump is None and is_closed(row, ground.variables)
    integral, factor, evidence = None, None, found.evidence
    if whole and found.rank and seek:
        integral, factor, evidence = _integral(row, exact, found, ground)
    back = ground.algebra.restore
    return Kind(
        constraint,
        holonomic=whole,
        exact=exact,
        linear=True,
        catastatic=still,
        rheonomic=not still if whole else _changes(row, ground),
        evidence=evidence,
        integral=None if integral is None else back(integral),
        factor=None if factor is None else back(factor),
        constant=None if integral is None else ground.constant(integral),
        form=ground.form(row),
        singular=ground.restored(singular_places([row[:-1]], ground.algebra.q)) if seek else (),
    )


def _integral(row: Row, exact: bool, found: Closure, ground: Ground) -> tuple[Expr | None, Expr | None, Evidence]:
    """An integral with its factor μ, df = μ ω, which is 1 where the row is exact; and how sure that is."""
    f = potential(ground.named(row), ground.variables, EFFORT) if exact else None
    if f is None or not is_sayable(f):
        sought = [f for f in find_integrals([ground.named(row)], ground.variables, 1, EFFORT) if is_sayable(f)]
        if not sought:
            return None, None, found.evidence
        f = sought[0]
    f = ground.fit(f)
    made = combination(ground.differential(f), [row], found.pivots, ground.variables)
    if made is None:
        return f, None, found.evidence
    factor = made.coefficients[0]
    if not factor.free_symbols & set(ground.variables):
        f, factor = f if factor == 1 else shortened(f / factor), S.One
    return f, factor, PROVED if made.proved else found.evidence


def _changes(row: Row, ground: Ground) -> bool:
    """Whether the ratios of the coefficients depend on time."""

    def ask(germs: Germs) -> bool:
        reduce = germs.numbers.reduce
        values = np.array([germs.jet(a)[0] for a in row])
        rates = np.array([germs.slopes(a)[-1] for a in row])
        p = germs.numbers.pivot(values[:-1])
        return p is not None and not germs.vanish(reduce(rates * values[p]) - reduce(values * rates[p]))

    return tried(row, ground.variables, ask, any)[0]
