"""Every fault of motion that was found by hand is mended: right, or refused with a true reason."""

import pytest

from attack.found import FOUND, OPEN
from attack.judge import GOOD
from attack.pool import Bench

pytestmark = pytest.mark.compiled
LIMIT = 60.0  # seconds a case may take beside its truth


@pytest.fixture(scope="module")
def bench():
    with Bench() as made:
        yield made


def mended_or_open(name):
    marks = [pytest.mark.xfail(reason=OPEN[name], strict=True)] if name in OPEN else []
    return pytest.param(name, marks=marks)


@pytest.mark.parametrize("name", [mended_or_open(name) for name in FOUND])
def test_found(name, bench):
    record = bench.record(f"found:{name}", LIMIT)
    assert record.verdict in GOOD, f"{record.label}: {record.verdict}: {record.words}"
    assert record.verdict != "uncertain truth", record.words
