"""A motion whose steps are too many to be kept: to look at it anywhere costs going over it once, and no bit differs."""

from dataclasses import replace

import numpy as np
import pytest
from sympy import Rational, cos, sign, sqrt
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.motion import trajectory
from dalembert.motion.move import move
from dalembert.motion.record import Limits, Settings

x, y = dynamicsymbols("x y")
t = dynamicsymbols._t


def springs(until=4.0):
    """Two hard springs, one dragged by |v| v: many switches, each with a state of its own."""
    energy = sum(q.diff() ** 2 / 2 - w**2 * q**2 / 2 - 100 * sqrt(1 + q**2) for q, w in ((x, 20), (y, 23)))
    system = da.System.from_lagrangian(energy, [x, y], forces={x: -Rational(1, 10) * abs(x.diff()) * x.diff()})
    return system.simulate({x: 1.0, y: 1.1}, until)


def balls(until=3.0):
    touch = [da.OneSided(q, restitution=1) for q in (x, y)]
    system = da.System.from_lagrangian(sum(q.diff() ** 2 / 2 - 9.81 * q for q in (x, y)), [x, y], constraints=touch)
    return system.simulate({x: 0.05, y: 0.07}, until)


def belts(until=4.0):
    energy = 0.01 * (x.diff() ** 2 + y.diff() ** 2) / 2 - 0.0981 * y - 3 * x**2 / 2
    rubs = da.Coulomb(0.3, static=0.5, sliding=x.diff() - 0.1)
    return da.System.from_lagrangian(energy, [x, y], constraints=[da.Holonomic(y, nature=rubs)]).simulate({}, until)


def pendulum(until=20.0):
    energy, rod = (x.diff() ** 2 + y.diff() ** 2) / 2 - 9.81 * y, da.Holonomic(x**2 + y**2 - 1)
    return da.System.from_lagrangian(energy, [x, y], constraints=[rod]).simulate({x: 1.0}, until)


MOTIONS = pytest.mark.parametrize("made", [springs, balls, belts, pendulum], ids=lambda made: made.__name__)


@pytest.fixture
def passes(monkeypatch):
    """How often a motion was gone over again."""
    count = []

    def counted(*args, **options):
        count.append(1)
        return move(*args, **options)

    monkeypatch.setattr(trajectory, "move", counted)
    return count


def without_steps(motion):
    """The same motion as one that had no room for its steps."""
    return replace(motion)


@MOTIONS
def test_its_certificate_goes_over_it_once(made, passes):
    motion = made()
    expected = motion.verify().as_dict()
    assert not passes
    long = without_steps(motion)
    assert long.verify().as_dict() == expected
    assert len(passes) == 1
    assert not {"_gone_over", "_legs"} & {*vars(long)}  # nothing so large is left behind


@MOTIONS
def test_states_between_its_samples_go_over_it_once(made, passes):
    motion = made()
    times = np.linspace(motion.begin_time, motion.end_time, 37)
    expected = motion.at(times)
    long = without_steps(motion)
    found = np.column_stack([long.at(time) for time in times])
    assert np.array_equal(found, expected)
    assert len(passes) == 1


@MOTIONS
def test_one_too_long_even_for_that_is_gone_over_a_few_times(made, passes, monkeypatch):
    motion = without_steps(made())
    monkeypatch.setattr(trajectory, "AGAIN", 0)
    found = motion.verify()
    assert found.passed, found.text()
    assert len(passes) <= 3  # for how large it was, for all states that are known to be asked for, for the windows


@MOTIONS
def test_the_summary_goes_over_it_once(made, passes):
    motion = without_steps(made())
    str(motion.summary())
    assert len(passes) <= 1


def test_room_decides_nothing():
    """A run that leads nowhere is ended, whatever is kept of its steps: this one had no room for any."""
    v = x.diff()
    drag = da.System.from_forces([[1]], [-sign(v) * abs(v) ** Rational(1, 3) + cos(t) - 4 * x], [x])
    limits = Limits(40_000, np.inf, 256 * 2.0**-52, "stop", room=0)
    start = np.array([1.0, 0.0])
    record = move(drag, np.zeros(0), Settings("taylor", 2.0**-52), 0.0, start, np.zeros(0), 9.0, limits).record
    assert record.dense is None
    assert record.status.ending == "unresolved"
    assert "the equations are stiff there" in record.status
