"""Coming to rest by a power below one of what vanishes, as by v' = −v^p: when, and how far it is known.

Then G, what falls to zero, is a power m = 1/(1 − p) of a smooth function of time with a simple zero. So −G/G' is
smooth, and its zero is known from a series that begins while G is large: near the zero G is nothing beside rounding.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from sympy import Pow, Symbol

from dalembert.derive import Array
from dalembert.derive.switching.gates import Gated
from dalembert.engine import Steps
from dalembert.engine.taylor import Setup, Taylor
from dalembert.model import all_expressions
from dalembert.motion.hybrid.programs import Programs
from dalembert.motion.tolerances import EPS

AHEAD = 4.0  # times as far as steps lead: what would be at rest by then, at its rate, may be so before
HALVES = 40  # of a step in which something becomes nothing
UNSEEN = 2.0**-26  # of its size: from there on rounding of what vanishes is much of its force
ULPS = 4
MOST = 16  # steps whose series are looked at
LINEAR = 2.0**-40  # of its size: what a function may differ by from one that is linear
LIKE = 2.0**-10  # of the power: what the slope at the zero may differ by from it
NEWTON, CUTS = 40, 3
AT = 2.0**12  # roundings of the time: steps that become shorter end before they reach a zero as near as that
SAME = 2.0**-20  # in proportion: a root and a guard that are of one thing


class Halt(NamedTuple):
    """What comes to rest: its guard and gate, when, the roots that are zero from then on.

    `parts`: the steps up to where what vanishes can no longer be looked at, then up to where it is nothing, and a
    moment from a state (2n,) without it.
    """

    guard: int
    gate: int
    time: float
    roots: tuple[int, ...]
    parts: tuple[Steps, ...]
    state: Array


@dataclass(frozen=True, eq=False)
class Halts:
    """Looks for what comes to rest in the steps of a system, with its values."""

    engine: Taylor
    programs: Programs

    def first(self, setup: Setup, steps: Steps, scales: Array) -> Halt | None:
        """The first that comes to rest in some steps, or right beyond them."""
        powers = self._powers
        if not powers or not steps.count:
            return None
        keys = self.programs.staged_of(setup).keys
        found = [
            halt
            for guard, key in enumerate(keys)
            if key.kind == "side" and key.place in powers
            for halt in [self._halt(setup, steps, scales, guard, key.place, powers[key.place])]
            if halt is not None
        ]
        return min(found, key=lambda halt: halt.time, default=None)

    @cached_property
    def _powers(self) -> dict[int, tuple[float, ...]]:
        return weak_powers(self.programs.switches.gated, tuple(self.programs.given.items()))

    def _halt(
        self, setup: Setup, steps: Steps, scales: Array, guard: int, gate: int, powers: tuple[float, ...]
    ) -> Halt | None:
        roots = self.engine.roots(setup)
        states = np.vstack([steps.coefficients[:, :, 0], steps.end])
        values = self._values(setup, guard, steps.times, states)
        size = float(setup.code.guard_sizes(states[:1], steps.times[:1], setup.numbers, scales)[0, guard])
        if not (roots > 0).any() or not values[:-1].max() > EPS * size:
            return None
        slopes = self._slopes(setup, steps, guard, scales, size)
        if slopes is None or not slopes[len(slopes) // 2 : -1].any():
            return None
        best = (np.inf, 0.0)
        for k in self._near(steps, values, slopes, size, min(powers)):
            terms = slopes[:-1] @ steps.coefficients[k]
            terms[0], terms[1] = values[k], terms[1] + slopes[-1] * steps.unit
            if (zero := _zero(terms, powers)) is not None:
                delay, off = zero
                error = off + EPS * size / values[k] * delay
                best = min(best, (error * steps.unit, float(steps.times[k] + delay * steps.unit)))
        if not best[0] < np.inf:
            return None
        time = best[1]
        gone = (values <= EPS * size) | (steps.times >= time)
        gone[-1] |= steps.broken is not None and time - steps.times[-1] <= AT * EPS * abs(time)
        none = np.flatnonzero(gone)
        if not len(none) or not none[0]:
            return None
        step = int(none[0]) - 1
        end = min(float(steps.times[step + 1]), time)
        since = self._gone(setup, steps, guard, step, end, EPS * size)
        zero_roots = self._roots(setup, steps, guard, values, since)
        if not since > float(steps.times[step]) or not zero_roots:
            return None
        unseen = self._gone(setup, steps, guard, step, since, UNSEEN * size)
        state = self._at_zero(setup, steps.within(step, since), since, guard, slopes[:-1], scales[:-1])
        return Halt(guard, gate, max(time, since), zero_roots, self._legs(steps, step, unseen, since, state), state)

    def _at_zero(self, setup: Setup, state: Array, t: float, guard: int, slopes: Array, scales: Array) -> Array:
        """A state (2n,) whose velocities are changed by as little as makes the guard zero."""
        n = len(state) // 2
        way = slopes[n:] * scales[n:] ** 2
        for _ in range(2):  # the second time for rounding
            left = float(self._values(setup, guard, np.array([t]), state[None, :])[0])
            state[n:] -= way / float(way @ slopes[n:]) * left
        return state

    def _legs(self, steps: Steps, step: int, unseen: float, since: float, state: Array) -> tuple[Steps, ...]:
        """The steps up to where what vanishes can no longer be looked at, up to where it is nothing, and a moment."""
        begin, later, n = float(steps.times[step]), since, len(state) // 2
        for _ in range(ULPS):
            later = float(np.nextafter(later, np.inf))
        first = steps.until(step + 1, unseen) if unseen > begin else steps.until(step)
        last = steps.rest(step, max(unseen, begin), since)
        moment = np.zeros((1, *steps.coefficients.shape[1:]))
        moment[0, :, 0], moment[0, :n, 1] = state, state[n:] * steps.unit
        return first, last, Steps(np.array([since, later]), moment, unit=steps.unit)

    def _gone(self, setup: Setup, steps: Steps, guard: int, step: int, end: float, least: float) -> float:
        """From when on in a step a guard that falls till its end is no more than so much; the end where it is more."""
        first, last, place = float(steps.times[step]), end, np.array([step])
        for _ in range(HALVES):
            middle = np.array([(first + last) / 2])
            below = self._values(setup, guard, middle, steps.at(middle, place))[0] <= least
            first, last = (first, float(middle[0])) if below else (float(middle[0]), last)
        return last

    def _near(self, steps: Steps, values: Array, slopes: Array, size: float, power: float) -> list[int]:
        """Some of the steps from whose beginning, at the rate there, it might be at rest before their end."""
        rates = steps.coefficients[:, :, 1] @ slopes[:-1] / steps.unit + slopes[-1]
        with np.errstate(divide="ignore", invalid="ignore"):
            left = -values[:-1] / rates / (1 - power)
        soon = (values[:-1] > EPS * size) & (rates < 0) & (left <= AHEAD * (steps.times[-1] - steps.times[:-1]))
        found = np.flatnonzero(soon)
        return found[np.unique(np.linspace(0, len(found) - 1, MOST).astype(int))].tolist() if len(found) else []

    def _values(self, setup: Setup, guard: int, times: Array, states: Array) -> Array:
        found: Array = setup.code.guards(states, times, setup.numbers)[:, guard]
        return found

    def _slopes(self, setup: Setup, steps: Steps, guard: int, scales: Array, size: float) -> Array | None:
        """The slopes (2n + 1,) of a guard along coordinates, velocities and time, where it is linear in them."""
        t, state, n = float(steps.times[0]), steps.coefficients[0, :, 0], len(scales) // 2
        span = float(steps.times[-1]) - t
        scales = np.append(np.maximum(scales[:-1], steps.largest()), max(abs(t), span))
        scales[:n] = np.maximum(scales[:n], span * scales[n:-1])
        moved = np.vstack([np.zeros(len(scales)), np.diag(scales), scales, -scales])
        inputs = np.append(state, t) + moved
        values = self._values(setup, guard, inputs[:, -1], inputs[:, :-1])
        with np.errstate(divide="ignore", invalid="ignore"):
            slopes = np.where(scales > 0, (values[1:-2] - values[0]) / scales, 0.0)  # what never moves
        ahead = moved[-2:] @ slopes
        close = np.abs(values[-2:] - values[0] - ahead) <= LINEAR * (size + np.abs(slopes) @ scales)
        return slopes if np.isfinite(values).all() and close.all() else None

    def _roots(self, setup: Setup, steps: Steps, guard: int, values: Array, since: float) -> tuple[int, ...]:
        """The roots of what the guard is of: in proportion to it all the time until it is gone."""
        first = int(np.argmax(values[:-1]))
        times = np.array([steps.times[first], (steps.times[first] + min(steps.times[first + 1], since)) / 2])
        states = steps.at(times, np.array([first, first]))
        own = self._values(setup, guard, times, states)
        under = self.engine.watch(setup, times, states).radicands
        on = self.engine.roots(setup) > 0
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = under / own[:, None]
        alike = np.abs(ratios[1] - ratios[0]) <= SAME * np.abs(ratios[0])
        return tuple(int(r) for r in np.flatnonzero(alike & on & (ratios[0] > 0)))


def _zero(terms: Array, powers: Sequence[float]) -> tuple[float, float] | None:
    """When −G/G' of a series G vanishes, and how far that is known; None where it does not as a power says."""
    order = len(terms) - 1
    rate = -terms[1:] * np.arange(1, order + 1)
    if not rate[0] > 0:
        return None
    h = np.zeros(order)
    for k in range(order):
        h[k] = (terms[k] - h[:k] @ rate[k:0:-1]) / rate[0]
    if not np.isfinite(h).all():
        return None
    delay, left, slope = (h[0] / -h[1] if h[1] < 0 else np.inf), 0.0, 0.0
    for _ in range(CUTS):
        with np.errstate(over="ignore", invalid="ignore"):
            found = _newton(*_without_noise(h, delay))
        if found is None:
            return None
        delay, slope, left = found
    if not (1 - LIKE) * (1 - max(powers)) <= -slope <= (1 + LIKE) * (1 - min(powers)):
        return None
    strays = min(abs(slope + 1 - p) for p in powers)  # of several powers, the least decides, the nearer the more
    return delay, left / abs(slope) + (strays + EPS) * delay


