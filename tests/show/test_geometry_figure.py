"""The geometry shown: what is drawn is what was computed, right angles are right, the rest is refused."""

import json
from io import BytesIO

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.testing import assert_allclose
from sympy import sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert import gallery
from dalembert.principles import explicit, geometry, scaled
from dalembert.show.geometry_figure import Arrow
from dalembert.show.notation import columns

x, y, z, w = dynamicsymbols("x y z w")
t = dynamicsymbols._t
ON_RING = {x: 0.6, y: -0.8, x.diff(): 1.6, y.diff(): 1.2}


def loaded(name):
    return da.System.load(gallery.path(name))


def flat(*constraints):
    return da.System.from_lagrangian((x.diff() ** 2 + y.diff() ** 2) / 2 - 9.81 * y, [x, y], constraints=constraints)


def solid(*constraints):
    point = da.Particle(1.5, (x, y, z))
    return da.System.from_particles([point], potential=14.7 * z, constraints=constraints)


sphere = da.Holonomic(x**2 + y**2 + z**2 - 1, "sphere", nature=da.Viscous(0.8))
ON_SPHERE = {x: 0.6, y: 0.0, z: -0.8, x.diff(): 0.8, y.diff(): 1.5, z.diff(): 0.6}
CASES = {  # system, state, rank
    "rough ring": (loaded("rough-ring"), ON_RING, 1),
    "rough ring at its start": (loaded("rough-ring"), None, 1),
    "smooth ring": (flat(da.Holonomic(x**2 + y**2 - 1, "ring")), ON_RING, 1),
    "hemisphere": (loaded("hemisphere"), None, 1),
    "drag": (loaded("nonholonomic-particle"), None, 1),
    "disk": (loaded("rolling-disk"), None, 1),
    "block": (loaded("sliding-block"), None, 1),
    "spherical pendulum": (solid(sphere), ON_SPHERE, 1),
    "two surfaces": (solid(sphere, da.Holonomic(y - sin(t), "wall")), ON_SPHERE, 2),
    "free": (flat(), ON_RING, 0),
    "no freedom": (flat(da.Holonomic(x - sin(t)), da.Holonomic(y + x**2)), ON_RING, 2),
    "no freedom in space": (solid(*(da.Holonomic(q - sin(t)) for q in (x, y, z))), ON_SPHERE, 3),
    "nothing acts": (da.System.from_lagrangian((x.diff() ** 2 + y.diff() ** 2) / 2, [x, y]), ON_RING, 0),
}


@pytest.fixture(params=CASES, ids=list(CASES))
def case(request):
    system, state, rank = CASES[request.param]
    return system, state, rank, system.geometry(state)


def arrows(figure):
    (ax,) = figure.axes
    return {a.get_gid(): a for a in ax.get_children() if isinstance(a, Arrow)}


def test_the_numbers_are_those_of_the_principles(case):
    _, _, rank, found = case
    now, s = found.now, found.scaled
    half = np.linalg.cholesky(now.M)  # another root of M: lengths and angles are the same
    assert_allclose(np.linalg.norm(s.acceleration), np.linalg.norm(half.T @ explicit(now).acceleration), atol=1e-12)
    assert s.range.shape == (now.n, rank)
    assert_allclose(s.acceleration, s.free + s.met, atol=1e-12)
    assert_allclose(s.acceleration - s.unconstrained, s.toward + s.along, atol=1e-12)
    assert_allclose([s.free @ s.met, s.toward @ s.along], 0, atol=1e-10)
    assert_allclose(s.N + s.T, np.eye(now.n), atol=1e-14)
    assert_allclose(s.N, geometry(now).N, atol=1e-12)
    assert_allclose(s.N @ s.range, 0, atol=1e-14)
    assert_allclose(s.T @ s.null, 0, atol=1e-14)


def test_arrows_are_the_vectors(case):
    system, state, _, found = case
    figure, s = system.figure(state), found.scaled
    assert isinstance(figure, Figure)
    drawn, zero = arrows(figure), np.zeros(found.now.n)
    expected = {
        "a_s": (zero, s.unconstrained),
        "c_s": (s.unconstrained, s.unconstrained + s.prescribed),
        "q̈_s": (zero, s.acceleration),
        "N(a_s + c_s)": (zero, s.free),
        "B⁺b": (zero, s.met),
        "q̈_s − a_s": (s.unconstrained, s.acceleration),
        "N c_s": (s.unconstrained, s.unconstrained + s.along),
        "B⁺e": (s.unconstrained + s.along, s.acceleration),
    }
    for letters, (tail, tip) in expected.items():
        if np.linalg.norm(tip - tail) < 1e-8:
            assert letters not in drawn
        else:
            assert_allclose(drawn[letters].tail, tail, atol=1e-12)
            assert_allclose(drawn[letters].tip, tip, atol=1e-9)
    caption = figure.get_supxlabel()
    assert ("Zero, and not drawn" in caption) == (len(drawn) < 8)
    legend = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert len([words for words in legend if words.startswith("$") and "  " in words]) == len(drawn)


