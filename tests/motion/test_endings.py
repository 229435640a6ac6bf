"""Every way a run can end says in words what happened, and keeps what was computed."""

import pickle
import re
import time
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Rational, acos, cos, log, oo, sin, sqrt, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.engine import deadline
from motion.systems import angle_pendulum, g, pendulum, t, theta, x, y

pytest.importorskip("heyoka", reason="heyoka has wheels for Linux only")
BOTH = pytest.mark.parametrize("engine", ["taylor", "plain"])


@BOTH
def test_a_blow_up_in_finite_time(engine):
    """x'' = 6x² from x = x' = …: x = 1/(1 − t)² has a pole at t = 1."""
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 + 2 * x**3, [x])
    motion = system.simulate({x: 1.0, x.diff(): 2.0}, until=3.0, engine=engine, throw=False)
    assert motion.status.ending == "broken"
    assert re.search(r"at t = (1|0\.9999\d*),", motion.status)
    assert "equation of x" in motion.status
    assert motion.end_time == pytest.approx(1.0, abs=1e-6)
    early = motion.t < 0.9
    assert early.sum() > 50
    assert_allclose(motion.y[0, early], 1 / (1 - motion.t[early]) ** 2, rtol=1e-11)
    assert np.isfinite(motion.y).all()
    assert all(np.isfinite(part).all() for part in motion.along)
    with pytest.raises(da.RunError) as caught:
        system.simulate({x: 1.0, x.diff(): 2.0}, until=3.0, engine=engine)
    assert caught.value.motion.end_time == pytest.approx(1.0, abs=1e-6)
    assert str(caught.value) == str(caught.value.motion.status)


@BOTH
@pytest.mark.parametrize(
    ("potential", "blamed"),
    [(sqrt(x), "sqrt(x)"), (log(x), "the equation of x grows"), (-acos(x - 1), "sqrt")],
    ids=["sqrt", "log", "acos"],
)
def test_the_edge_of_a_domain_names_the_sub_expression(engine, potential, blamed):
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 - potential, [x])
    motion = system.simulate({x: 1.0, x.diff(): -3.0}, until=10.0, engine=engine, throw=False, max_seconds=20)
    assert motion.status.ending == "broken"
    assert blamed in motion.status
    assert np.isfinite(motion.y).all()
    assert 0.1 < motion.end_time < 1.0


@BOTH
def test_a_start_outside_the_domain_is_an_error(engine):
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 - sqrt(x), [x])
    with pytest.raises(da.StateError, match=r"1/sqrt\(x\) does not exist"):
        system.simulate({x: -1.0}, until=1.0, engine=engine)


def test_rows_that_come_to_contradict_each_other():
    """cos t and its Taylor polynomial agree at first."""
    rows = [da.Holonomic(x - cos(t), "cosine"), da.Holonomic(x - 1 + t**2 / 2 - t**4 / 24, "polynomial")]
    system = da.System.from_lagrangian((x.diff() ** 2 + y.diff() ** 2) / 2, [x, y], constraints=rows)
    motion = system.simulate({x: 1.0}, until=3.0, throw=False)
    assert motion.status.ending == "off the constraints"
    assert "'cosine'" in motion.status
    assert "'polynomial'" in motion.status
    assert 0 < motion.end_time < 1.5
    assert_allclose(motion.y[0], np.cos(motion.t), atol=1e-6)


def test_rows_that_contradict_at_once_are_an_error():
    rows = [da.Nonholonomic(x.diff() - t, "one"), da.Nonholonomic(x.diff() - 2 * t, "two")]
    system = da.System.from_lagrangian(x.diff() ** 2 / 2, [x], constraints=rows)
    with pytest.raises(da.ContradictionError, match="one"):
        system.simulate({x: 0.0}, until=1.0)


def test_a_mass_matrix_that_leaves_a_direction_free_is_an_error():
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 - y * x, [x, y])
    with pytest.raises(da.MassError):
        system.simulate({x: 0.0}, until=1.0)


def test_limits():
    few = pendulum().simulate({x: 1.0}, until=100.0, max_steps=20, throw=False)
    assert few.status.ending == "step limit"
    assert few.statistics["steps"] == 20
    assert few.end_time == few.t[-1] < 3
    begin = time.perf_counter()
    short = pendulum().simulate({x: 1.0}, until=1e9, max_seconds=2.0, throw=False, samples=10)
    assert short.status.ending == "wall-clock limit"
    assert time.perf_counter() - begin < 7
    assert 0 < short.end_time < 1e9
    assert np.abs(short.y[0] ** 2 + short.y[1] ** 2 - 1).max() < 1e-12


