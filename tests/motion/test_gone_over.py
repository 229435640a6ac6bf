"""A motion too long to be kept whole is gone over again for what is between its samples, however it ended."""

import numpy as np
import pytest
from sympy import cos
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

pytest.importorskip("heyoka", reason="heyoka has wheels for Linux only")

a, b = dynamicsymbols("a b")
A, B = a.diff(), b.diff()
DOUBLE = da.System.from_lagrangian(A**2 + B**2 / 2 + A * B * cos(a - b) + 9.81 * (2 * cos(a) + cos(b)), [a, b])
START = {a: 2.0, b: 1.0}


def whole():
    """A chaotic motion that is as long as it was to be."""
    return DOUBLE.simulate(START, until=200.0, samples=2)


def ended(**limits):
    """One that was to be much longer, and ended early."""
    return DOUBLE.simulate(START, until=1e4, samples=[0.0, 1e4], throw=False, **limits)


@pytest.mark.parametrize("limit", [{"max_steps": 9000}, {"max_seconds": 0.3}, {"progress": lambda p: p.steps < 8000}])
def test_between_samples_it_is_where_its_end_says(limit) -> None:
    """Any other steps would end elsewhere: errors grow a hundred thousand times in ten seconds."""
    motion = ended(**limit)
    assert motion.end_time < 1e4
    t, tau = motion.end_time, 1e-6
    n = len(START)
    before = motion.at(t - tau)
    np.testing.assert_allclose(before[:n] + tau * motion.end_values[n:], motion.end_values[:n], atol=1e-9)
    assert np.array_equal(motion.at(t), motion.end_values)


def test_what_ended_early_is_certified() -> None:
    motion = DOUBLE.simulate({a: 0.5, b: 0.2}, until=1e4, samples=201, throw=False, max_steps=8000)
    assert motion.verify().passed
    assert motion.verify().text().startswith("PASSED")


def test_one_that_came_to_its_end_is_as_it_was() -> None:
    motion = whole()
    again = DOUBLE.simulate(START, until=200.0, samples=2001)
    np.testing.assert_array_equal(motion.at(again.t[1000:1010]), again.y[:, 1000:1010])


def test_from_a_file_too(tmp_path) -> None:
    motion = ended(max_steps=4000)
    motion.save(tmp_path / "long.nc")
    again = da.Motion.load(tmp_path / "long.nc")
    times = np.linspace(0.0, motion.end_time, 7)[1:-1]
    np.testing.assert_array_equal(again.at(times), motion.at(times))


def test_a_pendulum_that_swings_for_long() -> None:
    pendulum = da.System.from_lagrangian(A**2 / 2 + 9.81 * cos(a), [a])
    motion = pendulum.simulate({a: 1.0}, until=1e9, samples=[0.0, 1e9], throw=False, max_steps=50_000)
    t = motion.end_time
    energy = motion.end_values[1] ** 2 / 2 - 9.81 * np.cos(motion.end_values[0])
    there = motion.at(t - 1e-3)
    assert there[1] ** 2 / 2 - 9.81 * np.cos(there[0]) == pytest.approx(energy, abs=1e-10)
    np.testing.assert_allclose(there[0] + 1e-3 * motion.end_values[1], motion.end_values[0], atol=1e-5)
    assert motion.verify().passed
