"""The public page: what it names, that the names keep their promises, and that asking for help costs nothing."""

import inspect
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from unicodedata import normalize

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert import gallery

HEAVY = ("sympy", "numpy", "scipy", "heyoka", "matplotlib", "lark")
SHOW_HEAVY = f"import sys; print([m for m in {HEAVY} if m in sys.modules], file=sys.stderr)"
MAIN = f"""
import atexit, sys
def show():
    {SHOW_HEAVY}
atexit.register(show)
from dalembert.cli import main
main()
"""


def python(code, *arguments, **variables):
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        env={**os.environ, **variables},
    )
    return done.stdout, done.stderr.strip().splitlines()


class TestNothingHeavyIsImported:
    def test_by_the_package(self):
        assert python(f"import dalembert, dalembert.gallery, dalembert.cli; dir(dalembert); {SHOW_HEAVY}") == (
            "",
            ["[]"],
        )

    def test_the_probe_sees_what_is_imported(self):
        assert "sympy" in python(f"import dalembert; dalembert.System; {SHOW_HEAVY}")[1][-1]

    @pytest.mark.parametrize(
        "arguments",
        [["--help"], ["--version"], ["derive", "--help"], ["check", "--help"], ["gallery", "--help"], ["gallery"]],
        ids=" ".join,
    )
    def test_by_help(self, arguments):
        out, err = python(MAIN, *arguments)
        assert out
        assert err == ["[]"]

    @pytest.mark.parametrize(
        ("words", "expected"),
        [
            ("dalembert derive r", [n for n in gallery.names() if n.startswith("r")]),
            ("dalembert gallery ", gallery.names()),
            ("dalembert check appe", ["appell"]),
            ("dalembert ch", ["check"]),
            ("dalembert derive ./no", ["file,./no"]),
        ],
    )
    def test_by_completion(self, words, expected):
        out, err = python(
            MAIN,
            _DALEMBERT_COMPLETE="bash_complete",
            COMP_WORDS=words,
            COMP_CWORD=str(words.count(" ")),
        )
        assert out.split() == [item if "," in item else f"plain,{item}" for item in expected]
        assert err == ["[]"]

    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_by_the_script_of_a_shell(self, shell):
        """What the README has put into the shell's own settings."""
        out, err = python(MAIN, _DALEMBERT_COMPLETE=f"{shell}_source")
        assert "dalembert" in out
        assert err[-1] == "[]"


class TestNames:
    def test_all_resolve(self):
        assert len(set(da.__all__)) == len(da.__all__)
        for name in da.__all__:
            assert getattr(da, name) is not None
        assert set(da.__all__) <= set(dir(da))

    def test_star(self):
        assert (
            python("from dalembert import *; print(System.__name__, principles['gauss'].__name__)")[0]
            == "System gauss\n"
        )

    def test_all_are_documented(self):
        assert [n for n in da.__all__ if not n.startswith("__") and not inspect.getdoc(getattr(da, n))] == []

    def test_an_unknown_name(self):
        with pytest.raises(AttributeError, match="Sytem"):
            da.Sytem  # noqa: B018

    @pytest.mark.parametrize("first", ["pass", "import dalembert.principles.gauss", "import dalembert.cli"])
    def test_principles_is_a_registry_whatever_came_before(self, first):
        code = f"{first}\nimport dalembert as da, dalembert.principles.virtual\nimport json\n"
        code += "print(json.dumps([[n, da.principles[n].__name__, callable(getattr(da.principles, n))]"
        code += " for n in da.principles]))"
        found = json.loads(python(code)[0])
        seven = {"explicit", "extended", "stacked", "gauss", "multipliers", "virtual", "one_four"}
        assert {name for name, _, _ in found} == seven
        assert all(name == own and works for name, own, works in found)


x, y = dynamicsymbols("x y")
m, g, R, mu = symbols("m g R mu", positive=True)
STATE = {x: 0.6, y: -0.8, x.diff(): 0.8, y.diff(): 0.6}


@pytest.fixture(scope="module")
def ring():
    """The example of DESIGN section 3, word for word."""
    return da.System.from_lagrangian(
        m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y,
        coordinates=[x, y],
        constraints=[da.Holonomic(x**2 + y**2 - R**2, name="ring", nature=da.Coulomb(mu))],
        parameters={m: 1.0, g: 9.81, R: 1.0, mu: 0.2},
    )


