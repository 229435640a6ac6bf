"""The stages of a system that switches: for a mode, the smooth statement it obeys and the guards that end it."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from sympy import Add, Dummy, Expr, Mul, S, Symbol, sqrt
from sympy.core.symbol import Str

from dalembert.derive.elimination import factor
from dalembert.derive.gates import mapped
from dalembert.derive.modes import DIRECTIONS, OFF, STICKS, Mode, Rub, Switches, switches
from dalembert.derive.natures import pressing
from dalembert.derive.prepared import Prepared, prepared
from dalembert.derive.stage import Actual, Stage
from dalembert.model import (
    Coulomb,
    Following,
    Held,
    HeldAt,
    Holonomic,
    Ideal,
    Multiplier,
    OneSided,
    Particles,
    Prescribed,
    Statement,
    time,
    velocity,
)
from dalembert.model.checks import coordinates_in, velocities_in

FAST = 1e6  # times the speed at which a plane friction is brought to rest: then that speed is chosen anew


class Meaning(NamedTuple):
    """What a guard is of: its kind, and the index of a constraint, friction or switching function.

    release, touch: one-sided constraints. normal: the sign of the force behind a friction. stop: the sliding velocity, pace:
    that it has become large.
    up, down, hold: the bound of what sticks. gate: a switching function; above, below: one the motion stays on. jam:
    friction and rigidity leave no unique answer.
    """

    kind: str
    index: int


@dataclass(frozen=True, eq=False)
class Staged:
    """A stage, what its guards mean, and the row of each stated constraint in it (−1 where it is not in force)."""

    stage: Stage
    meanings: tuple[Meaning, ...]
    rows: tuple[int, ...]


class Stages:
    """The stages of a statement, each made when its mode is first visited."""

    def __init__(self, found: Switches) -> None:
        self.switches = found
        self._kept: dict[tuple[Mode, tuple[int, ...]], Staged] = {}
        self._known: dict[Mode, Staged] = {}
        self.still: dict[Mode, tuple[int, ...]] = {}

    def of(self, mode: Mode) -> Staged:
        """The stage of a mode; modes of one shape share it."""
        if mode not in self._known:
            key = (mode.shape, self.switches.gated.cases(mode.signs))
            if key not in self._kept:
                self._kept[key] = _Builder(self.switches, *key).staged()
            self._known[mode] = self._kept[key]
        return self._known[mode]

    def values(self, given: dict[Symbol, float], mode: Mode, slow: tuple[float, ...]) -> list[float]:
        """The values of all parameters of a mode's stage, in the order of its symbols."""
        s = self.switches
        run = dict(given)
        run |= {x: float(DIRECTIONS.get(state, 0)) for x, state in zip(s.slip, mode.rubs, strict=True)}
        run |= dict(zip(s.slow, slow, strict=True))
        run |= dict(zip(s.press, map(float, mode.normals), strict=True))
        run |= {g.symbol: float(sign) for g, sign in zip(s.gated.gates, mode.signs, strict=True)}
        return [run.get(x, 0.0) for x in self.of(mode).stage.statement.symbols]


