"""Consistent starts: on the constraints, nearest in the metric of M, what is fixed held, what moved told."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sympy import cos, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z, theta = dynamicsymbols("x y z theta")
t = dynamicsymbols._t
m, g, R = symbols("m g R", positive=True)
VALUES = {m: 1.0, g: 9.81, R: 2.0}


def ring(*more, L=None):
    L = m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y if L is None else L
    return da.System.from_lagrangian(
        L, [x, y], constraints=[da.Holonomic(x**2 + y**2 - R**2, "ring"), *more], parameters=VALUES
    )


def test_a_consistent_guess_is_left_alone():
    found = ring().start({x: 1.2, y: -1.6, x.diff(): 0.8, y.diff(): 0.6})
    assert found.moved == {}
    assert found.state[x] == 1.2
    assert "nothing was moved" in found.text()


def test_nearest_point_of_a_circle_is_along_the_radius():
    found = ring().start({x: 3.0, y: 4.0, x.diff(): 1.0, y.diff(): 1.0})
    assert_allclose([found.state[x], found.state[y]], [1.2, 1.6], rtol=1e-14)
    assert_allclose([found.state[x.diff()], found.state[y.diff()]], [0.16, -0.12], atol=1e-14)
    assert set(found.moved) == {"x", "y", "x'", "y'"}
    assert found.moved["x"] == (3.0, pytest.approx(1.2))
    assert_allclose(found.residuals.level, 0, atol=1e-14)


def test_nearest_is_meant_in_the_metric_of_the_mass():
    """Against a general minimiser: a heavy x moves less."""
    heavy = ring(L=(50 * x.diff() ** 2 + y.diff() ** 2) / 2)
    found = heavy.start({x: 1.5, y: 2.5})
    best = minimize(lambda a: 50 * (2 * np.cos(a[0]) - 1.5) ** 2 + (2 * np.sin(a[0]) - 2.5) ** 2, [1.0], tol=1e-14).x[0]
    assert_allclose([found.state[x], found.state[y]], [2 * np.cos(best), 2 * np.sin(best)], atol=1e-6)


def test_what_is_fixed_is_held():
    found = ring().start({x: 1.2, y: 5.0, x.diff(): 0.8}, fixed=[x, "x'"])
    assert found.state[x] == 1.2
    assert found.state[x.diff()] == 0.8
    assert_allclose(found.state[y], 1.6)
    assert_allclose(found.state[y.diff()], -0.6)
    assert set(found.moved) == {"y", "y'"}


def test_what_cannot_be_made_consistent_is_refused_with_residuals():
    with pytest.raises(da.StateError, match="x held") as caught:
        ring().start({x: 3.0}, fixed=[x])
    assert "'ring': residual 5" in str(caught.value)
    with pytest.raises(da.StateError, match="no consistent start"):
        ring(da.Holonomic(x - 7, "line")).start({x: 1.0, y: 1.0})


def test_moving_redundant_and_nonlinear_constraints():
    system = da.System.from_particles(
        [da.Particle(m, (x, y, z))],
        constraints=[
            da.Holonomic(z - sin(t), "table"),
            da.Holonomic(2 * z - 2 * sin(t), "again"),
            da.Nonholonomic(x.diff() ** 2 + y.diff() ** 2 - z.diff() ** 2, "cone"),
        ],
        parameters={m: 1.0},
    )
    found = system.start({x.diff(): 1.0, y.diff(): 2.0}, t=0.5)
    assert_allclose(found.state[z], np.sin(0.5), rtol=1e-14)
    assert_allclose(found.state[z.diff()], np.cos(0.5), rtol=1e-12)
    assert_allclose(np.hypot(found.state[x.diff()], found.state[y.diff()]), np.cos(0.5), rtol=1e-12)
    assert_allclose(found.residuals.distance, 0, atol=1e-12)


def test_friction_at_rest_does_not_stand_in_the_way():
    mu = symbols("mu", positive=True)
    rough = da.System.from_lagrangian(
        m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y,
        [x, y],
        constraints=[da.Holonomic(x**2 + y**2 - R**2, nature=da.Coulomb(mu))],
        parameters=VALUES | {mu: 0.3},
    )
    assert_allclose(rough.start({y: -3.0}).state[y], -2.0)


@pytest.mark.parametrize("mass", [1e-8, 1.0, 1e8])
def test_what_has_no_mass_moves_alone(mass):
    tied = da.System.from_lagrangian(
        m * x.diff() ** 2, [x, y], constraints=[da.Holonomic(y - cos(x))], parameters={m: mass}
    )
    found = tied.start({x: 0.4, y: 3.0, x.diff(): 2.0})
    assert found.state[x] == 0.4
    assert found.state[x.diff()] == 2.0
    assert_allclose([found.state[y], found.state[y.diff()]], [np.cos(0.4), -2 * np.sin(0.4)], rtol=1e-15)
    assert found.proved


def test_of_what_has_no_mass_the_least_moves():
    """x alone has mass; u + w = cos x is divided between two coordinates of the same standing."""
    u, w = dynamicsymbols("u w")
    tied = da.System.from_lagrangian(x.diff() ** 2, [x, u, w], constraints=[da.Holonomic(u + w - cos(x))])
    found = tied.start({x: 0.4, u: 1.0})
    assert found.state[x] == 0.4
    excess = np.cos(0.4) - 1.0
    assert_allclose([found.state[u], found.state[w]], [1 + excess / 2, excess / 2], rtol=1e-14)


@pytest.mark.parametrize(
    ("guess", "fixed", "word"),
    [
        ({z: 1.0}, (), "z"),
        ({x: 1.0}, ("w",), "w"),
        ({x: float("nan")}, (), "finite"),
        ([1.0, 2.0], (), "give a mapping"),
        (None, (), "give a mapping"),
        ({x: 1.0}, "x", "give a list"),
        ({x: 1.0}, 3, "give a list"),
        ({x: 1.0}, [[x]], "neither a coordinate"),
    ],
)
def test_wrong_input(guess, fixed, word):
    with pytest.raises(da.StateError, match=word):
        ring().start(guess, fixed)


# -- far away -------------------------------------------------------------------------------------------------


def free(*constraints, masses=(1.0, 1.0, 1.0), coordinates=(x, y)):
    L = sum(w * q.diff() ** 2 for w, q in zip(masses, coordinates, strict=False)) / 2
    return da.System.from_lagrangian(L, list(coordinates), constraints=list(constraints))


def places(found, *coordinates):
    return np.array([found.state[q] for q in coordinates])


@pytest.mark.parametrize("far", [1.5, 5.0, 50.0, 1e9])
@pytest.mark.parametrize("angle", [0.0, 0.6, 2.5, -1.5])
def test_nearest_point_of_a_circle_from_any_distance(far, angle):
    """README's own ring.start({x: 3, y: 4}) once gave (0.9045, 0.4265)."""
    way = np.array([np.cos(angle), np.sin(angle)])
    found = free(da.Holonomic(x**2 + y**2 - 1)).start(dict(zip((x, y), far * way, strict=True)))
    assert_allclose(places(found, x, y), way, rtol=1e-14, atol=1e-15)
    assert found.proved
    assert "proved nearest" in found.reason


