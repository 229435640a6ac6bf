"""How large coordinates and velocities may be that rounding alone leaves of a start."""

import numpy as np

from dalembert.derive import Array
from dalembert.motion.hybrid.programs import Programs
from dalembert.motion.smooth.left_open import left_open

GIVEN = 2.0**-8  # of what a number makes up for in its rows: with TIE, what is left of it by rounding at the start


def uncertain(programs: Programs, t: float, state: Array) -> Array:
    """How large (2n,) what rounding of the other terms of its rows leaves of each number counts, at the start.

    As at a dead centre: the velocity of the slider is none, and the sine of the angle, times its rate, is not.
    """
    mode, n = programs.blank(), len(state) // 2
    code = programs.code(mode)
    moves = state[n:].any() or any(code.moving_rows) or code.carrying.any()
    if not (moves or programs.switches.one_sided):
        return np.zeros(2 * n)
    return GIVEN * left_open(programs.engine, programs.setup(mode, t, state), t, state, every=True)
