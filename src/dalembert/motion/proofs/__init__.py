"""What is checked along a motion: small proofs, each of which gives a check or says why there is nothing to check.

Everything is computed anew from the motion: its samples, and the states between them on its steps. Nothing but the
first proof believes what the run says of itself.
"""

from collections.abc import Callable

from dalembert.motion.look import Look
from dalembert.motion.proofs.branches import branches
from dalembert.motion.proofs.constraints import on_constraints
from dalembert.motion.proofs.energy import energy
from dalembert.motion.proofs.events import events
from dalembert.motion.proofs.forces import principles, said
from dalembert.motion.proofs.guards import friction, gaps, modes, pushes
from dalembert.motion.proofs.impacts import impacts
from dalembert.motion.proofs.steps import retraced, sampled, steps
from dalembert.motion.proofs.works import works
from dalembert.principles.certificate import Check

__all__ = ["PROOFS", "Proof"]

Proof = Callable[[Look], Check | str]

PROOFS: dict[str, Proof] = {
    "steps": steps,
    "retraced": retraced,
    "samples": sampled,
    "on constraints": on_constraints,
    "branches": branches,
    "energy": energy,
    "works": works,
    "gaps": gaps,
    "pushes": pushes,
    "friction": friction,
    "principles": principles,
    "forces": said,
    "modes": modes,
    "impacts": impacts,
    "events": events,
}
"""All proofs, by the names of their checks."""
