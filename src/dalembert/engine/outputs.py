"""Everything the engine compiles of a system, as heyoka expressions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

import heyoka as hy
from sympy import Add, Expr
from sympy.core.symbol import Str

from dalembert.derive import form
from dalembert.derive.cancelling import cancelling
from dalembert.derive.elimination import Vector
from dalembert.derive.mechanics import constraint_rates, energy, rows, unconstrained
from dalembert.derive.natures import following, reactions, work_doing
from dalembert.derive.switching.stage import Actual, Stage
from dalembert.engine.dynamics import Dynamics, EliminationInput, augmented, forces, minus, plus, solve, stated
from dalembert.engine.growths import Growths, Series
from dalembert.engine.heyoka_algebra import ROOT, Expression, HeyokaAlgebra
from dalembert.engine.magnitudes import magnitude
from dalembert.engine.protocol import Variant
from dalembert.model import (
    ON_POSITIONS,
    Constraint,
    Following,
    Held,
    IdealForce,
    IdealMagnitude,
    Lagrangian,
    Multiplier,
    Statement,
    time,
)

WEIGHT, SLOPE, OFFSET = "weight", "slope", "offset"  # run-time values of rows and of guards, by place
CANCELLED = 2.0**-4  # of the terms of a coefficient, or of b: so much counts where they cancel


@dataclass(frozen=True, eq=False)
class Outputs:
    """Lists of expressions in q0…, v0…, time and the parameters.

    Parameters: those of the stage's statement in the order of its `symbols`, then the values that `constants` stand
    for, then the `run_time` values by name. `variables` are those of everything; sizes also depend on `scales`.

    n entries: acceleration, ideal, nonideal, settle_places, settle_speeds, free_speeds, Q. m entries: level, rate,
    level_sizes, rate_sizes, pivots, squares, multipliers, reactions, b. `inertia` and `masses`: pivots of M over their
    diagonal entry and those entries, each once, by a coordinate it belongs to. `radicands`: what stands under a root
    that is on, 1 for the others; `resting`: what stands under those that are off, 0 for the others; `jumps`: what must
    not vanish, lest a function jumps, each of one of `branches`. M and A: entries by place.

    energy: Σ q̇ ∂L/∂q̇ − L, or ½ q̇ᵀMq̇ where there is no Lagrangian; momenta: ∂L/∂q̇. powers: the rates at which active
    forces, ideal and work-doing constraint forces change that energy, only those that are not identically zero.

    guards: what must stay positive, and their sizes; turning: which of them change at all. levels: the left-hand sides
    of the constraints of the system the stage is of. paces: the accelerations that forces as large as those that act
    could give each coordinate.
    """

    variables: list[Expression]
    scales: list[Expression]
    run_time: dict[str, int]
    constants: list[Expression]
    parameters: int
    acceleration: list[Expression]
    motion: list[Expression]
    ideal: list[Expression]
    nonideal: list[Expression]
    multipliers: list[Expression]
    reactions: list[Expression]
    level: list[Expression]
    rate: list[Expression]
    level_sizes: list[Expression]
    rate_sizes: list[Expression]
    pivots: list[Expression]
    squares: list[Expression]
    inertia: dict[int, Expression]
    masses: dict[int, Expression]
    radicands: list[Expression]
    resting: list[Expression]
    jumps: list[Expression]
    branches: list[Expr]
    energy: Expression
    momenta: list[Expression]
    powers: dict[str, Expression]
    guards: list[Expression]
    guard_sizes: list[Expression]
    turning: list[int]
    levels: list[Expression]
    looked: list[Expression]
    paces: list[Expression]
    settle_places: list[Expression]
    settle_speeds: list[Expression]
    free_speeds: list[Expression]
    M: dict[tuple[int, int], Expression]
    A: dict[tuple[int, int], Expression]
    b: list[Expression]
    Q: list[Expression]


def outputs(stage: Stage, variant: Variant) -> Outputs:
    """Derive in the compiled algebra and unroll the elimination as the variant says."""
    system = stage.statement
    algebra = HeyokaAlgebra(system)
    n, m = len(system.coordinates), len(system.constraints)
    M, Q = unconstrained(system, algebra)
    level, rate = constraint_rates(system, algebra)
    A, b = rows(rate, algebra)
    symbols = {s: hy.par[i] for i, s in enumerate(system.symbols)}
    masks = {r: symbols[mask] for r, mask in enumerate(stage.masks) if mask is not None}
    given = stated(M, Q, A, b, masks, variant, algebra)
    borne = {r: algebra.convert(e, {}) for r, e in stage.lent}  # it acts as what is impressed does
    lent = forces({r: given.A[r] for r in borne}, borne, algebra)
    given = replace(given, Q=plus(given.Q, lent))
    lam: dict[int, Expression] = {}

    def work(found: Vector[Expression]) -> tuple[Vector[Expression], dict[int, Vector[Expression]]]:
        lam.update(found)
        algebra.lam = tuple(lam.get(r, algebra.zero) for r in range(m))
        C, _ = work_doing(system, algebra, M, A)
        return {i: c for i, c in enumerate(C) if not algebra.is_zero(c)}, following(system, algebra, A)

    weights = {r: hy.expression(f"{WEIGHT}{r}") for r in range(m)}
    solved = solve(augmented(given, weights, algebra) if variant.augment else given, work, algebra)
    if borne:
        solved = replace(solved, nonideal=plus(solved.nonideal, lent), reactions=plus(solved.reactions, borne))
    shares = _shares(system, given.A, solved, lam, algebra)
    total, force_power, momenta = energy(system, algebra, M, Q)
    driven = _virtual_rates(system, algebra, level, rate, given.A)

    def power(parts: Vector[Expression]) -> Expression:
        return algebra.total([algebra.v[i] * f for i, f in parts.items()])

    powers = {
        "force": algebra.total([force_power, power(shares.force)]) if shares.force else force_power,
        "ideal": algebra.total([lam[r] * s for r, s in driven.items() if r in lam and r not in shares.held]),
        "nonideal": power(shares.nonideal),
    }
    actual = {Actual(Str(c.name)): solved.reactions.get(r, algebra.zero) for r, c in enumerate(system.constraints)}
    known = reactions(system, algebra, A, stage.guards) | actual
    jams = [
        jam * (1.0 - 2.0 * masks[r]) if isinstance(c, Held) and isinstance(c.nature, Following) else jam
        for r, (jam, c) in enumerate(zip(solved.jams, system.constraints, strict=bool(solved.jams)))
    ]  # where a function keeps a motion on its surface, its force acts against the way it points
    jams += _the_other_way(stage, solved)
    guards = [algebra.convert(g, known) for g in stage.guards] + jams
    sizes = _Sizes(system, solved, given, algebra, bool(stage.guards))
    guard_sizes = [sizes.of(g, known) for g in stage.guards] + [algebra.zero + 1.0 for _ in jams]
    still = [symbols[s] for s in stage.still] or [None] * n
    moving = [solved.acceleration.get(i, algebra.zero) for i in range(n)]
    moving = [a if mask is None else mask * a for mask, a in zip(still, moving, strict=True)]
    motion = [v if mask is None else mask * v for mask, v in zip(still, algebra.v, strict=True)]
    on_places = {r: level[r] for r, c in enumerate(system.constraints) if isinstance(c, ON_POSITIONS)}
    on_speeds = {r: rate[r] for r in range(m) if not algebra.is_zero(rate[r])}
    along = {r: algebra.total([entry * algebra.v[j] for j, entry in row.items()]) for r, row in given.A.items() if row}

    run_time: dict[str, int] = {}
    first = len(system.symbols) + len(algebra.constants)
    names = [f"{ROOT}{i}" for i in range(len(algebra.radicands))]
    names += [f"{WEIGHT}{r}" for r in range(m)] if variant.augment else []
    names += [f"{what}{g}" for g in range(len(guards)) for what in (SLOPE, OFFSET)]
    run_time.update({name: first + i for i, name in enumerate(names)})

    def done(expressions: Sequence[Expression]) -> list[Expression]:
        return algebra.finished(expressions, run_time)

    def dense(sparse: Vector[Expression], size: int) -> list[Expression]:
        return done([sparse.get(i, algebra.zero) for i in range(size)])

    return Outputs(
        variables=[*algebra.q, *algebra.v],
        scales=sizes.variables,
        run_time=run_time,
        constants=done(algebra.constants),
        parameters=first + len(names),
        acceleration=done(moving),
        motion=done(motion),
        ideal=dense(shares.ideal, n),
        nonideal=dense(shares.nonideal, n),
        multipliers=dense(lam, m),
        reactions=dense(solved.reactions, m),
        level=done(level),
        rate=done(rate),
        level_sizes=done([sizes.of(c.expr, {}) for c in system.constraints]),
        rate_sizes=done(
            [
                sizes.of_rate(r, level[r], row, c)
                for (r, row), c in zip(given.A.items(), system.constraints, strict=True)
            ]
        ),
        pivots=dense(solved.pivots, m),
        squares=dense(solved.squares, m),
        inertia=_different(dense(solved.inertia, n)),
        masses=_different(dense(solved.masses, n)),
        radicands=done([_where(i, e, 1.0) for e, i in algebra.radicands.items()]),
        resting=done([_where(i, 0.0, e) for e, i in algebra.radicands.items()]),
        jumps=done(list(algebra.jumps)),
        branches=list(algebra.jumps.values()),
        energy=done([total])[0],
        momenta=dense(dict(enumerate(momenta)), n) if momenta else [],
        powers={name: done([p])[0] for name, p in powers.items() if not algebra.is_zero(p)},
        guards=done(guards),
        guard_sizes=done(guard_sizes),
        turning=[i for i, g in enumerate(guards) if algebra.moves(g)],
        levels=done([algebra.convert(e, {}) for e in stage.levels]),
        looked=done([algebra.convert(e, reactions(system, algebra, A, [e]) | actual) for e in stage.looked]),
        paces=done(sizes.paces),
        settle_places=dense(solved.respond(on_places), n) if on_places else [algebra.zero] * n,
        settle_speeds=dense(solved.respond(on_speeds), n) if on_speeds else [algebra.zero] * n,
        free_speeds=dense(minus(dict(enumerate(algebra.v)), solved.respond(along)), n),
        M=dict(zip(M, done(list(M.values())), strict=True)),
        A=dict(zip(A, done(list(A.values())), strict=True)),
        b=done(b),
        Q=done(Q),
    )


def _the_other_way(stage: Stage, solved: Dynamics) -> list[Expression]:
    """What is negative where the one force that friction follows could also press the other way, for one that can.

    With λ̂ (1 + x) = λ one way and λ̂ (1 − x) = λ the other; 1 + x is the product of the pivots over those without it.
    """
    following = [c.nature for c in stage.statement.constraints if isinstance(c.nature, Following)]
    if len(stage.either) != 1 or len(following) != 1 or not solved.jams:
        return []
    ratio = hy.prod([jam / solved.pivots[r] for r, jam in enumerate(solved.jams) if r in solved.pivots])
    return [2.0 - ratio]


class _Sizes:
    """How large the terms of expressions are, by the natural scales of what they are made of."""

    def __init__(
        self, system: Statement, solved: Dynamics, given: EliminationInput, algebra: HeyokaAlgebra, switches: bool
    ) -> None:
        n = len(system.coordinates)
        self._algebra = algebra
        self._places = [hy.expression(f"sq{i}") for i in range(n)]
        self._speeds = [hy.expression(f"sv{i}") for i in range(n)]
        self._time, self._one = hy.expression("st"), algebra.zero + 1.0
        self.variables = [*self._places, *self._speeds, self._time]
        size = algebra.magnitude
        works = [size(f * solved.free[i]) for i, f in given.Q.items() if i in solved.free]
        for multipliers in (solved.multipliers, solved.reactions):
            works += [x * x * solved.squares[r] for r, x in multipliers.items()]
        works += [f * f / size(solved.masses[i]) for i, f in self._loads(system, switches) if i in solved.masses]
        force = {r: given.masks.get(r, self._one) for r in solved.squares}
        squares = {
            r: square + (1.0 - force[r]) for r, square in solved.squares.items()
        }  # a row not in force may vanish
        works += [(CANCELLED * x) ** 2.0 / squares[r] for r, x in self._turns(system, given.masks) if r in squares]
        load = hy.sqrt(size(algebra.total(works))) if works else algebra.zero  # of the forces that act, as √(QᵀM⁻¹Q)
        self._scales: dict[Expr, Expression] = {
            **dict(zip(system.coordinates, self._places, strict=True)),
            **dict(zip(system.velocities, self._speeds, strict=True)),
            time(): self._time,
        }
        for r, c in enumerate(system.constraints):
            own = force[r] * load / hy.sqrt(squares[r]) if r in squares else algebra.zero
            self._scales |= {Multiplier(Str(c.name)): own, Actual(Str(c.name)): own}
        masses = {i: hy.sqrt(size(e)) for i, e in solved.masses.items()}
        self._load, self._masses, self._coordinates = load, masses, system.coordinates
        moving = {q: Series(*both) for q, *both in zip(system.coordinates, self._places, self._speeds, strict=True)}
        self._cancelling = cancelling(form(system))
        self._growths = Growths({**moving, time(): Series(self._time, self._one)}, algebra)
        held = {x: Series(self._scales[x]) for x in (*system.coordinates, *system.velocities)}
        self._held = Growths({**held, time(): Series(self._time, self._one)}, algebra)  # where time alone goes on
        self.paces = [load / masses[i] for i in range(n)]  # what the forces that act make of each coordinate

    def _loads(self, system: Statement, switches: bool) -> Iterator[tuple[int, Expression]]:
        """The terms of the active forces one by one, by coordinate: in balance they have no sum to go by."""
        if not switches:
            return
        body, algebra = system.unconstrained, self._algebra
        potential = body.function if isinstance(body, Lagrangian) else getattr(body, "potential", None)
        if potential is not None:
            for term in Add.make_args(potential):
                slopes = algebra.gradient(algebra.convert(term, {}), algebra.q)
                yield from ((i, algebra.magnitude(slope)) for i, slope in slopes.items())
        for i, force in enumerate(getattr(body, "forces", ())):
            for term in Add.make_args(force):
                if term != 0:
                    yield i, algebra.magnitude(algebra.convert_force(term, {}))

    def of(self, e: Expr, known: Mapping[Expr, Expression]) -> Expression:
        """The size of a stated expression."""
        scales = dict(self._scales)
        for reaction in e.atoms(IdealForce, IdealMagnitude):
            if isinstance(reaction, IdealForce):
                scales[reaction] = self._load * self._masses[self._coordinates.index(reaction.args[0])]
            else:
                scales[reaction] = self._load * hy.sqrt(hy.sum([x * x for x in self._masses.values()]))
        return magnitude(e, scales, self._algebra, known)

    def _turns(self, system: Statement, masks: Vector[Expression]) -> Iterator[tuple[int, Expression]]:
        """The size of the terms of b of rows that are in force, those that cancel too: φ̈ without accelerations."""
        size = self._algebra.magnitude
        speeds = [size(v) for v in self._algebra.v]
        moving = {q: Series(size(x), v) for q, x, v in zip(system.coordinates, self._algebra.q, speeds, strict=True)}
        moving |= {v: Series(x) for v, x in zip(system.velocities, speeds, strict=True)}
        growths = Growths({**moving, time(): Series(size(self._algebra.t), self._one)}, self._algebra)
        for r, c in enumerate(system.constraints):
            if (found := growths.of(c.expr, unsure=False)) is not None:
                turn = found.again if isinstance(c, ON_POSITIONS) else found.rate
                yield r, masks[r] * turn if r in masks else turn

    def of_rate(self, place: int, level: Expression, row: Vector[Expression], constraint: Constraint) -> Expression:
        """The size of φ̇ = φ_q q̇ + φ_t, or of a relation among velocities.

        The terms of φ_t cancel where it is φ times a function of time. Where terms of φ_q cancel whatever the state,
        their rounding counts as well.
        """
        if not isinstance(constraint, ON_POSITIONS):
            return self.of(constraint.expr, {})
        own = self._algebra.gradient(level, [self._algebra.t]).get(0)
        terms = [self._algebra.magnitude(entry) * self._speeds[j] for j, entry in row.items()]
        if own is not None:
            made = self._held.of(constraint.expr, unsure=False)
            terms.append(self._algebra.magnitude(own) if made is None else cast(Expression, made.rate))
        if place in self._cancelling and (found := self._growths.of(constraint.expr)) is not None:
            terms.append(CANCELLED * cast(Expression, found.rate))
        return self._algebra.total(terms) if terms else self._algebra.zero


class _Shares(NamedTuple):
    """Whose force is whose, where some rows are held by friction or by an active force: sparse over coordinates."""

    held: set[int]
    ideal: Vector[Expression]
    nonideal: Vector[Expression]
    force: Vector[Expression]


def _shares(
    system: Statement,
    A: dict[int, Vector[Expression]],
    solved: Dynamics,
    lam: Vector[Expression],
    algebra: HeyokaAlgebra,
) -> _Shares:
    """The ideal force Aᵀλ of rows that are constraints, what held rows add to active forces, and the rest."""
    held = {r: c.by for r, c in enumerate(system.constraints) if isinstance(c, Held)}
    if not held:
        return _Shares(set(), solved.ideal, solved.nonideal, {})
    own = {r: row for r, row in A.items() if r not in held}
    ideal = forces(own, lam, algebra)
    driven = {r for r, by in held.items() if by == "force"}
    force: Vector[Expression] = {}
    for columns in (A, solved.D):
        force = plus(force, forces({r: c for r, c in columns.items() if r in driven}, solved.reactions, algebra))
    rest = minus(minus(plus(solved.ideal, solved.nonideal), ideal), force)
    return _Shares(set(held), ideal, rest, force)


def _where(root: int, on: Expression | float, off: Expression | float) -> Expression:
    """One of two, by whether a root is on."""
    return hy.select(hy.gt(hy.expression(f"{ROOT}{root}"), 0.5), hy.expression(0.0) + on, hy.expression(0.0) + off)


def _different(entries: Sequence[Expression]) -> dict[int, Expression]:
    """Each expression once, by its first place: a chain of equal masses has one pivot, not 900."""
    seen: dict[Expression, int] = {}
    for i, entry in enumerate(entries):
        seen.setdefault(entry, i)
    return {i: entry for entry, i in seen.items()}


def _virtual_rates(
    system: Statement,
    algebra: HeyokaAlgebra,
    level: Sequence[Expression],
    rate: Sequence[Expression],
    A: Mapping[int, Vector[Expression]],
) -> Vector[Expression]:
    """(A q̇)_r on the constraints, by which an ideal force does work; rows where it is identically zero are left out.

    A moving holonomic row has A q̇ = −φ_t, one affine in the velocities A q̇ + a₀ = 0 has −a₀.
    """
    out: Vector[Expression] = {}
    still = {f"v{i}": algebra.zero for i in range(len(algebra.v))}
    for (r, row), constraint in zip(A.items(), system.constraints, strict=True):
        if isinstance(constraint, ON_POSITIONS):
            own = -algebra.gradient(level[r], [algebra.t]).get(0, algebra.zero)
        elif any(algebra.gradient(entry, algebra.v) for entry in row.values()):
            own = algebra.total([entry * algebra.v[j] for j, entry in row.items()])
        else:
            own = -algebra.substituted(rate[r], still)
        if not algebra.is_zero(own):
            out[r] = own
    return out