def test_the_seconds_count_from_the_call():
    """Nothing is left of them after a compilation that took longer."""
    motion = pendulum().simulate({x: 1.0}, until=1e9, max_seconds=1e-6, throw=False, samples=10)
    assert motion.status.ending == "wall-clock limit"
    assert motion.end_time == 0.0


def test_progress_is_told_and_can_stop_the_run():
    seen = []

    def tell(progress):
        seen.append(progress)
        return len(seen) < 4

    motion = pendulum().simulate({x: 1.0}, until=1e6, progress=tell, samples=100)
    assert motion.status.ending == "stopped"
    assert motion.status.ok
    assert [p.fraction for p in seen] == sorted(p.fraction for p in seen)
    assert seen[-1].time == motion.end_time > 0
    assert seen[-1].steps == motion.statistics["steps"]


def test_the_keyboard_leaves_what_was_computed():
    calls = []

    def stop(progress):
        calls.append(progress)
        if len(calls) == 3:
            raise KeyboardInterrupt

    with pytest.raises(da.Interrupted) as caught:
        pendulum().simulate({x: 1.0}, until=1e6, progress=stop)
    assert isinstance(caught.value, KeyboardInterrupt)
    motion = caught.value.motion
    assert motion.status.ending == "interrupted"
    assert motion.end_time == calls[-1].time > 0
    calls.clear()
    kept = pendulum().simulate({x: 1.0}, until=1e6, progress=stop, throw=False)
    assert kept.status.ending == "interrupted"


def test_a_motion_does_not_change_and_can_be_sent():
    motion = angle_pendulum().simulate({theta: 1.0}, until=2.0)
    with pytest.raises(FrozenInstanceError):
        motion.t = None
    for array in (motion.t, motion.y, motion.works, motion.along.energy, motion.residual, motion.end_values):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(TypeError):
        motion.statistics["steps"] = 0
    again = pickle.loads(pickle.dumps(motion))
    assert again.system == motion.system
    assert again.status == motion.status
    assert again.status.ending == motion.status.ending
    assert np.array_equal(again.y, motion.y)
    failed = da.System.from_lagrangian(x.diff() ** 2 / 2 + x**3, [x]).simulate(
        {x: 1.0, x.diff(): 1.0}, until=9.0, throw=False
    )
    error = pickle.loads(pickle.dumps(da.RunError(failed)))
    assert error.motion.status == failed.status


def test_at_gives_any_time_of_the_run():
    system = pendulum()
    fine = system.simulate({x: 1.0}, until=5.0, samples=501)
    coarse = system.simulate({x: 1.0}, until=5.0, samples=3)
    assert_allclose(coarse.at(fine.t), fine.y, atol=1e-12)
    assert coarse.at(2.5).shape == (4,)
    assert np.array_equal(coarse.at(2.5), coarse.y[:, 1])
    chosen = system.simulate({x: 1.0}, until=5.0, samples=[1.0, 2.0])
    assert list(chosen.t) == [1.0, 2.0]
    assert_allclose(chosen.at([0.0, 0.5, 4.9]), fine.at([0.0, 0.5, 4.9]), atol=1e-12)
    for wrong in (-0.1, 5.1, np.nan, [[1.0]]):
        with pytest.raises(da.StateError, match="not a time of this motion"):
            coarse.at(wrong)


def test_motions_are_continued_and_joined():
    system = pendulum()
    whole = system.simulate({x: 1.0}, until=4.0, samples=401)
    half = system.simulate({x: 1.0}, until=2.0, samples=201)
    joined = half.resume(4.0, samples=201)
    assert_allclose(joined.t, whole.t, atol=1e-15)
    assert_allclose(joined.y, whole.y, atol=1e-12)
    assert_allclose(joined.along.energy, 0, atol=1e-12)
    assert joined.statistics["steps"] >= half.statistics["steps"] + 1
    assert_allclose(
        (half + system.simulate(half, 4.0, samples=[3.0, 4.0])).y[:, -2:], whole.y[:, [300, 400]], atol=1e-12
    )
    with pytest.raises(da.StateError, match="begins at"):
        half + half
    with pytest.raises(da.StateError, match="different parameter values"):
        half + system.simulate(half, 4.0, parameters={g: 3.0})


