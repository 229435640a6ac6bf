"""The same input gives the same bits on a busy machine, in fresh processes, compiled afresh or not."""

import pytest

from attack.reproducible import busy, differences, once

pytestmark = pytest.mark.compiled
MODELS = ["belt", "contradiction", "rolling-disk"]


def test_the_same_bits_under_load():
    with busy():
        runs = [once(MODELS, str(k), compiled=k == 0) for k in range(2)]
    assert differences(runs) == {}
    assert {"states", "events", "status", "multipliers", "equations"} <= set(runs[0]["belt"])


def test_other_bits_are_seen():
    one = {"belt": {"states": "a", "events": "b"}}
    assert differences([one, one]) == {}
    assert differences([one, {"belt": {"states": "c", "events": "b"}}]) == {"belt": ["states"]}
