"""What one constraint is, taken by itself."""

from sympy import Expr, S

from dalembert.derive.closure import Closure, closure
from dalembert.derive.combination import combination
from dalembert.derive.exact import Point
from dalembert.derive.frobenius import Row
from dalembert.derive.ground import NOWHERE, Ground
from dalembert.derive.integrals import find_integrals
from dalembert.derive.kinds import Kind
from dalembert.derive.pfaff import Form
from dalembert.derive.singular import singular_places
from dalembert.derive.tidy import tidy
from dalembert.derive.trials import PROVED, Evidence, tried, vanishes
from dalembert.model import ON_POSITIONS, Constraint

SECONDS = 1.0


def kind_of(constraint: Constraint, form: Form, ground: Ground) -> Kind:
    """The kind of a constraint, whose form is given. Raises `Untried` where it has a function nothing is known of."""
    if form.coefficients is None:
        return _nonlinear(constraint, form.psi, ground)
    if isinstance(constraint, ON_POSITIONS):
        return _stated(constraint, form.coefficients, ground)
    return _linear(constraint, form.coefficients, ground)


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
        rheonomic=not vanishes(change, [*ground.variables, *algebra.v], ground.values),
        evidence=PROVED,
    )


def _stated(constraint: Constraint, row: Row, ground: Ground) -> Kind:
    phi = ground.algebra.convert(constraint.expr)
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
        singular=ground.restored(singular_places([row[:-1]], ground.variables, [phi])),
    )


def _linear(constraint: Constraint, row: Row, ground: Ground) -> Kind:
    found = closure([row], ground.variables, ground.values)
    whole, still = found.rank > 0 and found.integrals == found.rank, ground.vanishes(row[-1])
    integral, factor, evidence = None, None, found.evidence
    if whole:
        for f in find_integrals([ground.named(row)], ground.variables, 1, SECONDS):
            integral, factor, evidence = _scaled(f, row, found, ground)
    back = ground.algebra.restore
    return Kind(
        constraint,
        holonomic=whole,
        exact=_is_closed(row, ground),
        linear=True,
        catastatic=still,
        rheonomic=not still if whole else _changes(row, ground),
        evidence=evidence,
        integral=None if integral is None else back(integral),
        factor=None if factor is None else back(factor),
        constant=None if integral is None else ground.constant(integral),
        form=ground.form(row),
        singular=ground.restored(singular_places([row[:-1]], ground.variables)),
    )


def _scaled(f: Expr, row: Row, found: Closure, ground: Ground) -> tuple[Expr, Expr | None, Evidence]:
    """An integral with its factor μ, df = μ ω; scaled so that μ = 1 where the row is exact."""
    made = combination(ground.differential(f), [row], found.pivots, ground.variables)
    if made is None:
        return f, None, found.evidence
    factor = made.coefficients[0]
    if not factor.free_symbols & set(ground.variables):
        f, factor = f if factor == 1 else tidy(f / factor), S.One
    return f, factor, PROVED if made.proved else found.evidence


def _is_closed(row: Row, ground: Ground) -> bool:
    """Whether ∂a_i/∂x_j = ∂a_j/∂x_i for all pairs."""
    pairs = [(i, j) for i in range(len(row)) for j in range(i)]

    def ask(point: Point) -> bool:
        slopes = [point.slopes(a) for a in row]
        return all(point.field.is_zero(point.normal(slopes[i][j] - slopes[j][i])) for i, j in pairs)

    return all(tried(row, ground.variables, ask, 1, ground.values)[0])


def _changes(row: Row, ground: Ground) -> bool:
    """Whether the ratios of the coefficients depend on time."""

    def ask(point: Point) -> bool:
        field, values, rates = point.field, [point.jet(a)[0] for a in row], [point.slopes(a)[-1] for a in row]
        p = max(range(len(row) - 1), key=lambda i: field.size(values[i]))
        turns = (rate * values[p] - value * rates[p] for value, rate in zip(values, rates, strict=True))
        return any(not field.is_zero(point.normal(turn)) for turn in turns)

    return any(tried(row, ground.variables, ask, 1, ground.values)[0])
