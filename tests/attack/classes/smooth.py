"""Smooth systems whose forces a step can pass over: pulses in time and place, steep walls, high powers, many scales."""

from math import comb

import mpmath as mp
import numpy as np
from sympy import cos, cosh, exp, sin, tanh
from sympy.physics.mechanics import dynamicsymbols

from ..case import Case, Truth, spread
from ..draw import Draw, pick
from ..statement import Statement, holonomic
from ..truth.gbs import Real
from ..truth.made import closed, moved

x, y = dynamicsymbols("x y")
X, Y = x.diff(), y.diff()
t = dynamicsymbols._t


def particle(force, draw: Draw | None = None) -> Statement:
    """A unit mass on a line."""
    return Statement((x,), mass=[[1]], forces=(force,), parameters=draw.parameters if draw else {})


def precision(draw: Draw) -> dict:
    """One of three tolerances: the coarse ones less often."""
    chosen = draw.choice(1e-6, 1e-9, None, None)
    return {} if chosen is None else {"tolerance": chosen}


def from_quadrature(force, times, breaks=()):
    """x = ∫(t − s) f(s) ds and x' = ∫ f ds, from rest at zero, to 30 digits; `breaks` are where f changes quickly."""

    def states():
        with mp.workdps(30):
            t0 = mp.mpf(times[0])
            out, place, speed = [[0, 0]], mp.mpf(0), mp.mpf(0)
            for until in map(mp.mpf, times[1:]):
                ends = [t0, *sorted(mp.mpf(b) for b in breaks if t0 < b < until), until]
                push = mp.quad(force, ends)
                place += speed * (until - t0) + mp.quad(lambda s, end=until: (end - s) * force(s), ends)
                speed, t0 = speed + push, until
                out.append([place, speed])
            return np.array([[Real(mp.nstr(v, 25)) for v in row] for row in out])

    return lambda: Truth(states(), 1e-15)


def sine_power(draw: Draw) -> Case:
    """x'' = a sin(ωt)ⁿ: a sum of cosines, integrated term by term."""
    n, w = draw.choice(2, 5, 10, 20, 30, 60, 100, 200), draw.decimal(0.5, 2.0)
    t0 = draw.choice(0.0, 1e-3, 0.1)
    times = spread(t0 + draw.decimal(10, 40), t0=t0)

    def states():
        with mp.workdps(40):
            out = []
            terms = [((-1) ** k * comb(n, k) * mp.mpf(2) ** -n, n - 2 * k) for k in range(n + 1)]
            turn = mp.mpc(0, -1) ** n  # sinⁿ = Σ c_k e^{i(n−2k)ωt} / iⁿ
            begin = mp.mpf(times[0])
            for until in map(mp.mpf, times):
                place = speed = mp.mpc(0)
                for c, m in terms:
                    if m == 0:
                        place += c * (until - begin) ** 2 / 2
                        speed += c * (until - begin)
                    else:
                        f = mp.mpc(0, m * mp.mpf(w))
                        e0, e1 = mp.exp(f * begin), mp.exp(f * until)
                        speed += c * (e1 - e0) / f
                        place += c * ((e1 - e0) / f**2 - (until - begin) * e0 / f)
                out.append([(place * turn).real, (speed * turn).real])
            return np.array([[Real(mp.nstr(v, 25)) for v in row] for row in out])

    return Case(
        f"sin({w:g}t)^{n} from t = {t0:g}",
        particle(sin(draw.state("w", w) * t) ** n, draw),
        {x: 0.0, X: 0.0},
        times,
        lambda: Truth(states(), 1e-15),
        precision(draw),
    )


def bump_in_time(draw: Draw) -> Case:
    """A pulse of one of three forms and many widths."""
    width, centre = draw.power(3e-3, 1.5), draw.decimal(3, 9, 3)
    until, height = draw.decimal(10, 20), draw.decimal(0.5, 5)
    times = spread(until)
    s = (t - draw.state("c", centre)) / draw.state("w", width)
    kind = draw.choice("gauss", "rational", "sech")
    c, w, a = mp.mpf(centre), mp.mpf(width), mp.mpf(height)
    if kind == "gauss":
        force, exact = height * exp(-(s**2)), lambda v: a * mp.exp(-(((v - c) / w) ** 2))
    elif kind == "sech":
        force, exact = height / cosh(s) ** 2, lambda v: a / mp.cosh((v - c) / w) ** 2
    else:
        n = draw.choice(2, 4, 8, 20, 40, 80)
        force, exact = height / (1 + s**n), lambda v: a / (1 + ((v - c) / w) ** n)
        kind = f"1/(1 + s^{n})"
    breaks = [centre + width * b for b in (-30, -10, -4, -2, -1.1, -0.9, 0, 0.9, 1.1, 2, 4, 10, 30)]
    options = precision(draw)
    if width < 0.05 and draw.coin():
        options["max_step"] = width
    return Case(
        f"a pulse {kind} of width {width:g} at t = {centre:g} in {until:g} s",
        particle(force, draw),
        {x: 0.0, X: 0.0},
        times,
        from_quadrature(exact, times, breaks),
        options,
    )


