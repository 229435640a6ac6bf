"""Pictures of motions: what is drawn is what was computed, legibly, and nothing outside the figure is touched."""

from dataclasses import replace
from io import BytesIO
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal
from sympy import cos, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert import gallery, show
from dalembert.motion import Event, Projection
from dalembert.show.pictures import COLOURS, MOST, typeset
from dalembert.show.timeline import KINDS
from dalembert.show.timeline import MOST as LANES

x, y, r, theta = dynamicsymbols("x y r theta")
t = dynamicsymbols._t
m, g = symbols("m g", positive=True)


def loaded(name, **options):
    return da.System.load(gallery.path(name)).simulate(**{"samples": 40, **options})


def chain(count):
    """Masses on rods in space, three coordinates each, let go while they turn."""
    points, rods, start, before = [], [], {}, (0, 0, 0)
    for i in range(1, count + 1):
        here = dynamicsymbols(f"x{i} y{i} z{i}")
        points.append(da.Particle(m, here))
        rods.append(da.Holonomic(sum((a - b) ** 2 for a, b in zip(here, before, strict=True)) - 1, f"rod {i}"))
        start |= {here[0]: float(i), here[1].diff(): 0.4 * i}
        before = here
    weight = sum(m * g * p.position[2] for p in points)
    system = da.System.from_particles(points, potential=weight, constraints=rods, parameters={m: 1.0, g: 9.81})
    return system.simulate(start, 3.0, samples=40)


def driven():
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2 - 9.81 * y,
        [x, y],
        constraints=[da.Holonomic(x**2 + (y - sin(6 * t) / 5) ** 2 - 1, "rod")],
    )
    return system.simulate({x: 1, y.diff(): 1.2}, 3.0, samples=40)


def pendulum(**options):
    system = da.System.from_lagrangian(theta.diff() ** 2 / 2 + cos(theta), [theta])
    return system.simulate({theta: 2.0}, 5.0, **{"samples": 40, **options})


def on_a_hemisphere():
    """A particle that is held on it: r stays what it was, to the last bit."""
    system = da.System.from_lagrangian(
        (r.diff() ** 2 + r**2 * theta.diff() ** 2) / 2 - 9.81 * r * cos(theta),
        [r, theta],
        constraints=[da.Holonomic(r - 1, "surface")],
    )
    return system.simulate({r: 1.0, theta: 0.1}, 0.8, samples=40)


def titles(figure):
    return [ax.get_title(loc="left").partition("  (")[0] for ax in figure.axes]


def panel(figure, beginning):
    (found,) = [ax for ax in figure.axes if ax.get_title(loc="left").startswith(beginning)]
    return found


def named(ax):
    """The curves that the legend names."""
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


def drawn(figure, form="png"):
    file = BytesIO()
    figure.savefig(file, format=form)
    return file.getvalue()


def test_panels_are_those_there_is_something_in():
    coordinates, ideal = "Coordinates", "Constraint force, ideal part $Q^c_i$"
    works, balance = "Energy, and work since the start", "Error of the balance, |energy − work − energy at the start|"
    drift = "Distance from the constraints, $|f|$ for $f = 0$"
    nonideal = "Constraint force, work-doing part $Q^c_{ni}$"
    assert titles(pendulum().plot()) == [coordinates, "Energy", balance]
    assert titles(loaded("appell").plot()) == [coordinates, ideal, "Energy", balance, drift]
    assert titles(driven().plot()) == [coordinates, ideal, works, balance, drift]
    assert titles(loaded("nonholonomic-particle").plot()) == [coordinates, ideal, nonideal, works, balance, drift]


