"""What is asked of a system that switches: bad starts and values are refused by name, starts on contacts are taken."""

import numpy as np
import pytest
from sympy import Abs, Heaviside, Max, Min, Piecewise, sign, sin, sqrt, symbols

import dalembert as da
from dalembert import gallery
from dalembert.engine import NotSmooth
from gallery_models import SWITCHING
from motion.switched import CONTACT, FRICTION, assert_allclose, told
from motion.systems import g, k, m, t, x, y, z

mu, static, e = symbols("mu static e", real=True)
alpha = symbols("alpha", positive=True)
G, TILT = 9.81, 0.3
compiled = pytest.mark.compiled


def loaded(name):
    return da.System.load(gallery.path(name))


def block(kind=da.OneSided, **more):
    """A block over a rough floor, its coefficients parameters that may have any value."""
    return da.System.from_particles(
        [da.Particle(m, (x, y))], potential=m * g * y,
        constraints=[kind(y, name="floor", nature=da.Coulomb(mu, static), **more)],
        parameters={m: 1.0, g: G, mu: 0.2, static: 0.3} | dict.fromkeys(more.values(), 0.5),
    )  # fmt: skip


# -- starts that penetrate ------------------------------------------------------------------------------------

AT_REST = {x: 0.0, x.diff(): 0.0, y.diff(): 0.0}


@pytest.mark.parametrize("depth", [1e-6, 0.1, 1e3])
@pytest.mark.parametrize("stated", [AT_REST, {}, {x: 2.0, x.diff(): -1.0}], ids=["everything", "one", "some"])
def test_a_start_inside_is_refused_by_name_with_its_depth(stated, depth):
    with pytest.raises(da.StateError) as caught:
        loaded("bouncing-ball").simulate({y: -depth} | stated, until=1.0)
    assert "'table'" in str(caught.value)
    assert f"{-depth:.6g}" in str(caught.value)


def test_every_contact_that_is_penetrated_is_named():
    corner = da.System.from_particles(
        [da.Particle(1, (x, y))],
        constraints=[da.OneSided(x, name="wall"), da.OneSided(y, name="floor"), da.OneSided(3 - x, name="far wall")],
    )
    with pytest.raises(da.StateError) as caught:
        corner.simulate({x: -0.5, y: -0.25, x.diff(): 1.0, y.diff(): 1.0}, until=1.0)
    for part in ("'wall' is at -0.5", "'floor' is at -0.25"):
        assert part in str(caught.value)
    assert "far wall" not in str(caught.value)


@compiled
@pytest.mark.parametrize("depth", [0.0, 1e-16, 1e-15])
def test_a_start_inside_by_rounding_is_on_the_contact(depth):
    """Put on it, its velocity kept."""
    motion = loaded("bouncing-ball").simulate({x: 1.0, y: -depth, x.diff(): 0.5}, until=3.0)
    assert not told(motion, *CONTACT)
    assert_allclose(motion.y[1], 0.0, atol=1e-15)
    assert_allclose(motion.y[0], 1.0 + 0.5 * motion.t, atol=1e-13)
    assert_allclose(motion.dataset.multiplier, 0.1 * G, atol=1e-12)


# -- starts that touch ----------------------------------------------------------------------------------------


@compiled
def test_a_start_on_a_contact_stays_leaves_or_strikes():
    ball, T = loaded("bouncing-ball"), 2 * 0.5 / G
    rests = ball.simulate({y: 0.0}, until=100.0)
    assert (rests.y == 0.0).all()
    assert not rests.events
    assert_allclose(rests.dataset.multiplier, 0.1 * G, rtol=1e-14)
    leaves = ball.simulate({y.diff(): 0.5}, until=0.9 * T)
    assert not leaves.events
    assert_allclose(leaves.y[1], 0.5 * leaves.t - G * leaves.t**2 / 2, atol=1e-15)
    strikes = ball.simulate({y.diff(): -0.5 / 0.8}, until=0.9 * T)
    assert [(event.time, event.kind, event.name) for event in strikes.events] == [(0.0, "impact", "table")]
    assert_allclose(strikes.y, leaves.y, atol=1e-15)
    assert strikes.works[3, -1] == pytest.approx(-0.05 * (0.5 / 0.8) ** 2 * (1 - 0.8**2), rel=1e-13)
    assert strikes.begin_values[3] == -0.5 / 0.8


