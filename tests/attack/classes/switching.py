"""Functions that switch, in forces and potentials: abs, sign, max, heaviside, piecewise; guards that stay at zero."""

import numpy as np
from sympy import Abs, Heaviside, Max, Min, Piecewise, Rational, cos, sign, sin, sqrt
from sympy.physics.mechanics import dynamicsymbols

from ..case import Case, Truth, spread, stated
from ..draw import Draw, pick
from ..statement import Statement, coulomb, holonomic, onesided
from ..truth.gbs import Real, real
from ..truth.hybrid import Mode, Next
from ..truth.made import closed, moved, switched
from ..truth.rubbing import Blocks
from ..truth.zones import zones

x, y, a, b = dynamicsymbols("x y a b")
X, Y, A, B = (q.diff() for q in (x, y, a, b))
t = dynamicsymbols._t
G, g = 9.81, Real("9.81")


def line(force, draw: Draw | None = None) -> Statement:
    """A unit mass on a line under a force."""
    return Statement((x,), mass=[[1]], forces=(force,), parameters=draw.parameters if draw else {})


def in_zones(label, statement, acceleration, functions, begin, times, **more) -> Case:
    """One coordinate: s'' = acceleration(t, s, s', signs)."""
    start = real([repr(float(e)) for e in begin])

    def rate(v, s, signs):
        return [s[1], acceleration(v, s[0], s[1], signs)]

    def truth() -> Truth:
        t0 = float(times[0])
        return switched(zones(rate, functions, start, t0), start, times, longest=0.1, told=False, absolute=1e-6)

    return stated(label, statement, begin, times, truth, **more)


def per_axis(draw: Draw) -> Case:
    """Drag axis by axis, one of them at rest for ever: its |v| stays at zero, and the other must still be right."""
    k, c = draw.decimal(0, 20), draw.decimal(0.2, 1.5)
    K, C = Real(repr(k)), Real(repr(c))
    driven = draw.coin()
    f, w, v0 = draw.decimal(1, 4), draw.decimal(0.5, 2), draw.decimal(1, 5)
    F, w_ = Real(repr(f)), Real(repr(w))
    push = f * sin(w * t) if driven else -G - k * y
    start = real([0, repr(v0)])

    def rate(v, s, signs):
        load = F * np.sin(w_ * v) if driven else -g - K * s[0]
        return [s[1], load - signs[0] * C * s[1] ** 2]

    idle = draw.choice(1, 2)
    q = [x, y] if idle == 1 else [x, y, dynamicsymbols("z")]
    forces = {e: -c * Abs(e.diff()) * e.diff() for e in q}
    forces[y] += push
    times = spread(draw.decimal(1.5, 5))

    def lift(_, s):
        rest = [Real(0)] * (len(q) - 2)
        return [Real(0), s[0], *rest, Real(0), s[1], *rest]

    return stated(
        f"drag per axis, {'driven' if driven else 'thrown straight up'}, {idle} at rest",
        Statement(tuple(q), sum(e.diff() ** 2 for e in q) / 2, forces=forces),
        lift(0, start),
        times,
        lambda: switched(zones(rate, [lambda _, s: s[1]], start), start, times, lift, longest=0.1, told=False),
    )


def unison(draw: Draw) -> Case:
    """Two equal pendula that touch, let go alike."""
    w, angle, kind = draw.decimal(0.5, 3), draw.decimal(0.2, 2), draw.choice("contact", "max", "abs")
    e, spin = draw.choice(0, Rational(1, 2), 1), draw.choice(0.0, draw.decimal(-1, 1))
    return alike(w, angle, spin, kind, e, draw.decimal(2, 8))


def alike(w, angle, spin, kind, e, until) -> Case:
    """They touch all the way and never press: a contact, or a stiff force that stays at zero."""
    W = Real(repr(w))
    lagrangian = (A**2 + B**2) / 2 + w**2 * (cos(a) + cos(b))
    forces, rows = {}, ()
    if kind == "contact":
        rows = (onesided(b - a, e, "touch"),)
    else:
        push = 50 * (Max(0, a - b) ** 3 if kind == "max" else (a - b) + Abs(a - b))
        forces = {a: -push, b: push}
    start = real([repr(angle), repr(spin)])
    times = spread(until)
    return stated(
        f"two pendula in unison, {kind}",
        Statement((a, b), lagrangian, forces=forces, rows=rows),
        [start[0], start[0], start[1], start[1]],
        times,
        lambda: moved(lambda _, s: [s[1], -W * W * np.sin(s[0])], start, times, lambda _, s: [s[0], s[0], s[1], s[1]]),
        tolerance=1e-8,
    )


