"""The certificate along a motion: it passes for every motion that is one, and fails for each that was tampered with."""

import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Abs, Rational, cos, sign, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert import gallery
from dalembert.motion.proofs import PROOFS
from dalembert.motion.tolerances import TABLE
from gallery_models import SMOOTH, SWITCHING
from motion.systems import (
    angle_pendulum,
    corners,
    driven_bead,
    falling_with_drag,
    four_bar,
    free_body,
    parallelogram,
    pendulum,
)

x, y, z, theta = dynamicsymbols("x y z theta")
t = dynamicsymbols._t
m, g, k, mu = symbols("m g k mu", positive=True)

MOVED = [*SMOOTH, *(pytest.param(name, marks=pytest.mark.compiled) for name in SWITCHING)]


def proved(motion):
    """The certificate of a motion, which must pass; it must be fit for JSON."""
    found = motion.verify()
    assert found.passed, found.text()
    assert isinstance(found, da.MotionCertificate)
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["passed"] is True
    return found


def failing(motion):
    """The names of the checks that fail, at least one."""
    found = motion.verify()
    names = {check.name for check in found.checks if not check.passed}
    assert names, found.text()
    assert not found.passed
    assert not found  # so that nobody takes one that failed for true
    assert found.text().startswith("FAILED")
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["passed"] is False
    return names


def names(found):
    return [check.name for check in found.checks]


def bouncing(restitution=0.8, **options):
    ball = da.System.from_particles(
        [da.Particle(m, (x, y))],
        potential=m * g * y,
        constraints=[da.OneSided(y, restitution, name="table")],
        parameters={m: 1.0, g: 9.81},
    )
    return ball.simulate({y: 1.0, x.diff(): 0.3}, 2.0, **options)


def belt():
    return da.System.load(gallery.path("belt")).simulate(until=4.0)


