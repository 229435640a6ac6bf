"""Frictions in a plane that begin to slip under a load that has only just become more than they hold.

The mode that sticks is followed for a moment more. In it the sliding velocities s are found at a few times, as
polynomials that obey ṡ = c − Y f with f against s. Their directions turn as they grow: s is looked for among the
velocities that all other rows and frictions leave, which may be one direction of a plane, or one motion of many
frictions.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.linalg import block_diag

from dalembert.derive import Array
from dalembert.derive.switching.modes import STICKS
from dalembert.engine import Steps
from dalembert.motion.hybrid.next_mode import ModeSearch, Trial
from dalembert.motion.hybrid.pulls import Onset, Pull

ONSET = 4e-3  # of what forces could make of it: an acceleration of sliding that has a direction, and a course
TRIALS = 8  # of how long the moment is
ROUNDS, FINE, SETTLED = 40, 1e-13, 1e-9  # how velocities are found, and what of each they change by in the end

NODES = np.arange(1, 5) / 4  # of the moment
_DEGREES = np.arange(1, len(NODES) + 1)
_GROWTH = np.linalg.inv(NODES[:, None] ** _DEGREES)  # to a polynomial that is zero at first
ONCE = NODES[:, None] ** (_DEGREES + 1) / (_DEGREES + 1) @ _GROWTH  # its integral
TWICE = NODES[:, None] ** (_DEGREES + 2) / ((_DEGREES + 1) * (_DEGREES + 2)) @ _GROWTH
RATE = np.linalg.inv(ONCE)  # of one whose rate is zero at first too
GAIN = np.linalg.inv(NODES[:, None] ** (_DEGREES + 1))  # to it


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
        return not self.onset.marginal


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
            if (gained := _gained(search, sticks, own, slips)) is not None:
                return gained
            tau /= 4
        else:
            return None
    return None


def _slip(search: ModeSearch, found: Trial, steps: Steps, time: float) -> _Slip:
    """How frictions would begin to slip at a time of the mode that sticks."""
    state = steps.at(np.array([time]))[0]
    trial = replace(search.trial(found.mode, time, state), slips=found.slips)
    rest = search.pushed(trial, time, state, dict.fromkeys(trial.slips, np.zeros(2)))
    return _Slip(trial, time, rest, search.onset(trial, time, rest))


def _gained(search: ModeSearch, sticks: Trial, steps: Steps, slips: list[_Slip]) -> Grown | None:
    """The mode and the moment, by its times beside the mode that sticks; None where no velocities are found."""
    tau, mine = float(steps.times[1] - steps.times[0]), slips[0].trial.slips
    times, rest = np.array([slip.time for slip in slips]), np.stack([slip.rest for slip in slips])
    stuck = search.engine.watch(sticks.setup, times, rest).acceleration
    paces = slips[-1].pace * search.engine.paces(sticks.setup, times, rest).max(axis=0)
    begun = np.stack([np.concatenate([slip.onset.rates[k] * slip.onset.ways[k] for k in mine]) for slip in slips])
    s, gone, before, natural = tau * ONCE @ begun, rest, np.inf, np.concatenate([tau**2 * paces, tau * paces])
    for _ in range(ROUNDS):  # what is gained acts on it
        speeds = [dict(zip(mine, row.reshape(-1, 2), strict=True)) for row in s]
        states = np.stack([search.pushed(z.trial, z.time, *x) for z, *x in zip(slips, gone, speeds, strict=True)])
        pulls = [search.pull(z.trial, z.time, *x) for z, *x in zip(slips, states, speeds, strict=True)]
        if not all(np.isfinite(pull.rates).all() for pull in pulls):
            return None
        more = np.stack([pull.acceleration for pull in pulls]) - stuck
        change, moved = _step(s, pulls, tau), rest + np.hstack([tau**2 * TWICE @ more, tau * ONCE @ more])
        largest = max(_share(change, s, 2), _share(moved - gone, natural, 1))
        if largest <= FINE or (largest <= SETTLED and largest > before / 2):
            last = slips[-1]
            return Grown(search.moved(last.trial, last.time, states[-1]), _growing(steps, states - rest))
        s, gone, before = s + change, moved, largest
    return None


def _share(change: Array, whole: Array, width: int) -> float:
    """The largest change (k, m) of what lies side by side, `width` numbers each, as a part of the whole of it."""
    parts, sizes = (np.linalg.norm(x.reshape(*x.shape[:-1], -1, width), axis=-1) for x in (change, whole))
    return float((parts / np.where(sizes > 0, sizes, np.inf)).max())


def _step(s: Array, pulls: list[Pull], tau: float) -> Array:
    """A step of Newton's method for sliding velocities s (k, 2 K) whose rates are what acts, along what can move."""
    k, width = s.shape
    ways, along = block_diag(*(pull.ways for pull in pulls)), block_diag(*(pull.along for pull in pulls))
    slopes = block_diag(*(pull.slopes for pull in pulls))
    rate = np.kron(RATE / tau, np.eye(width))
    left = np.concatenate([pull.rates for pull in pulls]) - rate @ s.ravel()
    found = np.linalg.solve(along @ (rate @ ways - slopes), along @ left)
    out: Array = (ways @ found).reshape(k, width)
    return out


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
