"""Forces that are differences of large numbers: where coordinates are measured from changes nothing but rounding."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Rational, cos, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.engine import patterns

x, y = dynamicsymbols("x y")


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 8, 40])
def test_any_two_signs_differ_somewhere(count) -> None:
    signs = patterns(count)
    assert set(np.unique(signs)) <= {-1.0, 1.0}
    assert len({tuple(column) for column in signs.T}) == count


@pytest.mark.parametrize("away", [0, 1, 30, -1000])
@pytest.mark.parametrize(("stiffness", "masses"), [(10, (1, 1)), (1000, (1, 1)), (100_000, (1, Rational(1, 1000)))])
def test_two_masses_on_a_spring(stiffness, masses, away) -> None:
    """One of them struck: the centre of mass goes on, and about it they swing with √(k/m)."""
    one, two = masses
    system = da.System.from_lagrangian(
        (one * x.diff() ** 2 + two * y.diff() ** 2) / 2 - Rational(stiffness, 2) * (y - x) ** 2, [x, y]
    )
    motion = system.simulate({x: away, y: away, x.diff(): 1.0}, until=1.0)
    total, reduced = float(one + two), float(one * two / (one + two))
    w = np.sqrt(stiffness / reduced)
    centre, apart = float(one) / total * motion.t, -np.sin(w * motion.t) / w
    exact = [centre - float(two) / total * apart, centre + float(one) / total * apart]
    assert_allclose(motion.y[:2] - away, exact, rtol=0, atol=1e-13 + 4e-14 * abs(away))
    assert motion.statistics["steps"] < 60 * w


def test_a_spring_that_is_driven_from_rest() -> None:
    """θ̈ = 1 − k (θ − α), α̈ = k (θ − α) from θ = α = 1."""
    system = da.System.from_lagrangian(
        x.diff() ** 2 / 2 + y.diff() ** 2 / 2 - 500 * (x - y) ** 2, [x, y], forces={x: 1}
    )
    motion = system.simulate({x: 1.0, y: 1.0}, until=2.0)
    w = np.sqrt(2000.0)
    apart = (1 - np.cos(w * motion.t)) / w**2
    assert_allclose(motion.y[0], 1 + motion.t**2 / 4 + apart / 2, rtol=0, atol=1e-13)
    assert_allclose(motion.y[1], 1 + motion.t**2 / 4 - apart / 2, rtol=0, atol=1e-13)


def test_a_crank_that_has_turned_a_thousand_times_moves_as_it_did_at_first() -> None:
    """Its angle is known ever less well, and what holds it no better: it is not put back in every step for that."""
    a, b = dynamicsymbols("a b")
    system = da.System.from_lagrangian(
        (0.2 * a.diff() ** 2 + 0.1 * b.diff() ** 2 + 2 * x.diff() ** 2) / 2,
        [a, b, x],
        forces={a: 2.0, x: -x.diff() / 2},
        constraints=[da.Holonomic(0.3 * cos(a) + cos(b) - x), da.Holonomic(0.3 * sin(a) - sin(b))],
    )
    rod = np.arcsin(0.3 * np.sin(0.1))
    turn = 0.3 * np.cos(0.1) * 80 / np.cos(rod)
    ends = []
    for turns in (0, 100, 1000):
        start = {a: 0.1 + 2 * np.pi * turns, b: rod, x: 0.3 * np.cos(0.1) + np.cos(rod)}
        start |= {a.diff(): 80.0, b.diff(): turn, x.diff(): -24 * np.sin(0.1) - np.sin(rod) * turn}
        motion = system.simulate(start, until=2.0)
        assert motion.statistics["projections"] < motion.statistics["steps"] / 4
        assert motion.verify()
        ends.append([motion.end[a] - 2 * np.pi * turns, motion.end[x], motion.end[a.diff()]])
    assert_allclose(ends[1:], [ends[0], ends[0]], rtol=1e-11)
