"""Model files: the example is read as stated, and of a bad file every fault is told at its place."""

import re

import pytest
from sympy import symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.model.files import LARGEST
from dalembert.model.sheet import MAX_FAULTS
from model.file_support import BASE, RING, VALUED, read

x, y = dynamicsymbols("x y")


def test_the_ring_of_the_design_is_what_python_states():
    m, g, R, mu = symbols("m g R mu", real=True)
    assert read(RING) == da.System.from_lagrangian(
        m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y,
        [x, y],
        constraints=[da.Holonomic(x**2 + y**2 - R**2, name="ring", nature=da.Coulomb(mu))],
        parameters={m: 1.0, g: 9.81, R: 1.0, mu: 0.2},
        name="Bead on a rough ring",
        initial={x: R},
        until=10,
    )


def test_line_ends_and_a_mark_at_the_beginning_do_not_matter(tmp_path):
    (tmp_path / "ring.toml").write_bytes(b"\xef\xbb\xbf" + RING.replace("\n", "\r\n").encode())
    assert da.System.load(tmp_path / "ring.toml") == read(RING)


def faults(text):
    with pytest.raises(da.ModelError) as raised:
        read(text)
    return list(raised.value.faults)


ONE = '[[constraints]]\nname = "ring"\nholonomic = "x^2 + y^2 - R^2"\n'
POINTS = '[[particles]]\nmass = 1\nposition = ["x", "y"]\n'

