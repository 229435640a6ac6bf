"""Friction that slides in a plane: its direction does not exist at rest, so that it is left and reached by a moment.

Close to rest the motion is straight, and a moment of second order is exact to rounding: from rest along the
acceleration, and from a small speed that heads for rest, to it.
"""

from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.derive.modes import SLIPS, Mode
from dalembert.derive.stages import Meaning
from dalembert.motion.decide import Judge
from dalembert.motion.laws import Outcome, Scene

SLOWER, SLOW = 1e-4, 2e-7  # of the speed so far: it is watched, and brought to rest, from here on
STRAIGHT = 1e-6  # and must head for rest as straight as this
NEARER = 8.0  # a speed is watched for until it is so many times smaller
EPS = float(np.finfo(float).eps)


class Bridge(NamedTuple):
    """A moment that is gone through to second order: how long, and with which acceleration."""

    tau: float
    acceleration: Array


def watched_speeds(judge: Judge, scene: Scene, mode: Mode, fired: Meaning | None) -> tuple[float, ...]:
    """The speed at which each friction that slides in a plane is looked at again; negative for one at rest."""
    active = judge.switches.active(mode)
    out = []
    for k, state in enumerate(mode.rubs):
        if state != SLIPS:
            out.append(0.0)
            continue
        lay = scene.lay(k, active)
        speed = float(np.linalg.norm(lay.s))
        rest = judge.at_rest(lay, fired, k)
        out.append(-1.0 if rest else min(SLOWER * judge.pace_of(lay), speed / NEARER))
    return tuple(out)


def push_off(judge: Judge, outcome: Outcome, t: float, until: float) -> float:
    """How long the first moment of a slip is."""
    size = float(np.abs(outcome.acceleration).max()) or 1.0
    tau = SLOW * min(until - t, float(np.sqrt(judge.size / size)) or 1.0)
    if judge.speed > 0:
        tau = min(tau, SLOW * judge.speed / size)
    return max(tau, 4 * EPS * max(abs(t), abs(until)))


def moment_to_rest(judge: Judge, scene: Scene, mode: Mode, k: int, a: Array) -> float | None:
    """How long a friction takes to come to rest with the acceleration a; None where it does not head for it."""
    lay = scene.lay(k, judge.switches.active(mode))
    speed = float(np.linalg.norm(lay.s))
    if speed > SLOW * judge.pace_of(lay):
        return None
    rate = lay.J @ a - lay.bias
    tau = -float(lay.s @ rate) / float(rate @ rate)
    straight = float(np.linalg.norm(lay.s + rate * tau)) <= STRAIGHT * speed
    return tau if tau > 0 and straight else None


def moved_on(state: Array, tau: float, a: Array) -> Array:
    """A state (2n,) after a moment, to second order."""
    q, v = np.split(state, 2)
    return np.concatenate([q + v * tau + a * tau**2 / 2, v + a * tau])
