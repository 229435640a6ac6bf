"""Contacts that close with a velocity: balls, columns, cradles, boxes, floors that move, walls reached slowly."""

import numpy as np
from sympy import Matrix, Rational, cos, lambdify, sin, sqrt, symbols
from sympy.physics.mechanics import dynamicsymbols

from ..case import Case, Truth, spread, stated
from ..draw import Draw, pick
from ..statement import Statement, coulomb, holonomic, onesided
from ..truth.bounce import ball, line_of_balls
from ..truth.box import Box
from ..truth.gbs import Real, real
from ..truth.hybrid import Mode, Next
from ..truth.leaps import on_floor, shaken
from ..truth.made import closed, switched
from ..truth.moreau import Contacts

x, y, theta = dynamicsymbols("x y theta")
X, Y, W = (q.diff() for q in (x, y, theta))
t = dynamicsymbols._t
G = 9.81


def dropped(draw: Draw) -> Case:
    """A ball that bounces with e from 0 to 1, and drifts along; watched until its bounces are over, or longer."""
    e, h, v = draw.choice(0.0, 0.1, 0.3, 0.5, 0.8, 0.9, 0.97, 1.0), draw.decimal(0.3, 3), draw.decimal(-1, 1)
    at, hits, rest = ball(repr(h), repr(v), repr(G), repr(e))
    until = draw.decimal(2, 6) if rest is None else min(round(float(rest) * draw.choice(0.5, 0.9, 1.5, 4.0), 3), 30.0)
    u, m = draw.decimal(-1, 1), draw.decimal(0.3, 3)
    times = spread(until)
    events = [(float(s), "impact") for s in hits[:4] if s < until]
    if rest is not None and e > 0 and rest < until:
        events.append((float(rest), "rest"))
    size = draw.choice(1, 1, 1000, 0.001)
    return stated(
        f"a ball with e = {e:g} until {until:g}",
        Statement(
            (x, y),
            m * (X**2 + Y**2) / 2 - m * G * y,
            rows=(onesided(size * y, draw.state("e", e), "floor"),),
            parameters=draw.parameters,
        ),
        [0, h, u, v],
        times,
        lambda: closed(lambda s: [Real(repr(u)) * s, at(s)[0], u, at(s)[1]], times, events=tuple(events), growth=100.0),
        tolerance=1e-10,
    )


def two_balls(draw: Draw) -> Case:
    """Two balls, each on the same floor, that land or come to rest nearly together."""
    apart = 10.0 ** -draw.whole(1, 9) * draw.choice(0, 1, 1, 1)
    e1, e2 = draw.choice((0.5, 0.5), (1.0, 0.5), (0.0, 1.0), (0.3, 0.9), (0.0, 0.0))
    h = draw.decimal(0.3, 2)
    H = Real(repr(h))
    by_rest = e1 == 1.0
    one, _, _ = ball(H, 0, repr(G), repr(e1))
    if by_rest:  # the elastic one lands a moment before the other comes to rest
        _, _, rest = ball(H, 0, repr(G), repr(e2))
        drop = (rest - Real(repr(apart))) ** 2 * Real(repr(G)) / 2
        high = float(drop)
        one, _, _ = ball(Real(high), 0, repr(G), repr(e1))
        heights = [high, h]
    else:
        heights = [float(H + Real(repr(apart))), h]
        one, _, _ = ball(Real(heights[0]), 0, repr(G), repr(e1))
    two, _, _ = ball(H, 0, repr(G), repr(e2))
    times = spread(draw.decimal(1, 4))
    q = dynamicsymbols("y1:3")
    rows = tuple(onesided(p, e, f"floor {i + 1}") for i, (p, e) in enumerate(zip(q, (e1, e2), strict=True)))
    return stated(
        f"two balls {apart:g} apart, e = {e1:g} and {e2:g}",
        Statement(tuple(q), sum(p.diff() ** 2 / 2 - G * p for p in q), rows=rows),
        [*heights, 0, 0],
        times,
        lambda: closed(lambda s: [one(s)[0], two(s)[0], one(s)[1], two(s)[1]], times, growth=100.0),
        tolerance=1e-10,
    )


