"""Constraints with known answers: what each set is, how many integrals it has, and which."""

from typing import NamedTuple

from sympy import Expr, Rational, S, cos, cosh, exp, sin, sinh, sqrt, symbols, tan
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

t = dynamicsymbols._t
x, y, z, w, s = dynamicsymbols("x y z w s")
theta, phi, psi = dynamicsymbols("theta phi psi")
a, b, c, R, v, omega, r1, r2 = symbols("a b c R v omega r_1 r_2", positive=True)
X, Y, Z = x.diff(t), y.diff(t), z.diff(t)


def form(coefficients: dict[Expr, Expr], name: str = "") -> da.Differential:
    return da.Differential(coefficients, name=name)


class Case(NamedTuple):
    name: str
    coordinates: list[Expr]
    constraints: list[da.Holonomic | da.Nonholonomic | da.Differential]
    holonomic: bool
    integrable: int
    rank: int
    integrals: tuple[Expr, ...] = ()
    alone: tuple[bool, ...] | None = None  # whether each is holonomic by itself; as the set where it is left out


def trailer(count: int) -> Case:
    """A car and its trailers, each hooked at the axle before it: a Goursat flag, no integrals."""
    angles = dynamicsymbols(f"beta0:{count + 1}")
    places = [*angles]
    px, py = x, y
    rows = []
    for i, angle in enumerate(angles):
        if i:
            px, py = px - a * cos(angle), py - a * sin(angle)
        row = {q: sin(angle) * px.diff(q) - cos(angle) * py.diff(q) for q in (x, y, *angles)}
        rows.append(form({q: e for q, e in row.items() if e != 0}))
    return Case(f"car with {count} trailers", [x, y, *places], rows, False, 0, count + 1)


_SPHERE = [  # a sphere on a plane: the contact point does not slip; spatial angular velocity by Euler angles (zxz)
    da.Nonholonomic(X - R * (theta.diff(t) * sin(psi) - phi.diff(t) * sin(theta) * cos(psi))),
    da.Nonholonomic(Y + R * (theta.diff(t) * cos(psi) + phi.diff(t) * sin(theta) * sin(psi))),
]
_SPIN = form({psi: 1, phi: cos(theta)})  # no spin about the vertical

