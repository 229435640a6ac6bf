"""`dalembert run`: what it prints and keeps, its exit codes, and what it does when a run breaks or is stopped."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from io import StringIO
from itertools import pairwise
from types import SimpleNamespace
from unicodedata import combining

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dalembert as da
from dalembert import gallery
from dalembert.cli import run
from dalembert.cli_progress import Bar, line
from dalembert.principles import Check
from dalembert.show import Summary
from gallery_models import CONTRADICTORY, SMOOTH, SWITCHING

MOVED = [*SMOOTH, *(pytest.param(name, marks=pytest.mark.compiled) for name in SWITCHING)]

BLOW_UP = """
name = "Finite time"
coordinates = ["q"]
mass = [[1]]
impressed = ["q^2"]

[start]
q = 1.0
"q'" = 0.9

[run]
until = 10
"""

PAINLEVE = """
name = "Painlevé's rod"
coordinates = ["x", "y", "theta"]
lagrangian = "m/2*(x'^2 + y'^2) + m*l^2/6*theta'^2 - m*g*y"

[parameters]
m = 1.0
g = 9.81
l = 1.0
mu = 2.0

[[constraints]]
name = "floor"
one_sided = "y - l*sin(theta)"
nature = { coulomb = "mu", normal = "actual", sliding = "x' - l*sin(theta)*theta'" }

[start]
y = 1.0
theta = 1.2
"x'" = 2.0

[run]
until = 1
"""

PENDULUM = """
name = "Double pendulum"
coordinates = ["x", "y", "u", "v"]
lagrangian = "(x'^2 + y'^2 + u'^2 + v'^2)/2 - g*(y + v)"

[parameters]
g = 9.81

[[constraints]]
name = "upper"
holonomic = "x^2 + y^2 - 1"

[[constraints]]
name = "lower"
holonomic = "(u - x)^2 + (v - y)^2 - 1"

[start]
x = 1.0
y = 0.0
u = 2.0
v = 0.0

