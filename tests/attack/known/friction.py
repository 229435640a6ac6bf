"""Known faults: planar friction, dead centres, coefficients that change, contacts without force, hangs, cost."""

from functools import partial

import numpy as np
from scipy.integrate import solve_ivp
from sympy import Abs, Max, Rational, cos, sin, sqrt
from sympy.physics.mechanics import dynamicsymbols

from ..case import Question, Truth, spread, stated
from ..classes.frictional import cranked, on_turntable
from ..classes.nonideal import stopped
from ..statement import Statement, coulomb, holonomic, onesided
from ..truth.gbs import Real, real
from ..truth.leaps import on_floor, shaken
from ..truth.made import closed, moved, switched
from ..truth.rubbing import Blocks

x, y, z = dynamicsymbols("x y z")
X, Y, Z = (q.diff() for q in (x, y, z))
t = dynamicsymbols._t
PLANE, SPACE = (X**2 + Y**2) / 2, (X**2 + Y**2 + Z**2) / 2
G = Real("9.81")


def belt_in_plane():
    """A puck at rest on a belt that runs at 1: sliding [x' − 1, y']."""
    k = Real("0.3") * G
    times = spread(1.0)

    def form(v):
        s = min(v, 1 / k)
        return [k * s * s / 2 + (v - s), 0, 0, min(k * v, Real(1)), 0, 0]

    return stated(
        "a puck put on a belt",
        Statement((x, y, z), SPACE - 9.81 * z, rows=(holonomic(z, "belt", coulomb(0.3, sliding=[X - 1, Y])),)),
        [0] * 6,
        times,
        lambda: closed(form, times, events=((float(1 / k), "stick"),)),
        tolerance=1e-8,
    )


def robot(torque1, torque2):
    """A robot on two driven wheels with friction in the plane: truth by friction made smooth, and ever less so.

    Coordinates x, y, φ of the body, the turns of two wheels, and the heights of their contacts.
    """
    body, w1, w2, z1, z2 = dynamicsymbols("phi w1 w2 z1 z2")
    m, j, i, rad, half, mu = 4.0, 0.3, 0.02, 0.1, 0.2, 0.5
    along, across = X * cos(body) + Y * sin(body), Y * cos(body) - X * sin(body)
    kinetic = m * (X**2 + Y**2) / 2 + j * body.diff() ** 2 / 2 + i * (w1.diff() ** 2 + w2.diff() ** 2) / 2
    kinetic += (z1.diff() ** 2 + z2.diff() ** 2) / 2
    press = m * 9.81 / 2
    rows = tuple(
        holonomic(
            height, f"wheel {k}", coulomb(mu, sliding=[along + side * half * body.diff() - rad * w.diff(), across])
        )
        for k, (height, w, side) in enumerate(((z1, w1, -1), (z2, w2, 1)), 1)
    )
    statement = Statement(
        (x, y, body, w1, w2, z1, z2),
        kinetic - press * (z1 + z2),
        forces={w1: torque1, w2: torque2},
        rows=rows,
    )
    times = spread(2.0, 8)

    def softened(soft):
        def rate(_, s):
            _, _, f, _, _, vx, vy, vf, v1, v2 = s
            c, sn = np.cos(f), np.sin(f)
            lengthwise, sideways = vx * c + vy * sn, vy * c - vx * sn
            total, turn, spin = np.zeros(2), 0.0, []
            for side, v, torque in ((-1, v1, torque1), (1, v2, torque2)):
                s1, s2 = lengthwise + side * half * vf - rad * v, sideways
                size = mu * press / np.sqrt(s1 * s1 + s2 * s2 + soft * soft)
                f1, f2 = -size * s1, -size * s2
                total += [f1 * c - f2 * sn, f1 * sn + f2 * c]
                turn += side * half * f1
                spin.append((torque - rad * f1) / i)
            return [vx, vy, vf, v1, v2, total[0] / m, total[1] / m, turn / j, *spin]

        done = solve_ivp(rate, (0, times[-1]), [0.0] * 10, "Radau", t_eval=times, rtol=1e-9, atol=1e-12)
        q, v = done.y[:5], done.y[5:]
        zero = np.zeros((2, len(times)))
        return np.vstack([q, zero, v, zero]).T

    def truth() -> Truth:
        one, two = softened(2e-3), softened(1e-3)
        best = 2 * two - one  # the error is in proportion to how soft it is
        three = softened(5e-4)
        error = np.abs(2 * three - two - best).max() / np.abs(best).max()
        return Truth(2 * three - two, error)

    return stated(
        f"a two-wheeled robot, torques {torque1:g} and {torque2:g}",
        statement,
        [0] * 14,
        times,
        truth,
        tolerance=1e-3,
    )


def fading_coefficient():
    """μ = max(0, 1 − t)/10: a block slides, ever more freely."""
    times = spread(2.0)
    k = G / 10

    def form(v):
        s = min(v, Real(1))
        speed = 3 - k * (s - s * s / 2)
        place = 3 * s - k * (s * s / 2 - s**3 / 6) + (v - s) * speed
        return [place, 0, speed, 0]

    return stated(
        "friction that fades",
        Statement((x, y), PLANE - 9.81 * y, rows=(holonomic(y, "floor", coulomb(Max(0, 1 - t) / 10)),)),
        [0, 0, 3, 0],
        times,
        lambda: closed(form, times),
    )