class _Builder:
    """One stage in the making."""

    def __init__(self, found: Switches, shape: Mode, cases: tuple[int, ...]) -> None:
        self.s, self.shape = found, shape
        self.cases = cases
        self.base = found.gated.resolved(cases)
        self.functions = found.gated.functions(cases)
        self.guards: list[Expr] = []
        self.meanings: list[Meaning] = []
        self.held: list[Held] = []
        self.natures: dict[int, Any] = {}

    def staged(self) -> Staged:
        active = self.s.active(self.shape)
        for j in self.s.one_sided:
            closed = j in self.shape.closed
            name = self.base.constraints[j].name
            self._guard(
                "release" if closed else "touch", j, Actual(Str(name)) if closed else self.base.constraints[j].expr
            )
        for k, rub in enumerate(self.s.rubs):
            self._rub(k, rub)
        for e, j in zip(self.s.press, self.s.pressed, strict=True):
            if j in active:
                self._guard("normal", j, e * self._multiplier(j))
        gates = self.s.gated.gates
        for g in self.s.gated.live(self.cases):
            if self.shape.signs[g]:
                self._guard("gate", g, gates[g].symbol * self.functions[g])
            else:
                self._slide(g)
        rows = [_in_force(self.base.constraints[j], self.natures.get(j)) for j in active]
        statement = with_constraints(self.base, (*rows, *self.held), self.s.extra)
        place = {j: r for r, j in enumerate(active)}
        levels = tuple(c.expr for c in self.base.constraints)
        stage = Stage(statement, tuple(self.guards), levels, self.shape.still)
        return Staged(stage, tuple(self.meanings), tuple(place.get(j, -1) for j in range(len(levels))))

    def _guard(self, kind: str, index: int, expr: Expr) -> None:
        self.guards.append(expr)
        self.meanings.append(Meaning(kind, index))

    def _multiplier(self, j: int) -> Expr:
        """The multiplier that presses in the friction of a constraint, ideal or actual."""
        (row,) = pressing(self.base, j)
        name = Str(self.base.constraints[row].name)
        return Actual(name) if self.base.constraints[j].nature.normal == "actual" else Multiplier(name)

    def _rub(self, k: int, rub: Rub) -> None:
        """Friction of a kind: its force where it slips, its rows where it sticks, and the guards of either."""
        state = self.shape.rubs[k]
        members = self.s.rubbing(rub, self.shape)
        if state == OFF or not members:
            return
        contact = geometry(self.s, self.base, rub, *self.shape.bases[k])
        if state == STICKS:
            self._stick(k, contact, members)
        elif len(contact.directions) == 1:
            (d,) = contact.directions
            s = _along(d, self.base) + contact.drifts[0]
            for j in members:
                self._slip(j, contact, {i: self.s.slip[k] * e for i, e in d.items()})
            self._guard("stop", k, self.s.slip[k] * s)
        else:
            for j in members:
                self._slip(j, contact, {i: e / sqrt(contact.square) for i, e in contact.along.items()})
            speed = sqrt(contact.square)
            self._guard("stop", k, speed - self.s.slow[k])
            self._guard("pace", k, FAST * self.s.slow[k] - speed)

    def _slip(self, j: int, contact: "Geometry", direction: dict[int, Expr]) -> None:
        nature = self.base.constraints[j].nature
        force = {i: -nature.coefficient * contact.weight(j, self._presses(j)) * e for i, e in direction.items()}
        if nature.normal == "actual":
            self.natures[j] = Following(tuple(force.items()))
        else:
            own = Multiplier(Str(self.base.constraints[pressing(self.base, j)[0]].name))
            single = len(pressing(self.base, j)) == 1
            self.natures[j] = _prescribed(
                [(self.base.coordinates[i], f * own if single else f) for i, f in force.items()]
            )

    def _presses(self, j: int) -> Expr:
        """The sign by which a multiplier becomes a normal force."""
        return self.s.press[self.s.pressed.index(j)] if j in self.s.pressed else S.One

    def _stick(self, k: int, contact: "Geometry", members: tuple[int, ...]) -> None:
        bound = Add(*(self._bound(j, contact) for j in members))
        names = [
            f"{self.s.name(k)} (friction{'' if len(contact.holds) == 1 else f' {i + 1}'})"
            for i in range(len(contact.holds))
        ]
        for name, row, drift in zip(names, contact.holds, contact.drifts, strict=True):
            self.held.append(Held(_along(row, self.base) + drift, name, "friction"))
        if len(names) == 1:
            pull = Actual(Str(names[0]))
            self._guard("up", k, bound - pull)
            self._guard("down", k, bound + pull)
        else:
            forces = [Actual(Str(name)) for name in names]
            size = Add(*(forces[i] * forces[j] * g for (i, j), g in contact.gram.items()))
            self._guard("hold", k, bound**2 - size)

    def _bound(self, j: int, contact: "Geometry") -> Expr:
        nature = self.base.constraints[j].nature
        mu = nature.coefficient if nature.static is None else nature.static
        normal = contact.weight(j, self._presses(j))
        return mu * normal * (self._multiplier(j) if len(pressing(self.base, j)) == 1 else 1)

    def _slide(self, g: int) -> None:
        """The motion stays where a switching function vanishes: the value of its sign is what keeps it there."""
        gate = self.s.gated.gates[g]
        u, by = jump(self.base, gate.symbol)
        name = f"{gate.words} = 0"
        function = self.functions[g]
        kind = Held if velocities_in(function) else HeldAt
        along = self.base.velocities if kind is Held else self.base.coordinates
        d = {i: u.get(i, S.Zero) - _slope(function, x) for i, x in enumerate(along)}
        self.held.append(kind(function, name, by, Following(tuple((i, e) for i, e in d.items() if e != 0))))
        self._guard("above", g, 1 - Actual(Str(name)))
        self._guard("below", g, 1 + Actual(Str(name)))


