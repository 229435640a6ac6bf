"""The nearest start outside of contacts: against closed forms, and against SciPy's SLSQP from many beginnings."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sympy import Matrix, Rational, cos, lambdify, pi, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z, u, w = dynamicsymbols("x y z u w")
a0, b0, a1, b1, a2, b2 = dynamicsymbols("a0 b0 a1 b1 a2 b2")
H, Contact = da.Holonomic, da.OneSided
R = Rational
RING = x**2 + y**2 - 1
RODS = [RING, (u - x) ** 2 + (w - y) ** 2 - 1]
APART = (a1 - a0) ** 2 + (b1 - b0) ** 2 - 4
OCTAGON = [1 - (cos(k * pi / 4) * x + sin(k * pi / 4) * y) for k in range(8)]


def bodies(rows, gaps, coordinates):
    energy = sum(q.diff() ** 2 for q in coordinates) / 2
    contacts = [Contact(g, name=f"gap {i}") for i, g in enumerate(gaps)]
    return da.System.from_lagrangian(energy, list(coordinates), constraints=[*map(H, rows), *contacts])


PLACES = {  # relations, gaps, a guess, and the nearest place
    "quarter ring": ([RING], [x, y], {x: -1.0, y: -2.0}, (1, 0)),
    "quarter ring from the left": ([RING], [x, y], {x: -2.0, y: -1.0}, (0, 1)),
    "ring over a floor at a wall": ([RING], [y + R(1, 2), x - R(1, 5)], {x: -0.9, y: -0.6}, (0.75**0.5, -0.5)),
    "the same from below": ([RING], [y + R(1, 2), x - R(1, 5)], {x: -0.3, y: -0.9}, (0.75**0.5, -0.5)),
    "other side of a parabola": ([x**2 - y], [x - 2], {x: -3.0, y: 9.0}, ((3 + 7**0.5) / 2, None)),
    "far up a parabola": ([x**2 - y], [x - 2], {x: -300.0, y: 90000.0}, (150 + 89998**0.5 / 2, None)),
    "two walls and a valley": ([z - x**2], [x - 1, z - 5], {x: -3.0, y: 2.0, z: 0.0}, (5**0.5, 2, 5)),
    "other branch of a hyperbola": ([x * y - 1], [x], {x: -3.0, y: -3.0}, (1, 1)),
    "ring between two disks": ([], [RING, 4 - x**2 - y**2, x, y], {x: -0.1, y: -0.2}, (1, 0)),
    "wave": ([y - sin(x)], [y - R(1, 2), x - 4], {x: 0.0, y: 0.0}, (2 * np.pi + np.pi / 6, 0.5)),
    "corner of a sphere": ([x**2 + y**2 + z**2 - 1], [x - R(1, 2), y - R(1, 2), z - R(1, 2)],
                           {x: -1.0, y: -2.0, z: -0.3}, (0.5, 0.5, 0.5**0.5)),
    "three gaps on a ring": ([RING], [x - R(3, 5), y + R(9, 10), -y - R(1, 10)], {x: -2.0, y: 3.0}, (0.99**0.5, -0.1)),
    "a band of a ring": ([RING], [R(1, 4) - x**2, y], {x: 3.0, y: -0.2}, (0.5, 0.75**0.5)),
    "a band of a sphere": ([x**2 + y**2 + z**2 - 1], [R(1, 4) - x**2, R(1, 4) - y**2, z],
                           {x: 3.0, y: 2.0, z: -1.0}, (0.5, 0.5, 0.5**0.5)),
    "octagon": ([], OCTAGON, {x: 2.0, y: 1.7}, None),
    "plane over an octagon": ([z - x - y], OCTAGON, {x: 2.0, y: 1.7, z: -2.0}, None),
    "rods over a floor": (RODS, [w, y], {x: 0.5, y: -0.5, u: 1.0, w: -1.0}, None),
    "rods below it": (RODS, [w, y], {x: -0.7, y: -0.7, u: -1.4, w: -1.4}, None),
    "two disks sunk": ([], [APART, b0 - 1, b1 - 1], {a0: 0.0, b0: 0.2, a1: 0.5, b1: 0.1}, None),
    "lemniscate": ([(x**2 + y**2) ** 2 - x**2 + y**2], [x - R(1, 2), y - R(1, 10)], {x: -1.0, y: -0.2}, None),
}  # fmt: skip


def by_slsqp(rows, gaps, guess):
    """The distance of the nearest of what SLSQP finds."""
    own = symbols(f"r0:{len(guess)}")
    at = dict(zip(guess, own, strict=True))
    c, g = (lambdify(own, [e.subs(at) for e in part]) for part in (rows, gaps))
    Jc, Jg = (
        lambdify(own, Matrix([e.subs(at) for e in part]).jacobian(own)) if part else None for part in (rows, gaps)
    )
    held = [{"type": kind, "fun": lambda p, f=f: np.array(f(*p), float), "jac": lambda p, J=J: np.array(J(*p), float)}
            for kind, f, J in (("eq", c, Jc), ("ineq", g, Jg)) if J]  # fmt: skip
    start, random, best = np.array(list(guess.values())), np.random.default_rng(0), np.inf
    for _ in range(60):
        begin = start + random.standard_normal(len(own)) * (1 + np.abs(start).max()) * 10 ** random.uniform(-1.5, 0.7)
        found = minimize(lambda p: float((p - start) @ (p - start)), begin, jac=lambda p: 2 * (p - start),
                         constraints=held, method="SLSQP", options={"ftol": 1e-15, "maxiter": 200})  # fmt: skip
        off = max(np.abs(c(*found.x)).max() if rows else 0, -min(g(*found.x)))
        best = min(best, float(np.sqrt(found.fun))) if off < 1e-8 else best
    return best


@pytest.mark.parametrize("case", PLACES)
def test_the_nearest_place_outside_of_several_contacts(case) -> None:
    rows, gaps, guess, place = PLACES[case]
    start = bodies(rows, gaps, guess).start(guess)
    found = np.array([start.state[q] for q in guess])
    for q, value, expected in zip(guess, found, place or (), strict=False):
        assert expected is None or value == pytest.approx(expected, rel=1e-9, abs=1e-9), q
    if place is None:
        far = float(np.linalg.norm(found - list(guess.values())))
        assert far == pytest.approx(by_slsqp(rows, gaps, guess), rel=1e-6)


def test_three_disks_are_pushed_apart_as_little_as_can_be() -> None:
    disks = ((a0, b0), (a1, b1), (a2, b2))
    pairs = [(p, q) for i, p in enumerate(disks) for q in disks[:i]]
    gaps = [*((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 - 4 for p, q in pairs), *(p[1] - 1 for p in disks)]
    guess = {a0: 0.0, b0: 1.0, a1: 1.0, b1: 1.1, a2: 0.4, b2: 0.9}
    start = bodies([], gaps, guess).start(guess)
    far = float(np.linalg.norm([start.state[q] - value for q, value in guess.items()]))
    assert far == pytest.approx(1.9670940276, rel=1e-9)  # by SLSQP from 150 beginnings


def test_what_is_equally_near_around_a_corner_is_named() -> None:
    start = bodies([RING], [x, y], (x, y)).start({x: -1.0, y: -1.0})
    assert not start.proved
    assert [start.state[x], start.state[y]] == pytest.approx([1, 0], abs=1e-12)
    assert [start.equally_near[0][x], start.equally_near[0][y]] == pytest.approx([0, 1], abs=1e-12)


@pytest.mark.parametrize("far", [3, 10, 100])
@pytest.mark.parametrize("unit", [R(1), R(10**6), R(1, 10**6)])
def test_a_place_far_beyond_those_that_contacts_forbid_is_found(far, unit) -> None:
    p = x / unit
    right = bodies([], [p * (p - far) - 1, p - R(1, 10)], [x])
    assert right.simulate({}, until=0.1).begin_values[0] == pytest.approx(
        float(unit) * (far + (far**2 + 4) ** 0.5) / 2, rel=1e-9
    )
    left = bodies([(10 * p - 1) * (p + far)], [-p - 1], [x])
    assert left.simulate({}, until=0.1).begin_values[0] == pytest.approx(-far * float(unit), rel=1e-12)


def test_in_two_coordinates_too() -> None:
    found = bodies([], [2 * x * y + 3 * x - 1, -x - y - 1], (x, y)).start({})
    assert [found.state[x], found.state[y]] == pytest.approx([-1, -2], rel=1e-9)


def refused(rows, gaps, coordinates, stated):
    with pytest.raises(da.StateError) as caught:
        bodies(rows, gaps, coordinates).simulate(stated, until=1.0)
    return caught.value.subject


IMPOSSIBLE = {  # what can be proved to have no solution: by hand
    "far from a ring": ([RING], [], {x: 3.0}),
    "an empty ring": ([RING + 2], [], {}),
    "parallel lines": ([x - y, x - y - 1], [], {}),
    "a line that misses": ([x**4 + y**4 - 1, x + y - 5], [], {}),
    "two walls": ([y - x], [x - 1, -x], {}),
    "a wall nowhere": ([], [-(x**2) - y**2 - 1], {}),
    "a velocity across": ([RING], [], {x: 1.0, y: 0.0, x.diff(): 1.4}),
}


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_whatever_is_said_where_it_is_proved(case) -> None:
    rows, gaps, stated = IMPOSSIBLE[case]
    assert "does not satisfy the constraints, whatever" in refused(rows, gaps, (x, y), stated)


def test_what_was_only_not_found_is_said_so() -> None:
    """x + sin x = x + 2 has no solution, and no bound over an infinite interval tells."""
    said = refused([x + sin(x) - y, y - x - 2], [], (x, y), {})
    assert said == "no values of x, y were found with which the start satisfies the constraints"
