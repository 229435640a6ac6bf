"""A motion in pictures: what switched, coordinates, constraint forces in their two parts, energy, how right it all is.

Only this file and `timeline` draw, and they are read when a picture is asked for: nothing else waits for matplotlib.
"""

from collections.abc import Iterator, Sequence
from io import BytesIO
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.mathtext import MathTextParser
from sympy import Expr

from dalembert.derive import Array
from dalembert.engine import WORKS
from dalembert.model import OneSided, Particles, name_of
from dalembert.motion import Trajectory
from dalembert.show import timeline
from dalembert.show.course import violation
from dalembert.show.jumps import Jumps
from dalembert.show.layout import cut
from dalembert.show.notation import latex

# Okabe and Ito's colours, told apart however one sees colours; without their yellow, which is too light on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
INK, GREY, FAINT, ALARM = "#262626", "#767676", "#D4D4D4", "#B23A00"
MOST = len(COLOURS)  # curves with a name and a colour of their own
WIDTH, TALL, SHORT, MARGIN = 8.0, 1.7, 1.05, 1.0  # inches
FLAT = 1e-6  # what varies by less than this part of its size is drawn flat, and not as its rounding errors
LEGEND = {  # beside the axes, never on the curves
    "loc": "upper left", "bbox_to_anchor": (1.01, 1.03), "borderaxespad": 0, "frameon": False, "fontsize": 9,
    "labelcolor": INK, "labelspacing": 0.3, "handlelength": 1.6,
}  # fmt: skip
MANY = 20_000  # samples from which curves are pixels in a file of vectors


class Curve(NamedTuple):
    """One curve (k,) and how it looks; without a label it is in the background."""

    values: Array
    label: str
    colour: str
    style: str = "-"


class Panel(NamedTuple):
    """What is drawn on a pair of axes, over times (k,); errors on a logarithmic scale, and when they were put right."""

    title: str
    unit: str
    curves: Sequence[Curve]
    times: Array
    errors: bool = False
    put_back: Sequence[float] = ()


class Picture(Figure):
    """A matplotlib figure that shows itself in a notebook, whether or not that was prepared for figures."""

    def _repr_png_(self) -> bytes:
        file = BytesIO()
        self.savefig(file, format="png", dpi=110)
        return file.getvalue()


def plot(motion: Trajectory) -> Figure:
    """The motion as a figure; `savefig` writes it as PNG, SVG or PDF.

    Panels over one time axis: modes and events, where something switched; coordinates; the ideal and the work-doing
    constraint force, where there are any; energy and work; and on logarithmic scales the error of the energy balance
    and the distance from the constraints.
    """
    switched, panels = timeline.timeline(motion), list(_panels(motion))
    heights = [SHORT if panel.errors else TALL for panel in panels]
    if switched.lanes:
        heights.insert(0, switched.height)
    figure = Picture(figsize=(WIDTH, sum(heights) + MARGIN), layout="constrained", facecolor="white")
    axes: Any = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    if switched.lanes:
        always = f"  (throughout {escaped(cut(switched.always, 60))})" if switched.always else ""
        _frame(axes[0], f"Modes and events{always}")
        timeline.draw(axes[0], switched)
    for ax, panel in zip(axes[-len(panels) :], panels, strict=True):
        _frame(ax, f"{panel.title}  ({panel.unit})")
        (_draw_errors if panel.errors else _draw)(ax, panel)
        if ax.get_legend_handles_labels()[0]:
            ax.legend(**LEGEND, markerscale=2 if panel.errors else 1)
    axes[-1].set_xlabel("time $t$ (s)", color=INK)
    if len(motion.t) > 1:
        axes[-1].set_xlim(motion.t[0], motion.t[-1])
    timeline.mark(axes[-len(panels) :], switched)
    _caption(figure, motion)
    return figure