@dataclass(frozen=True, eq=False)
class Geometry:
    """How a friction lies: covectors {place: entry}, and the velocity s = d·q̇ + drift along each.

    One direction: `directions` (d) and `holds` are the same. Two: `along`/√`square` is the direction of sliding, `holds`
    the rows that stop it, `gram` their products. `lengths` turn a multiplier into a normal force.
    """

    directions: list[dict[int, Expr]]
    drifts: list[Expr]
    along: dict[int, Expr]
    square: Expr
    holds: list[dict[int, Expr]]
    gram: dict[tuple[int, int], Expr]
    lengths: dict[int, Expr]

    def weight(self, j: int, sign: Expr) -> Expr:
        """The normal force over the multiplier that presses, or all of it where several press together."""
        return sign * self.lengths[j]


def geometry(s: Switches, base: Statement, rub: Rub, basis: tuple[int, ...], chart: int) -> Geometry:
    """The geometry of a friction, of a particle held by the rows of `basis` or with a given sliding velocity."""
    kept = prepared(bare(base))
    if rub.sliding:
        return _of_velocity(base, rub, kept)
    return _of_particle(base, rub, kept, basis, chart)


def _of_velocity(base: Statement, rub: Rub, kept: Prepared) -> Geometry:
    given = next(base.constraints[j].nature.sliding for j in rub.members)
    rows = [{i: s.diff(v) for i, v in enumerate(base.velocities) if s.has(v)} for s in given]
    rest = dict.fromkeys(base.velocities, S.Zero)
    drifts = [s.xreplace(rest) for s in given]
    places = sorted({i for row in rows for i in row})
    along = {i: Add(*(row[i] * s for row, s in zip(rows, given, strict=True) if i in row)) for i in places}
    gram = {(i, i): S.One for i in range(len(rows))}
    metric = _points if isinstance(base.unconstrained, Particles) else _bare_length
    lengths = {j: metric(base, kept, pressing(base, j)) for j in rub.members}
    return Geometry(rows, drifts, along, Add(*(s**2 for s in given)), rows, gram, lengths)


