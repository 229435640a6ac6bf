"""Answers that must not be silently wrong: each of these once was, or could be."""

import pickle
from time import perf_counter

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Matrix, Max, cos, sin, sqrt, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.model.files import loads

x, y, u, r, theta = dynamicsymbols("x y u r theta")
t = dynamicsymbols._t
vx, vy = x.diff(), y.diff()
m, g, R, mu = symbols("m g R mu", positive=True)
a, b, k = symbols("a b k", real=True)
VALUES = {m: 1.0, g: 9.81, R: 1.0, mu: 0.2}
ring = x**2 + y**2 - R**2
ON_RING = {x: 0.6, y: -0.8, vx: 0.8, vy: 0.6}


def system(*constraints, **more):
    return da.System.from_lagrangian(
        m * (vx**2 + vy**2) / 2 - m * g * y, [x, y], constraints=constraints, parameters=VALUES | more
    )


class TestStart:
    TEXT = 'coordinates = ["x"]\nlagrangian = "m/2*x\'^2"\n[parameters]\nm = 1.0\nq = -1\n[start]\nx = "{}"\n'

    @pytest.mark.parametrize("value", ["sqrt(q)", "log(q + 1)", "1/(q + 1)"])
    def test_a_start_value_that_does_not_exist_is_refused(self, value):
        with pytest.raises(da.StateError, match="x"):
            loads(self.TEXT.format(value), da.System).check()

    def test_a_key_given_twice_is_refused(self):
        with pytest.raises(da.StateError, match="twice"):
            system().instant({**ON_RING, "x": 5.0})
        with pytest.raises(da.StateError, match="twice"):
            system().instant(ON_RING, parameters={m: 1.0, "m": 2.0})


class TestRankInTime:
    """The rank of the rows is not that at time zero."""

    @pytest.mark.parametrize(
        "constraints",
        [
            [da.Nonholonomic(vy * t**2)],
            [da.Nonholonomic(t * vx - t * vy)],
            [da.Holonomic(x * sin(t) - y * cos(t)), da.Holonomic(y)],
            [da.Nonholonomic(vx + sin(t) ** 2 * vy), da.Nonholonomic(vx)],
        ],
        ids=["growing", "sliding", "turning", "splitting"],
    )
    def test_closed_form_holds_at_other_times(self, constraints):
        moving = system(*constraints)
        equations = moving.equations()
        assert not equations.contradictory
        assert len(equations.independent) == len(constraints)
        state = {x: 0.0, y: 0.0, vx: 0.0, vy: 0.0}
        expected = da.principles.explicit(moving.instant(state, t=1.0)).acceleration
        at = {**dict.fromkeys((vx, vy), 0.0), **dict.fromkeys((x, y), 0.0), **VALUES, t: 1.0}
        found = [float(e.xreplace(at)) for e in equations.acceleration]
        assert_allclose(found, expected, atol=1e-12)


class TestCoincidences:
    def test_rows_that_depend_by_the_values_given_are_noted(self):
        rows = da.Nonholonomic(vx + a * vy, "first"), da.Nonholonomic(vx + b * vy, "second")
        notes = " ".join(system(*rows).with_parameters({a: 1.0, b: 1.0}).equations().notes)
        assert "for the values given" in notes
        notes = " ".join(system(*rows).with_parameters({a: 1.0, b: 2.0}).equations().notes)
        assert "values" not in notes

    def test_nearly_dependent_rows_are_independent(self):
        rows = da.Nonholonomic(vx + a * vy), da.Nonholonomic(vx)
        assert system(*rows).with_parameters({a: 1e-9}).equations().independent == (0, 1)


