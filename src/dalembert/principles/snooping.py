"""Data snooping: is any row at fault, which one, and which rows cannot be told apart (Baarda 1968).

A row at fault is one whose error is not of the size its trust says. If row i is off by δ and nothing else is wrong, the
contradictions `seen` (d,) move by δ shown[i]. So
    w_i = shown_i · seen / |shown_i|     is a standard normal number when nothing is wrong,
and w_i² is how much the hypothesis that row i is at fault takes off χ² = |seen|². For rows with independent errors w_i
is residual_i/(σ_i √r_i), r_i the redundancy number. Rows whose shown_i are parallel have w of one size: no test
tells them apart. This is so for all rows where d = 1.
"""

from typing import NamedTuple

import numpy as np
import scipy

from dalembert.principles.errors import Array
from dalembert.principles.tolerances import ALIKE

LEVEL = 0.05
"""The probability, where none is given, that a fault is found where there is none.

A fault of 5 σ shall be found and named in 95 of 100 cases. At a level of 0.01 that is out of reach at one instant,
however many rows there are; at 0.05 it takes redundancy numbers of about 0.75.
"""

POWER = 0.95
"""The probability with which the smallest detectable fault is found."""


class Standing(NamedTuple):
    """How each of u rows stands: redundancy numbers in [0, 1]; studentized w (0 where redundancy is 0); the fault that
    each would explain alone, and its standard deviation (0 where redundancy is 0); parallel (u, u), cos² of the angles
    between what faults show. All (u,) but `parallel`.
    """

    redundancy: Array
    studentized: Array
    fault: Array
    fault_sigma: Array
    parallel: Array


class Finding(NamedTuple):
    """The rows found at fault (none, one, or several that cannot be told apart), and the largest value that passes."""

    suspects: tuple[int, ...]
    critical: float


def standing(shown: Array, seen: Array, factor: Array, rounding: Array) -> Standing:
    """How each row stands, from shown (u, d), seen (d,), F (u, u) with W = FᵀF, and rounding (u,) of |shown_i|/|F e_i|.

    The redundancy number is |shown_i|²/|F e_i|², the part of a fault that is not taken up by the estimate; over rows
    with independent errors the numbers add up to d. A row of which only rounding shows cannot be checked.
    """
    length = np.linalg.norm(shown, axis=1)
    part = np.minimum(length / np.linalg.norm(factor, axis=0), 1.0)
    checkable = part > rounding
    redundancy = np.where(checkable, part**2, 0.0)
    safe = np.where(checkable, length, 1.0)
    along = np.where(checkable[:, None], shown / safe[:, None], 0.0)
    w = along @ seen
    return Standing(redundancy, w, w / safe, np.where(checkable, 1 / safe, 0.0), (along @ along.T) ** 2)


def alike(parallel: Array) -> tuple[tuple[int, ...], ...]:
    """Checkable rows in groups that cannot be told apart, from cos² (u, u); a row that cannot be checked is in none."""
    groups: list[list[int]] = []
    for i in range(len(parallel)):
        if not parallel[i, i]:
            continue
        home = next((group for group in groups if parallel[i, group[0]] > 1 - ALIKE), None)
        if home is None:
            groups.append([i])
        else:
            home.append(i)
    return tuple(map(tuple, groups))


def each(level: float, tests: int) -> float:
    """The level of one of several tests that together raise a false alarm with probability `level` at most.

    1 − (1 − level)^(1/tests), Šidák 1967; it holds for tests that are not independent too (Royen 2014).
    """
    return float(-np.expm1(np.log1p(-level) / max(tests, 1)))


def snoop(stand: Standing, level: float) -> Finding:
    """The rows with the largest |w|, if it is beyond the two-sided critical value."""
    groups = alike(stand.parallel)
    critical = two_sided(each(level, len(groups)))
    sizes = [float(np.max(np.abs(stand.studentized[list(group)]))) for group in groups]
    if not groups or max(sizes) <= critical:
        return Finding((), critical)
    return Finding(groups[int(np.argmax(sizes))], critical)


def quantile(probability: float) -> float:
    """What a standard normal number stays below with a probability."""
    return float(scipy.special.ndtri(probability))


def two_sided(level: float) -> float:
    """What the size of a standard normal number goes beyond with a probability; finite for every level above 0."""
    return -quantile(max(level / 2, float(np.finfo(float).tiny)))


def chance(chi_square: float, degrees: int) -> float:
    """The probability that χ² of so many degrees of freedom is at least this large; 1 where there are none."""
    return float(scipy.special.chdtrc(degrees, chi_square)) if degrees else 1.0