def _of_particle(base: Statement, rub: Rub, kept: Prepared, basis: tuple[int, ...], chart: int) -> Geometry:
    derived, P = kept.derived, rub.particle
    M = {(i, j): kept.algebra.restore(derived.M[i, j]) for i in P for j in P if (i, j) in derived.M}
    masses = [M.get((i, i)) for i in P]
    plain = len(M) == len(P) and all(m == masses[0] for m in masses)
    if plain:  # the mass cancels
        M = {(i, i): S.One for i in P}

    def times_mass(x: dict[int, Expr]) -> dict[int, Expr]:
        return {i: Add(*(M[i, j] * x[j] for j in x if (i, j) in M)) for i in P if any((i, j) in M for j in x)}

    def dot(x: dict[int, Expr], y: dict[int, Expr]) -> Expr:
        return Add(*(x[i] * y[i] for i in x if i in y))

    A = {
        r: {i: kept.algebra.restore(derived.A[r, i]) for i in P if (r, i) in derived.A}
        for r in range(len(base.constraints))
    }
    rates = {i: base.velocities[i] for i in P}
    momentum = times_mass(rates)
    square = dot(rates, momentum)
    lengths = {j: _length([A[r] for r in pressing(base, j)], base, pressing(base, j), M, kept) for j in rub.members}
    if len(P) - len(basis) == 1:
        tangent = _cross([A[r] for r in basis], P)
        covector = times_mass(tangent)
        size = sqrt(dot(tangent, covector))
        d = {i: e / size for i, e in covector.items()}
        return Geometry([d], [S.Zero], momentum, square, [d], {(0, 0): S.One}, lengths)
    (row,) = basis
    free = [i for i in P if i != chart]
    tangents = [{i: S.One, chart: -A[row][i] / A[row][chart]} if i in A[row] else {i: S.One} for i in free]
    holds = [times_mass(x) for x in tangents]
    gram = {(a, b): dot(x, y) for a, x in enumerate(tangents) for b, y in enumerate(holds)}
    return Geometry([{}, {}], [S.Zero, S.Zero], momentum, square, holds, gram, lengths)


def _cross(rows: list[dict[int, Expr]], P: tuple[int, ...]) -> dict[int, Expr]:
    """The direction that p − 1 rows leave free among p ≤ 3 coordinates."""
    a = [[row.get(i, S.Zero) for i in P] for row in rows]
    if len(P) == 1:
        out = [S.One]
    elif len(P) == 2:
        out = [-a[0][1], a[0][0]]
    else:
        (x, y, z), (u, v, w) = a
        out = [y * w - z * v, z * u - x * w, x * v - y * u]
    return {i: e for i, e in zip(P, out, strict=True) if e != 0}


def _length(rows: list[dict[int, Expr]], base: Statement, names: list[int], M: Any, kept: Prepared) -> Expr:
    """‖A_r‖ in the metric of M⁻¹, or ‖Σ λ_r A_r‖ where several rows press."""
    if len(rows) > 1:
        whole: dict[int, list[Expr]] = {}
        for r, row in zip(names, rows, strict=True):
            for i, e in row.items():
                whole.setdefault(i, []).append(e * Multiplier(Str(base.constraints[r].name)))
        vector = {i: Add(*terms) for i, terms in whole.items()}
    else:
        (vector,) = rows
    raised = factor(M).solve(vector, kept.algebra)
    return sqrt(Add(*(vector[i] * raised[i] for i in vector)))


def _points(base: Statement, kept: Prepared, rows: list[int]) -> Expr:
    """Among mass points: the Euclidean length of the force on them."""
    n, A = len(base.coordinates), kept.derived.A
    own = [{i: kept.algebra.restore(A[r, i]) for i in range(n) if (r, i) in A} for r in rows]
    identity = {(i, i): S.One for i in range(n)}
    return _length(own, base, rows, identity, kept)


def _bare_length(base: Statement, kept: Prepared, rows: list[int]) -> Expr:  # noqa: ARG001
    """Elsewhere the multiplier itself, of a constraint stated as a distance."""
    if len(rows) == 1:
        return S.One
    return sqrt(Add(*(Multiplier(Str(base.constraints[r].name)) ** 2 for r in rows)))


