"""Functions that switch, wherever they stand: in a Lagrangian, a force, a constraint, the nature of one."""

import numpy as np
import pytest
from scipy.special import beta, ellipe
from sympy import Abs, Heaviside, Max, Min, Piecewise, Rational, cos, expand, sign, sqrt, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from motion.switched import CONTACT, FRICTION, assert_allclose, told
from motion.systems import g, m, t, x, y, z

pytestmark = pytest.mark.compiled
F, k1, k2, f, c = symbols("F k1 k2 f c", positive=True)
G = 9.81


def switches(motion):
    return [event.time for event in told(motion, "switch")]


def tent(times, top, pull=1.0):
    """x and x' of x'' = −F sgn(x) let go at a place: parabolas, a quarter period √(2a/F) each."""
    quarter = np.sqrt(2 * top / pull)
    s = np.remainder(times + quarter, 4 * quarter) - quarter  # from −1 to 3 quarters
    up = s < quarter
    s = np.where(up, s, s - 2 * quarter)
    place, speed = top - pull * s**2 / 2, -pull * s
    return np.where(up, place, -place), np.where(up, speed, -speed)


# -- in a Lagrangian and in forces ----------------------------------------------------------------------------

TENTS = {
    "Abs in L": (-F * Abs(x), 0),
    "sign in force": (0, -F * sign(x)),
    "Max in L": (-F * Max(x, -x), 0),
    "Min in L": (F * Min(x, -x), 0),
    "Heaviside in force": (0, F - 2 * F * Heaviside(x)),
    "Piecewise in force": (0, Piecewise((-F, x > 0), (F, True))),
    "root of a square in L": (-F * sqrt(x**2), 0),
    "root of a square in force": (0, -F * x / sqrt(x**2)),
}


@pytest.mark.parametrize("name", TENTS)
def test_a_force_towards_a_place_swings_for_ever(name):
    """x'' = −F sgn(x): nothing sticks, the amplitude stays, the period is 4 √(2a/F)."""
    L, force = TENTS[name]
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 + L, [x], forces={x: force}, parameters={F: 1.7})
    quarter = np.sqrt(2 * 0.6 / 1.7)
    motion = system.simulate({x: 0.6}, until=80 * quarter, samples=1001)
    assert_allclose(motion.y, tent(motion.t, 0.6, 1.7), atol=1e-11)
    assert_allclose(switches(motion), quarter * (1 + 2 * np.arange(40)), rtol=1e-12)
    assert {event.kind for event in motion.events} == {"switch"}
    assert_allclose(motion.y[1] ** 2 / 2 + 1.7 * np.abs(motion.y[0]), 1.7 * 0.6, atol=1e-12)
    assert_allclose(motion.balance, motion.balance[0], atol=1e-12)


def test_a_spring_that_is_stiffer_on_one_side():
    """Half a period of either spring by turns, π/√k₁ + π/√k₂."""
    stiff = Piecewise((k1 * x**2 / 2, x < 0), (k2 * x**2 / 2, True))
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 - stiff, [x], parameters={k1: 9.0, k2: 1.3})
    period = np.pi / 3 + np.pi / np.sqrt(1.3)
    motion = system.simulate({x: 0.8}, until=20 * period, samples=401)
    first = np.pi / 2 / np.sqrt(1.3)
    s = np.remainder(motion.t - first, period)
    speed, soft, hard = 0.8 * np.sqrt(1.3), np.sqrt(1.3), 3.0
    left = s < np.pi / hard
    r = s - np.pi / hard
    place = np.where(left, -speed / hard * np.sin(hard * s), speed / soft * np.sin(soft * r))
    rate = np.where(left, -speed * np.cos(hard * s), speed * np.cos(soft * r))
    assert_allclose(motion.y, [place, rate], atol=1e-11)
    crossings = first + np.array([[n * period, n * period + np.pi / hard] for n in range(20)]).ravel()
    assert_allclose(switches(motion), crossings, rtol=1e-12)


