"""The plain engine in any units: rows, masses and coordinates of any size move as their equivalents do."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z = dynamicsymbols("x y z")
X, Y = x.diff(), y.diff()


@pytest.mark.parametrize("power", [-8, -4, 0, 4, 8])
@pytest.mark.parametrize("mass", [1.0, 1e8])
def test_a_massless_coordinate_in_a_row_of_any_size(power, mass):
    """V = z with z = x y and no mass of z: (x + y)'' = −(x + y), (x − y)'' = x − y."""
    system = da.System.from_lagrangian(
        mass * ((X**2 + Y**2) / 2 - z), [x, y, z], constraints=[da.Holonomic(10.0**power * (z - x * y))]
    )
    motion = system.simulate({x: 1, y: 2, z: 2}, until=1.0, engine="plain")
    both, apart = 3 * np.cos(1), -np.cosh(1)
    assert_allclose(motion.y[:2, -1], [(both + apart) / 2, (both - apart) / 2], rtol=1e-11)


@pytest.mark.parametrize("light", [1e-4, 1e-8, 1e-12])
def test_a_light_coordinate_beside_a_heavy_one(light):
    system = da.System.from_lagrangian((X**2 + light * Y**2) / 2 - x, [x, y], constraints=[da.Holonomic(x - y)])
    motion = system.simulate({x: 0, y: 0}, until=1.0, engine="plain")
    assert_allclose(motion.y[:, -1], np.array([-0.5, -0.5, -1, -1]) / (1 + light), rtol=1e-12)


def test_an_indefinite_mass_matrix_is_refused_in_true_words():
    system = da.System.from_lagrangian(X * Y - x * y, [x, y])
    with pytest.raises(da.MassError, match="regular but indefinite"):
        system.simulate({x: 1, y: 2}, until=1.0, engine="plain")
