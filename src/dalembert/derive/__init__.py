"""DERIVE: from a statement to M, Q, A, b, C, in symbols and in numbers."""

from dalembert.derive.closed import ClosedForm, closed_form
from dalembert.derive.evaluate import (
    Array,
    Residuals,
    RowNumbers,
    instant,
    mass_and_rows,
    residuals,
)
from dalembert.derive.mechanics import Derived
from dalembert.derive.prepared import caches, prepared
from dalembert.derive.states import initial_state

__all__ = [
    "Array",
    "ClosedForm",
    "Derived",
    "Residuals",
    "RowNumbers",
    "caches",
    "closed_form",
    "initial_state",
    "instant",
    "mass_and_rows",
    "prepared",
    "residuals",
]
