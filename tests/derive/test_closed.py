"""Closed forms equal numbers: what is shown to people is what the principles decide, on the constraints."""

import time
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import lstsq
from sympy import Matrix, cos, eye, lambdify, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert import gallery
from dalembert.derive import closed_form, instant

t = dynamicsymbols._t
x, y, z, theta, phi = dynamicsymbols("x y z theta phi")
m, M, g, l, R, k, mu, c, J = symbols("m M g l R k mu c J", positive=True)  # noqa: E741  (lengths are called l)
VALUES = {m: 1.3, M: 2.1, g: 9.81, l: 0.8, R: 0.6, k: 3.0, mu: 0.25, c: 0.4, J: 0.7}
D = {q: q.diff(t) for q in (x, y, z, theta, phi)}


def lagrangian(L, coordinates, **more):
    system = da.System.from_lagrangian(L, coordinates, **more)
    return system.with_parameters({s: VALUES[s] for s in system.symbols})


def pendulum(n):
    """n links of equal length and mass at their ends, in angles."""
    angles = dynamicsymbols(f"q1:{n + 1}")
    X = Y = L = 0
    for a in angles:
        X, Y = X + l * sin(a), Y - l * cos(a)
        L += m * (X.diff(t) ** 2 + Y.diff(t) ** 2) / 2 - m * g * Y
    return lagrangian(L, angles)


def chain(n):
    """n masses on rigid rods in space, in Cartesian coordinates."""
    points, rods, before = [], [], (0, 0, 0)
    for i in range(1, n + 1):
        here = dynamicsymbols(f"x{i} y{i} z{i}")
        points.append(da.Particle(m, tuple(here)))
        rods.append(da.Holonomic(sum((a - b) ** 2 for a, b in zip(here, before, strict=True)) - l**2))
        before = here
    weight = sum(m * g * p.position[2] for p in points)
    return da.System.from_particles(points, potential=weight, constraints=rods, parameters={m: 1.3, g: 9.81, l: 0.8})


def particle(*constraints, L=0, coordinates=(x, y, z)):
    free = m * sum(D[q] ** 2 for q in coordinates) / 2
    return lagrangian(free - m * g * coordinates[-1] + L, list(coordinates), constraints=constraints)


def turning():
    """A body turning in a plane, by cosine and sine of its angle: M has rank 1 of 2, the circle makes it regular."""
    L = J * (x * D[y] - y * D[x]) ** 2 / 2 - m * g * l * x
    return lagrangian(L, [x, y], constraints=[da.Holonomic(x**2 + y**2 - 1, "circle")])


sphere = x**2 + y**2 + z**2 - l**2
cone = D[x] ** 2 + D[y] ** 2 - c**2 * D[z] ** 2
WITHOUT_CLOSED_FORM = ("contradiction", "rod")  # there is none; it is too long to be read
SYSTEMS = {
    **{n: (lambda n=n: da.System.load(gallery.path(n))) for n in gallery.names() if n not in WITHOUT_CLOSED_FORM},
    "double pendulum in angles": lambda: pendulum(2),
    "sleigh": lambda: lagrangian(
        m * (D[x] ** 2 + D[y] ** 2) / 2 + J * D[theta] ** 2 / 2,
        [x, y, theta],
        constraints=[
            da.Nonholonomic(D[y] * cos(theta) - D[x] * sin(theta) - l * D[theta], "blade")
        ],
    ),
    "cart and pole": lambda: lagrangian(
        M * D[x] ** 2 / 2
        + m * ((D[x] + l * cos(theta) * D[theta]) ** 2 + (l * sin(theta) * D[theta]) ** 2) / 2
        + m * g * l * cos(theta),
        [x, theta],
        forces={x: -k * x},
    ),
    "spherical pendulum": lambda: particle(da.Holonomic(sphere, "rod")),
    "rolling penny": lambda: lagrangian(
        m * (D[x] ** 2 + D[y] ** 2) / 2 + J * (D[theta] ** 2 + D[phi] ** 2) / 2,
        [x, y, theta, phi],
        constraints=[
            da.Nonholonomic(D[x] - R * cos(phi) * D[theta], "along"),
            da.Nonholonomic(D[y] - R * sin(phi) * D[theta], "across"),
        ],
    ),
    "coupled mass and friction": lambda: lagrangian(
        m * (2 * D[x] ** 2 + 2 * D[x] * D[y] + 3 * D[y] ** 2) / 2 - k * y**2 / 2,
        [x, y],
        constraints=[da.Holonomic(y - x - R, nature=da.Coulomb(mu))],
    ),
    "redundant": lambda: particle(
        da.Holonomic(x + 2 * y, "plane"),
        da.Holonomic(-3 * x - 6 * y, "again"),
        da.Holonomic(z - x * y, "saddle", nature=da.Quadratic(c)),
        da.Holonomic(z - x * y + x + 2 * y, "sum"),
    ),
    "redundant only where it holds": lambda: particle(
        da.Nonholonomic(cone), da.Nonholonomic(3 * cone), da.Nonholonomic(cone * (1 + x**2))
    ),
    "massless coordinate": lambda: lagrangian(
        m * D[x] ** 2 / 2 - k * (x - y) ** 2 / 2, [x, y], constraints=[da.Holonomic(y - R * cos(x), "tie")]
    ),
    "turning by cosine and sine": turning,
    "moving constraint": lambda: particle(
        da.Holonomic(y - x * t - R * sin(t), "turning wire"), coordinates=(x, y)
    ),
    "prescribed by the reactions": lambda: particle(
        da.Holonomic(
            x**2 + y**2 - l**2,
            "rod",
            nature=da.Prescribed({x: -mu * da.multiplier("rod") * D[x], y: da.ideal_force(x, "rod") / 7}),
        ),
        coordinates=(x, y),
    ),
}  # fmt: skip