def _without_noise(h: Array, delay: float) -> tuple[Array, float]:
    """A series up to where its terms at some delay are least, and how much is left: what follows grows by rounding."""
    reach = np.abs(h) * delay ** np.arange(len(h))
    pairs = reach[2:-1] + reach[3:]  # one term alone may be small by chance
    known = int(np.argmin(pairs)) + 2
    return h[:known], float(pairs[known - 2] + EPS * h[0])


def _newton(h: Array, left: float) -> tuple[float, float, float] | None:
    """The first zero of a series that falls, and its slope there; with what is left of it."""
    degrees, delay = np.arange(len(h)), 0.0
    slopes, slope = h[1:] * degrees[1:], -1.0
    for _ in range(NEWTON):
        rise = delay**degrees
        slope = float(slopes @ rise[:-1])
        if not slope < 0:
            return None
        new = delay - float(h @ rise) / slope
        if abs(new - delay) <= EPS * abs(new):
            break
        delay = new
    return (delay, slope, left) if 0 < delay < np.inf else None


@lru_cache(maxsize=64)
def weak_powers(gated: Gated, given: tuple[tuple[Symbol, float], ...]) -> dict[int, tuple[float, ...]]:
    """The powers between zero and one of what gates switch on, by the place of the gate."""
    values = dict(given)
    out: dict[int, tuple[float, ...]] = {}
    places = {gate.symbol: k for k, gate in enumerate(gated.gates)}
    for _, e in all_expressions(gated.statement):
        for power in e.atoms(Pow):
            exponent = power.exp.xreplace(values)
            if exponent.is_number and exponent.is_real and 0 < exponent < 1:
                for symbol in power.base.free_symbols & places.keys():
                    out[places[symbol]] = (*out.get(places[symbol], ()), float(exponent))
    return out