@compiled
@pytest.mark.parametrize("size", [1e-18, 1e-15, 1e-12, 1e-9, 1e-3, 1e6])
@pytest.mark.parametrize("back", [0.0, 0.5])
def test_a_fall_from_any_height_ends_on_the_table(size, back):
    """Whatever the unit of length: after √(2h/g) (1 + e)/(1 − e) it rests, and never is below."""
    end = np.sqrt(2 * size / G) * (1 + back) / (1 - back)
    motion = loaded("bouncing-ball").simulate({y: size, x.diff(): 0.0}, until=3 * end, parameters={"e": back})
    assert motion.y[1].min() > -1e-9 * size
    after = motion.t > end * 1.0001
    assert_allclose(motion.y[1, after], 0.0, atol=1e-9 * size)
    assert motion.works[3, -1] == pytest.approx(-0.1 * G * size, rel=1e-9)


@compiled
def test_a_height_that_no_number_can_tell_from_none_is_none():
    """It takes 1e-9 s to fall, and a second is waited."""
    motion = loaded("bouncing-ball").simulate({y: 1e-18, x.diff(): 0.0}, until=1.0)
    assert_allclose(motion.y[1], 0.0, atol=1e-15)


# -- starts of which a part is stated -------------------------------------------------------------------------


@compiled
def test_what_is_not_stated_is_solved_onto_the_contact():
    """x = −1 with y = 0 lies inside the incline; its height follows, and its velocity along the slope."""
    incline = loaded("incline")
    motion = incline.simulate({x: -1.0}, until=1.0)
    assert_allclose(motion.y[:, 0], [-1.0, np.tan(TILT), 0.0, 0.0], atol=1e-12)
    assert (motion.y == motion.y[:, :1]).all()
    moves = incline.simulate({x: -1.0, x.diff(): 0.5}, until=0.1)
    assert_allclose(moves.y[:, 0], [-1.0, np.tan(TILT), 0.5, -0.5 * np.tan(TILT)], atol=1e-12)
    assert_allclose(moves.residual, 0.0, atol=1e-14)


@compiled
def test_what_is_not_stated_is_zero_where_nothing_is_penetrated():
    motion = loaded("incline").simulate({x: 1.0}, until=0.2)
    assert motion.y[:, 0].tolist() == [1.0, 0.0, 0.0, 0.0]
    assert_allclose(motion.y[1], -G * motion.t**2 / 2, atol=1e-14)
    assert not motion.events


@compiled
@pytest.mark.parametrize(("up", "kind"), [(0.5, None), (-0.5, "impact")])
def test_a_height_is_solved_though_the_stated_velocity_leaves_or_strikes(up, kind):
    """Stated velocities are no part of what is solved: away from the contact it flies, into it it strikes."""
    motion = loaded("incline").simulate({x: -1.0, x.diff(): 0.0, y.diff(): up}, until=0.01)
    assert_allclose(motion.begin_values, [-1.0, np.tan(TILT), 0.0, up], atol=1e-12)
    assert [event.kind for event in motion.events if event.kind == "impact"] == ([kind] if kind else [])
    if not kind:
        assert_allclose(motion.y[3], up - G * motion.t, atol=1e-13)


@compiled
def test_two_contacts_are_solved_for_together():
    corner = da.System.from_particles(
        [da.Particle(m, (x, y, z))], potential=m * g * z,
        constraints=[da.OneSided(x + z - 1, name="left"), da.OneSided(z - x - 1, name="right"), da.Holonomic(y - 2)],
        parameters={m: 1.0, g: G},
    )  # fmt: skip
    motion = corner.simulate({}, until=1.0)  # at the origin both are penetrated
    assert_allclose(motion.y[:, -1], [0.0, 2.0, 1.0, 0.0, 0.0, 0.0], atol=1e-12)
    assert_allclose(motion.dataset.multiplier.sel(constraint=["left", "right"]), G / 2, atol=1e-11)


