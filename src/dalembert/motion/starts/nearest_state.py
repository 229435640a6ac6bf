"""The states on the constraints near a given one, in the metric of the mass matrix: positions, then velocities.

    minimise (q − q₀)ᵀ M (q − q₀)   over   φ(q, t) = 0, and φ(q, t) ≥ 0 of a contact        with M at (q₀, v₀)
    minimise (v − v₀)ᵀ M (v − v₀)   over   ψ(q, v, t) = 0                                   with M at (q, v₀)

with ψ every relation among velocities (φ̇ for a holonomic φ). What is not free does not move.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array, closeness, prepared
from dalembert.derive.scales import CLOSE
from dalembert.model import OneSided, StateError, Statement
from dalembert.motion.starts.metric import Metric
from dalembert.motion.starts.nearest_point import Point
from dalembert.motion.starts.order import Near, ordered
from dalembert.motion.starts.search import Found, search
from dalembert.motion.starts.surface import Problem, onto_surface

SETS = 32  # of contacts that are closed together, tried at most
PULLS = 1e-7  # of the change, in its metric: a contact that pulls by less than this does not


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


def nearest_positions(question: Question, *, all_of_them: bool = False) -> Nearby:
    """The positions on the constraints nearest to those of a state, outside of all contacts.

    Contacts that a nearest point would be inside of are closed, and those that would have to pull are not; every set of
    closed contacts that comes up so is tried. `all_of_them` looks for others also where one is proved to be nearest.
    """
    n, v = question.n, question.place[question.n :]
    relation, metric = prepared(question.system).relations, Metric.at(question, question.place[:n], question.free[:n])
    row = {r: i for i, r in enumerate(relation.on_positions)}
    hard = [r for r in relation.on_positions if r not in question.sided]
    found: list[Near] = []
    waiting: list[tuple[int, ...]] = [()]
    known, beginnings, proved = set(waiting), 0, False
    while waiting and len(known) <= SETS:
        closed = waiting.pop(0)
        rows = [*hard, *closed]

        def on(q: Array, rows: list[int] = rows) -> bool:
            return bool((closeness(question.system, question.inputs(q, v)).level[rows] <= CLOSE).all())

        problem = metric.problem(
            question.place[:n], relation.places, [row[r] for r in rows], lambda q: question.inputs(q, v)
        )
        hits, points = _search(metric, problem, question.place[:n], on, closed, all_of_them)
        beginnings += hits.beginnings
        for i, near in enumerate(points):
            deep = set(question.penetrated(near.values, v)) - set(closed)
            sets = {tuple(sorted({*closed, *some})) for some in (deep, *({r} for r in deep))} - known
            waiting += sorted(sets)
            known |= sets
            if not deep and _pushes(near.point, problem, len(closed)):
                found.append(near)
                proved |= hits.proved and i == 0
    found, tied = ordered(found)
    return Nearby(tuple(found), tied, beginnings, proved, metric.by_mass)


def nearest_velocities(
    question: Question, q: Array, closed: tuple[int, ...] = (), *, all_of_them: bool = False
) -> Nearby:
    """The velocities on the constraints nearest to those of a state, at positions q; contacts in `closed` stay so."""
    n = question.n
    start = question.place[n:]
    rows = [r for r in range(len(question.system.constraints)) if r not in question.sided or r in closed]
    metric = Metric.at(question, q, question.free[n:])

    def on(v: Array) -> bool:
        return bool((closeness(question.system, question.inputs(q, v)).rate[rows] <= CLOSE).all())

    speeds = prepared(question.system).relations.speeds
    problem = metric.problem(start, speeds, rows, lambda v: question.inputs(q, v))
    hits, points = _search(metric, problem, start, on, closed, all_of_them)
    found, tied = ordered(points)
    return Nearby(tuple(found), tied, hits.beginnings, hits.proved, metric.by_mass)


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


def _as_far_as_it_goes(problem: Problem) -> Array:
    try:
        with np.errstate(all="ignore"):
            return onto_surface(problem, problem.origin)
    except (StateError, np.linalg.LinAlgError):
        return problem.origin


def _search(
    metric: Metric,
    problem: Problem,
    start: Array,
    on: Callable[[Array], bool],
    closed: tuple[int, ...],
    all_of_them: bool,
) -> tuple[Found, list[Near]]:
    """The nearest points of a problem, and the same as positions or velocities."""
    turn = 2 * np.pi / metric.units

    def accepts(x: Array) -> bool:
        return on(metric.values(start, x))

    hits = search(problem, accepts, metric.usual(start), turn, all_of_them=all_of_them)
    return hits, [metric.near(start, point, on, closed) for point in hits.points]


def _pushes(point: Point, problem: Problem, closed: int) -> bool:
    """Whether every closed contact, the last rows, pushes: W z = −Jᵀλ with λ ≤ 0 for them."""
    hard = max(len(point.multipliers) - closed, 0)
    J = problem.rows(point.x)[1][hard:]
    size = float(np.linalg.norm(problem.pull(point.x)))
    return bool((point.multipliers[hard:] * np.linalg.norm(J, axis=1) <= PULLS * size).all())
