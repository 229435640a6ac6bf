"""The way back onto the constraints, which changes neither the energy balance nor more of the state than it must."""

from typing import Any

import numpy as np

from dalembert.derive import Array

NEWTON = 8  # steps at most
SLIGHT = 1e-6  # a relative change of velocity beyond which energy is not put right


def distance(engine: Any, setup: Any, t: float, state: Array, scales: Array) -> float:
    """How far a state is off the rows that hold, relative to the size of their terms, by natural scales (2n + 1,)."""
    times, states = np.array([t]), state[None, :]
    watch = engine.watch(setup, times, states)
    if not watch.level.shape[1]:
        return 0.0
    sizes = engine.sizes(setup, times, states, scales)
    sizes = np.where(sizes > 0, sizes, 1e-300)
    off = np.concatenate([np.abs(watch.level), np.abs(watch.rate)], axis=1) / sizes
    holds = engine.holding(setup)
    return float(np.where(np.concatenate([holds, holds]), off, 0.0).max(initial=0.0))


def settled(engine: Any, setup: Any, t: float, state: Array) -> Array:
    """The state (2n,) on the rows in force that is nearest in the metric of M: places first, then velocities."""
    n = len(state) // 2
    place = state.copy()
    found = engine.settle(setup, t, place)
    for part, mine in enumerate((slice(None, n), slice(n, None))):
        last = np.inf
        for _ in range(NEWTON):  # relations may be nonlinear, in the velocities too
            change = found[part]
            size = float(np.abs(change / (np.abs(place[mine]) + np.abs(change) + 1e-300)).max(initial=0.0))
            if not size < np.inf or last <= size < 1e-8:
                break
            place[mine] += change
            last = size
            if size <= 1e-15:
                break
            found = engine.settle(setup, t, place)
    return place


def put_back(engine: Any, setup: Any, t: float, state: Array, energy: float | None) -> Array:
    """The state put back on the constraints, with the energy it should have where that is given.

    Off the constraints their forces do work that no motion has. It is of the order of the drift, but always of the same
    sign where the drift is, so that over many returns it would add up: the velocity is changed along the part w of it
    that the constraints leave free, by μ w with dE/dμ = wᵀMq̇.
    """
    place = settled(engine, setup, t, state)
    if energy is None:
        return place
    n = len(state) // 2
    free = engine.settle(setup, t, place)[2]

    def with_share(share: float) -> Array:
        other = place.copy()
        other[n:] += share * free
        return other

    response = (engine.energy(setup, t, with_share(0.5)) - engine.energy(setup, t, with_share(-0.5))) / 1.0
    gap = energy - engine.energy(setup, t, place)
    return with_share(gap / response) if abs(gap) < SLIGHT * abs(response) else place
