"""Exact arithmetic at random points: jets obey the rules of differentiation, identities hold, others do not."""

from random import Random

import mpmath
import numpy as np
import pytest
from sympy import (
    Abs,
    Expr,
    Function,
    Heaviside,
    Max,
    Min,
    Piecewise,
    Rational,
    Symbol,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    cot,
    csc,
    exp,
    expand,
    log,
    pi,
    sec,
    sign,
    sin,
    sinh,
    sqrt,
    symbols,
    tan,
    tanh,
)

from dalembert.derive.exact import PRIMES, Germs, Points, Untried, Unvalued, leaf_points, tried, vanishes
from dalembert.derive.exact.balls import Ball
from dalembert.derive.exact.reals import Real

x, y, t = VARIABLES = symbols("x y t", real=True)
a = Symbol("a", positive=True)
f = Function("f", real=True)

SMOOTH = [
    x**3 * y - 2 * x / y + t,
    a * sin(x + 2 * y) * cos(x / 3),
    tan(x) + cot(y) + sec(t) * csc(x),
    exp(a * x - y) / (1 + exp(x)),
    sinh(x) * cosh(2 * y) + tanh(t),
    log(x * y) + log(1 + x**2),
    sqrt(x**2 + y**2) * x,
    (1 + x**2) ** Rational(-5, 3),
    x**a * y ** (2 * a - 1),
    atan(x * y) + asinh(x) + asin(x / 4) - acos(y / 4) + atanh(x / 5) + acosh(3 + y),
    atan2(x, y),
    sin(x + pi / 3) * pi,
    Rational(1, 7) * x + 0.125 * y,
]
SWITCHING = [Abs(x - 2), sign(x) * y, Max(x, y, t), Min(x, y), Heaviside(x - 5), Piecewise((x, x > y), (y**2, True))]


def germs(kind: str, order: int) -> Germs:
    numbers = Points(VARIABLES, 60, PRIMES[0], vary=True) if kind == "residues" else Real(Random(4))
    return Germs(numbers, VARIABLES, order)


def holds_zero(ball: Ball | int) -> bool:
    """Whether a ball holds zero, and hardly anything else."""
    return ball == 0 or (ball.sign == 0 and float(abs(ball)) < 1e-40)


@pytest.mark.parametrize("kind", ["residues", "reals"])
@pytest.mark.parametrize("e", SMOOTH, ids=str)
def test_the_jet_of_a_derivative_is_the_derivative_of_the_jet(kind: str, e: Expr) -> None:
    at = germs(kind, 3)
    jets = at.series.jets
    for place, variable in enumerate(VARIABLES):
        one, other = jets.derivative(at.jet(e), place), jets.lower.cut(at.jet(e.diff(variable)))
        good = at.numbers.good
        assert good.any()
        gap = at.numbers.reduce(one - other)[:, good]
        assert not np.any(gap) if kind == "residues" else all(holds_zero(ball) for ball in gap.ravel())


@pytest.mark.parametrize("e", [*SMOOTH, *SWITCHING], ids=str)
def test_reals_are_what_sympy_evaluates(e: Expr) -> None:
    at = germs("reals", 1)
    value = at.jet(e)[0, 0]
    places = {s: mpmath.mpf(at.numbers.values[s].middle) for s in e.free_symbols}
    assert at.numbers.good.all()
    assert abs(complex(e.evalf(30, subs=places)) - complex(float(value))) < 1e-12


IDENTITIES = [
    sin(x) ** 2 + cos(x) ** 2 - 1,
    sin(2 * x) - 2 * sin(x) * cos(x),
    sin(x / 2 + y) - sin(x / 2) * cos(y) - cos(x / 2) * sin(y),
    sin(x) + sin(x + 2 * pi / 3) + sin(x - 2 * pi / 3),
    exp(x + y) * exp(-y) - exp(x),
    cosh(x) ** 2 - sinh(x) ** 2 - 1,
    sqrt(x**2 + 1) * sqrt(x**2 + 1) - x**2 - 1,
    expand((x + y) ** 7) - (x + y) ** 7,
    1 / x - 1 / (x + 1) - 1 / (x * (x + 1)),
    x**a * x ** (1 - a) - x,
    Abs(x) ** 2 - x**2,
]


@pytest.mark.parametrize("e", IDENTITIES, ids=str)
def test_identities_vanish(e: Expr) -> None:
    assert vanishes(e, VARIABLES)
    assert not vanishes(e + x * y / 10**9, VARIABLES)


def test_functions_that_are_only_named_are_generic() -> None:
    assert not vanishes(f(x) - f(y), VARIABLES)
    assert not vanishes(f(x) * x - f(x) - x, VARIABLES)
    at = germs("residues", 2)
    product = at.jet(f(x) * y)
    assert np.array_equal(product, at.series.jets.product(at.jet(f(x)), at.jet(y)))


def test_what_switches_is_tried_with_reals() -> None:
    found, evidence = tried([Max(x, y)], VARIABLES, lambda at: at.vanish(at.jet(Max(x, y) - Min(x, y))[:1]), all)
    assert not found
    assert not evidence.exact
    with pytest.raises(Unvalued):
        germs("residues", 1).jet(Max(x, y))


def test_what_exists_nowhere_is_said() -> None:
    with pytest.raises(Untried, match="no point"):
        tried([x], VARIABLES, lambda at: at.jet(Max(sqrt(a - 9 - x**2), x)), max)


def test_points_on_relations() -> None:
    relations = [x**2 + y**2 - 4, x * y - t]
    found = [point.real() for point in leaf_points(relations, VARIABLES, {})]
    assert len(found) > 3
    with mpmath.workdps(60):
        for real in found:
            for phi in relations:
                at = {s: mpmath.mpf(real.values[s].middle) for s in VARIABLES}
                assert abs(mpmath.mpf(phi.evalf(60, subs=at))) < 1e-50
