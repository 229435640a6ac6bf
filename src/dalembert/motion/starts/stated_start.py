"""What a start leaves open: one rule for runs, checks, classification, model files and the command line.

What is stated is held. The rest is zero where that satisfies the constraints; else it is solved from them, nearest to
zero in the metric of M, where one solution is clearly nearest: every other that was found is at least `CLEARLY` times
as far. Where that is not so, the start is refused, and what could be chosen is listed by name and value.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from sympy import Expr, Float, S

from dalembert.derive import Array, parameter_values, state_values
from dalembert.model import (
    Holonomic,
    ModelError,
    OneSided,
    StateError,
    Statement,
    initial_values,
    name_of,
    refuse,
    time,
)
from dalembert.motion.starts.choices import Choice, any_in_family, choices
from dalembert.motion.starts.consistent import SHOWN, Start, own_keys
from dalembert.motion.starts.nearest_state import Question, closest_attempt
from dalembert.motion.starts.nowhere import no_state
from dalembert.motion.starts.on_constraints import NAMED, fit, listed, unmet, values_in_words

T = TypeVar("T", bound=Statement)
ADVICE = "state more of it, or use what system.start(guess, fixed=[…]) finds near a guess"
CLEARLY = 2.5  # times as far from zero as the nearest solution: then the nearest is meant


class Begun(NamedTuple):
    """A whole state (2n,), and by name what of it was solved from the constraints."""

    state: Array
    solved: tuple[str, ...]


def begun(system: Statement, stated: Mapping[Expr, float], t: float, values: Array) -> Begun:
    """The state with everything stated as it is, and the rest zero or solved from the constraints.

    Raises `StateError` with what is left of each constraint where nothing fits what is stated, and with the choices
    where more than one thing does.
    """
    keys = (*system.coordinates, *system.velocities)
    place = np.array([stated.get(key, 0.0) for key in keys])
    free = np.array([key not in stated for key in keys])
    question = Question(system, place, free, t, values)
    if all(fit(question, place)):
        return Begun(place, ())
    if not free.any():
        refuse(StateError, "the start does not satisfy the constraints", unmet(question, place))
    made = choices(question, CLEARLY, all_of_them=True, resting=True)
    found = made.found
    if made.runs_away:
        words = "the velocities that are stated leave no nearest positions: the nearer they are, the larger are others"
        refuse(StateError, "the start leaves open what the constraints do not determine", [f"{words}; {ADVICE}"])
    if made.ends:
        refuse(StateError, "the start leaves open what the constraints do not determine", [f"{made.ends}; {ADVICE}"])
    if not found:
        refuse(StateError, *_without_solution(question))
    first = found[0]
    if len(found) > 1 or first.in_family:
        refuse(StateError, "the start leaves open what the constraints do not determine", [_open(question, found)])
    return Begun(first.state, tuple(name_of(keys[i]) for i in np.flatnonzero(first.state != place)))


def _without_solution(question: Question) -> tuple[str, list[str]]:
    """What is wrong where nothing that is left open fits what is stated, and what is left of each constraint.

    That nothing can fit is said only where it is proved.
    """
    keys, best = (*question.system.coordinates, *question.system.velocities), closest_attempt(question)
    moves = question.free.copy()
    if not fit(question, best).positions:
        moves[question.n :] = False  # velocities could not mend it
    open_ = listed(name_of(keys[i]) for i in np.flatnonzero(moves))
    left = unmet(question, best) or ["no state was found that does"]
    if not open_:
        return "the start does not satisfy the constraints", left
    if no_state(question, moves):
        return f"the start does not satisfy the constraints, whatever {open_}", left
    return f"no values of {open_} were found with which the start satisfies the constraints", left


def _open(question: Question, found: tuple[Choice, ...]) -> str:
    """The choices in words: by name and value only what really differs among them."""
    many = any_in_family(found)
    told = found[: SHOWN if many else NAMED]
    which = np.any([choice.differs(found[0]) for choice in told], axis=0)
    if not which.any():
        which = found[0].state != question.place
    each = [values_in_words(question, choice.state, which) for choice in told]
    words = " or ".join(f"({one})" if which.sum() > 1 else one for one in each)
    more = len(found) - len(told)
    also = " or any of a family of states as near" if many else f" or {more} more" if more else ""
    return f"it could be {words}{also}; {ADVICE}"


def own_start(system: Statement, parameters: Any = None, t: float = 0.0) -> Begun:
    """The state that a statement's own start is. Raises `StateError` as `begun` does, and where values are missing."""
    faults: list[str] = []
    values = parameter_values(system, parameters, faults)
    subject = f"System {system.name!r}" if system.name else "System"
    refuse(StateError, subject, faults)
    stated = state_values(system, dict(system.initial), values, faults, partial=True)
    refuse(StateError, f"{subject}, its start", faults)
    return begun(system, stated, t, np.array([values[s] for s in system.symbols]))


def stated_start(system: T, start: Mapping[Any, Any] | Start | None) -> T:
    """The statement with a start, exactly as it is stated, and with the coordinates that are solved from constraints.

    Raises ModelError, StateError with all that is wrong with it.
    """
    given = dict(system.initial) if start is None else start.state if isinstance(start, Start) else start
    if not isinstance(given, Mapping):
        raise ModelError("the start", [f"it is {given!r}; give a mapping by coordinates and velocities"])
    faults: list[str] = []
    keys = own_keys(system, given, "the start", faults)
    refuse(ModelError, "the start", faults)
    pairs, faults = initial_values(dict(zip(keys, given.values(), strict=True)), system.coordinates)
    refuse(ModelError, "the start", faults)
    stated = replace(system, initial=pairs)
    left = [q for q in system.coordinates if q not in dict(pairs)]
    if not pairs or not left or _fits_as_stated(stated):
        return stated
    found = dict(zip(system.coordinates, own_start(stated).state, strict=False))
    return replace(stated, initial=(*pairs, *((q, Float(found[q])) for q in left if found[q])))


def _fits_as_stated(system: Statement) -> bool:
    """Whether the relations among coordinates hold exactly with zero for what is not stated; no numbers are needed."""
    given = dict(system.initial)
    at = {time(): S.Zero, **{q: given.get(q, S.Zero) for q in system.coordinates}}
    touching = any(isinstance(c, OneSided) for c in system.constraints)
    if touching and all(s in system.parameters for s in system.symbols):
        return False
    return all(c.expr.xreplace(at) == 0 for c in system.constraints if isinstance(c, Holonomic))
