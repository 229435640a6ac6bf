"""Motions in files, NetCDF or Zarr, from which nothing is lost.

A file is the dataset of the motion, for anyone to read, with three attributes for `load`: the number of the format,
the system as the text of a model file, and a record in JSON of all that is not an array (floats are written so that
they read back bit for bit). The record has a digest of the arrays, of the model and of itself, so that a damaged file
is not believed; one of format 2 has a digest of the arrays alone.
"""

import errno
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import sha256
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from time import sleep
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar
from uuid import uuid4

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.modes import Mode
from dalembert.engine import WORKS, Along, Choice
from dalembert.model import ModelError, Statement, refuse
from dalembert.model.files import loads
from dalembert.model.saving import dumps
from dalembert.motion.dataset import variable_names
from dalembert.motion.record import Episode, Origin, Settings
from dalembert.motion.status import Event, Projection, Status
from dalembert.motion.trajectory import Trajectory

if TYPE_CHECKING:
    from xarray import Dataset

FORMAT, READ = 3, (2, 3)
NAMES = ("", ".nc", ".nc4", ".h5", ".hdf5", ".zarr")  # endings of a name that promise no other kind of file
FORMAT_KEY, MODEL_KEY, RECORD_KEY = "dalembert_format", "dalembert_model", "dalembert_record"
PATIENCE = 50  # attempts to take away what is still being written
T = TypeVar("T", bound=Trajectory)


class Arrays(NamedTuple):
    """The arrays of a motion: t (k,), y (2n, k), works (4, k), what is derived along them, and residual (k, m)."""

    t: Array
    y: Array
    works: Array
    along: Along
    residual: Array

    @classmethod
    def of(cls, data: "Dataset", system: Statement) -> Self:
        """Those in a dataset of a system, read-only."""

        def one(name: str) -> Array:
            return _read_only(np.array(data[name].values, dtype=float))

        def several(names: tuple[str, ...]) -> Array:
            return _read_only(np.array([one(name) for name in names]))

        names = variable_names(system)
        acceleration = _read_only(np.ascontiguousarray(several(names.acceleration).T))
        rest = (one(name) for name in ("ideal_force", "nonideal_force", "multiplier", "reaction", "energy"))
        works = several(tuple(f"{who}_work" for who in WORKS))
        y = several((*names.coordinate, *names.velocity))
        return cls(one("time"), y, works, Along(acceleration, *rest), one("residual"))

    def digest(self, *texts: str) -> str:
        """A fingerprint of every shape, every bit and every letter."""
        seen = sha256()
        for text in texts:
            seen.update(f"{len(text)}:{text}".encode())
        for array in (self.t, self.y, self.works, *self.along, self.residual):
            seen.update(repr(array.shape).encode())
            seen.update(np.ascontiguousarray(array, dtype="<f8").tobytes())
        return seen.hexdigest()


def save(motion: Trajectory, path: str | PathLike[str]) -> None:
    """Write a motion; what was at `path` before stays as it was until the new file is complete.

    Raises ModelError, before anything is written, for a system that a model file cannot hold, where a folder that is
    no motion is in the way, and where a Zarr store is asked for and zarr is not installed.
    """
    zarr = Path(path).suffix.lower() == ".zarr"
    target = Path(os.path.realpath(path))
    refuse(ModelError, str(path), _hindrances(target, zarr))
    data, model, record = motion.dataset, dumps(motion.system), _record(motion)
    record["digest"] = _arrays(motion).digest(model, _text(record))
    data.attrs |= {FORMAT_KEY: FORMAT, MODEL_KEY: model, RECORD_KEY: _text(record)}
    unfilled = {name: {"_FillValue": None} for name in data.variables}
    with _replacing(target) as part:
        if zarr:
            data.to_zarr(str(part), mode="w", zarr_format=2, encoding=unfilled)  # labels have no agreed form in 3
        else:
            data.to_netcdf(part, engine="h5netcdf", encoding=unfilled)


def load(path: str | PathLike[str], kind: type[T], system_kind: type[Statement]) -> T:
    """The motion in a file, with its system as a `system_kind`; nothing is computed anew.

    Raises ModelError for a file that is not a motion, that is damaged, or that a newer version wrote.
    """
    subject = str(path)
    data = _opened(Path(path))
    found = data.attrs.get(FORMAT_KEY)
    if found is None:
        raise ModelError(subject, ["this is not a motion: it was not written by Motion.save"])
    if found not in READ:
        other = "an older" if int(found) < FORMAT else "a newer"
        known = " and ".join(map(str, READ))
        fault = f"this motion is in format {found}, and this version of dalembert reads {known}: use {other} one"
        raise ModelError(subject, [fault])
    try:
        model, record = data.attrs[MODEL_KEY], json.loads(data.attrs[RECORD_KEY])
        system = loads(model, system_kind, f"the model in {subject}")
        arrays, digest = Arrays.of(data, system), record.pop("digest")
        if digest != (arrays.digest() if found == 2 else arrays.digest(model, _text(record))):
            raise ValueError("its numbers are not those that were written")
        return _motion(kind, system, arrays, record)
    except ModelError:
        raise
    except (KeyError, IndexError, TypeError, ValueError) as error:
        words = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
        raise ModelError(subject, [f"the motion in this file is damaged: {words}"]) from None


