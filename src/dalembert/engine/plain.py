"""The plain twin: SciPy's DOP853 on M, Q, A, b, C evaluated in NumPy and decided by the explicit equation.

Slow, readable, portable: the specification of the compiled engine, and what runs where that cannot be installed.
Smooth systems only; switches are refused by name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from scipy.integrate import DOP853

from dalembert.derive import Array, energy_and_power, instant_at, mass_and_rows
from dalembert.derive.shaking import patterns, shaken_acceleration
from dalembert.engine.protocol import POWERS, Along, Choice, Steps, Watch
from dalembert.model import ON_POSITIONS, StateError, Statement, name_of
from dalembert.principles import (
    Answer,
    ContradictionError,
    Instant,
    InstantError,
    MassError,
    balanced_units,
    enough,
    explicit,
)

FINEST = 100 * float(np.finfo(float).eps)  # SciPy's smallest relative tolerance
FAILURES = (StateError, ContradictionError, MassError, InstantError)
DEGREE = 7  # of the polynomial of a step
SHAKE = 1e-7  # how much inputs are changed to see how large the terms of a constraint are
RANK = 1e-10  # of rows of unit length
STEPS, MOST = 256, 32  # steps of a course, by coordinates and constraints, and at most


@dataclass(frozen=True, eq=False)
class PlainSetup:
    """A system with its values, ready to move; it has no compiled code and chooses no rows.

    `rank` of its rows, whose `lengths` (m,) are those at the start; `massive`: whether M is definite without them.
    """

    system: Statement
    values: Array
    choice: Choice
    rank: int
    lengths: Array
    massive: bool
    code: None = None

    @property
    def numbers(self) -> Array:
        """The parameters."""
        return self.values


class Plain:
    """The plain engine at one tolerance."""

    name = "plain"

    def __init__(self, tolerance: float) -> None:
        self.tolerance = max(tolerance, FINEST)
        self.finest = FINEST
        self._failure = ""
        self.sharpen(False)

    @property
    def facts(self) -> dict[str, object]:
        """How it integrates."""
        return {"engine": self.name, "tolerance": self.tolerance}

    def sharpen(self, on: bool) -> None:
        """Take steps as exactly as can be from here on, or again to the tolerance that was asked for."""
        self._taken = FINEST if on else self.tolerance
        self.defect_bound = max(1e-6, self._taken**0.75)  # the polynomial of a step has a lower order than the step

    def setup(
        self,
        system: Statement,
        values: Array,
        t: float,
        state: Array,
        known: Choice | None = None,
        avoided: int | None = None,  # noqa: ARG002
        rank: int | None = None,
    ) -> PlainSetup:
        """A system ready to move; raises as the principles do where no motion exists or is unique."""
        every = Choice(tuple(range(len(system.constraints))), balanced=True)  # as far as the principles do
        now = instant_at(system, [*state, t, *values])
        explicit(now)
        B = _rows_by_mass(now.M, now.A)
        lengths = np.linalg.norm(B, axis=1)
        sigma = np.linalg.svd(_unit(B, lengths), compute_uv=False)
        rank = int(np.count_nonzero(sigma > RANK * sigma.max(initial=0.0)))
        units = balanced_units(now.M, now.A)
        e = np.linalg.eigvalsh(units[:, None] * now.M * units)
        return PlainSetup(system, values, known or every, rank, lengths, bool(e[0] > RANK * e[-1]))

    def units(self, setup: PlainSetup, t: float, state: Array, sizes: Array, left: float) -> None:
        """Those of the statement: the error of a step is measured by each coordinate itself."""

    def steps(
        self,
        setup: PlainSetup,
        t: float,
        state: Array,
        until: float,
        most: int,
        longest: float = inf,
        units: None = None,  # noqa: ARG002
    ) -> Steps:
        """Step by step, each with the polynomial of its dense output."""

        def rate(time: float, y: Array) -> Array:
            try:
                return np.concatenate([y[len(y) // 2 :], self._decided(setup, time, y)[1].acceleration])
            except FAILURES as error:
                self._failure = str(error)
                return np.full_like(y, np.nan)  # so that the step is made smaller

        times: list[float] = [t]
        terms: list[Array] = []
        try:
            least = self._taken * _natural(state, rate(t, state), until - t)
            solver = DOP853(rate, t, state, until, longest, rtol=self._taken, atol=least)
            if not np.isfinite(solver.h_abs):  # it has looked where nothing exists
                solver.h_abs = min(longest, until - t)
        except (FloatingPointError, ValueError):
            return Steps(np.array(times), np.zeros((0, len(state), DEGREE + 1)), None, "no finite step can be taken")
        broken = None
        while len(terms) < most and solver.status == "running":
            solver.step()
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                broken = "the step size collapses"
                break
            terms.append(_polynomial(solver.dense_output()))
            times.append(solver.t)
        stacked = np.array(terms) if terms else np.zeros((0, len(state), DEGREE + 1))
        return Steps(np.array(times), stacked, None, broken)

    def watch(self, setup: PlainSetup, times: Array, states: Array, numbers: Array | None = None) -> Watch:
        """Accelerations, constraints, and what must not vanish of rows and masses, along states."""
        rows = range(len(times))
        parts = [
            self._watched(setup, times[k], states[k], setup.values if numbers is None else numbers[k]) for k in rows
        ]
        none = np.zeros((len(times), 0))
        columns = [np.array(column) for column in zip(*parts, strict=True)]
        a, level, rate, pivots, squares, inertia, masses = columns
        return Watch(a, level, rate, pivots, squares, inertia, masses, none, none, none)

    def sizes(
        self,
        setup: PlainSetup,
        times: Array,
        states: Array,
        scales: Array,
        numbers: Array | None = None,  # noqa: ARG002
    ) -> Array:
        """The sizes of the terms of the constraints and of their rates (k, 2m), by how much shaking changes them."""
        m = len(setup.system.constraints)
        out = np.zeros((len(times), 2 * m))
        signs = patterns(states.shape[1] + 1 + len(setup.values))
        n2 = states.shape[1]
        few = (
            np.unique(np.linspace(0, len(times) - 1, 3).astype(int)) if len(times) else np.zeros(0, dtype=int)
        )  # they change little
        for k in few:
            t, y = times[k], states[k]
            base = self._rows(setup, t, y, setup.values)
            for sign in signs:
                size = np.maximum(np.abs(y), np.atleast_2d(scales)[min(k, len(np.atleast_2d(scales)) - 1), :n2])
                other = self._rows(
                    setup,
                    t * (1 + SHAKE * sign[n2]),
                    y + SHAKE * sign[:n2] * size,
                    setup.values * (1 + SHAKE * sign[n2 + 1 :]),
                )
                out[k] = np.fmax(out[k], np.abs(other - base) / SHAKE)
        return np.broadcast_to(out.max(axis=0, initial=0.0), out.shape)

    def _rows(self, setup: PlainSetup, t: float, y: Array, values: Array) -> Array:
        """The constraints and their rates (2m,); no numbers where they do not exist."""
        try:
            rows = mass_and_rows(setup.system, [*y, t, *values])[1]
        except FAILURES:
            return np.full(2 * len(setup.system.constraints), np.nan)
        return np.concatenate([rows.level, rows.rate])

    def light(self, setup: PlainSetup, watch: Watch) -> Array:  # noqa: ARG002
        """Nowhere: rows have no weights."""
        return np.zeros(len(watch.inertia), dtype=bool)

    def armed_guards(self, setup: PlainSetup, times: Array, *_: object) -> Array:  # noqa: ARG002
        """Nothing switches here."""
        return np.zeros((len(times), 0))

    def paces(self, setup: PlainSetup, times: Array, states: Array) -> Array:
        """The accelerations (k, n) without constraints: what forces as large as those that act could give."""
        out = []
        for t, y in zip(times, states, strict=True):
            try:
                now = instant_at(setup.system, [*y, t, *setup.values])
            except FAILURES:  # there is no force
                out.append(np.zeros(len(y) // 2))
                continue
            diagonal = np.diag(now.M)
            out.append(np.abs(now.Q) / np.where(diagonal > 0, diagonal, np.inf))
        return np.array(out)

    def mass_and_rows(self, setup: PlainSetup, times: Array, states: Array) -> tuple[Array, Array]:
        """M along states (k, n, n), and A of all rows (k, m, n)."""
        found = [mass_and_rows(setup.system, [*y, t, *setup.values]) for t, y in zip(times, states, strict=True)]
        return np.array([M for M, _ in found]), np.array([rows.A for _, rows in found])

    def in_force(self, setups: Sequence[PlainSetup]) -> Array:
        """All rows, always."""
        return np.ones((len(setups), len(setups[0].system.constraints)))

    def holding(self, setup: PlainSetup) -> Array:
        """All rows."""
        return np.ones(len(setup.system.constraints), dtype=bool)

    def rounding_error(self, *_: object) -> None:
        """Not known."""
        return

    def shaken(self, setup: PlainSetup, t: float, state: Array, numbers: Array) -> Array:
        """How accelerations (n,) change over a slight change of every operation that leads to them."""
        return shaken_acceleration(setup.system, [*state, t, *numbers])

    def stated(self, setup: PlainSetup) -> Array:
        """All parameters are stated."""
        return np.ones(len(setup.values))

    def roots(self, setup: PlainSetup) -> Array:  # noqa: ARG002
        """No root needs a series."""
        return np.zeros(0)

    def works(self, setup: PlainSetup) -> tuple[str, ...]:  # noqa: ARG002
        """All of them."""
        return POWERS

    def powers(self, setup: PlainSetup, times: Array, states: Array, numbers: Array | None = None) -> Array:
        """The power of active, ideal and work-doing forces along states (k, 3)."""
        del numbers
        out = []
        for t, y in zip(times, states, strict=True):
            v, answer = y[len(y) // 2 :], self._decided(setup, t, y)[1]
            power = energy_and_power(setup.system, [*y, t, *setup.values])[1]
            out.append([power, float(v @ answer.ideal), float(v @ answer.nonideal)])
        return np.array(out).reshape(len(times), len(POWERS))

    def along(self, setup: PlainSetup, times: Array, states: Array) -> Along:
        """Everything derived, along states."""
        answers = [self._decided(setup, t, y)[1] for t, y in zip(times, states, strict=True)]
        energy = [self.energy(setup, t, y) for t, y in zip(times, states, strict=True)]
        acceleration, ideal, nonideal, multipliers = (np.array(column) for column in zip(*answers, strict=True))
        reactions = np.array([self._reactions(setup, t, y) for t, y in zip(times, states, strict=True)])
        return Along(acceleration, ideal, nonideal, multipliers, reactions, np.array(energy))

    def levels(self, setup: PlainSetup, times: Array, states: Array) -> Array:
        """The left-hand sides of the constraints along states (k, m)."""
        m = len(setup.system.constraints)
        rows = [self._rows(setup, t, y, setup.values)[:m] for t, y in zip(times, states, strict=True)]
        return np.array(rows).reshape(len(times), m)

    def energy(self, setup: PlainSetup, t: float, state: Array) -> float:
        """The energy at a state."""
        return energy_and_power(setup.system, [*state, t, *setup.values])[0]

    def settle(self, setup: PlainSetup, t: float, state: Array) -> tuple[Array, Array, Array]:
        """The nearest way onto the constraints, in the metric of M: changes of places and speeds; the free velocity."""
        n = len(state) // 2
        M, rows = mass_and_rows(setup.system, [*state, t, *setup.values])
        units = balanced_units(M, rows.A)
        L = np.linalg.cholesky(_positive(units[:, None] * M * units, rows.A * units))
        B = np.linalg.solve(L, (rows.A * units).T).T
        P = np.linalg.pinv(B, rcond=RANK)
        places = np.array([isinstance(c, ON_POSITIONS) for c in setup.system.constraints], dtype=bool)
        level = np.where(places, rows.level, 0.0)
        change = [units * np.linalg.solve(L.T, -P @ f) for f in (level, rows.rate)]
        free = state[n:] - units * np.linalg.solve(L.T, P @ (rows.A @ state[n:]))
        return change[0], change[1], free

    def order(self, setup: PlainSetup) -> int:  # noqa: ARG002
        """The degree of the polynomial of a step."""
        return DEGREE

    def most_steps(self, setup: PlainSetup, work: float, numbers: int) -> int:  # noqa: ARG002
        """Few: each takes milliseconds, and more of a larger system."""
        return int(np.clip(STEPS / (len(setup.system.coordinates) + len(setup.system.constraints)), 1, MOST))

    def pays(self, setup: PlainSetup, steps: int) -> bool:  # noqa: ARG002
        """There is nothing to compile."""
        return False

    def pivot_limit(self, setup: PlainSetup) -> float:  # noqa: ARG002
        """The pseudo-inverse takes all rows: nothing is chosen."""
        return 0.0

    def names(self, setup: PlainSetup) -> tuple[list[str], list[str], list[str]]:
        """What the columns of `inertia`, `masses` and rows belong to, in words."""
        own = [f"the inertia of {name_of(q)}" for q in setup.system.coordinates]
        rows = [f"constraint {c.name!r}" for c in setup.system.constraints]
        return ["the mass matrix"], own, rows if setup.rank == len(rows) else ["one of the constraints"] * len(rows)

    def _decided(self, setup: PlainSetup, t: float, state: Array) -> tuple[Instant, Answer]:
        now = instant_at(setup.system, [*state, t, *setup.values])
        return now, explicit(now)

    def _reactions(self, setup: PlainSetup, t: float, state: Array) -> Array:
        """The actual multipliers, Qᶜ = C + Aᵀλ̂: those of an ideal system that C is an active force of."""
        now = instant_at(setup.system, [*state, t, *setup.values])
        names = now.coordinates, now.constraints
        return explicit(Instant(now.M, now.Q + now.C, now.A, now.b, np.zeros(now.n), *names, now.sizes)).multipliers

    def _watched(self, setup: PlainSetup, t: float, state: Array, values: Array) -> tuple[Array, ...]:
        n, m = len(state) // 2, len(setup.system.constraints)
        try:
            now = instant_at(setup.system, [*state, t, *values])
            acceleration = explicit(now).acceleration
            rows = mass_and_rows(setup.system, [*state, t, *values])[1]
        except FAILURES:
            gone, masses = np.full(m, np.nan), np.full(n if setup.massive else 0, np.inf)
            return np.full(n, np.nan), gone, gone, np.zeros(m), np.full(m, np.inf), np.zeros(1), masses
        pivots, squares = _pivots(setup, _rows_by_mass(now.M, now.A))
        units = balanced_units(now.M, now.A)
        scaled = units[:, None] * now.M * units
        values_of_m = np.linalg.eigvalsh(scaled + _rows_weight(scaled, now.A * units))
        inertia = values_of_m[0] / values_of_m[-1]
        masses = np.diag(now.M) if setup.massive else np.zeros(0)
        return acceleration, rows.level, rows.rate, pivots, squares, np.array([inertia]), masses


def _natural(state: Array, slope: Array, span: float) -> Array:
    """The size of each coordinate and velocity (2n,), or what its rate makes of it in the time of the run."""
    n = len(state) // 2
    v = np.maximum(np.abs(state[n:]), np.nan_to_num(np.abs(slope[n:])) * span)
    q = np.maximum(np.abs(state[:n]), v * span)
    parts = [np.where(x > 0, x, x.max(initial=0.0) or 1.0) for x in (q, v)]
    return np.concatenate(parts)


def _rows_weight(M: Array, B: Array) -> Array:
    """BᵀB of rows of unit length, times what makes M + BᵀB definite where M is negative along what they hold."""
    lengths = np.linalg.norm(B, axis=1, keepdims=True)
    unit = B / np.where(lengths > 0, lengths, 1.0)
    out: Array = enough(M, unit) * (unit.T @ unit)
    return out


def _positive(M: Array, B: Array) -> Array:
    """M, or M + BᵀB of unit rows where it is not positive definite alone."""
    values = np.linalg.eigvalsh(M)
    return M if values[0] > RANK * values[-1] else M + _rows_weight(M, B)


def _rows_by_mass(M: Array, A: Array) -> Array:
    """The rows A L⁻ᵀ, so that A M⁻¹ Aᵀ is made of their products; of M + AᵀA where M = L Lᵀ alone is singular."""
    units = balanced_units(M, A)
    L = np.linalg.cholesky(_positive(units[:, None] * M * units, A * units))
    out: Array = np.linalg.solve(L, (A * units).T).T
    return out


def _unit(B: Array, lengths: Array) -> Array:
    """Rows over their lengths; those without one as they are."""
    out: Array = B / np.where(lengths > 0, lengths, 1.0)[:, None]
    return out


def _pivots(setup: PlainSetup, B: Array) -> tuple[Array, Array]:
    """The squared sine of the angle between each row and all others, and its squared length, (m,) and (m,).

    Where rows are redundant, none of them counts alone: then it is the least singular value that does, of rows as long
    as they were at the start, or of unit length where that is less.
    """
    lengths = np.linalg.norm(B, axis=1)
    if not len(B) or not np.isfinite(B).all():
        return np.zeros(len(B)), np.full(len(B), np.inf)
    U, sigma, _ = np.linalg.svd(_unit(B, lengths), full_matrices=False)
    if setup.rank == len(B):
        with np.errstate(divide="ignore"):
            return np.where(sigma[-1] > 0, 1.0 / (U**2 @ sigma**-2.0), 0.0), lengths**2
    longer = np.linalg.svd(_unit(B, setup.lengths), compute_uv=False)
    least = min(sigma[setup.rank - 1], longer[setup.rank - 1]) ** 2 if setup.rank else 1.0
    return np.full(len(B), least), np.full(len(B), np.inf)


def _polynomial(dense: object) -> Array:
    """The coefficients (d, 8) of powers of t − t_old of DOP853's dense output.

    It is nested: y_old + x (F₀ + (1 − x) (F₁ + x (F₂ + …))) with x the fraction of the step.
    """
    F, h = dense.F, dense.h  # type: ignore[attr-defined]
    p = np.zeros((F.shape[1], DEGREE + 1))
    for i, f in enumerate(reversed(F)):
        p[:, 0] += f
        shifted = np.hstack([np.zeros((len(p), 1)), p[:, :-1]])
        p = shifted if i % 2 == 0 else p - shifted
    p[:, 0] += dense.y_old  # type: ignore[attr-defined]
    out: Array = p / h ** np.arange(DEGREE + 1)
    return out
