"""Whether a state is on its constraints, outside of its contacts, and what is wrong with it in words."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from dalembert.derive import CLOSE, Array, closeness, prepared
from dalembert.derive.scales import moment_later
from dalembert.model import StateError, name_of
from dalembert.motion.starts.nearest_state import Question

NAMED = 8  # values, or choices, that are listed in a message; the rest is counted


class Fit(NamedTuple):
    """What of a state fits: its positions, contacts not penetrated, and its velocities."""

    positions: bool
    velocities: bool


def fit(question: Question, state: Array) -> Fit:
    """Whether a state (2n,) is on the constraints; False where a constraint does not exist and something may move."""
    n = question.n
    inputs = question.inputs(state[:n], state[n:])
    try:
        off = closeness(question.system, inputs)
    except StateError:
        if not question.free.any():
            raise
        return Fit(False, False)
    relations, sided = prepared(question.system).relations, question.sided
    places = all(off.level[r] <= CLOSE for r in relations.on_positions if r not in sided)
    speeds = all(part <= CLOSE for r, part in enumerate(off.rate.tolist()) if r not in sided)
    if sided and (off.level[list(sided)] > CLOSE).any():
        level = relations.plain(inputs)
        places = places and not any(level[r] < 0 and off.level[r] > CLOSE for r in sided)
    return Fit(places, speeds)


def unmet(question: Question, state: Array) -> list[str]:
    """Every constraint that a state (2n,) does not satisfy, with what is left of it, or what does not exist there."""
    n = question.n
    inputs = question.inputs(state[:n], state[n:])
    try:
        off = closeness(question.system, inputs)
    except StateError as error:
        there = values_in_words(question, state, np.arange(2 * n) < n)
        return [f"at {there}: {fault.replace(' here', '', 1)}" for fault in error.faults]
    relations = prepared(question.system).relations
    level, _ = relations.plain(inputs).reshape(2, -1)
    _, rate = relations.plain(moment_later(question.system, inputs)).reshape(2, -1)
    faults = []
    for r, c in enumerate(question.system.constraints):
        if r in question.sided:
            if level[r] < 0 and off.level[r] > CLOSE:
                faults.append(f"constraint {c.name!r} is at {level[r]:.6g}, and must not be below zero")
        elif off.level[r] > CLOSE or off.rate[r] > CLOSE:
            faults.append(f"constraint {c.name!r}: residual {level[r]:.6g}, rate {rate[r]:.6g}")
    return faults


def listed(names: Iterable[str]) -> str:
    """Names with commas; what is too many is counted."""
    every = list(names)
    return ", ".join(every[:NAMED]) + (f" and {len(every) - NAMED} more" if len(every) > NAMED else "")


def values_in_words(question: Question, state: Array, which: Array) -> str:
    """Some values of a state (2n,), with as many digits as it takes to state them."""
    keys = (*question.system.coordinates, *question.system.velocities)
    return listed(f"{name_of(keys[i])} = {state[i] + 0.0:.12g}" for i in np.flatnonzero(which))
