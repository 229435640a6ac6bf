"""Motions that begin all but at rest: forces known to rounding only, in balance, or under a root that is zero."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from sympy import Rational, cos, exp, lambdify, log, sin, sqrt, symbols

import dalembert as da
from dalembert.derive.shaking import shaken_acceleration
from dalembert.motion.blame import blame
from motion.systems import t, x, y

pytest.importorskip("heyoka", reason="heyoka has wheels for Linux only")
u, v = x.diff(), y.diff()
p, q, r, s = symbols("p q r s")


def by_scipy(forces, start, until):
    rates = lambdify([t, p, q, r, s], [f.subs({u: r, v: s}).subs({x: p, y: q}) for f in forces])
    found = solve_ivp(lambda at, z: [*z[2:], *rates(at, *z)], (0, until), start, "DOP853", rtol=1e-12, atol=1e-13)
    return found.y[:, -1]


SLOW = {
    "logarithm": (log(1 + t**12), 4.0),
    "root": (sqrt(1 + t**12) - 1, 4.0),
    "exponential": (exp(t**12) - 1, 1.2),
    "cosine": (cos(t**6) - 1, 2.0),
    "far from zero": (log(1000 + t**12) - log(1000), 4.0),
    "twice": (exp(exp(t**12) - 1) - 1, 1.05),
    "slower": (log(1 + t**30), 4.0),
    "sine": (sin(1 + t**12) - sin(1), 1.5),
    "quotient": (1 / (1 + t**14) - 1, 4.0),
}


@pytest.mark.parametrize("name", SLOW)
def test_a_force_that_is_rounding_at_first(name):
    force, until = SLOW[name]
    motion = da.System.from_forces([[1]], [force - x], [x]).simulate({}, until=until)
    other = by_scipy([force - x, 0 * y], np.zeros(4), until)[[0, 2]]
    assert_allclose(motion.y[:, -1], other, rtol=1e-9)
    assert motion.verify().passed


def test_the_same_with_constraints_and_other_coordinates():
    lagrangian = u**2 / 2 + v**2 + x * log(1 + t**12) - x**2 / 2 - (x - y) ** 2
    for rows in ([], [da.Holonomic(y - x**2, name="curve")]):
        assert da.System.from_lagrangian(lagrangian, [x, y], constraints=rows).simulate({}, until=3.0).verify().passed


def test_what_rounding_of_operations_makes_of_an_acceleration():
    system = da.System.from_forces([[2]], [log(1 + t**12) - x], [x])
    assert_allclose(shaken_acceleration(system, [0.0, 0.0, 1e-3]), 1 / 2, rtol=1e-3)  # of 1 + t¹² = 1
    plain = da.System.from_forces([[2]], [t**12 - x], [x])
    assert shaken_acceleration(plain, [0.0, 0.0, 1e-3])[0] < 1e-35


def test_no_growth_is_told_of_what_does_not_accelerate():
    found = blame(da.System.from_forces([[1]], [log(1 + t**12) - x], [x]), np.zeros(0), 0.0, np.zeros(2))
    assert not found.missing
    assert "grows" not in found.words


FAST = sqrt(u**2 + v**2)
BALANCED = {
    "drag by v|v| and a modulus": [cos(t) - x - u * sqrt((1 + x**2) * u**2), -y],
    "a product": [cos(t) - x - u * sqrt(x**2 * u**2), -y],
    "a power above one": [cos(t) - x - u * (u**2) ** Rational(3, 4), -y],
    "a power below one": [cos(t) - x - u * (u**2) ** Rational(1, 4), -y],
    "drag in a plane": [cos(t) - x - u * FAST, -y - v * FAST],
    "two at different paces": [cos(t) - x - u * FAST, t**4 / 9 - v * FAST],
    "slowly": [t**2 - u * FAST, t**3 - v * FAST],
    "root of a root": [t**5 - u * sqrt(FAST), -v * FAST],
}


@pytest.mark.parametrize("name", BALANCED)
def test_drag_from_rest_in_balance(name):
    """At rest at x = 1, where cos t − x is zero to rounding: neither x nor its drag is known to begin to move."""
    motion = da.System.from_forces([[1, 0], [0, 1]], BALANCED[name], [x, y]).simulate({x: 1.0}, until=5.0)
    assert_allclose(motion.y[:, -1], by_scipy(BALANCED[name], [1.0, 0, 0, 0], 5.0), rtol=1e-9, atol=1e-10)
    assert motion.verify().passed


@pytest.mark.parametrize("power", ["1/3", "1/2", "2/3", "4/3", "3/2", "5/2", "7/2"])
@pytest.mark.parametrize("size", [Rational(1, 10**8), 1, 10**8])
def test_a_broken_power_of_the_time_from_nothing(power, size):
    """ẍ = c tⁿ, all of it zero at first: x = c tⁿ⁺²/((n + 1)(n + 2)), and no series where the root is zero."""
    n = Rational(power)
    motion = da.System.from_forces([[1]], [size * t**n], [x]).simulate({}, until=3.0)
    assert motion.status == "finished: reached t = 3"
    n, c = float(n), float(size)
    s = motion.t
    assert_allclose(motion.y, c * s ** (n + 1) / (n + 1) * np.array([s / (n + 2), 1 + 0 * s]), rtol=1e-12)
    assert motion.verify()


def test_a_root_of_the_time_from_rest_beside_what_stays_at_rest():
    """A rod that hangs at rest, pushed by √t, and a block that friction holds until √t is as much."""
    rod = da.System.from_lagrangian(
        (u**2 + v**2) / 2 - 10 * y, [x, y], forces={x: sqrt(t)}, constraints=[da.Holonomic(x**2 + y**2 - 1)]
    )
    swing = rod.simulate({y: -1.0}, until=2.0)
    angle = solve_ivp(
        lambda s, z: [z[1], np.sqrt(s) * np.cos(z[0]) - 10 * np.sin(z[0])], (0, 2), [0, 0], rtol=1e-12, atol=1e-14
    )
    assert_allclose(swing.end[x], np.sin(angle.y[0, -1]), rtol=1e-8)
    floor = da.Holonomic(y, nature=da.Coulomb(Rational(1, 10)))
    block = da.System.from_lagrangian((u**2 + v**2) / 2 - 10 * y, [x, y], forces={x: sqrt(t)}, constraints=[floor])
    pushed = block.simulate({}, until=3.0)
    assert [event.kind for event in pushed.events] == ["slip"]
    assert_allclose(pushed.end[u], (3**1.5 - 1) / 1.5 - 2, rtol=1e-12)
    assert swing.verify()
    assert pushed.verify()


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("power", [Rational(1, 2), Rational(1, 3), Rational(3, 2)])
def test_a_root_of_the_time_moves_what_rests_in_zero(power, held):
    """A force tᵖ from t = 0: where nothing else is, neither speed nor acceleration, the time alone leaves the root."""
    rows = [da.Holonomic(x, name="rail")] if held else []
    system = da.System.from_lagrangian((u**2 + v**2) / 2, [x, y], forces=[t**power, t**power], constraints=rows)
    motion = system.simulate({}, until=2.0)
    p = float(power)
    end = [2.0 ** (p + 2) / (p + 1) / (p + 2), 2.0 ** (p + 1) / (p + 1)]
    assert_allclose(motion.y[1::2, -1], end, rtol=1e-12)
    assert_allclose(motion.y[::2, -1], [0.0, 0.0] if held else end, rtol=1e-12)
