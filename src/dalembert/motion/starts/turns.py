"""Angles a whole turn apart: states that differ in numbers and are the same place."""

import numpy as np

from dalembert.derive import Array, prepared
from dalembert.model import StateError
from dalembert.motion.starts.nearest_state import Question

SAME = 1e-6  # relative: what agrees so well is the same; where roots are double, no more than this is known
TURN = 2 * np.pi


def same_place(question: Question, state: Array, other: Array) -> bool:
    """Whether two states (2n,) differ by whole turns of some coordinates, and M, Q, A and b are the same at both."""
    kept, n = prepared(question.system), question.n
    turns, speed = (state - other)[:n] / TURN, np.abs(state[n:]).max(initial=0.0)
    if not np.round(turns).any() or np.abs(turns - np.round(turns)).max() > SAME:
        return False
    if np.abs((state - other)[n:]).max(initial=0.0) > SAME * speed:
        return False
    try:
        one, two = (
            np.array([*kept.free(inputs), *kept.rows(inputs)])
            for inputs in (question.inputs(s[:n], s[n:]) for s in (state, other))
        )
    except StateError:
        return False
    return bool(np.abs(one - two).max() <= SAME * np.abs(one).max())
