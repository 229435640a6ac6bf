"""Bounces ever lower and ever faster, of one contact or of several on each other, to the time at which they have ended.

So near the end gaps are those of parabolas: forces, masses and directions no longer change. Contacts that have closed
push, and share what they bear by complementarity; each impact changes the rates of all gaps by what its impulses do,

    rate → rate + W Λ,   W = A M⁻¹ Aᵀ,   with (1 + e) of the closing speed at each contact that is struck.

The sequence of impacts is followed to where it leads. Bounces have ended

    where a geometric sequence of impacts adds up to a finite time: the gaps and the closing speeds of all contacts that
    it strikes have fallen to none, and each of them is closed from then on;

and they have ended for the motion at the last time at which that is so of every contact struck until then, while none
of them, nor any that is reached, has been too high to count as unseen. A contact that arrives at that very time with a
speed is struck by what follows, and is not at rest.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.motion.hybrid.impact import RANK, normal_impulses

MOST = 4000  # impacts
LATE = 12  # impacts in a row: those of a sequence that is over have all been struck among them
OVER = 2.0**-40  # of the time so far: what that many impacts may take where it is over
SHUT, STILL = 2.0**-24, 2.0**-12  # of the largest it was: a gap, and a rate, that is none at the end of a sequence
SLOWED = 2.0**-3  # the same of a contact that is struck again and again: gaps may fall faster than rates
FINE = 2.0**-44  # of the height at which bounces are seen: rounding, once it was about as high
TOGETHER = 2.0**-28  # of the time since the impact before: what parts the times of two that are struck together
SAME = 2.0**-10  # the same, where it is rounding of the state that the sequence begins with
PART = 2.0**-28  # of a closing speed, or a force: what parts a contact by no more is rounding
FURTHER = 16.0  # times as long as to the first end: an end that comes later is another one


class Low(NamedTuple):
    """Contacts that may end their bounces, right before an impact of those whose gap is none and that close.

    Shapes (k,): gaps, rates, how these change in time with no contact closed (`falls`), restitutions, the heights above
    which a bounce is seen, and what counts as zero of gaps and rates at the beginning; W (k, k). `once`: only the first
    end counts, as what presses while contacts are closed is not known.
    """

    gaps: Array
    rates: Array
    falls: Array
    W: Array
    restitutions: Sequence[float]
    limits: Sequence[float]
    nothing: tuple[Sequence[float], Sequence[float]]
    once: bool = False


def end_of(low: Low) -> dict[int, float]:
    """The contacts that have come to rest when bounces end, and how long each takes to; none where they go on."""
    return _Sequence(low).followed()


@dataclass(eq=False)
class _Sequence:
    """A sequence of impacts, one after the other, made once.

    `tops`, `fastest`: the largest gaps and rates since the last end; `highest`: gaps since each was struck; `taken`:
    the contacts that have moved, and when they closed (`closed`); `ends`: as they were at the last end of all.
    """

    low: Low
    time: float = 0.0
    closed: dict[int, float] = field(default_factory=dict)
    ends: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        low = self.low
        gaps, rates = _together(low)
        self.g: list[float] = gaps.tolist()
        self.r: list[float] = rates.tolist()
        self.k, self.W, self.own = len(self.g), low.W.tolist(), np.diag(low.W).tolist()
        self.tops, self.fastest = list(self.g), [abs(x) for x in self.r]
        self.highest, self.first = list(self.g), list(low.nothing[0])
        self.taken, self.late, self.waited = set[int](), list[tuple[float, int]](), 0.0
        self.a = self._pressed()

    def followed(self) -> dict[int, float]:
        """The ends of all that have come to rest."""
        for _ in range(MOST):
            waits = [_wait(*each) for each in zip(self.g, self.r, self.a, strict=True)]
            dt = min(waits)
            if dt == inf or (self.ends and self.time + dt > FURTHER * max(self.ends.values())):
                break
            self._move(dt)
            struck = self._struck(waits.index(dt), dt)
            if any(self.highest[j] > self.low.limits[j] for j in struck):
                rest = [j for j in self.taken if j not in self.closed]
                if not self.ends and all(self._none(j, STILL) for j in rest):  # over right then, but for rounding
                    self._note(dict.fromkeys(rest, self.time))
                break
            if not self._impact(struck):
                break
            if len(struck) == 1 and not self.closed:
                self._bounce_alone(struck[0])
            self._close()
            if self.ends and self.low.once:
                break
        return self.ends

    def _pressed(self) -> list[float]:
        """How rates change with what contacts that are closed bear; one that nothing presses is closed no longer."""
        shut = [j for j in range(self.k) if self.g[j] <= 0 and self.r[j] == 0]
        falls = self.low.falls
        if not shut:
            self.closed = {}
            return list(map(float, falls))
        borne = normal_impulses(self.low.W[np.ix_(shut, shut)], falls[shut])
        a, sizes = falls + self.low.W[:, shut] @ borne, np.abs(falls) + np.abs(self.low.W[:, shut]) @ borne
        for j in shut:
            if a[j] <= PART * sizes[j]:
                a[j], self.g[j] = 0.0, 0.0
                self.closed.setdefault(j, self.time)
        self.closed = {j: when for j, when in self.closed.items() if j in shut and a[j] == 0.0}
        return list(map(float, a))

    def _move(self, dt: float) -> None:
        """Let a time go by."""
        for j, (g, r, a) in enumerate(zip(self.g, self.r, self.a, strict=True)):
            if j in self.closed:
                continue
            top = min(max(-r / a, 0.0), dt) if a < 0 else 0.0
            self.r[j], self.g[j] = r + a * dt, _later(g, r, a, dt)
            self._seen(j, max(g, _later(g, r, a, top), self.g[j]), max(abs(r), abs(self.r[j])))
        self.time += dt

    def _seen(self, j: int, gap: float, rate: float) -> None:
        self.tops[j], self.fastest[j] = max(self.tops[j], gap), max(self.fastest[j], rate)
        self.highest[j] = max(self.highest[j], gap)

    def _struck(self, k: int, dt: float) -> list[int]:
        """The contacts that are struck together with one whose gap is none, so long after the impact before.

        One that was not struck before is known to the rounding of the state where the sequence begins.
        """
        self.waited = dt or self.waited
        found = [k]
        for j in range(self.k):
            if j == k or j in self.closed or not self.r[j] < 0:
                continue
            way, first = -self.r[j] * self.waited, self.first[j]
            if self.g[j] <= (max(TOGETHER * way, min(SAME * way, first)) if way else first):
                found.append(j)
        if len(found) > 1:
            self.g = _without(np.array(self.g), self.low.W, found).tolist()
        self.g[k] = 0.0
        return found

    def _impact(self, struck: list[int]) -> bool:
        """The impact of contacts, in which those that are closed take part; whether they part."""
        taking, e = [*struck, *self.closed], self.low.restitutions
        before = [self.r[j] for j in struck]
        if len(taking) == 1:
            (k,) = struck
            pulse = -(1 + e[k]) * self.r[k] / self.own[k]
            self.r = [y + pulse * row[k] for y, row in zip(self.r, self.W, strict=True)]
        else:
            given = np.array([(1 + e[j]) * self.r[j] if j in struck else 0.0 for j in taking])
            pulses = normal_impulses(self.low.W[np.ix_(taking, taking)], given)
            self.r = (np.array(self.r) + self.low.W[:, taking] @ pulses).tolist()
        none = PART * -min(before)
        for j in taking:
            if abs(self.r[j]) <= none:
                self.r[j] = 0.0
            if j in struck or self.r[j]:
                self.taken.add(j)
        for j in struck:
            self.highest[j] = self.first[j] = 0.0
            self.late.append((self.time, j))
        if self.closed or any(not self.r[j] for j in struck):
            self.a = self._pressed()
            self._note({})
        return min(self.r[j] for j in struck) >= -none

    def _bounce_alone(self, k: int) -> None:
        """Follow the bounces of a contact to their end, where no other is reached before.

        g_j − c g_k with c = W_jk/W_kk is what its impulses do not change of another gap.
        """
        r, a, e = self.r[k], self.a[k], self.low.restitutions[k]
        if not (r > 0 > a and e < 1) or r * r > -2 * a * self.low.limits[k]:
            return
        span, top = 2 * r / -a / (1 - e), r * r / (-2 * a)
        gaps, rates = list(self.g), list(self.r)
        for j in range(self.k):
            if j == k:
                continue
            c = self.W[j][k] / self.own[k]
            g, rate, fall = self.g[j], self.r[j] - c * r, self.a[j] - c * a
            lowest = min(g, _later(g, rate, fall, span))
            if fall > 0 > rate:
                lowest = min(lowest, _later(g, rate, fall, min(-rate / fall, span)))
            if not lowest > max(-c, 0.0) * top + SHUT * self.tops[j]:
                return
            gaps[j], rates[j] = _later(g, rate, fall, span), rate + fall * span
        self._seen(k, top, r)
        for j in range(self.k):
            if j != k:
                self._seen(j, max(gaps[j], self.g[j]) + abs(self.r[j]) * span, max(abs(rates[j]), abs(self.r[j])))
        self.g, self.r = gaps, rates
        self.time += span
        self._shut([k])

    def _close(self) -> None:
        """Close the contacts of a sequence that is over, or too low for its own rounding."""
        late = self.late[-LATE:]
        struck = {j for _, j in late} - self.closed.keys()
        if len(late) == LATE and 0 < self.time <= late[0][0] / (1 - OVER):
            over = all(self._none(j, SLOWED) for j in struck)
        else:
            struck = self.taken - self.closed.keys()
            over = self.time > 0 and all(map(self._lost, struck))
        if struck and over:
            self._shut(sorted(struck | self._held_by(sorted(struck))))

    def _none(self, j: int, part: float) -> bool:
        """Whether the gap of a contact has fallen to none, and its rate to a part of what it was."""
        gap, rate = self.low.nothing[0][j], self.low.nothing[1][j]
        return bool(self.g[j] <= max(SHUT * self.tops[j], gap) and abs(self.r[j]) <= max(part * self.fastest[j], rate))

    def _held_by(self, over: list[int]) -> set[int]:
        """The contacts that others leave no room, once these are at rest."""
        some = [*over, *self.closed]
        gaps, rates = (_without(np.array(each), self.low.W, some) for each in (self.g, self.r))
        known = zip(gaps.tolist(), rates.tolist(), self.tops, self.fastest, *self.low.nothing, strict=True)
        return {
            j
            for j, (g, r, top, fast, gap, rate) in enumerate(known)
            if j not in some and g <= max(SHUT * top, gap) and abs(r) <= max(STILL * fast, rate)
        }

    def _lost(self, j: int) -> bool:
        """Whether a contact bounces too low to be told from the rounding of the sequence."""
        gap = FINE * self.low.limits[j]
        return bool(self.g[j] <= gap and self.r[j] ** 2 <= 2 * abs(float(self.low.falls[j])) * gap)

    def _shut(self, contacts: list[int]) -> None:
        """Let the bounces of contacts be over."""
        for j in contacts:
            self.g[j] = self.r[j] = 0.0
        self.a = self._pressed()
        self.taken |= {*contacts}
        self._note(dict.fromkeys(contacts, self.time))
        self.tops, self.fastest = list(self.g), [abs(x) for x in self.r]

    def _note(self, over: dict[int, float]) -> None:
        """Take note of an end of all bounces, with those that are over right now, closed or not."""
        now = over | self.closed
        if self.taken and self.taken <= now.keys():
            self.ends = {j: now[j] for j in self.taken}


def _together(low: Low) -> tuple[Array, Array]:
    """Gaps and rates (k,) that fit each other: those of contacts that depend on others do so without rounding.

    The least change in the metric of M takes those that are closed, or due, to zero.
    """
    gaps, rates = low.gaps.copy(), low.rates.copy()
    near = np.flatnonzero(gaps <= low.limits)
    if len(near) < 2:
        return gaps, rates
    W = low.W[np.ix_(near, near)]
    unit = 1.0 / np.sqrt(np.diag(W))
    sizes, ways = np.linalg.eigh(W * np.outer(unit, unit))
    ways = ways[:, sizes > RANK * sizes[-1]]
    for each, nothing in zip((gaps, rates), low.nothing, strict=True):
        fitting = ways @ (ways.T @ (unit * each[near])) / unit
        if (np.abs(fitting - each[near]) <= np.array(nothing)[near]).all():
            each[near] = fitting
    shut = [j for j in near.tolist() if low.gaps[j] == 0 and low.rates[j] == 0]
    due = [j for j in near.tolist() if low.gaps[j] <= low.nothing[0][j] and (low.rates[j] < 0 or j in shut)]
    return _without(gaps, low.W, due), _without(rates, low.W, shut)


def _without(values: Array, W: Array, some: Sequence[int]) -> Array:
    """Gaps or rates (k,) after the least change, in the metric of M, that takes some of them to zero."""
    out: Array = values - W[:, some] @ np.linalg.lstsq(W[np.ix_(some, some)], values[some], rcond=RANK)[0]
    out[some] = 0.0
    return out


def _later(gap: float, rate: float, fall: float, dt: float) -> float:
    return gap + rate * dt + fall * dt * dt / 2


def _wait(gap: float, rate: float, fall: float) -> float:
    """How long a gap takes to close: where it is closed and opens, to close again."""
    if gap <= 0.0:
        if rate < 0:
            return 0.0
        return -2 * rate / fall if fall < 0 < rate else inf
    under = rate * rate - 2 * fall * gap
    if under < 0:
        return inf
    q = -rate + sqrt(under) if rate <= 0 else -rate - sqrt(under)
    times = [q / fall if fall else inf, 2 * gap / q if q else inf]
    return min((t for t in times if t > 0), default=inf)
