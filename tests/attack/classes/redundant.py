"""Constraints that say the same more than once, or almost: the motion and Qᶜ are unique, λ is of least norm."""

import numpy as np
from sympy import Matrix, cos, lambdify, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

from ..case import Case, Truth, spread
from ..draw import Draw, pick
from ..statement import Statement, holonomic
from ..truth.curve import by_parameter
from ..truth.gbs import Real, real
from ..truth.leastnorm import least_norm
from ..truth.made import moved

x, y, z, theta = dynamicsymbols("x y z theta")
X, Y, Z, W = (q.diff() for q in (x, y, z, theta))
t = dynamicsymbols._t


def hidden(draw: Draw) -> Case:
    """Oscillators and held coordinates behind a change of coordinates; held ones are stated several times over.

    y_i = q_i + p_i(q_1 … q_{i−1}) with polynomials p_i: in y the motion is a set of cosines, and the force that holds
    w = 0 against a load c is Qᶜ_w = c. In q it is (∂w/∂q)ᵀ c.
    """
    n = draw.whole(3, 6)
    held = sorted(draw.rng.choice(n, size=draw.whole(1, n - 1), replace=False).tolist())
    q = dynamicsymbols(f"q1:{n + 1}")
    flat = []
    for i in range(n):
        p = sum(draw.decimal(-0.6, 0.6, 1) * q[j] * q[k] for j in range(i) for k in range(j, i) if draw.coin(0.6))
        flat.append(q[i] + p + (draw.decimal(-0.5, 0.5, 1) * q[i - 1] if i else 0))
    w = [draw.decimal(0.5, 2) for _ in range(n)]
    load = [draw.decimal(-2, 2) for _ in range(n)]
    kinetic = sum(e.diff(t) ** 2 for e in flat) / 2
    potential = sum(load[i] * flat[i] if i in held else w[i] ** 2 * flat[i] ** 2 / 2 for i in range(n))
    mixing = [[int(i == j) for j in held] for i in held]
    for _ in range(draw.whole(1, 4)):
        mixing.append([draw.whole(-2, 2) for _ in held])
        if not any(mixing[-1]):
            mixing[-1][0] = 1
    sizes = [10.0 ** draw.choice(0, 0, 0, -4, -2, 2, 4) for _ in mixing]
    bend = [draw.choice(1, 1, 1 + q[draw.whole(0, n - 1)] ** 2) for _ in mixing]
    order = draw.rng.permutation(len(mixing))
    rows = [sizes[k] * bend[k] * sum(c * flat[i] for c, i in zip(mixing[k], held, strict=True) if c) for k in order]
    plain = symbols(f"p1:{n + 1}", real=True)
    jacobian = Matrix([e.subs(dict(zip(q, plain, strict=True))) for e in rows]).jacobian(plain)
    of_flat = Matrix([e.subs(dict(zip(q, plain, strict=True))) for e in flat]).jacobian(plain)
    place, rates = lambdify(plain, jacobian, "numpy"), lambdify(plain, of_flat, "numpy")
    shape = [lambdify(plain, flat[i].subs(dict(zip(q, plain, strict=True))) - plain[i], "numpy") for i in range(n)]
    begin = [draw.decimal(-1, 1) for _ in range(n)]
    times = spread(draw.decimal(3, 8))

    def at(time):
        """The state, Qᶜ and λ."""
        u = real([0 if i in held else begin[i] * np.cos(Real(repr(w[i])) * time) for i in range(n)])
        du = real([0 if i in held else -begin[i] * w[i] * np.sin(Real(repr(w[i])) * time) for i in range(n)])
        p = real([0] * n)
        for i in range(n):
            p[i] = u[i] - shape[i](*p)
        J = real(rates(*p))
        v = real([0] * n)
        for i in range(n):  # J v = du, J lower triangular with ones
            v[i] = du[i] - J[i, :i] @ v[:i]
        force = J.T @ real([load[i] if i in held else 0 for i in range(n)])
        return [*p, *v], force, least_norm(place(*map(float, p)), force)

    def truth():
        found = [at(v) for v in real(times)]
        columns = {"ideal_force": np.array([f for _, f, _ in found]), "multiplier": np.array([m for *_, m in found])}
        return Truth(np.array([s for s, *_ in found]), 1e-15, growth=1e3, columns=columns)

    first = [float(v) for v in at(Real(0))[0]]
    return Case(
        f"{n} coordinates, {len(held)} held by {len(rows)} rows of sizes {min(sizes):g} to {max(sizes):g}",
        Statement(tuple(q), kinetic - potential, rows=tuple(holonomic(e) for e in rows)),
        dict(zip((*q, *(e.diff() for e in q)), first, strict=True)),
        times,
        truth,
    )