@pytest.mark.parametrize("guess", [(3.0, 5.0), (0.5, 0.1), (-20.0, 1.0), (1e3, -1e3)])
@pytest.mark.parametrize("masses", [(1.0, 1.0), (30.0, 1.0)])
def test_nearest_point_of_an_ellipse(guess, masses):
    """Against a dense search along the ellipse, x = 2 cos s, y = sin s."""
    found = free(da.Holonomic(x**2 / 4 + y**2 - 1), masses=masses).start(dict(zip((x, y), guess, strict=True)))
    s = np.linspace(0, 2 * np.pi, 2_000_001)
    cost = masses[0] * (2 * np.cos(s) - guess[0]) ** 2 + masses[1] * (np.sin(s) - guess[1]) ** 2
    at = s[np.argmin(cost)]
    assert_allclose(places(found, x, y), [2 * np.cos(at), np.sin(at)], atol=1e-5)
    assert found.proved


@pytest.mark.parametrize("guess", [(30.0, -100.0), (0.3, 40.0), (-5.0, 2.0), (1e-3, 7.0)])
def test_nearest_point_of_a_parabola(guess):
    """The cubic 2 x³ + (1 − 2 b) x = a of the nearest point of y = x² to (a, b)."""
    a, b = guess
    roots = np.roots([2, 0, 1 - 2 * b, -a])
    real = roots[np.abs(roots.imag) < 1e-9].real
    best = min(real, key=lambda r: (r - a) ** 2 + (r * r - b) ** 2)
    found = free(da.Holonomic(y - x**2)).start({x: a, y: b})
    assert_allclose(places(found, x, y), [best, best**2], rtol=1e-9)
    assert found.proved


