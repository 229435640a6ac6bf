"""The nearest point of a surface c(x) = 0 to an origin, from one beginning, with the conditions that prove it.

    minimise ½ zᵀ W z   over   c(x) = 0,        z = x − origin,   W symmetric, zᵀWz ≥ 0

With J = ∂c/∂x, Z spanning its null space, and multipliers λ, a point is a minimum where

    c = 0,   W z + Jᵀ λ = 0                 (first order: Karush, Kuhn and Tucker)
    Zᵀ (W + Σ λ_r ∂²c_r) Z > 0              (second order, with the true curvatures of the surface)

Steps go along the surface by Newton's method in these terms and back onto it by Gauss-Newton, so that W is never
inverted and may be singular; where curvature is negative they leave a maximum or a saddle. Nocedal and Wright 2006,
chapters 12 and 18; Absil, Mahony and Sepulchre 2008.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dalembert.model import StateError
from dalembert.motion.starts.surface import TINY, Frame, Problem, onto_surface

Array = np.ndarray
STEPS, TRIALS = 60, 12  # along the surface, and halvings of each of them, at most
GONE = 1e-12  # of what c was: where the rows have no direction, less of it is none
FLAT = 1e-7  # of the two parts of a curvature, that of W and that of the surface: a smaller difference is none
FIRST = 1e-7  # of ‖W z‖: what may be left of it along the surface at a minimum
BASIN = 1e-2  # of the distance: a step this short that ends this much nearer still to a minimum will end at it
SHORTER = 0.9  # times as long as the last: a step by which Newton's method, at a minimum of fourth order too, ends
KICK = 0.1  # of the distance: a step off a saddle, or along what seems to be equally near
APART, EQUAL = 1e-3, 1e-9  # of the distance, and of its square: a point so far away that is no farther is as near


@dataclass(frozen=True, eq=False)
class Point:
    """Where a search ended: x and z = x − origin (k,), ½ zᵀWz, λ (m,), and what is known of it.

    `stationary`: the first-order conditions hold. `least`: the smallest curvature along the surface, over the sizes of
    its two parts; infinite where the surface is a point. `whole`: the same over all directions: where c is affine or
    quadratic and this is positive, no point of the surface is nearer, and none as near. `rank`: of the rows there.
    `in_family`: points beside it are as near.
    """

    x: Array
    z: Array
    cost: float
    multipliers: Array
    stationary: bool
    least: float
    whole: float
    rank: int = 0
    in_family: bool = False

    @property
    def settled(self) -> bool:
        """Whether it may be a minimum: stationary, and nowhere curved down."""
        return self.stationary and self.least > -FLAT

    @property
    def strict(self) -> bool:
        """Whether it is a minimum, and no neighbour is as near."""
        return self.stationary and self.least > FLAT


def nearest_point(problem: Problem, x: Array, reach: float, known: Sequence[Point] = ()) -> Point | None:
    """The local minimum that the way from x leads to; None where it misses the surface, or leads to a known one.

    `reach` is about how far the surface is, for the first step away from a point where nothing else says how far.
    """
    try:
        x = problem.beginning(x)
        first = np.abs(problem.rows(x)[0])
        x = onto_surface(problem, x)
        if not (problem.is_met(x) or (np.abs(problem.rows(x)[0]) <= GONE * first).all()):
            return None
        way = _direction(problem, x)
        for _ in range(STEPS):
            if (np.abs(way.step) <= 4 * problem.grain(x)).all() and way.least > -FLAT:
                break
            if any(_leads_to(x, way.step, point) for point in known):
                return None
            moved = _moved(problem, x, way) if way.step.any() else None
            if moved is None and way.least < -FLAT:
                moved = _off_the_saddle(problem, x, way, reach)
            if moved is None:
                break
            x, way = moved
        return known_point(problem, x)
    except (StateError, np.linalg.LinAlgError):
        return None


class _Bend(NamedTuple):
    """The curvatures of the Lagrangian in some directions: their values, ascending, directions (k, ·), relative to the
    sizes of their two parts, and which of them have neither part.
    """

    values: Array
    ways: Array
    parts: Array
    weightless: Array

    @property
    def least(self) -> float:
        """The smallest, relative to its parts."""
        return float(np.where(self.weightless, np.inf, self.parts).min(initial=np.inf))


class _Way(NamedTuple):
    """At a point: its frame and multipliers, how the Lagrangian is bent, the step along the surface to a minimum."""

    frame: Frame
    multipliers: Array
    bend: _Bend
    step: Array

    @property
    def least(self) -> float:
        """The smallest curvature along the surface."""
        return self.bend.least


def _bent(problem: Problem, x: Array, lam: Array, Z: Array) -> _Bend:
    """How the Lagrangian is bent in the space of Z (k, ·)."""
    surface = problem.curvature(x, lam)
    e, V = np.linalg.eigh(Z.T @ (problem.W + surface) @ Z) if Z.shape[1] else (np.zeros(0), np.zeros((0, 0)))
    V = Z @ V
    weight = np.einsum("ij,ij->j", V, problem.W @ V)
    size = np.abs(weight) + np.abs(e - weight)
    largest = max(float(np.abs(surface).max(initial=0.0)), float(np.abs(problem.W).max(initial=0.0))) or 1.0
    weightless = size <= FLAT * FLAT * largest
    return _Bend(e, V, np.divide(e, size, out=np.zeros(len(e)), where=~weightless), weightless)


def _direction(problem: Problem, x: Array) -> _Way:
    frame = Frame(problem.rows(x)[1])
    z, g = x - problem.origin, problem.pull(x)
    lam = frame.multipliers(g)
    bend = _bent(problem, x, lam, frame.along)
    steep = np.abs(bend.parts) > FLAT
    part = np.where(steep, -(bend.ways.T @ g) / np.where(steep, np.abs(bend.values), 1.0), 0.0)
    part = np.where(bend.weightless, -(bend.ways.T @ z), part)  # what has no weight moves least
    step = bend.ways @ part
    longest, most = float(np.linalg.norm(step)), 2 * float(np.linalg.norm(z))
    return _Way(frame, lam, bend, step * min(1.0, most / longest) if longest > 0 else step)


def _leads_to(x: Array, step: Array, point: Point) -> bool:
    """Whether a step is about to end at a point, which Newton's method then does."""
    far = BASIN * float(np.abs(point.z).max(initial=0.0))
    return point.strict and bool(np.abs(x + step - point.x).max() <= BASIN * far and np.abs(step).max() <= far)


