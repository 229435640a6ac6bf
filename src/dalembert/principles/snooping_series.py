"""Data snooping over a series: a row that is off by one amount at all times, at one time, or by any amount at each.

Errors at different times are taken as independent. With w_i(t), shown_i(t) and seen(t) as at an instant, three
hypotheses about row i are each tested against "no row is at fault" by their likelihood ratio:
    it is off by one amount:    z_i = Σ_t shown_i · seen / √(Σ_t |shown_i|²), a standard normal number,
    at one time alone:          max_t |w_i(t)|, the largest of as many normal numbers as there are times,
    by any amount at each time: Σ_t w_i(t)², a number of χ² with as many degrees as there are times.
Each is much the sharper where it is true. The first tells rows apart that at every single time cannot be told apart.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np

from dalembert.principles.errors import Array
from dalembert.principles.snooping import alike, chance, each, two_sided

Fault = Literal["offset", "glitch", "varying"]


class Course(NamedTuple):
    """How u rows stand over a series, each (u,): times at which a row can be checked, statistic Σ w², and the offset
    (its z, the offset itself and its standard deviation, all 0 where a row can never be checked). parallel and
    parallel_offset (u, u): cos² of the angle between what faults of two rows show, the least over the times, and over
    the whole for offsets. glitch, the largest |w| of all rows and times, and the rows that are alike there.
    """

    times: Array
    statistic: Array
    z: Array
    offset: Array
    offset_sigma: Array
    parallel: Array
    parallel_offset: Array
    glitch: float
    glitched: tuple[int, ...]


class SeriesFinding(NamedTuple):
    """The rows found at fault (none, one, or several that cannot be told apart), and the kind of the fault."""

    suspects: tuple[int, ...]
    fault: Fault | None


def course(
    shown: Sequence[Array], seen: Sequence[Array], w: Array, redundancy: Array, parallel: Sequence[Array]
) -> Course:
    """How each row stands over k times, from what `estimate` and `standing` gave at each: w and redundancy (k, u)."""
    checkable = redundancy > 0
    ever = np.asarray(checkable.any(axis=0))
    count = ever.size
    gram, along, least = np.zeros((count, count)), np.zeros(count), np.ones((count, count))
    for a, c, seeing, now in zip(shown, seen, checkable, parallel, strict=True):
        a = np.where(seeing[:, None], a, 0.0)
        gram += a @ a.T
        along += a @ c
        # Where neither of two rows can be checked, nothing tells them apart.
        least = np.minimum(least, np.where(seeing[:, None] | seeing, now, 1.0))
    np.fill_diagonal(least, ever)
    at, i = divmod(int(np.argmax(np.abs(w))), count) if w.size else (0, 0)
    there = [g for g in alike(parallel[at]) if i in g]
    length = np.where(ever, np.sqrt(np.diag(gram)), 1.0)
    return Course(
        times=checkable.sum(axis=0),
        statistic=np.sum(w**2, axis=0),
        z=along / length,
        offset=along / length**2,
        offset_sigma=np.where(ever, 1 / length, 0.0),
        parallel=least,
        parallel_offset=(gram / np.outer(length, length)) ** 2,
        glitch=float(np.max(np.abs(w), initial=0.0)),
        glitched=there[0] if there else (),
    )


def snoop_series(seen: Course, level: float) -> SeriesFinding:
    """The row whose offset or glitch, or else whose Σ w², is farthest beyond what passes; hypotheses share the level.

    Of an offset and a glitch the one that takes more off χ² is looked at. It is believed where the row, relieved of it,
    passes; where it does not, the fault is one that varies.
    """
    any_amount, one_amount = alike(seen.parallel), alike(seen.parallel_offset)
    share = each(level, len(get_args(Fault)))
    one = each(share, len(any_amount))
    varying = [g for g in any_amount if chance(float(seen.statistic[g[0]]), int(seen.times[g[0]])) < one]
    found: list[tuple[float, tuple[int, ...], Fault]] = [
        (abs(float(seen.z[g[0]])), g, "offset")
        for g in one_amount
        if abs(seen.z[g[0]]) > two_sided(each(share, len(one_amount)))
    ]
    if seen.glitch > two_sided(each(share, int(seen.times.sum()))):
        found.append((seen.glitch, seen.glitched, "glitch"))
    if found:
        size, group, kind = max(found, key=lambda one_of: one_of[0])
        left = [chance(max(float(seen.statistic[i]) - size**2, 0.0), int(seen.times[i]) - 1) for i in group]
        if not varying or max(left) >= one:
            return SeriesFinding(group, kind)
    if varying:
        return SeriesFinding(max(varying, key=lambda g: seen.statistic[g[0]] - seen.times[g[0]]), "varying")
    return SeriesFinding((), None)
