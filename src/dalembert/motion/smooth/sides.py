"""What jumps between two sides of a place where a function jumps: a step that no force states."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.motion.tolerances import tolerance

CLOSER = 1 / 16  # of the way to each side: there they are compared again
STEP = 0.6  # of what is between two sides: so much is left of a step


class Side(NamedTuple):
    """A state on one side: its time, the state (2n,), and the setup that holds there."""

    setup: Any
    t: float
    state: Array


def what_jumps(
    engine: Any, sides: Callable[[float], tuple[Side, Side]], sizes: Array | None = None, rates: bool = False
) -> str | None:
    """What jumps between two sides, if anything does; `sides` gives them, at a share of their distance.

    A step of a potential or of a mass is no force, but an impulse that nothing states. Two sides that differ less and
    less the nearer they are do not jump, nor do those that differ by what rounding makes of their terms, with
    coordinates and velocities as large as they have been of late (`sizes`, (2n,)). With `rates`, those of the
    constraints in force are looked at too.
    """
    near, far = (_apart(engine, sides(share), sizes, rates) for share in (CLOSER, 1.0))
    for what, (there, floor) in far.items():
        gap = np.abs(near[what][0])
        if ((gap > STEP * np.abs(there)) & (gap > floor)).any():
            return what
    return None


def forces_jump(engine: Any, sides: Callable[[float], tuple[Side, Side]]) -> bool:
    """Whether accelerations jump between two sides."""
    near, far = (
        np.subtract(*(engine.watch(setup, np.array([t]), state[None, :]).acceleration[0] for setup, t, state in pair))
        for pair in (sides(CLOSER), sides(1.0))
    )
    return bool((np.abs(near) > STEP * np.abs(far)).any())


def _apart(engine: Any, sides: tuple[Side, Side], of_late: Array | None, rates: bool) -> dict[str, tuple[Array, Array]]:
    """By how much energy, momenta and constraints differ between two sides, and what of that may be rounding."""
    v = np.abs(sides[0].state[len(sides[0].state) // 2 :])
    (one, p), (two, p_too) = (engine.energy_and_momenta(*side) for side in sides)
    gaps = [engine.levels(setup, np.array([t]), state[None, :])[0] for setup, t, state in sides]
    sizes = np.maximum(*(_terms(engine, side, of_late) for side in sides))
    share, momenta = tolerance("TIE"), np.abs(p) + np.abs(p_too)  # none without a Lagrangian
    found = {
        "the energy": (np.array([one - two]), share * (abs(one) + abs(two) + momenta @ v[: len(momenta)])),
        "the momentum": (p - p_too, share * momenta),
        "a constraint": (gaps[0] - gaps[1], share * sizes[: len(gaps[0])]),
    }
    if rates:
        one, two = (engine.watch(setup, np.array([t]), state[None, :]).rate[0] for setup, t, state in sides)
        kinks = np.where(engine.holding(sides[0].setup), one - two, 0.0)
        found["the rate of a constraint"] = (kinks, share * sizes[len(sizes) // 2 :])
    return found


def _terms(engine: Any, side: Side, of_late: Array | None) -> Array:
    """The sizes of the terms of the constraints, then of their rates (2m,), at a state as large as it has been."""
    sizes = np.abs(side.state) if of_late is None else np.fmax(np.abs(side.state), of_late)
    scales = np.append(sizes, abs(side.t))
    found: Array = engine.sizes(side.setup, np.array([side.t]), side.state[None, :], scales)[0]
    return found
