"""Whatever finite state, time and values a system is evaluated at: finite arrays, or an error in words."""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Max, Piecewise, cos, exp, gamma, log, sqrt, symbols, tan
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert import gallery
from principles.support import laws

x, y = dynamicsymbols("x y")
X, Y = x.diff(), y.diff()
a, c = symbols("a c", real=True)
ODD = {
    "root": ((X**2 + Y**2) / 2, [da.Holonomic(sqrt(c - 5) * x - y)]),
    "maximum": ((1 + Max(1 / x, 2)) * X**2 / 2 + Y**2, []),
    "exponential": ((X**2 + Y**2) / 2, [da.Holonomic(exp(1000 * x) - exp(500) - y)]),
    "pole": (X**2 / x + Y**2 * tan(y) + log(x) * c, [da.Nonholonomic(X / cos(y) - Y * a, nature=da.Viscous(a / x))]),
    "power": ((X**2 + Y**2) / 2 - x**c * y**a, [da.Holonomic(x * y - c, nature=da.Coulomb(a))]),
    "branches": (X**2 / 2 + Y**2 * Piecewise((1 / x, x > 0), (c, True)), []),
    "product": (X * Y - x * y, [da.Holonomic(a * x - c * y)]),
    "massless": (X**2 / 2, [da.Holonomic(a * (y - x**2), nature=da.Quadratic(c))]),
    "follows": ((X**2 + Y**2) / 2, [da.Holonomic(x**2 + y**2 - c, "r", da.Prescribed({x: a * da.multiplier("r")}))]),
}  # fmt: skip
SYSTEMS = {name: da.System.from_lagrangian(L, [x, y], constraints=rows) for name, (L, rows) in ODD.items()}
SYSTEMS |= {name: da.System.load(gallery.path(name)) for name in gallery.names()}
NUMBERS = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 0.5, 2.0, 5e-324, -1e-300, 1e300, -1e300, 1e150, 1e-17]),
    st.floats(-1e300, 1e300),
    st.floats(-10, 10),
)
IN_WORDS = (da.ModelError, da.InstantError, da.MassError, da.ContradictionError)


@pytest.mark.parametrize("name", SYSTEMS)
@settings(laws, max_examples=40)
@given(data=st.data())
def test_numbers_or_words(name, data):
    """No error or warning of NumPy, LAPACK, SymPy or Python itself comes out; warnings count as errors here."""
    system = SYSTEMS[name]
    state = {key: data.draw(NUMBERS) for key in (*system.coordinates, *system.velocities)}
    values = {s: data.draw(NUMBERS) for s in system.symbols}
    with suppress(*IN_WORDS):
        now = system.instant(state, data.draw(NUMBERS), values)
        assert all(np.isfinite(part).all() for part in (now.M, now.Q, now.A, now.b, now.C))
    with suppress(*IN_WORDS):
        assert np.isfinite(system.verify(state, 0.0, values).answer.acceleration).all()
    with suppress(*IN_WORDS):
        assert np.isfinite(da.reconcile(system, state, parameters=values).acceleration).all()


def test_a_function_without_numbers_is_named():
    odd = da.System.from_lagrangian(X**2 / 2 - gamma(x), [x])
    with pytest.raises(da.ModelError, match="gamma"):
        odd.instant({x: 1.0, X: 0.0})