def drag_zone(draw: Draw) -> Case:
    """Drag in a strip of place: x'' = −c x'/(1 + ((x − p)/w)ⁿ)."""
    n, place, width = draw.choice(2, 8, 20, 80), draw.decimal(3, 7), draw.power(0.05, 2)
    c, speed, until = draw.decimal(0.3, 2), draw.decimal(2, 5), draw.decimal(5, 15)
    c = round(min(c, speed / (2.6 * width)), 3)  # it comes out on the other side
    times = spread(until)
    p, w, k = Real(str(place)), Real(str(width)), Real(str(c))

    def rate(_, s):
        return [s[1], -k * s[1] / (1 + ((s[0] - p) / w) ** n)]

    return Case(
        f"drag in a strip of width {width:g}, power {n}",
        particle(-draw.state("c", c) * X / (1 + ((x - draw.state("p", place)) / draw.state("w", width)) ** n), draw),
        {x: 0.0, X: speed},
        times,
        lambda: moved(rate, [0, speed], times, longest=width / speed),
        precision(draw),
    )


def wall(draw: Draw) -> Case:
    """A steep potential wall, from which a particle comes back: V = h/(1 + ((x − p)/w)ⁿ) or a Gaussian."""
    n, width, speed = draw.choice(2, 8, 20), draw.power(0.01, 0.5), draw.decimal(1, 3)
    height = round(speed**2 / 2 * draw.choice(0.5, 1.5, 5.0), 3)  # over it, back from it
    place, until = draw.decimal(2, 6), draw.decimal(5, 12)
    times = spread(until)
    p, w, h = Real(str(place)), Real(str(width)), Real(str(height))
    s = (x - draw.state("p", place)) / draw.state("w", width)
    if draw.coin():
        potential, kind = height / (1 + s**n), f"power {n}"

        def rate(_, state):
            u = (state[0] - p) / w
            return [state[1], h * n * u ** (n - 1) / w / (1 + u**n) ** 2]
    else:
        potential, kind = height * exp(-(s**2)), "Gaussian"

        def rate(_, state):
            u = (state[0] - p) / w
            return [state[1], h * 2 * u / w * np.exp(-u * u)]

    return Case(
        f"a wall of height {height / (speed**2 / 2):.1f} and width {width:g}, {kind}",
        Statement((x,), X**2 / 2 - potential, parameters=draw.parameters),
        {x: 0.0, X: speed},
        times,
        lambda: moved(rate, [0, speed], times, longest=width / speed),
        precision(draw),
    )


def high_power(draw: Draw) -> Case:
    """x'' = −xⁿ, n odd and large: free, and then a wall."""
    n, begin, speed = draw.choice(3, 7, 13, 19, 29, 41), draw.choice(0.0, 1e-3, 0.1), draw.decimal(0.5, 1.5)
    times = spread(draw.decimal(4, 9))
    return Case(
        f"x'' = -x^{n} from x = {begin:g}",
        particle(-(x**n), draw),
        {x: begin, X: speed},
        times,
        lambda: moved(lambda _, s: [s[1], -(s[0] ** n)], [begin, speed], times, longest=0.02),
        precision(draw),
    )


def stiff(draw: Draw) -> Case:
    """A fast damped mode beside a slow drive: x'' = −k (x − cos t) − c (x' + sin t) − cos t, plus what decays."""
    fast, slow = draw.power(20, 3000), draw.decimal(0.2, 2)
    k, c = fast * slow, fast + slow  # the roots are −fast and −slow
    a, b = draw.decimal(-1, 1), draw.decimal(-1, 1)
    times = spread(draw.decimal(2, 6))
    K, C = draw.state("k", k), draw.state("c", c)

    def form(v):
        e, f = a * np.exp(-Real(slow) * v), b * np.exp(-Real(fast) * v)
        return [np.cos(v) + e + f, -np.sin(v) - slow * e - Real(fast) * f]

    begin = form(Real(0))
    return Case(
        f"stiff: rates {fast:g} and {slow:g}",
        particle(-K * (x - cos(t)) - C * (X + sin(t)) - cos(t), draw),
        {x: float(begin[0]), X: float(begin[1])},
        times,
        lambda: closed(form, times),
        precision(draw),
        tolerance=None,
    )


