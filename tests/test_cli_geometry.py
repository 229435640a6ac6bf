"""The command line on geometry: what constraints are, the figure, reduction."""

import json
from types import SimpleNamespace
from unicodedata import combining

import pytest
from numpy import cos
from numpy.testing import assert_allclose

import dalembert as da
from dalembert import gallery
from dalembert.cli import run

RING = "x = R*cos(theta); y = R*sin(theta)"
DISK = """
name = "Disk"
coordinates = ["y", "theta"]
lagrangian = "m/2*y'^2 + m*R^2/4*theta'^2 + m*g*y*sin(alpha)"

[parameters]
m = 1.0
g = 9.81
R = 0.5
alpha = 0.5

[assumptions]
positive = ["R"]

[[constraints]]
name = "rolling"
differential = { y = "1", theta = "-R" }

[start]
y = "R"

[run]
until = 2
"""


@pytest.fixture
def call(capsys):
    def invoke(*arguments):
        code = run([*map(str, arguments)])
        out, err = capsys.readouterr()
        return SimpleNamespace(code=code, out=out, err=err)

    return invoke


@pytest.fixture
def disk(tmp_path):
    path = tmp_path / "disk.toml"
    path.write_text(DISK, encoding="utf-8")
    return path


def test_check_says_what_a_student_understands(call, disk):
    answer = call("check", disk)
    assert answer.code == 0
    words = " ".join(answer.out.split())
    assert "y - R*theta = const (R at the start): holonomic in disguise (it is exact as written)" in words
    assert "rolling without slipping in one dimension" in words
    assert "degrees of freedom: 1 of 2 in the velocities, 1 in the positions" in words
    assert "PASSED" in answer.out


@pytest.mark.parametrize("name", gallery.names())
def test_every_gallery_model_is_classified(call, name):
    answer = call("check", name, "--json")
    found = json.loads(answer.out)["classification"]
    stated = da.System.load(gallery.path(name)).constraints
    assert [kind["name"] for kind in found["constraints"]] == [c.name for c in stated]
    assert max(sum(not combining(c) for c in line) for line in call("check", name).out.splitlines()) <= 110


def test_classification_as_json(call, disk):
    (kind,) = json.loads(call("check", disk, "--json").out)["classification"]["constraints"]
    assert kind["form"] == {"dy": "1", "dtheta": "-R"}
    assert (kind["holonomic"], kind["exact"], kind["linear"]) == (True, True, True)
    assert (kind["integral"], kind["constant"], kind["evidence"]) == ("y - R*theta", "R", "proved")


def test_the_figure_is_drawn(call, tmp_path):
    answer = call("check", "nonholonomic-particle", "--figure", tmp_path / "geometry.png")
    assert answer.code == 0
    assert (tmp_path / "geometry.png").read_bytes().startswith(b"\x89PNG")
    told = json.loads(call("check", "nonholonomic-particle", "--figure", tmp_path / "g.svg", "--json").out)
    assert told["saved"] == [str(tmp_path / "g.svg")]


def test_a_figure_that_cannot_be_drawn(call, tmp_path, disk):
    wrong = call("check", disk, "--figure", tmp_path / "geometry.txt")
    assert (wrong.code, wrong.out) == (2, "")
    assert "--figure" in wrong.err
    assert ".png" in wrong.err
    chain = tmp_path / "four.toml"
    names = '"x", "y", "z", "w"'
    chain.write_text(f"name = \"four\"\ncoordinates = [{names}]\nlagrangian = \"x'^2 + y'^2 + z'^2 + w'^2\"\n")
    four = call("check", chain, "--figure", tmp_path / "four.png")
    assert four.code == 2
    assert "it has 4 coordinates" in four.err
    assert not (tmp_path / "four.png").exists()


def test_the_ring_in_its_angle(call, tmp_path):
    out = tmp_path / "angle.toml"
    answer = call("reduce", "rough-ring", "--with", RING, "-o", out)
    assert answer.code == 0
    assert "F[theta] = -R*m*mu*abs(R*theta'^2 - g*sin(theta))*sign(theta')" in answer.out
    assert answer.out.endswith(f"saved {out}\n")
    ring, angle = da.System.load(gallery.path("rough-ring")), da.System.load(out)
    one, other = ring.simulate(until=2.0), angle.simulate(until=2.0)
    assert_allclose(one.y[0] ** 2 + one.y[1] ** 2, 1, atol=1e-12)
    assert_allclose(one.y[0], cos(other.y[0]), atol=1e-11)


