"""Minimal velocities: the classical reduced equations, the principles at any state, and the motions of `simulate`."""

import json
import pickle
import time
from functools import cache
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from sympy import Matrix, Symbol, cos, diag, exp, simplify, sin, symbols, zeros
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert import gallery
from dalembert.derive import instant, minimal
from dalembert.show.notation import columns
from derive.generator import Generated

t = dynamicsymbols._t
x, y, z, theta, phi, alpha, v, omega = dynamicsymbols("x y z theta phi alpha v omega")
m, g, l, R, c, J, a, mu = symbols("m g l R c J a mu", positive=True)  # noqa: E741  (lengths are called l)
VALUES = {m: 1.3, g: 9.81, l: 0.8, R: 0.6, c: 0.7, J: 0.9, a: 0.35, mu: 0.25}
D = {q: q.diff(t) for q in (x, y, z, theta, phi, alpha)}


def lagrangian(L, coordinates, *constraints, **more):
    system = da.System.from_lagrangian(L, list(coordinates), constraints=constraints, **more)
    return system.with_parameters({s: VALUES[s] for s in system.symbols})


def plane(*constraints, turning=J * D[theta] ** 2 / 2, **more):
    return lagrangian(m * (D[x] ** 2 + D[y] ** 2) / 2 + turning, [x, y, theta], *constraints, **more)


blade = da.Nonholonomic(D[y] * cos(theta) - D[x] * sin(theta), "blade")
ALONG = {v: D[x] * cos(theta) + D[y] * sin(theta), omega: D[theta]}


def knife_edge():
    return plane(blade, turning=J * D[theta] ** 2 / 2 - m * g * x / 2)


def sleigh():
    """Chaplygin's: the centre of mass lies a ahead of the blade, J is the inertia about the centre of mass."""
    at = x + a * cos(theta), y + a * sin(theta)
    kinetic = m * sum(p.diff(t) ** 2 for p in at) / 2 + J * D[theta] ** 2 / 2
    return lagrangian(kinetic, [x, y, theta], blade)


def penny():
    return lagrangian(
        m * (D[x] ** 2 + D[y] ** 2) / 2 + J * (D[theta] ** 2 + D[phi] ** 2) / 2 - m * x * g / 3,
        [x, y, theta, phi],
        da.Nonholonomic(D[x] - R * cos(phi) * D[theta], "along"),
        da.Nonholonomic(D[y] - R * sin(phi) * D[theta], "across"),
    )


def trailer():
    """A car and one trailer on blades, at a distance l behind it."""
    kinetic = m * (D[x] ** 2 + D[y] ** 2) / 2 + J * (D[theta] ** 2 + D[alpha] ** 2) / 2 - m * y
    hitch = (D[x] + l * sin(alpha) * D[alpha]) * sin(alpha) - (D[y] - l * cos(alpha) * D[alpha]) * cos(alpha)
    return lagrangian(kinetic, [x, y, theta, alpha], blade, da.Nonholonomic(hitch, "trailer"))


def particle(*constraints, **more):
    return lagrangian(m * (D[x] ** 2 + D[y] ** 2 + D[z] ** 2) / 2 - m * g * z, [x, y, z], *constraints, **more)


def ring(**more):
    row = da.Holonomic(x**2 + y**2 - R**2, "ring", **more)
    return lagrangian(m * (D[x] ** 2 + D[y] ** 2) / 2 - m * g * y, [x, y], row)


