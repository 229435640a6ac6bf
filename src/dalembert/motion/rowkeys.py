"""The rows of a system as people name them, and the trust in each; all that is wrong with them comes back as faults.

A constraint row goes by the name of the constraint, the impressed force on x by `force_x`, a measured acceleration by
`x_ddot` or the derivative itself, a measured constraint force by `reaction_x`.
"""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np
from sympy import Derivative

from dalembert.derive import Array
from dalembert.model import Statement, as_number, time
from dalembert.motion.dataset import variable_names
from dalembert.principles import InstantError, Trust
from dalembert.principles.trust import KINDS, Kind, Row

UNSTATED = ("acceleration", "reaction")  # rows that a system does not state a value for


class Plan(NamedTuple):
    """What is uncertain and what was measured: `trust` and the names of its rows, the row of each measured key.

    `rows` is every row by the key it was measured under, those that are exact too.
    """

    trust: Trust
    names: tuple[str, ...]
    rows: Mapping[Any, Row]


class Keys:
    """The names of the rows of a system, and of what is no row but may stand in a table beside them."""

    def __init__(self, system: Statement, without: Iterable[str] = ()) -> None:
        names = variable_names(system)
        self.states = (*names.coordinate, *names.velocity)
        self.constraints = tuple(c.name for c in system.constraints)
        self.without = tuple(without)
        self._derivatives = {q.diff(time(), 2): i for i, q in enumerate(system.coordinates)}
        by_kind: dict[Kind, tuple[str, ...]] = {
            "constraint": self.constraints,
            "force": tuple(f"force_{name}" for name in names.coordinate),
            "acceleration": names.acceleration,
            "reaction": tuple(f"reaction_{name}" for name in names.coordinate),
        }
        self.name = {Row(kind, i): name for kind in KINDS for i, name in enumerate(by_kind[kind])}

    def row(self, key: Any, what: str, faults: list[str]) -> Row | None:
        """The row of a key; where there is none, or two, a fault."""
        if isinstance(key, Derivative) and key in self._derivatives:
            return Row("acceleration", self._derivatives[key])
        found = [row for row, name in self.name.items() if isinstance(key, str) and name == key]
        if len(found) == 1 and key not in self.states:
            return found[0]
        if found:
            faults.append(f"{what} names {key!r}, which is {self._both(key, found)}: give the constraint another name")
        elif isinstance(key, str) and key in self.without:
            faults.append(f"{what} names {key!r}, a contact that is open at this state: it has no row")
        else:
            faults.append(f"{what} names {key!r}, which is no row of this system{self._near(key)}")
        return None

    def _both(self, key: str, found: list[Row]) -> str:
        said = {"constraint": "a constraint", "force": "an impressed force", "reaction": "a constraint force"}
        kinds = [said.get(row.kind, "an acceleration") for row in found]
        return " and ".join([*kinds, *(["a coordinate or a velocity"] if key in self.states else [])])

    def _near(self, key: Any) -> str:
        near = get_close_matches(str(key), list(self.name.values()), n=1)
        if near:
            return f"; did you mean {near[0]!r}?"
        some = ", ".join(repr(name) for name in self.constraints[:6]) or "it has no constraints"
        x = self.states[0]
        return f": its rows are the constraints ({some}), and force_{x}, {x}_ddot, reaction_{x} for a coordinate {x}"


def plan(keys: Keys, weights: Any, sigma: Any, measured: Iterable[Any] | None, faults: list[str]) -> Plan | None:
    """The trust in every uncertain row, and the row of everything measured; None where there are faults.

    Where `measured` is None it is not known what was measured: only the trusts are looked at.
    """
    before = len(faults)
    matrix = _matrix(weights, keys.constraints, faults)
    given = {} if matrix is not None else _trusts(keys, weights, "weights", faults)
    spread = _trusts(keys, sigma, "sigma", faults)
    if weights is None and sigma is None:
        given = {row: 1.0 for row in keys.name if row.kind == "constraint"}
    block = [row for row in keys.name if row.kind == "constraint"] if matrix is not None else []
    twice = [row for row in spread if row in given or row in block]
    faults += [f"{keys.name[row]!r} has a weight and a sigma: give one of them" for row in twice]
    trusted = given | {row: 1 / s / s for row, s in spread.items()}
    faults += [
        f"the trust in {keys.name[row]!r} is out of range: its weight is {w:.3g}"
        for row, w in trusted.items()
        if not 1e-200 < w < 1e200
    ]
    rows = {} if measured is None else _measured(keys, measured, {*trusted, *block}, faults)
    if len(faults) > before:
        return None
    ordered = [row for row in keys.name if row in trusted or row in block]
    W = np.array([trusted.get(row, 1.0) for row in ordered])
    if matrix is not None:
        W = np.diag(W)
        W[: len(block), : len(block)] = matrix  # constraints come first
    return Plan(Trust(ordered, W), tuple(keys.name[row] for row in ordered), rows)