def relay(draw: Draw) -> Case:
    """x'' = F(t) − c sign x': the law of dry friction, written as a function."""
    c, f, w = draw.decimal(0.5, 3), draw.decimal(0.5, 5), draw.decimal(0.5, 3)
    C, F, w_ = Real(repr(c)), Real(repr(f)), Real(repr(w))
    ramp = draw.coin()
    force = t - c * sign(X) if ramp else f * sin(w * t) - draw.state("c", c) * sign(X)
    blocks = Blocks(
        real([1]), real([0]), real([C]), lambda v, p, u: real([v if ramp else F * np.sin(w_ * v)]),
        lambda s: Real(1) + 0 * s, real([1]),
    )  # fmt: skip
    start = real([0, repr(draw.choice(0.0, draw.decimal(0.3, 2)))])
    times = spread(draw.decimal(3, 9))
    return stated(
        f"{'t' if ramp else 'a wave'} less {c:g} sign(x')",
        line(force, draw),
        start,
        times,
        lambda: switched(blocks.begin(0, start[:1], start[1:]), start, times, told=False, absolute=1e-3, longest=0.1),
    )


def root_of_speed(draw: Draw) -> Case:
    """−k sign(v) √|v|: at rest in a finite time, and there it stays."""
    k, v0 = draw.decimal(0.5, 2), draw.decimal(0.5, 3)
    K, V = Real(repr(k)), Real(repr(v0))
    end = 2 * np.sqrt(V) / K
    times = spread(round(float(end) * draw.decimal(0.6, 3), 3))

    def form(s):
        r = max(np.sqrt(V) - K * s / 2, Real(0))
        return [2 / (3 * K) * (V ** Real(1.5) - r**3), r * r]

    return stated(
        f"the root of the speed{', to rest and beyond' if times[-1] > end else ''}",
        line(-k * sign(X) * sqrt(Abs(X))),
        [0, v0],
        times,
        lambda: closed(form, times),
        tolerance=1e-8,
    )


def stop_spring(draw: Draw) -> Case:
    """A spring that acts beyond a gap as a power of the depth: max(0, x − d)ᵖ, p from 1/2 to 3 (Hertz: 3/2)."""
    k, d, v0 = draw.decimal(5, 100), draw.choice(0.0, draw.decimal(0.2, 1)), draw.decimal(0.5, 3)
    top, bottom = draw.choice((1, 2), (1, 1), (3, 2), (2, 1), (3, 1))
    P = Real(top) / Real(bottom)
    K, D = Real(repr(k)), Real(repr(d))
    back = draw.decimal(0.2, 2)
    written = draw.choice("max", "piecewise")
    p = Rational(top, bottom)
    depth = x - d
    push = Max(0, depth) ** p if written == "max" else Piecewise((depth**p, depth > 0), (0, True))
    return in_zones(
        f"a stop as depth^{p} at {d:g}, by {written}",
        line(-k * push - back),
        lambda _, s, w, z: -Real(repr(back)) - (K * max(s - D, Real(0)) ** P if z[0] > 0 else 0),
        [lambda _, s: s[0] - D],
        [draw.choice(0.0, -0.3), v0],
        spread(draw.decimal(1.5, 5)),
        tolerance=1e-8,
    )


def bilinear(draw: Draw) -> Case:
    """Springs that differ by side, or saturate, or are played: max, min, abs, piecewise."""
    k1, k2, d = draw.decimal(1, 10), draw.decimal(1, 10), draw.decimal(0.1, 0.6)
    K1, K2, D = (Real(repr(e)) for e in (k1, k2, d))
    kind = draw.choice("sides", "saturated", "play", "constant")
    forces = {
        "sides": -k1 * Max(x, 0) - k2 * Min(x, 0),
        "saturated": -Max(-1, Min(1, k1 * x)),
        "play": -k1 * (Max(x - d, 0) + Min(x + d, 0)),
        "constant": -k1 * sign(x),
    }
    accelerations = {
        "sides": lambda _, s, w, z: -(K1 if z[0] > 0 else K2) * s,
        "saturated": lambda _, s, w, z: -Real(1) if z[0] > 0 else Real(1) if z[1] < 0 else -K1 * s,
        "play": lambda _, s, w, z: -K1 * (s - D) if z[0] > 0 else -K1 * (s + D) if z[1] < 0 else Real(0),
        "constant": lambda _, s, w, z: -K1 * z[0],
    }
    functions = {
        "sides": [lambda _, s: s[0]],
        "saturated": [lambda _, s: K1 * s[0] - 1, lambda _, s: K1 * s[0] + 1],
        "play": [lambda _, s: s[0] - D, lambda _, s: s[0] + D],
        "constant": [lambda _, s: s[0]],
    }
    begin = [draw.choice(0.0, draw.decimal(-1, 1)), draw.decimal(0.5, 3) * draw.sign()]
    return in_zones(
        f"a spring with corners: {kind}",
        line(forces[kind]),
        accelerations[kind],
        functions[kind],
        begin,
        spread(draw.decimal(3, 10)),
    )


