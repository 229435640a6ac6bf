"""The mode from a state on: found by flipping what does not hold, and verified by the guards of the compiled stage.

A mode is tried: its rows are solved, the state is put on them, and every guard that counts in it is looked at. Where
one is below zero, or begins at zero and falls, what it is of is flipped (a contact closes or opens, friction sticks or
slips, a function changes side), all at once first, then one by one. For contacts and friction whose forces are those of
a convex problem this is principal pivoting (Júdice and Pires 1994), which ends at its only solution; a mode is taken
only where all its guards hold, whichever way it was found. Where none does, or two that move differently, it says so.
"""

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np

from dalembert.derive import Array
from dalembert.derive.natures import coulomb
from dalembert.derive.switching.guard_kinds import HELD, KINDS, GuardKey, causes, changed
from dalembert.derive.switching.modes import BACKWARD, FORWARD, OFF, SLIPS, STICKS, Mode
from dalembert.derive.switching.stages import Staged
from dalembert.derive.switching.surfaces import is_rough
from dalembert.engine.taylor import Setup
from dalembert.motion.hybrid.grazing import ways_at_zero
from dalembert.motion.hybrid.guard_watch import Guarded, GuardWatch, key_of
from dalembert.motion.hybrid.mode_rows import ModeRows
from dalembert.motion.hybrid.planar import MOMENT, PlaneFriction, slipping_at_rest
from dalembert.motion.hybrid.programs import Programs
from dalembert.motion.hybrid.pulls import Onset, Pull, Pulls
from dalembert.motion.tolerances import tolerance

MOST = 400  # modes tried at most, and so many more for every thing that switches
MORE = 16
SURE = 2.0**-20  # of a pivot, or of the size of a guard: so far from zero no rounding decides
SAME = 1e-9  # accelerations of modes that do not differ


class Paradox(Exception):
    """Friction and rigidity leave no motion, or more than one."""


@dataclass(frozen=True, eq=False)
class Trial:
    """A mode tried at a state (2n,): its setup, the state on its rows, its guards, and what it is against (`why`).

    `slips`: the frictions that begin to slip in a plane from rest; `marginal`: with no acceleration yet. `moment`: how
    long, from the state before and with which acceleration, it takes to the state, where it begins with a moment.
    """

    mode: Mode
    staged: Staged
    setup: Setup
    state: Array
    guarded: Guarded
    why: str = ""
    slips: tuple[int, ...] = ()
    marginal: bool = False
    moment: tuple[float, Array, Array] | None = None

    @property
    def holds(self) -> bool:
        """Whether all that counts holds."""
        return not self.why and self.guarded.finite and not self.guarded.falls

    @property
    def lawful(self) -> bool:
        """Whether all laws hold, be it that friction and rigidity leave other motions too (a pivot that jams)."""
        falls = (key_of(self.staged, g).kind for g in self.guarded.falls)
        return not self.why and self.guarded.finite and all(kind == "jam" for kind in falls)


