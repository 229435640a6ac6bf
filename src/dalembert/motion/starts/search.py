"""All nearest points of a surface that a search from many beginnings finds, nearest first; nothing in it is random.

The nearest point is no farther than any point of the surface. So the beginnings fill a ball around the origin, twice as
large as the nearest point found is far: along the axes, at the mirror images of what was found, and in directions from
a fixed list.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dalembert.model import StateError
from dalembert.motion.starts.nearest_point import FLAT, Point, known_point, nearest_point
from dalembert.motion.starts.surface import Problem, onto_surface

Array = np.ndarray
FAINT = 1e-4  # of the distance: at a singular point a value this small may be none
FLAT_WELL = 1e-2  # of the distance: so may one at a minimum that no second order holds
APART = 1e-6  # of what moved: points farther apart than this are different ones
BEGINNINGS = (
    (1, 10),
    (2, 20),
    (6, 32),
    (12, 20),
    (40, 8),
    (150, 2),
)  # up to so many variables, so many directions; else none
AXES = 12  # up to so many variables, beginnings on the axes, and mirror images
LEAP = 4  # times as far as the surface should be: a first point farther away was leapt to
WELL_FILLED = 5  # a ball this many times as large as the nearest point is far was too large to be well filled
TURNED = 6  # of the nearest points, so many are turned back by whole turns
RADII = (1.0, 0.5, 1.5, 2.0, 0.2)


class Found(NamedTuple):
    """Points of the surface, nearest first, how many beginnings were tried, and whether no other can be as near."""

    points: tuple[Point, ...]
    beginnings: int
    proved: bool


def search(
    problem: Problem, accepts: Callable[[Array], bool], usual: float, turn: Array, *, all_of_them: bool
) -> Found:
    """The local minima found; those that `accepts` does not take as points of the surface are left out.

    `usual` is a distance to begin with where c does not tell one, `turn` (k,) a whole turn in the units of x. Where the
    first point is proved to be the nearest of all, others are sought only if `all_of_them` are wanted.
    """
    k = len(problem.W)
    points, tried = list[Point](), 0

    def look(z: Array, reach: float) -> None:
        nonlocal tried
        tried += 1
        points.extend(search_from(problem, accepts, [problem.origin + z], points, reach))

    reach = how_far(problem) or usual
    look(np.zeros(k), reach)
    if not k:  # nothing can move
        return Found(tuple(points), tried, True)
    proved = bool(points) and _is_nearest(problem, points[0])
    if not proved or (all_of_them and problem.degree > 1):
        radius = min(problem.far(points[0].x) or reach, LEAP * reach) if points else reach
        for z in beginnings_at(k, radius):
            look(z, reach)
        if not points and radius < usual:  # beside a pole slopes do not tell how far it is
            for z in beginnings_at(k, usual):
                look(z, usual)
        nearest = min((problem.far(point.x) for point in points), default=radius)
        if not radius / WELL_FILLED <= nearest <= radius:
            for z in beginnings_at(k, nearest):
                look(z, nearest)
        if points and k <= AXES:
            best = min(points, key=lambda point: point.cost)
            for z in _mirrored(best.z):
                look(z, reach)
        for point in sorted(points, key=lambda point: point.cost)[:TURNED]:
            for z in _turned_back(point.z, turn):
                look(z, reach)
    points.sort(key=lambda point: (point.cost, float(point.z @ point.z)))
    if points and not proved:
        proved = _is_nearest(problem, points[0])
    return Found(tuple(points), tried, proved)


def search_from(
    problem: Problem, accepts: Callable[[Array], bool], places: Sequence[Array], known: Sequence[Point], reach: float
) -> list[Point]:
    """The local minima that the ways from some places lead to and that are not known."""
    found: list[Point] = []
    for x in places:
        with np.errstate(all="ignore"):  # a step too far may overflow, and is not taken
            point = nearest_point(problem, x, reach, (*known, *found))
        if point is not None and not accepts(point.x):
            point = _at_zero(problem, point)
        elif point is not None and point.stationary and not point.strict and not point.in_family:
            there = _unmoved(problem, point)
            point = there if there is not None and accepts(there.x) else point
        if point is not None and accepts(point.x) and not any(_same(point, other) for other in (*known, *found)):
            found.append(point)
    return found


def _at_zero(problem: Problem, point: Point) -> Point | None:
    """The point with what is about nothing at zero: to a cusp or the tip of a cone the way is slow and inexact."""
    faint = (np.abs(point.x) <= FAINT * problem.far(point.x)) & (point.x != 0)
    try:
        return known_point(problem, np.where(faint, 0.0, point.x)) if faint.any() else None
    except StateError:
        return None


def _unmoved(problem: Problem, point: Point) -> Point | None:
    """The point with what is about unmoved where it was, if that is as near.

    To a minimum that no second order holds the way is slow and inexact too.
    """
    faint = (np.abs(point.z) <= FLAT_WELL * problem.far(point.x)) & (point.z != 0)
    if not faint.any():
        return None
    try:
        x = onto_surface(problem, np.where(faint, problem.origin, point.x))
        return known_point(problem, x) if problem.as_near(x, point.x) or problem.nearer(x, point.x) else None
    except (StateError, np.linalg.LinAlgError):
        return None


def _is_nearest(problem: Problem, point: Point) -> bool:
    """Whether no other point can be as near: the Lagrangian is convex, and this is its one least point."""
    if not point.strict:
        return False
    return problem.degree == 1 or (problem.degree == 2 and point.whole > FLAT)


def _same(point: Point, other: Point) -> bool:
    """Whether two points are one, but for the error of where they were found."""
    size = np.maximum(np.abs(point.x), np.abs(other.x))
    moved = (point.z != 0) | (other.z != 0)
    return bool((np.abs(point.x - other.x) <= APART * size[moved].max(initial=0.0)).all())


def how_far(problem: Problem) -> float:
    """About how far the surface is, by the first two derivatives of each c at the origin; 0 where these do not tell.

    Where c does not exist at the origin, also how far it is to where it does.
    """
    try:
        x = problem.beginning(problem.origin)
        c, J = problem.rows(x)
        bends = [np.linalg.norm(problem.curvature(x, row)) for row in np.eye(len(c))[:64]]
    except StateError:
        return 0.0
    far = [problem.far(x)]
    for value, slope, bend in zip(np.abs(c), np.linalg.norm(J, axis=1), bends, strict=False):
        ways = [value / slope] if slope > 0 else []
        ways += [np.sqrt(2 * value / bend)] if bend > 0 else []
        if value > 0 and ways:
            far.append(float(min(ways)))
    return max(far, default=0.0)


def beginnings_at(k: int, distance: float) -> Iterator[Array]:
    """Points in the ball of twice the distance: on the axes, then in directions from a fixed list."""
    if k <= AXES:
        for j in range(k):
            for side in (1.0, -1.0):
                yield distance * side * np.eye(k)[j]
    count = next((many for most, many in BEGINNINGS if k <= most), 0)
    directions = np.random.default_rng(7).standard_normal((count, k))
    for i, way in enumerate(directions):
        yield distance * RADII[i % len(RADII)] * way / np.abs(way).max()


def _mirrored(z: Array) -> Iterator[Array]:
    """The images of a point in the origin and in each plane of coordinates."""
    yield -z
    for j in np.flatnonzero(np.abs(z) > APART * np.abs(z).max(initial=0.0)):
        image = z.copy()
        image[j] = -image[j]
        yield image


def _turned_back(z: Array, turn: Array) -> Iterator[Array]:
    """The same, if these are angles, with those farther than half a turn brought nearer by whole turns."""
    turns = np.round(z / turn)
    turn = np.where(turns != 0, turn, 0.0)  # of what is no angle, a turn is infinite
    if turns.any():
        yield z - turns * turn
        for j in np.flatnonzero(turns) if np.count_nonzero(turns) > 1 else ():
            image = z.copy()
            image[j] -= turns[j] * turn[j]
            yield image
