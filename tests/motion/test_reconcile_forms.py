"""Forms in which trusts, states and tables come: labels are kept to, gaps stay gaps, units are looked at."""

import os
from collections import UserDict
from datetime import UTC, datetime, timedelta

import numpy as np
import pandas
import pytest
import xarray
from numpy.testing import assert_allclose

import dalembert as da
from motion.logs import log, states, swing, write_csv
from motion.systems import g, m, pendulum, t, x, y
from motion.test_reconcile_input import SIGMA, one

HELD = {x: 0.0, y: 1.0, x.diff(): 0.0, y.diff(): 0.0}


@pytest.fixture(scope="module")
def run():
    motion, data = swing(count=11, until=1.0)
    return motion, data, log(data, rows=("x_ddot",))


def held():
    """A height held by two rows that contradict each other."""
    return da.System.from_lagrangian(
        m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y,
        [x, y],
        constraints=[da.Holonomic(y - 1 - t**2, "one"), da.Holonomic(2 * y - 2 - t**2 / 2, "two")],
        parameters={m: 1.0, g: 9.81},
    )


class Keyed:
    """Something with keys that is no Mapping by name."""

    def keys(self):
        return ["two", "one"]

    def items(self):
        return [("two", 1.0), ("one", 0.5)]


LABELLED = {
    "series": {"sigma": pandas.Series({"two": 1.0, "one": 0.5})},
    "weights": {"weights": pandas.Series({"two": 1.0, "one": 4.0})},
    "array with labels": {"sigma": xarray.DataArray([1.0, 0.5], coords={"row": ["two", "one"]}, dims="row")},
    "array without": {"sigma": xarray.DataArray([0.5, 1.0], dims="row")},
    "keys and items": {"sigma": Keyed()},
    "user dict": {"sigma": UserDict({"two": 1.0, "one": 0.5})},
    "matrix": {"weights": pandas.DataFrame([[1.0, 0], [0, 4.0]], index=["two", "one"], columns=["two", "one"])},
}


@pytest.mark.parametrize("trust", LABELLED.values(), ids=LABELLED)
def test_labels_say_whose_a_trust_is(trust):
    found = da.reconcile(held(), HELD, **trust)
    assert_allclose([row.sigma for row in found.rows], [0.5, 1.0])
    assert_allclose(found.acceleration[1], (4 * 2 + 2 * 1) / 8)


def test_labels_that_are_no_rows():
    with pytest.raises(da.ModelError, match="sigma names 0, which is no row"):
        da.reconcile(held(), HELD, sigma=pandas.Series([1.0, 0.5]))
    with pytest.raises(da.ModelError, match="the labels of the matrix are"):
        da.reconcile(held(), HELD, pandas.DataFrame(np.eye(2)))
    read = pandas.Series({"y_ddot": 0.7})
    assert da.reconcile(held(), HELD, sigma={"one": 1, "two": 1, "y_ddot": 1}, measured=read).redundancy == 2


def test_a_state_may_be_named_as_in_a_table():
    plain = da.reconcile(held(), HELD)
    for state in ({"x": 0.0, "y": 1.0, "x_dot": 0.0, "y_dot": 0.0}, {"x": 0.0, y: 1.0, "x'": 0.0, "y_dot": 0.0}):
        assert_allclose(da.reconcile(held(), state).acceleration, plain.acceleration)
    with pytest.raises(da.StateError, match="lacks y'"):
        da.reconcile(held(), {"x": 0.0, "y": 1.0, "x_dot": 0.0})


def test_masked_cells_are_gaps(run):
    motion, _, read = run
    column = np.ma.masked_array(read["x_ddot"].copy(), mask=[0, 0, 1, *[0] * 8])
    column.data[2] = 1e20
    said = one(motion, read | {"x_ddot": column})
    assert "x_ddot: 1 of 11 values are missing, the first at t = 0.2" in said
    assert "time is missing" in one(motion, read | {"time": np.ma.masked_array(read["time"], mask=column.mask)})
    whole = np.ma.masked_array(read["x_ddot"])
    assert len(da.reconcile(pendulum(), motion, sigma=SIGMA, measured=read | {"x_ddot": whole}).t) == 11
    missing = pandas.DataFrame(read).astype("Float64")
    missing.loc[2, "x_ddot"] = pandas.NA
    assert "1 of 11 values are missing" in one(motion, missing)