cone = D[x] ** 2 + D[y] ** 2 - c**2 * D[z] ** 2
SYSTEMS = {
    "knife edge": knife_edge,
    "sleigh": sleigh,
    "rolling penny": penny,
    "trailer": trailer,
    "rheonomic": lambda: particle(da.Holonomic(x - y * sin(t) - t**2, "moving wall")),
    "acatastatic": lambda: particle(da.Nonholonomic(D[y] - z * D[x] - cos(t) - x, "driven")),
    "appell": lambda: particle(da.Nonholonomic(cone, "cone")),
    "redundant": lambda: particle(
        da.Nonholonomic(D[x] + 2 * D[y], "one"),
        da.Nonholonomic(-3 * D[x] - 6 * D[y], "again"),
        da.Nonholonomic(D[z] - y * D[x], "skate"),
    ),
    "rough ring": lambda: ring(nature=da.Coulomb(mu)),
    "ring, actual normal force": lambda: ring(nature=da.Coulomb(mu, normal="actual")),
    "drag": lambda: da.System.load(gallery.path("nonholonomic-particle")),
    "unconstrained": lambda: particle(),
    "no freedom": lambda: ring().__class__.from_lagrangian(
        (D[x] ** 2 + D[y] ** 2) / 2, [x, y], constraints=[da.Holonomic(x - sin(t)), da.Holonomic(y + x**2)]
    ),
    "massless coordinate": lambda: lagrangian(m * D[x] ** 2 / 2, [x, y], da.Holonomic(y - R * cos(x), "tie")),
}


def unhurried(system, velocities=None):
    """What `system.minimal` gives, however busy the machine is."""
    return da.Minimal.of(minimal(system, velocities, units=60.0))


@cache
def built(name):
    system = SYSTEMS[name]()
    return system, unhurried(system)


@cache
def reduced_sleigh():
    return unhurried(sleigh(), ALONG)


@pytest.mark.parametrize("name", SYSTEMS)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_acceleration_is_that_of_every_principle(name, seed):
    system, form = built(name)
    random = np.random.default_rng(seed)
    keys = [*system.coordinates, *system.velocities]
    state, time_ = dict(zip(keys, random.uniform(0.3, 1.4, len(keys)), strict=True)), float(random.normal())
    now = instant(system, state, time_)
    found = form.acceleration(state, time_)
    for principle in da.principles.values():
        expected = principle(now).acceleration
        assert_allclose(found, expected, atol=1e-8 * (1 + np.abs(expected).max()))


@pytest.mark.parametrize("seed", range(24))
def test_generated_systems(seed):
    """Random Lagrangians with holonomic, Pfaffian and nonlinear rows; random quasi-velocities for half of them."""
    case = Generated(seed)
    free = len(case.q) - len(case.relations)
    own = None
    if seed % 2:
        own = {f"u{i}": sum((1 + (i * j + seed) % 5) * w for j, w in enumerate(case.v)) + t + case.v[i] * 7
               for i in range(free)}  # fmt: skip
    form = minimal(case.system, own, units=0.1)
    now = case.system.instant(case.state, case.time)
    expected = da.principles.explicit(now).acceleration
    assert_allclose(form.acceleration(case.state, case.time), expected, atol=1e-8 * (1 + np.abs(expected).max()))
    assert form.linear == ("nonlinear" not in case.kinds)


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_is_shown_is_what_is_computed(name):
    """V, w, p, VᵀMV and the force, put into numbers, satisfy A V = 0, q̇ = V u + w and give q̈ = V u̇ + p."""
    system, form = built(name)
    if "actual" in name:
        assert any("of the force there is" in note for note in form.notes)
        return
    guess = dict(zip(system.coordinates, (0.4, 0.3, 0.5, 0.7), strict=False)) | dict.fromkeys(system.velocities, 0.8)
    state = system.start(guess, t=0.3).state
    now = instant(system, state, 0.3)
    answer = da.principles.explicit(now)
    named = {da.multiplier(c.name): lam for c, lam in zip(system.constraints, answer.multipliers, strict=True)}

    def numbers(matrix):
        at = {**dict(system.values), **{k: state[k] for k in system.velocities}}
        inner = matrix.xreplace(named).xreplace(at).xreplace({**{k: state[k] for k in system.coordinates}, t: 0.3})
        return np.array(inner.tolist(), dtype=float).reshape(matrix.shape)

    V, p, mass, force = map(numbers, (form.V, form.p, form.mass, form.force))
    assert_allclose(now.A @ V, 0, atol=1e-12)
    u = np.array([state[s] for s in form.velocities])
    if form.linear:
        assert_allclose(V @ u + numbers(form.w)[:, 0], [state[s] for s in system.velocities], atol=1e-9)
    assert_allclose(mass, V.T @ now.M @ V, atol=1e-12)
    du = np.linalg.solve(mass, force[:, 0])
    assert_allclose(V @ du + p[:, 0], answer.acceleration, atol=1e-8)
    if len(u):
        assert_allclose(numbers(form.solved)[:, 0], du, atol=1e-10)


