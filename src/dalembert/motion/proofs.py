"""What is checked along a motion: small proofs, each of which gives a check or says why there is nothing to check.

Everything is computed anew from the motion: its samples, and the states between them on its steps. Nothing but the
first proof believes what the run says of itself.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from dalembert.derive import Array, closeness, mass_and_rows, prepared
from dalembert.derive.exact.cases import SWITCHING
from dalembert.derive.factors import Bared, without_factors
from dalembert.derive.switching.guard_kinds import KINDS, GuardKey
from dalembert.derive.switching.modes import OFF, switches
from dalembert.derive.variants import bare
from dalembert.engine import engine
from dalembert.model import Held, OneSided, StateError
from dalembert.motion.blame import FAILURES
from dalembert.motion.hybrid.switch_events import told
from dalembert.motion.look import Jump, Look, largest_part
from dalembert.motion.retrace import UNSEEN, windows
from dalembert.motion.status import Event
from dalembert.motion.stretch import Stretch, as_stated
from dalembert.motion.tolerances import EPS, tolerance
from dalembert.motion.unsure import residuals, works
from dalembert.principles import Answer, Instant, certify, explicit
from dalembert.principles.certificate import Check
from dalembert.principles.ready import Ready, prepare

LOOKED = 256  # states at which constraints are looked at
ASKED = 8  # states at which every principle is asked
CLOCKED = 16  # samples at which the rounding of the time is thought of
RUBBED = 32  # states at which friction is compared with what was stated
MOST = 2.0**-4  # no bound is above this part of what it is about: more would be said of any motion
SUMMED = 4  # roundings of the terms of a force, each half a unit in the last place of what it is made of
SHAKEN = 2.0**-20  # relative change of inputs by which sizes are seen
GAPS = ("touch", "parted")
HIT = ("impact", "rest")
HITS = 2000  # impacts that are held against their law, spread over a motion
STOPS = 2.0**-30  # of the largest rate of late: what is left of it where a contact has come to rest
LATE = 64  # jumps before a rest is told, at most
AHEAD = 2.0**-40  # of a run: so long after an impact a corner is behind
FORCED = ("stick", "slip", "reverse", "normal", "release", "passed", "rows")  # they change forces, and no velocity
TURNED = ("reverse", "normal")  # where a gradient turns round, these are about its direction, not the motion's
UNSWITCHED = ("reverse", "crossing", "passed", "rows")  # told without a change of mode

Proof = Callable[[Look], Check | str]


def steps(look: Look) -> Check | str:
    """The equation of motion inside the steps, as the run saw it."""
    m = look.motion
    found = m.statistics.get("largest_defect")
    if found is None:
        return "the run did not keep its largest defect"
    loosest = max(m.settings.tolerance, float(m.statistics.get("tolerance", 0.0)))
    engines = str(m.statistics.get("engine", m.settings.engine)).split(" and ")
    own = max(float(engine(name, loosest, None).defect_bound) for name in engines)  # type: ignore[arg-type]
    meaning = "h |v̇ − q̈| inside the steps, as the run saw it"
    return Check("steps", float(found), tolerance("DEFECT") * own, meaning)


def retraced(look: Look) -> Check | str:
    """The motion by another integrator and the principles."""
    bound = min(max(tolerance("RETRACED"), tolerance("DEFECT") * look.accuracy) + _clock(look), MOST)
    found = windows(look, bound)
    if not found:
        return "no stretch is long enough to be retraced, or the principles have no answer there"
    worst = max(found, key=lambda w: w.apart)
    words = f"another integrator moves alike in {_counted(len(found), 'window')}"
    return Check("retraced", worst.apart, bound, f"{words}; worst: t = {worst.begin:.5g} to {worst.end:.5g}")


def sampled(look: Look) -> Check | str:
    """The samples, the beginning and the end are states of the motion."""
    times, states = look.times[look.sampled], look.states[look.sampled]
    first, last = _ends(look)
    off = np.vstack([first, np.abs(look.at(times) - states), last])
    times = np.concatenate([[look.motion.begin_time], times, [look.motion.end_time]])
    scales = look.scales[np.searchsorted(look.times, times), :-1]
    worst = [largest_part(each, scale) for each, scale in zip(off, scales, strict=True)]
    k = int(np.argmax(worst))
    words = f"the samples, the beginning and the end are on the steps{_worst_at(worst[k], times[k])}"
    bound = max(tolerance("RETRACED"), tolerance("DEFECT") * look.accuracy)
    return Check("samples", worst[k], bound, words)


def _ends(look: Look) -> tuple[Array, Array]:
    """How far (2n,) what a motion says of its beginning and its end is from its steps and from where it was moved.

    Where an event is told there, velocities may jump; the law of impact and the balance of energy are about these.
    """
    m, n = look.motion, look.states.shape[1] // 2
    if m.end_time <= m.begin_time:
        none: Array = np.zeros(2 * n)
        return none, none
    begun = look.at(np.array([m.begin_time]))[0]
    ended = look.before(np.array([m.end_time]))[0]
    first, last = np.abs(begun - m.begin_values), np.abs(ended - m.end_values)
    for off, time in ((first, m.begin_time), (last, m.end_time)):
        if any(e.time == time for e in m.events):
            off[n:] = 0.0
    for origin in m.origins[:1]:
        first = np.maximum(first, np.abs(np.array(origin.state) - m.begin_values))
    return first, last


def on_constraints(look: Look) -> Check | str:
    """Every constraint in force, also what sticks, its value and its rate."""
    if not look.motion.system.constraints:
        return "there are no constraints"
    bound = tolerance("KEPT") * max(look.motion.settings.drift or 0.0, tolerance("DRIFT") * look.accuracy)
    bound = min(bound, MOST)
    worst, name, when = 0.0, "", look.motion.begin_time
    for place in look.spread(LOOKED):
        t = float(look.times[place])
        stretch = look.stretch(t)
        if not stretch.statement.constraints:
            continue
        off = _off(look, place, stretch, bound)
        if any(begin <= t <= end for begin, end in look.passages):  # by a polynomial from before it
            off = off * (bound / max(bound, tolerance("PASSED")))
        if off.max(initial=0.0) > worst:
            worst, when = float(off.max()), t
            name = stretch.statement.constraints[int(np.argmax(off)) % len(stretch.statement.constraints)].name
    at = _worst(name, when) if name else ""
    return Check("on constraints", worst, bound, f"the constraints in force hold{at}")


def _off(look: Look, place: int, stretch: Stretch, bound: float) -> Array:
    """How far off each constraint a state is (2m,): over the terms of its value and rate, here or at natural scales.

    The latter, the sum of what every input by itself makes of them, only where the terms here do not tell enough: all
    of them may vanish together, and what forces in balance have made is known to their rounding. Less what rounding of
    terms within makes of it: the logarithm of a small difference.
    """
    t, state = float(look.times[place]), look.states[place]
    scales = look.scales[place, :-1] + np.concatenate([look.spans[place] * look.made[place], look.made[place]])
    inputs = stretch.inputs(t, state)
    try:
        off = np.concatenate(closeness(stretch.statement, inputs))
    except StateError:
        return np.array([np.inf])
    if off.max(initial=0.0) <= bound:
        return off
    middle = np.abs(prepared(stretch.statement).relations.plain(inputs))
    found: Array = np.minimum(off, _parts(middle, _natural(stretch, inputs, scales)))
    if found.max(initial=0.0) > bound:
        found = np.minimum(found, _carried(look, stretch, place))
    if found.max(initial=0.0) > bound:
        unsure = residuals(look, place)
        known = np.array([unsure.get(c.name, (0.0, 0.0)) for c in stretch.statement.constraints]).T.ravel()
        found = found * np.maximum(0.0, 1.0 - np.divide(known, middle, out=np.zeros(len(off)), where=middle > 0))
    return found


def _natural(stretch: Stretch, inputs: list[float], scales: Array) -> Array:
    """What every input by itself, as large as it is by nature, makes of the value and rate of each constraint (2m,)."""
    relations, given = prepared(stretch.statement).relations, np.array(inputs)
    change = SHAKEN * np.concatenate([scales, np.abs(given[len(scales) :])])
    middle = relations.plain(inputs)
    size: Array = np.zeros(len(middle))
    for i in np.flatnonzero(change).tolist():
        moved = given.copy()
        moved[i] += change[i]
        try:
            size += np.abs(relations.plain(moved.tolist()) - middle) / SHAKEN
        except StateError:
            continue
    return size


def _carried(look: Look, stretch: Stretch, place: int) -> Array:
    """How far off each constraint (2m,) a state is, over natural sizes where its step begins.

    What rounding has left there stays; where a row loses its direction, its sizes fall within a step.
    """
    t = float(look.times[place])
    begin = max(look.step_of(t)[0], look.motion.begin_time)
    try:
        middle = np.abs(prepared(stretch.statement).relations.plain(stretch.inputs(t, look.states[place])))
        before = stretch.inputs(begin, look.at(np.array([begin]))[0])
        return _parts(middle, _natural(stretch, before, look.scales[place, :-1]))
    except StateError:
        return np.array([np.inf])


def _parts(values: Array, sizes: Array) -> Array:
    out: Array = np.divide(values, sizes, out=np.full(len(values), np.inf), where=sizes > 0)
    return out


def energy(look: Look) -> Check | str:
    """Energy less all work stays what it was, from the beginning to the end."""
    m = look.motion
    if m.end_time <= m.begin_time:
        return "the motion has no length"
    times, balance, size = _balanced(look)
    strays = np.abs(balance - balance[0])
    bound = min(tolerance("BALANCE") * look.accuracy * (1 + look.steps) + _clock(look), MOST)
    for begin, end in look.passages:  # by a polynomial from before it
        strays[(times >= begin) & (times <= end)] *= bound / max(bound, tolerance("PASSED"))
    if (strays > bound * size).any():
        strays = np.maximum(strays - _rounded(look, times), 0.0)
    relative = np.divide(strays, size, out=np.where(strays > 0, np.inf, 0.0), where=size > 0)
    for worst in np.argsort(-relative, kind="stable")[:CLOCKED].tolist():
        if _over(strays[worst], size[worst]) <= bound:
            continue
        strays[worst] = max(0.0, strays[worst] - _unsure(look, float(times[worst])))
    relative = np.divide(strays, size, out=np.where(strays > 0, np.inf, 0.0), where=size > 0)
    k = int(np.argmax(relative))
    value = float(relative[k])
    words = f"energy less work stays what it was{_worst_at(value, times[k])}"
    return Check("energy", value, bound, words)


def _balanced(look: Look) -> tuple[Array, Array, Array]:
    """Times, energy less work, and how large their terms were so far: at the beginning, the samples and the end."""
    m, kept = look.motion, prepared(look.motion.system)
    ends = m._derivation.along(np.array([m.begin_time, m.end_time]), np.array([m.begin_values, m.end_values])).energy
    times = np.concatenate([[m.begin_time], m.t, [m.end_time]])
    energies = np.concatenate([ends[:1], m.along.energy, ends[1:]])
    works = np.hstack([np.zeros((len(m.works), 1)), m.works, m.end_works[:, None]])
    size = np.maximum(np.abs(works).sum(axis=0), np.abs(energies))
    largest = look.largest[np.searchsorted(look.times, times)]
    grown = 1 + np.flatnonzero((largest[1:] > 2 * largest[:-1]).any(axis=1))  # a peak was before these
    for k in np.union1d(np.linspace(0, len(times) - 1, LOOKED // 4).astype(int), grown).tolist():
        place = look.place(float(times[k]))
        for state in (look.states[place], look.scales[place, :-1]):  # and all at once as large as each has been
            try:
                terms = kept.energy_terms([*state.tolist(), float(times[k]), *map(float, m.values)])
            except StateError:
                continue
            size[k] = max(size[k], float(np.abs(terms).sum()))
    size = np.maximum.accumulate(size)
    there = slice(None, None if np.isfinite(energies[-1]) else -1)  # a run may end where the energy does not exist
    return times[there], (energies - works.sum(axis=0))[there], np.maximum(size, UNSEEN * size[there][-1])[there]


def _rounded(look: Look, times: Array) -> Array:
    """The energy (k,) that rounding of the forces makes: of velocities as large as they have been, since the beginning.

    A force that is all but zero, as the difference of two, gives a velocity that is known to the rounding of these. In
    every step the coordinates are rounded too, and forces do work along that.
    """
    m, n = look.motion, look.states.shape[1] // 2
    known = 8 * look.roundings + look.shaken
    each = np.maximum(known[1:], known[:-1]) * np.diff(look.times)[:, None]
    unsure = np.vstack([np.zeros(n), np.cumsum(each, axis=0)])
    energies = []
    for extra in (0.0, 1.0):
        states = np.hstack([look.states[:, :n], look.largest[:, n:] + extra * unsure])
        energies.append(m._derivation.along(look.times, states).energy)
    found = np.maximum.accumulate(np.nan_to_num(np.abs(energies[1] - energies[0]), nan=0.0, posinf=0.0))
    found += (1 + look.steps) * works(look)
    out: Array = found[np.searchsorted(look.times, times)]
    return out


def _clock(look: Look) -> float:
    """What rounding of the time makes of a motion, relative: long after zero, steps begin and end a little beside."""
    m = look.motion
    latest, span = max(abs(m.begin_time), abs(m.end_time)), m.end_time - m.begin_time
    return 4 * EPS * latest * max(look.steps, 1) / span if span > 0 else 0.0


def _unsure(look: Look, t: float) -> float:
    """The energy that forces give within what the time is known to: near a blow-up that is much."""
    place = look.place(t)
    try:
        now = look.stretch(t).instant(t, look.states[place])
        force = np.abs(now.Q) + np.abs(explicit(now).force)
    except FAILURES:
        return 0.0
    return 8 * EPS * abs(t) * float(np.abs(look.states[place][now.n :]) @ force)


def gaps(look: Look) -> Check | str:
    """No contact is below zero."""
    if not _sided(look):
        return "there are no contacts"
    if not any(key.kind in GAPS for guards in look.guards for key in guards.keys):
        return "no contact is open"
    value, at = _lowest(look, GAPS)
    return Check("gaps", value, _guard_bound(look), f"no gap is below zero{at}")


def pushes(look: Look) -> Check | str:
    """Contacts push while they are closed, and exert nothing while they are open."""
    if not _sided(look):
        return "there are no contacts"
    value, at = max(_lowest(look, ("release",)), _pulled(look))
    words = f"closed contacts push, open ones exert nothing{at}"
    return Check("pushes", value, _guard_bound(look), words)


def _pulled(look: Look) -> tuple[float, str]:
    """The same of the reactions at the samples as the motion says them; those that redundant contacts share are not
    determined.
    """
    m, sided = look.motion, _sided(look)
    worst, at = 0.0, ""
    for guards in look.guards:
        mine = np.flatnonzero(look.sampled[guards.places])
        reactions = m.along.reactions[np.searchsorted(m.t, look.times[guards.places[mine]])]
        if not len(mine) or set(guards.mode.idle) & set(sided):
            continue
        for j in sided:
            exerted = reactions[:, j]
            if j in guards.mode.closed:
                size = guards.sizes[mine, guards.keys.index(GuardKey("release", j))]
                parts = np.divide(-exerted, size, out=np.zeros(len(mine)), where=(exerted < 0) & (size > 0))
            else:
                parts = (exerted != 0).astype(float)
            k = int(np.argmax(parts))
            if parts[k] > worst:
                worst, at = float(parts[k]), _worst(m.system.constraints[j].name, look.times[guards.places[mine[k]]])
    return worst, at


def friction(look: Look) -> Check | str:
    """Friction within its cone where it sticks, against what slides where it slips."""
    m = look.motion
    if not switches(prepared(m.system).form).rubs or m.episodes[0].mode is None:
        return "there is no dry friction"
    value, at = max(_lowest(look, ("stop", "slow", "up", "down", "hold", "normal")), _rubbed(look))
    words = f"friction is in its cone, μN against what slides{at}"
    return Check("friction", value, _guard_bound(look), words)


def _rubbed(look: Look) -> tuple[float, str]:
    """How far accelerations in a mode are from those of the system as it was stated, where nothing sticks."""
    m, worst, at = look.motion, 0.0, ""
    for place in look.spread(RUBBED):
        t, state = float(look.times[place]), look.states[place]
        mode = m.mode_at(t)
        stated = None if mode is None or set(mode.rubs) == {OFF} else as_stated(m.system, m.values, mode)
        if stated is None:
            continue
        try:
            one, two = (each.instant(t, state) for each in (stated, look.stretch(t)))
            part = _apart(one, explicit(one).acceleration, explicit(two).acceleration, look.known(place))
        except FAILURES:
            continue
        if part > worst:
            worst, at = part, _worst("what slides", t)
    return worst, at


def principles(look: Look) -> Check | str:
    """Every principle gives the same answer, in the mode there."""
    found: list[tuple[Check, float]] = []
    for place in look.spread(ASKED):
        t = float(look.times[place])
        try:
            certificate = certify(look.stretch(t).instant(t, look.states[place]))
        except FAILURES:
            continue
        found += [(check, t) for check in certificate.checks]
    if not found:
        return "the principles have no answer at the states that were looked at"
    worst, when = max(found, key=lambda each: each[0].value / each[0].bound)
    asked = len({t for _, t in found})
    words = f"the principles agree at {_counted(asked, 'state')}; worst: {worst.name}, t = {when:.6g}"
    return Check("principles", worst.value, worst.bound, words)


def said(look: Look) -> Check | str:
    """The accelerations and forces that the motion says are those of the principles."""
    m = look.motion
    bared = without_factors(m.system)
    worst, when, asked = 0.0, m.begin_time, 0
    bound = max(tolerance("SAID"), tolerance("DEFECT") * look.accuracy)
    for place in look.spread(ASKED, look.sampled):
        t = float(look.times[place])
        try:
            now = look.stretch(t).instant(t, look.states[place])
            answer = explicit(now)
        except FAILURES:
            continue
        asked += 1
        part = _mistold(look, place, now, answer, bared, look.known(place))
        if part > bound:
            part = _mistold(look, place, now, answer, bared, look.known(place) + SUMMED * look.shaken[place])
        if part > worst:
            worst, when = part, t
    if not asked:
        return "no sample is away from a switch, or the principles have no answer there"
    words = f"forces are those of the principles, at {_counted(asked, 'sample')}"
    return Check("forces", worst, bound, words + _worst_at(worst, when))


def _mistold(look: Look, place: int, now: Instant, answer: Answer, bared: Bared, known: Array) -> float:
    """How far what a motion says at a sample is from what a principle finds, beyond what accelerations are known to."""
    m, along = look.motion, look.motion.along
    k = int(np.searchsorted(m.t, look.times[place]))
    force = along.ideal[k] + along.nonideal[k]
    stated = [j for j, c in enumerate(m.system.constraints) if c.name in now.constraints]
    rows = now.A[[now.constraints.index(m.system.constraints[j].name) for j in stated]]
    pulls = along.multipliers[k] * bared.at(look.times[[place]], look.states[[place]], m.values)[0]
    parts = [_apart(now, answer.acceleration, along.acceleration[k], known)]
    if np.isfinite(along.multipliers[k]).all():  # else the factor of a row has made it too large
        parts.append(_unbalanced(now, answer.acceleration, rows.T @ pulls[stated] - along.ideal[k], known))
    held = [c for c in look.stretch(float(look.times[place])).statement.constraints if isinstance(c, Held)]
    if not any(c.by == "force" for c in held):  # else a part is no constraint's
        parts.append(_unbalanced(now, answer.acceleration, answer.force - force, known))
    return max(parts)


def _apart(now: Instant, one: Array, two: Array, known: Array) -> float:
    """How far accelerations are apart, beyond what they are `known` to, relative to those at work, by the metric M."""
    ready = prepare(now)
    apart = _beyond(one - two, known)
    return _over(np.linalg.norm(ready.L.T @ ready.acceleration(apart)), _at_work(ready, one))


def _unbalanced(now: Instant, acceleration: Array, force: Array, known: Array) -> float:
    """A force relative to those at work, in the metric of M⁻¹, beyond what accelerations are `known` to."""
    ready = prepare(now)
    left = _beyond(force, np.abs(now.M) @ known)
    return _over(np.linalg.norm(np.linalg.solve(ready.L, ready.force(left))), _at_work(ready, acceleration))


def _beyond(values: Array, known: Array) -> Array:
    out: Array = np.sign(values) * np.maximum(np.abs(values) - known, 0.0)
    return out


def _at_work(ready: Ready, acceleration: Array) -> float:
    loads = sum(float(np.linalg.norm(np.linalg.solve(ready.L, load))) for load in (ready.Q, ready.C))
    return loads + float(np.linalg.norm(ready.L.T @ ready.acceleration(acceleration)))


def _over(value: Any, size: float) -> float:
    return largest_part(np.array([float(value)]), np.array([size]))


def modes(look: Look) -> Check | str:
    """What the mode of every stretch says of signs, contacts and friction holds all along it."""
    if look.motion.episodes[0].mode is None:
        return "nothing switches"
    value, at = _lowest(look, tuple(KINDS))
    stretches = _counted(len(look.parts), "stretch", "stretches")
    return Check("modes", value, _guard_bound(look), f"what each mode says holds in all of {stretches}{at}")


def _guard_bound(look: Look) -> float:
    return max(tolerance("GUARD"), tolerance("DRIFT") * look.accuracy)


def _lowest(look: Look, kinds: Sequence[str]) -> tuple[float, str]:
    """How far below zero the lowest guard of these kinds is, relative to its size, and which it is and when."""
    worst, at = 0.0, ""
    for guards in look.guards:
        columns = [i for i, key in enumerate(guards.keys) if key.kind in kinds]
        values, sizes = guards.values[:, columns], guards.sizes[:, columns]
        below = np.divide(-values, sizes, out=np.zeros(values.shape), where=sizes > 0)
        below[~np.isfinite(values)] = np.inf
        if below.size and below.max() > worst:
            k, i = np.unravel_index(int(np.argmax(below)), below.shape)
            worst = float(below[k, i])
            at = _worst(_guard_words(look, guards.keys[columns[int(i)]]), look.times[guards.places[int(k)]])
    return worst, at


def _guard_words(look: Look, key: GuardKey) -> str:
    """What a guard is of."""
    known = switches(prepared(look.motion.system).form)
    match key.kind:
        case "touch" | "release" | "parted" | "normal" | "coefficient":
            return look.motion.system.constraints[key.place].name
        case "side" | "above" | "below":
            return known.gated.gates[key.place].words
        case "jam":
            return "friction that jams"
    return known.name(key.place)


def _worst(what: str, t: float) -> str:
    return f"; worst: {what}, t = {t:.6g}"


def _worst_at(value: float, t: float) -> str:
    return f"; worst: t = {t:.6g}" if value > 0 else ""


def impacts(look: Look) -> Check | str:
    """Contacts part at the rate that their restitution asks for, and never close on."""
    struck = [e for e in look.motion.events if e.kind in HIT]
    if not struck:
        return "there are no impacts"
    worst, when = 0.0, look.motion.begin_time
    every = list(_told_at(look, struck))
    few = np.unique(np.linspace(0, len(every) - 1, HITS).astype(int)) if len(every) > HITS else range(len(every))
    for jump, events in (every[k] for k in few):
        part = _law_of_impact(look, jump, events)
        if part > worst:
            worst, when = part, jump.time
    of = f" of {len(every)}" if len(few) < len(every) else ""
    words = f"φ̇⁺ = −e φ̇⁻, or φ̇⁺ ≥ 0 of several at once, {_counted(len(few), 'time')}{of}"
    return Check("impacts", worst, tolerance("RESTITUTION"), words + _worst_at(worst, when))


def _told_at(look: Look, struck: list[Event]) -> Iterator[tuple[Jump, list[Event]]]:
    """The impacts by the leg that begins with them."""
    by_time: dict[int, list[Event]] = {}
    for event in struck:
        if (k := _jump_of(look, event)) is not None:
            by_time.setdefault(k, []).append(event)
    for k, events in by_time.items():
        yield look.jumps[k], events


def _jump_of(look: Look, event: Event) -> int | None:
    """The place of the jump that an impact tells; a rest is told a moment later, and more may happen until then."""
    before = np.arange(np.searchsorted(look.jump_times, event.time, side="right"))
    if event.kind == "rest":
        before = before[look.jump_sizes[before] > 0]
        rates = np.array([_rate_after(look, look.jumps[k], event.name) for k in before[-LATE:]])
        moves = np.flatnonzero(rates > STOPS * rates.max(initial=0.0))
        later = len(moves) and len(rates) - 1 - int(moves[-1])  # jumps since it moved last: the first of these
        before = before[: len(before) - later + 1] if later else before
    return int(before[-1]) if len(before) else None


def _rate_after(look: Look, jump: Jump, name: str) -> float:
    """How fast a contact moves after a jump."""
    m = look.motion
    j = next(i for i, c in enumerate(m.system.constraints) if c.name == name)
    return abs(float(mass_and_rows(bare(m.system), [*jump.after, jump.time, *m.values])[1].rate[j]))


def _law_of_impact(look: Look, jump: Jump, events: list[Event]) -> float:
    """How far an impact is from its law, relative to the terms of the rates of the gaps."""
    m = look.motion
    n = len(jump.before) // 2
    given = dict(zip(m.system.symbols, map(float, m.values), strict=True))
    ahead = jump.after[:n] + AHEAD * (m.end_time - m.begin_time) * jump.before[n:]
    speeds = np.maximum(look.scales[look.place(jump.time), n : 2 * n], np.abs(jump.before[n:]))
    worst = 0.0
    for event in events:
        j = next(i for i, c in enumerate(m.system.constraints) if c.name == event.name)
        contact = m.system.constraints[j]
        assert isinstance(contact, OneSided)
        e = float(contact.restitution.xreplace(given))
        q = ahead if contact.expr.has(*SWITCHING) else jump.after[:n]  # at a corner, by the side that was struck
        at = [mass_and_rows(bare(m.system), [*q, *y[n:], jump.time, *m.values])[1] for y in (jump.before, jump.after)]
        before, after = float(at[0].rate[j]), float(at[1].rate[j])
        size = float(np.abs(at[0].A[j]) @ speeds)
        size += abs(before - float(at[0].A[j] @ jump.before[n:]))
        alone = len(events) == 1 and event.kind == "impact" and not contact.impact_friction
        off = abs(after + e * before) if alone else max(0.0, -after)
        if event.kind == "rest":
            off = max(off, after - abs(before))
        worst = max(worst, largest_part(np.array([off]), np.array([size])))
    return worst


def events(look: Look) -> Check | str:
    """Every change of mode and every jump of a velocity is told, and every event told is there."""
    m = look.motion
    if m.episodes[0].mode is None:
        return "nothing switches"
    wrong = [*_mistold_changes(look), *_mistimed(look), *_untold_jumps(look)]
    about = f"; {wrong[0]}" if wrong else ""
    words = f"switches and jumps that are not told, events of neither{about}"
    return Check("events", float(len(wrong)), 0.0, words)


def _mistold_changes(look: Look) -> Iterator[str]:
    """Changes of mode without an event, and events without a change: each change has one event of its own."""
    m = look.motion
    known, begun = switches(prepared(m.system).form), {o.time for o in m.origins}
    times = [*(e.time for e in m.episodes), np.inf]
    free = dict(enumerate(m.events))
    passed = {e.time for e in m.events if e.kind == "passed"}
    for k in range(1, len(m.episodes)):
        old, new, t = m.episodes[k - 1].mode, m.episodes[k].mode, m.episodes[k].time
        if old is None or new is None or t in begun:
            continue
        near = [i for i, e in free.items() if times[k - 1] <= e.time < times[k + 1]]
        hit = [m.events[i].name for i in near if m.events[i].kind in HIT]
        for expected in told(known, old, new, t, (), None, hit):
            if t in passed and expected.kind in TURNED:
                continue
            same = [i for i in near if i in free and m.events[i][1:5] == expected[1:5]]
            if not same:
                yield f"{expected.kind} of {expected.name} at t = {t:.6g} is not told"
            for i in sorted(same, key=lambda i: abs(m.events[i].time - t))[:1]:
                del free[i]
                if not _moment(look, m.events[i].time, t):
                    yield f"{expected.kind} of {expected.name} at t = {t:.6g} is told at t = {m.events[i].time:.6g}"
    for event in free.values():
        if event.kind not in (*HIT, *UNSWITCHED) and event.time not in begun:
            yield f"{event.kind} of {event.name} at t = {event.time:.6g} is told, and the mode does not change"


def _moment(look: Look, one: float, other: float) -> bool:
    """Whether nothing moves between two times but by jumps: what is told at one has happened at the other."""
    first, last = min(one, other), max(one, other)
    if first == last:
        return True
    n = look.states.shape[1] // 2
    moved = look.before(np.array([last]))[0] - look.at(np.array([first]))[0]
    if ((look.jump_times > first) & (look.jump_times < last)).any():
        moved[n:] = 0.0
    return largest_part(moved, look.scales[look.place(last), :-1]) <= look.jump_bound


def _mistimed(look: Look) -> Iterator[str]:
    """Events that tell a state in which the motion is not at that time."""
    for event in look.motion.events:
        if event.kind == "rest" or not event.state or not look.motion.begin_time <= event.time <= look.motion.end_time:
            continue
        at = np.array([event.time])
        there = [look.at(at)[0], look.before(at)[0]]
        there += [state for k in np.flatnonzero(look.jump_times == event.time) for state in look.jumps[k][1:]]
        scales = look.scales[look.place(event.time), :-1]
        if min(largest_part(np.array(event.state) - state, scales) for state in there) > look.jump_bound:
            yield f"{event.kind} of {event.name} is told at t = {event.time:.6g}, where the motion is in another state"


def _untold_jumps(look: Look) -> Iterator[str]:
    m = look.motion
    all_told = np.array([e.time for e in m.events if e.kind not in FORCED])
    begun = {o.time for o in m.origins[1:]}
    rests = {look.jumps[k].time for e in m.events if e.kind == "rest" and (k := _jump_of(look, e)) is not None}
    times = [t for t in look.jump_times[look.jump_sizes > look.jump_bound].tolist() if t not in begun]
    for t, after in pairwise([*times, np.inf]):
        if t not in rests and not ((all_told >= t) & (all_told < after)).any():
            yield f"a velocity jumps at t = {t:.6g}, which is not told"


def _sided(look: Look) -> list[int]:
    return [j for j, c in enumerate(look.motion.system.constraints) if isinstance(c, OneSided)]


def _counted(number: int, one: str, more: str = "") -> str:
    return f"{number} {one if number == 1 else more or one + 's'}"


PROOFS: dict[str, Proof] = {
    "steps": steps,
    "retraced": retraced,
    "samples": sampled,
    "on constraints": on_constraints,
    "energy": energy,
    "gaps": gaps,
    "pushes": pushes,
    "friction": friction,
    "principles": principles,
    "forces": said,
    "modes": modes,
    "impacts": impacts,
    "events": events,
}
"""All proofs, by the names of their checks."""
