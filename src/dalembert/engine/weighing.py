"""Weights of rows in M + AᵀGA that fit the states of a motion, found along it.

The weights of one place hold around it. A row that fades, a mass that grows, or a coordinate that has no inertia where
a motion begins, asks for others further on: there pivots of M + AᵀGA are small against their own diagonal, and by so
much digits are lost.
"""

from typing import TYPE_CHECKING

import numpy as np

from dalembert.derive import Array
from dalembert.engine.protocol import Watch
from dalembert.principles import held_weights

if TYPE_CHECKING:
    from dalembert.engine.taylor import Setup, Taylor

LIGHT = 1e-2  # a pivot of M + AᵀGA below this, against its own diagonal, may be so by weights that do not fit
SEEN = 16  # states at most by which weights are taken
BETTER = 2.0  # powers of two by which other weights must raise the least pivots, on average, to be taken
LEAST = 1e-30  # a pivot below this is as bad as this


def is_light(setup: "Setup", watch: Watch) -> Array:
    """Where along states (k,) weights may not fit."""
    if not setup.choice.augment or not watch.inertia.shape[1]:
        return np.zeros(len(watch.inertia), dtype=bool)
    return np.asarray(~(watch.inertia.min(axis=1) >= LIGHT))


def fitting(engine: "Taylor", setup: "Setup", times: Array, states: Array) -> "Setup | None":
    """The same with weights that fit states (k, 2n) better than those it has; None where these do as well."""
    few = np.unique(np.linspace(0, len(times) - 1, min(len(times), SEEN)).astype(int))
    times, states = times[few], states[few]
    M, A = engine.mass_and_rows(setup, times, states)
    force = engine.in_force([setup])[0] > 0
    known = np.isfinite(M).all(axis=(1, 2)) & np.isfinite(A).all(axis=(1, 2))
    if not known.any():
        return None
    found = np.array([held_weights(M[k], A[k], force) for k in np.flatnonzero(known).tolist()])
    with np.errstate(divide="ignore"):
        middle = np.exp2(np.median(np.log2(found), axis=0))
    now = _fit(engine, setup, times, states)
    for weights in (middle, found.max(axis=0)):
        other = setup.weighed(np.where(force, weights, 0.0))
        if _fit(engine, other, times, states) > now + BETTER:
            return other
    return None


def _fit(engine: "Taylor", setup: "Setup", times: Array, states: Array) -> float:
    """The mean of the logarithms of the least pivots of M + AᵀGA along states."""
    watch = engine.watch(setup, times, states)
    least = np.where((watch.masses > 0).all(axis=1), watch.inertia.min(axis=1), 0.0)
    return float(np.log2(np.maximum(np.nan_to_num(least, nan=0.0), LEAST)).mean())