def doubled(draw: Draw) -> Case:
    """A pendulum whose rod is stated two to five times, at sizes from 1e-8 to 1e8 of each other."""
    span = draw.choice(0, 2, 4, 8)
    sizes = [draw.sign() * 10.0 ** draw.whole(-span, span) for _ in range(draw.whole(2, 5))]
    length, g, angle, spin = draw.decimal(0.5, 2), 9.81, draw.decimal(0.2, 2.8), draw.decimal(-3, 3)
    L, G = Real(repr(length)), Real("9.81")
    times = spread(draw.decimal(2, 6))
    total = sum(s * s for s in sizes)

    def rate(_, s):
        return [s[1], -G / L * np.sin(s[0])]

    def lift(_, s):
        p, w = s
        return [L * np.sin(p), -L * np.cos(p), L * w * np.cos(p), L * w * np.sin(p)]

    def pull(_, s):  # along the rod, inwards, per unit mass
        p, w = s
        size = L * w * w + G * np.cos(p)
        return [-size * np.sin(p), size * np.cos(p)]

    def shares(v, s):  # Qᶜ = Σ λ_j c_j (2x, 2y)
        p, w = s
        whole = -(L * w * w + G * np.cos(p)) / (2 * L)
        return [whole * c / total for c in sizes]

    begin = real([repr(angle), repr(spin)])
    first = [float(v) for v in lift(0, begin)]
    return Case(
        f"a rod stated {len(sizes)} times, sizes {min(map(abs, sizes)):g} to {max(map(abs, sizes)):g}",
        Statement(
            (x, y),
            (X**2 + Y**2) / 2 - g * y,
            rows=tuple(holonomic(c * (x**2 + y**2 - length**2)) for c in sizes),
        ),
        dict(zip((x, y, X, Y), first, strict=True)),
        times,
        lambda: moved(rate, begin, times, lift, columns={"ideal_force": pull, "multiplier": shares}),
    )


def near_parallel(draw: Draw) -> Case:
    """Two surfaces that hardly cross, 1e-6 to 1e-1 apart."""
    e, c, g = draw.power(1e-6, 1e-1), draw.decimal(0.3, 1), draw.decimal(0.5, 2)
    size, turned = 10.0 ** draw.choice(0, 0, -3, 3), draw.coin()
    begin = draw.decimal(-1.5, 1.5), draw.decimal(-1, 1)
    return hardly_crossing(draw, e, c, g, size, turned, begin, draw.decimal(2, 6))


def hardly_crossing(draw: Draw, e, c, g, size, turned, begin, until) -> Case:
    """z = 0 and z + ε (y − c x²) = 0: a curve in a plane; the multipliers are as large as 1/ε."""
    E, C, G = Real(repr(e)), Real(repr(c)), Real(repr(g))
    rows = [holonomic(z, "plane"), holonomic(size * (z + draw.state("e", e) * (y - c * x**2)), "curve")]
    if turned:
        rows.reverse()
    rate, lift = by_parameter(
        lambda s: ((s, C * s * s, Real(0)), (Real(1), 2 * C * s, Real(0)), (Real(0), 2 * C, Real(0))),
        lambda *_: (Real(0), -G, -Real(1)),
    )

    def force(v, state):  # Qᶜ = r'' − F
        s, u = state
        du = rate(v, state)[1]
        return [du, 2 * C * (u * u + s * du) + G, Real(1)]

    def share(v, state):
        _, fy, fz = force(v, state)
        both = [fz - fy / E, fy / E / Real(size)]
        return both[::-1] if turned else both

    begin = real([repr(v) for v in begin])
    times = spread(until)
    first = [float(v) for v in lift(0, begin)]
    return Case(
        f"rows {e:g} apart, size {size:g}",
        Statement((x, y, z), (X**2 + Y**2 + Z**2) / 2 - g * y - z, rows=tuple(rows), parameters=draw.parameters),
        dict(zip((x, y, z, X, Y, Z), first, strict=True)),
        times,
        lambda: moved(rate, begin, times, lift, columns={"ideal_force": force, "multiplier": share}),
        tolerance=max(1e-9, 1e-13 / e),
    )


def platform(draw: Draw) -> Case:
    """A plate on three to six equal cranks."""
    n, r, m = draw.whole(3, 6), draw.decimal(0.5, 1), draw.decimal(0.5, 2)
    feet = [(draw.decimal(-2, 2), draw.decimal(-2, 2)) for _ in range(n)]
    feet[0], feet[1], feet[2] = (0.0, 0.0), (2.0, 0.0), (0.5, 1.5)
    g, inertia = draw.choice(0.0, 1.0), [draw.decimal(0.3, 1) for _ in range(n)]
    begin = draw.decimal(0, 6), draw.decimal(2, 5)
    return plate(feet, r, m, g, inertia, begin, draw.decimal(2, 5))