def test_the_nearest_start_is_outside():
    found = loaded("incline").start({x: -1.0, y: 0.0})
    place = np.array([found.state[x], found.state[y]])
    normal = np.array([np.sin(TILT), np.cos(TILT)])
    assert_allclose(place, np.array([-1.0, 0.0]) + np.sin(TILT) * normal, atol=1e-12)
    assert set(found.moved) == {"x", "y"}
    outside = loaded("incline").start({x: 1.0, y: 0.5})
    assert (outside.state[x], outside.state[y], dict(outside.moved)) == (1.0, 0.5, {})
    with pytest.raises(da.StateError, match=r"'incline' is at -0\.29552"):
        loaded("incline").start({x: -1.0, y: 0.0}, fixed=[x, y])


# -- values ---------------------------------------------------------------------------------------------------

WRONG = {
    "negative": ({mu: -0.1}, ["'floor' is -0.1", "negative"]),
    "static below": ({static: 0.1}, ["'floor' is 0.1", "below mu = 0.2"]),
    "both negative": ({mu: -0.1, static: -0.2}, ["'floor' is -0.1", "negative"]),
}


@compiled
@pytest.mark.parametrize("start", [{}, {x.diff(): 1.0}], ids=["at rest", "sliding"])
@pytest.mark.parametrize("kind", [da.Holonomic, da.OneSided])
@pytest.mark.parametrize("wrong", WRONG)
def test_coefficients_that_are_no_friction_are_refused_at_the_start(kind, wrong, start):
    values, said = WRONG[wrong]
    with pytest.raises(da.StateError) as caught:
        block(kind).simulate(start, until=1.0, parameters=values)
    for part in said:
        assert part in str(caught.value)


@compiled
@pytest.mark.parametrize("wrong", WRONG)
def test_coefficients_are_refused_before_anything_touches(wrong):
    """Not only when the block lands, after 0.45 s."""
    values, said = WRONG[wrong]
    with pytest.raises(da.StateError) as caught:
        block().simulate({y: 1.0}, until=0.1, parameters=values)
    for part in said:
        assert part in str(caught.value)


@compiled
@pytest.mark.parametrize("value", [1.0000001, 1.5, -0.01])
def test_a_restitution_outside_zero_to_one_is_refused(value):
    with pytest.raises(da.StateError, match=rf"the restitution of 'floor' is {value!r}, a number from 0 to 1"):
        block(restitution=e).simulate({y: 1.0}, until=1.0, parameters={e: value})
    for fine in (0, 1):
        assert block(restitution=e).simulate({y: 1.0}, until=1.0, parameters={e: fine}).success


@compiled
def test_all_faults_of_the_values_are_told_at_once():
    with pytest.raises(da.StateError) as caught:
        block(restitution=e).simulate({y: 1.0}, until=1.0, parameters={e: 2.0, mu: -1.0})
    assert "restitution" in str(caught.value)
    assert "friction coefficient" in str(caught.value)


def test_numbers_that_are_no_friction_are_refused_when_stated():
    with pytest.raises(da.ModelError, match=r"mu=-0\.1 is negative"):
        da.Coulomb(-0.1)
    with pytest.raises(da.ModelError, match=r"static=0\.2 is below mu=0\.3"):
        da.Coulomb(0.3, 0.2)
    with pytest.raises(da.ModelError, match=r"restitution is 1\.5"):
        da.OneSided(y, restitution=1.5)


@compiled
def test_friction_that_becomes_negative_on_the_way_ends_the_run():
    """μ (1 − x) from x = 0 at 3 m/s: beyond x = 1 it would push."""
    system = da.System.from_particles(
        [da.Particle(m, (x, y))], potential=m * g * y,
        constraints=[da.Holonomic(y, "floor", nature=da.Coulomb(mu * (1 - x)))], parameters={m: 1.0, g: G, mu: 0.2},
    )  # fmt: skip
    with pytest.raises(da.RunError) as caught:
        system.simulate({x.diff(): 3.0}, until=2.0)
    assert "floor" in str(caught.value)
    assert caught.value.motion.end_values[0] == pytest.approx(1.0, abs=1e-6)


# -- functions ------------------------------------------------------------------------------------------------

HOLES = {
    "right only": (Piecewise((x, x > 1)), "no case holds at x = 0"),
    "a gap": (Piecewise((x, x > 1), (0, x < 0)), r"no case holds at x = 0\.5"),
    "a point": (Piecewise((x, x > 0), (2, x < 0)), "no case holds at x = 0"),
    "a gap in time": (Piecewise((1, t < 1), (2, t > 2)), r"no case holds at t = 1\.5"),
    "within another": (Abs(1 + Piecewise((x, x > 1))), "no case holds at x = 0"),
}


