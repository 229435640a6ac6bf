"""Consistent starts: on the constraints, nearest in the metric of M, what is fixed held, what moved told."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sympy import cos, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z, theta = dynamicsymbols("x y z theta")
t = dynamicsymbols._t
m, g, R = symbols("m g R", positive=True)
VALUES = {m: 1.0, g: 9.81, R: 2.0}


def ring(*more, L=None):
    L = m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y if L is None else L
    return da.System.from_lagrangian(
        L, [x, y], constraints=[da.Holonomic(x**2 + y**2 - R**2, "ring"), *more], parameters=VALUES
    )


def test_a_consistent_guess_is_left_alone():
    found = ring().start({x: 1.2, y: -1.6, x.diff(): 0.8, y.diff(): 0.6})
    assert found.moved == {}
    assert found.state[x] == 1.2
    assert "nothing was moved" in found.text()


def test_nearest_point_of_a_circle_is_along_the_radius():
    found = ring().start({x: 3.0, y: 4.0, x.diff(): 1.0, y.diff(): 1.0})
    assert_allclose([found.state[x], found.state[y]], [1.2, 1.6], rtol=1e-14)
    assert_allclose([found.state[x.diff()], found.state[y.diff()]], [0.16, -0.12], atol=1e-14)
    assert set(found.moved) == {"x", "y", "x'", "y'"}
    assert found.moved["x"] == (3.0, pytest.approx(1.2))
    assert_allclose(found.residuals.level, 0, atol=1e-14)


def test_nearest_is_meant_in_the_metric_of_the_mass():
    """Against a general minimiser: a heavy x moves less."""
    heavy = ring(L=(50 * x.diff() ** 2 + y.diff() ** 2) / 2)
    found = heavy.start({x: 1.5, y: 2.5})
    best = minimize(lambda a: 50 * (2 * np.cos(a[0]) - 1.5) ** 2 + (2 * np.sin(a[0]) - 2.5) ** 2, [1.0], tol=1e-14).x[0]
    assert_allclose([found.state[x], found.state[y]], [2 * np.cos(best), 2 * np.sin(best)], atol=1e-6)


def test_what_is_fixed_is_held():
    found = ring().start({x: 1.2, y: 5.0, x.diff(): 0.8}, fixed=[x, "x'"])
    assert found.state[x] == 1.2
    assert found.state[x.diff()] == 0.8
    assert_allclose(found.state[y], 1.6)
    assert_allclose(found.state[y.diff()], -0.6)
    assert set(found.moved) == {"y", "y'"}


def test_what_cannot_be_made_consistent_is_refused_with_residuals():
    with pytest.raises(da.StateError, match="x held") as caught:
        ring().start({x: 3.0}, fixed=[x])
    assert "'ring' is left at 5" in str(caught.value)
    with pytest.raises(da.StateError, match="no consistent start"):
        ring(da.Holonomic(x - 7, "line")).start({x: 1.0, y: 1.0})


def test_moving_redundant_and_nonlinear_constraints():
    system = da.System.from_particles(
        [da.Particle(m, (x, y, z))],
        constraints=[
            da.Holonomic(z - sin(t), "table"),
            da.Holonomic(2 * z - 2 * sin(t), "again"),
            da.Nonholonomic(x.diff() ** 2 + y.diff() ** 2 - z.diff() ** 2, "cone"),
        ],
        parameters={m: 1.0},
    )
    found = system.start({x.diff(): 1.0, y.diff(): 2.0}, t=0.5)
    assert_allclose(found.state[z], np.sin(0.5), rtol=1e-14)
    assert_allclose(found.state[z.diff()], np.cos(0.5), rtol=1e-12)
    assert_allclose(np.hypot(found.state[x.diff()], found.state[y.diff()]), np.cos(0.5), rtol=1e-12)
    assert_allclose(found.residuals.distance, 0, atol=1e-12)


def test_friction_at_rest_does_not_stand_in_the_way():
    mu = symbols("mu", positive=True)
    rough = da.System.from_lagrangian(
        m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y,
        [x, y],
        constraints=[da.Holonomic(x**2 + y**2 - R**2, nature=da.Coulomb(mu))],
        parameters=VALUES | {mu: 0.3},
    )
    assert_allclose(rough.start({y: -3.0}).state[y], -2.0)


def test_singular_mass():
    tied = da.System.from_lagrangian(
        m * x.diff() ** 2, [x, y], constraints=[da.Holonomic(y - cos(x))], parameters={m: 1.0}
    )
    found = tied.start({x: 0.4, y: 3.0})
    assert_allclose(found.state[y], np.cos(found.state[x]), rtol=1e-13)
    assert_allclose(found.state[x], 0.4, atol=1e-6)  # y has no mass: it alone moves


@pytest.mark.parametrize(
    ("guess", "fixed", "word"),
    [({z: 1.0}, (), "z"), ({x: 1.0}, ("w",), "w"), ({x: float("nan")}, (), "finite")],
)
def test_wrong_input(guess, fixed, word):
    with pytest.raises(da.StateError, match=word):
        ring().start(guess, fixed)
