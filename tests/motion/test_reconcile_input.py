"""What can be wrong with measured series: gaps, clocks, columns, cells; all of it in one error."""

import numpy as np
import pandas
import pytest
import xarray

import dalembert as da
from motion.logs import log, states, swing, write_csv
from motion.systems import angle_pendulum, pendulum, x

SIGMA = {"x_ddot": 0.05}


@pytest.fixture(scope="module")
def run():
    motion, data = swing(count=11, until=1.0)
    return motion, data, log(data, rows=("x_ddot",))


def faults(table, measured, sigma=SIGMA, **asked):
    with pytest.raises(da.ModelError) as caught:
        da.reconcile(asked.pop("system", pendulum()), table, sigma=sigma, measured=measured, **asked)
    assert caught.value.subject == "reconcile"
    return caught.value.faults


def one(table, measured, **asked):
    (fault,) = faults(table, measured, **asked)
    return fault


def changed(column, place, value):
    out = np.array(column, dtype=float)
    out[place] = value
    return out


def test_gaps(run):
    motion, data, read = run
    gap = read | {"x_ddot": changed(read["x_ddot"], [3, 5], np.nan)}
    said = one(motion, gap)
    assert "x_ddot: 2 of 11 values are missing, the first at t = 0.3 (time[3])" in said
    assert "fill them yourself" in said
    infinite = read | {"x_ddot": changed(read["x_ddot"], 0, np.inf)}
    assert "1 of 11 values are not finite" in one(motion, infinite)
    table = states(data)
    table = table.assign(y_dot=("time", changed(table.y_dot, 4, np.nan)))
    assert "the states: y_dot: 1 of 11 values are missing, the first at t = 0.4" in one(table, read)
    assert "[2] is 'a', a number is meant" in one(motion, read | {"x_ddot": [1, 2, "a", *range(8)]})
    assert "[1] is [2, 3], a number is meant" in one(motion, read | {"x_ddot": [1, [2, 3], *range(9)]})
    nothing = read | {"x_ddot": [None, *range(10)]}
    assert "1 of 11 values are missing" in one(motion, nothing)


def test_gaps_in_a_file(run, tmp_path):
    motion, _, read = run

    def empty(lines):
        return [line.split(",")[0] + "," if i in (4, 8) else line for i, line in enumerate(lines)]

    said = one(motion, write_csv(tmp_path / "log.csv", read, empty))
    assert "log.csv" in said
    assert "2 of 11 values are missing, the first at t = 0.3 (line 5)" in said


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (lambda t: changed(t, 4, t[3]), "time is repeated at time[4], from 0.3 to 0.3"),
        (lambda t: changed(t, 4, 0.1), "time goes back at time[4], from 0.3 to 0.1"),
        (lambda t: t[::-1], "(10 such places)"),
        (lambda t: changed(t, 2, np.nan), "time is missing or not finite at time[2]"),
        (lambda t: np.datetime64("2020-01-01") + (t * 1e9).astype("timedelta64[ns]"), "give seconds as numbers"),
        (lambda t: t[:5], "x_ddot has 11 values for 5 times"),
        (lambda t: t.reshape(1, -1), "time has 2 dimensions"),
    ],
    ids=["repeated", "back", "all back", "missing", "dates", "length", "shape"],
)
def test_times(run, times, said):
    motion, _, read = run
    assert said in one(motion, read | {"time": times(read["time"])})


def test_no_times(run):
    motion, _, read = run
    assert "there is no column 'time' (columns: x_ddot)" in one(motion, {"x_ddot": read["x_ddot"]})
    assert "there are no times in it" in one(motion, {"time": [], "x_ddot": []})
    assert "there is no variable 'time'" in one(motion, xarray.Dataset({"x_ddot": ("n", [1.0])}))
    assert "t is 1.0, but a series has its own times" in one(motion, read, t=1.0)


def test_different_clocks(run):
    motion, data, read = run
    later = read | {"time": read["time"] + np.where(np.arange(11) > 4, 0.01, 0)}
    said = one(states(data), later)
    assert "6 of 11 times differ, the first where the states have t = 0.5 and the measured series 0.51" in said
    assert "interp" in said
    half = {name: column[::2] for name, column in read.items()}
    assert "the states have 11 times from 0 to 1, the measured series 6 times from 0 to 1" in one(states(data), half)
    outside = read | {"time": read["time"] + 0.35}
    said = one(motion, outside)
    assert "goes from t = 0.35 to 1.35, the motion from 0 to 1: 4 times are outside it" in said
    # the same clock, written in fewer figures, is no other
    rounded = read | {"time": np.round(read["time"] + 1e-12, 10)}
    assert len(da.reconcile(pendulum(), states(data), sigma=SIGMA, measured=rounded).t) == 11
    assert len(da.reconcile(pendulum(), motion, sigma=SIGMA, measured=read | {"time": read["time"] * (1 + 1e-15)}).t)


