"""A plate on four equal cranks: of eight rows six hold, and which are taken changes at every dead centre of two."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from sympy import cos, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, theta = dynamicsymbols("x y theta")
cranks = dynamicsymbols("a1:5")
FEET = ((0.0, 0.0), (2.0, 0.0), (0.5, 1.5), (-1.4, -1.73))
R, M, TURN = 0.59, 0.83, 1.0
INERTIAS = (0.53, 0.66, 0.55, 0.53)


@pytest.mark.parametrize("singular", ["stop", "pass"])
@pytest.mark.parametrize(("angle", "rate"), [(1.79, 4.95), (0.3, -6.1), (2.9, 5.4)])
def test_it_turns_as_one_crank(singular, angle, rate) -> None:
    rows = []
    for (u, v), a in zip(FEET, cranks, strict=True):
        rows.append(da.Holonomic(x + u * cos(theta) - v * sin(theta) - u - R * cos(a)))
        rows.append(da.Holonomic(y + u * sin(theta) + v * cos(theta) - v - R * sin(a)))
    system = da.System.from_lagrangian(
        M * (x.diff() ** 2 + y.diff() ** 2) / 2
        + TURN * theta.diff() ** 2 / 2
        + sum(j * a.diff() ** 2 / 2 for j, a in zip(INERTIAS, cranks, strict=True))
        - M * y,
        [x, y, theta, *cranks],
        constraints=rows,
    )
    start = {x: R * np.cos(angle), y: R * np.sin(angle), theta: 0, theta.diff(): 0}
    start |= {x.diff(): -R * np.sin(angle) * rate, y.diff(): R * np.cos(angle) * rate}
    start |= dict.fromkeys(cranks, angle) | {a.diff(): rate for a in cranks}
    motion = system.simulate(start, until=6.0, singular=singular)
    mass = sum(INERTIAS) + M * R**2
    truth = solve_ivp(
        lambda _, s: [s[1], -M * R * np.cos(s[0]) / mass], (0, 6.0), [angle, rate], "DOP853", rtol=1e-13, atol=1e-13
    )
    end = motion.at(6.0)
    assert_allclose(end[3:7], truth.y[0, -1], rtol=1e-10)
    assert_allclose(end[10:], truth.y[1, -1], rtol=1e-10)
    assert_allclose(end[2], 0.0, atol=1e-11)
    assert motion.verify().passed