def test_a_spring_with_a_gap_and_one_that_saturates():
    """Free between stops, x'' = −k (x − Min(Max(x, −d), d)); and x'' = −Min(Max(x, −1), 1)."""
    clip = Min(Max(x, -1), 1)
    gap = da.System.from_lagrangian(x.diff() ** 2 / 2, [x], forces={x: -k1 * (x - clip)}, parameters={k1: 16.0})
    period = 2 * (2 / 3.0 + np.pi / 4)  # two crossings of the gap at speed 3, two half periods
    motion = gap.simulate({x: 0.0, x.diff(): 3.0}, until=10 * period, samples=101)
    assert_allclose(motion.y[:, ::10], np.tile([[0.0], [3.0]], 11), atol=1e-10)
    assert motion.y[0].max() <= 1 + 3 / 4 + 1e-12
    full = da.System.from_lagrangian(x.diff() ** 2 / 2, [x], forces={x: -clip})
    v = np.sqrt(2 * 1.5)  # at the end of the linear part, from 2.5 at rest
    period = 4 * v + 4 * np.arctan(1 / v)
    motion = full.simulate({x: 2.5}, until=10 * period, samples=101)
    assert_allclose(motion.y[:, ::10], np.tile([[2.5], [0.0]], 11), atol=1e-10)
    assert_allclose(switches(motion)[:2], [v, v + 2 * np.arctan(1 / v)], rtol=1e-12)


def test_a_force_that_begins_at_a_time():
    push = da.System.from_lagrangian(
        x.diff() ** 2 / 2,
        [x],
        forces={x: F * Heaviside(t - 1) - F * Heaviside(t - Rational(5, 2))},
        parameters={F: 2.0},
    )
    motion = push.simulate({x: 0.5}, until=4.0)
    on, off = np.clip(motion.t - 1, 0, None), np.clip(motion.t - 2.5, 0, None)
    assert_allclose(motion.y[0], 0.5 + on**2 - off**2, atol=1e-13)
    assert switches(motion) == pytest.approx([1.0, 2.5], abs=1e-14)
    from_there = push.simulate({x: 0.5}, until=2.0, t0=1.0)  # a start exactly where it begins
    assert_allclose(from_there.y[0], 0.5 + (from_there.t - 1) ** 2, atol=1e-13)
    assert_allclose(motion.dataset.force_work, motion.y[1] ** 2 / 2, atol=1e-12)


def test_a_floor_of_springs():
    """A ball over Max(0, −x): flight 2v/g, then 2 (π − atan(vω/g))/ω in the springs, for ever."""
    stiff, v = 400.0, 3.0
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 - G * x, [x], forces={x: stiff * Max(0, -x)})
    w = np.sqrt(stiff)
    flight, inside = 2 * v / G, 2 * (np.pi - np.arctan(v * w / G)) / w
    motion = system.simulate({x.diff(): v}, until=10 * (flight + inside), samples=201)
    s = np.remainder(motion.t, flight + inside)
    r = s - flight
    free = s < flight
    place = np.where(free, v * s - G * s**2 / 2, -G / stiff * (1 - np.cos(w * r)) - v / w * np.sin(w * r))
    assert_allclose(motion.y[0], place, atol=1e-11)
    exact = [n * (flight + inside) + part for n in range(10) for part in (flight, flight + inside)]
    assert_allclose(switches(motion)[:19], exact[:19], rtol=1e-12)
    low = (G + np.sqrt(G**2 + stiff * v**2)) / stiff
    assert motion.y[0].min() > -low - 1e-12


def test_drag_by_the_magnitude_of_the_speed():
    """x'' = −g − c |x'| x', thrown up: closed forms of rising and of falling."""
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 - G * x, [x], forces={x: -c * Abs(x.diff()) * x.diff()},
                                       parameters={c: 0.2})  # fmt: skip
    motion = system.simulate({x.diff(): 5.0}, until=2.0)
    v_end, rate = np.sqrt(G / 0.2), np.sqrt(G * 0.2)
    top = np.arctan(5.0 / v_end) / rate
    s = motion.t - top
    assert_allclose(motion.y[1], np.where(s < 0, -v_end * np.tan(rate * np.minimum(s, 0)), -v_end * np.tanh(rate * s)),
                    atol=1e-11)  # fmt: skip
    assert_allclose(motion.balance, motion.balance[0], atol=1e-11)


