"""What may act within a small part of the way is told from what shows in a series from afar."""

import pytest
from sympy import cosh, exp, sin, sqrt, symbols, tanh
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.engine import is_narrow

t = dynamicsymbols._t
x, y = dynamicsymbols("x y")
c, w, p = symbols("c w p", positive=True)

NARROW = [sin(t) ** 30, 1 / (1 + ((x - 5) / w) ** 8), exp(-(((t - 5) / w) ** 2)), 1 / cosh((x - c) / w), tanh(x / w)]
NARROW += [1 / (1 + exp(-x / w)), x.diff() ** p, exp(-c * (1 - sin(t))), -(x**19), (1 + (x / w) ** 4) ** (-0.5)]
WIDE = [-c * x, sin(c * t), exp(-c * t), -(x**3), 1 / sqrt(x**2 + y**2), 1 / (1 + x**2), c**12 * x, 1 / exp(c * t)]


@pytest.mark.parametrize("force", NARROW, ids=str)
def test_narrow(force) -> None:
    assert is_narrow(_under(force))


@pytest.mark.parametrize("force", WIDE, ids=str)
def test_wide(force) -> None:
    assert not is_narrow(_under(force))


def _under(force):
    return da.System.from_forces([[1, 0], [0, 1]], [force, 0], [x, y])
