"""Forces with a size and no direction where a length vanishes, as −v/|v| in a plane: no polynomial leads over it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dalembert.derive import Array
from dalembert.model import Statement, name_of
from dalembert.motion.smooth.sides import STEP, Side

NEAR, FAR = 2.0**-26, 2.0**-8  # of a step: so far before and behind the place forces are compared
ROUNDINGS = 2.0**-40  # of the time: at least so far
SLIGHT = 2.0**-10  # of an acceleration: a change of less is none, where a root is taken of rounding
NONE = 2.0**-20  # of a velocity of late: that is none


def without_direction(engine: Any, side: Callable[[float], Side], time: float, span: float) -> Array | None:
    """Accelerations before and behind a place (2, n) that jump with the way in which a motion goes through, if any do.

    `side` gives the state at a time by the polynomial of a step. A force that vanishes there, with however low a power,
    differs the less the nearer both sides are.
    """

    def around(way: float) -> Array:
        pair = [side(time - way), side(time + way)]
        return np.array([engine.watch(s.setup, np.array([s.t]), s.state[None, :]).acceleration[0] for s in pair])

    close = max(NEAR * span, ROUNDINGS * abs(time))
    if not close <= FAR**2 * span:  # a step so short tells nothing
        return None
    sides, further = around(close), around(FAR * span)
    near, far = (np.abs(np.subtract(*pair)) for pair in (sides, further))
    jumps = (near > STEP * far) & (near > SLIGHT * np.abs([sides, further]).max())
    return np.where(jumps, sides, 0.0) if np.isfinite(near).all() and jumps.any() else None


def told(system: Statement, sides: Array, velocities: Array, largest: Array) -> str:
    """What has no direction, in words, and how what is meant can be stated."""
    jumps = np.abs(np.subtract(*sides))
    names = [name_of(q) for q, jump in zip(system.coordinates, jumps, strict=True) if jump > 0]
    k = int(jumps.argmax())
    one, two = sides[:, k]
    first = f"the acceleration of {name_of(system.coordinates[k])} jumps there, from {one:.3g} to {two:.3g}"
    still = [
        name_of(v)
        for v, now, late in zip(system.velocities, velocities, largest, strict=True)
        if abs(now) <= NONE * late
    ]
    what = f"the force on {' and '.join(names)}"
    words = f"{first}: {what} has no direction there, but that in which one goes through"
    if not still:
        return words
    rest = f"{' and '.join(still)} {'vanish' if len(still) > 1 else 'vanishes'}"
    return (
        f"{words}, and what it is where {rest} is not stated. Dry friction, which holds at rest, is the nature of a "
        f"constraint: Coulomb(mu, sliding=[{', '.join(still)}])"
    )
