"""The states on the constraints near a given one, in the metric of the mass matrix: positions, then velocities.

    minimise (q − q₀)ᵀ M (q − q₀)   over   φ(q, t) = 0, and φ(q, t) ≥ 0 of a contact        with M at (q₀, v₀)
    minimise (v − v₀)ᵀ M (v − v₀)   over   ψ(q, v, t) = 0                                   with M at (q, v₀)

with ψ every relation among velocities (φ̇ for a holonomic φ). What is not free does not move.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array, closeness, prepared
from dalembert.derive.relations import Relation
from dalembert.derive.scales import CLOSE, mass, moment_later
from dalembert.model import OneSided, StateError, Statement
from dalembert.motion.starts.metric import Asked, Metric
from dalembert.motion.starts.nearest_point import Point
from dalembert.motion.starts.order import Near, ordered
from dalembert.motion.starts.search import Found, search, search_from
from dalembert.motion.starts.surface import Frame, Problem, onto_surface

SETS = 32  # of contacts that are closed together, tried at most
ROUNDS = 3  # of proof, and of further search where it fails
FIRST = 1e-4  # of the pull: what is left of it at a minimum, where velocities are measured by themselves
PULLS = 1e-7  # of the change, in its metric: a contact that pulls by less than this does not


class RunsAwayError(Exception):
    """Positions on the constraints come ever nearer while velocities that are left open grow: none is nearest."""


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


def nearest_positions(question: Question, *, all_of_them: bool = False, by_speeds: bool = False) -> Nearby:
    """The positions on the constraints nearest to those of a state, outside of all contacts.

    Contacts that a nearest point would be inside of are closed, and those that would have to pull are not; every set of
    closed contacts that comes up so is tried. `all_of_them` looks for others also where one is proved to be nearest.
    `by_speeds`: only positions at which velocities exist, held ones as they are, outside of contacts.
    """
    n, v = question.n, question.place[question.n :]
    light = _light(question, question.place[:n], question.free[:n])
    if light is not None:
        free = np.concatenate([light, question.free[n:]])
        lightest = nearest_positions(replace(question, free=free), all_of_them=all_of_them, by_speeds=by_speeds)
        if lightest.found:
            return lightest
    sought = _Sought.by_speeds(question) if by_speeds else _Sought.alone(question)
    metric, row = sought.metric, {r: i for i, r in enumerate(prepared(question.system).relations.on_positions)}
    found: list[Near] = []
    waiting: list[tuple[int, ...]] = [()]
    known, beginnings, proved = set(waiting), 0, False

    def searched(closed: tuple[int, ...]) -> _Search:
        rows = [*sought.rows, *(row[r] for r in closed)]
        problem = metric.problem(sought.start, sought.relation, rows, sought.inputs)

        def on(x: Array) -> bool:
            return sought.on(x, closed)

        return _Search(metric, problem, sought.start, on, closed, np.flatnonzero(metric.free) < n)

    def taken(search: _Search, closed: tuple[int, ...], points: Sequence[Point]) -> list[Near]:
        """Those of the points that contacts allow; sets of contacts that others are inside of will be tried."""
        fit = []
        for near in map(search.near, points):
            deep = set(question.penetrated(near.values[:n], v)) - set(closed)
            sets = {tuple(sorted({*closed, *some})) for some in (deep, *({r} for r in deep))} - known
            waiting.extend(sorted(sets))
            known.update(sets)
            if not deep and _pushes(near.point, search.problem, len(closed)):
                fit.append(near)
        return fit

    while waiting and len(known) <= SETS:
        closed = waiting.pop(0)
        search = searched(closed)
        hits = search.all(all_of_them)
        beginnings += hits.beginnings
        fit = taken(search, closed, hits.points)
        proved |= hits.proved and not closed and bool(fit) and fit[0].point is hits.points[0]
        found += fit
    found, tied = ordered(found)
    for _ in range(ROUNDS if not proved else 0):
        if not found:
            break
        asked = Asked(sought.rows, *([row[r] for r in rows] for rows in (question.sided, found[0].closed)))
        inputs = np.array(sought.inputs(sought.start))
        proved, places = metric.none_nearer(sought.relation, asked, inputs, 0, found[0].point)
        beginnings += len(places)
        more = list[Near]()
        for closed in sorted(known) if places else ():
            search = searched(closed)
            more += taken(search, closed, search.from_places(places, [near.point for near in found]))
        if not more:
            break
        found, tied = ordered([*found, *more])
    if found and sought.runs_away(searched(found[0].closed).problem, found[0].point):
        raise RunsAwayError
    return Nearby(tuple(near.part(n) for near in found), tied, beginnings, proved, metric.by_mass)


def nearest_velocities(
    question: Question, q: Array, closed: tuple[int, ...] = (), *, all_of_them: bool = False
) -> Nearby:
    """The velocities on the constraints nearest to those of a state, at positions q; contacts in `closed` stay so."""
    n = question.n
    light = _light(question, q, question.free[n:])
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
    search = _Search(metric, problem, start, on, closed, np.ones(int(metric.free.sum()), dtype=bool))
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


def _light(question: Question, q: Array, free: Array) -> Array | None:
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
            return onto_surface(problem, problem.origin)
    except (StateError, np.linalg.LinAlgError):
        return problem.origin


@dataclass(frozen=True, eq=False)
class _Sought:
    """What positions are sought by: rows of a relation among `start` (n,), or (2n,) with velocities, and the metric."""

    question: Question
    relation: Relation
    rows: list[int]
    start: Array
    metric: Metric

    @classmethod
    def alone(cls, question: Question) -> "_Sought":
        """By the constraints on positions."""
        n, relations = question.n, prepared(question.system).relations
        hard = [i for i, r in enumerate(relations.on_positions) if r not in question.sided]
        start = question.place[:n]
        return cls(question, relations.places, hard, start, Metric.at(question, start, question.free[:n]))

    @classmethod
    def by_speeds(cls, question: Question) -> "_Sought":
        """By these, and by the rates of all constraints but contacts, with velocities that have no mass."""
        one, relations = cls.alone(question), prepared(question.system).relations
        hard = [r for r in range(len(question.system.constraints)) if r not in question.sided]
        rows = [*one.rows, *(len(relations.on_positions) + r for r in hard)]
        metric = one.metric.with_speeds(question.place[question.n :], question.free[question.n :])
        return cls(question, relations.together, rows, question.place, metric)

    def inputs(self, x: Array) -> list[float]:
        """Bare numbers, as tapes take them."""
        n = self.question.n
        return self.question.inputs(x[:n], x[n:] if len(x) > n else self.question.place[n:])

    def runs_away(self, problem: Problem, point: Point) -> bool:
        """Whether positions come ever nearer while velocities grow: no minimum is seen where these are units.

        A velocity that is large is measured by itself: if it grows by a part, how much nearer is that?
        """
        k = len(point.x) - self.metric.weightless
        if k == len(point.x) or not k:
            return False
        own = np.where(np.arange(len(point.x)) < k, 1.0, np.maximum(np.abs(point.x), 1.0))
        g = own * problem.pull(point.x)
        left = float(np.linalg.norm(Frame(problem.rows(point.x)[1] * own).along.T @ g))
        return left > FIRST * float(np.linalg.norm(g)) + 64 * problem.grain(point.x)

    def on(self, x: Array, closed: tuple[int, ...]) -> bool:
        """Whether all rows hold, and contacts are closed."""
        relations, sided, off = prepared(self.question.system).relations, self.question.sided, self.inputs(x)
        level, rate = closeness(self.question.system, off)
        both = [*(r for r in relations.on_positions if r not in sided), *closed]
        hard = [r for r in range(len(rate)) if r not in sided] if len(x) > self.question.n else []
        return bool((level[both] <= CLOSE).all() and (rate[hard] <= CLOSE).all())


@dataclass(frozen=True, eq=False)
class _Search:
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


def _pushes(point: Point, problem: Problem, closed: int) -> bool:
    """Whether every closed contact, the last rows, pushes: W z = −Jᵀλ with λ ≤ 0 for them."""
    hard = max(len(point.multipliers) - closed, 0)
    J = problem.rows(point.x)[1][hard:]
    size = float(np.linalg.norm(problem.pull(point.x)))
    return bool((point.multipliers[hard:] * np.linalg.norm(J, axis=1) <= PULLS * size).all())
