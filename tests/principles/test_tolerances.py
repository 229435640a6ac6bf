"""Every tolerance is in one module, knows what it is relative to, and stands in the table of the page."""

import pickle
import re
from pathlib import Path

import pytest

from dalembert.principles import tolerances
from dalembert.principles.tolerances import Tolerance

ROOT = Path(__file__).parents[2]
ROOM = ROOT / "src" / "dalembert" / "principles"


def test_the_page_has_them_all_as_they_are():
    page = (ROOT / "docs" / "principles.md").read_text(encoding="utf-8")
    for name, t in tolerances.table().items():
        assert f"| `{name}` | {float(t):.2g} | {t.decides} | {t.quantity} | {t.relative_to} |\n" in page
    assert len(re.findall(r"^\| `[A-Z_]+` \|", page, re.M)) == len(tolerances.table())


def test_a_tolerance_is_a_number_that_can_be_kept():
    one = tolerances.RANK
    assert one == 1e-11
    again = pickle.loads(pickle.dumps(one))
    assert again == one
    assert vars(again) == vars(one)
    assert all(isinstance(t, Tolerance) and t.decides and t.relative_to for t in tolerances.table().values())


@pytest.mark.parametrize("file", sorted(ROOM.glob("*.py")), ids=lambda file: file.stem)
def test_no_other_file_has_small_numbers_of_its_own(file):
    """A number such as 1e-9 outside the table would be a tolerance that nobody finds."""
    if file.stem != "tolerances":
        code = re.sub(r'""".*?"""|#.*', "", file.read_text(encoding="utf-8"), flags=re.S)
        assert not re.findall(r"\b\d+(?:\.\d+)?e-\d+\b", code)