class TestClassicalEquations:
    def test_chaplygin_sleigh(self):
        """v̇ = a ω², ω̇ = −m a v ω/(J + m a²), with no place where the velocities fail."""
        form = reduced_sleigh()
        assert simplify(form.solved - Matrix([a * omega**2, -m * a * v * omega / (J + m * a**2)])) == Matrix([0, 0])
        assert Matrix([[cos(theta), 0], [sin(theta), 0], [0, 1]]) == form.V
        assert form.singular == ()
        assert form.notes == ()

    def test_knife_edge_on_an_incline(self):
        """v̇ = −(g/2) cos θ, ω̇ = 0."""
        assert unhurried(knife_edge(), ALONG).solved == Matrix([-g * cos(theta) / 2, 0])

    def test_rolling_penny(self):
        """Velocities that never fail are chosen: θ̇ and φ̇, with the inertia J + m R² of rolling."""
        form = unhurried(penny())
        assert form.velocities == (D[theta], D[phi])
        assert simplify(form.mass - Matrix([[J + m * R**2, 0], [0, J]])) == Matrix([[0, 0], [0, 0]])
        assert form.singular == ()

    def test_rolling_sphere(self):
        """(J + m R²) ω̇ = moment about the contact, in the angular velocity, whatever angles turn the sphere."""
        spin = (
            D[theta] * cos(alpha) + D[phi] * sin(theta) * sin(alpha),
            D[theta] * sin(alpha) - D[phi] * sin(theta) * cos(alpha),
            D[alpha] + D[phi] * cos(theta),
        )
        system = lagrangian(
            m * (D[x] ** 2 + D[y] ** 2) / 2 + J * sum(w**2 for w in spin) / 2 - m * g * x,
            [x, y, alpha, theta, phi],
            da.Nonholonomic(D[x] - R * spin[1], "along x"),
            da.Nonholonomic(D[y] + R * spin[0], "along y"),
        )
        form = unhurried(system, dict(zip(("p", "q", "r"), spin, strict=True)))
        assert simplify(form.mass - diag(J + m * R**2, J + m * R**2, J)) == zeros(3, 3)
        assert simplify(form.solved - Matrix([0, -m * g * R / (J + m * R**2), 0])) == zeros(3, 1)
        assert form.singular == (sin(theta),)

    def test_disk_on_an_incline(self):
        """Thornton and Marion, (7.79): θ̈ = ⅔ g sin α / R."""
        system = da.System.load(gallery.path("rolling-disk"))
        value = {s.name: s for s in system.symbols}
        expected = 2 * value["g"] * sin(value["alpha"]) / (3 * value["R"])
        assert simplify(unhurried(system).solved[0] - expected) == 0

    def test_new_names_may_be_text_symbols_or_functions(self):
        for key in ("v", Symbol("v"), v):
            assert minimal(sleigh(), {key: ALONG[v], omega: D[theta]}, units=0.1).velocities == (v, omega)

    def test_singular_places(self):
        assert unhurried(knife_edge(), ["x", "theta"]).singular == (cos(theta),)
        assert unhurried(knife_edge(), [D[y], D[theta]]).singular == (sin(theta),)
        form = ring().minimal([D[y]])
        assert form.singular == (x,)
        with pytest.raises(da.StateError, match="do not determine every velocity"):
            form.acceleration({x: 0.0, y: 0.6, D[x]: 1.0, D[y]: 0.0})

    def test_what_never_vanishes_is_not_singular(self):
        assert plane(blade).minimal({v: ALONG[v] * exp(t), omega: D[theta] * exp(2 * t)}).singular == ()

    def test_the_start_decides_between_pivots_as_simple(self):
        for start, chosen in (({x: 0.6}, D[y]), ({y: -0.6}, D[x])):
            system = lagrangian(
                m * (D[x] ** 2 + D[y] ** 2) / 2, [x, y], da.Holonomic(x**2 + y**2 - R**2), initial=start
            )
            assert system.minimal().velocities == (chosen,)


