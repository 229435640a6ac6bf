"""Contacts that are touched and not struck, where no rounding tells the one from the other.

Where the motion itself turns back right at a contact (a slider whose dead centre is at a wall, a bead on a ring that
touches the floor, a pendulum over 1 − cos θ) the gap opens again by itself. At its zero, known to a root of rounding,
what is left of the row of the contact along the free motions is as small as its rate, and their quotient would be taken
for a velocity to be reversed. A motion that goes on as if the contact were not there is off by no more than the
rounding of the gap, and satisfies every law.
"""

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.guard_kinds import GuardKey
from dalembert.engine.outputs import OFFSET, SLOPE
from dalembert.engine.taylor import Setup, Taylor
from dalembert.motion.hybrid.impact import mobility
from dalembert.motion.hybrid.programs import Programs
from dalembert.motion.tolerances import tolerance

BACK = 4.0 ** -np.arange(2.0, 8.0)  # of the way there: how fast gaps change by free motions is seen there
SLIGHT = 2.0**-8  # of that: less is as good as nothing
COARSE = 4.0  # times the root of what a gap is known to: the same where that is more


def known_to(engine: Taylor) -> float:
    """To what part of its terms a gap is known."""
    return max(tolerance("TIE"), tolerance("DRIFT") * engine.tolerance)


def passing(programs: Programs, setup: Setup, j: int) -> Setup:
    """A setup, armed, that does not stop where the gap of a contact is below zero by no more than it is known to."""
    guard = programs.staged_of(setup).keys.index(GuardKey("touch", j))
    slopes, offsets = (setup.numbers[setup.code.places(what)].copy() for what in (SLOPE, OFFSET))
    offsets[guard] = max(offsets[guard], 2 * known_to(programs.engine))
    return setup.armed(slopes, offsets, setup.triggers)


def grazes(programs: Programs, setup: Setup, t: float, state: Array, scales: Array, j: int) -> bool:
    """Whether a gap at zero that closes opens again by no more than its rounding, and free motions hardly change it.

    By natural scales (2n + 1,), in the mode of a setup, in which it is open.
    """
    engine, n = programs.engine, len(state) // 2
    times, states = np.array([t]), state[None, :]
    seen, known = engine.watch(setup, times, states), known_to(engine)
    opens = programs.opening(setup, times, states, seen.acceleration)[0, j]
    gap = engine.sizes(setup, times, states, scales)[0, j]
    if not seen.rate[0, j] ** 2 <= 2 * opens * known * gap:
        return False
    held = np.flatnonzero(engine.in_force([setup])[0] > 0).tolist()

    def reach(there: Array) -> float:
        """How fast, for the speed there is, free motions can close a gap at a state, squared."""
        now = programs.arrays(setup, t, there)
        return float(now.A[j] @ mobility(now, held) @ now.A[j])

    q, v = np.split(state, 2)
    moves = (v != 0) & (scales[:n] > 0)
    way = float((scales[:n][moves] / np.abs(v[moves])).min(initial=np.inf))
    before = [np.concatenate([q - share * way * v, v]) for share in BACK] if np.isfinite(way) else []
    slight = max(SLIGHT, COARSE * known**0.5)
    return bool(reach(state) <= slight**2 * max(map(reach, before), default=0.0))


def ways_at_zero(programs: Programs, setup: Setup, t: float, state: Array, scales: Array) -> Array:
    """Which way gaps (r,), being zero, go in the mode of a setup: 1 if they part or are drawn apart, −1 if they close.

    However soon and low they are to turn: by less than can be seen of the gap. 0 where they stay.
    """
    engine, times, states = programs.engine, np.array([t]), state[None, :]
    seen = engine.watch(setup, times, states)
    rate, floors = seen.rate[0], tolerance("TIE") * engine.sizes(setup, times, states, scales)[0][seen.rate.shape[1] :]
    drawn = programs.opening(setup, times, states, seen.acceleration)[0]
    natural = np.abs(engine.rows(setup, times, states)[0]) @ engine.paces(setup, times, states)[0]
    pulled = np.where((np.abs(drawn) > tolerance("TIE") * natural) & (natural > 0), np.sign(drawn), 0.0)
    out: Array = np.where(np.abs(rate) > floors, np.sign(rate), pulled)
    return out
