"""Null spaces modulo a prime below 2³¹, of one large matrix or of many small ones at once."""

from typing import NamedTuple

import numpy as np


class Kernel(NamedTuple):
    """The null space of a matrix in reduced echelon form: `vectors` (nullity, columns), `free` their last columns.

    Vector k has 1 in column free[k] and otherwise stands in earlier columns alone, none of them in `free`: of all
    combinations it ends soonest.
    """

    vectors: np.ndarray
    free: tuple[int, ...]


def kernel(matrix: np.ndarray, prime: int) -> Kernel:
    """The vectors v with matrix v = 0 modulo the prime; matrix (rows, columns) of int64."""
    work = matrix % prime
    pivots: list[int] = []
    for column in range(work.shape[1]):
        top = len(pivots)
        found = np.flatnonzero(work[top:, column])
        if not found.size:
            continue
        work[[top, top + found[0]]] = work[[top + found[0], top]]
        work[top, column:] = work[top, column:] * pow(int(work[top, column]), -1, prime) % prime
        others = np.flatnonzero(work[:, column])
        others = others[others != top]
        work[others, column:] = (work[others, column:] - work[others, column, None] * work[top, column:]) % prime
        pivots.append(column)
    free = tuple(sorted(set(range(work.shape[1])) - set(pivots)))
    vectors = np.zeros((len(free), work.shape[1]), dtype=np.int64)
    for row, column in enumerate(free):
        vectors[row, column] = 1
        vectors[row, pivots] = -work[: len(pivots), column] % prime
    return Kernel(vectors, free)


def rank(matrix: np.ndarray, prime: int) -> int:
    """The rank modulo the prime."""
    return int(matrix.shape[1]) - len(kernel(matrix, prime).free)


class Annihilator(NamedTuple):
    """Vector fields X (points, n − r, n) that span the null space of r rows at each point, and where they do."""

    fields: np.ndarray
    good: np.ndarray


def annihilator(rows: np.ndarray, prime: int) -> Annihilator:
    """The null space of rows (points, m, n) at each point; points of less than the usual rank are marked not good."""
    work = rows % prime
    count, height, width = work.shape
    good, free_rows, pivots = np.ones(count, dtype=bool), list(range(height)), {}
    for column in range(width):
        sizes = [(np.count_nonzero(work[good, row, column]), -row) for row in free_rows]
        most, at = max(sizes, default=(0, 0))
        if not most:
            continue
        row = -at
        good &= work[:, row, column] != 0
        work[:, row] = work[:, row] * inverse(work[:, row, column], prime)[:, None] % prime
        for other in range(height):
            if other != row:
                work[:, other] = (work[:, other] - work[:, other, column, None] * work[:, row]) % prime
        pivots[column] = row
        free_rows.remove(row)
    free = [column for column in range(width) if column not in pivots]
    fields = np.zeros((count, len(free), width), dtype=np.int64)
    for k, column in enumerate(free):
        fields[:, k, column] = 1
        for pivot, row in pivots.items():
            fields[:, k, pivot] = -work[:, row, column] % prime
    return Annihilator(fields, good)


def inverse(values: np.ndarray, prime: int) -> np.ndarray:
    """1/v for each value, 0 for 0: v^(p − 2)."""
    out, base, exponent = np.ones_like(values), values, prime - 2
    while exponent:
        if exponent & 1:
            out = out * base % prime
        base = base * base % prime
        exponent >>= 1
    return out


def contract(left: np.ndarray, right: np.ndarray, prime: int) -> np.ndarray:
    """Σ_i left[…, a, i] right[…, i, b] modulo the prime, without overflow."""
    out = np.zeros((*left.shape[:-1], right.shape[-1]), dtype=np.int64)
    for i in range(left.shape[-1]):
        out = (out + left[..., :, i, None] * right[..., None, i, :]) % prime
    return out