class TestPasses:
    @pytest.mark.parametrize("name", MOVED)
    def test_over_the_gallery(self, name):
        found = proved(da.System.load(gallery.path(name)).simulate())
        assert {*names(found), *found.left_out} == set(PROOFS)  # nothing is left out in silence
        assert found.ended

    def test_a_pendulum(self):
        found = proved(pendulum().simulate({x: 1.0}, 5.0))
        assert names(found) == [
            "steps",
            "retraced",
            "samples",
            "on constraints",
            "branches",
            "energy",
            "works",
            "principles",
            "forces",
        ]
        assert found.left_out["friction"] == "there is no dry friction"

    def test_without_constraints(self):
        found = proved(angle_pendulum().simulate({theta: 1.0}, 5.0))
        assert found.left_out["on constraints"] == "there are no constraints"

    def test_a_driven_constraint(self):
        proved(driven_bead()[0].simulate({x: 1.0}, 3.0))

    def test_redundant_rows(self):
        system = four_bar(3)
        places = dict(zip(corners, (0.0, 1.0, 1.4, 1.04), strict=True))
        proved(system.simulate(system.start(places), 2.0))

    def test_a_mass_matrix_singular_alone(self):
        system, e = free_body()
        proved(system.simulate({e[0]: 1.0, e[1].diff(): 0.3, e[2].diff(): 0.5, e[3].diff(): 0.02}, 20.0))

    def test_drag(self):
        proved(falling_with_drag().simulate({x.diff(): 1.0}, 2.0))

    def test_a_nonholonomic_constraint_with_a_drive(self):
        skate = da.System.from_lagrangian(
            m * (x.diff() ** 2 + y.diff() ** 2) / 2 + m * theta.diff() ** 2 / 2 - m * g * x * Rational(1, 10),
            [x, y, theta],
            constraints=[da.Nonholonomic(x.diff() * sin(theta) - y.diff() * cos(theta), "edge")],
            forces={theta: cos(t)},
            parameters={m: 2.0, g: 9.81},
        )
        proved(skate.simulate({x.diff(): 1.0, theta.diff(): 0.5}, 5.0))

    @pytest.mark.parametrize("tolerance", [1e-6, 1e-9, None])
    def test_any_tolerance(self, tolerance):
        proved(pendulum().simulate({x: 1.0}, 5.0, tolerance=tolerance))

    @pytest.mark.parametrize("tolerance", [1e-6, 1e-9, None])
    def test_the_plain_engine(self, tolerance):
        proved(pendulum().simulate({x: 1.0}, 2.0, engine="plain", tolerance=tolerance))

    @pytest.mark.parametrize("samples", [2, 11, [0.5, 0.7, 3.0]])
    def test_any_samples(self, samples):
        proved(pendulum().simulate({x: 1.0}, 3.0, samples=samples))

    @pytest.mark.parametrize("scale", [1e-9, 1e9])
    def test_any_units(self, scale):
        system = pendulum()
        values = {"m": 1.0, "g": 9.81 * scale, "l": scale}
        proved(system.simulate({x: scale}, 3.0, parameters=values))

    def test_joined_motions(self):
        first = pendulum().simulate({x: 1.0}, 2.0, tolerance=1e-8)
        found = proved(first.resume(4.0, tolerance=1e-15))
        assert found.times == (0.0, 4.0)

    def test_motions_of_both_engines_joined(self):
        proved(pendulum().simulate({x: 1.0}, 1.0, engine="plain").resume(2.0, engine="taylor"))

    def test_a_motion_from_a_file(self, tmp_path):
        motion = pendulum().simulate({x: 1.0}, 5.0)
        motion.save(tmp_path / "motion.nc")
        assert names(proved(da.Motion.load(tmp_path / "motion.nc"))) == names(proved(motion))

    def test_a_run_that_ends_early(self):
        q = dynamicsymbols("q")
        motion = da.System.from_forces([[1]], [q**2], [q]).simulate({q: 1.0, q.diff(): 0.9}, 10.0, throw=False)
        found = proved(motion)
        assert not found.ended
        assert "the run ended early" in found.text()
        assert str(motion.status) in found.text()

    def test_a_run_up_to_where_the_rank_drops(self):
        system, start = parallelogram()
        motion = system.simulate(start, 10.0, throw=False)
        assert not motion.success
        proved(motion)

    def test_a_run_of_no_length(self):
        found = pendulum().simulate({x: 1.0}, 1.0, max_steps=1, throw=False).verify()
        assert found.passed, found.text()


@pytest.mark.compiled
class TestSwitches:
    @pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
    def test_a_ball(self, restitution):
        found = proved(bouncing(restitution))
        assert {"gaps", "pushes", "impacts", "events", "modes"} <= {*names(found)}

    def test_a_ball_from_a_file(self, tmp_path):
        bouncing().save(tmp_path / "ball.nc")
        proved(da.Motion.load(tmp_path / "ball.nc"))

    def test_a_ball_in_two_parts(self):
        proved(bouncing().resume(4.0))

    @pytest.mark.parametrize("place", [0, 2, -1])
    def test_a_ball_cut_at_an_event(self, place):
        """At its end the state is that after the event; the rest of a ball is told a moment after its last impact."""
        ball = da.System.load(gallery.path("bouncing-ball"))
        cut = ball.simulate(until=ball.simulate().events[place].time)
        proved(cut)
        proved(cut.resume(5.0))

    def test_several_thousand_samples(self):
        proved(da.System.load(gallery.path("rough-ring")).simulate(samples=20001))

    def test_stick_and_slip(self):
        found = proved(belt())
        assert {"friction", "events"} <= {*names(found)}

    def test_a_function_that_switches(self):
        system = da.System.from_forces(
            [[m]], [-k * x - mu * sign(x.diff()) - Abs(x) / 10], [x], parameters={m: 1.0, k: 4.0, mu: 0.7}
        )
        proved(system.simulate({x: 3.0}, 6.0))

    def test_friction_by_the_actual_normal_force(self):
        proved(da.System.load(gallery.path("rod")).simulate())


