"""The arrays of one instant, and what a principle answers to them."""

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dalembert.principles.errors import Array, InstantError
from dalembert.principles.tolerances import SYMMETRY

LARGEST = 1e300
"""Beyond this a sum of a few numbers may overflow."""


@dataclass(frozen=True, eq=False, init=False)
class Instant:
    """A constrained system at one instant: M q̈ = Q + Qᶜ with A q̈ = b and vᵀQᶜ = vᵀC whenever A v = 0.

    Shapes: M (n, n) symmetric, Q (n,), A (m, n), b (m,), C (n,). Left out, A has no rows and b, C are zero.
    The arrays are kept as read-only copies. `coordinates` names the columns, `constraints` the rows. `sizes` gives the
    size (m,) of the terms that b is made of, where it is known; it is asked for only where rows disagree.
    Raises InstantError with every fault: shape, a value that is not finite, M not symmetric, wrong names.
    Udwadia and Kalaba 2001, (1), (4), (6).
    """

    M: Array
    Q: Array
    A: Array
    b: Array
    C: Array
    coordinates: tuple[str, ...]
    constraints: tuple[str, ...]
    sizes: Callable[[], Array] | None

    def __init__(
        self,
        M: ArrayLike,
        Q: ArrayLike,
        A: ArrayLike | None = None,
        b: ArrayLike | None = None,
        C: ArrayLike | None = None,
        coordinates: Iterable[str] = (),
        constraints: Iterable[str] = (),
        sizes: Callable[[], Array] | None = None,
    ) -> None:
        faults: list[str] = []
        mass = _array("M", M, 2, faults)
        n = mass.shape[0]
        load = _array("Q", Q, 1, faults)
        rows = np.zeros((0, n)) if A is None else _array("A", A, 2, faults)
        m = rows.shape[0]
        right = np.zeros(m) if b is None else _array("b", b, 1, faults)
        nature = np.zeros(n) if C is None else _array("C", C, 1, faults)
        columns = tuple(coordinates) or tuple(f"q{j + 1}" for j in range(n))
        labels = tuple(constraints) or tuple(f"row {i + 1}" for i in range(m))
        if not faults:
            shapes = {"M": (mass, (n, n)), "Q": (load, (n,)), "A": (rows, (m, n)), "b": (right, (m,))}
            for name, (array, shape) in (shapes | {"C": (nature, (n,))}).items():
                faults += _faults(name, array, shape)
            if n == 0:
                faults.append("M: at least one coordinate is needed")
            elif mass.shape == (n, n) and np.isfinite(mass).all():
                mass = _symmetric(mass, faults)
        for name, given, count in (("coordinates", columns, n), ("constraints", labels, m)):
            if len(given) != count:
                faults.append(f"{name}: {len(given)} names for {count}")
        if faults:
            raise InstantError(faults)
        values = {"M": mass, "Q": load, "A": rows, "b": right, "C": nature}
        for name, array in values.items():
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        object.__setattr__(self, "coordinates", columns)
        object.__setattr__(self, "constraints", labels)
        object.__setattr__(self, "sizes", sizes)

    def __getstate__(self) -> dict[str, Any]:
        """What is kept in a file: numbers and names."""
        return {**vars(self), "sizes": None}

    def with_right(self, b: ArrayLike) -> "Instant":
        """The same instant with another right side b, (m,). Raises InstantError."""
        faults: list[str] = []
        right = _array("b", b, 1, faults)
        faults += [] if faults else _faults("b", right, (self.m,))
        if faults:
            raise InstantError(faults)
        right.setflags(write=False)
        other = copy(self)
        object.__setattr__(other, "b", right)
        return other

    @property
    def n(self) -> int:
        """How many coordinates."""
        return self.Q.shape[0]

    @property
    def m(self) -> int:
        """How many constraint rows, redundant ones counted."""
        return self.b.shape[0]


class Answer(NamedTuple):
    """What a principle says at an instant; every array has shape (n,) but multipliers, (m,).

    M q̈ = Q + ideal + nonideal and ideal = Aᵀ multipliers, the multipliers of least Euclidean norm where
    redundant rows leave them open.
    """

    acceleration: Array
    ideal: Array
    nonideal: Array
    multipliers: Array

    @property
    def force(self) -> Array:
        """The whole constraint force Qᶜ = ideal + nonideal, shape (n,)."""
        return self.ideal + self.nonideal


def _array(name: str, value: ArrayLike, dimensions: int, faults: list[str]) -> Array:
    """A float copy of `value`, or an empty array and a fault."""
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError) as error:
        faults.append(f"{name}: not an array of real numbers ({error})")
        return np.zeros((0,) * dimensions)
    if array.ndim != dimensions:
        faults.append(f"{name}: {dimensions} axes expected, shape {array.shape} found")
        return np.zeros((0,) * dimensions)
    return array


def _faults(name: str, array: Array, shape: tuple[int, ...]) -> list[str]:
    """What is wrong with the shape or the values of one array."""
    faults = []
    if array.shape != shape:
        faults.append(f"{name}: shape {shape} expected, {array.shape} found")
    finite = np.isfinite(array)
    if not finite.all():
        bad = np.argwhere(~finite)
        where = ", ".join(str(i) for i in bad[0])
        faults.append(f"{name}: {len(bad)} values are not finite, the first is {name}[{where}]")
    elif array.size and np.abs(array).max() > LARGEST:
        faults.append(f"{name}: values up to {np.abs(array).max():.2g} are too large to be reckoned with")
    return faults


def _symmetric(mass: Array, faults: list[str]) -> Array:
    """(M + Mᵀ)/2, or M itself and a fault that shows the worst pair."""
    if np.max(np.abs(mass)) > LARGEST or np.array_equal(mass, mass.T):
        return mass
    size, root = np.abs(mass), np.sqrt(np.abs(np.diag(mass)))
    natural = np.maximum(np.maximum(size, size.T), np.outer(root, root))
    skew = np.abs(mass - mass.T)
    excess = np.divide(skew, natural, out=np.zeros_like(skew), where=natural > 0)
    i, j = np.unravel_index(np.argmax(excess), excess.shape)
    if excess[i, j] > SYMMETRY:
        faults.append(f"M: not symmetric, M[{i}, {j}] = {mass[i, j]:.6g} but M[{j}, {i}] = {mass[j, i]:.6g}")
        return mass
    symmetric: Array = (mass + mass.T) / 2
    return symmetric
