"""Constraints as differential forms ω = Σ a_j dq_j + a_t dt on the space of coordinates and time."""

from typing import NamedTuple

from sympy import (
    Abs,
    Expr,
    Heaviside,
    Max,
    Min,
    Mul,
    Piecewise,
    PolynomialError,
    S,
    factor_list,
    fraction,
    sign,
    together,
)

from dalembert.derive.algebra import Symbols
from dalembert.derive.effort import TooMuch, effort, weigh
from dalembert.derive.exact import vanishes

SWITCHING = (Abs, sign, Max, Min, Piecewise, Heaviside)


EFFORT = 0.5
MOST_TERMS = 200  # of a relation that is factored


class Form(NamedTuple):
    """A constraint on velocities, ψ = Σ a_j q̇_j + a_t = 0: the n coefficients a_j, then a_t, in an algebra's symbols.

    `coefficients` is None where ψ is not linear in the velocities. `divided` is what ψ was divided by, a factor that
    vanishes nowhere.
    """

    psi: Expr
    coefficients: tuple[Expr, ...] | None
    divided: Expr = S.One


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
    if any(part.free_symbols & set(algebra.v) for part in psi.atoms(*SWITCHING)):
        return None  # |v| has no second derivative, and is not linear
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
        with effort(EFFORT):
            top, bottom = fraction(together(psi))
            parts = [(f, n) for e in Mul.make_args(top) for f, n in _split(e, algebra)]
    except (PolynomialError, TooMuch):
        return []
    vanishing = [(f, n) for f, n in parts if not (f.is_positive or f.is_negative or f.is_nonzero)]
    if len(vanishing) != 1 or vanishing[0][1] != 1 or (len(parts) == 1 and bottom == 1):
        return []
    factor = vanishing[0][0]
    rest = Mul(*(f**n for f, n in parts if f is not factor)) / bottom
    return [(factor, rest)]


def _split(e: Expr, algebra: Symbols) -> list[tuple[Expr, int]]:
    """The factors of a part with their multiplicities, where it is a polynomial of the velocities."""
    if not e.is_polynomial(*algebra.v):
        return [(e, 1)]
    weigh(e, most=MOST_TERMS)
    scale, parts = factor_list(e, *algebra.v)
    return [(S(scale), 1), *parts] if scale != 1 else list(parts)