MOVED = {
    "knife edge": ({D[x]: 1.0, D[theta]: 1.7}, ALONG),
    "sleigh": ({D[x]: 1.0, D[theta]: 1.0}, ALONG),
    "rolling penny": ({D[theta]: 2.0, D[x]: 1.2, D[phi]: 0.8}, None),
    "trailer": ({D[x]: 1.0, D[theta]: 0.4}, None),
    "acatastatic": ({D[x]: 0.5, D[y]: 1.0}, None),
    "appell": ({D[x]: -1.0, D[y]: -0.4, D[z]: -(1.16**0.5) / 0.7}, None),
    "redundant": ({D[x]: -1.0, D[y]: 0.5, y: 0.4, D[z]: -0.4}, {"u": D[y] - D[z]}),  # u = (1 + 2y) ẏ, y > 0
}


@pytest.mark.compiled
@pytest.mark.parametrize("name", MOVED)
def test_motions_are_those_of_simulate(name):
    (system, form), (start, own) = built(name), MOVED[name]
    if own is not None:
        form = system.minimal(own)
    motion = system.simulate(start, until=2.0, samples=3)
    state = dict(zip((*system.coordinates, *system.velocities), motion.y[:, 0], strict=True))
    packed = form.pack(state)
    n, r = len(system.coordinates), len(form.velocities)
    assert packed.shape == ((n + r if form.linear else 2 * n),)
    assert_allclose(list(form.unpack(packed).values()), motion.y[:, 0], atol=1e-14)
    run = solve_ivp(form.rates, (0, 2), packed, "DOP853", motion.t, rtol=1e-12, atol=1e-12)
    for moment, column, expected in zip(run.t, run.y.T, motion.y.T, strict=True):
        assert_allclose(list(form.unpack(column, moment).values()), expected, atol=2e-9)


@pytest.mark.compiled
def test_friction_by_the_reduced_equation():
    """A bead that slides on a rough ring without stopping: the multipliers are found at every right side."""
    system = ring(nature=da.Coulomb(mu))
    form = system.minimal({"s": (x * D[y] - y * D[x]) / R})
    start = {x: 0.6, y: 0.0, D[x]: 0.0, D[y]: 6.0}
    motion = system.simulate(start, until=0.8, samples=2)
    run = solve_ivp(form.rates, (0, 0.8), form.pack(start), "DOP853", rtol=1e-12, atol=1e-12)
    assert_allclose(list(form.unpack(run.y[:, -1]).values()), motion.y[:, -1], atol=1e-9)
    assert "multiplier" in form.as_dict()["force"][0]
    other = form.rates(0.0, form.pack(start), {mu: 0.0})
    assert_allclose(other[2], -9.81)  # at (R, 0) without friction gravity acts along the ring


