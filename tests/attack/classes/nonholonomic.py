"""Constraints on velocities: sleigh, knife edge, rolling, Appell, and rows drawn at random.

Truth is a closed form, or the equations in as many velocities as are free (Maggi): q̇ = N(q, t) u + c.
"""

import numpy as np
from sympy import cos, exp, sin
from sympy.physics.mechanics import dynamicsymbols

from ..case import Case, spread, stated
from ..draw import Draw, pick
from ..statement import Row, Statement, nonholonomic
from ..truth.gbs import Real, real
from ..truth.made import closed, moved

x, y, z, phi, theta, psi = dynamicsymbols("x y z phi theta psi")
X, Y, Z, P, Q, S = (q.diff() for q in (x, y, z, phi, theta, psi))
t = dynamicsymbols._t


def knife_edge(draw: Draw) -> Case:
    """A blade on an incline that turns steadily: v' = −g sin φ along it, a cycloid that does not descend."""
    g, w, v0 = draw.decimal(0.5, 5), draw.decimal(0.5, 3) * draw.sign(), draw.decimal(-1, 2)
    m, j = draw.decimal(0.5, 3), draw.decimal(0.2, 2)
    G, W, V = (Real(repr(e)) for e in (g, w, v0))

    def form(time):
        c, s = np.cos(W * time), np.sin(W * time)
        v = V + G / W * (c - 1)  # v' = −g sin φ
        k = V - G / W
        px = k * s / W + G / W * (time / 2 + s * c / (2 * W))
        py = k * (1 - c) / W + G / (2 * W * W) * s * s
        return [px, py, W * time, v * c, v * s, W]

    factor = draw.choice(1, 1, exp(-t), 1000, 1 + x**2)
    row = nonholonomic(factor * (Y * cos(phi) - X * sin(phi)), "blade")
    if factor == 1 and draw.coin():
        row = Row("Differential", {y: cos(phi), x: -sin(phi)}, "blade")
    times = spread(draw.decimal(3, 12))
    return stated(
        f"a knife edge, row times {factor}",
        Statement((x, y, phi), m * (X**2 + Y**2) / 2 + j * P**2 / 2 - m * g * y, rows=(row,)),
        form(Real(0)),
        times,
        lambda: closed(form, times, growth=float(times[-1]) ** 2),
    )


def sleigh(draw: Draw) -> Case:
    """Chaplygin's sleigh, its centre of mass ahead of or behind the blade: u' = a ω², ω' = −m a u ω/(J + m a²)."""
    m, j, a = draw.decimal(0.5, 2), draw.decimal(0.2, 2), draw.decimal(0.1, 1) * draw.sign()
    M, J, A = (Real(repr(e)) for e in (m, j, a))
    a_ = draw.state("a", a)
    kinetic = m * ((X - a_ * sin(phi) * P) ** 2 + (Y + a_ * cos(phi) * P) ** 2) / 2 + j * P**2 / 2

    def rate(_, s):
        _, _, f, u, w = s
        return [u * np.cos(f), u * np.sin(f), w, A * w * w, -M * A * u * w / (J + M * A * A)]

    def lift(_, s):
        px, py, f, u, w = s
        return [px, py, f, u * np.cos(f), u * np.sin(f), w]

    begin = real(["0", "0", *(repr(draw.decimal(-1, 1)) for _ in range(2)), repr(draw.decimal(0.3, 2))])
    times = spread(draw.decimal(3, 10))
    row = nonholonomic(Y * cos(phi) - X * sin(phi), "blade")
    return stated(
        f"a sleigh, centre of mass at {a:g}",
        Statement((x, y, phi), kinetic, rows=(row,), parameters=draw.parameters),
        lift(0, begin),
        times,
        lambda: moved(rate, begin, times, lift),
    )


