"""What a notebook shows of results: the same text that a person prints."""

import pytest

import dalembert as da
from dalembert import gallery

RING = da.System.load(gallery.path("rough-ring"))
AT = {"x": 0.6, "y": -0.8, "x'": 1.6, "y'": 1.2}
SHOWN = {
    "classify": RING.classify,
    "geometry": lambda: RING.geometry(AT),
    "reduce": RING.reduce,
    "verify": lambda: RING.verify(AT),
    "reconcile": lambda: da.reconcile(RING, AT),
    "check": RING.check,
    "start": lambda: RING.start(AT),
}


class Printer:
    """IPython's printer, as far as it is asked."""

    def __init__(self):
        self.out = ""

    def text(self, words):
        self.out += words


@pytest.mark.parametrize("make", SHOWN.values(), ids=SHOWN)
def test_a_notebook_shows_the_text(make):
    found, printer = make(), Printer()
    found._repr_pretty_(printer, False)
    assert printer.out == found.text() == str(found)
    assert printer.out.strip()