def test_work_goes_on_over_a_joint():
    system = da.System.from_lagrangian(x.diff() ** 2 / 2, [x], forces={x: 2.0})
    motion = system.simulate({}, until=1.0).resume(3.0)
    assert_allclose(motion.works[0], 2 * motion.t**2, atol=1e-12)
    assert_allclose(motion.balance, 0, atol=1e-12)


def faults(call):
    with pytest.raises(da.ModelError) as caught:
        call()
    return caught.value.faults


def test_everything_wrong_with_a_run_is_told_at_once():
    m, k = symbols("m k")
    system = da.System.from_lagrangian(m * x.diff() ** 2 / 2 - k * x**2, [x])
    found = faults(
        lambda: system.simulate(
            {x: float("nan"), "y": 1},
            until=-1.0,
            tolerance=-1e-9,
            samples=0,
            parameters={"c": 1},
            engine="fast",
            compile="no",
            singular="jump",
            max_steps=0,
            max_seconds=-1,
            drift=0,
        )
    )
    text = "\n".join(found)
    for words in (
        "parameters k, m", "c is not a parameter", "y, which is neither", "until is -1, which is not after",
        "tolerance is -1e-09", "samples is 0", "engine is 'fast'", "compile is 'no'", "singular is 'jump'",
        "max_steps is 0", "max_seconds is -1", "drift bound is 0",
    ):  # fmt: skip
        assert words in text, words


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"until": 0.0}, "not after the start"),
        ({"until": float("inf")}, "until is inf"),
        ({"until": None}, "say until when"),
        ({"t0": float("nan")}, "start time t0 is nan"),
        ({"start": {x: float("inf")}}, "x the value inf"),
        ({"start": 3}, "give a mapping"),
        ({"tolerance": 0.0}, "tolerance is 0"),
        ({"tolerance": 2.0}, "tolerance is 2"),
        ({"samples": 1}, "samples is 1"),
        ({"samples": -5}, "samples is -5"),
        ({"samples": 2.5}, "samples is 2.5"),
        ({"samples": "many"}, "samples is 'many'"),
        ({"samples": []}, "samples is []"),
        ({"samples": [0.0, 0.0, 1.0]}, "do not increase"),
        ({"samples": [0.0, 2.0]}, "outside the run"),
        ({"samples": [0.0, float("nan")]}, "not finite"),
        ({"samples": ["0", "1"]}, "samples is ['0', '1']"),
        ({"samples": [False, True]}, "samples is [False, True]"),
        ({"samples": np.True_}, "samples is"),
        ({"samples": 1j}, "samples is 1j"),
        ({"throw": "no"}, "throw is 'no', True or False is meant"),
        ({"throw": 0}, "throw is 0"),
        ({"engine": np.array(["plain", "taylor"])}, "engine is"),
        ({"compile": None}, "compile is None"),
        ({"singular": ["stop"]}, "singular is ['stop']"),
        ({"max_step": float("nan")}, "max_step is nan"),
        ({"max_step": -float("inf")}, "max_step is -inf"),
        ({"max_step": True}, "max_step is True"),
        ({"max_steps": 2.5}, "a whole number is meant"),
        ({"max_seconds": "1"}, "max_seconds is '1'"),
        ({"drift": float("inf")}, "a finite number above zero is meant"),
        ({"progress": True}, "progress is True"),
        ({"parameters": [1.0]}, "give a mapping"),
    ],
)
def test_wrong_input(given, words):
    asked = {"start": {x: 1.0}, "until": 1.0} | given
    assert any(words in fault for fault in faults(lambda: pendulum().simulate(**asked)))


def test_an_infinite_limit_is_none():
    """No bound on the length, the number or the time of steps is the same motion, bit by bit."""
    bare = pendulum().simulate({x: 1.0}, until=1.0)
    for none in (float("inf"), np.float64("inf"), oo):
        limits = {"max_step": none, "max_steps": none, "max_seconds": none}
        np.testing.assert_array_equal(pendulum().simulate({x: 1.0}, until=1.0, **limits).y, bare.y)


def test_an_inconsistent_start_shows_each_residual():
    start = {x: 1.0, y: 0.5, x.diff(): 0.3, y.diff(): 0.0}
    found = faults(lambda: pendulum().simulate(start, until=1.0))
    assert found == ("constraint 'rod': residual 0.25, rate 0.6",)
    nearest = pendulum().start(start)
    assert pendulum().simulate(nearest, until=1.0).status.ok