def _panels(motion: Trajectory) -> Iterator[Panel]:
    """What there is to see."""
    system, along = motion.system, motion.along
    metres = isinstance(system.unconstrained, Particles)
    names = [typeset(q) for q in system.coordinates]
    own, force = ("m", "N") if metres else ("own unit", "J / own unit")
    t, jumps = motion.t, Jumps.of(motion)
    yield Panel("Coordinates", own, *_path(motion, names))
    if system.constraints:
        curves = _components(names, jumps.drawn(along.ideal.T).T, "Q^c_i")
        yield Panel("Constraint force, ideal part $Q^c_i$", force, curves, jumps.times)
    if np.any(along.nonideal):
        curves = _components(names, jumps.drawn(along.nonideal.T).T, "Q^c_{ni}")
        yield Panel("Constraint force, work-doing part $Q^c_{ni}$", force, curves, jumps.times)
    jumps = Jumps.of(motion, ("impact", "rest"))  # other switches leave energy and work as they are
    energies = [curve._replace(values=jumps.drawn(curve.values)) for curve in _energies(motion)]
    yield Panel("Energy, and work since the start" if energies[1:] else "Energy", "J", energies, jumps.times)
    off = np.abs(motion.balance - motion.balance[:1])
    yield Panel("Error of the balance, |energy − work − energy at the start|", "J", [Curve(off, "", INK)], t, True)
    if system.constraints:
        off = violation(motion).T
        labels = [escaped(c.name) for c in system.constraints]
        curves = [Curve(row, label, colour) for row, label, colour in zip(off, labels, COLOURS, strict=False)]
        if len(off) > MOST:
            curves = [Curve(off.max(axis=0), f"largest of {len(off)}", INK)]
        put_back = [p.time for p in motion.projections]
        open_ = any(isinstance(c, OneSided) for c in system.constraints)
        what = "$|f|$; of an open contact where $f < 0$" if open_ else "$|f|$ for $f = 0$"
        yield Panel(f"Distance from the constraints, {what}", "unit of $f$", curves, t, True, put_back)


def _path(motion: Trajectory, names: Sequence[str]) -> tuple[list[Curve], Array]:
    """The coordinates, and their times: at the samples and at events, where curves may have corners."""
    n, t, y = len(names), motion.t, motion.y
    extra = [e for e in motion.events if e.state and len(t) and t[0] < e.time < t[-1]]
    times = np.concatenate([t, [e.time for e in extra]])
    rows = np.hstack([y[:n], np.array([e.state[:n] for e in extra]).reshape(-1, n).T])
    order = np.argsort(times, kind="stable")
    return _chosen(names, rows[:, order]), times[order]


def _chosen(names: Sequence[str], rows: Array) -> list[Curve]:
    """All of a few curves; of many, those that vary most in colour, and the others behind them."""
    span = np.ptp(rows, axis=1) if rows.size else np.zeros(len(rows))
    shown = sorted(np.argsort(-span, kind="stable")[:MOST].tolist())
    others = [Curve(rows[i], "", FAINT) for i in range(len(rows)) if i not in shown]
    if others:
        others[0] = others[0]._replace(label=f"{len(others)} more, which\nvary less")
    return [*(Curve(rows[i], names[i], colour) for i, colour in zip(shown, COLOURS, strict=False)), *others]


def _components(names: Sequence[str], force: Array, symbol: str) -> list[Curve]:
    """A force (k, n) along each coordinate; its magnitude where they are many."""
    if len(names) <= MOST:
        return _chosen(names, force.T)
    return [Curve(np.linalg.norm(force, axis=1), f"$|{symbol}|$ over all\n{len(names)} coordinates", INK)]


