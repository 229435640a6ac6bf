"""The course of a motion across switches: the time in each mode, events in few lines, and what is off a constraint."""

from dataclasses import replace
from functools import cache
from itertools import pairwise
from math import asin, pi, sqrt

import numpy as np
import pytest
from sympy import Abs, sign, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert import gallery
from dalembert.derive import form
from dalembert.derive.switching.modes import switches
from dalembert.motion import Event
from dalembert.show.course import MANY, Course, Stay, counts, course, events_listed, modes_listed, phrases, violation
from dalembert.show.layout import listed
from gallery_models import SMOOTH, SWITCHING

pytestmark = pytest.mark.compiled
x, y = dynamicsymbols("x y")
m, g, k, mu = symbols("m g k mu", positive=True)


@cache
def moved(name):
    return da.System.load(gallery.path(name)).simulate()


def bounces(count):
    return tuple(Event(0.1 * i, "impact", "table", "open", "open") for i in range(count))


@pytest.mark.parametrize("name", SWITCHING)
def test_the_time_in_all_modes_is_that_of_the_motion(name):
    motion = moved(name)
    found = course(motion)
    assert sum(stay.duration for stay in found.stays) == pytest.approx(motion.end_time, rel=1e-14)
    spans = sorted(span for stay in found.stays for span in stay.spans)
    assert all(end == begin for (_, end), (begin, _) in pairwise(spans))
    assert all(stay.words for stay in found.stays)
    assert len({stay.words for stay in found.stays}) == len(found.stays)


@pytest.mark.parametrize("name", SWITCHING)
def test_modes_are_called_as_in_the_dataset(name):
    motion = moved(name)
    known, meaning = switches(form(motion.system)), motion.dataset.mode.attrs["meaning"]
    for episode in motion.episodes:
        assert all(phrase in meaning for phrase in phrases(known, episode.mode))


@pytest.mark.parametrize("name", SMOOTH)
def test_what_is_smooth_has_no_modes(name):
    motion = moved(name)
    assert course(motion) == Course()
    assert motion.summary().as_dict()["modes"] == []


def test_what_is_so_in_every_mode_is_said_once():
    found = course(moved("rod"))
    assert found.always == "floor closed, floor slips forward"
    assert [stay.words for stay in found.stays] == ["wall closed, wall slips backward", "wall open"]
    assert course(moved("hemisphere")).always == ""


