"""Kinks of two-sided constraints: where one is reached, the velocities jump, as by a plastic impact.

On the far side of a function that switches, the rows of y = |x|/2 have other gradients. No impulse but theirs acts, and
what they forbid is taken away: the velocity nearest in the metric of M, with no restitution.

A gap may have a kink too, as that over y = |x|. Struck on one side of it this is an impact like any other; right in the
corner both sides may be struck, and which impulses they give is not said.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.guard_kinds import GuardKey
from dalembert.derive.switching.modes import Mode
from dalembert.model import Holonomic
from dalembert.motion.hybrid.impact import mobility
from dalembert.motion.hybrid.programs import Arrays, Programs
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
    """The constraints of one system that have kinks."""

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
        self._corners = [
            (j, place)
            for j in switches.one_sided
            for place, symbol in enumerate(symbols)
            if symbol in held[j].expr.free_symbols
        ]

    def rests(self, mode: Mode) -> bool:
        """Whether a mode says that a kink is stayed on: no force keeps a motion there."""
        return any(sign == 0 and stands for sign, stands in zip(mode.signs, self._stands, strict=True))

    def corner(self, t: float, state: Array, mode: Mode, scales: Array, struck: bool = False) -> str | None:
        """What a corner of a gap that is touched leaves open, in words; None where none is.

        `struck`: only where both sides of it close at these velocities.
        """
        if not self._corners:
            return None
        given = np.array([t]), state[None, :]
        setup = self._programs.setup(replace(mode, idle=(), still=()), t, state)
        now, engine = self._programs.arrays(setup, t, state), self._programs.engine
        gaps, slack = np.split(tolerance("TIE") * engine.sizes(setup, *given, scales)[0], 2)
        values = setup.code.guards(*given[::-1], setup.numbers)[0]
        floors = tolerance("TIE") * setup.code.guard_sizes(*given[::-1], setup.numbers, scales)[0]
        keys = self._programs.staged_of(setup).keys
        here = {key.place for i, key in enumerate(keys) if key.kind == "side" and abs(values[i]) <= floors[i]}
        for j, place in self._corners:
            if place not in here or now.level[j] > gaps[j]:
                continue
            signs = tuple(-sign if i == place else sign for i, sign in enumerate(mode.signs))
            across = self._programs.setup(replace(mode, idle=(), still=(), signs=signs), t, state)
            other = self._programs.arrays(across, t, state)
            if struck and not max(now.rate[j], other.rate[j]) < -slack[j]:
                continue
            if abs(now.rate[j] - other.rate[j]) > slack[j] or self._turns(now, other, j):
                name = self._programs.switches.form.constraints[j].name
                words = "and no law says which of its sides act; min(a, b) can be stated as two contacts"
                return f"contact {name!r} is at a corner of its gap, {words}"
        return None

    def _turns(self, now: Arrays, other: Arrays, j: int) -> bool:
        """Whether the gradient of a row is another on another side, in the metric of M."""
        inverse, turn = mobility(now, self._hard), other.A[j] - now.A[j]
        return bool(turn @ inverse @ turn > tolerance("TIE") ** 2 * (now.A[j] @ inverse @ now.A[j]))

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
