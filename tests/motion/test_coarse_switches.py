"""At a coarse tolerance what follows a switch is what follows it at machine precision: drift decides nothing."""

import numpy as np
import pytest
from sympy import Rational, cos, sign, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from motion.systems import x, y, z

pytestmark = pytest.mark.compiled
t = dynamicsymbols._t
G = Rational(981, 100)
COARSE = (1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6)


def kinds(motion):
    return [event.kind for event in motion.events]


@pytest.mark.parametrize("tolerance", COARSE)
def test_a_ladder_leaves_the_wall_at_two_thirds_of_its_height(tolerance):
    rod = (x.diff() ** 2 + y.diff() ** 2) / 2 + z.diff() ** 2 / 6 - G * y
    walls = [da.OneSided(y - sin(z), name="floor"), da.OneSided(x - cos(z), name="wall")]
    ladder = da.System.from_lagrangian(rod, [x, y, z], constraints=walls)
    for angle in (1.0, 1.2, 1.3):
        start = {x: np.cos(angle), y: np.sin(angle), z: angle}
        motion = ladder.simulate(start, until=1.2, tolerance=tolerance)
        (release,) = [e for e in motion.events if e.kind == "release"]
        assert release.name == "wall"
        assert abs(np.sin(release.state[2]) - 2 / 3 * np.sin(angle)) < 1e3 * tolerance


@pytest.mark.parametrize("tolerance", COARSE)
@pytest.mark.parametrize(("rate", "height"), [(20, 0.03), (7, 0.3), (40, 0.01)])
def test_a_shaken_floor_throws_what_it_presses_no_more(tolerance, rate, height):
    """It lets go where A ω² sin ωt = g, going up, and what falls back rests on it at once."""
    floor = da.OneSided(y - Rational(str(height)) * sin(rate * t), name="floor")
    ball = da.System.from_lagrangian(y.diff() ** 2 / 2 - G * y, [y], constraints=[floor])
    motion = ball.simulate({y: 0.0, y.diff(): height * rate}, until=6 / rate, tolerance=tolerance)
    thrown = np.arcsin(9.81 / (height * rate**2)) / rate
    assert kinds(motion)[:2] == ["release", "impact"]
    assert abs(motion.events[0].time - thrown) < 1e3 * tolerance
    assert abs(motion.events[0].state[0] - height * np.sin(rate * thrown)) < 1e3 * tolerance


@pytest.mark.parametrize("tolerance", COARSE)
@pytest.mark.parametrize("restitution", [0.0, 0.8])
def test_what_a_floor_presses_all_the_time_neither_leaves_nor_strikes_it(tolerance, restitution):
    floor = y - Rational(1, 50) * sin(20 * t)
    body = (x.diff() ** 2 + y.diff() ** 2) / 2 - G * y - 12 * x**2
    start = {x: 0.2, y: 0.0, y.diff(): 0.4}
    belt = da.Coulomb(Rational(3, 10), static=Rational(45, 100), sliding=x.diff() - Rational(1, 2))
    rough = [da.OneSided(floor, name="floor", restitution=restitution, nature=belt)]
    rubs = da.System.from_lagrangian(body, [x, y], constraints=rough).simulate(start, until=2.0, tolerance=tolerance)
    assert kinds(rubs) == ["stick", "slip"]
    smooth = [da.OneSided(floor, name="floor", restitution=restitution)]
    forced = {x: -sign(x.diff() - Rational(1, 2))}
    drawn = da.System.from_lagrangian(body, [x, y], forces=forced, constraints=smooth)
    assert kinds(drawn.simulate(start, until=2.0, tolerance=tolerance)) == ["switch", "slide", "leave"]
    assert rubs.verify().passed


@pytest.mark.parametrize("tolerance", COARSE)
def test_a_beam_on_more_feet_than_hold_it_stays_on_all_of_them(tolerance):
    feet = [da.OneSided(y - sin(8 * t) / 8 + a * sin(z), name=f"foot {a}") for a in (-1.5, 1.07, 1.08, 1.5)]
    beam = (y.diff() ** 2 + z.diff() ** 2 / 3) / 2 - G * y
    shaken = da.System.from_lagrangian(beam, [y, z], constraints=feet)
    motion = shaken.simulate({y: 0.0, y.diff(): 1.0}, until=2.35, tolerance=tolerance)
    assert not motion.events
    assert abs(motion.end[y] - np.sin(8 * 2.35) / 8) < 1e3 * tolerance


def test_a_box_rocks_at_any_tolerance_as_it_does():
    corners = [y - Rational(3, 10) * cos(z) - side * Rational(1, 10) * sin(z) for side in (1, -1)]
    body = (x.diff() ** 2 + y.diff() ** 2) / 2 + z.diff() ** 2 / 120 - G * y
    box = da.System.from_lagrangian(body, [x, y, z], constraints=[da.OneSided(c, name=str(c)) for c in corners])
    start = {x: 0.0, y: 0.3 * np.cos(0.15) + 0.1 * np.sin(0.15), z: 0.15}
    exact = box.simulate(start, until=0.156)  # then ever faster, to rest
    for tolerance in COARSE:
        motion = box.simulate(start, until=0.156, tolerance=tolerance)
        assert kinds(motion) == kinds(exact)
        np.testing.assert_allclose(motion.y[:, -1], exact.y[:, -1], rtol=0, atol=1e3 * tolerance)


def test_where_a_motion_was_put_back_before_a_switch_is_told():
    rod = (x.diff() ** 2 + y.diff() ** 2) / 2 + z.diff() ** 2 / 6 - G * y
    walls = [da.OneSided(y - sin(z), name="floor"), da.OneSided(x - cos(z), name="wall")]
    ladder = da.System.from_lagrangian(rod, [x, y, z], constraints=walls)
    motion = ladder.simulate({x: np.cos(1.2), y: np.sin(1.2), z: 1.2}, until=0.9, tolerance=1e-6)
    (back,) = motion.projections
    (release,) = motion.events
    assert 0 < release.time - back.time < 1e-3
    assert 1e-13 < back.before < 256e-6
    assert back.after < 1e-15
    assert motion.statistics["projections"] == 1
