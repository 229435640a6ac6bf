"""References for motion across switches: events by name, and legs between switches by SciPy, refined at their ends."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import mpmath as mp
import numpy as np
from scipy.integrate import solve_ivp

RTOL, ATOL = 1e-13, 1e-15
FRICTION = ("stick", "slip", "reverse")
CONTACT = ("impact", "rest", "release")

Rates = Callable[[float, np.ndarray], Sequence[float]]
Watched = Callable[[float, np.ndarray], float]


class Leg(NamedTuple):
    """A stretch without switches: its states at the times asked for (n, k), and where, when and by what it ended."""

    time: float
    state: np.ndarray
    by: int | None
    times: np.ndarray
    states: np.ndarray


def assert_allclose(found, exact, rtol=0.0, atol=0.0):
    """NumPy's, but relative only where that is asked for."""
    np.testing.assert_allclose(found, exact, rtol=rtol, atol=atol)


def told(motion, *kinds, name=None):
    """The events of some kinds, and of one constraint where it is named, after the start."""
    return [
        e for e in motion.events if e.time > motion.begin_time and e.kind in kinds and (name is None or e.name == name)
    ]


def advance(rates: Rates, t: float, state, until: float) -> np.ndarray:
    """The state at a time: the end of a step, not an interpolation."""
    if until == t:
        return np.array(state, dtype=float)
    return solve_ivp(rates, (t, until), state, "DOP853", rtol=RTOL, atol=ATOL).y[:, -1]


def leg(
    rates: Rates, t: float, state, until: float, ends: Sequence[Watched] = (), times=(), step: float = np.inf
) -> Leg:
    """Move until the first of `ends` falls through zero, or until a time; states at the times in between.

    SciPy finds the end on an interpolation; Newton's method on whole integrations then refines it.
    """

    def falls(watched: Watched) -> Watched:
        def event(s, q):
            return watched(s, q)

        event.terminal, event.direction = True, -1
        return event

    state = np.array(state, dtype=float)
    events = [falls(watched) for watched in ends]
    found = solve_ivp(rates, (t, until), state, "DOP853", rtol=RTOL, atol=ATOL, events=events, max_step=step)
    by = next((k for k, when in enumerate(found.t_events or ()) if len(when)), None)
    end, last = float(found.t[-1]), found.y[:, -1]
    if by is not None:
        for _ in range(3):
            last = advance(rates, t, state, end)
            value, h = ends[by](end, last), 1e-6 * max(1e-3, end - t)
            slope = (ends[by](end + h, last + h * np.array(rates(end, last))) - value) / h
            end -= value / slope
        last = advance(rates, t, state, end)
    inside = np.array([s for s in times if t <= s <= end])
    return Leg(end, last, by, inside, np.array(list(_visited(rates, t, state, inside))).T)


def _visited(rates: Rates, t: float, state: np.ndarray, times: np.ndarray) -> Iterator[np.ndarray]:
    for s in times:
        state = advance(rates, t, state, s)
        t = s
        yield state


class Turn(NamedTuple):
    """What happens to the bead on a rough ring: kind ("reverse", "stick" or "normal"), time, angle, energy lost."""

    kind: str
    time: float
    angle: float
    lost: float


class RingPiece(NamedTuple):
    """u = θ'² on a rough ring while the senses of θ' and of the normal force stay: du/dθ + c u = −2G cos θ + c G sin θ.

    θ is from the x axis, G = g/R, c = 2μ sgn(θ') sgn(u − G sin θ). Solved by A cos θ + B sin θ + K exp(−cθ).
    """

    G: mp.mpf
    c: mp.mpf
    begin: mp.mpf
    u: mp.mpf

    def square(self, angle):
        """θ'² at an angle, exact: the start of the piece fixes K."""
        B = self.G * (self.c**2 - 2) / (1 + self.c**2)
        A = self.c * (B - self.G)
        K = self.u - A * mp.cos(self.begin) - B * mp.sin(self.begin)
        return A * mp.cos(angle) + B * mp.sin(angle) + K * mp.exp(-self.c * (angle - self.begin))

    def duration(self, end):
        """∫ dθ/θ' to an angle; θ = middle − half cos s takes the roots at the ends away."""
        middle, half = (end + self.begin) / 2, (end - self.begin) / 2
        rate = lambda s: mp.sin(s) / mp.sqrt(abs(self.square(middle - half * mp.cos(s))))  # noqa: E731
        parts = max(1, int(abs(half)))
        return abs(half) * mp.quad(rate, mp.linspace(0, mp.pi, parts + 1), method="gauss-legendre")


