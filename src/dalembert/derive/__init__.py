"""DERIVE: from a statement to M, Q, A, b, C, in symbols and in numbers."""

from dalembert.derive.closed import ClosedForm, closed_form
from dalembert.derive.evaluate import (
    Array,
    Residuals,
    RowNumbers,
    energy_and_power,
    instant,
    instant_at,
    mass_and_rows,
    residuals,
)
from dalembert.derive.forms import Kind, Kinds, Relation, classify, integrated
from dalembert.derive.mechanics import Derived
from dalembert.derive.prepared import caches, form, prepared
from dalembert.derive.states import initial_state, numbers, parameter_values, state_values

__all__ = [
    "Array",
    "ClosedForm",
    "Derived",
    "Kind",
    "Kinds",
    "Relation",
    "Residuals",
    "RowNumbers",
    "caches",
    "classify",
    "closed_form",
    "energy_and_power",
    "form",
    "initial_state",
    "instant",
    "instant_at",
    "integrated",
    "mass_and_rows",
    "numbers",
    "parameter_values",
    "prepared",
    "residuals",
    "state_values",
]