def test_all_is_in_sight_and_one_unit_is_the_same_along_all_axes(case):
    system, state, _, found = case
    figure = system.figure(state)
    (ax,) = figure.axes
    limits = np.array([getattr(ax, f"get_{axis}lim")() for axis in "xyz"[: found.now.n]])
    assert_allclose(np.ptp(limits, axis=1), np.ptp(limits[0]), rtol=1e-12)
    if found.now.n == 2:
        assert ax.get_aspect() == 1.0
    else:
        assert_allclose(ax.get_box_aspect() / ax.get_box_aspect()[0], 1)
    for arrow in arrows(figure).values():
        for point in (arrow.tail, arrow.tip):
            assert np.all((point > limits[:, 0]) & (point < limits[:, 1]))


def test_right_angles_are_right(case):
    system, state, rank, found = case
    (ax,) = system.figure(state).axes
    marks = [line for line in ax.get_lines() if line.get_gid() == "right angle"]
    assert bool(marks) == (0 < rank < found.now.n)
    for line in marks:
        points = np.array(line.get_data_3d() if found.now.n == 3 else line.get_data()).T
        one, two = points[1] - points[0], points[2] - points[1]
        assert abs(one @ two) < 1e-10 * (one @ one)
        assert_allclose(one @ one, two @ two)


@pytest.mark.parametrize("name", ["rough ring", "two surfaces", "no freedom in space", "nothing acts"])
def test_it_can_be_written_and_nothing_outside_is_touched(name):
    system, state, _ = CASES[name]
    before = dict(mpl.rcParams)
    figure = system.figure(state)
    FigureCanvasAgg(figure).draw()
    assert figure._repr_png_()[:4] == b"\x89PNG"
    figure.savefig(file := BytesIO(), format="svg")
    assert file.getvalue().startswith(b"<?xml")
    assert dict(mpl.rcParams) == before


def test_arrows_in_space_are_drawn_where_they_are():
    """After drawing, the ends on the page are the projections of the ends in space."""
    figure = CASES["spherical pendulum"][0].figure(ON_SPHERE)
    FigureCanvasAgg(figure).draw()
    (ax,) = figure.axes
    for arrow in arrows(figure).values():
        for place, point in zip(arrow._posA_posB, (arrow.tail, arrow.tip), strict=True):
            on_page = ax.M @ [*point, 1.0]
            assert_allclose(place, on_page[:2] / on_page[3], atol=1e-12)


@pytest.mark.parametrize("name", ["drag", "spherical pendulum", "block", "two surfaces"])
def test_both_subspaces_are_seen(name):
    """Neither is the plane looked at from its edge nor the line from its end."""
    system, state, _ = CASES[name]
    (ax,) = system.figure(state).axes
    elevation, azimuth = np.radians([ax.elev, ax.azim])
    eye = [np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)]
    s = system.geometry(state).scaled
    line = (s.null if s.null.shape[1] == 1 else s.range)[:, 0]
    assert 0.15 < abs(eye @ line) < 0.95


def test_subspaces_of_the_plane():
    """N(B) of the ring is its tangent, R(Bᵀ) its radius."""
    (ax,) = loaded("rough-ring").figure(ON_RING).axes
    slopes = {line.get_gid(): line._xy2 for line in ax.get_lines() if "mathcal" in str(line.get_gid())}
    assert_allclose(abs(np.dot(slopes[r"$\mathcal{N}(B)$"], (0.6, -0.8))), 0, atol=1e-12)
    assert_allclose(abs(np.dot(slopes[r"$\mathcal{R}(B^{T})$"], (0.6, -0.8))), 1)


class TestRefusals:
    @pytest.mark.parametrize("coordinates", [[x], [x, y, z, w]])
    def test_other_numbers_of_coordinates(self, coordinates):
        system = da.System.from_lagrangian(sum(q.diff() ** 2 for q in coordinates), coordinates, name="odd")
        with pytest.raises(
            da.ModelError, match=f"'odd': it has {len(coordinates)} coordinate.*plane of 2 or the space"
        ):
            system.figure()
        assert len(system.geometry().scaled.acceleration) == len(coordinates)

    def test_contradiction(self):
        with pytest.raises(da.ContradictionError):
            loaded("contradiction").figure()

    def test_states(self):
        with pytest.raises(da.StateError, match="lacks"):
            loaded("rough-ring").figure({x: 1.0})


class TestText:
    def test_within_a_width(self, case):
        found = case[3]
        for width in (60, 110):
            assert max(columns(line) for line in found.text(width).splitlines()) <= width
        json.dumps(found.as_dict(), allow_nan=False)

    def test_the_ring(self):
        text = loaded("rough-ring").geometry(ON_RING).text()
        assert [line.split() for line in text.splitlines() if line.strip().startswith("B⁺b")] == [
            ["B⁺b", "-2.4", "3.2", "4"]
        ]

    def test_a_mass_matrix_that_only_the_constraints_make_regular(self):
        m = symbols("m", positive=True)
        tie = da.Holonomic(y - 2 * x, "tie")
        system = da.System.from_lagrangian(m * x.diff() ** 2 / 2 - x, [x, y], constraints=[tie], parameters={m: 2.0})
        found = system.geometry({x: 0, y: 0, x.diff(): 0, y.diff(): 0})
        assert "not positive definite" in found.text()
        assert "not positive definite" in found.figure().get_supxlabel()
        assert scaled(found.now).replaced

    def test_values_over_those_of_the_statement(self):
        system = loaded("rough-ring")
        assert_allclose(system.geometry(ON_RING, parameters={"g": 0.0}).scaled.unconstrained, 0)
        assert system.geometry(ON_RING, 2.5).as_dict()["t"] == 2.5
