"""Numbers at a state: what is missing, foreign or does not exist there is said at once, all of it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Abs, Function, Max, Piecewise, Rational, acos, atan2, exp, log, sign, sin, sqrt, symbols, tan
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y = dynamicsymbols("x y")
t = dynamicsymbols._t
m, g, R, mu = symbols("m g R mu", positive=True)
L = m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y
FULL = {x: 0.6, y: -0.8, x.diff(): 0.8, y.diff(): 0.6}
VALUES = {m: 1.0, g: 9.81, R: 1.0, mu: 0.2}


def ring(nature=None, **changes):
    return da.System.from_lagrangian(
        L, [x, y], constraints=[da.Holonomic(x**2 + y**2 - R**2, "ring", nature or da.Coulomb(mu))],
        parameters=changes.get("parameters", VALUES))  # fmt: skip


def faults(call, kind=da.StateError):
    with pytest.raises(kind) as caught:
        call()
    return "\n".join(getattr(caught.value, "faults", [str(caught.value)]))


def test_lacking_and_foreign_coordinates_are_all_listed():
    z = dynamicsymbols("z")
    message = faults(lambda: ring().instant({x: 1.0, z: 2.0, "w'": 3.0}))
    for word in ("lacks y, x', y'", "names z(t)", "names w'"):
        assert word in message


def test_missing_parameters_are_all_listed():
    message = faults(lambda: ring(parameters={m: 1.0}).instant(FULL))
    assert "parameters R, g, mu" in message


def test_parameters_can_be_given_at_the_instant():
    assert_allclose(ring(parameters={}).instant(FULL, parameters=VALUES).Q, [0, -9.81])
    assert_allclose(ring().instant(FULL, parameters={"m": 2.0}).M, 2 * np.eye(2))
    assert "k is not a parameter" in faults(lambda: ring().instant(FULL, parameters={"k": 2.0}))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "one", None, 1j])
def test_values_that_are_no_numbers(value):
    assert "x" in faults(lambda: ring().instant(FULL | {x: value}))
    assert "time" in faults(lambda: ring().instant(FULL, t=value))
    assert "m" in faults(lambda: ring().instant(FULL, parameters={m: value}))


def test_state_by_names_and_by_expressions_of_parameters():
    by_name = {"x": Rational(3, 5) * R, "y": -0.8, "x'": 0.8, "y'": 0.6}
    assert_allclose(ring().instant(by_name).A, ring().instant(FULL).A)


def test_friction_at_rest_with_no_normal_force_is_no_friction():
    """The natural demo of the rough ring: at rest on the x axis speed and normal force are both exactly zero."""
    now = ring().instant({x: 1.0, y: 0.0, x.diff(): 0.0, y.diff(): 0.0})
    assert_allclose(now.C, 0)


def test_friction_at_rest_under_load_is_refused():
    message = faults(lambda: ring().instant({x: 0.0, y: -1.0, x.diff(): 0.0, y.diff(): 0.0}))
    assert "'ring'" in message
    assert "no direction at rest" in message
    assert "1.962" in message  # μ times the weight


@pytest.mark.parametrize(
    ("force", "place", "word"),
    [
        (sqrt(x), -1.0, "sqrt(x)"),
        (log(x), -1.0, "log(x)"),
        (log(x), 0.0, "log(x)"),
        (1 / x, 0.0, "1/x"),
        (acos(x), 2.0, "acos(x)"),
        (exp(x), 1000.0, "exp(x)"),
    ],
)
def test_what_does_not_exist_is_named(force, place, word):
    system = da.System.from_forces([[1]], [force], [x])
    message = faults(lambda: system.instant({x: place, x.diff(): 0.0}))
    assert word in message


def test_branch_not_taken_may_not_exist():
    force = Piecewise((sqrt(x), x > 0), (0, True))
    system = da.System.from_forces([[1]], [force], [x])
    assert system.instant({x: -1.0, x.diff(): 0.0}).Q[0] == 0.0
    assert system.instant({x: 4.0, x.diff(): 0.0}).Q[0] == 2.0


def test_undefined_function_has_no_value():
    system = da.System.from_forces([[1]], [Function("f")(x)], [x])
    assert "f(x(t))" in faults(lambda: system.instant({x: 1.0, x.diff(): 0.0}))


def test_functions_evaluate_as_sympy_says():
    u = x.diff()
    force = (
        Abs(x) * sign(u) + Max(x, u, 1) + atan2(x, u) + tan(x) * exp(-u) + x**3 / u**2 + abs(x) ** Rational(1, 3)
        + Piecewise((x, (x > 1) | (u < 0)), (u, True)) + sin(t)
    )  # fmt: skip
    system = da.System.from_forces([[1]], [force], [x])
    for place, speed in ((0.7, -0.4), (-1.3, 2.0), (2.0, 0.1)):
        expected = float(force.subs({u: speed}).subs({x: place, t: 0.5}))
        assert system.instant({x: place, u: speed}, t=0.5).Q[0] == pytest.approx(expected, rel=1e-13)


def test_singular_mass_is_refused_with_its_direction():
    """A coordinate with no inertia and no constraint: its acceleration is not determined."""
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 + y * x, [x, y])
    with pytest.raises(da.MassError, match="y") as caught:
        system.verify({x: 1.0, y: 0.0, x.diff(): 0.0, y.diff(): 0.0})
    assert_allclose(np.abs(caught.value.direction), [0, 1], atol=1e-12)


def test_indefinite_mass_is_refused_with_its_direction():
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 - y.diff() ** 2, [x, y])
    with pytest.raises(da.MassError, match="y"):
        system.verify(dict.fromkeys([x, y, x.diff(), y.diff()], 0.5))


def test_singular_mass_that_the_constraints_make_unique():
    """A massless coordinate tied to one with mass: the same motion as with the coordinate removed."""
    k = symbols("k")
    tied = da.System.from_lagrangian(
        m * x.diff() ** 2 / 2 - k * y**2 / 2, [x, y], constraints=[da.Holonomic(y - 2 * x)], parameters={m: 2.0, k: 3.0}
    )
    certificate = tied.verify({x: 0.3, y: 0.6, x.diff(): 1.0, y.diff(): 2.0})
    assert certificate.passed
    assert_allclose(certificate.answer.acceleration, [-4 * 3.0 * 0.3 / 2.0, -8 * 3.0 * 0.3 / 2.0])
    assert_allclose(certificate.answer.multipliers, [3.0 * 0.6])


def test_euler_parameters_with_an_unaugmented_mass_matrix():
    """A free rigid body: 4 × 4 mass matrix of rank 3 and the unit-norm row; ω̇ obeys Euler's equations."""
    e = dynamicsymbols("e0:4")
    e0, e1, e2, e3 = e
    d0, d1, d2, d3 = (s.diff() for s in e)
    omega = [
        2 * (-e1 * d0 + e0 * d1 + e3 * d2 - e2 * d3),
        2 * (-e2 * d0 - e3 * d1 + e0 * d2 + e1 * d3),
        2 * (-e3 * d0 + e2 * d1 - e1 * d2 + e0 * d3),
    ]
    inertia = (1.0, 2.0, 3.5)
    body = da.System.from_lagrangian(
        sum(j * w**2 for j, w in zip(inertia, omega, strict=True)) / 2,
        e,
        constraints=[da.Holonomic(sum(s**2 for s in e) - 1, "unit")],
    )
    random = np.random.default_rng(3)
    p = random.normal(size=4)
    p /= np.linalg.norm(p)
    v = random.normal(size=4)
    v -= p * (p @ v)
    state = dict(zip([*e, *(s.diff() for s in e)], [*p, *v], strict=True))
    certificate = body.verify(state)
    assert certificate.passed
    acc = dict(zip([s.diff(t, 2) for s in e], certificate.answer.acceleration, strict=True))
    w = np.array([float(s.subs(state)) for s in omega])
    wdot = [float(s.diff(t).subs(acc).subs(state)) for s in omega]
    euler = -np.cross(w, np.array(inertia) * w) / inertia
    assert_allclose(wdot, euler, atol=1e-12)


def test_contradictory_constraints_are_named():
    system = da.System.from_lagrangian(
        L, [x, y], parameters=VALUES,
        constraints=[da.Nonholonomic(x.diff() - t, "slow"), da.Nonholonomic(x.diff() - 2 * t, "fast"),
                     da.Nonholonomic(y.diff(), "level")])  # fmt: skip
    with pytest.raises(da.ContradictionError) as caught:
        system.verify(FULL)
    assert set(caught.value.names) == {"slow", "fast"}
    assert "level" not in str(caught.value)
