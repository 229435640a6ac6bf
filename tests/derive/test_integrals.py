"""First integrals with known answers: what is found spans the same differentials, by arithmetic of forty digits."""

import pytest
from sympy import (
    Abs,
    Function,
    I,
    Integer,
    Matrix,
    Max,
    Piecewise,
    Rational,
    atan,
    besselj,
    cos,
    cosh,
    exp,
    expand,
    floor,
    log,
    nan,
    oo,
    sign,
    sin,
    sinh,
    sqrt,
    symbols,
    tan,
)

from dalembert.derive.integrals.search import find_integrals
from derive.forms import differential, mixed, names, rank

x, y, z, w, theta, phi, t = V = names("x y z w theta phi t")
R, r, a, b, k, L, v, alpha = symbols("R r a b k L v alpha", positive=True)
radii = symbols("r1:8", positive=True)
turns = names("q1 q2 q3 q4 q5 q6 q7")
TWO = [[1, x], [y, 1 + x * y]]
THREE = [[1, x, 0], [y, 1 + x * y, z], [0, 1, 1]]
u = sqrt(x**2 + y**2)

KNOWN = {  # name: (forms, integrals)
    "rolling": ([{y: 1, theta: -R}], [y - R * theta]),
    "exact in space and time": ([{x: y, y: x, t: -2 * t}], [x * y - t**2]),
    "ray": ([{x: y, y: -x}], [y / x]),
    "two powers": ([{x: 2 * y, y: x}], [x**2 * y]),
    "three powers": ([{x: y * z, y: 2 * x * z, z: -3 * x * y}], [x * y**2 / z**3]),
    "symbolic powers": ([{x: a * y, y: b * x}], [x**a * y**b]),
    "circle behind a factor": ([{x: x * sin(z), y: y * sin(z)}], [x**2 + y**2]),
    "circle off the origin": ([{x: x - a, y: y}], [(x - a) ** 2 + y**2]),
    "fixed heading": ([{x: cos(theta), y: sin(theta)}, {theta: 1}], [x * cos(theta) + y * sin(theta), theta]),
    "disk with fixed heading": (
        [{x: 1, phi: -R * cos(theta)}, {y: 1, phi: -R * sin(theta)}, {theta: 1}],
        [x - R * phi * cos(theta), y - R * phi * sin(theta), theta],
    ),
    "moving": ([{x: 1, t: -v}], [x - v * t]),
    "shaken": ([{y: 1, t: -R * v * cos(v * t)}], [y - R * sin(v * t)]),
    "exponential": ([{y: exp(x), x: y * exp(x)}], [y * exp(x)]),
    "exponential factor": ([{y: 1, x: y}], [y * exp(x)]),
    "product": ([{z: 1, x: -z / x, y: -z / y}], [z / (x * y)]),
    "only together": ([{x: 1, w: z}, {z: 1}], [x + z * w, z]),
    "one combination of two": ([*mixed([x * y - z**2], V), {x: y + z, y: x, z: 1 - 2 * z, theta: w}], [x * y - z**2]),
    "length": ([{x: x / u, y: y / u, z: -1}], [u - z]),
    "rod": (mixed([sqrt((x - L * cos(theta)) ** 2 + y**2) - z], V), [sqrt((x - L * cos(theta)) ** 2 + y**2) - z]),
    "gears": ([{theta: a, phi: b}], [a * theta + b * phi]),
    "gear in a ring": ([{theta: R - r, phi: r}], [(R - r) * theta + r * phi]),
    "incline": (
        [{x: sin(alpha), y: -cos(alpha), theta: -R}, {x: cos(alpha), y: sin(alpha)}],
        [x * sin(alpha) - y * cos(alpha) - R * theta, x * cos(alpha) + y * sin(alpha)],
    ),
    "belts": (
        [{turns[i]: radii[i], turns[i + 1]: -radii[i + 1]} for i in range(6)],
        [radii[i] * turns[i] - radii[i + 1] * turns[i + 1] for i in range(6)],
    ),
    "secant": ([{theta: 1, x: -cos(theta)}], [(1 + sin(theta)) / (1 - sin(theta)) * exp(-2 * x)]),
    "angle about a point": (
        [{x: b - y, y: x - a, z: -((x - a) ** 2) - (y - b) ** 2}],
        [z + atan((x - a) / (y - b))],
    ),
    "tangent": ([{y: 1, x: -tan(x)}], [y + log(cos(x))]),
    "hyperbolic": ([{x: cosh(x), y: -sinh(y)}], [sinh(x) - cosh(y)]),
    "polar angle": ([{theta: 1, x: y / u**2, y: -x / u**2}], [theta + atan(x / y)]),
    "spiral": ([{x: x - y, y: x + y}], [log(u**2) - 2 * atan(x / y)]),
    "homogeneous": ([{x: x**2 + y**2, y: -2 * x * y}], [(x**2 - y**2) / x]),
    "linear equation": ([{y: 1, x: y - x}], [(y - x + 1) * exp(x)]),
    "linear with angles": ([{y: 1, x: (y - sin(x)) * cos(x)}], [(y - sin(x) + 1) * exp(sin(x))]),
    "Bernoulli": ([{y: 1, x: y - x * y**2}], [(x + 1 - 1 / y) * exp(-x)]),
    "separable": ([{y: 1 + x**2, x: -1 - y**2}], [(x - y) / (1 + x * y)]),
    "fraction": (mixed([(x + y) / (1 + x * y)], V, [[(1 + x * y) ** 2]]), [(x + y) / (1 + x * y)]),
    "fraction in space": ([{x: y * z * (y + z), y: x * z * (x + z), z: x * y * (x + y)}], [(x + y + z) / (x * y * z)]),
    "cyclic": ([{x: y + z, y: z + x, z: x + y}], [x * y + y * z + z * x]),
    "triangular": ([{y: 1, x: -y}, {z: 1, x: -z - y}], [y * exp(-x), (z - x * y) * exp(-x)]),
    "oscillator": ([{x: 1, t: -y}, {y: 1, t: k**2 * x}], [k**2 * x**2 + y**2, k * t - atan(k * x / y)]),
    "damped": ([{x: 1, t: -y}, {y: 1, t: k * y}], [k * x + y, y * exp(k * t)]),
    "mixed": (mixed([sqrt(x**2 + y**2) - z, w * x], V, TWO), [u - z, w * x]),
    "mixed with a factor": (mixed([(y - x + 1) * exp(x), z**2 + y], V, TWO), [(y - x + 1) * exp(x), z**2 + y]),
    "mixed in time": (mixed([x * exp(-k * t) + y, z - v * t], V, TWO), [x * exp(-k * t) + y, z - v * t]),
    "mixed with parameters": (
        mixed([a * x**2 + (b - a) * y * z - L * t, x * cos(theta) + R * z, r * y + k * L * w], V, THREE),
        [a * x**2 + (b - a) * y * z - L * t, x * cos(theta) + R * z, r * y + k * L * w],
    ),
    "redundant": ([{x: 1, y: 1}, {x: 2, y: 2}], [x + y]),
    "modulus": ([{x: sign(x), y: 1}], [Abs(x) + y]),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_integrals_are_found(name):
    rows, known = KNOWN[name]
    variables = turns if name == "belts" else V
    found = find_integrals(rows, variables, len(known), 3.0)
    assert len(found) == len(known)
    slopes = [differential(f, variables) for f in found]
    assert rank(slopes, variables) == len(known)
    assert rank(slopes + [differential(f, variables) for f in known], variables) == len(known)
    assert rank(slopes + rows, variables) == rank(rows, variables)


@pytest.mark.parametrize(
    ("rows", "written"),
    [
        ([{y: 1, theta: -R}], y - R * theta),
        ([{x: y, y: x, t: -2 * t}], x * y - t**2),
        ([{x: y, y: -x}], y / x),
        ([{x: 2 * y, y: x}], x**2 * y),
        ([{x: 1, t: -v}], x - v * t),
        ([{y: 1, x: y}], y * exp(x)),
        ([{x: -x / u, y: -y / u, z: z}], z**2 - 2 * u),
        ([{theta: R - r, phi: r}], (R - r) * theta + r * phi),
        ([{x: 0.5, y: -0.1}], 5 * x - y),
        ([{y: 1, x: Function("F")(x).diff(x)}], y + Function("F")(x)),
        ([{x: Rational(1, 3), y: Rational(-1, 2) * sin(y)}], 2 * x + 3 * cos(y)),
    ],
)
def test_integrals_are_written_as_people_write_them(rows, written):
    assert find_integrals(rows, V, 1, 2.0) == [written]


def test_the_simplest_comes_first():
    rows = mixed([x * y * z + w**2 + sin(theta), y - R * t], V, TWO)
    assert find_integrals(rows, V, 2, 2.0) == [y - R * t, x * y * z + w**2 + sin(theta)]


def test_a_chain_comes_back_link_by_link():
    """Five rods with mixed forms: no integral is left with the squares of another in it."""
    q = names(" ".join(f"q{i}" for i in range(12)))
    links = [expand((q[i + 2] - q[i]) ** 2 + (q[i + 3] - q[i + 1]) ** 2) for i in range(0, 10, 2)]
    matrix = Matrix(5, 5, lambda i, j: Integer(1) if i == j else q[i] if j == i + 1 else Integer(0))
    assert set(find_integrals(mixed(links, q, matrix), q, 5, 3.0)) == set(links)


def test_a_combination_found_only_in_the_derived_set():
    """exp(x) occurs nowhere: the combination must be isolated, then its factor found."""
    f = (y - x + z * w) * exp(x)
    rows = mixed([f], V, [[exp(-x)]])
    rows = [{s: e.expand() for s, e in rows[0].items()}, {y: z, z: 1, theta: x}]
    whole = [
        {s: rows[0].get(s, 0) + x * rows[1].get(s, 0) for s in V},
        {s: y * rows[0].get(s, 0) + (1 + x * y) * rows[1].get(s, 0) for s in V},
    ]
    assert find_integrals(whole, V, 1, 10.0) == [f]


NOT = {
    "paper": [{y: 1, x: -(z**2)}],
    "knife edge": [{x: sin(theta), y: -cos(theta)}],
    "disk": [{x: 1, phi: -R * cos(theta)}, {y: 1, phi: -R * sin(theta)}],
    "no combination": [{x: y, y: x, z: 1, w: x}, {z: 1, w: x, theta: y}],
    "Piecewise": [{x: Piecewise((y, x > 0), (z, True)), y: 1}],
    "Max": [{x: Max(x, y), z: 1}],
    "steps": [{x: floor(x), y: 1}],
    "Bessel": [{x: besselj(0, x * y), y: 1}],
    "infinite": [{x: oo, y: 1}],
    "no number": [{x: nan, y: 1}],
    "complex": [{x: I * y, y: x}],
    "undefined": [{x: Function("F")(x, y), y: Function("F")(y, x)}],
    "nested": [{x: y * sin(sin(x)), y: cos(x * y)}],
    "powers": [{x: x**y, y: y**x}],
    "empty": [{}],
    "zero": [{x: 0}],
    "none": [],
}


@pytest.mark.parametrize("name", NOT)
def test_nothing_is_invented(name):
    assert find_integrals(NOT[name], V, 2, 1.0) == []
