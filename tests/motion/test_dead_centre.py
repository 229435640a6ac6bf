"""A slider-crank on a rough floor: at its dead centres the block cannot move, and friction turns round all the same."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from sympy import cos, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

a, b, x, y = dynamicsymbols("a b x y")
R, L, J, ROD, M, MU, G = 0.37, 0.87, 1.6, 0.5, 1.18, 0.06, 9.81


def geometry(angle):
    """x, dx/da, d²x/da², and db/da, d²b/da²."""
    h = R / L * np.sin(angle)
    root = np.sqrt(1 - h * h)
    d = R / L * np.cos(angle) / root
    dd = (h * d * d - h) / root
    dx = -R * np.sin(angle) - L * h * d
    return R * np.cos(angle) + L * root, dx, -R * np.cos(angle) - L * (root * d * d + h * dd), d, dd


def truth(angle, rate, until):
    """The angle alone, from one dead centre to the next, friction always against the block."""

    def slope(_, s):
        _, dx, ddx, d, dd = geometry(s[0])
        mass = J + M * dx * dx + ROD * d * d
        return [s[1], (0.257 - MU * M * G * side * dx - (M * dx * ddx + ROD * d * dd) * s[1] ** 2) / mass]

    t, s, times = 0.0, [angle, rate], []
    while True:
        side = np.sign(geometry(s[0] + 1e-6)[1])
        place = (np.floor(s[0] / np.pi + 1e-9) + 1) * np.pi

        def centre(_, s, place=place):
            return s[0] - place

        centre.terminal = True
        done = solve_ivp(slope, (t, until), s, "DOP853", rtol=3e-14, atol=1e-15, events=centre)
        s, t = list(done.y[:, -1]), done.t[-1]
        if done.status == 0:
            return s, times
        times.append(t)


@pytest.mark.parametrize("angle", [1.5, 0.7, np.pi])
@pytest.mark.parametrize(("one", "two", "floor"), [(1.0, 1.0, 1.0), (10.0, 1e-3, 1e6), (1e8, 1e-8, 1e-4)])
def test_friction_turns_round_at_a_dead_centre_whatever_the_rows_are_multiplied_by(angle, one, two, floor) -> None:
    system = da.System.from_lagrangian(
        J * a.diff() ** 2 / 2 + ROD * b.diff() ** 2 / 2 + M * (x.diff() ** 2 + y.diff() ** 2) / 2 - M * G * y,
        [a, b, x, y],
        forces={a: 0.257},
        constraints=[
            da.Holonomic(one * (R * sin(a) - L * sin(b))),
            da.Holonomic(two * (R * cos(a) + L * cos(b) - x)),
            da.Holonomic(floor * y, nature=da.Coulomb(MU, sliding=[floor * x.diff()])),
        ],
    )
    where, dx, _, d, _ = geometry(angle)
    start = {a: angle, b: np.arcsin(R / L * np.sin(angle)), x: where, y: 0}
    start |= {a.diff(): 4.25, b.diff(): 4.25 * d, x.diff(): 4.25 * dx, y.diff(): 0}
    motion = system.simulate(start, until=3.0)
    end, times = truth(angle, 4.25, 3.0)
    assert_allclose([motion.at(3.0)[0], motion.at(3.0)[4]], end, rtol=1e-10)
    told = [event.time for event in motion.events if event.kind == "reverse" and event.time > 0]
    assert_allclose(told, times, rtol=1e-9)
    assert motion.verify().passed


def yoke(torque=0.0):
    """A Scotch yoke whose block slides on a rough floor: x = cos a, of mass 2, with a crank of inertia 1."""
    return da.System.from_lagrangian(
        a.diff() ** 2 / 2 + x.diff() ** 2 + y.diff() ** 2 - 2 * G * y,
        [a, x, y],
        forces={a: torque},
        constraints=[
            da.Holonomic(x - cos(a)),
            da.Holonomic(y, nature=da.Coulomb(0.1, sliding=[x.diff()])),
        ],
    )


@pytest.mark.parametrize("torque", [0.5, 5.0, -50.0])
def test_a_torque_moves_a_crank_from_rest_at_its_dead_centre(torque) -> None:
    """(1 + 2 s²) ä + 2 s c ȧ² = τ − 0.2 g |s|: the block is held by nothing there, and slips at once."""
    way = np.sign(torque)

    def slope(_, u):
        s, c = np.sin(u[0]), np.cos(u[0])
        return [u[1], (torque - way * 0.2 * G * abs(s) - 2 * s * c * u[1] ** 2) / (1 + 2 * s * s)]

    until = min(1.0, 1.4 / np.sqrt(abs(torque)))
    motion = yoke(torque).simulate({x: 1.0}, until=until)
    true = solve_ivp(slope, (0, until), [0, 0], "DOP853", rtol=1e-13, atol=1e-15).y[:, -1]
    assert_allclose([motion.end[a], motion.end[a.diff()]], true, rtol=1e-11)
    assert motion.verify()


def test_a_slow_crank_at_its_dead_centre_stops_where_friction_says_or_is_not_moved_at_all() -> None:
    """ä = −0.2 g a for small a: it stops at w/√(0.2 g). Slower than what can be seen, it is refused by name."""
    for w in (1e-3, 1e-4, 1e-5):
        motion = yoke().simulate({x: 1.0, a.diff(): w}, until=20.0)
        assert_allclose(motion.end[a], w / np.sqrt(0.2 * G), rtol=2 * w + 1e-14 / w**2)
    with pytest.raises(da.StateError, match="which way 'constraint 2' slips cannot be told"):
        yoke().simulate({x: 1.0, a.diff(): 1e-7}, until=20.0)