def pulse(draw: Draw) -> Case:
    """A rectangular pulse in time, from a second to 1e-8 s wide, early or late, by steps or by cases."""
    width, begin = 10.0 ** -draw.whole(0, 8), draw.choice(0.5, 3.7, 40.0, 1000.0)
    size = draw.decimal(0.5, 2) / width
    kind = draw.choice("heaviside", "piecewise", "sign")
    end = begin + width
    edges = {
        "heaviside": Heaviside(t - begin) - Heaviside(t - end),
        "piecewise": Piecewise((0, t < begin), (1, t < end), (0, True)),
        "sign": (sign(t - begin) - sign(t - end)) / 2,
    }
    B, E, S = Real(begin), Real(end), Real(repr(size))

    def form(s):
        on, after = min(max(s - B, Real(0)), E - B), max(s - E, Real(0))
        return [S * on * on / 2 + S * on * after, S * on]

    times = spread(round(begin * 1.5 + 1, 3))
    seen = 8 * np.finfo(float).eps * begin / width  # what the rounding of time leaves of the width
    return stated(
        f"a pulse {width:g} wide at t = {begin:g} by {kind}",
        line(size * edges[kind]),
        [0, 0],
        times,
        lambda: closed(form, times),
        tolerance=max(1e-8, seen),
    )


def power_at_zero(draw: Draw) -> Case:
    """Dry friction beside a force whose powers vanish at the start or at rest: t³, −x³, −v³, |x|^p."""
    kind = draw.choice("t^3", "-x^3", "-v^3", "|x|^(3/2)", "t^15")
    mu = draw.decimal(0.05, 0.3)
    M = Real(repr(mu))
    k = draw.decimal(0.5, 3)
    K = Real(repr(k))
    force = {
        "t^3": k * t**3,
        "-x^3": -k * x**3,
        "-v^3": -k * X**3,
        "|x|^(3/2)": -k * sign(x) * Abs(x) ** Rational(3, 2),
        "t^15": k * t**15,
    }[kind]
    load = {
        "t^3": lambda v, p, u: K * v**3 + 0 * p,
        "-x^3": lambda v, p, u: -K * p**3,
        "-v^3": lambda v, p, u: -K * u**3,
        "|x|^(3/2)": lambda v, p, u: -K * np.sign(p) * abs(p) ** Real("1.5"),
        "t^15": lambda v, p, u: K * v**15 + 0 * p,
    }[kind]
    v0 = 0.0 if kind.startswith("t") else draw.decimal(1, 4)
    blocks = Blocks(real([1]), real([0]), real([g]), load, lambda s: M + 0 * s, real([M]))
    start = real([0, repr(v0)])
    times = spread(draw.decimal(1, 2.5))
    options = {"tolerance": 1e-9} if kind == "t^15" and draw.coin() else {}
    return stated(
        f"{kind} beside dry friction",
        Statement(
            (x, y), (X**2 + Y**2) / 2 - G * y, forces={x: force}, rows=(holonomic(y, "floor", coulomb(mu)),)
        ),
        [0, 0, v0, 0],
        times,
        lambda: switched(
            blocks.begin(0, start[:1], start[1:]), start, times, lambda _, s: [s[0], 0, s[1], 0],
            longest=0.05, absolute=1e-3, told=False,
        ),
        tolerance=1e-8,
        options=options,
    )  # fmt: skip


