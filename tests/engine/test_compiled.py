"""The compiled engine: nothing is compiled twice, heyoka's traps are met, modes agree."""

import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Max, floor, gamma, sin

import dalembert as da
from dalembert.engine import NotSmooth
from dalembert.engine.smoothness import SMOOTH_FUNCTIONS
from motion.systems import angle_pendulum, g, k, l, m, pendulum, t, theta, x, y

hy = pytest.importorskip("heyoka", reason="heyoka has wheels for Linux only")


def test_new_values_and_starts_compile_nothing(monkeypatch):
    system = pendulum()
    first = system.simulate({x: 1.0}, until=1.0)
    first.along  # noqa: B018

    def refuse(*_, **__):
        raise AssertionError("compiled again")

    monkeypatch.setattr(hy, "taylor_adaptive", refuse)
    monkeypatch.setattr(hy, "cfunc", refuse)
    for start, parameters in (({x: 0.5, y: -np.sqrt(0.75)}, None), ({x: 2.0}, {l: 2.0, g: 1.6})):
        motion = system.simulate(start, until=3.0, parameters=parameters)
        assert motion.statistics["compile_seconds"] == 0
        assert np.isfinite(motion.along.energy).all()
    renamed = da.System.from_lagrangian(
        system.unconstrained.function, [x, y], constraints=system.constraints, parameters={g: 3.7, l: 1.0, m: 2.0},
        name="other",
    )  # fmt: skip
    assert renamed.simulate({x: 1.0}, until=1.0).statistics["compile_seconds"] == 0


@pytest.mark.parametrize("mode", ["compact", "full"])
def test_both_modes_give_the_same_motion(mode):
    motion = angle_pendulum().simulate({theta: 1.0}, until=5.0, compile=mode)
    assert motion.statistics["compile"] == mode
    assert_allclose(motion.y, angle_pendulum().simulate({theta: 1.0}, until=5.0).y, atol=1e-13)


def test_functions_of_parameters_alone_do_not_switch():
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 - Max(abs(g), k) * x, [x], parameters={g: 2.0, k: 3.0})
    assert_allclose(system.simulate({}, until=2.0).y[0, -1], -6.0, rtol=1e-14)
    assert_allclose(system.simulate({}, until=2.0, parameters={k: 1.0}).y[0, -1], -4.0, rtol=1e-14)


def odd():
    """Switches in a Lagrangian, in a force and in a nature, where nothing presses on the table."""
    return da.System.from_lagrangian(
        x.diff() ** 2 / 2 - abs(x), [x, y], forces={x: Max(0, sin(t))}, name="odd",
        constraints=[da.Holonomic(y, "table", nature=da.Prescribed({x: -abs(da.multiplier("table"))}))],
    )  # fmt: skip


def test_the_plain_engine_refuses_everything_that_switches_by_name():
    with pytest.raises(NotSmooth) as caught:
        odd().simulate({}, until=1.0, engine="plain")
    text = str(caught.value)
    assert "System 'odd'" in text
    for part in ("Abs(x(t))", "Max(0, sin(t))", "nature of constraint 'table'"):
        assert part in text


def test_the_compiled_engine_moves_everything_that_switches():
    """The potential |x| holds up to the force 1, and the push sin t is no more: from rest it stays; else it swings."""
    assert_allclose(odd().simulate({}, until=10.0, max_steps=1000).y, 0.0, atol=1e-14)
    motion = odd().simulate({x: 0.5}, until=1.0)  # x'' = sin t − 1 until x = 0, after t = 1
    assert_allclose(motion.y[0], 0.5 + motion.t - np.sin(motion.t) - motion.t**2 / 2, atol=1e-13)


@pytest.mark.parametrize("engine", ["taylor", "plain"])
def test_a_function_that_nobody_can_move_is_refused_by_name(engine):
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 - floor(x), [x], forces={x: gamma(2 + x)}, name="steps")
    with pytest.raises(NotSmooth) as caught:
        system.simulate({}, until=1.0, engine=engine)
    for part in (
        "System 'steps'",
        "floor(x(t)) is not a function that can be moved",
        "gamma(x(t) + 2) is not a function that can be moved",
    ):
        assert part in str(caught.value)


def test_the_smooth_functions_are_those_that_can_be_compiled():
    from dalembert.engine.heyoka_algebra import SMOOTH

    assert set(SMOOTH) == set(SMOOTH_FUNCTIONS)


WITHOUT = """
import sys, warnings
class Without:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "heyoka":
            raise ModuleNotFoundError("No module named 'heyoka'", name="heyoka")
sys.meta_path.insert(0, Without())
import dalembert as da
from dalembert import gallery
system = da.System.load(gallery.path("rolling-disk"))
assert system.check().passed
assert system.equations().text()
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    one, two = system.simulate(samples=5), system.simulate(samples=5)
assert [str(w.message)[:24] for w in told] == ["heyoka is not installed,"], told
assert one.statistics["engine"] == "plain" and one.status.ok
assert one.at(0.3).shape == (4,)
assert one.dataset.x_dot.size if "x_dot" in one.dataset else one.dataset.theta.size
try:
    system.simulate(engine="taylor")
except da.ModelError as error:
    assert "needs heyoka" in str(error)
else:
    raise SystemExit("taylor without heyoka")
from dalembert.cli import run
assert run(["run", "rolling-disk"]) == 0
assert run(["derive", "rolling-disk"]) == 0
print("fine")
"""


def test_without_heyoka_the_plain_engine_does_it():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("fine\n")
