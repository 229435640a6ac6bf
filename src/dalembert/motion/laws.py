"""The laws of contact and friction at one state, in numbers: what a system would do in a mode, and whether it may.

A closed contact pushes, an open one does not close; friction that sticks holds within its bound, friction that slips
goes the way it is said to. Everything is measured in the metric of M, relative to the forces that act.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.contact import Contact, Probe
from dalembert.derive.switching.modes import DIRECTIONS, OFF, SLIPS, STICKS, Mode, Rub
from dalembert.model import StateError

RANK = 1e-10  # of rows of unit length
SOUND = 1e-6  # a pivot above this is that of independent rows
CONTRADICTION = 1e-7  # what rows may be left with, relative to the forces that act
TURNS = 50  # of several plane frictions that begin to slip together


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
    """What a mode would do: acceleration (n,), ideal and actual multipliers (m,), and whether it may.

    `pulls` are the holding forces (d,) of frictions that stick, `ways` the directions (d,) of those that slip. The
    margins are positive where a condition holds, relative to `size`, that of the forces that act.
    """

    acceleration: Array
    multipliers: Array
    reactions: Array
    pulls: dict[int, Array]
    margins: tuple[float, ...]
    size: float
    ways: dict[int, Array] = {}  # noqa: RUF012  never written to


class Rows(NamedTuple):
    """The rows of a mode: R (r, n) with R q̈ = right, and their velocities `rate`.

    Also (R M⁻¹ Rᵀ)⁺, the lengths of the rows in the metric of M⁻¹, and the ideal λ of all constraints (m,).
    """

    R: Array
    right: Array
    rate: Array
    inverse: Array
    lengths: Array
    ideal: Array


@dataclass(frozen=True, eq=False)
class Scene:
    """A state with the numbers of everything that may touch or rub there.

    `undecided` are the one-sided constraints that touch and neither close nor part.
    """

    probe: Probe
    inputs: list[float]
    now: Contact
    undecided: tuple[int, ...] = ()
    _kept: dict[tuple[object, ...], Rows] = field(default_factory=dict)
    _lays: dict[tuple[int, tuple[int, ...]], Lay] = field(default_factory=dict)

    @cached_property
    def mobility(self) -> Array:
        """M⁻¹, of M + AᵀA where M alone is singular."""
        M = self.now.M
        diagonal = np.diag(M)
        if (diagonal > 0).all():
            scale = 1.0 / np.sqrt(diagonal)
            unit = M * np.outer(scale, scale)
            if len(M) == 1 or np.linalg.eigvalsh(unit)[0] > 1e-12:
                out: Array = np.linalg.inv(unit) * np.outer(scale, scale)
                return out
        try:
            return np.linalg.inv(M + self.now.A.T @ self.now.A)
        except np.linalg.LinAlgError:
            fault = "the mass matrix is singular here, and the constraints do not make up for it"
            raise StateError("the state", [fault]) from None

    @cached_property
    def rough(self) -> dict[int, bool]:
        """Whether each frictional constraint has friction at all: its coefficients are not all zero here."""
        mu, static = self.probe.coefficients(self.inputs, np.zeros(len(self.now.b)))
        return {j: bool(mu[j] or static[j]) or self.probe.varies[j] for j in mu}

    def raised(self, covectors: Array) -> Array:
        """M⁻¹ times covectors, (n,) or (n, k)."""
        out: Array = self.mobility @ covectors
        return out

    def length(self, covector: Array) -> float:
        """√(Q M⁻¹ Q)."""
        return sqrt(max(float(covector @ self.mobility @ covector), 0.0))

    def lay(self, k: int, active: tuple[int, ...]) -> Lay:
        """The rows of a friction, with these constraints in force."""
        if (k, active) not in self._lays:
            rub = self.probe.switches.rubs[k]
            self._lays[k, active] = self._given(k) if rub.sliding else self._of_particle(rub, active)
        return self._lays[k, active]

    def _given(self, k: int) -> Lay:
        now, places = self.now, self.probe.places[k]
        return Lay(now.J[places], now.bias[places], now.speed[places], (), -1)

    def _of_particle(self, rub: Rub, active: tuple[int, ...]) -> Lay:
        now, n = self.now, len(self.now.Q)
        P = list(rub.particle)
        L = np.linalg.cholesky(now.M[np.ix_(P, P)])
        basis: list[int] = []
        rows = np.zeros((0, len(P)))
        for r in active:
            if self.probe.moving[r] or not self.probe.within(r, rub.particle) or not now.A[r].any():
                continue
            more = np.vstack([rows, np.linalg.solve(L, now.A[r, P])])
            unit = more / np.linalg.norm(more, axis=1, keepdims=True)
            if len(unit) == 1 or np.linalg.svd(unit, compute_uv=False)[-1] > 1e-8:
                rows, basis = more, [*basis, r]
        if len(basis) >= len(P):
            return Lay(np.zeros((0, n)), np.zeros(0), np.zeros(0), tuple(basis), -1)
        free = np.linalg.svd(rows, full_matrices=True)[2][len(basis) :].T if basis else np.eye(len(P))
        if free.shape[1] == 1:
            free = _oriented(free, rows, L)
        J = np.zeros((free.shape[1], n))
        J[:, P] = (L @ free).T
        chart = P[int(np.abs(now.A[basis[0], P]).argmax())] if free.shape[1] == 2 else -1
        return Lay(J, np.zeros(len(J)), J @ now.v, tuple(basis), chart)

    def normal(self, j: int, lam: Array) -> float:
        """The normal force behind the friction of a constraint, by multipliers (m,)."""
        rows = self.probe.pressing[j]
        force = self.now.A[rows].T @ lam[rows]
        if particle := self.probe.particle[j]:
            P = list(particle)
            block = self.now.M[np.ix_(P, P)]
            return sqrt(max(float(force[P] @ np.linalg.solve(block, force[P])), 0.0))
        return float(np.linalg.norm(force if self.probe.points else lam[rows]))

    def rows(self, mode: Mode) -> Rows:
        """The rows of a mode: constraints in force, frictions that stick, surfaces the motion stays on."""
        active = self.probe.switches.active(mode)
        stuck = tuple(k for k, state in enumerate(mode.rubs) if state == STICKS)
        surfaces = tuple(g for g, sign in enumerate(mode.signs) if not sign)
        key = (active, stuck, surfaces)
        if key not in self._kept:
            self._kept[key] = self._rows(active, stuck, surfaces)
        return self._kept[key]

    def _rows(self, active: tuple[int, ...], stuck: tuple[int, ...], surfaces: tuple[int, ...]) -> Rows:
        now = self.now
        lays = [self.lay(k, active) for k in stuck]
        on = [self.probe.slides[g] for g in surfaces]
        R = np.vstack([now.A[list(active)], *(lay.J for lay in lays), now.J[on]])
        right = np.concatenate([now.b[list(active)], *(lay.bias for lay in lays), now.bias[on]])
        rate = np.concatenate([now.rate[list(active)], *(lay.s for lay in lays), now.speed[on]])
        S = R @ self.mobility @ R.T
        lengths = np.sqrt(np.maximum(np.diag(S), 0.0))
        scale = 1.0 / np.where(lengths > 0, lengths, 1.0)
        inverse = _inverse(S * np.outer(scale, scale)) * np.outer(scale, scale)
        ideal = np.zeros(len(now.b))
        ideal[list(active)] = (inverse @ (right - R @ self.raised(now.Q)))[: len(active)]
        return Rows(R, right, rate, inverse, lengths, ideal)

    def on_rows(self, mode: Mode) -> Array:
        """The velocities (n,) nearest to those of the state that the rows of a mode allow."""
        rows = self.rows(mode)
        out: Array = self.now.v - self.raised(rows.R.T @ (rows.inverse @ rows.rate)) if len(rows.R) else self.now.v
        return out

    def in_contact(self, mode: Mode) -> Array:
        """The coordinates (n,) with the gaps of closed contacts taken out, which are no more than rounding."""
        n, closed = len(self.now.Q), list(mode.closed)
        q = np.array(self.inputs[:n])
        if not closed or not self.now.level[closed].any():
            return q
        hard = [j for j in self.probe.switches.active(mode) if j not in mode.closed]
        A = self.now.A[[*hard, *closed]]
        gaps = np.concatenate([np.zeros(len(hard)), self.now.level[closed]])
        S = np.linalg.pinv(A @ self.raised(A.T), rcond=RANK, hermitian=True)
        out: Array = q - self.raised(A.T @ (S @ gaps))
        return out

    def solve(self, mode: Mode, slow: Mapping[int, bool]) -> Outcome | None:
        """What a mode would do; None where its rows contradict each other.

        `slow` says which frictions are at rest, so that their direction is part of what must be true.
        """
        switches, m = self.probe.switches, len(self.now.b)
        active, rows = switches.active(mode), self.rows(mode)
        case = _Case(self, mode, active, rows, *self.probe.coefficients(self.inputs, rows.ideal))
        ways = case.ways(slow)
        done = case.moved(ways)
        if done is None:
            return None
        acceleration, actual = done
        size = case.size
        left = np.abs(rows.R @ acceleration - rows.right) / np.where(rows.lengths > 0, rows.lengths, 1.0)
        if left.max(initial=0.0) > CONTRADICTION * (size + 1e-300):
            return None
        reactions = np.zeros(m)
        reactions[list(active)] = actual[: len(active)]
        pulls: dict[int, Array] = {}
        at = len(active)
        for k in case.stuck:
            d = len(self.lay(k, active).J)
            pulls[k], at = actual[at : at + d], at + d
        margins = [1.0 - abs(float(x)) for x in actual[at:]]
        margins += case.margins(slow, acceleration, reactions, pulls)
        return Outcome(acceleration, rows.ideal, reactions, pulls, tuple(margins), size, ways)


class _Case:
    """A mode at a scene, being solved."""

    def __init__(
        self,
        scene: Scene,
        mode: Mode,
        active: tuple[int, ...],
        rows: Rows,
        mu: dict[int, float],
        static: dict[int, float],
    ) -> None:
        self.scene, self.mode, self.active, self.rows, self.mu, self.static = scene, mode, active, rows, mu, static
        self.switches = scene.probe.switches
        self.stuck = [k for k, state in enumerate(mode.rubs) if state == STICKS]
        self.load = scene.now.Q + scene.probe.work(scene.inputs, rows.ideal, active)
        self.slips = [
            (k, j)
            for k, state in enumerate(mode.rubs)
            if state not in (OFF, STICKS)
            for j in self.switches.rubbing(self.switches.rubs[k], mode)
        ]
        lam = rows.inverse @ (rows.right - rows.R @ scene.raised(scene.now.Q))
        forces = (scene.now.Q, self.load - scene.now.Q, rows.R.T @ lam)
        self.size = max(scene.length(f) for f in forces)

    def moved(self, ways: Mapping[int, Array]) -> tuple[Array, Array] | None:
        """Acceleration (n,) and actual multipliers (r,) with these directions of what slips."""
        scene, R, ideal = self.scene, self.rows.R, self.rows.ideal
        D = np.zeros((len(scene.now.Q), len(R)))
        load = self.load
        for k, j in self.slips:
            direction = scene.lay(k, self.active).J.T @ ways[k]
            if self.switches.follows_actual(j):
                unit = np.zeros(len(ideal))
                unit[j] = 1.0
                sign = self.mode.normals[self.switches.pressed.index(j)] if j in self.switches.pressed else 1
                D[:, self.active.index(j)] -= self.mu[j] * sign * scene.normal(j, unit) * direction
            else:
                load = load - self.mu[j] * scene.normal(j, ideal) * direction
        surfaces = [g for g, sign in enumerate(self.mode.signs) if not sign]
        for place, g in enumerate(surfaces, len(R) - len(surfaces)):
            D[:, place] += scene.probe.push(g, scene.inputs, ideal) - R[place]
        e = self.rows.right - R @ scene.raised(load)
        actual = self.rows.inverse @ e
        if D.any():
            S = R @ scene.raised(R.T + D)
            try:
                actual = np.linalg.solve(S, e)
            except np.linalg.LinAlgError:
                actual = np.linalg.lstsq(S, e, rcond=None)[0]
        acceleration = scene.raised(load + D @ actual + R.T @ actual)
        return (acceleration, actual) if np.isfinite(acceleration).all() else None

    def ways(self, slow: Mapping[int, bool]) -> dict[int, Array]:
        """The unit vector along which each friction slips; those at rest in a plane begin to where they can.

        e along ṡ = ṡ₀ − G e with |e| = 1, so (r + G) e = ṡ₀ with r = |ṡ|, which one r > 0 solves. Several take turns.
        """
        out: dict[int, Array] = {}
        turning = []
        for k in dict.fromkeys(k for k, _ in self.slips):
            lay, state = self.scene.lay(k, self.active), self.mode.rubs[k]
            size = float(np.linalg.norm(lay.s))
            if state in DIRECTIONS:
                out[k] = np.array([float(DIRECTIONS[state])])
            elif slow[k] or not size:
                out[k] = np.zeros(len(lay.s))
                turning.append(k)
            else:
                out[k] = lay.s / size
        for _ in range(min(len(turning), 1) if len(turning) < 2 else TURNS):
            for k in turning:
                lay = self.scene.lay(k, self.active)
                found = [self.moved(out | {k: e}) for e in (np.zeros(len(out[k])), *np.eye(len(out[k])))]
                rates = [lay.J @ one[0] - lay.bias for one in found if one is not None]
                if len(rates) == len(found):
                    out[k] = _direction(rates[0][:, None] - np.array(rates[1:]).T, rates[0])
        return out

    def margins(
        self, slow: Mapping[int, bool], acceleration: Array, reactions: Array, pulls: Mapping[int, Array]
    ) -> list[float]:
        """By how much each condition of the mode holds."""
        scene, mode, switches = self.scene, self.mode, self.switches
        now, size, out = scene.now, self.size or 1.0, []
        for j in scene.undecided:
            length = scene.length(now.A[j]) or 1.0
            if j in mode.closed:
                out.append(float(reactions[j]) * length / size)
            else:
                out.append(float(now.A[j] @ acceleration - now.b[j]) / (length * size))
        for k, state in enumerate(mode.rubs):
            if state == OFF or (state != STICKS and not slow[k]):
                continue
            lay = scene.lay(k, self.active)
            unit = max(scene.length(row) for row in lay.J)
            rate = lay.J @ acceleration - lay.bias
            if state == STICKS:
                members = switches.rubbing(switches.rubs[k], mode)
                bound = sum(self.static[j] * scene.normal(j, self._behind(j, reactions)) for j in members)
                out.append((bound - float(np.linalg.norm(pulls[k]))) * unit / size)
            elif state == SLIPS:
                out.append(float(np.linalg.norm(rate)) / (unit * size))
            else:
                out.append(DIRECTIONS[state] * float(rate[0]) / (unit * size))
        for j, sign in zip(switches.pressed, mode.normals, strict=True):
            if j in self.active:
                (row,) = scene.probe.pressing[j]
                out.append(sign * float(self._behind(j, reactions)[row]) * scene.length(now.A[row]) / size)
        return out

    def _behind(self, j: int, reactions: Array) -> Array:
        """The multipliers that the friction of a constraint follows."""
        return reactions if self.switches.follows_actual(j) else self.rows.ideal


def _inverse(S: Array) -> Array:
    """The inverse of a matrix with ones on its diagonal; of least norm where it is singular."""
    if len(S) <= 1:
        return np.where(S > 0, 1.0, 0.0)
    try:
        if (np.diag(np.linalg.cholesky(S)) ** 2).min() > SOUND:
            return np.linalg.inv(S)
    except np.linalg.LinAlgError:
        pass
    out: Array = np.linalg.pinv(S, rcond=RANK, hermitian=True)
    return out


def _direction(G: Array, rate: Array) -> Array:
    """e with (r + G) e = rate and |e| = 1, or the shorter one of r = 0 where friction holds."""

    def solved(r: float) -> Array:
        e: Array = np.linalg.lstsq(r * np.eye(len(G)) + G, rate, rcond=None)[0]
        return e

    low, high = 0.0, float(np.linalg.norm(rate))
    if not high:
        return rate
    if (size := float(np.linalg.norm(held := solved(1e-14 * high)))) <= 1:
        return held / size if size > 1 - 1e-9 else held  # it may begin to slip this way, or it holds
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.linalg.norm(solved(middle)) > 1 else (low, middle)
    e = solved(high)
    out: Array = e / np.linalg.norm(e)
    return out


def _oriented(free: Array, rows: Array, L: Array) -> Array:
    """The one free direction with the sense of the cross product of the rows, as the compiled stage has it."""
    a = (L @ rows.T).T  # rows in coordinates
    if len(L) == 1:
        tangent = np.ones(1)
    elif len(L) == 2:
        tangent = np.array([-a[0, 1], a[0, 0]])
    else:
        tangent = np.cross(a[0], a[1])
    return free if float(tangent @ (L @ free[:, 0])) >= 0 else -free
