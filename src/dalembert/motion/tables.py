"""Measured tables as people keep them: a column of times and named columns beside it, from memory or a file.

An `xarray.Dataset`, a pandas `DataFrame`, a mapping from names to sequences, or the path of a CSV or NetCDF file. What
is wrong with one comes back as faults, with the line where it came from a CSV file.
"""

import csv
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.model import ModelError

TIME = "time"
SHOWN = 5  # faults of one kind that are listed before the rest is counted
GAPS = ("", "nan", "na", "n/a", "null", "none", "-")  # what stands in a CSV cell where nothing was measured


class Table(NamedTuple):
    """Times (k,) and columns (k,) by name, NaN where there is a gap; `other` are names with other dimensions.

    `lines` (k,) are the lines of a CSV file, else empty.
    """

    what: str
    times: Array
    columns: Mapping[Any, Array]
    other: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()

    def where(self, i: int) -> str:
        """A sample, as it can be found again."""
        return f"line {self.lines[i]}" if self.lines else f"time[{i}]"


def is_table(given: Any) -> bool:
    """Whether something is a table, and not the state at one instant."""
    if isinstance(given, dict):
        return TIME in given and np.ndim(given[TIME]) > 0
    if isinstance(given, (str, PathLike)):
        return True
    from pandas import DataFrame  # only now: a state is mostly a dict, and need not wait for it
    from xarray import Dataset

    return isinstance(given, (DataFrame, Dataset))


def table(given: Any, what: str, faults: list[str]) -> Table | None:
    """The table in what was given, or None and what is wrong with it."""
    from pandas import DataFrame
    from xarray import Dataset

    before = len(faults)
    if isinstance(given, (str, PathLike)):
        path = Path(given)
        if path.suffix.lower() == ".csv":
            return _checked(_csv(path, what, faults), faults, before)
        given, what = _netcdf(path), f"{what} ({path.name})"
    if isinstance(given, Dataset):
        return _checked(_from_dataset(given, what, faults), faults, before)
    if isinstance(given, DataFrame):
        named = {given.index.name: given.index} if given.index.name == TIME else {}
        given = named | {name: given[name] for name in given.columns}
    if not isinstance(given, Mapping):
        kinds = "an xarray.Dataset, a DataFrame, a mapping from names to sequences, or the path of a .csv or .nc file"
        faults.append(f"{what}: {type(given).__name__} found; give {kinds}")
        return None
    raw = {name: _numbers(values, name, what, faults) for name, values in given.items()}
    return _checked(_of(raw, what, faults) if len(faults) == before else None, faults, before)


def gaps(found: Table, names: Iterator[Any]) -> Iterator[str]:
    """A fault for every named column in which values are missing or not finite."""
    for name in names:
        column = found.columns[name]
        for bad, word in ((np.isnan(column), "missing"), (np.isinf(column), "not finite")):
            if bad.any():
                i = int(np.argmax(bad))
                count = f"{int(bad.sum())} of {len(column)} values are {word}"
                first = f"the first at t = {found.times[i]:.12g} ({found.where(i)})"
                yield f"{found.what}: {name}: {count}, {first}; leave those times out, or fill them yourself"


def _checked(found: Table | None, faults: list[str], before: int) -> Table | None:
    """The table, if its times go forward."""
    if found is None or len(faults) > before:
        return None
    t = found.times
    if not len(t):
        faults.append(f"{found.what}: there are no times in it")
    if (lost := np.flatnonzero(~np.isfinite(t))).size:
        faults.append(f"{found.what}: time is missing or not finite at {found.where(int(lost[0]))}")
    if (back := np.flatnonzero(np.diff(t) <= 0)).size:
        i = int(back[0])
        word = "is repeated" if t[i] == t[i + 1] else "goes back"
        count = f" ({len(back)} such places)" if len(back) > 1 else ""
        faults.append(
            f"{found.what}: time {word} at {found.where(i + 1)}, from {t[i]:.12g} to {t[i + 1]:.12g}{count}; "
            "times must increase"
        )
    return found if len(faults) == before else None


def _of(raw: Mapping[Any, Array], what: str, faults: list[str], lines: tuple[int, ...] = ()) -> Table | None:
    """A table of columns of one length, one of which is the time."""
    if TIME not in raw:
        named = ", ".join(map(str, raw)) or "none"
        faults.append(f"{what}: there is no column {TIME!r} (columns: {named})")
        return None
    count = len(raw[TIME])
    for name, column in raw.items():
        if len(column) != count:
            faults.append(f"{what}: {name} has {len(column)} values for {count} times")
    return Table(what, raw[TIME], {name: column for name, column in raw.items() if name != TIME}, (), lines)


