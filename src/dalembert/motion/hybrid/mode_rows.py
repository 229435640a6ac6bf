"""The rows of a mode at a state: which are redundant, what stands still, and how frictions share what they hold.

A row that others span is left out, where it asks for nothing else. Where frictions that stick hold the same, no
equation says which of them does: they lean on each other so that all hold, as long as some way does.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from dalembert.derive import Array
from dalembert.derive.scales import right_sizes
from dalembert.derive.switching.modes import STICKS, Mode
from dalembert.derive.switching.stages import Bases, Staged
from dalembert.engine.taylor import Setup
from dalembert.model import StateError
from dalembert.motion.hybrid.bases import held_by
from dalembert.motion.hybrid.guard_watch import GuardWatch
from dalembert.motion.hybrid.leaning import Leaning
from dalembert.motion.hybrid.planar import PlaneFriction
from dalembert.motion.hybrid.programs import Arrays, Programs
from dalembert.motion.smooth.projection import settled
from dalembert.motion.tolerances import tolerance
from dalembert.principles import balanced_units

RANK = 1e-12  # the square of the sine between a row and the others below which it is redundant
FINE = 2.0**-84  # the same where it is not, since it asks for something else
MANY = 4096  # modes whose groups are kept
AGREE = 1e-8  # what a redundant row may ask for differently, relative to its terms
NO_INERTIA = "the mass matrix is singular here, and the constraints do not make up for it"


class ModeRows:
    """The rows of modes, for one system with its values; `scales` (2n + 1,) are the natural ones at present."""

    def __init__(self, programs: Programs, watch: GuardWatch, planar: PlaneFriction) -> None:
        self._programs, self._watch = programs, watch
        self._engine, self._switches = programs.engine, programs.switches
        self._leaning = Leaning(programs, watch, planar)
        self.scales: Array = np.zeros(0)
        self._bases: dict[Any, Bases] = {}  # of one look
        self._connected: dict[Any, tuple[list[int], list[tuple[list[int], list[int], bool]]]] = {}

    def look(self, scales: Array) -> None:
        """Look at modes from now on by these natural scales (2n + 1,)."""
        self.scales = scales
        self._bases.clear()

    def on(self, mode: Mode, t: float, state: Array, slow: tuple[float, ...] = ()) -> tuple[Mode, Setup, Array, str]:
        """The mode without rows that are redundant, and the state on the others; why it cannot be, where it cannot."""
        mode = mode.anew
        setup, watch = self._programs.seen(mode, t, state, slow)
        force = self._engine.in_force([setup])[0]
        if not force.any():
            return mode, setup, state, ""
        if mode.closed and self._parts(mode, setup, t, state, watch.rate[0]):
            return mode, setup, state, "a contact that parts cannot be closed"
        least = watch.pivots.min(initial=1.0)
        if not (least > tolerance("DEPENDENT") * 10 and np.isfinite(watch.acceleration).all()):
            mode, setup, begin, why = self._spared(mode, setup, t, state, slow)
            if why:
                return mode, setup, state, why
        else:
            begin = settled(self._engine, setup, t, state)
        still = self._still(mode, setup, t, begin)
        if still:
            mode = replace(mode, still=still)
            setup = self._programs.setup(mode, t, begin, slow)
            begin = begin.copy()
            begin[[len(begin) // 2 + i for i in still]] = 0.0
        why = ""
        if mode.idle:
            mode, why = self._leaning.shared(mode, setup, t, begin, self.scales)
            setup = self._programs.setup(mode, t, begin, slow)
        return mode, setup, begin, why

    def _parts(self, mode: Mode, setup: Setup, t: float, state: Array, rate: Array) -> bool:
        """Whether a contact of the mode moves apart."""
        closed = list(mode.closed)
        if not (rate[closed] > 0).any():
            return False
        sizes = self._engine.sizes(setup, np.array([t]), state[None, :], self.scales)[0][len(rate) :]
        return bool((rate[closed] > tolerance("TIE") * sizes[closed]).any())

    def _spared(
        self, mode: Mode, setup: Setup, t: float, state: Array, slow: tuple[float, ...]
    ) -> tuple[Mode, Setup, Array, str]:
        """The mode without rows that others span, its setup, and the state on the others; why there is none.

        What sticks is spared only where it does not move in the first moments either, as it does at a dead centre.
        """
        staged = self._programs.staged(mode)
        stuck = {r for k, told in enumerate(mode.rubs) if told == STICKS for r in staged.sticks.get(k, ())}
        why = ""
        for least in (RANK, FINE):
            idle, why = self._idle(mode, setup, t, state, least)
            mine = [r for r in idle if r in stuck]
            if not why:
                spared = replace(mode, idle=idle)
                own = self._programs.setup(spared, t, state, slow)
                begin = settled(self._engine, own, t, state)
                if not mine or self._stay(own, t, begin, mine):
                    return spared, own, begin, ""
                why = "what is to stick moves, however it is held"
            if not mine:
                break
        return mode, setup, state, why

    def _stay(self, setup: Setup, t: float, state: Array, rows: list[int]) -> bool:
        """Whether rows that are not in force hold in the first moments all the same, as long as those in force do.

        A moment at which these are off is too late for the series: what it says of the others is its own error.
        """
        seen = self._watch.moments(setup, t, state, self.scales)
        if seen is None:
            return True
        rate = self._engine.watch(setup, seen.times, seen.states).rate
        sizes = self._engine.sizes(setup, seen.times, seen.states, seen.scales)[:, rate.shape[1] :]
        floors = tolerance("TIE") * np.where(np.isfinite(sizes), sizes, 0.0)
        off = np.abs(rate - rate[0]) > floors
        known = ~off[:, np.flatnonzero(self._engine.in_force([setup])[0])].any(axis=1)
        return not off[known][:, rows].any()

    def lacking(self, mode: Mode, now: Arrays) -> str:
        """Why a mode cannot move for want of inertia; nothing where it can."""
        found = _metric(now.M, now.A[self._order(mode, self._programs.staged(mode))])
        return "" if found is not None else NO_INERTIA

    def _idle(self, mode: Mode, setup: Setup, t: float, state: Array, least: float) -> tuple[tuple[int, ...], str]:
        """The rows in force that others span, by place; why they cannot be, where they ask for something else.

        Velocities that cannot be told from none ask for nothing.
        """
        n = len(state) // 2
        seen = state.copy()
        seen[n:][np.abs(state[n:]) <= tolerance("TIE") * self.scales[n : 2 * n]] = 0.0
        now = self._programs.arrays(setup, t, seen)
        staged = self._programs.staged(mode)
        rows = self._order(mode, staged)
        W = _metric(now.M, now.A[rows])
        if W is None:
            return (), NO_INERTIA
        at = {r: i for i, r in enumerate(rows)}
        stuck = (staged.sticks[k] for k, told in enumerate(mode.rubs) if told == STICKS and k in staged.sticks)
        places = _spanning(now.A[rows] @ W, [[at[r] for r in plane] for plane in stuck], least)
        basis, idle = ([rows[i] for i in mine] for mine in places)
        form = staged.stage.statement
        sizes = partial(right_sizes, form, [*seen.tolist(), t, *setup.numbers[: len(form.symbols)].tolist()])
        return tuple(idle), self._contradiction(now.A, W, now.b, basis, idle, sizes)

    def _order(self, mode: Mode, staged: Staged) -> list[int]:
        """The rows of a mode in the order in which they are taken: two-sided ones, contacts, what sticks, surfaces."""
        s = self._switches
        hard = [j for j in range(len(s.form.constraints)) if j not in s.one_sided]
        stuck = [r for k, state in enumerate(mode.rubs) if state == STICKS for r in staged.sticks.get(k, ())]
        slides = [staged.slides[g] for g, sign in enumerate(mode.signs) if not sign and g in staged.slides]
        return [*hard, *mode.closed, *stuck, *slides]

    def _contradiction(
        self, A: Array, W: Array, b: Array, basis: list[int], idle: list[int], sizes: Callable[[], Array]
    ) -> str:
        """Why rows that others span cannot hold with them: they ask for another acceleration, beyond what the terms of
        b, of these `sizes` (m,), are known to.
        """
        own = A @ W
        lengths = np.linalg.norm(own, axis=1)
        lengths = np.where(lengths > 0, lengths, 1.0)
        for r in idle:
            c, *_ = (
                np.linalg.lstsq((own[basis] / lengths[basis, None]).T, own[r], rcond=None) if basis else (np.zeros(0),)
            )
            c = c / lengths[basis]
            gap = float(b[r] - c @ b[basis]) if basis else float(b[r])
            size = abs(float(b[r])) + float(np.abs(c) @ np.abs(b[basis])) if basis else abs(float(b[r]))
            if abs(gap) > AGREE * size and abs(gap) > AGREE * _told(sizes, r, basis, c):
                m = len(self._switches.form.constraints)
                names = [self._switches.form.constraints[i].name for i in (r, *basis) if i < m]
                return f"rows contradict each other there ({', '.join(map(repr, names))})"
        return ""

    def _still(self, mode: Mode, setup: Setup, t: float, state: Array) -> tuple[int, ...]:
        """The coordinates that rows among themselves leave no freedom, at rest and not moved by time."""
        n = len(state) // 2
        held = mode.closed or STICKS in mode.rubs or 0 in mode.signs
        if not held or not self._programs.staged(mode).stage.still:
            return ()
        rows, members = self._groups(mode, setup)
        v = np.abs(state[n:])
        floor = tolerance("TIE") * self.scales[n : 2 * n]
        A: Array | None = None
        out: list[int] = []
        for places, mine, moves in members:
            if moves or (v[places] > floor[places]).any():
                continue
            if A is None:
                A = self._programs.arrays(setup, t, state).A
            if len(places) == 1 and A[[rows[k] for k in mine], places[0]].any():
                out += places
                continue
            block = A[[rows[k] for k in mine]][:, places]
            size = np.linalg.norm(block, axis=0)
            lengths = np.linalg.norm(block / np.where(size > 0, size, 1.0), axis=1, keepdims=True)
            unit = block / np.where(size > 0, size, 1.0) / np.where(lengths > 0, lengths, 1.0)
            if np.linalg.matrix_rank(unit, tol=1e-8) == len(places):
                out += places
        return tuple(sorted(out))

    def _groups(self, mode: Mode, setup: Setup) -> tuple[list[int], list[tuple[list[int], list[int], bool]]]:
        """The rows of a mode, and coordinates that these connect with the rows between them, by place, as many or more.

        And whether these rows move with time. A row connects also what it is carried by: at rest is only what depends
        on nothing that moves.
        """
        key = (mode.closed, mode.rubs, mode.signs, mode.bases, mode.idle)
        if key in self._connected:
            return self._connected[key]
        rows = [r for r in self._order(mode, self._programs.staged(mode)) if r not in mode.idle]
        used = (setup.code.pattern | setup.code.carrying)[rows]
        moving = [setup.code.moving_rows[r] for r in rows]
        group = list(range(used.shape[1]))
        for row in used:
            joined = {group[i] for i in np.flatnonzero(row)}
            group = [min(joined) if g in joined else g for g in group]
        members: dict[int, tuple[list[int], list[int]]] = {name: ([], []) for name in group}
        for i, name in enumerate(group):
            members[name][0].append(i)
        for k, row in enumerate(used):
            if row.any():
                members[group[int(row.argmax())]][1].append(k)
        held = [(q, mine, any(moving[k] for k in mine)) for q, mine in members.values() if len(mine) >= len(q)]
        if len(self._connected) >= MANY:
            self._connected.clear()
        self._connected[key] = rows, held
        return rows, held

    def on_surfaces(self, mode: Mode, t: float, state: Array) -> Mode:
        """The mode with functions from whose surface an impact has thrown it on the side they are on, or go to."""
        if all(mode.signs):
            return mode
        free = replace(mode.frictionless, closed=())
        setup, watch = self._programs.seen(free, t, state)
        level, rate, slides = watch.level[0], watch.rate[0], self._programs.staged(free).slides
        floors = tolerance("TIE") * self._engine.sizes(setup, np.array([t]), state[None, :], self.scales)[0]
        off = np.array([level, rate]) * (np.abs([level, rate]) > np.split(floors, 2))
        sides = np.sign(np.where(off[0] != 0, off[0], off[1])).astype(int).tolist()
        signs = (sides[slides[g]] if not told and g in slides else told for g, told in enumerate(mode.signs))
        return replace(mode, signs=tuple(signs))

    def with_bases(self, mode: Mode, t: float, state: Array) -> Mode:
        """The mode with what holds each particle that rubs: the constraints in force on it, as far as independent."""
        s = self._switches
        if not any(rub.particle for rub in s.rubs):
            return mode
        key = (mode.closed, mode.signs, mode.bases, t, state.tobytes())
        if key not in self._bases:
            self._bases[key] = held_by(self._programs, mode, t, state)
        return replace(mode, bases=self._bases[key])


def _told(sizes: Callable[[], Array], row: int, basis: list[int], parts: Array) -> float:
    """The size of the terms of b of a row, and of those that it is made of; zero where they do not exist."""
    try:
        found = sizes()
    except StateError:
        return 0.0
    return float(found[row] + (np.abs(parts) @ found[basis] if basis else 0.0))


def _spanning(own: Array, planes: list[list[int]], least: float) -> tuple[list[int], list[int]]:
    """The rows (r, n) that are independent, and those that others span, by place; they are taken in their order.

    Of what sticks (`planes`: the rows of each friction) the first is taken of which as much is left as of any, or half
    of that: by a row of which next to nothing moves, a friction would hold what it does by a force without bound.
    """
    lengths, rest = (own**2).sum(axis=1), own.copy()
    wide = np.zeros(len(own))
    for plane in planes:
        wide[plane] = lengths[plane].max()
    basis: list[int] = []
    idle: list[int] = []
    kept = np.zeros((0, own.shape[1]))
    left = list(range(len(own)))
    while left:
        r = left[0]
        if wide[r] > 0:
            mine = [i for i in left if wide[i] > 0]
            shares = (rest[mine] ** 2).sum(axis=1) / wide[mine]
            r = mine[int(np.argmax(shares >= shares.max() / 2))]
        left.remove(r)
        more = rest[r] - kept.T @ (kept @ rest[r])
        length = float(more @ more)
        if length > 0 and length > least * lengths[r]:
            basis.append(r)
            kept = np.vstack([kept, more / np.sqrt(length)])
            rest[left] -= np.outer(rest[left] @ kept[-1], kept[-1])
        else:
            idle.append(r)
    return basis, idle


def _metric(M: Array, A: Array) -> Array | None:
    """W with W Wᵀ = (M + AᵀGA)⁻¹, G such that all is of one size; None where there is none."""
    units = balanced_units(M, A)
    scaled = units[:, None] * M * units
    B = A * units
    lengths = np.linalg.norm(B, axis=1, keepdims=True)
    B = B / np.where(lengths > 0, lengths, 1.0)
    try:
        values, vectors = np.linalg.eigh(scaled)
        if values[0] <= 1e-12 * values[-1]:
            values, vectors = np.linalg.eigh(scaled + B.T @ B)
    except np.linalg.LinAlgError:
        return None
    if not values[0] > 0:
        return None
    out: Array = units[:, None] * vectors / np.sqrt(values)
    return out
