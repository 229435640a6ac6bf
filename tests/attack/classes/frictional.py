"""Dry friction that sticks and slips: belts, rings, inclines, dead centres, pucks, rods.

Friction follows the force its constraint would exert were it ideal (the usual law); for the rod, the force there is.
"""

import numpy as np
from sympy import Abs, Rational, cos, exp, sin
from sympy.physics.mechanics import dynamicsymbols

from ..case import Case, Truth, spread, stated
from ..draw import Draw, pick
from ..statement import Statement, coulomb, holonomic, onesided
from ..truth.gbs import Real, real
from ..truth.hybrid import Mode, Next
from ..truth.made import closed, switched
from ..truth.planar import Puck
from ..truth.rubbing import Blocks, Track

x, y, z, theta, a, b = dynamicsymbols("x y z theta a b")
X, Y, Z, W, A, B = (q.diff() for q in (x, y, z, theta, a, b))
t = dynamicsymbols._t
G = 9.81


def fraction(draw: Draw, low: float, high: float) -> tuple[Rational, Real]:
    """A fraction with a small denominator, for the statement and for the truth."""
    bottom = draw.choice(1, 2, 3, 5, 7, 8, 10, 12)
    top = max(1, round(draw.rng.uniform(low, high) * bottom))
    return Rational(top, bottom), Real(top) / Real(bottom)


def law(draw: Draw, slip):
    """A coefficient of friction: constant, or falling with the speed; stated, and as a function of |slip|."""
    mu = draw.decimal(0.1, 0.5)
    M = Real(repr(mu))
    kind = draw.choice("constant", "constant", "falling", "exponential")
    if kind == "constant":
        return draw.state("mu", mu), lambda s: M + 0 * s, M, kind
    k = draw.whole(1, 4)
    if kind == "falling":
        return mu / (1 + k * Abs(slip)), lambda s: M / (1 + k * s), M, kind
    low = round(mu / 2, 3)
    L = Real(repr(low))
    return low + (mu - low) * exp(-k * Abs(slip)), lambda s: L + (M - L) * np.exp(-k * s), M, kind


def belt(draw: Draw) -> Case:
    """A block on a spring, carried along by a belt and thrown back: sticks and slips for ever."""
    m, k = draw.decimal(0.5, 2), draw.decimal(5, 30)
    v, V = fraction(draw, 0.1, 1.5)
    if draw.coin(0.25):
        v, V = -v, -V
    mu, kinetic, top, kind = law(draw, X - v)
    more = round(float(top) * draw.choice(1.0, 1.0, 1.3, 2.0), 3)
    static = Real(repr(more)) if more > top else top
    options = {"static": more} if more > float(top) else {}
    M, K = Real(repr(m)), Real(repr(k))
    blocks = Blocks(real([M]), real([V]), real([M * Real("9.81")]), lambda _, p, w: -K * p, kinetic, real([static]))
    begin = [draw.choice(0.0, draw.decimal(-0.5, 0.5)), draw.choice(0.0, float(v), draw.decimal(-1, 1))]
    start = real([repr(begin[0]), V if begin[1] == float(v) else repr(begin[1])])
    times = spread(draw.decimal(3, 10))
    statement = Statement(
        (x, y),
        m * (X**2 + Y**2) / 2 - k * x**2 / 2 - m * G * y,
        rows=(holonomic(y, "belt", coulomb(mu, sliding=X - v, **options)),),
        parameters=draw.parameters,
    )
    return stated(
        f"a block on a belt of speed {v}, {kind} mu{', more at rest' if options else ''}",
        statement,
        [begin[0], 0, begin[1], 0],
        times,
        lambda: switched(
            blocks.begin(0, start[:1], start[1:]), start, times, lambda _, s: [s[0], 0, s[1], 0], absolute=1e-3
        ),
    )


