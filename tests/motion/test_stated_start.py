"""What a start leaves open: one rule for runs, checks, classification, model files and the command line."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import fsolve
from sympy import Rational, cos, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.motion.starts import begun, own_start
from motion.systems import corners, four_bar, pendulum
from motion.units import units

x, y, z, a, b, c = dynamicsymbols("x y z a b c")
X, Y, Z, A, B, C = (q.diff() for q in (x, y, z, a, b, c))
x1, y1, x2, y2 = corners
H, N, S = da.Holonomic, da.Nonholonomic, da.System.from_lagrangian
FLAT = (X**2 + Y**2) / 2


def state(system, stated, t=0.0):
    """The whole state by key, and what of it was solved."""
    found = begun(system, stated, t, np.array([value for _, value in system.values]))
    return dict(zip((*system.coordinates, *system.velocities), found.state, strict=True)), found.solved


def refused(system, stated):
    with pytest.raises(da.StateError) as caught:
        state(system, stated)
    return caught.value


def ring(centre=0, *more, initial=None):
    return S(FLAT, [x, y], constraints=[H(x**2 + (y - centre) ** 2 - 1, "ring"), *more], initial=initial or {})


# -- one rule -------------------------------------------------------------------------------------------------


def test_what_is_stated_is_held_and_zero_is_kept_where_it_fits():
    found, solved = state(ring(), {x: 1.0, Y: -2.0})
    assert list(found.values()) == [1.0, 0.0, 0.0, -2.0]
    assert solved == ()


def test_what_does_not_fit_is_solved_and_named():
    found, solved = state(ring(1), {x: 0.6, X: 1.0})
    assert_allclose([*found.values()], [0.6, 0.2, 1.0, 0.75], rtol=1e-14)
    assert solved == ("y", "y'")


def test_of_two_solutions_about_as_near_neither_is_taken():
    for centre, values in ((0, ("0.8", "-0.8")), (Rational(1, 10), ("0.9", "-0.7"))):
        error = refused(ring(centre), {x: 0.6})
        assert "leaves open" in error.subject
        (words,) = error.faults
        assert all(f"y = {value}" in words for value in values)
        assert "x" not in words.split("state more")[0]  # it is stated


def test_a_solution_is_taken_where_it_is_clearly_nearest():
    """y = 0.2 or 1.8; y = 0.5 or 1.5 is 3 times as far."""
    assert state(ring(1), {x: 0.6})[0][y] == pytest.approx(0.2, rel=1e-14)
    assert state(ring(1), {x: np.sqrt(0.75)})[0][y] == pytest.approx(0.5, rel=1e-12)


def test_stated_velocities_decide_between_places():
    found, solved = state(ring(), {x: 0.6, X: 0.8, Y: 0.6})
    assert found[y] == pytest.approx(-0.8, rel=1e-14)
    assert solved == ("y",)


def test_velocities_that_are_not_linear():
    speed = S(FLAT, [x, y], constraints=[N(X**2 + Y**2 - 1, "speed")])
    words = str(refused(speed, {X: 0.6}))
    assert "y' = 0.8 or y' = -0.8" in words
    cubic = S(FLAT, [x, y], constraints=[N(Y**3 + Y - X)])
    assert state(cubic, {X: 10.0})[0][Y] == pytest.approx(2.0, rel=1e-14)


def test_nothing_fits():
    error = refused(ring(), {x: 3.0})
    assert error.subject == "the start does not satisfy the constraints, whatever y"
    assert error.faults == ("constraint 'ring': residual 8, rate 0",)
    error = refused(ring(), {x: 1.0, y: 0.0, X: 1.4, Y: 1.0})
    assert error.subject == "the start does not satisfy the constraints"
    assert error.faults == ("constraint 'ring': residual 0, rate 2.8",)
    error = refused(ring(0, H(x - y, "line")), {x: 0.6, X: 1.0, Y: 2.0})
    assert len(error.faults) == 2


def test_a_family_of_states_is_told_as_one():
    (words,) = refused(ring(), {}).faults
    assert "x = 1, y = 0" in words
    assert "any of a family" in words
    assert words.count(" or ") <= 4


# -- mechanisms -----------------------------------------------------------------------------------------------


def angles(first):
    """The two assemblies of a four-bar with cranks 1, 3, 3 on a ground of 4, by SciPy."""
    found = set()
    for guess in np.random.default_rng(0).uniform(-np.pi, np.pi, (60, 2)):
        (p, r), _, good, _ = fsolve(
            lambda u: [
                np.cos(first) + 3 * np.cos(u[0]) - 3 * np.cos(u[1]) - 4,
                np.sin(first) + 3 * np.sin(u[0]) - 3 * np.sin(u[1]),
            ],
            guess, full_output=True, xtol=1e-13,
        )  # fmt: skip
        if good == 1:
            found.add(tuple(np.round((np.array([p, r]) + np.pi) % (2 * np.pi) - np.pi, 8)))
    return sorted(found)


@pytest.mark.parametrize("first", [0.3, 0.5, 1.5, -1.0, 2.5])
def test_a_four_bar_given_one_angle_has_two_assemblies(first):
    rows = [H(cos(a) + 3 * cos(b) - 3 * cos(c) - 4), H(sin(a) + 3 * sin(b) - 3 * sin(c))]
    system = S((A**2 + B**2 + C**2) / 2, [a, b, c], constraints=rows)
    both = angles(first)
    assert len(both) == 2
    (words,) = refused(system, {a: first}).faults
    for pair in both:
        for name, value in zip("bc", pair, strict=True):
            assert f"{name} = {value:.7g}"[:-1] in words
    assert words.count("b =") == 2  # and no others a turn away


def test_what_was_listed_can_be_stated():
    rows = [H(cos(a) + 3 * cos(b) - 3 * cos(c) - 4), H(sin(a) + 3 * sin(b) - 3 * sin(c))]
    system = S((A**2 + B**2 + C**2) / 2, [a, b, c], constraints=rows)
    (words,) = refused(system, {a: 0.5}).faults
    first = words.split("(")[1].split(")")[0]
    chosen = {part.split(" = ")[0]: float(part.split(" = ")[1]) for part in first.split(", ")}
    found, solved = state(system, {a: 0.5, b: chosen["b"], c: chosen["c"], A: 1.0})
    assert solved == ("b'", "c'")
    motion = system.simulate({a: 0.5, b: chosen["b"], c: chosen["c"], A: 1.0}, until=0.1)
    assert motion.success
    assert found[b] == chosen["b"]


def test_a_four_bar_in_cartesian_coordinates():
    (words,) = refused(four_bar(), {x1: 0.6, y1: 0.8}).faults
    assert "x2 = 2.0459" in words
    assert "x2 = 0.9902" in words
    found, _ = state(four_bar(times=2), {x1: 0.6, y1: 0.8, x2: 2.0459261933009657})
    assert found[y2] == pytest.approx(1.19912083827, rel=1e-9)


def test_a_slider_crank_is_not_put_behind_its_crank_in_silence():
    rows = [H(sin(a) - 3 * sin(b)), H(cos(a) + 3 * cos(b) - x)]
    system = S((A**2 + B**2 + X**2) / 2, [a, b, x], constraints=rows)
    (words,) = refused(system, {a: 0.5}).faults
    assert "x = 3.839" in words
    assert "x = -2.083" in words


def test_a_double_root_is_one_solution():
    """x = 1 touches the ring about (0, 0.3) at y = 0.3."""
    found, solved = state(ring(Rational(3, 10)), {x: 1.0})
    assert found[y] == pytest.approx(0.3, abs=1e-7)
    assert solved == ("y",)


def test_where_a_constraint_does_not_exist_at_zero():
    assert state(S(FLAT, [x, y], constraints=[H(1 / y - x)]), {x: 0.5})[0][y] == pytest.approx(2.0, rel=1e-14)


# -- the same everywhere --------------------------------------------------------------------------------------


def test_a_run_a_check_and_a_picture_begin_in_the_same_state(tmp_path):
    system = ring(1, initial={x: Rational(3, 5), X: 1})
    motion = system.simulate(until=0.1)
    expected = dict(zip(("x", "y", "x'", "y'"), (0.6, 0.2, 1.0, 0.75), strict=True))
    assert dict(zip(expected, motion.begin_values, strict=True)) == pytest.approx(expected, rel=1e-13)
    assert motion.statistics["solved"] == ["y", "y'"]
    check = system.check()
    assert check.passed
    assert check.state == pytest.approx(expected, rel=1e-13)
    assert check.solved == ("y", "y'")
    assert system.geometry().now.A[0] == pytest.approx([1.2, -1.6], rel=1e-13)
    assert own_start(system).solved == ("y", "y'")
    again = da.Motion.load(_saved(motion, tmp_path))
    assert again.summary().solved == ("y", "y'")


def _saved(motion, folder):
    motion.save(folder / "motion.nc")
    return folder / "motion.nc"


def test_a_check_fails_where_a_run_would_be_refused():
    open_ = ring(initial={x: Rational(3, 5)}).check()
    assert not open_.passed
    assert open_.verdict == "FAILED: the start leaves open what the constraints do not determine"
    assert "y = 0.8 or y = -0.8" in " ".join(open_.text(200).split())
    assert open_.as_dict()["refused"]
    none = ring(initial={x: 3}).check()
    assert none.verdict == "FAILED: the start does not satisfy the constraints, whatever y"
    assert none.state == {"x": 3.0}


def test_classification_takes_the_same_start():
    """dz = y dx on the ring about (0, 1): what z is depends on y at the start, 0.2."""
    rows = [H(x**2 + (y - 1) ** 2 - 1, "ring"), H(y - Rational(1, 5), "height"), da.Differential({z: 1, x: -y}, "rise")]
    L = (X**2 + Y**2 + Z**2) / 2
    system = S(L, [x, y, z], constraints=rows, initial={x: Rational(3, 5), z: 1})
    assert dict(system.integrate_constraints().initial)[y] == pytest.approx(0.2)
    assert system.classify()


def test_a_motion_goes_on_from_where_it_ended_whatever_its_tolerance():
    for tolerance in (1e-4, None):
        motion = pendulum().simulate({x: 1.0}, until=20.0, tolerance=tolerance)
        assert motion.resume(until=21.0).success
        assert pendulum().simulate(motion, until=21.0).success


def test_with_other_values_a_motion_is_looked_at_again():
    motion = pendulum().simulate({x: 1.0}, until=1.0)
    with pytest.raises(da.StateError, match="does not satisfy"):
        pendulum().simulate(motion, until=2.0, parameters={"l": 2.0})


# -- what is large elsewhere, units ----------------------------------------------------------------------------


@pytest.mark.parametrize("far", [1e6, 1e10, 1e14])
def test_a_large_coordinate_does_not_hide_a_start_off_the_ring(far):
    """z = 1e10 once let x = 4 pass for the ring of radius 1, and the bead swung at 2.125."""
    system = S(FLAT + Z**2 / 2 - 9.81 * y, [x, y, z], constraints=[H(x**2 + y**2 - 1, "ring")])
    with pytest.raises(da.StateError, match="'ring': residual 15"):
        system.simulate({x: 4.0, y: 0.0, z: far}, until=1.0)
    with pytest.raises(da.StateError, match="'ring'"):
        system.simulate({x: 1.0, y: 0.0, X: 1.0, Y: 0.0, Z: far}, until=1.0)
    assert system.simulate({x: 0.6, y: -0.8, z: far, Z: far, X: 0.8, Y: 0.6}, until=0.01).success


RULE = {
    "solved": ([(H, x**2 + (y - 1) ** 2 - 1)], {x: 0.6, X: 1.0}, "found"),
    "open": ([(H, x**2 + y**2 - 1)], {x: 0.6}, "leaves open"),
    "family": ([(H, x**2 + y**2 - 1)], {}, "leaves open"),
    "nothing": ([(H, x**2 + y**2 - 1)], {x: 3.0}, "does not satisfy"),
    "off beside a large one": ([(H, x**2 + y**2 - 1)], {x: 1.001, y: 0.0, z: 1e10}, "does not satisfy"),
    "rolling": ([(N, X - 2 * Z), (H, y - 2)], {X: 3.0, x: 1e5}, "found"),
    "speed": ([(N, X**2 + Y**2 - 1)], {X: 0.6}, "leaves open"),
    "contact": ([(da.OneSided, y - x)], {x: 2.0, X: 1.0}, "found"),
    "inside": ([(da.OneSided, y - x)], {x: 2.0, y: 1.999}, "does not satisfy"),
}


@settings(max_examples=60, deadline=None)
@given(case=st.sampled_from([*RULE]), changed=units(rows=2))
def test_units_and_factors_decide_nothing(case, changed):
    rows, stated, outcome = RULE[case]
    own, L = [x, y, z], (X**2 + 2 * Y**2 + 3 * Z**2) / 2
    system = changed.system(own, L, rows)
    said = changed.state(own, stated)
    if outcome != "found":
        assert outcome in str(refused(system, said))
        return
    found, solved = state(system, said)
    plain, names = state(S(L, own, constraints=[kind(e) for kind, e in rows]), stated)
    assert solved == names
    back = changed.back(own, found)
    assert back == {key: pytest.approx(value, rel=1e-9, abs=1e-12) for key, value in plain.items()}


# -- contacts --------------------------------------------------------------------------------------------------


def test_what_is_put_on_a_contact_stays_on_it_unless_it_is_stated_to_leave():
    rises = S(FLAT, [x, y], constraints=[da.OneSided(y - 1 - 2 * dynamicsymbols._t, name="lift")])
    found, solved = state(rises, {x: 0.0})
    assert (found[y], found[Y], solved) == (1.0, 2.0, ("y", "y'"))
    found, solved = state(rises, {x: 0.0, Y: -3.0})
    assert (found[y], found[Y], solved) == (1.0, -3.0, ("y",))


def test_every_fault_of_a_start_comes_in_one_error():
    system = S(FLAT, [x, y], constraints=[da.OneSided(y, name="floor"), H(x - 1, "rail"), N(X - Y, "drive")])
    error = refused(system, {x: 2.0, y: -1.0, X: 1.0, Y: 0.0})
    assert len(error.faults) == 3
    m = symbols("m", positive=True)
    lacking = S(m * FLAT, [x, y], constraints=[H(x**2 + y**2 - 1)], initial={x: 1})
    with pytest.raises(da.StateError, match="no value is given for the parameter m"):
        own_start(lacking)


def test_a_declared_sign_decides():
    w = dynamicsymbols("w", positive=True)
    system = S((X**2 + w.diff() ** 2) / 2, [x, w], constraints=[H(x**2 + w**2 - 1)])
    found, solved = state(system, {x: 0.6})
    assert (found[w], solved) == (pytest.approx(0.8, rel=1e-15), ("w",))


@pytest.mark.parametrize("far", [1e4, 1e8, 1e12])
def test_what_is_stated_is_held_beside_a_cart_far_away(far):
    """The rod is a metre long wherever its cart is: a start off it is refused, and one on it is not moved."""
    Z = z.diff()
    L = (Z**2 + (X + Z) ** 2 + Y**2) / 2 - 9.81 * y
    cart = da.System.from_lagrangian(L, [x, y, z], constraints=[da.Holonomic(x**2 + y**2 - 1, name="rod")])
    on = {x: 0.6, y: 0.8, z: far, X: 0.8, Y: -0.6, Z: 0.0}
    assert cart.simulate(on, until=0.1).begin_values.tolist() == list(on.values())
    with pytest.raises(da.StateError, match="'rod'"):
        cart.simulate(on | {y: 0.8 + 1e-8}, until=0.1)
    assert not cart.verify(on | {y: 0.8 + 1e-8}).passed


# -- positions that stated velocities determine -----------------------------------------------------------------
TURN = dynamicsymbols("theta")
SPUN = TURN.diff()
KNIFE = S(FLAT + SPUN**2 / 2, [x, y, TURN], constraints=[N(X * sin(TURN) - Y * cos(TURN), "blade")])
SWUNG = S(FLAT + SPUN**2 / 2, [x, y, TURN], constraints=[H(x - sin(TURN)), H(y + cos(TURN))])


@pytest.mark.parametrize("unit", [Rational(1), Rational(10**6), Rational(1, 10**6)])
@pytest.mark.parametrize("fast", [1.0, 1e3, 1e-4])
def test_stated_velocities_lead_to_the_positions_at_which_they_are_possible(unit, fast):
    """On y = x² the direction (1, 2) is that of one point, (1, 1)."""
    parabola, speed = S(FLAT, [x, y], constraints=[H(unit * y - x**2)]), fast * float(unit)
    found, solved = state(parabola, {X: speed, Y: 2 * speed})
    assert_allclose([found[x], found[y]], [float(unit)] * 2, rtol=1e-12)
    assert solved == ("x", "y")


@pytest.mark.parametrize(
    ("system", "stated", "expected"),
    [
        (KNIFE, {X: 1.0, Y: 1.0}, {TURN: np.pi / 4}),
        (KNIFE, {X: 1e6, Y: 1e6, SPUN: 0.0}, {TURN: np.pi / 4}),
        (KNIFE, {X: -1.0, Y: -0.1}, {TURN: np.arctan(0.1)}),
        (SWUNG, {SPUN: 1.0, X: 0.5, Y: 0.75**0.5}, {TURN: np.pi / 3, x: 0.75**0.5, y: -0.5}),
    ],
)
def test_a_direction_that_is_stated_turns_what_it_determines(system, stated, expected):
    found, _ = state(system, stated)
    assert_allclose([found[key] for key in expected], list(expected.values()), rtol=1e-12)


@pytest.mark.parametrize(
    ("system", "stated", "words"),
    [
        (ring(), {X: 1.0, Y: 1.0}, "(x = 0.707106781187, y = -0.707106781187) or (x = -0.707106781187, y = 0.70710678"),
        (ring(), {X: 0.0, Y: 1.0}, "it could be x = 1 or x = -1; state"),
        (
            S(FLAT, [x, y], constraints=[H(x**2 / 4 + y**2 - 1)]),
            {X: 1.0, Y: 1.0},
            "(x = 1.788854382, y = -0.4472135955)",
        ),
        (S(FLAT, [x, y], constraints=[H(y - x**3 - 1)]), {X: 1.0, Y: 3.0}, "(x = -1, y = 0) or (x = 1, y = 2); state"),
        (KNIFE, {Y: 1.0}, "the nearer they are, the larger are others"),
        (SWUNG, {SPUN: 1.0, X: 2.0}, "does not satisfy the constraints, whatever"),
    ],
)
def test_what_stated_velocities_leave_open_is_listed_as_it_is(system, stated, words):
    assert words in str(refused(system, stated))


def test_choices_are_listed_once_and_families_are_called_so():
    """A corner where a ring meets a floor is found by both; of an arc above the floor all points are as near."""
    for floor in (y, y - Rational(1, 2)):
        said = str(refused(ring(0, da.OneSided(floor, name="floor")), {}))
        listed = said.split("it could be ")[1].split(" or any of a family of states as near")[0].split(" or ")
        assert len(set(listed)) == len(listed) == 3


def test_a_minimum_of_fourth_order_is_one_state():
    """The centre of curvature of a vertex: no second order holds the nearest point, and no other is as near."""
    found, _ = state(S(FLAT, [x, y], constraints=[H(y - x**2 + Rational(1, 2))]), {})
    assert (found[x], found[y]) == (0.0, -0.5)
    ellipse = S(FLAT, [x, y], constraints=[H(x**2 / 4 + y**2 - 1)])
    near = ellipse.start({x: 1.5})
    assert (near.state[x], near.state[y], near.equally_near) == (2.0, 0.0, ())
    assert not near.proved
    assert "second order" in near.reason