def test_curves_are_the_numbers_of_the_motion():
    motion = loaded("nonholonomic-particle")
    figure = motion.plot()
    for beginning, rows in (
        ("Coordinates", motion.y[:3]),
        ("Constraint force, ideal", motion.dataset.ideal_force.values.T),
        ("Constraint force, work", motion.dataset.nonideal_force.values.T),
    ):
        curves = named(panel(figure, beginning))
        assert list(curves) == ["$x$", "$y$", "$z$"]
        for line, row, colour in zip(curves.values(), rows, COLOURS, strict=False):
            assert_array_equal(line.get_xdata(), motion.t)
            assert_array_equal(line.get_ydata(), row)
            assert line.get_color() == colour
    energies = named(panel(figure, "Energy"))
    assert list(energies) == ["energy", "work of forces", "work of work-doing\nconstraint force"]
    assert_array_equal(energies["energy"].get_ydata(), motion.dataset.energy)
    assert_array_equal(energies["work of forces"].get_ydata(), motion.dataset.force_work)
    off = panel(figure, "Error").lines[0].get_ydata()
    expected = np.abs(motion.dataset.balance - motion.dataset.balance[0])
    assert_array_equal(np.nan_to_num(off), expected)
    assert_array_equal(
        np.nan_to_num(named(panel(figure, "Distance"))["skate"].get_ydata()), np.abs(motion.residual[:, 0])
    )
    assert panel(figure, "Distance").get_yscale() == "log"
    assert all(ax.get_xlim() == (0.0, 10.0) for ax in figure.axes)


def test_the_work_of_a_driven_constraint_is_shown():
    energies = named(panel(driven().plot(), "Energy"))
    assert list(energies) == ["energy", "work of ideal\nconstraint force"]
    assert np.ptp(energies["work of ideal\nconstraint force"].get_ydata()) > 0.1


def test_of_many_coordinates_those_that_vary_most_have_names():
    motion = chain(6)
    figure = motion.plot()
    ax = panel(figure, "Coordinates")
    span = np.ptp(motion.y[:18], axis=1)
    most = np.sort(np.argsort(-span)[:MOST])
    names = [f"${'xyz'[i % 3]}_{{{i // 3 + 1}}}$" for i in most]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [*names, "12 more, which\nvary less"]
    assert len(ax.lines) == 18  # the others are there, without colour and behind
    assert sorted(line.get_ydata()[-1] for line in ax.lines) == sorted(motion.y[:18, -1])
    assert {line.get_color() for line in ax.lines[:MOST]} == set(COLOURS)
    assert len({line.get_color() for line in ax.lines[MOST:]}) == 1
    assert max(line.get_zorder() for line in ax.lines[MOST:]) < min(line.get_zorder() for line in ax.lines[:MOST])
    (size,) = panel(figure, "Constraint force").lines
    assert_array_equal(size.get_ydata(), np.sqrt((motion.dataset.ideal_force**2).sum("coordinate")))
    assert "18 coordinates" in size.get_label()
    assert len(named(panel(figure, "Distance"))) == 6
    assert list(named(panel(chain(7).plot(), "Distance"))) == ["largest of 7"]


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(pendulum, id="1"),
        pytest.param(driven, id="2"),
        pytest.param(lambda: chain(6), id="18"),
        pytest.param(lambda: loaded("bouncing-ball"), id="ball", marks=pytest.mark.compiled),
        pytest.param(lambda: loaded("rod"), id="rod", marks=pytest.mark.compiled),
        pytest.param(lambda: between_walls(), id="walls", marks=pytest.mark.compiled),
    ],
)
def test_nothing_is_drawn_over_the_curves_or_outside_the_figure(make):
    figure = make().plot()
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    for ax in figure.axes:
        if legend := ax.get_legend():
            assert legend.get_window_extent(renderer).x0 >= ax.get_window_extent(renderer).x1
            assert legend.get_window_extent(renderer).x1 <= figure.bbox.x1
        for text in ax.texts:
            if text.get_text() not in ("", "exactly zero at every sample"):
                assert text.get_window_extent(renderer).x0 >= ax.get_window_extent(renderer).x1
                assert text.get_window_extent(renderer).x1 <= figure.bbox.x1
        box = ax.get_tightbbox(renderer)
        assert box.x0 >= 0
        assert box.y0 >= 0
        assert box.y1 <= figure.bbox.y1
    below = [ax.get_tightbbox(renderer) for ax in figure.axes]
    assert all(upper.y0 >= lower.y1 - 1 for upper, lower in pairwise(below))


def test_what_is_exactly_zero_is_said_and_what_is_flat_is_flat():
    figure = on_a_hemisphere().plot()
    ax = panel(figure, "Distance")
    assert not np.any(on_a_hemisphere().residual)
    assert [text.get_text() for text in ax.texts] == ["exactly zero at every sample"]
    assert not ax.lines
    assert not ax.get_legend()
    low, high = panel(figure, "Energy").get_ylim()
    assert high - low > 1  # and not the 1e-15 of its rounding
    assert low < on_a_hemisphere().along.energy[0] < high