def on_constraints(system, seed):
    """A random state moved onto the constraints by Newton's method, on numbers that have nothing to do with C."""
    random = np.random.default_rng(seed)
    n, moment = len(system.coordinates), float(random.uniform(0, 1))
    q, v = random.uniform(-1, 1, n), random.uniform(-1.5, 1.5, n)
    bare = da.System(
        system.coordinates, system.unconstrained, tuple(ideal(c) for c in system.constraints), system.values
    )
    holonomic = [i for i, con in enumerate(system.constraints) if isinstance(con, (da.Holonomic, da.OneSided))]
    for _ in range(80):
        state = dict(zip((*system.coordinates, *system.velocities), (*q, *v), strict=True))
        off = bare.residuals(state, moment)
        if max(np.abs(off.level).max(initial=0), np.abs(off.rate).max(initial=0)) < 1e-13:
            break
        A = instant(bare, state, moment).A
        q = q - lstsq(A[holonomic], off.level[holonomic])[0] if holonomic else q
        v = v - lstsq(A, off.rate)[0]
    else:
        raise AssertionError("Newton's method did not reach the constraints")
    return state, moment


def ideal(constraint):
    if isinstance(constraint, da.Differential):
        return da.Differential(dict(constraint.coefficients), constraint.name)
    return type(constraint)(constraint.expr, name=constraint.name)


def at(matrix, system, state, moment):
    """Numbers of a symbolic matrix, by SymPy's own way to code and nothing of ours."""
    names = [*system.velocities, *system.coordinates, *system.symbols, t]
    numbers = [*(state[key] for key in names[: len(state)]), *(dict(system.values)[s] for s in system.symbols)]
    return np.asarray(lambdify(names, matrix, "numpy")(*numbers, moment), dtype=float)


@cache
def case(name):
    system = SYSTEMS[name]()
    return system, closed_form(system, units=60)


@pytest.mark.parametrize("name", SYSTEMS)
def test_closed_form_equals_the_explicit_equation(name):
    system, form = case(name)
    assert not form.factored, form.notes
    for seed in range(3):
        state, moment = on_constraints(system, seed)
        answer = da.principles.explicit(instant(system, state, moment))  # with every contact closed, as the form has it
        size = 1 + np.abs(answer.acceleration).max() + np.abs(answer.ideal).max(initial=0)
        for part in ("acceleration", "ideal", "nonideal", "multipliers"):
            expected = getattr(answer, part)
            found = at(getattr(form, part), system, state, moment).ravel()
            assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * size, err_msg=part)


