"""A row that is off at one time of a series: found, dated and sized, without more false alarms than the level."""

import numpy as np
import pytest
from scipy import stats

import dalembert as da
from motion.logs import log, states, swing
from motion.systems import pendulum, t, y


@pytest.fixture(scope="module")
def run():
    return swing()


def drives(count, seed=1):
    """Five drives that lift one mass, along a long series: the system, and a log with normal errors of 0.1."""
    random, times = np.random.default_rng(seed), np.linspace(0, 20, count)
    rows = [da.Holonomic(y - t**2 / 2, name) for name in "abcde"]
    system = da.System.from_forces([[3.0]], [-29.43], [y], constraints=rows)
    read = {name: 1 + 0.1 * random.normal(size=count) for name in "abcde"}
    return system, {"time": times, "y": times**2 / 2, "y_dot": times} | read


@pytest.mark.parametrize("size", [8, 12, 1000])
def test_one_glitch_in_a_long_series_is_found(size):
    system, read = drives(801)
    sigma = dict.fromkeys("abcde", 0.1)
    assert not da.reconcile(system, read, sigma=sigma, measured=read).detected
    read["c"][333] += size * 0.1
    found = da.reconcile(system, read, sigma=sigma, measured=read)
    assert (found.suspect, found.fault, found.fault_time) == ("c", "glitch", read["time"][333])
    row = found.rows[2]
    assert row.largest_time == found.fault_time
    assert abs(row.glitch - size * 0.1) < 4 * row.glitch_sigma
    assert f"± {row.glitch_sigma:.2g} at t = {row.largest_time:.6g}, and at no other time" in found.text()
    assert found.as_dict()["fault_time"] == found.fault_time


def test_a_glitch_among_rows_that_are_alike_then(run):
    """Redundancy 1: when it was is told, and whose it was is not."""
    _, data = run
    burst = np.where(np.arange(60) == 30, 1.0, 0.0)
    read = log(data, rows=("x_ddot",), x_ddot=burst)
    found = da.reconcile(pendulum(), states(data), sigma={"x_ddot": 0.05, "rod": 0.1}, measured=read)
    assert (found.suspects, found.suspect, found.fault) == (("rod", "x_ddot"), None, "glitch")
    assert found.fault_time == data.time.values[30]
    assert "“rod” alone would be off by" in found.text()


def test_no_more_false_alarms_than_the_level_whatever_the_hypothesis():
    system, read = drives(12)
    random, alarms, sigma = np.random.default_rng(3), [], dict.fromkeys("abcde", 0.1)
    for _ in range(80):
        noise = {name: 1 + 0.1 * random.normal(size=12) for name in "abcde"}
        alarms.append(da.reconcile(system, read, sigma=sigma, measured={"time": read["time"]} | noise, level=0.3).fault)
    found = sum(fault is not None for fault in alarms)
    assert stats.binom(80, 0.1).ppf(1e-6) <= found <= stats.binom(80, 0.3).isf(1e-6)
    assert {"offset", "glitch"} <= {*alarms}
