"""What a run keeps of its courses: samples, works, events, episodes, and how exact it was."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.derive import Array
from dalembert.engine import WORKS
from dalembert.motion.record import ROOM, Episode
from dalembert.motion.smooth.leg import Course, Leg
from dalembert.motion.smooth.works import works
from dalembert.motion.status import Event, Projection

IMPACT = WORKS.index("impact")


@dataclass
class Recorder:
    """Grows as courses are accepted; `samples` are the times still to come, `look` how far apart powers are looked at.

    `moved`: ∫ |power| dt so far. `begun`: the states in which steps began, since the run last looked at them.
    """

    samples: Array
    look: float
    works: Array
    times: list[Array]
    states: list[Array]
    sampled_works: list[Array]
    events: list[Event]
    projections: list[Projection]
    episodes: list[Episode]
    steps: int = 0
    drift: float = 0.0
    defect: float = 0.0
    points: int = 0
    dense: list[tuple[Array, Array, float]] | None = None
    room: int = ROOM
    moved: float = 0.0
    begun: list[Array] = field(default_factory=list)

    @classmethod
    def of(cls, samples: Array, look: float, room: int) -> "Recorder":
        """Nothing kept yet, and room for so many numbers of polynomials."""
        return cls(samples, look, np.zeros(len(WORKS)), [], [], [], [], [], [], dense=[], room=room)

    def take(self, engine: Any, legs: list[Leg], last: bool) -> None:
        """Keep legs: the samples in them, those at their very end only where it is the last of all."""
        for leg in legs:
            self.begin(leg)
        if not any(leg.steps.count for leg in legs):
            self.works = self.works + sum(leg.impulse for leg in legs) * (np.arange(len(WORKS)) == IMPACT)
            if legs and legs[-1].start is not None and self.last_time() == legs[-1].begin:  # right after it
                self.states[-1][-1], self.sampled_works[-1][-1] = legs[-1].start, self.works
            return
        course = Course([leg for leg in legs if leg.steps.count])
        count = int(np.searchsorted(self.samples, course.end, side="right" if last else "left"))
        mine, self.samples = self.samples[:count], self.samples[count:]
        places = course.places(mine)
        ended, at, moved = works(engine, course, mine, places, self.look, self.moved)
        self.moved += moved
        impulses = np.cumsum([leg.impulse for leg in course.legs])
        lost = sum(leg.impulse for leg in legs) - impulses[-1]  # of legs without length
        if count:
            states = course.states(mine, places)
            at = at + self.works
            at[:, IMPACT] += impulses[course.leg_of[places]] + lost
            self.times.append(mine)
            self.states.append(states)
            self.sampled_works.append(at)
        self.works = self.works + ended
        self.works[IMPACT] += impulses[-1] + lost
        self.steps += course.steps
        self.begun.append(course.coefficients[:, :, 0].copy())
        self._keep_polynomials(course)

    def _keep_polynomials(self, course: Course) -> None:
        """Keep the polynomials, as long as there is room for them."""
        if self.dense is None:
            return
        self.room -= course.coefficients.size
        if self.room < 0:
            self.dense = None
        else:
            self.dense += [(leg.steps.times, leg.steps.coefficients, leg.steps.unit) for leg in course.legs]

    def begin(self, leg: Leg) -> None:
        """Keep what happened at the beginning of a leg, and its mode."""
        self.events += leg.events
        if leg.returned is not None:
            self.projections.append(leg.returned)
        now = Episode(leg.begin, leg.setup.choice, leg.mode)
        if not self.episodes or (self.episodes[-1].choice, self.episodes[-1].mode) != (now.choice, now.mode):
            self.episodes.append(now)

    def take_sample(self, time: float, state: Array) -> None:
        """Keep a state as a sample of its own: where a run ends before its time."""
        self.times.append(np.array([time]))
        self.states.append(state[None, :])
        self.sampled_works.append(self.works[None, :])

    def last_time(self) -> float | None:
        """The time of the last sample."""
        return float(self.times[-1][-1]) if self.times else None
