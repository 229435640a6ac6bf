"""The positions on the constraints near given ones, outside of contacts, in the metric of the mass matrix.

    minimise (q − q₀)ᵀ M (q − q₀)   over   φ(q, t) = 0, and φ(q, t) ≥ 0 of a contact        with M at (q₀, v₀)

What is not free does not move.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dalembert.derive import Array, closeness, prepared
from dalembert.derive.relations import Relation
from dalembert.derive.scales import CLOSE
from dalembert.model import StateError
from dalembert.motion.starts.metric import Asked, Metric
from dalembert.motion.starts.nearest_point import Point
from dalembert.motion.starts.nearest_state import ROUNDS, Nearby, Question, Search, without_mass
from dalembert.motion.starts.order import Near, ordered
from dalembert.motion.starts.outside import PULLS, Outside, pulling
from dalembert.motion.starts.search import beginnings_at, how_far
from dalembert.motion.starts.surface import Frame, Problem

SETS = 32  # of contacts that are closed together, tried at most
FIRST = 1e-4  # of the pull: what is left of it at a minimum, where velocities are measured by themselves
END = 1e-3  # of what a change could make of it: where so little is left of what stands under a root, it is at its end
WIDER, WIDENED = 8.0, 6  # so many times as far, and so often, places outside of contacts are looked for


class RunsAwayError(Exception):
    """Positions on the constraints come ever nearer while velocities that are left open grow: none is nearest."""


def nearest_positions(question: Question, *, all_of_them: bool = False, by_speeds: bool = False) -> Nearby:
    """The positions on the constraints nearest to those of a state, outside of all contacts.

    Contacts that a nearest point would be inside of are closed, and those that would have to pull are not; every set of
    closed contacts that comes up so is tried. Where a contact was in the way and nothing is proved so, ways from many
    places lead outside of contacts. `all_of_them` looks for others also where one is proved to be nearest.
    `by_speeds`: only positions at which velocities exist, held ones as they are, outside of contacts.
    """
    n = question.n
    light = without_mass(question, question.place[:n], question.free[:n])
    if light is not None:
        free = np.concatenate([light, question.free[n:]])
        lightest = nearest_positions(replace(question, free=free), all_of_them=all_of_them, by_speeds=by_speeds)
        if lightest.found:
            return lightest
    sought = Sought.by_speeds(question) if by_speeds else Sought.alone(question)
    places = _Places(sought)
    places.by_sets(all_of_them)
    places.prove()
    if places.blocked and (all_of_them or not places.proved):
        places.by_ways()
        places.prove()
    found = places.found
    if found and sought.runs_away(places.search(found[0].closed).problem, found[0].point):
        raise RunsAwayError
    near = tuple(one.part(n) for one in found)
    return Nearby(near, places.tied, places.beginnings, places.proved, sought.metric.by_mass)


def where_functions_end(question: Question, near: Near) -> str:
    """Why positions that are no minimum are all there is, in words: functions end there. Empty where they do not."""
    point, metric = near.point, Metric.at(question, question.place[: question.n], question.free[: question.n])
    relation = prepared(question.system).relations.places
    inputs = question.inputs(near.values, question.place[question.n :])
    if point.stationary or not point.rank:
        return ""
    for edge in relation.edges:
        try:
            (d,), (slope,) = edge.at(inputs)
        except StateError:
            continue
        far = float(np.abs(point.z).max(initial=0.0)) * float(np.linalg.norm(slope[metric.free] * metric.units))
        if d < END * far:
            return f"the nearer positions are, the nearer {edge.words} is to zero, where functions of it have no slope"
    return ""


class _Places:
    """What is found of positions, nearest first: by sets of closed contacts, and by ways outside of contacts.

    `blocked`: a contact was in the way. `proved`: nothing is nearer than the first.
    """

    def __init__(self, sought: "Sought") -> None:
        self.sought, self._question = sought, sought.question
        self.found: list[Near] = []
        self.tied = self.beginnings = 0
        self.proved = False
        self._doubted: Near | None = None
        self._contacts_met = False
        self._waiting: list[tuple[int, ...]] = [()]
        self._known = set(self._waiting)
        self._searches: dict[tuple[int, ...], Search] = {}
        self._row = {r: i for i, r in enumerate(prepared(self._question.system).relations.on_positions)}

    @property
    def blocked(self) -> bool:
        """Whether contacts were in the way of what was looked for, and there are ways to others."""
        moves = self.sought.metric.free.any()
        return bool(self._question.sided and moves) and (self._contacts_met or not self.found)

    def by_sets(self, all_of_them: bool) -> None:
        """The nearest with every set of contacts closed that a nearest point is inside of."""
        while self._waiting and len(self._known) <= SETS:
            closed = self._waiting.pop(0)
            hits = self.search(closed).all(all_of_them)
            self.beginnings += hits.beginnings
            fit = self._taken(closed, hits.points)
            self.proved |= hits.proved and not closed and bool(fit) and fit[0].point is hits.points[0]
            self.found += fit
        self.found, self.tied = ordered(self.found)

    def prove(self) -> None:
        """Whether nothing is nearer, with a search from where that cannot be excluded."""
        sought, sided = self.sought, self._question.sided
        for _ in range(ROUNDS):
            if self.proved or not self.found or self._doubted is self.found[0]:
                break
            self._doubted = first = self.found[0]
            asked = Asked(sought.rows, *([self._row[r] for r in rows] for rows in (sided, first.closed)))
            inputs = np.array(sought.inputs(sought.start))
            self.proved, places = sought.metric.none_nearer(sought.relation, asked, inputs, 0, first.point)
            self.beginnings += len(places)
            if sided:
                self._go(places)
            else:
                points = self.search(()).from_places(places, [near.point for near in self.found])
                self.found, self.tied = ordered([*self.found, *map(self.search(()).near, points)])

    def by_ways(self) -> None:
        """What ways from many places lead to: about as far as what is found, else ever farther."""
        metric, start = self.sought.metric, self.sought.start
        origin, usual = metric.point(start), metric.usual(start)
        far = self.found[0].change if self.found else how_far(self._ways.problem(self._ways.gaps))
        self._go([origin])
        for wider in range(1 if self.found else WIDENED):
            places = [origin + z for z in beginnings_at(len(origin), (far or usual) * WIDER**wider)]
            self.beginnings += len(places)
            self._go(places)
            if self.found:
                break

    @cached_property
    def _ways(self) -> Outside:
        """The ways that lead outside of contacts."""
        sought, n, v = self.sought, self._question.n, self._question.place[self._question.n :]

        def inside(x: Array) -> set[int]:
            return set(self._question.penetrated(sought.metric.values(sought.start, x)[:n], v))

        def on(x: Array, closed: tuple[int, ...]) -> bool:
            return sought.on(sought.metric.values(sought.start, x), closed)

        gaps = tuple(r for r in self._question.sided if sought.relation.depends(self._row[r], sought.metric.free))
        return Outside(lambda closed: self.search(closed).problem, gaps, inside, on)

    def _go(self, places: Sequence[Array]) -> None:
        """Take what the ways from places lead to."""
        reach = self.sought.metric.usual(self.sought.start)
        for place in places:
            end = self._ways.nearest(place, reach, [(near.point, near.closed) for near in self.found])
            if end is not None:
                self.found.append(self.search(end.contacts).near(end.point))
        self.found, self.tied = ordered(self.found)

    def search(self, closed: tuple[int, ...]) -> Search:
        """The search with these contacts closed."""
        if closed not in self._searches:
            sought = self.sought
            rows = [*sought.rows, *(self._row[r] for r in closed)]
            problem = sought.metric.problem(sought.start, sought.relation, rows, sought.inputs)
            turns = np.flatnonzero(sought.metric.free) < self._question.n

            def on(x: Array) -> bool:
                return sought.on(x, closed)

            self._searches[closed] = Search(sought.metric, problem, sought.start, on, closed, turns)
        return self._searches[closed]

    def _taken(self, closed: tuple[int, ...], points: Sequence[Point]) -> list[Near]:
        """Those of the points that contacts allow; sets of contacts that others are inside of will be tried."""
        fit, search, n = list[Near](), self.search(closed), self._question.n
        for near in map(search.near, points):
            deep = set(self._question.penetrated(near.values[:n], self._question.place[n:])) - set(closed)
            sets = {tuple(sorted({*closed, *some})) for some in (deep, *({r} for r in deep))} - self._known
            self._waiting.extend(sorted(sets))
            self._known.update(sets)
            self._contacts_met |= bool(deep)
            if not deep and not (pulling(near.point, search.problem, len(closed)) > PULLS).any():
                fit.append(near)
        return fit


@dataclass(frozen=True, eq=False)
class Sought:
    """What positions are sought by: rows of a relation among `start` (n,), or (2n,) with velocities, and the metric."""

    question: Question
    relation: Relation
    rows: list[int]
    start: Array
    metric: Metric

    @classmethod
    def alone(cls, question: Question) -> "Sought":
        """By the constraints on positions."""
        n, relations = question.n, prepared(question.system).relations
        hard = [i for i, r in enumerate(relations.on_positions) if r not in question.sided]
        start = question.place[:n]
        return cls(question, relations.places, hard, start, Metric.at(question, start, question.free[:n]))

    @classmethod
    def by_speeds(cls, question: Question) -> "Sought":
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
