"""The command line: what it prints, where, and with which exit code."""

import json
import os
import shlex
import subprocess
import sys
import tomllib
from types import SimpleNamespace
from unicodedata import combining

import pytest
from click.testing import CliRunner

import dalembert as da
from dalembert import gallery
from dalembert.cli import app, run

NAMES = gallery.names()
START = "from dalembert.cli import main; main()"


@pytest.fixture
def call(capsys):
    def invoke(*arguments):
        code = run(arguments)
        out, err = capsys.readouterr()
        return SimpleNamespace(code=code, out=out, err=err)

    return invoke


def columns(text):
    return max(sum(not combining(c) for c in line) for line in text.splitlines())


@pytest.fixture
def model(tmp_path):
    """Write a model file from the ring's text with something replaced; its path."""

    def write(old="", new="", name="model.toml"):
        text = gallery.path("rough-ring").read_text(encoding="utf-8")
        assert old in text
        path = tmp_path / name
        path.write_text(text.replace(old, new), encoding="utf-8")
        return str(path)

    return write


class TestDerive:
    @pytest.mark.parametrize(("name", "width"), [("rough-ring", 80), ("sliding-block", 120), ("contradiction", 60)])
    def test_text_fits_the_terminal(self, call, monkeypatch, name, width):
        monkeypatch.setenv("COLUMNS", str(width))
        answer = call("derive", name)
        assert (answer.code, answer.err) == (0, "")
        assert columns(answer.out) < width
        assert answer.out.startswith(tomllib.loads(gallery.path(name).read_text(encoding="utf-8"))["name"] + "\n\n")
        assert all(line == line.rstrip() for line in answer.out.splitlines())

    def test_latex(self, call):
        answer = call("derive", "rolling-disk", "--latex")
        assert (answer.code, answer.err) == (0, "")
        assert answer.out == da.System.load(gallery.path("rolling-disk")).equations().latex() + "\n"

    def test_json(self, call):
        answer = call("derive", "rolling-disk", "--json")
        document = json.loads(answer.out)
        assert (answer.code, answer.err) == (0, "")
        assert document["name"] == "Disk rolling down an incline"
        assert document["equations"] == da.System.load(gallery.path("rolling-disk")).equations().as_dict()
        assert document["equations"]["coordinates"] == ["y", "theta"]

    def test_a_path_and_the_gallery_give_the_same(self, call):
        path = str(gallery.path("sliding-block"))
        assert call("derive", path).out == call("derive", "sliding-block").out


class TestCheck:
    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.parametrize("width", [80, 120])
    def test_gallery(self, call, monkeypatch, name, width):
        monkeypatch.setenv("COLUMNS", str(width))
        answer = call("check", name)
        contradicts = name == "contradiction"
        assert answer.code == (1 if contradicts else 0)
        assert answer.out.splitlines()[-1].startswith("FAILED" if contradicts else "PASSED")
        assert answer.err == ""
        assert columns(answer.out) < width

    @pytest.mark.parametrize("name", NAMES)
    def test_json(self, call, name):
        answer = call("check", name, "--json")
        document = json.loads(answer.out)
        assert document["passed"] is (answer.code == 0) is (name != "contradiction")
        assert answer.err == ""

    @pytest.mark.compiled
    def test_along_the_motion(self, call, monkeypatch):
        monkeypatch.setenv("COLUMNS", "80")
        answer = call("check", "bouncing-ball", "--along")
        assert (answer.code, answer.err) == (0, "")
        assert columns(answer.out) < 80
        assert "PASSED: 13 of 13 checks hold along the motion" in answer.out
        assert answer.out.startswith(call("check", "bouncing-ball").out)  # in addition to the check at the start
        document = json.loads(call("check", "bouncing-ball", "--along", "--json").out)
        assert document["passed"] is document["along"]["passed"] is True
        assert {check["name"] for check in document["along"]["checks"]} >= {"impacts", "gaps", "events"}
        assert "along" not in json.loads(call("check", "bouncing-ball", "--json").out)

    def test_along_no_motion(self, call):
        answer = call("check", "contradiction", "--along")
        assert answer.code == 1
        assert "There is no motion to certify" in answer.out
        assert json.loads(call("check", "contradiction", "--along", "--json").out)["along"] is None

    def test_a_start_off_the_constraints_fails(self, call, model):
        answer = call("check", model('x = "R"', "x = 0.5\ny = 0.1"))
        assert answer.code == 1
        assert "DOES NOT SATISFY" in answer.out
        assert "FAILED: the start does not satisfy the constraints" in answer.out

    def test_a_start_that_leaves_a_choice_fails_as_its_run_is_refused(self, call, model):
        path = model('x = "R"', "x = 0.6")
        check, run = call("check", path), call("run", path)
        assert (check.code, run.code) == (1, 2)
        for said in (check.out, run.err):
            assert "y = 0.8 or y = -0.8" in " ".join(said.split())
        assert "Holonomic" in check.out  # what the constraints are is told all the same

    def test_a_start_is_completed_as_a_run_completes_it(self, call, model):
        path = model('x = "R"', 'x = 0.6\ny = -0.8\n"x\'" = 0.8')
        check, run = call("check", path), call("run", path)
        assert (check.code, run.code) == (0, 0)
        for said in (check.out, run.out):
            assert "x = 0.6, y = -0.8, x' = 0.8, y' = 0.6 (solved)" in " ".join(said.split())

    def test_an_undetermined_motion_fails(self, call, model):
        """A coordinate without inertia that no constraint holds: the run fails, the input is well formed."""
        path = model('coordinates = ["x", "y"]', 'coordinates = ["x", "y", "w"]')
        friction = call("check", path)
        assert friction.code == 2  # Coulomb's law needs inertia
        assert "w has no inertia" in friction.err
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace('nature = { coulomb = "mu" }', ""))
        answer = call("check", path)
        assert answer.code == 1
        assert "Give w inertia" in answer.err


