"""Which constraint rows are independent, found by numbers at random states that satisfy the constraints.

Rows may depend on each other only where the constraints hold (a closed loop of bars, say), so the states tried are
first moved onto the constraints by Newton's method.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from dalembert.derive.evaluate import Array, RowNumbers, row_numbers
from dalembert.model import ON_POSITIONS, Statement

TRIES = 5
TOLERANCE = 1e-10
CLEAR = 1e-4


class Independence(NamedTuple):
    """A generic independent set of rows (the earliest ones), rows that contradict it, and notes on how it was found."""

    rows: tuple[int, ...]
    contradictory: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()


def independence(system: Statement) -> Independence:
    """Try the rank of A, and whether b goes with it, at a few random states on the constraints and random times.

    Parameters have the values of the statement. Where other values would make more rows independent, a note says that
    what follows holds for the values given.
    """
    if not system.constraints:
        return Independence(())
    random = np.random.default_rng(0)
    values = {s: float(random.uniform(0.5, 1.5)) for s in system.symbols} | dict(system.values)
    other = {s: value * float(random.uniform(0.8, 1.25)) for s, value in values.items()}
    found = _tried(system, values, random)
    if found is None:
        rows = tuple(range(len(system.constraints)))
        return Independence(rows, notes=("the rank of the constraints could not be tried numerically",))
    generic = _tried(system, other, random) if system.values else None
    if generic is not None and len(generic.rows) > len(found.rows):
        return found._replace(notes=(*found.notes, "for the values given of the parameters rows depend on each other"))
    return found


def _tried(system: Statement, values: Mapping[Any, float], random: "np.random.Generator") -> Independence | None:
    """The largest rank met, on the constraints if a state on them was found; None where nothing can be evaluated."""
    n = len(system.coordinates)
    met: dict[bool, list[Independence]] = {True: [], False: []}
    clear: list[Independence] = []  # away from places where the rank drops, where it is hard to tell
    for _ in range(TRIES):
        q, v, t = random.normal(size=n), random.normal(size=n), float(random.normal())
        numbers, on = _on_constraints(system, q, v, t, values)
        if numbers is not None:
            rows = _first_independent(numbers.A)
            met[on].append(Independence(rows, _contradictory(numbers, rows)))
            if on and _is_clear(numbers.A, len(rows)):
                clear.append(met[on][-1])
    if met[True]:
        return max(clear or met[True], key=lambda one: len(one.rows))
    if met[False]:
        best = max(met[False], key=lambda one: len(one.rows))
        return best._replace(notes=("no state on the constraints was found by trial: their rank was taken off them",))
    return None


def _contradictory(numbers: RowNumbers, rows: tuple[int, ...]) -> tuple[int, ...]:
    """Rows whose left side depends on the independent ones while their right side does not follow."""
    A, b = numbers.A, numbers.b
    R = np.linalg.lstsq(A[list(rows)].T, A.T, rcond=None)[0].T if rows else np.zeros((len(b), 0))
    gap = np.abs(b - R @ b[list(rows)])
    scale = 1.0 + np.abs(b).max() + np.abs(A).max()
    return tuple(int(i) for i in np.flatnonzero(gap > 1e-6 * scale))


def _on_constraints(
    system: Statement, q: Array, v: Array, t: float, values: Mapping[Any, float]
) -> tuple[RowNumbers | None, bool]:
    """A and b at a state moved onto the constraints, and whether it got there; None where nothing can be evaluated."""
    numbers = None
    holonomic = np.array([isinstance(c, ON_POSITIONS) for c in system.constraints])
    for _ in range(60):
        numbers = row_numbers(system, q, v, t, values)
        if numbers is None:
            return None, False
        A, _, level, rate = numbers
        size = max(np.abs(level[holonomic]).max(initial=0.0), np.abs(rate).max(initial=0.0))
        if size < 1e-12 * (1 + np.abs(q).max() + np.abs(v).max()):
            return numbers, True
        if not np.isfinite(size):
            break
        if holonomic.any():
            q = q - _step(A[holonomic], level[holonomic])
        v = v - _step(A, rate)
    return numbers, False


def _step(A: Array, off: Array) -> Array:
    """A step towards A x = off, damped by what is left: rows that depend on each other only on the constraints would
    otherwise throw it far away, and it still converges as the square (Fan and Yuan 2005).
    """
    damped = A @ A.T + np.linalg.norm(off) * np.eye(len(off))
    step: Array = A.T @ np.linalg.lstsq(damped, off, rcond=None)[0]
    return step


def _is_clear(A: Array, rank: int) -> bool:
    """Whether the rank is far from being lower."""
    sizes = np.linalg.svd(A / np.maximum(np.linalg.norm(A, axis=1, keepdims=True), 1e-300), compute_uv=False)
    return rank == 0 or bool(sizes[rank - 1] > CLEAR)


def _first_independent(A: Array) -> tuple[int, ...]:
    """Greedy choice of rows, in order, by what is left of each after the ones before (modified Gram-Schmidt)."""
    kept: list[int] = []
    basis: list[Array] = []
    for i, row in enumerate(A):
        rest = row.astype(float)
        for _ in range(2):
            for unit in basis:
                rest = rest - (unit @ rest) * unit
        size = float(np.linalg.norm(row))
        if size > 0 and np.linalg.norm(rest) > TOLERANCE * size:
            kept.append(i)
            basis.append(rest / np.linalg.norm(rest))
    return tuple(kept)