@pytest.mark.parametrize(
    ("units", "said"),
    [
        ("ms", "multiply it by 0.001"),
        ("milliseconds since 2024-01-01 00:00:00", "multiply it by 0.001"),
        ("minutes", "multiply it by 60"),
        ("Hours since 1970-01-01", "multiply it by 3600"),
        ("µs", "multiply it by 1e-06"),
        ("fortnights", "bring it to seconds"),
        ("s", None),
        ("seconds since 2024-01-01", None),
        ("", None),
    ],
)
def test_units_of_time(run, tmp_path, units, said):
    motion, _, read = run
    path = tmp_path / "log.nc"
    made = xarray.Dataset({"x_ddot": ("time", read["x_ddot"])}, {"time": ("time", read["time"], {"units": units})})
    made.to_netcdf(path, engine="h5netcdf")
    for table in (made, path, {"time": made.time, "x_ddot": read["x_ddot"]}):
        if said is None:
            assert len(da.reconcile(pendulum(), motion, sigma=SIGMA, measured=table).t) == 11
        else:
            fault = one(motion, table)
            assert f"time has the units {units!r}, and is meant in seconds: {said}" in fault


def test_dates_of_every_kind(run):
    motion, _, read = run
    begin = datetime(2024, 1, 1, tzinfo=UTC)
    dates = [begin + timedelta(seconds=s) for s in read["time"]]
    for times in (dates, pandas.Series(dates), pandas.DatetimeIndex(dates), [d - begin for d in dates]):
        assert "give seconds as numbers" in one(motion, read | {"time": times})


def test_one_file_by_two_paths(run, tmp_path, monkeypatch):
    _, data, read = run
    table = states(data)
    path = write_csv(tmp_path / "all.csv", {name: table[name].values for name in ("time", *table.data_vars)} | read)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inner").mkdir()
    for other in ("all.csv", "./all.csv", os.path.join("inner", "..", "all.csv")):
        assert len(da.reconcile(pendulum(), other, sigma=SIGMA, measured=path).t) == 11


def test_mappings_that_are_no_dict(run):
    _, data, read = run
    table = states(data)
    kept = UserDict({name: table[name].values for name in ("time", *table.data_vars)})
    assert len(da.reconcile(pendulum(), kept, sigma=SIGMA, measured=UserDict(read)).t) == 11


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: ["# logger 3", *lines],
        lambda lines: ["", "# two", "#lines", *lines[:3], "# a pause", *lines[3:]],
        lambda lines: ['"time", "x_ddot"', *(line.replace(",", ", ") for line in lines[1:])],
    ],
    ids=["comment", "comments", "quoted"],
)
def test_csv_files_as_loggers_write_them(run, tmp_path, change):
    motion, _, read = run
    path = write_csv(tmp_path / "log.csv", read, change)
    assert len(da.reconcile(pendulum(), motion, sigma=SIGMA, measured=path).t) == 11


def test_lines_are_counted_with_comments(run, tmp_path):
    path = write_csv(tmp_path / "log.csv", run[2], lambda lines: ["# logger", lines[0], "0.0,high", *lines[2:]])
    assert "line 3, column 'x_ddot': 'high' is not a number" in one(run[0], path)


def test_a_motion_is_no_measurement(run):
    motion, _, _ = run
    assert "measured is a motion, of which nothing was measured" in one(motion, motion, sigma={"rod": 0.1})
    found = da.reconcile(pendulum(), motion, sigma=SIGMA, measured=motion.dataset[["x_ddot"]])
    assert found.chi_square < 1e-12


def test_one_time_is_one(run):
    motion, _, read = run
    first = {name: column[:1] for name, column in read.items()}
    assert (
        "\n1 time, t = 0, redundancy 1 in all" in da.reconcile(pendulum(), motion, sigma=SIGMA, measured=first).text()
    )
    late = {"time": [0.5, 1.5], "x_ddot": [0.0, 0.0]}
    assert "1 time is outside it" in one(motion, late)


def test_a_value_beyond_reckoning_is_refused(run):
    motion, _, read = run
    far = read | {"x_ddot": np.where(np.arange(11) == 4, 1e150, read["x_ddot"])}
    with pytest.raises(da.StateError, match=r"at t = 0\.4, what was measured: x_ddot is 1e\+150, more than 1e\+100"):
        da.reconcile(pendulum(), motion, sigma=SIGMA, measured=far)