def two_frequencies(draw: Draw) -> Case:
    """A slow and a fast oscillator, coupled: modes at right angles turned by an angle, over many periods."""
    slow, fast, angle = draw.decimal(0.2, 1.5), draw.power(5, 300), draw.decimal(0.2, 1.3)
    times = spread(draw.choice(10.0, 100.0, 400.0) * min(1.0, 30 / fast))
    c, s = np.cos(Real(angle)), np.sin(Real(angle))
    w1, w2 = Real(slow), Real(fast)
    A, W1, W2 = draw.state("a", angle), draw.state("w1", slow), draw.state("w2", fast)
    p, q = cos(A) * x + sin(A) * y, cos(A) * y - sin(A) * x

    def form(v):
        u, du = np.cos(w1 * v), -w1 * np.sin(w1 * v)
        r, dr = np.sin(w2 * v) / w2 * 3, np.cos(w2 * v) * 3
        return [c * u - s * r, s * u + c * r, c * du - s * dr, s * du + c * dr]

    begin = [float(v) for v in form(Real(0))]
    options = precision(draw)
    return Case(
        f"frequencies {slow:g} and {fast:g}, {times[-1]:g} s",
        Statement((x, y), (X**2 + Y**2) / 2 - W1**2 * p**2 / 2 - W2**2 * q**2 / 2, parameters=draw.parameters),
        dict(zip((x, y, X, Y), begin, strict=True)),
        times,
        lambda: closed(form, times, growth=float(fast * times[-1])),
        options,
    )


def many_orders(draw: Draw) -> Case:
    """Growth or decay by many orders of magnitude: compared relative to the size the motion has at each time."""
    rate, orders = draw.decimal(0.5, 3), draw.whole(4, 14)
    down = draw.coin()
    until = round(orders * 2.302 / rate, 2)
    times = spread(until)
    r = Real(str(rate))
    R = draw.state("r", rate)
    sense = -1 if down else 1
    force = -2 * R * X - R**2 * x if down else R**2 * x  # a double root: x = (1 + rt) e^{−rt}, or cosh

    def form(v):
        e = np.exp(-r * v)
        return [(1 + r * v) * e, -r * r * v * e] if down else [np.cosh(r * v), r * np.sinh(r * v)]

    scales = np.array([[max(abs(float(f)) for f in form(Real(v)))] * 2 for v in times])
    return Case(
        f"{'decay' if sense < 0 else 'growth'} by 1e{orders}",
        particle(force, draw),
        {x: 1.0, X: 0.0},
        times,
        lambda: closed(form, times),
        {},
        scales=scales,
    )


def blow_up(draw: Draw) -> Case:
    """x'' = 2x³, x = 1/(c − t): a motion that ends in a finite time, or goes backward from there for ever."""
    c = draw.decimal(0.5, 3)
    C = Real(str(c))
    if draw.coin():
        times = spread(c * draw.decimal(0.5, 0.9))
        return Case(
            "x = 1/(c - t), until before the end",
            particle(2 * x**3),
            {x: 1 / c, X: 1 / c**2},
            times,
            lambda: closed(lambda v: [1 / (C - v), 1 / (C - v) ** 2], times, growth=1e3),
            precision(draw),
        )
    times = spread(c * draw.decimal(1.1, 3))
    reached = times < c * 0.98

    def truth():
        states = [[1 / (C - v), 1 / (C - v) ** 2] if r else [np.nan] * 2 for v, r in zip(times, reached, strict=True)]
        return Truth(np.array(states, dtype=Real), 1e-15, growth=1e3, end=c)

    return Case(
        "x = 1/(c - t) grows without bound",
        particle(2 * x**3),
        {x: 1 / c, X: 1 / c**2},
        times,
        truth,
        ends=frozenset({"broken"}),
        slack=1e-3,
    )