def rolling_coin(draw: Draw) -> Case:
    """An upright coin that rolls on an incline: it turns steadily, and its spin follows gravity along its plane."""
    m, r, g, w = draw.decimal(0.5, 2), draw.decimal(0.2, 1), draw.decimal(0.5, 5), draw.decimal(0.4, 2) * draw.sign()
    R, G, W = Real(repr(r)), Real(repr(g)), Real(repr(w))
    k = draw.choice(0.5, 0.4)  # of m r²: a disk, a ball
    s0 = Real(repr(draw.decimal(-3, 3)))
    rows = (nonholonomic(X - r * Q * cos(phi), "along"), nonholonomic(Y - r * Q * sin(phi), "across"))
    kinetic = m * (X**2 + Y**2) / 2 + k * m * r**2 * Q**2 / 2 + m * r**2 * P**2 / 8

    def form(v):  # (1 + k) r θ'' = −g sin φ
        c, s = np.cos(W * v), np.sin(W * v)
        b = G / (1 + Real(repr(k))) / W
        u = R * s0 + b * (c - 1)  # the velocity along the plane of the coin
        h = R * s0 - b
        px = h * s / W + b * (v / 2 + s * c / (2 * W))
        py = h * (1 - c) / W + b * s * s / (2 * W)
        return [px, py, W * v, (h * v + b * s / W) / R, u * c, u * s, W, u / R]

    times = spread(draw.decimal(3, 10))
    return stated(
        "a rolling coin",
        Statement((x, y, phi, theta), kinetic - m * g * y, rows=rows),
        form(Real(0)),
        times,
        lambda: closed(form, times, growth=float(times[-1]) ** 2),
    )


def appell(draw: Draw) -> Case:
    """Appell's x'² + y'² = c² z'², nonlinear in velocity: a weight drives, the direction stays.

    Along a fixed direction the speed v = c z' obeys (1 + c²) v' = −c g by the virtual displacements of Chetaev.
    """
    c, g, angle = draw.decimal(0.3, 2), draw.decimal(1, 10), draw.decimal(0, 6)
    C, G, A = (Real(repr(e)) for e in (c, g, angle))
    v0 = Real(repr(draw.decimal(-3, -0.5)))  # z' < 0: it falls faster and faster
    factor = draw.choice(1, 1, 10.0, 0.01)

    def form(v):
        w = v0 - G / (1 + C * C) * v  # z'
        down = v0 * v - G / (1 + C * C) * v * v / 2
        u, far = -C * w, -C * down
        return [far * np.cos(A), far * np.sin(A), down, u * np.cos(A), u * np.sin(A), w]

    times = spread(draw.decimal(1, 5))
    return stated(
        f"Appell's constraint, c = {c:g}",
        Statement(
            (x, y, z),
            (X**2 + Y**2 + Z**2) / 2 - g * z,
            rows=(nonholonomic(factor * (X**2 + Y**2 - draw.state("c", c) ** 2 * Z**2), "cone"),),
            parameters=draw.parameters,
        ),
        form(Real(0)),
        times,
        lambda: closed(form, times, growth=float(times[-1])),
    )


def constant_speed(draw: Draw) -> Case:
    """x'² + y'² = V² under gravity: only the direction turns, χ' = −(g/V) cos χ."""
    v, g = draw.decimal(0.5, 3), draw.decimal(0.5, 5)
    V, G = Real(repr(v)), Real(repr(g))

    def rate(_, s):
        return [V * np.cos(s[2]), V * np.sin(s[2]), -G / V * np.cos(s[2])]

    def lift(_, s):
        return [s[0], s[1], V * np.cos(s[2]), V * np.sin(s[2])]

    begin = real(["0", "0", repr(draw.decimal(-1.4, 1.4))])
    times = spread(draw.decimal(1, 4) * v / g)
    factor = draw.choice(1, 0.01, 100)
    return stated(
        "constant speed",
        Statement(
            (x, y),
            (X**2 + Y**2) / 2 - g * y,
            rows=(nonholonomic(factor * (X**2 + Y**2 - draw.state("V", v) ** 2), "speed"),),
            parameters=draw.parameters,
        ),
        lift(0, begin),
        times,
        lambda: moved(rate, begin, times, lift),
    )


def twisted(draw: Draw) -> Case:
    """ẏ = s(z) ẋ from small to very large z: (1 + s²) x'' = fx + s fy − s s' x'."""
    far = draw.choice(0.5, 2.0, 30.0, 1e4)
    kind = draw.choice("z", "z^2", "sin")
    fx, fy, fz = (draw.decimal(-1, 1) for _ in range(3))
    slope = {"z": z, "z^2": z**2, "sin": sin(z)}[kind]
    if kind == "z^2":
        far = min(far, 30.0)
    FX, FY, FZ = (Real(repr(e)) for e in (fx, fy, fz))

    def bend(h):
        return {"z": (h, Real(1)), "z^2": (h * h, 2 * h), "sin": (np.sin(h), np.cos(h))}[kind]

    def rate(_, state):
        _, _, h, u, dh = state
        s, d = bend(h)
        return [u, s * u, dh, (FX + s * FY - s * d * dh * u) / (1 + s * s), FZ]

    def lift(_, state):
        p, q, h, u, dh = state
        return [p, q, h, u, bend(h)[0] * u, dh]

    through = draw.coin() and kind == "z"  # z comes back through zero
    down = -far / 2 if through else draw.decimal(-1, 1)
    begin = real(["0", "0", repr(far), repr(draw.decimal(0.3, 1)), repr(down)])
    times = spread(draw.decimal(2, 6))
    return stated(
        f"y' = s(z) x', s = {kind}, from z = {far:g}",
        Statement(
            (x, y, z),
            mass=[[1, 0, 0], [0, 1, 0], [0, 0, 1]],
            forces=(fx, fy, fz),
            rows=(nonholonomic(Y - slope * X, "twist"),),
        ),
        lift(0, begin),
        times,
        lambda: moved(rate, begin, times, lift),
    )