def test_what_the_start_leaves_open_is_solved_or_asked_for():
    motion = pendulum().simulate({x: 1.0, y.diff(): -2.0}, until=1.0)
    assert_allclose(motion.y[:, 0], [1.0, 0.0, 0.0, -2.0], atol=1e-15)
    moving = pendulum().simulate({x: 0.6, y: -0.8, x.diff(): 0.8}, until=1.0)
    assert_allclose(moving.y[:, 0], [0.6, -0.8, 0.8, 0.6], atol=1e-14)
    both = faults(lambda: pendulum().simulate({x: 0.6}, until=1.0))
    assert "y = 0.8 or y = -0.8" in both[0]
    assert any("rod" in f for f in faults(lambda: pendulum().simulate({x: 3.0}, until=1.0)))


def test_a_statement_brings_its_own_start_and_end():
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 - x**2 / 2, [x], initial={x: 2}, until=np.pi)
    motion = system.simulate()
    assert motion.end_time == np.pi
    assert_allclose(motion.y[0], 2 * np.cos(motion.t), atol=1e-14)


def test_a_motion_says_in_a_line_what_it_is_and_at_length_what_happened():
    motion = pendulum().simulate({x: 1.0}, until=2.0)
    assert repr(motion) == "<Motion of 'pendulum': 201 samples from t = 0 to 2, finished>"
    assert "finished: reached t = 2" in str(motion)
    assert motion.summary().as_dict()["status"] == motion.status


@pytest.mark.parametrize(("side", "speed", "end"), [(1, 0.0, 1.117488717), (-1, 5.0, None)])
def test_a_bead_at_the_end_of_the_branch_of_a_root_ends_the_run(side, speed, end) -> None:
    """On y = ±√(1 − x²) there is no way on at x = 1; near it the row is ever steeper, and known ever less well."""
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2 - 9.81 * y, [x, y], constraints=[da.Holonomic(y - side * sqrt(1 - x**2))]
    )
    with pytest.raises(da.RunError, match=r"sqrt\(1 - x\*\*2\) does not exist") as error:
        system.simulate({x: 0.1, x.diff(): speed}, until=1.5, max_seconds=60)
    motion = error.value.motion
    assert motion.status.ending in ("broken", "unresolved")
    assert motion.end[x] > 0.999
    if end is not None:
        assert_allclose(motion.end_time, end, rtol=1e-4)


def test_a_force_that_jumps_is_not_said_to_grow() -> None:
    """A pull of one towards the middle, through it: its direction jumps there."""
    system = da.System.from_lagrangian((x.diff() ** 2 + y.diff() ** 2) / 2 - sqrt(x**2 + y**2), [x, y])
    with pytest.raises(da.RunError, match=r"the acceleration of y jumps there, from -0\.8 to 0\.8"):
        system.simulate({x: 0.6, y: 0.8}, until=60.0)


def test_mass_that_constraints_leave_none_of_is_no_loss_of_rank():
    """Along x the mass left is 1 − sin² x − cos² x/4 = ¾ cos² x: it vanishes at π/2, where the rows are independent."""
    z = dynamicsymbols("z")
    system = da.System.from_lagrangian(
        (x.diff() ** 2 - y.diff() ** 2 - z.diff() ** 2) / 2,
        [x, y, z],
        constraints=[da.Holonomic(y - cos(x)), da.Holonomic(z - sin(x) / 2)],
    )
    motion = system.simulate({x: 0.2, x.diff(): 1.0}, until=2.0, throw=False)
    assert motion.status.ending == "singular"
    assert "the mass matrix is singular at t = 0.8" in motion.status
    assert "no mass is left" in motion.status
    assert "rank" not in motion.status


@pytest.mark.parametrize(("engine", "rows"), [
    ("taylor", []), ("taylor", [da.OneSided(y, restitution=1)]), ("plain", []),
], ids=["taylor", "switches", "plain"])  # fmt: skip
@pytest.mark.parametrize("ended", [{"max_seconds": 1e-9}, {"progress": lambda now: False}], ids=["seconds", "stopped"])
def test_a_motion_of_no_step_can_be_looked_at(engine, rows, ended):
    falls = da.System.from_lagrangian(y.diff() ** 2 / 2 - 10 * y, [y], constraints=rows)
    motion = falls.simulate({y: 1.0}, until=1e3, engine=engine, throw=False, **ended)
    assert motion.end_time == 0.0
    assert motion.status.ending in ("wall-clock limit", "stopped")
    assert motion.verify().passed
    assert "0" in str(motion.summary())
    assert float(motion.dataset.energy[0]) == 10.0


