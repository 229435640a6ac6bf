"""Constraints in force, along a motion."""

import numpy as np

from dalembert.derive import Array, closeness, prepared
from dalembert.model import StateError
from dalembert.motion.look import Look, within_reach
from dalembert.motion.proofs.words import MOST, worst_of
from dalembert.motion.stretch import Stretch
from dalembert.motion.tolerances import tolerance
from dalembert.motion.unsure import residuals
from dalembert.principles.certificate import Check

LOOKED = 256  # states at which constraints are looked at
SHAKEN = 2.0**-20  # relative change of inputs by which sizes are seen


def on_constraints(look: Look) -> Check | str:
    """Every constraint in force, also what sticks, its value and its rate."""
    if not look.motion.system.constraints:
        return "there are no constraints"
    bound = tolerance("KEPT") * max(look.motion.settings.drift or 0.0, tolerance("DRIFT") * look.accuracy)
    bound = min(bound, MOST)
    worst, name, when = 0.0, "", look.motion.begin_time
    for place in look.spread(LOOKED):
        t = float(look.times[place])
        stretch = look.stretch(t)
        if not stretch.statement.constraints:
            continue
        off = _off(look, place, stretch, bound)
        if any(begin <= t <= end for begin, end in look.passages):  # by a polynomial from before it
            off = off * (bound / max(bound, tolerance("PASSED")))
        if off.max(initial=0.0) > worst:
            worst, when = float(off.max()), t
            name = stretch.statement.constraints[int(np.argmax(off)) % len(stretch.statement.constraints)].name
    at = worst_of(name, when) if name else ""
    return Check("on constraints", worst, bound, f"the constraints in force hold{at}")


def _off(look: Look, place: int, stretch: Stretch, bound: float) -> Array:
    """How far off each constraint a state is (2m,): over the terms of its value and rate, here or at natural scales.

    The latter, the sum of what every input by itself makes of them, only where the terms here do not tell enough: all
    of them may vanish together, and what forces in balance have made is known to their rounding, within where the
    coordinate has been. Less what rounding of terms within makes of it: the logarithm of a small difference.
    """
    t, state = float(look.times[place]), look.states[place]
    scales = look.scales[place, :-1] + np.concatenate([look.spans[place] * look.made[place], look.made[place]])
    n = len(scales) // 2
    scales[:n] = within_reach(scales[:n], look.largest[-1, :n])
    inputs = stretch.inputs(t, state)
    try:
        off = np.concatenate(closeness(stretch.statement, inputs))
    except StateError:
        return np.array([np.inf])
    if off.max(initial=0.0) <= bound:
        return off
    middle = np.abs(prepared(stretch.statement).relations.plain(inputs))
    found: Array = np.minimum(off, _parts(middle, _natural(stretch, inputs, scales)))
    if found.max(initial=0.0) > bound:
        found = np.minimum(found, _carried(look, stretch, place))
    if found.max(initial=0.0) > bound:
        unsure = residuals(look, place)
        known = np.array([unsure.get(c.name, (0.0, 0.0)) for c in stretch.statement.constraints]).T.ravel()
        found = found * np.maximum(0.0, 1.0 - np.divide(known, middle, out=np.zeros(len(off)), where=middle > 0))
    return found


def _natural(stretch: Stretch, inputs: list[float], scales: Array) -> Array:
    """What every input by itself, as large as it is by nature, makes of the value and rate of each constraint (2m,)."""
    relations, given = prepared(stretch.statement).relations, np.array(inputs)
    change = SHAKEN * np.concatenate([scales, np.abs(given[len(scales) :])])
    middle = relations.plain(inputs)
    size: Array = np.zeros(len(middle))
    for i in np.flatnonzero(change).tolist():
        moved = given.copy()
        moved[i] += change[i]
        try:
            size += np.abs(relations.plain(moved.tolist()) - middle) / SHAKEN
        except StateError:
            continue
    return size


def _carried(look: Look, stretch: Stretch, place: int) -> Array:
    """How far off each constraint (2m,) a state is, over natural sizes where its step begins.

    What rounding has left there stays; where a row loses its direction, its sizes fall within a step.
    """
    t = float(look.times[place])
    begin = max(look.step_of(t)[0], look.motion.begin_time)
    try:
        middle = np.abs(prepared(stretch.statement).relations.plain(stretch.inputs(t, look.states[place])))
        before = stretch.inputs(begin, look.at(np.array([begin]))[0])
        return _parts(middle, _natural(stretch, before, look.scales[place, :-1]))
    except StateError:
        return np.array([np.inf])


def _parts(values: Array, sizes: Array) -> Array:
    out: Array = np.divide(values, sizes, out=np.full(len(values), np.inf), where=sizes > 0)
    return out