def test_a_mode_that_comes_again_is_counted():
    """A block on a spring: it slips half periods of m x'' = −k x ± mu m g, and holds where k |x| <= mu m g."""
    floor = da.Holonomic(y, name="floor", nature=da.Coulomb(mu))
    block = da.System.from_lagrangian(
        m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y - k * x**2 / 2,
        [x, y],
        constraints=[floor],
        parameters={m: 1.0, g: 9.81, k: 20.0, mu: 0.1},
    )
    motion = block.simulate({x: 0.5}, 5.0)
    half, loss = pi / sqrt(20), 0.981 / 20
    turns = int((0.5 / loss + 1) // 2)  # each half swing is shorter by 2 mu m g/k
    found = {stay.words: stay for stay in course(motion).stays}
    assert len(found["floor slips backward"].spans) + len(found["floor slips forward"].spans) == turns == 5
    assert found["floor slips forward"].duration == pytest.approx(3 * half, rel=1e-9)  # left of the normal, to −x
    assert found["floor slips backward"].duration == pytest.approx(2 * half, rel=1e-9)
    assert found["floor sticks"].duration == pytest.approx(5 - 5 * half, rel=1e-9)
    assert counts(motion.events) == {"reverse": 4, "stick": 1}


def test_switching_functions_are_named_by_what_they_switch_on():
    system = da.System.from_forces([[1]], [-sign(x - 1) - Abs(x)], [x])
    motion = system.simulate({x: 2.0}, 3.0)
    words = {phrase for stay in course(motion).stays for phrase in stay.words.split(", ")}
    assert words <= {"x - 1 > 0", "x - 1 < 0", "x > 0", "x < 0"}
    assert len(words) >= 3


def test_a_friction_that_is_off_is_not_said_to_press():
    """A rough floor that is left: what its force was is no matter in the air."""
    system = da.System.from_particles(
        [da.Particle(1.0, [x, y], (0, -9.81 + 40 * y + 12 * dynamicsymbols._t))],
        constraints=[da.OneSided(y, name="floor", nature=da.Coulomb(0.3))],
    )
    motion = system.simulate({x.diff(): 5.0}, 1.2)
    assert "release" in counts(motion.events)
    assert [stay.words for stay in course(motion).stays if "open" in stay.words] == ["floor open"]


class TestEvents:
    def test_few_are_listed_with_what_they_changed(self):
        lines = events_listed(moved("belt").events[:3], 80, "  ")
        assert lines[0].split() == ["at", "t", "event", "of", "from", "→", "to"]
        assert lines[1].split() == ["0.0690500607", "stick", "belt", "slips", "backward", "→", "sticks"]
        assert len(lines) == 4
        assert events_listed((), 80, "  ") == []

    @pytest.mark.parametrize("count", [1, MANY, MANY + 1, 200, 100_000])
    def test_many_are_condensed_and_counted(self, count):
        events = (*bounces(count - 1), Event(0.1 * count, "rest", "table", "open", "closed"))
        lines = events_listed(events, 80, "  ")
        assert len(lines) <= MANY + 1
        assert "rest" in lines[-1]
        if count > MANY:
            (more,) = [line for line in lines if "more" in line]
            assert more.endswith(f"… and {count - len(lines) + 2} more: in all {count - 1} × impact, 1 × rest")
        else:
            assert len(lines) == count + 1

    @pytest.mark.parametrize("width", [30, 40, 60, 110])
    def test_lines_fit(self, width):
        events = (*bounces(2), Event(0.123456789, "switch", "sign(" + "x + " * 40 + "y)", "> 0", "< 0"))
        lines = events_listed(events * 8, width, "  ")
        assert max(map(len, lines)) <= width
        assert all("0.123" in line for line in lines if "sign" in line)

    def test_events_that_change_no_mode(self):
        lines = events_listed((Event(0.5, "crossing", "|v| at rest"),), 80, "  ")
        assert lines == ["  at t  event     of", "  0.5   crossing  |v| at rest"]


class TestModes:
    def test_those_of_most_time_are_listed(self):
        stays = tuple(Stay(f"mode {i}", ((0.0, float(i)),)) for i in range(20))
        lines = modes_listed(Course("up", stays), 80, "  ")
        assert lines[1].split() == ["19", "1", "mode", "19"]
        assert lines[-2:] == ["  … and 8 more", "  always: up"]

    def test_the_ring(self):
        lines = modes_listed(course(moved("rough-ring")), 80, "  ")
        assert lines[0].split() == ["time", "spent", "times", "mode"]
        assert [line.split()[1:] for line in lines[1:4]] == [
            ["2", "ring", "slips", "backward"], ["1", "ring", "slips", "forward"], ["1", "ring", "sticks"],
        ]  # fmt: skip
        assert lines[4] == "  always: ring λ < 0"


def test_words_are_cut_where_a_table_is_too_wide():
    rows = [("a", "b" * 30, "c" * 50), ("aa", "b", "c")]
    (first, second) = listed(rows, 40, "  ")
    assert len(first) == 40
    assert first.count("…") == 2
    assert second.startswith("  aa  b  ")
    assert listed(rows, 100, "  ")[0] == f"  a   {'b' * 30}  {'c' * 50}"


def test_a_contact_is_off_its_constraint_only_where_it_is_closed_or_below():
    motion = moved("hemisphere")
    flying = motion.t > motion.events[0].time
    assert (motion.residual[flying, 0] > 0).all()
    assert not violation(motion).any()
    sunk = replace(motion)
    vars(sunk)["residual"] = np.where(flying[:, None], -1e-3, 2e-3)
    assert violation(sunk)[:, 0] == pytest.approx(np.where(flying, 1e-3, 2e-3))


class TestSummary:
    def test_impacts_have_work_of_their_own(self):
        found = moved("bouncing-ball").summary().as_dict()
        assert found["work"]["impact"] == pytest.approx(-0.981, rel=1e-9)
        gained = found["energy"]["end"] - found["energy"]["start"]
        assert gained == pytest.approx(sum(found["work"].values()), abs=1e-12)
        assert "-0.981 by impacts" in moved("bouncing-ball").summary().text()
        assert "by impacts" not in moved("hemisphere").summary().text()

    def test_contacts_take_no_freedom_until_they_touch(self):
        """Four walls are never touched all at once."""
        walls = [da.OneSided(f, 1, name=name) for f, name in zip((x, 1 - x, y, 1 - y), "nswe", strict=True)]
        box = da.System.from_particles([da.Particle(1, [x, y])], constraints=walls)
        summary = box.simulate({x: 0.5, y: 0.5, x.diff(): 1.0, y.diff(): asin(0.3)}, 20.0).summary()
        assert summary.freedom == 2
        assert "2 coordinates, 4 one-sided constraints, 2 degrees of freedom, fewer in contact" in summary.text()

    def test_some_of_the_constraints_are_one_sided(self):
        rows = [da.OneSided(x, name="wall"), da.Holonomic(y, name="rail"), da.Holonomic(2 * y, name="again")]
        system = da.System.from_lagrangian((x.diff() ** 2 + y.diff() ** 2) / 2 + x, [x, y], constraints=rows)
        summary = system.simulate({x: 1.0}, 1.0).summary()
        assert summary.freedom == 1
        assert "3 constraints (1 of them one-sided, 1 of them redundant), 1 degree of freedom" in summary.text(140)

    def test_a_program_reads_every_event(self):
        motion = moved("bouncing-ball")
        found = motion.summary().as_dict()
        assert len(found["events"]) == len(motion.events) > MANY
        assert found["events"][0]["kind"] == "impact"
        assert len(found["events"][0]["state"]) == len(found["end"])
        assert found["event_counts"]["rest"] == 1
        assert [mode["mode"] for mode in found["modes"]] == ["table open", "table closed"]
        assert sum(mode["time"] for mode in found["modes"]) == pytest.approx(5.0)
        assert found["statistics"]["switches"] > MANY
        assert f"steps over {found['statistics']['switches']} switches in" in motion.summary().text()