class TestFriction:
    def test_friction_whose_force_is_not_determined_is_refused(self):
        """A redundant row without friction takes an arbitrary share of the load: no answer is better than that one."""
        rough = da.Holonomic(ring, "ring", da.Coulomb(mu))
        with pytest.raises(da.StateError, match="again"):
            system(rough, da.Holonomic(2 * ring, "again")).verify(ON_RING)
        noted = system(rough, da.Holonomic(2 * ring, "again")).equations()
        assert noted.factored
        assert any("not unique" in note for note in noted.notes)

    def test_redundant_rows_of_the_same_roughness_do_not_change_the_motion(self):
        once = system(da.Holonomic(ring, "ring", da.Coulomb(mu))).verify(ON_RING).answer
        twice = system(
            da.Holonomic(ring, "ring", da.Coulomb(mu)), da.Holonomic(2 * ring, "again", da.Coulomb(mu))
        ).verify(ON_RING)
        assert_allclose(twice.answer.acceleration, once.acceleration, rtol=1e-12)

    def test_other_natures_do_not_mind_redundant_rows(self):
        drag = da.Viscous(0.3)
        once = system(da.Holonomic(ring, "ring", drag)).verify(ON_RING).answer
        twice = system(da.Holonomic(ring, "ring", drag), da.Holonomic(2 * ring, "again")).verify(ON_RING).answer
        assert_allclose(twice.acceleration, once.acceleration, rtol=1e-12)

    def test_friction_on_a_moving_constraint_is_refused(self):
        with pytest.raises(da.ModelError, match="moves"):
            system(da.Holonomic(y - a * sin(t), nature=da.Coulomb(mu)))

    def test_friction_among_bodies_in_a_lagrangian_is_refused(self):
        """Unequal constant masses: not one particle, and which body touches cannot be told."""
        three = da.System.from_lagrangian(
            m * (vx**2 + vy**2) / 2 - m * g * y + R * u.diff() ** 2 / 2,
            [x, y, u],
            constraints=[da.Holonomic(y, nature=da.Coulomb(mu))],
            parameters=VALUES,
        )
        with pytest.raises(da.ModelError, match="from_particles"):
            three.instant({x: 0, y: 0, u: 0, vx: 1, vy: 0, u.diff(): 3})

    def test_negative_friction_by_value_is_refused(self):
        c = symbols("c", real=True)
        rough = system(da.Holonomic(ring, "ring", da.Coulomb(c))).with_parameters({c: -0.3})
        with pytest.raises(da.StateError, match="negative"):
            rough.verify(ON_RING)


class TestAssumptions:
    def test_zero_is_the_limit_of_positive_values(self):
        """No gravity, no friction: fair questions."""
        assert_allclose(system().instant(ON_RING, parameters={g: 0.0}).Q, 0.0)

    @pytest.mark.parametrize("value", [-2.0, -1e-12])
    def test_values_against_what_a_symbol_is_declared_to_be(self, value):
        with pytest.raises(da.ModelError, match="positive"):
            da.System.from_lagrangian(vx**2 - sqrt(R**2) * x, [x], parameters={R: value})
        plain = da.System.from_lagrangian(vx**2 - sqrt(R**2) * x, [x], parameters={R: 1.0})
        with pytest.raises(da.ModelError, match="positive"):
            plain.with_parameters({R: value})
        with pytest.raises(da.StateError, match="positive"):
            plain.instant({x: 1.0, vx: 0.0}, parameters={R: value})

    def test_integers_and_coordinates(self):
        n = symbols("n", integer=True)
        with pytest.raises(da.ModelError, match="integer"):
            da.System.from_lagrangian(vx**2 - n * x, [x], parameters={n: 1.5})
        assert da.System.from_lagrangian(vx**2 - n * x, [x], parameters={n: 2}).parameters[n] == 2.0
        p = dynamicsymbols("p", positive=True)
        with pytest.raises(da.StateError, match="positive"):
            da.System.from_lagrangian(p.diff() ** 2 - abs(p), [p]).instant({p: -1.0, p.diff(): 0.0})

    @pytest.mark.parametrize("assumption", [{"imaginary": True}, {"commutative": False}], ids=str)
    def test_symbols_that_are_not_real_are_refused(self, assumption):
        odd = symbols("odd", **assumption)
        with pytest.raises(da.ModelError, match="real"):
            da.System.from_lagrangian(vx**2 + odd * x, [x])


class TestPickle:
    @pytest.mark.parametrize("text", ["cos(y - x)", "sin(x + pi)", "exp(log(x))", "abs(exp(x))", "max(x, y, x + 1)"])
    def test_systems_from_files(self, text):
        model = f'coordinates = ["x", "y"]\nlagrangian = "x\'^2 + y\'^2 - {text}"\n'
        loaded = loads(model, da.System)
        again = pickle.loads(pickle.dumps(loaded))
        assert again == loaded
        assert hash(again) == hash(loaded)

    def test_reactions_in_functions(self):
        nature = da.Prescribed({x: -Max(da.ideal_magnitude(), 3), y: 0})
        stated = system(da.Holonomic(ring, "ring", nature))
        assert pickle.loads(pickle.dumps(stated)) == stated
        assert stated.instant(ON_RING).C[0] < -3

    def test_ordinary_expressions_are_the_same_from_files_and_from_python(self):
        loaded = loads('coordinates = ["x", "y"]\nlagrangian = "x\'^2 + y\'^2 - cos(y - x) + sin(y - x)"\n', da.System)
        assert loaded == da.System.from_lagrangian(vx**2 + vy**2 - cos(y - x) + sin(y - x), [x, y])

    def test_certificates(self):
        certificate = system(da.Holonomic(ring, "ring")).verify(ON_RING)
        again = pickle.loads(pickle.dumps(certificate))
        assert again.passed
        assert_allclose(again.answer.acceleration, certificate.answer.acceleration)


