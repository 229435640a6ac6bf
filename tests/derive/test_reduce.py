"""Reduction to generalized coordinates: what comes out, the theorems behind it, and the constraints that stay."""

import json

import pytest
from sympy import Eq, Rational, cos, exp, log, pi, simplify, sin, sqrt

import dalembert as da
from dalembert.derive.reducing.bounds import has_zero, never_zero
from dalembert.derive.reducing.identity import vanishes
from reductions import MADE, R, a1, c, case, g, l, m, phi, psi, reduction, t, theta, w, x, y, z


@pytest.mark.parametrize("name", [name for name in MADE if case(name).lagrangian is not None])
def test_the_lagrangian_is_that_of_the_textbooks(name):
    expected = case(name).lagrangian
    assert simplify(reduction(name).system.unconstrained.function - expected.doit()) == 0


@pytest.mark.parametrize("name", MADE)
def test_the_theorems_hold(name):
    proof = reduction(name).proof
    assert proof.covariance < 1e-13
    assert proof.definiteness > 1e-3
    assert proof.states == 5


def test_the_rolling_disk_is_as_in_thornton_and_marion():
    """(7.78): L = 3/4 M y'² + M g (y − l) sin α, and y'' = 2/3 g sin α; also from the differential form."""
    found = reduction("rolling disk")
    assert found.system.unconstrained.function == case("rolling disk").lagrangian
    assert (found.eliminated, found.kept) == (("rolling",), ())
    own = {s.name: s for s in found.system.symbols}
    (acceleration,) = found.system.equations().acceleration
    assert simplify(acceleration - Rational(2, 3) * own["g"] * sin(own["alpha"])) == 0
    stated = case("rolling disk").system
    form = da.Differential({y: 1, theta: -own["R"]}, name="rolling")
    rolls = da.System.from_lagrangian(
        stated.unconstrained.function, [y, theta], constraints=[form], parameters=dict(stated.values)
    )
    shifted = rolls.reduce({y: own["R"] * theta + 2}, coordinates=[theta])
    assert shifted.eliminated == ("rolling",)
    assert shifted.system.coordinates == (theta,)
    assert shifted.system.constraints == ()


def test_where_an_embedding_fails_is_said():
    assert reduction("spherical pendulum, angles").singular == (Eq(sin(theta), 0),)
    (edge,) = reduction("spherical pendulum, seen from above").singular
    assert edge == (l**2 - x**2 - y**2 <= 0)
    assert any("sin(theta) = 0" in note for note in reduction("spherical pendulum, angles").notes)
    for name in ("rolling disk", "double pendulum", "turning hoop", "skate"):
        assert reduction(name).singular == ()


def test_what_stays_is_pulled_back():
    found = reduction("skate")
    assert (found.eliminated, found.kept) == (("plane",), ("blade",))
    (blade,) = found.system.constraints
    assert blade == da.Nonholonomic(x.diff() * sin(psi) - y.diff() * cos(psi), name="blade")
    form = da.System.from_lagrangian(
        m * (x.diff() ** 2 + y.diff() ** 2 + z.diff() ** 2) / 2,
        [x, y, z],
        constraints=[da.Holonomic(y - w * t * z, name="plane"), da.Differential({x: 1, y: z, t: -R}, name="form")],
    )
    (left,) = form.reduce({y: w * t * z}).system.constraints
    assert left == da.Differential({x: 1, z: w * t * z, t: w * z**2 - R}, name="form")


def test_a_contact_that_vanishes_is_closed_and_one_that_does_not_stays():
    found = reduction("hemisphere")
    assert found.eliminated == ("surface",)
    assert any("while it pushes" in note for note in found.notes)
    walls = [da.OneSided(y, Rational(1, 2), name="floor"), da.OneSided(R + z**2, name="far")]
    ball = da.System.from_particles(
        [da.Particle(m, [x, y, z])],
        potential=m * g * y,
        constraints=[da.Holonomic(x - y / 2, name="rail"), *walls, da.Holonomic(z, name="plane")],
    )
    found = ball.reduce({x: y / 2, z: 0})
    assert found.system.constraints == (da.OneSided(y, Rational(1, 2), name="floor"),)
    assert any("'far' is always open" in note for note in found.notes)


