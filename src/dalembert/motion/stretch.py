"""The smooth system of a stretch of a motion, in numbers by the principles: nothing compiled takes part."""

import numpy as np

from dalembert.derive import Array, bare_instant, form, instant_at, prepared
from dalembert.derive.actual import exerted
from dalembert.derive.factors import without_factors
from dalembert.derive.switching.modes import STICKS, Mode, switches
from dalembert.derive.switching.stages import staged
from dalembert.derive.variants import with_constraints
from dalembert.model import Statement
from dalembert.principles import Instant, explicit


class Stretch:
    """A system in one mode: `statement` has the rows in force, redundant ones too, `values` are of its parameters.

    Contacts that are closed are rows, and friction that sticks; friction that slides and what stands in |x| or sign(x)
    have the sign that the mode gives them. Rows are without factors that are never zero, as they are in a run.
    """

    def __init__(self, system: Statement, values: Array, mode: Mode | None) -> None:
        system = without_factors(system).statement
        self.statement, self.values = system, tuple(map(float, values))
        if mode is not None:
            known = staged(form(system), mode.bases, 0 in mode.signs)
            base = known.stage.statement
            given = dict(zip(system.symbols, self.values, strict=True))
            run = dict(zip(base.symbols, known.values(given, mode.anew, {}), strict=True))
            masked = zip(base.constraints, known.stage.masks, strict=True)
            self.statement = with_constraints(base, [c for c, mask in masked if mask is None or run[mask]])
            self.values = tuple(run[s] for s in self.statement.symbols)

    def inputs(self, t: float, state: Array) -> list[float]:
        """Bare numbers: coordinates, velocities, time, parameters."""
        return [*map(float, state), float(t), *self.values]

    def instant(self, t: float, state: Array) -> Instant:
        """M, Q, A, b, C at a state; C with what follows the actual multipliers. Raises as the principles do."""
        inputs = self.inputs(t, state)
        now = instant_at(self.statement, inputs)
        kept = prepared(self.statement)
        if kept.following is None:
            return now
        places, tape = kept.following
        lam = explicit(bare_instant(self.statement, inputs)).multipliers
        D = np.zeros((now.n, now.m))
        D[tuple(np.array(places).T)] = tape([*inputs, *lam])
        C = now.C + exerted(now, D)
        return Instant(now.M, now.Q, now.A, now.b, C, now.coordinates, now.constraints, now.sizes)


def as_stated(system: Statement, values: Array, mode: Mode) -> Stretch | None:
    """The system as it was stated, without contacts that are open: friction against what slides, |x| by its own sign.

    It knows nothing else of the mode. None where friction sticks or a motion stays on the surface of a function: there
    a statement says nothing at one instant.
    """
    if STICKS in mode.rubs or 0 in mode.signs:
        return None
    active = switches(form(system)).active(mode)
    return Stretch(with_constraints(system, [system.constraints[j] for j in active]), values, None)
