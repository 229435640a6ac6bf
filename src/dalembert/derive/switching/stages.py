"""The stage of a system that switches: one smooth statement for all its modes, and the guards that end them.

Which rows are in force, which way friction points and what sign a function has are parameters with values at run time,
so that another mode compiles nothing. Only what holds a particle that rubs (its basis), and whether motions along the
surface of a switching function are provided for, make another statement.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from sympy import Abs, Add, Expr, Mul, Poly, S, Symbol, sqrt
from sympy.core.symbol import Str

from dalembert.derive.natures import coulomb, pressing
from dalembert.derive.switching.guard_kinds import GuardKey
from dalembert.derive.switching.modes import DIRECTIONS, SLIPS, STICKS, Mode, Rub, Switches, switches
from dalembert.derive.switching.rubbing import Geometry, geometry
from dalembert.derive.switching.stage import Actual, Stage
from dalembert.derive.switching.surfaces import jump, moves, slope
from dalembert.derive.tape import GuardedRoot
from dalembert.derive.variants import in_force, prescribed, with_constraints
from dalembert.model import (
    Coulomb,
    Following,
    Held,
    HeldAt,
    Ideal,
    Multiplier,
    Nature,
    OneSided,
    Prescribed,
    Quadratic,
    Reaction,
    Statement,
    Viscous,
    sliding,
    time,
)
from dalembert.model.checks import coordinates_in, velocities_in

Bases = tuple[tuple[tuple[int, ...], int], ...]


@dataclass(frozen=True, eq=False)
class Staged:
    """A stage, what its guards are of, and whose its rows are.

    Rows: the stated constraints in their order, then those that friction holds, `sticks` by friction, then those that
    keep a motion on the surface of a function, `slides` by function. `rough`: where, among what is looked at, the
    coefficient of friction of a contact in an impact stands, times the normal force of a unit of its impulse;
    `coefficients`: the same for the coefficient of every friction and its static one; `slipping`: for the force of each
    friction that slips in a plane.
    """

    stage: Stage
    keys: tuple[GuardKey, ...]
    sticks: dict[int, tuple[int, ...]]
    slides: dict[int, int]
    rough: dict[int, int]
    coefficients: dict[int, tuple[int, int]]
    slipping: dict[int, int]
    switches: Switches

    def values(self, given: Mapping[Symbol, float], mode: Mode, slow: Mapping[int, float]) -> list[float]:
        """The values of all parameters in a mode, in the order of the statement's symbols."""
        s, idle = self.switches, set(mode.idle)
        run: dict[Symbol, float] = dict(given)
        active = set(s.active(mode))
        run |= {x: float(j in active and j not in idle) for j, x in enumerate(s.row)}
        run |= {x: _slip(state) for x, state in zip(s.slip, mode.rubs, strict=True)}
        run |= {x: slow.get(k, 0.0) for k, x in enumerate(s.slow)}
        leans = {r: (p, rate) for r, p, rate in mode.leans}
        for k, rows in self.sticks.items():
            for i, r in enumerate(rows):
                run[s.stick[2 * k + i]] = float(mode.rubs[k] == STICKS and r not in idle)
                run[s.lean[2 * k + i]], run[s.lend[2 * k + i]] = leans.get(r, (0.0, 0.0))
        run |= dict(zip(s.press, map(float, mode.normals), strict=True))
        run |= {g.symbol: float(sign) for g, sign in zip(s.gated.gates, mode.signs, strict=True)}
        run |= {
            x: float(sign == 0 and self.slides.get(g) not in idle)
            for g, (x, sign) in enumerate(zip(s.surface, mode.signs, strict=True))
        }
        run |= {x: float(i not in mode.still) for i, x in enumerate(s.still)}
        return [run.get(x, 0.0) for x in self.stage.statement.symbols]


def _slip(state: str) -> float:
    """The direction of a slip along a line; 1 for one in a plane."""
    return 1.0 if state == SLIPS else float(DIRECTIONS.get(state, 0))