@pytest.mark.parametrize("guess", [(5.0, -4.0, 9.0), (0.0, 0.1, 0.0), (-30.0, 2.0, 2.0)])
def test_nearest_point_of_a_sphere_and_a_plane(guess):
    """A circle about (1, 1, 1)/6: along the plane, straight away from its centre."""
    system = free(da.Holonomic(x**2 + y**2 + z**2 - 1), da.Holonomic(2 * x + 2 * y + 2 * z - 1), coordinates=(x, y, z))
    centre, normal = np.full(3, 1 / 6), np.full(3, 1 / np.sqrt(3))
    flat = np.array(guess) - centre - normal * (normal @ (np.array(guess) - centre))
    best = centre + flat * np.sqrt(1 - centre @ centre) / np.linalg.norm(flat)
    found = system.start(dict(zip((x, y, z), guess, strict=True)))
    assert_allclose(places(found, x, y, z), best, atol=1e-13)
    assert found.proved


@pytest.mark.parametrize("guess", [(3.0, 4.0), (-0.1, 0.05), (40.0, -9.0)])
def test_nearest_velocity_of_a_given_speed(guess):
    system = free(da.Nonholonomic(x.diff() ** 2 + y.diff() ** 2 - 1))
    found = system.start(dict(zip((x.diff(), y.diff()), guess, strict=True)))
    assert_allclose(places(found, x.diff(), y.diff()), np.array(guess) / np.hypot(*guess), rtol=1e-14)
    assert found.proved


def test_a_guess_inside_two_valleys_finds_the_nearer():
    """y = cos 3x has many branches: against a dense search."""
    system = free(da.Holonomic(y - cos(3 * x)))
    s = np.linspace(-10, 10, 2_000_001)
    for guess in ((0.9, 2.0), (1.0, -6.0), (0.3, 0.0), (-4.2, 0.9)):
        cost = (s - guess[0]) ** 2 + (np.cos(3 * s) - guess[1]) ** 2
        found = system.start(dict(zip((x, y), guess, strict=True)))
        reached = (found.state[x] - guess[0]) ** 2 + (found.state[y] - guess[1]) ** 2
        assert reached <= cost.min() * (1 + 1e-9)
        assert found.proved
        assert "none on the constraints is nearer" in found.reason


# -- equally near ---------------------------------------------------------------------------------------------


def test_of_two_equally_near_states_the_one_with_the_larger_value_is_taken_and_the_other_named():
    found = free(da.Holonomic(x**2 + y**2 - 1)).start({x: 0.6}, fixed=[x])
    assert_allclose(places(found, x, y), [0.6, 0.8], rtol=1e-15)
    assert not found.proved
    assert "equally near" in found.reason
    assert "y = -0.8" in found.reason
    (other,) = found.equally_near
    assert_allclose([other[x], other[y]], [0.6, -0.8], rtol=1e-15)
    speed = free(da.Nonholonomic(x.diff() ** 2 + y.diff() ** 2 - 1)).start({x.diff(): 0.6}, fixed=[x.diff()])
    assert_allclose(speed.state[y.diff()], 0.8, rtol=1e-15)
    assert "y' = -0.8" in speed.reason


def test_a_velocity_that_is_held_decides_between_places():
    """x ẋ + y ẏ = 0 with ẋ = 0.8 and ẏ = 0.6 leaves y = −0.8."""
    held = [x, x.diff(), y.diff()]
    found = free(da.Holonomic(x**2 + y**2 - 1)).start({x: 0.6, x.diff(): 0.8, y.diff(): 0.6}, fixed=held)
    assert_allclose(found.state[y], -0.8, rtol=1e-15)
    assert found.proved


def test_a_whole_family_is_told_as_one():
    found = free(da.Holonomic(x**2 + y**2 - 1)).start({})
    assert places(found, x, y).tolist() == [1.0, 0.0]
    assert not found.proved
    assert "a whole family" in found.reason
    assert 0 < len(found.equally_near) <= 3


def test_what_is_a_whole_turn_apart_is_one_place():
    """θ = π and θ = −π; with a spring at θ = 0 they differ."""
    phi = dynamicsymbols("phi")
    rows = [da.Holonomic(sin(theta)), da.Holonomic(cos(theta) + 1)]
    kinetic = (theta.diff() ** 2 + phi.diff() ** 2) / 2
    same = da.System.from_lagrangian(kinetic, [theta, phi], constraints=rows).start({})
    assert_allclose(same.state[theta], np.pi, rtol=1e-12)
    assert same.equally_near == ()
    wound = da.System.from_lagrangian(kinetic - theta**2, [theta, phi], constraints=rows).start({})
    assert len(wound.equally_near) == 1


# -- contacts and metrics -------------------------------------------------------------------------------------


