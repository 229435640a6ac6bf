"""Events: each change of mode and each jump is told, and each that is told is there."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from dalembert.derive import prepared
from dalembert.derive.switching.modes import switches
from dalembert.motion.hybrid.switch_events import told
from dalembert.motion.look import Look, largest_part
from dalembert.motion.proofs.impacts import HIT, jump_of
from dalembert.motion.proofs.told import named, slipped, struck
from dalembert.motion.tolerances import tolerance
from dalembert.principles.certificate import Check

FORCED = ("stick", "slip", "reverse", "normal", "release", "passed", "rows", "switch", "slide", "leave")
# they change forces, and no velocity
TURNED = ("reverse", "normal")  # where a gradient turns round, these are about its direction, not the motion's
UNSWITCHED = ("halt", "reverse", "crossing", "passed", "rows")  # told without a change of mode


def events(look: Look) -> Check | str:
    """Every change of mode and every jump of a velocity is told, and every event told is there."""
    m = look.motion
    if m.episodes[0].mode is None:
        return "nothing switches"
    wrong = [*named(look), *_mistold_changes(look), *_mistimed(look), *struck(look), *slipped(look)]
    wrong += _untold_jumps(look)
    about = f"; {wrong[0]}" if wrong else ""
    words = f"switches and jumps that are not told, events of neither{about}"
    return Check("events", float(len(wrong)), 0.0, words)


def _mistold_changes(look: Look) -> Iterator[str]:
    """Changes of mode without an event, and events without a change: each change has one event of its own."""
    m = look.motion
    known, begun = switches(prepared(m.system).form), {o.time for o in m.origins}
    times = [*(e.time for e in m.episodes), np.inf]
    free, when = dict(enumerate(m.events)), np.array([e.time for e in m.events])
    order = np.argsort(when, kind="stable")
    passed = {e.time for e in m.events if e.kind == "passed"}
    rests = [(look.jumps[k].time, e.name) for e in m.events if e.kind == "rest" and (k := jump_of(look, e)) is not None]
    for k in range(1, len(m.episodes)):
        old, new, t = m.episodes[k - 1].mode, m.episodes[k].mode, m.episodes[k].time
        if old is None or new is None or t in begun:
            continue
        among = slice(*np.searchsorted(when, [times[k - 1], times[k + 1]], sorter=order).tolist())
        near = sorted(i for i in order[among].tolist() if i in free)
        hit = [m.events[i].name for i in near if m.events[i].kind in HIT and m.events[i].after == "closed"]
        hit += [name for when_struck, name in rests if when_struck == t]
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
    """Whether two times are one but for rounding, and nothing moves between them but by jumps."""
    first, last = min(one, other), max(one, other)
    if first == last:
        return True
    if last - first > tolerance("BESIDE") * (look.motion.end_time - look.motion.begin_time):
        return False
    n = look.states.shape[1] // 2
    moved = look.before(np.array([last]))[0] - look.at(np.array([first]))[0]
    if ((look.jump_times > first) & (look.jump_times < last)).any():
        moved[n:] = 0.0
    return largest_part(moved, look.scales[look.place(last), :-1]) <= look.jump_bound


def _mistimed(look: Look) -> Iterator[str]:
    """Events that tell a state in which the motion is not at that time."""
    m = look.motion
    told = [e for e in m.events if e.kind != "rest" and e.state and m.begin_time <= e.time <= m.end_time]
    times = np.array([e.time for e in told])
    if not told:
        return
    for event, *there in zip(told, look.at(times), look.before(times), strict=True):
        same = slice(*(int(np.searchsorted(look.jump_times, event.time, side)) for side in ("left", "right")))
        there += [state for jump in look.jumps[same] for state in jump[1:]]
        scales = look.scales[look.place(event.time), :-1]
        off = np.maximum(np.abs(np.array(event.state) - there) - look.left_open, 0.0)
        if min(largest_part(each, scales) for each in off) > look.jump_bound:
            yield f"{event.kind} of {event.name} is told at t = {event.time:.6g}, where the motion is in another state"


def _untold_jumps(look: Look) -> Iterator[str]:
    m = look.motion
    all_told = np.array([e.time for e in m.events if e.kind not in FORCED])
    begun = {o.time for o in m.origins[1:]}
    rests = {look.jumps[k].time for e in m.events if e.kind == "rest" and (k := jump_of(look, e)) is not None}
    times = [t for t in look.jump_times[look.jump_sizes > look.jump_bound].tolist() if t not in begun]
    for t, after in pairwise([*times, np.inf]):
        if t not in rests and not ((all_told >= t) & (all_told < after)).any():
            yield f"a velocity jumps at t = {t:.6g}, which is not told"
