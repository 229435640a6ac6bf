"""STATE: what the mechanician states. Frozen values, checked when built."""

from dalembert.model.cases import uncovered
from dalembert.model.checks import against_assumptions, is_coordinate, is_velocity, name_of, velocity
from dalembert.model.clock import time
from dalembert.model.constraints import (
    ON_POSITIONS,
    Constraint,
    Differential,
    Held,
    HeldAt,
    Holonomic,
    Nonholonomic,
    OneSided,
)
from dalembert.model.embeddings import ReadEmbedding, read_embedding
from dalembert.model.errors import ModelError, StateError, refuse
from dalembert.model.inputs import as_number, initial_values
from dalembert.model.natures import Coulomb, Following, Ideal, Nature, Prescribed, Quadratic, Viscous
from dalembert.model.reactions import (
    IdealForce,
    IdealMagnitude,
    Multiplier,
    Reaction,
    ideal_force,
    ideal_magnitude,
    latex_name,
    multiplier,
)
from dalembert.model.rules import all_expressions, sliding
from dalembert.model.statement import Statement
from dalembert.model.unconstrained import Lagrangian, MassAndForce, Particle, Particles

__all__ = [
    "ON_POSITIONS",
    "Constraint",
    "Coulomb",
    "Differential",
    "Following",
    "Held",
    "HeldAt",
    "Holonomic",
    "Ideal",
    "IdealForce",
    "IdealMagnitude",
    "Lagrangian",
    "MassAndForce",
    "ModelError",
    "Multiplier",
    "Nature",
    "Nonholonomic",
    "OneSided",
    "Particle",
    "Particles",
    "Prescribed",
    "Quadratic",
    "Reaction",
    "ReadEmbedding",
    "StateError",
    "Statement",
    "Viscous",
    "against_assumptions",
    "all_expressions",
    "as_number",
    "ideal_force",
    "ideal_magnitude",
    "initial_values",
    "is_coordinate",
    "is_velocity",
    "latex_name",
    "multiplier",
    "name_of",
    "read_embedding",
    "refuse",
    "sliding",
    "time",
    "uncovered",
    "velocity",
]
