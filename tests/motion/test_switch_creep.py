"""What sticks does not creep: a day on an incline, to the bit and at once."""

from itertools import pairwise
from time import process_time

import numpy as np
import pytest
from sympy import cos, sin, symbols

import dalembert as da
from motion.switched import FRICTION, told
from motion.systems import dynamicsymbols, g, k, m, t, x, y, z

pytestmark = pytest.mark.compiled
mu, static, alpha, A, w = symbols("mu static alpha A w", positive=True)
DAY = 86_400.0
TILT = 0.4
VALUES = {m: 0.17, g: 9.81, mu: np.tan(TILT) * 0.9, static: np.tan(TILT) * 1.0001, alpha: TILT}
ROUGH = da.Coulomb(mu, static)


def incline(frame, kind=da.Holonomic):
    """A block that would slide but for its static friction, in the plane's own axes or in upright ones."""
    upright = frame == "upright"
    potential = m * g * (z if upright else z * cos(alpha) - x * sin(alpha))
    plane = x * sin(alpha) + z * cos(alpha) if upright else z
    return da.System.from_particles(
        [da.Particle(m, (x, y, z))], potential=potential, constraints=[kind(plane, name="plane", nature=ROUGH)],
        parameters=VALUES,
    )  # fmt: skip


def timed(system, start, until, **more):
    """The motion, and its seconds when nothing is left to compile."""
    system.simulate(start, until=until, **more)
    begin = process_time()
    motion = system.simulate(start, until=until, **more)
    return motion, process_time() - begin


@pytest.mark.parametrize("kind", [da.Holonomic, da.OneSided])
@pytest.mark.parametrize("frame", ["own", "upright"])
def test_a_day_on_an_incline(frame, kind):
    motion, seconds = timed(incline(frame, kind), {}, DAY)
    assert (motion.y == 0.0).all()
    assert motion.t[-1] == DAY
    assert seconds < 1.0
    assert not told(motion, *FRICTION)
    assert motion.at(12_345.6).tolist() == [0.0] * 6
    assert np.abs(motion.dataset.nonideal_work).max() == 0.0


def test_a_day_away_from_the_origin():
    """A place that is no round number stays what it was after the start."""
    start = {x: 0.3, y: -0.7, z: -0.3 * np.tan(TILT)}
    motion, seconds = timed(incline("upright"), start, DAY)
    assert (motion.y == motion.y[:, :1]).all()
    assert (motion.y[3:] == 0.0).all()
    assert motion.y[0, 0] == pytest.approx(0.3, abs=1e-15)
    assert seconds < 1.0


def test_a_day_after_it_has_slid_to_a_stop():
    """Up the slope it stops, and what holds it there is the static friction."""
    motion, seconds = timed(incline("own"), {x.diff(): -1.0}, DAY, samples=np.geomspace(0.01, DAY, 50))
    stop = told(motion, "stick")[0]
    still = motion.y[:, motion.t > stop.time]
    assert (still == still[:, :1]).all()
    assert (still[:, 0] == stop.state).all()
    assert seconds < 1.0
    assert stop.time == pytest.approx(1 / (9.81 * (np.sin(TILT) + 0.9 * np.tan(TILT) * np.cos(TILT))), rel=1e-12)


def test_a_row_of_blocks_tied_by_springs():
    """Three blocks with springs stretched below what friction holds."""
    names = [dynamicsymbols(f"x{n} z{n}") for n in range(3)]
    points = [da.Particle(m, pair) for pair in names]
    pulls = sum(k * (b[0] - a[0] - 1) ** 2 / 2 for a, b in pairwise(names))
    system = da.System.from_particles(
        points, potential=pulls + sum(m * g * pair[1] for pair in names),
        constraints=[da.OneSided(pair[1], name=f"floor {n}", nature=da.Coulomb(mu)) for n, pair in enumerate(names)],
        parameters={m: 0.17, g: 9.81, mu: 0.5, k: 1.0},
    )  # fmt: skip
    start = {names[0][0]: 0.0, names[1][0]: 1.4, names[2][0]: 2.9}
    motion, seconds = timed(system, start, DAY)
    assert (motion.y == motion.y[:, :1]).all()
    assert motion.y[[0, 2, 4], 0].tolist() == [0.0, 1.4, 2.9]
    assert seconds < 1.0


def test_a_load_that_goes_to_and_fro_below_the_bound():
    """As much as friction holds, less a thousandth, for a thousand periods."""
    system = da.System.from_lagrangian(
        m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y, [x, y], forces={x: A * cos(w * t)},
        constraints=[da.Holonomic(y, "floor", nature=da.Coulomb(mu))],
        parameters={m: 1.0, g: 10.0, mu: 0.3, A: 2.997, w: 2 * np.pi},
    )  # fmt: skip
    motion, seconds = timed(system, {x: 0.1}, 1000.0)
    assert (motion.y[0] == 0.1).all()
    assert (motion.y[1:] == 0.0).all()
    assert seconds < 5.0
    moved = system.simulate({x: 0.1}, until=2.0, parameters={A: 3.003})
    assert len(told(moved, "slip")) == 4
    assert abs(moved.y[0] - 0.1).max() > 1e-9