class TestGallery:
    def test_list(self, call):
        answer = call("gallery")
        assert [line.split()[0] for line in answer.out.splitlines()] == NAMES
        assert columns(answer.out) <= 80

    def test_list_as_json(self, call):
        listed = json.loads(call("gallery", "--json").out)["models"]
        assert [each["model"] for each in listed] == NAMES
        assert all(each["name"] for each in listed)

    @pytest.mark.parametrize("name", NAMES)
    def test_prints_the_file_itself(self, call, name):
        text = gallery.path(name).read_text(encoding="utf-8")
        assert call("gallery", name).out == text
        assert json.loads(call("gallery", name, "--json").out) == {"model": name, "text": text}

    def test_a_path_is_not_a_name(self, call, model):
        assert call("gallery", model()).code == 2


WRONG = {
    "unknown": (["derive", "rough-rng"], "did you mean 'rough-ring'?"),
    "unknown with suffix": (["check", "Rough-Ring.toml"], "did you mean 'rough-ring'?"),
    "nothing near": (["check", "zzzz"], "the gallery has appell"),
    "unknown in the gallery": (["gallery", "appel"], "did you mean 'appell'?"),
    "empty name": (["derive", ""], "there is no file"),
    "name too long": (["derive", "a" * 5000], "cannot be read"),
    "below a file": (["derive", f"{__file__}/model.toml"], "there is no file"),
    "directory": (["derive", os.path.dirname(__file__)], "is a directory"),
    "not text": (["derive", sys.executable], "UTF-8"),
    "no model": (["derive"], "MODEL"),
    "no such option": (["gallery", "--bogus"], "--bogus"),
    "no such command": (["fly"], "fly"),
}


class TestWrongInput:
    @pytest.mark.parametrize("case", WRONG)
    def test_message_on_stderr(self, call, case):
        arguments, message = WRONG[case]
        answer = call(*arguments)
        assert answer.code == 2
        assert answer.out == ""
        assert message in answer.err
        assert "Traceback" not in answer.err

    @pytest.mark.parametrize("case", WRONG)
    def test_json(self, call, case):
        arguments, message = WRONG[case]
        answer = call(*arguments, "--json")
        document = json.loads(answer.out)
        assert answer.code == 2
        assert answer.err == ""
        assert message in document["message"]
        assert document["faults"]
        assert document["error"]

    def test_a_gallery_name_wins_over_a_directory(self, call, tmp_path, monkeypatch):
        (tmp_path / "appell").mkdir()
        monkeypatch.chdir(tmp_path)
        assert call("derive", "appell").code == 0

    @pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
    def test_a_file_without_permission(self, call, model):
        path = model()
        os.chmod(path, 0)
        answer = call("derive", path)
        assert answer.code == 2
        assert "ermission" in answer.err

    def test_a_file_that_cannot_be_read(self, call, model, monkeypatch):
        """Whoever runs this: a read error is an input that was wrong, in one line."""
        path = model()

        def refuse(*_):
            raise PermissionError(13, "no")

        monkeypatch.setattr("dalembert.model.files.Path.open", refuse)
        answer = call("derive", path)
        assert (answer.code, answer.out) == (2, "")
        assert answer.err == f"dalembert: {path}: the file cannot be read: no\n"

    def test_every_fault_of_a_file_at_once(self, call, model):
        path = model("lagrangian = \"m/2*(x'^2 + y'^2) - m*g*y\"", 'lagrangian = "m/2*("\nfoo = 1')
        answer = call("derive", path, "--json")
        document = json.loads(answer.out)
        assert answer.code == 2
        assert document["error"] == "ModelError"
        assert len(document["faults"]) >= 2
        assert all(fault.splitlines()[0] in document["message"] for fault in document["faults"])

    def test_parameters_without_values(self, call, model):
        path = model("[parameters]\nm = 1.0\ng = 9.81\nR = 1.0\nmu", 'symbols = ["m", "mu"]\n[parameters]\ng = 9.81\nR')
        assert call("derive", path).code == 0  # symbols suffice to derive
        answer = call("check", path)
        assert answer.code == 2
        assert "m, mu" in answer.err

    def test_a_fault_of_the_program_is_json_too(self, call, monkeypatch):
        monkeypatch.setattr(gallery, "names", lambda: 1 / 0)
        answer = call("gallery", "--json")
        assert answer.code == 1
        assert json.loads(answer.out)["error"] == "ZeroDivisionError"


