"""Constraints as differential forms ω = Σ a_j dq_j + a_t dt on the space of coordinates and time."""

from typing import NamedTuple

from sympy import Expr, PolynomialError, S, factor_list

from dalembert.derive.algebra import Symbols
from dalembert.derive.deadline import Overtime, deadline
from dalembert.derive.exact import vanishes
from dalembert.derive.mechanics import constraint_rates
from dalembert.model import Statement


class Form(NamedTuple):
    """A constraint on velocities, ψ = Σ a_j q̇_j + a_t = 0: the n coefficients a_j, then a_t, in an algebra's symbols.

    `coefficients` is None where ψ is not linear in the velocities. `divided` is what ψ was divided by, a factor that
    vanishes nowhere.
    """

    psi: Expr
    coefficients: tuple[Expr, ...] | None
    divided: Expr = S.One


def forms(system: Statement, algebra: Symbols) -> list[Form]:
    """The form of every constraint: dφ of a relation among coordinates, ψ dt of one among velocities."""
    _, rates = constraint_rates(system, algebra)
    return [form_of(psi, algebra) for psi in rates]


def form_of(psi: Expr, algebra: Symbols) -> Form:
    """A relation among velocities as a differential form, also where it is one times a factor that vanishes nowhere."""
    if (linear := _linear(psi, algebra)) is not None:
        return Form(psi, linear)
    for factor, rest in _factors(psi, algebra):
        if (linear := _linear(factor, algebra)) is not None:
            return Form(factor, linear, rest)
    return Form(psi, None)


def _linear(psi: Expr, algebra: Symbols) -> tuple[Expr, ...] | None:
    """The coefficients of a relation that is linear in the velocities, else None."""
    slopes = algebra.gradient(psi, algebra.v)
    everything = [*algebra.q, algebra.t, *algebra.v]
    for a in slopes.values():
        for second in algebra.gradient(a, algebra.v).values():
            if not vanishes(second, everything):
                return None
    rest = dict.fromkeys(algebra.v, S.Zero)
    found = [slopes.get(j, S.Zero).xreplace(rest) for j in range(len(algebra.q))]
    found.append(psi.xreplace(rest))
    if any(not a.is_finite and a.is_number for a in found):
        return None  # a form that does not exist at rest, as v²/v would if it were not shortened
    return tuple(found)


def _factors(psi: Expr, algebra: Symbols) -> list[tuple[Expr, Expr]]:
    """ψ as one factor and the product of the others, which vanish nowhere; [] where it is not such a product."""
    try:
        with deadline(0.5):
            scale, parts = factor_list(psi, *algebra.v)
    except (PolynomialError, Overtime):
        return []
    vanishing = [(f, n) for f, n in parts if not (f.is_positive or f.is_negative)]
    if len(vanishing) != 1 or vanishing[0][1] != 1 or len(parts) == 1:
        return []
    factor = vanishing[0][0]
    rest = S(scale)
    for f, n in parts:
        rest *= f**n if f is not factor else S.One
    return [(factor, rest)]
