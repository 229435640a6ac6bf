"""The dataset of a motion: every number by an independent route, every name once, and the motion left as it is."""

import subprocess
import sys
from dataclasses import replace
from itertools import starmap

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import simpson
from sympy import cos, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert import gallery
from dalembert.engine import WORKS, Choice
from dalembert.motion.dataset import FIXED, variable_names
from dalembert.motion.record import Episode

x, y, theta = dynamicsymbols("x y theta")
t = dynamicsymbols._t
SCALARS = {
    "energy", "force_work", "ideal_work", "nonideal_work", "constraint_work", "impact_work", "balance", "mode",
}  # fmt: skip
ROWS = {"multiplier", "reaction", "residual"}


def loaded(name):
    return da.System.load(gallery.path(name))


def driven():
    """A pendulum whose pivot is moved: the ideal constraint force does work."""
    return da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2 - 9.81 * y,
        [x, y],
        constraints=[da.Holonomic(x**2 + (y - sin(6 * t) / 5) ** 2 - 1, "rod")],
        initial={x: 1, y.diff(): 1.2},
    )


def pendulum():
    return da.System.from_lagrangian(theta.diff() ** 2 / 2 + cos(theta), [theta], initial={theta: 2})


MOTIONS = {
    "appell": lambda: loaded("appell").simulate(samples=7),
    "nonholonomic-particle": lambda: loaded("nonholonomic-particle").simulate(samples=9),
    "rolling-disk": lambda: loaded("rolling-disk").simulate(samples=5),
    "driven": lambda: driven().simulate(until=2.0, samples=11),
    "pendulum": lambda: pendulum().simulate(until=3.0, samples=6, t0=-1.5),
    "plain": lambda: loaded("sliding-block").simulate(until=1.0, samples=4, engine="plain", tolerance=1e-9),
}


@pytest.fixture(scope="module", params=MOTIONS)
def motion(request):
    return MOTIONS[request.param]()


def test_shapes_names_and_labels(motion):
    data, system = motion.dataset, motion.system
    k, n, m = len(motion.t), len(system.coordinates), len(system.constraints)
    names = list(motion.names())
    moved = {name + ending for name in names for ending in ("", "_dot", "_ddot")}
    assert set(data.data_vars) == moved | SCALARS | {"ideal_force", "nonideal_force"} | ROWS
    assert dict(data.sizes) == {"time": k, "coordinate": n, "constraint": m}
    assert {v for v in data.data_vars if data[v].dims == ("time",)} == moved | SCALARS
    assert data.ideal_force.dims == data.nonideal_force.dims == ("time", "coordinate")
    assert {v for v in data.data_vars if data[v].dims == ("time", "constraint")} == ROWS
    assert data.coordinate.values.tolist() == names
    assert data.constraint.values.tolist() == [c.name for c in system.constraints]
    assert data.mode.dtype.kind == "i"
    assert all(data[v].attrs["long_name"] and data[v].attrs["units"] for v in [*data.data_vars, "time"])
    assert "ideal_force = Aᵀ multiplier" in data.multiplier.attrs["sign"]
    assert "M q̈ = Q + Qᶜ" in data.multiplier.attrs["sign"]
    assert data.attrs["status"] == motion.status
    assert data.attrs["system"] == system.name
    assert data.attrs["engine"] == motion.settings.engine
    assert data.attrs["tolerance"] == motion.settings.tolerance


def test_numbers_obey_the_equation_of_motion_at_every_sample(motion):
    """M, Q, A, b are evaluated anew at each state: M q̈ = Q + Qᶜ, Qᶜ_i = Aᵀλ, Qᶜ = C + Aᵀλ̂, A q̈ = b."""
    data, system = motion.dataset, motion.system
    names = list(motion.names())
    assert_array_equal(data.time, motion.t)
    for k, now in enumerate(motion.t):
        here = data.isel(time=k)
        state = {q: float(here[name]) for q, name in zip(system.coordinates, names, strict=True)}
        state |= {v: float(here[f"{name}_dot"]) for v, name in zip(system.velocities, names, strict=True)}
        assert_array_equal(list(state.values()), motion.y[:, k])
        at = system.instant(state, now)
        acceleration = np.array([here[f"{name}_ddot"] for name in names])
        force = here.ideal_force.values + here.nonideal_force.values
        assert_allclose(at.M @ acceleration, at.Q + force, atol=1e-11)
        assert_allclose(here.ideal_force, at.A.T @ here.multiplier.values, atol=1e-11)
        assert_allclose(force, at.C + at.A.T @ here.reaction.values, atol=1e-11)
        assert_allclose(at.A @ acceleration, at.b, atol=1e-11)
        assert_allclose(here.residual, system.residuals(state, now).level, atol=1e-14)
    assert np.abs(acceleration).max() > 1e-3


