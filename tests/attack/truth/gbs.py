"""Extrapolation of the modified midpoint rule (Gragg, Bulirsch, Stoer) in long double.

The error of the midpoint rule has only even powers of the step, so that k results with 2, 4, …, 2k substeps give
order 2k (Hairer, Nørsett, Wanner, Solving ODEs I, II.9). A run is repeated at another order with shorter steps: how far
the two differ is what the truth says of its own error.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

Real = np.longdouble
Array = np.ndarray
Rate = Callable[[Real, Array], Sequence]  # y' = rate(t, y)

ORDER = 8  # columns of the tableau: order 16
TOLERANCE = Real("1e-16")  # of a step, relative to the size of the state
MOST = 200_000  # steps


class TruthError(Exception):
    """A truth that could not be computed: the case does not count."""


class Path(NamedTuple):
    """States (k, n) at the times asked for, and how far they may be off, relative to the size of each column."""

    states: Array
    error: float


def real(values) -> Array:
    """An array of long doubles."""
    return np.array(values, dtype=Real)


def step(rate: Rate, t: Real, y: Array, h: Real, order: int = ORDER) -> tuple[Array, Array]:
    """The state after h, and the difference of the last two columns of the tableau."""
    first = real(rate(t, y))
    rows: list[list[Array]] = []
    for j in range(1, order + 1):
        n = 2 * j
        d = h / n
        before, now = y, y + d * first
        for i in range(1, n):
            before, now = now, before + 2 * d * real(rate(t + i * d, now))
        row = [now]
        for i in range(1, j):
            ratio = Real(j) / Real(j - i)
            row.append(row[-1] + (row[-1] - rows[-1][i - 1]) / (ratio * ratio - 1))
        rows.append(row)
    return rows[-1][-1], rows[-1][-1] - rows[-1][-2]


class Stepper:
    """Steps of a length that keeps their error below the tolerance; remembers the length between calls."""

    def __init__(self, longest: float = np.inf, order: int = ORDER, tolerance: Real = TOLERANCE, absolute=0.0) -> None:
        self.longest, self.order, self.tolerance = Real(longest), order, tolerance
        self.absolute = absolute  # sizes below which an error does not matter, a number or one for each column
        self.length = min(self.longest, Real("0.01"))
        self.count = 0

    def advance(self, rate: Rate, t: Real, y: Array, until: Real) -> tuple[Real, Array]:
        """One accepted step, at most to `until`."""
        while True:
            self.count += 1
            if self.count > MOST:
                raise TruthError(f"more than {MOST} steps at t = {t}")
            h = min(self.length, self.longest, until - t)
            with np.errstate(all="ignore"):
                new, off = step(rate, t, y, h, self.order)
            size = np.maximum(np.maximum(abs(y), abs(new)), h * abs(real(rate(t, y)))) + self.absolute
            size = np.maximum(size, Real("1e-6") * size.max()) + Real("1e-300")
            worst = (abs(off) / size).max()
            if not np.isfinite(worst):
                self.length = h / 8
            else:
                factor = Real("0.8") * (self.tolerance / max(worst, Real("1e-40"))) ** (Real(1) / (2 * self.order - 1))
                if worst <= self.tolerance or h < Real("1e-15") * max(abs(t), Real("1e-3")):
                    if h == self.length or factor < 1:
                        self.length = h * min(factor, Real(4))
                    return (until if h >= until - t else t + h), new
                self.length = h * max(factor, Real("0.1"))
            if self.length < Real("1e-17") * max(abs(t), Real("1e-3")):
                raise TruthError(f"the step vanishes at t = {t}")


def run(rate: Rate, start, times, *, longest=np.inf, order=ORDER, tolerance=TOLERANCE, absolute=0.0) -> Array:
    """States (k, n) at `times`, the first of which is that of the start."""
    times, y = real(times), real(start)
    stepper = Stepper(longest, order, tolerance, absolute)
    out, t = [y], times[0]
    for until in times[1:]:
        while t < until:
            t, y = stepper.advance(rate, t, y, until)
        out.append(y)
    return real(out)


def solve(rate: Rate, start, times, *, longest=np.inf, absolute=0.0) -> Path:
    """The states at `times`, and the difference from a run of another order with steps of half the length."""
    one = run(rate, start, times, longest=longest, absolute=absolute)
    other = run(rate, start, times, longest=longest / 2, order=ORDER - 1, tolerance=TOLERANCE / 5, absolute=absolute)
    return Path(one, difference(one, other))


def difference(one: Array, other: Array) -> float:
    """The largest difference of two sets of states (k, n), relative to the largest entry of its column."""
    size = np.maximum(abs(one).max(axis=0), Real("1e-3") * abs(one).max()) + Real("1e-300")
    return float((abs(one - other) / size).max())
