"""Known faults: starts that were not the nearest, not noticed to be inconsistent, or refused though they exist."""

from functools import partial
from types import ModuleType

import numpy as np
from sympy import cos, sin
from sympy.physics.mechanics import dynamicsymbols

from ..case import Question

x, y, z, a, b, c = dynamicsymbols("x y z a b c")
X, Y, Z, A, B = (q.diff() for q in (x, y, z, a, b))
PLANE = (X**2 + Y**2) / 2
SPACE = (X**2 + Y**2 + Z**2) / 2


def plane(program: ModuleType, *rows, lagrangian=PLANE, coordinates=(x, y)):
    """A unit mass with holonomic rows."""
    return program.System.from_lagrangian(
        lagrangian, list(coordinates), constraints=[program.Holonomic(row) for row in rows]
    )


def values(start, *keys):
    """What a start says of some coordinates."""
    given = dict(start.state) if hasattr(start, "state") else dict(start)
    return np.array([float(given[key]) for key in keys])


def nearest(label, rows, guess, right, lagrangian=PLANE, coordinates=(x, y)) -> Question:
    """The nearest consistent state, in the metric of M."""
    keys = tuple(guess)

    def ask(program):
        return values(plane(program, *rows, lagrangian=lagrangian, coordinates=coordinates).start(guess), *keys)

    def wrong(found):
        off = np.abs(found - np.array(right)).max()
        return "" if off < 1e-9 else f"{found.tolist()}, the nearest is {list(right)}"

    return Question(label, ask, wrong)


def ellipse() -> Question:
    """Nearest to (4, 3) on x²/4 + y² = 1: the multiplier by Newton's method."""
    m = 5.0
    for _ in range(100):
        slope = (_ellipse(m + 1e-6) - _ellipse(m - 1e-6)) / 2e-6
        m -= _ellipse(m) / slope
    right = (4 / (1 + m / 4), 3 / (1 + m))
    return nearest("an ellipse", [x**2 / 4 + y**2 - 1], {x: 4.0, y: 3.0}, right)


def _ellipse(m):
    """x²/4 + y² − 1 where (4 − x, 3 − y) = m (x/4, y)."""
    return (4 / (1 + m / 4)) ** 2 / 4 + (3 / (1 + m)) ** 2 - 1


def parabola() -> Question:
    """Nearest to (3, −2) on y = x²: 2x³ + 5x − 3 = 0."""
    roots = np.roots([2, 0, 5, -3])
    (p,) = roots[np.abs(roots.imag) < 1e-12].real
    return nearest("a parabola", [y - x**2], {x: 3.0, y: -2.0}, (p, p * p))


def sphere_and_plane() -> Question:
    """Nearest to (3, 4, 5) on the unit sphere and z = 0.6: a circle of radius 0.8."""
    return nearest(
        "a sphere with a plane",
        [x**2 + y**2 + z**2 - 1, z - 0.6],
        {x: 3.0, y: 4.0, z: 5.0},
        (0.48, 0.64, 0.6),
        SPACE,
        (x, y, z),
    )


def massless() -> Question:
    """A massless coordinate does not count in the metric, and is put on its row exactly."""

    def ask(program):
        system = plane(program, z - x * y, lagrangian=PLANE, coordinates=(x, y, z))
        return values(system.start({x: 1.0, y: 2.0, z: 5.0}), x, y, z)

    def wrong(found):
        off = np.abs(found - np.array([1.0, 2.0, 2.0])).max()
        return "" if off < 1e-12 else f"off by {off:.1e}"

    return Question("a massless coordinate", ask, wrong)


def unit_speed() -> Question:
    """Nearest velocity to (3, 4) with |v| = 1."""

    def ask(program):
        system = program.System.from_lagrangian(PLANE, [x, y], constraints=[program.Nonholonomic(X**2 + Y**2 - 1)])
        return values(system.start({x: 0.0, y: 0.0, X: 3.0, Y: 4.0}), X, Y)

    def wrong(found):
        off = np.abs(found - np.array([0.6, 0.8])).max()
        return "" if off < 1e-9 else f"{found.tolist()}, the nearest is [0.6, 0.8]"

    return Question("|v| = 1", ask, wrong)


