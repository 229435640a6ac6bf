"""The metric in which a start is near: that of the mass matrix, in units in which the matrix is balanced."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.derive import Array, prepared
from dalembert.derive.relations import Relation
from dalembert.derive.scales import coordinate_units, mass
from dalembert.model import StateError
from dalembert.motion.starts.exclusion import Excluded, Region, Rows, none_nearer
from dalembert.motion.starts.nearest_point import Point
from dalembert.motion.starts.order import Near
from dalembert.motion.starts.surface import EPS, Problem

if TYPE_CHECKING:
    from dalembert.motion.starts.nearest_state import Question

DEFINITE = 1e-12  # of the largest: an eigenvalue of M below minus this is negative
ENTRIES = 8  # steps to where functions exist, at most
WEIGHTLESS = 1e-7  # of a change in its own units: a shorter one in the metric of M has no mass


class Asked(NamedTuple):
    """Rows of a relation that are to be zero, those that are not to be negative, and which of these are zero."""

    equal: Sequence[int]
    sided: Sequence[int] = ()
    closed: Sequence[int] = ()


@dataclass(frozen=True, eq=False)
class Metric:
    """Changes x = units · z of what is free (n,), with zᵀWz `scale` = xᵀMx; W (k, k) has entries up to one.

    `by_mass` is False where M does not exist or is no metric, being indefinite or zero: then zᵀWz = zᵀz. The last so
    many of what is free are `weightless`: no change of them is any distance.
    """

    free: Array
    units: Array
    W: Array
    scale: float
    by_mass: bool
    weightless: int = 0

    @classmethod
    def at(cls, question: "Question", q: Array, free: Array) -> "Metric":
        """M at positions q and the velocities of the question."""
        n, kept = question.n, prepared(question.system)
        inputs = question.inputs(q, question.place[n:])
        try:
            M, units = mass(kept, inputs), coordinate_units(kept, inputs)[free]
        except StateError:
            M, units = np.zeros((n, n)), np.ones(n)[free]
        W = units[:, None] * M[np.ix_(free, free)] * units
        size = float(np.abs(W).max(initial=0.0))
        least = float(np.linalg.eigvalsh(W)[0]) if W.size else 0.0
        if size == 0 or least < -DEFINITE * size:
            return cls(free, units, np.eye(len(units)), 1.0, False)
        return cls(free, units, W / size, size, True)

    def with_speeds(self, speeds: Array, free: Array) -> "Metric":
        """The same with velocities (n,) behind the coordinates; those that are `free` move and are no distance.

        The largest that is stated is about as long as the units of coordinates that move.
        """
        k, more = len(self.units), int(free.sum())
        W = np.zeros((k + more, k + more))
        W[:k, :k] = self.W
        fastest = float(np.abs(speeds).max(initial=0.0)) or 1.0
        units = np.concatenate([self.units, np.full(more, fastest)])
        return Metric(np.concatenate([self.free, free]), units, W, self.scale, self.by_mass, more)

    def point(self, values: Array) -> Array:
        """What is free (k,) of values (n,), in the units of the metric."""
        scaled: Array = values[self.free] / self.units
        return scaled

    def values(self, start: Array, x: Array) -> Array:
        """The start (n,) with what is free at x (k,)."""
        values = start.copy()
        values[self.free] = self.units * x
        return values

    def usual(self, start: Array) -> float:
        """The size of what a change is made to, where nothing else says how far to look."""
        return float(np.abs(self.point(start)).max(initial=0.0)) or 1.0

    def problem(
        self, start: Array, relation: Relation, rows: Sequence[int], inputs: Callable[[Array], Sequence[float]]
    ) -> Problem:
        """The nearest point to a start (n,) on some rows of a relation; `inputs` makes bare numbers of values (n,).

        Rows that nothing free stands in are left out: whether they hold is not for a search to find.
        """
        chosen = np.array([r for r in rows if relation.depends(r, self.free)], dtype=int)
        block = np.ix_(chosen, np.flatnonzero(self.free))

        def at(x: Array) -> tuple[Array, Array]:
            c, J = relation.at(inputs(self.values(start, x)))
            return c[chosen], J[block] * self.units

        def curvature(x: Array, weights: Array) -> Array:
            every = np.zeros(relation.count)
            every[chosen] = weights
            H = relation.curvature(inputs(self.values(start, x)), every)[np.ix_(self.free, self.free)]
            bent: Array = self.units[:, None] * H * self.units
            return bent

        def entered(x: Array) -> Array:
            for _ in range(ENTRIES):
                d, D = self._beyond(relation, inputs(self.values(start, x)))
                if not len(d):
                    break
                x = x + np.linalg.lstsq(D, -2 * d, rcond=None)[0]
            return x

        return Problem(self.point(start), self.W, at, curvature, relation.degree(chosen.tolist(), self.free), entered)

    def _beyond(self, relation: Relation, inputs: Sequence[float]) -> tuple[Array, Array]:
        """What is below zero and must not be where functions exist: its values (e,) and slopes (e, k)."""
        below, slopes = list[float](), list[Array]()
        for edge in relation.edges:
            try:
                (d,), (slope,) = edge.at(inputs)
            except StateError:  # what stands inside of it does not exist, and is another
                continue
            own = slope[self.free] * self.units
            if d < 0 and own.any():
                below.append(d)
                slopes.append(own)
        return np.array(below), np.array(slopes).reshape(-1, len(self.units))

    def none_nearer(self, relation: Relation, asked: Asked, inputs: Array, offset: int, point: Point) -> Excluded:
        """Whether nothing that rows of a relation allow is nearer; else places (k,) where it may be.

        The values that can change begin at `offset` of the inputs. What no row depends on is left out: it follows as it
        needs least, and W for the rest is a Schur complement.
        """
        free = np.flatnonzero(self.free)
        chosen = np.array([r for r in (*asked.equal, *asked.sided) if relation.depends(r, self.free)], dtype=int)
        lam = np.zeros(len(chosen))
        lam[np.isin(chosen, [*asked.equal, *asked.closed])] = point.multipliers
        each = np.eye(len(self.free), dtype=bool)
        own = np.array([any(relation.depends(r, each[j]) for r in chosen) for j in free], dtype=bool)
        slots, units = offset + free[own], self.units[own]

        def box(x: Array) -> Array:
            every = np.repeat(inputs[:, None], x.shape[1], axis=1)
            every[slots] = units[:, None] * x
            return every

        def over(low: Array, high: Array) -> Rows:
            c_low, c_high, J_low, J_high = relation.over(box(low), box(high))
            J_low, J_high = (J[np.ix_(chosen, free[own])] * units[:, None] for J in (J_low, J_high))
            return Rows(c_low[chosen], c_high[chosen], J_low, J_high)

        def bends(low: Array, high: Array) -> tuple[Array, Array]:
            found = relation.bends_over(box(low[:, None])[:, 0], box(high[:, None])[:, 0])
            least, most = (H[np.ix_(chosen, free[own], free[own])] * units[:, None] * units for H in found)
            return least, most

        W = self.W[np.ix_(own, own)]
        if not own.all():
            others = self.W[np.ix_(own, ~own)]
            W = W - others @ np.linalg.pinv(self.W[np.ix_(~own, ~own)], hermitian=True) @ others.T
        origin = point.x - point.z
        affine = np.array([relation.degree([r], self.free) == 1 for r in chosen], dtype=bool)
        region = Region(over, bends, np.isin(chosen, asked.sided), affine)
        found = none_nearer(region, origin[own], W, point.x[own], lam)
        places = []
        for x in found.places:
            place = point.x.copy()
            place[own] = x
            places.append(place)
        return Excluded(found.proved, places)

    def near(self, start: Array, point: Point, on: Callable[[Array], bool], closed: tuple[int, ...]) -> Near:
        """A point as values (n,); what it changes by rounding alone is left as it was, where the constraints allow."""
        size, origin = float(np.abs(point.z).max(initial=0.0)), self.point(start)
        faint = np.abs(point.z) <= 64 * EPS * float(np.abs(point.x[point.z != 0]).max(initial=0.0))
        values = self.values(start, np.where(faint, origin, point.x))
        if not on(values):
            values = self.values(start, point.x)
        z = point.z[: len(point.z) - self.weightless]
        change = float(np.linalg.norm(z))
        length = float(np.sqrt(2 * max(point.cost, 0.0)))
        distance = length * float(np.sqrt(self.scale)) if length > WEIGHTLESS * change else 0.0
        sizes = np.zeros(len(start))
        sizes[self.free] = size * self.units
        light = float(np.linalg.norm(self._massless.T @ z)) if self.by_mass else 0.0
        return Near(values, distance, change, light, sizes, point, closed)

    @cached_property
    def _massless(self) -> Array:
        """The directions (k, ·) along which W is nothing."""
        k = len(self.W) - self.weightless
        e, V = np.linalg.eigh(self.W[:k, :k])
        return V[:, e <= DEFINITE * e.max(initial=0.0)]