class TestWords:
    def test_a_certificate_off_the_constraints_says_so(self):
        off = system(da.Holonomic(ring, "ring")).verify({x: 5.0, y: 5.0, vx: 0.0, vy: 0.0})
        assert "off the constraints" in off.text()
        assert off.distance[0] > 1
        assert not off.passed
        assert [check.name for check in off.checks if not check.passed] == ["state"]
        on = system(da.Holonomic(ring, "ring")).verify(ON_RING)
        assert "off the constraints" not in on.text()

    def test_singular_mass_without_help_states_no_equation(self):
        text = da.System.from_lagrangian(m * vx**2 / 2, [x, y]).equations().text()
        assert "M⁻¹" not in text
        assert "singular" in text

    def test_latex_carries_the_notes(self):
        twice = system(da.Holonomic(x - y, "a_b"), da.Holonomic(2 * x - 2 * y, "50%")).equations().latex()
        assert r"50\%" in twice
        assert "redundant" in twice

    def test_numbers_too_large_to_be_squared(self):
        huge = da.System.from_lagrangian(vx**2 - (x + 2) ** 600, [x])
        with pytest.raises(da.InstantError, match="too large"):
            huge.verify({x: 0.3, vx: 0.0})

    @pytest.mark.parametrize(
        "call",
        [
            lambda: system().instant(ON_RING, parameters=[1]),
            lambda: system().with_parameters([1]),
            lambda: da.multiplier(None),
            lambda: da.ideal_magnitude(5),
            lambda: da.ideal_force("x"),
            lambda: da.System.from_lagrangian(vx**2, [x], name=5),
        ],
        ids=["instant", "with_parameters", "multiplier", "magnitude", "force", "name"],
    )
    def test_wrong_types_are_faults_of_ours(self, call):
        with pytest.raises(da.ModelError):
            call()

    def test_constraints_and_end_are_among_the_faults(self):
        with pytest.raises(da.ModelError) as caught:
            da.System.from_lagrangian("L", [x], constraints=[1], until="x", name=None, parameters={m: "heavy"})
        text = "\n".join(caught.value.faults)
        for word in ("Lagrangian", "constraint 1", "until", "name", "parameter m"):
            assert word in text

    def test_with_parameters_by_name_and_arrays_for_C(self):
        assert system().with_parameters({"m": 3.0}).parameters[m] == 3.0
        nature = da.Prescribed(np.array([1.0, 2.0]))
        assert_allclose(system(da.Holonomic(x, nature=nature)).instant(ON_RING).C, [1, 2])
        nature = da.Prescribed(Matrix([x, y]))
        assert_allclose(system(da.Holonomic(x, nature=nature)).instant(ON_RING).C, [0.6, -0.8])


class TestSpeed:
    def test_many_arguments_of_a_maximum(self):
        """SymPy compares the arguments with each other every time it rebuilds a maximum; here it is not asked to."""
        terms = ", ".join(f"sin({i}*x + y) + exp(-{i}*x*y)" for i in range(1, 25))
        model = f'coordinates = ["x", "y"]\nlagrangian = "x\'^2 + y\'^2 - max({terms})"\n'
        begin = perf_counter()
        loaded = loads(model, da.System)
        slope = loaded.instant({"x": 0.3, "y": 0.2, "x'": 0.0, "y'": 0.0}).Q
        assert loaded.equations().factored
        assert perf_counter() - begin < 10
        largest = max(range(1, 25), key=lambda i: np.sin(i * 0.3 + 0.2) + np.exp(-i * 0.06))
        expected = [
            -largest * np.cos(largest * 0.3 + 0.2) + largest * 0.2 * np.exp(-largest * 0.06),
            -np.cos(largest * 0.3 + 0.2) + largest * 0.3 * np.exp(-largest * 0.06),
        ]
        assert_allclose(slope, expected, rtol=1e-12)


def test_a_constraint_that_is_lost_at_a_state_is_said_to_be():
    """(x − 1)² = 0 has no gradient where it holds: it is not called redundant, and it does not pass unmentioned."""
    lost = da.System.from_lagrangian(vx**2 / 2 + x, [x], constraints=[da.Holonomic((x - 1) ** 2, "square")])
    text = lost.verify({x: 1.0, vx: 0.0}).text()
    assert "“square” is a row of zeros: it does not act at this state" in text
    assert "Redundant" not in text


def test_what_is_kept_of_one_system_stays_together():
    """With many systems in use, what was derived of one is not read with the symbols of another derivation."""
    kept = system(da.Holonomic(ring, "ring"))
    kept.instant(ON_RING)
    for i in range(80):
        other = da.System.from_lagrangian(vx**2 * (i + 1) / 2 - x, [x])
        other.instant({x: 0.0, vx: 0.0})
        kept.instant(ON_RING)
    assert Matrix([[2 * x, 2 * y]]) == kept.equations().A
