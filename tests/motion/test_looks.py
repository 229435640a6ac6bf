"""How often a run is looked at: at least 400 times, nowhere much further apart, and not needlessly."""

import pytest
from sympy import cos
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

pytest.importorskip("heyoka", reason="heyoka has wheels for Linux only")
theta = dynamicsymbols("theta")
W = theta.diff()
SWING = da.System.from_lagrangian(W**2 / 2 + cos(theta), [theta], initial={theta: 2.0})


@pytest.mark.parametrize("until", [1e-3, 0.3, 10.0, 60.0, 200.0, 1000.0])
def test_as_often_as_is_said(until) -> None:
    """Every step at least twice, and no more often than the longest of them asks for."""
    motion = SWING.simulate(until=until, samples=2)
    steps, looks = motion.statistics["steps"], motion.statistics["looked_at"]
    assert max(400, 2 * steps) <= looks <= 3 * max(400, 2 * steps)
