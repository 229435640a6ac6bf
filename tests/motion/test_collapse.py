"""Many impacts in no time: columns that collapse into rest, discs that wedge."""

from itertools import pairwise

import numpy as np
import pytest
from mpmath import mpf, workdps
from mpmath import sqrt as mpsqrt
from numpy.testing import assert_allclose
from sympy import sqrt
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

COLUMNS = [
    (0.5, (1.77, 0.98, 0.74, 0.82, 1.85), (0.112, 0.606 - 0.112, 0.171, 0.198, 0.146)),
    (0.3, (1.0, 1.0, 1.0, 1.0), (0.1, 0.2, 0.15, 0.3)),
    (0.6, (2.0, 1.0, 0.5), (0.3, 0.1, 0.2)),
    (0.0, (1.0, 2.0, 3.0, 4.0), (0.4, 0.3, 0.2, 0.1)),
]


@pytest.mark.parametrize(("e", "masses", "gaps"), COLUMNS)
def test_a_column_that_falls_comes_to_rest_on_the_ground(e, masses, gaps) -> None:
    ys = dynamicsymbols(f"y1:{len(masses) + 1}")
    rows = [ys[0], *(b - a - 1 for a, b in pairwise(ys))]
    system = da.System.from_lagrangian(
        sum(m * (y.diff() ** 2 / 2 - 9.81 * y) for m, y in zip(masses, ys, strict=True)),
        list(ys),
        constraints=[da.OneSided(row, restitution=e) for row in rows],
    )
    heights = np.cumsum(gaps) + np.arange(len(gaps))
    motion = system.simulate(dict(zip(ys, heights, strict=True)), until=20.0)
    rest = [*range(len(masses)), *[0] * len(masses)]
    assert_allclose(motion.at(20.0), rest, atol=1e-9)
    weights = 9.81 * np.cumsum(np.array(masses)[::-1])[::-1]  # each bears all that is above it
    found = [float(motion.dataset["multiplier"].values[-1, j]) for j in range(len(masses))]
    assert_allclose(found, weights, rtol=1e-9)


@pytest.mark.parametrize("masses", [(1.31, 1.3, 0.85), (1.0, 1.0, 1.0), (0.7, 1.1, 1.9)])
@pytest.mark.parametrize("begin", [(0.872, 0.592, 0.63), (0.6, 0.47, 0.51), (0.8, 0.45, 0.6)])
def test_a_disc_that_falls_between_two_others_wedges_them_apart(masses, begin) -> None:
    """Nothing bounces; energy is lost in impacts alone, and no disc is in another or in a wall, ever."""
    xs, ys, radii = dynamicsymbols("x1:4"), dynamicsymbols("y1:4"), (0.25, 0.3, 0.34)
    rows = [y - r for y, r in zip(ys, radii, strict=True)]
    rows += [x - r for x, r in zip(xs, radii, strict=True)] + [1.31 - r - x for x, r in zip(xs, radii, strict=True)]
    pairs = [(0, 1), (0, 2), (1, 2)]
    rows += [sqrt((xs[i] - xs[j]) ** 2 + (ys[i] - ys[j]) ** 2) - radii[i] - radii[j] for i, j in pairs]
    kinetic = sum(m * (x.diff() ** 2 + y.diff() ** 2) / 2 for m, x, y in zip(masses, xs, ys, strict=True))
    system = da.System.from_lagrangian(
        kinetic - sum(9.81 * m * y for m, y in zip(masses, ys, strict=True)),
        [*xs, *ys],
        constraints=[da.OneSided(row, restitution=0) for row in rows],
    )
    start = dict(zip([*xs, *ys], [*begin, 0.4, 1.17, 1.93], strict=True))
    motion = system.simulate(start, until=1.0)
    x, y = motion.y[:3].T, motion.y[3:6].T
    r = np.array(radii)
    assert (y - r).min() > -1e-9
    assert (x - r).min() > -1e-9
    assert (1.31 - r - x).min() > -1e-9
    for i, j in pairs:
        apart = np.hypot(x[:, i] - x[:, j], y[:, i] - y[:, j])
        assert (apart - r[i] - r[j]).min() > -1e-9
    energy = (motion.y[6:] ** 2 * np.repeat([masses], 2, axis=0).reshape(6, 1)).sum(axis=0) / 2
    energy += 9.81 * (y * np.array(masses)).sum(axis=1)
    assert (np.diff(energy) < 1e-9).all()


LOOSE = [
    ((1, 2, 3, 1), (0.7, 0.6, 0.5, 0.8), (0.4, 0.3, 0.2, 0.1)),
    ((1, 2, 3), (0.5, 0.5, 0.5), (0.1, 0.25, 0.15)),
    ((1, 1, 1, 1, 1, 1), (0.4,) * 6, (0.1, 0.2, 0.15, 0.3, 0.1, 0.2)),
    ((3, 2, 1), (0.8, 0.7, 0.9), (0.3, 0.3, 0.3)),
]