BAD = {  # file: what each of its faults says, in the order of the file
    # the file as a whole
    "": ["none of them", "there are no coordinates"],
    BASE + "mass = [[1, 0], [0, 1]]\nsymbols = ['m']": ["this one has lagrangian and mass"],
    'coordinates = ["x"]': ["this one has none of them"],
    'lagrangian = "1"': ["there are no coordinates; give them by coordinates ="],
    'coordinates = []\nlagrangian = "1"': ["there are no coordinates"],
    "particles = []": ["there are no coordinates; give them by position"],
    "lagrangien = 1\n" + VALUED: ["line 1: unknown key 'lagrangien' in the file; did you mean 'lagrangian'?"],
    "qqq = 1\n" + VALUED: ["unknown key 'qqq' in the file; known are name, coordinates"],
    "name = 3\n" + VALUED: ["line 1: name is 3, a text in quotes is meant"],
    "potential = 'x'\nimpressed = []\n" + VALUED: ["potential does not go with lagrangian", "impressed does not go"],
    "forces = {}\ncoordinates = ['x']\n" + POINTS: ["forces does not go with", "positions of the particles give them"],
    # names
    "coordinates = 'x'\nlagrangian = 1": ["coordinates is the text 'x', a list of names is meant"],
    "coordinates = [1, 'y', ['z'], {}]\nlagrangian = 'y'": ["coordinates[1] is 1, the name", "a list", "a table"],
    "coordinates = [\n 'x',\n 'x',\n]\nlagrangian = 'x'": ["line 3: the coordinate x is given twice"],
    "coordinates = ['t', 'x']\nlagrangian = 'x+t'": ["line 1: the coordinate cannot be called 't': that is the time"],
    "coordinates = ['x', 'sin', 'ideal']\nlagrangian = 'x'": ["called 'sin'", "called 'ideal'"],
    "coordinates = ['__class__', 'x y', '1x', 'os.system', '', 'é']\nlagrangian = '1x + x y'": [
        "'__class__' cannot be a name", "'x y'", "'1x'", "'os.system'", "an empty text", "'é'"
    ],
    "coordinates = ['" + "x" * 65 + "']\nlagrangian = 0": ["at most 64 letters"],
    BASE + "[parameters]\nm = 1\nx = 2": ["line 5: x is both a coordinate and a parameter"],
    BASE + "symbols = ['m', 'm']": ["the parameter m is given twice"],
    BASE + "symbols = ['m']\n[parameters]\nm = 1": ["line 3: the parameter m is given twice"],
    BASE + "symbols = ['m', [1]]": ["symbols[2] is a list, the name of a parameter in quotes is meant"],
    BASE + "[parameters]\nm = 1\npi = 3\n'a.b' = 1\n__import__ = 2": ["'pi'", "'a.b'", "'__import__'"],
    # parameters and assumptions
    "parameters = 3\n" + BASE: ["write [parameters] on a line of its own"],
    BASE + "[parameters]\nm = '1'": ["line 4: parameters.m is the text '1', a number is meant (without quotes)"],
    BASE + "[parameters]\nm = inf\nR = nan\nk = -inf": ["m is inf, a finite", "R is nan, a finite", "k is -inf"],
    BASE + "[parameters]\nm = true\nR = 2020-01-01\nk = 07:32:00\nl = 1979-05-27T07:32:00Z": [
        "m is true, a number", "R is the date 2020-01-01, a number", "the time 07:32:00", "date 1979-05-27T07:32"
    ],
    BASE + "[parameters]\nm = []\nR = {}": ["a list with nothing in it, a number", "a table with nothing in it"],
    BASE + "[parameters]\nm = 1" + "0" * 400: ["more than 40 digits, a finite number is meant"],
    BASE + "[parameters]\nm = 0x1" + "0" * 9000: ["more than 40 digits, a finite number is meant"],
    BASE + "[parameters]\nm = 1" + "0" * 4300: ["a number or a date that cannot be read"],
    "lagrangian = 3\n[parameters]\nm = 1\ncoordinates = ['x']": ["no coordinates", "belongs above the first [heading]"],
    VALUED + "[assumptions]\npositve = ['m']": ["'positve' in assumptions; did you mean 'positive'?"],
    VALUED + "[assumptions]\neven = ['m']": ["unknown key 'even' in assumptions"],
    VALUED + "[assumptions]\npositive = 'm'": ["assumptions.positive is the text 'm', a list of names is meant"],
    VALUED + "[assumptions]\nreal = ['M', 'x']": ["line 7: assumptions.real names 'M'", "names 'x', which is"],
    VALUED + "[assumptions]\nreal = [['m'], {a = 1}, 3]": ["real[1] is a list", "real[2] is a table", "real[3] is 3"],
    VALUED + "[assumptions]\nnegative = ['m']\npositive = ['m']": ["assumptions about m contradict one another"],
    VALUED + "[assumptions]\nnone = ['m']\nreal = ['m']": ["m is named in assumptions.none and in another"],
    "assumptions = 3\n" + VALUED: ["assumptions is 3, a table is meant"],
    # the unconstrained system
    'coordinates = ["x"]\nlagrangian = true': ["lagrangian is true, an expression in quotes or a number is meant"],
    'coordinates = ["x"]\nlagrangian = nan': ["lagrangian is nan, a finite number is meant"],
    'coordinates = ["x"]\nlagrangian = 1e400': ["lagrangian is inf, a finite number is meant"],
    'coordinates = ["x"]\nlagrangian = 1e305': ["beyond 1e+300"],
    'coordinates = ["x"]\nlagrangian = ""': ["line 2, column 15, in lagrangian: the expression is empty"],
    'coordinates = ["x"]\nlagrangian = "x\'\'"': ["line 2, column 16, in lagrangian: an acceleration cannot appear"],
    VALUED + "[forces]\nz = 1": ["forces.z is not a coordinate"],
    "forces = ['m']\n" + VALUED: ["forces is a list, a table is meant"],
    "coordinates = ['x']\nmass = [[1]]": ["mass needs impressed"],
    "coordinates = ['x']\nmass = 3\nimpressed = [0]": ["mass is 3, a list of rows is meant"],
    "coordinates = ['x']\nmass = [1]\nimpressed = 1": ["mass[1] is 1, a list of expr", "impressed is 1, a list"],
    "coordinates = ['x']\nmass = [[1, 2]]\nimpressed = [0, 1]": ["not a matrix of 1 rows", "2 forces for 1 coord"],
    "coordinates = ['x', 'y']\nmass = [\n [1, 'x'],\n ['y', 1],\n]\nimpressed = [0, 0]": ["line 4: mass[2][1] and"],
    "coordinates = ['x']\nmass = [[true]]\nimpressed = [2020-01-01]": ["mass[1][1] is true", "impressed[1] is"],
    "[[particles]]": ["no coordinates", "has no mass", "has no position"],
    "[[particles]]\nposition = 'x'": ["line 1: particles[1] has no mass"],
    POINTS + "force = [1]": ["the force has 1 components, the position 2"],
    POINTS + "forces = 1": ["unknown key 'forces' in particles[1]; did you mean 'force'?"],
    POINTS + POINTS: ["line 6: the coordinate x is given twice", "line 6: the coordinate y is given twice"],
    "particles = {}": ["particles is a table with nothing in it, a list of tables is meant: write [[particles]]"],
    "particles = [1]": ["there are no coordinates", "particles[1] is 1, a table is meant"],
    "[[particles]]\nmass = 't'\nposition = 'x'": ["the mass t is not constant"],
    "[[particles]]\nmass = -1\nposition = 'x'": ["the mass -1 is not positive"],
    "[[particles]]\nmass = 1\nposition = ['a', 'b', 'c', 'd']": ["a point has 1, 2 or 3"],
    "potential = \"x'\"\n" + POINTS: ["the potential contains a velocity"],
    # constraints
    VALUED + ONE + ONE: ["line 10: the constraint name 'ring' is given twice"],
    VALUED + "[[constraints]]": ["line 6: constraints[1] does not say what it is; give one of holonomic"],
    VALUED + "[constraints]\nholonomic = 'x'": ["constraints is a table, a list of tables is meant: write [["],
    "constraints = [3]\n" + VALUED: ["constraints[1] is 3, a table is meant"],
    VALUED + "[[constraints]]\nholonomic = 'x'\nnonholonomic = 'x'": ["is holonomic and nonholonomic at once"],
    VALUED + "[[constraints]]\nholonomic = \"x'\"": ["line 7, column 14, in constraints[1].holonomic: a holonomic"],
    VALUED + "[[constraints]]\nnonholonomic = 'x'": ["contains no velocity"],
    VALUED + "[[constraints]]\nholonomic = 'R'": ["contains no coordinate: it constrains nothing"],
    VALUED + "[[constraints]]\nholonomic = 'x = y'": ["line 7, column 16, in constraints[1].holonomic: write left"],
    VALUED + "[[constraints]]\nholonomic = 'ideal(x)'": ["can only be used in a constraint's nature"],
    VALUED + "[[constraints]]\nholonomic = 'x'\nname = 3": ["constraints[1].name is 3, a text in quotes"],
    VALUED + "[[constraints]]\nholonomic = 'x'\nname = 'a\"b'": ["contains a quote"],
    VALUED + "[[constraints]]\nholonomic = 'x'\nlagrangian = 1": ["lagrangian belongs above the first [heading]"],
    VALUED + "[[constraints]]\ndifferential = 'x'": ["a table of expressions by coordinate is meant"],
    VALUED + "[[constraints]]\ndifferential = { z = 1, x = 'q' }": ["z is neither a coordinate nor t", "name q"],
    VALUED + "[[constraints]]\ndifferential = { t = 1 }": ["it constrains nothing"],
    VALUED + "[[constraints]]\ndifferential = { x = \"y'\" }": ["contains the velocity y': use Nonholonomic"],
    VALUED + ONE + "nature = 'coulomb'": ["nature is the text 'coulomb'; give a table"],
    VALUED + ONE + "nature = {}": ["nature does not say what it is"],
    VALUED + ONE + "nature = { colomb = 1 }": ["did you mean 'coulomb'?"],
    VALUED + ONE + "nature = { viscous = 1, coulomb = 1 }": ["viscous and coulomb at once"],
    VALUED + ONE + "nature = { viscous = 1, static = 1 }": ["static goes with coulomb, not with viscous"],
    VALUED + ONE + "nature = { coulomb = -1 }": ["mu=-1 is negative"],
    VALUED + ONE + "nature = { coulomb = 1, static = 0.5 }": ["static=0.5"],
    VALUED + ONE + "nature = { coulomb = true }": ["nature.coulomb is true"],
    VALUED + ONE + "nature = { prescribed = 3 }": ["prescribed is 3, a table of expressions by coordinate"],
    VALUED + ONE + "nature = { prescribed = [1] }": ["has 1 components for 2 coordinates"],
    VALUED + ONE + "nature = { prescribed = { z = 1 } }": ["prescribed.z is not a coordinate"],
    VALUED + ONE + "nature = { prescribed = { x = 'ideal(x, \"rong\")' } }": ["named rong; did you mean ring"],
    VALUED + ONE + "nature = { viscous = 'multiplier(ring)' }": ["in double quotes"],
    POINTS + "[[particles]]\nmass = 1\nposition = 'z'\n[[constraints]]\nholonomic = 'x - z'\nnature.coulomb = 1": [
        "it cannot be told which particle slides"
    ],
    # start and run
    VALUED + "[start]\nz = 1\nx = 'y'\ny = 't'": ["start.z is neither", "unknown name y", "the time t cannot"],
    VALUED + "[start]\n\"x''\" = 1": ["start.x'' is neither a coordinate nor a velocity; did you mean \"x'\""],
    VALUED + "[start]\nx = false": ["start.x is false, an expression"],
    "start = 1\n" + VALUED: ["start is 1, a table is meant"],
    VALUED + "[run]\nuntil = '10'": ["run.until is the text '10', a number is meant"],
    VALUED + "[run]\nuntil = inf": ["run.until is inf, a finite number"],
    VALUED + "[run]\nuntil = true": ["run.until is true, a number"],
    VALUED + "[run]\nutil = 1": ["unknown key 'util' in run; did you mean 'until'?"],
    "run = []\n" + VALUED: ["run is a list with nothing in it, a table"],
    # limits
    'coordinates = ["x"]\nlagrangian = "x^1001"': ["1000"],
    'coordinates = ["x"]\nlagrangian = "' + "sin(" * 100 + "x" + ")" * 100 + '"': ["64 deep"],
    'coordinates = ["x"]\nlagrangian = "' + "x + " * 10500 + 'x"': ["40000"],
    'coordinates = ["x"]\nlagrangian = "' + "+".join(f"x^{i}" for i in range(2, 900)) + '"\n[forces]\nx = "'
    + "7/5*(" * 49 + "+".join(f"x^{i}" for i in range(2, 900)) + ")" * 49 + '"': ["too much work"],
}  # fmt: skip


