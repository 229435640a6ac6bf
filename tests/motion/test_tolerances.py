"""The tolerances of a motion stand in one table, and on a page."""

from pathlib import Path

from dalembert.motion.tolerances import TABLE, tolerance

PAGE = Path(__file__).parents[2] / "docs" / "tolerances.md"


def test_the_page_has_them_all_as_they_are():
    page = PAGE.read_text(encoding="utf-8")
    for name, t in TABLE.items():
        assert f"| `{name}` | {t.value:.2g} | {t.decides} | {t.relative_to} |\n" in page
        assert t.relative_to
        assert tolerance(name) == t.value
    assert page.count("\n| `") == len(TABLE)