class ModeSearch:
    """Finds modes, for one system with its values."""

    def __init__(self, programs: Programs, watch: GuardWatch) -> None:
        self.programs, self.watch = programs, watch
        self.engine, self.switches = programs.engine, programs.switches
        self.planar = PlaneFriction(programs)
        self._pulls = Pulls(programs, self.planar)
        self._rows = ModeRows(programs, watch, self.planar)
        self._speeds: dict[Any, tuple[dict[int, Array], dict[int, float]]] = {}  # of one look
        self._rough = {
            j: is_rough(coulomb(self.switches.form, j), programs.given)
            for rub in self.switches.rubs
            for j in rub.members
        }
        self._more_at_rest = [
            k
            for k, rub in enumerate(self.switches.rubs)
            if any(coulomb(self.switches.form, j).static is not None for j in rub.members)
        ]

    def find(
        self,
        t: float,
        state: Array,
        guesses: list[Mode],
        scales: Array,
        fired: GuardKey | None,
        halted: Collection[int] = (),
    ) -> Trial:
        """A mode from a state on, beginning with guesses; raises Paradox where there is none.

        `halted`: frictions that have come to rest with the one that fell.
        """
        self.look(scales, fired, halted)
        return self._sticking(t, state, self._search(t, state, guesses))

    def look(self, scales: Array, fired: GuardKey | None, halted: Collection[int] = ()) -> None:
        """Look at modes from now on by these natural scales (2n + 1,), after a guard that fell."""
        self._scales, self._fired, self._halted = scales, fired, halted
        self._rows.look(scales)
        self._speeds.clear()

    def on_rows(self, mode: Mode, t: float, state: Array, scales: Array) -> Array:
        """The state put on the rows of a mode; as it is where these cannot be had."""
        self.look(scales, None)
        return self._rows.on(mode, t, state)[2]

    def again(self, mode: Mode, t: float, state: Array, scales: Array) -> Trial | None:
        """The same mode with rows chosen afresh; None where it does not hold."""
        self.look(scales, None)
        trial = self.trial(mode.anew, t, state)
        return trial if trial.holds else None

    def _search(self, t: float, state: Array, guesses: list[Mode]) -> Trial:
        seen: set[Mode] = set()
        queue = deque(guesses)
        most = MOST + MORE * len(self.switches.rubs) + MORE * len(self.switches.one_sided)
        tried: list[Trial] = []
        left: set[tuple[int, int]] = set()  # the sides of functions that do not hold in some mode, by place and sign
        while queue and len(seen) < most:
            mode = self.fitted(queue.popleft(), t, state)
            if mode in seen:
                continue
            seen.add(mode)
            trial = self.trial(mode, t, state)
            if trial.holds:
                return trial
            tried.append(trial)
            left |= _sides(trial)
            ahead = [m for m in self._flipped(trial, t, state, left) if m not in seen]
            queue.extendleft(reversed(ahead[:1]))
            queue.extend(ahead[1:])
        if len(seen) >= most:
            raise Paradox(f"no mode was found that holds, of {len(seen)} tried")
        why = {trial.why for trial in tried if trial.why}
        if len(why) == 1 and all(trial.why or not trial.guarded.finite for trial in tried):  # no law is at fault
            raise Paradox(f"no motion is possible: {why.pop()}")
        if lawful := [trial for trial in tried if trial.lawful]:
            raise self._jammed(lawful, t)
        named = " (friction that follows the actual normal force: Painlevé)" if self.switches.actual else ""
        said = self._neither(tried, t)
        raise Paradox(
            "no motion is possible: no combination of sticking, slipping and opening satisfies the laws of friction "
            f"and contact{named}{said}"
        )

    def _jammed(self, lawful: list[Trial], t: float) -> Paradox:
        """What is wrong where modes satisfy all laws, and none of them is unique."""
        first = lawful[0]
        others = [trial for trial in lawful[1:] if self.differ(first, trial, t)]
        words = [f"({self.switches.words(trial.mode)})" for trial in (first, *others)]
        if len(words) > 1:
            return Paradox(f"more than one motion is possible (Painlevé): {' and '.join(words)}")
        return Paradox(f"friction and rigidity leave no unique motion (Painlevé), though {words[0]} is one")

    def _sticking(self, t: float, state: Array, found: Trial) -> Trial:
        """The mode in which what can hold at rest does, where friction at rest is more than friction that slips.

        Then more than one mode may hold: a friction slips from rest only where no mode is found in which it sticks. So
        too where it gains no speed that could be seen.
        """
        unseen = self.unseen(found)
        for k in sorted({*self._more_at_rest, *unseen}):
            told, bounds = found.mode.rubs[k], [GuardKey(kind, k) for kind in HELD]
            if told in (STICKS, OFF) or (self._fired in bounds and k not in unseen):
                continue
            speeds, floors = self.speeds(found.mode, found.staged, t, state)
            if k not in speeds or not (np.linalg.norm(speeds[k]) <= floors[k] or self._stopped(k)):
                continue
            try:
                rubs = changed(found.mode.rubs, k, STICKS)
                other = self._search(t, state, [replace(found.mode.anew, rubs=rubs)])
            except Paradox:
                continue
            if other.mode.rubs[k] == STICKS:
                found = other
        return found

    def unseen(self, found: Trial) -> list[int]:
        """The frictions that slip along a line in a mode, with a speed that begins at zero and stays there."""
        keys = [key_of(found.staged, g) for g in found.guarded.stays]
        return [key.place for key in keys if key.kind == "stop"]

    def _neither(self, tried: list[Trial], t: float) -> str:
        """Which friction can neither stick nor slip, because what presses by `normal="ideal"` depends on which it does.

        It would slip by what presses while it sticks, and be stopped by what presses while it slips.
        """
        for stuck, other in product(tried, tried):
            for k, (one, two) in enumerate(zip(stuck.mode.rubs, other.mode.rubs, strict=True)):
                same = replace(stuck.mode, rubs=other.mode.rubs, idle=(), still=())
                if one != STICKS or two in (STICKS, OFF) or same != other.mode.anew:
                    continue
                slides = {key_of(stuck.staged, g) for g in stuck.guarded.falls}
                stops = {key_of(other.staged, g) for g in other.guarded.falls}
                leaves = slides & {GuardKey(kind, k) for kind in HELD}
                if not leaves or GuardKey("stop", k) not in stops:
                    continue
                j = next((j for j in self.switches.rubs[k].members if not self.switches.follows_actual(j)), None)
                if j is None:
                    continue
                sticking, slipping = (self._pressing(trial, t, j) for trial in (stuck, other))
                return (
                    f': {self.switches.name(k)!r} has normal="ideal", by which it is pressed with {sticking:.6g} while '
                    f"it sticks, too little to hold, and with {slipping:.6g} while it slips, which stops it at once. "
                    'With normal="actual" the two are one'
                )
        return ""

    def _pressing(self, trial: Trial, t: float, j: int) -> float:
        """The ideal force of a constraint in a mode."""
        found = self.engine.along(trial.setup, np.array([t]), trial.state[None, :])
        return abs(float(found.multipliers[0, j]))

    # -- one mode ----------------------------------------------------------------------------------------------

    def trial(self, mode: Mode, t: float, state: Array) -> Trial:
        """A mode with its guards at a state."""
        staged = self.programs.staged(mode)
        if SLIPS in mode.rubs:
            return self._in_plane(mode, staged, t, state)
        if STICKS in mode.rubs and (gives := self._gives(mode, staged, t, state)) is not None:
            return gives
        mode, setup, begin, why = self._rows.on(mode, t, state)
        staged = self.programs.staged(mode)
        guarded = self.watch.at(staged, setup, mode, t, begin, self._scales)
        guarded = self._parting(guarded, staged, setup, t, begin)
        return Trial(mode, staged, setup, begin, guarded, why)

    def _gives(self, mode: Mode, staged: Staged, t: float, state: Array) -> Trial | None:
        """The mode where what is to stick is far from holding: seen before the state is put on its rows."""
        mode = mode.anew
        setup, watch = self.programs.seen(mode, t, state)
        if not watch.pivots.min(initial=1.0) > SURE or not np.isfinite(watch.acceleration).all():
            return None
        found = self.watch.seen(staged, setup, mode, t, state, self._scales)
        far = [i for i in found.falls if found.values[i] < -SURE * found.sizes[i]]
        if not any(key_of(staged, i).kind in ("up", "down") for i in far) or len(far) < len(found.falls):
            return None
        return Trial(mode, staged, setup, state, found)

    def _parting(self, guarded: Guarded, staged: Staged, setup: Setup, t: float, state: Array) -> Guarded:
        """The guards, where gaps at zero that open rise, however soon and low they are to close again."""
        gaps = [i for i in guarded.falls if i < len(staged.keys) and staged.keys[i].kind == "touch"]
        gaps = [i for i in gaps if abs(guarded.values[i]) <= guarded.floors[i]]
        if not gaps:
            return guarded
        ways = ways_at_zero(self.programs, setup, t, state, self._scales)
        opens = [i for i in gaps if ways[staged.keys[i].place] > 0]
        falls = tuple(i for i in guarded.falls if i not in opens)
        return replace(guarded, falls=falls, rises=(*guarded.rises, *opens))

    def _closing(self, guarded: Guarded, staged: Staged, setup: Setup, t: float, state: Array) -> Guarded:
        """The guards, where gaps close in which nothing is seen to change in so short a time as a slip begins in."""
        gaps = [i for i in guarded.stays if i < len(staged.keys) and staged.keys[i].kind == "touch"]
        if not gaps:
            return guarded
        ways = ways_at_zero(self.programs, setup, t, state, self._scales)
        closes, opens = (tuple(i for i in gaps if way * ways[staged.keys[i].place] > 0) for way in (-1, 1))
        stays = tuple(i for i in guarded.stays if i not in (*closes, *opens))
        return replace(guarded, falls=(*guarded.falls, *closes), rises=(*guarded.rises, *opens), stays=stays)

    def _in_plane(self, mode: Mode, staged: Staged, t: float, state: Array) -> Trial:
        """A mode in which friction slips in a plane; from rest, with a speed too small to be seen."""
        speeds, floors = self.speeds(mode, staged, t, state)
        resting = [k for k in slipping_at_rest(mode, speeds, floors) if mode.rubs[k] == SLIPS]
        resting += [k for k in range(len(mode.rubs)) if self._stopped(k) and mode.rubs[k] == SLIPS and k not in resting]
        rest = replace(mode, rubs=tuple(OFF if r == SLIPS else r for r in mode.rubs), idle=(), still=())
        free = self.programs.setup(rest, t, state)
        now = self.programs.arrays(free, t, state)
        if why := self._rows.lacking(rest, now):
            return Trial(rest, staged, free, state, self.watch.at(staged, free, mode, t, state, self._scales), why)
        paces = self.watch.paces(free, t, state)
        natural = self.planar.paces(
            mode, now, state[len(state) // 2 :], self._scales, paces, self.watch.time_left(t, paces, self._scales)
        )
        self._natural, slow = natural, self.planar.slow(mode, natural)
        there, stir, none = state, np.zeros(len(state)), {k: np.zeros(2) for k in resting}
        if resting:
            stir[len(now.Q) :], held = self.planar.stirred(rest, free, t, state, resting, natural)
            if held:
                seen = self.watch.seen(staged, free, mode, t, state, self._scales)
                return Trial(mode, staged, free, state, seen, "friction holds", tuple(held))
            there = self.planar.pushed(rest, free, t, state, none) + stir
        mode, setup, begin, why = self._rows.on(mode, t, there, slow)
        marginal, moment, later = False, None, t
        if resting and not why:
            at_rest = self.planar.pushed(mode, setup, t, begin - stir, none)
            onset = self._pulls.onset(mode, setup, t, at_rest, {k: natural[k] for k in resting}, self._scales)
            why, marginal, a = "friction holds" if onset.holds else "", onset.marginal, onset.acceleration
            begin = self.planar.begun(mode, setup, t, at_rest, onset.ways, onset.rates, self.planar.faint(natural))
            if not why and not marginal:
                least = max(4 * slow[k] / onset.rates[k] for k in resting)
                tau = max(MOMENT * self.watch.time_left(t, paces, self._scales), least)
                later, q, v = t + tau, *np.split(at_rest, 2)
                moment = (tau, at_rest, a)
                begin = np.concatenate([q + v * tau + a * tau**2 / 2, v + a * tau])
        staged = self.programs.staged(mode)
        guarded = self.watch.at(staged, setup, mode, later, begin, self._scales)
        guarded = self._closing(guarded, staged, setup, later, begin)
        return Trial(mode, staged, setup, begin, guarded, why, tuple(resting), marginal, moment)

    def onset(self, trial: Trial, t: float, state: Array) -> Onset:
        """Which way the frictions of a mode that begin to slip in a plane do, at a state at which they hardly slide."""
        paces = {k: self._natural[k] for k in trial.slips}
        return self._pulls.onset(trial.mode, trial.setup, t, state, paces, self._scales)

    def pull(self, trial: Trial, t: float, state: Array, speeds: Mapping[int, Array]) -> Pull:
        """What acts on the frictions of a mode that slide at given velocities, those of a state."""
        return self._pulls.pull(trial.mode, trial.setup, t, state, dict(speeds))

    def pushed(self, trial: Trial, t: float, state: Array, speeds: Mapping[int, Array]) -> Array:
        """The state (2n,) with sliding velocities as given."""
        return self.planar.pushed(trial.mode, trial.setup, t, state, dict(speeds))

    def moved(self, trial: Trial, t: float, state: Array) -> Trial:
        """The mode of frictions that have begun to slip, at a later state."""
        guarded = self.watch.at(trial.staged, trial.setup, trial.mode, t, state, self._scales)
        return replace(trial, state=state, guarded=guarded, marginal=False, moment=None)

    # -- what a state says of a mode -----------------------------------------------------------------------------

    def fitted(self, mode: Mode, t: float, state: Array) -> Mode:
        """The mode with functions on the side they are on, and frictions as they slide, off where nothing presses."""
        s = self.switches
        mode = self._rows.on_surfaces(mode, t, state)
        if not s.rubs:
            return mode.anew
        mode = self._rows.with_bases(mode, t, state)
        staged = self.programs.staged(mode)
        speeds, floors = self.speeds(mode, staged, t, state)
        rubs = []
        for k, (rub, told) in enumerate(zip(s.rubs, mode.rubs, strict=True)):
            members = [j for j in s.rubbing(rub, mode) if self._rough[j]]
            if not members or k not in staged.sticks:
                rubs.append(OFF)
                continue
            speed, plane = speeds[k], len(speeds[k]) > 1
            size = float(np.linalg.norm(speed))
            if size <= floors[k] or self._stopped(k):
                rests = told if told != OFF and not (plane and told in (FORWARD, BACKWARD)) else STICKS
                rubs.append(rests)
            elif plane:
                rubs.append(SLIPS)
            else:
                rubs.append(FORWARD if speed[0] > 0 else BACKWARD)
        return replace(mode, rubs=tuple(rubs), idle=(), still=())

    def _stopped(self, k: int) -> bool:
        """Whether a friction has just come to rest, whatever rounding says."""
        return k in self._halted or self._fired in (GuardKey("stop", k), GuardKey("slow", k))

    def speeds(self, mode: Mode, staged: Staged, t: float, state: Array) -> tuple[dict[int, Array], dict[int, float]]:
        """The sliding velocity of each friction, and what counts as zero of it."""
        off = mode.frictionless
        key = (off, id(staged), t, state.tobytes())
        if key not in self._speeds:
            setup, watch = self.programs.seen(off, t, state)
            rate = watch.rate[0]
            sizes = self.engine.sizes(setup, np.array([t]), state[None, :], self._scales)[0][len(rate) :]
            speeds = {k: rate[list(rows)] for k, rows in staged.sticks.items()}
            floors = {k: tolerance("TIE") * float(sizes[list(rows)].max()) for k, rows in staged.sticks.items()}
            self._speeds[key] = speeds, floors
        return self._speeds[key]

    # -- what comes next -----------------------------------------------------------------------------------------

    def _flipped(self, trial: Trial, t: float, state: Array, left: Collection[tuple[int, int]] = ()) -> Iterator[Mode]:
        """Modes in which what does not hold is otherwise: all of it at once, then one thing after the other.

        A function that holds on neither side, by what is `left`, is kept at zero where all is changed at once.
        """
        keys = [key_of(trial.staged, g) for g in trial.guarded.falls]
        if not trial.guarded.finite or trial.why:
            for slips in (trial.slips, *((k,) for k in trial.slips if len(trial.slips) > 1)):  # they may hold
                rubs = tuple(STICKS if k in slips else told for k, told in enumerate(trial.mode.rubs))
                yield replace(trial.mode, rubs=rubs, idle=(), still=())
            yield from self._otherwise(trial.mode)
            return
        rests = {key: self._rests(trial, key, t, state) for key in keys}
        options = [list(KINDS[k.kind].after(self.switches, trial.mode, k.place, rests[k])) for k in keys]
        if len(keys) > 1:
            whole = trial.mode
            for key in causes(self.switches, keys):
                steps = list(KINDS[key.kind].after(self.switches, whole, key.place, rests[key]))
                neither = key.kind == "side" and {(key.place, 1), (key.place, -1)} <= {*left}
                whole = steps[-1 if neither else 0] if steps else whole
            yield from self._provided([whole])
        for row in options:
            yield from self._provided(row)
        for one, other in combinations(range(len(keys)), 2):
            for first in options[one][1:]:
                yield from KINDS[keys[other].kind].after(self.switches, first, keys[other].place, rests[keys[other]])

    def _provided(self, modes: list[Mode]) -> Iterator[Mode]:
        """The modes whose rows there are: those on surfaces of functions that can be held."""
        for mode in modes:
            staged = self.programs.staged(mode)
            if all(sign or g in staged.slides for g, sign in enumerate(mode.signs)):
                yield mode

    def _otherwise(self, mode: Mode) -> Iterator[Mode]:
        """Modes with fewer rows, where those of a mode have no solution."""
        for k, state in enumerate(mode.rubs):
            if state == STICKS:
                plane = len(self.programs.staged(mode).sticks.get(k, ())) > 1
                ways = (SLIPS,) if plane else (FORWARD, BACKWARD)
                yield from (replace(mode, rubs=changed(mode.rubs, k, way)) for way in ways)
        for g, sign in enumerate(mode.signs):
            for side in (1, -1) if not sign else ():
                yield replace(mode, signs=changed(mode.signs, g, side))
        for j in mode.closed:
            yield next(iter(KINDS["release"].after(self.switches, mode, j, False)))

    def _rests(self, trial: Trial, key: GuardKey, t: float, state: Array) -> bool:
        """Whether what slides is at rest."""
        if key.kind not in ("stop", "slow"):
            return False
        if self._stopped(key.place):
            return True
        speeds, floors = self.speeds(trial.mode, trial.staged, t, state)
        return bool(np.linalg.norm(speeds[key.place]) <= floors[key.place])

    def differ(self, one: Trial, other: Trial, t: float) -> bool:
        """Whether two modes move otherwise."""
        a, b = self.acceleration(one, t), self.acceleration(other, t)
        return bool(np.abs(a - b).max() > SAME * (np.abs(a).max() + np.abs(b).max()))

    def acceleration(self, trial: Trial, t: float) -> Array:
        """The acceleration (n,) of a mode at its state."""
        out: Array = self.engine.watch(trial.setup, np.array([t]), trial.state[None, :]).acceleration[0]
        return out


def _sides(trial: Trial) -> set[tuple[int, int]]:
    """The sides of switching functions that do not hold in a mode, by place and sign."""
    keys = (key_of(trial.staged, g) for g in trial.guarded.falls)
    return {(key.place, trial.mode.signs[key.place]) for key in keys if key.kind == "side"}
