"""How large velocities may be that rounding alone leaves of a start."""

import numpy as np

from dalembert.derive import Array
from dalembert.engine import patterns
from dalembert.motion.hybrid.programs import Programs

SHAKEN = 2.0**-20  # of each coordinate and velocity
GIVEN = 2.0**-8  # of what a velocity changes by with all others: with TIE, what is left of it by rounding at the start


def uncertain(programs: Programs, t: float, state: Array) -> Array:
    """How large (2n,) what rounding of the other terms of its rows leaves of each velocity counts, at the start.

    As at a dead centre: the velocity of the slider is none, and the sine of the angle, times its rate, is not.
    """
    mode, n = programs.blank(), len(state) // 2
    code = programs.code(mode)
    if not (state[n:].any() or any(code.moving_rows) or code.carrying.any()):
        return np.zeros(2 * n)
    setup = programs.setup(mode, t, state)
    now = programs.arrays(setup, t, state)
    shaken = state * (1 + SHAKEN * patterns(2 * n))
    rates = programs.engine.watch(setup, np.full(len(shaken), t), shaken).rate
    with np.errstate(all="ignore"):
        give = np.abs(now.A) / np.abs(np.diag(now.M))  # in proportion, how velocities make up for a row
        found = give / (np.abs(now.A) * give).sum(axis=1, keepdims=True) * np.abs(rates - now.rate).max(axis=0)[:, None]
    speeds = np.where(np.isfinite(found), found, 0.0).max(axis=0, initial=0.0) / SHAKEN
    return np.concatenate([np.zeros(n), GIVEN * speeds])