def cradle(draw: Draw) -> Case:
    """Balls in a row with gaps between them, of equal or different masses: they collide two by two."""
    n, e = draw.whole(2, 6), draw.choice(1.0, 1.0, 0.5, 0.9)
    mass = [1.0] * n if draw.coin() else [draw.decimal(0.5, 3) for _ in range(n)]
    place = np.cumsum([0.0, *(1 + draw.decimal(0.1, 1, 3) for _ in range(n - 1))]).round(3).tolist()
    speed = [draw.decimal(-1, 3) for _ in range(n)]
    q = dynamicsymbols(f"q1:{n + 1}")
    times = spread(draw.decimal(1, 4))

    def truth() -> Truth:
        one, hits = line_of_balls(mass, 1, e, [Real(repr(p)) for p in place], [Real(repr(p)) for p in speed], times)
        moved = [Real(repr(p)) + Real("1e-10") * (-1) ** i for i, p in enumerate(place)]
        other, _ = line_of_balls(mass, 1, e, moved, [Real(repr(p)) for p in speed], times)
        return Truth(one, 1e-15, float(abs(one - other).max() / Real("1e-10")), tuple((h, "impact") for h in hits))

    rows = tuple(onesided(q[i + 1] - q[i] - 1, e, f"pair {i + 1}") for i in range(n - 1))
    return stated(
        f"a row of {n} balls, e = {e:g}",
        Statement(tuple(q), sum(m * p.diff() ** 2 for m, p in zip(mass, q, strict=True)) / 2, rows=rows),
        [*place, *speed],
        times,
        truth,
        slack=1e-7,
    )


def column(draw: Draw) -> Case:
    """Balls one above the other, apart or touching, dropped on a floor."""
    n, e = draw.whole(2, 7), draw.choice(0.0, 0.25, 0.5)
    touch = draw.coin(0.3)
    gaps = [draw.decimal(0.05, 0.5, 3) for _ in range(n)]
    if touch:
        gaps[1:] = [0.0] * (n - 1)
    return fallen(e, gaps, [draw.decimal(0.5, 2) for _ in range(n)])


def fallen(e, gaps, mass) -> Case:
    """With e ≤ 1/2 they all come to rest, one upon the other; those that touch fall and bounce as one."""
    n, touch = len(gaps), not any(gaps[1:])
    place = (np.cumsum(gaps) + np.arange(n)).round(3).tolist()
    q = dynamicsymbols(f"y1:{n + 1}")
    until = 30.0
    times = np.array([0.0, *spread(0.5, 8)[1:], 29.0, until])

    def truth() -> Truth:
        states = np.full((len(times), 2 * n), np.nan, dtype=Real)
        states[-2:] = [*range(n), *[0] * n]
        if touch:  # as one body
            at, _, _ = ball(repr(gaps[0]), 0, repr(G), repr(e))
            for k, s in enumerate(real(times)):
                h, v = at(s)
                states[k] = [*(h + i for i in range(n)), *[v] * n]
            return Truth(states, 1e-15, 100.0)
        known = _fallen(mass, e, place, times)
        states[: len(known)] = known
        return Truth(states, 1e-15, 100.0)

    rows = [onesided(q[0], e, "floor")]
    rows += [onesided(q[i + 1] - q[i] - 1, e, f"pair {i + 1}") for i in range(n - 1)]
    lagrangian = sum(m * p.diff() ** 2 / 2 - m * G * p for m, p in zip(mass, q, strict=True))
    return stated(
        f"a column of {n}{' that touch' if touch else ''}, e = {e:g}",
        Statement(tuple(q), lagrangian, rows=tuple(rows)),
        [*place, *[0.0] * n],
        times,
        truth,
        tolerance=1e-10,
    )


def _fallen(mass, e, place, times):
    """The states of a falling column at the times before its impacts become too many to follow."""
    from ..truth.gbs import TruthError

    known: list = []
    for k in range(2, len(times) - 1):
        try:
            states, _ = line_of_balls(
                mass, 1, e, [Real(repr(p)) for p in place], [0] * len(place), times[:k], wall=Real(0), g=Real(repr(G))
            )
        except TruthError:
            break
        known = states
    return known


