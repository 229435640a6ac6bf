"""Why a run broke: the equation at fault at the last state that exists, or just beyond it."""

from typing import NamedTuple

import numpy as np

from dalembert.derive import Array, instant_at
from dalembert.model import StateError, Statement, name_of
from dalembert.principles import ContradictionError, InstantError, MassError, explicit

FAILURES = (StateError, ContradictionError, InstantError, MassError)
BESIDE = 1e-7  # of the time: so far before and after a place accelerations are compared


class Blame(NamedTuple):
    """Why a motion cannot go on, in words, and whether it is because something does not exist there."""

    words: str
    missing: bool


def blame(system: Statement, values: Array, t: float, state: Array) -> Blame:
    """What does not exist at a state or a little further along the motion; else which acceleration jumps, or grows."""
    n = len(system.coordinates)
    q, v = state[:n], state[n : 2 * n]
    try:
        acceleration = explicit(instant_at(system, [*q, *v, t, *values])).acceleration
    except FAILURES as error:
        return Blame(_words(error), True)

    def along(h: float) -> Array:
        found: Array = explicit(
            instant_at(system, [*(q + h * v), *(v + h * acceleration), t + h, *values])
        ).acceleration
        return found

    for h in 10.0 ** np.arange(-15, -2) * max(1.0, abs(t)):
        try:
            along(h)
        except FAILURES as error:
            return Blame(f"just beyond it, {_words(error)}", True)
    worst = int(np.abs(acceleration).argmax())
    name = name_of(system.coordinates[worst])
    try:
        before, after = (along(h * max(1.0, abs(t))) for h in (-BESIDE, BESIDE))
    except FAILURES:
        before = after = acceleration
    change, size = np.abs(after - before), np.maximum(np.abs(before), np.abs(after))
    k = int(change.argmax())
    if change[k] > size[k] / 2 and np.abs(acceleration).max() < 2 * size.max():
        jumps = (
            f"the acceleration of {name_of(system.coordinates[k])} jumps there, from {before[k]:.3g} to {after[k]:.3g}"
        )
        return Blame(jumps, False)
    return Blame(f"the equation of {name} grows without bound (its acceleration is {acceleration[worst]:.3g})", False)


def at(system: Statement, t: float, state: Array) -> str:
    """A time and a state in words."""
    keys = (*system.coordinates, *system.velocities)
    shown = [f"{name_of(key)} = {value:.9g}" for key, value in zip(keys, state, strict=False)]
    listed = ", ".join(shown if len(shown) <= 24 else [*shown[:12], "…", *shown[-12:]])
    return f"t = {t:.6g}, {listed}"


def _words(error: Exception) -> str:
    return "; ".join(error.faults) if isinstance(error, StateError) else str(error)
