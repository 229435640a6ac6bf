"""Places where a curve crosses itself, passed again and again: however fast, and however long the run."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad, solve_ivp
from sympy import Matrix, Rational, cos, lambdify, sin, sqrt, symbols
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


PARALLELOGRAM = [
    ({"torque": 0.1}, lambda _, w, __: 0.05),
    ({"torque": -0.1 * a.diff()}, lambda _, w, __: -0.05 * w),
    ({"gravity": 0.3}, lambda angle, _, __: -0.15 * np.sin(angle)),
    ({"torque": 0.2 * sin(3 * dynamicsymbols._t)}, lambda _, __, when: 0.1 * np.sin(3 * when)),
]


@pytest.mark.parametrize(("load", "rate"), PARALLELOGRAM)
def test_a_parallelogram_of_angles_passes_every_fold_and_tells_all_of_them(load, rate) -> None:
    """The cranks turn together, 2 ä = what acts on them; at a = kπ the bars lie on a line, and a row vanishes."""
    c = dynamicsymbols("c")
    system = da.System.from_lagrangian(
        (a.diff() ** 2 + c.diff() ** 2) / 2 + b.diff() ** 2 / 4 + load.get("gravity", 0) * cos(a),
        [a, b, c],
        forces={a: load.get("torque", 0)},
        constraints=[
            da.Holonomic(cos(a) + 2 * cos(b) - 2 - cos(c)),
            da.Holonomic(sin(a) + 2 * sin(b) - sin(c)),
        ],
    )
    begin = {a: 0.5, c: 0.5, b: 0, a.diff(): 2, c.diff(): 2, b.diff(): 0}
    fold = [lambda _, s, k=k: s[0] - k * np.pi for k in range(1, 8)]
    true = solve_ivp(
        lambda when, s: [s[1], rate(s[0], s[1], when)], (0, 10), [0.5, 2], "DOP853", rtol=1e-13, atol=1e-14, events=fold
    )
    folds = [float(e[0]) for e in true.t_events if len(e)]
    motion = system.simulate(begin, until=10.0, singular="pass")
    assert_allclose(motion.end[a], true.y[0, -1], rtol=1e-10)
    assert_allclose([motion.end[c], motion.end[b]], [true.y[0, -1], 0], rtol=1e-10, atol=1e-10)
    told = [e.time for e in motion.events if e.kind == "passed"]
    assert_allclose(told, folds, rtol=1e-7)
    with pytest.raises(da.RunError, match="the rank of the constraints drops"):
        system.simulate(begin, until=10.0)


@pytest.mark.parametrize("until", [1.0, 1.1, 1.105, 1.12, 2.0, 5.0, 10.0])
def test_a_rose_is_left_at_its_middle_or_before_it_whatever_the_end_of_the_run(until) -> None:
    """On r = cos 2s at speed one: the middle is ∫ √(r² + r'²) ds away; up to there all runs finish, then none does."""
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2,
        [x, y],
        constraints=[da.Holonomic((x**2 + y**2) ** 3 - (x**2 - y**2) ** 2)],
    )
    s, r, dr = 0.1, np.cos(0.2), -2 * np.sin(0.2)
    v = np.array([dr * np.cos(s) - r * np.sin(s), dr * np.sin(s) + r * np.cos(s)]) / np.hypot(r, dr)
    begin = {x: r * np.cos(s), y: r * np.sin(s), x.diff(): v[0], y.diff(): v[1]}
    if until < 1.1091058725329521:
        system.simulate(begin, until=until)
        return
    with pytest.raises(da.RunError, match=r"the rank of the constraints drops at t = 1\.109(11|106|1059):"):
        system.simulate(begin, until=until)


def test_a_run_may_end_right_at_the_apex_of_a_cone() -> None:
    """Appell's cone, thrown up its side: all velocities vanish together at v/g, where the run ends too."""
    u = dynamicsymbols("u")
    slope, g, up = 1.22, 1.76, 0.79
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2 + u.diff() ** 2) / 2 - g * u,
        [x, y, u],
        constraints=[da.Nonholonomic(x.diff() ** 2 + y.diff() ** 2 - slope**2 * u.diff() ** 2)],
    )
    slows = g / (1 + slope**2)
    motion = system.simulate({x.diff(): slope * up, u.diff(): up}, until=up / slows, singular="pass")
    assert_allclose([motion.end[u], motion.end[x]], np.array([1, slope]) * up**2 / (2 * slows), rtol=1e-10)
    assert motion.verify()


CURVES = {
    "limaçon": ((x**2 + y**2 - 2 * x) ** 2 - (x**2 + y**2), lambda u: 1 + 2 * cos(u), 0.7, 2.0, 40.0, 12),
    "rose of three": ((x**2 + y**2) ** 2 - x**3 + 3 * x * y**2, lambda u: cos(3 * u), 0.1, 1.0, 15.0, 7),
    "rose of three, from elsewhere": (
        (x**2 + y**2) ** 2 - x**3 + 3 * x * y**2,
        lambda u: cos(3 * u),
        0.3,
        1.0,
        15.0,
        7,
    ),
}


