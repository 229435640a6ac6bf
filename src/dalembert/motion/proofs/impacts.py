"""The law of impact at every jump that an event tells."""

from collections.abc import Iterator

import numpy as np
from scipy.linalg import null_space

from dalembert.derive import Array, mass_and_rows
from dalembert.derive.exact.cases import SWITCHING
from dalembert.derive.variants import bare
from dalembert.model import Constraint, OneSided
from dalembert.motion.look import Jump, Look, largest_part
from dalembert.motion.proofs.words import counted, worst_at
from dalembert.motion.status import Event
from dalembert.motion.tolerances import tolerance
from dalembert.principles import balanced_units
from dalembert.principles.certificate import Check

HIT = ("impact", "rest")
HITS = 2000  # impacts that are held against their law, spread over a motion
STOPS = 2.0**-30  # of the largest rate of late: what is left of it where a contact has come to rest
LATE = 64  # jumps before a rest is told, at most
AHEAD = 2.0**-40  # of a run: so long after an impact a corner is behind


def impacts(look: Look) -> Check | str:
    """Contacts part at the rate that their restitution asks for, and never close on; at kinks the least is changed."""
    known = {c.name for c in look.motion.system.constraints}
    struck = [e for e in look.motion.events if e.kind in HIT and e.name in known]
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
    kinks = any(not isinstance(_constraint(look, e), OneSided) for e in struck)
    at_kinks = ", least change at kinks" if kinks else ""
    words = f"φ̇⁺ = −e φ̇⁻, or φ̇⁺ ≥ 0 of several at once{at_kinks}, {counted(len(few), 'time')}{of}"
    return Check("impacts", worst, tolerance("RESTITUTION"), words + worst_at(worst, when))


def _told_at(look: Look, struck: list[Event]) -> Iterator[tuple[Jump, list[Event]]]:
    """The impacts by the leg that begins with them."""
    by_time: dict[int, list[Event]] = {}
    for event in struck:
        if (k := jump_of(look, event)) is not None:
            by_time.setdefault(k, []).append(event)
    for k, events in by_time.items():
        yield look.jumps[k], events


def jump_of(look: Look, event: Event) -> int | None:
    """The place of the jump that an impact tells; a rest is told a moment later, and more may happen until then."""
    before = np.arange(np.searchsorted(look.jump_times, event.time, side="right"))
    if not any(c.name == event.name for c in look.motion.system.constraints):
        return None
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
    way = AHEAD * (m.end_time - m.begin_time)
    ahead, now = (jump.after[:n] + way * jump.before[n:], jump.time + way), (jump.after[:n], jump.time)
    speeds = np.maximum(look.scales[look.place(jump.time), n : 2 * n], np.abs(jump.before[n:]))
    worst = 0.0
    for event in events:
        j = next(i for i, c in enumerate(m.system.constraints) if c.name == event.name)
        contact = m.system.constraints[j]
        if not isinstance(contact, OneSided):
            worst = max(worst, _law_of_kink(look, jump, j, events))
            continue
        e = float(contact.restitution.xreplace(given))
        q, t = ahead if contact.expr.has(*SWITCHING) else now  # at a corner, by the side that was struck
        at = [mass_and_rows(bare(m.system), [*q, *y[n:], t, *m.values])[1] for y in (jump.before, jump.after)]
        before, after = float(at[0].rate[j]), float(at[1].rate[j])
        size = float(np.abs(at[0].A[j]) @ speeds)
        size += abs(before - float(at[0].A[j] @ jump.before[n:]))
        alone = len(events) == 1 and event.kind == "impact" and not contact.impact_friction
        off = abs(after + e * before) if alone else max(0.0, -after)
        if event.kind == "rest":
            off = max(off, after - abs(before))
        worst = max(worst, largest_part(np.array([off]), np.array([size])))
    return worst


def _law_of_kink(look: Look, jump: Jump, j: int, events: list[Event]) -> float:
    """How far the jump at a kink of a two-sided constraint is from its law: that row holds, and no more is changed.

    M (v⁺ − v⁻) is an impulse of rows in force: it does no work along what they leave free.
    """
    m, n = look.motion, len(jump.before) // 2
    way = AHEAD * (m.end_time - m.begin_time)
    ahead = [*(jump.before[:n] + way * jump.before[n:]), *jump.after[n:], jump.time + way, *m.values]
    M, rows = mass_and_rows(bare(m.system), ahead)
    speeds = np.maximum(look.scales[look.place(jump.time), n : 2 * n], np.abs(jump.before[n:]))
    size = float(np.abs(rows.A[j]) @ speeds) + abs(float(rows.rate[j] - rows.A[j] @ jump.after[n:]))
    off = largest_part(np.array([rows.rate[j]]), np.array([size]))
    struck = {event.name for event in events}
    acts = [k for k, c in enumerate(m.system.constraints) if not isinstance(c, OneSided) or c.name in struck]
    if any(isinstance(c, OneSided) and c.impact_friction for c in (m.system.constraints[k] for k in acts)):
        return off
    units = balanced_units(M, rows.A[acts])
    free = null_space(_unit(rows.A[acts] * units))
    pushed = np.abs(free.T @ (units * (M @ (jump.after - jump.before)[n:])))
    return max(off, largest_part(pushed, np.abs(free.T) @ (units * (np.abs(M) @ speeds))))


def _unit(rows: Array) -> Array:
    """The rows, each of length one."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    out: Array = rows / np.where(lengths > 0, lengths, 1.0)
    return out


def _constraint(look: Look, event: Event) -> Constraint:
    """The constraint that an event is of."""
    return next(c for c in look.motion.system.constraints if c.name == event.name)
