"""Legs of a motion across switches: each from one switch to the next, in one mode, of one compiled program."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from dalembert.derive import CLOSE, Array
from dalembert.derive.switching.guard_kinds import GuardKey
from dalembert.derive.switching.modes import OFF, SLIPS, Mode
from dalembert.derive.variants import with_constraints
from dalembert.engine import Steps
from dalembert.engine.protocol import largest_of
from dalembert.engine.taylor import Setup, Taylor
from dalembert.model import StateError, Statement, refuse
from dalembert.motion.blame import FAILURES, Blame, at, blame
from dalembert.motion.hybrid.bounces import Bounces, Struck
from dalembert.motion.hybrid.crowd import Crowd
from dalembert.motion.hybrid.drift import PutBack, is_coarse, put_back
from dalembert.motion.hybrid.flights import Flights
from dalembert.motion.hybrid.grazing import grazes, passing
from dalembert.motion.hybrid.growing import grown
from dalembert.motion.hybrid.guard_watch import GuardWatch, armed, key_of
from dalembert.motion.hybrid.guesses import Guesses, beyond
from dalembert.motion.hybrid.halts import Halt, Halts
from dalembert.motion.hybrid.impact import stopped
from dalembert.motion.hybrid.kinks import Kinks
from dalembert.motion.hybrid.next_mode import ModeSearch, Paradox, Trial
from dalembert.motion.hybrid.programs import Programs
from dalembert.motion.hybrid.several import only_mode
from dalembert.motion.hybrid.sound import refuse_massless, refuse_steps, what_switches_over
from dalembert.motion.hybrid.switch_events import told
from dalembert.motion.hybrid.uncertain import uncertain
from dalembert.motion.hybrid.walk import Walk
from dalembert.motion.smooth.leg import Leg
from dalembert.motion.smooth.mover import Moved, OnRows
from dalembert.motion.smooth.projection import distance
from dalembert.motion.smooth.roots import leave_roots
from dalembert.motion.status import Ending, Event, Status
from dalembert.motion.tolerances import EPS, tolerance

AHEAD = 1e-3  # of a run: so far beyond its end a mode may be tried out
LEGS, STEPS = 64, 256  # of one course at most
FEW = 4
AT = 2.0**12  # roundings of the time: steps that become shorter end before they reach a zero as near as that
SOON = 2.0**-20  # of how long things take: there a guard at zero has fallen that falls at a rate
FORGET = 2.0 ** (-1 / 64)  # at every switch: by so much sizes that were are forgotten
LAST = 1e-12  # of the time: what is left of a run that is none
CLOCK = 2.0**-8  # of the way in the time since zero: with TIE, what rounding of the time of a switch moves
NEARER, GROWN = 2.0**-20, 8.0  # of the way to a zero, and times a force: there it is seen to have no bound
BALANCE = 2.0**-6  # of what forces could do in a leg: with TIE, what their rounding leaves of a state that they balance
LEAP = 2.0**-10  # of a velocity: less than that a mode changes it by where nothing is hit
REACH = 2.0**16  # times what the mode before lasted: no step is longer, so that what ends the next one is found


@dataclass(frozen=True, eq=False)
class Memo:
    """What a mover knows at the beginning of a leg, to go on from there again.

    `switched`: how often it has.
    """

    mode: Mode
    setup: Setup
    resting: tuple[int, ...]
    switched: int
    count: int
    sizes: Array
    adrift: Array


class HybridMover:
    """Moves a system that switches, leg by leg.

    `sizes` (2n,) are the largest coordinates and velocities of late: they fade from switch to switch, so that neither
    where a run was cut nor how long it is to be decides anything.
    """

    def __init__(
        self,
        engine: Taylor,
        system: Statement,
        values: Array,
        t0: float,
        until: float,
        sizes: Array,
        drift: float,
        before: Mode | None = None,
    ) -> None:
        self.engine, self.system, self.values = engine, system, values
        self.t0, self.until, self.sizes = t0, until, sizes
        self.scales = np.append(sizes, abs(t0))
        self._adrift = np.zeros(len(sizes))  # how large what rounding leaves of a state in balance counts
        self.programs = Programs(engine, system, values)
        self.switches = self.programs.switches
        self._watch = GuardWatch(engine, until + AHEAD * (until - t0))
        self._search = ModeSearch(self.programs, self._watch)
        self._bounces = Bounces(self.programs)
        self._flights = Flights(self.programs)
        self._kinks = Kinks(self.programs)
        self._walk = Walk(self.programs)
        self._guesses = Guesses(self.programs)
        self._halts = Halts(engine, self.programs)
        self.mode: Mode | None = None
        self.setup: Setup | None = None
        self._fired: GuardKey | None = None
        self._undecided = True
        self._before = before
        self._drift, self._coarse = drift, is_coarse(drift)
        self._crowd = Crowd(t0, until)
        self.count = 0
        self._resting: tuple[int, ...] = ()
        self._lasted = inf  # how long the mode before did
        self._ahead = FEW  # how many flights are made before they are looked at
        self._grazed = -inf  # when a contact was last touched and not struck
        self._prelude: list[Leg] = []  # moments before the next leg
        self._struck: list[Leg] = []  # an impact

    def memo(self) -> Memo:
        """What is known here."""
        assert self.mode is not None
        assert self.setup is not None
        switched = len(self._crowd.times)
        return Memo(self.mode, self.setup, self._resting, switched, self.count, self.sizes, self._adrift)

    def resume(self, memo: Memo) -> None:
        """Go on in the mode of a leg before."""
        self.mode, self.setup, self._resting, self.count = memo.mode, memo.setup, memo.resting, memo.count
        self.sizes, self._adrift = memo.sizes, memo.adrift
        self._crowd.forget(memo.switched)
        self._fired, self._undecided = None, False

    def rest(self, roots: Sequence[int]) -> None:
        """From now on these roots are zero."""
        assert self.setup is not None
        self._resting = tuple(sorted({*self._resting, *roots}))
        self.setup = self.setup.resting(self._resting)

    def wake(self, roots: Sequence[int]) -> None:
        """From now on these roots are no longer zero."""
        assert self.setup is not None
        self._resting = tuple(sorted({*self._resting} - {*roots}))
        self.setup = self.setup.resting(self._resting)

    def choose(self, t: float, state: Array, avoided: int | None = None) -> bool:  # noqa: ARG002
        """Choose rows afresh for a state; whether the choice changed."""
        assert self.mode is not None
        assert self.setup is not None
        try:
            trial = self._search.again(self.mode, t, state, self.scales)
        except FAILURES:
            return False
        if trial is None:
            return False
        if trial.setup.choice == self.setup.choice and not trial.setup.weighs_more(self.setup):
            return False
        self.mode, self.setup = trial.mode, armed(trial.setup, trial.staged, trial.guarded, self._drift)
        return True

    def weigh(self, setup: Setup) -> None:
        """From now on, in this mode, with the weights of rows of a setup, the same but for these."""
        self.setup = setup

    def balance(self, t: float, state: Array) -> None:
        """From now on accelerations obey the rows to their own rounding."""
        self.programs.balance()
        self.choose(t, state)

    def carry(self, t: float, state: Array, until: float) -> Leg | None:
        """The moment up to a guard that falls and is so near zero that steps end before they reach it, and its fall.

        Or away from a root that was zero there, where steps are too short for that.
        """
        assert self.mode is not None
        assert self.setup is not None
        n, roots = len(state) // 2, len(self.engine.roots(self.setup))
        fired, tau = self._imminent(t, state, np.zeros(n))
        if fired is None and roots:  # a velocity that becomes zero by what acts, under a root
            a = self.engine.watch(self.setup, np.array([t]), state[None, :]).acceleration[0]
            fired, tau = self._imminent(t, state, a)
            if fired is not None and self._without_bound(t, state, tau, a):
                return None
        if fired is None:
            if not roots or t >= until:
                return None
            memo, (away, rest) = self.memo(), leave_roots(self.engine, self.setup, t, state, until)
            if away is not None and rest:
                self.rest(rest)
            return None if away is None else Leg(memo.setup, away, self.mode, memo=memo, brief=True)
        steps = self._moment(self.setup, t, state, max(tau, 0.0), np.zeros(n))
        leg = Leg(self.setup, steps, self.mode, memo=self.memo(), brief=True)
        if not steps.times[1] > t:
            none = Steps(np.array([t]), np.zeros((0, 2 * n, self.engine.order(self.setup) + 1)))
            leg = replace(leg, steps=none, start=state)
        self._switched(fired)
        return leg

    def _without_bound(self, t: float, state: Array, tau: float, a: Array) -> bool:
        """Whether a force grows the more the nearer a guard is to zero, which it reaches in a time τ."""
        assert self.setup is not None
        q, v = np.split(state, 2)
        near = (1 - NEARER) * tau
        there = np.concatenate([q + near * v + near**2 / 2 * a, v + near * a])
        found = self.engine.watch(self.setup, np.array([t + near]), there[None, :]).acceleration[0]
        return bool(tau > 0 and np.abs(found).max() > GROWN * np.abs(a).max())

    def _imminent(self, t: float, state: Array, a: Array) -> tuple[int | None, float]:
        """A guard of a contact or a function that falls by rounding of the time with accelerations (n,), and when."""
        assert self.mode is not None
        assert self.setup is not None
        staged, n = self.programs.staged_of(self.setup), len(state) // 2
        now = self._watch.at(staged, self.setup, self.mode, t, state, self.scales)
        delay = SOON * self._watch.time_left(t, self._watch.paces(self.setup, t, state), self.scales)
        there = np.concatenate([state[:n] + delay * state[n:] + delay**2 / 2 * a, state[n:] + delay * a])
        later = self.setup.code.guards(there[None, :], np.array([t + delay]), self.setup.numbers)[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            tau = np.where(now.values > later, delay * now.values / (now.values - later), inf)
        near = now.counts & (later < -now.floors) & ((np.abs(now.values) <= now.floors) | (tau <= AT * EPS * abs(t)))
        fired = next((i for i in np.flatnonzero(near).tolist() if key_of(staged, i).kind in ("touch", "side")), None)
        return (None, inf) if fired is None else (fired, float(tau[fired]))

    def beyond(self, leg: Leg, t: float, state: Array) -> Leg | None:
        """The leg in the mode that holds at a state beyond a singular place; None where none does.

        Where a curve crosses itself its gradient turns round, and the signs of its multiplier and of the direction of
        sliding with it: so the mode is decided anew.
        """
        assert leg.mode is not None
        try:
            guesses = self._guesses.after(leg.mode, None, t, state, False, self.scales)
            found = only_mode(self._search, t, state, guesses, self.scales, False, None)
        except (Paradox, *FAILURES):
            return None
        if found.slips or found.moment is not None or _unseen(found):  # it begins to slip right there
            return None
        if replace(found.mode, idle=leg.mode.idle, leans=leg.mode.leans) == leg.mode:
            return leg
        setup = armed(found.setup, found.staged, found.guarded, self._drift)
        memo = replace(leg.memo, mode=found.mode, setup=setup, count=leg.memo.count + 1)
        return replace(leg, setup=setup, mode=found.mode, memo=memo)

    def lacks_mass(self, t: float, state: Array) -> bool:  # noqa: ARG002
        """Not told from a loss of rank across switches."""
        return False

    def blame(self, t: float, state: Array) -> Blame:
        """What does not exist at a state, or just beyond it."""
        assert self.setup is not None
        statement = self.programs.staged_of(self.setup).stage.statement
        force = self.engine.in_force([self.setup])[0]
        rows = [c for c, on in zip(statement.constraints, force, strict=True) if on]
        own = with_constraints(statement, rows)
        return blame(own, self.setup.numbers[: len(own.symbols)], t, state)

    def on_rows(self, t: float, state: Array, allowed: float) -> OnRows | None:
        """A start put on its two-sided rows, and out of contacts that it is a little within; None where it need not be.

        Velocities are left to a contact, it may be struck, or left; but where they do neither to as few digits.
        """
        n, blank = len(state) // 2, self.programs.blank()
        try:
            self._adrift = uncertain(self.programs, t, state)
            self._measure(t, state)
            mode = replace(blank, signs=self._guesses.first_signs(t, state, blank, self.scales))
            before, within = self._off(mode, t, state)
            if before <= allowed:
                return None
            put = self._search.on_rows(mode, t, state, self.scales)
            within = (*within, *(j for j in self._off(mode, t, put)[1] if j not in within))
            if within:
                at_rest = np.concatenate([state[:n], np.zeros(n)])
                places = self._search.on_rows(replace(mode, closed=within), t, at_rest, self.scales)[:n]
                begun = np.concatenate([places, state[n:]])
                put = self._kept(mode, within, t, self._search.on_rows(mode, t, begun, self.scales))
            return OnRows(put, before, self._off(mode, t, put)[0])
        except FAILURES:  # what is wrong with it is told where its mode is looked for
            return None

    def _kept(self, mode: Mode, within: tuple[int, ...], t: float, state: Array) -> Array:
        """The state with those contacts, of some, at rest that it neither leaves nor strikes by its digits."""
        setup, n = self.programs.setup(mode, t, state), len(state) // 2
        now = self.programs.arrays(setup, t, state)
        sizes = self.engine.sizes(setup, np.array([t]), state[None, :], self.scales)[0][len(now.rate) :]
        slow = [j for j in within if abs(now.rate[j]) <= CLOSE * sizes[j]]
        hard = [j for j in range(len(self.system.constraints)) if j not in self.switches.one_sided]
        return np.concatenate([state[:n], stopped(now, state[n:], slow, hard).velocity]) if slow else state

    def _off(self, mode: Mode, t: float, state: Array) -> tuple[float, tuple[int, ...]]:
        """How far off its two-sided rows a state is, or within contacts, relative to their terms; and within which."""
        setup, times, states = self.programs.setup(mode, t, state), np.array([t]), state[None, :]
        gaps = self.engine.watch(setup, times, states).level[0]
        sizes = self.engine.sizes(setup, times, states, self.scales)[0]
        within = {j: -gaps[j] / sizes[j] for j in self.switches.one_sided if gaps[j] < 0 < sizes[j]}
        return max([distance(self.engine, setup, t, state, self.scales), *within.values()]), tuple(within)

    def legs(self, t: float, state: Array, until: float, most: int, longest: float) -> Moved:
        """Legs from a state on, at most so many steps."""
        out: list[Leg] = []
        left = most
        back: PutBack | None = None
        if self.mode is None:
            self._adrift = uncertain(self.programs, t, state)
        while left > 0:
            self._measure(t, state)
            flown = self._flown(t, state, until, left, longest)
            if flown:
                out += flown
                left -= sum(leg.steps.count for leg in flown)
                if moved := self._landed(out, flown[-1].begin, until):
                    return moved
                t, state = float(flown[-1].steps.times[-1]), flown[-1].steps.end
                continue
            events: tuple[Event, ...] = ()
            impulse = 0.0
            if self._undecided:
                back = None
                found = self._next(t, state)
                if isinstance(found, Status):
                    return Moved([*out, *self._prelude, *self._struck], None, found)
                t, state, events, impulse = found
                if self._prelude:
                    last = self._prelude[-1]
                    out += self._prelude[:-1]
                    out.append(replace(last, events=(*last.events, *events), impulse=last.impulse + impulse))
                    events, impulse = (), 0.0
                assert self.setup is not None
                if len(self.engine.roots(self.setup)) and (moment := self._leave_roots(t, state, until)):
                    out.append(Leg(self.setup, moment, self.mode, events, impulse, self.memo(), brief=True))
                    t, state, events, impulse = float(moment.times[-1]), moment.end, (), 0.0
            elif (below := self._rearm(t, state)) is not None:  # it fell, and no root of its series was found
                self._switched(below)
                if status := self._crowded(t, state):
                    return Moved(out, None, status)
                continue
            assert self.setup is not None
            if t >= until:
                nothing = Steps(np.array([t]), np.zeros((0, len(state), self.engine.order(self.setup) + 1)))
                out.append(Leg(self.setup, nothing, self.mode, events, impulse, self.memo(), state))
                break
            if self.until - t <= LAST * max(abs(t), abs(self.until)):
                none = Steps(np.array([t, until]), _constant(state, self.engine.order(self.setup)))
                out.append(Leg(self.setup, none, self.mode, events, impulse, self.memo(), brief=True))
                break
            steps = self._walk.until_zero(
                self.setup, t, state, min(until, t + REACH * self._lasted), left, longest, self.sizes
            )
            if not steps.count:
                if steps.fired is None and steps.broken:
                    steps = replace(steps, fired=self._falls(t, state))
                out.append(Leg(self.setup, steps, self.mode, events, impulse, self.memo(), state))
                if steps.fired is None:
                    return Moved(out, steps.broken)
                self._switched(steps.fired)
                if status := self._crowded(t, state):
                    return Moved(out, None, status)
                continue
            leg = Leg(self.setup, steps, self.mode, events, impulse, self.memo())
            if back is None and (halt := self._halts.first(self.setup, steps, self.scales)) is not None:
                out += self._halted_legs(leg, halt)
                left -= sum(part.steps.count for part in out[-3:])
                self._drifts(t, state, out[-1].end - t)
                t, state = out[-1].end, out[-1].steps.end
                continue
            if back is not None:
                leg = replace(leg, returned=back.projection)
            elif self._coarse and (back := put_back(self.engine, self.setup, steps, self.scales)) is not None:
                out.append(replace(leg, steps=back.steps))
                left -= back.steps.count
                self._drifts(t, state, back.projection.time - t)
                since, t, state = t, back.projection.time, back.state
                continue
            out.append(leg)
            left -= steps.count
            self._drifts(t, state, float(steps.times[-1]) - t)
            if moved := self._landed(out, t if back is None else since, until):
                return moved
            t, state = float(steps.times[-1]), steps.end
        return Moved(out)

    def _halted_legs(self, leg: Leg, halt: Halt) -> list[Leg]:
        """The legs up to where something has come to rest, to go on with the same mode without it."""
        assert self.mode is not None
        seen, unseen, moment = halt.parts
        out = [replace(leg, steps=seen)] if seen.count else []
        told = (leg.events, leg.impulse) if not out else ((), 0.0)
        out.append(replace(leg, steps=unseen, events=told[0], impulse=told[1], brief=True))
        self.sizes = np.maximum.reduce([self.sizes, *(part.steps.largest() for part in out)])
        self.rest(halt.roots)
        gate, sign = self.switches.gated.gates[halt.gate], self.mode.signs[halt.gate]
        words = f"{gate.about} {'>' if sign > 0 else '<'} 0", f"{gate.about} = 0"
        event = Event(halt.time, "halt", gate.words, *words)
        events = (event,) if halt.time <= self.until else ()
        out.append(Leg(self.setup, moment, self.mode, events, memo=self.memo(), brief=True))
        return out

    def _landed(self, out: list[Leg], begin: float, until: float) -> Moved | None:
        """What the end of the last leg, which began then, asks for: that all be looked at, or None to go on at once."""
        steps = out[-1].steps
        t, state = float(steps.times[-1]), steps.end
        self._lasted = t - begin if steps.fired is not None else inf
        self.sizes = np.maximum(self.sizes, steps.largest())
        if steps.fired is None and steps.broken is None and t < until:
            return None
        fired = steps.fired
        if fired is None and (t >= self.until or steps.broken):
            fired = self._falls(t, state)
        if fired is None:
            return Moved(out, steps.broken)
        self._switched(fired)
        if status := self._crowded(t, state):
            return Moved(out, None, status)
        return Moved(out) if len(out) >= LEGS or sum(leg.steps.count for leg in out) >= STEPS else None

    def _flown(self, t: float, state: Array, until: float, most: int, longest: float) -> list[Leg]:
        """Flights from one simple impact to the next, where one has fallen due; none where there is more to it."""
        fired, mode = self._fired, self.mode
        if fired is None or fired.kind != "touch" or mode is None or t >= until:
            return []
        assert self.setup is not None
        staged = self.programs.staged_of(self.setup)
        units = self.engine.units(self.setup, t, state, self.sizes, until - t)
        left = most

        def walk(setup: Setup, begin: float, after: Array, lasted: float) -> Steps:
            nonlocal left
            end = min(until, begin + REACH * lasted)
            steps = self._walk.until_guard(setup, begin, after, end, left, longest, units)
            left -= steps.count
            return steps

        setup, flights = self._flights.go(
            fired.place, t, state, staged, self.setup, mode, self.scales, self._lasted, self._ahead, walk
        )
        self._ahead = min(LEGS, max(2 * len(flights), FEW))
        if not flights:
            return []
        self.setup, self._undecided, self._fired, self._before = setup, False, None, None
        legs: list[Leg] = []
        largest = largest_of([flight.steps for flight in flights])
        largest[:-1] = np.maximum(largest[:-1], np.abs([flight.before for flight in flights])[1:])
        for k, flight in enumerate(flights):
            if k:
                self._crowd.add(flight.time)
                self.sizes = np.maximum(self.sizes, largest[k - 1])
                self.sizes, self._adrift = FORGET * self.sizes, FORGET * self._adrift
            self.count += 1
            legs.append(Leg(setup, flight.steps, mode, (flight.event,), flight.energy, self.memo()))
        if legs[-1].steps.fired is not None and legs[-1].steps.fired not in self._flights.contacts(staged, setup, mode):
            legs[-1] = replace(legs[-1], steps=self._walk.refined(setup, legs[-1].steps))
        self._drifts(legs[-1].begin, flights[-1].after, legs[-1].end - legs[-1].begin)
        return legs

    def _measure(self, t: float, state: Array) -> None:
        """Measure from now on by natural scales (2n + 1,) that this state has a part in."""
        self.sizes = np.maximum(self.sizes, np.abs(state))
        q, v = np.split(np.maximum(self.sizes, self._adrift), 2)
        self.scales = np.concatenate([np.maximum(q, CLOCK * abs(t) * v), v, [abs(t)]])

    def _drifts(self, t: float, state: Array, span: float) -> None:
        """Take note of what rounding of forces in balance may have left of a state, in a leg that begins with it."""
        assert self.setup is not None
        speeds = BALANCE * span * self._watch.paces(self.setup, t, state)
        self._adrift = np.maximum(self._adrift, np.concatenate([span * speeds, speeds]))

    def _leave_roots(self, t: float, state: Array, until: float) -> Steps | None:
        """A moment away from a state where roots are zero; those that stay zero are so from now on."""
        self._resting = ()
        moment, rest = leave_roots(self.engine, self.setup, t, state, until)
        if rest:
            self.rest(rest)
        return moment

    def _switched(self, guard: int) -> None:
        """Take note of the guard that fell."""
        assert self.setup is not None
        self._fired = key_of(self.programs.staged_of(self.setup), guard)
        self._undecided = True
        self.sizes, self._adrift = FORGET * self.sizes, FORGET * self._adrift

    def _crowded(self, t: float, state: Array) -> Status | None:
        """The end of a run that switches without end."""
        kind = "side" if self._fired is None else self._fired.kind
        n = len(state) // 2
        return self._crowd.end(t, state[:n], self.scales[:n], kind)

    def _falls(self, t: float, state: Array) -> int | None:
        """A guard that falls to zero right where steps end before they reach it; else None."""
        assert self.mode is not None
        assert self.setup is not None
        staged = self.programs.staged_of(self.setup)
        found = self._watch.at(staged, self.setup, self.mode, t, state, self.scales)
        here = [i for i in found.falls if key_of(staged, i).kind in ("touch", "side")]
        return here[0] if here else None

    def _rearm(self, t: float, state: Array) -> int | None:
        """Arm the guards of the mode anew, from a state within it; one that is below zero there, where one is."""
        assert self.mode is not None
        assert self.setup is not None
        staged = self.programs.staged_of(self.setup)
        guarded = self._watch.at(staged, self.setup, self.mode, t, state, self.scales)
        below = [
            i for i in guarded.falls if guarded.values[i] < -guarded.floors[i] and key_of(staged, i).kind != "slow"
        ]
        if below:
            return below[0]
        stays = (*guarded.stays, *guarded.falls, *guarded.rises)
        self.setup = armed(self.setup, staged, replace(guarded, stays=stays), self._drift)
        return None

    # -- what follows a switch -----------------------------------------------------------------------------------

    def _next(self, t: float, state: Array) -> tuple[float, Array, tuple[Event, ...], float] | Status:
        """The mode from here on, after what impacts there are; the state, what is told, and the energy of impulses."""
        fired, before = self._fired, self.mode
        self._prelude, self._struck = [], []
        halted: tuple[int, ...] = ()
        if fired is not None and (ended := self._jammed(fired, t, state)):
            return ended
        if fired is not None and fired.kind == "slow":
            brought = self._to_rest(t, state, fired.place)
            if brought is None:
                return self._slower(t, state, fired.place)
            t, state = brought
            halted = self._halted(t, state)
        if fired is not None and self._grazes(fired, t, state):
            return t, state, (), 0.0
        earlier = before or self.programs.blank()
        begins = before is None
        struck, turned, arrived = None, None, state
        try:
            signs = earlier.signs if not begins else self._guesses.first_signs(t, state, earlier, self.scales)
            guess = replace(earlier, signs=signs)
            if begins:
                self.programs.check(guess, t, state)
            events: list[Event] = []
            impulse, known = 0.0, set()
            here = replace(guess, signs=beyond(guess.signs, fired))
            if fired is not None and not begins:
                turned = self._kinks.at(fired, t, state, guess, here, self.scales)
            if turned is not None and (all_over := self._all_beyond(guess, t, state)) is not None:
                here = all_over
                turned = self._kinks.at(fired, t, state, guess, here, self.scales) or turned  # type: ignore[arg-type]
            if turned is not None:
                state, impulse, events = turned
                self._strike(t, state, events, impulse)
            if self.switches.one_sided and (begins or fired is None or fired.kind in ("touch", "side")):
                there = replace(here, idle=(), still=())
                if corner := self._kinks.corner(t, state, there, self.scales, struck=True):
                    raise Paradox(corner)
                setup = self.programs.setup(there, t, state)
                struck = self._bounces.at(t, state, there, setup, self.scales, self._lasted)
                if struck is not None and not struck.met:
                    return self._contradicts(t, state)
                struck = struck or self._bounces.unseen(t, state, there, setup, self.scales)
            if struck is not None:
                state = np.concatenate([struck.place, struck.velocity])
                events, impulse = [*events, *struck.events], impulse + struck.energy
                struck = struck._replace(events=events, energy=impulse)
                known = {e.name for e in events}
                self._strike(t, state, events, impulse)
                if struck.rests and self.switches.rubs:
                    t, state, events, impulse = self._come_to_rest(struck, t, state, guess)
            guesses = self._guesses.after(guess, fired, t, state, begins, self.scales)
            found = only_mode(self._search, t, state, guesses, self.scales, begins, fired, halted)
            if turned is not None and self._kinks.rests(found.mode):
                raise Paradox("no motion is possible: it leads back to where it came from")
            if begins:
                refuse_massless(self.engine, self.programs, found, t)
                refuse_steps(self.engine, self.system, self.values, found, t, state)
            later, begun = t, found
            if found.marginal and (slips := grown(self._search, found, t, state, self.until)) is not None:
                later, found = float(slips.steps.times[-1]), slips.trial
                memo = self._memo_of(found)
                self._prelude.append(Leg(found.setup, slips.steps, found.mode, memo=memo, brief=True, resolved=True))
        except Paradox as paradox:
            if begins:
                raise StateError("the start", [f"{paradox}, at {self._where(t, state)}"]) from None
            if self._crowd.ever_faster():
                words = f"they follow each other ever faster and accumulate (Zeno) near {self._where(t, state)}"
                return Status(Ending.SWITCHES, words)
            after = "" if turned is None else f"after the impact at the kink of {turned.names} "
            corner = self._kinks.corner(t, state, guess, self.scales)
            return Status(Ending.PARADOX, f"{after}{corner or paradox}, at {self._where(t, state)}")
        except FAILURES as error:
            if begins:
                raise
            return Status(Ending.BROKEN, f"no motion goes on from {self._where(t, state)}: {error}")
        if fired is not None and fired.kind == "side":
            ended = self._stepped(earlier, found, t, state if turned is None else arrived)
            if ended is not None:
                self._struck = [] if turned is not None else self._struck
                return ended
        if fired is not None and fired.kind not in ("touch", "side") and struck is None and self._leaps(begun, state):
            words = "the mode that would follow changes velocities at once, and nothing is hit"
            return Status(Ending.BROKEN, f"{words}, at {self._where(t, state)}")
        return self._begun(found, t, later, state, events, impulse, known)

    def _grazes(self, fired: GuardKey, t: float, state: Array) -> bool:
        """Go on in the same mode where a contact is touched and not struck, for all that can be told; whether it is."""
        if fired.kind != "touch" or self.setup is None or t == self._grazed:
            return False
        if not grazes(self.programs, self.setup, t, state, self.scales, fired.place):
            return False
        assert self.mode is not None
        staged = self.programs.staged_of(self.setup)
        guarded = self._watch.at(staged, self.setup, self.mode, t, state, self.scales)
        self.setup = passing(self.programs, armed(self.setup, staged, guarded, self._drift), fired.place)
        self._undecided, self._fired, self._grazed = False, None, t
        return True

    def _all_beyond(self, guess: Mode, t: float, state: Array) -> Mode | None:
        """The sides beyond all switching functions that are reached at once; None where it is one alone."""
        assert self.setup is not None
        assert self._fired is not None
        staged = self.programs.staged_of(self.setup)
        found = self._watch.at(staged, self.setup, guess, t, state, self.scales)
        keys = [key_of(staged, i) for i in found.falls]
        places = {key.place for key in keys if key.kind == "side"} | {self._fired.place}
        if len(places) < 2:
            return None
        return replace(guess, signs=tuple(-s if i in places else s for i, s in enumerate(guess.signs)))

    def _strike(self, t: float, state: Array, events: list[Event], impulse: float) -> None:
        """Take note of an impact, which is told where no motion follows too."""
        if self.setup is not None:
            none = Steps(np.array([t]), np.zeros((0, len(state), self.engine.order(self.setup) + 1)))
            self._struck = [Leg(self.setup, none, self.mode, tuple(events), impulse, self.memo(), state)]

    def _leaps(self, found: Trial, state: Array) -> bool:
        """Whether a mode begins with velocities other than those there are, by more than drift makes of them."""
        n = len(state) // 2
        begun = found.moment[1] if found.moment is not None else found.state
        bound = max(LEAP, tolerance("DRIFT") * self.engine.defect_bound)
        return bool((np.abs(begun - state)[n:] > bound * self.scales[n : 2 * n]).any())

    def _stepped(self, before: Mode, found: Trial, t: float, state: Array) -> Status | None:
        """The end of a run where energy, momenta or a constraint itself jump as a switching function changes sign."""
        place = self._fired.place if self._fired is not None else 0
        sides = [s or found.mode.signs[i] or 1 for i, s in enumerate(before.signs)]

        def on(side: int) -> Setup:
            signs = tuple(side if i == place else s for i, s in enumerate(sides))
            return self.programs.setup(replace(before, idle=(), still=(), signs=signs), t, state)

        pair = on(1), on(-1)
        what = what_switches_over(self.engine, pair, t, state, self._reach(pair[0], t, state))
        if what is None:
            return None
        words = f"{what} jumps where {self.switches.gated.gates[place].about} changes sign, which no force states"
        return Status(Ending.BROKEN, f"{words}, at {self._where(t, state)}")

    def _reach(self, setup: Setup, t: float, state: Array) -> Array:
        """How large coordinates and velocities (2n,) are, or could be by the forces that act, none of them zero."""
        span = max(t - self.t0, AHEAD * (self.until - self.t0))
        v = self.sizes[len(state) // 2 :] + span * self._watch.paces(setup, t, state)
        both = np.concatenate([self.sizes[: len(v)] + span * v, v])
        return np.where(both > 0, both, both.max(initial=0.0) or 1.0)

    def _begun(
        self, found: Trial, t: float, later: float, state: Array, events: list[Event], impulse: float, known: set[str]
    ) -> tuple[float, Array, tuple[Event, ...], float]:
        """Begin a mode that was found, and tell what has switched."""
        before, fired, n = self.mode or self._before, self._fired, len(state) // 2
        if before is not None:
            stopped = fired.place if fired is not None and fired.kind in ("stop", "slow") else None
            begun = found.moment[1] if found.moment is not None else state if later > t else found.state
            told_now = told(self.switches, before, found.mode, t, tuple(map(float, begun)), stopped, known)
            events = [*events, *told_now]
            self.count += replace(found.mode, leans=()) != replace(before, leans=()) or bool(known)
        if any(event.kind == "rest" and event.time > t for event in events):
            events = self._at_rest_later(events, found, t)
        new = found.state
        if found.moment is not None:
            tau, new, a = found.moment
            steps = self._moment(found.setup, t, new, tau, a)
            if steps.times[1] > t:
                self._prelude.append(Leg(found.setup, steps, found.mode, memo=self._memo_of(found), brief=True))
                later = float(steps.times[1])
        v, new = state[n:], new[n:]
        if (
            found.marginal is False
            and (later == t or found.moment is not None)
            and (np.abs(new - v) > tolerance("TIE") * (np.abs(v) + self.scales[n : 2 * n])).any()
        ):
            M = self.programs.arrays(found.setup, t, state).M  # a kink of a constraint takes energy
            impulse += 0.5 * float((new - v) @ M @ (new + v))
        self.mode = found.mode
        self.setup = armed(found.setup, found.staged, found.guarded, self._drift)
        self._undecided, self._fired, self._before = False, None, None
        return later, found.state, tuple(events), impulse

    def _at_rest_later(self, events: Sequence[Event], found: Trial, t: float) -> list[Event]:
        """What is told, with the state that a contact which rests a moment later has by then."""
        a = self._search.acceleration(found, t)
        q, v = np.split(found.state, 2)
        out = []
        for event in events:
            if event.kind == "rest" and np.isfinite(a).all():
                tau = event.time - t
                event = event._replace(state=(*map(float, q + v * tau + a * tau**2 / 2), *map(float, v + a * tau)))
            out.append(event)
        return out

    def _come_to_rest(
        self, struck: Struck, t: float, state: Array, guess: Mode
    ) -> tuple[float, Array, list[Event], float]:
        """The last bounces, too low to be told, as a stretch of contact without friction, which begins after.

        Friction that acts in impacts does in these what it does in contact, and has begun.
        """
        rough = self.programs.staged(guess).rough
        if all(j in rough for j in struck.rests):
            return t, state, struck.events, struck.energy
        shut = {event.name for event in struck.events if event.after == "closed"}
        at_rest = {j for j, c in enumerate(self.system.constraints) if c.name in shut}
        closed = tuple(sorted({*guess.closed, *struck.rests, *at_rest}))
        off = tuple(
            OFF if set(rub.members) & set(struck.rests) - set(rough) else r
            for rub, r in zip(self.switches.rubs, guess.rubs, strict=True)
        )
        self._search.look(self.scales, None)
        trial = self._search.trial(replace(guess, closed=closed, rubs=off, idle=(), still=()), t, state)
        end = t + max(struck.rests.values())
        if trial.why or not t < end < self.until:
            return t, state, struck.events, struck.energy
        setup = armed(trial.setup, trial.staged, trial.guarded, self._drift)
        steps = self.engine.steps(setup, t, trial.state, end, STEPS)
        if not steps.count:
            return t, state, struck.events, struck.energy
        memo = replace(self._memo_of(trial), setup=setup)
        events = tuple(self._at_rest_later(struck.events, trial, t))
        self._prelude.append(Leg(setup, steps, trial.mode, events, struck.energy, memo))
        return float(steps.times[-1]), steps.end, [], 0.0

    def _to_rest(self, t: float, state: Array, k: int) -> tuple[float, Array] | None:
        """Bring a friction that slides in a plane to rest, in the time it takes; None where it does not head for it."""
        assert self.mode is not None
        assert self.setup is not None
        found = self._search.planar.time_to_rest(self.mode, self.setup, t, state, k)
        if found is None:
            return None
        tau, a = found
        n = len(state) // 2
        moment = self._moment(self.setup, t, state, tau, a)
        if not moment.times[1] > t:  # too short to be told
            return t, np.concatenate([state[:n], state[n:] + a * tau])
        self._prelude.append(Leg(self.setup, moment, self.mode, memo=self.memo(), brief=True))
        return float(moment.times[-1]), moment.end

    def _halted(self, t: float, state: Array) -> tuple[int, ...]:
        """The frictions in a plane that are slower than what is brought to rest: they come to rest together."""
        assert self.mode is not None
        assert self.setup is not None
        staged = self.programs.staged_of(self.setup)
        rate = self.engine.watch(self.setup, np.array([t]), state[None, :]).rate[0]
        symbols = self.setup.code.stage.statement.symbols
        slow = {k: self.setup.numbers[symbols.index(self.switches.slow[k])] for k in staged.sticks}
        slips = [k for k, told in enumerate(self.mode.rubs) if told == SLIPS]
        return tuple(k for k in slips if float(np.linalg.norm(rate[list(staged.sticks[k])])) <= slow[k])

    def _moment(self, setup: Setup, t: float, state: Array, tau: float, a: Array) -> Steps:
        """A moment of second order."""
        n = len(state) // 2
        terms = np.zeros((1, 2 * n, self.engine.order(setup) + 1))
        terms[0, :n, 0], terms[0, :n, 1], terms[0, :n, 2] = state[:n], state[n:], a / 2
        terms[0, n:, 0], terms[0, n:, 1] = state[n:], a
        return Steps(np.array([t, t + tau]), terms)

    def _slower(self, t: float, state: Array, k: int) -> tuple[float, Array, tuple[Event, ...], float]:
        """Go on in a mode whose friction is slow and does not head for rest, until it is slower still."""
        assert self.mode is not None
        assert self.setup is not None
        symbols = self.setup.code.stage.statement.symbols
        numbers = self.setup.numbers.copy()
        numbers[symbols.index(self.switches.slow[k])] /= 64
        self.setup = replace(self.setup, numbers=numbers)
        self._undecided, self._fired = False, None
        self._rearm(t, state)
        return t, state, (), 0.0

    def _memo_of(self, trial: Trial) -> Memo:
        switched = len(self._crowd.times)
        return Memo(trial.mode, trial.setup, self._resting, switched, self.count, self.sizes, self._adrift)

    def _jammed(self, fired: GuardKey, t: float, state: Array) -> Status | None:
        """The end of a run where friction is no longer what it can be: unique, and against the motion."""
        if fired.kind == "coefficient":
            name = self.system.constraints[fired.place].name
            words = f"the friction of constraint {name!r} has a coefficient below zero, or a static one below the other"
            return Status(Ending.BROKEN, f"{words}, at {self._where(t, state)}")
        if fired.kind != "jam":
            return None
        words = "friction and rigidity leave no unique motion from here on (Painlevé)"
        return Status(Ending.PARADOX, f"{words}, at {self._where(t, state)}")

    def _contradicts(self, t: float, state: Array) -> Status:
        words = "constraints and contacts contradict each other: no impulse lets the contacts part"
        if self.mode is None:
            refuse(StateError, "the start", [f"{words}, at {self._where(t, state)}"])
        return Status(Ending.LEFT, f"{words}, at {self._where(t, state)}")

    def _where(self, t: float, state: Array) -> str:
        return at(self.system, t, state)


def _unseen(found: Trial) -> bool:
    """Whether a mode says which way something slides that does not slide by more than rounding."""
    keys, guarded = found.staged.keys, found.guarded
    mine = [i for i, key in enumerate(keys) if key.kind == "stop" and guarded.counts[i]]
    return any(abs(guarded.values[i]) <= guarded.floors[i] for i in mine)


def _constant(state: Array, order: int) -> Array:
    """A polynomial that stays."""
    out = np.zeros((1, len(state), order + 1))
    out[0, :, 0] = state
    return out
