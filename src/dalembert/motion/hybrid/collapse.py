"""Bounces of several contacts on each other, ever lower and ever faster, to the time at which all of them end.

So near the end gaps are those of parabolas: forces, masses and directions no longer change. Each impact changes the
rates of all gaps by what the impulse of one does, rate → rate − (1 + e) rate_k W_jk / W_kk with W = A M⁻¹ Aᵀ; contacts
that close at the same time, as those of one surface stated twice, are struck together.
"""

from collections.abc import Sequence
from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.motion.hybrid.impact import normal_impulses
from dalembert.motion.tolerances import EPS

MOST = 4000  # impacts
LATE = 12  # the last of them: those that take part have all been struck among these
OVER = 2.0**-44  # of the time so far: what the next impact may add where it is over
SHUT = 2.0**-24  # of the largest it was: a gap that is none at the end, where others leave it no room
LOW = 2.0**-2  # of the limit: bounces that stay below are at rest, whichever of them end first
TOGETHER = 4 * EPS  # of the largest it was: a gap that closes at the same time


class Ended(NamedTuple):
    """How long bounces go on, and which contacts take part in their end."""

    time: float
    contacts: tuple[int, ...]


def end_of(
    gaps: Array, rates: Array, falls: Array, W: Array, e: Sequence[float], limits: Sequence[float]
) -> Ended | None:
    """The end of the bounces of k contacts; None where there is none, or one that is struck opens beyond its limit.

    Nor has it come yet where one that goes on is struck before, unless all that are struck stay far below their limits.

    Rates before an impact that is due, and how they change in time (`falls`, k).
    """
    g, r, a = gaps.tolist(), rates.tolist(), falls.tolist()
    change = (W / np.diag(W)[None, :]).tolist()
    time, highest = 0.0, g
    struck: list[int] = []
    for _ in range(MOST):
        waits = [_wait(*each) for each in zip(g, r, a, strict=True)]
        k = min(range(len(g)), key=waits.__getitem__)
        dt = waits[k]
        if dt == inf:
            return None
        tops = [max(-y / z, 0.0) if z < 0 else 0.0 for y, z in zip(r, a, strict=True)]
        for top in (tops, [dt] * len(g)):
            there = [_later(x, y, z, min(s, dt)) for x, y, z, s in zip(g, r, a, top, strict=True)]
            highest = [max(x, y) for x, y in zip(highest, there, strict=True)]
        g, r = there, [y + z * dt for y, z in zip(r, a, strict=True)]
        g[k], hit = 0.0, (1 + e[k]) * r[k]
        ties = [j for j in range(len(g)) if j == k or (r[j] < 0 and g[j] <= TOGETHER * highest[j])]
        alone = len(ties) == 1
        r = [y - hit * row[k] for y, row in zip(r, change, strict=True)] if alone else _together(r, ties, W, e)
        time += dt
        struck.append(k)
        if highest[k] > limits[k]:
            return None
        if len(struck) > LATE and dt <= OVER * time:
            ended = {j for j in range(len(g)) if g[j] <= SHUT * highest[j]}.union(struck[-LATE:])
            all_low = all(highest[j] <= LOW * limits[j] for j in struck)
            return Ended(time, tuple(sorted(ended.union(struck)))) if ended.issuperset(struck) or all_low else None
    return None


def _together(rates: Sequence[float], ties: Sequence[int], W: Array, e: Sequence[float]) -> list[float]:
    """The rates after the impact of contacts that close at the same time."""
    given = np.array([(1 + e[j]) * rates[j] for j in ties])
    out: list[float] = (np.array(rates) + W[:, ties] @ normal_impulses(W[np.ix_(ties, ties)], given)).tolist()
    return out


def _later(gap: float, rate: float, fall: float, dt: float) -> float:
    return gap + rate * dt + fall * dt * dt / 2


def _wait(gap: float, rate: float, fall: float) -> float:
    """How long a gap takes to close: where it is closed and opens, to close again."""
    if gap <= 0.0:
        if rate < 0:
            return 0.0
        return -2 * rate / fall if fall < 0 < rate else inf
    under = rate * rate - 2 * fall * gap
    if under < 0:
        return inf
    q = -rate + sqrt(under) if rate <= 0 else -rate - sqrt(under)
    times = [q / fall if fall else inf, 2 * gap / q if q else inf]
    return min((t for t in times if t > 0), default=inf)
