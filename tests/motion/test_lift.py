"""Reduced and unreduced motions are one motion, and the reactions on the way back are those of the system."""

from functools import cache
from time import process_time

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import cos, symbols

import dalembert as da
from reductions import MADE, R, c, case, g, l, m, mu, phi, reduction, theta, x, y, z

pytest.importorskip("heyoka", reason="heyoka has wheels for Linux only")
AGREE = 1e-10


@cache
def moved(name):
    """The motion of the reduced system, lifted, and that of the system itself from the same start."""
    found, until = reduction(name), case(name).until
    reduced = found.system.simulate(until=until)
    whole = case(name).system.simulate(until=until)
    return reduced, found.lift(reduced), whole


@pytest.mark.parametrize("name", MADE)
def test_the_motions_agree(name):
    _, lifted, whole = moved(name)
    size = 1 + np.abs(whole.y).max()
    assert_allclose(lifted.t, whole.t, atol=0)
    assert_allclose(lifted.y, whole.y, atol=AGREE * size)


@pytest.mark.parametrize("name", MADE)
def test_the_reactions_agree(name):
    """Ideal and work-doing force, multipliers and accelerations, while friction slips and while it sticks."""
    _, lifted, whole = moved(name)
    data, own = lifted.dataset, whole.dataset
    for variable in ("ideal_force", "nonideal_force", "multiplier", *(v for v in own if str(v).endswith("_ddot"))):
        assert data[variable].dims == own[variable].dims
        assert data[variable].attrs == own[variable].attrs
        assert_allclose(data[variable], own[variable], atol=AGREE * (1 + float(np.abs(own[variable]).max())))
    assert float(np.abs(data.residual).max()) < 1e-12


def test_the_ring_is_the_same_while_it_slips_and_while_it_sticks():
    reduced, lifted, whole = moved("rough ring")
    assert [e.kind for e in whole.events] == ["reverse", "reverse", "stick"]
    assert_allclose([e.time for e in reduced.events], [e.time for e in whole.events], rtol=1e-12)
    held = lifted["nonideal_force"].values[-1]  # the force that holds the bead: against its weight along the ring
    tangent = np.array([-np.sin(reduced.end[theta]), np.cos(reduced.end[theta])])
    assert held @ tangent == pytest.approx(9.81 * np.cos(reduced.end[theta]), abs=1e-12)


def test_the_hemisphere_tells_when_it_would_have_been_left():
    """λ of the lifted motion passes zero where the unreduced particle leaves."""
    found = reduction("hemisphere")
    lifted = found.lift(found.system.simulate(until=1.1))
    whole = case("hemisphere").system.simulate(until=1.1)
    (release,) = [e.time for e in whole.events if e.kind == "release"]
    pulls = lifted["multiplier"].values[:, 0] < 0
    assert lifted.t[np.argmax(pulls)] == pytest.approx(release, abs=1.1 / 200)


def test_a_contact_that_stays_has_no_force_while_it_is_open():
    e = symbols("e", positive=True)
    ball = da.System.from_particles(
        [da.Particle(m, [x, y, z])],
        potential=m * g * y,
        constraints=[da.Holonomic(z - x, name="wall"), da.OneSided(y, e, name="floor")],
        parameters={m: 1.0, g: 9.81, e: 0.5},
        initial={y: 1, x.diff(): 1, z.diff(): 1},
    )
    found = ball.reduce({z: x})
    assert found.kept == ("floor",)
    lifted, whole = found.lift(found.system.simulate(until=2.0)), ball.simulate(until=2.0)
    assert_allclose(lifted.y, whole.y, atol=1e-12)
    assert_allclose(lifted["multiplier"], whole.dataset.multiplier, atol=1e-12)
    assert len(np.unique(np.round(lifted["multiplier"].values[:, 1], 9))) == 2  # nothing, and the weight
    state = found.lift({x: 0.0, y: 0.3, x.diff(): 1.0, y.diff(): 0.0})
    assert state.reactions["floor"] == pytest.approx([0, 0, 0])
    assert state.acceleration == pytest.approx([0, -9.81, 0])


