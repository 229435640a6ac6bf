"""Events by themselves: each is of something there is, told once, at its very time, and for a reason."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from dalembert.derive import Array, mass_and_rows, prepared
from dalembert.derive.switching.guard_kinds import HELD
from dalembert.derive.switching.modes import STICKS, Mode, Switches, switches
from dalembert.derive.variants import bare
from dalembert.model import OneSided
from dalembert.motion.hybrid.guard_watch import counting, key_of
from dalembert.motion.look import Jump, Look
from dalembert.motion.proofs.impacts import HIT, jump_of
from dalembert.motion.record import Episode
from dalembert.motion.status import Event
from dalembert.motion.tolerances import EPS, tolerance

LATE = 4.0  # times what all bounces that are left take by the last: so late a rest may be told
FEW = 3  # jumps before one: of several contacts that come to rest on each other
ROUNDINGS = 2.0**12  # of the time


def named(look: Look) -> Iterator[str]:
    """Events of what the system does not have, or told twice."""
    m = look.motion
    known, seen = switches(prepared(m.system).form), set[Event]()
    for event in m.events:
        where = f"{event.kind} of {event.name} at t = {event.time:.6g}"
        if not _is_of(known, event):
            yield f"{where} is told, of which there is none"
        if event in seen:
            yield f"{where} is told twice"
        seen.add(event)


def struck(look: Look) -> Iterator[str]:
    """Impacts where no velocity jumps, or of a contact that was or became something else; a rest told too late."""
    m = look.motion
    known = switches(prepared(m.system).form)
    done = set[tuple[str, int]]()
    for event in m.events:
        if event.kind not in HIT or not _is_of(known, event) or (k := jump_of(look, event)) is None:
            continue
        jump, where = look.jumps[k], f"{event.kind} of {event.name} at t = {event.time:.6g}"
        late = event.time - jump.time
        if late > (_left_of_bounces(look, k, event) if event.kind == "rest" else 0.0) + ROUNDINGS * EPS * abs(
            event.time
        ):
            yield f"{where} is told too late"
        if event.kind == "impact" and (event.name, k) in done:
            yield f"{where} is told twice"
        done.add((event.name, k))
        if (event.before, event.after) not in _ways(look, known, jump, event):
            yield f"{where} is told as from {event.before or 'nothing'} to {event.after or 'nothing'}"


def slipped(look: Look) -> Iterator[str]:
    """Friction that begins to slip while it could hold: what held it was not at its bound."""
    m = look.motion
    jumped = {t for t, size in zip(look.jump_times.tolist(), look.jump_sizes, strict=True) if size > look.jump_bound}
    begun = {o.time for o in m.origins} | jumped | {e.time for e in m.events if e.kind == "passed"}
    for first, second in pairwise(m.episodes):
        if first.mode is None or second.mode is None or second.time in begun or second.time <= first.time:
            continue
        slips = _only_slips(first.mode, second.mode)
        if slips and (part := _held(look, first, second.time, slips)) > _bound(look):
            name = switches(prepared(m.system).form).name(slips[0])
            yield f"{name} begins to slip at t = {second.time:.6g}, {part:.2g} below what it can hold"


def _is_of(known: Switches, event: Event) -> bool:
    """Whether there is something of its kind and name."""
    match event.kind:
        case "impact":  # of a contact, or at a kink
            return event.name in [c.name for c in known.form.constraints]
        case "rest" | "contact" | "release":
            return event.name in [c.name for c in known.form.constraints if isinstance(c, OneSided)]
        case "normal":
            return event.name in [known.form.constraints[j].name for j in known.pressed]
        case "stick" | "slip" | "reverse":
            return event.name in [known.name(k) for k in range(len(known.rubs))]
        case "switch" | "slide" | "leave" | "halt":
            return event.name in [gate.words for gate in known.gated.gates]
    return event.kind in ("rows", "crossing", "passed")


def _ways(look: Look, known: Switches, jump: Jump, event: Event) -> set[tuple[str, str]]:
    """From what to what a contact may have come in an impact."""
    if event.kind == "rest":
        return {("open", "closed")}
    mode = look.motion.mode_at(float(np.nextafter(jump.time, -np.inf)))
    j = next(i for i, c in enumerate(known.form.constraints) if c.name == event.name)
    if not isinstance(known.form.constraints[j], OneSided):
        return {("closed", "closed")}
    before = "closed" if mode is not None and j in mode.closed and jump.time > look.motion.begin_time else "open"
    return {(before, "open"), (before, "closed")}


def _left_of_bounces(look: Look, k: int, event: Event) -> float:
    """How long all bounces after a jump may take: 2 e φ̇/φ̈/(1 − e) by the last flight before it, and some more."""
    m, jump = look.motion, look.jumps[k]
    j = next(i for i, c in enumerate(m.system.constraints) if c.name == event.name)
    contact = m.system.constraints[j]
    assert isinstance(contact, OneSided)
    e = float(contact.restitution.xreplace(dict(zip(m.system.symbols, map(float, m.values), strict=True))))
    begin = max(look.step_of(float(np.nextafter(jump.time, -np.inf)))[0], m.begin_time)
    begin = max(begin, float(look.jump_times[k - 1]) if k else begin)

    def rate(t: float, state: Array) -> float:
        return float(mass_and_rows(bare(m.system), [*state, t, *m.values])[1].rate[j])

    closing = rate(jump.time, jump.before)
    fall = (closing - rate(begin, look.at(np.array([begin]))[0])) / (jump.time - begin) if begin < jump.time else 0.0
    alone = LATE * 2 * e * closing / fall / (1 - e) if closing < 0 and fall < 0 and e < 1 else np.inf
    if sum(isinstance(c, OneSided) for c in m.system.constraints) == 1:
        return alone
    return max(alone, LATE * float(jump.time - look.jump_times[max(k - FEW, 0)]))  # they may keep each other going


def _only_slips(old: Mode, new: Mode) -> list[int]:
    """The frictions that begin to slip where nothing else changes between two modes."""
    if (old.closed, old.signs, old.normals) != (new.closed, new.signs, new.normals):
        return []
    changed = [k for k, (was, now) in enumerate(zip(old.rubs, new.rubs, strict=True)) if was != now]
    return changed if all(old.rubs[k] == STICKS for k in changed) else []


def _held(look: Look, episode: Episode, t: float, slips: list[int]) -> float:
    """How far, of its terms, the nearest of some frictions that stick is from its bound where its stretch ends."""
    part = next((p for p in look.parts if p.episode == episode), None)
    if part is None or episode.mode is None:
        return 0.0
    staged = look.motion._derivation.programs.staged(episode.mode)
    given = look.before(np.array([t])), np.array([t]), part.setup.numbers
    values = part.setup.code.guards(*given)[0]
    sizes = part.setup.code.guard_sizes(*given, look.scales[[look.place(t)]])[0]
    live = np.flatnonzero(counting(staged, episode.mode, len(values)))
    mine = [i for i in live.tolist() if (key := key_of(staged, i)).kind in HELD and key.place in slips]
    parts = [abs(values[i]) / sizes[i] for i in mine if np.isfinite(sizes[i]) and sizes[i] > 0]
    return float(min(parts, default=0.0))


def _bound(look: Look) -> float:
    return max(tolerance("GUARD"), tolerance("DRIFT") * look.accuracy)