def tracked(draw: Draw) -> Case:
    """A force made so that the motion is known: q'' = p'' − k (q − p) − c (q' − p'), p with a sudden turn."""
    width, centre = draw.power(0.02, 1), draw.decimal(2, 5)
    k, c, b = draw.decimal(1, 20), draw.decimal(0.2, 4), draw.decimal(0.3, 2)
    times = spread(draw.decimal(6, 12))
    u = (t - centre) / width
    path = sin(b * t) + tanh(u)
    w, m, B = Real(str(width)), Real(str(centre)), Real(str(b))

    def form(v):
        th = np.tanh((v - m) / w)
        return [np.sin(B * v) + th, B * np.cos(B * v) + (1 - th * th) / w]

    begin = [float(f) for f in form(Real(0))]
    return Case(
        f"a path with a turn of width {width:g}",
        particle(path.diff(t, 2) - k * (x - path) - c * (X - path.diff(t)), draw),
        {x: begin[0], X: begin[1]},
        times,
        lambda: closed(form, times, growth=float(1 / width)),
        precision(draw),
    )


def kepler(draw: Draw) -> Case:
    """An ellipse of unit axis about a unit attracting centre: Kepler's equation."""
    e, turns = draw.choice(0.1, 0.5, 0.9, 0.97, 0.99), draw.decimal(0.6, 3.2)
    times = spread(2 * np.pi * turns)
    E = Real(str(e))

    def form(v):
        u = v if e < 0.8 else Real(np.pi)
        for _ in range(200):
            d = (u - E * np.sin(u) - v) / (1 - E * np.cos(u))
            u -= d
            if abs(d) < Real("1e-19"):
                break
        b, r = np.sqrt(1 - E * E), 1 - E * np.cos(u)
        return [np.cos(u) - E, b * np.sin(u), -np.sin(u) / r, b * np.cos(u) / r]

    begin = [float(f) for f in form(Real(0))]
    return Case(
        f"a Kepler ellipse of eccentricity {e:g}, {turns:g} turns",
        Statement((x, y), (X**2 + Y**2) / 2 + (x**2 + y**2) ** -0.5 if draw.coin() else _kepler()),
        dict(zip((x, y, X, Y), begin, strict=True)),
        times,
        lambda: closed(form, times, growth=float(20 * turns / (1 - e) ** 2)),
        precision(draw),
    )


def _kepler():
    from sympy import sqrt

    return (X**2 + Y**2) / 2 + 1 / sqrt(x**2 + y**2)


def pendulum(draw: Draw) -> Case:
    """A pendulum as a point on a rod, from gentle to over the top: the angle moves by itself."""
    length, g, angle = draw.decimal(0.3, 3), draw.choice(9.81, 1.0, 10.0), draw.decimal(0.1, 3.0)
    spin = draw.choice(0.0, draw.decimal(-6, 6))
    L, G = Real(str(length)), Real(str(g))
    times = spread(draw.decimal(3, 10))
    begin = [Real(str(angle)), Real(str(spin))]

    def lift(_, s):
        a, w = s
        return [L * np.sin(a), -L * np.cos(a), L * w * np.cos(a), L * w * np.sin(a)]

    first = [float(v) for v in lift(0, begin)]
    ell = draw.state("l", length)
    return Case(
        f"a pendulum from {angle:g} rad with {spin:g} rad/s",
        Statement(
            (x, y),
            (X**2 + Y**2) / 2 - draw.state("g", g) * y,
            rows=(holonomic(x**2 + y**2 - ell**2, "rod"),),
            parameters=draw.parameters,
        ),
        dict(zip((x, y, X, Y), first, strict=True)),
        times,
        lambda: moved(lambda _, s: [s[1], -G / L * np.sin(s[0])], begin, times, lift),
        precision(draw),
    )


def steep_exponential(draw: Draw) -> Case:
    """A particle between two exponential walls: V = e^{−k(x+1)} + e^{k(x−1)}."""
    k, speed = draw.power(3, 200), draw.decimal(0.5, 3)
    times = spread(draw.decimal(4, 10))
    K = Real(str(k))
    s = draw.state("k", k)

    def rate(_, state):
        return [state[1], K * np.exp(-K * (state[0] + 1)) - K * np.exp(K * (state[0] - 1))]

    return Case(
        f"exponential walls of steepness {k:g}",
        Statement((x,), X**2 / 2 - exp(-s * (x + 1)) - exp(s * (x - 1)), parameters=draw.parameters),
        {x: 0.0, X: speed},
        times,
        lambda: moved(rate, [0, speed], times, longest=0.5 / k / speed),
        precision(draw),
    )


KINDS = (
    sine_power,
    bump_in_time,
    drag_zone,
    wall,
    high_power,
    stiff,
    two_frequencies,
    many_orders,
    blow_up,
    tracked,
    kepler,
    pendulum,
    steep_exponential,
)


def make(seed: int) -> Case:
    """The case of a seed."""
    return pick("smooth", KINDS, seed)
