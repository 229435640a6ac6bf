"""Potentials of closed forms, their integrating factors, and values modulo primes: laws that hold for all of them."""

import numpy as np
import pytest
from sympy import Abs, Piecewise, Rational, S, asin, atan, cos, cosh, exp, expand, log, sin, sinh, sqrt, symbols, tan

from dalembert.derive.exact import Points, Unvalued, is_closed, vanishes
from dalembert.derive.integrals.potential import integrating_factor, potential
from dalembert.derive.integrals.quadrature import antiderivative
from derive.forms import differential, names, rank

x, y, z, t = V = names("x y z t")
R, a = symbols("R a", positive=True)

POTENTIALS = [
    x * y - t**2,
    sqrt(x**2 + y**2) - z,
    z + atan(x / y),
    x * exp(y) * sin(z),
    log(x**2 + y**2) / 2 + atan(x / y),
    x * exp(-a * t) + y * cos(a * t),
    R * x * sin(y) + x * z**3,
    (x**2 - y**2) / x,
    x * tan(y),
    x / (1 + y * z),
    sqrt(x * y + z),
    x * asin(y),
    x**2 * cos(a * x) + y,
    R * x + sqrt(2) * y,
]


@pytest.mark.parametrize("f", POTENTIALS, ids=str)
def test_the_potential_of_a_differential_is_the_function(f):
    found = potential(differential(f, V), V, 3.0)
    assert found is not None
    gap = found - f
    assert all(vanishes(gap.diff(s), V) for s in V)
    assert rank([differential(found, V), differential(f, V)], V) == 1


@pytest.mark.parametrize("f", POTENTIALS, ids=str)
def test_the_integrating_factor_undoes_a_multiplier(f):
    row = {s: e * (1 + x * y) / exp(z) for s, e in differential(f, V).items()}
    assert vanishes(integrating_factor(row, f) - exp(z) / (1 + x * y), V)


def test_factors_are_tidy():
    assert integrating_factor({x: 2 * y, y: x}, x**2 * y) == x
    assert integrating_factor({y: 1, x: y}, y * exp(x)) == exp(x)
    assert integrating_factor({x: y, y: -x}, y / x) == -1 / x**2
    assert integrating_factor({x: 1 / R, t: -1}, x - R * t) == R


@pytest.mark.parametrize(
    ("row", "f"), [({x: y, y: -x}, x * y), ({x: 1}, y), ({}, x), ({x: 0}, x), ({x: 1, y: 1, z: 0}, x + y + z)]
)
def test_no_factor_where_there_is_none(row, f):
    assert integrating_factor(row, f) is None


@pytest.mark.parametrize("row", [{x: y, y: -x}, {x: y}, {}, {x: Piecewise((1, x > 0), (2, True))}, {x: y, z: 1}])
def test_no_potential_where_there_is_none(row):
    assert potential(row, V, 1.0) is None


@pytest.mark.parametrize(
    "e",
    [
        x**3,
        x * sin(a * x),
        x**2 * exp(-x),
        1 / (x**2 + y**2),
        x / (x**2 + y),
        sqrt(2 * x + 1),
        1 / (3 * x**2 + 2 * x * y + y**2),
        1 / (x**2 - 4 * x + y**2 - 2 * y + 5),
        1 / (a * x**2 + x + 1),
        1 / cos(a * x + y),
        1 / sin(2 * x),
    ],
)
def test_antiderivatives(e):
    assert vanishes(antiderivative(e, x).diff(x) - e, V)


@pytest.mark.parametrize(
    "identity",
    [
        sin(x) ** 2 + cos(x) ** 2 - 1,
        sin(2 * x + y) - expand(sin(2 * x + y), trig=True),
        sin(x) - 2 * sin(x / 2) * cos(x / 2),
        tan(x) * cos(x) - sin(x),
        cosh(x) ** 2 - sinh(x) ** 2 - 1,
        exp(x + 2 * y) - exp(x) * exp(y) ** 2,
        sqrt(x**2 + y**2) ** 2 - x**2 - y**2,
        x ** (a + 1) - x * x**a,
        Abs(x) ** 2 - x**2,
        (x + y) ** 5 - expand((x + y) ** 5),
        x ** Rational(1, 3) * x ** Rational(2, 3) - x,
    ],
    ids=str,
)
def test_identities_hold_modulo_a_prime(identity):
    assert vanishes(identity, V)


@pytest.mark.parametrize("e", [sin(x) ** 2 + cos(y) ** 2 - 1, Abs(x) - x, exp(x) - 1 - x, sqrt(x**2 + y**2) - x - y, a])
def test_what_is_not_zero_does_not_vanish(e):
    assert not vanishes(e, V)


def test_closed_means_equal_cross_derivatives():
    assert is_closed([{x: y, y: x}.get(s, S.Zero) for s in V], V)
    assert not is_closed([{x: y, y: 2 * x}.get(s, S.Zero) for s in V], V)


def test_points_without_a_value_are_marked():
    points = Points(V, 200)
    points.of(sqrt(x))
    assert 50 < np.count_nonzero(points.good) < 150  # half of all residues are squares
    with pytest.raises(Unvalued):
        points.of(Piecewise((x, x > 0), (y, True)))
