"""What the files of the gallery say of their motion is so, by closed forms."""

from functools import cache
from math import atan, cos, pi, sin, sqrt

import numpy as np
import pytest

import dalembert as da
from dalembert import gallery

pytest.importorskip("heyoka", reason="heyoka has wheels for Linux only")


@cache
def moved(name):
    system = da.System.load(gallery.path(name))
    return {s.name: value for s, value in system.values}, system.simulate()


def events(motion, kind):
    return [event.time for event in motion.events if event.kind == kind]


def test_the_hemisphere_is_left_at_two_thirds():
    _, motion = moved("hemisphere")
    (time,) = events(motion, "release")
    assert cos(motion.at(time)[1]) == pytest.approx(2 / 3 * cos(0.1), rel=1e-12)
    assert motion.at(1.1)[0] > 1.05  # and flies


def test_the_ball_bounces_until_the_bounces_have_added_up():
    values, motion = moved("bouncing-ball")
    fall, e = sqrt(2 * values["h"] / values["g"]), values["e"]
    (end,) = events(motion, "rest")
    assert end == pytest.approx(fall * (1 + e) / (1 - e), rel=1e-9)
    assert events(motion, "impact")[:5] == pytest.approx(
        [fall * (1 + 2 * sum(e**k for k in range(1, n + 1))) for n in range(5)], rel=1e-12
    )
    assert motion.end_values == pytest.approx([0.5 * 5, 0, 0.5, 0], abs=1e-9)


def test_the_belt_carries_and_lets_go():
    values, motion = moved("belt")
    k, v, w = values["k"], values["v"], sqrt(values["k"] / values["m"])
    surplus = (values["mu_s"] - values["mu"]) * values["m"] * values["g"]
    times = [e.time for e in motion.events if e.kind in ("stick", "slip")]
    sticks, slips = np.diff(times)[::2], np.diff(times)[1::2]  # it starts slower than the belt, which soon holds it
    assert len(slips) > 4
    assert sticks[1:] == pytest.approx(2 * surplus / (k * v), rel=1e-9)
    assert slips == pytest.approx(2 * (pi - atan(surplus * w / (k * v))) / w, rel=1e-9)


def test_the_block_stops_on_the_incline_and_the_puck_on_the_table():
    values, motion = moved("incline")
    slows = values["g"] * (values["mu"] * cos(values["alpha"]) - sin(values["alpha"]))
    assert events(motion, "stick") == pytest.approx([values["v"] / slows], rel=1e-12)
    assert motion.end_values[2:] == pytest.approx([0, 0], abs=1e-14)
    values, motion = moved("puck")
    assert events(motion, "stick") == pytest.approx([sqrt(5) / (values["mu"] * values["g"])], rel=1e-12)
    assert motion.y[0] == pytest.approx(2 * motion.y[1], rel=1e-12)  # straight on


def test_the_rod_leaves_the_wall():
    """By SciPy on the equations of Newton and Euler, with both friction forces at mu times the normal forces."""
    from scipy.integrate import solve_ivp

    values, motion = moved("rod")
    m, g, length, mu = (values[name] for name in ("m", "g", "l", "mu"))

    def solved(theta, rate):
        """x'', y'', theta'', and the forces of floor and wall."""
        c, s = length / 2 * cos(theta), length / 2 * sin(theta)
        rows = [
            [m, 0, 0, mu, -1],
            [0, m, 0, -1, -mu],
            [0, 0, m * length**2 / 12, c - mu * s, -s - mu * c],
            [0, 1, -c, 0, 0],
            [1, 0, s, 0, 0],
        ]
        return np.linalg.solve(rows, [0, -m * g, 0, -s * rate**2, -c * rate**2])

    def wall(_, state):
        return solved(*state)[4]

    wall.terminal = True
    start = [values["theta0"], -values["w"]]
    found = solve_ivp(lambda _, q: [q[1], solved(*q)[2]], (0, 1), start, "DOP853", events=wall, rtol=1e-12, atol=1e-12)
    (time,) = events(motion, "release")
    assert time == pytest.approx(found.t[-1], rel=1e-9)
