"""Motions across switches in closed form: when a rough ring holds its bead, a belt its block, a table its ball.

Times are solved piece by piece, from one switch to the next, in 30 digits; units are SI.
"""

from typing import NamedTuple

import mpmath as mp

G = 9.81


class Rest(NamedTuple):
    """When and at what angle from the x axis a bead comes to rest, and how often it turned before."""

    time: float
    angle: float
    turns: int


def ring(mu: float) -> Rest:
    """A bead let go beside the centre of a rough ring of radius 1, which presses outwards all the way.

    u = θ'² obeys du/dθ + c u = −2G cos θ + c G sin θ with c = 2μ sgn θ', so u = A cos θ + B sin θ + K exp(−cθ); it
    stays where u = 0 and |cos θ| ≤ μ |sin θ|.
    """
    with mp.workdps(30):
        begin, time, way, turns = mp.mpf(0), mp.mpf(0), -1, 0
        while abs(mp.cos(begin)) > mu * abs(mp.sin(begin)):
            c = 2 * mp.mpf(mu) * way
            B = G * (c**2 - 2) / (1 + c**2)
            A = c * (B - G)
            K = -A * mp.cos(begin) - B * mp.sin(begin)

            def square(s, A=A, B=B, K=K, c=c, begin=begin):
                return A * mp.cos(s) + B * mp.sin(s) + K * mp.exp(-c * (s - begin))

            low = begin + way * mp.mpf("0.02")
            while square(low + way * mp.mpf("0.02")) > 0:
                low += way * mp.mpf("0.02")
            end = mp.findroot(square, (low, low + way * mp.mpf("0.02")), solver="anderson", tol=1e-50)
            middle, half = (begin + end) / 2, (end - begin) / 2

            def rate(
                s, middle=middle, half=half, square=square
            ):  # dt/ds of θ = middle − half cos s: no root at the ends
                return abs(half) * mp.sin(s) / mp.sqrt(abs(square(middle - half * mp.cos(s))))

            time += mp.quad(rate, [0, mp.pi / 2, mp.pi], method="gauss-legendre")
            begin, way, turns = end, -way, turns + 1
        return Rest(float(time), float(begin), turns - 1)


class Belt(NamedTuple):
    """A block of 1 kg on a belt, held by a spring: k, the speed of the belt, and both coefficients of friction."""

    k: float = 20.0
    v: float = 0.2
    mu: float = 0.3
    static: float = 0.4

    def slips(self, count: int) -> list[float]:
        """When it slips for the first `count` times, let go with the speed of the belt where the spring is slack.

        It sticks for 2d/v and slips for 2 (π − atan(dω/v))/ω, d = (μₛ − μ) g/k.
        """
        k, v = mp.mpf(self.k), mp.mpf(self.v)
        w, d = mp.sqrt(k), (mp.mpf(self.static) - mp.mpf(self.mu)) * G / k
        first, period = self.static * G / (k * v), 2 * d / v + 2 * (mp.pi - mp.atan(d * w / v)) / w
        return [float(first + n * period) for n in range(count)]


def ball(height: float, e: float) -> float:
    """When a ball let go from a height is at rest: √(2h/g) (1 + e)/(1 − e)."""
    return float(mp.sqrt(2 * mp.mpf(height) / G) * (1 + mp.mpf(e)) / (1 - mp.mpf(e)))
