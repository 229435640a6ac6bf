"""`da.reconcile` along a motion and along measured tables: what each instant says, and one test over all of them."""

import json
from time import process_time

import numpy as np
import pandas
import pytest
import xarray
from numpy.testing import assert_allclose
from scipy import stats
from sympy import symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from motion.logs import SIGMA, START, log, states, swing, write_csv
from motion.systems import four_bar, g, l, pendulum, x, y


@pytest.fixture(scope="module")
def run():
    return swing()


def forms(data, read, folder):
    """The same states and readings in every form they can be given in."""
    table = states(data)
    one = {name: table[name].values for name in ("time", "x", "x_dot", "y", "y_dot")}
    both = table.assign({name: ("time", column) for name, column in read.items() if name != "time"})
    frame = pandas.DataFrame(read)
    path = write_csv(folder / "all.csv", one | read)
    both.to_netcdf(folder / "all.nc", engine="h5netcdf")
    return {
        "dataset and mapping": (table, read),
        "one dataset": (both, both),
        "mapping and frame": (one, frame),
        "frame with times as its index": (pandas.DataFrame(one), frame.set_index("time")),
        "one csv file": (path, str(path)),
        "two csv files": (write_csv(folder / "states.csv", one), write_csv(folder / "read.csv", read)),
        "one netcdf file": (folder / "all.nc", folder / "all.nc"),
        "lists": ({k: v.tolist() for k, v in one.items()}, {k: v.tolist() for k, v in read.items()}),
    }


def test_every_time_is_what_one_instant_says(run):
    """Every kind of row in one series; the right side of the rod and the weight were measured too."""
    motion, data = run
    random = np.random.default_rng(5)
    speed = data.x_dot.values**2 + data.y_dot.values**2
    read = log(data) | {"rod": -2 * speed + 0.2 * random.normal(size=60), "force_y": -9.81 + random.normal(size=60)}
    sigma = SIGMA | {"rod": 0.2, "force_y": 1.0}
    found = da.reconcile(pendulum(), motion, sigma=sigma, measured=read)
    assert isinstance(found, da.ReconciledSeries)
    made = found.dataset
    for i in (0, 17, 59):
        state = dict(zip((x, y, x.diff(), y.diff()), motion.y[:, i], strict=True))
        here = {name: column[i] for name, column in read.items() if name != "time"}
        one = da.reconcile(pendulum(), state, sigma=sigma, measured=here)
        now = made.isel(time=i)
        assert_allclose([now.x_ddot, now.y_ddot], one.acceleration, atol=1e-12)
        assert_allclose(now.acceleration_sigma, one.acceleration_sigma, atol=1e-12)
        assert_allclose(now.force, one.force, atol=1e-12)
        assert_allclose(now.force_sigma, one.force_sigma, atol=1e-12)
        assert_allclose(now.multiplier, one.multipliers, atol=1e-12)
        assert_allclose([now.chi_square, now.p_value], [one.chi_square, one.p_value], atol=1e-12)
        for name in ("measured", "adjusted", "residual", "normalized", "studentized"):
            assert_allclose(now[name], [getattr(row, name) for row in one.rows], atol=1e-12, err_msg=name)
        assert_allclose(now.redundancy_number, [row.redundancy for row in one.rows], atol=1e-12)
        assert list(made.row.values) == [row.name for row in one.rows]


@pytest.mark.parametrize("form", range(8))
def test_every_form_of_a_table_says_the_same(run, tmp_path, form):
    motion, data = run
    read = log(data, rows=("x_ddot", "y_ddot"))
    sigma = {"x_ddot": 0.05, "y_ddot": 0.08}
    expected = da.reconcile(pendulum(), motion, sigma=sigma, measured=read)
    table, measured = list(forms(data, read, tmp_path).values())[form]
    found = da.reconcile(pendulum(), table, sigma=sigma, measured=measured)
    xarray.testing.assert_allclose(found.dataset, expected.dataset, rtol=1e-9, atol=1e-9)


