"""What is derived right at a place that a motion passed, where rows lose their rank: a limit from both sides.

There forces are 0/0. They go on smoothly through the place, and are known beside it: from eight times around it they
are interpolated. So are multipliers; where these grow without bound, those are told that exert the forces found.
"""

from typing import TYPE_CHECKING

import numpy as np

from dalembert.derive import Array
from dalembert.engine import Along
from dalembert.principles.least_norm import least_norm
from dalembert.principles.rows import natural_rows
from dalembert.principles.units import natural_units

if TYPE_CHECKING:
    from dalembert.motion.trajectory import Trajectory

PART = 2.0**-6  # of a usual step: so far apart are the times around a place, and so far from it a limit is better
AROUND = np.array([-4, -3, -2, -1, 1, 2, 3, 4])
EVEN = 0.25  # of the largest of them: multipliers that differ by no more around a place do not grow there
INSIDE = 4.5  # of these distances: no switch, nor another place, may be as near


def passed(motion: "Trajectory") -> list[tuple[float, float]]:
    """The places that a motion passed: when, and within which distance of that its forces are taken as limits."""
    begin, end = motion.begin_time, motion.end_time
    usual = (end - begin) / max(1, int(motion.statistics.get("steps", 1)))
    times = np.unique([e.time for e in motion.events if e.kind == "passed"])
    told = [begin, end, *(e.time for e in motion.episodes)]
    told += [e.time for e in motion.events if e.kind != "rows"]
    out = []
    for time in times.tolist():
        free = min((abs(other - time) for other in told if other != time), default=0.0)
        switches = any(episode.time == time for episode in motion.episodes)  # forces may jump there
        width = 0.0 if switches else min(PART * usual, free / INSIDE)
        if time - width < time < time + width:
            out.append((time, width))
    return out


def beside(motion: "Trajectory", times: Array) -> Array:
    """Whether each of times (k,) is where forces are taken as limits."""
    out = np.zeros(len(times), dtype=bool)
    for time, width in passed(motion):
        out |= np.abs(times - time) < width
    return out


def with_passages(motion: "Trajectory", found: Along) -> Along:
    """What is derived at the samples, with limits right at the places that were passed."""
    columns: list[Array] | None = None
    for time, width in passed(motion):
        mine = np.flatnonzero(np.abs(motion.t - time) < width)
        if not len(mine):
            continue
        columns = columns or [np.array(column) for column in found]
        times = time + width * AROUND
        states = motion.at(times).T
        near, rows = motion._derivation.along(times, states), motion._derivation.stated_rows(times, states)[1]
        if not all(np.isfinite(part).all() for part in (*near, rows)):
            continue
        weights = _weights((motion.t[mine] - time) / width)
        M, A = motion._derivation.stated_rows(motion.t[mine], motion.y.T[mine])
        for column, values in zip(columns[:5], near[:5], strict=True):
            column[mine] = weights @ values
        for column, values in zip(columns[3:5], near[3:5], strict=True):
            if np.ptp(values, axis=0).max(initial=0.0) > EVEN * np.abs(values).max(initial=0.0):
                pulls = weights @ np.einsum("kmn,km->kn", rows, values)
                column[mine] = [_shared_out(*each) for each in zip(M, A, pulls, strict=True)]
    return found if columns is None else Along(*columns)


def _weights(places: Array) -> Array:
    """Weights (k, 8) of values around a place, of the polynomial through them, at k places in units of that."""
    others = AROUND[None, :] == AROUND[:, None]
    above = np.where(others[None], 1.0, places[:, None, None] - AROUND[None, None, :]).prod(axis=2)
    below = np.where(others, 1, AROUND[:, None] - AROUND[None, :]).prod(axis=1)
    out: Array = above / below
    return out


def _shared_out(M: Array, A: Array, force: Array) -> Array:
    """The multipliers (m,) of least norm by which stated rows A (m, n) exert a force; zero where they hold nothing."""
    units = natural_units(M, A)
    natural = natural_rows(A, units)
    load = np.ldexp(force, units.powers) / units.nearest
    shares = natural.left @ ((natural.right.T @ load) / natural.sigma)
    return least_norm(natural, natural.of_length_one(shares))