def many_blocks(draw: Draw) -> Case:
    """Blocks in a row, joined by springs, on belts: each sticks and slips by itself."""
    n = draw.choice(1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
    p, q = dynamicsymbols(f"x1:{n + 1}"), dynamicsymbols(f"y1:{n + 1}")
    m, k, c = (real([repr(draw.decimal(*r)) for _ in range(n)]) for r in ((0.5, 2), (5, 20), (1, 8)))
    mu = real([repr(draw.decimal(0.1, 0.4)) for _ in range(n)])
    static = mu * draw.choice(Real(1), Real("1.5"))
    v, V = fraction(draw, 0.1, 1)

    def load(_, r, __):
        force = -k * r
        pull = c[: n - 1] * (r[1:] - r[:-1])
        force[:-1] += pull
        force[1:] -= pull
        return force

    blocks = Blocks(m, real([V] * n), m * Real("9.81"), load, lambda s: mu, static)
    kinetic = sum(float(e) * (r.diff() ** 2 + s.diff() ** 2) for e, r, s in zip(m, p, q, strict=True)) / 2
    potential = sum(float(e) * r**2 / 2 + float(f) * G * s for e, f, r, s in zip(k, m, p, q, strict=True))
    potential += sum(float(e) * (r - s) ** 2 / 2 for e, r, s in zip(c, p[1:], p, strict=False))
    rows = tuple(
        holonomic(q[i], f"belt {i + 1}", coulomb(float(mu[i]), static=float(static[i]), sliding=p[i].diff() - v))
        for i in range(n)
    )
    places = [draw.decimal(-0.3, 0.3, 3) for _ in range(n)]
    start = real([*map(repr, places), *[Real(0)] * n])
    times = spread(draw.decimal(1, 4), 8)
    coordinates = (*p, *q)
    rest = [0.0] * n
    statement = Statement(coordinates, kinetic - potential, rows=rows)
    return stated(
        f"{n} blocks on a belt",
        statement,
        [*places, *rest, *rest, *rest],
        times,
        lambda: switched(
            blocks.begin(0, start[:n], start[n:]),
            start,
            times,
            lambda _, s: [*s[:n], *rest, *s[n:], *rest],
            absolute=1e-2,
        ),
        tolerance=1e-8,
    )


def rough_curve(draw: Draw) -> Case:
    """A bead on a rough ring, parabola or wave: it swings, and stays where it can."""
    mu = draw.decimal(0.05, 0.4)
    static = round(mu * draw.choice(1.0, 1.0, 1.5), 3)
    kind = draw.choice("ring", "parabola", "wave")
    radius, c = draw.decimal(0.5, 2), draw.decimal(0.3, 1)
    R, C = Real(repr(radius)), Real(repr(c))
    if kind == "ring":
        row = x**2 + y**2 - radius**2
        begin = [draw.choice(1.5707963267948966, draw.decimal(0.3, 2.5)), draw.choice(0.0, draw.decimal(-5, 5))]

        def curve(s):
            return (
                (R * np.sin(s), -R * np.cos(s)),
                (R * np.cos(s), R * np.sin(s)),
                (-R * np.sin(s), R * np.cos(s)),
            )
    elif kind == "parabola":
        row = y - c * x**2
        begin = [draw.decimal(-2, 2), draw.choice(0.0, draw.decimal(-3, 3))]

        def curve(s):
            return (s, C * s * s), (Real(1), 2 * C * s), (Real(0), 2 * C)
    else:
        row = y - c * sin(x)
        begin = [draw.decimal(-2, 2), draw.choice(0.0, draw.decimal(-5, 5))]

        def curve(s):
            return (s, C * np.sin(s)), (Real(1), C * np.cos(s)), (Real(0), -C * np.sin(s))

    track = Track(curve, lambda _, r: (Real(0), -Real("9.81")), Real(repr(mu)), Real(repr(static)))
    start = real([repr(e) for e in begin])
    times = spread(draw.decimal(2, 7))
    options = {"static": static} if static > mu else {}
    return stated(
        f"a rough {kind}, mu {mu:g}{', more at rest' if options else ''}",
        Statement(
            (x, y),
            (X**2 + Y**2) / 2 - G * y,
            rows=(holonomic(row, "track", coulomb(draw.state("mu", mu), **options)),),
            parameters=draw.parameters,
        ),
        track.lift(0, start),
        times,
        lambda: switched(track.begin(0, *start), start, times, track.lift, longest=0.1, absolute=1e-3),
    )


def incline(draw: Draw) -> Case:
    """Up a slope, and there it stays or slides back: both by closed forms."""
    slope, mu, v0 = draw.decimal(0.1, 0.8), draw.decimal(0.1, 0.9), draw.decimal(0.5, 4)
    s, m, V = Real(repr(slope)), Real(repr(mu)), Real(repr(v0))
    up, down = Real("9.81") * (np.sin(s) + m * np.cos(s)), Real("9.81") * (np.sin(s) - m * np.cos(s))
    top = V / up
    far = V * V / (2 * up)
    stays = float(np.tan(s)) <= mu

    def form(v):
        if v <= top:
            return [V * v - up * v * v / 2, 0, V - up * v, 0]
        later = v - top
        return [far, 0, 0, 0] if stays else [far - down * later**2 / 2, 0, -down * later, 0]

    times = spread(round(float(top) * draw.decimal(1.2, 4), 3))
    events = ((float(top), "stick" if stays else "reverse"),)
    # coordinates along the slope and away from it
    lagrangian = (X**2 + Y**2) / 2 - G * (x * sin(slope) + y * cos(slope))
    return stated(
        f"an incline of {slope:g}, mu {mu:g}",
        Statement((x, y), lagrangian, rows=(holonomic(y, "slope", coulomb(mu)),)),
        form(Real(0)),
        times,
        lambda: closed(form, times, events=events, growth=10.0),
    )


def pressed_in_time(draw: Draw) -> Case:
    """A block under a force that rises and falls: it breaks loose, slides, is caught, and breaks loose again."""
    mu, w, f = draw.decimal(0.1, 0.5), draw.decimal(0.5, 4), draw.decimal(1, 8)
    static = round(mu * draw.choice(1.0, 1.0, 1.4), 3)
    M, w_, F, S = (Real(repr(e)) for e in (mu, w, f, static))
    blocks = Blocks(
        real([1]), real([0]), real(["9.81"]), lambda v, p, u: real([F * np.sin(w_ * v)]), lambda s: M + 0 * s, real([S])
    )
    start = real([0, 0])
    times = spread(draw.decimal(3, 12))
    options = {"static": static} if static > mu else {}
    return stated(
        f"a force {f:g} sin {w:g}t on a rough floor{', more at rest' if options else ''}",
        Statement(
            (x, y),
            (X**2 + Y**2) / 2 - G * y,
            forces={x: f * sin(w * t)},
            rows=(holonomic(y, "floor", coulomb(mu, **options)),),
        ),
        [0, 0, 0, 0],
        times,
        lambda: switched(
            blocks.begin(0, [0], [0]), start, times, lambda _, s: [s[0], 0, s[1], 0], absolute=1e-3, longest=0.1
        ),
    )


def dead_centre(draw: Draw) -> Case:
    """A Scotch yoke or a slider-crank on a rough floor."""
    r, j, m, mu = draw.decimal(0.3, 1), draw.decimal(0.5, 2), draw.decimal(0.5, 2), draw.decimal(0.05, 0.3)
    yoke = draw.coin()
    length, rod = round(r * draw.decimal(1.5, 4), 2), draw.decimal(0.1, 0.5)
    torque = round(draw.choice(0.0, 1.0) * mu * m * G * r, 3)
    begin = draw.decimal(0.3, 2.8), draw.decimal(1, 5)
    return cranked(yoke, r, j, m, mu, length, rod, torque, begin, draw.decimal(1.5, 5))


def cranked(yoke, r, j, m, mu, length, rod, torque, begin, until) -> Case:
    """A crank drives a block to and fro on a rough floor: at each dead centre friction turns around."""
    R, J, M, mu_, L, Q, T = (Real(repr(e)) for e in (r, j, m, mu, length, rod, torque))

    def geometry(s):
        """x, dx/da and d²x/da²; the angle of the rod, and its derivatives."""
        if yoke:
            return R * np.cos(s), -R * np.sin(s), -R * np.cos(s), Real(0), Real(0), Real(0)
        k = R / L
        h = k * np.sin(s)
        root = np.sqrt(1 - h * h)
        d = k * np.cos(s) / root
        dd = (h * d * d - h) / root
        p = np.arcsin(h)
        dx = -R * np.sin(s) - L * h * d
        ddx = -R * np.cos(s) - L * (root * d * d + h * dd)
        return R * np.cos(s) + L * root, dx, ddx, p, d, dd

    inertia = Real(0) if yoke else Q

    def mode(turn, side) -> Mode:
        """Turning forward or backward or not, with dx/da of one sign."""

        def rate(_, s):
            if turn == 0:
                return [Real(0), Real(0)]
            _, dx, ddx, _, d, dd = geometry(s[0])
            mass = J + M * dx * dx + inertia * d * d
            drag = turn * mu_ * M * Real("9.81") * side * dx
            return [s[1], (T - drag - (M * dx * ddx + inertia * d * dd) * s[1] ** 2) / mass]

        def guards(_, s):
            return [] if turn == 0 else [turn * s[1], side * geometry(s[0])[1]]

        def after(i, _, s):
            if i == 1:
                return Next(mode(turn, -side), s, "reverse")
            s = real([s[0], 0])
            dx = geometry(s[0])[1]
            if abs(T) <= mu_ * M * Real("9.81") * abs(dx):
                return Next(mode(0, side), s, "stick")
            return Next(mode(int(np.sign(T)), 1 if dx > 0 else -1), s, "reverse")

        return Mode((turn, side), rate, guards, after)

    begin = real([repr(v) for v in begin])
    times = spread(until)

    def lift(_, s):
        where, dx, _, p, d, _ = geometry(s[0])
        if yoke:
            return [s[0], where, 0, s[1], dx * s[1], 0]
        return [s[0], p, where, 0, s[1], d * s[1], dx * s[1], 0]

    floor = holonomic(y, "floor", coulomb(mu, sliding=X))
    moving = j * A**2 / 2 + m * (X**2 + Y**2) / 2 - m * G * y
    forces = {a: torque} if torque else {}
    if yoke:
        statement = Statement((a, x, y), moving, forces=forces, rows=(holonomic(x - r * cos(a), "yoke"), floor))
    else:
        rows = (
            holonomic(r * sin(a) - length * sin(b), "height"),
            holonomic(r * cos(a) + length * cos(b) - x, "reach"),
            floor,
        )
        statement = Statement((a, b, x, y), moving + rod * B**2 / 2, forces=forces, rows=rows)
    return stated(
        f"dead centres of a {'Scotch yoke' if yoke else 'slider-crank'}, mu {mu:g}",
        statement,
        lift(0, begin),
        times,
        lambda: switched(mode(1, -1), begin, times, lift, longest=0.1),
    )


def puck(draw: Draw) -> Case:
    """A puck on a table or a belt: against the table it goes straight and stops after |u|/μg."""
    mu, m = draw.decimal(0.1, 0.5), draw.decimal(0.1, 2)
    v, V = fraction(draw, 0.5, 2) if draw.coin() else (Rational(0), Real(0))
    vx, vy = draw.choice((0.0, 0.0), (draw.decimal(-3, 3), draw.decimal(-3, 3)))
    if v == 0 and (vx, vy) == (0.0, 0.0):
        vx = 1.0
    u = real([Real(repr(vx)) - V, repr(vy)])
    size = np.sqrt(u @ u)
    k = Real(repr(mu)) * Real("9.81")
    stop = size / k

    def form(time):
        s = min(time, stop)
        far, rest = (size * s - k * s * s / 2) / size, max(1 - time / stop, Real(0))
        return [V * time + far * u[0], far * u[1], 0, V + rest * u[0], rest * u[1], 0]

    times = spread(round(float(stop) * draw.decimal(0.8, 2), 3))
    written = {"sliding": [X - v, Y]} if v else draw.choice({}, {"sliding": [X, Y]})
    events = ((float(stop), "stick"),) if stop < times[-1] else ()
    return stated(
        f"a puck on a {'belt' if v else 'table'} from {'rest' if vx == vy == 0 else 'a throw'}",
        Statement(
            (x, y, z), m * (X**2 + Y**2 + Z**2) / 2 - m * G * z, rows=(holonomic(z, "table", coulomb(mu, **written)),)
        ),
        form(Real(0)),
        times,
        lambda: closed(form, times, events=events, growth=10.0),
        tolerance=1e-8,
    )


def turntable(draw: Draw) -> Case:
    """A puck thrown onto a turntable."""
    mu, w = draw.decimal(0.2, 0.6), draw.decimal(0.2, 1) * draw.sign()
    begin = [draw.decimal(-0.5, 0.5), draw.decimal(-0.5, 0.5), draw.decimal(-2, 2), draw.decimal(0.3, 2)]
    return on_turntable(mu, w, begin, draw.decimal(1, 4))


def on_turntable(mu, w, begin, until) -> Case:
    """It comes to turn with the table."""
    mg, O = Real(repr(mu)) * Real("9.81"), Real(repr(w))  # noqa: E741
    table = Puck(
        mg,
        lambda t_, r, v: (Real(0), Real(0)),
        lambda t_, r: (-O * r[1], O * r[0]),
        lambda t_, r, v: (O * v[1], -O * v[0]),
        lambda t_, r: O * O * np.sqrt(r @ r),
    )
    start = real([repr(e) for e in begin])
    times = spread(until)
    nature = coulomb(mu, sliding=[X + w * y, Y - w * x])
    return stated(
        f"a turntable at {w:g}, mu {mu:g}",
        Statement((x, y, z), (X**2 + Y**2 + Z**2) / 2 - G * z, rows=(holonomic(z, "table", nature),)),
        [*begin[:2], 0, *begin[2:], 0],
        times,
        lambda: table.truth(start, times, lambda _, s: [s[0], s[1], 0, s[2], s[3], 0]),
        tolerance=1e-8,
    )


def puck_on_springs(draw: Draw) -> Case:
    """A puck on two springs of different stiffness on a rough table: it curves, and stops where friction holds it."""
    mu, k1, k2 = draw.decimal(0.2, 0.5), draw.decimal(0.3, 1.5), draw.decimal(0.3, 1.5)
    mg, K = Real(repr(mu)) * Real("9.81"), real([repr(k1), repr(k2)])
    table = Puck(
        mg,
        lambda t_, r, v: -K * r,
        lambda t_, r: (Real(0), Real(0)),
        lambda t_, r, v: -K * r,
        lambda t_, r: np.sqrt((K * r) @ (K * r)),
    )
    begin = [draw.decimal(-1, 1), draw.decimal(-1, 1), draw.decimal(-3, 3), draw.decimal(0.5, 3)]
    start = real([repr(e) for e in begin])
    times = spread(draw.decimal(1, 4))
    return stated(
        f"a puck on springs, mu {mu:g}",
        Statement(
            (x, y, z),
            (X**2 + Y**2 + Z**2) / 2 - G * z - (k1 * x**2 + k2 * y**2) / 2,
            rows=(holonomic(z, "table", coulomb(mu)),),
        ),
        [*begin[:2], 0, *begin[2:], 0],
        times,
        lambda: table.truth(start, times, lambda _, s: [s[0], s[1], 0, s[2], s[3], 0]),
        tolerance=1e-8,
    )


def rod(draw: Draw) -> Case:
    """Painlevé's rod, friction after the force there is: N (1 + 3c² − 3μσ s c) = m (g − l s θ'²), s, c of θ.

    Where the bracket is not positive a start in contact has no motion, or two.
    """
    length, mu, m = draw.decimal(0.5, 1.5), draw.choice(draw.decimal(0.1, 1.2), draw.decimal(1.5, 3)), 1.0
    angle, spin = draw.decimal(0.3, 1.4), draw.choice(0.0, draw.decimal(-1.5, 1.5))
    slide = draw.decimal(0.5, 3) * draw.sign()
    L, M = Real(repr(length)), Real(repr(mu))
    g = Real("9.81")

    def press(s, sigma):
        sn, cs, w = np.sin(s[2]), np.cos(s[2]), s[5]
        bracket = 1 + 3 * cs * cs - 3 * M * sigma * sn * cs
        return (g - L * sn * w * w), bracket

    def slip(s):
        return s[3] - L * np.sin(s[2]) * s[5]

    def mode(sigma) -> Mode:
        def rate(_, s):
            free, bracket = press(s, sigma)
            n = free / bracket
            f = -M * sigma * n
            return [s[3], s[4], s[5], f, n - g, -3 * (n * np.cos(s[2]) + f * np.sin(s[2])) / L]

        def guards(_, s):
            free, bracket = press(s, sigma)
            return [sigma * slip(s), free, bracket]

        def after(i, _, s):
            return Next(None, s, "")

        return Mode(sigma, rate, guards, after)

    sn, cs = float(np.sin(Real(repr(angle)))), float(np.cos(Real(repr(angle))))
    begin = real(
        [0, L * np.sin(Real(repr(angle))), repr(angle), slide + length * sn * spin, length * cs * spin, repr(spin)]
    )
    sigma = 1 if slide > 0 else -1
    bracket = press(begin, sigma)[1]
    nature = coulomb(mu, normal="actual", sliding=X - length * sin(theta) * W)
    statement = Statement(
        (x, y, theta),
        m * (X**2 + Y**2) / 2 + m * length**2 * W**2 / 6 - m * G * y,
        rows=(onesided(y - length * sin(theta), 0, "floor", nature),),
    )
    until = draw.decimal(0.1, 0.6)
    times = spread(until)
    if bracket <= 0.02:
        return stated(
            f"a rod in Painlevé's paradox, mu {mu:g}",
            statement,
            begin,
            times,
            lambda: Truth(np.full((len(times), 6), np.nan), end=0.0),
            ends=frozenset({"paradox", "ModelError"}),
        )

    def truth() -> Truth:
        made = switched(mode(sigma), begin, times, longest=0.05, told=False)
        if made.end is None:
            return made
        # what follows its first switch is not followed: nothing is said of it
        return Truth(made.states, made.error, made.growth)

    return stated(
        f"a rod that slides, mu {mu:g}",
        statement,
        begin,
        times,
        truth,
        tolerance=1e-8,
        refusals=frozenset({"paradox"}),
    )


KINDS = (
    belt,
    rough_curve,
    many_blocks,
    dead_centre,
    pressed_in_time,
    puck,
    incline,
    turntable,
    puck_on_springs,
    rod,
)


def make(seed: int) -> Case:
    """The case of a seed."""
    return pick("frictional", KINDS, seed)
