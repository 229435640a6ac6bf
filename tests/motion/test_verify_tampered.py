"""A motion that was tampered with fails, by the check that is about what was changed."""

from dataclasses import replace

import numpy as np
import pytest
from sympy import symbols
from sympy.physics.mechanics import dynamicsymbols

from motion.systems import pendulum

x, y = dynamicsymbols("x y")
m, g = symbols("m g", positive=True)


def failed(motion):
    """The names of the checks that fail."""
    return {check.name for check in motion.verify().checks if not check.passed}


def changed(motion, **fields):
    """The same motion with other fields, on the same steps."""
    other = replace(motion, **fields)
    vars(other)["_dense"] = vars(motion)["_dense"]
    return other


@pytest.mark.parametrize("engine", ["taylor", "plain"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("where", [0, 7, -1])
def test_a_sample_that_is_no_number(engine, bad, where):
    motion = pendulum().simulate({x: 1.0}, 2.0, engine=engine, samples=21)
    assert not failed(motion)
    states = motion.y.copy()
    states[0, where] = bad
    assert "samples" in failed(changed(motion, y=states))
