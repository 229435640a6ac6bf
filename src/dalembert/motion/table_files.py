"""Measured tables in files: the columns of a CSV file, the dataset of a NetCDF file; what is wrong comes as faults."""

import csv
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dalembert.derive import Array

TIME = "time"
SHOWN = 5  # faults of one kind that are listed before the rest is counted
GAPS = ("", "nan", "na", "n/a", "null", "none", "-")  # what stands in a CSV cell where nothing was measured
NETCDF = (".nc", ".nc4", ".h5", ".zarr")


class Columns(NamedTuple):
    """Columns (k,) by name, and the lines (k,) of the file they come from."""

    columns: Mapping[str, Array]
    lines: tuple[int, ...]


def same_file(one: str | PathLike[str], two: str | PathLike[str]) -> bool:
    """Whether two paths lead to one file, however they are written."""
    return Path(one).resolve() == Path(two).resolve()


def read_csv(path: Path, what: str, faults: list[str]) -> Columns | None:
    """A CSV file: names in the first line, numbers separated by commas below; lines that begin with # are comments."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        faults.append(f"{what}: this is not a text file in UTF-8 ({error})")
        return None
    except OSError as error:
        faults.append(_unreadable(path, what, error))
        return None
    # A comment is an empty line to the reader, so that lines keep their numbers.
    lines = ["" if line.lstrip().startswith("#") else line for line in text.splitlines()]
    reader = csv.reader(lines, skipinitialspace=True)
    header = next(([name.strip() for name in cells] for cells in reader if any(c.strip() for c in cells)), [])
    if TIME not in header:
        faults.append(
            f"{what}: there is no column {TIME!r} in the first line, {','.join(header)[:80]!r}; "
            "columns are separated by commas, decimals have points"
        )
        return None
    found = [f"{what}: the column {name!r} is there twice" for name in sorted(_repeated(header))]
    rows, places = [], []
    for cells in reader:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(header):
            found.append(f"{what}: line {reader.line_num} has {len(cells)} cells, the first line has {len(header)}")
            continue
        rows.append([_cell(cell, name, reader.line_num, what, found) for cell, name in zip(cells, header, strict=True)])
        places.append(reader.line_num)
    faults += found[:SHOWN]
    if len(found) > SHOWN:
        faults.append(f"{what}: … and {len(found) - SHOWN} more faults like these")
    if found:
        return None
    columns = np.array(rows, dtype=float).reshape(-1, len(header)).T
    return Columns(dict(zip(header, columns, strict=True)), tuple(places))


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


def read_netcdf(path: Path, what: str, faults: list[str]) -> Any:
    """The dataset in a file, in memory, or None; times stay the numbers they are."""
    import xarray

    if not path.exists():
        faults.append(f"{what}: there is no file {str(path)!r}")
        return None
    if path.suffix.lower() not in NETCDF:
        faults.append(f"{what}: a table is read from a file whose name ends in .csv or .nc")
        return None
    try:
        with xarray.open_dataset(path, decode_times=False) as data:
            return data.load()
    except OSError as error:
        faults.append(_unreadable(path, what, error))
    except Exception as error:  # a reader says in many ways that it does not understand
        faults.append(f"{what}: this cannot be read as a NetCDF file ({str(error)[:80]} …)")
    return None


def _unreadable(path: Path, what: str, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{what}: there is no file {str(path)!r}"
    if isinstance(error, (PermissionError, IsADirectoryError)):
        return f"{what}: {str(path)!r} cannot be opened ({error.strerror})"
    return f"{what}: this cannot be read ({error})"