def _from_dataset(given: Any, what: str, faults: list[str]) -> Table | None:
    """A dataset: what lies along the dimension of `time` is a column."""
    if TIME not in given.variables or given[TIME].ndim != 1:
        faults.append(f"{what}: there is no variable {TIME!r} with one dimension")
        return None
    along = given[TIME].dims
    before = len(faults)
    names = [name for name in given.variables if given[name].dims == along]
    raw = {name: _numbers(given[name].values, name, what, faults) for name in names}
    found = _of(raw, what, faults) if len(faults) == before else None
    return None if found is None else found._replace(other=tuple(n for n in given.variables if n not in names))


def _numbers(values: Any, name: Any, what: str, faults: list[str]) -> Array:
    """A column as floats; None is a gap."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different length
        array = np.array(values, dtype=object)
    if array.dtype.kind in "mM":
        faults.append(
            f"{what}: {name} is in dates or spans of time; give seconds as numbers, such as "
            f"({name} - {name}[0]) / numpy.timedelta64(1, 's')"
        )
        return np.zeros(len(array) if array.ndim else 0)
    if array.ndim != 1:
        faults.append(f"{what}: {name} has {array.ndim} dimensions, a sequence of numbers is meant")
        return np.zeros(0)
    if array.dtype.kind in "fiu":
        return array.astype(float)
    listed = np.array(values, dtype=object).tolist()  # as they are: among words, NumPy makes words of numbers
    out = [_real(value) for value in listed]
    if None in out:
        i = out.index(None)
        faults.append(f"{what}: {name}[{i}] is {listed[i]!r}, a number is meant")
        return np.zeros(len(array))
    return np.array(out, dtype=float)


def _real(value: Any) -> float | None:
    """A number, NaN for None, or None for what is no number."""
    if isinstance(value, (str, bytes, bool, complex)):
        return None
    try:
        return float("nan") if value is None else float(value)
    except (TypeError, ValueError):
        return None


def _csv(path: Path, what: str, faults: list[str]) -> Table | None:
    """A CSV file: names in the first line, numbers separated by commas below."""
    what = f"{what} ({path.name})"
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        faults.append(f"{what}: this is not a text file in UTF-8 ({error})")
        return None
    reader = csv.reader(text.splitlines())
    header = [name.strip() for name in next(reader, [])]
    if TIME not in header:
        faults.append(
            f"{what}: there is no column {TIME!r} in the first line, {','.join(header)[:80]!r}; "
            "columns are separated by commas, decimals have points"
        )
        return None
    found = [f"{what}: the column {name!r} is there twice" for name in sorted(_repeated(header))]
    rows, lines = [], []
    for cells in reader:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(header):
            found.append(f"{what}: line {reader.line_num} has {len(cells)} cells, the first line has {len(header)}")
            continue
        rows.append([_cell(cell, name, reader.line_num, what, found) for cell, name in zip(cells, header, strict=True)])
        lines.append(reader.line_num)
    faults += found[:SHOWN]
    if len(found) > SHOWN:
        faults.append(f"{what}: … and {len(found) - SHOWN} more faults like these")
    if found:
        return None
    columns = np.array(rows, dtype=float).reshape(-1, len(header)).T
    return _of(dict(zip(header, columns, strict=True)), what, faults, tuple(lines))


def _repeated(header: list[str]) -> set[str]:
    return {name for name in header if header.count(name) > 1}


def _cell(cell: str, name: str, line: int, what: str, faults: list[str]) -> float:
    """A number, or NaN for a gap."""
    word = cell.strip()
    if word.lower() in GAPS:
        return float("nan")
    try:
        if "_" in word:  # Python would take 1_000 for a thousand
            raise ValueError
        return float(word)
    except ValueError:
        faults.append(f"{what}: line {line}, column {name!r}: {word!r} is not a number")
        return float("nan")


def _netcdf(path: Path) -> Any:
    """The dataset in a file, in memory; times stay the numbers they are."""
    import xarray

    if not path.exists():
        raise FileNotFoundError(2, "No such file or directory", str(path))
    if path.suffix.lower() not in (".nc", ".nc4", ".h5", ".zarr"):
        raise ModelError(str(path), ["a table is read from a file whose name ends in .csv or .nc"])
    try:
        with xarray.open_dataset(path, decode_times=False) as data:
            return data.load()
    except PermissionError:
        raise
    except Exception as error:  # a reader says in many ways that it does not understand
        raise ModelError(str(path), [f"this cannot be read as a NetCDF file ({error})"]) from None