# -- sliding on a surface -------------------------------------------------------------------------------------


def rubbed(load):
    return da.System.from_lagrangian(x.diff() ** 2 / 2, [x], forces={x: load - f * sign(x.diff())}, parameters={f: 0.8})


def test_a_sign_of_the_speed_holds_until_the_load_exceeds_it():
    """A load c·t on a mass that moves: it stops, is held (slide), and leaves at t = f/c."""
    motion = rubbed(c * t).simulate({x.diff(): 1.2}, until=8.0, parameters={c: 0.2})
    stop = (0.8 - np.sqrt(0.8**2 - 2 * 0.2 * 1.2)) / 0.2  # 1.2 − 0.8 t + 0.1 t² = 0
    leave = 0.8 / 0.2
    events = told(motion, "switch", "slide", "leave")
    assert [event.kind for event in events] == ["slide", "leave"]
    assert_allclose([event.time for event in events], [stop, leave], atol=1e-11)
    place = 1.2 * stop - 0.4 * stop**2 + 0.2 * stop**3 / 6
    s = motion.t - leave
    held = (motion.t > stop) & (s < 0)
    exact = np.select(
        [motion.t <= stop, held],
        [1.2 * motion.t - 0.4 * motion.t**2 + 0.2 * motion.t**3 / 6, place],
        place + 0.2 * s**3 / 6,
    )
    assert_allclose(motion.y[0], exact, atol=1e-11)
    assert_allclose(motion.y[1, held], 0.0, atol=1e-15)
    assert_allclose(motion.balance, motion.balance[0], atol=1e-11)


@pytest.mark.parametrize("size", [0.5, 2.0])
def test_a_sign_of_the_speed_under_a_load_that_goes_to_and_fro(size):
    """Below the bound nothing moves; above it, slides begin where size·|cos t| passes the bound."""
    motion = rubbed(size * cos(t)).simulate({}, until=20.0)
    if size < 0.8:
        assert (motion.y == 0.0).all()
        assert not told(motion, "leave", "switch")
        return
    slow = 0.8  # x' = size (sin t − sin t₀) ∓ slow (t − t₀)
    leaves = [event.time for event in told(motion, "leave")]
    assert_allclose(np.abs(np.cos(leaves)), slow / size, atol=1e-11)
    for event in told(motion, "slide"):
        assert abs(size * np.cos(event.time)) <= slow + 1e-11
    assert_allclose(motion.balance, motion.balance[0], atol=1e-10)


def test_a_valley_in_a_plane_is_slid_along():
    """x'' = −sgn(x') − x' with y free: the surface x' = 0 is reached once, y keeps its pace."""
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2, [x, y], forces={x: -sign(x.diff()) - x.diff(), y: -y}
    )
    motion = system.simulate({x.diff(): 2.0, y: 1.0}, until=10.0)
    (event,) = told(motion, "slide")
    assert event.time == pytest.approx(np.log(3.0), abs=1e-12)  # x' = 3 exp(−t) − 1
    assert_allclose(motion.y[1], np.cos(motion.t), atol=1e-11)
    after = motion.t > event.time
    assert_allclose(motion.y[0, after], 2 - np.log(3.0), atol=1e-12)
    assert_allclose(motion.y[2, after], 0.0, atol=1e-15)


# -- starts on a surface --------------------------------------------------------------------------------------

ON = {
    "Abs": -F * Abs(x), "Max": -F * Max(x, -x), "Min": F * Min(x, -x), "sign": -F * x * sign(x),
    "Piecewise": Piecewise((-F * x, x > 0), (F * x, True)), "Heaviside": F * x * (1 - 2 * Heaviside(x)),
}  # fmt: skip


