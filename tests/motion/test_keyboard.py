"""Ctrl-C while a run goes on."""

import os
import signal
import threading

import pytest

from dalembert.motion.keyboard import keyboard

pytestmark = pytest.mark.skipif(os.name != "posix", reason="SIGINT as a POSIX terminal sends it")


@pytest.fixture(autouse=True)
def heard():
    """As in a terminal: where tests run in the background, SIGINT may be ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press():
    signal.raise_signal(signal.SIGINT)


def test_the_first_is_noted_and_the_second_raised():
    with keyboard() as noted:
        press()
        assert noted.pressed
        with pytest.raises(KeyboardInterrupt):
            press()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_handler_of_another_is_left_alone():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append(1))
    try:
        with keyboard() as noted:
            press()
        assert (heard, noted.pressed) == ([1], False)
    finally:
        signal.signal(signal.SIGINT, before)


def test_another_thread_hears_nothing():
    found = []

    def run():
        with keyboard() as noted:
            found.append(noted.pressed)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [False]
