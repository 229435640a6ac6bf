"""Principles: the arrays M, Q, A, b, C of an instant -> acceleration and constraint forces.

One principle a file, all `f(now: Instant) -> Answer`, all giving the same answer by their own route; NumPy
and SciPy only. The package is itself the registry: `principles["gauss"]`, `principles.items()`; `REGISTRY` is
the same mapping for typed code. `least_squares` can be reached by name but is not among them when iterating:
it answers another question, what to make of rows that contradict each other; `reconcile` asks besides how well they
agree, and which of them to doubt.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any

from dalembert.principles.around import weights_around
from dalembert.principles.certificate import Certificate, Check, certify
from dalembert.principles.dependence import Dependency
from dalembert.principles.errors import ContradictionError, InstantError, InverseError, MassError
from dalembert.principles.explicit import explicit
from dalembert.principles.extended import extended
from dalembert.principles.gauss import gauss
from dalembert.principles.geometry import Geometry, geometry
from dalembert.principles.instant import Answer, Instant
from dalembert.principles.least_squares import Reconciled, least_squares
from dalembert.principles.multipliers import multipliers
from dalembert.principles.one_four import one_four
from dalembert.principles.one_sided import LetGo, that_pull
from dalembert.principles.ready import dependencies, independent_rows
from dalembert.principles.reconcile import ReconciledRow, Reconciliation, reconcile
from dalembert.principles.registry import REGISTRY, Principle
from dalembert.principles.scaled import Scaled, scaled
from dalembert.principles.stacked import stacked
from dalembert.principles.trust import Trust
from dalembert.principles.units import balanced_units, enough, held_units, held_weights, lacks_mass, shaken
from dalembert.principles.virtual import virtual

__all__ = [
    "REGISTRY",
    "Answer",
    "Certificate",
    "Check",
    "ContradictionError",
    "Dependency",
    "Geometry",
    "Instant",
    "InstantError",
    "InverseError",
    "LetGo",
    "MassError",
    "Principle",
    "Reconciled",
    "ReconciledRow",
    "Reconciliation",
    "Scaled",
    "Trust",
    "balanced_units",
    "certify",
    "dependencies",
    "enough",
    "explicit",
    "extended",
    "gauss",
    "geometry",
    "held_units",
    "held_weights",
    "independent_rows",
    "lacks_mass",
    "least_squares",
    "multipliers",
    "one_four",
    "reconcile",
    "scaled",
    "shaken",
    "stacked",
    "that_pull",
    "virtual",
    "weights_around",
]


class _Principles(ModuleType, Mapping[str, Callable[..., Any]]):
    """This package as a mapping from the names of the seven principles to the functions."""

    def __getitem__(self, name: str) -> Callable[..., Any]:
        return least_squares if name == "least_squares" else REGISTRY[name]

    def __iter__(self) -> Iterator[str]:
        return iter(REGISTRY)

    def __len__(self) -> int:
        return len(REGISTRY)

    # A mapping compares by content and has no hash; a module must keep its identity.
    __eq__ = ModuleType.__eq__
    __hash__ = ModuleType.__hash__


# `dalembert.principles` is bound to this module whenever any part of it is imported, so a separate mapping of
# that name would be replaced sooner or later. Python lets a module's class be a subclass of ModuleType (Data
# model, "Customizing module attribute access"): the module itself becomes the mapping.
sys.modules[__name__].__class__ = _Principles