def test_nothing_is_written_over(call, tmp_path):
    model = tmp_path / "disk.toml"
    model.write_text(DISK, encoding="utf-8")
    for arguments in ([], ["--force"]):
        answer = call("reduce", model, "-o", model, *arguments)
        assert answer.code == 2
        assert "that is the model itself" in answer.err
        assert model.read_text(encoding="utf-8") == DISK
    other = tmp_path / "other.toml"
    other.write_text("mine", encoding="utf-8")
    places = ["reduce", "rolling-disk", "-o", other]
    answer = call(*places)
    assert answer.code == 2
    assert "there is such a file already; --force writes over it" in answer.err
    assert other.read_text(encoding="utf-8") == "mine"
    assert call(*places, "--force").code == 0
    assert da.System.load(other).coordinates == da.System.load(gallery.path("rolling-disk")).reduce().system.coordinates


def test_the_embedding_in_parts_and_in_a_file(call, tmp_path):
    whole = json.loads(call("reduce", "rough-ring", "--with", RING, "--json").out)
    parts = call("reduce", "rough-ring", "--with", "x = R*cos(theta)", "--with", "y = R*sin(theta)", "--json")
    file = tmp_path / "angle.txt"
    file.write_text("# polar\nx = R*cos(theta)  # along\ny = R*sin(theta)\n", encoding="utf-8")
    read = call("reduce", "rough-ring", "--with", file, "--coordinates", "theta", "--json")
    assert json.loads(parts.out) == json.loads(read.out) == whole
    assert whole["coordinates"] == ["theta"]
    assert whole["eliminated"] == ["ring"]


def test_without_an_embedding(call):
    answer = call("reduce", "rolling-disk")
    assert answer.code == 0
    assert "theta = y/R" in answer.out
    assert "L = 3*M*y'^2/4 + M*g*sin(alpha)*(y - l)" in answer.out


WRONG = {
    "not on the constraint": (["--with", "x = R*cos(theta); y = 2*R*sin(theta)"], "'ring': 3*R^2*sin(theta)^2 is left"),
    "no such coordinate": (["--with", "q = R"], "'q' is not a coordinate of the system; it has x, y"),
    "not an equation": (["--with", "x + 1"], "'x + 1' is no equation"),
    "twice": (["--with", "x = R, x = R"], "x is given more than once"),
    "grammar": (["--with", "x = R*cos(theta; y = R"], "x: "),
    "velocity": (["--with", "x = R*theta'; y = 0"], "an embedding gives places, which cannot contain the velocity"),
    "switches": (["--with", "x = R*abs(theta); y = 0"], "the embedding of x switches, abs(theta)"),
    "empty": (["--with", " "], "it is empty"),
    "unknown to --coordinates": (["--with", RING, "--coordinates", "phi"], "unknown name theta"),
    "parameter as coordinate": (["--with", RING, "--coordinates", "R"], "R is a parameter of the system"),
    "coordinates alone": (["--coordinates", "theta"], "give one by --with"),
    "keep": (["--with", RING, "--keep", "wing"], "'wing', which is not a constraint"),
    "suffix": (["--with", RING, "-o", "angle.json"], "ends in .toml"),
    "directory": (["--with", RING, "-o", "nowhere/angle.toml"], "no such directory"),
}


@pytest.mark.parametrize(("arguments", "words"), WRONG.values(), ids=WRONG)
def test_wrong_input_is_told_and_ends_with_2(call, arguments, words):
    answer = call("reduce", "rough-ring", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert words in answer.err
    document = json.loads(call("reduce", "rough-ring", *arguments, "--json").out)
    assert document["faults"]


def test_all_faults_come_at_once(call):
    answer = call("reduce", "rough-ring", "--with", "q = 1; x = cosh(; y")
    assert "3 faults" in answer.err
