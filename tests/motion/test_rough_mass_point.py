"""A mass point near a rough wall, whatever its gradient: in flight nothing rubs, and impacts rub along the wall."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Float, Rational, sin, sqrt
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z = q = dynamicsymbols("x y z")
X, Y, Z = (k.diff() for k in q)
BALL = 1 - x**2 - y**2 - z**2


def point(gap, weight=0.0, e=0.0, rubs=False, mu=0.2):
    wall = da.OneSided(gap, restitution=e, name="wall", nature=da.Coulomb(mu), impact_friction=rubs)
    return da.System.from_particles([da.Particle(1, q)], potential=weight * z, constraints=[wall])


@pytest.mark.parametrize("rubs", [False, True])
@pytest.mark.parametrize(
    ("gap", "start"),
    [
        (x - z, {x: 1}),
        (1 + y - z, {}),
        (x - 2 * z, {x: 1}),
        ((x - z) / sqrt(2), {x: 1}),
        (sin(x) - z, {x: 1}),
        (BALL, {z: 0.5, x: 0.1, Y: 0.2}),
        (BALL, {x: 0.1, Y: 0.2}),
    ],
    ids=str,
)
def test_free_flight(gap, start, rubs) -> None:
    """Where an entry of the gradient is −1, or none, as where it is anything else."""
    motion = point(gap, weight=9.81, rubs=rubs).simulate(start, until=0.1)
    begin = [float(start.get(k, 0)) for k in (*q, X, Y, Z)]
    fallen = [begin[0] + 0.1 * begin[3], begin[1] + 0.1 * begin[4], begin[2] - 0.04905, *begin[3:5], -0.981]
    assert_allclose(motion.end_values, fallen, atol=1e-14)


@pytest.mark.parametrize("normal", [(0, 0, 1), (1, 1, 1), (0.3, -0.5, 1), (1, 0, 0), (1, -1, 0.01)], ids=str)
@pytest.mark.parametrize("mu", [0.2, 2.0])
def test_an_oblique_impact_on_a_wall_of_any_slope(normal, mu) -> None:
    """The impulse along the wall opposes the velocity along it, by μ (1 + e) |v_n|, or stops it."""
    n, v, e = np.array(normal) / np.linalg.norm(normal), np.array([1.3, 0.5, -0.7]), 0.5
    v = v if v @ n < 0 else -v
    gap = sum(Float(c) * k for c, k in zip(3 * n, q, strict=True))
    start = dict(zip((*q, X, Y, Z), [*(0.1 * n), *v], strict=True))
    motion = point(gap, e=e, rubs=True, mu=mu).simulate(start, until=1.0)
    into = v @ n
    along = v - into * n
    kept = max(0.0, 1 - mu * (1 + e) * abs(into) / np.linalg.norm(along))
    assert_allclose(motion.end_values[3:], kept * along - e * into * n, atol=1e-13)
    assert motion.verify().passed


@pytest.mark.parametrize("rise", [0.0, -0.5])
def test_an_impact_on_the_equator_of_a_ball_and_beside_it(rise) -> None:
    """There the gradient has no part along z."""
    start = {x: 0.1, X: 1.0, Y: 0.3, Z: rise}
    motion = point(BALL, e=Rational(1, 2), rubs=True, mu=0.01).simulate(start, until=1.0)
    (event,) = (event for event in motion.events if event.kind == "impact")
    there, v = np.array(event.state[:3]), np.array([1.0, 0.3, rise])
    into = v @ there
    along = v - into * there
    kept = 1 - 0.01 * 1.5 * into / np.linalg.norm(along)
    assert_allclose(event.state[3:], kept * along - 0.5 * into * there, atol=1e-13)
