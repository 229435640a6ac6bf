"""A mass point on a rough plane, whichever of its coordinates the plane is about."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Rational
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z = dynamicsymbols("x y z")
NORMALS = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, -3)]
ORDERS = [(0, 1, 2), (1, 2, 0), (2, 1, 0)]


@pytest.mark.parametrize("normal", NORMALS)
@pytest.mark.parametrize("order", ORDERS)
def test_it_slides_straight_until_it_stops(normal, order) -> None:
    """Pressed by a force along the normal, slowed by μN: it stops after v/(μN), v²/(2μN) away."""
    n = np.array(normal) / np.linalg.norm(normal)
    way = np.linalg.svd(n[None, :])[2][1]  # in the plane
    q = [x, y, z]
    velocities = [c.diff() for c in q]
    pressing = 10 * sum(c * k for c, k in zip(q, normal, strict=True)) / Rational(int(np.dot(normal, normal)))
    load = 10 / np.linalg.norm(normal)
    plane = da.Holonomic(sum(c * k for c, k in zip(q, normal, strict=True)), nature=da.Coulomb(Rational(1, 4)))
    system = da.System.from_lagrangian(
        sum(v**2 for v in velocities) / 2 - pressing, [q[i] for i in order], constraints=[plane]
    )
    motion = system.simulate(dict(zip(velocities, way, strict=True)), until=3.0)
    (stick,) = motion.events
    assert stick.kind == "stick"
    assert_allclose(stick.time, 1 / (0.25 * load), rtol=1e-12)
    there = motion.at(3.0)[np.argsort(order)]
    assert_allclose(there, way / (2 * 0.25 * load), rtol=1e-12, atol=1e-13)
    assert motion.verify().passed
