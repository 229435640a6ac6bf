"""Any text at all is read as a model file or refused, soon, and nothing in it is executed."""

import random
import time
import tomllib

import pytest
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert import gallery
from dalembert.model.files import LARGEST
from dalembert.model.places import Places
from dalembert.model.saving import dumps
from model.file_support import RING, VALUED, read


def timed(text, limit=1.0):
    """Read or refuse `text`; either must end within a second."""
    begin = time.process_time()
    try:
        system, said = read(text), "nothing"
    except da.ModelError as error:
        system, said = None, str(error)
    assert time.process_time() - begin < limit, text[:300]
    assert 0 < len(said) < 20_000
    return system


SENTINEL = "executed"
INJECTIONS = [
    f"__import__('os').system('touch {SENTINEL}')",
    f"open('{SENTINEL}', 'w')",
    f"exec(\\\"open('{SENTINEL}', 'w')\\\")",
    "x.__class__.__mro__[1].__subclasses__()",
    "(lambda: 0)()",
    f'f\'{{open(\\"{SENTINEL}\\", \\"w\\")}}\'',
    f"[open('{SENTINEL}', 'w') for x in [1]]",
    f"x if open('{SENTINEL}', 'w') else y",
    "__builtins__",
    "x.diff(t)",
    "S.Half",
    "Symbol('q')",
    "{x}",
    "%s",
]


@pytest.mark.parametrize("injected", INJECTIONS)
@pytest.mark.parametrize("where", ["lagrangian", "name", "coordinate", "parameter", "start", "constraint", "nature"])
def test_nothing_is_executed(where, injected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = {
        "lagrangian": RING.replace("m/2*(x'^2 + y'^2) - m*g*y", injected),
        "name": RING.replace("Bead on a rough ring", injected),
        "coordinate": RING.replace('"y"]', f'"y", "{injected}"]'),
        "parameter": RING.replace("mu = 0.2", f'mu = 0.2\n"{injected}" = 1.0'),
        "start": RING.replace('x = "R"', f'x = "R"\n"{injected}" = 1.0'),
        "constraint": RING.replace('"ring"', f'"{injected}"'),
        "nature": RING.replace('"mu"', f'"{injected}"'),
    }[where]
    try:
        system = read(text)
        assert where in ("name", "constraint")  # a title and a label hold any text
        assert read(dumps(system)) == system
    except da.ModelError:
        pass
    assert not any(tmp_path.iterdir())


@settings(deadline=None, max_examples=200, derandomize=True)
@given(st.text(max_size=80))
@example("a = 1e9999999999\n")
@example("a = 0000-00-00")
@example("'' = ''")
@example("[[a]]\n[a.b]\n[[a.b.c]]\n")
def test_any_text_is_read_or_refused(text):
    timed(text)


FRAGMENTS = [
    *("name", "coordinates", "lagrangian", "forces", "mass", "impressed", "particles", "potential", "symbols"),
    *("[parameters]", "[assumptions]", "[[constraints]]", "[start]", "[run]", "[[particles]]", "[constraints.nature]"),
    *("holonomic", "nonholonomic", "differential", "nature", "coulomb", "static", "prescribed", "until", "position"),
    *(" = ", " = ", " = ", "\n", "\n", "\n", "[", "]", "{", "}", ", ", ".", '"', "'", "#", "'''", '"""', "\\"),
    *("1", "-2.5", "true", "nan", "inf", "2020-01-01", "0x" + "f" * 30, "1e400", "[]", "{}", '""', "[[1]]", "9" * 60),
    *('"x"', '"y"', "'m'", "x", "y", '["x"]', '["x", "y"]', '[["x"]]', '"x\'"', '"x^2 - 1"', '"x\'^2"', "positive"),
    *("[1, 2]", '{ coulomb = "x" }', '{ prescribed = ["ideal(x)"] }', "{ x = 1 }", "{ t = 1, x = 'x' }"),
    "coordinates = ['x']\nlagrangian = \"x'^2\"\n",
    "[[constraints]]\nholonomic = 'x'\n",
]


@settings(deadline=None, max_examples=400, derandomize=True)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join))
def test_soup_is_read_or_refused(text):
    timed(text)


LINES = [line for name in gallery.names() for line in gallery.path(name).read_text("utf-8").split("\n")]
VALUES_SOUP = [line.split("=", 1)[1] for line in LINES if "=" in line] + [f" {f}" for f in FRAGMENTS]


