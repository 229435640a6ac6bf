"""Bounds over boxes hold every value in them: of single functions, of whole expressions, of slopes."""

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert.derive.intervals import bounds
from dalembert.derive.tape import Tape
from dalembert.model import StateError

x, y = sp.symbols("x y", real=True)
EXPRESSIONS = [
    sp.sin(x), sp.cos(x), sp.tan(x), sp.exp(x), sp.log(x), sp.sqrt(x), sp.asin(x), sp.acos(x), sp.atan(x), sp.sinh(x),
    sp.cosh(x), sp.tanh(x), sp.asinh(x), sp.acosh(x), sp.atanh(x), sp.Abs(x), sp.sign(x), sp.Heaviside(x),
    sp.Max(x, y), sp.Min(x, y), sp.floor(x), sp.ceiling(x), 1 / x, x**2, x**3, x**-2, x**4, x ** sp.Rational(3, 2),
    x ** sp.Rational(-1, 3), x**y, sp.atan2(y, x), sp.Piecewise((x, y > 0), (x**2, True)),
    x * y - sp.sin(x * y) / (1 + x**2), sp.sqrt(x**2 + y**2) - 1, (x**2 + y**2 - 1) ** 3 - x**2 * y**3,
    sp.exp(-((x - y) ** 2)) * sp.cos(3 * x) + y / (x - 2), sp.log(x + sp.cosh(y)), sp.atan(sp.tan(x)),
]  # fmt: skip
number = st.floats(-6, 6)


@pytest.mark.parametrize("e", EXPRESSIONS, ids=str)
@settings(max_examples=60, deadline=None)
@given(a=number, b=number, wide=st.floats(0, 4), tall=st.floats(0, 4))
def test_every_value_lies_within(e, a, b, wide, tall) -> None:
    tape = Tape([x, y], [e, e * y - 1])
    low, high = (part[:, 0] for part in bounds(tape, np.array([[a], [b]]), np.array([[a + wide], [b + tall]])))
    for s in np.linspace(0, 1, 9):
        for r in (0.0, 0.37, 1.0):
            try:
                values = np.array(tape([min(a + s * wide, a + wide), min(b + r * tall, b + tall)]))
            except StateError:  # it does not exist there: nothing is to be bounded
                continue
            assert (low <= values).all()
            assert (values <= high).all()


@pytest.mark.parametrize("e", [sp.sin(x), sp.cos(x), sp.tan(x)], ids=str)
@settings(max_examples=200, deadline=None)
@given(
    turns=st.integers(-150_000, 150_000), quarter=st.integers(0, 3), wide=st.floats(0, 1e-3), off=st.floats(-1e-3, 1e-3)
)
def test_many_turns_away_from_zero(e, turns, quarter, wide, off) -> None:
    a = (turns + quarter / 4) * 2 * np.pi + off
    tape = Tape([x, y], [e])
    low, high = bounds(tape, np.array([[a], [0.0]]), np.array([[a + wide], [0.0]]))
    for s in np.linspace(0, 1, 7):
        value = tape([min(a + s * wide, a + wide), 0.0])[0]
        assert low[0, 0] <= value <= high[0, 0]


@pytest.mark.parametrize("e", [sp.sqrt(x), sp.log(x), sp.asin(x - 3), x ** sp.Rational(1, 3)], ids=str)
def test_what_exists_nowhere_in_a_box_is_told(e) -> None:
    low, _ = bounds(Tape([x, y], [e + 1]), np.array([[-5.0, 3.5], [0, 0]]), np.array([[-4.0, 3.6], [0, 0]]))
    assert np.isnan(low[0]).tolist() == [True, False]


def test_bounds_become_sharp() -> None:
    e = x * y - sp.sin(x * y) / (1 + x**2)
    tape, widths = Tape([x, y], [e]), []
    for half in (1e-2, 1e-4, 1e-6):
        low, high = bounds(tape, np.array([[0.7 - half], [1.3 - half]]), np.array([[0.7 + half], [1.3 + half]]))
        widths.append(float((high - low)[0, 0]) / half)
    assert max(widths) < 20