[run]
until = 1e9
"""


@pytest.fixture
def call(capsys):
    def invoke(*arguments):
        code = run(["run", *map(str, arguments)])
        out, err = capsys.readouterr()
        return SimpleNamespace(code=code, out=out, err=err)

    return invoke


@pytest.fixture
def model(tmp_path):
    def write(text, name="model.toml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def columns(text):
    return max(sum(not combining(c) for c in row) for row in text.splitlines())


def test_the_gallery_is_sorted_rightly():
    """What is left out of SMOOTH is left out for a reason: contacts, friction that switches, rows that contradict."""
    assert sorted([*SMOOTH, *SWITCHING, *CONTRADICTORY]) == gallery.names()
    assert {"rough-ring", "hemisphere", "belt"} <= set(SWITCHING)
    assert {"appell", "sliding-block"} <= set(SMOOTH)


class TestVerify:
    @pytest.mark.parametrize("width", [60, 110])
    def test_the_certificate_comes_last(self, call, monkeypatch, width):
        monkeypatch.setenv("COLUMNS", str(width))
        answer = call("sliding-block", "--verify")
        assert (answer.code, answer.err) == (0, "")
        assert columns(answer.out) < width
        assert "\n\nPASSED: 9 of 9 checks hold along the motion\nfrom t = 0 to 5; finished" in answer.out
        assert answer.out.splitlines()[-1].startswith("- events")

    def test_json(self, call, tmp_path):
        answer = call("sliding-block", "--verify", "--json", "-o", str(tmp_path / "kept"))
        certificate = json.loads(answer.out)["certificate"]
        assert certificate["passed"] is True
        assert (
            certificate == json.loads((tmp_path / "kept" / "summary.json").read_text(encoding="utf-8"))["certificate"]
        )
        assert {"name", "value", "bound", "meaning", "passed"} == set(certificate["checks"][0])
        assert "certificate" not in json.loads(call("sliding-block", "--json").out)

    @pytest.mark.parametrize("form", [[], ["--json"]])
    def test_a_certificate_that_does_not_pass_fails_the_run(self, call, monkeypatch, form):
        certify = da.Motion.verify
        bad = Check("energy", 1.0, 1e-9, "energy less work stays what it was")
        monkeypatch.setattr(da.Motion, "verify", lambda self: replace(certify(self), checks=(bad,)))
        answer = call("sliding-block", "--verify", *form)
        assert answer.code == 1
        if form:
            assert json.loads(answer.out)["certificate"]["passed"] is False
        else:
            assert "FAILED: 0 of 1 checks hold along the motion" in answer.out

    def test_a_run_that_ended_early_fails_though_its_certificate_passes(self, call, model):
        answer = call(model(BLOW_UP), "--verify")
        assert answer.code == 1
        assert "PASSED" in answer.out
        assert "(the run ended early)" in " ".join(answer.out.split())


class TestText:
    @pytest.mark.parametrize("width", [60, 80, 120])
    @pytest.mark.parametrize("name", MOVED)
    def test_every_model_runs(self, call, monkeypatch, name, width):
        monkeypatch.setenv("COLUMNS", str(width))
        system = da.System.load(gallery.path(name))
        answer = call(name)
        assert (answer.code, answer.err) == (0, "")
        assert answer.out.startswith(f"{system.name}\n\nM q̈ = Q")
        assert answer.out.splitlines()[-1] == f"finished: reached t = {system.until:.12g}"
        assert all(c.name in answer.out for c in system.constraints)
        assert f"dalembert derive {name}" in answer.out
        assert all(row == row.rstrip() for row in answer.out.splitlines())
        assert columns(answer.out) < width

    @pytest.mark.compiled
    def test_what_switched_is_told(self, call):
        ring = call("rough-ring").out
        assert "  3.10899858  stick    ring  slips backward → sticks\n" in ring
        assert "ring slips forward\n" in ring
        ball = call("bouncing-ball").out
        assert "more: in all" in ball
        assert len(ball.splitlines()) < 45
        assert "from → to" not in call("rolling-disk").out

    def test_forces_are_told_in_their_two_parts_where_they_do_work(self, call):
        assert "work-doing" in call("nonholonomic-particle").out
        assert "work-doing" not in call("rolling-disk").out

    @pytest.mark.compiled
    def test_the_plain_engine_tells_the_same(self, call):
        taylor, plain = (json.loads(call("appell", "--engine", e, "--json").out) for e in ("taylor", "plain"))
        assert plain["statistics"]["engine"] == "plain"
        assert plain["degrees_of_freedom"] == taylor["degrees_of_freedom"] == 2
        for key in ("end", "energy"):
            assert_allclose(list(plain[key].values()), list(taylor[key].values()), rtol=1e-8, atol=1e-10)


class TestJson:
    @pytest.mark.parametrize("name", MOVED)
    def test_one_document_and_nothing_else(self, call, name):
        answer = call(name, "--json")
        document = json.loads(answer.out)  # raises where anything stands before or after it
        assert (answer.code, answer.err) == (0, "")
        assert document["ok"] is True
        assert document["model"] == name
        assert "samples" not in document

    def test_it_says_what_simulate_gives(self, call):
        motion = da.System.load(gallery.path("nonholonomic-particle")).simulate(until=3.0, samples=7)
        document = json.loads(call("nonholonomic-particle", "--until", 3, "--samples", 7, "--json").out)
        assert document["samples"]["t"] == motion.t.tolist()
        assert_allclose(document["samples"]["y"], motion.y, rtol=1e-13, atol=1e-15)
        assert document["samples"]["state"] == ["x", "y", "z", "x'", "y'", "z'"] == list(document["end"])
        assert_allclose(list(document["end"].values()), motion.end_values, rtol=1e-13, atol=1e-15)

    @pytest.mark.compiled
    def test_what_switched_is_there_in_full(self, call):
        found = json.loads(call("bouncing-ball", "--json").out)
        motion = da.System.load(gallery.path("bouncing-ball")).simulate()
        assert [event["kind"] for event in found["events"]] == [event.kind for event in motion.events]
        assert found["event_counts"]["impact"] == sum(event.kind == "impact" for event in motion.events)
        assert set(found["events"][0]) == {"time", "kind", "name", "before", "after", "state"}
        assert [set(mode) for mode in found["modes"]] == [{"mode", "time", "spans"}] * 2
        assert found["statistics"]["switches"] > 40

    def test_energy_less_work_stays(self, call):
        found = json.loads(call("nonholonomic-particle", "--json").out)
        gained = found["energy"]["end"] - found["energy"]["start"]
        assert gained == pytest.approx(sum(found["work"].values()), abs=1e-12)
        assert found["balance_error"] < 1e-12
        assert found["work"]["nonideal"] < 0 < found["work"]["force"]

    def test_the_largest_force_is_the_largest(self, call):
        motion = da.System.load(gallery.path("nonholonomic-particle")).simulate(samples=20001)
        force = motion.along.ideal + motion.along.nonideal
        peak = json.loads(call("nonholonomic-particle", "--json").out)["largest_force"]
        k, i = np.unravel_index(np.abs(force).argmax(), force.shape)
        assert peak["coordinate"] == "xyz"[i]
        assert peak["time"] == pytest.approx(motion.t[k], abs=5e-4)  # whatever the samples
        assert peak["total"] == pytest.approx(force[k, i], rel=1e-6)
        assert peak["ideal"] + peak["nonideal"] == pytest.approx(peak["total"], rel=1e-12)


class TestSet:
    def test_a_value_replaces_that_of_the_file(self, call):
        found = json.loads(call("rolling-disk", "--set", "g=1.62", "--set", "M = 3e0", "--json").out)
        assert found["parameters"] == {"M": 3.0, "R": 0.5, "alpha": 0.5, "g": 1.62, "l": 10.0}
        expected = da.System.load(gallery.path("rolling-disk")).simulate(parameters={"g": 1.62, "M": 3.0})
        assert_allclose(list(found["end"].values()), expected.end_values, rtol=1e-13, atol=1e-15)

    def test_every_fault_comes_in_one_error(self, call, tmp_path):
        given = ["gg=3", "M", "M=abc", "g=nan", "theta=1", "theta'=1", "l=1", "l=2", "=4"]
        more = ["-o", __file__, "--plot", tmp_path / "p.gif", "--json"]
        answer = call("rolling-disk", *(part for g in given for part in ("--set", g)), *more)
        document = json.loads(answer.out)
        words = document["message"]
        assert answer.code == 2
        assert len(document["faults"]) == 10
        for said in (
            "gg: there is no such parameter; did you mean g?",
            "'M' is not of the form NAME=VALUE",
            "M: 'abc' is not a number",
            "g: 'nan' is not a number",
            "theta is not a parameter but moves; its start is stated in the model file",
            "theta' is not a parameter",
            "l is given more than once",
            "'=4' is not of the form",
            "is a file, a directory is meant",
            "must end in .png, .svg or .pdf",
        ):
            assert said in words

    def test_a_value_against_the_assumptions(self, call):
        answer = call("rolling-disk", "--set", "g=-1")
        assert (answer.code, answer.out) == (2, "")
        assert "g is declared positive" in answer.err


WRONG = {
    "until before the start": (["rolling-disk", "--until", "-1"], "is not after the start"),
    "until not finite": (["rolling-disk", "--until", "nan"], "until"),
    "until not a number": (["rolling-disk", "--until", "soon"], "--until"),
    "one sample": (["rolling-disk", "--samples", "1"], "at least 2"),
    "tolerance": (["rolling-disk", "--tolerance", "3"], "between 0 and 1"),
    "engine": (["rolling-disk", "--engine", "steam"], "it can be 'taylor' or 'plain'"),
    "option": (["rolling-disk", "--bogus"], "--bogus"),
    "model": (["hemispher"], "did you mean 'hemisphere'?"),
    "no model": ([], "MODEL"),
    "empty folder": (["rolling-disk", "-o", ""], "the name is empty"),
    "empty picture": (["rolling-disk", "--plot", ""], "the name is empty"),
    "picture in no directory": (["rolling-disk", "--plot", "nowhere/p.png"], "no such directory"),
}


class TestWrongInput:
    @pytest.mark.parametrize("case", WRONG)
    def test_words_on_stderr(self, call, case):
        arguments, message = WRONG[case]
        answer = call(*arguments)
        assert (answer.code, answer.out) == (2, "")
        assert message in answer.err
        assert "Traceback" not in answer.err

    @pytest.mark.parametrize("case", WRONG)
    def test_json(self, call, case):
        arguments, message = WRONG[case]
        answer = call(*arguments, "--json")
        document = json.loads(answer.out)
        assert (answer.code, answer.err) == (2, "")
        assert message in document["message"]

    def test_nothing_is_made_for_a_run_that_is_refused(self, call, tmp_path):
        assert call("rolling-disk", "--until", "-1", "-o", tmp_path / "out").code == 2
        assert not (tmp_path / "out").exists()

    def test_no_end_is_stated(self, call, model):
        answer = call(model(BLOW_UP.split("[run]")[0]))
        assert answer.code == 2
        assert "say until when to move the system" in answer.err

    def test_rows_that_contradict(self, call):
        answer = call("contradiction")
        assert (answer.code, answer.out) == (1, "")
        assert "contradict each other" in answer.err
        assert json.loads(call("contradiction", "--json").out)["error"] == "ContradictionError"


class TestKeeping:
    def test_a_folder_is_made_and_loads(self, call, tmp_path):
        folder = tmp_path / "a" / "b"
        answer = call("sliding-block", "--samples", 11, "-o", folder)
        assert answer.code == 0
        assert sorted(p.name for p in folder.iterdir()) == ["model.toml", "motion.nc", "summary.json"]
        assert all(f"saved {folder / name}" in answer.out for name in ("model.toml", "motion.nc", "summary.json"))
        motion = da.Motion.load(folder / "motion.nc")
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        assert motion.t.tolist() == summary["samples"]["t"]
        assert motion.y.tolist() == summary["samples"]["y"]
        assert da.System.load(folder / "model.toml") == motion.system
        assert (folder / "model.toml").read_bytes() == gallery.path("sliding-block").read_bytes()

    @pytest.mark.parametrize(
        "options",
        [["--set", "k=0.1"], ["--until", 2], ["--tolerance", 1e-9], ["--until", 1, "--engine", "plain"]],
        ids=lambda options: options[0] if len(options) == 2 else "two",
    )
    def test_the_kept_model_moves_like_the_motion_beside_it(self, call, tmp_path, options):
        """Run again without a word it gives the same bits, and is kept as it is the second time."""
        first, second = tmp_path / "first", tmp_path / "second"
        assert call("sliding-block", *options, "-o", first).code == 0
        assert call(first / "model.toml", "-o", second).code == 0
        moved, again = (da.Motion.load(folder / "motion.nc") for folder in (first, second))
        np.testing.assert_array_equal(moved.t, again.t)
        np.testing.assert_array_equal(moved.y, again.y)
        assert (moved.settings, moved.values.tolist()) == (again.settings, again.values.tolist())
        assert (first / "model.toml").read_bytes() == (second / "model.toml").read_bytes()
        assert da.System.load(first / "model.toml") != da.System.load(gallery.path("sliding-block"))

    def test_json_names_the_files(self, call, tmp_path):
        saved = json.loads(call("rolling-disk", "-o", tmp_path, "--json").out)["saved"]
        assert [os.path.basename(name) for name in saved] == ["motion.nc", "summary.json", "model.toml"]
        assert all(map(os.path.exists, saved))

    @pytest.mark.compiled
    @pytest.mark.parametrize(("suffix", "begins"), [("png", b"\x89PNG\r\n\x1a\n"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
    def test_a_picture_is_what_its_name_says(self, call, tmp_path, suffix, begins):
        for name in ("sliding-block", "bouncing-ball"):
            picture = tmp_path / f"{name}.{suffix}"
            assert call(name, "--plot", picture).code == 0
            assert picture.read_bytes().startswith(begins)
            assert picture.stat().st_size > 5000


class TestARunThatBreaks:
    """q̈ = q² leaves every bound in finite time: what there was is told and kept, and the exit code says it failed."""

    def test_it_is_told(self, call, model):
        answer = call(model(BLOW_UP))
        assert (answer.code, answer.err) == (1, "")
        assert "broken:" in answer.out
        assert "grows without bound" in " ".join(answer.out.split())
        assert "degree of freedom" in answer.out

    def test_it_is_kept(self, call, model, tmp_path):
        answer = call(model(BLOW_UP), "-o", tmp_path / "out", "--json")
        document = json.loads(answer.out)
        assert answer.code == 1
        assert document["ok"] is False
        assert document["ending"] == "broken"
        motion = da.Motion.load(tmp_path / "out" / "motion.nc")
        assert motion.status == document["status"]
        assert 2.0 < document["time"]["end"] < 10
        assert motion.end_time == document["time"]["end"]
        early = motion.t < 2
        assert early.sum() > 10
        assert np.isfinite(motion.y).all()
        q, v = motion.y[:, early]
        assert_allclose(v**2 / 2 - q**3 / 3, 0.9**2 / 2 - 1 / 3, atol=1e-9)  # the first integral of q̈ = q²


@pytest.mark.compiled
class TestAParadox:
    """A rod that falls on a floor so rough that its own friction would press it into the floor (Painlevé)."""

    def test_it_is_told_and_kept(self, call, model, tmp_path):
        answer = call(model(PAINLEVE), "-o", tmp_path / "out", "--plot", tmp_path / "rod.png")
        assert (answer.code, answer.err) == (1, "")
        assert "paradox: no motion is possible" in answer.out
        assert "Painlevé" in answer.out.partition("paradox:")[2]
        assert "impact  floor  open → closed" in answer.out
        motion = da.Motion.load(tmp_path / "out" / "motion.nc")
        assert motion.status.ending == "paradox"
        assert motion.end_time == pytest.approx(np.sqrt(2 * (1 - np.sin(1.2)) / 9.81))  # when it touches

    def test_json(self, call, model):
        answer = call(model(PAINLEVE), "--json")
        document = json.loads(answer.out)
        assert (answer.code, answer.err) == (1, "")
        assert (document["ok"], document["ending"]) == (False, "paradox")
        assert [event["kind"] for event in document["events"]] == ["impact"]

    def test_a_start_in_it_is_wrong_input(self, call, model):
        answer = call(model(PAINLEVE.replace("y = 1.0", 'y = "l*sin(1.2)"')))
        assert (answer.code, answer.out) == (2, "")
        assert "the start: no motion is possible" in " ".join(answer.err.split())


@pytest.mark.skipif(os.name != "posix", reason="SIGINT as a POSIX terminal sends it")
@pytest.mark.compiled
class TestStoppedFromTheKeyboard:
    SOON = """