def _record(motion: Trajectory) -> dict[str, Any]:
    """All that is not an array of samples, for JSON."""
    return {
        "values": dict(zip((s.name for s in motion.system.symbols), motion.values.tolist(), strict=True)),
        "begin_time": motion.begin_time,
        "begin_values": motion.begin_values.tolist(),
        "end_time": motion.end_time,
        "end_values": motion.end_values.tolist(),
        "end_works": motion.end_works.tolist(),
        "status": str(motion.status),
        "events": motion.events,
        "projections": motion.projections,
        "episodes": [
            (t, choice.rows, choice.augment, None if mode is None else asdict(mode), *choice[2:])
            for t, choice, mode in motion.episodes
        ],
        "origins": [(o.time, o.state, asdict(o.settings), o.sizes, o.until) for o in motion.origins],
        "sizes": motion.sizes,
        "settings": asdict(motion.settings),
        "statistics": dict(motion.statistics),
    }


def _arrays(motion: Trajectory) -> Arrays:
    return Arrays(motion.t, motion.y, motion.works, motion.along, motion.residual)


def _text(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, default=_item)


def _motion(kind: type[T], system: Statement, arrays: Arrays, record: dict[str, Any]) -> T:
    """The motion of a record, with what is derived already in place."""
    motion = kind(
        system,
        _read_only(np.array([record["values"][s.name] for s in system.symbols], dtype=float)),
        arrays.t,
        arrays.y,
        arrays.works,
        record["begin_time"],
        _read_only(np.array(record["begin_values"], dtype=float)),
        record["end_time"],
        _read_only(np.array(record["end_values"], dtype=float)),
        _read_only(np.array(record["end_works"], dtype=float)),
        Status.of(record["status"]),
        tuple(_event(*event) for event in record["events"]),
        tuple(Projection(*projection) for projection in record["projections"]),
        tuple(
            Episode(t, Choice(tuple(rows), augment, *more), None if mode is None else _mode(mode))
            for t, rows, augment, mode, *more in record["episodes"]
        ),
        Settings(**record["settings"]),
        MappingProxyType(record["statistics"]),
        tuple(
            Origin(t, tuple(state), Settings(**settings), tuple(sizes), *until)
            for t, state, settings, sizes, *until in record.get("origins", [_only_origin(record)])
        ),
        tuple(record.get("sizes", ())),
    )
    vars(motion).update(along=arrays.along, residual=arrays.residual)  # where cached_property looks first
    return motion


def _only_origin(record: dict[str, Any]) -> tuple[Any, ...]:
    """Where a motion of an older file was moved from."""
    return record["begin_time"], record["begin_values"], record["settings"], ()


def _opened(path: Path) -> "Dataset":
    """The dataset in a file or a store, in memory."""
    import xarray

    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    refuse(ModelError, str(path), [NO_ZARR] if path.is_dir() and not find_spec("zarr") else [])
    engine, form = ("zarr", "a Zarr store") if path.is_dir() else ("h5netcdf", "a NetCDF file")
    try:
        with xarray.open_dataset(path, engine=engine, decode_cf=False) as data:
            return data.load()
    except PermissionError:
        raise
    except Exception as error:  # a reader says in many ways that it does not understand
        fault = f"this is not a motion, or it is damaged: it cannot be read as {form} ({error})"
        raise ModelError(str(path), [fault]) from None


NO_ZARR = "a Zarr store needs the package zarr, which is not installed: pip install zarr"


def _hindrances(target: Path, zarr: bool) -> Iterator[str]:
    """What is in the way of writing."""
    ending = target.suffix.lower()
    if ending not in NAMES and not ending[1:].isdigit():
        yield f"a motion is written to a NetCDF file (.nc) or a Zarr store (.zarr), not to a {ending} file"
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(target.parent))
    if zarr and not find_spec("zarr"):
        yield f"{NO_ZARR}, or choose another ending of the name, for a NetCDF file"
    if target.is_dir() and not zarr:
        yield "there is a folder of this name"
    if target.is_dir() and zarr and any(target.iterdir()) and FORMAT_KEY not in _attributes(target):
        yield "there is a folder of this name that is not a motion; it is left as it is"


def _attributes(store: Path) -> str:
    """The text of the attributes of a store, empty where there is none."""
    file = store / ".zattrs"
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""


@contextmanager
def _replacing(target: Path) -> Iterator[Path]:
    """A name beside the target to write to; what is written there takes its place when it is complete, else goes."""
    part = target.with_name(f".{target.name}.{uuid4().hex[:8]}.part")
    old = part.with_suffix(".old")
    try:
        yield part
        if target.is_dir():  # a folder cannot be replaced in one step
            target.rename(old)
        try:
            part.replace(target)
        except OSError:
            if old.is_dir():
                old.rename(target)
            raise
    finally:
        for leftover in (part, old):
            _removed(leftover)


def _removed(leftover: Path) -> None:
    """Take away a file or a folder; where writing a store failed, its other threads may add files for a moment."""
    for _ in range(PATIENCE):
        if not leftover.is_dir():
            leftover.unlink(missing_ok=True)
            return
        shutil.rmtree(leftover, ignore_errors=True)
        if leftover.exists():
            sleep(0.02)


def _event(time: float, kind: str, name: str, before: str, after: str, state: list[float]) -> Event:
    return Event(time, kind, name, before, after, tuple(state))


def _mode(given: dict[str, Any]) -> Mode:
    """A mode from JSON, where tuples are lists."""

    def frozen(value: Any) -> Any:
        return tuple(map(frozen, value)) if isinstance(value, list) else value

    return Mode(**{name: frozen(value) for name, value in given.items()})


def _item(value: Any) -> Any:
    """A NumPy number as Python's own, for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} cannot be written to a file")


def _read_only(values: Array) -> Array:
    values.setflags(write=False)
    return values