class _Builder:
    """A stage in the making."""

    def __init__(self, found: Switches, bases: Bases, surfaces: bool, spare: bool, leans: bool) -> None:
        self.s, self.bases, self.surfaces, self.spare, self.leans = found, bases, surfaces, spare, leans
        self.base = found.gated.statement
        self.guards: list[Expr] = []
        self.keys: list[GuardKey] = []
        self.held: list[Held] = []
        self.masks: list[Symbol | None] = []
        self.natures: dict[int, Nature] = {}
        self.sticks: dict[int, tuple[int, ...]] = {}
        self.slides: dict[int, int] = {}
        self.looked: list[Expr] = []
        self.rough: dict[int, int] = {}
        self.coefficients: dict[int, tuple[int, int]] = {}
        self.slipping: dict[int, int] = {}
        self.lent: list[tuple[int, Expr]] = []

    def staged(self) -> Staged:
        s, base = self.s, self.base
        for j, c in enumerate(base.constraints):
            sided = isinstance(c, OneSided)
            self.masks.append(s.row[j] if sided or self.spare else None)
            if sided:
                self._guard("touch", j, c.expr)
                self._guard("release", j, Actual(Str(c.name)))
                self._guard("parted", j, -c.expr)
                self.natures[j] = self._while_closed(j)
        for k, rub in enumerate(s.rubs):
            self._rub(k, rub)
        for j in (j for rub in s.rubs for j in rub.members):
            nature = coulomb(base, j)
            static = nature.coefficient if nature.static is None else nature.static
            self.coefficients[j] = (len(self.looked), len(self.looked) + 1)
            self.looked += [nature.coefficient, static]
            for expr in (nature.coefficient, *([] if nature.static is None else [nature.static - nature.coefficient])):
                if moves(expr):
                    self._guard("coefficient", j, expr)
        for e, j in zip(s.press, s.pressed, strict=True):
            self._guard("normal", j, e * self._multiplier(j))
        for g, gate in enumerate(s.gated.gates):
            self._guard("side", g, gate.symbol * gate.function)
            if self.surfaces:
                self._slide(g)
        rows = [in_force(c, self.natures.get(j)) for j, c in enumerate(base.constraints)]
        still = s.still if s.rubs or s.one_sided or self.slides else ()
        statement = with_constraints(base, [*rows, *self.held], s.run_time)
        levels = tuple(c.expr for c in base.constraints)
        either = [j for j in s.pressed if s.follows_actual(j)]
        lists = (tuple(x) for x in (self.masks, self.guards, levels, self.looked, still, self.lent, either))
        stage = Stage(statement, s.run_time, *lists)
        return Staged(
            stage, tuple(self.keys), self.sticks, self.slides, self.rough, self.coefficients, self.slipping, s
        )

    def _guard(self, kind: str, index: int, expr: Expr) -> None:
        self.guards.append(expr)
        self.keys.append(GuardKey(kind, index))

    def _hold(self, row: Held, mask: Symbol) -> int:
        """One more row, in force where its mask says so; its place."""
        self.held.append(row)
        self.masks.append(mask)
        return len(self.base.constraints) + len(self.held) - 1

    def _while_closed(self, j: int) -> Nature:
        """The nature of a contact's force, which acts only while it is closed."""
        c, closed = self.base.constraints[j], self.s.row[j]
        slides = sliding(self.base, c) or ()
        v = {i: self.base.velocities[i] for i in slides}
        match c.nature:
            case Viscous(coefficient=drag):
                return prescribed([(self.base.coordinates[i], -closed * drag * v[i]) for i in slides])
            case Quadratic(coefficient=drag):
                speed = sqrt(Add(*(x**2 for x in v.values())))
                return prescribed([(self.base.coordinates[i], -closed * drag * speed * v[i]) for i in slides])
            case Prescribed(components=parts):
                places = [(self.base.coordinates[i] if q is None else q, e) for i, (q, e) in enumerate(parts)]
                return prescribed([(q, closed * e) for q, e in places])
            case Coulomb():
                return Ideal()
        return c.nature

    def _multiplier(self, j: int) -> Expr:
        """The multiplier that presses in the friction of a constraint, ideal or actual."""
        (row,) = pressing(self.base, j)
        name = Str(self.base.constraints[row].name)
        return Actual(name) if coulomb(self.base, j).normal == "actual" else Multiplier(name)

    def _off(self, k: int, rows: tuple[int, ...]) -> Expr:
        """1 while a friction neither slips nor sticks because a contact may be open, else 0.

        Always 0 where directions are needed all the same: where frictions share what they hold.
        """
        if self.leans or not any(isinstance(self.base.constraints[j], OneSided) for j in rows):
            return S.Zero
        return Mul(1 - self.s.slip[k] ** 2, *(1 - stick for stick in self.s.stick[2 * k : 2 * k + 2]))

    def _rub(self, k: int, rub: Rub) -> None:
        """Friction: its force where it slips, its rows where it sticks, and the guards of either."""
        basis, chart = self.bases[k]
        if rub.particle and not len(rub.particle) - 2 <= len(basis) < len(rub.particle):
            return  # nothing holds it, or all of it
        slip, members = self.s.slip[k], rub.members
        contact = geometry(self.base, rub, basis, chart, self._off(k, (*basis, *members)))
        if len(contact.directions) == 1:
            (d,) = contact.directions
            for j in members:
                self._slip(j, contact, {i: slip * e for i, e in d.items()})
            self._guard("stop", k, slip * (_along(d, self.base) + contact.drifts[0]))
        else:
            speed = GuardedRoot(slip * contact.square + (1 - slip) ** 2)
            for j in members:
                self._slip(j, contact, {i: slip * e / speed for i, e in contact.along.items()})
            self._guard("slow", k, speed - self.s.slow[k])
            self.slipping[k] = len(self.looked)
            self.looked.append(Add(*(self._force(j, contact, coulomb(self.base, j).coefficient) for j in members)))
        self._stick(k, contact, members)
        for j in members:
            c = self.base.constraints[j]
            if isinstance(c, OneSided) and c.impact_friction and len(pressing(self.base, j)) == 1:
                self.rough[j] = len(self.looked)
                self.looked.append(coulomb(self.base, j).coefficient * contact.weight(j, S.One))

    def _slip(self, j: int, contact: Geometry, direction: dict[int, Expr]) -> None:
        nature = coulomb(self.base, j)
        force = {i: -nature.coefficient * contact.weight(j, self._presses(j)) * e for i, e in direction.items()}
        if nature.normal == "actual":
            self.natures[j] = Following(tuple(force.items()))
        else:
            own = Multiplier(Str(self.base.constraints[pressing(self.base, j)[0]].name))
            single = len(pressing(self.base, j)) == 1
            self.natures[j] = prescribed(
                [(self.base.coordinates[i], f * own if single else f) for i, f in force.items()]
            )

    def _presses(self, j: int) -> Expr:
        """The sign by which a multiplier becomes a normal force."""
        return self.s.press[self.s.pressed.index(j)] if j in self.s.pressed else S.One

    def _stick(self, k: int, contact: Geometry, members: tuple[int, ...]) -> None:
        bound = Add(*(self._bound(j, contact) for j in members))
        names = [
            f"{self.s.name(k)} (friction{'' if len(contact.holds) == 1 else f' {i + 1}'})"
            for i in range(len(contact.holds))
        ]
        self.sticks[k] = tuple(
            self._hold(Held(_along(row, self.base) + drift, name, "friction"), self.s.stick[2 * k + i])
            for i, (name, row, drift) in enumerate(zip(names, contact.holds, contact.drifts, strict=True))
        )
        if self.leans:
            own = [self.s.lean[2 * k + i] + self.s.lend[2 * k + i] * time() for i in range(len(names))]
            self.lent += zip(self.sticks[k], own, strict=True)
        forces = [Actual(Str(name)) for name in names]
        if len(names) == 1:
            self._guard("up", k, bound - forces[0])
            self._guard("down", k, bound + forces[0])
        else:
            size = Add(*(forces[i] * forces[j] * g for (i, j), g in contact.gram.items()))
            self._guard("hold", k, bound**2 - size)

    def _bound(self, j: int, contact: Geometry) -> Expr:
        nature = coulomb(self.base, j)
        return self._force(j, contact, nature.coefficient if nature.static is None else nature.static)

    def _force(self, j: int, contact: Geometry, mu: Expr) -> Expr:
        """A coefficient times the normal force."""
        normal = contact.weight(j, self._presses(j))
        return mu * normal * (self._multiplier(j) if len(pressing(self.base, j)) == 1 else 1)

    def _slide(self, g: int) -> None:
        """The motion stays where a switching function vanishes: the value of its sign is what keeps it there."""
        gate = self.s.gated.gates[g]
        function = gate.function
        if function.atoms(Reaction) or not (coordinates_in(function) or velocities_in(function)):
            return
        u, by = jump(self.base, gate)
        if not u:
            return
        name = f"{gate.words} = 0 ({g + 1})"
        kind = Held if velocities_in(function) else HeldAt
        along = self.base.velocities if kind is Held else self.base.coordinates
        slopes = {i: slope(function, x) for i, x in enumerate(along)}
        ratios = (u[i] / s for i, s in slopes.items() if s != 0 and i in u and not (moves(u[i]) or moves(s)))
        alike = self._largest(next(ratios, S.One))
        function = alike * function  # as large as the force, or digits would be lost where both are taken together
        d = {i: u.get(i, S.Zero) - alike * s for i, s in slopes.items()}
        nature = Following(tuple((i, e) for i, e in d.items() if e != 0))
        self.slides[g] = self._hold(kind(function, name, by, nature), self.s.surface[g])
        self._guard("above", g, 1 - Actual(Str(name)))
        self._guard("below", g, 1 + Actual(Str(name)))

    def _largest(self, e: Expr) -> Expr:
        """As large as an expression of parameters and signs can be."""
        signs = [gate.symbol for gate in self.s.gated.gates if e.has(gate.symbol)]
        return Add(*map(Abs, Poly(e, *signs).coeffs())) if signs else Abs(e)


def _along(row: dict[int, Expr], base: Statement) -> Expr:
    return Add(*(Mul(e, base.velocities[i]) for i, e in row.items()))


@lru_cache(maxsize=256)
def staged(form: Statement, bases: Bases, surfaces: bool = False, spare: bool = False, leans: bool = False) -> Staged:
    """The stage of a statement without values, kept for the next run.

    `bases`: what holds the particles that rub; `surfaces`: with rows for motions along the surfaces of functions;
    `spare`: with rows that may be left out because they are redundant; `leans`: with what such rows bear of friction.
    """
    return _Builder(switches(form), bases, surfaces, spare, leans).staged()