def drawn(draw: Draw) -> Case:
    """Rows q̇_dep = B(q) q̇_free + c(t) with random entries, mixed, springs on all: Maggi's equations."""
    n = draw.whole(3, 6)
    m = draw.whole(1, min(3, n - 2))
    f = n - m
    q = dynamicsymbols(f"q1:{n + 1}")
    dq = [e.diff() for e in q]
    mass = [draw.decimal(0.5, 2) for _ in range(n)]
    k = [draw.decimal(0.2, 2) for _ in range(n)]
    B = [[(draw.decimal(-1, 1), draw.whole(0, n - 1), draw.decimal(-0.5, 0.5)) for _ in range(f)] for _ in range(m)]
    drift = [draw.choice(0.0, draw.decimal(-0.5, 0.5)) for _ in range(m)]
    plain = [
        dq[f + i] - sum((p + r * sin(q[j])) * dq[c] for c, (p, j, r) in enumerate(B[i])) - drift[i] * cos(t)
        for i in range(m)
    ]
    mix = np.round(np.eye(m) + draw.rng.uniform(-0.5, 0.5, (m, m)), 1)
    rows = [nonholonomic(sum(float(mix[i, j]) * plain[j] for j in range(m))) for i in range(m)]
    kinetic = sum(a * v**2 for a, v in zip(mass, dq, strict=True)) / 2
    potential = sum(a * e**2 for a, e in zip(k, q, strict=True)) / 2
    M, K = real([repr(e) for e in mass]), real([repr(e) for e in k])

    def velocities(v, place, u):
        """q̇, and N: q̇ = N u + c."""
        N = np.zeros((n, f), dtype=Real)
        N[:f] = np.eye(f)
        for i in range(m):
            for c, (p, j, r) in enumerate(B[i]):
                N[f + i, c] = Real(repr(p)) + Real(repr(r)) * np.sin(place[j])
        c = real([0] * f + [Real(repr(e)) * np.cos(v) for e in drift])
        return N @ u + c, N

    def rate(v, state):
        place, u = state[:n], state[n:]
        w, N = velocities(v, place, u)
        bias = real([0] * n)  # q̈ = N u' + bias
        for i in range(m):
            for c, (_, j, r) in enumerate(B[i]):
                bias[f + i] += Real(repr(r)) * np.cos(place[j]) * w[j] * u[c]
            bias[f + i] -= Real(repr(drift[i])) * np.sin(v)
        left, right = N.T @ (M[:, None] * N), N.T @ (-K * place - M * bias)
        return [*w, *solve(left, right)]

    def lift(v, state):
        return [*state[:n], *velocities(v, state[:n], state[n:])[0]]

    begin = real([repr(draw.decimal(-1, 1)) for _ in range(n + f)])
    times = spread(draw.decimal(2, 6))
    return stated(
        f"{m} rows drawn at random on {n} velocities",
        Statement(tuple(q), kinetic - potential, rows=tuple(rows)),
        lift(Real(0), begin),
        times,
        lambda: moved(rate, begin, times, lift),
    )


def solve(matrix, right):
    """A small linear system in long double, by elimination with pivots."""
    a, b = matrix.copy(), right.copy()
    n = len(b)
    for i in range(n):
        p = i + int(abs(a[i:, i]).argmax())
        a[[i, p]], b[[i, p]] = a[[p, i]], b[[p, i]]
        for r in range(i + 1, n):
            k = a[r, i] / a[i, i]
            a[r, i:] -= k * a[i, i:]
            b[r] -= k * b[i]
    out = b.copy()
    for i in reversed(range(n)):
        out[i] = (b[i] - a[i, i + 1 :] @ out[i + 1 :]) / a[i, i]
    return out


KINDS = (knife_edge, sleigh, rolling_coin, appell, constant_speed, twisted, drawn)


def make(seed: int) -> Case:
    """The case of a seed."""
    return pick("nonholonomic", KINDS, seed)
