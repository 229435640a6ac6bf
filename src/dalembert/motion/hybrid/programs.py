"""The compiled programs of a system that switches: one for all its modes, as a rule, and a setup of it for each."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from sympy import Symbol

from dalembert.derive import Array, form, prepared
from dalembert.derive.switching.modes import OFF, STICKS, Mode, Switches, switches
from dalembert.derive.switching.stages import Bases, Staged, staged
from dalembert.derive.variants import bare
from dalembert.engine import Choice, Variant, Watch
from dalembert.engine.compiled import Code, code
from dalembert.engine.taylor import DEFINITE, LIMITS, Setup, Taylor
from dalembert.model import OneSided, StateError, Statement, refuse
from dalembert.principles import lacks_mass, shaken, weights_around

KEPT = 4096  # setups of modes kept at most


class Key(NamedTuple):
    """What a program depends on."""

    bases: Bases
    variant: Variant


class Arrays(NamedTuple):
    """A system at one state in numbers, with all rows of its stage, in force or not.

    Shapes: M (n, n), Q (n,), A (r, n), b, level, rate (r,).
    """

    M: Array
    Q: Array
    A: Array
    b: Array
    level: Array
    rate: Array


class Kept(NamedTuple):
    """What is made for a system and its values, for one run after the other: stages by key and by identity, setups."""

    stages: dict[tuple[Bases, bool, bool, bool], Staged]
    of_stage: dict[int, Staged]
    setups: dict[tuple[Key, Mode, tuple[float, ...]], Setup]


@lru_cache(maxsize=16)
def _kept(switches: Switches, values: bytes) -> Kept:  # noqa: ARG001
    return Kept({}, {}, {})


class Programs:
    """Makes the setups of modes, for one system with one set of parameter values."""

    def __init__(self, engine: Taylor, system: Statement, values: Array) -> None:
        self.engine, self.system, self.values = engine, system, values
        self.switches: Switches = switches(form(system))
        self.given: dict[Symbol, float] = dict(zip(system.symbols, map(float, values), strict=True))
        self._stages, self._of_stage, self._setups = _kept(self.switches, np.asarray(values, dtype=float).tobytes())
        self._augment: bool | None = None
        self._balanced = False
        self._here: tuple[float, bytes] | None = None
        self._there: dict[tuple[Mode, tuple[float, ...]], tuple[Setup, Watch]] = {}

    def balance(self) -> None:
        """From now on accelerations obey the rows to their own rounding."""
        self._balanced, self._here = True, None

    def blank(self) -> Mode:
        """A mode that says nothing, to begin with."""
        s = self.switches
        bases = tuple(self._usual_basis(k) for k in range(len(s.rubs)))
        return Mode((), (OFF,) * len(s.rubs), (1,) * len(s.pressed), (1,) * len(s.gated.gates), bases)

    def _usual_basis(self, k: int) -> tuple[tuple[int, ...], int]:
        """What holds a particle that rubs, as long as nothing better is known: the first of its constraints."""
        rub = self.switches.rubs[k]
        if not rub.particle or len(rub.particle) < 2:
            return (), -1
        first, chart = rub.members[0], -1
        if len(rub.particle) == 3:  # a tangent plane is written over the other two coordinates
            rows = prepared(bare(self.switches.form)).derived.A
            chart = max(i for i in rub.particle if (first, i) in rows)
        return (first,), chart

    def staged(self, mode: Mode) -> Staged:
        """The stage of a mode."""
        key = (mode.bases, 0 in mode.signs, self._spare(mode), bool(mode.leans))
        if key not in self._stages:
            self._stages[key] = staged(self.switches.form, *key)
            self._of_stage[id(self._stages[key].stage)] = self._stages[key]
        return self._stages[key]

    def staged_of(self, setup: Setup) -> Staged:
        """The stage that a setup was made of."""
        return self._of_stage[id(setup.code.stage)]

    def code(self, mode: Mode) -> Code:
        """The compiled code of a mode, its multipliers not refined."""
        return self._setup(mode, 0, ()).code

    def _spare(self, mode: Mode) -> bool:
        if not mode.idle:
            return False
        sided = set(self.switches.one_sided)
        m = len(self.switches.form.constraints)
        return any(r < m and r not in sided for r in mode.idle)

    def setup(self, mode: Mode, t: float, state: Array, slow: tuple[float, ...] = ()) -> Setup:
        """A mode ready to move from a state, its multipliers refined as often as its pivots ask for."""
        return self.seen(mode, t, state, slow)[0]

    def seen(self, mode: Mode, t: float, state: Array, slow: tuple[float, ...] = ()) -> tuple[Setup, Watch]:
        """The setup of a mode at a state, and what is watched there; kept as long as the same state is asked for."""
        if self._augment is None:
            self._augment = self._lacks_mass(mode, t, state)
        here = (t, state.tobytes())
        if self._here != here:
            self._here, self._there = here, {}
        if (mode, slow) not in self._there:
            self._there[mode, slow] = self._refined(mode, t, state, slow)
        return self._there[mode, slow]

    def _refined(self, mode: Mode, t: float, state: Array, slow: tuple[float, ...]) -> tuple[Setup, Watch]:
        for refinements in range(len(LIMITS)):
            found = self._setup(mode, refinements, slow)
            if self._augment:
                found = self._weighted(found, t, state)
            watch = self.engine.watch(found, np.array([t]), state[None, :])
            least = float(watch.pivots.min(initial=1.0))
            if not least <= LIMITS[refinements] or refinements == len(LIMITS) - 1:
                break
        return found, watch

    def _setup(self, mode: Mode, refinements: int, slow: tuple[float, ...]) -> Setup:
        variant = Variant(self._spare(mode), bool(self._augment), refinements, 0 in mode.signs, self._balanced)
        key, stage = Key(mode.bases, variant), self.staged(mode)
        made: Code = code(stage.stage, variant)
        kept = self._setups.get((key, mode, slow))
        if kept is None or kept.code is not made:
            if len(self._setups) >= KEPT:
                self._setups.clear()
            own = stage.values(self.given, mode, dict(enumerate(slow)))
            numbers = made.numbers(np.array(own))
            rows = tuple(r for r in self.switches.active(mode) if r not in mode.idle)
            stuck = [r for k, state in enumerate(mode.rubs) if state == STICKS for r in stage.sticks.get(k, ())]
            slides = [stage.slides[g] for g, sign in enumerate(mode.signs) if not sign and g in stage.slides]
            holds = (*self.switches.active(mode), *stuck, *slides)
            choice = Choice(rows, variant.augment, refinements, self._balanced)
            kept = self._setups[key, mode, slow] = Setup(made, numbers, choice, holds=holds)
        return kept

    def _lacks_mass(self, mode: Mode, t: float, state: Array) -> bool:
        self._augment = False
        plain = self._setup(mode, 0, ())
        watch = self.engine.watch(plain, np.array([t]), state[None, :])
        sound = (watch.masses > 0).all() and (watch.inertia > DEFINITE).all() and np.isfinite(watch.inertia).all()
        now = self.arrays(plain, t, state)
        n, m = len(now.Q), len(self.switches.form.constraints)
        other = np.concatenate([shaken(now.M, now.A[:m], state[:n]), state[n:]])
        further = np.nan_to_num(np.abs(self.arrays(plain, t, other).A[:m]), nan=0.0, posinf=0.0)
        stated = np.maximum(np.abs(now.A[:m]), further)
        return bool(len(stated)) and (not sound or lacks_mass(now.M, stated))

    def _weighted(self, found: Setup, t: float, state: Array) -> Setup:
        """The weights of the rows in force, by the masses at a state and around it."""
        n = len(state) // 2

        def around(q: Array) -> tuple[Array, Array]:
            now = self.arrays(found, t, np.concatenate([q, state[n:]]))
            return now.M, now.A

        return found.weighed(weights_around(around, state[:n], self.engine.in_force([found])[0] > 0))

    def arrays(self, setup: Setup, t: float, state: Array) -> Arrays:
        """The arrays of all rows at a state."""
        o = setup.code.outputs
        out = setup.code.arrays(state[None, :], np.array([t]), setup.numbers)[0]
        n, r, a, b = setup.code.n, setup.code.m, len(o.M), len(o.A)
        M, A = np.zeros((n, n)), np.zeros((r, n))
        if a:
            rows, columns = setup.code.mass_places
            M[rows, columns] = out[:a]
        if b:
            rows, columns = setup.code.row_places
            A[rows, columns] = out[a : a + b]
        rest = out[a + b :]
        return Arrays(M, rest[r : r + n], A, rest[:r], rest[r + n : 2 * r + n], rest[2 * r + n :])

    def masses(self, setup: Setup, times: Array, states: Array) -> Array:
        """M along states (k, n, n)."""
        M = np.zeros((len(times), setup.code.n, setup.code.n))
        count = len(setup.code.outputs.M)
        if count:
            rows, columns = setup.code.mass_places
            M[:, rows, columns] = setup.code.arrays(states, times, setup.numbers)[:, :count]
        return M

    def opening(self, setup: Setup, times: Array, states: Array, accelerations: Array) -> Array:
        """How the rates of all rows change in time (k, r), with accelerations (k, n) along states."""
        a, b, r = len(setup.code.outputs.M), len(setup.code.outputs.A), setup.code.m
        out = setup.code.arrays(states, times, setup.numbers)
        found: Array = -out[:, a + b : a + b + r]
        if b:
            rows, columns = setup.code.row_places
            np.add.at(found.T, rows, (out[:, a : a + b] * accelerations[:, columns]).T)
        return found

    def restitutions(self) -> dict[int, float]:
        """The restitution of each one-sided constraint."""
        return {
            j: float(c.restitution.xreplace(self.given))
            for j, c in enumerate(self.system.constraints)
            if isinstance(c, OneSided)
        }

    def check(self, mode: Mode, t: float, state: Array) -> None:
        """Raise StateError with all that is wrong with restitutions and coefficients of friction at a start."""
        names = [c.name for c in self.system.constraints]
        faults = [
            f"the restitution of {names[j]!r} is {e!r}, a number from 0 to 1 is expected"
            for j, e in self.restitutions().items()
            if not 0 <= e <= 1
        ]
        staged, setup = self.staged(mode), self._setup(mode, 0, ())
        looked = setup.code.looked(state[None, :], np.array([t]), setup.numbers)[0]
        for j, (place, other) in staged.coefficients.items():
            mu, static = looked[place], looked[other]
            if mu < 0:
                faults.append(
                    f"the friction coefficient of constraint {names[j]!r} is {mu:.6g} here, which is negative"
                )
            elif static < mu * (1 - 1e-12):
                told = f"the static coefficient of constraint {names[j]!r} is {static:.6g} here"
                faults.append(f"{told}, below mu = {mu:.6g}")
        refuse(StateError, "the run", faults)
