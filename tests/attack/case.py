"""What an attack consists of: a system, a start, times, and the truth; or a question with its right answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from .statement import Statement

MACHINE = 1e-9  # what a run at machine precision may be off, relative to the natural scale
ROUNDING = 1e-13  # times the growth of a small error of the start, where that is more
STEPS = 100.0  # at a coarser tolerance: so many times the tolerance, times the growth
WORST = 1e-2  # a motion that may be off by more than this cannot be judged


@dataclass(frozen=True)
class Truth:
    """What is true: states (k, 2n) at the times of the case, coordinates then velocities as they are stated.

    `error` is what the truth says of its own error, `growth` how much a small error of the start grows, both relative
    to the scale. NaN in a state is not compared. `events` (time, kind) must be told. `end` is the time beyond which
    there is no motion. `columns` are variables of the dataset, by name, each (k, …).
    """

    states: np.ndarray
    error: float = 0.0
    growth: float = 1.0
    events: tuple[tuple[float, str], ...] = ()
    end: float | None = None
    columns: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """A system to be moved, and what is true of its motion.

    `ends`: the kinds of ending that are true where `truth.end` is a time. `refusals`: kinds of ending or of exception
    that would be true though the motion exists; what was moved until then must be right all the same. `scales` (2n,) or
    (k, 2n): what an error is relative to; found from the truth where it is None. `laws` look at the motion itself and
    give sentences about what is wrong.
    """

    label: str
    statement: Statement
    start: Mapping[Any, float]
    times: np.ndarray
    truth: Callable[[], Truth]
    options: Mapping[str, Any] = field(default_factory=dict)
    ends: frozenset[str] = frozenset()
    refusals: frozenset[str] = frozenset()
    scales: np.ndarray | None = None
    tolerance: float | None = None
    slack: float = 1e-6  # of the time of an event, relative to the run; an end is never later than that
    early: float = 0.01  # an end may come so much earlier, at the last state that can be computed
    laws: tuple[Callable[[Any], list[str]], ...] = ()

    def allowed(self, truth: Truth) -> float:
        """The relative error that still counts as right."""
        if self.tolerance is not None:
            return self.tolerance * max(1.0, truth.growth)
        if (asked := self.options.get("tolerance")) is not None:
            return STEPS * asked * max(1.0, truth.growth)
        return max(MACHINE, ROUNDING * truth.growth)

    def scale(self, truth: Truth) -> np.ndarray:
        """What errors are relative to: one size for all coordinates, one for all velocities, unless it is given."""
        if self.scales is not None:
            return np.broadcast_to(self.scales, truth.states.shape)
        n = truth.states.shape[1] // 2
        known = np.abs(np.nan_to_num(np.asarray(truth.states, float)))
        place, speed = known[:, :n].max(), known[:, n:].max()
        span = float(self.times[-1] - self.times[0])
        place = max(place, min(speed * span, 1.0)) or 1.0
        speed = max(speed, place / span)
        return np.broadcast_to(np.repeat([place, speed], n), truth.states.shape)


class Question(NamedTuple):
    """Something else to ask of the program: `ask(program)` gives an answer, `wrong(answer)` says what is wrong with it.

    `refusals` are kinds of ending or of exception that would be true. `doubt(answer)` says why it cannot be judged,
    `error(answer)` how much of what is allowed was used.
    """

    label: str
    ask: Callable[[ModuleType], Any]
    wrong: Callable[[Any], str]
    refusals: frozenset[str] = frozenset()
    doubt: Callable[[Any], str] = lambda _: ""
    error: Callable[[Any], float | None] = lambda _: None


def spread(until: float, count: int = 12, t0: float = 0.0) -> np.ndarray:
    """Times from t0 to until, not in equal steps, so that they fall on nothing in particular."""
    s = np.arange(count + 1) / count
    return t0 + (until - t0) * (s + 0.017 * np.sin(7 * np.pi * s) + 0.0073 * np.sin(2 * np.pi * s))


def stated(label: str, statement: Statement, first, times: np.ndarray, truth: Callable[[], Truth], **more) -> Case:
    """A case whose start is a list of numbers, coordinates then velocities."""
    keys = (*statement.coordinates, *(q.diff() for q in statement.coordinates))
    return Case(label, statement, dict(zip(keys, map(float, first), strict=True)), times, truth, **more)
