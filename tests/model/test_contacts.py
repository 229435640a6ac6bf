"""Contacts and dry friction as they are stated: values like all others, in Python and in files, bad ones refused."""

import pickle

import pytest
from sympy import Abs, Eq, Float, Function, Integer, Matrix, Piecewise, Rational, cos, sin, sqrt, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.model.saving import dumps
from model.file_support import VALUED, read

t = dynamicsymbols._t
x, y, z, theta = dynamicsymbols("x y z theta")
m, g, R, mu, e, v = symbols("m g R mu e v", real=True)
positive = symbols("p", positive=True)
L = m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y


def on_plane(*constraints, **more):
    return da.System.from_lagrangian(L, [x, y], constraints=constraints, **more)


def friction(*args, **options):
    return on_plane(da.Holonomic(y, "floor", da.Coulomb(*args, **options)), da.Holonomic(x, "wall"))


SYSTEMS = {
    "contact": on_plane(da.OneSided(y, name="table")),
    "unnamed": on_plane(da.OneSided(y), da.OneSided(R - x, 1)),
    "moving": on_plane(da.OneSided(y - R * sin(t), Rational(1, 3), "piston")),
    "restitution": on_plane(da.OneSided(y, e / 2, "table"), parameters={e: 0.8}),
    "restitution in decimals": on_plane(da.OneSided(y, 0.8, "table")),
    "restitution 0.0": on_plane(da.OneSided(y, 0.0, "table")),
    "contact with drag": on_plane(da.OneSided(y, name="table", nature=da.Viscous(mu))),
    "rough impacts": on_plane(da.OneSided(y, e, "table", da.Coulomb(mu), impact_friction=True)),
    "static": friction(mu, 2 * mu),
    "actual": friction(0.2, normal="actual"),
    "sliding": friction(mu, sliding=x.diff() - v),
    "sliding that depends on the place": friction(mu, sliding=sin(x) * x.diff() + t * y.diff() - v * cos(t)),
    "sliding in two directions": friction(mu, sliding=[x.diff(), y.diff() + x]),
    "sliding in two": friction(mu, sliding=(y.diff(), x.diff() - v)),
    "of one": friction(mu, of="wall"),
    "of two": friction(mu, of=["floor", "wall"]),
    "everything": friction(mu, mu + 1, "ideal", sliding=[x.diff() - v, y.diff()], of=("wall", "floor")),
}


@pytest.fixture(params=SYSTEMS)
def system(request):
    return SYSTEMS[request.param]


class TestValues:
    def test_a_file_holds_it(self, system, tmp_path):
        system.save(tmp_path / "model.toml")
        again = da.System.load(tmp_path / "model.toml")
        assert again == system
        assert hash(again) == hash(system)
        assert dumps(again) == dumps(system)

    def test_pickle(self, system):
        assert pickle.loads(pickle.dumps(system)) == system
        for constraint in system.constraints:
            again = pickle.loads(pickle.dumps(constraint))
            assert again == constraint
            assert hash(again) == hash(constraint)

    def test_each_differs_from_the_others(self):
        assert len(set(SYSTEMS.values())) == len(SYSTEMS)

    def test_what_is_usual_may_be_left_out(self):
        assert da.OneSided(y) == da.OneSided(y, Integer(0), "", da.Ideal(), False)
        assert da.Coulomb(mu) == da.Coulomb(mu, None, "ideal", sliding=None, of=())
        assert da.Coulomb(mu, of="a") == da.Coulomb(mu, of=["a"])
        assert da.Coulomb(mu, sliding=x.diff()) == da.Coulomb(mu, sliding=[x.diff()])
        assert da.Coulomb(mu, sliding=Matrix([x.diff(), y.diff()])) == da.Coulomb(mu, sliding=(x.diff(), y.diff()))

    def test_frozen(self):
        with pytest.raises(AttributeError):
            da.OneSided(y).restitution = 1
        with pytest.raises(AttributeError):
            da.Coulomb(mu).normal = "actual"

    def test_their_parameters_are_parameters_of_the_system(self):
        assert SYSTEMS["restitution"].symbols == (e, g, m)
        assert SYSTEMS["sliding"].symbols == (g, m, mu, v)

    def test_a_file_says_no_more_than_was_stated(self):
        assert "restitution" not in dumps(SYSTEMS["contact"])
        assert "impact_friction" not in dumps(SYSTEMS["restitution"])
        assert not any(word in dumps(friction(mu)) for word in ("static", "normal", "sliding", "of ="))


