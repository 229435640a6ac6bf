"""Natures of constraint forces: friction is the same in all coordinates, opposes sliding, and acts on what slides."""

from typing import ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Matrix, cos, lambdify, sin, sqrt, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

t = dynamicsymbols._t
x, y, z, r, th, u, w = dynamicsymbols("x y z r theta u w")
m, g, mu, nu, c = symbols("m g mu nu c", positive=True)
VALUES = {m: 2.7, g: 9.81, mu: 0.3, nu: 0.15, c: 0.8}
POINT = da.Particle(m, (x, y, z))
STATE = {x: 0.6, y: -0.5, z: 0.4, x.diff(): 0.7, y.diff(): -0.2, z.diff(): 0.9}


def valued(system):
    return system.with_parameters({s: VALUES[s] for s in system.symbols})


def particle(*constraints, **more):
    return valued(da.System.from_particles([POINT], potential=m * g * z, constraints=constraints, **more))


def solve(system, state, moment=0.0):
    return da.principles.explicit(system.instant(state, moment))


class Chart:
    """Cartesian x, y as functions of two other coordinates, and the way there and back for states and forces."""

    def __init__(self, q, place):
        self.q, self.place = q, Matrix(place)
        self.v = [s.diff(t) for s in q]
        self.J = self.place.jacobian(q)
        velocity = self.place.diff(t)
        names = [*self.v, *q]
        self._numbers = lambdify(names, (self.place, velocity, self.J), "numpy")
        self._bias = lambdify(names, (velocity.jacobian(q) * Matrix(self.v)), "numpy")

    def cartesian(self, state):
        place, velocity, J = self._numbers(*(state[s] for s in (*self.v, *self.q)))
        return dict(zip((x, y, x.diff(), y.diff()), (*place.ravel(), *velocity.ravel()), strict=True)), np.asarray(J)

    def bias(self, state):
        """J̇ q̇: what the acceleration has beside J q̈."""
        return np.asarray(self._bias(*(state[s] for s in (*self.v, *self.q)))).ravel()

    def pulled_back(self, expr):
        # velocities first: replacing x inside x.diff() would differentiate
        moving = dict(zip((x.diff(), y.diff()), self.place.diff(t), strict=True))
        return expr.subs(moving).subs(dict(zip((x, y), self.place, strict=True))).doit()


