"""What moves a system: the same few questions, answered by the compiled engine and by its plain twin.

A state is one row of numbers: n coordinates, then n velocities.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import comb

from dalembert.derive import Array

POWERS_OF_TIME = np.arange(256.0)
NINTHS = np.linspace(0.0, 1.0, 9)[:, None] ** POWERS_OF_TIME

POWERS = ("force", "ideal", "nonideal")
"""Whose work is found by integration: active forces and what else changes the energy, ideal and work-doing forces."""

WORKS = (*POWERS, "impact")
"""Whose work is counted: these, and the impulses of impacts."""


class Variant(NamedTuple):
    """How the elimination is compiled: with rows that may be left out, with M + AᵀGA for M, with λ refined so often.

    `surfaces`: with the rows that keep a motion on the surface of a switching function. `balanced`: accelerations obey
    the rows to their own rounding, not to that of forces in balance.
    """

    spare: bool = False
    augment: bool = False
    refinements: int = 0
    surfaces: bool = False
    balanced: bool = False


class Choice(NamedTuple):
    """The rows the elimination stands on, and how it is compiled (`Variant`)."""

    rows: tuple[int, ...]
    augment: bool = False
    refinements: int = 0
    balanced: bool = False


@dataclass(frozen=True, eq=False)
class Steps:
    """Steps of a motion, each a polynomial: times (s + 1,), coefficients (s, 2n, p + 1) of (t − times[k])/unit.

    `fired` is the guard that fell to zero at the end; `broken` says in words why no further step can be taken.
    """

    times: Array
    coefficients: Array
    fired: int | None = None
    broken: str | None = None
    unit: float = 1.0

    @property
    def count(self) -> int:
        """How many steps."""
        return len(self.coefficients)

    @cached_property
    def end(self) -> Array:
        """The state (2n,) at the end."""
        return self.within(self.count - 1, float(self.times[-1]))

    def within(self, step: int, time: float) -> Array:
        """The state (2n,) at a time of a step: summed in longer numbers, or rounding at every switch would add up."""
        terms = self.coefficients[step]
        delay = (np.longdouble(time) - self.times[step]) / self.unit
        powers = np.empty(terms.shape[1], np.longdouble)
        powers[0], powers[1:] = 1.0, delay
        np.multiply.accumulate(powers, out=powers)
        out: Array = (terms @ powers).astype(float)
        return out

    def at(self, times: Array, steps: Array | None = None) -> Array:
        """The states (k, 2n) at times inside; `steps` says in which step each is, where that is known."""
        if steps is None:
            steps = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, self.count - 1)
        return polynomials_at(self.coefficients[steps], (times - self.times[steps]) / self.unit)

    def rest(self, step: int, begin: float, end: float) -> "Steps":
        """A part of one step from a time within it on, as a step of its own."""
        order = np.arange(self.coefficients.shape[2])
        delay = (np.longdouble(begin) - self.times[step]) / self.unit
        old, new = self.coefficients[step].astype(np.longdouble), np.zeros(self.coefficients.shape[1:])
        for j in order.tolist():  # the same polynomial, in powers of the time from `begin`
            new[:, j] = (old[:, j:] * (comb(order[j:], j) * delay ** (order[j:] - j))).sum(axis=1)
        return Steps(np.array([begin, end]), new[None], unit=self.unit)

    def largest(self) -> Array:
        """The largest of each coordinate and velocity (2n,), as seen at a few points of every step."""
        found: Array = largest_of([self])[0]
        return found

    def part(self, first: int, last: int) -> "Steps":
        """Some of the steps; how they ended is with the last."""
        times, terms = self.times[first : last + 1], self.coefficients[first:last]
        ends = last == self.count
        return Steps(times, terms, self.fired if ends else None, self.broken if ends else None, self.unit)

    def until(self, count: int, end: float | None = None, fired: int | None = None) -> "Steps":
        """The first steps; the last of them up to a time where one is given, at which a guard may have fallen."""
        times = self.times[: count + 1].copy()
        if end is not None:
            times[-1] = end
        return Steps(times, self.coefficients[:count], fired, unit=self.unit)


def polynomials_at(coefficients: Array, delays: Array) -> Array:
    """The values (k, d) of polynomials, each with coefficients (d, p + 1), at its own of some times (k,)."""
    powers = np.empty((coefficients.shape[2], len(delays)))
    powers[0], powers[1:] = 1.0, delays
    np.multiply.accumulate(powers, axis=0, out=powers)
    out: Array = (coefficients @ powers.T[:, :, None])[:, :, 0]
    return out


def largest_of(many: Sequence[Steps]) -> Array:
    """The largest of each coordinate and velocity (k, 2n) in each of many, as seen at a few points of every step."""
    terms = np.concatenate([steps.coefficients for steps in many])
    spans = np.concatenate([(steps.times[1:] - steps.times[:-1]) / steps.unit for steps in many])
    counts = np.array([steps.count for steps in many])
    out, order = np.zeros((len(many), terms.shape[1])), terms.shape[2]
    if not len(terms):
        return out
    reach = spans[:, None] ** POWERS_OF_TIME[:order]
    found = np.abs((reach[:, None, :] * NINTHS[:, :order]) @ terms.transpose(0, 2, 1)).max(axis=1)
    some = counts > 0
    out[some] = np.maximum.reduceat(found, (np.cumsum(counts) - counts)[some], axis=0)
    return np.where(np.isfinite(out), out, 0.0)


class Watch(NamedTuple):
    """What is watched along k states.

    `acceleration` (k, n). `level`, `rate` (k, m): of the constraints. `pivots` (k, m): of each row against its own
    diagonal, at most 1, zero where rows become dependent; `squares` (k, m): A M⁻¹ Aᵀ of each row, zero where it
    vanishes, infinite where it is not in force. `inertia`, `masses` (k, c): the same of M. `radicands`, `jumps` (k, r):
    what must not vanish, lest a root has no series or a function jumps; `resting` (k, r): what stands under roots that
    are taken as zero.
    """

    acceleration: Array
    level: Array
    rate: Array
    pivots: Array
    squares: Array
    inertia: Array
    masses: Array
    radicands: Array
    resting: Array
    jumps: Array


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