@pytest.mark.parametrize(
    ("run", "working"),
    [
        (lambda: loaded("nonholonomic-particle").simulate(until=2.0, samples=2001), {"force_work", "nonideal_work"}),
        (lambda: driven().simulate(until=1.0, samples=2001), {"ideal_work"}),
    ],
    ids=["drag", "driven"],
)
def test_work_is_the_integral_of_power(run, working):
    motion = run()
    data = motion.dataset
    velocity = np.array([data[f"{name}_dot"] for name in motion.names()]).T

    def done(force):
        return simpson((velocity * force).sum(axis=1), x=motion.t)

    assert float(data.ideal_work[-1]) == pytest.approx(done(data.ideal_force), abs=1e-9)
    assert float(data.nonideal_work[-1]) == pytest.approx(done(data.nonideal_force), abs=1e-9)
    assert_array_equal(data.constraint_work, data.ideal_work + data.nonideal_work)
    assert_allclose(data.energy - data.force_work - data.constraint_work, data.balance, atol=1e-13)
    assert_allclose(data.balance, data.energy[0], atol=1e-12)
    assert {who for who in ("force_work", "ideal_work", "nonideal_work") if abs(data[who]).max() > 0.05} == working


def test_energy_is_that_of_the_closed_form():
    data = pendulum().simulate(until=3.0, t0=-1.5, samples=201).dataset
    assert data.time[0] == -1.5
    assert_allclose(data.energy, data.theta_dot**2 / 2 - np.cos(data.theta), atol=1e-14)
    assert_allclose(data.theta_ddot, -np.sin(data.theta), atol=1e-14)
    assert data.multiplier.shape == data.residual.shape == (201, 0)
    assert data.mode.attrs["meaning"] == "0: no constraints"


def test_names_that_are_taken_get_underscores_and_nothing_is_lost():
    names = ("x", "x_dot", "energy", "time", "x_dot_", "mode_dot")
    coordinates = [dynamicsymbols(name) for name in names]
    L = sum(q.diff() ** 2 for q in coordinates) / 2
    start = {q: float(i) for i, q in enumerate(coordinates)} | {q.diff(): 10.0 + i for i, q in enumerate(coordinates)}
    motion = da.System.from_lagrangian(L, coordinates).simulate(start, 1.0, samples=3)
    called, data = variable_names(motion.system), motion.dataset
    assert called.coordinate == ("x", "x_dot", "energy_", "time_", "x_dot_", "mode_dot")
    assert called.velocity == ("x_dot__", "x_dot_dot", "energy_dot", "time_dot", "x_dot__dot", "mode_dot_dot")
    assert called.acceleration[:2] == ("x_ddot", "x_dot_ddot")
    assert len(set(sum(called, ())) | set(FIXED)) == 3 * len(names) + len(FIXED)
    for kind, first in (("coordinate", 0), ("velocity", len(names))):
        found = {data[v].attrs["of"]: data[v] for v in data.data_vars if data[v].attrs.get("kind") == kind}
        assert list(found) == list(names)
        for row, name in enumerate(names):
            assert_array_equal(found[name], motion.y[first + row])
    assert data.coordinate.values.tolist() == list(names)
    assert_allclose(data.energy, motion.along.energy)


def test_changing_a_dataset_does_not_change_the_motion():
    motion = MOTIONS["appell"]()
    before = {name: motion.dataset[name].values.copy() for name in motion.dataset.variables}
    data = motion.dataset
    for name in data.data_vars:
        with pytest.raises(ValueError, match="Assignment destination"):
            data[name][...] = 7
    with pytest.raises(ValueError, match="read-only"):
        motion.balance[0] = 7.0
    own = motion.dataset.copy(deep=True)
    own["x"][...] = 7.0
    data["x"] = data.y
    data["extra"] = data.x * 2
    data.attrs["status"] = "changed"
    data.energy.attrs["units"] = "kcal"
    after = motion.dataset
    assert set(after.variables) == set(before)
    assert all(np.array_equal(after[name], values) for name, values in before.items())
    assert after.attrs["status"] == motion.status
    assert after.energy.attrs["units"] == "J"