def moving_floor(draw: Draw) -> Case:
    """A ball on a floor that rises steadily or shakes: −e times the velocity relative to the floor."""
    e = draw.choice(0.3, 0.6, 0.9, 1.0)
    m = draw.decimal(0.5, 2)
    if draw.coin():
        v = draw.decimal(-1, 1)
        V = Real(repr(v))
        floor, written = (lambda s: (V * s, V, Real(0))), draw.state("v", v) * t
    else:
        a, w = draw.decimal(0.02, 0.2), draw.decimal(1, 8)
        floor, written = shaken(a, w), a * sin(w * t)
    begin = on_floor(floor, lambda *_: -Real(repr(G)), Real(repr(e)), settle=Real("1e-8"))
    start = real([repr(draw.decimal(0.3, 2)), repr(draw.decimal(-1, 1))])
    times = spread(draw.decimal(0.8, 2.5))
    return stated(
        f"a floor that moves, e = {e:g}",
        Statement(
            (y,), m * Y**2 / 2 - m * G * y, rows=(onesided(y - written, e, "floor"),), parameters=draw.parameters
        ),
        start,
        times,
        lambda: switched(begin(0, *start), start, times, longest=0.05),
        tolerance=1e-8,
    )


def coincident(draw: Draw) -> Case:
    """The same floor stated several times with different e: none parts slower than its own e, so the largest holds."""
    es = [draw.choice(0.0, 0.2, 0.5, 0.8) for _ in range(draw.whole(2, 3))]
    h = draw.decimal(0.3, 2)
    at, _, rest = ball(repr(h), 0, repr(G), repr(max(es)))
    sizes = [draw.choice(1, 1, 2, 10) for _ in es]
    times = spread(round(float(rest) * draw.choice(0.6, 1.5), 3))
    rows = tuple(onesided(s * y, e, f"floor {i + 1}") for i, (s, e) in enumerate(zip(sizes, es, strict=True)))
    return stated(
        f"coincident floors, e = {', '.join(f'{e:g}' for e in es)}",
        Statement((x, y), (X**2 + Y**2) / 2 - G * y, rows=rows),
        [0, h, 0.5, 0],
        times,
        lambda: closed(lambda s: [s / 2, at(s)[0], Real("0.5"), at(s)[1]], times, growth=100.0),
        tolerance=1e-10,
    )


def slow_wall(draw: Draw) -> Case:
    """A wall reached at a small fraction of the speed along it."""
    slow = 10.0 ** -draw.whole(1, 11)
    hit, e = draw.decimal(0.5, 2), draw.choice(0.0, 0.5, 1.0)
    far = slow * hit
    S, H = Real(repr(slow)), Real(repr(far)) / Real(repr(slow))

    def form(s):
        later = s - H
        return [s, Real(repr(far)) - S * s if later < 0 else Real(repr(e)) * S * later, 1, -S if later < 0 else e * S]

    times = spread(3.0)
    n = len(times)
    scales = np.tile([1.0, far, 1.0, slow], (n, 1))
    return stated(
        f"a wall reached at {slow:g} of the speed, e = {e:g}",
        Statement((x, y), (X**2 + Y**2) / 2, rows=(onesided(y, e, "wall"),)),
        form(Real(0)),
        times,
        lambda: closed(form, times, events=((float(H), "impact"),)),
        scales=scales,
        tolerance=1e-8 if slow > 1e-7 else 1e-3,
    )


def billiard(draw: Draw) -> Case:
    """A ball in a square without loss: unfolded, it goes straight."""
    vx, vy = draw.decimal(0.5, 3, 3), draw.decimal(0.5, 3, 3)
    p, q = draw.decimal(0.1, 0.9, 3), draw.decimal(0.1, 0.9, 3)

    def fold(s):
        s = s % 2
        return (s, 1) if s <= 1 else (2 - s, -1)

    def form(s):
        (a, i), (b, j) = fold(Real(repr(p)) + Real(repr(vx)) * s), fold(Real(repr(q)) + Real(repr(vy)) * s)
        return [a, b, i * Real(repr(vx)), j * Real(repr(vy))]

    times = spread(draw.decimal(2, 8))
    walls = tuple(onesided(f, 1, f"wall {i + 1}") for i, f in enumerate((x, y, 1 - x, 1 - y)))
    return stated(
        "billiards",
        Statement((x, y), (X**2 + Y**2) / 2, rows=walls),
        [p, q, vx, vy],
        times,
        lambda: closed(form, times, growth=10.0),
    )


