"""Constrained mechanical systems: state, derive, decide, prove.

The public page. Names are imported when first used, so that the command line's help does not wait for SymPy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dalembert.derive import ClosedForm
    from dalembert.engine import NotSmooth
    from dalembert.model import (
        Coulomb,
        Differential,
        Holonomic,
        Ideal,
        ModelError,
        Nonholonomic,
        OneSided,
        Particle,
        Prescribed,
        Quadratic,
        StateError,
        Viscous,
        ideal_force,
        ideal_magnitude,
        multiplier,
    )
    from dalembert.motion import Event, Interrupted, Progress, RunError, Start, Status
    from dalembert.motion.certificate import MotionCertificate
    from dalembert.motion.reconciled import ReconciledSeries
    from dalembert.motion.reconciling import reconcile
    from dalembert.principles import (
        Answer,
        Certificate,
        ContradictionError,
        Instant,
        InstantError,
        MassError,
        Principle,
        Reconciliation,
        least_squares,
    )
    from dalembert.reduction import Reduction
    from dalembert.show import Classification, Equations, Minimal
    from dalembert.system import Motion, System

    principles: Mapping[str, Principle]

_ROOMS = {
    # state
    "System": "system",
    "Particle": "model",
    "Holonomic": "model",
    "Nonholonomic": "model",
    "Differential": "model",
    "OneSided": "model",
    # the nature of constraint forces
    "Ideal": "model",
    "Prescribed": "model",
    "Viscous": "model",
    "Quadratic": "model",
    "Coulomb": "model",
    "ideal_force": "model",
    "ideal_magnitude": "model",
    "multiplier": "model",
    # derive and show
    "ClosedForm": "derive",
    "Equations": "show",
    "Reduction": "reduction",
    "Classification": "show",
    "Minimal": "show",
    # move
    "Start": "motion",
    "Motion": "system",
    "Status": "motion",
    "Event": "motion",
    "Progress": "motion",
    # decide and prove
    "Instant": "principles",
    "Answer": "principles",
    "Certificate": "principles",
    "MotionCertificate": "motion.certificate",
    "least_squares": "principles",
    # reconcile measurements
    "reconcile": "motion.reconciling",
    "Reconciliation": "principles",
    "ReconciledSeries": "motion.reconciled",
    # what can go wrong
    "ModelError": "model",
    "StateError": "model",
    "InstantError": "principles",
    "MassError": "principles",
    "ContradictionError": "principles",
    "NotSmooth": "engine",
    "RunError": "motion",
    "Interrupted": "motion",
}

__all__ = [
    "Answer",
    "Certificate",
    "Classification",
    "ClosedForm",
    "ContradictionError",
    "Coulomb",
    "Differential",
    "Equations",
    "Event",
    "Holonomic",
    "Ideal",
    "Instant",
    "InstantError",
    "Interrupted",
    "MassError",
    "Minimal",
    "ModelError",
    "Motion",
    "MotionCertificate",
    "Nonholonomic",
    "NotSmooth",
    "OneSided",
    "Particle",
    "Prescribed",
    "Progress",
    "Quadratic",
    "ReconciledSeries",
    "Reconciliation",
    "Reduction",
    "RunError",
    "Start",
    "StateError",
    "Status",
    "System",
    "Viscous",
    "__version__",
    "ideal_force",
    "ideal_magnitude",
    "least_squares",
    "multiplier",
    "principles",
    "reconcile",
]


def __getattr__(name: str) -> Any:
    if name == "principles":  # the room itself is the registry of its principles
        return import_module("dalembert.principles")
    if name not in _ROOMS:
        raise AttributeError(f"module 'dalembert' has no attribute {name!r}")
    value = getattr(import_module(f"dalembert.{_ROOMS[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
