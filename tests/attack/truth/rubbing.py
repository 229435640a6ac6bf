"""Dry friction along lines, from switch to switch: any number of blocks that slip forward, slip backward or stick."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .gbs import Array, Real, real
from .hybrid import Mode, Next


class Blocks(NamedTuple):
    """Blocks of masses m on belts of velocities V, pressed by P: m x'' = load(t, x, v) − friction.

    Friction is μ(|v − V|) P against the sliding, and at most μ_s P while a block sticks to its belt.
    """

    mass: Array
    belt: Array
    press: Array
    load: Callable[[Real, Array, Array], Array]
    kinetic: Callable[[Array], Array]
    static: Array

    def mode(self, signs: tuple[int, ...]) -> Mode:
        """The mode in which block i slips forward (1), slips backward (−1) or sticks (0)."""
        n, s = len(signs), np.array(signs)
        stuck, slips = s == 0, np.flatnonzero(s)
        holds = np.flatnonzero(stuck)
        bound = self.static * self.press

        def rate(t, y):
            x, v = y[:n], y[n:]
            a = (self.load(t, x, v) - s * self.kinetic(abs(v - self.belt)) * self.press) / self.mass
            return np.concatenate([np.where(stuck, self.belt, v), np.where(stuck, Real(0), a)])

        def guards(t, y):
            x, v = y[:n], y[n:]
            load = self.load(t, x, v)
            return np.concatenate([s[slips] * (v - self.belt)[slips], (bound - load)[holds], (bound + load)[holds]])

        def after(i, t, y):
            x, v = y[:n].copy(), y[n:].copy()
            if i < len(slips):
                k = slips[i]
                v[k] = self.belt[k]
                load = self.load(t, x, v)[k]
                new = 0 if abs(load) <= bound[k] else int(np.sign(load))
                kind = "stick" if new == 0 else "reverse" if new == -signs[k] else ""
            else:
                j = i - len(slips)
                k, new, kind = holds[j % len(holds)], 1 if j < len(holds) else -1, "slip"
            return Next(self.mode((*signs[:k], new, *signs[k + 1 :])), np.concatenate([x, v]), kind)

        return Mode(signs, rate, guards, after)

    def begin(self, t, x, v) -> Mode:
        """The mode of a start: what does not slide sticks where it can, else it slips where the load pulls it."""
        x, v, t = real(x), real(v), Real(t)
        load = self.load(t, x, v)
        signs = []
        for k, u in enumerate(v - self.belt):
            if u != 0:
                signs.append(int(np.sign(u)))
            else:
                signs.append(0 if abs(load[k]) <= self.static[k] * self.press[k] else int(np.sign(load[k])))
        return self.mode(tuple(signs))


class Track(NamedTuple):
    """A unit mass on a curve r(s) with friction μ of its own pressure, under a force F(t, r).

    |r'| s'' = F·T − r''·T s'² − μ |N| sign s', N = r''·n s'² − F·n with n to the left of T.
    """

    curve: Callable
    force: Callable
    mu: float
    static: float

    def parts(self, t, y):
        """The length of r', the load along T and N."""
        s, w = y
        r, d, dd = map(real, self.curve(s))
        f = real(self.force(t, r))
        size = np.sqrt(d @ d)
        tangent = d / size
        normal = real([-tangent[1], tangent[0]])
        return size, f @ tangent - (dd @ tangent) * w * w, (dd @ normal) * w * w - f @ normal

    def mode(self, sign: int, side: int) -> Mode:
        """Sliding forward or backward or stuck, with N of one sign; the side does not matter while it sticks."""

        def rate(t, y):
            size, load, press = self.parts(t, y)
            if sign == 0:
                return [Real(0), Real(0)]
            return [y[1], (load - sign * self.mu * side * press) / size]

        def guards(t, y):
            _, load, press = self.parts(t, y)
            if sign == 0:
                return [self.static * abs(press) - load, self.static * abs(press) + load]
            return [sign * y[1], side * press]

        def after(i, t, y):
            if sign == 0:
                new = 1 if i == 0 else -1
                return Next(self.mode(new, self.side(t, y)), real([y[0], 0]), "slip")
            if i == 1:
                return Next(self.mode(sign, -side), y, "normal")
            y = real([y[0], 0])
            _, load, press = self.parts(t, y)
            if abs(load) <= self.static * abs(press):
                return Next(self.mode(0, 0), y, "stick")
            return Next(self.mode(int(np.sign(load)), self.side(t, y)), y, "reverse")

        return Mode((sign, side), rate, guards, after)

    def side(self, t, y) -> int:
        """The sign of N."""
        return 1 if self.parts(t, y)[2] >= 0 else -1

    def begin(self, t, s, w) -> Mode:
        """The mode of a start."""
        y, t = real([s, w]), Real(t)
        if w != 0:
            return self.mode(int(np.sign(w)), self.side(t, y))
        _, load, press = self.parts(t, y)
        if abs(load) <= self.static * abs(press):
            return self.mode(0, 0)
        return self.mode(int(np.sign(load)), self.side(t, y))

    def lift(self, _, y):
        """Place and velocity in the plane."""
        r, d, _ = map(real, self.curve(y[0]))
        return [*r, *(d * y[1])]