def test_columns(run):
    motion, data, read = run
    table = states(data)
    lacking = table.drop_vars("y").rename(x_dot="xdot")
    assert "the states lack y, x_dot (there is 'xdot')" in one(lacking, read)
    assert (
        "the column 'x_ddott' is unknown; did you mean 'x_ddot'?"
        in faults(motion, {**read, "x_ddott": read["time"]})[0]
    )
    assert "the column 'speed' is unknown" in one(table.assign(speed=table.x), read)
    assert "x is a coordinate or a velocity, and no row" in one(motion, read | {"x": read["time"]})
    assert "say sigma={'y_ddot': …}" in one(motion, read | {"y_ddot": read["time"]})
    assert "'y_ddot' has a trust, but nothing was measured" in one(motion, read, sigma={"x_ddot": 1, "y_ddot": 1})
    wide = data[["ideal_force", "x_ddot"]]
    assert "ideal_force, coordinate: a row is a column along time alone" in one(motion, wide)


def test_cells(run, tmp_path):
    motion, _, read = run

    def words(lines):
        lines[2] = lines[2].split(",")[0] + ",high"
        lines[5] += ",7"
        lines[7] = lines[7].split(",")[0] + ",1_000"
        return lines

    said = faults(motion, write_csv(tmp_path / "log.csv", read, words))
    assert [f.split(": ", 1)[1] for f in said] == [
        "line 3, column 'x_ddot': 'high' is not a number",
        "line 6 has 3 cells, the first line has 2",
        "line 8, column 'x_ddot': '1_000' is not a number",
    ]
    many = write_csv(tmp_path / "bad.csv", read, lambda lines: [lines[0], *(f"{i},?" for i in range(9))])
    said = faults(motion, many)
    assert len(said) == 6
    assert said[-1].endswith("… and 4 more faults like these")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("semicolons.csv", "time;x_ddot\n0;1\n", "columns are separated by commas"),
        ("twice.csv", "time,x_ddot,x_ddot\n0,1,2\n", "the column 'x_ddot' is there twice"),
        ("empty.csv", "", "there is no column 'time'"),
        ("header.csv", "time,x_ddot\n", "there are no times in it"),
        ("marked.csv", "\ufefftime,x_ddot\n0,1\n\n0.5,high\n", "line 4, column 'x_ddot'"),
    ],
)
def test_files_that_are_no_table(run, tmp_path, name, text, said):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert said in one(run[0], tmp_path / name)


def test_files_that_cannot_be_read(run, tmp_path):
    motion, _, _ = run
    (tmp_path / "bytes.csv").write_bytes(b"time,x\xff\n")
    assert "not a text file in UTF-8" in one(motion, tmp_path / "bytes.csv")
    (tmp_path / "log.nc").write_bytes(b"nothing of the kind")
    assert "(log.nc): this cannot be read as a NetCDF file" in one(motion, tmp_path / "log.nc")
    (tmp_path / "log.doc").write_bytes(b"")
    assert "ends in .csv or .nc" in one(motion, tmp_path / "log.doc")
    (tmp_path / "folder.csv").mkdir()
    assert "folder.csv' cannot be opened" in one(motion, tmp_path / "folder.csv")
    for missing in ("none.csv", "none.nc"):
        said = faults(motion, tmp_path / missing, sigma={"x_ddot": -1.0}, level=2.0)  # beside all else that is wrong
        assert len(said) == 3
        assert sum(f"there is no file '{tmp_path / missing}'" in fault for fault in said) == 1
    assert "int found; give an xarray.Dataset" in one(motion, 3)


def test_systems_that_do_not_fit(run):
    motion, _, _ = run
    assert (
        "the motion is one of x, y, the system has the coordinates theta"
        in faults(motion, None, sigma=None, system=angle_pendulum())[0]
    )
    ball = da.System.from_lagrangian(x.diff() ** 2 / 2, [x], constraints=[da.OneSided(x, name="floor")])
    table = {"time": [0.0], "x": [1.0], "x_dot": [0.0]}
    assert "'floor' is one-sided: along a series nothing says when it is closed" in one(
        table, None, sigma=None, system=ball
    )


def test_everything_wrong_at_once(run):
    _, data, read = run
    bad = pandas.DataFrame(read | {"x_ddot": changed(read["x_ddot"], 3, np.nan), "z_ddot": read["time"]})
    bad["time"] += 0.5
    table = states(data).drop_vars("x_dot")
    said = faults(table, bad, sigma={"x_ddot": -1.0, "rodd": 1.0}, parameters={"k": 1.0}, level=3.0)
    for words in (
        "level is 3.0",
        "k is not a parameter",
        "the states lack x_dot",
        "'z_ddot' is unknown",
        "1 of 11 values are missing",
        "different clocks: 11 of 11 times differ",
        "sigma['x_ddot'] is -1.0",
        "did you mean 'rod'",
    ):
        assert sum(words in fault for fault in said) == 1, words
    assert len(said) == 8