def column(masses, restitutions):
    ys = dynamicsymbols(f"y1:{len(masses) + 1}")
    rows = [ys[0], *(b - a - 1 for a, b in pairwise(ys))]
    system = da.System.from_lagrangian(
        sum(m * (y.diff() ** 2 / 2 - 9.81 * y) for m, y in zip(masses, ys, strict=True)),
        list(ys),
        constraints=[da.OneSided(row, restitution=e) for row, e in zip(rows, restitutions, strict=True)],
    )
    return system, ys


@pytest.mark.parametrize(("masses", "restitutions", "gaps"), LOOSE)
def test_what_a_column_tells_on_its_way_to_rest_is_proved(masses, restitutions, gaps) -> None:
    """Several come to rest within a millionth of a second, each told when its own bounces end."""
    system, ys = column(masses, restitutions)
    heights = np.cumsum(gaps) + np.arange(len(gaps))
    assert system.simulate(dict(zip(ys, heights, strict=True)), until=5.0).verify()


def end_of_all(masses, restitutions, gaps):
    """When two blocks over each other have come to rest together: one impact after the other, with sixty digits."""
    with workdps(60):
        m1, m2 = map(mpf, masses)
        e1, e2 = (mpf(str(e)) for e in restitutions)
        t, x, y, u, v, g = mpf(0), mpf(str(gaps[0])), mpf(str(gaps[0])) + mpf(str(gaps[1])), mpf(0), mpf(0), mpf("9.81")
        for _ in range(400):
            ground = (u + mpsqrt(u * u + 2 * g * x)) / g
            between = (y - x) / (u - v) if u > v else mpf("inf")
            dt = min(ground, between)
            t, x, y, u, v = t + dt, x + u * dt - g * dt**2 / 2, y + v * dt - g * dt**2 / 2, u - g * dt, v - g * dt
            if ground < between:
                x, u = mpf(0), -e1 * u
            else:
                pulse = (1 + e2) * (u - v) / (1 / m1 + 1 / m2)
                y, u, v = x, u - pulse / m1, v + pulse / m2
        return float(t)


TOGETHER = [
    ((1, 1), (0.3, 0.3), (1.0, 0.4)),
    ((1, 2), (0.5, 0.6), (1.0, 0.4)),
    ((1, 5), (0.2, 0.8), (1.0, 0.4)),
    ((1, 10), (0.5, 0.3), (0.4, 0.3)),  # 0.19 of the gap and 0.78 of the velocity are left a round
]


@pytest.mark.parametrize(("masses", "restitutions", "gaps"), TOGETHER)
def test_blocks_whose_bounces_end_together_rest_when_they_do(masses, restitutions, gaps) -> None:
    system, (low, high) = column(masses, restitutions)
    true = end_of_all(masses, restitutions, gaps)
    start = {low: gaps[0], high: gaps[0] + gaps[1] + 1}
    for until in (true + 1e-4, 2.0):
        motion = system.simulate(start, until=until)
        rests = [event for event in motion.events if event.kind == "rest"]
        assert_allclose([event.time for event in rests], [true, true], rtol=1e-10)
        assert_allclose(motion.at(until), [0, 1, 0, 0], atol=1e-12)
        assert motion.verify()


def test_friction_begins_when_all_bounces_have_ended() -> None:
    """The upper block slides: a belt drags it, μg, from when both are at rest; in no bounce does friction act."""
    low, high, x = dynamicsymbols("low high x")
    system = da.System.from_lagrangian(
        (low.diff() ** 2 + 2 * high.diff() ** 2 + 2 * x.diff() ** 2) / 2 - 9.81 * (low + 2 * high),
        [low, high, x],
        constraints=[
            da.OneSided(low, restitution=0.5),
            da.OneSided(high - low - 1, restitution=0.6, nature=da.Coulomb(0.1, sliding=[x.diff()])),
        ],
    )
    rest = end_of_all((1, 2), (0.5, 0.6), (1.0, 0.4))
    motion = system.simulate({low: 1.0, high: 2.4, x.diff(): 3.0}, until=3.0)
    after = 3.0 - rest
    assert_allclose(motion.end[x], 9.0 - 0.1 * 9.81 * after**2 / 2, rtol=1e-11)
    assert motion.verify()


a, b = dynamicsymbols("a b")
A, B = a.diff(), b.diff()
FACTORED = {  # L, the gaps with their restitution, which of them has a factor, the start, until
    "fall": (A**2 / 4 + 5 * B**2 - 5 * a - 100 * b, [(a, 0.2), (b - a, 0.25)], 0, {a: 0.25, b: 0.5}, 0.35),
    "roof": (5 * A**2 + B**2 / 4 + a / 2 - b, [(b - a, 0.5), (2 - b, 0.75)], 1, {a: 0.5, b: 1.25, A: 2}, 3.0),
    "shaft": (
        A**2 + 1.5 * B**2 + a - b,
        [(a, 0.25), (b - a, 0.25), (2 - b, 0.5)],
        0,
        {a: 0.25, b: 1.75, A: -1, B: 2},
        3.0,
    ),
}


