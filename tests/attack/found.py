"""Every fault of motion that was found by hand, by name: a function that makes its case with the right answer."""

from collections.abc import Callable

from .case import Case, Question
from .known import forces, friction, places, refused, starts, switches

FOUND: dict[str, Callable[[], Case | Question]] = {
    **forces.TABLE,  # steps pass over forces; |v| under a root
    **places.TABLE,  # singular configurations missed
    **starts.TABLE,  # starts
    **switches.TABLE,  # switching
    **refused.TABLE,  # refused, stopped or broken without reason
    **friction.TABLE,  # friction, hangs and cost
}

OPEN: dict[str, str] = {}
"""Those not yet mended, and what comes of them; each that is mended must leave this list."""
