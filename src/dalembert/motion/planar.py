"""Friction that slides in a plane: its direction does not exist at rest, so that it is left and reached by a moment.

Close to rest the motion is straight, and a moment of second order is exact to rounding: from rest along the
acceleration, and from a small speed that heads for rest, to it.
"""

from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.modes import SLIPS, Mode
from dalembert.derive.switching.stages import Meaning
from dalembert.motion.decide import Judge
from dalembert.motion.laws import Outcome, Scene

SLOWER, SLOW = 1e-4, 2e-7  # of the speed so far: it is watched, and brought to rest, from here on
STRAIGHT = 1e-6  # and must head for rest as straight as this
BRIEF = 1e-9  # of a run: a moment that takes next to no time
NUDGE, OPEN = 1e-13, 1e-9  # the speed forces give in this time is none; what they give is none
NEARER = 8.0  # a speed is watched for until it is so many times smaller
EPS = float(np.finfo(float).eps)


class Bridge(NamedTuple):
    """A moment that is gone through to second order: how long, and with which acceleration."""

    tau: float
    acceleration: Array


def watched_speeds(
    judge: Judge, scene: Scene, mode: Mode, fired: Meaning | None, moving: bool = False
) -> tuple[float, ...]:
    """The speed at which each friction that slides in a plane is looked at again; negative for one at rest.

    Just pushed off, all are `moving`, however slowly.
    """
    active = judge.switches.active(mode)
    out = []
    for k, state in enumerate(mode.rubs):
        if state != SLIPS:
            out.append(0.0)
            continue
        lay = scene.lay(k, active)
        speed = float(np.linalg.norm(lay.s))
        rest = not moving and judge.at_rest(lay, fired, k)
        out.append(-1.0 if rest else min(SLOWER * judge.pace_of(lay), speed / NEARER))
    return tuple(out)


def push_off(judge: Judge, outcome: Outcome, t: float, until: float) -> float:
    """How long the first moment of a slip is."""
    size = float(np.abs(outcome.acceleration).max()) or 1.0
    tau = SLOW * min(until - t, float(np.sqrt(judge.size / size)) or 1.0)
    if judge.speed > 0:
        tau = min(tau, SLOW * judge.speed / size)
    return max(tau, 4 * EPS * max(abs(t), abs(until)))


def nudged(judge: Judge, scene: Scene, mode: Mode, outcome: Outcome, state: Array, span: float) -> Array:
    """The state of frictions that begin to slip, with no acceleration yet, with a speed that is none their way."""
    v = state[len(state) // 2 :].copy()
    for k, way in outcome.ways.items():
        lay = scene.lay(k, judge.switches.active(mode))
        unit = max(scene.length(row) for row in lay.J)
        rate = float(np.linalg.norm(lay.J @ outcome.acceleration - lay.bias))
        if mode.rubs[k] == SLIPS and rate <= OPEN * outcome.size * unit and judge.at_rest(lay, None, k):
            W = lay.J @ scene.raised(lay.J.T)
            v += scene.raised(
                lay.J.T @ np.linalg.lstsq(W, way * NUDGE * outcome.size * unit * span - lay.s, rcond=None)[0]
            )
    return np.concatenate([state[: len(v)], v])


def moment_to_rest(judge: Judge, scene: Scene, mode: Mode, k: int, a: Array, run: float) -> float | None:
    """How long a friction takes to come to rest with the acceleration a; None where it does not head for it.

    In a run of some length, one that takes next to no time is near enough.
    """
    lay = scene.lay(k, judge.switches.active(mode))
    speed = float(np.linalg.norm(lay.s))
    rate = lay.J @ a - lay.bias
    tau = -float(lay.s @ rate) / float(rate @ rate)
    if speed > SLOW * judge.pace_of(lay) and tau > BRIEF * run:
        return None
    straight = float(np.linalg.norm(lay.s + rate * tau)) <= STRAIGHT * speed
    return tau if tau > 0 and straight else None


def moved_on(state: Array, tau: float, a: Array) -> Array:
    """A state (2n,) after a moment, to second order."""
    q, v = np.split(state, 2)
    return np.concatenate([q + v * tau + a * tau**2 / 2, v + a * tau])