def test_a_chart_that_exists_near_zero_only():
    """Values in units that make the system small do not matter."""
    small = case("spherical pendulum, angles").system.with_parameters({l: 1e-4})
    found = small.reduce({z: -sqrt(l**2 - x**2 - y**2)})
    assert found.proof.covariance < 1e-12


def test_a_coordinate_with_a_logarithm_as_its_factor_is_solved_for():
    """log 11 (y − 1) = log 7 (e^(−x) − 1/e), written out: y = 1 + (e^(−x) − 1/e) log 7 / log 11."""
    row = y * log(11) - log(11) + exp(-1) * log(7) - exp(-x) * log(7)
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2, [x, y], constraints=[da.Holonomic(row)], initial={x: 1, y: 1}
    )
    place = system.reduce().embedding[y]
    assert simplify(place - 1 - (exp(-x) - exp(-1)) * log(7) / log(11)) == 0


def test_a_holonomic_constraint_may_be_kept():
    """Bars of a chain, of which only the first is eliminated."""
    system = case("double pendulum").system
    x1, y1, _, _ = system.coordinates
    l1 = next(s for s in system.symbols if s.name == "l1")
    found = system.reduce({x1: l1 * sin(a1), y1: -l1 * cos(a1)}, keep=["lower"])
    assert (found.eliminated, found.kept) == (("upper",), ("lower",))
    assert found.system.coordinates == (*system.coordinates[2:], a1)
    assert found.proof.covariance < 1e-13


class TestOrder:
    """Old coordinates that stay come first, then the others as the old coordinates name them."""

    def test_as_stated(self):
        assert reduction("spherical pendulum, angles").system.coordinates == (phi, theta)
        assert reduction("skate").system.coordinates == (x, y, psi)

    def test_as_listed(self):
        system, places, *_ = case("spherical pendulum, angles")
        assert system.reduce(places, [theta, phi]).system.coordinates == (theta, phi)

    def test_by_name(self):
        assert case("skate").system.reduce({"z": c * y}).embedding == {z: c * y}


class TestFound:
    """Without an embedding, constraints are solved: everywhere if they are linear, else on the branch of the start."""

    def test_linear(self):
        found = case("rolling disk").system.reduce()
        assert found.embedding == case("rolling disk").embedding
        assert found.notes == ()

    def test_a_branch(self):
        found = case("spherical pendulum, angles").system.reduce()
        assert found.embedding == {x: sqrt(l**2 - y**2 - z**2)}
        assert "local" in found.notes[0]
        assert any("fails where" in note for note in found.notes)

    def test_one_after_the_other(self):
        rows = [
            da.Holonomic(x + y - z, name="a"),
            da.Holonomic(x - 2 * y + t, name="b"),
            da.Holonomic(2 * x + 2 * y - 2 * z, name="twice"),
        ]
        system = da.System.from_lagrangian(
            m * (x.diff() ** 2 + y.diff() ** 2 + z.diff() ** 2) / 2, [x, y, z], constraints=rows
        )
        found = system.reduce()
        assert found.embedding == {y: x / 2 + t / 2, z: 3 * x / 2 + t / 2}
        assert found.eliminated == ("a", "b", "twice")

    @pytest.mark.parametrize(
        ("rows", "words"),
        [
            ([da.Holonomic(x**2 + y**2 - R**2, name="ring")], "'ring'.*no start.*give an embedding"),
            ([da.Nonholonomic(x.diff() - y.diff(), name="row")], "no holonomic constraints"),
        ],
    )
    def test_or_not(self, rows, words):
        system = da.System.from_lagrangian(m * (x.diff() ** 2 + y.diff() ** 2) / 2, [x, y], constraints=rows)
        with pytest.raises(da.ModelError, match=words):
            system.reduce()

    def test_what_nothing_solves(self):
        rows = [da.Holonomic(x + cos(x) + y * sin(x * y) + cos(y) - 1, name="knot")]
        system = da.System.from_lagrangian(x.diff() ** 2 + y.diff() ** 2, [x, y], constraints=rows, initial={x: 0})
        with pytest.raises(da.ModelError, match=r"'knot'.*could not be solved"):
            system.reduce()


