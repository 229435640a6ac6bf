"""Roots of squares, at random states and as what they switch on."""

import numpy as np
import pytest
from sympy import Rational, cos, exp, lambdify, sin, sqrt, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.derive.switching.gates import gated

x, y = dynamicsymbols("x y")
u, v = x.diff(), y.diff()
t = dynamicsymbols._t
c, k = symbols("c"), symbols("k", positive=True)
STATES = np.random.default_rng(3).uniform(-2, 2, (20, 5))

MODULI = {
    "product": (sqrt(x**2 * u**2), {x, u}),
    "with a factor": (sqrt((1 + x**2) * u**2), {u}),
    "with a parameter": (sqrt(c * u**2), {u}),
    "with a positive one": (sqrt(k * x**2 * u**2), {x, u}),
    "with an exponential": (sqrt(exp(x) * u**2), {u}),
    "third power": ((x**2 * u**2) ** Rational(3, 2), {x, u}),
    "fourth root": ((x**4) ** Rational(1, 4), {x}),
    "even power outside": (sqrt(x**4 * u**2), {u}),
    "in the denominator": (1 / sqrt(x**2 * u**2), {x, u}),
    "common to a sum": (sqrt(x**2 * u**2 + u**2 * v**2), {u}),
    "square written out": (sqrt(x**2 - 2 * x * y + y**2), {x - y}),
    "of a function": (sqrt(sin(x) ** 2 * v**2), {sin(x), v}),
    "negative somewhere": (sqrt((x + 5) * u**2), {u}),
    "another root": ((u**2) ** Rational(3, 4), {u}),
    "of time": (sqrt(t**2 * u**2), {t, u}),
}
NONE = {
    "length": sqrt(u**2 + v**2),
    "not quite": sqrt(x**2 + 2 * x + 2),
    "not a square": sqrt(2 + cos(x)),
}


def gates_of(force):
    return gated(da.System.from_forces([[1, 0], [0, 1]], [force, -y], [x, y]).form())


@pytest.mark.parametrize("name", MODULI)
def test_a_root_of_squares_is_a_modulus(name):
    force, switching = MODULI[name]
    found = gates_of(force)
    assert {g.function for g in found.gates} == switching
    arguments = [x, y, u, v, t, c, k]
    stated = lambdify(arguments, force)
    signs = [lambdify(arguments, g.function) for g in found.gates]
    smooth = lambdify([*arguments, *(g.symbol for g in found.gates)], found.statement.unconstrained.forces[0])
    for state in STATES:
        at = [*state, 1.3, 0.7]
        np.testing.assert_allclose(smooth(*at, *(np.sign(f(*at)) for f in signs)), stated(*at), rtol=1e-12)


@pytest.mark.parametrize("name", NONE)
def test_what_is_none_stays_a_root(name):
    assert not gates_of(NONE[name]).gates


def test_a_perfect_square_that_is_even_switches_nothing():
    found = gates_of(sqrt(x**4))
    assert not found.gates
    assert found.statement.unconstrained.forces[0] == x**2
