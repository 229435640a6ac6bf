"""A ball that bounces on a level floor until its bounces have added up; balls on a line that collide two by two."""

from collections.abc import Callable

import numpy as np

from .gbs import Real, TruthError, real


def ball(height, speed, g, e) -> tuple[Callable, list, object]:
    """A ball dropped onto y = 0: its motion (y, y') at any time, the times of its first 40 impacts, the time of rest.

    The k-th flight begins with e^k u and takes 2 e^k u/g; for e = 1 there is no rest (None).
    """
    h, v, g, e = real([height, speed, g, e])
    first = (v + np.sqrt(v * v + 2 * g * h)) / g
    hit = np.sqrt(v * v + 2 * g * h)
    impacts = [first]
    for k in range(1, 40):
        if e == 0:
            break
        impacts.append(impacts[-1] + 2 * e**k * hit / g)
    rest = None if e == 1 else first + 2 * hit / g * e / (1 - e)

    def at(t):
        if t < first:
            return [h + v * t - g * t * t / 2, v - g * t]
        if rest is not None and t >= rest:
            return [Real(0), Real(0)]
        if e == 1:
            k = int((t - first) * g / (2 * hit))
            begin, u = first + k * 2 * hit / g, hit
        else:  # the flights up to the k-th take 2u/g (e + … + e^k)
            left = 1 - (t - first) * g * (1 - e) / (2 * hit * e)
            k = int(np.floor(np.log(left) / np.log(e))) + 1
            begin = first + 2 * hit / g * e * (1 - e ** (k - 1)) / (1 - e)
            u = e**k * hit
        s = t - begin
        return [u * s - g * s * s / 2, u - g * s]

    return at, impacts, rest


def line_of_balls(mass, radius_sum, e, start, speed, times, wall=None, g=0, most=2000):
    """Balls on a line, colliding two by two: states at the times, and the times of impacts.

    Ball i+1 is at least `radius_sum` ahead of ball i. With a wall at zero ball 0 bounces off it; g pulls towards it.
    Raises TruthError where two impacts nearly coincide, or follow each other faster and faster.
    """
    m, x, v, e, g = real(mass), real(start), real(speed), Real(e), Real(g)
    n, t, hits, out = len(m), Real(times[0]), [], []

    def next_impact():
        best, which = np.inf, None
        second = np.inf
        for i in range(n - 1):
            gap, close = x[i + 1] - x[i] - radius_sum, v[i] - v[i + 1]
            if close > 0:
                d = max(gap, Real(0)) / close
                best, which, second = (d, i, best) if d < best else (best, which, min(second, d))
        if wall is not None:
            d = _falls(x[0] - wall, v[0], g)
            if d is not None:
                best, which, second = (d, -1, best) if d < best else (best, which, min(second, d))
        return best, which, second

    for until in real(times):
        while True:
            d, which, second = next_impact()
            if t + d > until:
                break
            if second - d < Real("1e-9"):
                raise TruthError("two impacts at nearly the same time")
            x, v, t = x + v * d - g * d * d / 2, v - g * d, t + d
            hits.append(float(t))
            if len(hits) > most or (len(hits) > 20 and hits[-1] - hits[-20] < 1e-5):
                raise TruthError("impacts follow each other too fast")
            if which == -1:
                x[0], v[0] = wall, -e * v[0]
            else:
                i = which
                push = (1 + e) * (v[i] - v[i + 1]) * m[i] * m[i + 1] / (m[i] + m[i + 1])
                v[i], v[i + 1] = v[i] - push / m[i], v[i + 1] + push / m[i + 1]
        d = until - t
        out.append([*(x + v * d - g * d * d / 2), *(v - g * d)])
    return real(out), hits


def _falls(h, v, g):
    """How long until h + vt − gt²/2 is zero, from above; None where never."""
    if g == 0:
        return h / -v if v < 0 else None
    h = max(h, Real(0))
    if h == 0 and v <= 0:
        raise TruthError("it rests on the floor")
    return (v + np.sqrt(v * v + 2 * g * h)) / g
