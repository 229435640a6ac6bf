"""Guards in numbers: which are positive, which are zero, and whether these rise, fall or stay in the first moments.

What counts as zero of a guard is relative to the size of the terms it is made of at that state, with coordinates and
velocities as large as they have been of late, or as the forces that act make them in the time that is looked at.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import exp, inf
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.guard_kinds import HELD, KINDS, GuardKey
from dalembert.derive.switching.modes import Mode
from dalembert.derive.switching.stages import Staged
from dalembert.engine import patterns
from dalembert.engine.outputs import SLOPE
from dalembert.engine.taylor import Setup, Taylor
from dalembert.motion.tolerances import EPS, tolerance

MOMENTS = np.array([0.0, *(4.0**-k for k in range(18, 0, -1))])  # of a step: where a mode shows its first moments
GAPS = 8  # how many orders of a series may be missing before its end
FAINT = 2.0**-20  # of how long things take: within it a motion without a series is of second order
STAYS = 2.0**13  # times what counts as zero: how far a guard that stays at zero may go
FORCES = ("release", *HELD, "normal", "above", "below")
CLOCK = 2.0**-8  # of the way in the time since zero: with TIE, what rounding of the time of a switch moves
SHAKEN = 2.0**-20  # of each coordinate and velocity, and of that
APART = 16.0  # times how far off its rows a motion may be: so far a contact that bears nothing has parted


@dataclass(frozen=True, eq=False)
class Guarded:
    """The guards of a mode at a state: values, what counts as zero, sizes (g,), and which count (g,).

    `falls`, `rises`, `stays`: those that are below zero or begin to fall, those that begin at zero and rise, and those
    that begin at zero and stay.
    """

    values: Array
    floors: Array
    sizes: Array
    counts: Array
    falls: tuple[int, ...] = ()
    rises: tuple[int, ...] = ()
    stays: tuple[int, ...] = ()
    finite: bool = True


class Moments(NamedTuple):
    """Times (k,), states (k, 2n) and natural scales (k, 2n + 1), with what forces make of these by then."""

    times: Array
    states: Array
    scales: Array


class GuardWatch:
    """Looks at the guards of modes; nothing is tried out beyond a time."""

    def __init__(self, engine: Taylor, until: float) -> None:
        self._engine, self._until = engine, until

    def at(
        self,
        staged: Staged,
        setup: Setup,
        mode: Mode,
        t: float,
        state: Array,
        scales: Array,
    ) -> Guarded:
        """The guards at a state; whether those at zero rise is seen in the first moments of the mode."""
        found = self.seen(staged, setup, mode, t, state, scales)
        tied = np.flatnonzero(found.counts & (np.abs(found.values) <= found.floors))
        if not found.finite or not len(tied) or any(key_of(staged, i).kind != "jam" for i in found.falls):
            return found
        return self._moments(found, setup, t, state, scales, tied)

    def seen(self, staged: Staged, setup: Setup, mode: Mode, t: float, state: Array, scales: Array) -> Guarded:
        """The guards at a state, with those below zero."""
        n2 = len(state)
        change = _shakes(n2 + 1) * np.append(scales[:n2], CLOCK * abs(t))
        every = setup.code.guards(state + change[:, :n2], t + change[:, n2], setup.numbers)
        values = every[0]
        sizes = setup.code.guard_sizes(state[None, :], np.array([t]), setup.numbers, scales)[0]
        counts = counting(staged, mode, len(values))
        sizes = np.where(np.isfinite(sizes), sizes, 0.0)
        floors = tolerance("TIE") * sizes
        for i, key in enumerate(staged.keys):
            if key.kind == "slow" and counts[i]:  # it is a speed that cannot be seen
                sizes[i], floors[i] = max(abs(values[i]), 1e-300), 0.0
        with np.errstate(invalid="ignore", over="ignore"):
            moved = np.abs(every[1:] - values).max(axis=0) / SHAKEN
        zero = counts & _of_forces(staged, len(values)) & (np.abs(values) <= tolerance("TIE") * moved)
        zero &= np.isfinite(moved)
        if zero.any():  # its terms vanish with a force: at a time that is rounded they measure nothing
            sizes = np.where(zero, np.maximum(sizes, moved), sizes)
            floors = np.where(zero, tolerance("TIE") * sizes, floors)
        finite = bool(np.isfinite(values[counts]).all())
        below = np.flatnonzero(counts & (values < -floors))
        return Guarded(values, floors, sizes, counts, tuple(below.tolist()), finite=finite)

    def _moments(self, found: Guarded, setup: Setup, t: float, state: Array, scales: Array, tied: Array) -> Guarded:
        """What the first difference from zero that is not rounding says of guards that begin there."""
        seen = self.moments(setup, t, state, scales)
        if seen is None:
            return replace(found, finite=False)
        times, states, wide = seen
        values = setup.code.guards(states, times, setup.numbers)
        sizes = setup.code.guard_sizes(states, times, setup.numbers, wide)
        floors = tolerance("TIE") * np.where(np.isfinite(sizes), sizes, 0.0)
        growth = values[1:, tied] - values[0, tied]
        large = np.abs(growth) > floors[1:, tied]
        first = large.argmax(axis=0)
        falls, rises, stays = [], [], []
        for column, guard in enumerate(tied.tolist()):
            if not large[:, column].any():
                stays.append(guard)
            elif growth[first[column], column] < 0:
                falls.append(guard)
            else:
                rises.append(guard)
        sizes_later = np.where(np.isfinite(sizes[-1]), sizes[-1], 0.0)
        return replace(
            found,
            sizes=np.maximum(found.sizes, sizes_later),
            falls=(*found.falls, *falls),
            rises=tuple(rises),
            stays=tuple(stays),
        )

    def moments(self, setup: Setup, t: float, state: Array, scales: Array) -> Moments | None:
        """The first moments of a mode from a state on; None where it has no acceleration there."""
        terms = self._engine.expansion(setup, t, state)
        if np.isfinite(terms).all():
            span = self.span(t, state, terms, scales)
        else:  # a root of zero has no series: what is seen to second order
            a = self._engine.watch(setup, np.array([t]), state[None, :]).acceleration[0]
            if not np.isfinite(a).all():
                return None
            q, v = np.split(state, 2)
            terms = np.column_stack([state, np.concatenate([v, a]), np.concatenate([a / 2, np.zeros(len(q))])])
            span = FAINT * min(self._until - t, natural_time(np.maximum(scales[: len(state)], np.abs(state)), terms))
        delays = span * MOMENTS
        states = (delays[:, None] ** np.arange(terms.shape[1])) @ terms.T
        states[0] = state
        times = t + delays
        n = len(state) // 2
        paces = self.paces(setup, t, state)
        wide = np.tile(scales, (len(delays), 1))
        wide[:, :n] += delays[:, None] * scales[n : 2 * n] + delays[:, None] ** 2 * paces
        wide[:, n : 2 * n] += delays[:, None] * paces
        return Moments(times, states, wide)

    def paces(self, setup: Setup, t: float, state: Array) -> Array:
        """The accelerations (n,) that forces as large as those that act could give each coordinate."""
        out: Array = self._engine.paces(setup, np.array([t]), state[None, :])[0]
        return out

    def time_left(self, t: float, paces: Array, scales: Array) -> float:
        """How long things take at a state, at most what is left of the run."""
        n = len(paces)
        with np.errstate(divide="ignore", invalid="ignore"):
            times = np.concatenate([scales[n : 2 * n] / paces, np.sqrt(scales[:n] / paces)])
        good = times[np.isfinite(times) & (times > 0)]
        return min(float(good.max()) if len(good) else inf, self._until - t)

    def span(self, t: float, state: Array, terms: Array, scales: Array) -> float:
        """About how long a step from a state is, by the last coefficients of its series that are not zero.

        Where it has no end of its own, as in free fall: how long things take, or what is left of the run.
        """
        n2 = len(state)
        order = terms.shape[1] - 1
        size = np.maximum(scales[:n2], np.abs(state))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            last = np.arange(max(1, order - GAPS), order + 1)
            radii = (size[:, None] / np.abs(terms[:, last])) ** (1.0 / last)
            still = np.flatnonzero(size == 0)  # how large it becomes is what its first term makes of it
            first = (terms[still] != 0).argmax(axis=1)
            begun = np.abs(terms[still, first])[:, None] / np.abs(terms[np.ix_(still, last)])
            radii[still] = begun ** (1.0 / np.maximum(last - first[:, None], 1))
        good = radii[np.isfinite(radii) & (radii > 0)]
        left = self._until - t
        step = float(good.min()) * exp(-2.0 - 0.7 / (order - 1)) if len(good) else inf
        return min(step, left, natural_time(size, terms)) if step > left else step


def natural_time(size: Array, terms: Array) -> float:
    """How long things take: the shortest time in which a coordinate changes by as much as it is large.

    A coordinate thrown up at v comes v²/a far.
    """
    n = len(size) // 2
    v, a = np.abs(terms[:n, 1]), np.abs(2 * terms[:n, 2]) if terms.shape[1] > 2 else np.zeros(n)
    with np.errstate(divide="ignore", invalid="ignore"):
        lengths = np.maximum(size[:n], np.where(a > 0, v**2 / a, 0.0))
        times = np.concatenate([lengths / v, np.sqrt(lengths / a)])
    good = times[np.isfinite(times) & (times > 0)]
    return float(good.min()) if len(good) else inf


@lru_cache(maxsize=4096)
def counting(staged: Staged, mode: Mode, guards: int) -> Array:
    """Which guards count in a mode (g,); those after the stated ones are of friction that jams, and all count."""
    s = staged.switches
    own = [KINDS[key.kind].counts(s, mode, key.place) for key in staged.keys]
    return np.array([*own, *[True] * (guards - len(own))], dtype=bool)


@lru_cache(maxsize=64)
def _shakes(count: int) -> Array:
    """No change first, then small ones of so many numbers, relative to their natural scales (p, count)."""
    return SHAKEN * np.vstack([np.zeros(count), patterns(count)])


@lru_cache(maxsize=4096)
def _of_forces(staged: Staged, guards: int) -> Array:
    """Which guards are forces, or of them (g,)."""
    return np.array([key.kind in FORCES for key in staged.keys] + [False] * (guards - len(staged.keys)), dtype=bool)


def closed_before(setup: Setup, values: Sequence[float], contacts: Iterable[int], fired: int) -> int | None:
    """The contact that has closed furthest where another falls, by its guard and more than counts as zero, if any."""
    slopes = setup.numbers[setup.code.places(SLOPE)]
    below = {g: values[g] * float(slopes[g]) for g in contacts if g != fired}
    least = min(below, key=below.__getitem__, default=None)
    return least if least is not None and below[least] < -tolerance("TIE") else None


def key_of(staged: Staged, guard: int) -> GuardKey:
    """What a guard is of."""
    return staged.keys[guard] if guard < len(staged.keys) else GuardKey("jam", guard - len(staged.keys))


def armed(setup: Setup, staged: Staged, guarded: Guarded, drift: float = 0.0) -> Setup:
    """The setup that stops where a guard that counts falls to zero.

    A guard that begins at zero is given a slack of twice what counts as zero; the time of its fall is refined
    afterwards. One that stays at zero is given much more. `drift`: how far off its rows a motion may be.
    """
    sizes = np.where(guarded.sizes > 0, guarded.sizes, np.abs(guarded.values))
    live = guarded.counts & (sizes > 0)
    slopes = np.where(live, 1.0 / np.where(sizes > 0, sizes, 1.0), 0.0)
    offsets = np.where(live, 0.0, 1.0)
    near = live & (guarded.values <= 4 * guarded.floors)
    relative = np.where(near, guarded.floors * slopes, 0.0)
    offsets = np.where(near, 2 * np.maximum(relative, EPS), offsets)
    if guarded.stays:
        stays = [i for i in guarded.stays if live[i]]
        offsets[stays] = STAYS * np.maximum(relative[stays], EPS)
    for i, key in enumerate(staged.keys):
        if live[i] and key.kind == "parted":
            offsets[i] = max(STAYS * np.maximum(guarded.floors[i] * slopes[i], EPS), APART * drift)
        elif live[i] and key.kind == "coefficient":
            offsets[i] = max(offsets[i], STAYS * EPS)
    return setup.armed(slopes, offsets, tuple(i for i, key in enumerate(staged.keys) if key.kind == "slow"))
