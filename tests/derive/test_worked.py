"""The worked systems of the source texts come out symbolically: the difference simplifies to zero."""

import pytest
from sympy import (
    Abs,
    Function,
    Matrix,
    Rational,
    cos,
    diag,
    eye,
    sign,
    simplify,
    sin,
    sqrt,
    symbols,
)
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z, r, theta = dynamicsymbols("x y z r theta")
t = dynamicsymbols._t
vx, vy, vz = x.diff(), y.diff(), z.diff()
m, M, g, R, a, a0, mu, alpha, length, c = symbols("m M g R a a0 mu alpha l c", positive=True)


def assert_zero(difference):
    assert simplify(difference) == difference * 0


class TestNonholonomicParticle:
    """Udwadia and Kalaba 2001, equations (13) to (17), for arbitrary impressed forces."""

    forces = tuple(Function(name)(x, y, z, t) for name in ("f_x", "f_y", "f_z"))

    @pytest.fixture(scope="class", params=["functions", "symbols"])
    @classmethod
    def case(cls, request):
        f = cls.forces if request.param == "functions" else list(symbols("f_x f_y f_z"))
        system = da.System.from_forces(
            eye(3), f, [x, y, z], constraints=[da.Nonholonomic(vy - z**2 * vx, nature=da.Quadratic(a0))]
        )
        return system.equations(), Matrix(f)

    def test_rows(self, case):
        equations, _ = case
        assert_zero(equations.A - Matrix([[-(z**2), 1, 0]]))
        assert_zero(equations.b - Matrix([2 * vx * vz * z]))

    def test_forces_and_motion(self, case):
        equations, f = case
        speed = sqrt(vx**2 + vy**2 + vz**2)
        ideal = Matrix([-(z**2), 1, 0]) * (2 * z * vx * vz + z**2 * f[0] - f[1]) / (1 + z**4)
        work = -a0 * Matrix([vx + z**2 * vy, z**2 * vx + z**4 * vy, vz * (1 + z**4)]) * speed / (1 + z**4)
        assert_zero(equations.ideal - ideal)
        assert_zero(equations.nonideal - work)
        assert_zero(equations.acceleration - (f + ideal + work))
        assert_zero(equations.C + a0 * speed * Matrix([vx, vy, vz]))

    def test_work_doing_force_is_not_C(self, case):
        equations, _ = case
        assert simplify(equations.nonideal - equations.C) != Matrix([0, 0, 0])


class TestRoughRing:
    """Udwadia 2000, equations (33) to (39), on the ring: x = R cos φ, y = R sin φ with speed R φ̇."""

    phi, rate = symbols("phi rate", real=True)

    @pytest.fixture(scope="class")
    @classmethod
    def equations(cls):
        return da.System.from_lagrangian(
            (vx**2 + vy**2) / 2 - g * y,
            [x, y],
            constraints=[da.Holonomic(x**2 + y**2 - R**2, name="ring", nature=da.Coulomb(mu))],
        ).equations()

    def on_ring(self, expr):
        place = {vx: -R * sin(self.phi) * self.rate, vy: R * cos(self.phi) * self.rate}
        return expr.subs(place).subs({x: R * cos(self.phi), y: R * sin(self.phi)})

    def test_ideal_force(self, equations):
        expected = -Matrix([x, y]) / R * (vx**2 + vy**2 - g * y) / R  # (33)
        assert_zero(self.on_ring(equations.ideal - expected))

    def test_work_doing_force(self, equations):
        size = Abs((vx**2 + vy**2 - g * y) / R)  # (35)
        expected = -mu * size * Matrix([-y * sign(x) / R, x * sign(x) / R]) * sign(vy)  # (38)
        for sample in (0.3, 1.2, 2.5, 4.0, 5.5):
            for speed in (-1.3, 0.7, 4.0):
                at = {self.phi: sample, self.rate: speed, R: 0.8, g: 9.81, mu: 0.3}
                gap = self.on_ring(equations.nonideal - expected).subs(at)
                assert max(abs(float(e)) for e in gap) < 1e-12

    def test_work_doing_force_in_symbols(self, equations):
        """(38) with the signs of the first quadrant, counter-clockwise, written by the angle."""
        rate = symbols("w", positive=True)
        expected = -mu * Abs(R * rate**2 - g * sin(self.phi)) * Matrix([-sin(self.phi), cos(self.phi)])
        assert_zero(self.on_ring(equations.nonideal).subs(self.rate, rate) - expected)

    def test_motion(self, equations):
        expected = Matrix([0, -g]) + equations.ideal + equations.nonideal  # (39)
        assert_zero(equations.acceleration - expected)

    def test_motion_along_the_ring(self, equations):
        """R φ̈ = −g cos φ − μ |R φ̇² − g sin φ| sgn φ̇."""
        along = Matrix([-sin(self.phi), cos(self.phi)])
        expected = -g * cos(self.phi) - mu * Abs(R * self.rate**2 - g * sin(self.phi)) * sign(self.rate)
        gap = (self.on_ring(equations.acceleration).T * along)[0] - expected
        for w in (symbols("w", positive=True), -symbols("w", positive=True)):
            assert_zero(gap.subs(self.rate, w))