def test_units_are_said_as_far_as_they_are_known():
    particle, disk = MOTIONS["appell"]().dataset, MOTIONS["rolling-disk"]().dataset
    assert [particle[v].attrs["units"] for v in ("x", "x_dot", "x_ddot", "ideal_force")] == ["m", "m/s", "m/s^2", "N"]
    assert particle.multiplier.attrs["units"] == "W/(unit of f)"  # a constraint on velocities
    assert disk.theta_dot.attrs["units"] == "(unit of theta)/s"
    assert disk.multiplier.attrs["units"] == "J/(unit of f)"
    assert disk.time.attrs["units"] == "s"
    both = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2 + theta.diff() ** 2) / 2,
        [x, y, theta],
        constraints=[da.Holonomic(x - y), da.Nonholonomic(y.diff() - theta.diff())],
    )
    units = both.simulate({x.diff(): 1.0}, 1.0, samples=2).dataset.multiplier.attrs["units"]
    assert "J/(unit of f)" in units
    assert "W/(unit of f) for a constraint on velocities" in units


def test_mode_is_the_choice_of_rows_in_force():
    motion = MOTIONS["rolling-disk"]()
    assert motion.dataset.mode.values.tolist() == [0] * 5
    assert motion.dataset.mode.attrs["meaning"] == "0: all constraints"
    one, other = Choice((0,), False), Choice((), True)
    switched = replace(motion, episodes=tuple(starmap(Episode, ((0.0, one), (0.5, other), (0.6, one), (1.9, other)))))
    vars(switched).update(along=motion.along, residual=motion.residual)
    assert motion.t.tolist() == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert switched.dataset.mode.values.tolist() == [0, 1, 0, 0, 1]
    assert switched.dataset.mode.attrs["meaning"] == "0: all constraints; 1:  (with M + AᵀA for M)"


@pytest.mark.compiled
def test_a_motion_without_samples_has_an_empty_dataset():
    for engine in ("taylor", "plain"):
        motion = loaded("appell").simulate(until=0.1, samples=3, engine=engine)
        none = replace(motion, t=motion.t[:0], y=motion.y[:, :0], works=motion.works[:, :0])
        assert dict(none.dataset.sizes) == {"time": 0, "coordinate": 3, "constraint": 1}
        assert_allclose(none.at(0.05), motion.y[:, 1], atol=1e-14)  # from the start, which every motion knows


@pytest.mark.compiled
def test_parts_moved_by_different_engines_keep_what_each_said():
    """Redundant rows: the plain engine stands on all of them, the compiled one on a choice."""
    rows = [da.Holonomic(x**2 + y**2 - 1, "one"), da.Holonomic(2 * x**2 + 2 * y**2 - 2, "same")]
    L = (x.diff() ** 2 + y.diff() ** 2) / 2 - y
    ring = da.System.from_lagrangian(L, [x, y], constraints=rows, initial={x: 1})
    first = ring.simulate(until=0.5, samples=3, engine="plain", tolerance=1e-10)
    joined = first.resume(1.0, samples=3, engine="taylor").resume(1.5, samples=3)
    whole = ring.simulate(until=1.5, samples=7)
    assert_allclose(joined.dataset.x_ddot, whole.dataset.x_ddot, atol=1e-8)
    assert_allclose(joined.dataset.ideal_force, whole.dataset.ideal_force, atol=1e-8)
    assert joined.dataset.mode.values.tolist() == [0, 0, 1, 1, 1, 1, 1]


def test_works_are_counted_in_the_order_of_the_engine():
    motion = MOTIONS["driven"]()
    for who, work in zip(WORKS, motion.works, strict=True):
        assert_array_equal(motion.dataset[f"{who}_work"], work)


PROGRAM = """
import sys
import dalembert as da
from dalembert import gallery
motion = da.System.load(gallery.path("rolling-disk")).simulate(samples=3)
motion.at(0.3), motion.along, motion.residual
heavy = {"xarray", "pandas", "matplotlib", "h5netcdf", "h5py", "zarr"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
motion.dataset
assert "xarray" in sys.modules and "matplotlib" not in sys.modules
motion.plot()
assert "matplotlib" in sys.modules and "matplotlib.pyplot" not in sys.modules
"""


def test_running_imports_neither_tables_nor_pictures():
    subprocess.run([sys.executable, "-c", PROGRAM], check=True)
