"""No step counts that does not obey the equation of motion, by whatever way it came to be kept."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from sympy import Symbol, sqrt

import dalembert as da
from dalembert.derive.switching import gates
from dalembert.motion.smooth import run
from motion.systems import t, x

pytest.importorskip("heyoka", reason="heyoka has wheels for Linux only")
v = x.diff()
TIMES = [1.0, 2.0, 3.0]
BLOWS_UP = 3.68322


def truth():
    """x'' = −|x v| − x, which grows without bound a little later."""
    rates = solve_ivp(
        lambda _, s: [s[1], -abs(s[0] * s[1]) - s[0]], (0, 3), [1, 0], "DOP853", TIMES, rtol=1e-12, atol=1e-13
    )
    return rates.y


@pytest.mark.parametrize("until", [3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 10.0, 15.0])
@pytest.mark.parametrize("as_root", [False, True], ids=["modulus", "root"])
def test_the_motion_does_not_depend_on_where_it_is_to_end(as_root, until, monkeypatch):
    force = -sqrt(x**2 * v**2) - x
    if as_root:
        one = Symbol("unseen", positive=True)  # another statement, of which nothing is kept
        force = -one * sqrt(x**2 * v**2) - x
        monkeypatch.setattr(gates, "roots_of_squares", lambda *_: None)
    given = {"parameters": {one: 1.0}} if as_root else {}
    motion = da.System.from_forces([[1]], [force], [x], **given).simulate({x: 1.0}, until=until, throw=False)
    assert motion.success == (until < BLOWS_UP)
    assert abs(motion.end_time - min(until, BLOWS_UP)) < 1e-5
    assert_allclose(motion.at(TIMES), truth(), rtol=1e-9)
    assert motion.statistics["largest_defect"] <= 64 * np.finfo(float).eps
    assert [round(event.time, 5) for event in motion.events] == [1.29383]


def test_what_nobody_faulted_still_does_not_finish(monkeypatch):
    monkeypatch.setattr(run, "first_problem", lambda _: None)
    motion = da.System.from_forces([[1]], [t**45 - x], [x]).simulate({}, until=3.0, throw=False)
    assert motion.status.ending == "unresolved"
    assert "does not obey its equation" in motion.status
