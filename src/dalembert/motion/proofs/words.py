"""What the proofs share: the words of a check, and bounds that hold for several."""

from dalembert.motion.look import Look
from dalembert.motion.tolerances import EPS

MOST = 2.0**-4  # no bound is above this part of what it is about: more would be said of any motion


def worst_of(what: str, t: float) -> str:
    """What is worst, and when, in the words of a check."""
    return f"; worst: {what}, t = {t:.6g}"


def worst_at(value: float, t: float) -> str:
    """When it is worst, in the words of a check; nothing where nothing is wrong."""
    return f"; worst: t = {t:.6g}" if value > 0 else ""


def counted(number: int, one: str, more: str = "") -> str:
    """A number and its noun."""
    return f"{number} {one if number == 1 else more or one + 's'}"


def rounding_of_time(look: Look) -> float:
    """What rounding of the time makes of a motion, relative: long after zero, steps begin and end a little beside."""
    m = look.motion
    latest, span = max(abs(m.begin_time), abs(m.end_time)), m.end_time - m.begin_time
    return 4 * EPS * latest * max(look.steps, 1) / span if span > 0 else 0.0