def static_at_zero():
    """static stated as μ(0) of a falling μ, on a belt."""
    slip = X - Rational(1, 2)
    blocks = Blocks(
        real([1]),
        real(["0.5"]),
        real(["9.81"]),
        lambda _, p, w: -20 * p,
        lambda s: Real("0.3") / (1 + s),
        real(["0.3"]),
    )
    start = real([0, 0])
    times = spread(4.0)
    return stated(
        "static = mu(0)",
        Statement(
            (x, y),
            PLANE - 10 * x**2 - 9.81 * y,
            rows=(
                holonomic(
                    y,
                    "belt",
                    coulomb(Rational(3, 10) / (1 + Abs(slip)), static=Rational(3, 10), sliding=slip),
                ),
            ),
        ),
        [0, 0, 0, 0],
        times,
        lambda: switched(
            blocks.begin(0, start[:1], start[1:]), start, times, lambda _, s: [s[0], 0, s[1], 0], absolute=1e-3
        ),
    )


def rod_without_weight():
    """A bead on a rod that turns, with friction and without gravity: at the start N and v are both zero.

    The rod presses with 2ωr', so r'' = ω² r − 2μω r'.
    """
    mu, w = Real("0.2"), Real(1)
    root = np.sqrt(mu * mu + 1)
    p, q = w * (root - mu), -w * (root + mu)  # the roots
    times = spread(2.0)

    def form(v):
        a, b = -q / (p - q), p / (p - q)
        d = a * np.exp(p * v) + b * np.exp(q * v)
        dd = a * p * np.exp(p * v) + b * q * np.exp(q * v)
        c, s = np.cos(w * v), np.sin(w * v)
        return [d * c, d * s, dd * c - d * w * s, dd * s + d * w * c]

    return stated(
        "a turning rod, N = 0 and v = 0",
        Statement(
            (x, y),
            PLANE,
            rows=(holonomic(y * cos(t) - x * sin(t), "rod", coulomb(0.2, sliding=X * cos(t) + Y * sin(t))),),
        ),
        [1, 0, 0, 1],
        times,
        lambda: closed(form, times, growth=20.0),
        tolerance=1e-8,
    )


def slow_wall():
    """A wall reached at 1e-11 of the speed along it, with e = 1."""
    slow = 1e-11
    times = spread(3.0)

    def form(v):
        return [v, Real(repr(slow)) * abs(1 - v), 1, -slow if v < 1 else slow]

    return stated(
        "a wall reached at 1e-11",
        Statement((x, y), PLANE, rows=(onesided(y, 1, "wall"),)),
        form(Real(0)),
        times,
        lambda: closed(form, times),
        scales=np.array([1.0, slow, 1.0, slow]),
        tolerance=1e-3,
    )


def plain_limit():
    """engine="plain" on x'² + y'² = z'² with max_seconds=5 ends at the tip of the cone, or with the limit."""

    def ask(program):
        system = program.System.from_lagrangian(
            SPACE - 9.81 * z, [x, y, z], constraints=[program.Nonholonomic(X**2 + Y**2 - Z**2)]
        )
        start = {x: 0.0, y: 0.0, z: 0.0, X: 1.0, Y: 0.0, Z: 1.0}
        return str(system.simulate(start, until=5.0, engine="plain", max_seconds=5, throw=False).status.ending)

    def wrong(ending):
        return "" if ending in ("wall-clock limit", "singular") else ending

    return Question("the plain engine and its limit", ask, wrong, frozenset({"ModelError"}))


def stuck_root():
    """μ = 0.4/(1 + √(s²)) while a block sticks to a belt."""
    slip = X - Rational(1, 2)
    blocks = Blocks(
        real([1]),
        real(["0.5"]),
        real(["9.81"]),
        lambda _, p, w: -10 * p,
        lambda s: Real("0.4") / (1 + s),
        real(["0.4"]),
    )
    start = real([0, "0.5"])
    times = spread(3.0)
    return stated(
        "mu with a root of a square, stuck",
        Statement(
            (x, y),
            PLANE - 5 * x**2 - 9.81 * y,
            rows=(holonomic(y, "belt", coulomb(Rational(2, 5) / (1 + sqrt(slip**2)), sliding=slip)),),
        ),
        [0, 0, 0.5, 0],
        times,
        lambda: switched(
            blocks.begin(0, start[:1], start[1:]), start, times, lambda _, s: [s[0], 0, s[1], 0], absolute=1e-3
        ),
    )


