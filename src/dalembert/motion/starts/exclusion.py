"""Whether any point of a surface is nearer than one that was found: regions that cannot hold one are put aside.

The points nearer than x* fill an ellipsoid. First the largest box about x* in which the Lagrangian of the problem, with
a penalty for leaving the surface, is convex: x* is its least point there. What remains of the ellipsoid is covered by
boxes; a box is put aside where it is farther than x*, where bounds of a row over it leave out what the row asks for, or
where all that the rows allow, being nearly straight, is farther; all others are halved. When none is left, none is
nearer. What is left when the work is used up is where one may be: good places to begin a search. Hansen and Walster
2004, chapters 5, 12 and 13.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray
NEARER = 1e-6  # relative: only what is nearer by more than this is looked for
MOST_BOXES = 20_000  # looked at in all
MOST_AT_ONCE = 5_000  # waiting, at most
BEGINNINGS = 24  # of the boxes that are left, spread over them
PENALTY = 10.0  # times as curved as the Lagrangian, across the surface
CURVED = 0.1  # of |u|²: where the Lagrangian is curved less than this, there is a penalty
HALVINGS = 40  # of the box about x*, at most
ROUNDING = 1e-14  # relative: more than that of the few operations here
DEGENERATE = 1e-9  # of the largest: an eigenvalue of W below this is none


class Rows(NamedTuple):
    """Bounds over boxes, least and greatest, of values c (m, count) and of slopes J (m, k, count)."""

    low: Array
    high: Array
    slope_low: Array
    slope_high: Array


@dataclass(frozen=True, eq=False)
class Region:
    """What is asked of x (k,): rows c(x) = 0, and c(x) ≥ 0 of those that are `sided` (m,), by bounds over boxes.

    `over` takes the least and greatest x of boxes, (k, count) each; `bends` of one box (k,) each, and gives the least
    and greatest second derivatives (m, k, k). `affine` (m,) are the rows that have none anywhere.
    """

    over: Callable[[Array, Array], Rows]
    bends: Callable[[Array, Array], tuple[Array, Array]]
    sided: Array
    affine: Array

    def bent(self) -> "Region":
        """Without the rows that are affine and not sided."""
        kept = self.sided | ~self.affine

        def over(low: Array, high: Array) -> Rows:
            return Rows(*(part[kept] for part in self.over(low, high)))

        def bends(low: Array, high: Array) -> tuple[Array, Array]:
            least, most = self.bends(low, high)
            return least[kept], most[kept]

        return Region(over, bends, self.sided[kept], self.affine[kept])


class Excluded(NamedTuple):
    """`proved`: no point is nearer. Else `places` (k,) where one may be; none where nothing can be told."""

    proved: bool
    places: Sequence[Array]


def none_nearer(region: Region, origin: Array, W: Array, x: Array, multipliers: Array) -> Excluded:
    """Whether no point of the region has ½ zᵀWz less than x, z = x − origin; the multipliers are those at x (m,)."""
    if (x - origin) @ W @ (x - origin) <= 0:
        return Excluded(True, ())
    e, V = np.linalg.eigh(W)
    if e[0] <= DEGENERATE * e[-1]:
        return Excluded(False, ())
    straight = not np.count_nonzero(W - np.diag(np.diag(W)))
    turn = np.diag(1 / np.sqrt(np.diag(W))) if straight else V / np.sqrt(e)
    along = _flat(region, x, turn)
    w = along.T @ np.linalg.solve(turn, x - origin)  # of x = x₀ + turn along w, x₀ the nearest that is affine
    foot = x - turn @ along @ w
    if not w.any():
        return Excluded(True, ())
    kept = region.sided | ~region.affine
    short = float(np.linalg.norm(np.linalg.solve(turn, foot - origin)))
    whole = float(np.linalg.norm(np.linalg.solve(turn, x - origin))) * (1 - NEARER)
    if whole <= short:
        return Excluded(True, ())
    r = np.sqrt(whole**2 - short**2)
    return _Ball(region.bent(), foot, turn @ along, w, float(r), multipliers[kept]).covered()


def _flat(region: Region, x: Array, turn: Array) -> Array:
    """Directions (k, ·) of u, of length one, in which all affine rows stay as they are."""
    flat = region.affine & ~region.sided
    if not flat.any():
        return np.eye(len(x))
    at = region.over(x[:, None], x[:, None])
    rows = (at.slope_low[flat, :, 0] + at.slope_high[flat, :, 0]) / 2 @ turn
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    _, size, ways = np.linalg.svd(rows)
    return ways[int(np.count_nonzero(size > DEGENERATE * size[0])) :].T


def halved(low: Array, high: Array) -> tuple[Array, Array]:
    """Each box as two, across its longest side."""
    j, each = np.argmax(high - low, axis=0), np.arange(low.shape[1])
    middle = (low[j, each] + high[j, each]) / 2
    left, right = high.copy(), low.copy()
    left[j, each], right[j, each] = middle, middle
    return np.hstack([low, right]), np.hstack([left, high])


@dataclass(frozen=True, eq=False)
class _Ball:
    """Boxes of u, |u| < r, with x = origin + turn u; the point found is at `best`."""

    region: Region
    origin: Array
    turn: Array
    best: Array
    r: float
    multipliers: Array

    def covered(self) -> Excluded:
        """The whole ball, box by box."""
        k, own = len(self.best), self._convex()
        low, high = np.full((k, 1), -self.r), np.full((k, 1), self.r)
        seen = 0
        while low.shape[1]:
            seen += low.shape[1]
            inside = (np.abs(low - self.best[:, None]) <= own) & (np.abs(high - self.best[:, None]) <= own)
            low, high = self._left(low[:, ~inside.all(axis=0)], high[:, ~inside.all(axis=0)])
            if seen + 2 * low.shape[1] > MOST_BOXES or 2 * low.shape[1] > MOST_AT_ONCE:
                some = np.unique(np.linspace(0, low.shape[1] - 1, BEGINNINGS).astype(int))
                return Excluded(False, [self.origin + self.turn @ u for u in ((low + high) / 2)[:, some].T])
            low, high = halved(low, high)
        return Excluded(True, ())

    def _box(self, middle: Array, half: Array) -> tuple[Array, Array]:
        """The middle and the half sides in x of boxes in u."""
        centre, reach = self.origin[:, None] + self.turn @ middle, np.abs(self.turn) @ half
        return centre, reach + ROUNDING * (np.abs(centre) + reach)

    def _convex(self) -> float:
        """Half a side of a box about the point in which ½ |u|² + λᵀc + ½ ρ |c|² is convex; 0 where there is none.

        It is no more than ½ |u|² where the rows hold: of those that are sided, λ ≤ 0 and ρ = 0. For the point to be its
        least there, its slope must be none: what is left of that must not matter in the box.
        """
        half, me = 2 * self.r, self.best[:, None]
        rho, hard = 0.0, ~self.region.sided
        at, none = self._box(me, np.zeros_like(me))
        H = self._bent(at[:, 0], none[:, 0], 0.0)[0]
        with np.errstate(all="ignore"):
            J = self._slopes(self.region.over(at, at))[0]
            slope = float(np.linalg.norm(self.best + J.T @ self._weights()))
        if not np.isfinite(H).all() or not np.isfinite(slope):
            return 0.0
        if np.linalg.eigvalsh(H)[0] < CURVED and hard.any():
            across = np.linalg.svd(J[hard], compute_uv=False)
            least = float(across[across > DEGENERATE * across[0]].min(initial=np.inf))
            rho = PENALTY * float(np.abs(H).max()) / least**2
        most = NEARER * float(self.best @ self.best) / 4
        for _ in range(HALVINGS):
            centre, reach = self._box(me, np.full_like(me, half))
            H, off = self._bent(centre[:, 0], reach[:, 0], rho)
            known = np.isfinite(H).all() and np.isfinite(off).all()
            if known and slope * half * np.sqrt(len(me)) <= most:
                rounding = ROUNDING * float(np.abs(H).max(initial=0.0))
                if np.linalg.eigvalsh(H)[0] > off.sum(axis=1).max(initial=0.0) + rounding:
                    return half
            half /= 2
        return 0.0

    def _weights(self) -> Array:
        """λ (m,), of rows that are sided none above zero."""
        return np.where(self.region.sided, np.minimum(self.multipliers, 0.0), self.multipliers)

    def _slopes(self, rows: Rows) -> tuple[Array, Array]:
        """∂c/∂u (m, k) in the middle of one box, and by how much it may differ."""
        middle, off = (rows.slope_low + rows.slope_high)[:, :, 0] / 2, (rows.slope_high - rows.slope_low)[:, :, 0] / 2
        return middle @ self.turn, off @ np.abs(self.turn)

    def _bent(self, centre: Array, reach: Array, rho: float) -> tuple[Array, Array]:
        """The second derivatives of the function that is to be convex, in the middle of a box, and how they differ."""
        sided = self.region.sided
        with np.errstate(all="ignore"):
            low, high = self.region.bends(centre - reach, centre + reach)
            bend, bend_off = (low + high) / 2, (high - low) / 2
            rows = self.region.over((centre - reach)[:, None], (centre + reach)[:, None])
            J, J_off = (part[~sided] for part in self._slopes(rows))
            penalty = np.where(sided, 0.0, rho)
            weight = self._weights() + _times(penalty, (rows.low + rows.high)[:, 0] / 2)
            weight_off = _times(penalty, (rows.high - rows.low)[:, 0] / 2)
            H = np.einsum("r,rij->ij", weight, bend)
            off = np.einsum("r,rij->ij", np.abs(weight) + weight_off, bend_off)
            off += np.einsum("r,rij->ij", weight_off, np.abs(bend))
            H = self.turn.T @ H @ self.turn + np.eye(len(self.best)) + rho * J.T @ J
            across = np.abs(J.T) @ J_off
            off = np.abs(self.turn).T @ off @ np.abs(self.turn) + _times(rho, across + across.T + J_off.T @ J_off)
        return (H + H.T) / 2, off

    def _left(self, low: Array, high: Array) -> tuple[Array, Array]:
        """The boxes that may hold a point."""
        near = (np.maximum(np.maximum(low, -high), 0.0) ** 2).sum(axis=0) < self.r**2
        low, high = low[:, near], high[:, near]
        middle = (low + high) / 2
        centre, reach = self._box(middle, (high - low) / 2)
        rows, at = self.region.over(centre - reach, centre + reach), self.region.over(centre, centre)
        with np.errstate(all="ignore"):
            gone = self._missed(rows, at, reach)
            gone[~gone] = self._too_far(_some(rows, ~gone), _some(at, ~gone), reach[:, ~gone], middle[:, ~gone])
        return low[:, ~gone], high[:, ~gone]

    def _missed(self, rows: Rows, at: Rows, reach: Array) -> Array:
        """Where some row cannot have the value it is asked for: by its bounds, or those of its slopes."""
        steepest = np.fmax(np.abs(rows.slope_low), np.abs(rows.slope_high))
        off = _or_any((steepest * reach).sum(axis=1))
        least, most = np.fmax(rows.low, at.low - off), np.fmin(rows.high, at.high + off)
        missed = (most < 0) | ((least > 0) & ~self.region.sided[:, None]) | np.isnan(rows.low)
        return np.asarray(missed.any(axis=0))

    def _too_far(self, rows: Rows, at: Rows, reach: Array, middle: Array) -> Array:
        """Where all that the rows allow, being nearly straight, is farther than r.

        A u = b with A = J turn and b = A u₀ − c, but for ε: |u| ≥ (yᵀb − |y|ᵀε) / |Aᵀy| for every y; of a row c ≥ 0,
        for every y ≥ 0 of it.
        """
        J, c = (at.slope_low + at.slope_high) / 2, (at.low + at.high) / 2
        differs = np.maximum(rows.slope_high - J, J - rows.slope_low)
        off = ((differs * reach).sum(axis=1) + (at.high - at.low) / 2).T
        A = np.einsum("mkn,kj->nmj", J, self.turn)
        b = np.einsum("nmj,jn->nm", A, middle) - c.T
        known = np.isfinite(off) & np.isfinite(b) & np.isfinite(A).all(axis=2)
        size = np.linalg.norm(np.where(known[:, :, None], A, 0.0), axis=2)
        known &= size > 0
        A = np.where(known[:, :, None], A / size[:, :, None], 0.0)
        b, off = np.where(known, b / size, 0.0), np.where(known, off / size, 0.0)
        y = np.einsum("nij,nj->ni", np.linalg.pinv(A @ A.transpose(0, 2, 1), rcond=DEGENERATE, hermitian=True), b)
        y = np.where(self.region.sided & (y < 0), 0.0, y)
        push = (y * b).sum(axis=1) - (np.abs(y) * (off + ROUNDING * np.abs(b))).sum(axis=1)
        far: Array = push > self.r * np.linalg.norm(np.einsum("nij,ni->nj", A, y), axis=1)
        return far


def _some(rows: Rows, which: Array) -> Rows:
    return Rows(*(part[..., which] for part in rows))


def _times(factor: Any, part: Array) -> Array:
    """A product in which what has no weight counts for nothing, be it infinite."""
    return np.where(np.asarray(factor) == 0, 0.0, factor * part)


def _or_any(size: Array) -> Array:
    """Infinite where nothing is known."""
    return np.where(np.isnan(size), np.inf, size)
