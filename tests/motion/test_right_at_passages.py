"""Forces right at a place that a motion passed, where its rows lose their rank and forces are 0/0."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from sympy import Rational
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y = dynamicsymbols("x y")
X, Y = x.diff(), y.diff()
t = dynamicsymbols._t
rod = x**2 + y**2 - 1
NEAR = np.array([-1e-3, -1e-6, -1e-9, 0.0, 1e-12, 1e-9, 1e-4])


def test_the_node_of_a_lemniscate() -> None:
    """At its node it has no curvature: the force goes through zero there, by −3 v³ of every second."""
    eight = da.System.from_lagrangian((X**2 + Y**2) / 2, [x, y], constraints=[da.Holonomic(rod**2 + 4 * y**2 - 1)])
    assert (rod**2 + 4 * y**2 - 1 - ((x**2 + y**2) ** 2 - 2 * (x**2 - y**2))).expand() == 0
    start, until = {x: np.sqrt(2), Y: 1.0}, 4.5
    (event,) = eight.simulate(start, until=until, singular="pass").events
    motion = eight.simulate(start, until=until, singular="pass", samples=[0.0, *(event.time + NEAR), until])
    along = motion.along
    rate = 3 / np.sqrt(2)  # of the curvature of r² = 2 cos 2θ, 3r/2, along its length
    assert_allclose(np.linalg.norm(along.ideal[1:-1], axis=1), rate / np.sqrt(2) * np.abs(NEAR), rtol=1e-5, atol=1e-9)
    assert_allclose(along.acceleration, along.ideal, atol=1e-15)
    assert np.ptp(along.multipliers[1:-1]) < 1e-5 * np.abs(along.multipliers[0])
    assert motion.verify().passed


def swung(times):
    """A pendulum of length one let go at 0.9 rad from below, by DOP853: what its rod pulls with, along x and y."""
    tight = {"rtol": 3e-14, "atol": 1e-15, "method": "DOP853", "t_eval": times}
    u, w = solve_ivp(lambda _, u: [u[1], -9.81 * np.sin(u[0])], (0, times[-1]), [0.9, 0.0], **tight).y
    pull = -9.81 * np.cos(u) - w**2
    return pull[:, None] * np.column_stack([np.sin(u), -np.cos(u)])


@pytest.mark.parametrize("factors", [[t - 3], [t - 3, (t - 3) ** 2]], ids=["one", "redundant"])
def test_a_rod_whose_rows_are_nothing_for_a_moment(factors) -> None:
    """Its multiplier grows without bound, its force does not; at the moment itself rows hold nothing."""
    system = da.System.from_lagrangian(
        (X**2 + Y**2) / 2 - Rational(981, 100) * y, [x, y], constraints=[da.Holonomic(rod * f) for f in factors]
    )
    start = {x: np.sin(0.9), y: -np.cos(0.9)}
    samples = np.array([0.0, 2.9, *(3 + NEAR), 3.1, 6.0])
    motion = system.simulate(start, until=6.0, singular="pass", samples=samples)
    assert [event.kind for event in motion.events][-1] == "passed"
    assert_allclose(motion.along.ideal, swung(samples), atol=1e-6)
    if len(factors) == 1:
        away = samples != 3.0
        rows = 2 * motion.y[:2].T * (samples - 3)[:, None]
        assert_allclose((rows * motion.along.multipliers)[away], motion.along.ideal[away], rtol=1e-9)
        assert motion.along.multipliers[~away] == 0.0
    assert motion.verify().passed
    assert system.simulate(start, until=6.0, singular="pass").verify().passed  # 3 is among the usual samples