def test_names_aretypeset_whatever_they_are():
    assert typeset(theta) == r"$\theta$"
    assert typeset(theta.diff()) == r"$\dot{\theta}$"
    assert typeset(dynamicsymbols("x1")) == "$x_{1}$"
    odd = dynamicsymbols("_$")
    assert typeset(odd).replace(r"\$", "").count("$") in (0, 2)
    price = dynamicsymbols("q")
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + price.diff() ** 2 + odd.diff() ** 2) / 2,
        [x, price, odd],
        constraints=[da.Holonomic(x - price, "50% $ {frac _^ $")],
        name=r"A $ \name{ of $ money",
    )
    figure = system.simulate({x.diff(): 1.0, x: 0.1}, 1.0, samples=5).plot()
    assert drawn(figure).startswith(b"\x89PNG")


def upright(ax):
    """The times of the lines that mark events, by colour."""
    marks = [c for c in ax.collections if c.get_label() == "_events"]
    return {to_hex(c.get_color()[0]): [float(line[0, 0]) for line in c.get_segments()] for c in marks}


def test_events_and_returns_to_the_constraints_are_marked():
    motion = driven()
    events = (Event(0.5, "stick", "rod"), Event(0.52, "slip", "rod"), Event(2.9, "stick", "rod"))
    marked = replace(motion, events=events, projections=(Projection(1.0, 1e-9, 1e-16),))
    figure, bare = marked.plot(), replace(motion, projections=()).plot()
    assert titles(figure) == ["Modes and events", *titles(bare)]
    for ax in figure.axes:
        assert list(upright(ax).values()) == [[0.5, 2.9], [0.52]]
        assert list(upright(ax)) == [to_hex(KINDS["stick"]), to_hex(KINDS["slip"])]
    assert [text.get_text() for text in figure.axes[0].texts] == ["stick (2)", "slip"]
    assert named(figure.axes[-1])["put back"].get_xdata() == [1.0]
    for ax, other in zip(figure.axes[1:], bare.axes, strict=True):
        assert ax.get_ylim() == other.get_ylim()  # the marks change no limits


def bars(ax):
    """The spans of time of each lane."""
    lanes = [c for c in ax.collections if c.get_label() != "_events"]
    spans = [[(p.vertices[:, 0].min(), p.vertices[:, 0].max()) for p in c.get_paths()] for c in lanes]
    return [lane for lane in spans if lane]


@pytest.mark.compiled
def test_modes_are_bars_and_events_ticks_with_their_names():
    motion = loaded("hemisphere")
    (event,) = motion.events
    ax = motion.plot().axes[0]
    assert [text.get_text() for text in ax.texts] == ["surface closed", "surface open", "release, surface"]
    assert_allclose(bars(ax), [[(0, event.time)], [(event.time, 1.1)]])
    assert list(upright(ax).values()) == [[event.time]]
    assert "throughout" not in ax.get_title(loc="left")
    assert "throughout belt λ > 0" in loaded("belt").plot().axes[0].get_title(loc="left")


def between_walls(until=80.0):
    """A particle between two rough walls that is driven to and fro: many events of several kinds."""
    system = da.System.from_particles(
        [da.Particle(1.0, [x, y], (3 * cos(t), -9.81))],
        constraints=[
            da.OneSided(x + 1, 0.5, name="left"),
            da.OneSided(1 - x, 0.5, name="a wall on the right with a long name"),
            da.OneSided(y, name="floor $", nature=da.Coulomb(0.1)),
        ],
        name="Between walls",
    )
    return system.simulate({x: 0.0, x.diff(): 4.0}, until, samples=300)


@pytest.mark.compiled
def test_many_events_and_modes_are_drawn_in_a_few_lanes():
    motion = between_walls()
    figure = motion.plot()
    ax = figure.axes[0]
    assert len(motion.events) > 100
    assert len(bars(ax)) <= LANES + 1
    marked = [time for times in upright(figure.axes[1]).values() for time in times]
    assert sorted(marked) == sorted(event.time for event in motion.events)
    total = sum(end - begin for lane in bars(ax) for begin, end in lane)
    assert total == pytest.approx(80.0)
    assert all(text.get_text().count("\n") < 3 for text in ax.texts)
    for form in ("png", "svg"):
        drawn(figure, form)


