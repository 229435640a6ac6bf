"""Which constraint rows are independent, found by numbers at random states that satisfy the constraints.

Rows may depend on each other only where the constraints hold (a closed loop of bars, say), so the states tried are
first moved onto the constraints by Newton's method.
"""

from collections.abc import Sequence

import numpy as np

from dalembert.derive.evaluate import Array, constraint_numbers
from dalembert.model import Statement

TRIES = 5
TOLERANCE = 1e-8


def independent_rows(system: Statement) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Indices of a generic independent set of rows, the earliest ones, and notes on how it was found."""
    if not system.constraints:
        return (), ()
    random = np.random.default_rng(0)
    n = len(system.coordinates)
    values = {s: float(random.uniform(0.5, 1.5)) for s in system.symbols} | dict(system.values)
    found: list[tuple[int, ...]] = []
    off: list[tuple[int, ...]] = []
    for _ in range(TRIES):
        q, v = random.normal(size=n), random.normal(size=n)
        A, on = _on_constraints(system, q, v, values)
        if A is not None:
            (found if on else off).append(_first_independent(A))
    if found or off:
        note = () if found else ("the rank was taken off the constraints: no state on them was found",)
        return max(found or off, key=len), note
    return tuple(range(len(system.constraints))), ("the rank of the constraints could not be tried numerically",)


def _on_constraints(system: Statement, q: Array, v: Array, values: dict) -> tuple[Array | None, bool]:  # type: ignore[type-arg]
    """A at a state moved onto the constraints, and whether it got there; None where nothing can be evaluated."""
    numbers = None
    holonomic = np.array([type(c).__name__ == "Holonomic" for c in system.constraints])
    for _ in range(60):
        numbers = constraint_numbers(system, q, v, values)
        if numbers is None:
            return None, False
        A, level, rate = numbers
        size = max(np.abs(level[holonomic]).max(initial=0.0), np.abs(rate).max(initial=0.0))
        if size < 1e-12 * (1 + np.abs(q).max() + np.abs(v).max()):
            return A, True
        if not np.isfinite(size):
            break
        if holonomic.any():
            q = q - np.linalg.lstsq(A[holonomic], level[holonomic], rcond=1e-10)[0]
        v = v - np.linalg.lstsq(A, rate, rcond=1e-10)[0]
    return (None if numbers is None else numbers[0]), False


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


def dependent_rows(rows: Sequence[int], count: int) -> tuple[int, ...]:
    """The rows that are not among the independent ones."""
    return tuple(i for i in range(count) if i not in rows)
