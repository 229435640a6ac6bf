"""Frictions in a plane that hold the same thing: wheels of one axle, legs of one table, pucks on one rod."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from sympy import cos, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from motion.switched import FRICTION, assert_allclose, told
from motion.systems import x, y, z

pytestmark = pytest.mark.compiled
t = dynamicsymbols._t
turn = dynamicsymbols("phi")
G = 9.81
LEGS = ((0.5, 0.0), (-0.3, 0.4), (-0.3, -0.4))


def table(presses, coefficients, pull, at=(0.0, 0.0), mass=2.6, inertia=0.4, turning=False):
    """A table on three legs, each pressed by a weight of its own, pulled at a place of it; `turning`: in its own axes.

    Six rows hold it where all stick, three of which the others span.
    """
    heights = dynamicsymbols("z1:4")
    c, s, spin = cos(turn), sin(turn), turn.diff()
    rows = []
    for k, (h, (a, b), mu) in enumerate(zip(heights, LEGS, coefficients, strict=True), 1):
        u, v = x.diff() - (a * s + b * c) * spin, y.diff() + (a * c - b * s) * spin
        slides = [u * c + v * s, v * c - u * s] if turning else [u, v]
        rows.append(da.Holonomic(h, f"leg {k}", nature=da.Coulomb(mu, sliding=slides)))
    kinetic = mass * (x.diff() ** 2 + y.diff() ** 2) / 2 + inertia * spin**2 / 2 + sum(h.diff() ** 2 for h in heights)
    potential = sum(h * press for h, press in zip(heights, presses, strict=True))
    rx, ry = at[0] * c - at[1] * s, at[0] * s + at[1] * c
    forces = {x: pull[0], y: pull[1], turn: rx * pull[1] - ry * pull[0]}
    return da.System.from_lagrangian(kinetic - potential, [x, y, turn, *heights], forces=forces, constraints=rows)


def softened(presses, coefficients, pull, at, begin, times, soft, mass=2.6, inertia=0.4):
    """The same with friction that is smooth in the speed, by SciPy, extrapolated to none: x, y, φ and their rates."""
    bounds, legs = np.array(presses) * coefficients, np.array(LEGS)

    def run(soft):
        def rate(u, state):
            v, (c, s) = state[3:], (np.cos(state[2]), np.sin(state[2]))
            R = np.array([[c, -s], [s, c]])
            r, p, (px, py) = legs @ R.T, R @ at, pull(u)
            slides = np.column_stack([v[0] - r[:, 1] * v[2], v[1] + r[:, 0] * v[2]])
            f = -bounds[:, None] * slides / np.sqrt((slides**2).sum(axis=1) + soft**2)[:, None]
            torque = float((r[:, 0] * f[:, 1] - r[:, 1] * f[:, 0]).sum()) + p[0] * py - p[1] * px
            return [*v, (f[:, 0].sum() + px) / mass, (f[:, 1].sum() + py) / mass, torque / inertia]

        with np.errstate(over="ignore"):  # of its own differences, at rest
            return solve_ivp(rate, (0, times[-1]), begin, "Radau", t_eval=times, rtol=1e-9, atol=1e-12).y

    return 2 * run(soft / 2) - run(soft)


def test_legs_that_share_a_load_slip_together_where_all_of_them_are_at_their_bounds():
    """Pulled at its centre by 4t, a table slips where 4t is the sum of all bounds, whichever leg was to bear what."""
    motion = table([6.0] * 3, [0.3] * 3, (4 * t, 0)).simulate({}, until=3.0)
    slips = told(motion, *FRICTION)
    assert [(e.kind, e.name) for e in slips] == [("slip", f"leg {k}") for k in (1, 2, 3)]
    assert_allclose([e.time for e in slips], 1.35, rtol=1e-11)
    speed = (2 * (9 - 1.35**2) - 5.4 * 1.65) / 2.6
    assert motion.end[x.diff()] == pytest.approx(speed, rel=1e-11)
    assert motion.verify().passed
    assert len(motion.episodes) < 8  # the shares are not sought again and again


def test_a_table_that_slides_and_turns_comes_to_rest_with_all_its_legs_at_once():
    begin, until = [0, 0, 0, 1.0, 0.5, 2.0], 1.0
    motion = table([10.0, 8.0, 6.0], [0.3, 0.2, 0.4], (0, 0)).simulate(
        {x.diff(): 1.0, y.diff(): 0.5, turn.diff(): 2.0}, until=until
    )
    rests = told(motion, *FRICTION)
    assert [e.kind for e in rests] == ["stick"] * 3
    assert_allclose([e.time for e in rests], rests[0].time, rtol=1e-9)
    known = softened([10.0, 8.0, 6.0], [0.3, 0.2, 0.4], lambda _: (0, 0), (0, 0), begin, np.array([0, until]), 1e-4)
    assert_allclose(motion.y[:3, -1], known[:3, -1], atol=2e-6)
    assert motion.verify().passed


@pytest.mark.parametrize("turning", [False, True])
def test_a_table_pulled_to_and_fro_sticks_and_slips_as_smooth_friction_does(turning):
    presses, mu, at = [10.0, 8.0, 6.0], [0.3, 0.2, 0.4], (0.3, 0.1)
    times = np.linspace(0.0, 1.6, 6)
    system = table(presses, mu, (9 * sin(3 * t), 4 * cos(2 * t)), at, turning=turning)
    motion = system.simulate({}, until=times[-1], samples=times)
    kinds = [e.kind for e in told(motion, *FRICTION)]
    assert kinds[:3] == ["slip"] * 3
    assert "stick" in kinds
    known = softened(
        presses, mu, lambda u: (9 * np.sin(3 * u), 4 * np.cos(2 * u)), at, [0] * 6, times, 2e-5
    )  # what is left of it falls as its root
    assert_allclose(motion.y[[0, 1, 2, 6, 7, 8]], known, atol=2e-4)


def test_two_pucks_on_a_rod_slip_together_and_the_rod_bears_what_neither_can_tell():
    """The force along the rod is open while both stick: pulled along it they slip at the sum of their bounds."""
    x1, y1, z1, x2, y2, z2 = dynamicsymbols("x1 y1 z1 x2 y2 z2")
    rows = [
        da.Holonomic((x1 - x2) ** 2 + (y1 - y2) ** 2 - 1, "rod"),
        da.Holonomic(z1, "one", nature=da.Coulomb(0.3)),
        da.Holonomic(z2, "two", nature=da.Coulomb(0.2)),
    ]
    pucks = [da.Particle(1.0, [x1, y1, z1], [4 * t, 0, 0]), da.Particle(2.0, [x2, y2, z2])]
    system = da.System.from_particles(pucks, potential=G * (z1 + 2 * z2), constraints=rows)
    motion = system.simulate({x2: 1.0}, until=4.0)
    bound = 0.7 * G
    assert_allclose([e.time for e in told(motion, *FRICTION)], [bound / 4] * 2, rtol=1e-10)
    assert motion.end[x1.diff()] == pytest.approx(
        (2 * (16 - (bound / 4) ** 2) - bound * (4 - bound / 4)) / 3, rel=1e-10
    )


def test_a_puck_in_a_groove_rubs_along_it_alone():
    """Its row across is one that the groove spans: the other still holds."""
    kinetic = (x.diff() ** 2 + y.diff() ** 2 + z.diff() ** 2) / 2
    rub = da.Coulomb(0.3, sliding=[x.diff(), y.diff()])
    system = da.System.from_lagrangian(
        kinetic - G * z, [x, y, z], forces={x: 3 * t, y: 2}, constraints=[da.Holonomic(y), da.Holonomic(z, nature=rub)]
    )
    motion = system.simulate({}, until=2.0)
    bound, slip = 0.3 * G, 0.1 * G
    assert_allclose([e.time for e in told(motion, *FRICTION)], [slip], rtol=1e-12)
    assert motion.end[x.diff()] == pytest.approx(1.5 * (4 - slip**2) - bound * (2 - slip), rel=1e-12)


def test_a_puck_pulled_ever_harder_begins_to_slip_without_a_jump():
    kinetic = 2.6 * (x.diff() ** 2 + y.diff() ** 2 + z.diff() ** 2) / 2
    rub = da.Coulomb(0.3, sliding=[x.diff(), y.diff()])
    system = da.System.from_lagrangian(
        kinetic - 18 * z, [x, y, z], forces={x: 4 * t}, constraints=[da.Holonomic(z, nature=rub)]
    )
    motion = system.simulate({}, until=3.0)
    assert motion.verify().passed
    moment = 1.35 + 1e-4
    assert motion.at(moment)[3] == pytest.approx(2 * 1e-8 / 2.6, rel=1e-6)
