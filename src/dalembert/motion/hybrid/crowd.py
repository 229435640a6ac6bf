"""Switches that come to no end: in no time, ever faster, or without anything that moves."""

from collections import deque

import numpy as np

from dalembert.derive import Array
from dalembert.motion.status import Ending, Status
from dalembert.motion.tolerances import tolerance

CROWD, WITHIN = 2000, 1e-9  # so many switches within this fraction of a run are too many
STILL, FAR = 512, 2.0**17  # so many in which nothing moves are, too, where so many would follow at that pace
BY_ITSELF = ("side",)  # kinds of guards that may fall, by the clock, in what stands


class Crowd:
    """The times of all switches of a run, and where the last of them were."""

    def __init__(self, t0: float, until: float) -> None:
        self._t0, self._until = t0, until
        self.times: list[float] = []
        self._last: deque[tuple[int, float, Array]] = deque(maxlen=STILL)

    def add(self, t: float) -> None:
        """One more of which it is known that something moves."""
        self.times.append(t)
        self._last.clear()

    def forget(self, count: int) -> None:
        """Keep so many, the first, only."""
        del self.times[count:]
        while self._last and self._last[-1][0] > count:
            self._last.pop()

    def end(self, t: float, q: Array, scales: Array, kind: str) -> Status | None:
        """The end of a run that switches without end, at coordinates (n,) of natural scales, by a guard of a kind."""
        self.times.append(t)
        if kind not in BY_ITSELF:
            self._last.append((len(self.times), t, q))
        begun = self.times[-CROWD] if len(self.times) >= CROWD else -np.inf
        if t - begun <= WITHIN * (self._until - self._t0):
            return _too_many(CROWD, begun, t, "and no end to them")
        if len(self._last) == STILL:
            begun = self._last[0][1]
            moved = np.ptp(np.array([at for _, _, at in self._last]), axis=0)
            if STILL * (self._until - t) >= FAR * (t - begun) and (moved <= tolerance("TIE") * scales).all():
                return _too_many(STILL, begun, t, "in which nothing moves by more than rounding")
            self._last.clear()  # looked at again when as many have followed
        return None

    def ever_faster(self) -> bool:
        """Whether switches follow each other in ever shorter times, and have become many."""
        spans = np.diff(self.times[-13::4])
        return bool(
            len(spans) == 3 and (spans[1:] < 0.9 * spans[:-1]).all() and spans[-1] < 1e-3 * (self._until - self._t0)
        )


def _too_many(count: int, begun: float, t: float, how: str) -> Status:
    return Status(Ending.SWITCHES, f"{count} between t = {begun:.12g} and {t:.12g}, {how}: they accumulate (Zeno)")
