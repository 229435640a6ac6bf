"""What a step cannot see at its beginning: faint forces, corners, lost rank; and starts a little off."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad, solve_ivp
from sympy import Rational, atan, atan2, cos, cosh, exp, lambdify, pi, sin, sqrt, symbols, tanh

import dalembert as da
from motion.systems import pendulum, t, x, y

pytest.importorskip("heyoka", reason="heyoka has wheels for Linux only")
WALLS = {
    "morse": ((1 - exp(-5 * x)) ** 2, 20.0, -1.0, 40.0),
    "wall": (exp(-200 * x), 10.0, -1.0, 20.0),
    "hill": (2 * exp(-400 * (x - 5) ** 2), 0.0, 1.0, 10.0),
    "sech": (2 / cosh(5 * (x - 10)) ** 2, 0.0, 1.0, 20.0),
    "step": (2 * tanh(10 * (x - 10)), 0.0, 1.0, 20.0),
    "well": (-1 / (1 + exp((x - 2) / Rational(1, 10))), 20.0, -1.0, 25.0),
}


@pytest.mark.parametrize("name", WALLS)
def test_walls_that_are_nothing_from_afar(name):
    potential, place, speed, until = WALLS[name]
    motion = da.System.from_lagrangian(x.diff() ** 2 / 2 - potential, [x]).simulate({x: place, x.diff(): speed}, until)
    q = symbols("q")
    force = lambdify(q, -potential.subs(x, q).diff(q))
    answer = solve_ivp(
        lambda _, s: [s[1], force(s[0])], (0, until), [place, speed], "DOP853", rtol=1e-12, atol=1e-12, max_step=0.01
    )
    assert_allclose(motion.y[:, -1], answer.y[:, -1], atol=1e-7)
    assert_allclose(motion.balance, motion.balance[0], atol=1e-9)


@pytest.mark.parametrize("pulse", [exp(-(((t - 5) * 10) ** 2)), 1 + tanh(100 * (t - 5)), exp(-(((t - 5) * 3) ** 2))])
def test_pulses_in_time(pulse):
    motion = da.System.from_lagrangian(x.diff() ** 2 / 2, [x], forces={x: pulse}).simulate({}, until=10.0)
    push, _ = quad(lambdify(t, pulse), 0, 10, points=[4.9, 5.0, 5.1], epsabs=1e-13, epsrel=1e-13)
    assert_allclose(motion.y[1, -1], push, rtol=1e-10)


def test_a_shorter_pulse_needs_a_shorter_step():
    system = da.System.from_lagrangian(x.diff() ** 2 / 2, [x], forces={x: exp(-(((t - 5) * 1000) ** 2))})
    motion = system.simulate({}, until=10.0, max_step=0.005)
    assert_allclose(motion.y[1, -1], np.sqrt(np.pi) / 1000, rtol=1e-9)


@pytest.mark.parametrize("samples", [None, 2, [0.0, 0.5, 2.0]])
def test_the_motion_does_not_depend_on_the_samples(samples):
    road = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2 - 9.81 * y, [x, y],
        constraints=[da.Holonomic(y - exp(-100 * (x - 5) ** 2), name="road")],
    )  # fmt: skip
    motion = road.simulate({x: 0, y: 0, x.diff(): 5.0}, until=2.0, samples=samples)
    assert_allclose(motion.end_values[0], 7.6106712229, atol=1e-8)
    a, b = x, y
    cranks = da.System.from_lagrangian(
        (a.diff() ** 2 + b.diff() ** 2) / 2, [a, b],
        constraints=[da.Holonomic((2 + cos(b) - cos(a)) ** 2 + (sin(b) - sin(a)) ** 2 - 4)],
    )  # fmt: skip
    start = {a: 1.0, b: 1.0, a.diff(): 1.0, b.diff(): 1.0}
    given = samples if samples is None or isinstance(samples, int) else [0.0, 20.0]
    assert cranks.simulate(start, until=20.0, samples=given, throw=False).status.ending == "singular"


def test_a_branch_cut_is_crossed_and_a_corner_too():
    cut = da.System.from_lagrangian((x.diff() ** 2 + y.diff() ** 2) / 2, [x, y], forces={x: atan2(y, x)})
    motion = cut.simulate({x: -1, y: 0.5, y.diff(): -1.0}, until=1.0)
    answer = [[-1.0, 0.0]]
    for begin, end in ((0.0, 0.5), (0.5, 1.0)):  # y = 0.5 − t changes sign at 0.5
        part = solve_ivp(
            lambda s, q: [q[1], np.arctan2(0.5 - s, q[0]) if s < 0.5 else np.arctan2(min(0.5 - s, -1e-300), q[0])],
            (begin, end), answer[-1], "DOP853", rtol=1e-12, atol=1e-12,
        )  # fmt: skip
        answer.append(list(part.y[:, -1]))
    assert_allclose(motion.end_values[[0, 2]], answer[-1], atol=1e-6)
    corner = da.System.from_lagrangian(x.diff() ** 2 / 2, [x], forces={x: -((x**2) ** Rational(3, 2))})
    fall = corner.simulate({x: 1.0}, until=3.0)
    assert [e.kind for e in fall.events] == ["switch"]  # (x²)^(3/2) is |x|³
    assert_allclose(fall.y[1] ** 2 / 2, (1 - fall.y[0] * np.abs(fall.y[0]) ** 3) / 4, atol=1e-10)


def test_a_close_approach_is_no_root_of_zero():
    """Kepler's ellipse of eccentricity 0.999999: the distance falls to a two-millionth, and the motion returns."""
    kepler = da.System.from_lagrangian((x.diff() ** 2 + y.diff() ** 2) / 2 + 1 / sqrt(x**2 + y**2), [x, y])
    e = 0.999999
    motion = kepler.simulate({x: -(1 + e), y.diff(): -np.sqrt((1 - e) / (1 + e))}, until=2 * np.pi)
    assert not motion.events
    assert_allclose(motion.y[:2, -1], motion.y[:2, 0], atol=1e-7)


