"""Documentation that cannot drift: code blocks run, tables come from their data, lists match the code."""

import json
import re
import runpy
import shlex
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

import dalembert as da
from dalembert import gallery
from dalembert.cli import app
from dalembert.motion.status import Ending
from dalembert.show.timeline import KINDS
from gallery_models import SWITCHING

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)


def pages(language):
    """The pages with blocks of a language; those that move what switches need the compiled engine."""
    switching = ("README.md", "motion.md", "reduction.md")
    for page in PAGES:
        if blocks(page, language):
            yield pytest.param(page, id=page.name, marks=[pytest.mark.compiled] if page.name in switching else ())


@pytest.mark.parametrize("page", [*pages("python")])
def test_python_blocks_run(page, tmp_path, monkeypatch, capsys):
    """All blocks of a page, one after the other, in one namespace."""
    monkeypatch.chdir(tmp_path)
    exec(compile("\n".join(blocks(page, "python")), str(page), "exec"), {})


@pytest.mark.parametrize("page", [*pages("toml")])
def test_model_files_load(page, tmp_path):
    for text in blocks(page, "toml"):
        (tmp_path / "model.toml").write_text(text, encoding="utf-8")
        assert da.System.load(tmp_path / "model.toml").name == tomllib.loads(text)["name"]


@pytest.mark.parametrize("page", [*pages("console")])
def test_commands_run(page, tmp_path, monkeypatch):
    (tmp_path / "broken.toml").write_text('coordinates = ["x"]\nlagrangian = "x\'^2 + + k"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for line in "".join(blocks(page, "console")).splitlines():
        program, *arguments = shlex.split(line.removeprefix("$ "), comments=True)
        assert program == "dalembert"
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == (2 if "broken.toml" in arguments else 0), result.output


def test_readme_has_the_two_commands_first():
    commands = blocks(ROOT / "README.md", "sh")
    assert commands[0].endswith("dalembert run nonholonomic-particle\n")
    assert "pytest" in commands[1]
    assert all(c.count("\n") == 1 for c in commands[:2])


@pytest.mark.compiled
def test_the_readme_prints_what_it_says(capsys):
    """The events of the ring, told in comments beside the code."""
    first = blocks(ROOT / "README.md", "python")[0]
    exec(compile(first, "README.md", "exec"), {})
    comments = [line.partition("# ")[2] for line in first.splitlines()]
    said = [words for words in comments if words.startswith("finished") or "→" in words]
    assert len(said) == 4
    assert capsys.readouterr().out.splitlines() == said


@pytest.mark.compiled
def test_every_kind_of_event_and_every_ending_is_described():
    page = (ROOT / "docs" / "motion.md").read_text(encoding="utf-8")
    kinds = {event.kind for name in SWITCHING for event in da.System.load(gallery.path(name)).simulate().events}
    assert kinds >= {"impact", "rest", "release", "stick", "slip", "reverse"}
    for kind in (*kinds, *KINDS):
        assert f"`{kind}`" in page
    for ending in Ending:
        assert f"`{ending}`" in page


def test_links_lead_somewhere():
    for page in PAGES:
        for target, place in re.findall(r"\]\(([^)#:]*)(?:#([^)]+))?\)", page.read_text(encoding="utf-8")):
            found = page.parent / target if target else page
            assert found.exists(), f"{page.name}: {target}"
            assert not place or place in headings(found), f"{page.name}: {target}#{place}"


def headings(page):
    """The names by which the headings of a page can be linked to."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles]


def test_benchmark_page_is_made_from_its_results():
    made = runpy.run_path(str(ROOT / "benchmarks" / "table.py"))["page"]()
    assert (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8") == made


def test_never_slower_than_sympy_in_the_recorded_run():
    run = json.loads((ROOT / "benchmarks" / "results" / "derivation.json").read_text(encoding="utf-8"))
    assert len(run["results"]) == 15
    assert all(row["ratio"] > 1 and row["difference"] < 1e-12 for row in run["results"])


def test_every_principle_is_described():
    page = (ROOT / "docs" / "principles.md").read_text(encoding="utf-8")
    for name in [*da.principles, "least_squares"]:
        assert f"`{name}" in page


def test_readme_result_is_what_is_derived():
    """The typeset ring of the README, term by term."""
    from sympy import Abs, Matrix, simplify, sqrt
    from sympy.physics.mechanics import dynamicsymbols

    ring = da.System.load(gallery.path("rough-ring"))
    equations = ring.equations()
    x, y = dynamicsymbols("x y")
    u, v = x.diff(), y.diff()
    m, g, mu = (next(s for s in ring.symbols if s.name == name) for name in ("m", "g", "mu"))
    lam = m * (g * y - u**2 - v**2) / (2 * (x**2 + y**2))
    size = m * mu * Abs(u**2 + v**2 - g * y) * (x * v - y * u) / ((x**2 + y**2) ** 1.5 * sqrt(u**2 + v**2))
    assert simplify(equations.multipliers - Matrix([lam])) == Matrix([0])
    assert simplify(equations.ideal - 2 * lam * Matrix([x, y])) == Matrix([0, 0])
    gap = equations.nonideal - size * Matrix([y, -x])
    at = {u: 0.3, v: -0.7, x: 0.2, y: 1.1, m: 1.5, g: 9.8, mu: 0.4}
    assert max(abs(float(e.subs({u: at[u], v: at[v]}).subs(at))) for e in gap) < 1e-12
    assert simplify(
        m * equations.acceleration - (Matrix([0, -m * g]) + equations.ideal + equations.nonideal)
    ) == Matrix([0, 0])
