"""A leg of a motion: steps in one mode, as polynomials, with what happened at its beginning."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.modes import Mode
from dalembert.engine import Steps, polynomials_at
from dalembert.motion.status import Event, Projection

BEGINNING = 1e-6  # of a step
STAYS = ("slide", "halt")  # kinds of events after which something that is zero stays so
BLOCK = 2**16  # numbers at once: memory that is used again costs less than what is new
Setup = Any  # of an engine: compiled code with its parameters, or the plain twin's


@dataclass(frozen=True, eq=False)
class Leg:
    """Steps from one state on, in one mode.

    `events` happened at its beginning, where impulses gave the energy `impulse`. `memo` is what its mover knew there;
    `start` the state it begins with, of a leg without steps. A `brief` one leads over a place where the equation itself
    cannot be looked at, in a time too short to go wrong in; one that is `resolved` does so by more than a moment of
    second order. `returned`: it begins where the state was put back on its rows.
    """

    setup: Setup
    steps: Steps
    mode: Mode | None = None
    events: tuple[Event, ...] = ()
    impulse: float = 0.0
    memo: Any = None
    start: Array | None = None
    brief: bool = False
    resolved: bool = False
    returned: Projection | None = None

    @property
    def begin(self) -> float:
        """When it begins."""
        return float(self.steps.times[0])

    @property
    def end(self) -> float:
        """When it ends."""
        return float(self.steps.times[-1])

    def until(self, step: int, end: float) -> "Leg":
        """The leg up to a time within one of its steps, by place."""
        return replace(self, steps=self.steps.until(step + 1, end))

    def continues(self, before: "Leg") -> bool:
        """Whether it is the same smooth motion as in a leg before: nothing happens where it begins."""
        return self.mode == before.mode and all(event.kind == "rows" for event in self.events)

    def part(self, first: int, last: int) -> "Leg":
        """Some of its steps; what happened at its beginning is with the first."""
        if (first, last) == (0, self.steps.count):
            return self
        steps = self.steps.part(first, last)
        return (
            replace(self, steps=steps)
            if not first
            else replace(self, steps=steps, events=(), impulse=0.0, returned=None)
        )


def told_on(legs: list[Leg], pending: Iterable[Event] = ()) -> list[Leg]:
    """Legs in a row after events that are not told yet; what happens in one without steps is told with the next.

    That something is zero is told by what it does then, where it stays so.
    """
    out: list[Leg] = []
    events, impulse = tuple(pending), 0.0
    last = max((k for k, leg in enumerate(legs) if leg.steps.count), default=-1)
    for k, leg in enumerate(legs):
        stays = [event.time for event in leg.events if event.kind in STAYS] if events else []
        events = tuple(event for event in events if event.kind != "crossing" or event.time not in stays)
        told = replace(leg, events=(*events, *leg.events), impulse=impulse + leg.impulse) if events or impulse else leg
        if leg.steps.count or k > last:
            out.append(told)
            events, impulse = (), 0.0
        else:
            events, impulse = told.events, told.impulse
    return out


@dataclass(frozen=True, eq=False)
class Points:
    """Points inside the steps of legs, in the order of time.

    times (k,), states (k, 2n), slopes (k, n): the derivative of the velocities' polynomials; spans (k,): the length of
    the step each is in; places (k,): which step, counted through all legs; per_step: how many there are in each.
    """

    times: Array
    states: Array
    slopes: Array
    spans: Array
    places: Array
    per_step: int


class Course:
    """Some legs in a row, their steps counted through: where they are looked at, and what their numbers are there."""

    def __init__(self, legs: list[Leg]) -> None:
        self.legs = legs
        counts = [leg.steps.count for leg in legs]
        self.first = np.concatenate([[0], np.cumsum(counts)])
        self.steps = int(self.first[-1])
        one = len(legs) == 1
        self.begins = np.concatenate([leg.steps.times[:-1] for leg in legs])
        self.spans = np.concatenate([leg.steps.times[1:] - leg.steps.times[:-1] for leg in legs])
        self.coefficients = legs[0].steps.coefficients if one else np.concatenate([g.steps.coefficients for g in legs])
        self.units = np.repeat([leg.steps.unit for leg in legs], counts)
        self.leg_of = np.repeat(np.arange(len(legs)), counts)

    @property
    def begin(self) -> float:
        """When the first leg begins."""
        return self.legs[0].begin

    @property
    def end(self) -> float:
        """When the last leg ends."""
        return self.legs[-1].end

    def points(self, fractions: Array) -> Points:
        """The points at these fractions of every step, with the derivative of the polynomials there."""
        s, d, order = self.coefficients.shape
        n, k = d // 2, len(fractions)
        powers = np.arange(order)
        at = np.empty((2 * k, order))
        at[:k] = fractions[:, None] ** powers
        at[k:, 0], at[k:, 1:] = 0.0, powers[1:] * at[:k, :-1]
        reach = np.ones((order, s))
        reach[1:] = self.spans / self.units
        np.multiply.accumulate(reach, axis=0, out=reach)
        states, slopes = np.empty((d, s * k)), np.empty((n, s * k))
        some = max(1, BLOCK // (2 * k * max(order, d)))
        for begin in range(0, s, some):
            part = slice(begin, begin + some)
            found = (reach.T[part, None, :] * at) @ self.coefficients[part].transpose(0, 2, 1)  # (some, 2k, 2n)
            for j in range(k):
                each = slice(begin * k + j, (begin + some) * k, k)
                states[:, each] = found[:, j].T
                np.divide(found[:, k + j, n:].T, self.spans[part], out=slopes[:, each])
        spans = np.repeat(self.spans, k)
        times = (self.begins[:, None] + self.spans[:, None] * fractions).ravel()
        return Points(times, states.T, slopes.T, spans, np.repeat(np.arange(s), k), k)  # as compiled code wants them

    def numbers(self, places: Array) -> Array | None:
        """The parameters (k, p) at points by the steps they are in; None where all legs have the same."""
        if len(self.legs) == 1:
            return None
        table = np.array([leg.setup.numbers for leg in self.legs])
        out: Array = table[self.leg_of[places]]
        return out

    def states(self, times: Array, places: Array) -> Array:
        """The states (k, 2n) at times by the steps they are in."""
        return self.within(times - self.begins[places], places)

    def within(self, delays: Array, places: Array) -> Array:
        """The states (k, 2n) so long after the beginning of some steps."""
        return polynomials_at(self.coefficients[places], delays / self.units[places])

    def until(self, place: int, time: float) -> list[Leg]:
        """The legs up to a time in a step, by place; without one that would have no length."""
        leg = int(self.leg_of[place])
        step = place - int(self.first[leg])
        whole = self.legs[:leg]
        if time <= self.begins[place]:
            if step == 0:
                return whole
            return [*whole, self.legs[leg].until(step - 1, float(self.begins[place]))]
        return [*whole, self.legs[leg].until(step, time)]

    def cut(self, place: int, order: int) -> None:
        """Leave out the terms of a step above an order, for good."""
        leg = int(self.leg_of[place])
        self.coefficients[place, :, order + 1 :] = 0.0
        self.legs[leg].steps.coefficients[place - int(self.first[leg]), :, order + 1 :] = 0.0

    def places(self, times: Array) -> Array:
        """The steps that times are in; at the end of one, the next."""
        return np.clip(np.searchsorted(self.begins, times, side="right") - 1, 0, self.steps - 1)

    def since(self, place: int) -> int:
        """The first step of the smooth motion that a step is in, by place."""
        leg = int(self.leg_of[place])
        while leg and self.legs[leg].continues(self.legs[leg - 1]):
            leg -= 1
        return int(self.first[leg])

    def place(self, time: float) -> int:
        """The step that a time is in."""
        return int(self.places(np.array([time]))[0])

    def left(self, place: int) -> float:
        """A time a little after the beginning of the leg that a step is in: what vanishes there has been dealt with."""
        first = int(self.first[self.leg_of[place]])
        return float(self.begins[first] + BEGINNING * self.spans[first])
