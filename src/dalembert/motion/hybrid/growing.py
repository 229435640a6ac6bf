"""Frictions in a plane that begin to slip under a load that has only just become more than they hold.

The mode that sticks is followed for a moment more. In it the sliding velocities s = |s| e are found at a few times, as
polynomials that obey ṡ = c − G e = |s|′ e + |s| e′: |s|′, which is zero at first, from c and e, and e′ from all e.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.modes import STICKS
from dalembert.engine import Steps
from dalembert.motion.hybrid.next_mode import ModeSearch, Trial
from dalembert.motion.hybrid.planar import MARGINAL, Onset

ONSET = 4e-3  # of what forces could make of it: an acceleration of sliding that has a direction, and a course
TRIALS = 8  # of how long the moment is
LEAST, ROUNDS, FINE = 4, 40, 1e-13  # how directions that turn are found, each a number below one

NODES = np.arange(1, 5) / 4  # of the moment
_DEGREES = np.arange(1, len(NODES) + 1)
_GROWTH = np.linalg.inv(NODES[:, None] ** _DEGREES)  # to a polynomial that is zero at first
ONCE = NODES[:, None] ** (_DEGREES + 1) / (_DEGREES + 1) @ _GROWTH  # its integral
TWICE = NODES[:, None] ** (_DEGREES + 2) / ((_DEGREES + 1) * (_DEGREES + 2)) @ _GROWTH
_COURSE = np.linalg.inv(NODES[:, None] ** (_DEGREES - 1))
TURN = (_DEGREES - 1) * NODES[:, None] ** np.maximum(_DEGREES - 2, 0) @ _COURSE  # the rate of one that is not
GAIN = np.linalg.inv(NODES[:, None] ** (_DEGREES + 1))  # to a polynomial whose rate is zero at first too


class Grown(NamedTuple):
    """A mode whose frictions slip by the end of a moment, and the moment as one step."""

    trial: Trial
    steps: Steps


class _Slip(NamedTuple):
    """What a time of the moment says: the mode that slips, the state at rest, and how it would begin to slip there."""

    trial: Trial
    time: float
    rest: Array
    onset: Onset

    @property
    def pace(self) -> float:
        """The largest acceleration of sliding, of what forces could make of it."""
        return max(self.onset.rates[k] / self.onset.largest[k] for k in self.trial.slips)

    @property
    def moves(self) -> bool:
        """Whether all that slips gains speed that can be seen."""
        onset = self.onset
        return all(onset.rates[k] > MARGINAL * onset.largest[k] for k in self.trial.slips)


def grown(search: ModeSearch, found: Trial, t: float, state: Array, until: float) -> Grown | None:
    """The mode in which frictions have begun to slip that have no acceleration yet, a moment later; None if none has.

    As long as the load goes on so that accelerations are not yet large beside what forces could make.
    """
    rubs = tuple(STICKS if k in found.slips else r for k, r in enumerate(found.mode.rubs))
    sticks = search.trial(replace(found.mode, rubs=rubs, idle=(), still=()), t, state)
    steps = search.engine.steps(sticks.setup, t, sticks.state, (t + until) / 2, 1)
    if not steps.count:
        return None
    tau = (float(steps.times[1]) - t) / 2
    for _ in range(TRIALS):
        if not t + tau * NODES[0] > t:
            return None
        slips = [_slip(search, found, steps, t + tau * node) for node in NODES]
        if any(slip.onset.holds for slip in slips):
            tau /= 4
        elif slips[-1].pace > ONSET:
            tau *= max(ONSET / (2 * slips[-1].pace), 2.0**-12)
        elif all(slip.moves for slip in slips):
            own = steps.until(1, t + tau)
            states = np.stack([slip.rest for slip in slips])
            stuck = search.engine.watch(sticks.setup, np.array([slip.time for slip in slips]), states).acceleration
            return _gained(search, own, slips, stuck)
        else:
            return None
    return None


def _slip(search: ModeSearch, found: Trial, steps: Steps, time: float) -> _Slip:
    """How frictions would begin to slip at a time of the mode that sticks."""
    state = steps.at(np.array([time]))[0]
    trial = replace(search.trial(found.mode, time, state), slips=found.slips)
    rest = search.pushed(trial, time, state, dict.fromkeys(trial.slips, np.zeros(2)))
    return _Slip(trial, time, rest, search.onset(trial, time, rest))


def _gained(search: ModeSearch, steps: Steps, slips: list[_Slip], stuck: Array) -> Grown:
    """The mode and the moment, by what its times say; `stuck` (k, n) are the accelerations of what sticks."""
    tau, mine = float(steps.times[1] - steps.times[0]), slips[0].trial.slips
    rest = np.stack([slip.rest for slip in slips])
    onsets = [slip.onset for slip in slips]
    turned = {k: np.zeros((len(slips), 2)) for k in mine}
    more = np.zeros_like(stuck)
    states = rest
    for turn in range(ROUNDS):  # what is gained acts on it, and e′ on e where frictions hold the same
        sizes = {k: tau * ONCE @ [onset.rates[k] for onset in onsets] for k in mine}
        ways = {k: np.stack([onset.ways[k] for onset in onsets]) for k in mine}
        before, turned = turned, {k: TURN @ ways[k] for k in mine}
        gone = rest + np.hstack([tau**2 * TWICE @ more, tau * ONCE @ more])
        states = np.stack(
            [
                search.pushed(slip.trial, slip.time, there, {k: sizes[k][i] * ways[k][i] for k in mine})
                for i, (slip, there) in enumerate(zip(slips, gone, strict=True))
            ]
        )
        if turn >= LEAST and max(float(np.abs(turned[k] - before[k]).max()) for k in mine) <= FINE:
            break
        onsets = [
            search.onset(slip.trial, slip.time, there, {k: sizes[k][i] / tau * turned[k][i] for k in mine})
            for i, (slip, there) in enumerate(zip(slips, states, strict=True))
        ]
        begun = zip(slips, states, onsets, strict=True)
        more = np.stack([search.beginning(slip.trial.setup, slip.time, *there) for slip, *there in begun]) - stuck
    last = slips[-1]
    return Grown(search.moved(last.trial, last.time, states[-1]), _growing(steps, states - rest))


def _growing(steps: Steps, changes: Array) -> Steps:
    """One step with changes (k, 2n) at the times of the moment, of velocities from the square of the time on."""
    terms, n = steps.coefficients.copy(), changes.shape[1] // 2
    tau = float(steps.times[1] - steps.times[0])
    faster = (GAIN @ changes[:, n:]).T  # (n, k)
    further = tau * faster / (_DEGREES + 2)
    further[:, 0] += changes[-1, :n] - further.sum(axis=1)
    span = tau / steps.unit
    for j, degree in enumerate(range(2, len(NODES) + 2)):
        if degree + 1 < terms.shape[2]:
            terms[0, n:, degree] += faster[:, j] / span**degree
            terms[0, :n, degree + 1] += further[:, j] / span ** (degree + 1)
    return replace(steps, coefficients=terms)
