"""The package is the registry of its principles."""

import pickle
import subprocess
import sys
from collections.abc import Mapping
from types import ModuleType

import pytest

import dalembert.principles as principles

NAMES = ["explicit", "one_four", "extended", "stacked", "gauss", "multipliers", "virtual"]


def test_it_is_a_mapping_of_the_seven_and_still_a_module():
    assert isinstance(principles, Mapping)
    assert isinstance(principles, ModuleType)
    assert list(principles) == NAMES
    assert len(principles) == 7
    assert list(principles.keys()) == NAMES
    assert dict(principles.items()) == dict(principles.REGISTRY)
    assert principles["gauss"] is principles.gauss
    assert "gauss" in principles
    assert "magic" not in principles
    with pytest.raises(KeyError):
        principles["magic"]
    assert principles == sys.modules["dalembert.principles"]
    assert {principles: 1}[principles] == 1


def test_least_squares_is_reachable_but_answers_another_question():
    assert principles["least_squares"] is principles.least_squares
    assert "least_squares" not in list(principles)


@pytest.mark.parametrize("name", [*NAMES, "least_squares", "geometry"])
def test_names_are_functions_even_after_their_files_are_imported(name):
    __import__(f"dalembert.principles.{name}")
    assert callable(getattr(principles, name))
    assert pickle.loads(pickle.dumps(getattr(principles, name))) is getattr(principles, name)


def test_the_room_imports_only_numpy_and_scipy():
    code = (
        "import sys, dalembert.principles;"
        "rooms = {m.split('.')[1] for m in sys.modules if m.startswith('dalembert.')};"
        "assert rooms == {'principles'}, rooms; assert 'sympy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
