"""Starts from where constraints do not exist: beyond the ends of roots, logarithms and arcs."""

import numpy as np
import pytest
from scipy.optimize import brentq
from sympy import Rational, acos, log, sqrt
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y = dynamicsymbols("x y")
H = da.Holonomic


def on(*rows):
    return da.System.from_lagrangian((x.diff() ** 2 + y.diff() ** 2) / 2, [x, y], constraints=list(rows))


@pytest.mark.parametrize("unit", [Rational(1), Rational(10**6), Rational(1, 10**6)])
def test_a_guess_beyond_the_end_of_a_root(unit) -> None:
    """On y = √x from (−1, 0.1): 2 (s² + 1) s + s = 0.1 with s = √x."""
    s = brentq(lambda s: 2 * (s**2 + 1) * s + s - 0.1, 0, 1, xtol=1e-16)
    u = float(unit)
    start = on(H(y / unit - sqrt(x / unit))).start({x: -u, y: 0.1 * u})
    assert [start.state[x] / u, start.state[y] / u] == pytest.approx([s**2, s], rel=1e-8)
    assert start.proved


def test_a_guess_beyond_the_ends_of_other_functions() -> None:
    """On x = 1000 + eʸ from (−1, 0.1), and on x = 3 + cos y from (5, 0.1): where the distance is stationary."""
    start = on(H(y - log(x - 1000))).start({x: -1.0, y: 0.1})
    own = brentq(lambda p: (1001 + np.exp(p)) * np.exp(p) + p - 0.1, -20, 0, xtol=1e-15)
    assert [start.state[x], start.state[y]] == pytest.approx([1000 + np.exp(own), own], rel=1e-9)
    start = on(H(y - acos(x - 3))).start({x: 5.0, y: 0.1})
    own = brentq(lambda p: -(np.cos(p) - 2) * np.sin(p) + p - 0.1, 0, 1, xtol=1e-15)
    assert [start.state[x], start.state[y]] == pytest.approx([3 + np.cos(own), own], rel=1e-9)


def test_outside_of_a_contact_that_does_not_exist_at_the_guess() -> None:
    start = on(da.OneSided(sqrt(x) - 1, name="wall")).start({x: -1.0, y: 0.1})
    assert [start.state[x], start.state[y]] == pytest.approx([1.0, 0.1], abs=1e-9)


def test_where_the_nearest_place_is_the_end_of_a_root_it_is_said() -> None:
    """y = √(x − 1) begins at (1, 0), nearest to zero and without a slope."""
    rail = on(H(sqrt(x - 1) - y, name="rail"))
    for asked in (lambda: rail.start({}), lambda: rail.simulate({}, until=1.0)):
        with pytest.raises(da.StateError, match="the nearer x - 1 is to zero, where functions of it have no slope"):
            asked()
    beside = rail.start({x: 2.0, y: 0.5})
    assert beside.state[y] ** 2 == pytest.approx(beside.state[x] - 1)


def test_where_nothing_exists_it_is_said_at_which_values() -> None:
    """x and −1 − x have no common place for their roots."""
    with pytest.raises(da.StateError) as caught:
        on(H(sqrt(x) + sqrt(-1 - x) - y, name="rail")).start({x: 0.5, y: 0.2})
    assert caught.value.subject == "no consistent start was found"
    assert "at x = " in caught.value.faults[0]
    assert " here" not in str(caught.value)
