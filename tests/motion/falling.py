"""Contacts over straight gaps under constant forces: one impact after the other, with sixty digits.

Between impacts gaps are parabolas, so each impact is a root of one; those that touch share their forces and impulses by
complementarity, found by trying every set of independent contacts. Closing speeds below NONE leave nothing.
"""

from itertools import combinations
from typing import NamedTuple

from mpmath import inf, matrix, mp, mpf, sqrt

DIGITS = 60
NONE = mpf("1e-24")  # a closing speed that leaves none
ZERO = mpf("1e-44")  # a gap, a rate, a force that is none


class Told(NamedTuple):
    """A contact that is struck, or that has closed for good: when, which, and its closing speed."""

    time: mpf
    contact: int
    speed: mpf


class Falling:
    """Gaps G q + d ≥ 0 with restitutions e, under forces on masses."""

    def __init__(self, masses, forces, rows, levels, restitutions) -> None:
        mp.dps = DIGITS
        exact = [[mpf(x) if not isinstance(x, tuple) else mpf(x[0]) / x[1] for x in row] for row in rows]
        self.G, self.d = exact, [mpf(x) for x in levels]
        self.m, self.f = [mpf(x) for x in masses], [mpf(x) for x in forces]
        self.e = [mpf(x) if not isinstance(x, tuple) else mpf(x[0]) / x[1] for x in restitutions]
        self.k, self.n = len(rows), len(masses)
        inverse = [[sum(a * b / m for a, b, m in zip(r, s, self.m, strict=True)) for s in self.G] for r in self.G]
        self.W = inverse
        self.fall = [sum(a * f / m for a, f, m in zip(r, self.f, self.m, strict=True)) for r in self.G]

    def gaps(self, q):
        return [sum(a * x for a, x in zip(r, q, strict=True)) + d for r, d in zip(self.G, self.d, strict=False)]

    def rates(self, v):
        return [sum(a * x for a, x in zip(r, v, strict=True)) for r in self.G]

    def shares(self, touching, right):
        """Λ ≥ 0 with W Λ + right ≥ 0, and one of the two zero, over the contacts that touch."""
        for count in range(min(len(touching), self.n) + 1):
            for mine in combinations(touching, count):
                if not count:
                    given = {}
                else:
                    W = matrix([[self.W[i][j] for j in mine] for i in mine])
                    try:
                        found = mp.lu_solve(W, matrix([-right[i] for i in mine]))
                    except ZeroDivisionError:
                        continue
                    given = dict(zip(mine, found, strict=True))
                if any(x < -ZERO for x in given.values()):
                    continue
                left = [right[i] + sum(self.W[i][j] * x for j, x in given.items()) for i in touching]
                if all(x >= -ZERO for x in left):
                    return given
        raise ArithmeticError("no impulses")

    def pushed(self, given):
        """The change of velocities by impulses, or the accelerations by forces."""
        return [sum(self.G[j][i] * x for j, x in given.items()) / self.m[i] for i in range(self.n)]

    def run(self, q, v, until, times=()):
        """States at times, impacts, and when each contact closed for good, in their order."""
        mp.dps = DIGITS
        t, q, v = mpf(0), [mpf(x) for x in q], [mpf(x) for x in v]
        times, until = sorted(map(mpf, times)), mpf(until)
        states, hits, rests = [], [], []
        closed = set()
        while True:
            g, r = self.gaps(q), self.rates(v)
            touching = [j for j in range(self.k) if abs(g[j]) <= ZERO and abs(r[j]) <= ZERO]
            push = self.shares(touching, self.fall)
            a = [f / m + p for f, m, p in zip(self.f, self.m, self.pushed(push), strict=True)]
            b = self.rates(a)
            now = {j for j in touching if abs(b[j]) <= ZERO}
            rests += [Told(t, j, mpf(0)) for j in sorted(now - closed)]
            closed = now
            waits = [inf if j in closed else self.wait(*each) for j, each in enumerate(zip(g, r, b, strict=True))]
            dt = min(waits, default=inf)
            while times and times[0] < t + dt:
                s = times.pop(0) - t
                states.append([float(x + u * s + c * s * s / 2) for x, u, c in zip(q, v, a, strict=True)]
                              + [float(u + c * s) for u, c in zip(v, a, strict=True)])  # fmt: skip
            if t + dt > until or dt == inf:
                return states, hits, rests
            t += dt
            q = [x + u * dt + c * dt * dt / 2 for x, u, c in zip(q, v, a, strict=True)]
            v = [u + c * dt for u, c in zip(v, a, strict=True)]
            v = self.struck(t, self.gaps(q), v, hits)

    def struck(self, t, g, v, hits):
        """The velocities after the impact of all that touch."""
        touching = [j for j in range(self.k) if abs(g[j]) <= ZERO]
        first = True
        while True:
            r = self.rates(v)
            closing = [j for j in touching if r[j] < -ZERO]
            if not closing:
                return v
            if first:
                hits += [Told(t, j, -r[j]) for j in closing]
            first = False
            taking = [j for j in touching if r[j] <= ZERO]
            right = [mpf(0)] * self.k
            for j in taking:
                right[j] = (1 + (self.e[j] if -r[j] > NONE else 0)) * min(r[j], 0)
            v = [u + c for u, c in zip(v, self.pushed(self.shares(taking, right)), strict=True)]

    def wait(self, g, r, b):
        if g <= ZERO:
            return -2 * r / b if b < 0 < r else (mpf(0) if r < 0 else inf)
        under = r * r - 2 * b * g
        if under < 0:
            return inf
        s = sqrt(under)
        times = [x for x in ((2 * g / (-r + s)) if s != r else inf, (2 * g / (-r - s)) if -r != s else inf) if x > 0]
        return min(times, default=inf)


def ends(rests):
    """When contacts closed for good, the last time of each."""
    return {told.contact: float(told.time) for told in rests}
