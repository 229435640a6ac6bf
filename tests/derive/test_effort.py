"""A bound of symbolic work in counted steps: it ends at the same step, in any thread, however busy the machine."""

import threading
from contextlib import suppress

import pytest
from sympy import cos, sin, symbols

from dalembert.derive.effort import UNIT, TooMuch, affordable, effort, spend, weigh
from dalembert.derive.sizes import ENDLESS, size_of

x, y, z = symbols("x y z", real=True)


def steps_until_it_ends(units: float) -> int:
    count = 0
    with effort(units), suppress(TooMuch):
        while True:
            spend(1)
            count += 1
    return count


def test_work_ends_after_so_many_steps() -> None:
    assert steps_until_it_ends(1.0) == UNIT
    assert steps_until_it_ends(0.5) == UNIT // 2
    assert steps_until_it_ends(0) == 0


def test_without_a_bound_nothing_ends() -> None:
    spend(10**9)
    assert affordable(10**9)


def test_each_thread_counts_its_own() -> None:
    found = []
    with effort(0.1):
        threads = [threading.Thread(target=lambda: found.append(steps_until_it_ends(1.0))) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert affordable(UNIT / 10)
    assert found == [UNIT] * 3


def test_an_inner_bound_counts_for_the_outer_one() -> None:
    with effort(1.0):
        assert steps_until_it_ends(0.25) == UNIT // 4
        assert not affordable(UNIT)
        assert affordable(UNIT / 2)
        assert steps_until_it_ends(2.0) < UNIT
        with pytest.raises(TooMuch):
            spend(1)


def test_what_is_too_large_is_not_begun() -> None:
    with effort(1.0):
        with pytest.raises(TooMuch, match="terms"):
            weigh((x + y + z) ** 100)
        assert affordable(UNIT)
        weigh((x + y) ** 2)
        assert not affordable(UNIT)


SIZES = {
    x: (1, 1),
    x + y: (2, 1),
    (x + y) ** 3: (4, 1),
    (x + y) * (x - z): (4, 1),
    1 / (x + y): (1, 2),
    x / (x + y) + 1 / (x + y): (2, 2),
    x / (x + y) + 1 / z: (3, 2),
    (1 + 1 / x) ** 2: (3, 1),
    1 / (1 + 1 / x): (1, 2),
    sin(x + y) * cos(z): (1, 1),
}


@pytest.mark.parametrize(("e", "terms"), SIZES.items(), ids=map(str, SIZES))
def test_sizes_are_known_before_anything_is_written_out(e, terms) -> None:
    assert (size_of(e).above, size_of(e).below) == terms


def test_sizes_are_bounds() -> None:
    from sympy import expand, fraction, together

    for e in ((x + y) ** 2 / (x - y) + z / (x + 1), (x + 1 / y) ** 3 * (1 + z), (x + y * z) ** 4 / (1 + 1 / x) ** 2):
        top, bottom = map(expand, fraction(together(e)))
        assert len(top.as_ordered_terms()) <= size_of(e).above
        assert len(bottom.as_ordered_terms()) <= max(size_of(e).below, 1)
    assert size_of((x + y + z) ** 5000).terms == ENDLESS


def test_sums_of_angles_are_counted() -> None:
    e = sin(x) * cos(y) * sin(z)
    assert size_of(e).turned >= 4
