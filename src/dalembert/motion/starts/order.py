"""Which of several states is nearer, which are equally near, which really differ, and which of them comes first."""

from functools import cmp_to_key
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.motion.starts.nearest_point import Point

TIED = 1e-10  # relative: distances of minima no farther apart are equal
ROUNDED = 16 * float(np.finfo(float).eps)  # the same, of points beside which others may be as near: these are not sharp
WELL = 1e-2  # of the change: so far apart two ends of a search may be where the cost grows with the fourth power only
APART = 1e-6  # of its size, or of the change: values farther apart than this are different ones


class Near(NamedTuple):
    """Positions or velocities (n,) on the constraints, near given ones, and how near.

    `distance` is √(xᵀMx) of the change x; `change` its length in units in which M is balanced, `light` that of its part
    without mass, which tell apart what is as near by M; `size` (n,) the largest part of the change in the unit of each
    coordinate. `closed` are the contacts that touch.
    """

    values: Array
    distance: float
    change: float
    light: float
    size: Array
    point: Point
    closed: tuple[int, ...]

    def part(self, n: int) -> "Near":
        """The same with the first n values alone, the positions."""
        return self if len(self.values) == n else self._replace(values=self.values[:n], size=self.size[:n])


def times_as_far(near: Near, other: Near) -> float:
    """How many times as far as one state another is: by their distances or, where these are equal, by what has no mass.

    Where all distances are zero, by their changes.
    """
    if max(near.distance, other.distance) == 0:
        return _ratio(near.change, other.change)
    far = _ratio(near.distance, other.distance)
    if abs(far - 1) <= TIED and max(near.light, other.light) > APART * max(near.change, other.change):
        return _ratio(near.light, other.light)
    return far


def _ratio(one: float, two: float) -> float:
    return two / one if one > 0 else 1.0 if two == 0 else np.inf


def differing(near: Near, other: Near) -> Array:
    """Which values (n,) of two states really differ."""
    sizes = np.maximum.reduce([np.abs(near.values), np.abs(other.values), near.size, other.size])
    apart: Array = np.abs(near.values - other.values) > APART * sizes
    return apart


def same_well(near: Near, other: Near) -> bool:
    """Whether two are one minimum that rounding has torn apart: no second order holds it, all about it is as near."""
    if (near.point.strict and other.point.strict) or near.point.in_family or other.point.in_family:
        return False
    return bool((np.abs(near.values - other.values) <= WELL * np.maximum(near.size, other.size)).all())


def ordered(found: list[Near]) -> tuple[list[Near], int]:
    """States nearest first, and how many are as near as the first.

    Of those the first is the one whose first differing coordinate, in the order of the statement, is larger.
    """
    ranked = sorted(found, key=lambda near: (near.distance, near.change))
    first = [near for near in ranked if _ratio(ranked[0].distance, near.distance) <= 1 + TIED]
    ranked[: len(first)] = sorted(first, key=lambda near: near.light)
    sharp = [TIED if near.point.strict else ROUNDED for near in ranked]
    tied = sum(times_as_far(ranked[0], near) <= 1 + min(sharp[0], own) for near, own in zip(ranked, sharp, strict=True))
    return [*sorted(ranked[:tied], key=cmp_to_key(_later)), *ranked[tied:]], tied


def _later(near: Near, other: Near) -> int:
    apart = np.flatnonzero(differing(near, other))
    if not apart.size:
        return 0
    return -1 if near.values[apart[0]] > other.values[apart[0]] else 1
