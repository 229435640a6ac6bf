"""Motions in files: nothing is lost, nothing is computed anew, and no half file, wrong file or damaged file passes."""

import json
import shutil
from dataclasses import replace
from types import MappingProxyType

import h5py
import numpy as np
import pytest
import xarray
from sympy import cos, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert import gallery
from dalembert import motion as room
from dalembert.derive.switching.modes import Mode
from dalembert.engine import Along, Choice
from dalembert.motion import Event, Projection, files, trajectory
from dalembert.motion.record import Episode
from motion.alike import same

x, y, theta, energy = dynamicsymbols("x y theta energy")
t = dynamicsymbols._t
k, g = symbols("k g", positive=True)
KEYS = (files.FORMAT_KEY, files.MODEL_KEY, files.RECORD_KEY)
NESTED = Mode(closed=(2,), bases=(((1, 0), 2), ((), -1)), still=(0, 3))
ENDINGS = ("motion.nc", "motion.zarr", "motion")


def loaded(name):
    return da.System.load(gallery.path(name))


def appell():
    return loaded("appell").simulate(samples=9)


def drag():
    return loaded("nonholonomic-particle").simulate(samples=17, parameters={"a0": 0.3})


def free():
    system = da.System.from_lagrangian(theta.diff() ** 2 / 2 + k * cos(theta), [theta], name="Öl & “quotes” α")
    return system.simulate({theta: 2.0}, 4.0, t0=-1.0, samples=6, parameters={k: 1 / 3})


def clash():
    """Coordinates called as what a dataset has anyway, under a constraint that depends on time."""
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + energy.diff() ** 2) / 2, [x, energy], constraints=[da.Holonomic(energy - sin(t) * x, "bar")]
    )
    return system.simulate({x: 1.0, x.diff(): 0.1}, 2.0, samples=5)


def broken():
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 + x**4, [x], initial={x: 1, x.diff(): 1}, until=5)
    return system.simulate(samples=50, throw=False)


def joined():
    first = loaded("sliding-block").simulate(until=1.0, samples=4, engine="plain", tolerance=1e-9)
    return first.resume(2.0, samples=4, engine="taylor")


def strange():
    """Numbers and texts that a careless file would change."""
    motion = appell()
    rng = np.random.default_rng(1)
    hard = np.array([-0.0, 5e-324, 1e307, 0.1, 1 / 3, np.nextafter(1, 2), 2**-1074, -1e-310, np.pi])

    def scrambled(shape):
        values = rng.choice(hard, size=shape)
        values.setflags(write=False)
        return values

    other = replace(
        motion,
        y=scrambled(motion.y.shape),
        works=scrambled(motion.works.shape),
        end_time=float(np.nextafter(motion.end_time, 9)),
        end_values=scrambled(6),
        end_works=scrambled(4),
        events=tuple(
            Event(float(v), "kind\n\t“q”", f'{i} "α" \\ {{}}', "λ > 0", "λ < 0", (float(v), -0.0))
            for i, v in enumerate(rng.random(20_000))
        ),
        projections=tuple(Projection(*map(float, row)) for row in rng.random((3000, 3))),
        episodes=(Episode(0.0, Choice((0,), False)), Episode(0.1 + 0.2, Choice((), True), NESTED)),
        statistics=MappingProxyType(
            {"steps": np.int64(2**53 + 1), "seconds": np.float64(0.1), "flag": True, "of": "α"}
        ),
    )
    vars(other).update(
        along=Along(*(scrambled(a.shape) for a in motion.along)), residual=scrambled(motion.residual.shape)
    )
    return other


MOTIONS = {f.__name__: f for f in (appell, drag, free, clash, broken, joined, strange)}


@pytest.mark.parametrize("ending", ENDINGS[:2])
@pytest.mark.parametrize(
    "make",
    [pytest.param(make, marks=pytest.mark.compiled) if make is joined else make for make in MOTIONS.values()],
    ids=MOTIONS,
)
def test_what_is_saved_is_what_is_loaded(make, ending, tmp_path, monkeypatch):
    motion = make()
    motion.save(tmp_path / ending)

    def never(*arguments, **options):
        raise AssertionError("an engine was asked")

    monkeypatch.setattr(trajectory, "engine", never)
    again = da.Motion.load(tmp_path / ending)
    assert type(again) is da.Motion
    assert type(again.system) is da.System
    assert same(motion, again)
    assert again.status.ending == motion.status.ending
    again.save(str(tmp_path / f"again-{ending}"))  # and once more, still without an engine
    assert same(motion, da.Motion.load(str(tmp_path / f"again-{ending}")))


