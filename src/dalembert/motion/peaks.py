"""The largest constraint force on each coordinate along a motion, wherever the samples are."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.engine import Steps

if TYPE_CHECKING:
    from dalembert.motion.trajectory import Trajectory

POINTS = 12  # in every step, its ends among them
MOST = 200_000  # points in all: of longer motions every so many a step is looked at
INSIDE = 1e-9  # of a step: so far from where it begins and ends, where another mode may begin
TOP = 0.9  # of the largest that was seen: from here on a place is looked at more closely
PLACES = 64  # for each coordinate
GOLDEN = (5**0.5 - 1) / 2
TURNS = 30  # of the golden section
EQUAL = 1e-8  # of each other: peaks that are equally high, of which the first is told
FLAT = 2.0**-42  # of it: a force that stays at its largest is told when it first is so large


class ForcePeak(NamedTuple):
    """The largest constraint force on a coordinate: when, and its two parts."""

    time: float
    ideal: float
    nonideal: float


def force_peaks(motion: "Trajectory") -> list[ForcePeak]:
    """For each coordinate the largest |Qᶜ| along the motion, by the golden section around the best that is seen.

    The steps are looked at, which do not depend on the samples; the samples too where they show a larger force, so
    brief that it falls between the places in a step. Where the steps are too many to be kept, the samples alone.
    """
    with motion._lent():
        return _found(motion)


def _found(motion: "Trajectory") -> list[ForcePeak]:
    legs = motion.polynomials()
    sampled = motion.along.ideal + motion.along.nonideal
    if not legs:
        places = np.abs(sampled).argmax(axis=0)
        parts = zip(motion.t[places], *(part[places].diagonal() for part in motion.along[1:3]), strict=True)
        return [ForcePeak(*map(float, each)) for each in parts]
    first, last = motion.begin_time, motion.end_time
    spots = np.concatenate([_spots(legs), [first, last]])
    found = _peaks(motion, np.unique(np.clip(spots, first, last)))
    seen = np.array([abs(peak.ideal + peak.nonideal) for peak in found])
    if (np.abs(sampled).max(axis=0, initial=0.0) > (1 + EQUAL) * seen).any():
        found = _peaks(motion, np.unique(np.clip(np.concatenate([spots, motion.t]), first, last)))
    return found


def _peaks(motion: "Trajectory", times: Array) -> list[ForcePeak]:
    """The peaks around the best of the forces at times."""
    forces = _forces(motion, times)
    kept = np.isfinite(forces).all(axis=(0, 2))
    times, forces = times[kept], forces[:, kept]
    size = np.abs(forces.sum(axis=0))
    climbs = np.array([(i, k) for i in range(size.shape[1]) for k in _high(size[:, i])], dtype=int).reshape(-1, 2).T
    tops = _climbed(motion, times, climbs[1], climbs[0])
    out = []
    for i in range(size.shape[1]):
        mine = tops[climbs[0] == i]
        first = times[int(np.argmax(size[:, i] >= (1 - FLAT) * size[:, i].max()))]
        at = np.unique([first, *mine])
        here = _forces(motion, at)[:, :, i]
        total = np.nan_to_num(np.abs(here.sum(axis=0)), nan=-1.0)
        alike = np.where(np.isin(at, mine), 1 - EQUAL, 1 - FLAT)
        k = int(np.flatnonzero(total >= alike * total.max())[0])
        out.append(ForcePeak(float(at[k]), float(here[0, k]), float(here[1, k])))
    return out


def _spots(legs: tuple[Steps, ...]) -> Array:
    """Places inside the steps, close to their ends among them."""
    begins = np.concatenate([leg.times[:-1] for leg in legs])
    spans = np.concatenate([np.diff(leg.times) for leg in legs])
    thin = slice(None, None, 1 + len(begins) * POINTS // MOST)
    fractions = np.linspace(INSIDE, 1 - INSIDE, POINTS)
    out: Array = (begins[thin, None] + spans[thin, None] * fractions).ravel()
    return out


def _forces(motion: "Trajectory", times: Array) -> Array:
    """The two parts of the constraint force (2, k, n) at times in order."""
    with np.errstate(all="ignore"):
        found = motion._derivation.along(times, motion.at(times).T)
    return np.array([found.ideal, found.nonideal])


def _high(size: Array) -> Array:
    """The places of a force that are higher than their neighbours and nearly the highest."""
    if not size.max(initial=0.0) > 0:
        return np.zeros(0, dtype=int)
    wall = np.concatenate([[-1.0], size, [-1.0]])
    top = (size >= wall[:-2]) & (size >= wall[2:]) & (size >= TOP * size.max())
    places = np.flatnonzero(top)
    out: Array = np.sort(places[np.argsort(-size[places], kind="stable")[:PLACES]])
    return out


def _climbed(motion: "Trajectory", times: Array, places: Array, coordinates: Array) -> Array:
    """The times of the peaks around places among times, all by one golden section."""
    if not len(places):
        return np.zeros(0)
    low, high = times[np.maximum(places - 1, 0)], times[np.minimum(places + 1, len(times) - 1)]

    def value(at: Array) -> Array:
        order = np.argsort(at, kind="stable")
        total = np.zeros(len(at))
        total[order] = _forces(motion, at[order]).sum(axis=0)[np.arange(len(at)), coordinates[order]]
        return np.nan_to_num(np.abs(total), nan=-1.0)

    one, two = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_one, at_two = value(one), value(two)
    for _ in range(TURNS):
        left = at_one >= at_two  # the peak is in [low, two]
        low, high = np.where(left, low, one), np.where(left, two, high)
        new = np.where(left, high - GOLDEN * (high - low), low + GOLDEN * (high - low))
        at_new = value(new)
        one, two = np.where(left, new, two), np.where(left, one, new)
        at_one, at_two = np.where(left, at_new, at_two), np.where(left, at_one, at_new)
    out: Array = np.where(at_one >= at_two, one, two)
    return out
