"""What frictions that stick and hold the same lean on each other, in a mode at a state: so that all hold, if they can.

What rows that others span bear is open, and so is what the others then bear, and what presses in each: all of it in
proportion. So it is measured, with nothing on these rows and with a little on each of them.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.guard_kinds import HELD, GuardKey
from dalembert.derive.switching.modes import STICKS, Mode
from dalembert.engine.taylor import Setup
from dalembert.motion.hybrid.guard_watch import GuardWatch
from dalembert.motion.hybrid.planar import PlaneFriction
from dalembert.motion.hybrid.programs import Programs
from dalembert.motion.hybrid.sharing import Holding, first_zero, shares
from dalembert.motion.tolerances import tolerance

MOVED = 1e-8  # of what the forces that act could make: an acceleration that depends on how frictions lean


class Leaning:
    """Shares what sticks among frictions, for one system with its values."""

    def __init__(self, programs: Programs, watch: GuardWatch, planar: PlaneFriction) -> None:
        self._programs, self._engine = programs, programs.engine
        self._watch, self._planar = watch, planar

    def shared(self, mode: Mode, setup: Setup, t: float, state: Array, scales: Array) -> tuple[Mode, str]:
        """The mode where what sticks is shared so that all hold, as it is where they do anyway; why it cannot be.

        They are to slip together: the shares change in time towards those at which no others are left.
        """
        staged = self._programs.staged(mode)
        stuck = [k for k, told in enumerate(mode.rubs) if told == STICKS]
        spare = [r for k in stuck for r in staged.sticks[k] if r in mode.idle]
        if not spare or not self._near(mode, setup, t, state, scales):
            return mode, ""
        own = self._programs.setup(replace(mode, leans=tuple((r, 0.0, 0.0) for r in spare)), t, state)
        units = self._sizes(mode, own, t, state, scales)
        if self._moves(mode, own, t, state, spare, units):
            return mode, "how frictions share what they hold changes what moves, and nothing determines it"
        found, tight = shares(self._holding(mode, own, t, state, spare, units))
        grows = np.zeros(len(spare))
        if tight < 1 - 4 * tolerance("TIE"):
            terms = self._engine.expansion(setup, t, state)
            span = self._watch.span(t, state, terms, scales) if np.isfinite(terms).all() else 0.0

            def later(delay: float) -> tuple[Array, float]:
                there = (delay ** np.arange(terms.shape[1])) @ terms.T
                p, tight = shares(self._holding(mode, own, t + delay, there, spare, units))
                return p, tight - 1

            delay, then = first_zero(later, tight - 1, span) if span > 0 else (0.0, found)
            grows = (then - found) / delay if delay > 0 else grows
        leans = zip(spare, map(float, found - grows * t), map(float, grows), strict=True)
        return replace(mode, leans=tuple(leans)), ""

    def _near(self, mode: Mode, setup: Setup, t: float, state: Array, scales: Array) -> bool:
        """Whether a friction that sticks is not within its bound as it is."""
        values = setup.code.guards(state[None, :], np.array([t]), setup.numbers)[0]
        floors = setup.code.guard_sizes(state[None, :], np.array([t]), setup.numbers, scales)[0]
        near = values <= 4 * tolerance("TIE") * floors
        keys = self._programs.staged(mode).keys
        return any(near[g] for g, key in enumerate(keys) if key.kind in HELD
                   and mode.rubs[key.place] == STICKS)  # fmt: skip

    def _sizes(self, mode: Mode, own: Setup, t: float, state: Array, scales: Array) -> dict[int, float]:
        """How large the terms are of what each friction that sticks holds and can hold."""
        staged = self._programs.staged(mode)
        sizes = own.code.guard_sizes(state[None, :], np.array([t]), own.numbers, scales)[0]
        found = dict(zip(staged.keys, sizes, strict=False))
        return {
            k: float(found[GuardKey("up", k)] if len(rows) == 1 else np.sqrt(found[GuardKey("hold", k)]))
            for k, rows in staged.sticks.items()
            if mode.rubs[k] == STICKS
        }

    def _units(self, mode: Mode, spare: Sequence[int], sizes: dict[int, float]) -> Array:
        """How much is put on each row that others span, to see what it does."""
        rows = self._programs.staged(mode).sticks
        own = [sizes[next(k for k in sizes if r in rows[k])] for r in spare]
        return np.where(np.array(own) > 0, own, 1.0)

    def _moves(
        self, mode: Mode, own: Setup, t: float, state: Array, spare: Sequence[int], sizes: dict[int, float]
    ) -> bool:
        """Whether accelerations depend on the shares."""
        a = self._engine.watch(own, np.array([t]), state[None, :]).acceleration[0]
        paces = self._engine.paces(own, np.array([t]), state[None, :])[0]
        for little in np.diag(self._units(mode, spare, sizes)):
            other = self._with(own, spare, little)
            b = self._engine.watch(other, np.array([t]), state[None, :]).acceleration[0]
            if (np.abs(a - b) > MOVED * (paces + np.abs(a))).any():
                return True
        return False

    def _holding(
        self, mode: Mode, own: Setup, t: float, state: Array, spare: Sequence[int], sizes: dict[int, float]
    ) -> list[Holding]:
        """What frictions that stick hold at a state, by what rows bear that others span; `sizes` are of late."""
        plain, units = self._held(mode, own, t, state), self._units(mode, spare, sizes)
        more = [self._held(mode, self._with(own, spare, little), t, state) for little in np.diag(units)]
        out = []
        for k, (f, bound) in plain.items():
            least = tolerance("TIE") * sizes[k]
            by = np.column_stack([each[k][0] - f for each in more])
            gains = np.array([each[k][1] - bound for each in more])
            by, gains = (np.where(np.abs(change) > least, change / units, 0.0) for change in (by, gains))
            if by.any() or gains.any():
                out.append(Holding(f, by, bound, gains))
        return out

    def _held(self, mode: Mode, setup: Setup, t: float, state: Array) -> dict[int, tuple[Array, float]]:
        """The force (d,) of each friction that sticks, and its bound."""
        staged, times, states = self._programs.staged(mode), np.array([t]), state[None, :]
        values = dict(zip(staged.keys, setup.code.guards(states, times, setup.numbers)[0], strict=False))
        out = {}
        for k in (k for k, told in enumerate(mode.rubs) if told == STICKS):
            if len(staged.sticks[k]) == 1:
                up, down = float(values[GuardKey("up", k)]), float(values[GuardKey("down", k)])
                out[k] = np.array([(down - up) / 2]), (down + up) / 2
            else:
                now = self._programs.arrays(setup, t, state)
                reactions = self._engine.along(setup, times, states).reactions[0]
                f = np.linalg.cholesky(self._planar.gram(mode, k, now)).T @ reactions[list(staged.sticks[k])]
                out[k] = f, float(np.sqrt(max(values[GuardKey("hold", k)] + f @ f, 0.0)))
        return out

    def _with(self, own: Setup, spare: Sequence[int], p: Array) -> Setup:
        """The setup with so much on the rows that others span."""
        s, staged = self._programs.switches, self._programs.staged_of(own)
        symbols = own.code.stage.statement.symbols
        lean = {r: s.lean[2 * k + i] for k, rows in staged.sticks.items() for i, r in enumerate(rows)}
        numbers = own.numbers.copy()
        numbers[[symbols.index(lean[r]) for r in spare]] = p
        return replace(own, numbers=numbers)