@pytest.mark.parametrize("text", BAD, ids=[re.sub(r"\s+", " ", text[-40:]) for text in BAD])
def test_a_bad_file_is_told_every_fault(text):
    found, parts = faults(text), BAD[text]
    assert len(found) == len(parts), found
    assert all(part in fault for fault, part in zip(found, parts, strict=True)), found


SYNTAX = {
    'name = "a\n': ("line 1, column 10", "the closing quote is missing"),
    "a = [1\nb = 2": ("line 2, column 1", "unclosed array"),
    "lagrangian = x + y": ("line 1, column 14", "stands in quotes"),
    "m = .5": ("line 1, column 5", "a number begins with a digit"),
    "[start]\nx' = 1": ("line 2, column 2", '"x\'" = 1'),
    "\nlagrangian = 'x'^2'": ("line 2, column 17", "double quotes"),
    "[parameters]\nm = 0,5": ("line 2, column 6", "with a point: 0.5"),
    "m = 1 kg": ("line 1, column 7", "nothing but a comment"),
    "m = 1\nm = 2\n": ("line 2, column 6", "given twice"),
    "[constraints]\n[constraints]": ("line 2, column 13", "[[ ]]"),
    "α = 1": ("line 1, column 1", "in quotes"),
    'lagrangian = "\\alpha"': ("line 1, column 17", "no backslash"),
    "a": ("line 1, column 2", "name = value"),
}