FILE = """
name = "Sphere in a groove"
coordinates = ["x", "y"]
lagrangian = "m/2*(x'^2 + y'^2) - m*g*y"

[parameters]
m = 1.0
g = 9.81
mu = 0.2
e = 0.5
v = 2

[[constraints]]
name = "left"
one_sided = "y - x"
restitution = "e/2"
impact_friction = true
nature = { coulomb = "mu", static = "2*mu", normal = "ideal", sliding = "x' + y' - v", of = ["left", "right"] }

[[constraints]]
name = "right"
one_sided = "y + x + sin(t)"
restitution = 0.25

[constraints.nature]
coulomb = 0.1
sliding = ["x'", "y' - v*x"]
of = "left"
"""


def test_a_file_and_python_state_the_same():
    left = da.Coulomb(mu, 2 * mu, "ideal", sliding=x.diff() + y.diff() - v, of=["left", "right"])
    right = da.Coulomb(0.1, sliding=[x.diff(), y.diff() - v * x], of="left")
    assert read(FILE) == da.System.from_lagrangian(
        L,
        [x, y],
        constraints=[
            da.OneSided(y - x, e / 2, "left", left, impact_friction=True),
            da.OneSided(y + x + sin(t), 0.25, "right", right),
        ],
        parameters={m: 1.0, g: 9.81, mu: 0.2, e: 0.5, v: 2},
        name="Sphere in a groove",
    )


def test_impact_friction_may_be_denied():
    text = VALUED + "[[constraints]]\none_sided = 'y'\nimpact_friction = false\nrestitution = 0"
    assert read(text).constraints == (da.OneSided(y, name="constraint 1"),)


def faults(call):
    with pytest.raises(da.ModelError) as caught:
        call()
    return caught.value.faults


