"""Motions that switch, from event to event: each mode is a smooth system, left where one of its guards falls to zero.

The time of a switch is found by steps of other lengths from the last state before it, as exactly as the motion. A
guard that dips below zero and rises again within one step is seen by the cubic through its values and slopes; a second
run with shorter steps would see what the first has missed.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .gbs import TOLERANCE, Array, Real, Stepper, TruthError, difference, real, step

ROUNDING = Real("1e-16")  # a guard this small beside its own scale is zero at the beginning of a mode
MOST = 20_000  # switches


class Mode(NamedTuple):
    """A smooth system, what must stay positive in it, and what follows where that falls to zero.

    `rate(t, y)` is y', `guards(t, y)` what must stay positive, `after(i, t, y)` what comes when guard i is zero.
    """

    name: Any
    rate: Callable[[Real, Array], Any]
    guards: Callable[[Real, Array], Any]
    after: Callable[[int, Real, Array], "Next"]


class Next(NamedTuple):
    """The mode that follows, the state it begins with, and the kind of the event (empty: not told)."""

    mode: Mode | None  # None: the motion ends here
    state: Array
    kind: str = ""


class Switched(NamedTuple):
    """States (k, n) at the times asked for (NaN after an end), events (time, kind), the end, the error."""

    states: Array
    events: tuple[tuple[float, str], ...]
    end: float | None
    error: float


def follow(mode: Mode, start, times, *, longest=np.inf, order=8, tolerance=TOLERANCE, absolute=0.0) -> Switched:
    """One run across all switches."""
    times, y = real(times), real(start)
    stepper = Stepper(longest, order, tolerance, absolute)
    out, events, t = [], [], times[0]
    fresh = True
    for until in times:
        while t < until:
            new_t, new = stepper.advance(mode.rate, t, y, until)
            hit = _first_zero(mode, t, y, new_t, new, fresh, stepper)
            if hit is None:
                t, y, fresh = new_t, new, False
                continue
            i, t, y = hit
            mode, y, kind = mode.after(i, t, y)
            events.append((float(t), kind))
            if mode is None:
                out += [real([np.nan] * len(y))] * (len(times) - len(out))
                return Switched(real(out), tuple(e for e in events if e[1]), float(t), 0.0)
            stepper.length = min(stepper.length, Real("0.01") * (times[-1] - times[0]))
            fresh = True
            if len(events) > MOST:
                raise TruthError(f"more than {MOST} switches at t = {t}")
        out.append(y)
    return Switched(real(out), tuple(e for e in events if e[1]), None, 0.0)


def solve(mode: Mode, start, times, *, longest=np.inf, absolute=0.0) -> Switched:
    """A run, and how far one of another order with steps of half the length differs."""
    one = follow(mode, start, times, longest=longest, absolute=absolute)
    again = follow(mode, start, times, longest=longest / 2, order=7, tolerance=TOLERANCE / 5, absolute=absolute)
    if (one.end is None) != (again.end is None):
        return one._replace(error=np.inf)
    reached = np.isfinite(one.states[:, 0]) & np.isfinite(again.states[:, 0])
    late = 0.0 if one.end is None else abs(one.end - again.end)
    error = max(difference(one.states[reached], again.states[reached]), late / float(times[-1] - times[0]))
    return one._replace(error=error, events=_common(one.events, again.events))


def _common(one, other) -> tuple[tuple[float, str], ...]:
    """The events of both runs: where a guard only touches zero, one may see it and the other not, and both be right."""
    return tuple(e for e in one if any(k == e[1] and abs(t - e[0]) < 1e-9 * (1 + abs(t)) for t, k in other))


def _first_zero(mode, t0, y0, t1, y1, fresh, stepper):
    """The guard that falls first between two states, the time and the state there; None where none does."""
    before, after = real(mode.guards(t0, y0)), real(mode.guards(t1, y1))
    if not len(before):
        return None
    h = t1 - t0
    zero = ROUNDING * np.maximum(abs(before), abs(after)) if fresh else 0
    begins = before > zero
    found = None
    for i in np.flatnonzero((after < 0) | _may_dip(mode, t0, y0, t1, y1, before, after, begins)):
        span = _bracket(mode, i, t0, y0, h, before[i], after[i], begins[i], stepper)
        if span is not None:
            root = _root(mode, i, t0, y0, span, stepper)
            if found is None or root < found[1]:
                found = (int(i), root)
    if found is None:
        return None
    i, d = found
    state = step(mode.rate, t0, y0, d, stepper.order)[0] if d > 0 else y0
    return i, t0 + d, state


def _may_dip(mode, t0, y0, t1, y1, before, after, begins):
    """Which guards, positive at both ends, may be negative between: they fall first, rise last, and the cubic dips."""
    e = (t1 - t0) * Real("1e-6")
    if e <= 0:
        return np.zeros(len(before), bool)
    first = (real(mode.guards(t0 + e, y0 + e * real(mode.rate(t0, y0)))) - before) / e
    last = (after - real(mode.guards(t1 - e, y1 - e * real(mode.rate(t1, y1))))) / e
    h = t1 - t0
    s = np.linspace(0, 1, 17).astype(Real)[:, None]
    cubic = (
        before * (1 + 2 * s) * (1 - s) ** 2
        + first * h * s * (1 - s) ** 2
        + after * s**2 * (3 - 2 * s)
        + last * h * s**2 * (s - 1)
    )
    low = cubic.min(axis=0) < Real("0.2") * np.minimum(before, after)
    return begins & (after > 0) & (first < 0) & (last > 0) & low


def _guard(mode, i, t, y, d, stepper):
    state = step(mode.rate, t, y, d, stepper.order)[0] if d > 0 else y
    return real(mode.guards(t + d, state))[i]


def _bracket(mode, i, t, y, h, before, after, begins, stepper):
    """Two lengths of a step between which guard i falls through zero, with its values; None where it does not."""
    if after < 0:
        if begins:
            return Real(0), h, before, after
        d = h / 2  # at the beginning it is zero: look for where it is positive, if it ever is
        for _ in range(60):
            value = _guard(mode, i, t, y, d, stepper)
            if value > 0:
                return d, 2 * d, value, after
            after, d = value, d / 2
        raise TruthError(f"guard {i} of mode {mode.name} falls at once at t = {t}")
    low, high = Real(0), h  # the slope changes its sign between them: close in on the least value
    while high - low > h * Real("1e-7"):
        one, two = low + (high - low) * Real("0.382"), low + (high - low) * Real("0.618")
        first, second = _guard(mode, i, t, y, one, stepper), _guard(mode, i, t, y, two, stepper)
        if min(first, second) < 0:
            return Real(0), (one if first < 0 else two), before, min(first, second)
        low, high = (low, two) if first < second else (one, high)
    return None


def _root(mode, i, t, y, span, stepper):
    """The length of the step at which guard i is zero: regula falsi with the Illinois rule."""
    a, b, fa, fb = span
    kept = 0
    for _ in range(200):
        if b - a <= Real("1e-19") * max(abs(t), abs(b)) or fb == 0:
            return b
        c = b - fb * (b - a) / (fb - fa)
        if not a < c < b:
            c = (a + b) / 2
        fc = _guard(mode, i, t, y, c, stepper)
        if fc == 0:
            return c
        if fc < 0:
            b, fb = c, fc
            if kept == -1:
                fa /= 2
            kept = -1
        else:
            a, fa = c, fc
            if kept == 1:
                fb /= 2
            kept = 1
        if abs(fc) < Real("1e-22") * max(abs(span[2]), abs(span[3])):
            return c
    return b
