"""What a reduction could not say truly, and so does not: contacts that may open, switches, flat rows, other bounds."""

import pytest
from sympy import (
    Eq,
    Function,
    Heaviside,
    Integral,
    Le,
    Matrix,
    Max,
    Piecewise,
    Symbol,
    cos,
    erf,
    exp,
    floor,
    sign,
    sin,
    symbols,
)
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from reductions import A, R, c, g, l, m, mu, phi, psi, t, theta, w, x, y, z

s, X, Y, Z = dynamicsymbols("s X Y Z")
M, alpha, h = symbols("M alpha h", positive=True)


def free(*q, **more):
    return da.System.from_lagrangian(sum(e.diff() ** 2 for e in q) / 2, list(q), **more)


def planar(*rows, **more):
    return da.System.from_particles([da.Particle(m, [x, y])], potential=m * g * y, constraints=list(rows), **more)


def wedge(sliding):
    """A block on a wedge that is free to move: friction changes how hard the block presses."""
    L = M * X.diff() ** 2 / 2 + m * ((X.diff() + x.diff()) ** 2 + y.diff() ** 2) / 2 - m * g * y
    face = da.Holonomic(x * sin(alpha) + y * cos(alpha), name="face", nature=da.Coulomb(mu, sliding=sliding))
    return da.System.from_lagrangian(L, [X, x, y], constraints=[face])


class TestFriction:
    def test_that_changes_the_force_that_presses(self):
        down = {x: s * cos(alpha), y: -s * sin(alpha)}
        with pytest.raises(da.ModelError, match=r"'face'.*force that holds changes that of 'face'.*another bound"):
            wedge(x.diff() * cos(alpha) - y.diff() * sin(alpha)).reduce(down)

    def test_of_a_kept_row_that_changes_an_eliminated_one(self):
        """Where the kept friction sticks, the force in the nature that became an active one is another."""
        rows = [
            da.Holonomic(z - c * y, name="plane", nature=da.Prescribed({x: -mu * da.multiplier("plane") * x.diff()})),
            da.Holonomic(y - x, name="slot", nature=da.Coulomb(mu, normal="actual", sliding=y.diff())),
        ]
        system = da.System.from_lagrangian(
            m * (x.diff() ** 2 + y.diff() ** 2 + z.diff() ** 2) / 2 - m * g * z, [x, y, z], constraints=rows
        )
        with pytest.raises(da.ModelError, match=r"friction of 'slot' sticks.*'plane'"):
            system.reduce({z: c * y}, keep=["slot"])

    def test_in_two_rows_along_one_line(self):
        """|s'| sign(s') is s': a friction of that size does not switch."""
        along = da.Coulomb(mu, sliding=x.diff() * cos(w * t) + y.diff() * sin(w * t))
        rows = [
            da.Holonomic(z, name="table", nature=along),
            da.Holonomic(x * sin(w * t) - y * cos(w * t), name="rod", nature=along),
        ]
        system = da.System.from_particles([da.Particle(m, [x, y, z])], potential=m * g * z, constraints=rows)
        (force,) = system.reduce({x: s * cos(w * t), y: s * sin(w * t), z: 0}).system.unconstrained.forces
        assert (force + 2 * m * mu * w * s.diff() + g * m * mu * sign(s.diff())).expand() == 0


class TestContacts:
    def test_that_an_impact_on_another_may_open(self):
        bowl = planar(da.OneSided(y - c * x**2, name="bowl"), da.OneSided(x + h, name="wall", restitution=1))
        with pytest.raises(da.ModelError, match=r"'bowl' would be taken as closed.*'wall' may open it.*Holonomic"):
            bowl.reduce({y: c * x**2})

    def floor(self, height, **values):
        k = Symbol("k", real=True)
        rows = [da.Holonomic(y - height(k), name="guide"), da.OneSided(y, name="floor")]
        return planar(*rows, parameters={m: 1, g: 9.81, k: 0.5, **values}).reduce({y: height(k)})

    def test_without_coordinates_are_open_or_wrong_by_the_values(self):
        assert any("'floor' is open on the embedding for the values given" in n for n in self.floor(lambda k: k).notes)
        with pytest.raises(da.ModelError, match=r"'floor'.*it is violated: it is -0.5 for the values given"):
            self.floor(lambda k: -k)
        k = Symbol("k", real=True)
        unknown = planar(da.Holonomic(y - k, name="guide"), da.OneSided(y, name="floor"))
        with pytest.raises(da.ModelError, match=r"'floor'.*whether it is open depends on parameters"):
            unknown.reduce({y: k})

    def test_that_depend_on_time_alone(self):
        assert self.floor(lambda k: k + k / 2 * sin(t)).system.constraints == ()
        with pytest.raises(da.ModelError, match=r"'floor'.*with time alone it may close"):
            self.floor(lambda k: k + 2 * k * sin(t))

    def test_that_never_touch_have_no_force(self):
        rows = [da.Holonomic(y - h, name="guide"), da.OneSided(y, name="floor")]
        system = planar(*rows, parameters={m: 1.3, g: 9.81, h: 0.5})
        lifted = system.reduce({y: h}).lift({x: 0.0, x.diff(): 1.0})
        assert lifted.multipliers == pytest.approx([1.3 * 9.81, 0.0])