@pytest.mark.parametrize("text", SYNTAX)
def test_what_is_not_toml_is_shown_and_explained(text):
    place, part = SYNTAX[text]
    (fault,) = faults(text)
    assert fault.startswith(f"{place}: not valid TOML: ")
    assert part in fault
    _, line, caret = fault.split("\n")
    number, column = map(int, re.findall(r"\d+", place))
    assert line.strip() == text.split("\n")[number - 1].strip()
    assert caret == " " * (column + 3) + "^"


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"name = '\xff'", "not UTF-8 text (byte 9)"),
        (RING.encode("utf-16"), "not UTF-8"),
        (b"#" * (LARGEST + 1), f"larger than {LARGEST} bytes"),
        (b"a = " + b"[" * 50_000, "nested too deeply"),
        (b"a = " + b"{a = " * 20_000, "nested too deeply"),
        (b".".join([b"a"] * 100_000) + b" = 1", "joined by dots"),
        (b"[" + b".".join([b"'a'"] * 50_000) + b"]", "joined by dots"),
        (b"\x00", "not valid TOML"),
    ],
)
def test_what_is_no_text_is_refused(data, part, tmp_path):
    (tmp_path / "model.toml").write_bytes(data)
    with pytest.raises(da.ModelError, match=re.escape(part)) as raised:
        da.System.load(tmp_path / "model.toml")
    assert str(tmp_path) in str(raised.value)


def test_all_faults_come_in_one_error_in_the_order_of_the_file():
    text = "colour = 1\n" + BASE + "[parameters]\nm = true\nR = 1\n[start]\nz = 0\n[run]\nuntil = nan\n" + ONE + ONE
    text = text.replace("R^2", "R^2 +").replace("m*x", "q*x")
    lines = [int(re.match(r"line (\d+)", fault).group(1)) for fault in faults(text)]
    assert lines == [1, 3, 5, 8, 10, 13, 15, 16]


def test_there_is_an_end_to_faults():
    found = faults(VALUED + "\n".join(f"p{i} = true" for i in range(3000)))
    assert len(found) == MAX_FAULTS + 1
    assert "more faults" in found[-1]


