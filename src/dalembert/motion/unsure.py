"""What rounding of the numbers of a state makes of accelerations, of the energy and of constraints, to first order.

A coordinate far from zero is known to half a unit in its last place, as large as it has been: x − c is known to no
more, nor is a force −k (x − c), whatever the principle that gives it. Asked for where a check would else fail.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from dalembert.derive import Array
from dalembert.derive.shaking import shaken_acceleration
from dalembert.motion.look import Look
from dalembert.motion.tolerances import EPS, tolerance

SLIGHT = 2.0**-30  # relative change of a coordinate or a velocity by which slopes are seen
ALONE = 64  # of so many numbers each is changed by itself; of more, some at a time
EVALUATED = 16  # roundings of terms in what is made of a state


def accelerations(look: Look) -> Array:
    """What half a unit in the last place of every coordinate and velocity makes of the accelerations (k, n)."""
    engine, half = look.motion._derivation.engine, EPS / 2
    out = np.zeros((len(look.times), look.states.shape[1] // 2))
    for part in look.parts if engine.name != "plain" else ():
        times, states, largest = (each[part.where] for each in (look.times, look.states, look.largest))
        before = engine.watch(part.setup, times, states).acceleration
        for moved in _moved(states, largest):
            out[part.where] += np.abs(engine.watch(part.setup, times, moved).acceleration - before) * (half / SLIGHT)
    return np.nan_to_num(out, nan=0.0, posinf=0.0)


def operations(look: Look, places: Sequence[int]) -> Array:
    """What rounding of every operation on the way to them makes of the accelerations (k, n) at some places.

    Where a force is the difference of two that are all but alike, it may be nothing else, though no number of the
    state is rounded.
    """
    out = np.zeros((len(places), look.states.shape[1] // 2))
    for k, place in enumerate(places):
        t = float(look.times[place])
        stretch = look.stretch(t)
        out[k] = tolerance("FORCES") * shaken_acceleration(stretch.statement, stretch.inputs(t, look.states[place]))
    return out


def works(look: Look) -> Array:
    """The work (k,) that forces do where each coordinate moves by half a unit in its last place, the largest so far."""
    m, n = look.motion, look.states.shape[1] // 2
    before = m._derivation.along(look.times, look.states)
    found = (np.abs(before.ideal + before.nonideal) * look.largest[:, :n]).sum(axis=1) * (EPS / 2)
    for moved in _moved(look.states, np.hstack([look.largest[:, :n], np.zeros_like(look.states[:, n:])])):
        energy = m._derivation.along(look.times, moved).energy
        found += np.abs(energy - before.energy) * (EPS / 2 / SLIGHT)
    out: Array = np.maximum.accumulate(np.nan_to_num(found, nan=0.0, posinf=0.0))
    return out


def _moved(states: Array, largest: Array) -> Iterator[Array]:
    """States with a number of them changed a little, each in turn; of very many some at a time, by changing signs."""
    some = np.flatnonzero(largest.any(axis=0))
    groups = [some[k::ALONE] for k in range(min(ALONE, len(some)))]
    for group in groups:
        moved = states.copy()
        moved[:, group] += SLIGHT * largest[:, group] * np.where(np.arange(len(group)) % 2, -1.0, 1.0)
        yield moved


def residuals(look: Look, place: int) -> dict[str, tuple[float, float]]:
    """What rounding of terms makes of the value of each constraint and of its rate at a place, by names."""
    engine = look.motion._derivation.engine
    part = next(p for p in look.parts if p.where.start <= place < p.where.stop)
    where = slice(place, place + 1)
    scales = np.append(np.abs(look.states[place]), abs(look.times[place]))
    size = engine.sizes(part.setup, look.times[where], look.states[where], scales)[0] * (EVALUATED * EPS / 2)
    size = np.nan_to_num(size, nan=0.0, posinf=0.0)
    names = [c.name for c in part.setup.code.stage.statement.constraints] if engine.name != "plain" else []
    return {name: (size[r], size[r + len(names)]) for r, name in enumerate(names)}
