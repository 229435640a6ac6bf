"""The kinds of guards: what must stay positive in a mode, when it counts, and what may follow when it falls to zero.

A kind is a small class with three answers; the registry `KINDS` lists them. Guards never change a mode by themselves:
they name the modes that come into question, and these are tried.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol, TypeVar

from dalembert.derive.switching.modes import BACKWARD, DIRECTIONS, FORWARD, OFF, SLIPS, STICKS, Mode, Switches

T = TypeVar("T")
HELD = ("up", "down", "hold")  # the kinds of guards that are bounds of what friction holds


class GuardKey(NamedTuple):
    """What a guard is of: its kind, and the place of a constraint, friction or switching function."""

    kind: str
    place: int


class GuardKind(Protocol):
    """One kind of guard."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    def counts(self, switches: Switches, mode: Mode, place: int) -> bool:
        """Whether it must be positive in a mode."""
        ...

    def after(self, switches: Switches, mode: Mode, place: int, rests: bool) -> Iterator[Mode]:
        """The modes that may follow when it falls, the likeliest first; `rests`: what slides is at rest."""
        ...


class Touch:
    """φ of an open contact."""

    name = "touch"

    def counts(self, switches: Switches, mode: Mode, place: int) -> bool:  # noqa: ARG002
        """See `GuardKind`."""
        return place not in mode.closed

    def after(self, switches: Switches, mode: Mode, place: int, rests: bool) -> Iterator[Mode]:  # noqa: ARG002
        """See `GuardKind`."""
        rubs = tuple(
            STICKS if state == OFF and place in rub.members else state
            for rub, state in zip(switches.rubs, mode.rubs, strict=True)
        )
        yield replace(mode, closed=tuple(sorted((*mode.closed, place))), rubs=rubs)


class Release:
    """λ̂ of a closed contact, which can only push."""

    name = "release"

    def counts(self, switches: Switches, mode: Mode, place: int) -> bool:  # noqa: ARG002
        """See `GuardKind`."""
        return place in mode.closed and place not in mode.idle

    def after(self, switches: Switches, mode: Mode, place: int, rests: bool) -> Iterator[Mode]:  # noqa: ARG002
        """See `GuardKind`."""
        closed = tuple(j for j in mode.closed if j != place)
        left = replace(mode, closed=closed)
        rubs = tuple(
            OFF if state != OFF and not switches.rubbing(rub, left) else state
            for rub, state in zip(switches.rubs, mode.rubs, strict=True)
        )
        yield replace(left, rubs=rubs)


class Parted:
    """How little a closed contact that bears nothing, being redundant, may open."""

    name = "parted"

    def counts(self, switches: Switches, mode: Mode, place: int) -> bool:  # noqa: ARG002
        """See `GuardKind`."""
        return place in mode.closed and place in mode.idle

    def after(self, switches: Switches, mode: Mode, place: int, rests: bool) -> Iterator[Mode]:
        """See `GuardKind`."""
        yield from Release().after(switches, mode, place, rests)


class Stop:
    """The sliding velocity of a friction along a line, the way it slips."""

    name = "stop"

    def counts(self, switches: Switches, mode: Mode, place: int) -> bool:  # noqa: ARG002
        """See `GuardKind`."""
        return mode.rubs[place] in DIRECTIONS

    def after(self, switches: Switches, mode: Mode, place: int, rests: bool) -> Iterator[Mode]:  # noqa: ARG002
        """See `GuardKind`."""
        other = BACKWARD if mode.rubs[place] == FORWARD else FORWARD
        for state in (STICKS, other) if rests else (other,):
            yield replace(mode, rubs=changed(mode.rubs, place, state))


class Slow:
    """The sliding speed of a friction in a plane, over that at which it is brought to rest."""

    name = "slow"

    def counts(self, switches: Switches, mode: Mode, place: int) -> bool:  # noqa: ARG002
        """See `GuardKind`."""
        return mode.rubs[place] == SLIPS

    def after(self, switches: Switches, mode: Mode, place: int, rests: bool) -> Iterator[Mode]:  # noqa: ARG002
        """See `GuardKind`."""
        if rests:
            yield replace(mode, rubs=changed(mode.rubs, place, STICKS))