import os, signal, sys, threading
from dalembert.cli import run
from dalembert.cli_progress import Bar

class Stopped(Bar):
    def __call__(self, now):
        if self._now is None:
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        super().__call__(now)

import dalembert.cli_progress
dalembert.cli_progress.Bar = Stopped
signal.signal(signal.SIGINT, signal.default_int_handler)  # as in a terminal, wherever tests run
sys.exit(run(["run", *sys.argv[1:]]))
"""

    def stopped(self, path, folder, *more):
        """A run of the command line that is stopped shortly after it has begun to move."""
        words = [sys.executable, "-c", self.SOON, str(path), "--samples", "20001", "-o", str(folder), *more]
        done = subprocess.run(words, capture_output=True, text=True, encoding="utf-8", timeout=240, check=False)
        return SimpleNamespace(code=done.returncode, out=done.stdout, err=done.stderr)

    def test_what_was_computed_is_kept_and_told(self, model, tmp_path):
        answer = self.stopped(model(PENDULUM), tmp_path / "out")
        assert answer.code == 1
        assert answer.err == ""
        assert "interrupted: from the keyboard" in answer.out
        motion = da.Motion.load(tmp_path / "out" / "motion.nc")
        assert motion.status.ending == "interrupted"
        assert 0 < motion.end_time < 1e9
        x, y, *_ = motion.end_values
        assert x**2 + y**2 == pytest.approx(1, abs=1e-12)

    def test_json(self, model, tmp_path):
        answer = self.stopped(model(PENDULUM), tmp_path / "out", "--json")
        assert answer.code == 1
        assert answer.err == ""
        assert json.loads(answer.out)["ending"] == "interrupted"


class TestProgress:
    class Terminal(StringIO):
        def isatty(self):
            return True

    def test_nothing_without_a_terminal(self):
        stream = StringIO()
        with Bar(stream, 1.0) as bar:
            bar(da.Progress(0.5, 0.5, 100))
            time.sleep(1.3)
        assert stream.getvalue() == ""

    def test_nothing_in_the_first_second(self):
        stream = self.Terminal()
        with Bar(stream, 1.0) as bar:
            bar(da.Progress(0.5, 0.5, 100))
        assert stream.getvalue() == ""

    def test_a_line_that_is_wiped(self):
        stream = self.Terminal()
        with Bar(stream, 1.0) as bar:
            bar(da.Progress(0.5, 0.5, 100))
            time.sleep(1.6)
        *drawn, last = stream.getvalue().split("\r")[1:-1]
        assert drawn
        assert all("50%" in text for text in drawn)
        assert last.strip() == ""
        assert "\n" not in stream.getvalue()

    @pytest.mark.parametrize("fraction", [0.0, 0.004, 0.5, 1.0])
    def test_a_line_fits(self, fraction):
        assert len(line(da.Progress(fraction, fraction * 1e9, 10**9), 1234.5, 1e9)) < 80
        assert "compiling" in line(None, 2.0, 1e9)


class TestSummary:
    @pytest.mark.compiled
    def test_redundant_rows_are_counted(self):
        from sympy.physics.mechanics import dynamicsymbols

        x, y = dynamicsymbols("x y")
        rows = [da.Holonomic(x - y, name="one"), da.Holonomic(2 * x - 2 * y, name="two")]
        system = da.System.from_lagrangian((x.diff() ** 2 + y.diff() ** 2) / 2 - x, [x, y], constraints=rows)
        for engine in ("taylor", "plain"):
            summary = Summary.of(system.simulate({x: 0, y: 0}, until=1.0, engine=engine))
            assert summary.freedom == 1
            assert "2 constraints (1 of them redundant), 1 degree of freedom" in summary.text()

    def test_a_large_system_is_cut_short(self):
        from sympy.physics.mechanics import dynamicsymbols

        q = dynamicsymbols("q0:20")
        rows = [da.Holonomic(a - b, name=f"tie {i}") for i, (a, b) in enumerate(pairwise(q))]
        system = da.System.from_lagrangian(sum(c.diff() ** 2 for c in q) / 2 - q[0], list(q), constraints=rows)
        text = Summary.of(system.simulate({}, until=1.0)).text(80)
        assert columns(text) <= 80
        assert "… and 8 more" in text
        assert "… and 7 more" in text
        assert "largest Qᶜ  0.95 on q0" in text


@pytest.mark.compiled
def test_a_plain_run_imports_nothing_it_does_not_need():
    """No data format, no pictures, no SciPy algebra, no SymPy mechanics: they take longer than the run."""
    unneeded = (
        "xarray", "pandas", "matplotlib", "h5netcdf", "dalembert.motion.files", "dalembert.show.pictures",
        "scipy.linalg", "scipy.integrate", "scipy.sparse", "sympy.physics", "rich", "pydantic",
    )  # fmt: skip
    code = f"""
import sys
from dalembert.cli import run
code = run(["run", "rolling-disk", "--json"])
print([m for m in {unneeded!r} if m in sys.modules], file=sys.stderr)
sys.exit(code)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", timeout=60)
    assert (done.returncode, done.stderr) == (0, "[]\n")


def test_help_is_instant():
    code = """
import sys
from dalembert.cli import run
run(["run", "-h"])
print([m for m in ("sympy", "numpy") if m in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", timeout=60)
    assert done.stdout.splitlines()[-1] == "[]"
    assert "Usage: dalembert run" in done.stdout