CASES = [
    Case("disk on an incline", [y, theta], [form({y: 1, theta: -R})], True, 1, 1, (y - R * theta,)),
    Case("rolling as velocities", [y, theta], [da.Nonholonomic(Y - R * theta.diff(t))], True, 1, 1, (y - R * theta,)),
    Case("y' = z^2 x'", [x, y, z], [da.Nonholonomic(Y - z**2 * X)], False, 0, 1),
    Case("exact with time", [x, y], [form({x: y, y: x, t: -2 * t})], True, 1, 1, (x * y - t**2,)),
    Case("quotient", [x, y], [form({x: y, y: -x})], True, 1, 1, (x / y,)),
    Case("2y dx + x dy", [x, y], [form({x: 2 * y, y: x})], True, 1, 1, (x**2 * y,)),
    Case("2y dx + x dy in space", [x, y, z], [form({x: 2 * y, y: x})], True, 1, 1, (x**2 * y,)),
    Case("y dx - x dy + dz", [x, y, z], [form({x: y, y: -x, z: 1})], False, 0, 1),
    Case("circle with a factor", [x, y], [form({x: x * exp(y), y: y * exp(y)})], True, 1, 1, (x**2 + y**2,)),
    Case("linear first order", [x, y], [form({y: exp(x), x: y * exp(x)})], True, 1, 1, (y * exp(x),)),
    Case("knife edge", [x, y, phi], [form({x: sin(phi), y: -cos(phi)})], False, 0, 1),
    Case("sleigh off its blade", [x, y, phi], [form({x: sin(phi), y: -cos(phi), phi: a})], False, 0, 1),
    Case("knife edge held", [x, y, phi], [form({x: sin(phi), y: -cos(phi)}), form({phi: 1})], True, 2, 2,
         (phi, x * sin(phi) - y * cos(phi)), (False, True)),
    Case("upright disk", [x, y, theta, phi],
         [form({x: 1, theta: -R * cos(phi)}), form({y: 1, theta: -R * sin(phi)})], False, 0, 2),
    Case("upright disk, fixed heading", [x, y, theta, phi],
         [form({x: 1, theta: -R * cos(phi)}), form({y: 1, theta: -R * sin(phi)}), da.Holonomic(phi - c)], True, 3, 3,
         (phi, x - R * theta * cos(phi), y - R * theta * sin(phi)), (False, False, True)),
    Case("upright disk, heading turned with time", [x, y, theta, phi],
         [form({x: 1, theta: -R * cos(phi)}), form({y: 1, theta: -R * sin(phi)}), da.Holonomic(phi - omega * t)],
         False, 1, 3, (phi - omega * t,), (False, False, True)),
    Case("two wheels on an axle", [x, y, phi, theta, psi],
         [form({x: sin(phi), y: -cos(phi)}), form({x: cos(phi), y: sin(phi), phi: b, theta: -R}),
          form({x: cos(phi), y: sin(phi), phi: -b, psi: -R})], False, 1, 3, (2 * b * phi - R * (theta - psi),)),
    Case("sphere on a plane", [x, y, theta, phi, psi], _SPHERE, False, 0, 2),
    Case("sphere that does not spin", [x, y, theta, phi, psi], [*_SPHERE, _SPIN], False, 0, 3),
    trailer(1),
    trailer(2),
    trailer(3),
    Case("only together: x' + z w' with z' = 0", [x, z, w], [form({x: 1, w: z}), form({z: 1})], True, 2, 2,
         (z, x + z * w), (False, True)),
    Case("only together, mixed", [x, y, z], [form({x: 1, y: z}), form({z: 1, x: y, y: y * z})], True, 2, 2,
         (z, x + z * y), (False, False)),
    Case("one combination of two", [x, y, z, w], [form({x: 1, y: w}), form({x: 1, y: w, z: 1})], False, 1, 2, (z,),
         (False, False)),
    Case("one of two, by products", [x, y, z, w],
         [form({x: y, y: x, z: 1, w: -y}), form({z: 1, w: -y})], False, 1, 2, (x * y,), (False, False)),
    Case("contact form", [x, y, z], [form({z: 1, x: -y})], False, 0, 1),
    Case("contact form with y held", [x, y, z], [form({z: 1, x: -y}), form({y: 1})], True, 2, 2, (y, z - y * x),
         (False, True)),
    Case("Engel: two rows in four variables", [x, y, z, w], [form({y: 1, x: -z}), form({z: 1, x: -w})], False, 0, 2),
    Case("moving hoop", [x, y], [da.Nonholonomic(X * x + Y * y - v)], True, 1, 1, (x**2 + y**2 - 2 * v * t,)),
    Case("cart on a moving belt", [x], [da.Nonholonomic(X - v)], True, 1, 1, (x - v * t,)),
    Case("belt that speeds up", [x, y], [da.Nonholonomic(X - v * sin(omega * t))], True, 1, 1,
         (omega * x + v * cos(omega * t),)),
    Case("steered by time", [x, y], [da.Nonholonomic(Y - t * X)], False, 0, 1),
    Case("pursuit of a moving point", [x, y], [da.Nonholonomic((x - v * t) * Y - (y - b) * X)], False, 0, 1),
    Case("acatastatic skate", [x, y, phi], [da.Nonholonomic(X * sin(phi) - Y * cos(phi) - v)], False, 0, 1),
    Case("Appell", [x, y, z], [da.Nonholonomic(X**2 + Y**2 - c**2 * Z**2)], False, 0, 1),
    Case("speed held", [x, y], [da.Nonholonomic(X**2 + Y**2 - v**2)], False, 0, 1),
    Case("linear in disguise", [y, theta], [da.Nonholonomic((Y - R * theta.diff(t)) * (1 + Y**2))], True, 1, 1,
         (y - R * theta,)),
    Case("linear beside Appell", [x, y, z], [da.Nonholonomic(X**2 + Y**2 - c**2 * Z**2), form({x: 1, y: -2})],
         False, 1, 2, (x - 2 * y,), (False, True)),
    Case("circle", [x, y], [da.Holonomic(x**2 + y**2 - R**2)], True, 1, 1, (x**2 + y**2,)),
    Case("hoop that grows", [x, y], [da.Holonomic(x**2 + y**2 - (R + v * t) ** 2)], True, 1, 1,
         (x**2 + y**2 - (R + v * t) ** 2,)),
    Case("circle twice", [x, y], [da.Holonomic(x**2 + y**2 - R**2), form({x: x, y: y})], True, 1, 1, (x**2 + y**2,)),
    Case("sphere and plane", [x, y, z], [da.Holonomic(x**2 + y**2 + z**2 - R**2), da.Holonomic(z - a)], True, 2, 2,
         (x**2 + y**2 + z**2, z)),
    Case("gears", [theta, phi, psi], [form({theta: r1, phi: r2}), form({phi: r2, psi: a})], True, 2, 2,
         (r1 * theta + r2 * phi, r2 * phi + a * psi)),
    Case("planetary gear", [theta, phi, psi], [form({theta: r1, phi: r2, psi: -(r1 + r2)})], True, 1, 1,
         (r1 * theta + r2 * phi - (r1 + r2) * psi,)),
    Case("hyperbolic", [x, y], [form({x: cosh(x) * y, y: sinh(x)})], True, 1, 1, (y * sinh(x),)),
    Case("roots", [x, y], [form({x: x / sqrt(x**2 + y**2), y: y / sqrt(x**2 + y**2)})], True, 1, 1, (x**2 + y**2,)),
    Case("logarithms", [x, y, z], [form({z: 1, x: -z / x, y: -2 * z / y})], True, 1, 1, (z / (x * y**2),)),
    Case("tangent", [x, phi], [form({x: 1, phi: x * tan(phi)})], True, 1, 1, (x / cos(phi),)),
    Case("decimal coefficients", [x, y], [form({x: S("0.1") * y, y: S("0.3") * x})], True, 1, 1, (x * y**3,)),
    Case("screw", [z, phi], [form({z: 1, phi: -a / 2})], True, 1, 1, (z - a * phi / 2,)),
    Case("heading by rolling", [x, y, phi, s], [form({x: 1, s: -cos(phi)}), form({y: 1, s: -sin(phi)}),
         form({phi: 1, s: -Rational(1, 2)})], True, 3, 3, (phi - s / 2, x - 2 * sin(phi), y + 2 * cos(phi)),
         (False, False, True)),
    Case("unconstrained", [x, y], [], True, 0, 0),
]  # fmt: skip