def test_names_at_fault_hide_only_what_follows_from_them():
    text = (
        "coordinates = ['x', 'y z']\nlagrangian = 'x + y + w*('\nforces = { y = 'w', x = 'x +* 2' }\nstart = { y = 1 }"
    )
    found = faults(text)
    assert [re.match(r"line \d+", fault).group() for fault in found] == ["line 1", "line 2", "line 3"]


PLACES = [  # text, with the place of the fault marked by ¦
    'coordinates = ["x"]\nlagrangian = "x + ¦q"',
    "coordinates = ['x']\nlagrangian = 'x + ¦q'",
    "coordinates = ['x']\n\n  lagrangian  =  'x * (¦* )'  # 'x * (* )'",
    "# x + q\nname = 'x + q'\ncoordinates = ['x']\nlagrangian = 'x'\nforces = { x = 'x + ¦q' }",
    "coordinates = ['x']\nlagrangian = '''\nx +\n   ¦q +\n 1'''",
    "coordinates = ['x']\nlagrangian = '''x + ¦q'''",
    'coordinates = ["x"]\nlagrangian = """\nx + \\\n   x + \\u0078 + ¦q"""',
    'coordinates = ["x"]\nlagrangian = "x\\t+ \\u0078 + ¦q"',
    'coordinates = ["x", "y"]\nmass = [\n  ["1", "x + y"],  # q\n  ["x + y", "1 + ¦q"],\n]\nimpressed = [0, 0]',
    "coordinates = ['x']\nlagrangian = 'x'\n[[constraints]]\nholonomic = 'x'\nnature = { prescribed = ['¦q*x'] }",
    "coordinates = ['x']\nlagrangian = 'x'\n[[constraints]]\nholonomic = 'x'\nnature.prescribed.x = 'x + ¦q'",
    "coordinates = ['x']\nlagrangian = 'x'\n[[constraints]]\nholonomic = 'x'\n[constraints.nature]\nviscous = '2 + ¦q'",
    "coordinates = ['x']\nlagrangian = 'x'\n[[constraints]]\nholonomic = 'x'\n[[constraints]]\nholonomic = 'x - ¦q'",
    'coordinates = ["x"]\nlagrangian = "x"\n[[constraints]]\nname = "a"\nholonomic = "x"\n'
    'nature = { viscous = "multiplier(\\"a\\") + multiplier(¦\\"b\\")" }',
    "coordinates = ['x']\nlagrangian = 'x'\nconstraints = [{ holonomic = 'x' }, { holonomic = 'x + ¦q' }]",
    "coordinates = ['x']\nlagrangian = 'x'\n[[constraints]]\none_sided = 'x + ¦q'",
    "coordinates = ['x']\nlagrangian = 'x'\n[[constraints]]\none_sided = 'x'\nrestitution = '1/2*¦q'",
    "coordinates = ['x']\nlagrangian = 'x'\n[[constraints]]\none_sided = \"x - ¦x'\"",
    "coordinates = ['x']\nlagrangian = 'x'\n[[constraints]]\nholonomic = 'x'\nnature = { coulomb = 1, static = '¦q' }",
    "coordinates = ['x']\nlagrangian = 'x'\n[[constraints]]\nholonomic = 'x'\n[constraints.nature]\ncoulomb = 1\n"
    'sliding = ["x\'", "x\' - ¦q"]',
    "start = { \"x'\" = '1 + ¦q' }\ncoordinates = ['x']\nlagrangian = 'x'",
    "coordinates = ['x']\nlagrangian = 'x'\n[parameters]\n'm' = 1\n[start]\n\"\\u0078\" = 'm*¦q' # 2020-01-01 10:00:00",
    "coordinates = ['θ']\nlagrangian = \"θ'^2 - ¦q\"",
    "[[particles]]\nmass = 1\nposition = 'x'\n[[particles]]\nmass = 1\nposition = 'y'\nforce = '¦q'",
]


@pytest.mark.parametrize("marked", PLACES)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_caret_points_at_the_place_in_the_file(marked, ends):
    before, text = marked.split("¦")[0], marked.replace("¦", "")
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    (fault,) = faults(text.replace("\n", ends))
    message, shown, caret = fault.split("\n")
    assert message.startswith(f"line {line}, column {column}, in ")
    assert shown == "    " + text.split("\n")[line - 1]
    assert caret == " " * (4 + column - 1) + "^"


@pytest.mark.parametrize(("name", "words"), [("none.toml", "there is no such file"), ("", "cannot be read")])
def test_a_file_that_is_not_there_is_named(tmp_path, name, words):
    path = tmp_path / name  # the folder itself is no file either
    with pytest.raises(da.ModelError, match=re.escape(str(path)) + ".*" + words):
        da.System.load(path)