@pytest.mark.parametrize("speed", [1.0, -1.0])
@pytest.mark.parametrize("name", ON)
def test_starts_on_a_surface_and_moves_off(name, speed):
    """V = F|x| in six ways: from zero with a speed."""
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 + ON[name], [x], parameters={F: 2.0})
    motion = system.simulate({x: 0.0, x.diff(): speed}, until=3.3)
    s = np.remainder(motion.t, 2.0)  # it comes back after 2 v/F = 1
    half = np.where(s < 1, s, s - 1)
    place = np.where(s < 1, 1.0, -1.0) * speed * (half - half**2)
    assert_allclose(motion.y[0], place, atol=1e-11)
    assert switches(motion) == pytest.approx([1.0, 2.0, 3.0], abs=1e-11)


@pytest.mark.parametrize("name", ON)
def test_at_rest_at_the_bottom_of_a_kink_it_stays(name):
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 + ON[name], [x], parameters={F: 2.0})
    motion = system.simulate({}, until=100.0, samples=11)
    assert (motion.y == 0.0).all()


def test_at_rest_under_a_load_on_the_kink():
    """V = F|x| with a steady load: held below F, pulled off above it."""
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 - F * Abs(x), [x], forces={x: c}, parameters={F: 2.0, c: 1.0})
    assert (system.simulate({}, until=10.0, samples=11).y == 0.0).all()
    off = system.simulate({}, until=1.0, samples=11, parameters={c: 3.0})
    assert_allclose(off.y[0], off.t**2 / 2, atol=1e-13)


def test_starts_at_rest_with_the_sign_of_the_speed():
    """Held below the bound; above it the sign is that of the load, not zero."""
    for load, pull in ((0.5, 0.0), (-0.5, 0.0), (1.0, 0.2), (-1.0, -0.2)):
        motion = rubbed(load).simulate({}, until=2.0, samples=5)
        assert_allclose(motion.y[0], pull * motion.t**2 / 2, atol=1e-13)


# -- in constraints -------------------------------------------------------------------------------------------


def test_a_wire_whose_curvature_jumps():
    """y = k x²/2 with another k on either side: half a swing on each, 2 E(−k²x₀²)/√(gk)."""
    bowl = Piecewise((k1 * x**2 / 2, x < 0), (k2 * x**2 / 2, True))
    system = da.System.from_lagrangian(
        m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y, [x, y],
        constraints=[da.Holonomic(y - bowl, "wire")], parameters={m: 0.3, g: G, k1: 4.0, k2: 0.5},
    )  # fmt: skip
    height = 0.5 * 0.9**2 / 2
    right = 2 * ellipe(-(0.5**2) * 0.9**2) / np.sqrt(G * 0.5)
    left = 2 * ellipe(-(4.0**2) * (2 * height / 4.0)) / np.sqrt(G * 4.0)
    motion = system.simulate({x: 0.9, y: height}, until=5 * (left + right), samples=51)
    crossings = [right / 2 + n * (left + right) + part for n in range(5) for part in (0.0, left)]
    assert_allclose(switches(motion), crossings, rtol=1e-11)
    assert_allclose(motion.y[:, ::10], np.tile([[0.9], [height], [0.0], [0.0]], 6), atol=1e-10)
    assert_allclose(motion.balance, motion.balance[0], atol=1e-12)
    assert np.abs(motion.residual).max() < 1e-12
    speed2 = 2 * G * height
    low = motion.at(crossings[0] + np.array([-1e-6, 1e-6]))  # N = m (g + k v²) at the lowest point
    after = system.simulate(dict(zip((x, y, x.diff(), y.diff()), low[:, 1], strict=True)), until=1e-7, samples=2)
    assert after.dataset.multiplier.values[0, 0] == pytest.approx(0.3 * (G + 4.0 * speed2), rel=1e-4)


