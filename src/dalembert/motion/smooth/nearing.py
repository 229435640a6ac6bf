"""Near a singular place a motion is taken at machine precision, whatever tolerance was asked for.

A motion that is off its constraints by δ passes a place where branches cross at a distance of about √δ, from one branch
to the other; and a place that is known to δ alone is passed no better than so. What is near costs little to tell: that
a pivot, a row or a mass has become small against the largest it has been. What follows is then decided as in a run at
machine precision. To be too careful costs some steps, and nothing else.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.engine import Watch
from dalembert.motion.smooth.minima import Range, uneven, vanishing
from dalembert.motion.smooth.view import View
from dalembert.motion.smooth.watched import PIVOTS, SIGNED, WATCHED

NEAR = 2.0**-4  # of the largest it has been: a pivot, a row or a mass below it is near zero
FALLING = 2.0**-2  # the same, where it falls at the end of a course
BEGIN = 2.0**-1  # the same: from where on the motion is taken again
FAR = 2.0**-3  # the same: above it, where it rises, the place is left

Tops = Mapping[str, Array]  # the largest of what is watched so far, by kind


class Near(NamedTuple):
    """From when on, in which step, a motion is to be taken at machine precision."""

    time: float
    place: int


def tops(watch: Watch, known: Tops | None) -> Tops:
    """The largest (c,) of everything watched at some points, with what is known of it already."""
    found = {}
    for kind, what in WATCHED.items():
        high = _finite(what(watch)).max(axis=0, initial=0.0)
        found[kind] = high if known is None else np.maximum(high, known[kind])
    return found


def nearing(view: View, known: Tops, least: float) -> Near | None:
    """The first stretch of a course in which something comes near zero; `least`: pivots below it always are near."""
    found: list[Near] = []
    for kind, what in WATCHED.items():
        values = what(view.watch)
        if not values.shape[1] or not _may(view.range_of(what), known[kind], kind, least):
            continue
        sides = _sides(kind, view, values)
        scales = _scales(values, known[kind], kind, least)
        relative = np.nan_to_num(values * sides / scales, nan=0.0, posinf=np.inf, neginf=-np.inf)
        for k, column in _dips(view, kind, relative, scales, sides):
            above = np.flatnonzero(relative[:k, column] >= BEGIN)
            if len(above):
                found.append(Near(float(view.points.times[above[-1]]), int(view.points.places[above[-1]])))
            else:
                found.append(Near(view.course.begin, 0))
    return min(found, default=None)


def left(view: View, known: Tops, least: float) -> bool:
    """Whether nothing is near zero at the end of a course, or it rises from there."""
    for kind, what in WATCHED.items():
        values = np.abs(what(view.watch)[-2:])
        if values.shape[1]:
            before, now = values / _scales(values, known[kind], kind, least)[-1]
            if not ((now >= BEGIN) | ((now >= FAR) & (now > before)) | ~np.isfinite(now)).all():
                return False
    return True


def _dips(view: View, kind: str, relative: Array, scales: Array, sides: Array) -> list[tuple[int, int]]:
    """After which points (k) something (c) is near zero: the first there, between points, and at the end."""
    what, small = WATCHED[kind], relative <= NEAR
    found = [(int(np.argmax(small[:, c])), c) for c in np.flatnonzero(small.any(axis=0)).tolist()]
    if len(relative) > 1:
        last, before = relative[-1], relative[-2]
        found += [(len(relative) - 1, c) for c in np.flatnonzero((last <= FALLING) & (last < before)).tolist()]

    def evaluate(times: Array, places: Array) -> Array:
        out: Array = view.evaluate(what)(times, places) * sides
        return out

    values, before = what(view.watch) * sides, None if view.before is None else what(view.before)[0] * sides
    hidden = vanishing(view.course, view.points.times, values, scales, before, NEAR, view.crossed, evaluate)
    if hidden is not None:
        found.append((int(np.searchsorted(view.points.times, hidden.time)), hidden.column))
    return found


def _may(range_: Range, known: Array, kind: str, least: float) -> bool:
    """Whether something may come near zero at all: most courses of most motions are told from it at once."""
    high = np.maximum(range_.high, known)
    if kind in PIVOTS:
        high = np.maximum(high, least / NEAR)
    if (range_.low <= FALLING * high).any():
        return True
    return bool(len(uneven(Range(range_.low, high), None, 0.0, own=False)))


def _sides(kind: str, view: View, values: Array) -> Array:
    """The sign (c,) that each has where a course begins: masses may be negative."""
    first = values[0] if view.before is None else WATCHED[kind](view.before)[0]
    if WATCHED[kind] not in SIGNED:
        return np.ones(len(first))
    return np.where(first < 0, -1.0, 1.0)


def _scales(values: Array, known: Array, kind: str, least: float) -> Array:
    """The largest (k, c) each has been up to each point; of pivots no less than makes `least` near."""
    out = np.maximum(np.maximum.accumulate(_finite(values), axis=0), known)
    if kind in PIVOTS:
        out = np.maximum(out, least / NEAR)
    return np.where(out > 0, out, 1.0)


def _finite(values: Array) -> Array:
    """How large values are, nothing where they are not finite."""
    return np.where(np.isfinite(values), np.abs(values), 0.0)
