"""A particle leaves a hemisphere: where, when and how it flies, in three statements; with friction too."""

import mpmath as mp
import numpy as np
import pytest
from sympy import cos, sqrt, symbols

import dalembert as da
from motion.switched import FRICTION, assert_allclose, leg, told
from motion.systems import dynamicsymbols, g, m, theta, x, y

pytestmark = pytest.mark.compiled
r = dynamicsymbols("r")
a, mu = symbols("a mu", positive=True)
VALUES = {m: 1.3, g: 9.81, a: 0.8}
G, A = 9.81, 0.8
GAPS = {"length": sqrt(x**2 + y**2) - a, "square": x**2 + y**2 - a**2}
STATEMENTS = ("polar", *GAPS)


def hemisphere(statement, nature=da.Ideal(), **values):  # noqa: B008  (a frozen value)
    """The particle in polar coordinates, θ from the top, or in Cartesian ones with the gap in two forms."""
    values = VALUES | ({mu: values["mu"]} if values else {})
    if statement == "polar":
        L = m * (r.diff() ** 2 + r**2 * theta.diff() ** 2) / 2 - m * g * r * cos(theta)
        surface, q = r - a, [r, theta]
    else:
        L = m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y
        surface, q = GAPS[statement], [x, y]
    return da.System.from_lagrangian(
        L, q, constraints=[da.OneSided(surface, name="surface", nature=nature)], parameters=values
    )


def start(statement, angle, rate=0.0):
    if statement == "polar":
        return {r: A, theta: angle, theta.diff(): rate}
    s, c = np.sin(angle), np.cos(angle)
    return {x: A * s, y: A * c, x.diff(): A * rate * c, y.diff(): -A * rate * s}


def cartesian(statement, states):
    """x, y, x', y' of states in either coordinates, (4, …)."""
    if statement != "polar":
        return np.array(states)
    r, angle, dr, da = states
    s, c = np.sin(angle), np.cos(angle)
    return np.array([r * s, r * c, dr * s + r * da * c, dr * c - r * da * s])


def leaves(eps):
    """When a particle let go at eps leaves, at cos θ = ⅔ cos eps: cos(θ/2) = k sin u with k = cos(eps/2)."""
    with mp.workdps(40):
        k = mp.cos(mp.mpf(eps) / 2)
        angle = mp.acos(2 * mp.cos(mp.mpf(eps)) / 3)
        u = mp.asin(mp.cos(angle / 2) / k)
        return float(mp.sqrt(mp.mpf(A) / G) * (mp.ellipk(k**2) - mp.ellipf(u, k**2))), float(angle)


def flight(times, angle, speed):
    """The parabola from the surface at an angle from the top, along its tangent."""
    s, c = np.sin(angle), np.cos(angle)
    vx, vy = speed * c, -speed * s
    return np.array([A * s + vx * times, A * c + vy * times - G * times**2 / 2, vx + 0 * times, vy - G * times])


def squared(angle, w0, mu):
    """w = aθ'²/g on a rough surface from the top on: dw/dθ = 2 sin θ − 2μ (cos θ − w), a linear equation."""
    p, q = (4 * mu**2 - 2) / (1 + 4 * mu**2), -6 * mu / (1 + 4 * mu**2)
    return p * mp.cos(angle) + q * mp.sin(angle) + (w0 - p) * mp.exp(2 * mu * angle)


def rough(w0, mu):
    """Angle and time at which it leaves a rough surface, w = cos θ, when it passes the top with w0."""
    with mp.workdps(30):
        w0, mu = mp.mpf(w0), mp.mpf(mu)
        angle = mp.findroot(lambda s: mp.cos(s) - squared(s, w0, mu), (0.5, 1.2), solver="anderson")
        time = mp.quad(lambda s: 1 / mp.sqrt(squared(s, w0, mu) * G / A), [0, mu, 2 * mu, angle])
        return float(time), float(angle), float(mp.sqrt(squared(angle, w0, mu) * G * A))