def test_a_floor_that_rises_from_a_place_on():
    """A ball without loss over y ≥ Max(0, x − 1): from the level part on the slope, which throws it sideways."""
    system = da.System.from_particles(
        [da.Particle(1, (x, y))], potential=G * y,
        constraints=[da.OneSided(y - Max(0, x - 1), restitution=1, name="floor")],
    )  # fmt: skip
    motion = system.simulate({y: 1.0, x.diff(): 1.0}, until=2.5, samples=251)
    exact, places = over_a_slope(2.5, motion.t)
    events = told(motion, *CONTACT)
    assert_allclose([event.time for event in events], exact, rtol=1e-11)
    assert_allclose(motion.y[:2], places, atol=1e-10)
    assert_allclose(motion.dataset.energy, G + 0.5, rtol=1e-12)


def over_a_slope(until, times):
    """Impacts of that ball, and its places: parabolas, turned at (0, 1) or at (−1, 1)/√2."""
    time, q, v = 0.0, np.array([0.0, 1.0]), np.array([1.0, 0.0])
    impacts, places = [], np.zeros((2, len(times)))
    while time < until:
        flat = (v[1] + np.sqrt(v[1] ** 2 + 2 * G * q[1])) / G
        rise, gap = v[1] - v[0], q[1] - q[0] + 1
        steep = (rise + np.sqrt(rise**2 + 2 * G * gap)) / G
        s, normal = min(
            (
                (s, n)
                for s, n, side in ((flat, np.array([0.0, 1.0]), -1), (steep, np.array([-1.0, 1.0]) / np.sqrt(2), 1))
                if side * (q[0] + v[0] * s - 1) > 0 and s > 1e-9
            ),
            key=lambda pair: pair[0],
        )
        now = (times >= time) & (times <= time + s)
        r = times[now] - time
        places[:, now] = [q[0] + v[0] * r, q[1] + v[1] * r - G * r**2 / 2]
        q, v = q + v * s - [0.0, G * s**2 / 2], v - [0.0, G * s]
        v = v - 2 * (v @ normal) * normal
        time += s
        if time < until:
            impacts.append(time)
    return impacts, places


# -- in the nature of a constraint ----------------------------------------------------------------------------


def block(nature):
    return da.System.from_particles(
        [da.Particle(m, (x, y, z))], potential=m * g * z, constraints=[da.Holonomic(z, "plane", nature=nature)],
        parameters={m: 0.5, g: G},
    )  # fmt: skip


def test_drag_that_changes_from_place_to_place():
    """THEORY 7.5: m v' = −a₀(x) v, so that the speed falls by a₀/m for each metre, whatever the speed."""
    system = block(da.Viscous(Piecewise((Rational(1, 5), x < 1), (Rational(4, 5), x < 2), (0, True))))
    motion = system.simulate({x.diff(): 4.0, y.diff(): 3.0}, until=3.0)
    slow, fast = 0.4, 1.6  # a₀/m
    v1 = 4.0 - slow
    v2 = v1 - fast
    t1 = np.log(4.0 / v1) / slow
    t2 = t1 + np.log(v1 / v2) / fast
    first, second = 4.0 / slow * -np.expm1(-slow * motion.t), 1 + v1 / fast * -np.expm1(-fast * (motion.t - t1))
    exact = np.select([motion.t < t1, motion.t < t2], [first, second], 2 + v2 * (motion.t - t2))
    assert_allclose(switches(motion), [t1, t2], atol=1e-12)
    assert_allclose(motion.y[0], exact, atol=1e-11)
    assert_allclose(motion.y[1], 0.75 * exact, atol=1e-11)  # it goes straight
    data = motion.dataset
    assert_allclose(data.nonideal_work.values[-1], 0.25 * (v2**2 * 25 / 16 - 25), atol=1e-11)