class TestStart:
    def test_exactly_where_the_expressions_allow_it(self):
        system, places, *_ = case("turning hoop")
        low = system.reduce(places).system
        assert dict(low.initial) == {theta: 0.5}
        assert dict(reduction("hemisphere").system.initial)[theta] == 0.1
        ring = da.System.from_lagrangian(
            (x.diff() ** 2 + y.diff() ** 2) / 2,
            [x, y],
            constraints=[da.Holonomic(x**2 + y**2 - R**2, name="ring")],
            parameters={R: 2.0, w: 0.3},
            initial={y: R, x.diff(): -R * w},
        )
        found = ring.reduce({x: R * cos(theta), y: R * sin(theta)})
        assert dict(found.system.initial) == {theta: pi / 2, theta.diff(): w}

    def test_by_numbers_else(self):
        system = case("spherical pendulum, angles").system
        across = y + phi**3 / 3 + phi
        bent = system.reduce({z: -sqrt(l**2 - across**2 - y**2), x: across})
        lifted = bent.lift(
            {k: dict(bent.system.initial).get(k, 0.0) for k in (*bent.system.coordinates, *bent.system.velocities)}
        )
        assert lifted["x"] == pytest.approx(0.9 * float(sin(1)), abs=1e-12)
        assert lifted["y'"] == pytest.approx(0.7, abs=1e-12)

    def test_or_says_that_there_is_none(self):
        system = case("rolling disk").system
        own = next(s for s in system.symbols if s.name == "R")
        form = da.Differential({y: 1, theta: -own}, name="rolling")
        rolls = da.System.from_lagrangian(
            system.unconstrained.function,
            [y, theta],
            constraints=[form],
            parameters=dict(system.values),
            initial={y: 0},
        )
        found = rolls.reduce({y: own * theta + 2})
        assert found.system.initial == ()
        assert any("off the embedding by" in note for note in found.notes)


class TestZero:
    """A constraint holds only if it holds everywhere."""

    @pytest.mark.parametrize(
        ("expr", "holds"),
        [
            (sin(x) ** 2 + cos(x) ** 2 - 1, True),
            (sqrt(x**2) - x, False),
            (abs(x) - x, False),
            (sin(2 * x) - 2 * sin(x) * cos(x), True),
            (sin(x) - x + x**3 / 6 - x**5 / 120, False),
            (0.3**2 - 0.09 + 0 * x, True),
            ((0.1 * cos(x)) ** 2 + (0.1 * sin(x)) ** 2 - 0.01, True),
            (cos(x) ** 2 + sin(x) ** 2 - 1 + 1e-9 * x, False),
            (sqrt(1 - y**2) ** 2 + y**2 - 1, True),
        ],
    )
    def test_tried(self, expr, holds):
        from sympy import Dummy, sympify

        expr = sympify(expr).xreplace({x: Dummy("x", real=True), y: Dummy("y", real=True)})
        assert vanishes(expr).vanishes is holds

    def test_zeros_of_functions(self):
        from sympy import Symbol

        u, v = Symbol("u", real=True), Symbol("v", real=True)
        assert never_zero(2 - cos(u) ** 2)
        assert has_zero(u**2 + v**2, {u, v})
        assert has_zero(sin(u), {u})
        assert not has_zero(2 - sin(u) * cos(v) - cos(u) / 3, {u, v})


