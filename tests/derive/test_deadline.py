"""A time limit for work that cannot be predicted: it ends in time, in any thread, and leaves nothing behind."""

import threading
import time
from contextlib import suppress

import pytest
import sympy

from dalembert.derive import deadline as module
from dalembert.derive.deadline import Overtime

HERE = __name__.partition(".")[0]


def deadline(seconds):
    """The limit, on work in this file."""
    return module.deadline(seconds, working=(HERE,))


def spin(seconds):
    """Pure Python for a while; how long it really took."""
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds:
        pass
    return time.perf_counter() - begin


def stopped_after(limit, work=30.0):
    begin = time.perf_counter()
    with pytest.raises(Overtime), deadline(limit):
        spin(work)
    return time.perf_counter() - begin


def test_stops_a_loop_in_the_main_thread():
    assert threading.current_thread() is threading.main_thread()
    assert 0.1 <= stopped_after(0.1) < 5


def test_stops_a_loop_in_another_thread():
    took = []
    thread = threading.Thread(target=lambda: took.append(stopped_after(0.1)))
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
    assert 0.1 <= took[0] < 5


def test_threads_do_not_stop_each_other():
    """Two limits at once: each ends its own work, and the thread without one goes on."""
    took = {}

    def limited(limit):
        took[limit] = stopped_after(limit)

    threads = [threading.Thread(target=limited, args=(limit,)) for limit in (0.1, 0.4)]
    for thread in threads:
        thread.start()
    assert spin(0.6) >= 0.6
    for thread in threads:
        thread.join(20)
    assert 0.1 <= took[0.1] < took[0.4]
    assert took[0.4] >= 0.4


def test_work_that_is_done_in_time_is_left_alone():
    with deadline(30):
        value = sum(range(1000))
    assert value == 499500


def test_nothing_comes_after_the_block():
    with deadline(0.05):
        pass
    assert spin(0.2) >= 0.2


def test_nothing_comes_after_the_block_however_close_it_was():
    """Blocks that end about when their time does: Overtime comes out of the block itself or not at all."""
    ended = {"in time": 0, "overtime": 0}
    for i in range(80):
        work = 0.005 + 0.025 * i / 80  # around the limit; Python changes threads every 5 ms
        try:
            with deadline(0.01):
                spin(work)
            ended["in time"] += 1
        except Overtime:
            ended["overtime"] += 1
        spin(0.0005)  # here it would come, were it late
    assert sum(ended.values()) == 80
    assert min(ended.values()) > 0


def test_other_exceptions_pass():
    with pytest.raises(ZeroDivisionError), deadline(30):
        1 / 0  # noqa: B018
    with pytest.raises(Overtime), deadline(0.05), suppress(Exception):  # no handler of SymPy's own takes it
        spin(30)


def test_no_thread_is_left():
    before = threading.active_count()
    for _ in range(20):
        with deadline(60):
            pass
    spin(0.05)
    assert threading.active_count() <= before + 1


class TestNested:
    def test_the_inner_one_ends_alone(self):
        with deadline(30):
            assert stopped_after(0.05) < 5
            assert spin(0.1) >= 0.1

    def test_the_outer_one_holds_after_the_inner_one(self):
        begin = time.perf_counter()
        with pytest.raises(Overtime), deadline(0.3):
            assert stopped_after(0.05) + spin(30) < 30
        assert 0.3 <= time.perf_counter() - begin < 5

    def test_the_outer_one_ends_the_inner_one(self):
        begin = time.perf_counter()
        with pytest.raises(Overtime), deadline(0.1), deadline(30):
            spin(30)
        assert 0.1 <= time.perf_counter() - begin < 5
        assert spin(0.1) >= 0.1


def stubborn(times):
    """Work that takes so many interruptions for its own before it gives in."""
    for _ in range(times):
        with suppress(Overtime):
            spin(30)
    spin(30)


def test_a_swallowed_interruption_is_made_again():
    """Code that takes every exception, as the interpreter does in callbacks, delays the end but cannot prevent it."""
    begin = time.perf_counter()
    with pytest.raises(Overtime), deadline(0.05):
        stubborn(3)
    assert time.perf_counter() - begin < 5


def test_other_code_is_not_interrupted():
    """Only the packages named are: what runs in others, a callback say, goes on."""
    with module.deadline(0.01, working=("no_such_package",)):
        assert spin(0.2) >= 0.2


def test_symbolic_work_is_stopped():
    x = sympy.symbols("x0:8")
    begin = time.perf_counter()
    with pytest.raises(Overtime), module.deadline(0.3):
        sympy.expand((sum(x) + 1) ** 14)
    assert time.perf_counter() - begin < 10