def test_friction_that_changes_from_place_to_place():
    """v² falls by 2μg for each metre: smooth, then rough; it stops on the rough part."""
    system = block(da.Coulomb(Piecewise((Rational(1, 20), x < 1), (Rational(3, 5), True))))
    motion = system.simulate({x.diff(): 3.0}, until=5.0)
    slow, fast = 0.05 * G, 0.6 * G
    v1 = np.sqrt(9.0 - 2 * slow)
    t1 = (3.0 - v1) / slow
    stop, place = t1 + v1 / fast, 1 + v1**2 / (2 * fast)
    assert_allclose(switches(motion), [t1], atol=1e-12)
    (event,) = told(motion, *FRICTION)
    assert event.kind == "stick"
    assert_allclose([event.time, event.state[0]], [stop, place], atol=1e-11)
    s = np.minimum(motion.t, stop) - t1
    exact = np.where(s < 0, 3 * motion.t - slow * motion.t**2 / 2, 1 + v1 * s - fast * s**2 / 2)
    assert_allclose(motion.y[0], exact, atol=1e-11)


def test_a_force_of_work_that_switches():
    """Prescribed C = −a sgn(x) x' along the plane: drag ahead of the origin, push behind it."""
    system = block(da.Prescribed({x: -Rational(1, 2) * sign(x) * x.diff()}))
    motion = system.simulate({x: -1.0, x.diff(): 1.0}, until=3.0)
    cross = np.log(2.0)  # v = 1 + (x + 1) behind, falls by one for each metre ahead
    s = motion.t - cross
    exact = np.where(s < 0, -1 + np.expm1(motion.t), 2 * -np.expm1(-np.maximum(s, 0)))
    assert_allclose(switches(motion), [cross], atol=1e-12)
    assert_allclose(motion.y[0], exact, atol=1e-11)


@pytest.mark.parametrize("place", [1.5130938097711970, 1.8429600390998990, 1.8831303628179827])
def test_sides_written_in_different_ways_do_not_jump(place):
    """x² and x² + (x − a)³ agree at a, with two derivatives, and written out differ there by rounding alone."""
    V = Piecewise((x**2, x < place), (expand(x**2 + (x - place) ** 3), True))
    motion = da.System.from_lagrangian(x.diff() ** 2 / 2 - V, [x]).simulate({x: 0.1, x.diff(): 6.0}, until=3.0)
    assert motion.status.ending == "finished"
    q, v = motion.y
    energy = v**2 / 2 + q**2 + np.maximum(q - place, 0) ** 3
    assert_allclose(energy, np.full_like(energy, 18.01), rtol=1e-13)


@pytest.mark.parametrize("power", [Rational(11, 10), Rational(4, 3), Rational(3, 2), Rational(5, 3)])
@pytest.mark.parametrize("top", [0.83, 2.7])
def test_a_force_that_is_a_power_of_the_place_is_crossed_again_and_again(power, top):
    """x'' = −p |x|^(p−1) sgn(x): periodic, P = 4 A^(1−p/2) B(1/p, 1/2)/(p √2); the force has no series at zero."""
    p = float(power)
    period = 4 * top ** (1 - p / 2) * beta(1 / p, 0.5) / (p * np.sqrt(2))
    motion = da.System.from_lagrangian(x.diff() ** 2 / 2 - Abs(x) ** power, [x]).simulate({x: top}, until=12 * period)
    assert motion.status.ending == "finished"
    assert len(switches(motion)) == 24
    assert_allclose(motion.y[:, -1], [top, 0.0], atol=2e-12 * top)


@pytest.mark.parametrize("count", [4, 8, 24])
def test_many_that_rest_against_signs_of_their_own_are_told_apart_at_once(count):
    """Masses at rest, each with its load less sign(v): those with more than one go, the others are held."""
    places = dynamicsymbols(f"q1:{count + 1}")
    loads = [Rational((37 * i) % 41 - 20, 10) for i in range(count)]
    forces = {q: load - sign(q.diff()) for q, load in zip(places, loads, strict=True)}
    system = da.System.from_lagrangian(sum(q.diff() ** 2 for q in places) / 2, places, forces=forces)
    motion = system.simulate({}, until=1.0)
    net = [np.sign(float(load)) * max(abs(float(load)) - 1, 0) for load in loads]
    assert_allclose(motion.y[:count, -1], np.array(net) / 2, atol=1e-15)
