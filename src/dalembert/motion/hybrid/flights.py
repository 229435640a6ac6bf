"""Flights from impact to impact: single smooth contacts that close and part again, while the mode goes on.

Nothing is searched here. Each impact is (1 + e) times the nearest way back onto the constraint in the metric of M,
and the next flight follows at once; what makes an impact simple is looked at for many of them together, afterwards.
What comes from the first that is not is dropped, and left to the search of modes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.modes import SLIPS, STICKS, Mode
from dalembert.derive.switching.stages import Staged
from dalembert.engine import Steps
from dalembert.engine.outputs import OFFSET, SLOPE
from dalembert.engine.taylor import Setup
from dalembert.motion.hybrid.bounces import low
from dalembert.motion.hybrid.grazing import known_to
from dalembert.motion.hybrid.guard_watch import closed_before, counting
from dalembert.motion.hybrid.programs import Programs
from dalembert.motion.status import Event
from dalembert.motion.tolerances import EPS, tolerance

CLEAR = 8.0  # times what counts as zero: a guard above this is not zero
MET = 1e-9  # of its velocity before: how exactly a contact parts with what its restitution says
NEWTON, QUADRATIC = 6, 2.0**-28  # changes of a time, and one of a step whose square is nothing

Walk = Callable[[Setup, float, Array, float], Steps]
"""Steps of a setup from a state at a time, as far as that which the mode before lasted allows."""


@dataclass(eq=False)
class Flight:
    """An impact of one contact at a time, the states (2n,) before and after it, and the steps that follow."""

    contact: int
    time: float
    before: Array
    after: Array
    steps: Steps
    event: Event
    energy: float = 0.0


class Flights:
    """The flights of one system with its restitutions by constraint."""

    def __init__(self, programs: Programs) -> None:
        self._programs, self._engine = programs, programs.engine
        self._restitution = programs.restitutions()
        self._sided = list(programs.switches.one_sided)
        self._names = [c.name for c in programs.switches.form.constraints]

    def contacts(self, staged: Staged, setup: Setup, mode: Mode) -> dict[int, int]:
        """The contacts whose impacts may be simple in a mode, by their guards."""
        held = mode.closed or mode.idle or mode.still or STICKS in mode.rubs or SLIPS in mode.rubs or 0 in mode.signs
        if held or setup.choice.augment or self._programs.switches.actual or len(self._engine.roots(setup)):
            return {}
        return {
            guard: key.place
            for guard, key in enumerate(staged.keys)
            if key.kind == "touch" and key.place not in staged.rough and self._restitution[key.place] > 0
        }

    def go(
        self,
        contact: int,
        t: float,
        state: Array,
        staged: Staged,
        setup: Setup,
        mode: Mode,
        scales: Array,
        lasted: float,
        most: int,
        walk: Walk,
    ) -> tuple[Setup, list[Flight]]:
        """Flights from the impact of a contact on, at most so many, and the setup they were made with."""
        contacts = self.contacts(staged, setup, mode)
        if contact not in contacts.values():
            return setup, []
        setup = self._slack(setup, list(contacts), scales, t, state)
        flights: list[Flight] = []
        span, first = lasted, self._engine.watch(setup, np.array([t]), state[None, :]).rate[0]
        gaps = tolerance("TIE") * self._engine.sizes(setup, np.array([t]), state[None, :], scales)[0, : len(first)]
        rate = float(first[contact])
        while len(flights) < most and not self._may_rest(contact, t, rate, gaps, span):
            after = self._rebound(contact, t, state, setup)
            steps = walk(setup, t, after, span)
            if not steps.count:
                break
            place = (*after.tolist(),)
            event = Event(t, "impact", self._names[contact], "open", "open", place)
            if steps.fired not in contacts:
                flights.append(Flight(contact, t, state, after, steps, event))
                break
            exact, rate = self._at_zero(contacts[steps.fired], setup, steps)
            if exact is None:  # how it ends is not known well enough here
                break
            if len(contacts) > 1:
                values = setup.code.guards(exact.end[None, :], exact.times[-1:], setup.numbers)[0]
                if closed_before(setup, values.tolist(), contacts, steps.fired) is not None:
                    break
            flights.append(Flight(contact, t, state, after, exact, event))
            contact = contacts[steps.fired]
            t, state, span = float(exact.times[-1]), exact.end, float(exact.times[-1]) - t
        return setup, self._simple(flights, staged, setup, mode, scales, lasted) if flights else []

    def _slack(self, setup: Setup, guards: list[int], scales: Array, t: float, state: Array) -> Setup:
        """The setup with a slack for every contact, so that each may begin at zero; times are refined afterwards."""
        sizes = setup.code.guard_sizes(state[None, :], np.array([t]), setup.numbers, scales)[0]
        slopes, offsets = (setup.numbers[setup.code.places(what)].copy() for what in (SLOPE, OFFSET))
        good = [g for g in guards if np.isfinite(sizes[g]) and sizes[g] > 0]
        slopes[good] = 1.0 / sizes[good]
        offsets[good] = 2 * max(tolerance("TIE"), EPS)
        return setup.armed(slopes, offsets, setup.triggers)

    def _rebound(self, j: int, t: float, state: Array, setup: Setup) -> Array:
        """The state (2n,) after the impact of a contact."""
        numbers = setup.numbers.copy()
        numbers[setup.code.masks[j]] = 1.0
        n = len(state) // 2
        back = setup.code.settle(state[None, :], np.array([t]), numbers)[0, n : 2 * n]
        out = state.copy()
        out[n:] -= (1 + self._restitution[j]) * back
        return out

    def _may_rest(self, j: int, t: float, rate: float, gaps: Array, lasted: float) -> bool:
        """Whether a contact that closes at a rate may come to rest."""
        e = self._restitution[j]
        return bool(low(e, t, -e * rate, float(gaps[j]), lasted))

    def _at_zero(self, j: int, setup: Setup, steps: Steps) -> tuple[Steps | None, float]:
        """The steps up to where the gap of a contact is zero, which its slack lets them pass, and its rate there."""
        last, begin, end = steps.count - 1, float(steps.times[-2]), float(steps.times[-1])
        time = end
        for _ in range(NEWTON):
            gap, rate = setup.code.gap(steps.within(last, time), time, setup.numbers, j)
            change = -gap / rate if rate < 0 else inf
            time += change
            if not begin < time <= end + 4 * EPS * abs(end):
                return None, rate
            if abs(change) <= QUADRATIC * (end - begin):
                break
        return steps.until(steps.count, time, steps.fired), rate

    def _simple(
        self, flights: list[Flight], staged: Staged, setup: Setup, mode: Mode, scales: Array, lasted: float
    ) -> list[Flight]:
        """The first flights, as far as their impacts are simple, with the energies of these."""
        times = np.array([flight.time for flight in flights])
        before, after = (np.array([getattr(flight, name) for flight in flights]) for name in ("before", "after"))
        struck = np.array([flight.contact for flight in flights])
        k, n = len(flights), before.shape[1] // 2
        scales = np.append(np.maximum(scales[:-1], np.abs(np.vstack([before, after])).max(axis=0)), scales[-1])
        seen, left = (self._engine.watch(setup, times, states) for states in (before, after))
        r = seen.level.shape[1]
        floors = tolerance("TIE") * self._engine.sizes(setup, times, before, scales)
        gaps, slack = floors[:, :r], floors[:, r:]
        e = np.array([self._restitution[j] for j in struck.tolist()])
        here = (np.arange(k), struck)
        others = np.array(self._sided)
        touching = (seen.level[:, others] <= gaps[:, others]) & (others != struck[:, None])
        rate, own = seen.rate[here], slack[here]
        spans = np.append(lasted, np.diff(times))
        resting = low(e, times, -e * rate, gaps[here], spans)
        holding = self._engine.holding(setup)
        held = np.where(holding, np.abs(left.rate) - np.abs(seen.rate) - slack, 0.0).max(axis=1, initial=0.0) > 0
        opens = self._programs.opening(setup, times, before, seen.acceleration)[here]
        grazing = rate**2 <= 2 * opens * known_to(self._engine) / tolerance("TIE") * gaps[here]
        met = np.abs(left.rate[here] + e * rate) <= MET * np.abs(rate)
        values = setup.code.guards(after, times, setup.numbers)
        sizes = setup.code.guard_sizes(after, times, setup.numbers, scales)
        counts = counting(staged, mode, values.shape[1])
        near = ~(values > CLEAR * tolerance("TIE") * np.where(np.isfinite(sizes), sizes, 0.0)) & counts
        places = {key.place: guard for guard, key in enumerate(staged.keys) if key.kind == "touch"}
        near[np.arange(k), [places[j] for j in struck.tolist()]] = False
        good = ~touching.any(axis=1) & (gaps[here] >= seen.level[here]) & (rate < -own) & (-e * rate > own)
        good &= ~resting & ~grazing & ~held & met & ~near.any(axis=1) & np.isfinite(after).all(axis=1)
        count = int(good.cumprod().sum())
        M = self._programs.masses(setup, times[:count], before[:count])
        change, twice = (after - before)[:count, n:], (after + before)[:count, n:]
        energies = 0.5 * np.einsum("ki,kij,kj->k", change, M, twice)
        for flight, energy in zip(flights[:count], energies.tolist(), strict=True):
            flight.energy = energy
        return flights[:count]
