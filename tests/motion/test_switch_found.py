"""Motions across switches that once went wrong: each with what is right, by closed form."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Abs, Max, Rational, cos, sign, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert import gallery

pytestmark = pytest.mark.compiled
x, y, z, u, theta = dynamicsymbols("x y z u theta")
t = dynamicsymbols._t
G = 10.0


def ball(e, floor=y, more=()):
    return da.System.from_particles(
        [da.Particle(1, (x, y))], potential=G * y, constraints=[da.OneSided(floor, e, "floor"), *more]
    )


def block(force, friction, *, places=(x, y)):
    kinetic = sum(q.diff() ** 2 for q in places) / 2
    table = da.Holonomic(y, "table", nature=friction)
    return da.System.from_lagrangian(kinetic - G * y, list(places), forces={x: force}, constraints=[table])


@pytest.mark.parametrize("until", [5.0, 1e5, 1e7, 1e9])
@pytest.mark.parametrize("e", [0.0, 0.5])
def test_where_a_ball_rests_does_not_depend_on_how_long_it_is_watched(e, until):
    motion = ball(e).simulate({y: 1.0}, until=until, samples=3)
    rest = np.sqrt(2 / G) * (1 + 2 * e / (1 - e))
    assert motion.events[-1].time == pytest.approx(rest, abs=1e-11)
    assert_allclose(motion.y[1, 1:], 0.0, atol=1e-14)


@pytest.mark.parametrize("wave", [sin(t), sin(t + Rational(1, 2))])
def test_a_load_that_just_reaches_the_bound_moves_nothing(wave):
    motion = block(2 * wave, da.Coulomb(Rational(1, 5))).simulate({}, until=100.0)
    assert np.abs(motion.y).max() < 1e-12
    assert np.abs(motion.dataset.nonideal_work).max() < 1e-12


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_kink_in_a_floor_is_struck(e):
    """Sliding on the level at 4 into a slope of one: the velocity across it comes back by e."""
    motion = ball(e, floor=y - Max(0, x - 1)).simulate({x: 0.0, x.diff(): 4.0}, until=0.25 + 1e-3)
    hit = motion.events[0] if e == 0 else next(event for event in motion.events if event.kind == "impact")
    assert hit.time == pytest.approx(0.25, abs=1e-12)
    assert_allclose(hit.state[2:], [4 - 2 * (1 + e), 2 * (1 + e)], atol=1e-12)
    assert_allclose(motion.balance, motion.balance[0], atol=1e-11)


def test_friction_begins_where_the_bounces_end():
    floor = da.OneSided(y, Rational(1, 2), "floor", da.Coulomb(Rational(1, 5)))
    rough = da.System.from_particles([da.Particle(1, (x, y))], potential=G * y, constraints=[floor])
    motion = rough.simulate({y: 1.0, x.diff(): 3.0}, until=2.0)
    (rest,) = (event for event in motion.events if event.kind == "rest")
    at = np.sqrt(2 / G) * 3
    assert rest.time == pytest.approx(at, abs=1e-12)
    assert_allclose(rest.state, [3 * at, 0.0, 3.0, 0.0], atol=1e-11)
    assert motion.y[0, -1] == pytest.approx(3 * at + 3 * (2 - at) - (2 - at) ** 2, abs=1e-11)


@pytest.mark.parametrize("far", [1e4, 1e8])
def test_a_contact_is_not_measured_by_what_has_no_part_in_it(far):
    motion = ball(0).simulate({x: far, y: 1e-3}, until=1.0)
    assert motion.events[0].time == pytest.approx(np.sqrt(2e-3 / G), rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_two_balls_know_nothing_of_each_other(seed):
    heights, e = np.random.default_rng(seed).uniform(0.5, 2.0, 2), (0.8, 0.7)
    floors = [da.OneSided(q, back, name) for q, back, name in zip((y, z), e, ("first", "second"), strict=True)]
    pair = da.System.from_particles(
        [da.Particle(1, (y,)), da.Particle(1, (z,))], potential=G * (y + z), constraints=floors
    )
    motion = pair.simulate({y: heights[0], z: heights[1]}, until=12.0)
    for height, back, name in zip(heights, e, ("first", "second"), strict=True):
        (rest,) = (event.time for event in motion.events if (event.kind, event.name) == ("rest", name))
        assert rest == pytest.approx(np.sqrt(2 * height / G) * (1 + 2 * back / (1 - back)), abs=1e-10)
    assert motion.residual.min() > -1e-12


@pytest.mark.parametrize("apart", [0.0, 2.5e-13, 1e-12, 1e-10])
def test_two_that_land_almost_at_once(apart):
    floors = [da.OneSided(q, 0, name) for q, name in ((y, "first"), (z, "second"))]
    pair = da.System.from_particles(
        [da.Particle(1, (y,)), da.Particle(1, (z,))], potential=G * (y + z), constraints=floors
    )
    motion = pair.simulate({y: 1.0, z: 1.0 + apart}, until=2.0)
    assert_allclose(motion.y[:, -1], 0.0, atol=1e-14)


def test_a_plane_friction_begins_to_slip_with_its_load():
    puck = da.System.from_particles(
        [da.Particle(1, (x, y, z), force=(3 * t, 4 * t, -G))],
        constraints=[da.Holonomic(z, "plane", nature=da.Coulomb(Rational(3, 10)))],
    )
    motion = puck.simulate({}, until=1.6)
    (slip,) = motion.events
    assert (slip.kind, slip.time) == ("slip", pytest.approx(0.6, abs=1e-12))
    assert_allclose(motion.y[:2, -1], [0.6 * 5 / 6, 0.8 * 5 / 6], atol=1e-11)


def test_a_plane_slip_from_rest_has_its_forces_at_the_start():
    puck = da.System.from_particles(
        [da.Particle(1, (x, y, z), force=(4, 1, -G))],
        constraints=[da.Holonomic(z, "plane", nature=da.Coulomb(Rational(3, 10)))],
    )
    motion = puck.simulate({}, until=1.0, samples=21)
    pull = np.hypot(4, 1)
    assert_allclose(motion.dataset.nonideal_force[0], [-3 * 4 / pull, -3 / pull, 0.0], atol=1e-9)
    assert_allclose(motion.at(0.05)[:2], 0.05**2 / 2 * (1 - 3 / pull) * np.array([4, 1]), atol=1e-12)


@pytest.mark.parametrize("speed", [1e-9, 1e-12, 1.0])
def test_a_puck_however_slow_stops(speed):
    puck = da.System.load(gallery.path("puck"))
    motion = puck.simulate({"x'": speed, "y'": speed / 2}, until=1.0)
    assert [event.kind for event in motion.events] == ["stick"]
    assert (motion.y[3:, -1] == 0.0).all()


def test_two_signs_hold_at_once():
    """−2 sign x' and −sign u': each stops by itself, and both stay."""
    two = da.System.from_forces([[1, 0], [0, 1]], [-2 * sign(x.diff()), -sign(u.diff())], [x, u])
    motion = two.simulate({x.diff(): 1.0, u.diff(): 1.0}, until=5.0)
    assert [(e.kind, round(e.time, 12)) for e in motion.events] == [("slide", 0.5), ("slide", 1.0)]
    assert_allclose(motion.y[:, -1], [0.25, 0.5, 0.0, 0.0], atol=1e-14)
    assert (two.simulate({}, until=2.0).y == 0.0).all()


@pytest.mark.parametrize("force", [sign(x), sign(x.diff())])
def test_a_surface_that_pushes_both_ways_is_not_left_by_a_guess(force):
    drives = da.System.from_forces([[1]], [force], [x])
    with pytest.raises(da.StateError, match="more than one motion is possible"):
        drives.simulate({}, until=1.0)
    assert drives.simulate({x: 1e-6, x.diff(): 1e-6}, until=1.0).end[x] == pytest.approx(0.5 + 2e-6, abs=1e-12)


def test_what_sticks_has_not_struck():
    """Rounding that is taken out of the velocities where friction holds is no impact."""
    motion = da.System.load(gallery.path("rough-ring")).simulate(until=5.0)
    assert motion.events[-1].kind == "stick"
    assert (motion.dataset.impact_work == 0.0).all()


def test_friction_of_no_size_is_none():
    motion = block(sin(t), da.Coulomb(0)).simulate({}, until=30.0)
    assert_allclose(motion.y[0], motion.t - np.sin(motion.t), atol=1e-12)


def test_friction_that_would_drive_ends_the_run():
    motion = block(0, da.Coulomb(Rational(3, 10) - x)).simulate({x.diff(): 3.0}, until=1.0, throw=False)
    assert motion.status.ending == "broken"
    assert "coefficient" in motion.status
    assert motion.end[x] == pytest.approx(0.3, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_a_rod_that_lands_on_both_ends_comes_to_rest(seed):
    random = np.random.default_rng(seed)
    ends = [da.OneSided(y - s * sin(theta) / 2, Rational(1, 50), name) for s, name in ((1, "a"), (-1, "b"))]
    rod = da.System.from_lagrangian(y.diff() ** 2 / 2 + theta.diff() ** 2 / 24 - G * y, [y, theta], constraints=ends)
    start = {y: 1.0, theta: random.uniform(-1.3, 1.3), theta.diff(): random.uniform(-1, 1)}
    motion = rod.simulate(start, until=4.0)
    assert_allclose(motion.y[2:, -1], 0.0, atol=1e-12)
    assert motion.residual.min() > -1e-10


@pytest.mark.parametrize("later", [0.0, 1e-16, 1e-15, 1e-14, 1e-12])
def test_just_after_an_impact_the_velocity_is_that_after_it(later):
    motion = ball(0.5).simulate({y: 1.0}, until=1.0)
    at = motion.events[0].time
    assert motion.at(at + later)[3] == pytest.approx(0.5 * np.sqrt(2 * G), rel=1e-9)
    ends = ball(0.5).simulate({y: 1.0}, until=at + later)
    assert ends.end[y.diff()] == pytest.approx(0.5 * np.sqrt(2 * G), rel=1e-9)


def test_what_accumulates_is_said_to():
    fuller = da.System.from_forces([[1]], [-sign(x + Rational(3, 10) * x.diff() * Abs(x.diff()))], [x])
    motion = fuller.simulate({x: 1.0}, until=10.0, throw=False)
    assert motion.status.ending == "too many switches"
    assert motion.end_time == pytest.approx(4.472, abs=1e-3)


def test_what_rocks_by_no_more_than_rounding_comes_to_an_end():
    """A box that would tip if it slid any further, at the end of its tumbling: it stands, for all that can be seen."""
    a, b, mass = 0.774950498999911, 0.4377703704136054, 0.7853384555028595
    corners = [(i, j, y + i * a * sin(theta) + j * b * cos(theta)) for i in (1, -1) for j in (1, -1)]
    feet = [
        da.OneSided(
            gap, restitution=0.2,
            nature=da.Coulomb(
                0.6254644985564839, sliding=(x + i * a * cos(theta) - j * b * sin(theta)).diff(t), normal="actual"
            ),
        )
        for i, j, gap in corners
    ]  # fmt: skip
    L = mass * (x.diff() ** 2 + y.diff() ** 2) / 2 + mass * (a * a + b * b) / 6 * theta.diff() ** 2 - mass * 9.81 * y
    start = {
        y: 1.1767581189061984, theta: -1.3950674312241467,
        x.diff(): -1.7190759746822387, y.diff(): 0.0, theta.diff(): -1.3690526647037191,
    }  # fmt: skip
    motion = da.System.from_lagrangian(L, [x, y, theta], constraints=feet).simulate(
        start, until=6.0, throw=False, max_steps=20000
    )
    assert motion.status.ending in ("finished", "too many switches")
    assert_allclose(motion.end_values[1:3], [a, -np.pi / 2], atol=1e-12)
    assert_allclose(motion.end_values[3:], 0.0, atol=1e-7)


def test_walls_that_close_keep_to_the_clock():
    walls = [da.OneSided(x - t / 2, 1, "left"), da.OneSided(1 - t / 2 - x, 1, "right")]
    closing = da.System.from_lagrangian(x.diff() ** 2 / 2, [x], constraints=walls)
    motion = closing.simulate({x: 0.5, x.diff(): 1.0}, until=1.5, max_seconds=1.0, throw=False)
    assert motion.status == f"wall-clock limit: 1 s have passed at t = {motion.end_time:.9g} of 1.5"
    assert 0.9 < motion.end_time < 1


def test_an_interrupt_between_switches_keeps_the_motion(monkeypatch):
    from dalembert.motion.hybrid.mover import HybridMover

    legs, calls = HybridMover.legs, []

    def interrupted(self, *args):
        calls.append(args)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return legs(self, *args)

    monkeypatch.setattr(HybridMover, "legs", interrupted)
    motion = ball(1).simulate({y: 1.0}, until=200.0, throw=False)
    assert motion.status.ending == "interrupted"
    assert len(motion.events) >= 2
    assert np.isfinite(motion.dataset.multiplier).all()


def test_a_massless_coordinate_is_named_not_a_traceback():
    bare = da.System.from_lagrangian(y.diff() ** 2 / 2, [x, y], constraints=[da.OneSided(y, 0, "floor")])
    with pytest.raises(da.StateError, match="mass matrix is singular"):
        bare.simulate({y: 1.0}, until=1.0)


@pytest.mark.parametrize("declared", [{}, {"real": True}])
@pytest.mark.parametrize("scale", [lambda x, y: y, lambda x, y: y - x - 4, lambda x, y: 2 * y + 3 / (1 + y**2)])
def test_friction_of_rows_with_a_factor_whatever_coordinates_are_declared_to_be(scale, declared):
    """Where x is real, SymPy writes |x| for √(x²), the length of a row: nothing switches there."""
    x, y = dynamicsymbols("x y", **declared)
    row = da.Nonholonomic(scale(x, y) * y.diff(t), nature=da.Coulomb(Rational(1, 10)))
    table = da.System.from_lagrangian((x.diff(t) ** 2 + y.diff(t) ** 2) / 2 - G * y, [x, y], constraints=[row])
    motion = table.simulate({x: 0.25, y: -0.75, x.diff(t): 2.0}, until=5.0, samples=3)
    assert [event.kind for event in motion.events] == ["stick"]
    assert_allclose([motion.events[0].time, motion.end[x]], [2.0, 2.25], rtol=1e-12)