def test_the_nearest_place_outside_of_contacts():
    """Above the floor and outside of the disc: from (0.2, −0.1) to (1, 0), by quadratic programming along the rim."""
    system = free(da.OneSided(y, name="floor"), da.OneSided(x**2 + y**2 - 1, name="disc"))
    for guess in ((0.2, -0.1), (0.3, 0.4), (-0.5, -2.0), (2.0, -1.0), (2.0, 1.0)):
        found = system.start(dict(zip((x, y), guess, strict=True)))
        grid = np.linspace(0, np.pi, 400_001)
        rim = np.column_stack([np.cos(grid), np.sin(grid)])
        along = np.linspace(-5, 5, 400_001)
        floor = np.column_stack([along, np.zeros_like(along)])[np.abs(along) >= 1]
        candidates = np.concatenate([rim, floor, [guess] if guess[1] >= 0 and np.hypot(*guess) >= 1 else floor[:1]])
        best = np.linalg.norm(candidates - np.array(guess), axis=1).min()
        assert np.linalg.norm(places(found, x, y) - np.array(guess)) <= best + 1e-9
        assert found.residuals.level.min() > -1e-12


def test_a_start_on_a_contact_may_strike_or_leave_it():
    ground = free(da.OneSided(y, name="floor"))
    for speed in (-2.0, 3.0):
        found = ground.start({y: -1.0, y.diff(): speed})
        assert (found.state[y], found.state[y.diff()]) == (0.0, speed)


def test_where_m_is_no_metric_it_is_said():
    crossed = da.System.from_lagrangian(x.diff() * y.diff(), [x, y], constraints=[da.Holonomic(x**2 + y**2 - 1)])
    found = crossed.start({x: 3.0, y: 4.0})
    assert_allclose(places(found, x, y), [0.6, 0.8], rtol=1e-14)
    assert "M is no metric" in found.reason


@pytest.mark.parametrize(("guess", "slopes"), [((0.2, 0.2), (1, 1)), ((0.2, -0.1), (2, 1)), ((-0.1, 0.4), (1, 4))])
def test_what_has_no_mass_moves_least(guess, slopes):
    """x has mass and can stay: then y and z go to the nearest of their circle, in units the slopes of the row give."""
    light = da.System.from_lagrangian(
        x.diff() ** 2 / 2, [x, y, z], constraints=[da.Holonomic(y**2 + z**2 - 1 - x**2, "hyperboloid")]
    )
    found = light.start({x: 1, y: guess[0], z: guess[1]})
    turn = np.linspace(0, 2 * np.pi, 200_001)
    circle = np.sqrt(2) * np.array([np.cos(turn), np.sin(turn)])
    far = (slopes * (circle.T - guess)) ** 2
    assert found.state[x] == 1
    assert_allclose([found.state[y], found.state[z]], circle[:, np.argmin(far.sum(axis=1))], atol=1e-4)
    assert found.proved


def test_an_isolated_point_is_nearest_where_nothing_is_nearer():
    """x² (x − 2) = y² is a branch from (2, 0) on, and the point (0, 0) alone."""
    curve = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2, [x, y], constraints=[da.Holonomic(x**2 * (x - 2) - y**2, "curve")]
    )
    branch = np.linspace(2, 6, 40_001)
    for guess in (0.9, -1.0, 1.1, 3.0):
        found = curve.start({x: guess, y: 0.0})
        nearest = min(abs(guess), np.hypot(branch - guess, branch * np.sqrt(branch - 2)).min())
        assert_allclose(np.hypot(found.state[x] - guess, found.state[y]), nearest, atol=1e-4)


@pytest.mark.parametrize(
    "guess", [(3.0, 4.0, 0.0), (30.0, 40.0, 1.0), (3e6, 4e6, 0.0), (-3.0, 4.0, 0.0), (3.0, 4.0, 100.0)]
)
def test_an_angle_without_mass_is_turned_no_further_than_it_must(guess):
    """Only x and y have mass; of the angles that stand for their direction the nearest to the guess is meant."""
    L = (x.diff() ** 2 + y.diff() ** 2) / 2
    hand = [da.Holonomic(x - cos(theta)), da.Holonomic(y - sin(theta))]
    found = da.System.from_lagrangian(L, [x, y, theta], constraints=hand).start(
        dict(zip((x, y, theta), guess, strict=True))
    )
    way = np.arctan2(guess[1], guess[0])
    expected = way + 2 * np.pi * np.round((guess[2] - way) / (2 * np.pi))
    assert_allclose([found.state[q] for q in (x, y, theta)], [np.cos(way), np.sin(way), expected], rtol=1e-9)
    assert found.equally_near == ()