def test_a_loaded_motion_goes_on_as_the_one_saved(tmp_path):
    motion = drag()
    motion.save(tmp_path / "motion.nc")
    again = da.Motion.load(tmp_path / "motion.nc")
    times = np.linspace(0.03, 9.9, 8)
    assert again.at(times).tobytes() == motion.at(times).tobytes()
    on, on_again = motion.resume(11.0, samples=5), again.resume(11.0, samples=5)
    assert on.y.tobytes() == on_again.y.tobytes()
    assert on.t[-1] == 11.0
    part = again.system.simulate(again, 11.0, samples=5, parameters={"a0": 0.3})
    assert (again + part).y.tobytes() == on.y.tobytes()
    assert np.abs(on.y[:, -1] - on.y[:, 0]).max() > 1


@pytest.mark.parametrize("ending", ENDINGS)
def test_anyone_can_read_the_file(ending, tmp_path, recwarn):
    motion = drag()
    motion.save(tmp_path / ending)
    engine = "zarr" if ending.endswith("zarr") else "h5netcdf"
    with xarray.open_dataset(tmp_path / ending, engine=engine) as data:
        assert set(KEYS) <= set(data.attrs)
        xarray.testing.assert_identical(data.load().drop_attrs(deep=False), motion.dataset.drop_attrs(deep=False))
        assert {key: data.attrs[key] for key in motion.dataset.attrs} == motion.dataset.attrs
        model = da.System.load(_written(tmp_path / "model.toml", data.attrs[files.MODEL_KEY]))
    assert model == motion.system
    assert not recwarn.list
    assert not set(KEYS) & set(motion.dataset.attrs)
    if engine == "h5netcdf":  # without xarray
        with h5py.File(tmp_path / ending) as raw:
            assert raw["x"][()].tobytes() == motion.y[0].tobytes()
            assert raw["z_dot"].attrs["units"] == "(unit of z)/s"


def _written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def _damaged(path, change):
    """The file with something about its dataset changed."""
    zarr = path.suffix == ".zarr"
    with xarray.open_dataset(path, engine="zarr" if zarr else "h5netcdf", decode_cf=False) as data:
        data = change(data.load())
    data.to_zarr(path, mode="w", zarr_format=2) if zarr else data.to_netcdf(path, engine="h5netcdf")


def _record(change):
    def changed(data):
        record = json.loads(data.attrs[files.RECORD_KEY])
        change(record)
        return data.assign_attrs({files.RECORD_KEY: json.dumps(record)})

    return changed


def _one_bit(data):
    values = data.x.values.copy()
    values[3] = np.nextafter(values[3], np.inf)
    return data.assign(x=("time", values))


DAMAGES = {
    "a newer format": (lambda d: d.assign_attrs({KEYS[0]: 4}), "format 4, and this version of dalembert reads 2 and 3"),
    "an older format": (lambda d: d.assign_attrs({KEYS[0]: 1}), "format 1, .* reads 2 and 3: use an older one"),
    "no format": (lambda d: d.drop_attrs(), "not a motion: it was not written by Motion.save"),
    "no record": (lambda d: d.assign_attrs({KEYS[2]: "{"}), "damaged"),
    "record of something else": (lambda d: d.assign_attrs({KEYS[2]: "[1, 2]"}), "damaged"),
    "no variable": (lambda d: d.drop_vars("y_dot"), "damaged.*y_dot"),
    "one bit": (_one_bit, "not those that were written"),
    "fewer samples": (lambda d: d.isel(time=slice(3)), "not those that were written"),
    "no model": (lambda d: d.assign_attrs({KEYS[1]: "coordinates = [1]"}), "the model in"),
    "another model": (lambda d: d.assign_attrs({KEYS[1]: gallery.path("hemisphere").read_text()}), "damaged"),
    "no end": (_record(lambda r: r.pop("end_time")), "damaged"),
    "status": (_record(lambda r: r.update(status="wonderful: all")), "damaged"),
    "an event moved": (_record(lambda r: r.update(begin_time=1e-9)), "damaged"),
    "one letter of the model": (
        lambda d: d.assign_attrs({KEYS[1]: d.attrs[KEYS[1]].replace("9.8", "9.7")}),
        "not those that were written",
    ),
    "events": (_record(lambda r: r.update(events=[[1.0]])), "damaged"),
    "settings": (_record(lambda r: r.update(settings={"engine": "plain", "colour": 1})), "damaged"),
}


