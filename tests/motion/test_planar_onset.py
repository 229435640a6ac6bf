"""Friction in a plane that begins to slip under a load that grows: tables that move, feet, wheels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from sympy import Rational, cos, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z, turn, a, b, low, high = dynamicsymbols("x y z theta a b low high")
X, Y, W = x.diff(), y.diff(), turn.diff()
t = dynamicsymbols._t
G = 9.81


def on_table(mu, sliding, normal="ideal") -> da.System:
    """A puck on a rough table that moves."""
    kinetic = (X**2 + Y**2 + z.diff() ** 2) / 2
    rough = da.Holonomic(z, name="table", nature=da.Coulomb(mu, normal=normal, sliding=sliding))
    return da.System.from_lagrangian(kinetic - G * z, [x, y, z], constraints=[rough])


@pytest.mark.parametrize("rate", [0.3, 2.0, 40.0])
@pytest.mark.parametrize("angle", [0.0, 0.7])
def test_a_belt_that_speeds_up_ever_faster_is_left_behind(rate, angle) -> None:
    """It moves with kt²/2 as long as kt < μg, and then with μg alone: by closed forms."""
    mu, along = 0.2, np.array([np.cos(angle), np.sin(angle)])
    belt = rate * t**2 / 2
    leaves = mu * G / rate
    motion = on_table(mu, [X - along[0] * belt, Y - along[1] * belt]).simulate({}, until=3 * leaves)
    (slip,) = motion.events
    assert slip.kind == "slip"
    assert_allclose(slip.time, leaves, rtol=1e-12)
    late = np.maximum(motion.t - leaves, 0)
    first = np.minimum(motion.t, leaves)
    speed = rate * first**2 / 2 + mu * G * late
    way = rate * first**3 / 6 + rate * leaves**2 / 2 * late + mu * G * late**2 / 2
    assert_allclose(motion.y[3:5], np.outer(along, speed), atol=1e-11 * speed[-1])
    assert_allclose(motion.y[:2], np.outer(along, way), atol=1e-11 * way[-1])
    assert motion.verify().passed


@pytest.mark.parametrize("normal", ["ideal", "actual"])
def test_a_turntable_that_swings_throws_off_what_lies_on_it(normal) -> None:
    """ω = 3 sin t: it slips where r √(ω̇² + ω⁴) = μg, whatever it moves with."""
    w = 3 * sin(t)
    motion = on_table(0.3, [X + w * y, Y - w * x], normal).simulate({x: 0.5}, until=6.0)
    (slip,) = motion.events
    needed = brentq(lambda s: 0.5 * np.hypot(3 * np.cos(s), 9 * np.sin(s) ** 2) - 0.3 * G, 0.1, 1.5, xtol=1e-15)
    assert_allclose(slip.time, needed, rtol=1e-12)
    assert motion.statistics["steps"] < 1000
    assert motion.verify().passed


def test_two_feet_of_a_plate_slip_together() -> None:
    """Each bears t along and ±0.3 t across: both slip at t √1.09 = μN, and each is slowed against its own velocity."""
    mu, inertia = 0.3, 1 / 6
    feet = [[X - s * sin(turn) * W / 2, Y + s * cos(turn) * W / 2] for s in (1, -1)]
    kinetic = (X**2 + Y**2) / 2 + W**2 * inertia / 2 + (low.diff() ** 2 + high.diff() ** 2) / 4
    rows = [
        da.Holonomic(u, name=name, nature=da.Coulomb(mu, sliding=foot))
        for u, name, foot in zip((low, high), ("one", "other"), feet, strict=True)
    ]
    plate = da.System.from_lagrangian(
        kinetic - G * (low + high) / 2, [x, y, turn, low, high], forces={x: 2 * t, turn: 0.3 * t}, constraints=rows
    )
    motion = plate.simulate({}, until=2.0, samples=401)
    bound = mu * G / 2
    assert [event.kind for event in motion.events] == ["slip", "slip"]
    assert_allclose([event.time for event in motion.events], bound / np.sqrt(1.09), rtol=1e-12)
    assert motion.statistics["steps"] < 1000
    assert motion.verify().passed

    def rate(time, state):
        q, v = state[:3], state[3:]
        force = np.array([2 * time, 0.0, 0.3 * time])
        for s in (1, -1):
            J = np.array([[1, 0, -s * np.sin(q[2]) / 2], [0, 1, s * np.cos(q[2]) / 2]])
            slides = J @ v
            force -= bound * J.T @ slides / np.linalg.norm(slides)
        return np.concatenate([v, force / [1, 1, inertia]])

    begun = 300  # some time after they began to slip
    mine = motion.y[[0, 1, 2, 5, 6, 7]]
    times = motion.t[begun:]
    found = solve_ivp(rate, (times[0], 2.0), mine[:, begun], "DOP853", times, rtol=1e-12, atol=1e-15)
    assert_allclose(mine[:, begun:], found.y, rtol=1e-8, atol=1e-11)


def test_a_cart_on_two_wheels_rolls_from_a_start_at_which_all_is_zero() -> None:
    """Two wheels hold the same sideways. As long as they stick, the velocity and the turn are those of the wheels."""
    track, radius = Rational(1, 2), Rational(1, 5)
    rows = []
    for s, wheel, u in ((1, a, low), (-1, b, high)):
        vx, vy = X - s * track * cos(turn) * W, Y - s * track * sin(turn) * W
        slides = [vx * cos(turn) + vy * sin(turn) - radius * wheel.diff(), -vx * sin(turn) + vy * cos(turn)]
        rows.append(da.Holonomic(u, nature=da.Coulomb(0.5, sliding=slides)))
    kinetic = X**2 + Y**2 + W**2 / 10 + (a.diff() ** 2 + b.diff() ** 2) / 100
    kinetic += (low.diff() ** 2 + high.diff() ** 2) / 2
    torques = {a: 0.3 * sin(t), b: 0.8 * sin(2 * t)}
    cart = da.System.from_lagrangian(
        kinetic - G * (low + high), [x, y, turn, a, b, low, high], forces=torques, constraints=rows
    )
    motion = cart.simulate({}, until=2.0)
    slips = [event.time for event in motion.events]
    assert slips
    rolls = motion.t < slips[0]
    _, _, heading, *_, vx, vy, w, left, right, _, _ = motion.y[:, rolls]
    assert_allclose(vx * np.cos(heading) + vy * np.sin(heading), 0.2 * (left + right) / 2, atol=1e-11)
    assert_allclose(w, 0.2 * (right - left), atol=1e-11)
    assert motion.verify().passed
