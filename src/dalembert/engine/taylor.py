"""The compiled engine: heyoka's adaptive Taylor method on the explicit equation of motion.

The elimination is unrolled over all rows. Where their pivots say that rows are dependent, or nearly so, or that M alone
is singular, the principles decide on the numbers which rows to take, whether M must be replaced by M + AᵀGA, and how
often the multipliers are refined. Any such choice gives the same motion and forces.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import frexp, inf

import numpy as np

from dalembert.derive import Array, instant_at, mass_and_rows, too_large
from dalembert.derive.shaking import shaken_acceleration
from dalembert.derive.switching.gates import in_words
from dalembert.derive.switching.stage import spare, whole
from dalembert.derive.variants import with_constraints
from dalembert.engine.compiled import Code, code
from dalembert.engine.heyoka_algebra import ROOT
from dalembert.engine.integrator import Integrator
from dalembert.engine.nearly_dependent import nearly_dependent
from dalembert.engine.outputs import OFFSET, SLOPE, WEIGHT
from dalembert.engine.protocol import Along, Choice, Steps, Variant, Watch
from dalembert.engine.weighing import fitting, is_light
from dalembert.model import StateError, Statement, name_of
from dalembert.principles import explicit, independent_rows, lacks_mass, shaken, weights_around

EPS = float(np.finfo(float).eps)
MORE = 1.5  # times the weight of a row: M + AᵀGA is then definite in places where it was not
FINEST = 1e-18  # the tolerance of machine precision: two orders above what eps asks, so that no bias of a step adds up
CROSSED = 2.0**13 * EPS  # of the size of its terms: below minus this, a guard has fallen
DEFINITE = 1e-7  # M is used as it is where every pivot, against its own diagonal, is above this
LIMITS = (1e-3, 1e-7, 1e-10, 1e-13)
"""Pivots of rows against their own diagonal: above the first, λ is not refined; above the second once, and so on; rows
with a pivot below the last are dependent."""
ODD = 10  # binary orders by which natural scales may differ from one before the integrator works in units of its own
WEAK = 1e-2  # a pivot below this makes a run look for better rows, where there are others
AVOIDED = 1e-6  # what a row counts that is soon to vanish
WORTH = 3.0  # full compilation is worth its time where a run takes so many times longer


@dataclass(frozen=True, eq=False)
class Setup:
    """A system ready to move: compiled code, all its parameters, and the rows it stands on.

    `holds`: the rows that hold, redundant ones too. `triggers`: guards that only call for something before it is due.
    """

    code: Code
    numbers: Array
    choice: Choice
    holds: tuple[int, ...] = ()
    triggers: tuple[int, ...] = ()

    def resting(self, roots: Sequence[int]) -> "Setup":
        """The same with these roots at zero, all others on."""
        numbers = self.numbers.copy()
        numbers[self.code.places(ROOT)] = 1.0
        numbers[self.code.places(ROOT)[list(roots)]] = 0.0
        return replace(self, numbers=numbers)

    def armed(self, slopes: Array, offsets: Array, triggers: tuple[int, ...] = ()) -> "Setup":
        """The same, stopping where slope · guard + offset falls to zero (g,)."""
        numbers = self.numbers.copy()
        numbers[self.code.places(SLOPE)] = slopes
        numbers[self.code.places(OFFSET)] = offsets
        return replace(self, numbers=numbers, triggers=triggers)

    def weighed(self, weights: Array) -> "Setup":
        """The same with these weights of rows (m,) in M + AᵀGA."""
        numbers = self.numbers.copy()
        numbers[self.code.places(WEIGHT)] = weights
        return replace(self, numbers=numbers)

    def weighs_more(self, other: "Setup") -> bool:
        """Whether rows add more to M than in another setup of the same program, enough to matter."""
        if not self.choice.augment or self.code is not other.code:
            return False
        mine, others = (setup.numbers[setup.code.places(WEIGHT)] for setup in (self, other))
        return bool((mine > MORE * others).any())


class Taylor:
    """The compiled engine at one tolerance; `compact` is heyoka's mode, None to choose by size and length."""

    name = "taylor"

    def __init__(self, tolerance: float, compact: bool | None = None) -> None:
        self.tolerance = max(tolerance, EPS)
        self.finest = EPS
        self._compact, self._may_change = compact is not False, compact is None
        self._scaled = False
        self.sharpen(False)

    @property
    def facts(self) -> dict[str, object]:
        """How it integrates."""
        return {"engine": self.name, "tolerance": self.tolerance, "compile": "compact" if self._compact else "full"}

    def sharpen(self, on: bool) -> None:
        """Take steps at machine precision from here on, or again to the tolerance that was asked for."""
        self.defect_bound = EPS if on else self.tolerance
        self._finest = FINEST if self.defect_bound <= EPS else self.tolerance

    def setup(
        self,
        system: Statement,
        values: Array,
        t: float,
        state: Array,
        known: Choice | None = None,
        avoided: int | None = None,
        rank: int | None = None,
    ) -> Setup:
        """A smooth system ready to move from a state (2n,) at t, on rows known to be good or chosen now.

        `avoided`: a row that is taken only where the others do not do without it. `rank`: how many rows are
        independent, of a motion that goes on.
        Raises ContradictionError, MassError, StateError as the principles do where no motion exists or is unique.
        """
        form = system.form()
        m = len(form.constraints)
        every = tuple(range(m))
        if known is not None:
            return self._on(form, values, known, t, state, system)
        plain = self._on(form, values, Choice(every), t, state, system)
        grade = self.grade(plain, t, state)
        M, stated = mass_and_rows(system, [*state, t, *values])
        light = m > 0 and lacks_mass(M, self._usual_rows(system, M, stated.A, [*state, t, *values]))
        if not m and self._needs_more_mass(plain, t, state):
            explicit(instant_at(system, [*state, t, *values]))  # raises where M is singular, if only to rounding
        if grade == 0 and not light and avoided is None:
            return plain
        now = instant_at(system, [*state, t, *values])
        if rank is None:
            explicit(now)
        augment = light or (m > 0 and self._needs_more_mass(plain, t, state))
        weights = None if avoided is None else np.where(np.arange(m) == avoided, AVOIDED, 1.0)
        rows = independent_rows(now, weights, rank) if m else ()
        found = self._on(form, values, Choice(rows, augment), t, state, system)
        for refinements in range(len(LIMITS)):
            grade = self.grade(found, t, state)
            if grade is not None and grade <= refinements:
                return found
            if refinements + 1 < len(LIMITS):
                found = self._on(form, values, Choice(rows, augment, refinements + 1), t, state, system)
        names = [c.name for c in form.constraints]
        large = too_large(system, [*state, t, *values])
        raise StateError(
            "the state", [large or nearly_dependent(instant_at(system, [*state, t, *values]), rows, names)]
        )

    def _usual_rows(self, system: Statement, M: Array, A: Array, inputs: Sequence[float]) -> Array:
        """How large the entries of the rows (m, n) are, here or a little further."""
        other = np.array(inputs)
        other[: len(M)] = shaken(M, A, other[: len(M)])
        try:
            further: Array = mass_and_rows(system, other.tolist())[1].A
        except StateError:  # it does not exist there
            return A
        out: Array = np.maximum(np.abs(A), np.abs(further))
        return out

    def _on(self, form: Statement, values: Array, choice: Choice, t: float, state: Array, system: Statement) -> Setup:
        """The setup of a choice."""
        m = len(form.constraints)
        some = len(choice.rows) < m
        stage = spare(form) if some else whole(form)
        made = code(stage, Variant(some, choice.augment, choice.refinements, balanced=choice.balanced))
        given = values
        if some:
            own = dict(zip(form.symbols, values, strict=True))
            own |= {mask: float(r in choice.rows) for r, mask in enumerate(stage.masks) if mask is not None}
            given = np.array([own[s] for s in stage.statement.symbols])
        numbers = made.numbers(given)
        if choice.augment:
            n = len(state) // 2

            def around(q: Array) -> tuple[Array, Array] | None:
                try:
                    M, rows = mass_and_rows(system, [*q, *state[n:], t, *values])
                except StateError:
                    return None
                return M, rows.A

            numbers[made.places(WEIGHT)] = weights_around(around, state[:n], np.isin(np.arange(m), choice.rows))
        return Setup(made, numbers, choice, holds=tuple(range(m)))

    def balanced(self, setup: Setup, system: Statement, values: Array, t: float, state: Array) -> Setup:
        """The same setup with accelerations that obey the rows to their own rounding."""
        return self._on(system.form(), values, setup.choice._replace(balanced=True), t, state, system)

    def grade(self, setup: Setup, t: float, state: Array) -> int | None:
        """How often λ should be refined at a state; None where rows are dependent there or M is not definite."""
        watch = self.watch(setup, np.array([t]), state[None, :])
        if not np.isfinite(watch.acceleration).all() or not (watch.masses > 0).all():
            return None
        if (watch.inertia <= DEFINITE).any() and len(setup.code.stage.statement.constraints):
            return None
        least = watch.pivots.min(initial=1.0)
        return next((k for k, limit in enumerate(LIMITS) if least > limit), None)

    def _needs_more_mass(self, plain: Setup, t: float, state: Array) -> bool:
        """Whether M is not definite beyond doubt at a state."""
        watch = self.watch(plain, np.array([t]), state[None, :])
        return not ((watch.masses > 0).all() and (watch.inertia > DEFINITE).all() and np.isfinite(watch.inertia).all())

    def units(self, setup: Setup, t: float, state: Array, sizes: Array, left: float) -> Array | None:
        """Units (2n + 1,) for the integrator where coordinates and velocities (2n,) are far from one, else None.

        `left`: the time that is left to move in.
        """
        a = self.watch(setup, np.array([t]), state[None, :]).acceleration[0]
        return natural_units(sizes, a, left) if np.isfinite(a).all() else None

    def steps(
        self,
        setup: Setup,
        t: float,
        state: Array,
        until: float,
        most: int,
        longest: float = inf,
        units: Array | None = None,
    ) -> Steps:
        """At most so many steps from a state until a time, or until a guard falls to zero."""
        self._scaled = units is not None
        return self._integrator(setup).steps(t, state, until, setup.numbers, most, longest, units)

    def expansion(self, setup: Setup, t: float, state: Array) -> Array:
        """The Taylor coefficients (2n, p + 1) at a state."""
        return setup.code.integrator(self._finest, self._compact, False).expansion(t, state, setup.numbers)

    def _integrator(self, setup: Setup) -> Integrator:
        """The one that steps are taken by at present."""
        return setup.code.integrator(self._finest, self._compact, self._scaled)

    def watch(self, setup: Setup, times: Array, states: Array, numbers: Array | None = None) -> Watch:
        """Everything that is watched along states."""
        return setup.code.watch(states, times, setup.numbers if numbers is None else numbers)

    def sizes(self, setup: Setup, times: Array, states: Array, scales: Array, numbers: Array | None = None) -> Array:
        """The sizes of the terms of the constraints, then of their rates, along states (k, 2m)."""
        return setup.code.sizes(states, times, setup.numbers if numbers is None else numbers, scales)

    def light(self, setup: Setup, watch: Watch) -> Array:
        """Where along states (k,) the weights of rows may not fit."""
        return is_light(setup, watch)

    def fitting(self, setup: Setup, times: Array, states: Array) -> Setup | None:
        """The same with weights that fit states better; None where these do as well."""
        return fitting(self, setup, times, states)

    def armed_guards(self, setup: Setup, times: Array, states: Array, numbers: Array | None = None) -> Array:
        """What must not fall below zero while a mode lasts (k, g), as it is armed; infinite where it does not count."""
        if not setup.code.outputs.guards:
            return np.zeros((len(times), 0))
        values = setup.numbers if numbers is None else numbers
        found = setup.code.guards(states, times, values)
        slopes, offsets = values[..., setup.code.places(SLOPE)], values[..., setup.code.places(OFFSET)]
        out = np.where(slopes > 0, slopes * found + offsets + np.maximum(offsets, CROSSED), np.inf)
        out[:, list(setup.triggers)] = np.inf
        return out

    def paces(self, setup: Setup, times: Array, states: Array) -> Array:
        """The accelerations (k, n) that forces as large as those that act could give each coordinate."""
        out = setup.code.paces(states, times, setup.numbers)
        return np.where(np.isfinite(out), out, 0.0)

    def rows(self, setup: Setup, times: Array, states: Array) -> Array:
        """A of all rows along states (k, m, n)."""
        return self.mass_and_rows(setup, times, states)[1]

    def mass_and_rows(self, setup: Setup, times: Array, states: Array) -> tuple[Array, Array]:
        """M along states (k, n, n), and A of all rows (k, m, n)."""
        code = setup.code
        out = code.arrays(states, times, setup.numbers)
        M, A = np.zeros((len(times), code.n, code.n)), np.zeros((len(times), code.m, code.n))
        first = 0
        for filled, (rows, columns) in ((M, code.mass_places), (A, code.row_places)):
            if rows:
                filled[:, rows, columns] = out[:, first : first + len(rows)]
            first += len(rows)
        return M, A

    def in_force(self, setups: Sequence[Setup]) -> Array:
        """Which rows are in force in each setup, 1 or 0, (s, m)."""
        masks = setups[0].code.masks
        out = np.ones((len(setups), len(masks)))
        masked = masks >= 0
        if masked.any():
            out[:, masked] = np.array([setup.numbers[masks[masked]] for setup in setups])
        return out

    def holding(self, setup: Setup) -> Array:
        """Which rows hold (m,), redundant ones too."""
        out = np.zeros(setup.code.m, dtype=bool)
        out[list(setup.holds)] = True
        return out

    def rounding_error(self, setup: Setup, times: Array, states: Array, found: Array, numbers: Array) -> Array | None:
        """How far accelerations found at states are from those of longer numbers (k, n); None where there are none."""
        return setup.code.rounding_error(states, times, numbers, found)

    def shaken(self, setup: Setup, t: float, state: Array, numbers: Array) -> Array:
        """How accelerations (n,) change over a slight change of every operation that leads to them."""
        stage = setup.code.stage
        form, own = stage.statement, dict(zip(stage.statement.symbols, numbers.tolist(), strict=False))
        masked = zip(form.constraints, stage.masks or (None,) * setup.code.m, strict=True)
        rows = [c for c, mask in masked if mask is None or own[mask]]
        system = form if len(rows) == setup.code.m else with_constraints(form, rows)
        return shaken_acceleration(system, [*state, t, *(own[s] for s in system.symbols)])

    def stated(self, setup: Setup) -> Array:
        """1 for the parameters that stand for what was stated, 0 for run-time values."""
        return setup.code.stated

    def settle(self, setup: Setup, t: float, state: Array) -> tuple[Array, Array, Array]:
        """The nearest way onto the rows in force in the metric of M: changes of places and speeds; the free velocity"""
        out = setup.code.settle(state[None, :], np.array([t]), setup.numbers)[0]
        n = setup.code.n
        return -out[:n], -out[n : 2 * n], out[2 * n :]

    def energy(self, setup: Setup, t: float, state: Array) -> float:
        """The energy at a state."""
        return float(setup.code.energy(state[None, :], np.array([t]), setup.numbers)[0, 0])

    def energy_and_momenta(self, setup: Setup, t: float, state: Array) -> tuple[float, Array]:
        """The energy and ∂L/∂q̇ at a state, no momenta where there is no Lagrangian."""
        out = setup.code.energy(state[None, :], np.array([t]), setup.numbers)[0]
        return float(out[0]), out[1:]

    def levels(self, setup: Setup, times: Array, states: Array) -> Array:
        """The left-hand sides of all constraints of the system, in force or not, along states."""
        if setup.code.outputs.levels:
            return setup.code.levels(states, times, setup.numbers)
        return self.watch(setup, times, states).level

    def works(self, setup: Setup) -> tuple[str, ...]:
        """Whose work is not identically zero."""
        return setup.code.works

    def powers(self, setup: Setup, times: Array, states: Array, numbers: Array | None = None) -> Array:
        """The power of each of `works` along states (k, w)."""
        return setup.code.powers(states, times, setup.numbers if numbers is None else numbers)

    def along(self, setup: Setup, times: Array, states: Array) -> Along:
        """Everything derived, along states."""
        return setup.code.along(states, times, setup.numbers)

    def pays(self, setup: Setup, steps: int) -> bool:
        """Compile in full from here on where that pays for itself in so many more steps; whether it does."""
        if not (self._may_change and self._compact):
            return False
        one = self._integrator(setup)
        if steps * one.size * one.order**2 * 1.6e-10 > WORTH * (0.2 + 6e-5 * one.size**2):
            self._compact = False
        return not self._compact

    def most_steps(self, setup: Setup, work: float, numbers: int) -> int:
        """How many steps cost so much work, counted in operations, and so many numbers of their polynomials."""
        one = self._integrator(setup)
        return max(16, int(min(work / (one.size * one.order**2), numbers / (2 * setup.code.n * (one.order + 1)))))

    def roots(self, setup: Setup) -> Array:
        """Which roots are on, 1 or 0, (r,)."""
        out: Array = setup.numbers[setup.code.places(ROOT)]
        return out

    def order(self, setup: Setup) -> int:
        """The order of the series."""
        return int(self._integrator(setup).order)

    def pivot_limit(self, setup: Setup) -> float:
        """Pivots below this ask for λ to be refined more often, or for other rows where there are any."""
        some = len(setup.choice.rows) < setup.code.m
        return WEAK if some else LIMITS[min(setup.choice.refinements, len(LIMITS) - 1)]

    def names(self, setup: Setup) -> tuple[list[str], list[str], list[str]]:
        """What the columns of `inertia`, of `masses` and of the rows belong to, in words."""
        form, o = setup.code.stage.statement, setup.code.outputs
        own = [[f"the inertia of {name_of(form.coordinates[i])}" for i in part] for part in (o.inertia, o.masses)]
        return own[0], own[1], [f"constraint {c.name!r}" for c in form.constraints]

    def branches(self, setup: Setup) -> list[str]:
        """The angles that the columns of `jumps` belong to, in words."""
        return [in_words(e) for e in setup.code.outputs.branches]


def natural_units(scales: Array, acceleration: Array, left: float) -> Array | None:
    """Powers of two (2n + 1,) for coordinates, velocities and time; None where all are near one.

    What is zero is measured by what its velocity or acceleration makes of it in the time T in which things change, or
    by the largest of the others. T itself only keeps high powers of the time within the numbers a float can hold.
    """
    n = len(acceleration)
    q, v, a = scales[:n], scales[n : 2 * n], np.abs(acceleration)
    length, speed, push = (float(x.max(initial=0.0)) for x in (q, v, a))
    fast = max(speed, (length * push) ** 0.5)
    T = min(length / fast if length and fast else speed / push if speed and push else 1.0, left)
    speeds = np.maximum(v, a * T)
    places = np.maximum(q, np.where(q > 0, 0.0, speeds * T))
    both = np.concatenate([places, speeds])
    if (np.abs(np.frexp(both[both > 0])[1]) <= ODD).all() and abs(frexp(T)[1]) <= 2 * ODD:
        return None
    filled = [np.where(x > 0, x, x.max(initial=0.0) or 1.0) for x in (places, speeds)]
    units: Array = np.ldexp(1.0, np.frexp(np.concatenate([*filled, [T]]))[1])
    return units
