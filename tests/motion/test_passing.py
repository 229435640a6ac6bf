"""Places where a curve crosses itself, passed again and again: however fast, and however long the run."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, a, b = dynamicsymbols("x y a b")


def pace(u):
    return np.sqrt(np.sin(u) ** 2 + np.cos(2 * u) ** 2)


@pytest.mark.parametrize("speed", [0.5, 0.7, 1.0, 1.3, 1.7, 2.2, 5.0])
def test_an_eight_is_run_through_at_a_constant_speed(speed) -> None:
    """(cos u, sin u cos u) has the length of its arc for the time: twice through the crossing in every turn."""
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2, [x, y], constraints=[da.Holonomic(x**4 - x**2 + y**2)]
    )
    turn = quad(pace, 0, 2 * np.pi, epsabs=1e-13, limit=200)[0]
    motion = system.simulate({x: 1.0, y: 0.0, y.diff(): speed}, until=5 * turn / speed, singular="pass")
    crossings = [quad(pace, 0, u, epsabs=1e-13)[0] for u in (np.pi / 2, 3 * np.pi / 2)]
    expected = [(turn * k + c) / speed for k in range(5) for c in crossings]
    assert_allclose([event.time for event in motion.events], expected, rtol=1e-8)
    assert_allclose(motion.at(5 * turn / speed)[:2], [1.0, 0.0], atol=2e-9)
    assert motion.verify().passed


@pytest.mark.parametrize("until", [3.4, 3.5, 4.0, 5.0, 6.0])
def test_a_parallelogram_goes_on_wherever_the_run_ends(until) -> None:
    """Of two equal cranks both swing alike: as one of the mass of both and the rod between them."""
    rows = [x**2 + y**2 - 1, (x - a) ** 2 + (y - b) ** 2 - 4, (a - 2) ** 2 + b**2 - 1]
    system = da.System.from_lagrangian(
        sum(q.diff() ** 2 for q in (x, y, a, b)) / 2 - y, [x, y, a, b], constraints=list(map(da.Holonomic, rows))
    )
    motion = system.simulate({x: 0, y: 1, a: 2, b: 1, x.diff(): -1}, until=until, singular="pass")
    assert_allclose(motion.y[2] - motion.y[0], 2.0, atol=1e-8)
    assert_allclose((motion.y[4:] ** 2).sum(axis=0) / 2 + motion.y[1], 2.0, atol=1e-8)
    assert motion.verify().passed


@pytest.mark.parametrize("masses", [(1.19, 0.68), (1.66, 0.82), (0.7, 1.9), (2.0, 0.5)])
@pytest.mark.parametrize(("angle", "rate"), [(0.5, 1.2), (0.9, 1.05), (1.15, 0.83), (0.41, 1.97)])
def test_a_rhombus_folds_and_opens_again(masses, angle, rate) -> None:
    """Four equal bars moved alike on both sides are one angle; the last of the rows is dependent where they fold."""
    m, far = masses
    p, q, r = dynamicsymbols("p1:3"), dynamicsymbols("q1:3"), dynamicsymbols("r1:3")

    def square(w):
        return sum(e.diff() ** 2 for e in w)

    def bar(one, other):
        return da.Holonomic(sum((e - h) ** 2 for e, h in zip(one, other, strict=True)) - 1)

    system = da.System.from_lagrangian(
        (m * square(p) + far * square(q) + m * square(r)) / 2,
        [*p, *q, *r],
        constraints=[bar(p, (0, 0)), bar(q, p), bar(r, q), bar(r, (0, 0))],
    )

    def alike(u, w):
        sn, cs = np.sin(u), np.cos(u)
        return np.array([cs, sn, 2 * cs, 0, cs, -sn, -sn * w, cs * w, -2 * sn * w, 0, -sn * w, -cs * w])

    def mass(u):
        return 2 * m + 4 * far * np.sin(u) ** 2

    momentum = np.sqrt(mass(angle)) * rate  # of the only motion there is: it keeps its energy
    until = quad(lambda u: np.sqrt(mass(u)), angle, np.pi / 2 + 0.8, epsabs=1e-13)[0] / momentum
    keys = [*system.coordinates, *(c.diff() for c in system.coordinates)]
    start = dict(zip(keys, alike(angle, rate), strict=True))
    motion = system.simulate(start, until=until, singular="pass")
    end = alike(np.pi / 2 + 0.8, momentum / np.sqrt(mass(np.pi / 2 + 0.8)))
    assert_allclose(motion.at(until), end, atol=2e-9)
    assert [event.kind for event in motion.events] == ["passed"]
    assert motion.verify().passed
