"""Contacts where the motion turns back by itself: without them no gap is below zero, so that nothing is struck."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from sympy import Piecewise, Rational, cos, sin, sqrt
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, angle = dynamicsymbols("x y theta")
X, Y, A = x.diff(), y.diff(), angle.diff()
t = dynamicsymbols._t
G = 9.81
END = {None: 1e-10, 1e-8: 1e-4}  # how exactly, at a tolerance
CRANK = da.Holonomic(x - cos(angle) - sqrt(4 - sin(angle) ** 2), "crank")
BOUNCE = [0, Rational(1, 2), 1]


def crank_and_slider(wall, e):
    """The slider of a crank of 1 and a rod of 2, with a wall before it."""
    buffer = da.OneSided(wall - x, restitution=e, name="wall")
    return da.System.from_lagrangian((A**2 + X**2) / 2, [angle, x], constraints=[CRANK, buffer])


def slope(a):
    """dx/dθ of the slider."""
    return -np.sin(a) - np.sin(a) * np.cos(a) / np.sqrt(4 - np.sin(a) ** 2)


def turned(a, rate, until):
    """The angle of the crank later, by SciPy: (1 + (dx/dθ)²) θ′² stays what it is."""
    energy = (1 + slope(a) ** 2) * rate**2
    found = solve_ivp(
        lambda _, s: np.sign(rate) * np.sqrt(energy / (1 + slope(s) ** 2)), (0, until), [a], "DOP853",
        rtol=1e-13, atol=1e-14,
    )  # fmt: skip
    return found.y[0, -1]


@pytest.mark.parametrize("e", BOUNCE)
@pytest.mark.parametrize("tolerance", END)
@pytest.mark.parametrize(("begin", "rate"), [(-1.0, 1.0), (-0.97, 1.443), (-0.615, 2.466), (-2.4, 0.7)])
def test_a_wall_at_the_dead_centre(begin, rate, tolerance, e) -> None:
    motion = crank_and_slider(3, e).simulate({angle: begin, A: rate}, until=9.0, tolerance=tolerance)
    assert motion.events == ()
    assert_allclose(motion.end[angle], turned(begin, rate, 9.0), atol=END[tolerance])
    assert motion.verify().passed


@pytest.mark.parametrize("inside", [1e-3, 1e-6, 1e-8, 1e-10])
def test_a_wall_before_the_dead_centre_is_struck(inside) -> None:
    """At 3 − x ≈ (3/4) θ², with θ′ reversed by the restitution."""
    motion = crank_and_slider(3 - inside, 0.5).simulate({angle: -1.0, A: 1.0}, until=1.5)
    (impact,) = motion.events
    speed = np.sqrt((1 + slope(-1.0) ** 2) / (1 + slope(impact.state[0]) ** 2))
    assert_allclose(impact.state[0], -np.sqrt(4 * inside / 3), rtol=1e-3)
    assert_allclose(impact.state[2], -speed / 2, rtol=1e-8)
    assert motion.verify().passed


@pytest.mark.parametrize("e", BOUNCE)
@pytest.mark.parametrize("tolerance", END)
@pytest.mark.parametrize("begin", [-0.9, -0.64, 0.68, 2.26])
def test_a_bead_on_a_ring_that_touches_the_floor(begin, tolerance, e) -> None:
    floor = da.OneSided(y + 1, restitution=e, name="floor")
    ring = da.System.from_lagrangian(
        (X**2 + Y**2) / 2 - G * y, [x, y], constraints=[da.Holonomic(x**2 + y**2 - 1, "ring"), floor]
    )
    start = {x: np.cos(begin), y: np.sin(begin)}
    motion = ring.simulate(start, until=6.0, tolerance=tolerance)
    assert motion.events == ()
    swung = solve_ivp(lambda _, s: [s[1], -G * np.cos(s[0])], (0, 6), [begin, 0], "DOP853", rtol=1e-13, atol=1e-14).y[
        0, -1
    ]
    assert_allclose(motion.end_values[:2], [np.cos(swung), np.sin(swung)], atol=END[tolerance])
    assert motion.verify().passed


@pytest.mark.parametrize("e", BOUNCE)
@pytest.mark.parametrize(
    "gap", [1 - cos(angle), angle**2, (1 - cos(angle)) ** 2, angle**4, 3 * angle**2 / (1 + angle**2)], ids=str
)
@pytest.mark.parametrize("begin", [-1.54, -0.88, -0.35])
def test_a_pendulum_over_a_gap_that_has_no_slope_at_its_lowest_point(begin, gap, e) -> None:
    pendulum = da.System.from_lagrangian(A**2 / 2 + G * cos(angle), [angle], constraints=[da.OneSided(gap, e)])
    motion = pendulum.simulate({angle: begin}, until=4.0)
    assert motion.events == ()
    swung = solve_ivp(lambda _, s: [s[1], -G * np.sin(s[0])], (0, 4), [begin, 0], "DOP853", rtol=1e-13, atol=1e-14).y[
        :, -1
    ]
    assert_allclose(motion.end_values, swung, atol=1e-10)
    assert motion.verify().passed


@pytest.mark.parametrize("rate", [1.0, 0.0, -1.0])
def test_from_where_it_touches(rate) -> None:
    motion = crank_and_slider(3, 0.5).simulate({angle: 0, x: 3, A: rate}, until=2.0)
    assert motion.events == ()
    assert_allclose(motion.end[angle], turned(0.0, rate, 2.0), atol=1e-11)
    assert motion.verify().passed


@pytest.mark.parametrize("order", [4, 5, 6, 7, 9, 11])
def test_what_comes_to_a_wall_ever_more_slowly(order) -> None:
    """1 − x = (1 − t)ⁿ up to the wall: of odd n it is pressed from then on, of even n it turns back."""
    force = -order * (order - 1) * (1 - t) ** (order - 2)
    motion = da.System.from_forces([[1]], [force], [x], constraints=[da.OneSided(1 - x)]).simulate(
        {X: order}, until=1.7
    )
    assert motion.verify().passed
    beyond = 0.7**order if order % 2 == 0 else 0.0
    assert_allclose(motion.end[x], 1 - beyond, atol=1e-10)
    assert_allclose(motion.at(0.9), [1 - 0.1**order, order * 0.1 ** (order - 1)], atol=1e-12)


def test_a_platform_that_leaves_what_rests_on_a_shelf() -> None:
    """With no speed, no acceleration: the block stays on the shelf that is left."""
    way = 10 * (t - 1) ** 3 - 15 * (t - 1) ** 4 + 6 * (t - 1) ** 5
    platform = Piecewise((0, t <= 1), (way, t < 2), (1, True))
    on = [da.OneSided(y - 1, name="shelf"), da.OneSided(y - platform, name="platform")]
    motion = da.System.from_lagrangian(Y**2 / 2 - G * y, [y], constraints=on).simulate({y: 1}, until=4.0)
    assert [(event.kind, event.time) for event in motion.events] == [("switch", 1.0), ("switch", 2.0)]
    assert_allclose(motion.y[0], 1.0, atol=1e-13)
    assert_allclose(motion.y[1], 0.0, atol=1e-13)
    assert motion.verify().passed