def pendulum_and_wall(draw: Draw) -> Case:
    """A pendulum that strikes a wall below its pivot, or beside it; the rod stays."""
    e, side = draw.choice(0.5, 0.8, 1.0), draw.choice(0.0, draw.decimal(-0.4, 0.3))
    E, S = Real(repr(e)), Real(repr(side))
    g = Real(repr(G))
    times = spread(draw.decimal(1, 4))

    def after(i, _, s):
        back = -E * s[1]
        if back < Real("1e-7"):
            return Next(None, s)  # it comes to rest there
        return Next(swings, real([s[0], back]), "impact" if back > Real("1e-3") else "")

    swings = Mode("swings", lambda _, s: [s[1], -g * np.sin(s[0])], lambda _, s: [np.sin(s[0]) - S], after)
    begin = real([repr(draw.decimal(0.5, 1.4)), repr(draw.choice(0.0, draw.decimal(-2, 1)))])

    def lift(_, s):
        a, w = s
        return [np.sin(a), -np.cos(a), w * np.cos(a), w * np.sin(a)]

    def truth() -> Truth:
        made = switched(swings, begin, times, lift, longest=0.1)
        return made if made.end is None else Truth(made.states, made.error, made.growth, made.events)

    wall = onesided(x - side, e, "wall")
    return stated(
        f"a pendulum and a wall at {side:g}, e = {e:g}",
        Statement((x, y), (X**2 + Y**2) / 2 - G * y, rows=(holonomic(x**2 + y**2 - 1, "rod"), wall)),
        lift(0, begin),
        times,
        truth,
        tolerance=1e-8,
    )


def corners(a, b):
    """The heights of the four corners of a box above its centre."""
    return [p * a * sin(theta) + q * b * cos(theta) for p in (1, -1) for q in (1, -1)]


def box(draw: Draw) -> Case:
    """A smooth box dropped on a floor, tumbling on its corners until it lies on a side."""
    a, b, e = draw.decimal(0.3, 1), draw.decimal(0.3, 1), draw.choice(0.0, 0.2, 0.4)
    m = draw.decimal(0.5, 2)
    j = round(m * (a**2 + b**2) / 3, 4)
    angle, spin = draw.decimal(0.1, 1.4), draw.decimal(-1, 1)
    made = Box(*(repr(v) for v in (a, b, m, j, e, G)))
    high = Real(repr(round((a**2 + b**2) ** 0.5 + draw.decimal(0.05, 0.5), 3)))
    start = real([high, repr(angle), 0, repr(spin)])
    times = spread(draw.decimal(0.5, 1.5))
    rows = tuple(onesided(y + c, e, f"corner {i + 1}") for i, c in enumerate(corners(a, b)))
    return stated(
        f"a smooth box, e = {e:g}",
        Statement((y, theta), m * Y**2 / 2 + j * W**2 / 2 - m * G * y, rows=rows),
        start,
        times,
        lambda: switched(made.flies(), start, times, longest=0.05, told=False, absolute=1e-3),
        tolerance=1e-6,
    )


def rough_box(draw: Draw) -> Case:
    """A box with friction, thrown onto a floor."""
    a, b, e, mu = draw.decimal(0.3, 1), draw.decimal(0.3, 1), draw.choice(0.0, 0.2, 0.4), draw.decimal(0.1, 0.4)
    high = round((a**2 + b**2) ** 0.5 + draw.decimal(0.05, 0.5), 3)
    start = [0.0, high, draw.decimal(0.1, 1.4), draw.decimal(-2, 2), 0.0, draw.decimal(-2, 2)]
    return thrown_box(a, b, e, mu, draw.decimal(0.5, 2), draw.coin(), start)


