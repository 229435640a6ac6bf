"""The laws of contact and friction at one state, in numbers: what a system would do in a mode, and whether it may.

A closed contact pushes, an open one does not close; friction that sticks holds within its bound, friction that slips
goes the way it is said to. Everything is measured in the metric of M, relative to the forces that act.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.derive.contact import Contact, Probe
from dalembert.derive.modes import DIRECTIONS, OFF, SLIPS, STICKS, Mode, Rub

RANK = 1e-10
TURNS = 50  # to find the direction in which a plane friction begins to slip


class Lay(NamedTuple):
    """How a friction lies with some constraints in force: its rows J (d, n) with ṡ = J q̈ − bias, and s (d,).

    `basis` are the constraints that hold its particle, `chart` the coordinate they are solved for, −1 where none is.
    """

    J: Array
    bias: Array
    s: Array
    basis: tuple[int, ...]
    chart: int


class Outcome(NamedTuple):
    """What a mode would do: acceleration (n,), ideal and actual multipliers (m,), the holding force (d,) of each friction
    that sticks, and the margins by which it may: relative to the forces that act, whose size is given, positive where it
    may.
    """

    acceleration: Array
    multipliers: Array
    reactions: Array
    pulls: dict[int, Array]
    margins: tuple[float, ...]
    size: float


@dataclass(frozen=True, eq=False)
class Scene:
    """A state with the numbers of everything that may touch or rub there.

    `undecided` are the one-sided constraints that touch and neither close nor part.
    """

    probe: Probe
    inputs: list[float]
    now: Contact
    undecided: tuple[int, ...] = ()

    @cached_property
    def root(self) -> Array:
        """L with M = LLᵀ, of M + AᵀA where M alone is singular."""
        values = np.linalg.eigvalsh(self.now.M)
        if values[0] > 1e-12 * values[-1]:
            return np.linalg.cholesky(self.now.M)
        return np.linalg.cholesky(self.now.M + self.now.A.T @ self.now.A)

    def raised(self, covectors: Array) -> Array:
        """M⁻¹ times covectors, (n,) or (n, k)."""
        out: Array = np.linalg.solve(self.root.T, np.linalg.solve(self.root, covectors))
        return out

    def length(self, covector: Array) -> float:
        """√(Q M⁻¹ Q)."""
        return float(np.linalg.norm(np.linalg.solve(self.root, covector)))

    def lay(self, rub: Rub, k: int, active: tuple[int, ...]) -> Lay:
        """The rows of a friction, with these constraints in force."""
        now, n = self.now, len(self.now.Q)
        if rub.sliding:
            places = self.probe.places[k]
            return Lay(now.J[places], now.bias[places], now.speed[places], (), -1)
        P = list(rub.particle)
        L = np.linalg.cholesky(now.M[np.ix_(P, P)])
        basis: list[int] = []
        rows = np.zeros((0, len(P)))
        for r in active:
            own = np.flatnonzero(now.A[r])
            if self.probe.moving[r] or not len(own) or not set(own.tolist()) <= set(P):
                continue
            more = np.vstack([rows, np.linalg.solve(L, now.A[r, P])])
            unit = more / np.linalg.norm(more, axis=1, keepdims=True)
            if np.linalg.svd(unit, compute_uv=False)[-1] > 1e-8:
                rows, basis = more, [*basis, r]
        if len(basis) >= len(P):
            return Lay(np.zeros((0, n)), np.zeros(0), np.zeros(0), tuple(basis), -1)
        free = np.linalg.svd(rows, full_matrices=True)[2][len(basis) :].T if basis else np.eye(len(P))
        if len(P) - len(basis) == 1:
            free = _oriented(free, rows, L)
        J = np.zeros((free.shape[1], n))
        J[:, P] = (L @ free).T
        chart = P[int(np.abs(now.A[basis[0], P]).argmax())] if free.shape[1] == 2 else -1
        return Lay(J, np.zeros(len(J)), J @ now.v, tuple(basis), chart)

    def normal(self, j: int, lam: Array) -> float:
        """The normal force behind the friction of a constraint, by multipliers (m,)."""
        rows = self.probe.pressing[j]
        force = self.now.A[rows].T @ lam[rows]
        rub = next(r for r in self.probe.switches.rubs if j in r.members)
        if rub.particle:
            P = list(rub.particle)
            block = np.linalg.cholesky(self.now.M[np.ix_(P, P)])
            return float(np.linalg.norm(np.linalg.solve(block, force[P])))
        return float(np.linalg.norm(force if self.probe.points else lam[rows]))

    def rows(self, mode: Mode, lays: dict[int, Lay]) -> tuple[Array, Array, Array]:
        """The rows of a mode (r, n), their right-hand sides, and their velocities: constraints in force, frictions that
        stick, surfaces the motion stays on.
        """
        now, active = self.now, list(self.probe.switches.active(mode))
        stuck = [k for k, state in enumerate(mode.rubs) if state == STICKS]
        on = [self.probe.slides[g] for g, sign in enumerate(mode.signs) if not sign]
        R = np.vstack([now.A[active], *(lays[k].J for k in stuck), now.J[on]])
        right = np.concatenate([now.b[active], *(lays[k].bias for k in stuck), now.bias[on]])
        rate = np.concatenate([now.rate[active], *(lays[k].s for k in stuck), now.speed[on]])
        return R, right, rate

    def solve(self, mode: Mode, lays: dict[int, Lay], slow: dict[int, bool]) -> Outcome | None:
        """What a mode would do; None where its rows contradict each other.

        `lays` are those of the frictions that are on; `slow` says which of them are at rest, so that their direction is
        part of what must be true.
        """
        switches, now = self.probe.switches, self.now
        active = switches.active(mode)
        m = len(now.b)
        stuck = [k for k, state in enumerate(mode.rubs) if state == STICKS]
        R, right, _ = self.rows(mode, lays)
        B = np.linalg.solve(self.root, R.T).T
        scale = np.linalg.norm(B, axis=1)
        unit = B / np.where(scale > 0, scale, 1.0)[:, None]
        inverse = np.linalg.pinv(unit @ unit.T, rcond=RANK) if len(R) else np.zeros((0, 0))
        inverse = inverse / np.outer(np.where(scale > 0, scale, 1.0), np.where(scale > 0, scale, 1.0))
        lam = inverse @ (right - R @ self.raised(now.Q))
        ideal = np.zeros(m)
        ideal[list(active)] = lam[: len(active)]
        mu, static = self.probe.coefficients(self.inputs, ideal)
        C = self.probe.work(self.inputs, ideal, active)
        slips = [
            (k, j)
            for k, state in enumerate(mode.rubs)
            if state not in (OFF, STICKS)
            for j in switches.rubbing(switches.rubs[k], mode)
        ]
        ways = {k: self._way(mode.rubs[k], lays[k]) for k, _ in slips}
        def moved(ways: dict[int, Array]) -> tuple[Array, Array] | None:
            return self._moved(R, right, inverse, C, ideal, active, slips, ways, lays, mu, mode)

        turning = [k for k in ways if mode.rubs[k] == SLIPS and slow[k]]
        if turning and (found := self._turned(moved, ways, lays, turning)) is not None:
            ways = found
        done = moved(ways)
        if done is None:
            return None
        acceleration, actual = done
        if len(R) and np.abs(unit @ (self.root.T @ acceleration) - right / np.where(scale > 0, scale, 1)).max() > 1e-7 * (
            1e-300 + self._size(C, R, lam)
        ):
            return None  # contradictory rows
        reactions = np.zeros(m)
        reactions[list(active)] = actual[: len(active)]
        pulls: dict[int, Array] = {}
        at = len(active)
        for k in stuck:
            pulls[k] = actual[at : at + len(lays[k].J)]
            at += len(lays[k].J)
        size = self._size(C, R, lam)
        held = actual[len(actual) - sum(not sign for sign in mode.signs) :]
        margins = tuple(float(1 - abs(x)) for x in held)
        margins += self._margins(mode, lays, slow, acceleration, ideal, reactions, pulls, static, size)
        return Outcome(acceleration, ideal, reactions, pulls, margins, size)

    def _turned(
        self,
        moved: Callable[[dict[int, Array]], tuple[Array, Array] | None],
        ways: dict[int, Array],
        lays: dict[int, Lay],
        turning: list[int],
    ) -> dict[int, Array] | None:
        """The directions in which frictions at rest in a plane begin to slip: e along ṡ = ṡ₀ − G e, |e| = 1.

        So (r + G) e = ṡ₀ with r = |ṡ|, which one r > 0 solves. Several frictions take turns.
        """
        ways = {k: np.zeros(len(w)) if k in turning else w for k, w in ways.items()}
        for _ in range(1 if len(turning) == 1 else TURNS):
            for k in turning:
                lay, d = lays[k], len(ways[k])
                rates = []
                for e in (np.zeros(d), *np.eye(d)):
                    done = moved(ways | {k: e})
                    if done is None:
                        return None
                    rates.append(lay.J @ done[0] - lay.bias)
                G = rates[0][:, None] - np.array(rates[1:]).T
                ways[k] = _direction(G, rates[0])
        return ways

    def _size(self, C: Array, R: Array, lam: Array) -> float:
        """The largest of the forces that act, in the metric of M⁻¹."""
        return max(self.length(self.now.Q), self.length(C), self.length(R.T @ lam) if len(R) else 0.0)

    def _way(self, state: str, lay: Lay) -> Array:
        """The unit vector along which a friction slips; zero where it is not known yet."""
        if state in DIRECTIONS:
            return np.array([float(DIRECTIONS[state])])
        size = np.linalg.norm(lay.s)
        return lay.s / size if size > 0 else np.zeros(len(lay.s))

    def _moved(self, R, right, inverse, C, ideal, active, slips, ways, lays, mu, mode):  # type: ignore[no-untyped-def]
        """Acceleration and actual multipliers (of all rows R)."""
        now, switches = self.now, self.probe.switches
        D = np.zeros((len(now.Q), len(R)))
        load = now.Q + C
        for k, j in slips:
            direction = lays[k].J.T @ ways[k]
            if switches.form.constraints[j].nature.normal == "actual":
                unit = np.zeros(len(ideal))
                unit[j] = 1.0
                sign = mode.normals[switches.pressed.index(j)] if j in switches.pressed else 1
                D[:, active.index(j)] -= mu[j] * sign * self.normal(j, unit) * direction
            else:
                load = load - mu[j] * self.normal(j, ideal) * direction
        on = [g for g, sign in enumerate(mode.signs) if not sign]
        for place, g in enumerate(on, len(R) - len(on)):
            D[:, place] += self.probe.push(g, self.inputs, ideal) - R[place]
        e = right - R @ self.raised(load)
        actual = inverse @ e
        if D.any():
            S = R @ self.raised(R.T) + R @ self.raised(D)
            try:
                actual = np.linalg.solve(S, e)
            except np.linalg.LinAlgError:
                actual = np.linalg.lstsq(S, e, rcond=None)[0]
        acceleration = self.raised(load + D @ actual + (R.T @ actual if len(R) else 0.0))
        return (acceleration, actual) if np.isfinite(acceleration).all() else None

    def _margins(self, mode, lays, slow, acceleration, ideal, reactions, pulls, static, size):  # type: ignore[no-untyped-def]
        """By how much each condition of a mode holds."""
        now, switches = self.now, self.probe.switches
        size = size or 1.0
        out = []
        for j in self.undecided:
            length = self.length(now.A[j]) or 1.0
            if j in mode.closed:
                out.append(reactions[j] * length / size)
            else:
                out.append((now.A[j] @ acceleration - now.b[j]) / (length * size))
        for k, state in enumerate(mode.rubs):
            if state == STICKS:
                bound = sum(static[j] * self.normal(j, ideal if self._follows(j) else reactions) for j in switches.rubbing(switches.rubs[k], mode))
                unit = max(self.length(row) for row in lays[k].J)
                out.append((bound - np.linalg.norm(pulls[k])) * unit / size)
            elif state in DIRECTIONS and slow[k]:
                unit = self.length(lays[k].J[0])
                out.append(DIRECTIONS[state] * (lays[k].J[0] @ acceleration - lays[k].bias[0]) / (unit * size))
            elif state == SLIPS and slow[k]:
                unit = max(self.length(row) for row in lays[k].J)
                out.append(float(np.linalg.norm(lays[k].J @ acceleration - lays[k].bias)) / (unit * size))
        for j, sign in zip(switches.pressed, mode.normals, strict=True):
            if j in switches.active(mode):
                (row,) = self.probe.pressing[j]
                lam = ideal if self._follows(j) else reactions
                out.append(sign * lam[row] * self.length(now.A[row]) / size)
        return tuple(map(float, out))

    def _follows(self, j: int) -> bool:
        """Whether a friction follows the ideal force."""
        return bool(self.probe.switches.form.constraints[j].nature.normal == "ideal")


def _direction(G: Array, rate: Array) -> Array:
    """e with (r + G) e = rate and |e| = 1, or the shorter one of r = 0 where friction holds."""

    def excess(r: float) -> float:
        return float(np.linalg.norm(np.linalg.lstsq(r * np.eye(len(G)) + G, rate, rcond=None)[0])) - 1.0

    low, high = 0.0, float(np.linalg.norm(rate))
    if not high or excess(1e-14 * high) <= 0:
        return np.linalg.lstsq(G, rate, rcond=None)[0] if high else rate
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    e: Array = np.linalg.lstsq(high * np.eye(len(G)) + G, rate, rcond=None)[0]
    return e / np.linalg.norm(e)


def _oriented(free: Array, rows: Array, L: Array) -> Array:
    """The one free direction with the sense of the cross product of the rows, as the compiled stage has it."""
    a = (L @ rows.T).T  # rows in coordinates
    if len(L) == 1:
        tangent = np.ones(1)
    elif len(L) == 2:
        tangent = np.array([-a[0, 1], a[0, 0]])
    else:
        tangent = np.cross(a[0], a[1])
    sense = float(tangent @ (L @ free[:, 0]))
    return free if sense >= 0 else -free
