"""The tape: the same numbers as SymPy's own evaluation, and an error that names what does not exist."""

import math

import numpy as np
import pytest
import sympy as sp
from hypothesis import HealthCheck, assume, given, settings
from mpmath import mpf

import dalembert as da
from dalembert.derive.tape import FUNCTIONS, Tape
from derive.trees import exact, points, symbols, trees, x, y, z


def at(expr, **values):
    return Tape(symbols, [expr])([values.get(s.name, 0.0) for s in symbols])[0]


@settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(trees, points)
def test_equals_mpmath(expr, point):
    """Where there is a real number the tape has it, and where there is none it says so.

    The tolerance is what a change of the point in the 13th digit does to the value.
    """
    expected = exact(expr, point)
    values = [float(point[s]) for s in symbols]
    if expected is None:
        with pytest.raises(da.StateError):
            Tape(symbols, [expr])(values)
        return
    near = exact(expr, {s: v * (1 + mpf("1e-13")) + mpf("1e-14") for s, v in point.items()})
    assume(near is not None and abs(near - expected) < 1e-3 * (1 + abs(expected)))  # not on an edge or a jump
    found = Tape(symbols, [expr])(values)[0]
    assert found == pytest.approx(float(expected), rel=1e-11, abs=1e-11 + 100 * float(abs(near - expected)))


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if issubclass(f, sp.Function)], ids=lambda f: f.__name__)
@pytest.mark.parametrize("value", [-2.5, -1.0, -0.5, 0.0, 0.25, 1.0, 3.0])
def test_each_function_at_special_places(function, value):
    if function is sp.Piecewise:
        expr = sp.Piecewise((x, x > 0), (x**2, True))
    elif function is sp.atan2:
        expr = sp.atan2(x, -1)
    else:
        expr = function(x)
    expected = expr.subs(x, sp.Rational(value)).evalf(30)  # SymPy's own, with its own branches
    if not expected.is_real or not expected.is_finite:
        with pytest.raises(da.StateError):
            at(expr, x=value)
    else:
        assert at(expr, x=value) == pytest.approx(float(expected), rel=1e-14, abs=1e-15)


class TestWhatDoesNotExist:
    @pytest.mark.parametrize(
        ("expr", "culprit"),
        [
            (3 + sp.sin(sp.sqrt(x) + y) * z, "sqrt(x)"),
            (1 / (x + 1) + y, "1/(x + 1)"),
            (sp.exp(sp.log(x) * y), "log(x)"),
            (sp.asin(2 * x) ** 2, "asin(2*x)"),
            (sp.floor(y + 2) * sp.sqrt(x), "sqrt(x)"),
            (sp.Max(sp.sqrt(x), y), "sqrt(x)"),
            (sp.exp(1000 - 1000 * x) - y, "exp(1000 - 1000*x)"),
            ((x - 1) ** sp.Rational(1, 3), "(x - 1)**(1/3)"),
            (x ** (y + sp.Rational(1, 2)), "x**(y + 1/2)"),
        ],
    )
    def test_is_named(self, expr, culprit):
        with pytest.raises(da.StateError) as caught:
            at(expr, x=-1.0)
        assert [fault.split(" does not exist")[0] for fault in caught.value.faults] == [culprit]

    def test_every_output_is_named_once(self):
        tape = Tape(symbols, [sp.sqrt(x), sp.log(y) + 1, 2 * sp.sqrt(x), z])
        with pytest.raises(da.StateError) as caught:
            tape([-1.0, -1.0, 1.0])
        assert len(caught.value.faults) == 2
        assert tape([4.0, 1.0, 5.0]) == [2.0, 1.0, 4.0, 5.0]

    def test_overflow_of_a_product_is_named(self):
        with pytest.raises(da.StateError, match="not finite"):
            at(x * y, x=1e200, y=1e200)

    @pytest.mark.parametrize(
        "condition", [sp.sqrt(x) > 1, sp.sqrt(x) < 1, sp.Ne(sp.log(x), 1), sp.Eq(sp.sqrt(x), y), ~(sp.sqrt(x) > y)]
    )
    def test_a_condition_that_does_not_exist_decides_nothing(self, condition):
        """Neither branch is taken: a number here would be a guess."""
        with pytest.raises(da.StateError, match="does not exist"):
            at(sp.Piecewise((1, condition), (2, True)), x=-1.0)

    @pytest.mark.parametrize(
        ("condition", "value"),
        [
            (sp.And(sp.sqrt(x) > 1, y > 5), 2.0),
            (sp.And(y > 5, sp.log(x) > 1), 2.0),
            (sp.Or(sp.sqrt(x) > 1, y < 5), 1.0),
        ],
    )
    def test_unless_the_rest_settles_it(self, condition, value):
        assert at(sp.Piecewise((1, condition), (2, True)), x=-1.0) == value

    def test_no_branch(self):
        with pytest.raises(da.StateError, match="no condition"):
            at(sp.Piecewise((1, x > 0)), x=-1.0)


class TestBranches:
    def test_one_that_is_not_taken_need_not_exist(self):
        root = sp.Piecewise((sp.sqrt(x), x >= 0), (-1, True))
        assert at(root, x=-4.0) == -1.0
        assert at(root, x=4.0) == 2.0
        assert at(sp.Piecewise((0, sp.Eq(x, 0)), (sp.sin(x) / x, True)), x=0.0) == 0.0

    def test_one_that_is_taken_must(self):
        with pytest.raises(da.StateError, match="log"):
            at(sp.Piecewise((sp.log(x), x < 0), (0, True)), x=-4.0)

    def test_first_condition_wins(self):
        steps = sp.Piecewise((1, x < 1), (2, x < 2), (3, True))
        assert [at(steps, x=v) for v in (0.0, 1.0, 2.0)] == [1.0, 2.0, 3.0]

    def test_whole_numbers_compare_as_numbers(self):
        assert at(sp.Piecewise((1, sp.Eq(sp.floor(x), 2)), (0, True)), x=2.5) == 1.0
        assert at(sp.Piecewise((1, sp.floor(x) + y > 2), (0, True)), x=2.5) == 0.0


class TestMaking:
    def test_what_has_no_number_is_refused_at_once(self):
        for expr, word in (
            (sp.Function("F")(x), "definition"),
            (sp.Symbol("w"), "w has no value"),
            (sp.gamma(x), "gamma"),
        ):
            with pytest.raises(da.ModelError, match=word):
                Tape(symbols, [expr])

    def test_a_shared_part_is_one_step(self):
        part = sp.sin(x * y)
        together = Tape(symbols, [part + 1, part * z, part**2])
        assert sum(step.expr == part for step in together.steps) == 1

    def test_depth(self):
        """As deep as a model file may nest, and more."""
        deep = x
        for _ in range(250):
            deep = sp.sin(deep, evaluate=False)
        value = 0.5
        for _ in range(250):
            value = math.sin(value)
        assert Tape([x], [deep])([0.5]) == [value]

    def test_numbers_of_numpy(self):
        """They divide by zero with a warning and an infinity; here they are floats like all others."""
        with pytest.raises(da.StateError, match="1/x"):
            Tape([x], [sp.atan(1 / x)])([np.float64(0.0)])
        assert Tape([x], [sp.sign(x)])([np.float64(-2.0)]) == [-1.0]

    def test_constants_and_inputs_as_outputs(self):
        assert Tape(symbols, [sp.pi, 7, x, sp.Rational(1, 3)])([2.0, 0.0, 0.0]) == [math.pi, 7.0, 2.0, 1 / 3]
