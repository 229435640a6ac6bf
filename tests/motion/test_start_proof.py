"""The nearest start is proved to be: against dense searches, where the near point is hidden, beside flat ones."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Rational, atan, cos, exp, sin, sqrt, tan
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.motion.starts.exclusion import Region, Rows, none_nearer

x, y, z, a, b, c = dynamicsymbols("x y z a b c")
H, Contact = da.Holonomic, da.OneSided


def free(*constraints, coordinates=(x, y)):
    return da.System.from_lagrangian(sum(q.diff() ** 2 for q in coordinates) / 2, coordinates, constraints=constraints)


def places(found, *coordinates):
    return np.array([found.state[q] for q in coordinates])


@pytest.mark.parametrize(("width", "at"), [(1e-2, 0.37), (1e-3, -0.81), (1e-4, 1.2)])
def test_a_narrow_spike_towards_the_guess_is_found(width, at) -> None:
    """y = 2 with a spike down to 0.1, of which no beginning knows."""
    spike = 2 - Rational(19, 10) * exp(-(((x - at) / width) ** 2))
    found = free(H(y - spike)).start({})
    s = np.concatenate([np.linspace(-2.5, 2.5, 100_001), at + width * np.linspace(-5, 5, 100_001)])
    least = np.hypot(s, 2 - 1.9 * np.exp(-(((s - at) / width) ** 2))).min()
    assert found.proved == (width > 1e-4)  # the finest is too much work, and it says so
    assert not found.proved or np.hypot(*places(found, x, y)) <= least * (1 + 1e-6)
    assert found.proved or "not proved" in found.reason


SHAPES = {
    "heart": ((x**2 + y**2 - 1) ** 3 - x**2 * y**3, lambda X, Y: (X**2 + Y**2 - 1) ** 3 - X**2 * Y**3),
    "waves": (sin(3 * x) + cos(2 * y) - Rational(1, 2), lambda X, Y: np.sin(3 * X) + np.cos(2 * Y) - 0.5),
    "root": (sqrt(1 + x**2) * y - 1 - x, lambda X, Y: np.sqrt(1 + X**2) * Y - 1 - X),
    "two branches": (x * y * (x + y) - 1, lambda X, Y: X * Y * (X + Y) - 1),
}


@pytest.mark.parametrize("guess", [(0.31, 2.2), (-1.7, 0.4), (0.1, -0.2)])
@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_is_nearer_than_what_is_proved(shape, guess) -> None:
    """By the signs of the function on a fine grid: no change of sign is nearer."""
    f, plain = SHAPES[shape]
    found = free(H(f)).start(dict(zip((x, y), guess, strict=True)))
    assert found.proved, found.reason
    distance = np.hypot(*(places(found, x, y) - guess))
    grid = np.linspace(-1, 1, 2001) * 1.2 * distance
    X, Y = np.meshgrid(guess[0] + grid, guess[1] + grid)
    signs, step = np.sign(plain(X, Y)), grid[1] - grid[0]
    changes = signs[:, :-1] != signs[:, 1:]
    near = np.hypot(X - guess[0], Y - guess[1])[:, :-1][changes]
    assert near.min() >= distance - 2 * step
    assert near.min() <= distance + 2 * step


def test_a_flat_minimum_is_the_least_of_those_about_it() -> None:
    """At the centre of curvature of a parabola, distances differ by the fourth power of x."""
    found = free(H(y - x**2)).start({y: 0.5})
    assert_allclose(places(found, x, y), [0, 0], atol=1e-5)
    assert not found.proved


def test_contacts_are_part_of_the_proof() -> None:
    """Outside a floor and on a wave: the nearest point of the wave is under the floor."""
    system = free(H(y - cos(3 * x)), Contact(y - Rational(1, 2)))
    for guess in ((0.9, -0.3), (2.0, 0.1)):
        found = system.start(dict(zip((x, y), guess, strict=True)))
        s = np.linspace(-8, 8, 2_000_001)
        cost = np.where(np.cos(3 * s) >= 0.5, np.hypot(s - guess[0], np.cos(3 * s) - guess[1]), np.inf)
        assert found.proved, found.reason
        assert_allclose(np.hypot(*(places(found, x, y) - guess)), cost.min(), rtol=1e-4)


def test_a_linkage_is_proved_beside_and_far_from_a_guess() -> None:
    loop = [H(cos(a) + 2 * cos(b) - 1.5 * cos(c) - 2), H(sin(a) + 2 * sin(b) - 1.5 * sin(c))]
    system = free(*loop, coordinates=(a, b, c))
    for guess in ((0.5, 0.3, 1.0), (2.0, -1.0, 0.4)):
        found = system.start(dict(zip((a, b, c), guess, strict=True)))
        assert found.proved, found.reason
        A, C = (np.linspace(-6, 6, 3001)[:, None] + guess[0], np.linspace(-6, 6, 3001)[None, :] + guess[2])
        p, q = 2 + 1.5 * np.cos(C) - np.cos(A), 1.5 * np.sin(C) - np.sin(A)
        turn = np.arctan2(q, p) - guess[1]
        cost = (A - guess[0]) ** 2 + (C - guess[2]) ** 2 + (turn - 2 * np.pi * np.round(turn / (2 * np.pi))) ** 2
        on = np.abs(np.hypot(p, q) - 2) < 8e-3
        assert np.linalg.norm(places(found, a, b, c) - guess) <= np.sqrt(cost[on].min()) + 2e-2


def test_where_a_function_jumps_its_slopes_prove_nothing() -> None:
    """atan(tan x) = x − π beyond the jump: its slope, 1, holds no two values together."""
    found = free(H(y - 1 - atan(tan(x)))).start({x: 1.2, y: -0.6})
    s = np.linspace(-4, 8, 3_000_001)
    least = np.hypot(s - 1.2, 1 + np.arctan(np.tan(s)) + 0.6).min()
    assert least < 0.4 < 1.9 < np.hypot(*(places(found, x, y) - [1.2, -0.6]))  # the nearest is an edge without a slope
    assert not found.proved


def test_a_point_that_is_not_nearest_is_never_proved() -> None:
    """Of a circle, the far point instead of the near one."""

    def over(low, high):
        corners = np.stack([low**2, high**2])
        least = np.where((low <= 0) & (high >= 0), 0.0, corners.min(axis=0)).sum(axis=0) - 1
        most = corners.max(axis=0).sum(axis=0) - 1
        return Rows(least[None], most[None], 2 * low[None], 2 * high[None])

    def bends(low, high):
        return 2 * np.eye(2)[None], 2 * np.eye(2)[None]

    circle, origin = Region(over, bends, np.array([False]), np.array([False])), np.array([3.0, 0.0])
    near = none_nearer(circle, origin, np.eye(2), np.array([1.0, 0.0]), np.array([1.0]))
    far = none_nearer(circle, origin, np.eye(2), np.array([-1.0, 0.0]), np.array([-2.0]))
    assert near.proved
    assert not far.proved
    assert min(abs(np.hypot(*p) - 1) for p in far.places) < 0.1


def test_a_crossing_is_not_nearest_because_nothing_pulls_there() -> None:
    """x y = 0 from (1, 1): at the origin the row has no slope and no multiplier, and (1, 0) is nearer."""

    def over(low, high):
        corners = np.stack([low[0] * low[1], low[0] * high[1], high[0] * low[1], high[0] * high[1]])
        return Rows(corners.min(axis=0)[None], corners.max(axis=0)[None], low[None, ::-1], high[None, ::-1])

    def bends(low, high):
        return np.array([[[0.0, 1.0], [1.0, 0.0]]]), np.array([[[0.0, 1.0], [1.0, 0.0]]])

    lines = Region(over, bends, np.array([False]), np.array([False]))
    at_crossing = none_nearer(lines, np.ones(2), np.eye(2), np.zeros(2), np.zeros(1))
    assert not at_crossing.proved


SINGULAR = {
    "a cusp": (y**2 - x**3, {x: -1.0}),
    "the tip of a horn": (x**2 + y**2 - z**3, {z: -1.0}),
    "a point": (x**2 + y**2, {x: 1.0, y: 1.0}),
}


@pytest.mark.parametrize(("row", "guess"), SINGULAR.values(), ids=SINGULAR)
def test_the_nearest_may_be_a_singular_point(row, guess) -> None:
    """All of the curve or surface is on the other side of the origin."""
    found = free(H(row), coordinates=(x, y, z)).start(guess)
    assert places(found, x, y).tolist() == [0.0, 0.0]
    assert found.proved or "lose rank" in found.reason
