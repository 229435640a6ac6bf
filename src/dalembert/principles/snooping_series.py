"""Data snooping over a series: a row that is off by one amount at all times, or by any amount at each.

Errors at different times are taken as independent. With w_i(t), shown_i(t) and seen(t) as at an instant, two hypotheses
about row i are each tested against "no row is at fault" by their likelihood ratio:
    it is off by one amount:    z_i = Σ_t shown_i · seen / √(Σ_t |shown_i|²), a standard normal number,
    by any amount at each time: Σ_t w_i(t)², a number of χ² with as many degrees as there are times.
The first is much the sharper where it is true, and tells rows apart that at every single time cannot be told apart.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from dalembert.principles.errors import Array
from dalembert.principles.snooping import alike, chance, each, quantile

Fault = Literal["offset", "varying"]


class Course(NamedTuple):
    """How u rows stand over a series, each (u,): times at which a row can be checked, statistic Σ w², and the offset
    (its z, the offset itself and its standard deviation, all 0 where a row can never be checked). parallel and
    parallel_offset (u, u): cos² of the angle between what faults of two rows show, the least over the times, and over
    the whole for offsets.
    """

    times: Array
    statistic: Array
    z: Array
    offset: Array
    offset_sigma: Array
    parallel: Array
    parallel_offset: Array


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
    length = np.where(ever, np.sqrt(np.diag(gram)), 1.0)
    return Course(
        times=checkable.sum(axis=0),
        statistic=np.sum(w**2, axis=0),
        z=along / length,
        offset=along / length**2,
        offset_sigma=np.where(ever, 1 / length, 0.0),
        parallel=least,
        parallel_offset=(gram / np.outer(length, length)) ** 2,
    )


def snoop_series(seen: Course, level: float) -> SeriesFinding:
    """The row whose offset, or else whose Σ w², is farthest beyond what passes.

    An offset is believed where the row, relieved of it, passes; where it does not, the fault is one that varies.
    """
    any_amount, one_amount = alike(seen.parallel), alike(seen.parallel_offset)
    one = each(level, len(any_amount) + len(one_amount))

    def beyond(i: int, less: float = 0.0, fewer: int = 0) -> bool:
        return chance(float(seen.statistic[i]) - less, int(seen.times[i]) - fewer) < one

    varying = [group for group in any_amount if beyond(group[0])]
    offset = [group for group in one_amount if abs(seen.z[group[0]]) > quantile(1 - one / 2)]
    if offset:
        best = max(offset, key=lambda group: abs(seen.z[group[0]]))
        if not varying or not beyond(best[0], float(seen.z[best[0]]) ** 2, 1):
            return SeriesFinding(best, "offset")
    if varying:
        return SeriesFinding(max(varying, key=lambda g: seen.statistic[g[0]] - seen.times[g[0]]), "varying")
    return SeriesFinding((), None)
