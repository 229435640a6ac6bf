"""Statements are values, and bad ones are refused at once with every fault in one error."""

import pickle
import subprocess
import sys

import pytest
from sympy import Eq, Function, I, Matrix, Symbol, cos, eye, nan, oo, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z = dynamicsymbols("x y z")
t = dynamicsymbols._t
m, g, R, mu = symbols("m g R mu", positive=True)
L = m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y
ring = da.Holonomic(x**2 + y**2 - R**2, name="ring", nature=da.Coulomb(mu))


def make(**changes):
    arguments = {"L": L, "coordinates": [x, y], "constraints": [ring], "parameters": {m: 1, g: 9.81, R: 1, mu: 0.2}}
    return da.System.from_lagrangian(**(arguments | changes))


class TestValues:
    def test_equal_statements_are_equal_and_hash_alike(self):
        assert make() == make()
        assert hash(make()) == hash(make())
        assert len({make(), make(), make(name="other")}) == 2

    def test_order_of_parameters_does_not_matter(self):
        assert make() == make(parameters={mu: 0.2, R: 1.0, g: 9.81, m: 1.0})

    def test_different_values_differ(self):
        assert make() != make(parameters={m: 2, g: 9.81, R: 1, mu: 0.2})

    @pytest.mark.parametrize(
        "system",
        [
            make(),
            da.System.from_forces(eye(2) * m, [0, -m * g], [x, y], constraints=[da.Differential({x: y, t: 1})]),
            da.System.from_particles(
                [da.Particle(m, (x, y), (0, Function("f")(x, y)))],
                potential=g * y,
                constraints=[
                    da.Nonholonomic(x.diff() - y, name="a", nature=da.Prescribed({x: -da.ideal_force(x, "a")}))
                ],
            ),
        ],
        ids=["lagrangian", "forces", "particles"],
    )
    def test_pickle(self, system):
        assert pickle.loads(pickle.dumps(system)) == system

    def test_pickle_in_another_process(self, tmp_path):
        (tmp_path / "system").write_bytes(pickle.dumps(make()))
        code = (
            "import pickle, sys; s = pickle.load(open(sys.argv[1], 'rb')); q = s.coordinates; "
            "print(s.instant({q[0]: .6, q[1]: -.8, q[0].diff(): .8, q[1].diff(): .6}).b[0])"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "system")], capture_output=True, text=True, check=True
        )
        assert float(done.stdout) == pytest.approx(-2.0)

    def test_frozen(self):
        with pytest.raises(AttributeError):
            make().name = "other"
        with pytest.raises(TypeError):
            make().parameters[m] = 2.0

    def test_unnamed_constraints_are_called_by_their_place(self):
        system = make(constraints=[da.Holonomic(x - y), ring, da.Nonholonomic(x.diff() - y.diff())])
        assert [c.name for c in system.constraints] == ["constraint 1", "ring", "constraint 3"]

    def test_with_parameters(self):
        assert make().with_parameters({m: 3}).parameters[m] == 3.0
        assert make().parameters[m] == 1.0

    def test_symbols_lists_parameters_without_value(self):
        assert make(parameters={m: 1}).symbols == (R, g, m, mu)

    def test_three_ways_to_state_the_same(self):
        state = {x: 0.6, y: -0.8, x.diff(): 0.8, y.diff(): 0.6}
        values = {m: 2.0, g: 9.81, R: 1.0, mu: 0.3}
        ways = [
            make(parameters=values),
            da.System.from_forces(m * eye(2), [0, -m * g], [x, y], constraints=[ring], parameters=values),
            da.System.from_particles(
                [da.Particle(m, (x, y))], potential=m * g * y, constraints=[ring], parameters=values
            ),
            da.System.from_particles([da.Particle(m, (x, y), (0, -m * g))], constraints=[ring], parameters=values),
        ]
        answers = [da.principles.explicit(way.instant(state)) for way in ways]
        for answer in answers[1:]:
            for mine, other in zip(answers[0], answer, strict=True):
                assert mine == pytest.approx(other, abs=1e-13)

    def test_particles_in_one_and_three_dimensions(self):
        a = da.System.from_particles([da.Particle(m, x), da.Particle(2 * m, (y,))], potential=(x - y) ** 2)
        assert a.coordinates == (x, y)
        assert Matrix([[m, 0], [0, 2 * m]]) == a.equations().M
        b = da.System.from_particles([da.Particle(m, (x, y, z))])
        assert m * eye(3) == b.equations().M


def faults(call):
    with pytest.raises(da.ModelError) as caught:
        call()
    return "\n".join(caught.value.faults)


