"""Places where a curve crosses itself, passed again and again: however fast, and however long the run."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, a, b = dynamicsymbols("x y a b")


def pace(u):
    return np.sqrt(np.sin(u) ** 2 + np.cos(2 * u) ** 2)


@pytest.mark.parametrize("speed", [0.5, 0.7, 1.0, 1.3, 1.7, 2.2, 5.0])
def test_an_eight_is_run_through_at_a_constant_speed(speed) -> None:
    """(cos u, sin u cos u) has the length of its arc for the time: twice through the crossing in every turn."""
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2, [x, y], constraints=[da.Holonomic(x**4 - x**2 + y**2)]
    )
    turn = quad(pace, 0, 2 * np.pi, epsabs=1e-13, limit=200)[0]
    motion = system.simulate({x: 1.0, y: 0.0, y.diff(): speed}, until=5 * turn / speed, singular="pass")
    crossings = [quad(pace, 0, u, epsabs=1e-13)[0] for u in (np.pi / 2, 3 * np.pi / 2)]
    expected = [(turn * k + c) / speed for k in range(5) for c in crossings]
    assert_allclose([event.time for event in motion.events], expected, rtol=1e-8)
    assert_allclose(motion.at(5 * turn / speed)[:2], [1.0, 0.0], atol=2e-9)
    assert motion.verify().passed


@pytest.mark.parametrize("until", [3.4, 3.5, 4.0, 5.0, 6.0])
def test_a_parallelogram_goes_on_wherever_the_run_ends(until) -> None:
    """Of two equal cranks both swing alike: as one of the mass of both and the rod between them."""
    rows = [x**2 + y**2 - 1, (x - a) ** 2 + (y - b) ** 2 - 4, (a - 2) ** 2 + b**2 - 1]
    system = da.System.from_lagrangian(
        sum(q.diff() ** 2 for q in (x, y, a, b)) / 2 - y, [x, y, a, b], constraints=list(map(da.Holonomic, rows))
    )
    motion = system.simulate({x: 0, y: 1, a: 2, b: 1, x.diff(): -1}, until=until, singular="pass")
    assert_allclose(motion.y[2] - motion.y[0], 2.0, atol=1e-8)
    assert_allclose((motion.y[4:] ** 2).sum(axis=0) / 2 + motion.y[1], 2.0, atol=1e-8)
    assert motion.verify().passed