@pytest.mark.parametrize("hole", HOLES)
def test_a_piecewise_that_does_not_cover_the_line_is_refused(hole):
    function, words = HOLES[hole]
    with pytest.raises(da.ModelError, match=words) as caught:
        da.System.from_lagrangian(x.diff() ** 2 / 2, [x], forces={x: function}).simulate({x: 0.5}, until=1.0)
    assert "force on coordinate 1" in str(caught.value)


# -- the plain engine -----------------------------------------------------------------------------------------

REFUSED = {
    "|x|": (lambda: switched(Abs(x)), "Abs(x(t)) switches"),
    "sign": (lambda: switched(sign(x)), "sign(x(t)) switches"),
    "max": (lambda: switched(Max(x, 0)), "Max(0, x(t)) switches"),
    "min": (lambda: switched(Min(x, sin(t))), "Min(x(t), sin(t)) switches"),
    "Heaviside": (lambda: switched(Heaviside(t - 1)), "Heaviside(t - 1) switches"),
    "piecewise": (lambda: switched(Piecewise((x, x > 0), (0, True))), "Piecewise"),
    "friction": (lambda: block(da.Holonomic), "friction of constraint 'floor'"),
    "contact": (lambda: bouncing(), "constraint 'table'"),
    "rough contact": (lambda: block(), "constraint 'floor'"),
    "nature": (lambda: rubbed(Abs(x.diff())), "nature of constraint 'rail'"),
}


def switched(function):
    return da.System.from_lagrangian(x.diff() ** 2 / 2, [x], forces={x: -function}, name="switched")


def bouncing():
    return da.System.from_particles([da.Particle(m, (x, y))], constraints=[da.OneSided(y, name="table")],
                                    parameters={m: 1.0}, name="bouncing")  # fmt: skip


def rubbed(function):
    rail = da.Holonomic(y, "rail", nature=da.Prescribed({x: -function * sqrt(k)}))
    return da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2, [x, y], constraints=[rail], parameters={k: 1.0}
    )


@pytest.mark.parametrize("what", REFUSED)
def test_the_plain_engine_refuses_whatever_switches_by_name(what):
    make, said = REFUSED[what]
    system = make()
    with pytest.raises(NotSmooth) as caught:
        system.simulate({x.diff(): 1.0}, until=1.0, engine="plain")
    assert said in str(caught.value)
    assert system.name in str(caught.value)


@compiled
@pytest.mark.parametrize("what", REFUSED)
def test_what_the_plain_engine_refuses_the_compiled_one_moves(what):
    make, _ = REFUSED[what]
    motion = make().simulate({x.diff(): 1.0}, until=1.0)
    assert motion.success
    assert_allclose(motion.balance, motion.balance[0], atol=1e-12)


@pytest.mark.parametrize("name", SWITCHING)
def test_the_plain_engine_refuses_the_gallery_that_switches(name):
    system = loaded(name)
    with pytest.raises(NotSmooth) as caught:
        system.simulate(engine="plain")
    rows = [c for c in system.constraints if isinstance(c, da.OneSided) or isinstance(c.nature, da.Coulomb)]
    assert all(repr(row.name) in str(caught.value) for row in rows)


def test_a_motion_of_one_engine_is_not_resumed_by_the_plain_one():
    motion = block(da.Holonomic)
    with pytest.raises(NotSmooth):
        motion.simulate({x.diff(): 1.0}, until=1.0).resume(2.0, engine="plain")


@compiled
def test_both_engines_say_the_same_of_the_same_fault():
    """A bad start is told before anything is compiled."""
    for engine in ("taylor", "plain"):
        with pytest.raises(da.ModelError, match=r"'floor'|friction"):
            block(da.Holonomic).simulate({y: 1.0, y.diff(): 0.0, x: 0.0, x.diff(): 0.0}, until=1.0, engine=engine)


@compiled
def test_no_friction_at_all_is_no_fault():
    motion = block().simulate({x.diff(): 1.0}, until=1.0, parameters={mu: 0.0, static: 0.0})
    assert_allclose(motion.y[0], motion.t, atol=1e-14)
    assert not told(motion, *FRICTION)
