"""Where a search of modes begins: with the modes that what has fallen makes likely."""

from dataclasses import replace

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.guard_kinds import HELD, KINDS, GuardKey
from dalembert.derive.switching.modes import DIRECTIONS, Mode
from dalembert.engine.taylor import Setup
from dalembert.motion.hybrid.impact import mobility
from dalembert.motion.hybrid.programs import Programs
from dalembert.motion.tolerances import tolerance

ALONG = 2.0**-30  # of the cosine of an angle, less than one: what goes one way with a sliding velocity
AHEAD = 2.0**-20  # of the natural scale of a coordinate: so far it moves on for the side to be seen


class Guesses:
    """Guesses at modes, for one system with its values, by natural scales (2n + 1,)."""

    def __init__(self, programs: Programs) -> None:
        self._programs = programs

    def after(
        self, guess: Mode, fired: GuardKey | None, t: float, state: Array, begins: bool, scales: Array
    ) -> list[Mode]:
        """The modes to begin a search with, the likeliest first."""
        if begins or fired is None:
            setup = self._programs.setup(guess.anew, t, state)
            return [replace(guess, closed=self._touching(setup, t, state, scales))]
        if fired.kind == "touch":
            setup = self._programs.setup(guess.anew, t, state)
            touching = self._touching(setup, t, state, scales)
            closed = tuple(sorted({*guess.closed, *touching} & {*touching}))
            return [replace(guess, closed=closed), replace(guess, closed=tuple(j for j in closed if j != fired.place))]
        after = list(KINDS[fired.kind].after(self._programs.switches, guess, fired.place, True))
        if fired.kind in HELD and guess.idle:  # others may hold what it does not
            after = [guess, *after]
        if fired.kind in HELD and guess.signs:
            after = [self._led(mode, fired.place, t, state, scales) for mode in after]
        return [m for m in after if 0 not in m.signs] or [guess]

    def _led(self, mode: Mode, k: int, t: float, state: Array, scales: Array) -> Mode:
        """The mode with functions that are zero as long as a friction sticks on the sides to which it begins to slip.

        As |s| of its own sliding velocity s in μ(|s|): those whose slopes by the velocities that are free are along s.
        """
        staged, n = self._programs.staged(mode), len(state) // 2
        if mode.rubs[k] not in DIRECTIONS or len(staged.sticks.get(k, ())) != 1:
            return mode
        setup = self._programs.setup(mode.anew, t, state)
        now = self._programs.arrays(setup, t, state)
        free = mobility(now, np.flatnonzero(self._programs.engine.in_force([setup])[0]).tolist())
        steps = np.where(scales[n : 2 * n] > 0, scales[n : 2 * n], scales[n : 2 * n].max() or 1.0)
        states = state + np.vstack([np.zeros(2 * n), np.hstack([np.zeros((n, n)), np.diag(steps)])])
        values = setup.code.guards(states, np.full(n + 1, t), setup.numbers)
        floors = tolerance("TIE") * setup.code.guard_sizes(state[None, :], np.array([t]), setup.numbers, scales)[0]
        d, signs = now.A[staged.sticks[k][0]], list(mode.signs)
        for i, key in enumerate(staged.keys):
            if key.kind != "side" or not signs[key.place] or not abs(values[0, i]) <= floors[i]:
                continue
            slopes = signs[key.place] * (values[1:, i] - values[0, i]) / steps
            along, lengths = slopes @ free @ d, np.sqrt((slopes @ free @ slopes) * (d @ free @ d))
            if abs(along) > (1 - ALONG) * lengths:
                signs[key.place] = int(np.sign(along)) * DIRECTIONS[mode.rubs[k]]
        return replace(mode, signs=tuple(signs))

    def _touching(self, setup: Setup, t: float, state: Array, scales: Array) -> tuple[int, ...]:
        """The contacts that are closed at a state: they touch, and neither part nor close."""
        now = self._programs.arrays(setup, t, state)
        floors = tolerance("TIE") * self._programs.engine.sizes(setup, np.array([t]), state[None, :], scales)[0]
        rows = len(now.b)
        return tuple(
            j
            for j in self._programs.switches.one_sided
            if now.level[j] <= floors[j] and now.rate[j] <= floors[rows + j]
        )

    def first_signs(self, t: float, state: Array, mode: Mode, scales: Array) -> tuple[int, ...]:
        """The sides that switching functions are on at a state; where one is zero, that to which velocities lead.

        Where they lead nowhere, the positive one.
        """
        signs, later = list(mode.signs), _moved_on(state, scales)
        for _ in range(len(signs) + 1 if signs else 0):
            now = replace(mode, signs=tuple(signs))
            setup = self._programs.setup(now, t, state)
            staged = self._programs.staged(now)
            values = setup.code.guards(state[None, :], np.array([t]), setup.numbers)[0]
            ahead = setup.code.guards(later[None, :], np.array([t]), setup.numbers)[0]
            floors = tolerance("TIE") * setup.code.guard_sizes(state[None, :], np.array([t]), setup.numbers, scales)[0]
            decides = np.where(np.abs(values) <= floors, ahead - values, values)
            new = list(signs)
            for i, key in enumerate(staged.keys):
                if key.kind == "side" and decides[i] < -floors[i]:
                    new[key.place] = -signs[key.place]
            if new == signs:
                break
            signs = new
        return tuple(signs)


def _moved_on(state: Array, scales: Array) -> Array:
    """A state (2n,) a little later, by its velocities: by a part of the natural scales (2n + 1,) of its coordinates."""
    q, v = np.split(state, 2)
    known = (v != 0) & (scales[: len(q)] > 0)
    tau = AHEAD * float((scales[: len(q)][known] / np.abs(v[known])).min(initial=1.0 if not known.any() else np.inf))
    return np.concatenate([q + tau * v, v])


def beyond(signs: tuple[int, ...], fired: GuardKey | None) -> tuple[int, ...]:
    """The sides beyond a switching function that was reached."""
    if fired is None or fired.kind != "side":
        return signs
    return tuple(-s if i == fired.place else s for i, s in enumerate(signs))
