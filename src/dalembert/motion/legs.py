"""States of a motion at any of its times: on the steps of its legs, or by going over it again."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.derive import Array
from dalembert.engine import Steps

if TYPE_CHECKING:
    from dalembert.motion.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class Legs:
    """Steps between switches, in the order of time."""

    steps: tuple[Steps, ...]

    def __bool__(self) -> bool:
        return bool(self.steps)

    @cached_property
    def begins(self) -> Array:
        """When each begins (l,)."""
        return np.array([leg.times[0] for leg in self.steps])

    def at(self, times: Array) -> Array:
        """The states (k, 2n) at times; right after a switch there."""
        return self._on(np.searchsorted(self.begins, times, side="right") - 1, times)

    def before(self, times: Array) -> Array:
        """The same, right before a switch there."""
        return self._on(np.searchsorted(self.begins, times, side="left") - 1, times)

    def leg(self, time: float) -> Steps:
        """The leg that a time is in."""
        return self.steps[int(np.clip(np.searchsorted(self.begins, time, side="right") - 1, 0, None))]

    def _on(self, places: Array, times: Array) -> Array:
        """The states at times on legs by their places: each leg is asked once, for all times in it."""
        places = np.clip(places, 0, len(self.steps) - 1)
        order = np.argsort(places, kind="stable")
        out = np.zeros((len(times), self.steps[0].coefficients.shape[1]))
        for mine in np.split(order, np.flatnonzero(np.diff(places[order])) + 1) if len(order) else ():
            out[mine] = self.steps[int(places[mine[0]])].at(times[mine])
        return out


class Passes:
    """States of a motion too long for its steps to be kept: what one going over it gave is known from then on."""

    def __init__(self, motion: "Trajectory") -> None:
        self._motion = motion
        self._times, self._states = np.zeros(0), np.zeros((0, len(motion.begin_values)))

    def at(self, times: Array) -> Array:
        """The states (k, 2n) at times; right after a switch there."""
        new = np.setdiff1d(times, self._times)
        if len(new):
            found = np.tile(self._motion.end_values, (len(new), 1))
            if (before := new < self._motion.end_time).any():
                found[before] = self._motion._between(new[before]).T
            every = np.concatenate([self._times, new])
            order = np.argsort(every)
            self._times, self._states = every[order], np.vstack([self._states, found])[order]
        out: Array = self._states[np.searchsorted(self._times, times)]
        return out

    def before(self, times: Array) -> Array:
        """The same, right before a switch there."""
        return self.at(earlier(self._motion, times))


def earlier(motion: "Trajectory", times: Array) -> Array:
    """The times right before these, none before the motion begins."""
    out: Array = np.maximum(np.nextafter(times, -np.inf), motion.begin_time)
    return out
