"""What the rounding of every operation on the way to an acceleration makes of it.

log(1 + t¹²) is known to the rounding of 1 + t¹², which for small t is all there is of it: no change of t shows that,
for no change of t changes 1. So each operation that leads to M, Q, A, b and C is changed a little by itself, up or
down, in a few patterns in which no two can hide each other: discrete stochastic arithmetic (Vignes 1993), made the same
every time.
"""

from collections.abc import Sequence

import numpy as np

from dalembert.derive.evaluate import from_tapes, instant_at
from dalembert.derive.prepared import prepared
from dalembert.derive.tape import Tape
from dalembert.model import StateError, Statement
from dalembert.principles import ContradictionError, InstantError, MassError, explicit

Array = np.ndarray

SLIGHT = 2.0**-34  # relative change of what each operation gives
FAILURES = (StateError, ContradictionError, InstantError, MassError)


def patterns(count: int) -> Array:
    """Signs (p, count) in which any two of so many differ at least once: so no two can hide each other."""
    bits = np.arange(max(count - 1, 1).bit_length())[:, None]
    return np.where((np.arange(count) >> bits) & 1, -1.0, 1.0)


def shaken_acceleration(system: Statement, inputs: Sequence[float]) -> Array:
    """The change of the acceleration (n,) at bare numbers over that of every operation that leads to it.

    Zero where there is no acceleration.
    """
    kept = prepared(system)
    tapes = [kept.free, kept.rows, *([kept.work] if kept.work is not None else [])]
    signs = patterns(max(len(tape.steps) for tape in tapes) + 1)
    worst = np.zeros(len(system.coordinates))
    try:
        here = explicit(instant_at(system, inputs)).acceleration
    except FAILURES:
        return worst
    for sign in signs:
        factors = (1 + SLIGHT * sign).tolist()

        def values(tape: Tape, numbers: Sequence[float], factors: list[float] = factors) -> list[float]:
            return tape.shaken(numbers, factors)

        try:
            there = explicit(from_tapes(system, inputs, values)).acceleration
        except FAILURES:
            continue
        worst = np.fmax(worst, np.abs(there - here) / SLIGHT)
    return worst
