"""A surface c(x) = 0 in numbers: the problem of its point nearest to an origin, its directions, the way onto it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dalembert.model import StateError

Array = np.ndarray
EPS = float(np.finfo(float).eps)
STEPS, HALVINGS = 60, 60  # on the way onto a surface, and of each of them, at most
RANK = 1e-10  # of the largest: a smaller singular value, or pivot, of rows of length one is none
TINY = 1e-5  # of the distance: a step this short needs no halving
SLOW, PATIENCE = 0.99, 4  # so many steps that leave so much of c: it will not be zero
MET = 1e-7  # of what x makes up: more of c than this is left where the surface is missed
SAME = 1e-12  # relative: costs no farther apart are the same


def _same(x: Array) -> Array:
    return x


@dataclass(frozen=True, eq=False)
class Problem:
    """The nearest point x of a surface c(x) = 0 to `origin` (k,): minimise ½ zᵀ W z, z = x − origin.

    `rows` gives c (m,) and J = ∂c/∂x (m, k), `curvature` Σ λ_r ∂²c_r (k, k); both raise `StateError` where c does not
    exist. `degree` is that of c: 1 affine, 2 quadratic, 3 any. `entered` leads to a place where c exists.
    """

    origin: Array
    W: Array
    rows: Callable[[Array], tuple[Array, Array]]
    curvature: Callable[[Array, Array], Array]
    degree: int
    entered: Callable[[Array], Array] = _same

    def cost(self, x: Array) -> float:
        """½ zᵀ W z."""
        z = x - self.origin
        return 0.5 * float(z @ self.W @ z)

    def pull(self, x: Array) -> Array:
        """W z, the slope of the cost."""
        slope: Array = self.W @ (x - self.origin)
        return slope

    def far(self, x: Array) -> float:
        """How far x is from the origin, by its largest part."""
        return float(np.abs(x - self.origin).max(initial=0.0))

    def grain(self, x: Array) -> float:
        """The rounding of what was moved to get to x."""
        return EPS * float(np.abs(x[x != self.origin]).max(initial=0.0))

    def nearer(self, a: Array, b: Array) -> bool:
        """Whether a is nearer than b to the origin; where W does not tell, whether it is so without W."""
        one, two = self.cost(a), self.cost(b)
        if abs(one - two) > SAME * max(one, two):
            return one < two
        return float(np.linalg.norm(a - self.origin)) < float(np.linalg.norm(b - self.origin)) * (1 - SAME)

    def as_near(self, a: Array, b: Array) -> bool:
        """Whether the costs of two points do not tell them apart."""
        one, two = self.cost(a), self.cost(b)
        return abs(one - two) <= SAME * max(one, two)

    def beginning(self, x: Array) -> Array:
        """The place itself where c exists, else one that is as far on the other side of where functions end."""
        try:
            self.rows(x)
        except StateError:
            return self.entered(x)
        return x

    def is_met(self, x: Array) -> bool:
        """Whether x is on the surface, well enough to be compared."""
        c, J = self.rows(x)
        return bool((np.abs(c) <= MET * (np.abs(J) @ np.abs(x))).all())


class Frame:
    """The directions along a surface and across it, from rows J (m, k) of any length."""

    def __init__(self, J: Array) -> None:
        k = J.shape[1]
        self.length = np.linalg.norm(J, axis=1)
        rows = J / np.where(self.length > 0, self.length, 1.0)[:, None]
        if not len(rows) or not k:
            self.rank, self._order = 0, np.zeros(0, dtype=int)
            self._across, self.along = np.zeros((k, 0)), np.eye(k)
            return
        from scipy.linalg import qr  # a run whose start is whole needs no search, and does not wait for it

        Q, R, order = qr(rows.T, pivoting=True)
        pivots = np.abs(np.diag(R))
        self.rank = int(np.count_nonzero(pivots > RANK * (pivots[0] or 1.0)))
        self._R, self._order = R[: self.rank, : self.rank], order[: self.rank]
        self._across, self.along = Q[:, : self.rank], Q[:, self.rank :]

    def multipliers(self, g: Array) -> Array:
        """λ (m,) with Jᵀ λ nearest to −g; rows that depend on others have none."""
        lam = np.zeros(len(self.length))
        if self.rank:
            own = np.linalg.solve(self._R, -self._across.T @ g)
            lam[self._order] = own / self.length[self._order]
        return lam


def onto_surface(problem: Problem, x: Array) -> Array:
    """From x to where c is zero, or no longer gets smaller; raises `StateError` where c does not exist at x.

    By Gauss-Newton, the shortest step that c asks for to first order. Where that leads to a larger c, by a part of it,
    or of a Newton step towards the least ½ |c|², with the curvatures of c, whichever leads farther.
    """
    c, J = problem.rows(x)
    slow, longest, first = 0, np.zeros(len(c)), np.where(c != 0, np.abs(c), 1.0)
    for _ in range(STEPS):
        length = np.linalg.norm(J, axis=1)
        longest = np.maximum(longest, length)
        scale = np.where(length > RANK * longest, length, np.where(longest > 0, longest, first))
        left, rows = c / scale, J / scale[:, None]
        most = float(np.linalg.norm(left))
        if most == 0:
            break
        step = -np.linalg.lstsq(rows, left, rcond=RANK)[0]
        size = float(np.abs(step).max(initial=0.0))
        if size <= 2 * problem.grain(x):
            break
        near = size <= TINY * float(np.abs(x).max(initial=0.0))
        moved = _smaller(problem, x, step, scale, most, 1 if near else 2)
        if moved is None and not near:
            steps = step, _towards_least(problem, x, left, rows, scale)
            found = [way for s in steps if (way := _smaller(problem, x, s, scale, most, HALVINGS)) is not None]
            moved = min(found, key=lambda way: float(np.linalg.norm(way[1] / scale)), default=None)
        if moved is None:
            break
        x, c, J = moved
        slow = slow + 1 if float(np.linalg.norm(c / scale)) > SLOW * most else 0
        if slow == PATIENCE:
            break
    return x


def _smaller(
    problem: Problem, x: Array, step: Array, scale: Array, most: float, halvings: int
) -> tuple[Array, Array, Array] | None:
    """The point a step, or a part of it, leads to, with c and J there, where c is clearly smaller than `most`."""
    for half in range(halvings):
        trial = x + step * 0.5**half
        try:
            c, J = problem.rows(trial)
        except StateError:
            continue
        if float(np.linalg.norm(c / scale)) < (1 - 0.1 * 0.5**half) * most:
            return trial, c, J
    return None


def _towards_least(problem: Problem, x: Array, left: Array, rows: Array, scale: Array) -> Array:
    """Newton's step to the least ½ |c|², downhill also where that is curved down."""
    e, V = np.linalg.eigh(rows.T @ rows + problem.curvature(x, left / scale))
    steep = np.maximum(np.abs(e), RANK * np.abs(e).max(initial=0.0))
    step: Array = -V @ ((V.T @ (rows.T @ left)) / np.where(steep > 0, steep, 1.0))
    return step