@pytest.mark.parametrize("ending", ENDINGS[:2])
def test_a_file_written_again_as_it_is_is_the_same_motion(ending, tmp_path):
    motion = appell()
    motion.save(tmp_path / ending)
    _damaged(tmp_path / ending, lambda data: data)
    assert same(motion, da.Motion.load(tmp_path / ending))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "motion.nc"
    appell().save(path)
    return path


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_motion_is_not_believed(damage, saved, tmp_path):
    change, words = DAMAGES[damage]
    path = tmp_path / "damaged.nc"
    shutil.copy(saved, path)
    _damaged(path, change)
    with pytest.raises(da.ModelError, match=words) as caught:
        da.Motion.load(path)
    assert str(path) in str(caught.value)


def test_a_name_that_promises_another_kind_of_file_is_refused(tmp_path):
    motion = appell()
    for name in ("a.csv", "a.json", "a.CSV"):
        with pytest.raises(da.ModelError, match=r"NetCDF file \(.nc\) or a Zarr store"):
            motion.save(tmp_path / name)
    assert not list(tmp_path.iterdir())
    motion.save(tmp_path / "run-0.5")
    assert same(motion, da.Motion.load(tmp_path / "run-0.5"))


def test_a_motion_written_by_the_version_before_is_read(saved, tmp_path):
    """Format 2 had no origins, a digest of the arrays alone, and modes without rows that idle."""

    def older(data):
        record = json.loads(data.attrs[files.RECORD_KEY])
        motion = da.Motion.load(saved)
        for name in ("origins", "sizes"):
            del record[name]
        record["episodes"] = [episode[:4] for episode in record["episodes"]]
        record["settings"] = {name: record["settings"][name] for name in ("engine", "tolerance", "compile")}
        record["digest"] = files.Arrays(motion.t, motion.y, motion.works, motion.along, motion.residual).digest()
        return data.assign_attrs({files.RECORD_KEY: json.dumps(record), files.FORMAT_KEY: 2})

    path = tmp_path / "older.nc"
    shutil.copy(saved, path)
    _damaged(path, older)
    again, motion = da.Motion.load(path), da.Motion.load(saved)
    assert again.y.tobytes() == motion.y.tobytes()
    assert again.at(0.123).tobytes() == motion.at(0.123).tobytes()


def test_a_truncated_file_is_refused(tmp_path):
    path = tmp_path / "motion.nc"
    drag().save(path)
    whole = path.read_bytes()
    for length in [0, 1, 7, 100, *np.linspace(512, len(whole) - 1, 25, dtype=int).tolist()]:
        path.write_bytes(whole[:length])
        with pytest.raises(da.ModelError, match=r"motion\.nc"):
            da.Motion.load(path)


def test_a_store_with_a_part_missing_is_refused(tmp_path):
    path = tmp_path / "motion.zarr"
    drag().save(path)
    (path / "x" / "0").unlink()
    with pytest.raises(da.ModelError, match="not those that were written"):
        da.Motion.load(path)
    shutil.rmtree(path / "x")
    with pytest.raises(da.ModelError, match=r"motion\.zarr"):
        da.Motion.load(path)


def test_what_is_no_motion_is_refused_in_words(tmp_path):
    foreign = tmp_path / "weather.nc"
    xarray.Dataset({"rain": ("day", [1.0, 2.0])}).to_netcdf(foreign, engine="h5netcdf")
    with pytest.raises(da.ModelError, match="not a motion: it was not written by Motion"):
        da.Motion.load(foreign)
    with pytest.raises(da.ModelError, match="cannot be read as a NetCDF file"):
        da.Motion.load(gallery.path("appell"))
    (tmp_path / "folder").mkdir()
    with pytest.raises(da.ModelError, match="cannot be read as a Zarr store"):
        da.Motion.load(tmp_path / "folder")
    with pytest.raises(FileNotFoundError, match="nothing"):
        da.Motion.load(tmp_path / "nothing.nc")
    assert issubclass(da.ModelError, ValueError)


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()], ids=["disk", "keyboard"])
@pytest.mark.parametrize(("ending", "writer"), [("m.nc", "to_netcdf"), ("m.zarr", "to_zarr")])
def test_a_save_that_fails_leaves_what_was_there(ending, writer, error, tmp_path, monkeypatch):
    path = tmp_path / ending
    old, new = appell(), drag()
    old.save(path)
    write = getattr(xarray.Dataset, writer)

    def fails(self, *arguments, **options):
        write(self, *arguments, **options)
        assert len(list(tmp_path.iterdir())) == 2  # there is something to leave behind
        raise error

    monkeypatch.setattr(xarray.Dataset, writer, fails)
    with pytest.raises(type(error)):
        new.save(path)
    with pytest.raises(type(error)):
        new.save(tmp_path / f"other-{ending}")
    assert [p.name for p in tmp_path.iterdir()] == [ending]
    assert same(old, da.Motion.load(path))
    monkeypatch.undo()
    new.save(path)
    assert same(new, da.Motion.load(path))
    assert [p.name for p in tmp_path.iterdir()] == [ending]


