"""What switched in a motion, along its time: modes as bars, events as ticks, each kind in a lane with its name."""

from collections.abc import Iterator, Sequence
from itertools import chain
from textwrap import wrap
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from dalembert.motion import Event, Trajectory
from dalembert.show.course import course
from dalembert.show.layout import cut

KINDS = {  # Okabe and Ito's colours, some darker: what ends a motion in one way or begins it in another
    "impact": "#B23A00", "rest": "#5A2A82", "contact": "#0072B2", "release": "#3A9BDC", "stick": "#00694D",
    "slip": "#C98500", "reverse": "#B5578A", "slide": "#00694D", "leave": "#C98500", "switch": "#B5578A",
    "halt": "#00694D",
}  # fmt: skip
BAR, INK, OTHER = "#A9BACB", "#262626", "#767676"
MOST = 6  # modes with a lane of their own
LINE, LETTERS, LINES = 0.15, 24, 3  # inches of a line of a name, how long it is, and how many there are at most
FEW = 30  # events up to which their lines are drawn in full
MANY = 1000  # and from which they are pixels in a file of vectors


class Lane(NamedTuple):
    """A name and what is drawn beside it: spans of time as bars, times as ticks."""

    name: str
    colour: str
    spans: Sequence[tuple[float, float]] = ()
    times: Sequence[float] = ()

    @property
    def height(self) -> float:
        """In inches."""
        return LINE * (1 + self.name.count("\n")) + 0.03


class Timeline(NamedTuple):
    """The lanes of a motion, from above; none where nothing switches. `always` is what was so throughout."""

    always: str
    lanes: tuple[Lane, ...]

    @property
    def height(self) -> float:
        """In inches."""
        return sum(lane.height for lane in self.lanes) + 0.1


def timeline(motion: Trajectory) -> Timeline:
    """The modes a motion was in, those of most time where they are many, and its events by their kind."""
    found = course(motion)
    largest = sorted(found.stays, key=lambda stay: -stay.duration)[:MOST]
    lanes = [Lane(_short(stay.words), BAR, stay.spans) for stay in found.stays if stay in largest]
    if others := [stay for stay in found.stays if stay not in largest]:
        spans = tuple(chain.from_iterable(stay.spans for stay in others))
        lanes.append(Lane(f"{len(others)} other modes", BAR, spans))
    kinds: dict[str, list[Event]] = {}
    for event in motion.events:
        kinds.setdefault(event.kind, []).append(event)
    return Timeline(found.always, (*lanes, *(_of_kind(kind, events) for kind, events in kinds.items())))


def draw(ax: Axes, found: Timeline) -> None:
    """The lanes on axes that have nothing else on them."""
    top = 0.0
    for lane in found.lanes:
        low, middle = top - lane.height, top - lane.height / 2
        widths = [(begin, end - begin) for begin, end in lane.spans]
        ax.broken_barh(widths, (middle - LINE * 0.35, LINE * 0.7), color=lane.colour, linewidth=0)
        _lines(ax, lane, middle - LINE * 0.4, middle + LINE * 0.4, ax.transData, 1.0, 1.0)
        ax.annotate(lane.name, (1.01, middle), xycoords=("axes fraction", "data"), va="center", fontsize=8.5,
                    linespacing=1.05, color=lane.colour if lane.times else INK, annotation_clip=False)  # fmt: skip
        top = low
    ax.set_ylim(top, 0)
    ax.set_yticks([])
    ax.spines[["left"]].set_visible(False)


def mark(axes: Any, found: Timeline) -> None:
    """A thin line for each event through other axes, in the colour of its kind; fainter where they are many."""
    lanes = [lane for lane in found.lanes if lane.times]
    strength = 0.75 if sum(len(lane.times) for lane in lanes) <= FEW else 0.25
    for ax in axes:
        for lane in lanes:
            _lines(ax, lane, 0.0, 1.0, ax.get_xaxis_transform(), 0.7, strength)


def _lines(ax: Axes, lane: Lane, low: float, high: float, transform: Any, width: float, strength: float) -> None:
    """Upright lines at the times of a lane, which do not change the limits of the axes."""
    if lane.times:
        upright = [((t, low), (t, high)) for t in lane.times]
        lines = LineCollection(upright, colors=lane.colour, linewidths=width, alpha=strength, zorder=1,
                               transform=transform, rasterized=len(upright) > MANY, label="_events")  # fmt: skip
        ax.add_collection(lines, autolim=False)


def _of_kind(kind: str, events: Sequence[Event]) -> Lane:
    """The lane of a kind of event; it has the name of the constraint where there is only one."""
    names = {event.name for event in events if event.after}
    words = f"{kind}, {next(iter(names))}" if len(names) == 1 else kind
    count = f" ({len(events)})" if len(events) > 1 else ""
    return Lane(_short(words, count), KINDS.get(kind, OTHER), times=tuple(event.time for event in events))


def _short(words: str, ending: str = "") -> str:
    """Words on a few short lines."""
    lines = wrap(words + ending, LETTERS, break_long_words=True)
    if len(lines) > LINES:
        lines = [*lines[: LINES - 1], cut(lines[LINES - 1] + "…", LETTERS)]
    return "\n".join(_plain_dollars(lines))


def _plain_dollars(lines: Sequence[str]) -> Iterator[str]:
    return (line.replace("$", r"\$") for line in lines)
