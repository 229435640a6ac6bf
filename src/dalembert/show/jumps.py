"""Curves that jump at events, drawn so: on each side of a jump they go straight on to it."""

from collections.abc import Container
from typing import NamedTuple, Self

import numpy as np

from dalembert.derive import Array
from dalembert.motion import Trajectory


class Jumps(NamedTuple):
    """Sample times with each event that is alone between two of them put in twice, before and after it.

    `times` (k + 2j,) in order; `at` (j,) the samples right after the j events; `left` and `right` (j,) how many times
    the difference of the two samples before, or after, is added there: none where another event is near.
    """

    times: Array
    at: Array
    left: Array
    right: Array

    @classmethod
    def of(cls, motion: Trajectory, kinds: Container[str] | None = None) -> Self:
        """The jumps of a motion at its events, or at those of some kinds."""
        t = motion.t
        told = [e.time for e in motion.events if e.after and (kinds is None or e.kind in kinds)]
        events = np.unique([time for time in told if len(t) and t[0] < time <= t[-1]])
        gaps = np.searchsorted(t, events)  # the samples right after
        crowd = np.bincount(gaps, minlength=len(t) + 2)
        alone = crowd[gaps] == 1
        at, when = gaps[alone], events[alone]
        step = np.concatenate([[np.inf], np.diff(t), [np.inf]])  # before each sample, and after the last
        step[crowd[: len(step)] > 0] = np.inf
        left, right = (when - t[at - 1]) / step[at - 1], (when - t[at]) / step[at + 1]
        return cls(np.insert(t, np.repeat(at, 2), np.repeat(when, 2)), at, left, right)

    def drawn(self, values: Array) -> Array:
        """Values (…, k) at the samples with those on both sides of each jump, (…, k + 2j)."""
        at, last = self.at, values.shape[-1] - 1
        before = values[..., at - 1] + self.left * (values[..., at - 1] - values[..., np.maximum(at - 2, 0)])
        after = values[..., at] + self.right * (values[..., np.minimum(at + 1, last)] - values[..., at])
        both = np.stack([before, after], axis=-1).reshape(*values.shape[:-1], -1)
        out: Array = np.insert(values, np.repeat(at, 2), both, axis=-1)
        return out