@pytest.mark.compiled
def test_a_path_has_its_corners_at_events():
    motion = loaded("bouncing-ball")
    curve = named(panel(motion.plot(), "Coordinates"))["$y$"]
    times, height = curve.get_xdata(), curve.get_ydata()
    impacts = [event for event in motion.events if event.kind == "impact"]
    assert len(times) == len(motion.t) + len([event for event in motion.events if event.state])
    assert (np.diff(times) >= 0).all()
    for event in impacts[:10]:
        assert abs(height[times == event.time]).max() < 1e-12
        assert height[times < event.time][-1] > 1e-6


@pytest.mark.compiled
def test_forces_and_energies_jump_at_events_and_not_between_samples():
    """The belt: friction jumps from mu_s m g to mu m g where it slips, and its work has no jump."""
    motion = loaded("belt", samples=200)
    figure = motion.plot()
    curve = named(panel(figure, "Constraint force, work"))["$x$"]
    times, force = curve.get_xdata(), curve.get_ydata()
    slips = [event.time for event in motion.events if event.kind == "slip"]
    for time in slips:
        assert_allclose(force[times == time], [0.4 * 9.81, 0.3 * 9.81], rtol=1e-9)  # straight lines go on straight
    assert len(times) == 200 + 2 * len(motion.events)
    work = named(panel(figure, "Energy"))["work of work-doing\nconstraint force"]
    assert_array_equal(work.get_xdata(), motion.t)
    ball = loaded("bouncing-ball", samples=400)
    energies = named(panel(ball.plot(), "Energy"))
    assert list(energies) == ["energy", "work of impacts"]
    first = ball.events[0].time
    energy = energies["energy"].get_ydata()[energies["energy"].get_xdata() == first]
    assert_allclose(energy, [0.9935, 0.981 * 0.64 + 0.0125], rtol=1e-9)


@pytest.mark.compiled
def test_an_open_contact_is_not_off_its_constraint():
    motion = loaded("hemisphere")
    assert motion.residual.max() > 0.05  # it flies
    ax = panel(motion.plot(), "Distance from the constraints, $|f|$; of an open contact where $f < 0$")
    assert [text.get_text() for text in ax.texts] == ["exactly zero at every sample"]


def test_a_run_that_failed_says_so():
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 + x**4, [x], initial={x: 1, x.diff(): 1}, until=5, name="Up")
    motion = system.simulate(throw=False)
    figure = motion.plot()
    words = figure.get_supxlabel().replace("\n", " ")
    assert words.startswith(f"B{motion.status[1:]}")
    assert figure.get_suptitle() == "Up"
    assert figure._supxlabel.get_color() != pendulum().plot()._supxlabel.get_color()
    drawn(figure)


@pytest.mark.parametrize("samples", [[2.0], 2])
def test_few_samples_are_seen(samples):
    figure = pendulum(samples=samples).plot()
    (line,) = figure.axes[0].lines
    assert (line.get_marker() == ".") == (samples == [2.0])
    drawn(figure)


def test_no_samples_make_an_empty_picture():
    motion = loaded("appell")
    none = replace(motion, t=motion.t[:0], y=motion.y[:, :0], works=motion.works[:, :0])
    assert drawn(none.plot()).startswith(b"\x89PNG")


@pytest.mark.parametrize(("form", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_a_figure_writes_itself_in_every_form(form, magic):
    figure = show.plot(on_a_hemisphere())
    assert isinstance(figure, Figure)
    assert drawn(figure, form).startswith(magic)


def test_a_figure_shows_itself_in_a_notebook():
    image = mpl.image.imread(BytesIO(loaded("appell").plot()._repr_png_()), format="png")
    assert min(image.shape[:2]) > 500
    assert len(np.unique(image.reshape(-1, image.shape[2]), axis=0)) > 50


def test_drawing_changes_no_setting_and_keeps_no_figure():
    before = dict(mpl.rcParams)
    drawn(loaded("appell").plot())
    assert dict(mpl.rcParams) == before


def test_the_room_has_no_other_hidden_names():
    with pytest.raises(AttributeError, match="plots"):
        show.plots  # noqa: B018