@pytest.mark.parametrize(
    "constraint",
    [da.Holonomic(y - R * theta), da.Differential({y: 1, theta: -R}), da.Nonholonomic(y.diff() - R * theta.diff())],
    ids=["holonomic", "differential", "nonholonomic"],
)
def test_rolling_disk(constraint):
    """Thornton and Marion, (7.71) to (7.77) and the generalized forces."""
    L = M * y.diff() ** 2 / 2 + M * R**2 * theta.diff() ** 2 / 4 + M * g * (y - length) * sin(alpha)
    equations = da.System.from_lagrangian(L, [y, theta], constraints=[constraint]).equations()
    lam = -M * g * sin(alpha) / 3
    assert_zero(equations.M - diag(M, M * R**2 / 2))
    assert_zero(equations.Q - Matrix([M * g * sin(alpha), 0]))
    assert_zero(equations.multipliers - Matrix([lam]))  # (7.76)
    assert_zero(
        equations.acceleration - Matrix([2 * g * sin(alpha) / 3, 2 * g * sin(alpha) / (3 * R)])
    )  # (7.75), (7.77)
    assert_zero(equations.ideal - Matrix([lam, -lam * R]))
    assert equations.nonideal == Matrix([0, 0])
    # (7.71a), (7.71b), (7.74)
    ydd, thetadd = equations.acceleration
    assert_zero(M * g * sin(alpha) - M * ydd + equations.multipliers[0])
    assert_zero(-M * R**2 * thetadd / 2 - equations.multipliers[0] * R)
    assert_zero(equations.multipliers[0] + M * ydd / 2)


@pytest.mark.parametrize("constraint", [da.Holonomic(r - a), da.OneSided(r - a)], ids=["holonomic", "one-sided"])
def test_hemisphere(constraint):
    """Thornton and Marion, (7.87) to (7.93): λ = mg(3 cos θ − 2) with θ̇² of (7.92); a contact leaves where it is 0."""
    L = m * (r.diff() ** 2 + r**2 * theta.diff() ** 2) / 2 - m * g * r * cos(theta)
    equations = da.System.from_lagrangian(L, [r, theta], constraints=[constraint]).equations()
    on = {theta.diff(): sqrt(2 * g / a * (1 - cos(theta))), r.diff(): 0, r: a}
    assert_zero(equations.multipliers[0].subs(r.diff(), 0).subs(on) - m * g * (3 * cos(theta) - 2))
    assert_zero(equations.acceleration.subs(r.diff(), 0).subs(r, a) - Matrix([0, g / a * sin(theta)]))  # (7.89)


@pytest.mark.parametrize(
    ("nature", "size"),
    [
        (da.Viscous(a0), lambda speed: a0),
        (da.Quadratic(a0), lambda speed: a0 * speed),
        (da.Viscous(a0 * (1 + x**2)), lambda speed: a0 * (1 + x**2)),
        (da.Prescribed({x: -a0 * vx, y: -a0 * vy}), lambda speed: a0),
    ],
    ids=["speed", "square", "place", "prescribed"],
)
def test_sliding_block(nature, size):
    """Udwadia and Kalaba 2001, section 2.2: the plane z = 0 with a force against the motion in it."""
    block = da.System.from_particles(
        [da.Particle(m, (x, y, z))], potential=m * g * z, constraints=[da.Holonomic(z, nature=nature)]
    )
    equations = block.equations()
    flat = {vz: 0}
    speed = sqrt(vx**2 + vy**2)
    assert_zero(equations.multipliers - Matrix([m * g]))
    assert_zero(equations.nonideal.subs(flat) + size(speed) * Matrix([vx, vy, 0]))
    assert_zero(equations.acceleration.subs(flat) + size(speed) / m * Matrix([vx, vy, 0]))


def test_appell():
    """x'² + y'² = c² z'²: on the constraint z̈ = −g/(1 + c²), and the horizontal velocity keeps its direction."""
    particle = da.System.from_particles(
        [da.Particle(m, (x, y, z))], potential=m * g * z, constraints=[da.Nonholonomic(vx**2 + vy**2 - c**2 * vz**2)]
    )
    equations = particle.equations()
    direction, fall = symbols("direction fall", real=True)
    on = {vx: c * fall * cos(direction), vy: c * fall * sin(direction), vz: fall}
    xdd, ydd, zdd = equations.acceleration.subs(on)
    assert_zero(zdd + g / (1 + c**2))
    assert_zero(xdd * sin(direction) - ydd * cos(direction))
    assert_zero(equations.b)
    assert_zero(equations.A - 2 * Matrix([[vx, vy, -(c**2) * vz]]))


def test_magnitude_of_the_ideal_force_in_a_nature():
    """The ring's friction written out by hand with |Qᶜ_i| is the Coulomb nature."""
    speed = sqrt(vx**2 + vy**2)
    by_hand = da.Prescribed({q: -mu * da.ideal_magnitude() * q.diff() / speed for q in (x, y)})
    forms = [
        da.System.from_lagrangian(
            m * (vx**2 + vy**2) / 2 - m * g * y, [x, y], constraints=[da.Holonomic(x**2 + y**2 - R**2, nature=nature)]
        ).equations()
        for nature in (by_hand, da.Coulomb(mu))
    ]
    assert_zero(forms[0].nonideal - forms[1].nonideal)


def test_force_proportional_to_the_ideal_force_does_nothing():
    """C = −a₀ Qᶜ_i lies in the range of Aᵀ: it does no virtual work, so Qᶜ_ni = 0 (2001, remark 5)."""
    nature = da.Prescribed({q: -Rational(1, 2) * da.ideal_force(q) for q in (x, y)})
    equations = da.System.from_lagrangian(
        m * (vx**2 + vy**2) / 2 - m * g * y, [x, y], constraints=[da.Holonomic(x**2 + y**2 - R**2, nature=nature)]
    ).equations()
    assert equations.nonideal == Matrix([0, 0])
    assert Matrix([0, 0]) != equations.C