def plate(feet, r, m, g, inertia, begin, until) -> Case:
    """The feet of the cranks not in one line: redundant, and regular through full turns."""
    n = len(feet)
    angles = dynamicsymbols(f"a1:{n + 1}")
    rows = []
    for (c, d), a in zip(feet, angles, strict=True):
        rows.append(holonomic(x + c * cos(theta) - d * sin(theta) - c - r * cos(a)))
        rows.append(holonomic(y + c * sin(theta) + d * cos(theta) - d - r * sin(a)))
    kinetic = (m * (X**2 + Y**2) + W**2 + sum(j * a.diff() ** 2 for j, a in zip(inertia, angles, strict=True))) / 2
    whole = Real(repr(m)) * Real(repr(r)) ** 2 + sum(Real(repr(j)) for j in inertia)
    R = Real(repr(r))

    def rate(_, s):
        return [s[1], -m * g * R * np.cos(s[0]) / whole]

    def lift(_, s):
        a, w = s
        return [
            *[R * np.cos(a), R * np.sin(a), 0, *[a] * n],
            *[-R * w * np.sin(a), R * w * np.cos(a), 0, *[w] * n],
        ]

    begin = real([repr(v) for v in begin])
    coordinates = (x, y, theta, *angles)
    times = spread(until)
    keys = (*coordinates, *(e.diff() for e in coordinates))
    return Case(
        f"a plate on {n} cranks",
        Statement(coordinates, kinetic - m * g * y, rows=tuple(rows)),
        dict(zip(keys, [float(v) for v in lift(0, begin)], strict=True)),
        times,
        lambda: moved(rate, begin, times, lift),
    )


def circle_in_space(draw: Draw) -> Case:
    """A circle as the meeting of a sphere, a plane, a cylinder and a cone: four rows of rank two."""
    h, g = draw.decimal(0.2, 0.8), draw.decimal(0.5, 3)
    H = Real(repr(h))
    R = np.sqrt(1 - H * H)
    k = (1 - h**2) / h**2
    shapes = [x**2 + y**2 + z**2 - 1, z - h, x**2 + y**2 - (1 - h**2), x**2 + y**2 - k * z**2]
    slopes = lambda p: [  # noqa: E731
        [2 * p[0], 2 * p[1], 2 * p[2]], [0, 0, 1], [2 * p[0], 2 * p[1], 0], [2 * p[0], 2 * p[1], -2 * k * p[2]]
    ]  # fmt: skip
    chosen = draw.rng.permutation(4)[: draw.whole(2, 4)].tolist()
    if set(chosen) == {0, 2} and draw.coin():
        chosen.append(1)
    sizes = [10.0 ** draw.choice(0, 0, -3, 3) for _ in chosen]

    def rate(_, s):
        return [s[1], -g / R * np.sin(s[0])]

    def lift(_, s):
        a, w = s
        return [R * np.cos(a), R * np.sin(a), H, -R * w * np.sin(a), R * w * np.cos(a), 0]

    def force(v, s):
        a, w = s
        dw = rate(v, s)[1]
        ax, ay = -R * (dw * np.sin(a) + w * w * np.cos(a)), R * (dw * np.cos(a) - w * w * np.sin(a))
        return [ax - g, ay, Real(1)]

    def share(v, s):
        place = [float(p) for p in lift(v, s)[:3]]
        rows = [np.array(slopes(place)[i]) * c for i, c in zip(chosen, sizes, strict=True)]
        return least_norm(rows, force(v, s))

    begin = real([repr(draw.decimal(0.3, 3)), repr(draw.decimal(-2, 2))])
    times = spread(draw.decimal(2, 6))
    return Case(
        f"a circle by {len(chosen)} surfaces, sizes {min(sizes):g} to {max(sizes):g}",
        Statement(
            (x, y, z),
            (X**2 + Y**2 + Z**2) / 2 + g * x - z,
            rows=tuple(holonomic(c * shapes[i]) for i, c in zip(chosen, sizes, strict=True)),
        ),
        dict(zip((x, y, z, X, Y, Z), [float(v) for v in lift(0, begin)], strict=True)),
        times,
        lambda: moved(rate, begin, times, lift, columns={"ideal_force": force, "multiplier": share}),
    )


KINDS = (hidden, doubled, near_parallel, platform, circle_in_space)


def make(seed: int) -> Case:
    """The case of a seed."""
    return pick("redundant", KINDS, seed)