@cache
def rough_ring(mu: float, angle: float, rate: float, G: float, most: int = 40) -> tuple[Turn, ...]:
    """The turns of a bead on a rough ring from a place in its plane, piece by piece in closed form (THEORY 7.2).

    The last is "stick" where it ends at rest. Energy is per unit of m R², for G = g/R.
    """
    with mp.workdps(30):
        return tuple(_turns(mp.mpf(mu), mp.mpf(angle), mp.mpf(rate), mp.mpf(G), most))


def _turns(mu, angle, rate, G, most) -> Iterator[Turn]:
    u, way, time = rate**2, mp.sign(rate), mp.mpf(0)
    energy = start = u / 2 + G * mp.sin(angle)
    press = mp.sign(u - G * mp.sin(angle))
    for _ in range(most):
        if u == 0:
            holds = abs(mp.cos(angle)) <= mu * abs(mp.sin(angle))
            if holds or time:
                yield Turn("stick" if holds else "reverse", float(time), float(angle), float(start - energy))
            if holds:
                return
            way = -mp.sign(mp.cos(angle))
            press = -mp.sign(mp.sin(angle)) if mp.sin(angle) else mp.sign(-way * mp.cos(angle))
        piece = RingPiece(G, 2 * mu * way * press, angle, u)
        end, by = _first_end(piece, way)
        time += piece.duration(end)
        angle, u = end, mp.mpf(0) if by == "speed" else piece.square(end)
        energy = u / 2 + G * mp.sin(angle)
        if by == "normal":
            press = -press
            yield Turn("normal", float(time), float(angle), float(start - energy))


def _first_end(piece: RingPiece, way):
    """The first angle ahead at which the speed or the normal force vanishes, and which of them."""
    watched = {"speed": piece.square, "normal": lambda s: piece.square(s) - piece.G * mp.sin(s)}
    width = mp.mpf("0.02")
    nearest = piece.u / (8 * (1 + abs(piece.c)) * (piece.G + piece.u)) if piece.u else mp.inf  # no stop before it
    low = piece.begin + way * min(width / 64, nearest)  # past the start, where one of them may be zero
    signs = {who: mp.sign(f(low)) for who, f in watched.items()}
    for k in range(1, 10_000):
        high = piece.begin + way * width * k
        gone = [who for who, f in watched.items() if mp.sign(f(high)) != signs[who]]
        if gone:
            ends = [(mp.findroot(watched[who], (low, high), solver="anderson", tol=1e-50), who) for who in gone]
            return min(ends, key=lambda pair: abs(pair[0] - piece.begin))
        low = high
    raise AssertionError("the bead turns without end")


@cache
def shaken_table(peak, back, height, rate, gravity, until):
    """Impacts, rests and releases of a ball over a table A sin wt with A w² = peak·g, in 40 digits.

    After an impact at t₀ with relative speed c the gap is cτ − gτ²/2 − A (sin w(t₀+τ) − sin wt₀ − wτ cos wt₀).
    """
    with mp.workdps(40):
        rate, gravity = mp.mpf(rate), mp.mpf(gravity)
        size, period = peak * gravity / rate**2, 2 * mp.pi / rate

        def after(t0, c):
            table = lambda s: size * (mp.sin(rate * s) - mp.sin(rate * t0) - rate * (s - t0) * mp.cos(rate * t0))  # noqa: E731
            return lambda s: c * (s - t0) - gravity * (s - t0) ** 2 / 2 - table(s)

        out, time, step = [], mp.mpf(0), mp.mpf("0.005")
        gap = lambda s: height - gravity * s**2 / 2 - size * mp.sin(rate * s)  # noqa: E731
        while (time := _landing(gap, time, step)) < until:
            speed = -mp.mpf(back) * mp.diff(gap, time)
            out.append(("impact", float(time)))
            gap, step = after(time, speed), min(speed / gravity / 8, mp.mpf("0.005"))
            if speed > mp.mpf(10) ** -18:
                continue
            out.append(("rest", float(time)))
            if peak <= 1:
                break
            turn = mp.asin(1 / mp.mpf(peak)) / rate  # where the table falls away as fast as the ball
            time = turn + period * mp.ceil((time - turn) / period)
            if time > until:
                break
            out.append(("release", float(time)))
            gap, step = after(time, mp.mpf(0)), mp.mpf("0.005")
        return out


def _landing(gap, time, step):
    low = time + step
    while gap(low + step) > 0:
        low += step
    return mp.findroot(gap, (low, low + step), solver="anderson", tol=1e-70)