@pytest.mark.parametrize("name", CURVES)
def test_a_curve_that_crosses_itself_is_followed_at_a_constant_speed(name) -> None:
    """r(u), in polar coordinates, with u' = v/√(r² + r'²): through its node every time, on the branch it came on."""
    row, radius, begin, speed, until, times = CURVES[name]
    u = symbols("u")
    place = Matrix([radius(u) * cos(u), radius(u) * sin(u)])
    slope = place.diff(u)
    length = lambdify(u, sqrt(slope.dot(slope)))
    at, along = (np.array(e.subs(u, begin), dtype=float).ravel() for e in (place, slope))
    v = speed * along / np.linalg.norm(along)
    system = da.System.from_lagrangian((x.diff() ** 2 + y.diff() ** 2) / 2, [x, y], constraints=[da.Holonomic(row)])
    start = {x: at[0], y: at[1], x.diff(): v[0], y.diff(): v[1]}
    motion = system.simulate(start, until=until, singular="pass")
    angle = solve_ivp(lambda _, s: [speed / length(s[0])], (0, until), [begin], "DOP853", rtol=1e-13, atol=1e-14).y[
        0, -1
    ]
    assert_allclose([motion.end[x], motion.end[y]], np.array(place.subs(u, angle), dtype=float).ravel(), atol=1e-9)
    assert sum(event.kind == "passed" for event in motion.events) == times
    assert motion.verify()


@pytest.mark.parametrize(("slope", "g", "up"), [(0.92, 6.0, 2.15), (1.22, 1.76, 0.79), (0.5, 9.81, 3.0)])
def test_over_the_apex_of_a_cone_velocities_change_their_sign(slope, g, up) -> None:
    """Appell's cone: with a constant acceleration it comes back down the other side, not down the one it came up."""
    u = dynamicsymbols("u")
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2 + u.diff() ** 2) / 2 - g * u,
        [x, y, u],
        constraints=[da.Nonholonomic(x.diff() ** 2 + y.diff() ** 2 - slope**2 * u.diff() ** 2)],
    )
    slows = g / (1 + slope**2)
    for beyond in (1.05, 1.41, 2.0, 5.0):
        motion = system.simulate({x.diff(): slope * up, u.diff(): up}, until=beyond * up / slows, singular="pass")
        speed = up * (1 - beyond)
        assert_allclose([motion.end[u.diff()], motion.end[x.diff()]], [speed, slope * speed], rtol=1e-9)


@pytest.mark.parametrize("singular", ["stop", "pass"])
@pytest.mark.parametrize("tolerance", [1e-5, 1e-6, 1e-7, 1e-8, 1e-9])
def test_a_coarse_tolerance_steps_past_no_crossing(tolerance, singular) -> None:
    """On y² = x² − x⁴ a motion goes straight through the origin, or ends there; it takes no other branch."""
    row = da.Holonomic(y**2 - x**2 + x**4, name="eight")
    system = da.System.from_lagrangian((x.diff() ** 2 + y.diff() ** 2) / 2, [x, y], constraints=[row])
    begin = {x: -np.sin(1), y: np.sin(1) * np.cos(1), x.diff(): np.cos(1), y.diff(): -np.cos(2)}
    motion = system.simulate(begin, until=3.0, singular=singular, tolerance=tolerance, throw=False)
    straight = [e for e in motion.events if e.kind == "passed"]
    assert motion.status.ending in ("finished", "singular", "off the constraints")
    if motion.success:
        exact = system.simulate(begin, until=3.0, singular="pass")
        assert straight
        assert np.abs(motion.end_values - exact.end_values).max() < 1e4 * tolerance
    else:
        assert abs(motion.end[x]) < 20 * tolerance**0.5
    assert motion.verify().passed


@pytest.mark.parametrize("tolerance", [1e-6, 1e-8])
def test_what_a_coarse_tolerance_can_tell_from_a_crossing_is_none(tolerance) -> None:
    """On y² − x² = 1/100 the lines do not meet: the branch turns at y = 1/10."""
    row = da.Holonomic(y**2 - x**2 - Rational(1, 100), name="hyperbola")
    system = da.System.from_lagrangian((x.diff() ** 2 + y.diff() ** 2) / 2, [x, y], constraints=[row])
    far = np.sqrt(1.01)
    motion = system.simulate({x: -1.0, y: far, x.diff(): far, y.diff(): -1.0}, until=1.3, tolerance=tolerance)
    exact = system.simulate({x: -1.0, y: far, x.diff(): far, y.diff(): -1.0}, until=1.3)
    assert np.abs(motion.end_values - exact.end_values).max() < 1e3 * tolerance


@pytest.mark.parametrize("tolerance", [1e-6, 1e-8])
def test_a_coarse_tolerance_sees_the_change_points_of_a_linkage(tolerance) -> None:
    """A slider-crank of equal lengths, a = b: where both stand upright the slider may stay, or go on."""
    a, b = dynamicsymbols("a b")
    rows = [da.Holonomic(sin(a) - sin(b), name="height"), da.Holonomic(cos(a) + cos(b) - x, name="reach")]
    kinetic = (a.diff() ** 2 + b.diff() ** 2 + x.diff() ** 2) / 2
    linkage = da.System.from_lagrangian(kinetic, [a, b, x], constraints=rows)
    for first in (0.7, 0.3, 1.1):
        start = {a: first, b: first, x: 2 * np.cos(first), a.diff(): 1.0, b.diff(): 1.0, x.diff(): -2 * np.sin(first)}
        motion = linkage.simulate(start, until=3.0, tolerance=tolerance, throw=False)
        assert motion.status.ending == "singular"
        assert abs(motion.end[a] - np.pi / 2) < 20 * tolerance**0.5