@pytest.mark.compiled
class TestTampered:
    """Each change is small or looks harmless, and is found."""

    def test_samples_a_little_larger(self):
        motion = pendulum().simulate({x: 1.0}, 3.0)
        assert {"samples", "on constraints"} <= failing(_changed(motion, y=motion.y * (1 + 1e-6)))

    def test_one_sample_of_a_linear_system(self):
        system = da.System.from_forces([[m]], [-k * x], [x], parameters={m: 1.0, k: 4.0})
        motion = system.simulate({x: 1.0}, 3.0)
        larger = motion.y.copy()
        larger[:, 117] *= 1 + 1e-6
        assert "samples" in failing(_changed(motion, y=larger))
        assert {"samples", "energy"} & failing(_changed(motion, y=motion.y * (1 + 1e-6)))

    def test_a_motion_of_other_parameters(self):
        motion = pendulum().simulate({x: 1.0}, 3.0)
        assert "retraced" in failing(_changed(motion, values=motion.values * (1 + 1e-6)))

    def test_energy_from_nowhere(self):
        motion = pendulum().simulate({x: 1.0}, 3.0)
        works = motion.works.copy()
        works[0, 100:] += 1e-6
        assert failing(_changed(motion, works=works)) == {"energy", "works"}

    @pytest.mark.parametrize("samples", [201, [0.5, 0.7]])
    @pytest.mark.parametrize("kept", [True, False])
    def test_a_beginning_and_an_end_that_are_not_those_of_the_motion(self, kept, samples):
        motion = pendulum().simulate({x: 1.0}, 3.0, samples=samples)
        other = _changed if kept else replace
        proved(other(motion))
        assert "samples" in failing(other(motion, begin_values=motion.begin_values * (1 + 1e-6)))
        assert "samples" in failing(other(motion, end_values=motion.end_values * (1 + 1e-6)))
        assert "energy" in failing(other(motion, end_works=motion.end_works + 1e-6))

    def test_works_from_the_first_sample_on(self):
        motion = pendulum().simulate({x: 1.0}, 3.0)
        assert "energy" in failing(_changed(motion, works=motion.works + 1e-6, end_works=motion.end_works + 1e-6))

    def test_a_wrong_end_of_a_ball_that_has_bounced(self):
        motion = bouncing()
        assert "samples" in failing(_changed(motion, end_values=motion.end_values * (1 + 1e-6)))
        assert "energy" in failing(_changed(motion, end_works=motion.end_works + 1e-6))

    def test_steps_that_were_never_made(self):
        """More steps would excuse more of a stray of the energy."""
        motion = pendulum().simulate({x: 1.0}, 3.0)
        works = motion.works.copy()
        works[0, 100:] += 1e-6
        many = {**motion.statistics, "steps": 10**9}
        assert "energy" in failing(_changed(motion, works=works, statistics=many))

    @pytest.mark.parametrize("make", [bouncing, lambda: bouncing(1.0), belt])
    @pytest.mark.parametrize("place", [0, 1])
    def test_an_event_that_is_not_told(self, make, place):
        motion = make()
        left = (*motion.events[:place], *motion.events[place + 1 :])
        assert "events" in failing(_changed(motion, events=left))

    def test_an_event_that_never_was(self):
        motion = belt()
        invented = motion.events[0]._replace(time=0.5, kind="slip", before="sticks", after="slips forward")
        assert "events" in failing(_changed(motion, events=(*motion.events, invented)))

    def test_a_wrong_mode(self):
        motion = belt()
        episodes = list(motion.episodes)
        for rubs in ("sticks", "slips forward"):
            wrong = replace(episodes[2].mode, rubs=(rubs,))
            changed = (*episodes[:2], episodes[2]._replace(mode=wrong), *episodes[3:])
            assert {"modes", "on constraints"} & failing(_changed(motion, episodes=changed))

    def test_a_contact_said_to_be_closed(self):
        motion = bouncing()
        closed = replace(motion.episodes[0].mode, closed=(0,))
        changed = (motion.episodes[0]._replace(mode=closed), *motion.episodes[1:])
        assert "on constraints" in failing(_changed(motion, episodes=changed))

    def test_a_velocity_turned_around_after_an_impact(self):
        motion = bouncing()
        after = motion.events[0].time
        turned = motion.y.copy()
        turned[3, motion.t > after] *= -1
        assert "samples" in failing(_changed(motion, y=turned))

    def test_an_impact_with_another_restitution(self):
        """The ball as it bounces with e = 0.8, said to be one with e = 0.7."""
        motion = bouncing()
        other = bouncing(0.7)
        claimed = _changed(motion, system=other.system)
        assert "impacts" in failing(claimed)

    def test_a_contact_that_pulls(self):
        motion = da.System.load(gallery.path("hemisphere")).simulate()
        pulling = motion.along._replace(reactions=-motion.along.reactions)
        vars(motion)["along"] = pulling
        assert "pushes" in failing(motion)

    def test_a_force_of_an_open_contact(self):
        motion = bouncing()
        vars(motion)["along"] = motion.along._replace(reactions=motion.along.reactions + 1e-3)
        assert "pushes" in failing(motion)

    def test_forces_that_are_not_those_of_the_motion(self):
        motion = pendulum().simulate({x: 1.0}, 3.0)
        vars(motion)["along"] = motion.along._replace(ideal=motion.along.ideal * (1 + 1e-6))
        assert "forces" in failing(motion)

    def test_friction_the_wrong_way(self):
        """A motion with its friction turned around: it holds together, and is not of this system."""
        motion = belt()
        backward = {"slips forward": "slips backward", "slips backward": "slips forward"}
        episodes = tuple(
            e._replace(mode=replace(e.mode, rubs=tuple(backward.get(r, r) for r in e.mode.rubs)))
            for e in motion.episodes
        )
        assert {"friction", "modes", "retraced"} & failing(_changed(motion, episodes=episodes))


