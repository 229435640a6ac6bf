"""Bounces that have ended: at which jump, how long what was left of them may take, and how high it would have been."""

from itertools import pairwise

import numpy as np

from dalembert.derive import mass_and_rows
from dalembert.derive.switching.guard_kinds import GuardKey
from dalembert.derive.variants import bare
from dalembert.model import OneSided
from dalembert.motion.look import Look
from dalembert.motion.status import Event

STOPS = 2.0**-30  # of the largest rate of late: what is left of it where a contact has come to rest
LAST = 64  # jumps before a rest is told, at most
LATE = 4.0  # times what all bounces that are left take by the last: so late a rest may be told
BACK = (2, 4, 8, 16)  # impacts, and as many before them: of contacts that come to rest on each other
KEEPS = 1 - 2.0**-8  # of the time of some impacts that as many after them take, at most


def jump_of(look: Look, event: Event) -> int | None:
    """The place of the jump that an impact tells; a rest is told a moment later, and more may happen until then."""
    if event not in look.told_by:
        look.told_by[event] = _jump_of(look, event)
    return look.told_by[event]


def _jump_of(look: Look, event: Event) -> int | None:
    before = np.arange(np.searchsorted(look.jump_times, event.time, side="right"))
    if not any(c.name == event.name for c in look.motion.system.constraints):
        return None
    if event.kind == "rest":
        before = before[look.jump_sizes[before] > 0][-LAST:]
        rates = np.array([abs(rate_of(look, look.jumps[k].time, look.jumps[k].after, event.name)) for k in before])
        moves = rates > STOPS * rates.max(initial=0.0)
        stops = [k for k, (was, now) in zip(before[1:], pairwise(moves), strict=True) if was and not now]
        before = np.array(stops or before)
    return int(before[-1]) if len(before) else None


def rate_of(look: Look, t: float, state: np.ndarray, name: str) -> float:
    """How fast the gap of a contact changes at a state (2n,)."""
    m = look.motion
    return float(mass_and_rows(bare(m.system), [*state, t, *m.values])[1].rate[_place(look, name)])


def left_of_bounces(look: Look, k: int, event: Event) -> float:
    """How long all bounces after a jump may take, and some more.

    By the last flight before it, 2 e φ̇/φ̈/(1 − e), and by how much faster impacts followed each other than before, of
    all contacts that come to rest there: they may keep each other going.
    """
    m, jump = look.motion, look.jumps[k]
    e = _restitution(look, event.name)
    begin = max(look.step_of(float(np.nextafter(jump.time, -np.inf)))[0], m.begin_time)
    begin = max(begin, float(look.jump_times[k - 1]) if k else begin)
    closing = rate_of(look, jump.time, jump.before, event.name)
    first = rate_of(look, begin, look.at(np.array([begin]))[0], event.name)
    fall = (closing - first) / (jump.time - begin) if begin < jump.time else 0.0
    alone = 2 * e * closing / fall / (1 - e) if closing < 0 and fall < 0 and e < 1 else np.inf
    if sum(isinstance(c, OneSided) for c in m.system.constraints) == 1:
        return LATE * alone
    times = np.append(_struck_before(look, k), jump.time)
    found = [alone]
    for back in (b for b in BACK if 2 * b < len(times)):
        now, then = times[-1] - times[-1 - back], times[-1 - back] - times[-1 - 2 * back]
        found.append(now / (1 - min(now / then, KEEPS)))
    return LATE * float(max(found))


def taken(look: Look, k: int, event: Event) -> float:
    """How high a contact that rests from a jump on would have gone, of the size of its gap: that is not to be seen.

    By its speed e φ̇ against the forces that act, or in the time since any contact that comes to rest there was struck.
    """
    m, jump, n = look.motion, look.jumps[k], len(look.jumps[k].before) // 2
    j, place = _place(look, event.name), look.place(jump.time)
    rows = mass_and_rows(bare(m.system), [*jump.before, jump.time, *m.values])[1]
    back = _restitution(look, event.name) * max(-float(rows.rate[j]), 0.0)
    part = look.parts[max(int(np.searchsorted([p.episode.time for p in look.parts], jump.time, side="right")) - 1, 0)]
    guard = m._derivation.programs.staged(part.episode.mode).keys.index(GuardKey("touch", j))
    given = jump.before[None, :], np.array([jump.time]), part.setup.numbers
    size = float(part.setup.code.guard_sizes(*given, look.scales[[place]])[0, guard])
    size = max(size, float(np.abs(rows.A[j]) @ look.scales[place, :n]))
    lasted = jump.time - max(_struck_before(look, k), default=m.begin_time)
    fall = float(np.abs(rows.A[j]) @ look.paces[place])
    high = min(back * lasted, back**2 / (2 * fall) if fall > 0 else np.inf)
    return high / size if size > 0 else 0.0


def _struck_before(look: Look, k: int) -> list[float]:
    """When the contacts that come to rest at a jump were struck before it, in their order."""
    m, end = look.motion, look.jumps[k].time
    mates = {e.name for e in m.events if e.kind == "rest" and jump_of(look, e) == k}
    return sorted({e.time for e in m.events if e.kind == "impact" and e.name in mates and e.time < end})


def _place(look: Look, name: str) -> int:
    return next(i for i, c in enumerate(look.motion.system.constraints) if c.name == name)


def _restitution(look: Look, name: str) -> float:
    contact, m = look.motion.system.constraints[_place(look, name)], look.motion
    assert isinstance(contact, OneSided)
    return float(contact.restitution.xreplace(dict(zip(m.system.symbols, map(float, m.values), strict=True))))