def _energies(motion: Trajectory) -> list[Curve]:
    """The energy, and each work that is not zero."""
    words = {
        "force": "work of forces",
        "ideal": "work of ideal\nconstraint force",
        "nonideal": "work of work-doing\nconstraint force",
        "impact": "work of impacts",
    }
    size = max(np.abs(motion.along.energy).max(initial=0.0), np.abs(motion.works).max(initial=0.0))
    looks = zip(WORKS, motion.works, COLOURS, ("--", "-.", "--", "-."), strict=False)
    works = [
        Curve(work, words[who], colour, style)
        for who, work, colour, style in looks
        if np.abs(work).max(initial=0.0) > FLAT * size
    ]
    return [Curve(motion.along.energy, "energy", INK), *works]


def _frame(ax: Axes, title: str) -> None:
    """The axes without what does not help to read them."""
    ax.set_title(title, loc="left", fontsize=10, color=INK)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.tick_params(colors=GREY, labelsize=9, labelcolor=INK)
    ax.grid(axis="y", color=FAINT, linewidth=0.5, alpha=0.6)
    ax.set_axisbelow(True)


def _draw(ax: Axes, panel: Panel) -> None:
    t = panel.times
    marker = "." if len(t) < 2 else None
    for curve in panel.curves:
        behind = 1.5 if curve.colour == FAINT else 2
        ax.plot(t, curve.values, curve.style, color=curve.colour, label=curve.label or "_", linewidth=1.4,
                zorder=behind, marker=marker, rasterized=len(t) > MANY)  # fmt: skip
    values = np.concatenate([curve.values for curve in panel.curves])
    low, high = values.min(initial=np.inf), values.max(initial=-np.inf)
    size = max(abs(low), abs(high))
    if np.isfinite(size) and high - low <= FLAT * size:
        half = size / 2 or 1.0
        ax.set_ylim((low + high) / 2 - half, (low + high) / 2 + half)


def _draw_errors(ax: Axes, panel: Panel) -> None:
    """On a logarithmic scale, on which zero has no place: it is left out, and said where there is nothing else."""
    t = panel.times
    positive = np.concatenate([curve.values for curve in panel.curves])
    positive = positive[positive > 0]
    if len(positive):
        for curve in panel.curves:
            values = np.where(curve.values > 0, curve.values, np.nan)
            ax.plot(t, values, ".", color=curve.colour, label=curve.label or "_", markersize=2.5,
                    rasterized=len(t) > MANY)  # fmt: skip
        ax.set_yscale("log")
        ax.minorticks_off()
        low, high = np.log10([positive.min(), positive.max()])
        ax.set_ylim(10 ** min(low - 0.4, high - 2), 10 ** (high + 0.4))
    else:
        ax.set_yticks([])
        ax.text(0.5, 0.5, "exactly zero at every sample", transform=ax.transAxes, ha="center", va="center", color=GREY,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 2})  # fmt: skip
    if panel.put_back:
        ax.plot(panel.put_back, [0.06] * len(panel.put_back), "^", color=INK, label="put back", markersize=4,
                clip_on=False, transform=ax.get_xaxis_transform())  # fmt: skip


def _caption(figure: Figure, motion: Trajectory) -> None:
    """The name of the system above; below, how the run ended and what computed it."""
    if motion.system.name:
        figure.suptitle(escaped(motion.system.name), x=0.01, ha="left", fontsize=12, fontweight="bold", color=INK)
    how = f"{motion.settings.engine} engine, tolerance {motion.settings.tolerance:.2g}"
    words = fill(escaped(f"{str(motion.status)[:1].upper()}{str(motion.status)[1:]}; {how}"), 125)
    colour = GREY if motion.success else ALARM
    figure.supxlabel(words, x=0.01, ha="left", fontsize=8, color=colour)


def typeset(symbol: Expr) -> str:
    """A coordinate in mathematical letters; as plain text where they cannot be drawn."""
    text = f"${latex(symbol)}$"
    try:
        MathTextParser("path").parse(text)
    except ValueError:
        return escaped(name_of(symbol))
    return text


def escaped(text: str) -> str:
    """A text in which $ does not begin mathematics."""
    return text.replace("$", r"\$")