class TestState:
    def test_it_can_be_verified_and_moved_on(self):
        found, system = reduction("spherical pendulum, angles"), case("spherical pendulum, angles").system
        lifted = found.lift({theta: 0.8, phi: 0.4, theta.diff(): -0.2, phi.diff(): 1.1})
        assert [*lifted] == [*system.coordinates, *system.velocities]
        assert lifted["x"] == lifted[x] == lifted.positions[0] == pytest.approx(0.9 * np.sin(0.8) * np.cos(0.4))
        answer = system.verify(lifted).answer
        assert_allclose(lifted.acceleration, answer.acceleration, atol=1e-12)
        assert_allclose(lifted.ideal_force, answer.ideal, atol=1e-12)
        assert_allclose(lifted.nonideal_force, 0, atol=1e-12)
        assert_allclose(lifted.reactions["rod"], answer.ideal, atol=1e-12)
        assert system.simulate(lifted, until=0.1).success
        with pytest.raises(KeyError):
            lifted["theta"]

    def test_there_and_back(self):
        found = reduction("double pendulum")
        state = dict(zip((*found.system.coordinates, *found.system.velocities), (0.3, -0.7, 1.1, -0.4), strict=True))
        assert found.lower(found.lift(state)) == pytest.approx(state, abs=1e-12)

    def test_at_a_time_with_other_values(self):
        found = reduction("turning hoop")
        w = next(s for s in found.system.symbols if s.name == "w")
        lifted = found.lift({theta: 0.5, theta.diff(): 0.0}, t=1.0, parameters={"w": 3.0})
        assert lifted[x] == pytest.approx(np.sin(0.5) * np.cos(3.0))
        answer = case("turning hoop").system.verify(lifted, t=1.0, parameters={w: 3.0}).answer
        assert_allclose(lifted.multipliers, answer.multipliers, atol=1e-12)

    def test_values_that_the_reduced_system_does_not_need(self):
        """The radius has left the equation of the disk; the reactions still ask for it."""
        system = da.System.from_lagrangian(
            m * y.diff() ** 2 / 2 + m * R**2 * theta.diff() ** 2 / 4 + m * g * y,
            [y, theta],
            constraints=[da.Holonomic(y - R * theta, name="rolling")],
        )
        found = system.reduce({theta: y / R})
        assert R not in found.system.symbols
        with pytest.raises(da.StateError, match="no value is given for R"):
            found.lift({y: 0.0, y.diff(): 0.0}, parameters={m: 3.0, g: 9.0})
        lifted = found.lift({y: 0.0, y.diff(): 0.0}, parameters={m: 3.0, g: 9.0, R: 0.5})
        assert lifted.multipliers == pytest.approx([-9.0])  # −M g/3
        motion = found.system.simulate({y: 0.0}, until=1.0, parameters={m: 3.0, g: 9.0})
        assert found.lift(motion, parameters={R: 0.5})["multiplier"].values == pytest.approx(-9.0)

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ({theta: 0.1}, "lacks"),
            ({theta: 0.1, theta.diff(): 0.0, x: 1.0}, "names x"),
            ({theta: np.nan, theta.diff(): 0.0}, "finite"),
            (3, "mapping"),
        ],
    )
    def test_bad_states(self, given, words):
        with pytest.raises(da.StateError, match=words):
            reduction("turning hoop").lift(given)

    def test_states_off_the_embedding(self):
        system, found = case("spherical pendulum, angles").system, reduction("spherical pendulum, angles")
        off = dict.fromkeys((*system.coordinates, *system.velocities), 0.0)
        with pytest.raises(da.StateError, match="off the embedding"):
            found.lower(off)
        with pytest.raises(da.StateError, match="z' is off"):
            found.lower(off | {z: -0.9, z.diff(): 1.0})
        with pytest.raises(da.StateError, match="not a parameter"):
            found.lower(off, parameters={c: 1.0})

    def test_a_motion_of_something_else(self):
        with pytest.raises(da.StateError, match="not one of the reduced system"):
            reduction("turning hoop").lift(moved("rough ring")[0])


def test_a_lifted_motion_is_read_as_a_motion():
    _, lifted, whole = moved("double pendulum")
    assert lifted.y.shape == whole.y.shape
    assert lifted["x1"].dims == ("time",)
    assert set(map(str, lifted.dataset)) <= set(map(str, whole.dataset))
    assert list(lifted.dataset.constraint.values) == ["upper", "lower"]
    assert "201 samples" in repr(lifted)
    with pytest.raises(ValueError, match="read-only"):
        lifted.y[0, 0] = 1.0


def test_a_motion_is_lifted_in_no_time():
    reduced, *_ = moved("double pendulum")
    best = np.inf
    for _ in range(3):
        begin = process_time()
        reduction("double pendulum").lift(reduced)
        best = min(best, process_time() - begin)
    assert len(reduced.t) == 201
    assert best < 0.5


def test_two_frictions_and_a_curve():
    """A bead on a wire over a table, both rough: two eliminated constraints that rub together."""
    rough = [
        da.Holonomic(z, name="table", nature=da.Coulomb(mu)),
        da.Holonomic(y - l * cos(x), name="wire", nature=da.Coulomb(2 * mu)),
    ]
    bead = da.System.from_particles(
        [da.Particle(m, [x, y, z])],
        potential=m * g * z + c * x**2 / 2,
        constraints=rough,
        parameters={m: 1.0, g: 9.81, l: 0.4, mu: 0.1, c: 30.0},
        initial={x: 1, y: l * cos(1)},
    )
    found = bead.reduce({y: l * cos(x), z: 0})
    lifted, whole = found.lift(found.system.simulate(until=2.0)), bead.simulate(until=2.0)
    assert whole.events
    assert_allclose(lifted.y, whole.y, atol=1e-10)
    assert_allclose(lifted["nonideal_force"], whole.dataset.nonideal_force, atol=1e-9)
