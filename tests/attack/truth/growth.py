"""How much a small error of the start grows: a run from a start moved by a ten-billionth of its scale."""

from collections.abc import Callable

import numpy as np

from .gbs import Array, Real, TruthError, real

MOVED = Real("1e-10")


def growth(run: Callable[[Array], Array], start, states: Array) -> float:
    """The largest difference from `states` (k, n) of a run from a start moved a little, over how much it was moved.

    Both are relative to the largest entries of their columns, of the run; NaN rows do not count.
    """
    start = real(start)
    size = np.nanmax(abs(states), axis=0)
    size = np.maximum(size, Real("1e-3") * size.max()) + Real("1e-300")
    signs = real([1 if i % 3 else -1 for i in range(len(start))])
    try:
        moved = run(start + MOVED * signs * size)
    except TruthError:
        return np.inf
    off = abs(moved - states) / size
    off[np.isnan(states)] = 0
    worst = off.max()
    return float(worst / MOVED) if np.isfinite(worst) else np.inf