def at_odds(state, a, b, mu, m, j) -> list[str]:
    """What is wrong with saying that a box can neither stick nor slip on its lowest corner, by ideal normal forces.

    N is what presses without friction while it slips, and with the corner held while it sticks. It is true where the
    corner, held, needs μN by then and ever more, while μN of the other is enough to stop it, whichever way it slips.
    """

    def held(q, v):
        c, slope = min((s * a * np.sin(q[2]) + r * b * np.cos(q[2]), s * a * np.cos(q[2]) - r * b * np.sin(q[2]))
                        for s in (1, -1) for r in (1, -1))  # fmt: skip
        A = np.array([[0, 1, slope], [1, 0, -c]])
        right = np.array([c, slope]) * v[2] ** 2 - A @ free
        return A, right, np.linalg.solve(A @ (inverse[:, None] * A.T), right)

    inverse, free = 1 / np.array([m, m, j]), np.array([0, -G, 0])
    q, v = np.split(np.asarray(state, float), 2)
    A, right, (pressed, rubbed) = held(q, v)
    step = 1e-6
    accelerated = free + inverse * (A.T @ [pressed, rubbed])
    _, _, later = held(q + step * v + step**2 / 2 * accelerated, v + step * accelerated)
    S = A @ (inverse[:, None] * A.T)
    normal = right[0] / S[0, 0]
    faults = [] if abs(rubbed) >= (1 - 1e-9) * mu * pressed else [f"it sticks by {rubbed:.6g} of {mu * pressed:.6g}"]
    if abs(later[1]) - mu * later[0] <= abs(rubbed) - mu * pressed:
        faults.append("it needs ever less to stick")
    for way in (1, -1):  # with friction against it, S₀₀ N̂ + S₀₁ f = right₀ and ṡ = S₁₀ N̂ + S₁₁ f − right₁
        f = -way * mu * normal
        rate = S[1, 0] * (right[0] - S[0, 1] * f) / S[0, 0] + S[1, 1] * f - right[1]
        if way * rate > 0:
            faults.append(f"it slips {'forward' if way > 0 else 'backward'} at {rate:.3g}")
    return faults


def thrown_box(a, b, e, mu, m, rubs, start, normal="ideal") -> Case:
    """It must come to rest on a side, lose energy all the way, stay above the floor: no more is said of its path.

    By ideal normal forces it may come to where it can neither stick nor slip: then that must be so.
    """
    j = round(m * (a**2 + b**2) / 3, 4)
    heights = corners(a, b)
    rows = tuple(
        onesided(
            y + c,
            e,
            f"corner {i + 1}",
            coulomb(mu, sliding=X - c * W, **({"normal": normal} if normal != "ideal" else {})),
            **({"impact_friction": True} if rubs else {}),
        )
        for i, c in enumerate(heights)
    )
    times = np.linspace(0.0, 12.0, 121)

    def laws(motion) -> list[str]:
        place, turn = np.asarray(motion.y)[1], np.asarray(motion.y)[2]
        speed = np.asarray(motion.y)[3:]
        lowest = place - a * np.abs(np.sin(turn)) - b * np.abs(np.cos(turn))
        energy = m * (speed[0] ** 2 + speed[1] ** 2) / 2 + j * speed[2] ** 2 / 2 + m * G * place
        faults = [f"a corner is {lowest.min():.1e} below the floor"] if lowest.min() < -1e-9 else []
        faults += [f"energy grows by {np.diff(energy).max():.1e}"] if np.diff(energy).max() > 1e-9 * energy[0] else []
        if motion.status.ending == "paradox":
            named = 'has normal="ideal"' in str(motion.status)
            faults += at_odds(motion.y[:, -1], a, b, mu, m, j) if named else ["the paradox has no name"]
        if motion.status.ending == "finished":
            still = np.abs(speed[:, -1]).max()
            tilt = abs(np.sin(2 * turn[-1]))
            faults += [f"it still moves at {still:.1e}"] if still > 1e-9 else []
            faults += [f"it stands on a corner, sin 2θ = {tilt:.1e}"] if tilt > 1e-9 else []
        return faults

    return stated(
        f"a rough box, e = {e:g}, mu = {mu:g}{', friction in impacts' if rubs else ''}",
        Statement((x, y, theta), m * (X**2 + Y**2) / 2 + j * W**2 / 2 - m * G * y, rows=rows),
        start,
        times,
        lambda: Truth(np.full((len(times), 6), np.nan)),
        laws=(laws,),
        refusals=frozenset({"paradox"}) if normal == "ideal" else frozenset(),
    )


