"""The stages of a system that switches: for a mode, the smooth statement it obeys and the guards that end it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from sympy import Add, Expr, Mul, S, Symbol, sqrt
from sympy.core.symbol import Str

from dalembert.derive.natures import coulomb, pressing
from dalembert.derive.switching.modes import DIRECTIONS, OFF, STICKS, Mode, Rub, Switches, switches
from dalembert.derive.switching.rubbing import Geometry, geometry
from dalembert.derive.switching.stage import Actual, Stage
from dalembert.derive.switching.surfaces import jump, moves, slope
from dalembert.derive.variants import in_force, prescribed, with_constraints
from dalembert.model import Following, Held, HeldAt, Multiplier, Nature, Statement
from dalembert.model.checks import velocities_in

FAST = 1e6  # times the speed at which a plane friction is brought to rest: then that speed is chosen anew


class Meaning(NamedTuple):
    """What a guard is of: its kind, and the place of a constraint, friction or switching function.

    release, touch: one-sided constraints. normal: the sign of the force behind a friction. stop: the sliding velocity;
    pace: that it has become large in a plane. up, down, hold: the bound of what sticks. gate: a switching function;
    above, below: one the motion stays on. coefficient: one of friction, or how much the static one is above it. jam:
    friction and rigidity leave no unique answer.
    """

    kind: str
    place: int


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

    def values(self, given: Mapping[Symbol, float], mode: Mode, slow: tuple[float, ...]) -> list[float]:
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
        self.natures: dict[int, Nature] = {}

    def staged(self) -> Staged:
        active = self.s.active(self.shape)
        for j in self.s.one_sided:
            closed = j in self.shape.closed
            c = self.base.constraints[j]
            self._guard("release" if closed else "touch", j, Actual(Str(c.name)) if closed else c.expr)
        for k, rub in enumerate(self.s.rubs):
            self._rub(k, rub)
        for j in (j for rub in self.s.rubs for j in self.s.rubbing(rub, self.shape)):
            nature = coulomb(self.base, j)
            for expr in (nature.coefficient, *([] if nature.static is None else [nature.static - nature.coefficient])):
                if moves(expr):
                    self._guard("coefficient", j, expr)
        for e, j in zip(self.s.press, self.s.pressed, strict=True):
            if j in active:
                self._guard("normal", j, e * self._multiplier(j))
        gates = self.s.gated.gates
        for g in self.s.gated.live(self.cases):
            if self.shape.signs[g]:
                self._guard("gate", g, gates[g].symbol * self.functions[g])
            else:
                self._slide(g)
        rows = [in_force(self.base.constraints[j], self.natures.get(j)) for j in active]
        statement = with_constraints(self.base, [*rows, *self.held], self.s.extra)
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
        return Actual(name) if coulomb(self.base, j).normal == "actual" else Multiplier(name)

    def _rub(self, k: int, rub: Rub) -> None:
        """Friction of a kind: its force where it slips, its rows where it sticks, and the guards of either."""
        state = self.shape.rubs[k]
        members = self.s.rubbing(rub, self.shape)
        if state == OFF or not members:
            return
        contact = geometry(self.base, rub, *self.shape.bases[k])
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

    def _bound(self, j: int, contact: Geometry) -> Expr:
        nature = coulomb(self.base, j)
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
        d = {i: u.get(i, S.Zero) - slope(function, x) for i, x in enumerate(along)}
        self.held.append(kind(function, name, by, Following(tuple((i, e) for i, e in d.items() if e != 0))))
        self._guard("above", g, 1 - Actual(Str(name)))
        self._guard("below", g, 1 + Actual(Str(name)))


def _along(row: dict[int, Expr], base: Statement) -> Expr:
    return Add(*(Mul(e, base.velocities[i]) for i, e in row.items()))


@lru_cache(maxsize=64)
def stages(form: Statement) -> Stages:
    """The stages of a statement without values, kept for the next run."""
    return Stages(switches(form))