class TestRowsThatAreMany:
    def test_redundant_rows_are_named_and_not_used(self):
        _, form = built("redundant")
        assert form.independent == (0, 2)
        assert any("'again'" in note for note in form.notes)

    def test_contradictory_rows_are_refused(self):
        with pytest.raises(da.ModelError, match="contradict 'second instrument'"):
            da.System.load(gallery.path("contradiction")).minimal()

    def test_rows_that_contradict_each_other_in_velocity_are_refused(self):
        """x − y = 0 and x − y = t ask the same acceleration, and no velocity satisfies both."""
        rows = da.Holonomic(x - y, "a"), da.Holonomic(x - y - t, "b")
        with pytest.raises(da.ModelError, match="no velocity satisfies all rows: the rows before contradict 'b'"):
            lagrangian(m * (D[x] ** 2 + D[y] ** 2) / 2, [x, y], *rows).minimal()

    def test_contacts_count_as_closed(self):
        form = da.System.load(gallery.path("hemisphere")).minimal()
        assert [one.name for one in form.contacts] == ["surface"]
        assert any("while 'surface' is in contact" in note for note in form.notes)

    def test_what_is_too_long_is_not_written_but_computed(self):
        points, rods, before = [], [], (0, 0)
        for i in range(1, 9):
            here = dynamicsymbols(f"x{i} y{i}")
            points.append(da.Particle(1, tuple(here)))
            rods.append(da.Holonomic(sum((p - q) ** 2 for p, q in zip(here, before, strict=True)) - 1, f"rod {i}"))
            before = here
        weight = sum(9.81 * p.position[1] for p in points)
        chain = da.System.from_particles(points, potential=weight, constraints=rods)
        began = time.process_time()
        form = da.Minimal.of(minimal(chain, units=1.0))
        assert time.process_time() - began < 4
        assert form.mass is None
        assert any("not written out" in note for note in form.notes)
        assert "[A; U]" in form.text()
        random = np.random.default_rng(1)
        keys = (*chain.coordinates, *chain.velocities)
        state = dict(zip(keys, random.normal(size=len(keys)), strict=True))
        expected = da.principles.explicit(chain.instant(state)).acceleration
        assert_allclose(form.acceleration(state), expected, atol=1e-8 * np.abs(expected).max())