@pytest.mark.parametrize("name", FACTORED)
def test_a_factor_of_a_gap_changes_nothing(name) -> None:
    function, gaps, which, start, until = FACTORED[name]
    found = []
    for k in (1, 1e-8, 1e5, 1e8):
        rows = [da.OneSided(k * g if j == which else g, restitution=e) for j, (g, e) in enumerate(gaps)]
        motion = da.System.from_lagrangian(function, [a, b], constraints=rows).simulate(start, until=until)
        assert motion.verify().passed
        found.append((motion.at(until), [(e.kind, e.name) for e in motion.events]))
    for state, events in found[1:]:
        assert events == found[0][1]
        assert_allclose(state, found[0][0], rtol=1e-9, atol=1e-9)


def on_feet(feet, restitution) -> da.System:
    """A plate of unit mass whose height and tilts are its coordinates, on feet of which three alone would hold it."""
    z, a, b = dynamicsymbols("z a b")
    return da.System.from_lagrangian(
        (z.diff() ** 2 + a.diff() ** 2 / 10 + b.diff() ** 2 / 10) / 2 - 10 * z,
        [z, a, b],
        constraints=[da.OneSided(z + x * a + y * b, restitution=restitution) for x, y in feet],
    )


@pytest.mark.parametrize("e", [0.4, 0.5])
@pytest.mark.parametrize("tilt", [(0.0, 0.0), (0.1, 0.03)])
@pytest.mark.parametrize("more", [(), ((0, 0),)])
def test_a_plate_on_more_feet_than_it_needs_comes_to_rest_on_all_of_them_at_once(e, tilt, more) -> None:
    """While two feet on a diagonal rest the others have no room to bounce in."""
    feet = ((1, 1), (1, -1), (-1, -1), (-1, 1), *more)
    system = on_feet(feet, e)
    motion = system.simulate(dict(zip(system.coordinates, (1.0, *tilt), strict=True)), until=2.0)
    assert_allclose(motion.at(2.0), np.zeros(6), atol=1e-11)
    ends = [(event.name, event.time) for event in motion.events if event.kind in ("rest", "contact")]
    assert len(ends) == len(dict(ends)) == len(feet)
    assert np.ptp([time for _, time in ends]) == 0.0
    if not any(tilt):
        assert_allclose(ends[0][1], np.sqrt(0.2) * (1 + e) / (1 - e), rtol=1e-11)
    assert motion.verify().passed


@pytest.mark.parametrize("restitutions", [(0.2, 0.8), (0.8, 0.2), (0.0, 0.7)])
def test_a_floor_stated_twice_comes_to_rest_by_the_larger_restitution(restitutions) -> None:
    (y,) = dynamicsymbols("y1:2")
    floors = [da.OneSided(y, restitution=e, name=f"floor {e}") for e in restitutions]
    system = da.System.from_lagrangian(y.diff() ** 2 / 2 - 10 * y, [y], constraints=floors)
    motion = system.simulate({y: 1.0}, until=5.0)
    e = max(restitutions)
    ends = [event.time for event in motion.events if event.kind == "rest"]
    assert_allclose(ends, np.sqrt(0.2) * (1 + e) / (1 - e), rtol=1e-11)
    assert motion.verify().passed


@pytest.mark.parametrize("tolerance", [1e-9, 1e-6, None])
def test_a_plate_that_tips_over_an_edge_and_lands_flat_keeps_its_velocities_after_the_impact(tolerance) -> None:
    """All its feet strike at once, where the rows of those that stay lose their rank."""
    feet = ((-0.88, 0.28), (0.71, 0.19), (-0.48, 0.68), (0.02, 0.02), (0.51, -0.7), (1, 0), (-1, 0.9), (-1, -0.8))
    z, a, b = dynamicsymbols("z a b")
    system = da.System.from_lagrangian(
        (z.diff() ** 2 + 0.29 * (a.diff() ** 2 + b.diff() ** 2)) / 2 - 9.81 * z,
        [z, a, b],
        constraints=[da.OneSided(z + x * a + y * b) for x, y in feet],
    )
    motion = system.simulate({z: 1.5, a: 0.17, b: -0.19}, until=1.0, tolerance=tolerance)
    assert_allclose(motion.at(1.0), np.zeros(6), atol=1e-9)
    assert_allclose(float(motion.dataset.impact_work[-1]), -1.5 * 9.81, rtol=1e-9)
    assert motion.verify().passed
