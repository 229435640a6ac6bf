"""A start in words: all of a small state, the gist of a large one, what was solved marked."""

from dalembert.show.starting import MOST, state_in_words


def test_a_small_state_is_told_whole():
    state = {"x": 0.6, "y": -0.8, "x'": 0.0, "y'": -0.0}
    assert state_in_words(state) == "x = 0.6, y = -0.8, x' = 0, y' = 0"
    assert state_in_words(state, ["y"]) == "x = 0.6, y = -0.8 (solved), x' = 0, y' = 0"


def test_of_a_large_state_what_is_not_zero_is_told():
    state = {f"q{i}": float(i == 7) for i in range(100)}
    assert state_in_words(state) == "q7 = 1, all others 0"
    full = {f"q{i}": float(i) for i in range(1, 101)}
    words = state_in_words(full, ["q1", "q90", "q91"])
    assert words.startswith("q1 = 1 (solved), q2 = 2, ")
    assert words.endswith(f"and {100 - MOST} more (2 of them solved)")
    assert len(words) < 200


def test_nothing():
    assert state_in_words({}) == "nothing is stated"
