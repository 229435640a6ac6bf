"""The end of bounces where other contacts move: what arrives at that time with a speed is struck, and bounces on."""

import importlib

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Rational, cos, sin, sqrt
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from motion.falling import Falling, ends

x, y = dynamicsymbols("x y")

GROOVES = [
    ((1, 2), (1, 2), (3, 5), (-0.12, 1.0, -0.155)),  # e is −cos of the corner: a foot slides up as the other rests
    ((1, 2), (1, 1), (2, 5), (0.2977, 1.0, -0.5136)),
    ((1, 2), (1, 1), (3, 5), (-0.005, 1.0, 0.106)),
    ((1, 2), (1, 1), (3, 5), (0.046, 1.0, 0.9434)),
    ((7, 8), (7, 8), (11, 20), (-0.3521, 1.0, 0.6393)),
    ((9, 8), (3, 8), (1, 4), (-0.366, 1.0, -0.1938)),
]


def groove(right, left, e) -> da.System:
    """A ball over two slopes that meet in a corner."""
    a, b, e = (Rational(*each) for each in (right, left, e))
    sides = [da.OneSided(y - a * x, restitution=e, name="right"), da.OneSided(y + b * x, restitution=e, name="left")]
    return da.System.from_lagrangian((x.diff() ** 2 + y.diff() ** 2) / 2 - 9.81 * y, [x, y], constraints=sides)


def closed_at(motion) -> float:
    """When the last of the contacts closed."""
    return max(event.time for event in motion.events if event.after == "closed")


@pytest.mark.parametrize(("right", "left", "e", "start"), GROOVES)
def test_a_ball_in_a_groove_bounces_until_nothing_is_left(right, left, e, start) -> None:
    """One impact after the other, with sixty digits."""
    motion = groove(right, left, e).simulate({x: start[0], y: start[1], x.diff(): start[2]}, until=5.0)
    exact = Falling([1, 1], [0, -9.81], [[(-right[0], right[1]), 1], [left, 1]], [0, 0], [e, e])
    times = np.linspace(0.05, 4.95, 99)
    states, _, rests = exact.run(start[:2], [start[2], 0], 5, times)
    assert_allclose([motion.at(t) for t in times], states, atol=1e-9)
    assert_allclose(closed_at(motion), max(ends(rests).values()), atol=1e-8)
    assert [event.time for event in motion.events] == sorted(event.time for event in motion.events)
    assert motion.verify().passed


def test_a_contact_said_to_rest_that_arrives_at_full_speed_is_no_proof(monkeypatch) -> None:
    """The ball in the groove, stopped dead where the bounces of one side end and the other is struck."""
    bounces = importlib.import_module("dalembert.motion.hybrid.bounces")
    right_end = bounces.end_of

    def end_of(low):
        found = right_end(low)
        return dict.fromkeys(range(len(low.gaps)), max(found.values())) if found else {}

    monkeypatch.setattr(bounces, "end_of", end_of)
    right, left, e, start = GROOVES[0]
    motion = groove(right, left, e).simulate({x: start[0], y: start[1], x.diff(): start[2]}, until=5.0)
    assert motion.end[x.diff()] == 0.0
    assert closed_at(motion) < 2.45
    proof = motion.verify()
    assert "impacts" in [check.name for check in proof.checks if not check.passed]


STRINGS = [
    (Rational(1, 5), (0.2638, -0.0272, 0.5218, 0.0204, 0.0), None),
    (Rational(4, 5), (0.25, 0.0, 0.5, -0.098, 0.076), None),
    (
        Rational(1, 5),
        (0.26377932678579663, -0.02716476932166733, 0.5217907353409932, 0.020389958632381924, 0.0),
        0.21152663,
    ),
]


@pytest.mark.parametrize(("e", "start", "end"), STRINGS)
def test_masses_on_slack_strings_come_to_rest_where_they_pull(e, start, end) -> None:
    a, b, c, d = q = dynamicsymbols("a b c d")
    lengths = (sqrt(a**2 + b**2), sqrt((c - a) ** 2 + (d - b) ** 2), sqrt((c - 0.75) ** 2 + d**2))
    strings = [da.OneSided(0.3 - length, restitution=e) for length in lengths]
    system = da.System.from_lagrangian(sum(each.diff() ** 2 for each in q) / 2 - 9.81 * (b + d), q, constraints=strings)
    motion = system.simulate(dict(zip([*q, a.diff()], start, strict=True)), until=2.0)
    assert all(event.time <= motion.end_time for event in motion.events)
    if end is not None:
        assert_allclose(closed_at(motion), end, atol=1e-8)
    assert motion.verify().passed


def test_a_body_that_rocks_on_two_feet_comes_to_rest_when_its_last_rock_ends() -> None:
    """By its energy, rock after rock, with thirty digits."""
    th, z = dynamicsymbols("th z")
    half = Rational(1, 10)
    kinetic = (z.diff() ** 2 + (1 + half**2) / 3 * th.diff() ** 2) / 2
    feet = [da.OneSided(z + side * sin(th) - cos(th)) for side in (-half, half)]
    system = da.System.from_lagrangian(kinetic - 9.81 * z, [z, th], constraints=feet)
    motion = system.simulate({th: 0.05, z: 0.1 * np.sin(0.05) + np.cos(0.05)}, until=7.0)
    assert_allclose(closed_at(motion), 6.140911704, atol=2e-8)
    assert motion.verify().passed


@pytest.mark.parametrize(
    ("places", "start"), [((-1, 0, 1), (2.0, 0.3, 0.1)), ((-1, 1), (2.0, 0.11, 0.23)), ((-1, 1), (2.0, 0.2, 0.05))]
)
def test_a_plate_thrown_onto_its_feet_rests_on_all_of_them_and_gains_nothing(places, start) -> None:
    z, u, w = dynamicsymbols("z u w")
    kinetic = (z.diff() ** 2 + u.diff() ** 2 / 6 + w.diff() ** 2 / 6) / 2
    feet = [da.OneSided(z + i * u + j * w, restitution=Rational(1, 2)) for i in places for j in places]
    system = da.System.from_lagrangian(kinetic - 9.81 * z, [z, u, w], constraints=feet)
    motion = system.simulate(dict(zip((z, u, w), start, strict=True)), until=2.0)
    assert_allclose(motion.at(2.0), np.zeros(6), atol=1e-11)
    assert float(np.diff(motion.dataset.impact_work).max()) <= 1e-12
    assert motion.verify().passed
