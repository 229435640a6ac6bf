"""The problems as an expert would write them for heyoka: eliminated on paper, constants folded, nothing general.

These are the limit of what a program that derives can reach, and, in long double, the reference. Each function returns
pairs (variable, derivative) as heyoka wants them.
"""

import heyoka as hy

from problems import Problem

ONE = hy.expression(1.0)


def _dot(a, b):
    return hy.sum([x * y for x, y in zip(a, b, strict=True)])


def _tridiagonal(diagonal, beside, right):
    """Thomas's algorithm, unrolled: the symmetric system with `beside[k]` between unknowns k and k + 1."""
    inverse, factors, y = [ONE / diagonal[0]], [], [right[0]]
    for k, e in enumerate(beside):
        factors.append(e * inverse[k])
        inverse.append(ONE / (diagonal[k + 1] - factors[k] * e))
        y.append(right[k + 1] - factors[k] * y[k])
    solution = [y[-1] * inverse[-1]]
    for k in reversed(range(len(beside))):
        solution.insert(0, y[k] * inverse[k] - factors[k] * solution[0])
    return solution


def chain(problem: Problem):
    """Unit masses: rod k pulls its ends by lam_k d_k; S is tridiagonal, S_kk = 2 |d_k|² (1 |d_1|² at the hook)."""
    n, g = problem.size, problem.parameters["g"]
    p = [hy.make_vars(*(f"{a}{k}" for a in "xyz")) for k in range(n)]
    w = [hy.make_vars(*(f"v{a}{k}" for a in "xyz")) for k in range(n)]
    d = [p[0]] + [[a - b for a, b in zip(p[k], p[k - 1], strict=True)] for k in range(1, n)]
    e = [w[0]] + [[a - b for a, b in zip(w[k], w[k - 1], strict=True)] for k in range(1, n)]
    diagonal = [_dot(d[0], d[0])] + [2.0 * _dot(r, r) for r in d[1:]]
    beside = [-_dot(d[k], d[k + 1]) for k in range(n - 1)]
    right = [g * d[0][2] - _dot(e[0], e[0])] + [-_dot(s, s) for s in e[1:]]
    lam = _tridiagonal(diagonal, beside, right)
    pull = [[lam[k] * x for x in d[k]] for k in range(n)]
    force = [[a - b for a, b in zip(pull[k], pull[k + 1], strict=True)] for k in range(n - 1)] + [pull[-1]]
    force = [[x, y, z - g] for x, y, z in force]
    return [(x, v) for row, rate in zip(p, w, strict=True) for x, v in zip(row, rate, strict=True)] + [
        (v, f) for rate, row in zip(w, force, strict=True) for v, f in zip(rate, row, strict=True)
    ]


def pendulum(problem: Problem):
    """Unit masses and lengths; the 2 × 2 mass matrix inverted on paper."""
    g = problem.parameters["g"]
    a, b, u, w = hy.make_vars("a", "b", "u", "w")
    c, s = hy.cos(a - b), hy.sin(a - b)
    first = -s * w**2 - 2.0 * g * hy.sin(a)
    second = s * u**2 - g * hy.sin(b)
    scale = ONE / (2.0 - c**2)
    return [(a, u), (b, w), (u, (first - c * second) * scale), (w, (2.0 * second - c * first) * scale)]


def knife_edge(problem: Problem):
    """The blade pushes across itself with a force known in closed form."""
    s = problem.parameters["s"]
    x, y, h, vx, vy, vh = hy.make_vars("x", "y", "h", "vx", "vy", "vh")
    sine, cosine = hy.sin(h), hy.cos(h)
    push = s * sine + vh * (vx * cosine + vy * sine)
    return [(x, vx), (y, vy), (h, vh), (vx, s - push * sine), (vy, push * cosine), (vh, hy.expression(0.0))]


def four_bar(problem: Problem):
    """Unit masses: three rods in a row, both ends fixed, so that S is tridiagonal again."""
    g, far = problem.parameters["g"], problem.parameters["d"]
    x, y, u, w = hy.make_vars("x", "y", "u", "w")
    vx, vy, vu, vw = hy.make_vars("vx", "vy", "vu", "vw")
    one, two, three = [x, y], [u - x, w - y], [u - far, w]
    turns = [[vx, vy], [vu - vx, vw - vy], [vu, vw]]
    diagonal = [_dot(one, one), 2.0 * _dot(two, two), _dot(three, three)]
    beside = [-_dot(one, two), _dot(two, three)]
    right = [g * y - _dot(turns[0], turns[0]), -_dot(turns[1], turns[1]), g * w - _dot(turns[2], turns[2])]
    k, l, m = _tridiagonal(diagonal, beside, right)  # noqa: E741
    return [
        (x, vx), (y, vy), (u, vu), (w, vw),
        (vx, k * one[0] - l * two[0]), (vy, k * one[1] - l * two[1] - g),
        (vu, l * two[0] + m * three[0]), (vw, l * two[1] + m * three[1] - g),
    ]  # fmt: skip


WRITTEN = {"chain": chain, "pendulum": pendulum, "knife edge": knife_edge, "four-bar": four_bar}


def equations(problem: Problem):
    """The right-hand side of a problem, in its order of coordinates and then velocities."""
    return WRITTEN[problem.kind](problem)
