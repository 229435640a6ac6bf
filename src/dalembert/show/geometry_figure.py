"""Figure 1 of Udwadia and Kalaba 2001 drawn: scaled accelerations, the subspaces N(B) and R(Bᵀ), and right angles.

Like `pictures` it is read when a picture is asked for, and touches nothing outside its figure.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Patch
from mpl_toolkits.mplot3d import proj3d  # type: ignore[import-untyped]
from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

from dalembert.derive import Array
from dalembert.model import ModelError
from dalembert.show.geometry import Geometry, Vector
from dalembert.show.pictures import COLOURS, FAINT, GREY, INK, LEGEND, Picture, escaped, typeset

NULL, RANGE = r"$\mathcal{N}(B)$", r"$\mathcal{R}(B^{T})$"
POSSIBLE = "$B z = b$, what is possible"
BLUE, RED, GREEN, PINK, ORANGE, SKY = COLOURS
THIN: dict[str, Any] = {"linewidth": 1.6, "zorder": 6}
WIDE: dict[str, Any] = {"linewidth": 6.0, "alpha": 0.55, "zorder": 4}  # parts, under what they may coincide with
STYLES: dict[str, dict[str, Any]] = {
    "a_s": {"color": BLUE, "linewidth": 3.4, "zorder": 5},  # seen on both sides of q̈_s where they are the same
    "c_s": {"color": RED, **THIN},
    "q̈_s": {"color": INK, **THIN, "zorder": 7},
    "N(a_s + c_s)": {"color": GREEN, **WIDE},
    "B⁺b": {"color": PINK, **WIDE},
    "q̈_s − a_s": {"color": GREY, **THIN, "linestyle": "--"},
    "N c_s": {"color": SKY, **WIDE},
    "B⁺e": {"color": ORANGE, **WIDE},
}
MARGIN, ANGLE = 1.15, 0.055  # around all that is drawn; the side of a right-angle mark, of the half width
HEAD, ACROSS = 15.0, 300.0  # points: the length of a head, and about how wide what is drawn will be
TILT = 0.5  # the sine of the angle at which a plane is best looked at


class Arrow(FancyArrowPatch):
    """An arrow from `tail` to `tip`, in a plane or in space; a short one has a smaller head."""

    def __init__(self, tail: Array, tip: Array, width: float, **style: Any) -> None:
        length = ACROSS * float(np.linalg.norm(tip - tail)) / width
        head = min(HEAD, max(0.7 * length, 4.0))
        thick = style["linewidth"]
        shape = f"simple,head_length={head + thick / 2},head_width={0.6 * head + thick},tail_width={thick}"
        if "linestyle" in style:
            shape = f"-|>,head_length={head / 2},head_width={head / 4}"
        else:
            style["linewidth"] = 0
        super().__init__(_pair(tail), _pair(tip), arrowstyle=shape, mutation_scale=1, shrinkA=0, shrinkB=0, **style)
        self.tail, self.tip = tail, tip

    def do_3d_projection(self, renderer: Any = None) -> float:  # noqa: ARG002
        """Where it stands on the page; axes in space ask for it before they draw."""
        axes: Any = self.axes
        xs, ys, zs = proj3d.proj_transform(*np.array([self.tail, self.tip]).T, axes.M)
        self.set_positions((xs[0], ys[0]), (xs[1], ys[1]))
        return float(np.min(zs))


def _pair(point: Array) -> tuple[float, float]:
    return float(point[0]), float(point[1])


def draw(geometry: Geometry) -> Figure:
    """The figure; `savefig` writes it as PNG, SVG or PDF. Raises ModelError unless there are 2 or 3 coordinates."""
    n = geometry.now.n
    if n not in (2, 3):
        fault = f"it has {n} coordinate{'s' * (n > 1)}: accelerations are drawn in the plane of 2 or the space of 3"
        subject = f"System {geometry.name!r}" if geometry.name else "System"
        raise ModelError(subject, [f"{fault}; geometry() gives their numbers"])
    shown = [v for v in geometry.vectors if not geometry.is_zero(v)]
    points = np.array([np.zeros(n), *(p for v in shown for p in (v.tail, v.tip))])
    center = (points.min(axis=0) + points.max(axis=0)) / 2
    half = MARGIN * (float(np.ptp(points, axis=0).max()) / 2 or 1.0)
    figure = Picture(figsize=(8.6, 6.2), layout="constrained", facecolor="white")
    with rc_context({"grid.color": FAINT, "grid.linewidth": 0.4}):  # axes in space read it from there alone
        ax: Any = figure.add_subplot(projection="3d" if n == 3 else None)
    (_space if n == 3 else _plane)(ax, geometry, center, half, shown)
    handles = [*_subspaces(ax, geometry, half, center), *_possible(ax, geometry, half)]
    for v in shown:
        ax.add_artist(Arrow(v.tail, v.tip, 2 * half, gid=v.letters, **STYLES[v.letters]))
    _sides(ax, geometry, shown)
    for corner, one, other in _right_angles(geometry, shown):
        side = ANGLE * half
        mark = corner + side * np.array([one, one + other, other])
        ax.plot(*mark.T, color=INK, linewidth=0.9, zorder=5, gid="right angle")
    ax.plot(*np.zeros((n, 1)), "o", color=INK, markersize=4, zorder=8)
    arrows = [Line2D([], [], label=f"${v.latex}$  {v.meaning}", **STYLES[v.letters]) for v in shown]
    ax.legend(handles=[*arrows, *handles], **{**LEGEND, "bbox_to_anchor": (1.02, 1.0), "handlelength": 2.2})
    _caption(figure, geometry, shown)
    return figure


def _plane(ax: Any, geometry: Geometry, center: Array, half: float, shown: Sequence[Vector]) -> None:  # noqa: ARG001
    """Axes of a plane with one unit along both."""
    ax.set_aspect("equal", adjustable="box")
    for name, axis, middle in zip(geometry.coordinates, "xy", center, strict=True):
        ax.set(**{f"{axis}lim": (middle - half, middle + half)})
        getattr(ax, f"set_{axis}label")(f"scaled acceleration along {typeset(name)}", color=INK, fontsize=9)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.tick_params(colors=GREY, labelsize=8, labelcolor=INK)


def _space(ax: Any, geometry: Geometry, center: Array, half: float, shown: Sequence[Vector]) -> None:
    """Axes of space with one unit along all, seen from where most can be seen."""
    ax.set_box_aspect((1, 1, 1))
    ax.computed_zorder = False
    for name, axis, middle in zip(geometry.coordinates, "xyz", center, strict=True):
        ax.set(**{f"{axis}lim": (middle - half, middle + half)})
        getattr(ax, f"set_{axis}label")(typeset(name), color=INK, fontsize=10)
        getattr(ax, f"{axis}axis").set_pane_color((1, 1, 1, 0))
    ax.tick_params(colors=GREY, labelsize=7, labelcolor=INK)
    ax.view_init(*_view(geometry, shown))


def _view(geometry: Geometry, shown: Sequence[Vector]) -> tuple[float, float]:
    """Elevation and azimuth from which the plane among the subspaces is open, and vectors are long and apart."""
    null, span = geometry.scaled.null, geometry.scaled.range
    line = null[:, 0] if null.shape[1] == 1 else span[:, 0] if span.shape[1] == 1 else None
    units = [v.value / np.linalg.norm(v.value) for v in shown]
    normals = [np.cross(d, e) for d, e in combinations(units, 2)]
    apart = [normal / np.linalg.norm(normal) for normal in normals if np.linalg.norm(normal) > 0.1]

    def quality(angles: tuple[float, float]) -> float:
        elevation, azimuth = np.radians(angles)
        eye = np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
        across = np.eye(3) - np.outer(eye, eye)
        open_ = 1.0 if line is None else 1 - abs(abs(float(eye @ line)) - TILT)
        long = min((float(np.linalg.norm(across @ d)) for d in units), default=1.0)
        between = min((abs(float(eye @ normal)) for normal in apart), default=1.0)
        return open_ * (0.3 + long) * (0.3 + between)

    return max(((e, a) for e in range(14, 50, 5) for a in range(-60, 300, 10)), key=quality)


def _subspaces(ax: Any, geometry: Geometry, half: float, center: Array) -> Iterator[Any]:
    """N(B) and R(Bᵀ) through the origin, as lines or planes; what they look like, for the legend."""
    for label, basis, colour in ((NULL, geometry.scaled.null, GREEN), (RANGE, geometry.scaled.range, PINK)):
        if basis.shape[1] == 1:
            if len(basis) == 2:
                ax.axline((0, 0), tuple(basis[:, 0]), color=colour, linewidth=0.9, zorder=2, gid=label)
            else:
                ends = _within(np.zeros(3), basis[:, 0], center, half)
                ax.plot(*ends.T, color=colour, linewidth=1.0, zorder=2, gid=label)
            yield Line2D([], [], color=colour, linewidth=0.9, label=label)
        elif basis.shape[1] == 2 and len(basis) == 3:
            square = _square(basis, center, half)
            ax.add_collection3d(Poly3DCollection([square], facecolor=colour, edgecolor=colour, alpha=0.13, gid=label))
            yield Patch(facecolor=colour, alpha=0.2, label=label)


def _possible(ax: Any, geometry: Geometry, half: float) -> Iterator[Any]:
    """The accelerations that satisfy the constraints, B z = b, where they are a line and not N(B) itself."""
    s = geometry.scaled
    if s.null.shape[1] != 1 or any(v.letters == "B⁺b" and geometry.is_zero(v) for v in geometry.vectors):
        return
    ends = s.met + 4 * half * np.array([-s.null[:, 0], s.null[:, 0]])
    if len(s.met) == 3:
        middle = (np.array(ax.get_xlim()).mean(), np.array(ax.get_ylim()).mean(), np.array(ax.get_zlim()).mean())
        ends = _within(s.met, s.null[:, 0], np.array(middle), half)
    ax.plot(*ends.T, color=GREEN, linewidth=1.0, linestyle=":", zorder=2, gid="possible")
    yield Line2D([], [], color=GREEN, linewidth=1.0, linestyle=":", label=POSSIBLE)


def _sides(ax: Any, geometry: Geometry, shown: Sequence[Vector]) -> None:
    """The rectangle that the two parts of q̈_s make, completed."""
    s = geometry.scaled
    if {"N(a_s + c_s)", "B⁺b"} <= {v.letters for v in shown}:
        ax.plot(*np.array([s.free, s.acceleration, s.met]).T, color=GREY, linewidth=0.8, linestyle=":", zorder=3)


def _within(point: Array, direction: Array, center: Array, half: float) -> Array:
    """The ends of a line inside the box."""
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = (center + half * np.array([[-1], [1]]) - point) / direction
    low, high = np.nanmax(np.min(steps, axis=0)), np.nanmin(np.max(steps, axis=0))
    ends: Array = point + np.array([[low], [high]]) * direction
    return ends


def _square(basis: Array, center: Array, half: float) -> Array:
    """A square of the plane that two vectors span, in the middle of what is drawn."""
    middle = basis @ (basis.T @ center)
    corners = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    square: Array = middle + 0.95 * half * corners @ basis.T
    return square


def _right_angles(geometry: Geometry, shown: Sequence[Vector]) -> Iterator[tuple[Array, Array, Array]]:
    """Corners where lines that are drawn meet at a right angle, and the unit vectors along both."""
    s, there = geometry.scaled, {v.letters: v.value / np.linalg.norm(v.value) for v in shown}
    if "N(a_s + c_s)" in there and "B⁺b" in there:
        yield np.zeros(geometry.now.n), there["N(a_s + c_s)"], there["B⁺b"]
    elif s.null.size and s.range.size:
        one = there.get("N(a_s + c_s)", s.null[:, 0])
        yield np.zeros(geometry.now.n), one, there.get("B⁺b", s.range[:, 0])
    if "N c_s" in there and "B⁺e" in there:
        yield s.unconstrained + s.along, -there["N c_s"], there["B⁺e"]
    if "B⁺e" in there and "N(a_s + c_s)" in there:  # it meets N(B), or its parallel, squarely
        yield s.acceleration, -there["N(a_s + c_s)"], -there["B⁺e"]


def _caption(figure: Figure, geometry: Geometry, shown: Sequence[Vector]) -> None:
    """The name of the system above; below, the numbers, and what is not drawn."""
    title = escaped(geometry.name) if geometry.name else "The geometry of constrained motion"
    figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold", color=INK)
    zero = [f"${v.latex}$" for v in geometry.vectors if v.letters not in {w.letters for w in shown}]
    names = ", ".join(typeset(q) for q in geometry.coordinates)
    lines = [f"Scaled accelerations $M^{{1/2}}\\ddot{{q}}$ at $t = {geometry.t:g}$, by {names}:"]
    lines += _numbers(shown)
    k, n = geometry.scaled.range.shape[1], geometry.now.n
    if k == 0:
        lines.append(f"{NULL} is everything: no constraint acts.")
    if k == n:
        lines.append(f"{RANGE} is everything: the constraints leave no freedom.")
    if zero:
        lines.append(f"Zero, and not drawn: {', '.join(zero)}.")
    if geometry.scaled.replaced:
        lines.append(fill("M is not positive definite: this belongs to the equivalent M + γT, Q + γA⁺b.", 110))
    figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=8, color=GREY)


def _numbers(shown: Sequence[Vector]) -> Iterator[str]:
    """The components of what is drawn, a few on a line."""
    size = max((float(np.abs(v.value).max()) for v in shown), default=1.0)
    parts = [f"${v.latex}$ = ({', '.join(_number(x, size) for x in v.value)})" for v in shown]
    for start in range(0, len(parts), 3):
        yield "     ".join(parts[start : start + 3])


def _number(x: float, size: float) -> str:
    return "0" if abs(x) <= 1e-9 * size else f"{x:.4g}".replace("-", "−")