@pytest.mark.parametrize("eps", [1e-3, 0.1, 0.5])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_it_leaves_at_two_thirds_of_its_height_and_flies(statement, eps):
    time, angle = leaves(eps)
    motion = hemisphere(statement).simulate(start(statement, eps), until=time + 0.3, samples=101)
    (event,) = motion.events
    assert (event.kind, event.name, event.before, event.after) == ("release", "surface", "closed", "open")
    at = cartesian(statement, np.array(event.state))
    assert at[1] / np.hypot(at[0], at[1]) == pytest.approx(2 / 3 * np.cos(eps), abs=1e-12)
    assert event.time == pytest.approx(time, abs=1e-11 + 1e-14 / eps)
    speed = np.sqrt(2 / 3 * G * A * np.cos(eps))
    assert_allclose(at, flight(np.array(0.0), angle, speed), atol=1e-12)
    free = motion.t > event.time
    flown = cartesian(statement, motion.y[:, free])
    assert_allclose(flown, flight(motion.t[free] - time, angle, speed), atol=1e-11 + 1e-13 / eps)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_the_surface_pushes_until_then_and_not_after(statement):
    eps = 0.1
    time, _ = leaves(eps)
    motion = hemisphere(statement).simulate(start(statement, eps), until=time + 0.3, samples=101)
    on = motion.t < time
    px, py, _, _ = cartesian(statement, motion.y)
    push = 1.3 * G * (3 * py / np.hypot(px, py) - 2 * np.cos(eps))  # mg (3 cos θ − 2 cos eps)
    per = 2 * A if statement == "square" else 1.0
    force = motion.dataset.multiplier.values[:, 0]
    assert_allclose(force[on], push[on] / per, atol=1e-10)
    assert (force[~on] == 0).all()
    gap = np.hypot(px, py) - A
    assert np.abs(gap[on]).max() < 1e-13
    assert (gap[~on] > -1e-13).all()
    assert_allclose(motion.balance, motion.balance[0], atol=1e-12)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_at_rest_on_the_very_top_it_stays(statement):
    motion = hemisphere(statement).simulate(start(statement, 0.0), until=100.0, samples=11)
    assert not motion.events
    assert (motion.y == motion.y[:, :1]).all()


@pytest.mark.parametrize(("size", "margin"), [(0.1, 1.05), (0.1, 4.0), (0.3, 1.05), (0.3, 2.0)])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_on_a_rough_surface_it_leaves_where_the_linear_equation_says(statement, size, margin):
    """Just fast enough to pass the place where it is slowest, and faster."""
    w0 = margin * slowest(size)
    time, angle, speed = rough(w0, size)
    motion = hemisphere(statement, da.Coulomb(mu), mu=size).simulate(
        start(statement, 0.0, np.sqrt(w0 * G / A)), until=time + 0.2, samples=101
    )
    (event,) = told(motion, *FRICTION, "release")
    assert event.kind == "release"
    at = cartesian(statement, np.array(event.state))
    assert np.arctan2(at[0], at[1]) == pytest.approx(angle, abs=1e-11)
    assert event.time == pytest.approx(time, abs=1e-10)
    free = motion.t > event.time
    flown = cartesian(statement, motion.y[:, free])
    assert_allclose(flown, flight(motion.t[free] - time, angle, speed), atol=1e-10)
    lost = 1.3 * (G * A * (1 - np.cos(angle)) + w0 * G * A / 2 - speed**2 / 2)
    assert_allclose(motion.dataset.nonideal_work.values[free], -lost, atol=1e-11)


@pytest.mark.parametrize("size", [0.1, 0.3])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_little_too_slow_it_sticks_on_the_way(statement, size):
    w0 = 0.9 * slowest(size)
    with mp.workdps(30):
        edge = mp.atan(size)  # where it is slowest
        stop = float(mp.findroot(lambda s: squared(s, mp.mpf(w0), mp.mpf(size)), (0, edge), solver="anderson"))
    motion = hemisphere(statement, da.Coulomb(mu), mu=size).simulate(
        start(statement, 0.0, np.sqrt(w0 * G / A)), until=50.0, samples=501
    )
    (event,) = told(motion, *FRICTION, "release")
    assert (event.kind, event.after) == ("stick", "sticks")
    at = cartesian(statement, np.array(event.state))
    assert np.arctan2(at[0], at[1]) == pytest.approx(stop, abs=1e-11)
    after = motion.y[:, motion.t > event.time]
    assert (after == after[:, :1]).all()


def slowest(size):
    """The least w0 with which it passes a rough top: the one whose least w is zero."""
    with mp.workdps(30):
        k = mp.mpf(size)
        w = mp.findroot(lambda w, s: (squared(s, w, k), mp.sin(s) - k * mp.cos(s)), (k**2, k))[0]
        return float(w)


def test_the_linear_equation_is_that_of_motion():
    """The closed form against SciPy on θ'' = (g/a) sin θ − μ ((g/a) cos θ − θ'²)."""
    for size, margin in ((0.1, 1.05), (0.3, 2.0)):
        w0 = margin * slowest(size)
        time, angle, speed = rough(w0, size)
        end = leg(
            lambda _, s, size=size: [s[1], G / A * np.sin(s[0]) - size * (G / A * np.cos(s[0]) - s[1] ** 2)],
            0.0, [0.0, np.sqrt(w0 * G / A)], 10.0, [lambda _, s: G / A * np.cos(s[0]) - s[1] ** 2],
        )  # fmt: skip
        assert_allclose([end.time, *end.state], [time, angle, speed / A], atol=1e-11)
    for eps in (1e-3, 0.5):
        end = leg(
            lambda _, s: [s[1], G / A * np.sin(s[0])],
            0.0, [eps, 0.0], 10.0, [lambda _, s: G / A * np.cos(s[0]) - s[1] ** 2],
        )  # fmt: skip
        assert_allclose([end.time, end.state[0]], leaves(eps), atol=1e-10)