class TestPlaces:
    @pytest.mark.parametrize(
        "place",
        [
            abs(s) + 2 * s,
            s + sign(s),
            Piecewise((s, s < 0), (2 * s, True)),
            Max(s, 0) + s,
            s * Heaviside(s),
            s + floor(s),
            s + abs(sin(t)),
        ],
    )
    def test_that_switch(self, place):
        with pytest.raises(da.ModelError, match="the embedding of x switches"):
            free(x).reduce({x: place})

    def test_that_switch_with_parameters_only(self):
        k = Symbol("k", real=True)
        assert free(x).reduce({x: s * (1 + abs(k))}).system.coordinates == (s,)

    @pytest.mark.parametrize(
        ("place", "words"),
        [(erf(s), "erf"), (Integral(s, t), "Integral"), (s + Function("f")(t, l), "without a definition")],
    )
    def test_that_have_no_numbers(self, place, words):
        with pytest.raises(da.ModelError, match=f"the embedding of x: .*{words}"):
            free(x).reduce({x: place})


def test_a_constraint_that_is_flat_where_it_holds():
    with pytest.raises(da.ModelError, match=r"gradient of the constraint 'rod' vanishes.*by its root"):
        planar(da.Holonomic((x**2 + y**2 - l**2) ** 2, name="rod")).reduce({x: l * sin(theta), y: -l * cos(theta)})


def test_a_constraint_named_in_keep_that_vanishes_is_told():
    found = planar(da.Holonomic(x**2 + y**2 - l**2, name="rod")).reduce(
        {x: l * sin(theta), y: -l * cos(theta)}, keep="rod"
    )
    assert found.eliminated == ("rod",)
    assert any("'rod' is named in keep, but" in note for note in found.notes)


def test_rows_that_are_redundant_and_have_a_nature_are_told():
    rows = [
        da.Holonomic(z, name="e1"),
        da.Holonomic(y, name="k1", nature=da.Prescribed({x: -c * da.multiplier("k1") * x.diff()})),
        da.Holonomic(z + y, name="k2"),
    ]
    system = da.System.from_particles([da.Particle(m, [x, y, z])], potential=m * g * z, constraints=rows)
    with pytest.raises(da.ModelError, match=r"'k1'.*are redundant, so the force of each alone is not determined"):
        system.reduce({z: 0}, keep=["k1", "k2"])


class TestSolved:
    def test_a_factor_that_moves_and_is_never_zero(self):
        assert planar(da.Holonomic(y * (2 + cos(x)) - x, name="row")).reduce().embedding == {y: x / (cos(x) + 2)}

    def test_contradictions(self):
        rows = [da.Holonomic(x - y, name="a"), da.Holonomic(x - y - 1, name="b")]
        with pytest.raises(da.ModelError, match="'b' contradicts the others: solving those leaves -1 = 0"):
            planar(*rows).reduce()


def turn(axis, angle):
    u, v = cos(angle), sin(angle)
    return Matrix([[u, -v, 0], [v, u, 0], [0, 0, 1]]) if axis == "z" else Matrix([[1, 0, 0], [0, u, -v], [0, v, u]])


class TestSingular:
    def test_euler_angles_of_a_free_body(self):
        """Three mass points: the angles fail where the line of nodes does, at sin θ = 0."""
        turned = turn("z", phi) * turn("x", theta) * turn("z", psi)
        points = [dynamicsymbols(f"x{i} y{i} z{i}") for i in (1, 2, 3)]
        places = {}
        for i, q in enumerate(points):
            places |= dict(zip(q, Matrix([X, Y, Z]) + turned[:, i], strict=True))
        rods = [
            da.Holonomic(sum((a - b) ** 2 for a, b in zip(points[i], points[j], strict=True)) - 2, name=f"{i}{j}")
            for i in range(3)
            for j in range(i)
        ]
        system = da.System.from_particles([da.Particle(1, list(q)) for q in points], constraints=rods)
        found = system.reduce(places, [X, Y, Z, phi, theta, psi])
        assert found.singular == (Eq(sin(theta), 0),)
        assert not any("was not found" in note for note in found.notes)

    def test_powers_and_inverse_functions(self):
        assert free(x).reduce({x: s**1.5}).singular == (Le(s, 0),)

    def test_a_start_at_the_pole(self):
        rod = da.Holonomic(x**2 + y**2 + z**2 - l**2, name="rod")
        ball = da.System.from_particles(
            [da.Particle(m, [x, y, z])],
            potential=m * g * z,
            constraints=[rod],
            parameters={m: 1, g: 9.81, l: 1},
            initial={z: -l, x.diff(): 1, y.diff(): 1},
        )
        found = ball.reduce({x: l * sin(theta) * cos(phi), y: l * sin(theta) * sin(phi), z: -l * cos(theta)})
        assert found.system.initial == ()
        assert any("at the start the embedding fails" in note for note in found.notes)
        with pytest.raises(da.StateError, match="the embedding fails here"):
            found.lift({theta: 0, phi: 0, theta.diff(): 1, phi.diff(): 0})


def test_lower_finds_the_least_of_many_turns():
    polar = free(x, y).reduce({x: exp(s) * cos(phi), y: exp(s) * sin(phi)})
    for grown in (-8.0, 1.0, 8.0):
        state = {s: grown, phi: 1.0, s.diff(): 0.0, phi.diff(): 0.3}
        assert polar.lower(polar.lift(state)) == pytest.approx(state, abs=1e-9)
    turns = free(x, y).reduce({x: A * cos(phi) + s, y: A * sin(phi) + R * s})
    state = {phi: 1.0, s: 0.2, phi.diff(): 0.3, s.diff(): 0.1}
    far = turns.lift(state | {phi: 1.0 + 40 * 3.141592653589793}, parameters={A: 1.0, R: 2.0})
    assert turns.lower(far, parameters={A: 1.0, R: 2.0})[phi] == pytest.approx(1.0, abs=1e-9)
