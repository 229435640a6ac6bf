"""An instant is complete and checked when built."""

import dataclasses
import pickle

import numpy as np
import pytest

from dalembert.principles import Instant, InstantError


def test_what_is_left_out_is_empty_or_zero_and_named():
    now = Instant([[2, 0], [0, 1]], [1, 2])
    assert (now.n, now.m) == (2, 0)
    assert now.A.shape == (0, 2)
    assert now.b.shape == (0,)
    assert not now.C.any()
    assert now.coordinates == ("q1", "q2")
    assert Instant(np.eye(2), [1, 2], [[1, 1]]).constraints == ("row 1",)
    assert not Instant(np.eye(2), [1, 2], [[1, 1]]).b.any()


def test_arrays_are_copies_that_cannot_be_written():
    M = np.eye(2)
    now = Instant(M, [1, 2])
    M[0, 0] = 7
    assert now.M[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        now.Q[0] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        now.Q = M


def test_it_can_be_replaced_and_pickled():
    now = Instant(np.eye(2), [1, 2], [[1, 1]], [3], coordinates=["x", "y"])
    other = dataclasses.replace(now, b=np.array([4.0]))
    assert other.b[0] == 4
    assert other.coordinates == ("x", "y")
    assert np.array_equal(pickle.loads(pickle.dumps(now)).A, now.A)


def test_every_fault_in_one_error():
    with pytest.raises(InstantError) as caught:
        Instant([[1, 2], [0, 1]], [1, np.inf, 0], [[1, 2, 3]], [1, 2], [1], ["x"], ["a", "b"])
    text = str(caught.value)
    for fault in ("M: not symmetric", "Q: shape (2,)", "Q[1]", "A: shape (1, 2)", "b: shape (1,)", "C: shape (2,)"):
        assert fault in text
    assert "coordinates: 1 names for 2" in text
    assert "constraints: 2 names for 1" in text
    assert len(caught.value.faults) == 8


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([1, 2], [1, 2]), "M: 2 axes"),
        ((np.eye(2), "no"), "Q: not an array"),
        ((np.eye(2), [1, 2j]), "Q: not an array"),
        ((np.zeros((0, 0)), []), "at least one coordinate"),
        ((np.eye(2), [1, 2], None, [1]), "b: shape"),
        ((np.ones((2, 3)), [1, 2]), "M: shape"),
        ((np.eye(2), [1, 2], [[1, 2], [3]]), "A: not an array"),
    ],
)
def test_what_is_not_an_instant_is_refused(arguments, said):
    with pytest.raises(InstantError, match=said):
        Instant(*arguments)
