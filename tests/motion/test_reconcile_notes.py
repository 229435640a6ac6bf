"""What a reconciliation says of its state besides the rows: off the constraints, in a contact, a contact that pulls."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dalembert as da
from motion.logs import log, states, swing
from motion.systems import g, m, pendulum, t, x, y

BALL = da.System.from_lagrangian(
    m * y.diff() ** 2 / 2 - m * g * y, [y], constraints=[da.OneSided(y, name="floor")], parameters={m: 1.0, g: 9.81}
)
REST = {y: 0.0, y.diff(): 0.0}


def test_a_contact_that_pulls_is_told():
    """The ball is pushed up by more than its weight: the floor would have to hold it back."""
    found = da.reconcile(BALL, REST, sigma={"force_y": 1.0}, measured={"force_y": 5.0})
    (note,) = found.notes
    assert "contact “floor” pulls (multiplier -5 ± 1)" in note
    assert "it would open" in note
    assert note in found.text()
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["notes"] == [note]
    assert not da.reconcile(BALL, REST, sigma={"force_y": 1.0}, measured={"force_y": -5.0}).notes
    assert not da.reconcile(BALL, REST, sigma={"force_y": 1.0}, measured={"force_y": 0.0}).notes


def test_the_side_of_a_contact_is_that_of_its_row():
    """A ceiling, 1 − y ≥ 0, holds a ball down and not up."""
    ceiling = da.System.from_lagrangian(y.diff() ** 2 / 2, [y], constraints=[da.OneSided(1 - y, name="ceiling")])
    state = {y: 1.0, y.diff(): 0.0}
    assert not da.reconcile(ceiling, state, sigma={"force_y": 1.0}, measured={"force_y": 3.0}).notes
    (note,) = da.reconcile(ceiling, state, sigma={"force_y": 1.0}, measured={"force_y": -3.0}).notes
    assert "“ceiling” pulls (multiplier -3 ± 1)" in note


def test_a_state_inside_a_contact_is_told():
    (note,) = da.reconcile(BALL, {y: -0.1, y.diff(): 0.0}).notes
    assert note == "The state is inside the contact “floor” (-0.1, not below 0): it is taken as closed."
    assert not da.reconcile(BALL, REST).notes


def test_a_state_off_the_constraints_is_told():
    on = {x: 0.6, y: -0.8, x.diff(): 0.8, y.diff(): 0.6}
    asked = {"sigma": {"x_ddot": 0.1}, "measured": {"x_ddot": 1.0}}
    assert not da.reconcile(pendulum(), on, **asked).notes
    off = {x: 3.0, y: -4.0, x.diff(): 4.0, y.diff(): 3.0}  # x² + y² − 1 = 24, over the length 10 of its gradient
    (note,) = da.reconcile(pendulum(), off, **asked).notes
    assert "The state is off the constraints, by 2.4 at “rod”" in note


def test_states_off_the_constraints_along_a_series_are_told():
    motion, data = swing(count=11, until=1.0)
    read = log(data, rows=("x_ddot",))
    asked = {"sigma": {"x_ddot": 0.05}, "measured": read}
    assert not da.reconcile(pendulum(), motion, **asked).notes
    table = states(data)
    shift = np.where(np.arange(11) == 4, 1.02, 1.0)
    moved = table.assign(x=table.x * shift, y=table.y * shift)
    found = da.reconcile(pendulum(), moved, **asked)
    (note,) = found.notes
    assert "1 of 11 states is off the constraints, the worst by 0.02 at “rod”, t = 0.4" in note
    assert note in found.text()
    assert found.as_dict()["notes"] == [note]


def test_a_system_without_mass_that_is_held():
    system = da.System.from_forces([[0]], [0], [x], constraints=[da.Holonomic(x - t**2, n) for n in "ab"])
    state = {x: 0.0, x.diff(): 0.0}
    assert_allclose(da.reconcile(system, state).acceleration, [2])
    assert system.verify(state).passed
    assert_allclose(da.principles.gauss(system.instant(state)).acceleration, [2])
    with pytest.raises(da.MassError):
        da.reconcile(da.System.from_forces([[0]], [0], [x]), state)
