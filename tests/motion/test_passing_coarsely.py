"""Singular places at coarse tolerances: found, passed on the branch that goes on, or stopped at, as at fine ones."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from sympy import Rational, cos, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, a, b, c = dynamicsymbols("x y a b c")
EVERY = [1e-5, 1e-6, 1e-7, 1e-9, 1e-11, None]


def parallelogram(long=2, inertia=(1, 1, 1.5)) -> da.System:
    """Two cranks and a coupler, all that turns in one line where they lie flat."""
    kinetic = sum(i * q.diff() ** 2 for i, q in zip(inertia, (a, b, c), strict=True)) / 2
    rows = [
        da.Holonomic(cos(a) + long * cos(b) - cos(c) - long, name="reach"),
        da.Holonomic(sin(a) + long * sin(b) - sin(c), name="height"),
    ]
    return da.System.from_lagrangian(kinetic - sin(a) / 2 - sin(b), [a, b, c], constraints=rows)


def cranks(p: float, v: float, until: float, inertia=2.5):
    """The same, as one crank that stays parallel to the other: p″ = −cos p / (2 I), and when it lies flat."""

    def flat(_, at):
        return np.sin(at[0])

    def rate(_, at):
        return [at[1], -np.cos(at[0]) / 2 / inertia]

    found = solve_ivp(rate, (0, until), [p, v], rtol=1e-12, atol=1e-13, max_step=0.02, events=flat)
    return found.y[:, -1], found.t_events[0]


STARTS = [
    (0.3597482399584199, 1.4965371154251004),
    (0.8962159966701555, 1.0854414980249742),
    (1.1562672548360986, -1.068402327497583),
    (0.6238502362816449, 0.7614956656336154),
    (2.8456254234347993, -0.9149407883221183),
]


@pytest.mark.parametrize("tolerance", EVERY)
@pytest.mark.parametrize(("p", "v"), STARTS)
def test_cranks_stay_parallel_over_their_change_points(tolerance, p, v) -> None:
    """What a step is off the constraints by does not lead from one branch to the other, nor is a place stepped over."""
    system, begin = parallelogram(), {a: p, b: 0.0, c: p, a.diff(): v, b.diff(): 0.0, c.diff(): v}
    end, flat = cranks(p, v, 7.0)
    motion = system.simulate(begin, until=7.0, singular="pass", tolerance=tolerance)
    assert_allclose([e.time for e in motion.events], flat, atol=1e4 * (tolerance or 0) + 1e-8)
    assert_allclose(motion.end_values[[0, 1, 2]], [end[0], 0, end[0]], atol=1e4 * (tolerance or 0) + 1e-8)
    stopped = system.simulate(begin, until=7.0, tolerance=tolerance, throw=False)
    assert stopped.status.ending == "singular"
    assert 0 <= flat[0] - stopped.end_time < 0.03
    assert f"t = {flat[0]:.4g}" in f"t = {float(str(stopped.status).split('t = ')[1].split(':')[0]):.4g}"


@pytest.mark.parametrize("tolerance", [1e-5, 1e-6, 1e-7, 1e-9])
def test_a_slider_crank_goes_on_at_any_tolerance(tolerance) -> None:
    """Cranks of one length that stand upright: the orders left out of a short series are never all of it."""
    rows = [da.Holonomic(sin(a) - sin(b), name="height"), da.Holonomic(cos(a) + cos(b) - x, name="reach")]
    kinetic = (a.diff() ** 2 + b.diff() ** 2 / 2 + 2 * x.diff() ** 2) / 2
    system = da.System.from_lagrangian(kinetic - x / 5, [a, b, x], constraints=rows)

    def rate(_, at):  # x = 2 cos a: (3/2 + 8 sin² a) a″ + 8 sin a cos a a′² = 2/5 sin a
        p, v = at
        return [v, (0.4 * np.sin(p) - 8 * np.sin(p) * np.cos(p) * v**2) / (1.5 + 8 * np.sin(p) ** 2)]

    exact = solve_ivp(rate, (0, 4), [0.7, 1.0], rtol=1e-12, atol=1e-13).y[:, -1]
    begin = {a: 0.7, b: 0.7, x: 2 * np.cos(0.7), a.diff(): 1.0, b.diff(): 1.0, x.diff(): -2 * np.sin(0.7)}
    motion = system.simulate(begin, until=4.0, singular="pass", tolerance=tolerance)
    want = [exact[0], exact[0], 2 * np.cos(exact[0])]
    assert_allclose(motion.end_values[:3], want, atol=1e4 * tolerance)


CURVES = {
    "eight": (y**2 - x**2 + x**4, lambda u: (np.sin(u), np.sin(u) * np.cos(u)), -1.0, 4.0),
    "node": (y**2 - x**2 * (x + 1), lambda u: (u**2 - 1, u * (u**2 - 1)), 0.3, 2.5),
    "rose": (
        (x**2 + y**2) ** 2 - x**3 + 3 * x * y**2,
        lambda u: (np.cos(3 * u) * np.cos(u), np.cos(3 * u) * np.sin(u)),
        1.0,
        5.0,
    ),
    "line and circle": ((x**2 + y**2 - 1) * (y - x / 2), lambda u: (np.cos(u), np.sin(u)), -1.0, 6.0),
    "line and parabola": (y * (y - x**2 + 1), lambda u: (u, 0 * u), -1.5, 2.5),
}


@pytest.mark.parametrize("tolerance", EVERY)
@pytest.mark.parametrize("curve", CURVES)
def test_a_free_bead_goes_on_along_its_branch(tolerance, curve) -> None:
    """Without forces the speed stays, so that the length of the way tells the place, on the parametrised branch."""
    level, at, first, until = CURVES[curve]
    step = 1e-5

    def slope(u):
        return (np.array(at(u + step)) - np.array(at(u - step))) / (2 * step)

    begin, way = np.array(at(first), dtype=float), slope(first) / np.linalg.norm(slope(first))
    found = solve_ivp(lambda _, u: 1 / np.linalg.norm(slope(u[0])), (0, until), [first], rtol=1e-11, atol=1e-12)
    kinetic = (x.diff() ** 2 + y.diff() ** 2) / 2
    system = da.System.from_lagrangian(kinetic, [x, y], constraints=[da.Holonomic(level, name="curve")])
    start = dict(zip((x, y, x.diff(), y.diff()), [*begin, *way], strict=True))
    motion = system.simulate(start, until=until, singular="pass", tolerance=tolerance)
    assert [e.kind for e in motion.events].count("passed") >= 1
    assert_allclose(motion.end_values[:2], at(found.y[0, -1]), atol=1e4 * (tolerance or 0) + 1e-7)
    assert_allclose(np.linalg.norm(motion.end_values[2:]), 1.0, atol=1e3 * (tolerance or 0) + 1e-9)


@pytest.mark.parametrize("tolerance", EVERY)
def test_an_end_at_a_tacnode_is_told_where_it_is(tolerance) -> None:
    """A bead at unit speed along y = 0 comes to the parabola that touches the line after 1/2, at any tolerance."""
    row = da.Holonomic(y * (y - x**2), name="tacnode")
    system = da.System.from_lagrangian((x.diff() ** 2 + y.diff() ** 2) / 2, [x, y], constraints=[row])
    motion = system.simulate(
        {x: Rational(-1, 2), y: 0, x.diff(): 1, y.diff(): 0}, until=2.0, tolerance=tolerance, throw=False
    )
    assert motion.status.ending == "singular"
    told = float(str(motion.status).split("t = ")[1].split(":")[0])
    assert_allclose(told, 0.5, atol=1e-5)
    assert 0 <= 0.5 - motion.end_time < 0.03


@pytest.mark.parametrize(("p", "v"), STARTS[:2])
def test_a_certificate_notices_another_branch(p, v, monkeypatch) -> None:
    """A run that does not see change points come near leaves the branch, with all it says of itself in order."""
    system, begin = parallelogram(), {a: p, b: 0.0, c: p, a.diff(): v, b.diff(): 0.0, c.diff(): v}
    right = system.simulate(begin, until=8.0, singular="pass", tolerance=1e-9)
    assert right.verify().passed
    monkeypatch.setattr("dalembert.motion.smooth.run.nearing", lambda *_: None)
    wrong = system.simulate(begin, until=8.0, singular="pass", tolerance=1e-9, throw=False)
    assert "branches" in [check.name for check in wrong.verify().checks if not check.passed]


@pytest.mark.parametrize("tolerance", [1e-6, None])
@pytest.mark.parametrize("gap", [1e-2, 1e-6])
def test_a_certificate_knows_branches_that_do_not_meet(tolerance, gap) -> None:
    """On y² − x² = gap lines come near each other and turn away."""
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2, [x, y], constraints=[da.Holonomic(y**2 - x**2 - gap, name="hyperbola")]
    )
    far = np.sqrt(1 + gap)
    motion = system.simulate({x: -1.0, y: far, x.diff(): far, y.diff(): -1.0}, until=1.6, tolerance=tolerance)
    assert motion.success
    assert motion.end[y] > 0
    assert motion.verify().passed
