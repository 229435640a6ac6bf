"""Minima are found on polynomials wherever steps fall, also between a long step and a short one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sympy import cos, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.motion.smooth.minima import parabola

a, b, x = dynamicsymbols("a b x")
pytestmark = pytest.mark.compiled


@given(
    st.integers(-8, 8), st.integers(1, 16), st.integers(1, 64), st.integers(1, 64), st.integers(-8, 8)
)  # fmt: skip
def test_the_least_of_a_parabola_is_found_by_any_three_of_its_points(least, bend, before, after, middle):
    left, mid, right = (float(least + bend * (time - 1) ** 2) for time in (middle - before, middle, middle + after))
    vertex, between = parabola(left, mid, right, before, after)
    assert_allclose(vertex, least, atol=1e-12 * max(abs(left), abs(mid), abs(right)) * max(before, after))
    if 1 not in (middle - before, middle + after):
        assert between == (middle - before < 1 < middle + after)


@pytest.mark.parametrize("angle", np.linspace(0.3, 1.5, 13))
@pytest.mark.parametrize("speed", [0.4, 1.13, 3.0])
def test_a_crank_and_rod_of_one_length_stop_at_their_change_point_from_any_start(angle, speed):
    """At a = b = π/2 both branches meet, wherever steps happen to end: one as long as 14 after it hid the place."""
    A, B, X = (q.diff() for q in (a, b, x))
    rows = [da.Holonomic(sin(a) - sin(b), "height"), da.Holonomic(cos(a) + cos(b) - x, "slider")]
    crank = da.System.from_lagrangian(0.85 * A**2 + 0.74 * B**2 + 0.76 * X**2, [a, b, x], constraints=rows)
    start = {a: angle, b: angle, x: 2 * np.cos(angle)}
    start |= {A: speed, B: speed, X: -2 * np.sin(angle) * speed}
    motion = crank.simulate(start, until=5.0, throw=False)
    assert motion.status.ending == "singular"
    assert 0 < np.pi / 2 - motion.end[a] < 2e-3