def test_a_start_a_little_off_is_put_on_the_constraints():
    motion = pendulum().simulate({x: round(np.cos(1.0), 10), y: round(np.sin(1.0), 10)}, until=1.0)
    assert motion.projections[0].time == 0.0
    assert np.abs(motion.residual).max() < 1e-14
    tiny = pendulum().simulate({x: 1e-6}, until=1e-3, parameters={"l": 1e-6})
    assert tiny.status.ok
    with pytest.raises(da.StateError, match="does not satisfy"):
        pendulum().simulate({x: 1e-6, y: 1e-10}, until=1e-3, parameters={"l": 1e-6})


def test_one_step_is_one_step():
    motion = pendulum().simulate({x: 1.0}, until=50.0, max_steps=1, throw=False)
    assert motion.statistics["steps"] == 1
    assert 0 < motion.end_time < 1


def test_a_run_as_short_as_rounding():
    for t0, until in ((1e6, 1e6 + 1e-9), (1.0, 1.0 + 4e-16)):
        motion = pendulum().simulate({x: 1.0}, t0=t0, until=until)
        assert motion.end_time == until
        assert (np.diff(motion.t) > 0).all()


def test_going_on_from_a_motion_keeps_its_values():
    motion = pendulum().simulate({x: 1.0}, until=1.0, parameters={"g": 4.0})
    assert_allclose(pendulum().simulate(motion, until=2.0).end_values, motion.resume(2.0).end_values, atol=1e-15)


def test_the_jump_of_an_inverse_tangent_is_crossed():
    """x'' = −atan(1/x) jumps where x passes zero: energy by the even potential x atan(1/x) + ln(1 + x²)/2."""
    motion = da.System.from_lagrangian(x.diff() ** 2 / 2, [x], forces={x: -atan(1 / x)}).simulate({x: 1.0}, until=4.0)
    assert [e.kind for e in motion.events][:1] == ["crossing"]
    q, v = motion.y[:, np.abs(motion.y[0]) > 1e-9]
    potential = q * np.arctan(1 / q) + np.log1p(q**2) / 2
    assert_allclose(v**2 / 2 + potential, np.pi / 4 + np.log(2) / 2, atol=1e-9)


def flat(middle, half):
    """A pulse of height one that is flat on top."""
    return 1 / (1 + ((t - middle) / half) ** 40)


def test_a_pulse_after_another_is_not_passed_over():
    """The steps that the first takes do not count for the second: looks are spread over the time of the run."""
    turn = flat(5, Rational(1, 5)) + flat(71, Rational(1, 2))
    system = da.System.from_forces([[1, 0], [0, 1]], [turn * y.diff(), -turn * x.diff()], [x, y])
    motion = system.simulate({x.diff(): 1.0}, until=100.0)
    angle = 0.7 * (2 * np.pi / 40) / np.sin(np.pi / 40)
    np.testing.assert_allclose(motion.y[2:, -1], [np.cos(angle), -np.sin(angle)], atol=1e-12)
    assert motion.verify().passed


def test_rows_that_contradict_each_other_for_a_while_are_seen():
    """y = 0 and y = sin⁴ πt agree at both ends of the run."""
    rows = [da.Holonomic(y, name="a"), da.Holonomic(y - sin(pi * t) ** 4, name="b")]
    system = da.System.from_lagrangian((x.diff() ** 2 + y.diff() ** 2) / 2 - y, [x, y], constraints=rows)
    motion = system.simulate({}, until=1.0, throw=False)
    assert motion.status.ending == "off the constraints"
    assert motion.end_time < 0.01