def test_a_motion_at_times_between_its_samples(run):
    motion, _ = run
    times = np.array([0.1, 0.7123, 2.0])
    exact = pendulum().simulate(START, until=2.0, samples=times).dataset
    found = da.reconcile(pendulum(), motion, sigma={"y_ddot": 0.1}, measured={"time": times, "y_ddot": exact.y_ddot})
    assert_allclose(found.dataset.x_ddot, exact.x_ddot, atol=1e-10)
    assert found.chi_square < 1e-12
    saved = da.reconcile(pendulum(), motion)  # nothing measured: the rows as stated, at the samples
    assert_allclose(saved.dataset.x_ddot, motion.dataset.x_ddot, atol=1e-10)
    assert saved.not_checkable == ("rod",)


def test_a_saved_motion_holds_the_states(run, tmp_path):
    motion, data = run
    motion.save(tmp_path / "swing.nc")
    found = da.reconcile(
        pendulum(), tmp_path / "swing.nc", sigma={"x_ddot": 0.05}, measured=log(data, rows=("x_ddot",))
    )
    assert_allclose(found.dataset.y_ddot, data.y_ddot, atol=1e-10)


def test_a_motion_brings_its_parameters(run):
    heavy = pendulum().simulate(START, until=0.5, samples=5, parameters={g: 20.0})
    assert_allclose(da.reconcile(pendulum(), heavy).dataset.y_ddot, heavy.dataset.y_ddot, atol=1e-10)
    other = da.reconcile(pendulum(), heavy, parameters={"g": 9.81}).dataset.y_ddot
    assert np.abs(other - heavy.dataset.y_ddot).max() > 1


@pytest.mark.parametrize("wrong", ["x_ddot", "y_ddot", "reaction_x", "reaction_y"])
def test_a_sensor_with_a_bias_is_named_and_measured(run, wrong):
    _, data = run
    bias = 0.6 * SIGMA[wrong]
    found = da.reconcile(pendulum(), states(data), sigma=SIGMA, measured=log(data, seed=3, **{wrong: bias}))
    assert (found.suspect, found.fault) == (wrong, "offset")
    row = next(row for row in found.rows if row.name == wrong)
    assert abs(row.offset - bias) < 4 * row.offset_sigma
    assert f"row “{wrong}” is most likely" in found.text()


def test_a_sensor_that_is_wrong_at_times_is_named(run):
    _, data = run
    burst = np.zeros(60)
    burst[20:24] = [0.6, -0.6, 0.5, -0.5]
    found = da.reconcile(pendulum(), states(data), sigma=SIGMA, measured=log(data, seed=4, y_ddot=burst))
    assert (found.suspect, found.fault) == ("y_ddot", "varying")
    row = found.rows[1]
    assert data.time.values[20] <= row.largest_time <= data.time.values[23]
    assert "It is not off by one amount" in str(found)


def test_over_a_series_a_bias_is_located_where_no_instant_can(run):
    """One accelerometer and a rod in doubt: one contradiction at a time, so that at each time both are alike."""
    _, data = run
    rows = ("x_ddot",)
    sigma = {"x_ddot": 0.05, "rod": 0.1}
    for seed in range(3):
        read = log(data, seed=seed, rows=rows, x_ddot=0.06)
        found = da.reconcile(pendulum(), states(data), sigma=sigma, measured=read)
        assert (found.dataset.redundancy == 1).all()
        assert found.suspect == "x_ddot"
    burst = np.where(np.arange(60) % 2, 0.5, -0.5)
    found = da.reconcile(pendulum(), states(data), sigma=sigma, measured=log(data, rows=rows, x_ddot=burst))
    assert found.suspect is None
    assert found.suspects == ("rod", "x_ddot")
    assert "cannot be told apart" in found.text()


def test_no_more_false_alarms_than_the_level(run):
    _, data = run
    few = data.isel(time=slice(0, 60, 5))
    table, alarms, chi = states(few), 0, []
    for seed in range(60):
        found = da.reconcile(pendulum(), table, sigma=SIGMA, measured=log(few, seed=100 + seed), level=0.2)
        alarms += found.detected
        chi.append(found.p_value)
    assert stats.binom(60, 0.02).ppf(1e-6) <= alarms <= stats.binom(60, 0.2).isf(1e-6)
    assert stats.kstest(chi, "uniform").pvalue > 1e-6