def _changed(motion, **changes):
    """The motion with something changed, its steps as they were."""
    out = replace(motion, **changes)
    vars(out)["_dense"] = vars(motion)["_dense"]
    return out


def test_the_steps_of_a_motion_that_has_none_are_found_again():
    motion = pendulum().simulate({x: 1.0}, 3.0)
    assert failing(replace(motion, y=motion.y * (1 + 1e-6)))
    assert_allclose(np.concatenate([leg.times for leg in replace(motion).polynomials()]), motion.polynomials()[0].times)


def test_every_bound_is_in_the_table():
    for name in ("RETRACED", "KEPT", "BALANCE", "GUARD", "SAID", "RESTITUTION", "JUMP"):
        assert TABLE[name].relative_to


@pytest.mark.parametrize("name", ["rough-ring", "nonholonomic-particle", "belt", "rod"])
def test_the_largest_force_does_not_depend_on_the_samples(name):
    system = da.System.load(gallery.path(name))
    told = []
    for samples in (2, 11, 201, 20001):
        peaks = system.simulate(samples=samples).summary().forces
        told.append([f"{peak.total:.6g} {peak.ideal:.6g} {peak.nonideal:.6g}" for peak in peaks])
    assert all(each == told[0] for each in told[1:])


def test_the_largest_force_is_the_largest_of_many_samples():
    motion = da.System.load(gallery.path("rough-ring")).simulate(samples=40001)
    forces = np.abs(motion.along.ideal + motion.along.nonideal)
    peaks = da.System.load(gallery.path("rough-ring")).simulate(samples=11).summary().forces
    assert_allclose([abs(peak.total) for peak in peaks], forces.max(axis=0), rtol=1e-6)
    assert_allclose([peak.total for peak in peaks], [-10.5371625, 21.4976173], rtol=1e-8)


def test_the_first_of_peaks_that_are_equally_high_is_told():
    """At the bottom of a pendulum, twice a period; m g (3 − 2 cos θ₀) for a start at rest at θ₀ from the bottom."""
    motion = pendulum().simulate({x: 1.0}, 20.0)
    peak = motion.summary().forces[1]
    assert_allclose(peak.total, 3 * 9.81, rtol=1e-9)
    assert_allclose(peak.time, 0.5919, rtol=1e-3)
