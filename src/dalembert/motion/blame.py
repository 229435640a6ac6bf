"""Why a run broke: the equation at fault at the last state that exists, or just beyond it."""

from typing import NamedTuple

import numpy as np

from dalembert.derive import Array, instant_at, too_large
from dalembert.model import StateError, Statement, name_of
from dalembert.principles import ContradictionError, InstantError, MassError, explicit

FAILURES = (StateError, ContradictionError, InstantError, MassError)
BESIDE = (1e-7, 5e-8)  # of the time: so far before and after a place accelerations are compared
STEADY = 0.125  # of a jump: by so much an acceleration changes on either side of it
AROUND = 10.0 ** np.arange(-12, -3)  # of the time: there what is infinite at a place is looked at
SPIKE = 64.0  # times as large as on both sides: that is infinite between them


class Blame(NamedTuple):
    """Why a motion cannot go on, in words, and whether it is because something does not exist there.

    `contradicts`: that is an acceleration, because the constraints ask for different ones.
    """

    words: str
    missing: bool
    contradicts: bool = False


def blame(system: Statement, values: Array, t: float, state: Array) -> Blame:
    """What does not exist at a state or a little further along the motion; else which acceleration jumps, or grows."""
    n = len(system.coordinates)
    q, v = state[:n], state[n : 2 * n]
    try:
        acceleration = explicit(instant_at(system, [*q, *v, t, *values])).acceleration
    except FAILURES as error:
        return Blame(_words(error), True, isinstance(error, ContradictionError))

    def along(h: float) -> Array:
        found: Array = explicit(
            instant_at(system, [*(q + h * v), *(v + h * acceleration), t + h, *values])
        ).acceleration
        return found

    for h in 10.0 ** np.arange(-15, -2) * max(1.0, abs(t)):
        try:
            along(h)
        except FAILURES as error:
            return Blame(f"just beyond it, {_words(error)}", True, isinstance(error, ContradictionError))
    unit = max(1.0, abs(t))
    try:
        jumps = _jump(system, [[along(way * h * unit) for h in BESIDE] for way in (-1, 1)], acceleration)
        beside = [max(np.abs(along(way * h * unit)).max() for way in (-1, 1)) for h in AROUND]
    except FAILURES:
        jumps, beside = None, []
    if jumps is not None:
        return Blame(jumps, False)
    grows = any(np.abs(acceleration).max() > SPIKE * size for size in beside)

    def terms(h: float) -> list[Array]:
        now = instant_at(system, [*(q + h * v), *(v + h * acceleration), t + h, *values])
        widest = [np.abs(part).max(axis=1, initial=0.0) for part in (now.M, now.A)]
        return [widest[0], np.abs(now.Q), widest[1], np.abs(now.b)]

    try:
        infinite = _infinite(system, terms(0.0), [[terms(way * h * unit) for way in (-1, 1)] for h in AROUND])
    except FAILURES:
        infinite = None
    if infinite is not None and not grows:
        return Blame(f"just beyond it, {infinite} is not finite", True)
    if not grows and (large := too_large(system, [*q, *v, t, *values])) is not None:
        return Blame(large, True)
    worst = int(np.abs(acceleration).argmax())
    if not acceleration[worst]:
        return Blame("nothing accelerates there, nor is anything seen to grow or to jump", False)
    name = name_of(system.coordinates[worst])
    return Blame(f"the equation of {name} grows without bound (its acceleration is {acceleration[worst]:.3g})", False)


def _jump(system: Statement, sides: list[list[Array]], here: Array) -> str | None:
    """Which acceleration jumps from one side (h, n) to the other, in words: on each it is the same nearer by."""
    before, after = (np.array(side) for side in sides)
    change, size = np.abs(after[0] - before[0]), np.maximum(np.abs(before[0]), np.abs(after[0]))
    moved = np.maximum(*(np.abs(side[0] - side[1]) for side in (before, after)))
    found = np.where((change > size / 2) & (moved <= STEADY * change), change, 0.0)
    k = int(found.argmax())
    if not found[k] > 0 or not np.abs(here).max() < 2 * size.max():
        return None
    name = name_of(system.coordinates[k])
    return f"the acceleration of {name} jumps there, from {before[0, k]:.3g} to {after[0, k]:.3g}"


def _infinite(system: Statement, here: list[Array], around: list[list[list[Array]]]) -> str | None:
    """What is infinite at a place and finite on both sides of it, by its largest terms there and around."""
    coordinates = [name_of(q) for q in system.coordinates]
    rows = [f"constraint {c.name!r}" for c in system.constraints]
    named = ([f"the inertia of {q}" for q in coordinates], [f"the force on {q}" for q in coordinates], rows, rows)
    for k, names in enumerate(named):
        for before, after in around:
            spikes = here[k] > SPIKE * np.maximum(before[k], after[k])
            if spikes.any():
                return names[int(np.flatnonzero(spikes)[0])]
    return None


def at(system: Statement, t: float, state: Array) -> str:
    """A time and a state in words."""
    keys = (*system.coordinates, *system.velocities)
    shown = [f"{name_of(key)} = {value:.9g}" for key, value in zip(keys, state, strict=False)]
    listed = ", ".join(shown if len(shown) <= 24 else [*shown[:12], "…", *shown[-12:]])
    return f"t = {t:.6g}, {listed}"


def _words(error: Exception) -> str:
    return "; ".join(error.faults) if isinstance(error, StateError) else str(error)
