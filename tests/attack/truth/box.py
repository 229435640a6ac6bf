"""A smooth box that falls on a level floor: corner after corner strikes, until it lies.

The state is (y, θ, y', θ') of the centre. Corner i is at y + c_i(θ), c = ±a sin θ ± b cos θ. Impulses act upwards at
the corners that touch: those that are needed so that no corner parts slower than −e times its approach, and none pulls
(complementarity, by trying all sets of at most two). Bounces below SMALL are over: the corner stays.
"""

from itertools import combinations

import numpy as np

from .gbs import Real, TruthError, real
from .hybrid import Mode, Next

SMALL = Real("1e-7")


class Box:
    """Half sides a and b, mass, moment of inertia, restitution, weight."""

    def __init__(self, a, b, mass, inertia, e, g) -> None:
        self.a, self.b, self.m, self.j, self.e, self.g = real([a, b, mass, inertia, e, g])
        self.corners = [(sa, sb) for sa in (1, -1) for sb in (1, -1)]

    def arms(self, theta):
        """c_i and dc_i/dθ and d²c_i/dθ² of all corners."""
        s, c = np.sin(theta), np.cos(theta)
        high = real([p * self.a * s + q * self.b * c for p, q in self.corners])
        arm = real([p * self.a * c - q * self.b * s for p, q in self.corners])
        return high, arm, -high

    def flies(self) -> Mode:
        """No corner touches."""
        return self.mode(())

    def mode(self, closed: tuple[int, ...]) -> Mode:
        """The corners in `closed` stay on the floor; two of them: it lies."""

        def push(s):
            """The force of the one closed corner, and the angular acceleration."""
            (i,) = closed
            _, arm, bend = self.arms(s[1])
            # y'' = F/m − g, θ'' = arm F/J, y'' + arm θ'' + bend θ'² = 0
            force = (self.g - bend[i] * s[3] ** 2) / (1 / self.m + arm[i] ** 2 / self.j)
            return force, arm[i] * force / self.j

        def rate(_, s):
            if len(closed) == 2:
                return [Real(0)] * 4
            if not closed:
                return [s[2], s[3], -self.g, Real(0)]
            force, spin = push(s)
            return [s[2], s[3], force / self.m - self.g, spin]

        def guards(_, s):
            high = s[0] + self.arms(s[1])[0]
            if len(closed) == 2:
                return []
            gaps = [high[i] for i in range(4) if i not in closed]
            return gaps if not closed else [*gaps, push(s)[0]]

        def after(k, t, s):
            open_ = [i for i in range(4) if i not in closed]
            if closed and k == len(open_):
                return Next(self.mode(()), s, "")
            return self.struck(closed, open_[k], s)

        return Mode(closed, rate, guards, after)

    def struck(self, closed, new, s) -> Next:
        """What follows when corner `new` comes down, with the corners `closed` on the floor."""
        touching = (*closed, new)
        high, arm, _ = self.arms(s[1])
        s = real([-high[new], *s[1:]])
        before = s[2] + arm[list(touching)] * s[3]
        target = np.array([-self.e * min(b, Real(0)) for b in before])
        v, w = self.impulse([arm[i] for i in touching], before, target, s[2], s[3])
        state = real([s[0], s[1], v, w])
        after = v + arm[list(touching)] * w
        stay = tuple(sorted(i for i, u in zip(touching, after, strict=True) if abs(u) < SMALL))
        if len(stay) == 2:
            return Next(self.mode(stay), real([-high[new], self.level(s[1]), 0, 0]), "")
        return Next(self.mode(stay), state, "impact" if before[-1] < -100 * SMALL else "")

    def level(self, theta):
        """The nearest angle at which the box lies on a side."""
        quarter = np.arctan(Real(1)) * 2
        return np.round(theta / quarter) * quarter

    def impulse(self, arms, before, target, v, w):
        """The velocities after: impulses Λ ≥ 0, φ̇⁺ ≥ target, Λ (φ̇⁺ − target) = 0."""
        n = len(arms)
        G = real([[1 / self.m + p * q / self.j for q in arms] for p in arms])
        for size in range(n + 1):
            for used in combinations(range(n), size):
                lam = real([0] * n)
                if size == 1:
                    i = used[0]
                    lam[i] = (target[i] - before[i]) / G[i, i]
                elif size == 2:
                    d = G[0, 0] * G[1, 1] - G[0, 1] ** 2
                    r = target - before
                    lam = real([(G[1, 1] * r[0] - G[0, 1] * r[1]) / d, (G[0, 0] * r[1] - G[0, 1] * r[0]) / d])
                after = before + G @ lam
                if (lam >= 0).all() and (after >= target - Real("1e-15") * (1 + abs(before).max())).all():
                    return v + lam.sum() / self.m, w + (lam @ real(arms)) / self.j
        raise TruthError("no impulse obeys the law of impact")