def _measured(keys: Keys, measured: Iterable[Any], trusted: set[Row], faults: list[str]) -> dict[Any, Row]:
    """The row of every measured key; what is measured needs a trust, and what is trusted a value."""
    rows: dict[Any, Row] = {}
    unknown = len(faults)
    for key in measured:
        row = keys.row(key, "measured", faults)
        if row is None:
            continue
        name = keys.name[row]
        if row in rows.values():
            faults.append(f"measured gives {name!r} twice")
        rows[key] = row
        if row.kind != "constraint" and row not in trusted:
            faults.append(
                f"{name!r} is measured, but no trust in it is given: say sigma={{{name!r}: …}}, its standard deviation"
            )
    for row in sorted(trusted, key=list(keys.name).index):
        if row.kind in UNSTATED and row not in rows.values() and len(faults) == unknown:
            faults.append(f"{keys.name[row]!r} has a trust, but nothing was measured: give its value in measured")
    return rows


def _trusts(keys: Keys, given: Any, what: str, faults: list[str]) -> dict[Row, float]:
    """Weights or standard deviations by row, from a mapping or from one number for each constraint."""
    if given is None:
        return {}
    found: dict[Row, float] = {}
    for row, label, value in _pairs(keys, given, what, faults):
        number = as_number(value)
        if number is None or number <= 0:
            word = "weight" if what == "weights" else "standard deviation"
            faults.append(
                f"{what}: {label} is {value!r}; a {word} is a positive number. Leave a constraint out to hold it "
                f"exactly, give it a {'small' if what == 'weights' else 'large'} one to distrust it"
            )
        elif row in found:
            faults.append(f"{what}: {label} is given twice")
        else:
            found[row] = number
    return found


def _pairs(keys: Keys, given: Any, what: str, faults: list[str]) -> Iterator[tuple[Row, str, Any]]:
    """Row, what it was called, and its value."""
    if (named := labelled(given)) is not None:
        for key, value in named:
            row = keys.row(key, what, faults)
            if row is not None:
                yield row, f"{what}[{keys.name[row]!r}]", value
        return
    m = len(keys.constraints)
    if _axes(given) != 1:
        more = (
            ", or a matrix" if what == "weights" else "; errors that depend on each other go into a matrix of weights"
        )
        each = f"one number for each of {m} constraints" if m != 1 else "a sequence of one number for the constraint"
        faults.append(f"{what}={given!r} was given: give a mapping by row, or {each}{more}")
        return
    listed = list(given)
    if len(listed) != m:
        said = ", ".join(map(repr, keys.constraints[:6])) + (", …" if m > 6 else "")
        there = f"there is 1 for {m}" if len(listed) == 1 else f"there are {len(listed)} for {m}"
        faults.append(f"{what}: {there} constraint{'s' * (m != 1)}{f' ({said})' if m else ''}")
        return
    for i, value in enumerate(listed):
        yield Row("constraint", i), f"{what}[{keys.constraints[i]!r}]", value


def labelled(given: Any) -> list[tuple[Any, Any]] | None:
    """Keys and values of a mapping, a pandas Series, an xarray.DataArray with labels; None for what has no keys."""
    if hasattr(given, "coords") and given.ndim == 1 and given.dims[0] in given.coords:
        given = given.to_series()
    if isinstance(given, Mapping) or (hasattr(given, "items") and hasattr(given, "keys") and _one_axis(given)):
        return list(given.items())
    return None


def _matrix(weights: Any, names: tuple[str, ...], faults: list[str]) -> Array | None:
    """Weights that are a matrix over the constraints, or None where they are something else.

    A matrix with labels, a DataFrame, is taken by its labels.
    """
    m = len(names)
    if _axes(weights) != 2:
        return None
    if hasattr(weights, "columns"):
        labels = [list(axis) for axis in (weights.index, weights.columns)]
        if any(sorted(map(str, axis)) != sorted(names) for axis in labels):
            faults.append(f"weights: the labels of the matrix are {labels[0]} and {labels[1]}, the constraints {names}")
            return np.eye(m)
        weights = weights.loc[list(names), list(names)].to_numpy()
    try:
        W = np.array(weights, dtype=float)
        Trust([("constraint", i) for i in range(m)], W)
    except InstantError as error:
        faults += error.faults
        return np.eye(m)
    except (TypeError, ValueError) as error:
        faults.append(f"weights: not a matrix of real numbers ({error})")
        return np.eye(m)
    return W


def _one_axis(given: Any) -> bool:
    return getattr(given, "ndim", 1) == 1


def _axes(given: Any) -> int:
    """How many axes an array or nested sequence has; −1 for what is none."""
    if given is None or isinstance(given, (str, Mapping)):
        return -1
    try:
        return np.ndim(given)
    except ValueError:  # rows of different length
        return -1
