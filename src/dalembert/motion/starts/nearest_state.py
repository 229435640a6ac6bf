"""A question of what is near a state, and the velocities on the constraints near given ones, in the metric of M.

    minimise (v − v₀)ᵀ M (v − v₀)   over   ψ(q, v, t) = 0                                   with M at (q, v₀)

with ψ every relation among velocities (φ̇ for a holonomic φ). What is not free does not move.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array, closeness, prepared
from dalembert.derive.scales import CLOSE, mass, moment_later
from dalembert.model import OneSided, StateError, Statement
from dalembert.motion.starts.metric import Asked, Metric
from dalembert.motion.starts.nearest_point import Point
from dalembert.motion.starts.order import Near, ordered
from dalembert.motion.starts.search import Found, search, search_from
from dalembert.motion.starts.surface import Problem, onto_surface

ROUNDS = 3  # of proof, and of further search where it fails


class Nearby(NamedTuple):
    """What a search found, nearest first; the first `tied` are equally near, and in the order of `ordered`.

    `proved`: no state on the constraints is as near as the first. `by_mass`: M is a metric; where it is not, units in
    which it is balanced were taken for one.
    """

    found: tuple[Near, ...]
    tied: int
    beginnings: int
    proved: bool
    by_mass: bool


@dataclass(frozen=True, eq=False)
class Question:
    """A state (2n,) of a system, and what of it may move (2n,), at a time with parameters in the order of `symbols`."""

    system: Statement
    place: Array
    free: Array
    t: float
    values: Array

    @property
    def n(self) -> int:
        """How many coordinates."""
        return len(self.system.coordinates)

    @cached_property
    def sided(self) -> tuple[int, ...]:
        """The one-sided constraints."""
        return tuple(r for r, c in enumerate(self.system.constraints) if isinstance(c, OneSided))

    def inputs(self, q: Array, v: Array) -> list[float]:
        """Bare numbers, as tapes take them."""
        return [*q.tolist(), *v.tolist(), self.t, *self.values.tolist()]

    def penetrated(self, q: Array, v: Array) -> dict[int, float]:
        """The one-sided constraints that positions are inside of, with their values; raises `StateError`."""
        if not self.sided:
            return {}
        inputs = self.inputs(q, v)
        level, off = prepared(self.system).relations.plain(inputs), closeness(self.system, inputs).level
        return {r: float(level[r]) for r in self.sided if level[r] < 0 and off[r] > CLOSE}


def nearest_velocities(
    question: Question, q: Array, closed: tuple[int, ...] = (), *, all_of_them: bool = False
) -> Nearby:
    """The velocities on the constraints nearest to those of a state, at positions q; contacts in `closed` stay so."""
    n = question.n
    light = without_mass(question, q, question.free[n:])
    if light is not None:
        free = np.concatenate([question.free[:n], light])
        nearby = nearest_velocities(replace(question, free=free), q, closed, all_of_them=all_of_them)
        if nearby.found:
            return nearby
    start = question.place[n:]
    rows = [r for r in range(len(question.system.constraints)) if r not in question.sided or r in closed]
    metric = Metric.at(question, q, question.free[n:])

    def on(v: Array) -> bool:
        return bool((closeness(question.system, question.inputs(q, v)).rate[rows] <= CLOSE).all())

    relations = prepared(question.system).relations
    speeds = relations.speeds
    problem = metric.problem(start, speeds, rows, lambda v: moment_later(question.system, question.inputs(q, v)))
    search = Search(metric, problem, start, on, closed, np.ones(int(metric.free.sum()), dtype=bool))
    hits = search.all(all_of_them)
    (found, tied), proved, beginnings = ordered([*map(search.near, hits.points)]), hits.proved, hits.beginnings
    for _ in range(ROUNDS if found and not proved and not relations.kinked else 0):
        inputs = np.array(question.inputs(q, start))
        proved, places = metric.none_nearer(speeds, Asked(rows), inputs, n, found[0].point)
        beginnings += len(places)
        more = search.from_places(places, [near.point for near in found])
        if not more:
            break
        found, tied = ordered([*found, *map(search.near, more)])
    return Nearby(tuple(found), tied, beginnings, proved, metric.by_mass)


def closest_attempt(question: Question) -> Array:
    """A state (2n,) that satisfies the two-sided constraints as well as can be, for what is left of them to be told."""
    n, relations = question.n, prepared(question.system).relations
    start, v = question.place[:n], question.place[n:]
    places = [i for i, r in enumerate(relations.on_positions) if r not in question.sided]
    speeds = [r for r in range(len(question.system.constraints)) if r not in question.sided]
    metric = Metric.at(question, start, question.free[:n])
    problem = metric.problem(start, relations.places, places, lambda x: question.inputs(x, v))
    q = metric.values(start, _as_far_as_it_goes(problem))
    metric = Metric.at(question, q, question.free[n:])
    problem = metric.problem(v, relations.speeds, speeds, lambda x: question.inputs(q, x))
    return np.concatenate([q, metric.values(v, _as_far_as_it_goes(problem))])


def without_mass(question: Question, q: Array, free: Array) -> Array | None:
    """Which of what is free (n,) has no mass at positions q; None where nothing has none, or nothing has any.

    To move it alone is no distance at all, and of such changes the least is meant.
    """
    try:
        M = mass(prepared(question.system), question.inputs(q, question.place[question.n :]))
    except StateError:
        return None
    light: Array = free & ~M.any(axis=1)
    return light if light.any() and M[np.ix_(free, free)].any() else None


def _as_far_as_it_goes(problem: Problem) -> Array:
    try:
        with np.errstate(all="ignore"):
            return onto_surface(problem, problem.beginning(problem.origin))
    except (StateError, np.linalg.LinAlgError):
        return problem.origin


@dataclass(frozen=True, eq=False)
class Search:
    """The nearest points of a problem, as positions or velocities that are `on` what they have to be on.

    `may_turn` (k,): which of what is free may be an angle.
    """

    metric: Metric
    problem: Problem
    start: Array
    on: Callable[[Array], bool]
    closed: tuple[int, ...]
    may_turn: Array

    def _accepts(self, x: Array) -> bool:
        return self.on(self.metric.values(self.start, x))

    def all(self, all_of_them: bool) -> Found:
        """Those found from many beginnings."""
        turn = np.where(self.may_turn, 2 * np.pi, np.inf) / self.metric.units
        usual = self.metric.usual(self.start)
        return search(self.problem, self._accepts, usual, turn, all_of_them=all_of_them)

    def from_places(self, places: Sequence[Array], known: Sequence[Point]) -> list[Point]:
        """Those that the ways from some places lead to, and that are not known."""
        reach = self.metric.usual(self.start)
        return search_from(self.problem, self._accepts, places, known, reach)

    def near(self, point: Point) -> Near:
        """A point as positions or velocities."""
        return self.metric.near(self.start, point, self.on, self.closed)
