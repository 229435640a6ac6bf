"""Friction that follows the actual normal force, at one instant: against the system solved with it as an unknown."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

m, g, half, mu = symbols("m g l mu", positive=True)
x, y, theta = dynamicsymbols("x y theta")
TIP = y - half * sin(theta)  # of a uniform rod of length 2 l, on a rough floor
SLIDING = x.diff() + half * sin(theta) * theta.diff()


def rod(normal):
    kinetic = m * (x.diff() ** 2 + y.diff() ** 2) / 2 + m * half**2 * theta.diff() ** 2 / 6
    floor = da.Holonomic(TIP, "floor", nature=da.Coulomb(mu, normal=normal, sliding=SLIDING))
    values = {m: 1.0, g: 9.81, half: 1.0, mu: 0.5}
    return da.System.from_lagrangian(kinetic - m * g * y, [x, y, theta], constraints=[floor], parameters=values)


def state(angle, speed, turn):
    return {x: 0.0, y: np.sin(angle), theta: angle, x.diff(): speed, y.diff(): turn * np.cos(angle), theta.diff(): turn}


def newton(angle, speed, turn, size):
    """N of a uniform rod whose lower end slides: two forces at the end, three equations."""
    s, c = np.sin(angle), np.cos(angle)
    way = np.sign(speed + turn * s)
    # x'' = −way μ N, y'' = N − g, θ''/3 = N (−c) − way μ N s  (moment about the centre), y'' = c θ'' − s θ'²
    return (9.81 - s * turn**2) / (1 + 3 * c * (c + way * size * s)), way


@pytest.mark.parametrize("speed", [1.0, -1.0])
@pytest.mark.parametrize("angle", [0.4, 1.0, 1.4])
def test_the_normal_force_is_the_one_friction_leads_to(angle, speed):
    system, turn = rod("actual"), -0.3
    now = system.instant(state(angle, speed, turn))
    N, way = newton(angle, speed, turn, 0.5)
    assert_allclose(now.C, -0.5 * N * way * np.array([1.0, 0.0, np.sin(angle)]), rtol=1e-12)
    assert system.verify(state(angle, speed, turn)).passed
    assert np.abs(now.C - rod("ideal").instant(state(angle, speed, turn)).C).max() > 1e-2  # the papers' law is another


def test_where_it_is_not_unique_an_instant_says_so():
    here = state(1.1, -1.0, 0.0)
    with pytest.raises(da.StateError, match="Painlevé"):
        rod("actual").instant(here, parameters={mu: 2.0})


def test_its_equations_are_shown_factored():
    assert "actual normal force" in rod("actual").equations().text()


def test_friction_cannot_follow_the_actual_force_of_others():
    nature = da.Coulomb(mu, normal="actual", sliding=SLIDING, of="wall")
    with pytest.raises(da.ModelError, match="its own is meant"):
        da.System.from_lagrangian(
            m * (x.diff() ** 2 + y.diff() ** 2) / 2 + theta.diff() ** 2,
            [x, y, theta],
            constraints=[da.Holonomic(TIP, "floor", nature=nature), da.Holonomic(x, "wall")],
        )
