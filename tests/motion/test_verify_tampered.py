"""A motion that was tampered with fails, by the check that is about what was changed."""

from dataclasses import replace

import numpy as np
import pytest
from sympy import Rational, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert import gallery
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


@pytest.fixture(scope="module")
def gallery_motion():
    """Motions of the gallery, each moved once."""
    kept = {}

    def moved(name, **options):
        key = name, tuple(options)
        kept[key] = kept.get(key) or da.System.load(gallery.path(name)).simulate(**options)
        return kept[key]

    return moved


def later(motion, place, delay):
    """The events, one of them told later."""
    events = list(motion.events)
    events[place] = events[place]._replace(time=events[place].time + delay)
    return tuple(events)


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "kind", "delay"), [("rough-ring", "stick", 0.3), ("bouncing-ball", "rest", 0.05)])
@pytest.mark.parametrize("share", [1.0, 1e-3, -1e-3])
def test_an_event_told_at_another_time(gallery_motion, name, kind, delay, share):
    """Nothing moves after it, so that its state says nothing of the time."""
    motion = gallery_motion(name)
    place = max(k for k, event in enumerate(motion.events) if event.kind == kind)
    assert "events" in failed(changed(motion, events=later(motion, place, share * delay)))


@pytest.mark.compiled
@pytest.mark.parametrize("fields", [{"name": "nobody"}, {"before": "foo", "after": "bar"}, {"kind": "rest"}])
def test_an_impact_of_nobody(gallery_motion, fields):
    motion = gallery_motion("bouncing-ball")
    events = (motion.events[0]._replace(**fields), *motion.events[1:])
    assert "events" in failed(changed(motion, events=events))


@pytest.mark.compiled
@pytest.mark.parametrize("delay", [0.0, 1e-3, 0.1])
def test_an_impact_told_twice(gallery_motion, delay):
    motion = gallery_motion("bouncing-ball")
    time = motion.events[0].time + delay
    twice = motion.events[0]._replace(time=time, state=tuple(motion.at(time).tolist()))
    assert "events" in failed(changed(motion, events=(motion.events[0], twice, *motion.events[1:])))


@pytest.mark.compiled
def test_friction_that_slips_before_its_bound():
    """The motion of a block on a belt that holds 0.4 N at most, said to be one that is held by 0.48 N."""
    k, mu, static = symbols("k mu static", positive=True)
    rub = da.Coulomb(mu, static=static, sliding=x.diff() - Rational(1, 2))
    system = da.System.from_lagrangian(
        m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y - k * x**2 / 2,
        [x, y],
        constraints=[da.Holonomic(y, "belt", nature=rub)],
        parameters={m: 1.0, g: 9.81, k: 10.0, mu: 0.2, static: 0.4},
    )
    motion = system.simulate({x: 0.0, x.diff(): 0.5}, until=5.0)
    assert any(event.kind == "slip" for event in motion.events)
    assert not failed(motion)
    values = motion.values.copy()
    values[list(system.symbols).index(static)] = 0.48
    assert "events" in failed(changed(motion, values=values))


@pytest.mark.parametrize("engine", ["taylor", "plain"])
def test_work_of_one_force_told_of_another(engine):
    """The sum is right, and so is the energy; a rod that is rigid does no work."""
    motion = pendulum().simulate({x: 1.0}, 2.0, engine=engine, samples=21)
    works, ended = motion.works.copy(), motion.end_works.copy()
    for each, t in ((works, motion.t), (ended, motion.end_time)):
        each[0] -= 5 * t
        each[1] += 5 * t
    assert failed(changed(motion, works=works, end_works=ended)) == {"works"}


@pytest.mark.parametrize("engine", ["taylor", "plain"])
@pytest.mark.parametrize("what", ["acceleration", "ideal", "multipliers", "reactions"])
@pytest.mark.parametrize("factor", [1.001, np.nan])
def test_one_force_at_one_sample(engine, what, factor):
    motion = pendulum().simulate({x: 1.0}, 2.0, engine=engine, samples=101)
    values = getattr(motion.along, what).copy()
    values[57] *= factor
    other = changed(motion)
    vars(other)["along"] = motion.along._replace(**{what: values})
    assert "forces" in failed(other)