class TestTheExampleOfTheDesign:
    def test_equations(self, ring):
        equations = ring.equations()
        assert isinstance(equations, da.Equations)
        for part in ("M", "Q", "A", "b", "C", "acceleration", "ideal", "nonideal", "multipliers"):
            assert getattr(equations, part) is not None
        assert r"\ddot{x}" in equations.latex()
        assert normalize("NFC", "x\u0308 = ") in normalize("NFC", equations.text())

    def test_verify(self, ring):
        """On the ring at (0.6, −0.8) with unit speed: N = v²/R − g y/R inwards, friction μ N against the motion."""
        certificate = ring.verify(STATE)
        assert isinstance(certificate, da.Certificate)
        assert certificate.passed
        assert set(certificate.answers) == set(da.principles)
        N = 1.0 + 9.81 * 0.8
        assert_allclose(certificate.answer.ideal, [-0.6 * N, 0.8 * N], rtol=1e-12)
        assert_allclose(certificate.answer.nonideal, [-0.2 * N * 0.8, -0.2 * N * 0.6], rtol=1e-12)
        assert_allclose(certificate.answer.acceleration, [-0.6 * N - 0.16 * N, -9.81 + 0.8 * N - 0.12 * N], rtol=1e-12)
        assert_allclose(certificate.virtual_work, certificate.prescribed_work, rtol=1e-12)
        assert (certificate.rank, certificate.degrees_of_freedom) == (1, 1)
        assert certificate.disagreement < 1e-12
        assert "PASSED" in certificate.text()
        json.dumps(certificate.as_dict(), allow_nan=False)

    def test_instant(self, ring):
        now = ring.instant(STATE)
        assert isinstance(now, da.Instant)
        assert [getattr(now, part).shape for part in "MQAbC"] == [(2, 2), (2,), (1, 2), (1,), (2,)]
        assert_allclose(now.A, [[1.2, -1.6]])
        assert_allclose(now.b, [-2.0])
        assert (now.coordinates, now.constraints) == (("x", "y"), ("ring",))
        other = ring.instant(STATE, t=2.0, parameters={g: 0.0})
        assert_allclose(other.Q, 0)

    def test_each_principle_gives_an_answer(self, ring):
        now = ring.instant(STATE)
        for principle in da.principles.values():
            answer = principle(now)
            assert isinstance(answer, da.Answer)
            assert answer._fields == ("acceleration", "ideal", "nonideal", "multipliers")
            assert [part.shape for part in answer] == [(2,), (2,), (2,), (1,)]
            assert_allclose(now.M @ answer.acceleration, now.Q + answer.ideal + answer.nonideal, rtol=1e-12)
            assert_allclose(now.A.T @ answer.multipliers, answer.ideal, rtol=1e-12)
        assert isinstance(da.principles, Mapping)
        assert da.principles.least_squares is da.least_squares


class TestSignatures:
    @pytest.mark.parametrize(
        ("maker", "positional", "keywords"),
        [
            ("from_lagrangian", ["L", "coordinates"], {"forces", "constraints", "parameters", "name"}),
            ("from_forces", ["M", "Q", "coordinates"], {"constraints", "parameters", "name"}),
            ("from_particles", ["particles"], {"constraints", "parameters", "name"}),
        ],
    )
    def test_makers(self, maker, positional, keywords):
        parameters = inspect.signature(getattr(da.System, maker)).parameters
        ordered = [n for n, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD]
        named = {n: p for n, p in parameters.items() if p.kind is p.KEYWORD_ONLY}
        assert ordered == positional
        assert keywords <= named.keys()
        assert all(p.default is not p.empty for p in named.values())  # nothing but the system itself must be said
        assert all(parameters[n].default is inspect.Parameter.empty for n in positional)

    @pytest.mark.parametrize("verb", ["instant", "verify"])
    def test_verbs(self, verb):
        assert list(inspect.signature(getattr(da.System, verb)).parameters) == ["self", "state", "t", "parameters"]

    def test_least_squares(self, ring):
        assert list(inspect.signature(da.least_squares).parameters) == ["now", "weights"]
        now = ring.instant(STATE)
        assert_allclose(da.least_squares(now).acceleration, da.principles.explicit(now).acceleration, rtol=1e-10)

    def test_instant_by_hand(self):
        """A, b and C may be left out, and the arrays cannot be changed."""
        now = da.Instant(np.diag([2.0, 1.0]), [4.0, 3.0])
        assert_allclose(da.principles.explicit(now).acceleration, [2, 3])
        with pytest.raises(ValueError, match="read-only"):
            now.Q[0] = 1.0
        with pytest.raises(da.InstantError, match="symmetric"):
            da.Instant([[1.0, 2.0], [0.0, 1.0]], [0.0, 0.0])

    @pytest.mark.parametrize("kind", [da.Holonomic, da.Nonholonomic])
    def test_constraints_take_name_and_nature(self, kind):
        made = kind(x if kind is da.Holonomic else x.diff(), name="row", nature=da.Viscous(1))
        assert (made.name, made.nature) == ("row", da.Viscous(1))
        assert kind(made.expr).nature == da.Ideal()
        assert da.Differential({x: 1}, name="row", nature=da.Quadratic(2)).nature == da.Quadratic(2)

    def test_model_files(self, ring, tmp_path):
        ring.save(tmp_path / "ring.toml")
        assert da.System.load(tmp_path / "ring.toml") == ring

    def test_errors_are_value_errors(self):
        for name in ("ModelError", "StateError", "InstantError", "MassError", "ContradictionError"):
            assert issubclass(getattr(da, name), ValueError)