f = Function("f")
BAD = {  # what is called, and what each of its faults says
    "velocity in a contact": (lambda: da.OneSided(x.diff()), ["contains the velocity x': a contact is"]),
    "relation": (lambda: da.OneSided(x >= y), ["write (x(t)) - (y(t)), which is kept from falling below zero"]),
    "relation the other way": (lambda: da.OneSided(x < 1), ["write (1) - (x(t))"]),
    "equation": (lambda: da.OneSided(Eq(x, y)), ["write (x(t)) - (y(t))"]),
    "2 >= 0": (lambda: da.OneSided(2), ["2 >= 0, which always holds, contains no coordinate"]),
    "-1 >= 0": (lambda: da.OneSided(-1), ["-1 >= 0, which can never hold"]),
    "time only": (lambda: da.OneSided(sin(t)), ["contains no coordinate"]),
    "text": (lambda: da.OneSided("y"), ["text"]),
    "reaction": (lambda: da.OneSided(y - da.multiplier("a")), ["constraint force"]),
    "restitution below 0": (lambda: da.OneSided(y, -0.1), ["the restitution is -0.1"]),
    "restitution above 1": (lambda: da.OneSided(y, Rational(11, 10)), ["the restitution is 11/10, a number from"]),
    "restitution plainly negative": (lambda: da.OneSided(y, -positive), ["a number from 0 to 1"]),
    "restitution plainly above 1": (lambda: da.OneSided(y, 1 + positive), ["a number from 0 to 1"]),
    "restitution that moves": (lambda: da.OneSided(y, x), ["changes along a motion"]),
    "restitution in time": (lambda: da.OneSided(y, cos(t)), ["changes along a motion"]),
    "restitution of the speed": (lambda: da.OneSided(y, 1 / (1 + y.diff() ** 2)), ["changes along a motion"]),
    "restitution by a reaction": (lambda: da.OneSided(y, da.multiplier("a")), ["constraint force"]),
    "restitution as text": (lambda: da.OneSided(y, "e"), ["the restitution is the text"]),
    "name in the place of the restitution": (lambda: da.OneSided(y, "table"), ["the restitution is the text 'table'"]),
    "impact_friction no truth": (lambda: da.OneSided(y, impact_friction=1, nature=da.Coulomb(1)), ["True or False"]),
    "impact_friction without": (lambda: da.OneSided(y, impact_friction=True), ["needs the nature Coulomb"]),
    "impact_friction with drag": (
        lambda: da.OneSided(y, nature=da.Viscous(1), impact_friction=True), ["needs the nature Coulomb"]),
    "all of a contact": (
        lambda: da.OneSided(x.diff(), 2, "a\"b", None, True),
        ["velocity x'", "from 0 to 1", "needs the nature Coulomb", "contains a quote", "the nature is None"]),
    "negative static": (lambda: da.Coulomb(0, static=-1), ["static=-1 is negative", "static=-1 is below mu=0"]),
    "static below": (lambda: da.Coulomb(positive, positive / 2), ["static=p/2 is below mu=p"]),
    "law": (lambda: da.Coulomb(mu, normal="true"), ["normal is 'true'; it can be 'ideal' or 'actual'"]),
    "sliding without velocity": (lambda: da.Coulomb(mu, sliding=x - v), ["sliding is -v + x(t), which contains no"]),
    "sliding zero": (lambda: da.Coulomb(mu, sliding=0), ["sliding is 0, which contains no velocity"]),
    "sliding squared": (lambda: da.Coulomb(mu, sliding=x.diff() ** 2), ["not linear in the velocities"]),
    "sliding mixed": (lambda: da.Coulomb(mu, sliding=x.diff() * y.diff()), ["not linear"]),
    "sliding as a size": (lambda: da.Coulomb(mu, sliding=Abs(x.diff())), ["not linear"]),
    "sliding as a length": (lambda: da.Coulomb(mu, sliding=sqrt(x.diff() ** 2 + y.diff() ** 2)), ["not linear"]),
    "sliding over a velocity": (lambda: da.Coulomb(mu, sliding=[x.diff(), x / y.diff()]), ["sliding[2] is", ]),
    "sliding by cases of velocity": (
        lambda: da.Coulomb(mu, sliding=Piecewise((x.diff(), y.diff() > 0), (0, True))), ["not linear"]),
    "sliding by a function": (lambda: da.Coulomb(mu, sliding=f(x.diff())), ["not linear"]),
    "sliding with a reaction": (lambda: da.Coulomb(mu, sliding=x.diff() + da.multiplier("a")), ["constraint force"]),
    "sliding in four": (lambda: da.Coulomb(mu, sliding=[x.diff()] * 4), ["sliding has 4 components, one or two"]),
    "sliding in none": (lambda: da.Coulomb(mu, sliding=[]), ["sliding has 0 components"]),
    "sliding as text": (lambda: da.Coulomb(mu, sliding="x'"), ["sliding is the text"]),
    "of no name": (lambda: da.Coulomb(mu, of=[3]), ["of has 3; the name of a constraint is meant"]),
    "of nothing": (lambda: da.Coulomb(mu, of=None), ["of has None"]),
    "of twice": (lambda: da.Coulomb(mu, of=["a", "b", "a"]), ["of names the constraint 'a' more than once"]),
    "all of friction": (
        lambda: da.Coulomb(-1, "s", "other", sliding=[x, x.diff() ** 3], of=4),
        ["mu=-1", "static is the text", "normal is 'other'", "sliding[1]", "sliding[2]", "of has 4"]),
    "of an unknown constraint": (
        lambda: friction(mu, sliding=x.diff(), of="celing"), ["'floor' is pressed by the constraint 'celing'"]),
    "sliding of an unknown coordinate": (lambda: friction(mu, sliding=z.diff()), ["z(t), which is not a coordinate"]),
    "friction on what moves": (
        lambda: on_plane(da.OneSided(y - sin(t), name="piston", nature=da.Coulomb(mu))),
        ["'piston', Coulomb: the constraint moves by itself, and how fast its surface slides cannot be told; give it: "
         "Coulomb(mu, sliding=…)"]),
    "friction between two": (
        lambda: da.System.from_particles(
            [da.Particle(m, x), da.Particle(m, y)], constraints=[da.OneSided(x - y, nature=da.Coulomb(mu))]),
        ["it cannot be told which particle slides, and so not its sliding velocity; give it: Coulomb(mu, sliding=…)"]),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_statement_is_told_every_fault(name):
    call, parts = BAD[name]
    found = faults(call)
    assert len(found) == len(parts), found
    assert all(part in fault for fault, part in zip(found, parts, strict=True)), found


LINEAR = {
    "a velocity": x.diff(),
    "with coefficients": sin(x) * sqrt(1 + y**2) * x.diff() / (1 + t) - R * y.diff(),
    "with what is no velocity": x.diff() - v * cos(t) ** 2,
    "a product of sums": (x.diff() + y.diff()) * (x - y),
    "by cases of place": Piecewise((x.diff(), x > 0), (2 * x.diff() - y, True)),
    "in decimals": Float(0.5) * theta.diff(),
    "by a function of place": f(x) * x.diff() + f(x).diff(x),
}


@pytest.mark.parametrize("name", LINEAR)
def test_what_is_linear_in_the_velocities_is_taken(name):
    assert da.Coulomb(mu, sliding=LINEAR[name]).sliding is not None


def test_given_the_sliding_velocity_friction_goes_between_any_bodies():
    points = [da.Particle(m, x), da.Particle(m, y)]
    da.System.from_particles(
        points, constraints=[da.OneSided(x - y, nature=da.Coulomb(mu, sliding=x.diff() - y.diff()))]
    )
    on_plane(da.OneSided(y - sin(t), nature=da.Coulomb(mu, sliding=x.diff())))


CONTACT = VALUED + '[[constraints]]\nname = "table"\none_sided = "y"\n'
FLOOR = VALUED + '[[constraints]]\nname = "floor"\nholonomic = "y"\n'
BAD_FILES = {  # file: what each of its faults says, in the order of the file
    VALUED + "[[constraints]]\none_sided = \"y'\"": ["line 7, column 14, in constraints[1].one_sided: a one_sided"],
    VALUED + "[[constraints]]\none_sided = 'y >= x'": ["line 7, column 16, in constraints[1].one_sided: write left"],
    VALUED + "[[constraints]]\none_sided = 'y < x'": ["write right - left: the expression is understood to be >= 0"],
    VALUED + "[[constraints]]\none_sided = 'y == x'": ["understood to be >= 0"],
    VALUED + "[[constraints]]\nholonomic = 'y >= x'": ["holonomic constraint is no inequality; a contact is stated by"],
    VALUED + "[[constraints]]\none_sided = 'R'": ["contains no coordinate"],
    VALUED + "[[constraints]]\none_sided = 'y'\nholonomic = 'x'": ["is holonomic and one_sided at once"],
    VALUED + "[[constraints]]\none_side = 'y'": ["did you mean 'one_sided'?"],
    CONTACT + "restitution = 1.5": ["line 9: constraints[1].restitution: the restitution is 1.5, a number from 0 to 1"],
    CONTACT + "restitution = -1": ["line 9: constraints[1].restitution: the restitution is -1"],
    CONTACT + "restitution = 'x'": ["line 9: constraints[1].restitution: the restitution x(t) changes along"],
    CONTACT + "restitution = 't*R'": ["changes along a motion"],
    CONTACT + "restitution = 'q'": ["line 9, column 16, in constraints[1].restitution: unknown name q"],
    CONTACT + "restitution = true": ["constraints[1].restitution is true, an expression in quotes or a number"],
    CONTACT + "restitution = 'multiplier(\"table\")'": ["can only be used in a constraint's nature"],
    CONTACT + "restituton = 1": ["did you mean 'restitution'?"],
    CONTACT + "impact_friction = 1": ["line 9: constraints[1].impact_friction is 1, true or false is meant"],
    CONTACT + "impact_friction = 'yes'": ["is the text 'yes', true or false is meant (without quotes)"],
    CONTACT + "impact_friction = true": ["line 9: constraints[1].impact_friction needs nature = { coulomb"],
    CONTACT + "impact_friction = true\nnature = { viscous = 1 }": ["needs nature = { coulomb"],
    FLOOR + "restitution = 1\nimpact_friction = true": [
        "line 9: constraints[1].restitution goes with one_sided, not with holonomic",
        "line 10: constraints[1].impact_friction goes with one_sided, not with holonomic",
    ],
    VALUED + "[[constraints]]\nrestitution = 1": ["constraints[1] does not say what it is; give one of holonomic"],
    FLOOR + "nature = { viscous = 1, normal = 'actual', sliding = \"x'\", of = 'floor' }": [
        "normal goes with coulomb, not with viscous", "sliding goes with", "of goes with coulomb"
    ],
    FLOOR + "nature = { coulomb = 1, normal = 'actul' }": ["nature.normal is the text 'actul'; it can be 'ideal' or"],
    FLOOR + "nature = { coulomb = 1, normal = 1 }": ["nature.normal is 1; it can be 'ideal' or 'actual'"],
    FLOOR + "nature = { coulomb = -1, static = -2 }": ["mu=-1 is", "static=-2 is neg", "static=-2 is below"],
    FLOOR + "nature = { coulomb = 1, sliding = 'x' }": ["nature.sliding is x(t), which contains no velocity"],
    FLOOR + "nature = { coulomb = 1, sliding = 0 }": ["nature.sliding is 0, which contains no velocity"],
    FLOOR + "nature = { coulomb = 1, sliding = \"x'^2\" }": ["which is not linear in the velocities"],
    FLOOR + "nature = { coulomb = 1, sliding = [\"x'*y'\", 'y'] }": ["sliding[1] is", "sliding[2] is y(t)"],
    FLOOR + "nature = { coulomb = 1, sliding = [] }": ["nature.sliding has 0 components, one or two are meant"],
    FLOOR + "nature = { coulomb = 1, sliding = [1, 2, 3, 4] }": ["nature.sliding has 4 components"],
    FLOOR + "nature = { coulomb = 1, sliding = { x = 1 } }": ["nature.sliding is a table, an expression in quotes"],
    FLOOR + "nature = { coulomb = 1, sliding = 'ideal(x)' }": ["can only be used in a constraint's nature"],
    FLOOR + "[constraints.nature]\ncoulomb = 1\nof = 'flor'": [
        "line 11: constraints[1].nature.of names 'flor', which is no constraint; did you mean 'floor'?"
    ],
    FLOOR + "nature = { coulomb = 1, of = ['floor', 3, 'floor'] }": ["of[2] is 3, the name", "of[3] names"],
    FLOOR + "nature = { coulomb = 1, of = true }": ["nature.of is true, the name of a constraint in quotes is meant"],
    FLOOR.replace('c = "y"', 'c = "y - t"') + "nature = { coulomb = 1 }": ["the constraint moves by itself"],
}  # fmt: skip


@pytest.mark.parametrize(
    "text", BAD_FILES, ids=[" ".join(text.removeprefix(VALUED).split())[-60:] for text in BAD_FILES]
)
def test_a_bad_file_is_told_every_fault(text):
    found, parts = faults(lambda: read(text)), BAD_FILES[text]
    assert len(found) == len(parts), found
    assert all(part in fault for fault, part in zip(found, parts, strict=True)), found


def test_all_faults_of_a_contact_come_in_one_error():
    text = CONTACT.replace('d = "y"', 'd = "y +"') + (
        "restitution = 'q'\nimpact_friction = 0\n[constraints.nature]\n"
        "coulomb = '-'\nstatic = 'k'\nnormal = 'no'\nsliding = ['y', \"k'\"]\nof = ['a', 'table']\n"
    )
    lines = [int(fault.split()[1].rstrip(":,")) for fault in faults(lambda: read(text))]
    assert lines == [8, 9, 10, 12, 13, 14, 15, 15, 16]
