"""A two-sided constraint with a kink: the velocities jump as in a plastic impact, and that is told."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Abs, Max, Min, sign, sqrt
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z = dynamicsymbols("x y z")
t = dynamicsymbols._t


def wire(relation, potential=0, heavy=1, coordinates=(x, y)):
    energy = sum(q.diff() ** 2 for q in coordinates) / 2 + (heavy - 1) * y.diff() ** 2 / 2 - potential
    bent = da.Holonomic(relation, name="wire")
    return da.System.from_lagrangian(energy, list(coordinates), constraints=[bent])


def checked(motion):
    found = motion.verify()
    assert found.passed, found.text()
    return {check.name: check for check in found.checks}


@pytest.mark.parametrize("slope", [0.25, 0.5, 0.9])
@pytest.mark.parametrize("heavy", [1, 0.3])
@pytest.mark.parametrize("tolerance", [None, 1e-7])
def test_a_bead_at_the_corner_of_a_wire(slope, heavy, tolerance):
    """By hand: of (−1, −s) what is along (−1, s) in the metric of M stays, (1 − m s²)/(1 + m s²) of it."""
    options = {} if tolerance is None else {"tolerance": tolerance}
    motion = wire(y - slope * Abs(x), heavy=heavy).simulate({x: 0.3, x.diff(): -1.0}, until=0.5, **options)
    kept = (1 - heavy * slope**2) / (1 + heavy * slope**2)
    assert [(e.kind, e.name) for e in motion.events] == [("impact", "wire"), ("switch", "abs(x)")]
    assert_allclose(motion.events[0].time, 0.3, rtol=1e-12)
    assert_allclose(motion.events[0].state, [0, 0, -kept, slope * kept], atol=1e-12)
    assert_allclose(motion.end_values, [-0.2 * kept, 0.2 * slope * kept, -kept, slope * kept], atol=1e-12)
    lost = (1 + heavy * slope**2) / 2 * (1 - kept**2)
    assert_allclose(motion.dataset.impact_work[-1], -lost, rtol=1e-12)
    assert "kinks" in checked(motion)["impacts"].meaning


def test_a_relation_with_a_kink_in_time():
    """A floor that lifts at a time: the bead takes over its speed, and gains the energy of that."""
    motion = wire(y - Max(0, t - 1)).simulate({x.diff(): 1.0}, until=2.0)
    assert [e.kind for e in motion.events] == ["impact", "switch"]
    assert_allclose(motion.end_values, [2, 1, 1, 1], atol=1e-12)
    assert_allclose(motion.dataset.impact_work[-1], 0.5, rtol=1e-12)
    checked(motion)


def test_what_else_is_free_takes_no_part():
    """A third coordinate goes on as it was, and falls at its own rate."""
    motion = wire(y - Abs(x) / 2, potential=z, coordinates=(x, y, z)).simulate(
        {x: 0.3, x.diff(): -1.0, z.diff(): 2.0}, until=0.5
    )
    assert_allclose(motion.end_values[[2, 5]], [1 - 0.125, 1.5], atol=1e-12)
    checked(motion)


def test_friction_goes_on_after_the_corner():
    """Once round the corner the bead slows by friction along the other side; at the corner it takes no impulse."""
    rough = da.Holonomic(y - Abs(x) / 2, nature=da.Coulomb(0.1, sliding=x.diff()), name="wire")
    flat = (x.diff() ** 2 + y.diff() ** 2) / 2 - 9.81 * y
    motion = da.System.from_lagrangian(flat, [x, y], constraints=[rough]).simulate({x: 0.3, x.diff(): -2.0}, until=0.3)
    struck = next(e for e in motion.events if e.kind == "impact")
    before = motion.at(np.nextafter(struck.time, 0))[2]
    assert_allclose(struck.state[2], 0.6 * before, rtol=1e-12)
    checked(motion)


@pytest.mark.parametrize("relation", [y - Abs(x) * x / 2, y - Max(x, 0) ** 2])
def test_a_corner_that_is_smooth_is_none(relation):
    motion = wire(relation, potential=x).simulate({x: 0.3, x.diff(): -1.0}, until=0.5)
    assert "impact" not in {e.kind for e in motion.events}
    assert motion.end_works[3] == 0
    checked(motion)


def test_a_corner_that_leads_back_ends_the_run():
    """Beyond it the bead would have to go back at once: no law says how it goes on, and the impact is told."""
    motion = wire(y - 3 * Abs(x)).simulate({x: 0.3, x.diff(): -1.0}, until=0.5, throw=False)
    assert motion.status.ending == "paradox"
    assert "kink of 'wire'" in motion.status
    assert_allclose(motion.end_time, 0.3, rtol=1e-12)
    checked(motion)


def test_two_kinks_at_once():
    """A corner and a lift at the same time: (−1, −½) goes to the nearest of (−u, 1 + u/2), once."""
    motion = wire(y - Abs(x) / 2 - Max(0, t - 0.25)).simulate({x: 0.25, x.diff(): -1.0}, until=0.5)
    assert [e.kind for e in motion.events] == ["impact", "switch", "switch"]
    assert_allclose(motion.end_values, [-0.05, 0.275, -0.2, 1.1], atol=1e-12)
    checked(motion)


def test_two_corners_that_lead_back_end_the_run():
    other = da.Holonomic(z - Abs(x - y / 2))
    energy = sum(q.diff() ** 2 for q in (x, y, z)) / 2
    system = da.System.from_lagrangian(energy, [x, y, z], constraints=[da.Holonomic(y - Abs(x) / 2), other])
    motion = system.simulate({x: 0.25, x.diff(): -1.0}, until=0.5, throw=False)
    assert motion.status.ending == "paradox"


def test_a_step_is_no_kink():
    """A row of velocities that itself jumps still ends the run."""
    rolls = da.Nonholonomic(y.diff() - x.diff() * sign(x))
    system = da.System.from_lagrangian((x.diff() ** 2 + y.diff() ** 2) / 2, [x, y], constraints=[rolls])
    motion = system.simulate({x: 0.3, x.diff(): -2.0}, until=0.5, throw=False)
    assert motion.status.ending == "broken"
    assert not motion.events


@pytest.mark.parametrize("wrong", ["silent", "elastic", "sideways"])
def test_a_certificate_fails_where_the_law_is_another(wrong):
    """The same motion without the event; one that keeps its speed; one pushed along what is free as well."""
    motion = wire(y - Abs(x) / 2, coordinates=(x, y, z)).simulate({x: 0.3, x.diff(): -1.0}, until=0.5)
    told = motion.events
    if wrong == "silent":
        other = replace(motion, events=told[1:])
        vars(other)["_dense"] = vars(motion)["_dense"]
        names = {"events"}
    else:
        start = {x: 0.0, y: 0.0, x.diff(): -1.0 if wrong == "elastic" else -0.6}
        start |= {z.diff(): 0.5 if wrong == "sideways" else 0.0}
        start |= {y.diff(): -start[x.diff()] / 2}
        end = wire(y + x / 2, coordinates=(x, y, z)).simulate(start, until=0.5, t0=0.3)
        late = motion.t > 0.3
        y_new = motion.y.copy()
        y_new[:, late] = end.at(motion.t[late])
        other = replace(motion, y=y_new, end_values=end.end_values)
        legs = vars(motion)["_dense"]
        first = [leg for leg in legs if leg[0][0] < told[0].time]
        vars(other)["_dense"] = (*first, *vars(end)["_dense"])
        names = {"impacts"}
    assert names <= {check.name for check in other.verify().checks if not check.passed}


def test_the_speed_along_a_polygon():
    """A rod of many corners: at each the speed falls by the cosine of the angle that the wire turns by."""
    slopes = np.array([0.0, 0.2, 0.5, 1.1])
    bends = sum(float(b) * Max(0, x - k - 1) for k, b in enumerate(np.diff(slopes)))
    motion = wire(y - bends).simulate({x.diff(): 1.0}, until=5.0)
    angles = np.diff(np.arctan(slopes))
    speed = np.hypot(*motion.end_values[2:])
    assert [e.kind for e in motion.events].count("impact") == 3
    assert_allclose(speed, np.prod(np.cos(angles)), rtol=1e-12)
    assert_allclose(motion.end_works[3], (speed**2 - 1) / 2, rtol=1e-12)
    assert float(sqrt(2 * motion.along.energy[-1])) == pytest.approx(speed)
    checked(motion)


def dropped(gap, restitution=0.5):
    """A body that falls from (0, 1) onto a contact, under g = 10."""
    energy = (x.diff() ** 2 + y.diff() ** 2) / 2 - 10 * y
    floor = da.OneSided(gap, restitution=restitution, name="floor")
    return da.System.from_lagrangian(energy, [x, y], constraints=[floor])


@pytest.mark.parametrize("gap", [y - Abs(x), y + Abs(x) / 2, Min(y - x, y + x), y - Max(x, -x) / 2])
def test_a_corner_of_a_gap_that_is_struck_on_both_sides_ends_the_run(gap):
    """By symmetry it cannot go to the right, nor to the left; which impulses both sides give is not said."""
    motion = dropped(gap).simulate({y: 1.0}, until=1.0, throw=False)
    assert motion.status.ending == "paradox"
    assert "corner of its gap" in motion.status
    assert_allclose(motion.end_time, np.sqrt(0.2), rtol=1e-12)
    assert_allclose(motion.end_values[2], 0.0)
    checked(motion)


def test_at_rest_in_a_corner_of_a_gap_the_words_name_it():
    motion = dropped(y - Abs(x), 0).simulate({x: 0.3, y: 0.3}, until=1.0, throw=False)
    assert motion.status.ending == "paradox"
    assert "corner of its gap" in motion.status
    assert_allclose(motion.end_time, np.sqrt(0.12), rtol=1e-12)


@pytest.mark.parametrize("gap", [y - x * Abs(x), y + Abs(x) ** 3, Min(y, 7), y - Max(0, x - 1)])
def test_a_function_that_switches_without_a_corner_there_is_struck_as_any_other(gap):
    motion = dropped(gap, 1).simulate({y: 1.0}, until=1.0)
    left = 1 - np.sqrt(0.2)
    assert_allclose(motion.end_values[[1, 3]], [np.sqrt(20) * left - 5 * left**2, np.sqrt(20) - 10 * left])
    checked(motion)
