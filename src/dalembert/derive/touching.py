"""Which contacts a state touches, and which of those bear at that instant."""

from collections.abc import Mapping
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from dalembert.derive.evaluate import Residuals, bare_instant, instant_at, residuals_at
from dalembert.derive.prepared import prepared
from dalembert.derive.scales import CLOSE
from dalembert.derive.states import numbers
from dalembert.model import OneSided, StateError, Statement
from dalembert.principles import Instant, LetGo, that_pull

T = TypeVar("T", bound=Statement)


class InContact(NamedTuple, Generic[T]):
    """A statement without the contacts that do not act at a state: those `apart`, and those that would have to pull.

    `pushing` are the contacts among its rows that bear.
    """

    system: T
    apart: tuple[str, ...]
    let_go: LetGo
    pushing: tuple[int, ...]


def apart(system: Statement, off: Residuals) -> tuple[str, ...]:
    """The contacts that are open at a state, or open or close there, by name; not those that are violated, φ < 0."""
    found = []
    for r, c in enumerate(system.constraints):
        violated = off.level[r] < 0 and off.level_part[r] > CLOSE
        if isinstance(c, OneSided) and off.part[r] > CLOSE and not violated:
            found.append(c.name)
    return tuple(found)


def in_contact(
    system: T, state: Mapping[Any, Any], t: float = 0.0, parameters: Mapping[Any, Any] | None = None
) -> InContact[T]:
    """What acts at a state: of the contacts that touch those that bear, as all others let it (`principles.that_pull`).

    Raises `StateError` where work-doing forces are not determined there, or leave it open which contacts bear.
    """
    if not any(isinstance(c, OneSided) for c in system.constraints):
        nothing = np.zeros((0, len(system.coordinates)))
        return InContact(system, (), LetGo((), nothing, np.zeros(0)), ())
    inputs = numbers(system, state, t, parameters)
    off = residuals_at(system, inputs)
    closed = {c.name for c, on in zip(system.constraints, off.on, strict=True) if isinstance(c, OneSided) and on}
    open_ = apart(system, off)
    touching = system.without(open_) if open_ else system
    now = bare_instant(touching, inputs)
    sided = [r for r, c in enumerate(touching.constraints) if c.name in closed]
    pull = list(that_pull(now, sided))
    seen = [pull]
    while sided and prepared(touching).work is not None:
        C = instant_at(_bearing(touching, pull), inputs).C
        loaded = Instant(now.M, now.Q, now.A, now.b, C, now.coordinates, now.constraints, now.sizes)
        pull = list(that_pull(loaded, sided))
        if pull == seen[-1]:
            break
        if pull in seen:
            raise StateError("the state", ["which contacts bear cannot be told: forces that follow it decide it"])
        seen.append(pull)
    bears = _bearing(touching, pull)
    names = tuple(touching.constraints[r].name for r in pull)
    pushing = tuple(r for r, c in enumerate(bears.constraints) if c.name in closed)
    return InContact(bears, open_, LetGo(names, now.A[pull], now.b[pull]), pushing)


def _bearing(touching: T, pull: list[int]) -> T:
    """The statement without the contacts that would have to pull."""
    return touching.without([touching.constraints[r].name for r in pull]) if pull else touching
