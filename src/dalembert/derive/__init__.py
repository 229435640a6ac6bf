"""DERIVE: from a statement to M, Q, A, b, C, in symbols and in numbers."""

from dalembert.derive.closed import ClosedForm, closed_form
from dalembert.derive.evaluate import (
    Array,
    Residuals,
    RowNumbers,
    bare_instant,
    energy_and_power,
    follows_multipliers,
    instant,
    instant_at,
    mass_and_rows,
    residuals,
    residuals_at,
    too_large,
    with_work,
)
from dalembert.derive.forms import Kind, Kinds, Relation, classify, integrated
from dalembert.derive.least.minimal import MinimalForm, minimal
from dalembert.derive.mechanics import Derived
from dalembert.derive.nonideal import AtRestError
from dalembert.derive.prepared import caches, form, prepared
from dalembert.derive.scales import CLOSE, Closeness, closeness
from dalembert.derive.states import initial_state, numbers, parameter_values, state_values
from dalembert.derive.touching import InContact, apart, in_contact

__all__ = [
    "CLOSE",
    "Array",
    "AtRestError",
    "ClosedForm",
    "Closeness",
    "Derived",
    "InContact",
    "Kind",
    "Kinds",
    "MinimalForm",
    "Relation",
    "Residuals",
    "RowNumbers",
    "apart",
    "bare_instant",
    "caches",
    "classify",
    "closed_form",
    "closeness",
    "energy_and_power",
    "follows_multipliers",
    "form",
    "in_contact",
    "initial_state",
    "instant",
    "instant_at",
    "integrated",
    "mass_and_rows",
    "minimal",
    "numbers",
    "parameter_values",
    "prepared",
    "residuals",
    "residuals_at",
    "state_values",
    "too_large",
    "with_work",
]
