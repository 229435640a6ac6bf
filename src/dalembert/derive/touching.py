"""Which contacts a state touches, and how far off its constraints a state may be."""

from collections.abc import Iterable, Mapping
from typing import Any

from dalembert.derive.evaluate import Residuals
from dalembert.model import OneSided, Statement

ON_CONSTRAINTS = 1e-9  # how far off a constraint a state may be, relative to its size


def allowance(state: Iterable[float]) -> float:
    """How far off a constraint a state may be."""
    return ON_CONSTRAINTS * (1 + max(map(abs, state), default=0.0))


def apart(system: Statement, state: Mapping[Any, float], off: Residuals) -> tuple[str, ...]:
    """The contacts that are open at a state, or open or close there, by name; not those that are violated, φ < 0."""
    most = allowance(state.values())
    found = []
    for c, *numbers in zip(system.constraints, *off, strict=True):
        level, rate, distance = map(float, numbers)
        violated = level < 0 and -level / max(abs(level), abs(rate)) * distance > most
        if isinstance(c, OneSided) and distance > most and not violated:
            found.append(c.name)
    return tuple(found)