class TestWrongInput:
    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ("x", "give a list of velocities"),
            (3, "give a list of velocities"),
            (["q"], "q is not a velocity of this system"),
            ([3], "3 is not a velocity"),
            (["x", D[x]], "x' is given twice"),
            (["x"], r"1 given \(x'\), 2 needed"),
            ({"u": D[x] ** 2, "w": D[y]}, "u = .* is not linear in the velocities"),
            ({"u": x, "w": D[y]}, "contains no velocity"),
            ({x: D[x], "w": D[y]}, "'x' is taken already"),
            ({"m": D[x], "w": D[y]}, "'m' is taken already"),
            ({"t": D[x], "w": D[y]}, "'t' is taken already"),
            ({"a b": D[x], "w": D[y]}, "cannot name a velocity"),
            ({"u": "x'", "w": D[y]}, "text belongs in model files"),
            ({"u": R * D[x], "w": D[y]}, "uses R, which is not a parameter"),
            ({"u": D[z], "w": D[y]}, "not a coordinate of the system"),
            ({"u": da.multiplier("blade") * D[x], "w": D[y]}, "refers to the constraint force"),
            ({"u": D[y] * cos(theta) - D[x] * sin(theta), "w": D[theta]}, "u is fixed under the constraint 'blade'"),
            ({"u": D[x] + D[theta], "w": 2 * D[x] + 2 * D[theta]}, "u, w depend on each other"),
            ({"u": D[x] * cos(theta), "w": D[y]}, "u, w depend on each other under the constraint 'blade'"),
        ],
    )
    def test_velocities(self, given, words):
        with pytest.raises(da.ModelError, match=words):
            knife_edge().minimal(given)

    def test_all_faults_at_once(self):
        with pytest.raises(da.ModelError) as caught:
            knife_edge().minimal({"u": D[x] ** 2, "m": D[y], 7: D[x]})
        assert len(caught.value.faults) == 3

    def test_states(self):
        form = reduced_sleigh()
        with pytest.raises(da.StateError, match="off the constraint 'blade'"):
            form.pack({x: 0, y: 0, theta: 0, D[x]: 0, D[y]: 1, D[theta]: 0})
        with pytest.raises(da.StateError, match="5 finite numbers are meant: x, y, theta, v, omega"):
            form.rates(0.0, [1.0, 2.0])
        with pytest.raises(da.StateError, match="5 finite numbers"):
            form.unpack([np.nan] * 5)
        with pytest.raises(da.StateError, match="lacks"):
            form.acceleration({x: 1.0})
        with pytest.raises(da.StateError, match="k is not a parameter"):
            form.rates(0.0, np.zeros(5), {"k": 1.0})

    @pytest.mark.parametrize("unit", [1.0, 1e-6])
    def test_where_the_velocities_say_nothing(self, unit):
        """A knife edge heading along y: x' is fixed by the blade, in any unit of y."""
        places = m * (D[x] ** 2 + D[y] ** 2 * unit**2) / 2 + J * D[theta] ** 2 / 2
        edge = da.Nonholonomic(D[y] * unit * cos(theta) - D[x] * sin(theta), "blade")
        found = lagrangian(places, [x, y, theta], edge).minimal(["x", "theta"])
        for off in (0.0, 1e-12):
            along = np.pi / 2 - off
            state = {x: 0, y: 0, theta: along, D[x]: np.cos(along), D[y]: np.sin(along) / unit, D[theta]: 1.0}
            with pytest.raises(da.StateError, match="do not determine every velocity here"):
                found.acceleration(state)
            with pytest.raises(da.StateError, match="do not determine every velocity here"):
                found.rates(0.0, [0, 0, along, np.cos(along), 1.0])
        state = {x: 0, y: 0, theta: 1.5, D[x]: np.cos(1.5), D[y]: np.sin(1.5) / unit, D[theta]: 1.0}
        expected = da.principles.explicit(found.system.instant(state)).acceleration
        assert_allclose(found.acceleration(state), expected, rtol=1e-12, atol=1e-12)

    def test_no_inertia(self):
        system = da.System.from_lagrangian(D[x] ** 2 / 2 - y, [x, y])
        with pytest.raises(da.MassError):
            system.minimal().acceleration({x: 0, y: 0, D[x]: 0, D[y]: 0})


class TestShown:
    @pytest.mark.parametrize("name", SYSTEMS)
    def test_in_every_way(self, name):
        _, form = built(name)
        assert isinstance(form, da.Minimal)
        for width in (60, 110):
            assert max(columns(line) for line in form.text(width).splitlines()) <= width
        assert form._repr_latex_().startswith("$$\n\\begin{aligned}")
        json.dumps(form.as_dict(), allow_nan=False)
        assert str(form) == form.text()

    def test_sleigh_in_words(self):
        text = reduced_sleigh().text()
        assert normalize("NFC", "v = sin(θ)⋅ẏ + cos(θ)⋅ẋ") in normalize("NFC", text)
        assert "solved for u̇" in text
        found = reduced_sleigh().as_dict()
        assert found["velocities"] == {"v": "x'*cos(theta) + y'*sin(theta)", "omega": "theta'"}
        assert found["solved"][0] == "a*omega^2"

    def test_where_it_is_singular(self):
        form = unhurried(knife_edge(), ["x", "theta"])
        assert "where cos(theta) = 0" in form.text()
        assert r"\cos{\left(\theta \right)} = 0" in form.latex()

    def test_pickled(self):
        form = reduced_sleigh()
        state = {x: 0, y: 0, theta: 0, D[x]: 1, D[y]: 0, D[theta]: 1}
        again = pickle.loads(pickle.dumps(form))
        assert_allclose(again.acceleration(state), form.acceleration(state))
