"""Contacts struck at the very corner of their gap: a groove y ≥ |x| and a roof y ≥ −|x|."""

import pytest
from numpy.testing import assert_allclose
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y = dynamicsymbols("x y")
X, Y = x.diff(), y.diff()


def over(*gaps, weight=0, e=0):
    contacts = [da.OneSided(gap, restitution=e, name=f"side {k}") for k, gap in enumerate(gaps)]
    return da.System.from_lagrangian((X**2 + Y**2) / 2 - weight * y, [x, y], constraints=contacts)


@pytest.mark.parametrize("e", [0, 0.5, 1])
@pytest.mark.parametrize("shape", [abs(x), -abs(x)])
@pytest.mark.parametrize("start", [{x: 0, y: 0.02}, {x: -0.125, y: 0.25, X: 1, Y: -2}])
def test_a_ball_that_strikes_the_corner_of_one_contact(shape, start, e) -> None:
    """Which side it strikes first is not known, and the velocity after depends on it: nothing is guessed."""
    with pytest.raises(da.RunError, match="contact 'side 0' is at a corner of its gap") as caught:
        over(y - shape, weight=1 if Y not in start else 0, e=e).simulate(start, until=0.5)
    motion = caught.value.motion
    assert motion.status.ending == "paradox"
    assert_allclose(motion.end_time, 0.125 if Y in start else 0.2, rtol=1e-12)


def test_from_the_corner_itself() -> None:
    """Against both sides no law says what follows; along the one that velocities lead to, it is struck alone."""
    with pytest.raises(da.StateError, match="at a corner of its gap"):
        over(y - abs(x)).simulate({x: 0, y: 0, X: 1, Y: -2}, until=0.5)
    motion = over(y - abs(x)).simulate({x: 0, y: 0, X: 1}, until=0.5)
    assert_allclose(motion.end_values, [0.25, 0.25, 0.5, 0.5], rtol=1e-12)
    assert motion.verify().passed


@pytest.mark.parametrize("e", [0, 0.5, 1])
def test_two_contacts_take_part_together(e) -> None:
    """Of a groove of two sides a ball bounces straight up, with e times its speed."""
    motion = over(y - x, y + x, weight=1, e=e).simulate({x: 0, y: 0.02}, until=0.3)
    assert_allclose(motion.end_values, [0, 0.02 * e - 0.005 * (e > 0), 0, 0.2 * e - 0.1 * (e > 0)], atol=1e-12)


@pytest.mark.parametrize("beside", [0.001, -0.001])
def test_beside_the_corner_one_side_is_struck(beside) -> None:
    """A ball that falls onto a side at 45° is thrown sideways, without restitution along it."""
    motion = over(y - abs(x), weight=1).simulate({x: beside, y: 0.02 + abs(beside)}, until=0.201)
    side = 1 if beside > 0 else -1
    assert motion.events[0].kind == "impact"
    assert_allclose(motion.events[0].state[2:], [-0.1 * side, -0.1], rtol=1e-9)
