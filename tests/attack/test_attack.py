"""A short attack, class by class; and the harness itself: what hangs, dies or raises is recorded."""

import json
from pathlib import Path

import pytest

from attack.judge import GOOD, Verdict
from attack.pool import run
from attack.registry import CLASSES, make, names
from attack.report import BEGIN, counts, page, text

pytestmark = pytest.mark.compiled
ROOT = Path(__file__).parents[2]
EACH = 6  # cases of a class
LIMIT = 30.0  # seconds a case may take


@pytest.mark.parametrize("kind", CLASSES)
def test_nothing_is_wrong(kind):
    records = list(run([f"{kind}:{seed}" for seed in range(EACH)], jobs=2, limit=LIMIT))
    assert len(records) == EACH
    bad = [f"{r.case} {r.verdict}: {r.label}: {r.words}" for r in records if r.verdict not in GOOD]
    assert not bad, "\n" + "\n".join(bad)


def test_every_way_a_case_can_end_is_recorded():
    wanted = {
        "selftest:0": Verdict.HUNG,
        "selftest:1": Verdict.CRASHED,
        "selftest:2": Verdict.CRASHED,
        "selftest:3": Verdict.RIGHT,
        "selftest:4": Verdict.WRONG,
        "selftest:5": Verdict.REFUSED,
        "selftest:6": Verdict.UNFOUNDED,
    }
    records = {r.case: r for r in run(wanted, jobs=2, limit=3.0)}
    assert {name: r.verdict for name, r in records.items()} == {name: str(v) for name, v in wanted.items()}
    assert "exit code 3" in records["selftest:1"].words
    assert "on purpose" in records["selftest:2"].words


def test_names_go_through_the_classes_in_turn():
    listed = names(30, seed=100)
    assert listed[0] == f"{CLASSES[0]}:100"
    assert listed[len(CLASSES)] == f"{CLASSES[0]}:101"
    assert names(3, seed=5, only="light") == ["light:5", "light:6", "light:7"]
    with pytest.raises(KeyError, match="no class"):
        make("nothing:1")


def test_the_page_agrees_with_the_record():
    """The table of docs/trust.md is the one made from the recorded attack."""
    recorded = json.loads((ROOT / "benchmarks" / "results" / "attack.json").read_text(encoding="utf-8"))
    written = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
    assert BEGIN in written
    assert page(written, recorded) == written
    assert sum(sum(found.values()) for found in recorded["counts"].values()) == recorded["count"]
    assert set(recorded["counts"]) == set(CLASSES)


def test_counts_and_the_list_of_bad_cases():
    records = list(run(["selftest:3", "selftest:4"], jobs=1, limit=30.0))
    assert counts(records) == {"selftest": {"right": 1, "wrong": 1}}
    assert "selftest:4  wrong: selftest 4\n    4 is not 3" in text(records)