def test_a_store_that_cannot_be_put_in_place_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "m.zarr"
    old = appell()
    old.save(path)

    replace = type(path).replace

    def fails(self, target):
        if target == path:  # the writer of the store puts its own files in place by the same means
            raise OSError("no")
        return replace(self, target)

    monkeypatch.setattr(type(path), "replace", fails)
    with pytest.raises(OSError, match="no"):
        drag().save(path)
    assert same(old, da.Motion.load(path))
    assert [p.name for p in tmp_path.iterdir()] == ["m.zarr"]


def test_a_store_whose_writer_fails_half_way_leaves_nothing_behind(tmp_path, monkeypatch):
    path = tmp_path / "m.zarr"

    def fails(self, target):
        raise OSError("disk full")

    monkeypatch.setattr(type(path), "replace", fails)  # the writer of the store puts every file in place by it
    with pytest.raises(OSError, match="disk full"):
        appell().save(path)
    assert not list(tmp_path.iterdir())


def test_nothing_of_the_user_is_overwritten_by_a_store(tmp_path):
    path = tmp_path / "thesis.zarr"
    path.mkdir()
    (path / "thesis.tex").write_text("years of work")
    with pytest.raises(da.ModelError, match="a folder of this name that is not a motion"):
        appell().save(path)
    assert (path / "thesis.tex").read_text() == "years of work"
    with pytest.raises(da.ModelError, match="there is a folder of this name"):
        appell().save(tmp_path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        appell().save(tmp_path / "nowhere" / "motion.nc")
    (tmp_path / "empty.zarr").mkdir()
    appell().save(tmp_path / "empty.zarr")
    assert da.Motion.load(tmp_path / "empty.zarr").success


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "data").mkdir()
    link = tmp_path / "latest.nc"
    link.symlink_to(tmp_path / "data" / "run1.nc")
    appell().save(link)
    assert link.is_symlink()
    assert da.Motion.load(tmp_path / "data" / "run1.nc").success


def test_without_zarr_the_user_is_told_what_to_do(tmp_path, monkeypatch):
    motion = appell()
    motion.save(tmp_path / "there.zarr")
    monkeypatch.setattr(files, "find_spec", lambda name: None)
    with pytest.raises(da.ModelError, match="pip install zarr"):
        motion.save(tmp_path / "motion.zarr")
    with pytest.raises(da.ModelError, match="pip install zarr"):
        da.Motion.load(tmp_path / "there.zarr")
    motion.save(tmp_path / "motion.nc")


def test_a_system_that_no_file_can_hold_is_refused_before_writing(tmp_path):
    from sympy import Function, Symbol

    q = Function("q", real=True)(t)
    assert q.diff(Symbol("t")).has(q)
    odd = da.System.from_lagrangian(q.diff() ** 2 / 2, [q])
    motion = odd.simulate({q.diff(): 1.0}, 1.0, samples=3)
    with pytest.raises(da.ModelError, match="cannot be written"):
        motion.save(tmp_path / "motion.nc")
    assert not list(tmp_path.iterdir())


def test_a_motion_without_samples_is_saved_too(tmp_path):
    motion = appell()
    none = replace(motion, t=motion.t[:0], y=motion.y[:, :0], works=motion.works[:, :0])
    none.save(tmp_path / "none.nc")
    assert same(none, da.Motion.load(tmp_path / "none.nc"))


def test_the_room_says_what_it_can_do():
    assert {"load", "save"} <= set(room.__all__)


def test_each_part_of_a_motion_is_gone_over_again_as_it_was_moved(tmp_path):
    """The first part at a coarse tolerance and with short steps, the second at the finest."""
    first = loaded("rolling-disk").simulate(until=1.0, samples=2, tolerance=1e-6, max_step=0.01)
    whole = first.resume(2.0, samples=2, tolerance=1e-15, max_step=10.0)
    whole.save(tmp_path / "motion.nc")
    again = da.Motion.load(tmp_path / "motion.nc")
    times = np.linspace(0.0, 2.0, 101)
    np.testing.assert_array_equal(again.at(times), whole.at(times))
    assert [origin.settings.tolerance for origin in again.origins] == [1e-6, 1e-15]