def heap(draw: Draw) -> Case:
    """Discs that fall into a box without bouncing and lie on each other: truth by time stepping, to its accuracy."""
    n, e, wide = draw.whole(2, 4), draw.choice(0.0, 0.0, 0.5), draw.decimal(1.2, 2.0)
    p, q = dynamicsymbols(f"x1:{n + 1}"), dynamicsymbols(f"y1:{n + 1}")
    radius = [draw.decimal(0.2, 0.35) for _ in range(n)]
    mass = [draw.decimal(0.5, 2) for _ in range(n)]
    pairs = [(i, k) for i in range(n) for k in range(i)]
    gaps = [*(q[i] - radius[i] for i in range(n)), *(p[i] - radius[i] for i in range(n))]
    gaps += [wide - p[i] - radius[i] for i in range(n)]
    gaps += [sqrt((p[i] - p[k]) ** 2 + (q[i] - q[k]) ** 2) - radius[i] - radius[k] for i, k in pairs]
    flat = symbols(f"u1:{2 * n + 1}", real=True)
    plain = [f.subs(dict(zip((*p, *q), flat, strict=True))) for f in gaps]
    heights, slopes = lambdify([flat], plain, "numpy"), lambdify([flat], Matrix(plain).jacobian(flat), "numpy")
    weights = np.array([*[0.0] * n, *(-G * m for m in mass)])
    contacts = Contacts(
        np.array(mass * 2), lambda *_: weights, lambda r: np.array(heights(r)), lambda r: np.asarray(slopes(r)), e
    )
    places = [draw.decimal(0.4, wide - 0.4, 3) for _ in range(n)]
    start = [*places, *(round(0.4 + 0.75 * i + draw.decimal(0, 0.05), 3) for i in range(n)), *[0.0] * (2 * n)]
    times = spread(draw.decimal(0.4, 0.9), 6)
    lagrangian = sum(m * (a.diff() ** 2 + b.diff() ** 2) / 2 - m * G * b for m, a, b in zip(mass, p, q, strict=True))
    return stated(
        f"{n} discs in a box, e = {e:g}",
        Statement((*p, *q), lagrangian, rows=tuple(onesided(f, e, f"gap {i + 1}") for i, f in enumerate(gaps))),
        start,
        times,
        lambda: contacts.truth(start, times, 4e-4),
        tolerance=1e-2,
        scales=np.array([*[1.0] * (2 * n), *[5.0] * (2 * n)]),
    )


def far_rest(draw: Draw) -> Case:
    """Rest found rightly however long the run is: a ball with e = p/q watched for up to 1e6 seconds."""
    top, bottom = draw.choice((1, 2), (1, 3), (2, 3), (4, 5))
    e = Rational(top, bottom)
    h, until = draw.decimal(0.5, 2), draw.choice(1e3, 1e4, 1e6)
    at, _, rest = ball(repr(h), 0, repr(G), Real(top) / Real(bottom))
    times = np.array([0.0, 0.3 * float(rest), 0.8 * float(rest), 2 * float(rest), until / 3, until])
    return stated(
        f"a ball with e = {e} for {until:g} s",
        Statement((x, y), (X**2 + Y**2) / 2 - G * y, rows=(onesided(y, e, "floor"),)),
        [0, h, 0, 0],
        times,
        lambda: closed(lambda s: [0, at(s)[0], 0, at(s)[1]], times, growth=100.0),
        tolerance=1e-10,
        scales=np.array([1.0, 1.0, 1.0, 5.0]),
    )


KINDS = (
    dropped,
    two_balls,
    cradle,
    column,
    moving_floor,
    coincident,
    slow_wall,
    billiard,
    pendulum_and_wall,
    box,
    rough_box,
    far_rest,
    heap,
)


def make(seed: int) -> Case:
    """The case of a seed."""
    return pick("impacts", KINDS, seed)