class TestAsAProcess:
    def start(self, *arguments, how=("-c", START), **options):
        return subprocess.run(
            [sys.executable, *how, *arguments], capture_output=True, text=True, encoding="utf-8", timeout=60, **options
        )

    @pytest.mark.parametrize("how", [("-c", START), ("-m", "dalembert")], ids=["script", "module"])
    def test_exit_codes(self, how):
        version = self.start("--version", how=how)
        assert (version.returncode, version.stdout, version.stderr) == (0, f"dalembert {da.__version__}\n", "")
        wrong = self.start("derive", how=how)
        assert wrong.returncode == 2
        assert wrong.stderr.startswith("Usage: dalembert derive")

    def test_a_failed_check_ends_with_1(self):
        assert self.start("check", "contradiction").returncode == 1

    @pytest.mark.skipif(os.name != "posix", reason="pipes as in a POSIX shell")
    @pytest.mark.parametrize("arguments", [["gallery"], ["gallery", "--json"], ["derive", "contradiction"]])
    def test_a_closed_pipe_ends_quietly(self, arguments):
        reading, writing = os.pipe()
        os.close(reading)
        try:
            done = subprocess.run(
                [sys.executable, "-c", START, *arguments], stdout=writing, stderr=subprocess.PIPE, timeout=60
            )
        finally:
            os.close(writing)
        assert done.stderr == b""
        assert done.returncode == 1

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
    def test_a_full_disk_is_said(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [sys.executable, "-c", START, "gallery"], stdout=full, stderr=subprocess.PIPE, timeout=60
            )
        assert done.returncode == 1
        assert done.stderr == b"dalembert: No space left on device\n"

    @pytest.mark.parametrize("more", [[], ["--json"]], ids=["text", "json"])
    def test_a_terminal_without_unicode(self, more):
        env = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
        answer = self.start("derive", "rolling-disk", *more, env=env)
        assert (answer.returncode, answer.stderr) == (0, "")
        assert answer.stdout.isascii()
        if more:
            assert json.loads(answer.stdout)["model"] == "rolling-disk"


def test_the_application_also_runs_under_click():
    runner = CliRunner()
    assert runner.invoke(app, ["gallery", "appell"]).stdout == gallery.path("appell").read_text(encoding="utf-8")
    refused = runner.invoke(app, ["derive", "apell"])
    assert refused.exit_code == 2
    assert "appell" in refused.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["derive", "-h"], ["check", "--help"], ["gallery", "-h"]])
def test_help(call, arguments):
    answer = call(*arguments)
    assert (answer.code, answer.err) == (0, "")
    assert "Usage: dalembert" in answer.out
    assert "..." not in answer.out.split("Commands:")[-1]  # no summary is cut off


def test_commands_are_listed_as_they_are_stated(call):
    """What a newcomer wants stands first; without arguments the same page comes, with the code of wrong input."""
    listed = call("--help").out.split("Commands:\n")[1].splitlines()
    assert [line.split()[0] for line in listed] == ["run", "derive", "check", "reduce", "gallery"]
    nothing = call()
    assert (nothing.code, nothing.out) == (2, "")
    assert nothing.err == call("--help").out


def test_a_closed_output_is_no_fault():
    """`dalembert check hemisphere >&-`: there is nowhere to print, and the check holds all the same."""
    command = f"{shlex.quote(sys.executable)} -m dalembert check hemisphere >&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stderr == ""