def jump(base: Statement, gate: Symbol) -> tuple[dict[int, Expr], Literal["force", "friction"]]:
    """The generalized force a gate multiplies, by coordinate, and whose it is; empty where it is not one of a force."""
    kept = prepared(bare(base))
    down = kept.algebra.parameters.get(gate, gate)
    d = kept.derived
    fixed = [*d.M.values(), *d.A.values(), *d.level]
    active = {i: kept.algebra.restore(Q.diff(down)) for i, Q in enumerate(d.Q) if Q.has(down)}
    own: dict[int, list[Expr]] = {}
    for c in base.constraints:
        if isinstance(c.nature, Prescribed):
            for place, (q, e) in enumerate(c.nature.components):
                if e.has(gate):
                    own.setdefault(place if q is None else base.coordinates.index(q), []).append(e.diff(gate))
        elif any(e.has(gate) for e in c.nature.expressions()):
            return {}, "friction"
    u = {i: Add(active.get(i, S.Zero), *own.get(i, [])) for i in {*active, *own}}
    if any(e.has(down) for e in fixed) or any(e.has(gate) for e in u.values()):
        return {}, "force"
    return u, "force" if active else "friction"


def moves_by_itself(expr: Expr) -> bool:
    """Whether time stands in a constraint by itself."""
    still = {x: S.One for q in coordinates_in(expr) for x in (velocity(q), q)}
    return time() in expr.xreplace(still).free_symbols


def _slope(function: Expr, x: Expr) -> Expr:
    """∂f/∂x, coordinates and velocities being independent."""
    dummy = Dummy()
    velocities = {v: Dummy() for v in velocities_in(function) if v != x}
    free = function.xreplace(velocities).xreplace({x: dummy}).diff(dummy)
    return free.xreplace({dummy: x, **{d: v for v, d in velocities.items()}})


def _along(row: dict[int, Expr], base: Statement) -> Expr:
    return Add(*(Mul(e, base.velocities[i]) for i, e in row.items()))


def _in_force(constraint: Any, nature: Any) -> Any:
    """A constraint as it stands in a stage: one-sided ones are holonomic, friction is what it is there."""
    kind = Holonomic if isinstance(constraint, OneSided) else type(constraint)
    kept = object.__new__(kind)
    for name, value in vars(constraint).items():
        if name not in ("restitution", "impact_friction"):
            object.__setattr__(kept, name, value)
    if nature is not None or isinstance(constraint.nature, Coulomb):
        object.__setattr__(kept, "nature", nature or Ideal())
    return kept


def _prescribed(components: list[tuple[Expr, Expr]]) -> Prescribed:
    nature = object.__new__(Prescribed)
    object.__setattr__(nature, "components", tuple(components))
    return nature


def two_sided(system: Statement, closed: tuple[int, ...] = ()) -> Statement:
    """The statement with ideal constraints, of the one-sided ones only those that are closed; itself where all are two-sided."""
    if not any(isinstance(c, OneSided) for c in system.constraints):
        return system
    ideal = bare(system)
    rows = [c for j, c in enumerate(ideal.constraints) if j in closed or not isinstance(c, OneSided)]
    return with_constraints(ideal, tuple(_in_force(c, None) for c in rows), system.symbols)


def bare(base: Statement) -> Statement:
    """The statement with ideal constraints, and no two-sidedness lost: for what is only geometry."""
    rows = []
    for c in base.constraints:
        kept = object.__new__(type(c))
        for name, value in vars(c).items():
            object.__setattr__(kept, name, Ideal() if name == "nature" else value)
        rows.append(kept)
    return with_constraints(base, tuple(rows), base.symbols)


def with_constraints(base: Statement, constraints: tuple[Any, ...], extra: tuple[Symbol, ...]) -> Statement:
    """The statement with other constraints and some more parameters, not checked again."""
    same = mapped(base, lambda e: e)
    object.__setattr__(same, "constraints", constraints)
    known = dict(same.values) | dict.fromkeys(extra, 0.0)
    object.__setattr__(same, "values", tuple(sorted(known.items(), key=lambda pair: pair[0].name)))
    return same


@lru_cache(maxsize=64)
def stages(form: Statement) -> Stages:
    """The stages of a statement without values, kept for the next run."""
    return Stages(switches(form))
