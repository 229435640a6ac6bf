"""The states a question leaves to choose from: the nearest on the constraints, and those about as near."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dalembert.derive import CLOSE, Array, closeness
from dalembert.model import against_assumptions
from dalembert.motion.starts.nearest_places import RunsAwayError, nearest_positions, where_functions_end
from dalembert.motion.starts.nearest_state import Nearby, Question, nearest_velocities
from dalembert.motion.starts.on_constraints import fit
from dalembert.motion.starts.order import TIED, Near, differing, same_well, times_as_far
from dalembert.motion.starts.turns import same_place


class Choice(NamedTuple):
    """A state (2n,), and how near its positions and velocities are; None where they are those of the question."""

    state: Array
    places: Near | None
    speeds: Near | None

    @property
    def in_family(self) -> bool:
        """Whether states beside it are as near."""
        parts = [near.point for near in (self.places, self.speeds) if near is not None]
        return any(point.in_family for point in parts)

    def differs(self, other: "Choice") -> Array:
        """Which values (2n,) of two choices really differ."""
        n = len(self.state) // 2
        parts = []
        for part, one, two in ((slice(0, n), self.places, other.places), (slice(n, 2 * n), self.speeds, other.speeds)):
            if one is not None and two is not None:
                parts.append(differing(one, two))
            else:
                parts.append(self.state[part] != other.state[part])
        return np.concatenate(parts)


def any_in_family(found: tuple[Choice, ...]) -> bool:
    """Whether the nearest, or one as near, has states beside it that are as near."""
    tied = [choice for choice in found if choice is found[0] or not _farther(found[0], choice)]
    return any(choice.in_family for choice in tied)


def _farther(first: Choice, other: Choice) -> bool:
    """Whether positions, or else velocities, are farther."""
    for one, two in ((first.places, other.places), (first.speeds, other.speeds)):
        if one is not None and two is not None and times_as_far(one, two) > 1 + 2 * TIED:
            return True
    return False


class Choices(NamedTuple):
    """Choices, the nearest first, and the searches they come from; None where nothing had to be sought.

    `runs_away`: there are states, but none is nearest: the nearer the positions, the larger velocities left open.
    `ends`: likewise, because functions end where positions are nearest, in words.
    """

    found: tuple[Choice, ...]
    places: Nearby | None
    speeds: Nearby | None
    runs_away: bool = False
    ends: str = ""


def choices(question: Question, margin: float, *, all_of_them: bool = False, resting: bool = False) -> Choices:
    """The nearest state on the constraints, and all that were found less than `margin` times as far.

    Positions are compared first; of the same positions, velocities. Positions at which no velocity fits are none: where
    that leaves out the nearest, or those beside it are as near, they are sought together with velocities.
    `all_of_them` looks for others also where one is proved to be nearest. With `resting`, contacts that positions were
    put on stay closed, unless velocities that do not move forbid it. Nothing is found where there is no such state.
    """
    places = None
    if not fit(question, question.place).positions:
        places = nearest_positions(question, all_of_them=all_of_them)
    found = _chosen(question, places, margin, all_of_them, resting)
    if _decided_by_speeds(question, places, found):
        try:
            places = nearest_positions(question, all_of_them=all_of_them, by_speeds=True)
        except RunsAwayError:
            return found._replace(runs_away=not found.found)
        by_speeds = _chosen(question, places, margin, all_of_them, resting)
        return by_speeds if by_speeds.found else found
    return found


def _decided_by_speeds(question: Question, places: Nearby | None, found: Choices) -> bool:
    """Whether velocities that are held leave out the nearest positions, or choose among those as near."""
    n = question.n
    if question.free[n:].all() or not question.free[:n].any() or (places is not None and not places.found):
        return False
    if not found.found:
        return True
    first = found.found[0]
    if first.places is None or places is None:
        return False
    return first.in_family or first.places is not _settled(places)[0]


def _chosen(question: Question, places: Nearby | None, margin: float, all_of_them: bool, resting: bool) -> Choices:
    """Of these positions, those of the question where there are none, the nearest with the velocities that fit."""
    found: list[Choice] = []
    first: Nearby | None = None
    for near in [None] if places is None else _settled(places):
        if found and near is not None and found[0].places and times_as_far(found[0].places, near) >= margin:
            break
        q = question.place[: question.n] if near is None else near.values
        speeds = _speeds(question, q, near.closed if near is not None and resting else (), all_of_them)
        first = first if found else speeds
        found += _told_apart(question, found, _with_speeds(question, q, near, speeds, margin))
    ends = where_functions_end(question, found[0].places) if found and found[0].places is not None else ""
    return Choices(tuple(found), places, first, ends=ends)


def _settled(nearby: Nearby) -> tuple[Near, ...]:
    """Those that may be nearest, or all where none is sure to be.

    A tip or an isolated point of the constraints meets no condition of a minimum, and is one where nothing is nearer.
    """
    settled = [near for near in nearby.found if near.point.settled]
    if not settled:
        return nearby.found
    rank = max(near.point.rank for near in nearby.found)
    tips = [near for near in nearby.found if not near.point.settled and near.point.rank < rank]
    return (*(near for near in tips if times_as_far(near, settled[0]) > 1 + TIED), *settled)


def _speeds(question: Question, q: Array, closed: tuple[int, ...], all_of_them: bool) -> Nearby | None:
    """The velocities that fit; None where those of the question do."""
    rows = [r for r in range(len(question.system.constraints)) if r not in question.sided]
    v = question.place[question.n :]
    rate = closeness(question.system, question.inputs(q, v)).rate
    if closed and (rate[[*rows, *closed]] > CLOSE).any():
        resting = nearest_velocities(question, q, closed, all_of_them=all_of_them)
        if resting.found:
            return resting
    if (rate[rows] <= CLOSE).all():
        return None
    return nearest_velocities(question, q, all_of_them=all_of_them)


def _with_speeds(
    question: Question, q: Array, near: Near | None, speeds: Nearby | None, margin: float
) -> Iterator[Choice]:
    """Positions with every velocity that is about as near as the nearest."""
    if speeds is None:
        yield Choice(np.concatenate([q, question.place[question.n :]]), near, None)
        return
    settled = _settled(speeds)
    for speed in settled:
        if speed is settled[0] or times_as_far(settled[0], speed) < margin:
            yield Choice(np.concatenate([q, speed.values]), near, speed)


def _told_apart(question: Question, found: list[Choice], more: Iterator[Choice]) -> Iterator[Choice]:
    """Those that have the signs they are declared with, and are none known before, nor whole turns apart from one."""
    keys = (*question.system.coordinates, *question.system.velocities)
    taken: list[Choice] = []
    for choice in more:
        solved = zip(keys, choice.state.tolist(), question.place.tolist(), strict=True)
        if any(value != stated and list(against_assumptions(key, value)) for key, value, stated in solved):
            continue
        if not any(_same(question, choice, other) for other in (*found, *taken)):
            taken.append(choice)
            yield choice


def _same(question: Question, choice: Choice, other: Choice) -> bool:
    """Whether two choices are one state, or whole turns apart."""
    pairs = [(choice.places, other.places), (choice.speeds, other.speeds)]
    known = [(one, two) for one, two in pairs if one is not None and two is not None]
    if known and all(same_well(one, two) or not differing(one, two).any() for one, two in known):
        return True
    return not choice.differs(other).any() or same_place(question, choice.state, other.state)
