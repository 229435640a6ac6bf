"""The stages of one system with one set of values, ready to move: the system itself where nothing in it switches."""

from functools import cached_property
from typing import Literal

import numpy as np
from sympy import Symbol

from dalembert.derive import Array, form
from dalembert.derive.switching.modes import Mode, Switches, switches
from dalembert.derive.switching.stages import Staged, Stages, stages
from dalembert.engine import Along, Choice, Engine, Flow, flow
from dalembert.model import OneSided, Reaction, StateError, Statement, refuse

COMPILE = {"auto": None, "compact": True, "full": False}


class Staging:
    """Makes the engines of a run, one for each stage, and reads what they say in the terms of the system."""

    def __init__(
        self,
        system: Statement,
        values: Array,
        engine: Engine,
        tolerance: float,
        compile: Literal["auto", "compact", "full"],
    ) -> None:
        self.system, self.values = system, values
        self._engine: Engine = engine
        self._tolerance, self._compact = tolerance, COMPILE[compile]

    @cached_property
    def given(self) -> dict[Symbol, float]:
        """The parameters with their values."""
        return dict(zip(self.system.symbols, map(float, self.values), strict=True))

    @cached_property
    def switches(self) -> Switches:
        """What switches in the system."""
        return switches(form(self.system))

    @cached_property
    def _stages(self) -> Stages:
        return stages(form(self.system))

    @property
    def still(self) -> dict[Mode, tuple[int, ...]]:
        """The coordinates at rest in modes in which friction holds everything, kept for the next run."""
        return self._stages.still

    def staged(self, mode: Mode) -> Staged:
        """The stage of a mode."""
        return self._stages.of(mode)

    def flow(
        self, t: float, state: Array, mode: Mode | None, choice: Choice | None = None, slow: tuple[float, ...] = ()
    ) -> Flow:
        """An engine ready to move from a state (2n,) at t in a mode, or as it is where there is none."""
        if mode is None:
            return flow(self._engine, self.system, self.values, t, state, self._tolerance, self._compact, choice)
        values, stage = self.values_of(mode, slow), self.staged(mode).stage
        return flow(self._engine, self.system, values, t, state, self._tolerance, self._compact, choice, stage)

    def values_of(self, mode: Mode, slow: tuple[float, ...] = ()) -> Array:
        """The values of all parameters of a mode's stage."""
        return np.array(self._stages.values(self.given, mode, slow or (0.0,) * len(self.switches.rubs)))

    def restitutions(self) -> dict[int, float]:
        """The restitution of each one-sided constraint; raises StateError where one is not between 0 and 1."""
        out: dict[int, float] = {}
        faults = []
        for j, c in enumerate(self.system.constraints):
            if isinstance(c, OneSided):
                out[j] = float(c.restitution.xreplace(self.given))
                if not 0 <= out[j] <= 1:
                    faults.append(f"the restitution of {c.name!r} is {out[j]:g}, a number from 0 to 1 is meant")
        refuse(StateError, "the run", faults)
        return out

    @cached_property
    def gates_feel_forces(self) -> bool:
        """Whether a switching function depends on a constraint force."""
        return any(g.function.atoms(Reaction) for g in self.switches.gated.gates)

    def along(self, moving: Flow, mode: Mode | None, times: Array, states: Array) -> Along:
        """Everything derived along states, with a multiplier for every constraint of the system."""
        found = moving.along(times, states)
        if mode is None:
            return found
        rows = self.staged(mode).rows
        return found._replace(multipliers=_placed(found.multipliers, rows), reactions=_placed(found.reactions, rows))

    def residual(self, moving: Flow, mode: Mode | None, times: Array, states: Array) -> Array:
        """The left-hand side of every constraint along states."""
        return moving.watch(times, states).level if mode is None else moving.levels(times, states)


def _placed(found: Array, rows: tuple[int, ...]) -> Array:
    out = np.zeros((len(found), len(rows)))
    for j, r in enumerate(rows):
        if r >= 0:
            out[:, j] = found[:, r]
    return out