def test_truth_and_what_is_believed_of_it_may_be_two_systems(run):
    """The motion of one pendulum, reconciled with one that states its rod twice, a second time with a wrong length."""
    motion, _ = run
    long = symbols("L", positive=True)
    doubled = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2 - g * y,
        [x, y],
        constraints=[da.Holonomic(x**2 + y**2 - l**2, "rod"), da.Holonomic((x**2 + y**2) / long - long, "again")],
        parameters={g: 9.81, l: 1.0, long: 1.2},
    )
    found = da.reconcile(doubled, motion, sigma={"rod": 0.1, "again": 0.1})
    assert found.chi_square < 1e-12  # the same row twice, whatever the length: at the level of accelerations they agree
    assert found.redundancy == 60


def test_what_comes_back(run):
    motion, data = run
    found = da.reconcile(pendulum(), motion, sigma=SIGMA, measured=log(data))
    made = found.dataset
    assert made.force.dims == ("time", "coordinate")
    assert made.studentized.dims == ("time", "row")
    assert made.attrs["level"] == 0.05
    assert list(made.kind.values) == ["acceleration", "acceleration", "reaction", "reaction"]
    assert all(np.isfinite(v.values).all() for v in made.data_vars.values())
    with pytest.raises(ValueError, match="read-only"):
        found.samples.force[0, 0] = 1.0
    told = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert told["rows"][0]["name"] == "x_ddot"
    assert told["times"] == [60, 0.0, 2.0]
    assert "60 times from 0 to 2" in found.text()
    assert "ReconciledSeries: 60 times, 4 rows" in repr(found)
    assert_allclose(found.chi_square, float(made.chi_square.sum()))
    assert_allclose(made.measured - made.adjusted, made.residual, atol=1e-12)
    for row, w in zip(found.rows, made.studentized.values.T, strict=True):
        assert_allclose(row.statistic, w @ w)


def test_seven_coordinates_at_a_thousand_times():
    """A chain of bars in a plane, 7 coordinates and 6 rows: fast enough to be used."""
    q = dynamicsymbols("q1:8")
    rows = [da.Holonomic(q[i] ** 2 + q[i + 1] ** 2 - 1, f"bar {i + 1}") for i in range(5)]
    rows.append(da.Holonomic(q[0] * q[6] - q[1], "last"))
    system = da.System.from_lagrangian(sum(v.diff() ** 2 for v in q) / 2 - 9.81 * sum(q), list(q), constraints=rows)
    random = np.random.default_rng(0)
    count = 1000
    table = {"time": np.linspace(0, 1, count)}
    for v in q:
        table |= {v.name: 0.6 + 0.1 * random.random(count), f"{v.name}_dot": random.normal(size=count)}
    read = {"time": table["time"], "q3_ddot": random.normal(size=count)}
    begin = process_time()
    found = da.reconcile(
        system, table, sigma={c.name: 0.1 for c in system.constraints} | {"q3_ddot": 50.0}, measured=read
    )
    assert process_time() - begin < 10  # about one second where nothing else runs
    assert found.dataset.sizes == {"time": count, "coordinate": 7, "constraint": 6, "row": 7}


def test_a_state_at_which_something_does_not_exist_is_told_with_its_time():
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 - 1 / x, [x])
    with pytest.raises(da.StateError, match=r"at t = 2, the state x = 0\.0"):
        da.reconcile(system, {"time": [1, 2], "x": [1, 0], "x_dot": [0, 0]})
    bars = four_bar()
    names = [c.name for c in bars.coordinates]
    table = {"time": [0.0]} | {n: [0.0] for n in names} | {f"{n}_dot": [1.0] for n in names}
    with pytest.raises(da.ContradictionError) as caught:
        da.reconcile(bars, table, sigma={"force_x1": 1.0})
    assert caught.value.__notes__ == ["This is at t = 0."]