POLAR = Chart([r, th], [r * cos(th), r * sin(th)])
OBLIQUE = Chart([u, w], [u + w**2 / 3 + 0.4 * w, w + 0.3 * u])
L = m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y
CURVES = {
    "ring": da.Holonomic(x**2 + y**2 - 1, "curve", nature=da.Coulomb(mu)),
    "parabola": da.Holonomic(y - 0.7 * x**2, "curve", nature=da.Coulomb(mu)),
    "nonholonomic": da.Nonholonomic(y.diff() - x * x.diff() - 0.2, "curve", nature=da.Coulomb(mu)),
}


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("chart", [POLAR, OBLIQUE], ids=["polar", "oblique"])
def test_coulomb_is_the_same_in_all_coordinates(chart, name):
    """THEORY section 4: C = −μ ‖Qᶜ_i‖ M q̇/‖q̇‖, so that forces map by Jᵀ and accelerations by J, mass not 1."""
    law = CURVES[name]
    flat = valued(da.System.from_lagrangian(L, [x, y], constraints=[law]))
    bent_law = type(law)(chart.pulled_back(law.expr), "curve", nature=law.nature)
    bent = valued(da.System.from_lagrangian(chart.pulled_back(L), chart.q, constraints=[bent_law]))
    for seed in range(5):
        random = np.random.default_rng(seed)
        state = dict(zip((*chart.q, *chart.v), random.uniform(0.3, 1.4, 4), strict=True))
        straight, J = chart.cartesian(state)
        ours, theirs = solve(bent, state, 0.4), solve(flat, straight, 0.4)
        assert_allclose(bent.instant(state, 0.4).C, J.T @ flat.instant(straight, 0.4).C, rtol=1e-9, atol=1e-12)
        assert_allclose(ours.ideal, J.T @ theirs.ideal, rtol=1e-9, atol=1e-9)
        assert_allclose(ours.nonideal, J.T @ theirs.nonideal, rtol=1e-9, atol=1e-9)
        assert_allclose(ours.multipliers, theirs.multipliers, rtol=1e-9)
        assert_allclose(J @ ours.acceleration + chart.bias(state), theirs.acceleration, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("chart", [POLAR, OBLIQUE], ids=["polar", "oblique"])
def test_the_law_written_out(chart):
    """C of the derivation equals −μ √(QᵀM⁻¹Q) M q̇ / √(q̇ᵀM q̇) with the arrays of the instant itself."""
    law = CURVES["parabola"]
    bent_law = type(law)(chart.pulled_back(law.expr), "curve", nature=law.nature)
    system = valued(da.System.from_lagrangian(chart.pulled_back(L), chart.q, constraints=[bent_law]))
    state = dict(zip((*chart.q, *chart.v), (0.8, 0.5, -0.6, 1.1), strict=True))
    now, answer = system.instant(state), solve(system, state)
    v = np.array([state[s] for s in chart.v])
    size = np.sqrt(answer.ideal @ np.linalg.solve(now.M, answer.ideal))
    assert_allclose(now.C, -VALUES[mu] * size * (now.M @ v) / np.sqrt(v @ now.M @ v), rtol=1e-10)


SURFACES = {
    "plane": da.Holonomic(z - 0.4, "floor", nature=da.Coulomb(mu)),
    "incline": da.Holonomic(z - 0.2 * x + 0.5 * y, "floor", nature=da.Coulomb(mu)),
    "sphere": da.Holonomic(x**2 + y**2 + z**2 - 1, "floor", nature=da.Coulomb(mu)),
}


class TestSliding:
    @pytest.mark.parametrize("name", SURFACES)
    @pytest.mark.parametrize("seed", range(4))
    def test_friction_opposes_it_with_mu_times_the_normal_force(self, name, seed):
        system = particle(SURFACES[name])
        random = np.random.default_rng(seed)
        place = random.uniform(-1, 1, 3)
        state = dict(zip((x, y, z, x.diff(), y.diff(), z.diff()), (*place, 0, 0, 0), strict=True))
        normal = system.instant({**state, x.diff(): 1.0}).A[0]
        normal = normal / np.linalg.norm(normal)
        v = random.uniform(-1, 1, 3)
        v = v - (v @ normal) * normal  # tangent: sliding
        state |= dict(zip((x.diff(), y.diff(), z.diff()), v, strict=True))
        answer = solve(system, state)
        force = np.linalg.norm(answer.ideal)
        assert force > 0.1
        assert_allclose(answer.nonideal, -VALUES[mu] * force * v / np.linalg.norm(v), rtol=1e-10, atol=1e-12)
        assert_allclose(np.cross(answer.ideal, normal), 0, atol=1e-10)  # the rest is normal to the surface

    def test_a_block_on_a_floor(self):
        """By hand: N = m g, deceleration μ g, whatever the mass."""
        state = STATE | {z.diff(): 0.0}
        answer = solve(particle(SURFACES["plane"]), state)
        direction = np.array([0.7, -0.2, 0.0]) / np.hypot(0.7, 0.2)
        assert_allclose(answer.multipliers, [2.7 * 9.81])
        assert_allclose(answer.acceleration, -0.3 * 9.81 * direction, atol=1e-14)

    def test_the_sense_of_the_constraint_does_not_matter(self):
        turned = particle(da.Holonomic(-5 * (z - 0.2 * x + 0.5 * y), "floor", nature=da.Coulomb(mu)))
        one, two = solve(particle(SURFACES["incline"]), STATE), solve(turned, STATE)
        assert_allclose(one.acceleration, two.acceleration, rtol=1e-12)
        assert_allclose(one.nonideal, two.nonideal, rtol=1e-12)
        assert_allclose(one.multipliers, -5 * two.multipliers, rtol=1e-12)

    @pytest.mark.parametrize("static", [None, 0.5])
    def test_the_static_coefficient_does_not_act_while_sliding(self, static):
        system = particle(da.Holonomic(z - 0.4, "floor", nature=da.Coulomb(mu, static=static)))
        assert_allclose(solve(system, STATE).nonideal, solve(particle(SURFACES["plane"]), STATE).nonideal)

    def test_at_rest_the_direction_is_not_guessed(self):
        rest = STATE | {x.diff(): 0.0, y.diff(): 0.0, z.diff(): 0.0}
        with pytest.raises(da.StateError, match="'floor' has no direction at rest"):
            particle(SURFACES["plane"]).instant(rest)
        weightless = particle(SURFACES["plane"]).with_parameters({g: 0.0})
        assert_allclose(weightless.instant(rest).C, 0)  # friction of no size needs none

    def test_without_inertia_it_is_refused(self):
        system = da.System.from_lagrangian(
            m * (x.diff() ** 2 + y.diff() ** 2) / 2,
            [x, y, w],
            constraints=[da.Holonomic(y - w, nature=da.Coulomb(0.1))],
        )
        with pytest.raises(da.ModelError, match="w has no inertia"):
            system.equations()


class TestSums:
    rail = da.Holonomic(y + 0.5, "rail", nature=da.Coulomb(nu))
    floor = da.Holonomic(z - 0.4, "floor", nature=da.Coulomb(mu))
    pull = da.Particle(m, (x, y, z), (0, 3, 0))

    def system(self, *constraints):
        return valued(da.System.from_particles([self.pull], potential=m * g * z, constraints=constraints))

    def test_each_constraint_has_its_own_friction(self):
        """A block in a corner, along x: μ m g of the floor and ν · 3 of the rail."""
        state = STATE | {y.diff(): 0.0, z.diff(): 0.0, x.diff(): -0.7}
        answer = solve(self.system(self.rail, self.floor), state)
        expected = 0.3 * 2.7 * 9.81 + 0.15 * 3
        assert_allclose(answer.nonideal, [expected, 0, 0], rtol=1e-12, atol=1e-12)
        assert_allclose(answer.ideal, [0, -3, 2.7 * 9.81], rtol=1e-12)

    @pytest.mark.parametrize(
        "natures",
        [
            (da.Coulomb(mu), da.Viscous(c)),
            (da.Quadratic(c), da.Coulomb(nu)),
            (da.Viscous(c), da.Prescribed({x: x * y, z: -(z.diff() ** 3)})),
        ],
    )
    def test_C_is_the_sum_over_constraints(self, natures):
        """With friction of one constraint following its own multiplier, which both rows together determine."""
        shapes = [(x**2 + y**2 + z**2 - 1, "sphere"), (y - 0.5 * z, "plane")]

        def C(*chosen):
            rows = [da.Holonomic(e, n, nature=k) for (e, n), k in zip(shapes, chosen, strict=True)]
            return self.system(*rows).instant(STATE).C

        first, second = natures
        assert_allclose(C(first, second), C(first, da.Ideal()) + C(da.Ideal(), second), rtol=1e-12)
        assert np.abs(C(first, da.Ideal())).max() > 1e-3
        assert np.abs(C(da.Ideal(), second)).max() > 1e-3


@pytest.mark.parametrize(
    ("nature", "law"),
    [
        (da.Viscous(c), lambda v: -0.8 * v),
        (da.Viscous(c * (1 + x**2)), lambda v: -0.8 * (1 + 0.36) * v),
        (da.Quadratic(c), lambda v: -0.8 * np.linalg.norm(v) * v),
        (da.Quadratic(c * sqrt(1 + t)), lambda v: -0.8 * np.linalg.norm(v) * v),
        (da.Prescribed([x, 0, y.diff()]), lambda v: np.array([0.6, 0, v[1]])),
        (da.Prescribed({z: t - 1}), lambda v: np.array([0, 0, -1.0])),
        (da.Ideal(), lambda v: 0 * v),
    ],
)
def test_drag_and_prescribed_vectors(nature, law):
    v = np.array([STATE[s.diff()] for s in (x, y, z)])
    now = particle(da.Holonomic(z - 0.4, "floor", nature=nature)).instant(STATE)
    assert_allclose(now.C, law(v), rtol=1e-12)


class TestReactions:
    """Natures written with the ideal force: of all constraints, or of one by its name."""

    shapes: ClassVar = {"sphere": x**2 + y**2 + z**2 - 1, "plane": y - 0.5 * z}

    def C(self, expr):
        rows = [da.Holonomic(self.shapes["sphere"], "sphere", nature=da.Prescribed({x: expr}))]
        rows.append(da.Holonomic(self.shapes["plane"], "plane"))
        return particle(*rows).instant(STATE).C[0]

    @pytest.fixture(scope="class")
    @classmethod
    def free(cls):
        """λ and the rows, from the ideal problem alone, solved as KKT equations with NumPy."""
        now = particle(*(da.Holonomic(e, n) for n, e in cls.shapes.items())).instant(STATE)
        K = np.block([[now.M, -now.A.T], [now.A, np.zeros((2, 2))]])
        lam = np.linalg.solve(K, np.concatenate([now.Q, now.b]))[3:]
        return dict(zip(cls.shapes, lam, strict=True)), dict(zip(cls.shapes, now.A, strict=True))

    @pytest.mark.parametrize("name", shapes)
    def test_of_one_constraint(self, free, name):
        lam, rows = free
        assert_allclose(self.C(da.multiplier(name)), lam[name], rtol=1e-10)
        for i, q in enumerate((x, y, z)):
            assert_allclose(self.C(da.ideal_force(q, name)), lam[name] * rows[name][i], rtol=1e-10, atol=1e-12)
        assert_allclose(self.C(da.ideal_magnitude(name)), np.linalg.norm(lam[name] * rows[name]), rtol=1e-10)

    def test_of_all(self, free):
        lam, rows = free
        force = sum(lam[n] * rows[n] for n in self.shapes)
        for i, q in enumerate((x, y, z)):
            assert_allclose(self.C(da.ideal_force(q)), force[i], rtol=1e-10, atol=1e-12)
        assert_allclose(self.C(da.ideal_magnitude()), np.linalg.norm(force), rtol=1e-10)

    def test_coulomb_written_out_by_hand(self):
        """Cartesian, one constraint: −μ |Qᶜ_i| q̇/|q̇| is what Coulomb(μ) says (Udwadia 2000, equation 36)."""
        v = sqrt(x.diff() ** 2 + y.diff() ** 2 + z.diff() ** 2)
        by_hand = da.Prescribed([-mu * da.ideal_magnitude("floor") * s.diff() / v for s in (x, y, z)])
        ours = particle(da.Holonomic(self.shapes["sphere"], "floor", nature=by_hand))
        named = particle(da.Holonomic(self.shapes["sphere"], "floor", nature=da.Coulomb(mu)))
        assert_allclose(ours.instant(STATE).C, named.instant(STATE).C, rtol=1e-12)


class TestSeveralParticles:
    other = dynamicsymbols("x2 y2 z2")
    state: ClassVar = {**STATE, **dict(zip(other, (1.5, 0.3, -0.2), strict=True)), **{q.diff(): 0.4 for q in other}}

    def system(self, *constraints):
        points = [POINT, da.Particle(2 * m, tuple(self.other))]
        weight = m * g * z + 2 * m * g * self.other[2]
        return valued(da.System.from_particles(points, potential=weight, constraints=constraints))

    @pytest.mark.parametrize("nature", [da.Coulomb(mu), da.Viscous(c), da.Quadratic(c)], ids=lambda n: type(n).__name__)
    def test_friction_acts_on_the_one_that_slides(self, nature):
        rod = da.Holonomic(sum((a - b) ** 2 for a, b in zip((x, y, z), self.other, strict=True)) - 1, "rod")
        first = self.system(da.Holonomic(z - 0.4, "floor", nature=nature), rod).instant(self.state)
        second = self.system(da.Holonomic(self.other[2] + 0.2, "floor", nature=nature), rod).instant(self.state)
        assert_allclose(first.C[3:], 0, atol=0)
        assert_allclose(second.C[:3], 0, atol=0)
        for C, v in ((first.C[:3], [0.7, -0.2, 0.9]), (second.C[3:], [0.4] * 3)):
            assert_allclose(np.cross(C, v), 0, atol=1e-12)
            assert C @ np.array(v) < -1e-3

    def test_its_size_follows_its_own_mass(self):
        """No rod: two blocks, of mass m and 2 m, each on its own floor; both slow down by μ g."""
        floors = [da.Holonomic(q, f"floor {i}", nature=da.Coulomb(mu)) for i, q in enumerate((z, self.other[2]))]
        flat = self.state | {z: 0.0, z.diff(): 0.0, self.other[2]: 0.0, self.other[2].diff(): 0.0}
        answer = solve(self.system(*floors), flat)
        assert_allclose(answer.multipliers, [2.7 * 9.81, 5.4 * 9.81], rtol=1e-12)
        for part in (answer.acceleration[:3], answer.acceleration[3:]):
            assert_allclose(np.linalg.norm(part), 0.3 * 9.81, rtol=1e-12)

    def test_between_two_it_cannot_be_told(self):
        rod = sum((a - b) ** 2 for a, b in zip((x, y, z), self.other, strict=True)) - 1
        with pytest.raises(da.ModelError, match="which particle slides"):
            self.system(da.Holonomic(rod, "rod", nature=da.Coulomb(mu)))
