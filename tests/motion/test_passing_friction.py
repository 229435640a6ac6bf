"""Curves that cross themselves, with friction: at the crossing the gradient of a row turns round, no motion does."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from sympy import Symbol, cos, lambdify, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y = dynamicsymbols("x y")
s = Symbol("s")
EIGHT = (y**2 - x**2 + x**4, (sin(s), sin(s) * cos(s)))
r = 1 + 2 * cos(s)
LIMACON = ((x**2 + y**2 - 2 * x) ** 2 - x**2 - y**2, (r * cos(s), r * sin(s)))
CUBIC = (y**2 - x**2 * (x + 1), (s**2 - 1, s * (s**2 - 1)))
LINES = (y**2 - x**2, (s, s))
LEMNISCATE = ((x**2 + y**2) ** 2 - x**2 + y**2, (cos(s) / (1 + sin(s) ** 2), sin(s) * cos(s) / (1 + sin(s) ** 2)))


def bead(curve, mu, s0, rate, until, g=0.0):
    """A bead on a rough curve, and where it is in the end: by the parametrized curve, with N = |κ v² + g·n|."""
    row, (px, py) = curve
    parts = [lambdify(s, e) for e in (px.diff(s), py.diff(s), px.diff(s, 2), py.diff(s, 2))]

    def slope(_, q):
        dx, dy, ex, ey = (float(f(q[0])) for f in parts)
        n = np.hypot(dx, dy)
        v = n * q[1]
        pressed = abs((dx * ey - dy * ex) / n**3 * v**2 + g * dx / n)
        along = -g * dy / n - mu * pressed * np.sign(v)
        return [q[1], (along - q[1] ** 2 * (dx * ex + dy * ey) / n) / n]

    u, w = solve_ivp(slope, (0, until), [s0, rate], "DOP853", rtol=1e-12, atol=1e-14, max_step=until / 100).y[:, -1]
    place = [float(lambdify(s, e)(u)) for e in (px, py)]
    begin = {c: float(lambdify(s, e)(s0)) for c, e in ((x, px), (y, py))}
    begin |= {c.diff(): float(f(s0)) * rate for c, f in zip((x, y), parts, strict=False)}
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2 - g * y,
        [x, y],
        constraints=[da.Holonomic(row, name="wire", nature=da.Coulomb(mu))],
    )
    return system, begin, [*place, float(parts[0](u)) * w, float(parts[1](u)) * w]


@pytest.mark.parametrize("tolerance", [None, 1e-9])
@pytest.mark.parametrize(
    ("curve", "mu", "s0", "rate", "until", "g"),
    [
        (LIMACON, 0.1, 1.0, 1.0, 2.5, 0.0),
        (LIMACON, 0.1, 1.0, 1.2, 2.0, 0.5),
        (LIMACON, 0.2, 1.0, 1.5, 1.2, 0.0),
        (CUBIC, 0.1, -1.3, 0.7, 1.0, 0.0),
        (LINES, 0.1, -1.0, 1.5, 2.0, 0.3),
    ],
)
def test_friction_is_the_same_beyond_a_crossing(curve, mu, s0, rate, until, g, tolerance) -> None:
    """It opposes the motion all along; neither the sliding nor what presses has turned."""
    system, begin, end = bead(curve, mu, s0, rate, until, g)
    options = {} if tolerance is None else {"tolerance": tolerance}
    motion = system.simulate(begin, until=until, singular="pass", **options)
    assert_allclose(motion.end_values, end, atol=2e-7)
    assert [event.kind for event in motion.events] == ["passed"]
    assert motion.verify().passed


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("tolerance", [None, 1e-9])
@pytest.mark.parametrize(("curve", "s0", "rate"), [(EIGHT, -1.0, 1.5), (LEMNISCATE, 0.5, 1.5)])
def test_friction_that_has_a_kink_at_the_crossing_is_not_carried_over(curve, s0, rate, tolerance, unit) -> None:
    """Where the crossing is a point of inflection what presses is |κ| v², and no smooth motion goes on beyond it."""
    system, begin, _ = bead(curve, 0.3, s0, rate * unit, 3.0 / unit)
    options = {} if tolerance is None else {"tolerance": tolerance}
    motion = system.simulate(begin, until=3.0 / unit, singular="pass", throw=False, **options)
    if tolerance is None:
        assert motion.status.ending == "singular"
        assert "friction and contacts cannot be carried over it" in motion.status.words
    assert motion.status.ending in ("singular", "off the constraints", "broken")  # a drift of 1e-7 may end it before
    assert motion.end_time * unit < 1.5
    assert not motion.events


def test_a_certificate_faults_what_sticks_at_full_speed() -> None:
    """A motion that stands still at once, with an event that says it sticks, is none."""
    from dataclasses import replace

    from dalembert.motion.look import Look
    from dalembert.motion.proofs.events import events

    flat = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2 - y, [x, y], constraints=[da.Holonomic(y, nature=da.Coulomb(0.5))]
    )
    motion = flat.simulate({x.diff(): 1.0}, until=3.0)
    look = Look.of(motion)
    assert events(look).passed
    at = next(k for k, jump in enumerate(look.jumps) if jump.time == motion.events[0].time)
    jump = look.jumps[at]
    hit = jump._replace(before=jump.before + np.array([0.0, 0.0, 0.5, 0.0]))
    wrong = replace(look)
    wrong.__dict__["jumps"] = (*look.jumps[:at], hit, *look.jumps[at + 1 :])
    assert "a velocity jumps" in events(wrong).meaning