def corner_potential(draw: Draw) -> Case:
    """V = k|x|^p with p from 1 to 3: corners, roots and exact zeros of the derivative."""
    k, (top, bottom) = draw.decimal(0.5, 3), draw.choice((1, 1), (3, 2), (5, 3), (2, 1), (3, 1))
    p = Rational(top, bottom)
    K, P = Real(repr(k)), Real(top) / Real(bottom)
    written = draw.choice(Abs(x) ** p, (x**2) ** (p / 2)) if bottom > 1 or top % 2 else Abs(x) ** p
    return in_zones(
        f"V = {k:g} |x|^{p}",
        Statement((x,), X**2 / 2 - k * written),
        lambda _, s, w, z: -z[0] * K * P * abs(s) ** (P - 1),
        [lambda _, s: s[0]],
        [draw.decimal(0.3, 1), draw.choice(0.0, draw.decimal(-1, 1))],
        spread(draw.decimal(2, 6)),
        tolerance=1e-8,
    )


def sliding_surface(draw: Draw) -> Case:
    """x'' = −a sign(x + c x'): it reaches x + c x' = 0 and slides along it to the origin, x' = −x/c."""
    k, c = draw.decimal(1, 5), draw.decimal(0.3, 1)
    K, C = Real(repr(k)), Real(repr(c))

    def surface(_, s):
        return s[0] + C * s[1]

    def side(sense) -> Mode:
        def after(i, _, s):
            if abs(s[1]) < K * C:
                return Next(slides, real([s[0], -s[0] / C]))
            return Next(side(-sense), s)

        return Mode(sense, lambda _, s: [s[1], -sense * K], lambda v, s: [sense * surface(v, s)], after)

    slides = Mode("slides", lambda _, s: [-s[0] / C, s[0] / C**2], lambda v, s: [], lambda i, v, s: Next(None, s))
    begin = real([repr(draw.decimal(0.3, 2)), repr(draw.decimal(-1, 2))])
    first = side(1 if surface(0, begin) > 0 else -1)
    times = spread(draw.decimal(1.5, 5))
    return stated(
        f"a relay that slides, a = {k:g}, c = {c:g}",
        line(-k * sign(x + draw.state("c", c) * X), draw),
        begin,
        times,
        lambda: switched(first, begin, times, told=False),
        tolerance=1e-8,
    )


def potential_step(draw: Draw) -> Case:
    """V jumps by h where x passes zero: v² falls by 2h, or it comes back. Either right, or refused."""
    h, v0, far = draw.decimal(0.3, 2), draw.decimal(0.8, 3), draw.decimal(0.5, 2)
    H, V, D = (Real(repr(e)) for e in (h, v0, far))
    after = np.sqrt(V * V - 2 * H) if V * V > 2 * H else -V
    hit = D / V
    step = draw.choice(Heaviside(x), (1 + sign(x)) / 2, Piecewise((0, x < 0), (1, True)))

    def form(s):
        return [V * s - D, V] if s < hit else [after * (s - hit), after]

    times = spread(round(float(hit) * draw.decimal(1.5, 3), 3))
    return stated(
        f"a step of the potential, {'passed' if after > 0 else 'thrown back'}",
        Statement((x,), X**2 / 2 - h * step),
        form(Real(0)),
        times,
        lambda: closed(form, times),
        refusals=frozenset({"ModelError", "paradox", "broken"}),
    )


def drag_by_side(draw: Draw) -> Case:
    """Drag that changes where a line is crossed: piecewise or heaviside, of place or of time."""
    c1, c2, p = draw.decimal(0, 1), draw.decimal(0, 2), draw.decimal(0.5, 2)
    C1, C2, P = (Real(repr(e)) for e in (c1, c2, p))
    kind = draw.choice("place", "time")
    on = x if kind == "place" else t
    coefficient = draw.choice(
        Piecewise((c1, on < p), (c2, True)), c1 + (c2 - c1) * Heaviside(on - p), c1 + (c2 - c1) * (1 + sign(on - p)) / 2
    )
    wanted = (lambda v, s: s[0] - P) if kind == "place" else (lambda v, s: v - P)
    return in_zones(
        f"drag by {kind}, {c1:g} and {c2:g}",
        line(-coefficient * X + sin(2 * x)),
        lambda _, s, w, z: -(C2 if z[0] > 0 else C1) * w + np.sin(2 * s),
        [wanted],
        [0.0, draw.decimal(1.5, 4)],
        spread(draw.decimal(2, 5)),
    )


KINDS = (
    per_axis,
    unison,
    relay,
    root_of_speed,
    stop_spring,
    bilinear,
    pulse,
    power_at_zero,
    corner_potential,
    sliding_surface,
    potential_step,
    drag_by_side,
)


def make(seed: int) -> Case:
    """The case of a seed."""
    return pick("switching", KINDS, seed)