def _moved(problem: Problem, x: Array, way: _Way) -> tuple[Array, _Way] | None:
    """The point a step along the surface leads to, nearer than x, and the way from there; None where there is none."""
    tiny = float(np.abs(way.step).max()) <= TINY * problem.far(x)
    for half in range(TRIALS):
        try:
            trial = onto_surface(problem, x + way.step * 0.5**half)
            if tiny:  # the cost no longer tells: Newton's method ends by itself
                onward = _direction(problem, trial)
                return (trial, onward) if np.abs(onward.step).max() < 0.5 * np.abs(way.step).max() else None
            if not problem.is_met(trial):
                continue
            if problem.nearer(trial, x):
                return trial, _direction(problem, trial)
            if half == 0 and problem.as_near(trial, x):  # where it is flat, steps tell what the cost does not
                onward = _direction(problem, trial)
                if np.abs(onward.step).max() < SHORTER * np.abs(way.step).max():
                    return trial, onward
        except StateError:
            continue
    return None


def _off_the_saddle(problem: Problem, x: Array, way: _Way, reach: float) -> tuple[Array, _Way] | None:
    """A nearer point in the direction in which the Lagrangian is curved down most, and the way from there."""
    down = way.bend.ways[:, int(np.argmin(way.bend.parts))]
    far = KICK * (problem.far(x) or reach)
    for half in range(4):
        found = []
        for side in (1.0, -1.0):
            try:
                trial = onto_surface(problem, x + side * far * 0.25**half * down)
                if problem.nearer(trial, x) and problem.is_met(trial):
                    found.append(trial)
            except StateError:
                continue
        if found:
            best = min(found, key=problem.cost)
            return best, _direction(problem, best)
    return None


def known_point(problem: Problem, x: Array) -> Point:
    """What is known of a point."""
    way, g = _direction(problem, x), problem.pull(x)
    left = float(np.linalg.norm(way.frame.along.T @ g))
    noise = 64 * float(np.abs(problem.W).max(initial=0.0)) * problem.grain(x)
    whole = _bent(problem, x, way.multipliers, np.eye(len(x)))
    stationary = left <= FIRST * float(np.linalg.norm(g)) + noise
    return Point(
        x,
        x - problem.origin,
        problem.cost(x),
        way.multipliers,
        stationary,
        way.least,
        whole.least if not whole.weightless.any() else 0.0,
        way.frame.rank,
        stationary and abs(way.least) <= FLAT and _has_equals(problem, x, way),
    )


def _has_equals(problem: Problem, x: Array, way: _Way) -> bool:
    """Whether points beside x, in a direction in which nothing is curved, are as near, by a step there.

    Where only the second order vanishes, a step of a part of the distance does.
    """
    far, cost = problem.far(x), problem.cost(x)
    if not far > 0:
        return True
    for j in np.flatnonzero((np.abs(way.bend.parts) <= FLAT) & ~way.bend.weightless).tolist():
        for side in (KICK, -KICK):
            try:
                beside = onto_surface(problem, x + side * far * way.bend.ways[:, j])
            except StateError:
                continue
            moved = float(np.abs(beside - x).max())
            if problem.is_met(beside) and moved > APART * far and problem.cost(beside) - cost <= EQUAL * cost:
                return True
    return False
