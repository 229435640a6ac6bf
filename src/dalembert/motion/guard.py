"""What is watched along a run: the distance from the constraints, and quantities that must not vanish."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.engine import Flow, Watch

ZERO = 1e-12  # a quantity this small, relative to the largest it has been, is zero
LOST = 1e-8  # a pivot of the constraints this small is: it is a difference, and half its digits are gone
SOUND = 1e-6  # above it a state near the zero is still exact enough to keep
LOW = 0.5  # below it a minimum is looked at closely
ROOT = 1e-20  # of what stands under a root: the square of a length or a speed
POINTS, ROUNDS = 33, 16
SMALL = 1e-3  # of the largest coordinate: what another is measured by at the least


def drift(watch: Watch, states: Array, n: int) -> Array:
    """The largest distance from a constraint at each state (k,), relative to the size of positions and velocities.

    To first order, how far the state must move: |φ|/‖∂φ‖ over max(1, |q|), |φ̇|/‖∂φ‖ over max(1, |q̇|), with the largest
    q and q̇ of all the states. Shape of states: (k, 2n) or more.
    """
    if not watch.level.shape[1]:
        return np.zeros(len(states))
    places, speeds = np.abs(states[:, :n]).max(), np.abs(states[:, n : 2 * n]).max()
    off = np.maximum(np.abs(watch.level) / max(1.0, places), np.abs(watch.rate) / max(1.0, speeds))
    length = watch.length if watch.length.all() else np.where(watch.length > 0, watch.length, 1.0)
    worst: Array = (off / length).max(axis=1)
    return worst


class Low(NamedTuple):
    """Where a quantity is least: when, which column, its value over the largest; and the last sound state before it."""

    time: float
    column: int
    value: float
    vanishes: bool
    sound_time: float
    sound_state: Array


class Positive:
    """Quantities (k, p) that must stay above zero along a run, each relative to the largest it has been."""

    def __init__(self, quantity: Callable[[Watch], Array], zero: Array | float = ZERO) -> None:
        self._quantity, self._zero = quantity, zero
        self._best: Array | None = None
        self._running: Array | None = None

    def relative(self, watch: Watch, sound: int | None = None) -> Array:
        """Each over the largest it has been until then, zero where it does not exist.

        Only the first `sound` states count; what comes after may be nonsense.
        """
        now = self._numbers(watch)
        if not now.size:
            return now
        best = np.maximum.accumulate(np.maximum(now, 0.0), axis=0)
        if self._best is not None:
            best = np.maximum(best, self._best)
        if sound is not None and sound < len(best):
            best[sound:] = best[max(sound - 1, 0)]
        self._running = best
        relative: Array = now / np.where(best > 0, best, 1.0)
        return relative

    def _numbers(self, watch: Watch) -> Array:
        now = self._quantity(watch)
        return now if np.isfinite(now).all() else np.nan_to_num(now, nan=0.0, posinf=0.0, neginf=0.0)

    def settle(self, last: int) -> None:
        """Count the states last asked about, up to a place, as part of the motion."""
        if self._running is not None and last < len(self._running):
            self._best, self._running = self._running[last], None

    def forget(self, zero: Array | float = ZERO) -> None:
        """Begin afresh, for other quantities."""
        self._best, self._running, self._zero = None, None, zero

    def suspects(self, relative: Array) -> list[int]:
        """Where the least of them has a minimum that may reach zero between the states, or already has."""
        if not relative.shape[1]:
            return []
        low = relative.min(axis=1)
        found = set(np.flatnonzero((relative < self._zero).any(axis=1)).tolist())
        if low.min(initial=1.0) < LOW:
            found |= {k for k in range(1, len(low) - 1) if _may_vanish(*low[k - 1 : k + 2])}
        return sorted(found)

    def least(self, flow: Flow, t: float, state: Array, until: float, place: int) -> Low:
        """The minimum of the least of them between two times around a place, by looking closer and closer."""
        best = Low(t, 0, np.inf, False, t, state)
        largest = np.ones(1) if self._running is None else self._running[place]
        for _ in range(ROUNDS):
            if until - t <= 1e-15 * (POINTS + abs(t) * POINTS):
                break
            piece = flow.advance(t, state, np.linspace(t, until, POINTS)[1:], 100_000)
            times, states = np.append(t, piece.times), np.vstack([state, piece.states])
            if piece.broken and piece.time > times[-1]:
                times, states = np.append(times, piece.time), np.vstack([states, piece.end])
            relative = self._numbers(flow.watch(times, states)) / np.where(largest > 0, largest, 1.0)
            k, column = divmod(int(relative.argmin()), relative.shape[1])
            value = float(relative[k, column])
            if value < best.value:
                gone = bool((relative[k] < self._zero).any())
                best = best._replace(time=float(times[k]), column=column, value=value, vanishes=gone)
            sound = np.flatnonzero(relative[:k].min(axis=1) > SOUND)
            if len(sound) and times[sound[-1]] > best.sound_time:
                best = best._replace(sound_time=float(times[sound[-1]]), sound_state=states[sound[-1]])
            if best.vanishes or piece.broken or value > LOW:
                break
            before, after = max(k - 1, 0), min(k + 1, len(times) - 1)
            t, state, until = float(times[before]), states[before], float(times[after])
        return best


def _may_vanish(left: float, here: float, right: float) -> bool:
    """Whether a minimum at the middle of three neighbours could reach zero between them: the vertex of a parabola."""
    if not (here < LOW and here <= left and here <= right):
        return False
    bend = left - 2 * here + right
    return bool(bend > 0 and here - (right - left) ** 2 / (8 * bend) < 0.3 * here)


def natural_time(places: Array, v: Array, a: Array) -> float:
    """How long things take: the shortest time in which a coordinate changes by as much as it has been, or will be.

    A coordinate thrown up at v comes v²/a far; one that has been nowhere is measured by the others.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        thrown = np.where(a != 0, v**2 / np.abs(a), 0.0)
        lengths = np.maximum(np.maximum(places, thrown), SMALL * places.max(initial=0.0))
        times = np.concatenate([lengths / np.abs(v), np.sqrt(lengths / np.abs(a))])
    good = times[np.isfinite(times) & (times > 0)]
    return float(good.min()) if len(good) else np.inf
