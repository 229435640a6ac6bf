"""Measured tables as people keep them: a column of times and named columns beside it, from memory or a file.

An `xarray.Dataset`, a pandas `DataFrame`, a mapping from names to sequences, or the path of a CSV or NetCDF file. What
is wrong with one comes back as faults, with the line where it came from a CSV file.
"""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.motion.table_files import TIME, read_csv, read_netcdf

SECONDS = ("s", "sec", "secs", "second", "seconds")
UNITS = {
    1e-9: ("ns", "nanosecond", "nanoseconds"),
    1e-6: ("us", "µs", "μs", "microsecond", "microseconds"),
    1e-3: ("ms", "msec", "millisecond", "milliseconds"),
    60: ("min", "minute", "minutes"),
    3600: ("h", "hr", "hour", "hours"),
    86400: ("d", "day", "days"),
}  # other units of time, in seconds


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
    if isinstance(given, (str, PathLike)):
        return True
    if not isinstance(given, dict):
        from pandas import DataFrame  # only now: a state is mostly a dict, and need not wait for it
        from xarray import Dataset

        if isinstance(given, (DataFrame, Dataset)):
            return True
    return isinstance(given, Mapping) and TIME in given and _sequence(given[TIME])


def _sequence(values: Any) -> bool:
    try:
        return np.ndim(values) > 0
    except ValueError:  # rows of different length
        return True


def table(given: Any, what: str, faults: list[str]) -> Table | None:
    """The table in what was given, or None and what is wrong with it."""
    from pandas import DataFrame
    from xarray import Dataset

    before = len(faults)
    if isinstance(given, (str, PathLike)):
        path = Path(given)
        what = f"{what} ({path.name})"
        if path.suffix.lower() == ".csv":
            read = read_csv(path, what, faults)
            return None if read is None else _checked(_of(read.columns, what, faults, read.lines), faults, before)
        given = read_netcdf(path, what, faults)
        if given is None:
            return None
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
    raw = {name: _numbers(given[name], name, what, faults) for name in names}
    found = _of(raw, what, faults) if len(faults) == before else None
    return None if found is None else found._replace(other=tuple(n for n in given.variables if n not in names))


def _numbers(values: Any, name: Any, what: str, faults: list[str]) -> Array:
    """A column as floats; None and what is masked are gaps. The time must be in seconds."""
    if name == TIME:
        faults += _unit(getattr(values, "attrs", {}).get("units"), what)
    if isinstance(values, np.ma.MaskedArray) and values.dtype.kind not in "mM":
        hidden, values = np.ma.getmaskarray(values), np.array(values.data, dtype=object)
        values[hidden] = None
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different length
        array = np.array(values, dtype=object)
    if array.dtype.kind in "mM" or (
        array.dtype == object and any(isinstance(v, (date, timedelta)) for v in array.flat)
    ):
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


def _unit(unit: Any, what: str) -> Iterator[str]:
    """A fault where the unit of the time is told, and is not the second."""
    if unit is None or (words := str(unit).split()) == [] or words[0].lower() in SECONDS:
        return
    factor = next((f for f, names in UNITS.items() if words[0] in names or words[0].lower() in names[1:]), None)
    how = f"multiply it by {factor:g}" if factor else "bring it to seconds"
    yield f"{what}: time has the units {str(unit)!r}, and is meant in seconds: {how}, and set its units to 's'"


def _real(value: Any) -> float | None:
    """A number, NaN for what is missing, or None for what is no number."""
    if value is None or value is np.ma.masked or type(value).__name__ in ("NAType", "NaTType"):
        return float("nan")
    if isinstance(value, (str, bytes, bool, complex)):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
