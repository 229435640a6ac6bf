"""Consistent starts: the state on the constraints nearest to a guess, what was moved, and how that is proved."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr

from dalembert.derive import Residuals, numbers, residuals_at
from dalembert.model import StateError, Statement, name_of, refuse
from dalembert.motion.starts.choices import Choices, any_in_family, choices
from dalembert.motion.starts.nearest_state import Nearby, Question, closest_attempt
from dalembert.motion.starts.on_constraints import listed, unmet, values_in_words
from dalembert.motion.starts.order import TIED, Near

MOVED = 1e-12  # relative change from which on a value counts as moved
SHOWN = 3  # of a family of states that are equally near, those that are named


@dataclass(frozen=True, eq=False)
class Start:
    """A state on the constraints, and what was moved to get there: {name: (from, to)}.

    `proved`: it is the nearest. The conditions of a minimum hold to first and second order, and of all states that were
    found none is as near; `reason` says in words how it is known. `equally_near` are others that are as near: then the
    one is taken whose first differing coordinate or velocity is larger.
    """

    state: Mapping[Expr, float]
    moved: Mapping[str, tuple[float, float]]
    residuals: Residuals
    t: float
    proved: bool = True
    reason: str = ""
    equally_near: tuple[Mapping[Expr, float], ...] = ()

    def text(self) -> str:
        """For a person to read."""
        lines = [", ".join(f"{name_of(key)} = {value:.12g}" for key, value in self.state.items())]
        lines += [f"moved {name} from {old:.6g} to {new:.12g}" for name, (old, new) in self.moved.items()]
        return "\n".join([*lines, self.reason])

    def __str__(self) -> str:
        return self.text()

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """What a notebook shows."""
        printer.text(self.text())


def start(
    system: Statement,
    guess: Any,
    fixed: Any = (),
    t: float = 0.0,
    parameters: Mapping[Any, Any] | None = None,
) -> Start:
    """The nearest consistent state to `guess` (zero where it says nothing), `fixed` coordinates and velocities held.

    Positions come first, then velocities, each in the metric of M. A contact is a relation among positions alone: a
    start may strike it or leave it. Raises `StateError` with what is left of each constraint where there is none.
    """
    keys = (*system.coordinates, *system.velocities)
    faults: list[str] = []
    if not isinstance(guess, Mapping):
        faults.append(f"the guess is {guess!r}; give a mapping by coordinates and velocities")
    if isinstance(fixed, str) or not isinstance(fixed, Iterable):
        faults.append(f"fixed is {fixed!r}; give a list of coordinates and velocities")
    refuse(StateError, "start", faults)
    held = own_keys(system, fixed, "fixed", faults)
    given = own_keys(system, guess, "the guess", faults)
    refuse(StateError, "start", faults)
    stated = dict(zip(given, dict(guess).values(), strict=True))
    inputs = numbers(system, {key: stated.get(key, 0.0) for key in keys}, t, parameters)  # checks every value
    begin, values = np.array(inputs[: len(keys)]), np.array(inputs[len(keys) + 1 :])
    free = np.array([key not in held for key in keys])
    question = Question(system, begin, free, inputs[len(keys)], values)
    found = choices(question, 1 + 2 * TIED)
    if not found.found:
        words = f" with {listed(sorted(map(name_of, held)))} held" if held else ""
        best = closest_attempt(question)
        refuse(StateError, f"no consistent start was found{words}", unmet(question, best) or ["none was found"])
    if found.ends:
        refuse(StateError, "no consistent start is nearest", [f"{found.ends}; give a guess where it is larger"])
    state = found.found[0].state
    moved = {
        name_of(key): (float(old), float(new))
        for key, old, new in zip(keys, begin, state, strict=True)
        if abs(new - old) > MOVED * max(abs(old), abs(new))
    }
    off = residuals_at(system, question.inputs(state[: question.n], state[question.n :]))
    if any_in_family(found.found):
        found = found._replace(found=found.found[: 1 + SHOWN])
    others = tuple(dict(zip(keys, map(float, other.state), strict=True)) for other in found.found[1:])
    proved, reason = _judged(question, found)
    return Start(dict(zip(keys, map(float, state), strict=True)), moved, off, question.t, proved, reason, others)


def _judged(question: Question, found: Choices) -> tuple[bool, str]:
    """Whether the first choice is proved to be the nearest, and how that is known, in words."""
    first, *others = found.found
    if first.places is None and first.speeds is None:
        return True, "nothing was moved"
    doubts, words = [], []
    for part, near, nearby in (
        ("positions", first.places, found.places),
        ("velocities", first.speeds, found.speeds),
    ):
        if near is not None and nearby is not None:
            said, doubt = _known(part, near, nearby)
            words.append(said)
            doubts.append(doubt)
    if others:
        apart = [first.differs(other) for other in others]
        name = name_of((*question.system.coordinates, *question.system.velocities)[int(np.argmax(apart[0]))])
        also = [values_in_words(question, o.state, which) for o, which in zip(others, apart, strict=True)]
        many = "a whole family of" if any_in_family(found.found) else str(1 + len(others))
        words = [
            f"not proved nearest: {many} states are equally near; taken is the one with the larger {name}, "
            f"as near {'is' if len(others) == 1 else 'are'} {'; '.join(also)}"
        ]
    return not others and not any(doubts), "; ".join(words)


def _known(part: str, near: Near, nearby: Nearby) -> tuple[str, bool]:
    """How it is known that positions or velocities are nearest, and whether it is not."""
    point = near.point
    metric = "" if nearby.by_mass else " (M is no metric here: in units in which it is balanced)"
    if point.in_family:
        return f"{part} not proved nearest: others beside them are equally near{metric}", True
    if point.stationary and not point.strict:
        return f"{part} not proved nearest: to second order others beside them are equally near{metric}", True
    if nearby.proved and any(near is other for other in nearby.found[: nearby.tied]):
        return f"{part} proved nearest: none on the constraints is nearer{metric}", False
    if not point.stationary:
        return f"{part} not proved nearest: the constraints lose rank there{metric}", True
    tried = f"nearest of {len(nearby.found)} found from {nearby.beginnings} beginnings"
    return f"{part} {tried}, a minimum to second order; not proved that none is nearer{metric}", True


def own_keys(system: Statement, keys: Iterable[Any], what: str, faults: list[str]) -> list[Expr]:
    """The coordinates and velocities meant by symbols or names."""
    by_name = {name_of(key): key for key in (*system.coordinates, *system.velocities)}
    known = set(by_name.values())
    out = []
    for key in keys:
        own = by_name.get(key) if isinstance(key, str) else key if isinstance(key, Expr) and key in known else None
        if own is None:
            faults.append(f"{what} names {key}, which is neither a coordinate nor a velocity of this system")
        else:
            out.append(own)
    return out