def mutated(seed):
    """A gallery file with a few of its characters, lines and values changed."""
    rng = random.Random(seed)
    text = gallery.path(rng.choice(gallery.names())).read_text("utf-8")
    for _ in range(rng.randint(1, 5)):
        lines = text.split("\n")
        place, at = rng.randrange(len(lines)), rng.randrange(len(text) + 1)
        match rng.randrange(7):
            case 0:
                text = text[:at] + text[at + rng.randint(1, 4) :]
            case 1:
                text = text[:at] + rng.choice("[]{}\"'=.,#x1^*( \n\\ˆ\x00é") + text[at:]
            case 2:
                del lines[place]
            case 3:
                lines.insert(place, rng.choice(LINES))
            case 4:
                lines.insert(place, lines[rng.randrange(len(lines))])
            case 5:
                lines[place] = lines[place].split("=")[0] + "=" + rng.choice(VALUES_SOUP)
            case 6:
                lines[place] = rng.choice(FRAGMENTS) + " =" + lines[place].partition("=")[2]
        text = "\n".join(lines) if lines != text.split("\n") else text
    return text


@settings(deadline=None, max_examples=1200, derandomize=True)
@given(st.integers(0, 2**32))
def test_mutated_files_are_read_or_refused(seed):
    system = timed(mutated(seed))
    if system is not None:
        assert read(dumps(system)) == system


def values_in(value, path=()):
    yield path, value
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from values_in(inner, (*path, key))


@settings(deadline=None, max_examples=300, derandomize=True)
@given(st.integers(0, 2**32))
def test_every_value_has_its_place(seed):
    text = mutated(seed).replace("\r\n", "\n")
    try:
        table = tomllib.loads(text)
    except ValueError:
        reject()
    places = Places(text)
    for path, value in values_in(table):
        if isinstance(value, str):
            for index, character in enumerate(value):
                assert text[places.within(path, index)] in (character, "\\")
        if path:
            assert places.offset(path) is not None


# -- large files -----------------------------------------------------------------------------------------------


def chain(n):
    rods = ["x_1^2 + y_1^2 + z_1^2 - l^2"]
    rods += [" + ".join(f"({q}_{i} - {q}_{i - 1})^2" for q in "xyz") + " - l^2" for i in range(2, n + 1)]
    return "\n".join(
        [
            f'name = "chain"\npotential = "m*g*({" + ".join(f"z_{i}" for i in range(1, n + 1))})"',
            *(f'[[particles]]\nmass = "m"\nposition = ["x_{i}", "y_{i}", "z_{i}"]' for i in range(1, n + 1)),
            "[parameters]\nm = 0.1\ng = 9.81\nl = 0.1",
            *(f'[[constraints]]\nname = "rod {i}"\nholonomic = "{rod}"' for i, rod in enumerate(rods, 1)),
            "[start]",
            *(f'x_{i} = "{i}*l"' for i in range(1, n + 1)),
        ]
    )


def test_a_chain_of_300_masses_is_read():
    system = timed(chain(300), limit=4.0)
    assert len(system.coordinates) == 900
    assert len(system.constraints) == 300


FULL = {
    "constraints": VALUED + "[[constraints]]\nholonomic = 'x'\n" * 7000,
    "coordinates": "coordinates = [" + ", ".join(f"'q{i}'" for i in range(25_000)) + "]\nlagrangian = 1",
    "parameters": VALUED + "".join(f"p{i} = {i}\n" for i in range(15_000)),
    "mass": "coordinates = ["
    + ", ".join(f"'q{i}'" for i in range(200))
    + "]\nimpressed = []\nmass = ["
    + ", ".join(["[" + ",".join("0" * 200) + "]"] * 200)
    + "]",
    "start": VALUED + "[start]\n" + "".join(f"q{i} = {i}\n" for i in range(18_000)),
    "expressions": VALUED + "".join(f"[[constraints]]\nholonomic = '{'x+' * 900}y'\n" for _ in range(100)),
    "keys": VALUED + "".join(f"[zz{i}]\n" for i in range(20_000)),
    "names": "coordinates = ['" + "x" * 250_000 + "']\nlagrangian = 0",
    "one key": "x" * 250_000,
    "dots": "x." * 100_000,
    "quotes": "'" * 250_000,
    "unknown names": VALUED + "".join(f"[[constraints]]\nholonomic = 'qq{i}'\n" for i in range(5000)),
    "frictions": "coordinates = ['x']\nlagrangian = 1\n"
    + "[[constraints]]\nholonomic = 'x'\nnature = { coulomb = 'exp(10^9*log(1000000001/1000000000))' }\n" * 300,
}


@pytest.mark.parametrize("name", FULL)
def test_a_full_file_ends_soon(name):
    assert len(FULL[name]) <= LARGEST
    timed(FULL[name], limit=4.0)
