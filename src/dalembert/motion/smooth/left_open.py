"""What rounding leaves open of a state on its rows: a number that is nothing is known as what it makes up for is.

At a dead centre the velocity of the slider is none, and the sine of the angle, times its rate, is not; a foot on the
ground is as high as the legs leave it.
"""

from typing import Any

import numpy as np

from dalembert.derive import Array
from dalembert.engine import patterns

SHAKEN = 2.0**-20  # of each coordinate and velocity


def left_open(engine: Any, setup: Any, t: float, state: Array, every: bool = False) -> Array:
    """How large (2n,) what each coordinate and velocity makes up for is: its part of the terms of its rows.

    Rows share a change among what they contain as masses do. Of the rows in force; of velocities `every` row where
    that is asked for.
    """
    times, states = np.array([t]), state[None, :]
    M, A = (found[0] for found in engine.mass_and_rows(setup, times, states))
    if not len(A):
        return np.zeros(len(state))
    shaken = state * (1 + SHAKEN * patterns(len(state)))
    now, others = engine.watch(setup, times, states), engine.watch(setup, np.full(len(shaken), t), shaken)
    force = engine.in_force([setup])[0] > 0
    with np.errstate(all="ignore"):
        give = np.abs(A) / np.abs(np.diag(M))
        share = give / (np.abs(A) * give).sum(axis=1, keepdims=True)
        level = np.where(force, np.abs(others.level - now.level).max(axis=0), 0.0)
        rate = np.where(force | every, np.abs(others.rate - now.rate).max(axis=0), 0.0)
        found = np.hstack([share * level[:, None], share * rate[:, None]]) / SHAKEN
    out: Array = np.where(np.isfinite(found), found, 0.0).max(axis=0)
    return out
