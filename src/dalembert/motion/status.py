"""How a run ended, in words; what happened along it; and the error that carries both."""

from enum import StrEnum
from typing import Any, NamedTuple, Self

BRANCH = "the branch of an angle"  # crossed: atan2 and its kind jump by a turn there


class Ending(StrEnum):
    """The ways a run can end."""

    FINISHED = "finished"
    STOPPED = "stopped"  # by the progress callback
    INTERRUPTED = "interrupted"  # from the keyboard
    STEPS = "step limit"
    CLOCK = "wall-clock limit"
    SINGULAR = "singular"  # the rank of the constraints drops, or M becomes singular
    BROKEN = "broken"  # no further step exists: blow-up, domain, collapse
    UNRESOLVED = "unresolved"  # the equations change faster than any step can follow
    LEFT = "off the constraints"  # the rows contradict each other
    PARADOX = "paradox"  # friction and rigidity leave no motion, or more than one
    SWITCHES = "too many switches"  # without end in a finite time


class Status(str):
    """A sentence that says how a run ended; `.ending` is its kind."""

    ending: Ending
    __slots__ = ("ending",)

    def __new__(cls, ending: Ending, words: str) -> Self:
        """The kind, and the sentence after it."""
        status = super().__new__(cls, f"{ending}: {words}")
        status.ending = ending
        return status

    @classmethod
    def of(cls, text: str) -> Self:
        """A status from its text."""
        ending, _, words = text.partition(": ")
        return cls(Ending(ending), words)

    def __reduce__(self) -> Any:
        return type(self).of, (str(self),)

    @property
    def words(self) -> str:
        """The sentence without its kind."""
        return self.partition(": ")[2]

    @property
    def ok(self) -> bool:
        """Whether the run came to where it was told to: to its end, or to where the caller stopped it."""
        return self.ending in (Ending.FINISHED, Ending.STOPPED)


class Event(NamedTuple):
    """Something that happened along a run: when, of what kind, to what; where it switched, from what to what.

    `state` are the coordinates and velocities right after it, in the order of the statement.
    """

    time: float
    kind: str
    name: str
    before: str = ""
    after: str = ""
    state: tuple[float, ...] = ()


class Projection(NamedTuple):
    """A return to the constraints: when, and the largest relative distance from them before and after."""

    time: float
    before: float
    after: float


class RunError(RuntimeError):
    """A run that did not come to its end; `.motion` holds everything computed until then."""

    def __init__(self, motion: Any) -> None:
        super().__init__(str(motion.status))
        self.motion = motion

    def __reduce__(self) -> Any:
        return type(self), (self.motion,)


class Interrupted(RunError, KeyboardInterrupt):
    """A run stopped from the keyboard; `.motion` holds everything computed until then."""
