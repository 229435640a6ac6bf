"""Questions that try the harness itself: one that hangs, one that dies, one that raises, one right and one wrong."""

import os
import time

from ..case import Question


def make(seed: int) -> Question:
    """0 hangs, 1 dies, 2 raises, 3 is right, 4 is wrong, 5 is truly refused, 6 is refused without reason."""

    def ask(program):
        if seed == 0:
            time.sleep(1e6)
        if seed == 1:
            os._exit(3)
        if seed == 2:
            raise ZeroDivisionError("on purpose")
        if seed in (5, 6):
            raise program.StateError("on purpose", ["no such state"])
        return seed

    refusals = frozenset({"ModelError"}) if seed == 5 else frozenset()
    return Question(f"selftest {seed}", ask, lambda answer: "" if answer == 3 else f"{answer} is not 3", refusals)