S = Symbol("x")
BAD = {
    "unknown coordinate": (lambda: make(L=L - z), ["z(t)", "not a coordinate"]),
    "unknown coordinate in a constraint": (lambda: make(constraints=[da.Holonomic(x - z)]), ["z(t)", "constraint 1"]),
    "symbol for a coordinate": (lambda: make(coordinates=[S, y]), ["not a dynamicsymbol"]),
    "symbol of a coordinate's name": (lambda: make(L=L + S), ["'x' is used 2 times"]),
    "no coordinates": (lambda: make(coordinates=[], constraints=[]), ["no coordinates"]),
    "duplicate coordinates": (lambda: make(coordinates=[x, y, x]), ["'x' is used 2 times"]),
    "coordinates as text": (lambda: make(coordinates="xy"), ["not a sequence"]),
    "acceleration in L": (lambda: make(L=L + x.diff(t, 2)), ["acceleration"]),
    "acceleration in a constraint": (lambda: da.Nonholonomic(x.diff(t, 2) - x.diff()), ["acceleration"]),
    "acceleration hidden in a derivative": (lambda: da.Nonholonomic((x * y).diff(t, 2)), ["acceleration"]),
    "acceleration in a nature": (lambda: da.Viscous(x.diff(t, 2)), ["acceleration"]),
    "velocity in Holonomic": (lambda: da.Holonomic(x.diff() - y), ["x'", "Nonholonomic"]),
    "no velocity in Nonholonomic": (lambda: da.Nonholonomic(x - y), ["no velocity", "Holonomic"]),
    "relation": (lambda: da.Holonomic(Eq(x, y)), ["(x(t)) - (y(t))"]),
    "relation as Lagrangian": (lambda: make(L=Eq(x, y)), ["relation"]),
    "text": (lambda: da.Holonomic("x - y"), ["text"]),
    "matrix": (lambda: da.Holonomic(Matrix([x, y])), ["scalar"]),
    "0 = 0": (lambda: da.Holonomic(x - x), ["no coordinate", "always holds"]),
    "1 = 0": (lambda: da.Holonomic(1), ["no coordinate", "never hold"]),
    "parameters only": (lambda: da.Nonholonomic(R - 1), ["no coordinate"]),
    "time only": (lambda: da.Holonomic(t - 1), ["no coordinate"]),
    "empty form": (lambda: da.Differential({t: 1}), ["constrains nothing"]),
    "form of velocities": (lambda: da.Differential({x: y.diff()}), ["velocity", "Nonholonomic"]),
    "form over a symbol": (lambda: da.Differential({R: 1}), ["neither a coordinate"]),
    "form that is no mapping": (lambda: da.Differential(x), ["mapping"]),
    "nan": (lambda: make(L=L * nan), ["not finite"]),
    "infinity": (lambda: da.Holonomic(x + oo), ["not finite"]),
    "imaginary": (lambda: da.Holonomic(x + I * y), ["imaginary"]),
    "parameter nan": (lambda: make(parameters={m: float("nan")}), ["finite real number"]),
    "parameter complex": (lambda: make(parameters={m: 1j}), ["finite real number"]),
    "parameter text": (lambda: make(parameters={m: "1"}), ["finite real number"]),
    "parameter no symbol": (lambda: make(parameters={x: 1.0}), ["not a symbol"]),
    "force on no coordinate": (lambda: make(forces={z: 1}), ["not a coordinate"]),
    "M of the wrong shape": (lambda: da.System.from_forces(eye(3), [0, 0], [x, y]), ["3 × 3", "2 × 2"]),
    "ragged M": (lambda: da.System.from_forces([[1, 0], [0]], [0, 0], [x, y]), ["2 × 2"]),
    "Q of the wrong length": (lambda: da.System.from_forces(eye(2), [0], [x, y]), ["1 impressed forces for 2"]),
    "M not symmetric": (lambda: da.System.from_forces([[1, 2], [3, 1]], [0, 0], [x, y]), ["not symmetric"]),
    "duplicate constraint names": (lambda: make(constraints=[ring, ring]), ["'ring' is used 2 times"]),
    "constraint that is none": (lambda: make(constraints=[x - y]), ["Holonomic, Nonholonomic"]),
    "nature that is none": (lambda: da.Holonomic(x, nature=mu), ["Coulomb(mu)"]),
    "negative friction": (lambda: da.Coulomb(-0.1), ["negative"]),
    "static below kinetic": (lambda: da.Coulomb(0.4, static=0.3), ["below"]),
    "unknown law of friction": (lambda: da.Coulomb(0.4, normal="other"), ["'other'"]),
    "C too short": (lambda: make(constraints=[da.Holonomic(x, nature=da.Prescribed([1]))]), ["1 components of C"]),
    "C along no coordinate": (
        lambda: make(constraints=[da.Holonomic(x, nature=da.Prescribed({z: 1}))]), ["not a coordinate"]),
    "C of an unknown constraint": (
        lambda: make(constraints=[da.Holonomic(x, nature=da.Prescribed({x: da.multiplier("no")}))]), ["no constraint"]),
    "reaction in L": (lambda: make(L=L + da.ideal_magnitude()), ["constraint force"]),
    "reaction in a constraint": (lambda: da.Holonomic(x - da.ideal_force(x)), ["constraint force"]),
    "friction of many bodies": (
        lambda: da.System.from_lagrangian(
            sum(q.diff() ** 2 for q in dynamicsymbols("q1:5")), dynamicsymbols("q1:5"),
            constraints=[da.Holonomic(dynamicsymbols("q1"), nature=da.Coulomb(1))]), ["which particle slides"]),
    "friction between two particles": (
        lambda: da.System.from_particles(
            [da.Particle(m, x), da.Particle(m, y)], constraints=[da.Holonomic(x - y, nature=da.Coulomb(1))]),
        ["which particle slides"]),
    "mass that moves": (lambda: da.Particle(m * x, x), ["not constant"]),
    "mass not positive": (lambda: da.Particle(-1, x), ["not positive"]),
    "position of four": (lambda: da.Particle(m, dynamicsymbols("q1:5")), ["1, 2 or 3"]),
    "force of another length": (lambda: da.Particle(m, (x, y), (1,)), ["1 components, the position 2"]),
    "velocity in a potential": (
        lambda: da.System.from_particles([da.Particle(m, x)], potential=x.diff()), ["velocity"]),
    "no particles": (lambda: da.System.from_particles([]), ["no particles"]),
    "foreign start": (lambda: make(initial={z: 1}), ["neither a coordinate"]),
    "moving start": (lambda: make(initial={x: y}), ["only parameters"]),
    "end that is no number": (lambda: make(until="soon"), ["finite number"]),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_statement_is_refused_with_its_reason(name):
    call, words = BAD[name]
    message = faults(call)
    for word in words:
        assert word in message


def test_every_fault_comes_in_one_error():
    message = faults(
        lambda: make(L=L + x.diff(t, 2) + oo, forces={z: 1}, parameters={m: "heavy", g: float("inf")}, initial={z: 0})
    )
    for word in ("acceleration", "not finite", "force on z", "parameter m", "parameter g", "initial state names z"):
        assert word in message


def test_error_reads_well():
    with pytest.raises(da.ModelError) as caught:
        make(forces={z: 1}, parameters={m: "heavy"}, name="Ring")
    assert str(caught.value).splitlines()[0] == "System 'Ring': 2 faults"


def test_unevaluated_forms_are_made_canonical():
    """What is stored does not depend on how an expression was written down."""
    factored = (2 * x + 2 * y).factor()
    assert da.Holonomic(factored) == da.Holonomic(2 * x + 2 * y)


def test_free_functions_may_stand_in_a_statement():
    V = Function("V")(x, y)
    equations = da.System.from_lagrangian(L - V, [x, y]).equations()
    assert Matrix([-V.diff(x), -m * g - V.diff(y)]) == equations.Q


def test_time_dependent_gyroscopic_and_moving():
    """L with explicit time and a term linear in velocity; a constraint that moves."""
    w = Symbol("w", positive=True)
    system = da.System.from_lagrangian(
        m * t * x.diff() ** 2 / 2 + m * y.diff() ** 2 / 2 + sin(t) * y * x.diff() + cos(x) * t,
        [x, y],
        constraints=[da.Holonomic(y - x * sin(w * t))],
    )
    equations = system.equations()
    assert Matrix([[m * t, 0], [0, m]]) == equations.M
    expected = Matrix([-t * sin(x) - m * x.diff() - cos(t) * y - sin(t) * y.diff(), sin(t) * x.diff()])
    assert (equations.Q - expected).expand() == Matrix([0, 0])
    assert (equations.A - Matrix([[-sin(w * t), 1]])).expand() == Matrix([[0, 0]])
    moving = 2 * x.diff() * w * cos(w * t) - x * w**2 * sin(w * t)
    assert (equations.b - Matrix([moving])).expand() == Matrix([0])
