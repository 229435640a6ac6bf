"""The course of a motion across switches: its events, and the modes it was in, condensed to what a person reads."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array, form
from dalembert.derive.switching.modes import OFF, Mode, Switches, switches
from dalembert.model import OneSided, Reaction
from dalembert.motion import Event, Trajectory
from dalembert.show.layout import cut, listed
from dalembert.show.notation import plain

MANY, FIRST, LAST = 16, 6, 4  # events that are many, and how many of them are then listed
MOST = 12  # modes that are listed


class Stay(NamedTuple):
    """A mode in words, and the spans of time (from, to) that the motion was in it."""

    words: str
    spans: tuple[tuple[float, float], ...]

    @property
    def duration(self) -> float:
        """The time spent in the mode."""
        return sum(end - begin for begin, end in self.spans)


class Course(NamedTuple):
    """The modes of a motion as they were entered, none where nothing switches; `always` is so in all of them."""

    always: str = ""
    stays: tuple[Stay, ...] = ()


def course(motion: Trajectory) -> Course:
    """The modes a motion was in; what they have in common is said once."""
    episodes = motion.episodes
    if any(e.mode is None for e in episodes):
        return Course()
    known = switches(form(motion.system))
    spans: dict[tuple[str, ...], list[tuple[float, float]]] = {}
    last = None
    for episode, end in zip(episodes, [*(e.time for e in episodes[1:]), motion.end_time], strict=True):
        if end <= episode.time and len(episodes) > 1:
            continue
        said = tuple(phrases(known, episode.mode or Mode()))
        mine = spans.setdefault(said, [])
        if said == last:
            mine[-1] = (mine[-1][0], end)
        else:
            mine.append((episode.time, end))
        last = said
    common = [p for p in next(iter(spans)) if all(p in said for said in spans)] if len(spans) > 1 else []
    if any(set(said) <= set(common) for said in spans):
        common = []
    stays = (Stay(", ".join(p for p in said if p not in common), tuple(mine)) for said, mine in spans.items())
    return Course(", ".join(common), tuple(stays))


def phrases(known: Switches, mode: Mode) -> Iterator[str]:
    """A mode in words, a phrase for each thing that switches and decides anything in it.

    A switching function is named by what it switches on, or as it was stated where there is another switch in that.
    """
    names = [c.name for c in known.form.constraints]
    for j in known.one_sided:
        yield f"{names[j]} {'closed' if j in mode.closed else 'open'}"
    for k, state in enumerate(mode.rubs):
        if state != OFF:
            yield f"{known.name(k)} {state}"
    for j, sign in zip(known.pressed, mode.normals, strict=True):
        if j in known.active(mode):
            yield f"{names[j]} λ {_sign(sign)} 0"
    gated = known.gated
    inside = {gate.symbol for gate in gated.gates}
    for g in gated.live(mode.signs):
        gate = gated.gates[g]
        nested = gate.function.free_symbols & inside or gate.function.atoms(Reaction)
        yield f"{gate.words if nested else plain(gate.function)} {_sign(mode.signs[g])} 0"


def violation(motion: Trajectory) -> Array:
    """How far the samples are off each constraint f, (k, m): |f|, and of an open contact only how far f is below 0."""
    off: Array = np.abs(motion.residual)
    one_sided = [j for j, c in enumerate(motion.system.constraints) if isinstance(c, OneSided)]
    if not one_sided or not len(motion.t) or any(e.mode is None for e in motion.episodes):
        return off
    stretch = np.searchsorted([e.time for e in motion.episodes], motion.t, side="right") - 1
    for j in one_sided:
        closed = np.array([e.mode is not None and j in e.mode.closed for e in motion.episodes])[np.maximum(stretch, 0)]
        off[:, j] = np.where(closed, off[:, j], np.maximum(-motion.residual[:, j], 0.0))
    return off


def counts(events: Sequence[Event]) -> dict[str, int]:
    """How many events there are of each kind, in the order of their first."""
    return dict(Counter(event.kind for event in events))


def events_listed(events: Sequence[Event], width: int, margin: str) -> list[str]:
    """A table of events; of many, the first and the last, and how many of each kind there are."""
    if not events:
        return []
    many = len(events) > MANY
    shown = [*events[:FIRST], *events[-LAST:]] if many else events
    rows = [(f"{e.time:.9g}", e.kind, e.name, f"{e.before} → {e.after}" if e.after else "") for e in shown]
    lines = listed([("at t", "event", "of", "from → to" if any(e.after for e in shown) else ""), *rows], width, margin)
    if many:
        kinds = ", ".join(f"{number} × {kind}" for kind, number in counts(events).items())
        left = len(events) - FIRST - LAST
        lines.insert(1 + FIRST, cut(f"{margin}… and {left} more: in all {kinds}", width))
    return lines


def modes_listed(found: Course, width: int, margin: str) -> list[str]:
    """A table of the time spent in each mode; of many, those in which most was spent."""
    if not found.stays:
        return []
    stays = sorted(found.stays, key=lambda stay: -stay.duration)[:MOST] if len(found.stays) > MOST else found.stays
    rows = [(f"{s.duration:.6g}", str(len(s.spans)), s.words) for s in stays]
    lines = listed([("time spent", "times", "mode"), *rows], width, margin)
    if len(found.stays) > MOST:
        lines.append(f"{margin}… and {len(found.stays) - MOST} more")
    return [*lines, *([cut(f"{margin}always: {found.always}", width)] if found.always else [])]


def _sign(sign: int) -> str:
    return {1: ">", -1: "<"}.get(sign, "=")