class Up:
    """μN less the force that holds along a line."""

    name, slips = "up", BACKWARD

    def counts(self, switches: Switches, mode: Mode, place: int) -> bool:  # noqa: ARG002
        """See `GuardKind`."""
        return mode.rubs[place] == STICKS

    def after(self, switches: Switches, mode: Mode, place: int, rests: bool) -> Iterator[Mode]:  # noqa: ARG002
        """See `GuardKind`."""
        yield replace(mode, rubs=changed(mode.rubs, place, self.slips))


class Down(Up):
    """μN and the force that holds along a line."""

    name, slips = "down", FORWARD


class Hold(Up):
    """(μN)² less the square of the force that holds in a plane."""

    name, slips = "hold", SLIPS


class Normal:
    """The force behind a friction, the way it presses."""

    name = "normal"

    def counts(self, switches: Switches, mode: Mode, place: int) -> bool:
        """See `GuardKind`."""
        return place in switches.active(mode)

    def after(self, switches: Switches, mode: Mode, place: int, rests: bool) -> Iterator[Mode]:  # noqa: ARG002
        """See `GuardKind`."""
        k = switches.pressed.index(place)
        yield replace(mode, normals=changed(mode.normals, k, -mode.normals[k]))


class Side:
    """A switching function, on the side it is on."""

    name = "side"

    def counts(self, switches: Switches, mode: Mode, place: int) -> bool:
        """See `GuardKind`."""
        return bool(mode.signs[place]) and place in switches.gated.live(mode.signs)

    def after(self, switches: Switches, mode: Mode, place: int, rests: bool) -> Iterator[Mode]:  # noqa: ARG002
        """See `GuardKind`."""
        yield replace(mode, signs=changed(mode.signs, place, -mode.signs[place]))
        yield replace(mode, signs=changed(mode.signs, place, 0))


class Above:
    """One less the value of a sign that keeps the motion on a surface."""

    name, leaves = "above", 1

    def counts(self, switches: Switches, mode: Mode, place: int) -> bool:  # noqa: ARG002
        """See `GuardKind`."""
        return mode.signs[place] == 0

    def after(self, switches: Switches, mode: Mode, place: int, rests: bool) -> Iterator[Mode]:  # noqa: ARG002
        """See `GuardKind`."""
        yield replace(mode, signs=changed(mode.signs, place, self.leaves))


class Below(Above):
    """One and the value of a sign that keeps the motion on a surface."""

    name, leaves = "below", -1


class Coefficient:
    """A coefficient of friction, or how much the static one is above it: nothing follows."""

    name = "coefficient"

    def counts(self, switches: Switches, mode: Mode, place: int) -> bool:
        """See `GuardKind`."""
        return place in switches.active(mode)

    def after(self, switches: Switches, mode: Mode, place: int, rests: bool) -> Iterator[Mode]:  # noqa: ARG002
        """See `GuardKind`."""
        yield from ()


class Jam:
    """A pivot that says whether friction and rigidity leave a unique answer: others press otherwise."""

    name = "jam"

    def counts(self, switches: Switches, mode: Mode, place: int) -> bool:  # noqa: ARG002
        """See `GuardKind`."""
        return True

    def after(self, switches: Switches, mode: Mode, place: int, rests: bool) -> Iterator[Mode]:  # noqa: ARG002
        """See `GuardKind`."""
        for j in (j for j in switches.active(mode) if switches.follows_actual(j)):
            kind = Release() if j in mode.closed else Normal()
            yield from kind.after(switches, mode, j, rests)


EVERY: tuple[GuardKind, ...] = (
    Touch(), Release(), Parted(), Stop(), Slow(), Up(), Down(), Hold(), Normal(), Side(), Above(), Below(),
    Coefficient(), Jam(),
)  # fmt: skip
KINDS = {kind.name: kind for kind in EVERY}
"""All kinds, by name."""


def causes(switches: Switches, keys: Sequence[GuardKey]) -> list[GuardKey]:
    """What has fallen by itself: what a friction can hold falls with what presses in it, which turns round."""
    turned = {key.place for key in keys if key.kind == "normal"}
    return [key for key in keys if key.kind not in HELD or not turned.intersection(switches.rubs[key.place].members)]


def changed(items: tuple[T, ...], place: int, new: T) -> tuple[T, ...]:
    """The items with one of them replaced."""
    return (*items[:place], new, *items[place + 1 :])
