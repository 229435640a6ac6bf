"""Frictions along lines that hold the same thing stick as long as some share keeps each within its bound.

Known by statics: the largest load that some forces within their bounds bear, by a linear program.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linprog, minimize
from sympy import Rational, cos, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.motion.hybrid.sharing import Holding, shares
from motion.switched import FRICTION, told
from motion.systems import x, y

t = dynamicsymbols._t
X, Y = x.diff(), y.diff()
phi = dynamicsymbols("phi")
NORMALS = ["ideal", "actual"]


def least_tightness(own, by, bounds):
    """The least τ with |own + by p| ≤ τ bounds."""
    n = by.shape[1]
    above = np.vstack([np.column_stack([by, -bounds]), np.column_stack([-by, -bounds])])
    found = linprog([*np.zeros(n), 1], A_ub=above, b_ub=[*-own, *own], bounds=[(None, None)] * (n + 1))
    return found.fun


@pytest.mark.parametrize("whole", [True, False])
def test_shares_bring_all_that_matter_to_their_bounds_at_once(whole):
    """Against the simplex method; numbers that are whole make many shares do as well as each other."""
    rng = np.random.default_rng(1)
    for _ in range(100):
        d = int(rng.integers(1, 4))
        k = d + int(rng.integers(1, 5))
        rows = rng.integers(-2, 3, (k, d)) if whole else rng.normal(size=(k, d))
        rows[:d] += np.eye(d, dtype=rows.dtype)
        if np.linalg.matrix_rank(rows[:d]) < d:
            continue
        bounds, load = rng.uniform(0.1, 3.0, k), rng.normal(size=d)
        own = np.concatenate([np.linalg.solve(rows[:d].T, load), np.zeros(k - d)])
        by = np.vstack([-np.linalg.solve(rows[:d].T, rows[d:].T), np.eye(k - d)])
        found, tight = shares([Holding(own[i : i + 1], by[i : i + 1], bounds[i], np.zeros(k - d)) for i in range(k)])
        assert_allclose(tight, least_tightness(own, by, bounds), rtol=1e-9)
        assert_allclose(tight, (np.abs(own + by @ found) / bounds).max(), rtol=1e-12)


def test_shares_of_planes_and_lines_together():
    rng = np.random.default_rng(2)
    for _ in range(20):
        sizes = rng.integers(1, 3, 5)
        own, by = [rng.normal(size=d) for d in sizes], [rng.normal(size=(d, 3)) for d in sizes]
        bounds = rng.uniform(0.5, 2.0, 5)
        _, tight = shares([Holding(f, B, b, np.zeros(3)) for f, B, b in zip(own, by, bounds, strict=True)])

        def room(z, own=own, by=by, bounds=bounds):
            pulls = [np.linalg.norm(f + B @ z[:3]) for f, B in zip(own, by, strict=True)]
            return z[3] * bounds - pulls

        begin = [0, 0, 0, 10.0]
        rule = {"type": "ineq", "fun": room}
        known = minimize(lambda z: z[3], begin, constraints=rule, method="SLSQP", options={"ftol": 1e-14})
        assert_allclose(tight, known.x[3], rtol=1e-6)


def pressed(slides, bounds, load, static, normal="ideal"):
    """Masses 1 along the coordinates of a load, and frictions of given bounds at rest, each pressed by 10."""
    heights = dynamicsymbols(f"h1:{len(slides) + 1}")
    rows = []
    for k, (h, slide, bound) in enumerate(zip(heights, slides, bounds, strict=True), 1):
        mu = Rational(bound) / 10
        nature = da.Coulomb(mu / 2 if static else mu, static=mu if static else None, sliding=slide, normal=normal)
        rows.append(da.Holonomic(h, name=f"f{k}", nature=nature))
    kinetic = sum(q.diff() ** 2 for q in (*load, *heights)) / 2
    return da.System.from_lagrangian(kinetic - 10 * sum(heights), [*load, *heights], forces=load, constraints=rows)


@pytest.mark.compiled
@pytest.mark.parametrize("factor", [1, 2, -1])
@pytest.mark.parametrize("static", [True, False])
def test_two_brakes_of_one_slide_whatever_their_sliding_velocities_are_multiplied_by(factor, static):
    motion = pressed([X, factor * X], [4, 4], {x: t}, static).simulate({}, until=16.0)
    slips = told(motion, *FRICTION)
    until = 4 + 4 * abs(factor)
    assert {e.kind for e in slips} == {"slip"}
    assert_allclose([e.time for e in slips], until, rtol=1e-11)
    assert motion.at(until - 1e-3)[0] == 0
    slowed = until / 2 if static else until
    assert_allclose(motion.end[X], (256 - until**2) / 2 - slowed * (16 - until), rtol=1e-10)
    assert motion.verify().passed


CASES = [
    ([X, Y, X + Y], [4, 3, 2], (1, 0.5)),
    ([X, Y, X + Y], [2, 3, 4], (1, 0.5)),
    ([X, Y, X + 2 * Y, 2 * X - Y], [4, 3, 2, 3], (1, -0.7)),
]


@pytest.mark.compiled
@pytest.mark.parametrize(("slides", "bounds", "way"), CASES)
@pytest.mark.parametrize(("static", "normal"), [(True, "ideal"), (True, "actual"), (False, "ideal")])
def test_frictions_in_several_directions_hold_what_some_share_of_them_can(slides, bounds, way, static, normal):
    rows = np.array([[float(s.coeff(X)), float(s.coeff(Y))] for s in slides])
    n = len(bounds)
    balance = np.column_stack([rows.T, -np.array(way)])
    largest = -linprog([0] * n + [-1], A_eq=balance, b_eq=[0, 0], bounds=[*((-b, b) for b in bounds), (0, None)]).fun
    load = {x: Rational(str(way[0])) * t, y: Rational(str(way[1])) * t}
    motion = pressed(slides, bounds, load, static, normal).simulate({}, until=1.2 * largest)
    slips = told(motion, *FRICTION)
    assert_allclose(slips[0].time, largest, rtol=1e-11)
    assert (motion.at(largest * (1 - 1e-6))[:2] == 0).all()
    assert motion.verify().passed


def foot(name, kind, place, drop, coefficients, normal):
    """A foot of a body at (x, y) turned by φ, whose place in it is (place, −drop), on a floor at that height."""
    mu, static = coefficients
    slides = (x + place * cos(phi) + drop * sin(phi)).diff(t)
    nature = da.Coulomb(mu, static=static, sliding=slides, normal=normal)
    return kind(y + place * sin(phi) - drop * cos(phi) + drop, name=name, nature=nature)


@pytest.mark.compiled
@pytest.mark.parametrize("right", [Rational(1, 5), Rational(1, 2)], ids=["level", "stepped"])
@pytest.mark.parametrize(("kind", "normal"), [(da.Holonomic, "ideal"), (da.OneSided, "actual"), (da.OneSided, "ideal")])
@pytest.mark.parametrize("order", [1, -1])
def test_a_box_on_two_feet_slides_where_no_share_is_left_and_shares_change_what_presses(right, kind, normal, order):
    half, left = Rational(1, 2), Rational(1, 5)
    feet = [
        foot("left", kind, -half, left, (Rational(1, 5), Rational(1, 2)), normal),
        foot("right", kind, half, right, (Rational(1, 10), Rational(3, 10)), normal),
    ]
    kinetic = (X**2 + Y**2 + phi.diff() ** 2 / 4) / 2
    box = da.System.from_lagrangian(kinetic - 10 * y, [x, y, phi], forces={x: t}, constraints=feet[::order])
    balance = [[1, 1, 0, 0, 1], [0, 0, 1, 1, 0], [float(left), float(right), -0.5, 0.5, 0]]  # f, f, N, N, load
    cones = [[1, 0, -0.5, 0, 0], [-1, 0, -0.5, 0, 0], [0, 1, 0, -0.3, 0], [0, -1, 0, -0.3, 0]]
    free = [(None, None)] * 2 + [(0, None)] * 3
    largest = -linprog([0, 0, 0, 0, -1], A_ub=cones, b_ub=[0] * 4, A_eq=balance, b_eq=[0, 10, 0], bounds=free).fun
    motion = box.simulate({}, until=1.1 * largest)
    slips = told(motion, *FRICTION)
    assert [e.kind for e in slips] == ["slip", "slip"]
    assert_allclose([e.time for e in slips], largest, rtol=1e-10)
    assert motion.verify().passed


def ladder(coefficients, normal):
    """A ladder of length 2 at its centre, between floor and wall, with a load t at its top."""
    floor, wall = (da.Coulomb(mu, sliding=s, normal=normal) for mu, s in zip(
        coefficients, ((x - cos(phi)).diff(t), (y + sin(phi)).diff(t)), strict=True))  # fmt: skip
    rows = [
        da.OneSided(y - sin(phi), name="floor", nature=floor),
        da.OneSided(-x - cos(phi), name="wall", nature=wall),
    ]
    kinetic = (X**2 + Y**2 + phi.diff() ** 2 / 3) / 2
    loads = {y: -t, phi: -t * cos(phi)}
    return da.System.from_lagrangian(kinetic - 10 * y, [x, y, phi], forces=loads, constraints=rows)


@pytest.mark.compiled
@pytest.mark.parametrize("normal", NORMALS)
def test_a_ladder_between_rough_floor_and_rough_wall(normal):
    c, s, floor, wall = np.cos(1.0), np.sin(1.0), 0.4, 0.3
    balance = [[1, 0, 0, -1, 0], [0, 1, 1, 0, -1], [s, -c, c, s, -c]]  # f, N at the foot, f, N at the top, load
    cones = [[1, -floor, 0, 0, 0], [-1, -floor, 0, 0, 0], [0, 0, 1, -wall, 0], [0, 0, -1, -wall, 0]]
    free = [(None, None), (0, None)] * 2 + [(0, None)]
    largest = -linprog([0, 0, 0, 0, -1], A_ub=cones, b_ub=[0] * 4, A_eq=balance, b_eq=[0, 10, 0], bounds=free).fun
    system = ladder((Rational(2, 5), Rational(3, 10)), normal)
    motion = system.simulate({x: -c, y: s, phi: 1.0}, until=5.0)
    assert_allclose([e.time for e in told(motion, *FRICTION)], [largest] * 2, rtol=1e-11)
    assert motion.verify().passed


@pytest.mark.compiled
@pytest.mark.parametrize("normal", NORMALS)
def test_a_ladder_that_wedges_itself_bears_any_load(normal):
    motion = ladder((2, 2), normal).simulate({x: -np.cos(1.0), y: np.sin(1.0), phi: 1.0}, until=100.0)
    assert not motion.events
    assert (motion.y[3:] == 0).all()
    assert motion.verify().passed
