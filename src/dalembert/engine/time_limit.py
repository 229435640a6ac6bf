"""The time that a run may take: no compilation begins after it, since none can be cut short."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from time import perf_counter

GRACE = 1.0  # seconds: what is compiled in less is not missed

_deadline: ContextVar[float] = ContextVar("deadline", default=inf)


class OutOfTime(Exception):
    """A run was out of time before something was compiled that it needs."""


@contextmanager
def deadline(time: float) -> Iterator[None]:
    """Until when, by the clock of the process, compilations may begin; within another, no later than that."""
    token = _deadline.set(min(time + GRACE, _deadline.get()))
    try:
        yield
    finally:
        _deadline.reset(token)


def refuse_late() -> None:
    """Raise OutOfTime where it is later than that."""
    if perf_counter() > _deadline.get():
        raise OutOfTime
