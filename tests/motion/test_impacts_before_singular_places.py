"""Impacts right before a place where constraints lose their rank: told once, counted once, and never gone back over."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Rational
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z = dynamicsymbols("x y z")
X, Y, Z = x.diff(), y.diff(), z.diff()
G = 9.81


def crossing(mass, e):
    """A point on one of two lines that cross, pushed along by another that runs after it."""
    return da.System.from_lagrangian(
        (X**2 + Y**2 + mass * Z**2) / 2,
        [x, y, z],
        constraints=[da.Holonomic(x * y, "lines"), da.OneSided(x - z, restitution=e, name="buffer")],
    )


@pytest.mark.parametrize("singular", ["stop", "pass"])
def test_onto_a_groove_above_its_apex(singular) -> None:
    """Of two sides y = ±x one is struck at x = 0.1, and leads to where both meet: beyond it no motion is sure."""
    groove = da.System.from_lagrangian(
        (X**2 + Y**2) / 2 - G * y, [x, y], constraints=[da.OneSided(y**2 - x**2, name="groove")]
    )
    motion = groove.simulate({y: 0.9, x: 0.1}, until=2.0, singular=singular, throw=False)
    assert motion.status.ending == "singular"
    speed = np.sqrt(2 * G * 0.8)
    (impact,) = motion.events
    assert (impact.kind, impact.name) == ("impact", "groove")
    assert_allclose(impact.time, speed / G, rtol=1e-13)
    assert_allclose(impact.state, [0.1, 0.1, -speed / 2, -speed / 2], rtol=1e-12)
    assert_allclose(motion.dataset.impact_work[-1], -(speed**2) / 4, rtol=1e-12)
    assert np.ptp(motion.dataset.balance.values) < 1e-12
    assert motion.verify().passed


@pytest.mark.parametrize("ahead", [0.4, 0.32, 0.3, 0.28, 0.25, 0.2, 0.15, 0.1, 0.01, 0.001])
@pytest.mark.parametrize("singular", ["stop", "pass"])
def test_a_buffer_strikes_before_lines_cross(ahead, singular) -> None:
    """Equal masses exchange their velocities; at t = 1 the one that was at rest comes to the crossing."""
    motion = crossing(1, 1).simulate({x: -ahead, z: -1, Z: 1}, until=2.0, singular=singular, throw=False)
    (impact,) = (event for event in motion.events if event.kind == "impact")
    assert_allclose(impact.time, 1 - ahead, rtol=1e-12)
    assert_allclose(impact.state, [-ahead, 0, -ahead, 1, 0, 0], atol=1e-12)
    if singular == "pass":
        assert [event.kind for event in motion.events] == ["impact", "passed"]
        assert_allclose(motion.end_values, [1, 0, -ahead, 1, 0, 0], atol=1e-11)
    else:
        assert motion.status.ending == "singular"
        assert "the rank of the constraints drops at t = 1:" in motion.status
        assert 1 - 2e-3 * ahead < motion.end_time < 1
    assert abs(float(motion.dataset.impact_work[-1])) < 1e-14
    assert motion.verify().passed


@pytest.mark.parametrize("ahead", [1e-2, 1e-3, 1e-4])
def test_a_crossing_right_behind_an_impact(ahead) -> None:
    """It lies in the first part of a long step: 3 of mass give 1 of it 9/8 of the speed they gain on it."""
    start = {x: -1, X: 0.5, z: -2, Z: (2 - ahead) / (2 - 2 * ahead)}
    system, struck = crossing(3, Rational(1, 2)), 2 - 2 * ahead
    after = 0.5 + 1.125 * (start[Z] - 0.5)
    with pytest.raises(da.RunError, match="the rank of the constraints drops") as caught:
        system.simulate(start, until=2.7)
    assert caught.value.motion.status.ending == "singular"
    assert caught.value.motion.end_time <= struck + ahead / after
    motion = system.simulate(start, until=2.7, singular="pass")
    assert [event.kind for event in motion.events] == ["impact", "passed"]
    assert_allclose([event.time for event in motion.events], [struck, struck + ahead / after], rtol=1e-12)
    assert_allclose(motion.end[x], -ahead + after * (2.7 - struck), rtol=1e-11)
    assert motion.verify().passed
