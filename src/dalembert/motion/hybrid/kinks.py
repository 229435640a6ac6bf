"""Kinks of two-sided constraints: where one is reached, the velocities jump, as by a plastic impact.

On the far side of a function that switches, the rows of y = |x|/2 have other gradients. No impulse but theirs acts, and
what they forbid is taken away: the velocity nearest in the metric of M, with no restitution.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.guard_kinds import GuardKey
from dalembert.derive.switching.modes import Mode
from dalembert.model import Holonomic
from dalembert.motion.hybrid.impact import mobility
from dalembert.motion.hybrid.programs import Programs
from dalembert.motion.status import Event
from dalembert.motion.tolerances import tolerance
from dalembert.principles import balanced_units


class Turned(NamedTuple):
    """What the kinks of constraints make of a state: the state (2n,) after, the energy, and the events."""

    state: Array
    energy: float
    events: list[Event]

    @property
    def names(self) -> str:
        """The constraints, in words."""
        return " and ".join(repr(event.name) for event in self.events)


class Kinks:
    """Two-sided constraints of one system that have kinks."""

    def __init__(self, programs: Programs) -> None:
        self._programs = programs
        switches = programs.switches
        self._hard = [j for j in range(len(switches.form.constraints)) if j not in switches.one_sided]
        gates = switches.gated
        symbols = [gate.symbol for gate in gates.gates]
        held = gates.statement.constraints
        self._bent = [j for j in self._hard if isinstance(held[j], Holonomic)]  # a row of velocities would jump itself
        stated = [held[j].expr.free_symbols for j in self._bent]
        self._stands = tuple(any(symbol in free for free in stated) for symbol in symbols)

    def rests(self, mode: Mode) -> bool:
        """Whether a mode says that a kink is stayed on: no force keeps a motion there."""
        return any(sign == 0 and stands for sign, stands in zip(mode.signs, self._stands, strict=True))

    def at(self, fired: GuardKey, t: float, state: Array, before: Mode, after: Mode, scales: Array) -> Turned | None:
        """The impact where the sides before become those after; None where no row turns against the velocities."""
        if fired.kind != "side" or not self._stands[fired.place]:
            return None
        sides = [replace(mode, idle=(), still=()) for mode in (before, after)]
        setups = [self._programs.setup(mode, t, state) for mode in sides]
        old, now = (self._programs.arrays(setup, t, state) for setup in setups)
        rows = self._hard
        sizes = self._programs.engine.sizes(setups[1], np.array([t]), state[None, :], scales)[0][len(now.rate) :]
        turned = [j for j in self._bent if abs(now.rate[j] - old.rate[j]) > tolerance("TIE") * sizes[j]]
        if not turned:
            return None
        q, v = np.split(state, 2)
        units = balanced_units(now.M, now.A[rows])
        A = now.A[rows] * units
        lengths = np.linalg.norm(A, axis=1)
        lengths = np.where(lengths > 0, lengths, 1.0)
        change = -units * np.linalg.lstsq(A / lengths[:, None], now.rate[rows] / lengths, rcond=None)[0]
        change = change - mobility(now, rows) @ now.M @ change  # the least, in the metric of M
        there = np.concatenate([q, v + change])
        energy = 0.5 * float(change @ now.M @ (2 * v + change))
        names = [self._programs.switches.form.constraints[j].name for j in turned]
        told = tuple(map(float, there))
        return Turned(there, energy, [Event(t, "impact", name, "closed", "closed", told) for name in names])
