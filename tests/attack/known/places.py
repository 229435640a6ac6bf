"""Known faults: singular places that were missed, or passed the wrong way."""

from functools import partial

import numpy as np
from sympy import Symbol, cos, lambdify, sin
from sympy.physics.mechanics import dynamicsymbols

from ..case import Question, stated
from ..classes.singular import SINGULAR, four_bars, lemniscate_at, two_links
from ..statement import Statement, holonomic
from ..truth.curve import by_parameter
from ..truth.gbs import Real, run
from ..truth.made import closed, moved

a, b, x, y = dynamicsymbols("a b x y")
A, B, X, Y = (q.diff() for q in (a, b, x, y))


def slider_crank(masses, begin, spin, until):
    """Equal lengths, sin a = sin b, cos a + cos b = x: it ends where a = b = π/2; x' once jumped there in silence."""
    both, slider = Real(repr(masses[0])) + Real(repr(masses[1])), Real(repr(masses[2]))

    def end():
        """The time at which a = π/2, with (m₁ + m₂ + 4m₃ sin² a) a'² constant."""

        def weight(s):
            return both + 4 * slider * np.sin(s) ** 2

        start = Real(repr(begin))
        whole = np.sqrt(weight(start)) * Real(repr(spin))
        quarter = np.arctan(Real(1)) * 2
        done = run(lambda s, _: [np.sqrt(weight(s)) / whole], [0], [start, quarter])
        return float(done[-1, 0])

    def ask(program):
        system = program.System.from_lagrangian(
            (masses[0] * A**2 + masses[1] * B**2 + masses[2] * X**2) / 2,
            [a, b, x],
            constraints=[program.Holonomic(sin(a) - sin(b)), program.Holonomic(cos(a) + cos(b) - x)],
        )
        motion = system.simulate({a: begin, b: begin, A: spin, B: spin}, until=until, throw=False)
        return str(motion.status.ending), float(motion.end_time)

    def wrong(found):
        ending, time = found
        if ending != "singular":
            return f"{ending}, but the rank drops at t = {end():.9g}"
        return "" if -1e-2 < time - end() < 1e-6 else f"ends at {time:.9g}, the rank drops at t = {end():.9g}"

    return Question(f"slider-crank from {begin:g} at {spin:g}", ask, wrong)


def axes():
    """xy = 0 from x = −1 at 0.3, watched for 1000 s: it stops at the origin, and does not turn by a right angle."""
    times = np.array([0.0, 1.1, 2.2, 3.1, 10.0, 500.0, 1000.0])

    def form(v):
        return [Real("0.3") * v - 1, 0, Real("0.3"), 0] if v < Real(10) / 3 else [np.nan] * 4

    return stated(
        "x y = 0 for 1000 s",
        Statement((x, y), (X**2 + Y**2) / 2, rows=(holonomic(x * y, "axes"),)),
        [-1, 0, 0.3, 0],
        times,
        lambda: closed(form, times, end=10 / 3),
        ends=SINGULAR,
        slack=1e-6,
        early=1e-3,
    )


def lemniscate():
    """Both passages of the crossing with singular="pass", and any time in between can be asked for."""
    times = np.array([0.0, 0.3, 0.7, 1.0, 1.2, 1.4, 1.7, 2.2, 2.8, 3.3, 3.7, 4.1, 4.5])
    s = Symbol("s", real=True)
    p, q = lemniscate_at(s)
    parts = [lambdify(s, e.diff(s, k) if k else e, "numpy") for k in range(3) for e in (p, q)]

    def curve(value):
        x0, y0, x1, y1, x2, y2 = (Real(1) * part(value) for part in parts)
        return (x0, y0), (x1, y1), (x2, y2)

    rate, lift = by_parameter(curve, lambda *_: (Real(0), Real(0)))
    return stated(
        "lemniscate, passed twice",
        Statement((x, y), (X**2 + Y**2) / 2, rows=(holonomic((x**2 + y**2) ** 2 - x**2 + y**2, "curve"),)),
        [1, 0, 0, 1],
        times,
        lambda: moved(rate, [Real(0), Real(1)], times, lift, longest=0.05),
        options={"singular": "pass"},
        tolerance=1e-8,
    )


TABLE = {
    "slider-crank-folds": partial(slider_crank, (1.0, 1.0, 1.0), 0.7, 1.0, 2.0),
    "slider-crank-folds-late": partial(slider_crank, (1.88, 0.56, 1.29), 0.7052694711739442, 0.5935243687248134, 2.0),
    "slider-crank-folds-fast": partial(slider_crank, (1.26, 1.27, 1.63), 0.36271423936345226, 1.7294400786789155, 2.0),
    "slider-crank-folds-early": partial(slider_crank, (1.38, 1.76, 1.59), 0.6015079898594149, 1.1725944640167265, 3.0),
    "axes-for-long": axes,
    "lemniscate-twice": lemniscate,
    "rhombus-folds": partial(four_bars, "stop", 1.3, 0.8, 0.5, (0.6, 1.3), 2.0),
    "rhombus-folds-freely": partial(four_bars, "stop", 0.7, 1.9, 0.0, (1.1, 0.9), 2.5),
    "arm-folds": partial(two_links, "stop", 0.0, 1.2, 0.7, 0.3, (0.5, 1.1), 2.0),
    "arm-folds-freely": partial(two_links, "stop", 0.0, 0.6, 1.8, 0.0, (0.9, 1.7), 2.5),
}
