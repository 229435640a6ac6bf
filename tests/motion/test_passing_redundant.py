"""Curves that cross themselves, stated with more rows than they need: passed as with no more than these."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z = dynamicsymbols("x y z")


@pytest.mark.parametrize("share", [(2, 1), (1, -1)])
def test_the_window_of_viviani_with_a_third_row(share) -> None:
    """(1 + cos u, sin u, 2 sin u/2) runs through (2, 0, 0) in every half of its length, at a constant speed."""
    rows = [x**2 + y**2 + z**2 - 4, (x - 1) ** 2 + y**2 - 1]
    rows.append(share[0] * rows[0] + share[1] * rows[1])
    square = sum(q.diff() ** 2 for q in (x, y, z))
    system = da.System.from_lagrangian(square / 2, [x, y, z], constraints=list(map(da.Holonomic, rows)))

    def length(u):
        return quad(lambda w: np.sqrt(1 + np.cos(w / 2) ** 2), np.pi, u, epsabs=1e-13)[0]

    start = {x: 0, y: 0, z: 2, x.diff(): 0, y.diff(): -1}
    motion = system.simulate(start, until=7.0, singular="pass")
    (passed,) = [event.time for event in motion.events if event.kind == "passed"]
    assert_allclose(passed, length(2 * np.pi), rtol=1e-8)
    u = brentq(lambda u: length(u) - 7, 5, 12, xtol=1e-14)
    assert_allclose(motion.end_values[:3], [1 + np.cos(u), np.sin(u), 2 * np.sin(u / 2)], atol=1e-8)
    assert motion.verify().passed


@pytest.mark.parametrize("factor", [3, 1000])
def test_two_circles_that_cross_stated_twice(factor) -> None:
    """A bead with a force goes round the one, as if the other were not there, whichever row it stands on."""
    both = ((x - 1) ** 2 + y**2 - 1) * (x**2 + y**2 - 1)
    lagrangian = (x.diff() ** 2 + y.diff() ** 2) / 2 - 0.765 * x + 0.585 * y
    rows = [da.Holonomic(both, name="once"), da.Holonomic(factor * both, name="twice")]
    system = da.System.from_lagrangian(lagrangian, [x, y], constraints=rows)
    u, w = -1.34, 0.898
    start = {x: np.cos(u), y: np.sin(u), x.diff(): -np.sin(u) * w, y.diff(): np.cos(u) * w}
    motion = system.simulate(start, until=5.0, singular="pass")

    def crossing(_, s):
        return np.cos(s[0]) - 0.5

    turn = solve_ivp(
        lambda _, s: [s[1], 0.765 * np.sin(s[0]) + 0.585 * np.cos(s[0])],
        (0, 5),
        [u, w],
        method="DOP853",
        events=crossing,
        rtol=1e-12,
        atol=1e-12,
    )
    assert_allclose([event.time for event in motion.events if event.kind == "passed"], turn.t_events[0], rtol=1e-8)
    assert_allclose(motion.end_values[:2], [np.cos(turn.y[0, -1]), np.sin(turn.y[0, -1])], atol=1e-8)
    assert motion.verify().passed