def particles_leave(n):
    """Particles that leave a shaken plate all together, with max_seconds=60."""
    q = dynamicsymbols(f"y1:{n + 1}")
    floor = shaken(0.3, 8.0)
    start = real([0, Real("0.3") * 8])
    times = spread(0.5, 8)
    begin = on_floor(floor, lambda *_: -G)
    rows = tuple(onesided(p - 0.3 * sin(8 * t), 0, f"seat {k + 1}") for k, p in enumerate(q))
    return stated(
        f"{n} particles leave a plate",
        Statement(tuple(q), sum(p.diff() ** 2 / 2 - 9.81 * p for p in q), rows=rows),
        [*[0.0] * n, *[2.4] * n],
        times,
        lambda: switched(
            begin(0, *start), start, times, lambda _, s: [*[s[0]] * n, *[s[1]] * n], told=False, longest=0.05
        ),
        tolerance=1e-8,
        options={"max_seconds": 60},
    )


def blocks(n):
    """Blocks joined by springs on a belt: what n of them cost must not grow as 3ⁿ."""
    p, q = dynamicsymbols(f"x1:{n + 1}"), dynamicsymbols(f"y1:{n + 1}")
    mu = real([Real("0.2") + Real("0.01") * k for k in range(n)])

    def load(_, r, __):
        force = -10 * r
        pull = 5 * (r[1:] - r[:-1])
        force[:-1] += pull
        force[1:] -= pull
        return force

    made = Blocks(real([1] * n), real(["0.3"] * n), real([G] * n), load, lambda s: mu, mu * Real("1.5"))
    kinetic = sum(e.diff() ** 2 for e in (*p, *q)) / 2
    potential = sum(5 * e**2 for e in p) + sum(9.81 * e for e in q)
    potential += sum(Rational(5, 2) * (e - f) ** 2 for e, f in zip(p[1:], p, strict=False))
    rows = tuple(
        holonomic(
            q[k],
            f"belt {k + 1}",
            coulomb(float(mu[k]), static=float(mu[k] * Real("1.5")), sliding=p[k].diff() - Rational(3, 10)),
        )
        for k in range(n)
    )
    places = [round(0.02 * np.sin(3.0 * k + 1), 3) for k in range(n)]
    start = real([*map(repr, map(float, places)), *["0.3"] * n])  # all stick at first
    times = spread(10.0 if n < 4 else 4.0 if n < 8 else 1.5, 8)
    rest = [0.0] * n
    return stated(
        f"{n} blocks on a belt",
        Statement((*p, *q), kinetic - potential, rows=rows),
        [*places, *rest, *[0.3] * n, *rest],
        times,
        lambda: switched(
            made.begin(0, start[:n], start[n:]), start, times, lambda _, s: [*s[:n], *rest, *s[n:], *rest],
            absolute=1e-2, told=False,
        ),
        tolerance=1e-7,
    )  # fmt: skip


def thirty_rows():
    """Thirty rows that say the same, of a pendulum."""
    times = spread(2.0)

    def rate(_, s):
        return [s[1], -G * np.sin(s[0])]

    def lift(_, s):
        return [np.sin(s[0]), -np.cos(s[0]), s[1] * np.cos(s[0]), s[1] * np.sin(s[0])]

    start = real([1, 0])
    rows = tuple(holonomic((k + 1) * (x**2 + y**2 - 1)) for k in range(30))
    return stated(
        "thirty redundant rows",
        Statement((x, y), PLANE - 9.81 * y, rows=rows),
        lift(0, start),
        times,
        lambda: moved(rate, start, times, lift),
    )


TABLE = {
    "puck-on-belt": belt_in_plane,
    "puck-on-turntable": partial(on_turntable, 0.3, 0.8, [0.3, -0.2, 1.0, 0.5], 3.0),
    "puck-laid-on-turntable": partial(on_turntable, 0.3, 0.8, [0.5, 0.0, 0.0, 0.0], 3.0),
    "robot-0.4-0.45": partial(robot, 0.4, 0.45),
    "robot-1.0-1.2": partial(robot, 1.0, 1.2),
    "robot-0.2-1.2": partial(robot, 0.2, 1.2),
    "robot-1.5-back": partial(robot, 1.5, -0.3),
    "robot-1.4-alone": partial(robot, 1.4, 0.0),
    "robot-1.3-back": partial(robot, 1.3, -0.26),
    "robot-0.6-turns": partial(robot, 0.57, -1.41),
    "dead-centre-slider-crank": partial(cranked, False, 0.5, 1.0, 1.0, 0.1, 1.5, 0.2, 0.5, (0.7, 3.0), 4.0),
    "dead-centre-yoke": partial(cranked, True, 0.5, 1.0, 1.0, 0.1, 1.0, 0.0, 0.5, (0.7, 3.0), 4.0),
    "friction-fades": fading_coefficient,
    "static-is-mu-of-zero": static_at_zero,
    "rod-without-weight": rod_without_weight,
    "wall-at-1e-11": slow_wall,
    "plain-engine-limit": plain_limit,
    "quarter-power-to-rest": partial(stopped, 1.0, 1.0, 1.6, X * (X**2) ** Rational(-1, 4)),
    "stuck-with-root": stuck_root,
    "nine-particles-leave": partial(particles_leave, 9),
    **{f"belt-{n}-blocks": partial(blocks, n) for n in (1, 2, 4, 8, 16)},
    "thirty-rows": thirty_rows,
}