@pytest.mark.parametrize("scale", [Rational(1), Rational(10**6), Rational(1, 10**6)])
@pytest.mark.parametrize("apart", [7, 10])
def test_rows_that_are_nearly_parallel_are_named_with_what_to_state_instead(apart, scale):
    """A hinge of two rods with pivots close together: what they differ by, over that, is the row that is missing."""
    (z,) = dynamicsymbols("z,")
    small = Rational(1, 10**apart)
    rod, other = (scale * (x - d) ** 2 + scale * y**2 + scale * z**2 - scale * (1 + d**2) for d in (0, small))
    L = scale * ((x.diff() ** 2 + y.diff() ** 2 + z.diff() ** 2) / 2 - 9.81 * z)
    at = {x: 0.0, y: 0.6, z: -0.8, x.diff(): 0.0, y.diff(): 0.4, z.diff(): 0.3}
    near = [da.Holonomic(rod, name="rod"), da.Holonomic(other, name="other rod")]
    with pytest.raises(da.StateError, match=r"rows of 'rod', 'other rod' are independent to .*differ by, divided"):
        da.System.from_lagrangian(L, [x, y, z], constraints=near).simulate(at, until=1.0)
    said = da.Holonomic(((rod - other) / (scale * small)).expand(), name="hinge")
    moved = da.System.from_lagrangian(L, [x, y, z], constraints=[near[0], said]).simulate(at, until=1.0)
    assert moved.verify().passed


@pytest.mark.parametrize("beside", [1e-7, 1e-9])
def test_rows_that_are_nearly_dependent_at_one_place_are_told_by_their_angle(beside):
    """Viviani's curve beside its node, where sphere and cylinder touch: their normals differ by about half of that."""
    z = dynamicsymbols("z")
    on = [da.Holonomic(x**2 + y**2 + z**2 - 4, "sphere"), da.Holonomic((x - 1) ** 2 + y**2 - 1, "cylinder")]
    system = da.System.from_particles([da.Particle(1, (x, y, z))], constraints=on)
    a = 2 * np.pi - beside
    state = {x: 1 + np.cos(a), y: -np.sin(beside), z: 2 * np.sin(beside / 2)}
    slope = {x.diff(): np.sin(beside), y.diff(): np.cos(a), z.diff(): np.cos(a / 2)}
    with pytest.raises(da.StateError, match=r"independent to 5e-\d+ of their length only.*begin farther off") as caught:
        system.simulate(state | slope, until=1.0)
    assert f"{beside / 2:.1g}" in str(caught.value)


def test_no_compilation_begins_after_the_time_is_over():
    """A start is all that is known of a system for which nothing was compiled in time."""
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2 - 9.7 * y, [x, y], constraints=[da.Holonomic(x**2 + y**2 - 1.21)]
    )
    with deadline(time.perf_counter() - 10.0):
        motion = system.simulate({x: 1.1}, until=1.0, max_seconds=1e3, throw=False)
    assert motion.status == "wall-clock limit: 1000 s have passed at t = 0 of 1"
    assert motion.end_time == 0.0
    assert list(motion.end_values) == [1.1, 0.0, 0.0, 0.0]
    assert "wall-clock limit" in str(motion.summary())
    assert not motion.verify().passed
    assert "nothing but the start is known of the motion" in motion.verify().text()
    assert motion.dataset.sizes["time"] == 0
    assert system.simulate({x: 1.1}, until=1.0, max_seconds=1e3).success
    assert motion.resume(until=1.0, max_seconds=1e3).verify().passed


def test_nothing_is_said_of_contacts_of_which_nothing_was_compiled_in_time():
    """Nor of friction: how they begin is not known."""
    floor = da.OneSided(y, nature=da.Coulomb(0.2))
    system = da.System.from_lagrangian((x.diff() ** 2 + y.diff() ** 2) / 2 - 9.7 * y, [x, y], constraints=[floor])
    with deadline(time.perf_counter() - 10.0):
        motion = system.simulate({x: 1.1}, until=1.0, max_seconds=1e3, throw=False)
    assert (motion.status.ending, motion.mode_at(0.0), motion.verify().passed) == ("wall-clock limit", None, False)
    assert "wall-clock limit" in str(motion.summary())
    motion.plot()
    assert motion.resume(until=1.0, max_seconds=1e3).verify().passed