def held() -> Question:
    """With x held at 0.6 on the unit circle, y is 0.8 or −0.8, and not nothing."""

    def ask(program):
        return values(plane(program, x**2 + y**2 - 1).start({x: 0.6}, fixed=[x]), x, y)

    def wrong(found):
        good = abs(found[0] - 0.6) < 1e-12 and abs(abs(found[1]) - 0.8) < 1e-9
        return "" if good else f"{found.tolist()}, y is 0.8 or -0.8"

    return Question("x held", ask, wrong)


def inconsistent(kind) -> Question:
    """A start off its circle is refused, whatever else is large beside it."""

    def ask(program):
        system = plane(program, x**2 + y**2 - 1, lagrangian=SPACE, coordinates=(x, y, z))
        start = {x: 4.0, y: 0.0, z: 1e10} if kind == "place" else {x: 1.5, y: 0.0, z: 0.0, X: 0.0, Y: 0.0, Z: 1e9}
        return system.simulate(start, until=1.0)

    def wrong(motion):
        return f"moved from a state off its constraint: {motion.status}"

    return Question(f"off the circle beside a large {kind}", ask, wrong, frozenset({"StateError"}))


def two_assemblies() -> Question:
    """A four-bar given one angle has two assemblies: one of them must not be taken in silence."""

    def ask(program):
        rows = [cos(a) + 2 * cos(b) - 2 * cos(c) - 2, sin(a) + 2 * sin(b) - 2 * sin(c)]
        system = program.System.from_lagrangian(
            (A**2 + B**2 + c.diff() ** 2) / 2, [a, b, c], constraints=[program.Holonomic(r) for r in rows]
        )
        motion = system.simulate({a: 1.0, A: 1.0}, until=0.7)
        return str(motion.summary()), motion.y[1, 0]

    def wrong(found):
        text, angle = found
        told = f"{angle:.3g}" in text or f"{angle:.4g}" in text or f"{angle:.6g}" in text
        return "" if told else "one of two assemblies is taken and nowhere told"

    return Question("a four-bar given one angle", ask, wrong, frozenset({"StateError"}))


def open_speed() -> Question:
    """|v| = 1 with x' = 0.6 stated: y' is 0.8 or −0.8; a refusal must say so."""

    def ask(program):
        system = program.System.from_lagrangian(PLANE, [x, y], constraints=[program.Nonholonomic(X**2 + Y**2 - 1)])
        try:
            return abs(system.simulate({X: 0.6}, until=0.1).y[3, 0])
        except program.StateError as error:
            return str(error)

    def wrong(found):
        if isinstance(found, str):
            return "" if "0.8" in found else found
        return "" if abs(found - 0.8) < 1e-9 else f"|y'| is {found}, 0.8 is right"

    return Question("|v| = 1 with one component stated", ask, wrong)


RING = [x**2 + y**2 - 1]
TABLE = {
    "nearest-on-ring": partial(nearest, "a ring", RING, {x: 3.0, y: 4.0}, (0.6, 0.8)),
    "nearest-on-ring-far": partial(nearest, "a ring", RING, {x: -30.0, y: 40.0}, (-0.6, 0.8)),
    "nearest-on-ellipse": ellipse,
    "nearest-on-parabola": parabola,
    "nearest-on-sphere-and-plane": sphere_and_plane,
    "nearest-with-massless": massless,
    "nearest-speed": unit_speed,
    "start-held": held,
    "inconsistent-beside-large-place": partial(inconsistent, "place"),
    "inconsistent-beside-large-speed": partial(inconsistent, "speed"),
    "four-bar-two-assemblies": two_assemblies,
    "speed-left-open": open_speed,
}
