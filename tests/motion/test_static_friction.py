"""Friction that holds more at rest than it opposes in sliding, among others: what can hold at rest does."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from sympy import Rational, cos, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from motion.systems import x, y

pytestmark = pytest.mark.compiled
t = dynamicsymbols._t
G = Rational(981, 100)
low, high = dynamicsymbols("low high")


def stack(order=1):
    """Two blocks, one on the other, on a floor that shakes: the upper one needs 0.3 g at most and is held to 0.4 g."""
    floor = da.Coulomb(Rational(3, 10), sliding=x.diff() - 2 * sin(4 * t))
    top = da.Coulomb(Rational(1, 4), static=Rational(4, 10), sliding=y.diff() - x.diff())
    rows = [da.Holonomic(low, name="floor", nature=floor), da.Holonomic(high - low - 1, name="top", nature=top)]
    kinetic = sum(q.diff() ** 2 for q in (x, y, low, high)) / 2
    coordinates = [x, y, low, high][::order]
    return da.System.from_lagrangian(kinetic - G * (low + high), coordinates, constraints=rows[::order])


def pair(until):
    """The velocity of both as one block, by SciPy from one reversal to the next."""

    def rates(s, v):
        return [-0.3 * 9.81 * way]

    s, v, place = 0.0, -2.0, 0.0
    while s < until:
        way = np.sign(v - 2 * np.sin(4 * s)) or -1.0

        def meets(s, v):
            return v[0] - 2 * np.sin(4 * s)

        meets.terminal, meets.direction = True, -way
        found = solve_ivp(rates, (s, until), [v], events=meets, rtol=1e-12, atol=1e-14, max_step=0.01)
        place += np.mean([v, found.y[0, -1]]) * (found.t[-1] - s)  # it is linear in time
        s, v = found.t[-1] + 1e-12, found.y[0, -1]
        if found.t[-1] < until:
            v -= 1e-12 * 0.3 * 9.81 * -way
    return place


@pytest.mark.parametrize("order", [1, -1])
def test_what_holds_goes_on_holding_where_another_friction_reverses(order):
    motion = stack(order).simulate({high: 1.0, x.diff(): -2.0, y.diff(): -2.0}, until=3.0)
    assert [e.kind for e in motion.events] == ["reverse"] * 4
    assert {e.name for e in motion.events} == {"floor"}
    assert abs(motion.end[x] - motion.end[y]) < 1e-14
    assert abs(motion.end[x] - pair(3.0)) < 1e-8


@pytest.mark.parametrize("order", [1, -1])
def test_what_can_hold_from_rest_does(order):
    motion = stack(order).simulate({high: 1.0}, until=0.1)
    (words,) = motion.dataset.mode.attrs["meaning"].split(";")
    assert "top sticks" in words


def test_the_force_behind_a_friction_passes_through_zero_with_all_that_it_is_made_of():
    """Two masses held together, 3 v̇ = cos t − μ N with N = ⅔ |cos t|: there nothing is left to compare it with."""
    together = da.Holonomic(x - y, nature=da.Coulomb(Rational(1, 10), sliding=x.diff()))
    masses = [[1, 0], [0, 2]]
    for force, (count, slowed) in {
        cos(t): (1, (2 - np.sin(3.0))), cos(2 * t): (2, (2 + np.sin(6.0) / 2)),
    }.items():  # fmt: skip
        system = da.System.from_forces(masses, [force, 0], [x, y], constraints=[together])
        motion = system.simulate({x.diff(): 1.5, y.diff(): 1.5}, until=3.0)
        assert [e.kind for e in motion.events] == ["normal"] * count
        driven = {1: np.sin(3.0), 2: np.sin(6.0) / 2}[count]
        assert abs(motion.end[x.diff()] - (1.5 + driven / 3 - 0.1 * 2 / 9 * slowed)) < 1e-13
    pressed = da.Holonomic(y, nature=da.Coulomb(Rational(1, 10), sliding=x.diff()))
    system = da.System.from_forces(masses, [0, cos(t)], [x, y], constraints=[pressed])
    motion = system.simulate({x.diff(): 1.5}, until=3.0)
    assert abs(motion.end[x.diff()] - (1.5 - 0.1 * (2 - np.sin(3.0)))) < 1e-13