class TestBadInput:
    system = property(lambda self: case("spherical pendulum, angles").system)

    @pytest.mark.parametrize(
        ("embedding", "coordinates", "words"),
        [
            (
                {x: l * cos(theta), y: l * sin(theta), z: 0 * theta},
                None,
                "1 new coordinate, .*leave 2 of 3 free.*not stated, on .*z",
            ),
            (
                {x: 2 * l * sin(theta) * cos(phi), y: l * sin(theta) * sin(phi), z: -l * cos(theta)},
                None,
                "'rod'.*is left of it.*at .*= ",
            ),
            (
                {x: l * cos(theta + phi), y: l * sin(theta + phi), z: 0},
                None,
                "not an immersion.*rank 1 and 2.*phi, theta",
            ),
            ({theta: l}, None, "theta.*not a coordinate"),
            ({"q": l}, None, "gives q, which is not a coordinate"),
            ({z: -sqrt(l**2 - x**2 - y.diff() ** 2)}, None, "velocity y'"),
            ({z: "sqrt(1)"}, None, "the text"),
            ({z: z + phi}, None, "stands in it too"),
            ({z: R * x}, None, "uses R, which is not a parameter"),
            ({z: -sqrt(l**2 - x**2 - y**2)}, [x], "y is not given.*not among the coordinates"),
            ({z: -sqrt(l**2 - x**2 - y**2)}, [x, y, phi], "phi does not stand in the embedding"),
            ({z: -sqrt(l**2 - x**2 - y**2)}, [x, y, m], "not a dynamicsymbol"),
            ({z: -sqrt(l**2 - x**2 - y**2)}, [x, y, y], "used 2 times"),
            ({z: -sqrt(l**2 - x**2 - y**2)}, [x, y, z], "z is among the new coordinates, but"),
            ({x: l * sin(theta), y: 0, z: -l * cos(phi)}, [theta], "uses phi, which is not among"),
            ({x: 0, y: 0, z: l}, None, "no coordinates are left"),
            (3, None, "give a mapping"),
            (None, [x, y], "without an embedding"),
        ],
    )
    def test_is_refused(self, embedding, coordinates, words):
        with pytest.raises(da.ModelError, match=words):
            self.system.reduce(embedding, coordinates)

    def test_all_faults_at_once(self):
        with pytest.raises(da.ModelError) as found:
            self.system.reduce({"q": 1, x: y.diff(), z: R * x})
        assert len(found.value.faults) >= 3

    def test_numbers_that_hold_for_these_values_only(self):
        with pytest.raises(da.ModelError, match="values given of the parameters only"):
            self.system.reduce({x: 0.9 * sin(theta) * cos(phi), y: 0.9 * sin(theta) * sin(phi), z: -0.9 * cos(theta)})

    def test_two_symbols_of_one_name(self):
        from sympy import symbols

        other = symbols("l")
        with pytest.raises(da.ModelError, match="different symbols"):
            self.system.reduce({z: -sqrt(other**2 - x**2 - y**2)})

    def test_keep_names_no_constraint(self):
        with pytest.raises(da.ModelError, match="keep names 'ring'"):
            self.system.reduce({z: -sqrt(l**2 - x**2 - y**2)}, keep=["ring"])
        with pytest.raises(da.ModelError, match="keep has 3"):
            self.system.reduce({z: -sqrt(l**2 - x**2 - y**2)}, keep=3)

    def test_an_open_system_may_have_more_parameters(self):
        free = da.System.from_lagrangian(
            m * (x.diff() ** 2 + y.diff() ** 2) / 2,
            [x, y],
            constraints=[da.Holonomic(x * y - y * x * c / c + x - y, name="row")],
        )
        assert R in free.reduce({y: R * phi, x: R * phi}).system.symbols


class TestShown:
    def test_in_words(self):
        text = str(reduction("skate"))
        for words in ("from 4 coordinates to 3", "Eliminated: plane", "z = c*y", "L = ", "blade: ", "Proof at 5"):
            assert words in text
        narrow = reduction("double pendulum").text(60)
        assert max(map(len, narrow.splitlines())) <= 60
        assert "M[theta, theta] = l^2*m" in str(reduction("swing by forces"))
        assert "ring" in repr(reduction("rough ring"))

    @pytest.mark.parametrize("name", MADE)
    def test_for_programs(self, name):
        told = json.loads(json.dumps(reduction(name).as_dict(), allow_nan=False))
        assert told["eliminated"] == list(reduction(name).eliminated)
        assert told["proof"]["covariance"] < 1e-13

    @pytest.mark.parametrize("name", ["rolling disk", "rough ring", "skate", "spherical pendulum, angles"])
    def test_the_reduced_system_is_a_system(self, name, tmp_path):
        reduction(name).system.save(tmp_path / "reduced.toml")
        assert da.System.load(tmp_path / "reduced.toml") == reduction(name).system
