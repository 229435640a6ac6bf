"""The nearest state on random quadrics, ellipsoids and planes, in random units: on them, stationary, none nearer."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sympy import Float, Matrix, cos
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from motion.units import Units, units

x, y, z = q = dynamicsymbols("x y z")
X, Y, Z = v = tuple(c.diff() for c in q)
H, N = da.Holonomic, da.Nonholonomic
MANY = 4000


class Quadric:
    """(p − centre)ᵀ A (p − centre) = 1 and perhaps a plane n p = d, in the metric of M, coordinates p = unit q."""

    def __init__(self, seed, dimension, kind, flat):
        random = np.random.default_rng(seed)
        B, C = random.standard_normal((2, dimension, dimension))
        self.A = B @ B.T + 0.1 * np.eye(dimension)
        if kind == "hyperboloid":
            values, vectors = np.linalg.eigh(self.A)
            values[0] = -values[0]
            self.A = vectors @ np.diag(values) @ vectors.T
        self.M = C @ C.T + 0.2 * np.eye(dimension)
        self.centre = 2 * random.standard_normal(dimension)
        self.guess = random.standard_normal(dimension) * 10 ** random.uniform(-1, 1.5)
        self.plane = random.standard_normal(dimension)
        self.level = float(self.plane @ self.centre)  # through the centre: it meets what is not a hyperboloid
        self.unit = 10.0 ** random.integers(-8, 9, dimension)
        self.factor = 10.0 ** random.integers(-8, 9)
        self.flat, self.dimension = flat, dimension

    def system(self):
        own = list(q[: self.dimension])
        p = Matrix([Float(u) * c - Float(a) for u, c, a in zip(self.unit, own, self.centre, strict=True)])
        rows = [H(Float(self.factor) * ((p.T * Matrix(self.A) * p)[0] - 1), "quadric")]
        if self.flat:
            terms = zip(self.plane * self.unit, own, strict=True)
            rows.append(H(sum(Float(a) * c for a, c in terms) - Float(self.level), "plane"))
        M = np.outer(self.unit, self.unit) * self.M
        return da.System.from_forces(Matrix((M + M.T) / 2), [0] * self.dimension, own, constraints=rows)

    def found(self):
        start = self.system().start(dict(zip(q, self.guess / self.unit, strict=False)))
        return start, self.unit * np.array([start.state[c] for c in q[: self.dimension]])

    def distance(self, p):
        return np.sqrt(np.einsum("...i,ij,...j->...", p - self.guess, self.M, p - self.guess))

    def rows(self, p):
        """The relations and their slopes."""
        value = [(p - self.centre) @ self.A @ (p - self.centre) - 1]
        slope = [2 * self.A @ (p - self.centre)]
        if self.flat:
            value.append(self.plane @ p - self.level)
            slope.append(self.plane)
        return np.array(value), np.array(slope)

    def cloud(self):
        """Many points of the surface, by rays from the centre: no method of ours."""
        random = np.random.default_rng(1)
        ways = random.standard_normal((MANY, self.dimension))
        if self.flat:
            ways -= np.outer(ways @ self.plane, self.plane) / (self.plane @ self.plane)
        forms = np.einsum("...i,ij,...j->...", ways, self.A, ways)
        ways, forms = ways[forms > 1e-6], forms[forms > 1e-6]
        return self.centre + ways / np.sqrt(forms)[:, None]


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    dimension=st.sampled_from([2, 3]),
    kind=st.sampled_from(["ellipsoid", "hyperboloid"]),
    flat=st.booleans(),
)
def test_the_nearest_point_of_a_quadric(seed, dimension, kind, flat):
    case = Quadric(seed, dimension, kind, flat and dimension == 3)
    cloud = case.cloud()
    assume(len(cloud) > MANY // 20)
    start, p = case.found()
    values, slopes = case.rows(p)
    assert np.abs(values).max() < 1e-9 * (1 + np.abs(p - case.centre).max() ** 2)
    pull = case.M @ (p - case.guess)
    lam = np.linalg.lstsq(slopes.T, -pull, rcond=None)[0]
    assert np.linalg.norm(pull + slopes.T @ lam) < 1e-6 * np.linalg.norm(pull) + 1e-12  # Karush, Kuhn and Tucker
    best = cloud[np.argmin(case.distance(cloud))]
    refined = minimize(
        lambda a: float(case.distance(a) ** 2), best, method="SLSQP", options={"ftol": 1e-14, "maxiter": 200},
        constraints=[{"type": "eq", "fun": lambda a: case.rows(a)[0], "jac": lambda a: case.rows(a)[1]}],
    )  # fmt: skip
    rivals = [best] + ([refined.x] if np.abs(case.rows(refined.x)[0]).max() < 1e-9 else [])
    assert case.distance(p) <= min(map(case.distance, rivals)) * (1 + 1e-6)
    assert start.proved or start.equally_near or "lose rank" in start.reason


NEAREST = {
    "ring": ([(H, x**2 + y**2 - 1)], {x: 3.0, y: 4.0, X: 1.0, Y: 1.0, Z: 7.0}),
    "ellipse": ([(H, x**2 / 4 + y**2 - 1)], {x: 5.0, y: 0.3, z: 2.0}),
    "sphere and plane": ([(H, x**2 + y**2 + z**2 - 1), (H, 2 * x + 2 * y + 2 * z - 1)], {x: 5.0, y: -4.0, z: 9.0}),
    "speed": ([(N, X**2 + Y**2 - 1)], {X: 3.0, Y: 4.0, Z: 2.0}),
    "wave": ([(H, y - cos(3 * x))], {x: 1.1, y: 2.0}),
    "twice, and of different size": ([(H, x * y - 1), (H, 5 * x * y - 5)], {x: 4.0, y: 3.0}),
    "beside what is large": ([(H, x**2 + y**2 - 1)], {x: 3.0, y: 4.0, z: 1e10}),
}


@settings(max_examples=40, deadline=None)
@given(case=st.sampled_from([*NEAREST]), changed=units(rows=2))
def test_units_and_factors_do_not_change_what_is_nearest(case, changed):
    rows, guess = NEAREST[case]
    own, L = list(q), (X**2 + 2 * Y**2 + 3 * Z**2) / 2
    plain = Units((0, 0, 0), 0, 0, (0, 0)).system(own, L, rows).start(guess)
    found = changed.system(own, L, rows).start(changed.state(own, guess))
    back = changed.back(own, found.state)
    sizes = [max(abs(plain.state[key]) for key in part) for part in (q, v)]
    for key in (*q, *v):
        size = 1.0 if key is z else sizes[key in v]
        assert back[key] == pytest.approx(plain.state[key], rel=1e-9, abs=1e-9 * size)
    assert found.proved == plain.proved
    assert set(found.moved) == set(plain.moved)