def test_the_table_has_what_it_says():
    """The cases are what they claim: friction works, M is singular, rows depend on each other."""
    singular = SYSTEMS["turning by cosine and sine"]()
    now = singular.instant(*on_constraints(singular, 0))
    assert np.linalg.matrix_rank(now.M) == 1
    redundant = SYSTEMS["redundant"]()
    now = redundant.instant(*on_constraints(redundant, 0))
    assert (now.A.shape[0], np.linalg.matrix_rank(now.A)) == (4, 2)
    rough = SYSTEMS["coupled mass and friction"]()
    now = rough.instant(*on_constraints(rough, 0))
    assert np.abs(now.C).max() > 0.1
    assert abs(now.M[0, 1]) > 0.01
    moving = SYSTEMS["moving constraint"]()
    now = moving.instant(*on_constraints(moving, 0))
    assert np.abs(now.b).max() > 0.1


class TestLarge:
    @pytest.mark.parametrize(
        ("system", "reason"), [(pendulum(8), "operations"), (chain(5), "5 independent")], ids=["8 links", "5 masses"]
    )
    def test_comes_back_factored_with_the_reason(self, system, reason):
        begin = time.process_time()
        form = closed_form(system)
        assert time.process_time() - begin < 10
        assert form.factored
        assert [form.acceleration, form.ideal, form.nonideal, form.multipliers] == [None] * 4
        (note,) = form.notes
        assert note.startswith("shown in factored form: ")
        assert reason in note
        # what is shown instead are the arrays of the instant
        state, moment = on_constraints(system, 1)
        now = system.instant(state, moment)
        assert_allclose(at(form.Q, system, state, moment).ravel(), now.Q, rtol=1e-9, atol=1e-9)
        assert_allclose(at(form.A, system, state, moment).reshape(now.A.shape), now.A, rtol=1e-9, atol=1e-9)

    def test_keeps_to_its_effort(self):
        """A closed form that takes more effort than it may is given up, with a note that says so."""
        system = pendulum(2)
        assert not closed_form(system).factored
        form = closed_form(system, units=0.05)
        assert form.factored
        assert "more steps than are given" in form.notes[-1]


class TestRows:
    def test_contradiction_is_noted(self):
        slow, fast = da.Nonholonomic(D[x] - t, "slow"), da.Nonholonomic(2 * D[x] - 4 * t, "fast")
        form = closed_form(particle(slow, fast))
        assert form.factored
        assert form.contradictory == (1,)
        assert any("no acceleration satisfies all rows" in note and "'fast'" in note for note in form.notes)

    def test_redundant_rows_are_named_and_solved_on_the_others(self):
        _, form = case("redundant")
        assert form.independent == (0, 2)
        assert any("'again', 'sum'" in note for note in form.notes)

    def test_no_generalized_inverse_is_written_out(self):
        """Redundant rows cost no more to write than the independent ones alone: a pseudo-inverse would."""
        few = closed_form(particle(da.Holonomic(x + 2 * y), da.Holonomic(z - x * y)))
        rows = [da.Holonomic(a * (x + 2 * y) + b * (z - x * y)) for a, b in ((1, 0), (0, 1), (2, 3), (1, -1), (5, 2))]
        many = closed_form(particle(*rows))
        assert not many.factored
        for part in ("acceleration", "ideal"):
            one, five = (sum(int(e.count_ops()) for e in getattr(form, part)) for form in (few, many))
            assert five <= 1.5 * one + 5

    def test_no_constraints(self):
        form = closed_form(particle())
        assert form.acceleration == Matrix([0, 0, -g])
        assert form.multipliers.shape == (0, 1)
        assert form.ideal == form.nonideal == Matrix([0, 0, 0])

    def test_a_singular_mass_that_nothing_holds_is_factored(self):
        """No acceleration of y is determined: the closed form says so instead of inventing one."""
        form = closed_form(lagrangian(m * D[x] ** 2 / 2 - k * (x - y) ** 2 / 2, [x, y]))
        assert form.factored
        assert "singular" in form.notes[-1] or "vanishes" in form.notes[-1]


def test_values_do_not_enter_the_formula():
    """The form is that of the statement: the same for other parameter values, and with none at all."""
    system, form = case("spherical pendulum")
    other = system.with_parameters({m: 77.0})
    bare = da.System.from_forces(eye(1) * m, [-k * x], [x])
    assert form.acceleration == closed_form(other).acceleration
    assert closed_form(bare).acceleration == Matrix([-k * x / m])
