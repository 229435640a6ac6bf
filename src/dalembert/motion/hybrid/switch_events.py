"""What is told of a switch: the events between two modes."""

from collections.abc import Collection, Iterator

from dalembert.derive.switching.modes import DIRECTIONS, OFF, SLIPS, STICKS, Mode, Switches
from dalembert.motion.status import Event

MOVES = (*DIRECTIONS, SLIPS)


def told(
    switches: Switches,
    before: Mode,
    after: Mode,
    t: float,
    state: tuple[float, ...],
    stopped: int | None = None,
    known: Collection[str] = (),
) -> Iterator[Event]:
    """Everything that switched between two modes, at one time.

    A friction in a plane may have `stopped` for an instant. That contacts `known` by name have closed is told already.
    """

    def event(kind: str, name: str, old: str, new: str) -> Event:
        return Event(t, kind, name, old, new, state)

    names = [c.name for c in switches.form.constraints]
    for j in switches.one_sided:
        if j in before.closed and j not in after.closed:
            yield event("release", names[j], "closed", "open")
        elif j in after.closed and j not in before.closed and names[j] not in known:
            yield event("contact", names[j], "open", "closed")
    for k, (old, new) in enumerate(zip(before.rubs, after.rubs, strict=True)):
        if OFF in (old, new) or (old == new and not (old == SLIPS and k == stopped)):
            continue
        kind = "stick" if new == STICKS else "slip" if old == STICKS else "reverse"
        yield event(kind, switches.name(k), old, new)
    common = {*switches.active(before)} & {*switches.active(after)}
    for j, was, becomes in zip(switches.pressed, before.normals, after.normals, strict=True):
        if was != becomes and j in common:
            yield event("normal", names[j], _sign("λ", was), _sign("λ", becomes))
    for gate, was, becomes in zip(switches.gated.gates, before.signs, after.signs, strict=True):
        if was != becomes:
            kind = "slide" if becomes == 0 else "leave" if was == 0 else "switch"
            yield event(kind, gate.words, _sign(gate.about, was), _sign(gate.about, becomes))


def _sign(what: str, sign: int) -> str:
    return f"{what} {'>' if sign > 0 else '<' if sign < 0 else '='} 0".strip()
