"""DERIVE: from a statement to M, Q, A, b, C, in symbols and in numbers."""

from dalembert.derive.closed import ClosedForm, closed_form
from dalembert.derive.evaluate import Residuals, caches, derived, instant, residuals, symbols_of
from dalembert.derive.mechanics import Derived
from dalembert.derive.states import initial_state

__all__ = [
    "ClosedForm",
    "Derived",
    "Residuals",
    "caches",
    "closed_form",
    "derived",
    "initial_state",
    "instant",
    "residuals",
    "symbols_of",
]
