"""What moves a system: the same few questions, answered by the compiled engine and by its plain twin.

A state is one row of numbers: n coordinates, n velocities, then the work done so far by each power in `works`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import NamedTuple, Protocol

from dalembert.derive import Array

POWERS = ("force", "ideal", "nonideal")
"""Whose work is integrated: active forces and what else changes the energy, ideal and work-doing constraint forces."""

WORKS = (*POWERS, "impact")
"""Whose work is counted: these, and the impulses of impacts."""


@dataclass(frozen=True)
class Choice:
    """The rows the elimination is unrolled on, and whether M is replaced by M + AᵀA."""

    rows: tuple[int, ...]
    augment: bool


class Piece(NamedTuple):
    """A stretch of motion: the states at those of the wanted times that were reached, and where it ended.

    Shapes: times (k,), states (k, d), end (d,). `broken` says in words why no further step can be taken; the end is
    then the last state that exists. `fired` is the guard that fell to zero at the end.
    """

    times: Array
    states: Array
    time: float
    end: Array
    steps: int
    broken: str | None = None
    fired: int | None = None


class Watch(NamedTuple):
    """What is watched along k states: the constraints' level, rate and gradient length (k, m), pivots and radicands.

    Each column of `pivots` (k, p) is positive and falls to zero where the mass matrix becomes singular or rows
    dependent; each of `radicands` (k, r) where what stands under a root vanishes, which a Taylor series cannot cross.
    `energy` and `kinetic`, q̇ᵀMq̇, are (k,).
    """

    level: Array
    rate: Array
    length: Array
    pivots: Array
    radicands: Array
    energy: Array
    kinetic: Array


class Along(NamedTuple):
    """What is derived along k states: acceleration, ideal, nonideal (k, n), multipliers, reactions (k, m), energy (k,).

    Multipliers λ are those of the ideal force Aᵀλ, reactions λ̂ the actual ones, Qᶜ = C + Aᵀλ̂.
    """

    acceleration: Array
    ideal: Array
    nonideal: Array
    multipliers: Array
    reactions: Array
    energy: Array


class Flow(Protocol):
    """One engine, ready to move one system with one set of parameter values."""

    @property
    def works(self) -> tuple[str, ...]:
        """Which of WORKS are counted in the state; the others are identically zero."""
        ...

    @property
    def choice(self) -> Choice:
        """The constraint rows the elimination stands on; all of them where it does not choose."""
        ...

    @property
    def pivots(self) -> tuple[str, ...]:
        """What the columns of `Watch.pivots` belong to, in words."""
        ...

    @property
    def masses(self) -> int:
        """How many columns of `Watch.pivots`, the first, belong to the mass matrix."""
        ...

    @property
    def rows(self) -> int:
        """How many, the rest, belong to constraints."""
        ...

    @property
    def roots(self) -> int:
        """How many columns `Watch.radicands` has."""
        ...

    @property
    def facts(self) -> dict[str, object]:
        """What is worth knowing about the engine: its tolerance, its mode."""
        ...

    @property
    def first(self) -> int:
        """How many steps to take before looking at the clock for the first time."""
        ...

    @property
    def steep(self) -> bool:
        """Whether forces may be too faint to be seen from afar, as those with exp are."""
        ...

    def advance(self, t: float, state: Array, times: Array, steps: int, longest: float = inf) -> Piece:
        """From a state at t through increasing times after it, at most so many steps, none longer than `longest`."""
        ...

    def reach(self, t: float, state: Array) -> float:
        """About how long a step from a state is; infinite where that is not known."""
        ...

    def leap(self, t: float, state: Array, times: Array) -> tuple[Array, float]:
        """From a state at t over a place where the rank drops: the states at the times, and how exact they are."""
        ...

    def watch(self, times: Array, states: Array) -> Watch:
        """What is watched, along states."""
        ...

    def along(self, times: Array, states: Array) -> Along:
        """Everything derived, along states."""
        ...

    def guards(self, times: Array, states: Array) -> Array:
        """What must stay positive in a stage, along states (k, g)."""
        ...

    def levels(self, times: Array, states: Array) -> Array:
        """The left-hand sides of all constraints of the system a stage is of, along states (k, m)."""
        ...

    def renew(self) -> None:
        """Begin again, from another state."""
        ...

    def look_away(self, guards: Iterable[int] = ()) -> None:
        """From now on do not stop at these guards; at all others."""
        ...

    def choose(self, t: float, state: Array) -> bool:
        """Choose the rows afresh for a state; whether the choice changed."""
        ...

    def expect(self, seconds: float) -> None:
        """The run will take about so many seconds more."""
        ...
