"""Which velocities to describe a motion by, where nobody has said: those an elimination of the rows leaves free.

Rows are eliminated one pivot at a time, in symbols and beside them in numbers at a few states. Simple pivots that
never vanish come first, so that the velocities left are good wherever the system goes; one that vanishes where the
motion starts comes last.
"""

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from sympy import Expr, Matrix, cosh, exp

from dalembert.derive.algebra import Symbols
from dalembert.derive.effort import TooMuch, effort
from dalembert.derive.independence import Sample
from dalembert.derive.tidy import tidy
from dalembert.model.checks import has_plain_sign

VANISHES = 1e-9  # of a row: what counts as zero at a state
LONG = 200  # operations from which an entry is judged by its numbers alone
Place = tuple[int, int]


def free_columns(
    rows: Matrix, algebra: Symbols, tried: Sequence[Sample], chosen: Sequence[int], start: bool, units: float
) -> tuple[int, ...]:
    """The columns of `rows` (k, n) that no pivot was taken from; k pivots are taken.

    `tried` are states where the rows `chosen` of the system are known in numbers; the first is the start, if `start`.
    """
    numbers = [sample.rows.A[list(chosen)].copy() for sample in tried]
    entries: Matrix | None = rows.copy()
    left, open_ = set(range(rows.cols)), set(range(rows.rows))
    while open_:
        places = [(i, j) for i in sorted(open_) for j in sorted(left)]
        pivot = min(places, key=lambda at: _rank(at, entries, algebra, numbers, start))
        open_.discard(pivot[0])
        left.discard(pivot[1])
        for matrix in numbers:
            _eliminate(matrix, pivot, open_)
        entries = _eliminated(entries, pivot, open_, left, units)
    return tuple(sorted(left))


def contradictory_rates(tried: Sequence[Sample], chosen: Sequence[int]) -> tuple[int, ...]:
    """Rows that ask another velocity than the rows `chosen`, on which they depend, at every state tried."""
    found: set[int] | None = None
    for A, _, _, rate in (sample.rows for sample in tried):
        own = list(chosen)
        share = np.linalg.lstsq(A[own].T, A.T, rcond=None)[0].T if own else np.zeros((len(A), 0))
        gap = np.abs(rate - share @ rate[own])
        wrong = set(np.flatnonzero(gap > 1e-6 * (1.0 + np.abs(rate).max(initial=0.0))).tolist())
        found = wrong if found is None else found & wrong
    return tuple(sorted(found or ()))


def _rank(
    at: Place, entries: Matrix | None, algebra: Symbols, numbers: Sequence[np.ndarray], start: bool
) -> tuple[float, ...]:
    """How bad a pivot is: where it vanishes, whether it may, how long it is, how small it gets, where it stands."""
    sizes = [abs(m[at]) / (np.linalg.norm(m[at[0]]) or 1.0) for m in numbers] or [1.0]
    zero = max(sizes) <= VANISHES
    at_start = start and sizes[0] <= VANISHES
    entry = None if entries is None else entries[at]
    if entry is None or entry.count_ops() > LONG:
        return (zero, at_start, 3, LONG, -min(sizes), *at)
    if entry == 0:
        return (True, True, 3, 0, 0.0, *at)
    return (zero, at_start, _doubt(entry, algebra), int(entry.count_ops()), -round(min(sizes), 6), *at)


def _doubt(entry: Expr, algebra: Symbols) -> int:
    """0 for a number, 1 for what never vanishes or is made of parameters, 2 for what may vanish."""
    if entry.is_number:
        return 0
    return 1 if never_zero(entry, algebra) else 2


def never_zero(entry: Expr, algebra: Symbols) -> bool:
    """Whether an expression is made of parameters and numbers alone, or is seen to vanish nowhere."""
    moving = entry.free_symbols & {*algebra.q, *algebra.v, algebra.t}
    if not moving or isinstance(entry, (exp, cosh)):
        return True
    if entry.is_Mul or (entry.is_Pow and entry.exp.is_Rational):
        return all(never_zero(part, algebra) for part in (entry.args if entry.is_Mul else entry.args[:1]))
    return has_plain_sign(entry) and entry.is_nonzero is True


def _eliminate(matrix: np.ndarray, pivot: Place, rest: set[int]) -> None:
    i, j = pivot
    if matrix[i, j]:
        for other in rest:
            matrix[other] -= matrix[other, j] / matrix[i, j] * matrix[i]


def _eliminated(entries: Matrix | None, pivot: Place, rest: set[int], left: set[int], units: float) -> Matrix | None:
    """The symbolic rows after one pivot; None, and numbers alone from there on, where it takes too much."""
    if entries is None:
        return None
    i, j = pivot
    out = entries.copy()
    with suppress(TooMuch), effort(units):
        for other in rest:
            factor = entries[other, j] / entries[i, j]
            for column in left if factor != 0 else ():
                out[other, column] = tidy(entries[other, column] - factor * entries[i, column])
        return out
    return None
