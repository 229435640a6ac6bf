"""What switches in a system, and the modes it can be in: small values that say which contacts are closed and what rubs.

Friction belongs to what slides: the Coulomb natures on one particle, or with one sliding velocity, rub together.
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from sympy import Expr, S, Symbol

from dalembert.derive.natures import pressing
from dalembert.derive.switching.gates import Gated, gated
from dalembert.derive.switching.stage import fresh_symbols
from dalembert.model import Coulomb, OneSided, Statement, sliding

OFF, STICKS, FORWARD, BACKWARD, SLIPS = "off", "sticks", "slips forward", "slips backward", "slips"
DIRECTIONS = {FORWARD: 1, BACKWARD: -1}


@dataclass(frozen=True)
class Mode:
    """The state of everything that switches; indices are those of `Switches`.

    closed: the one-sided constraints in contact. rubs: of each friction, off (nothing presses), sticks, slips forward
    or backward, or slips (in a plane). normals: the sign of the force behind each frictional constraint. signs: of each
    switching function, 0 where the motion stays on its surface. bases: for each friction of a particle, the constraints
    that hold it, and the coordinate they are solved for where it slides in a plane. still: the coordinates at rest.
    idle: rows of the stage that are in force and redundant, so that the solution does not stand on them. leans: what
    idle rows of frictions that stick bear all the same, each as (row, p, p'), p + p't; none where none is.
    """

    closed: tuple[int, ...] = ()
    rubs: tuple[str, ...] = ()
    normals: tuple[int, ...] = ()
    signs: tuple[int, ...] = ()
    bases: tuple[tuple[tuple[int, ...], int], ...] = ()
    still: tuple[int, ...] = ()
    idle: tuple[int, ...] = ()
    leans: tuple[tuple[int, float, float], ...] = ()

    def __post_init__(self) -> None:
        if not self.idle and self.leans:
            object.__setattr__(self, "leans", ())

    @property
    def anew(self) -> "Mode":
        """The same with every row in use and no coordinate held at rest, as it is looked at anew."""
        return replace(self, idle=(), still=()) if self.idle or self.still else self

    @cached_property
    def frictionless(self) -> "Mode":
        """The same without friction, looked at anew."""
        return replace(self, rubs=(OFF,) * len(self.rubs), idle=(), still=())


@dataclass(frozen=True)
class Rub:
    """Frictional constraints that rub together: of one particle, its coordinates by place, or with a given velocity."""

    members: tuple[int, ...]
    particle: tuple[int, ...] = ()
    sliding: tuple[Expr, ...] = ()


class Switches:
    """What switches in a statement without values: one-sided constraints, frictions, and functions with a sign.

    The parameters of a stage that say how it stands: `closed` and `row` of constraints (1 in force, 0 not), `slip` and
    `slow` of frictions, `stick`, `lean` and `lend` of the two rows each may have, `press` of the normal forces behind
    them, `surface` of functions, `still` of coordinates; the signs of functions are those of its gates.
    """

    def __init__(self, form: Statement) -> None:
        self.form = form
        self.gated: Gated = gated(form)
        self.one_sided = tuple(j for j, c in enumerate(form.constraints) if isinstance(c, OneSided))
        self.rubs = _rubs(form)
        self.pressed = tuple(
            j
            for j, c in enumerate(form.constraints)
            if isinstance(c.nature, Coulomb)
            and len(pressing(form, j)) == 1
            and not (c.nature.normal == "actual" and isinstance(c, OneSided))
        )
        m, k, g = len(form.constraints), len(self.rubs), len(self.gated.gates)
        self.row = fresh_symbols(form, "row", m)
        self.slip, self.slow = (fresh_symbols(form, name, k) for name in ("slip", "slow"))
        self.stick, self.lean, self.lend = (fresh_symbols(form, name, 2 * k) for name in ("stick", "lean", "lend"))
        self.press = fresh_symbols(form, "press", len(self.pressed))
        self.surface = fresh_symbols(form, "surface", g)
        self.still = fresh_symbols(form, "still", len(form.coordinates))

    def __bool__(self) -> bool:
        return bool(self.one_sided or self.rubs or self.gated.gates)

    @cached_property
    def run_time(self) -> frozenset[Symbol]:
        """All parameters that have values at run time only."""
        own = (
            *self.row,
            *self.slip,
            *self.slow,
            *self.stick,
            *self.lean,
            *self.lend,
            *self.press,
            *self.surface,
            *self.still,
        )
        return frozenset((*own, *(g.symbol for g in self.gated.gates)))

    def active(self, mode: Mode) -> tuple[int, ...]:
        """The stated constraints that are in force."""
        return tuple(j for j in range(len(self.form.constraints)) if j not in self.one_sided or j in mode.closed)

    def rubbing(self, rub: Rub, mode: Mode) -> tuple[int, ...]:
        """The members of a friction that are in force."""
        return tuple(j for j in rub.members if j not in self.one_sided or j in mode.closed)

    def follows_actual(self, j: int) -> bool:
        """Whether the friction of a constraint follows the actual normal force."""
        nature = self.form.constraints[j].nature
        return isinstance(nature, Coulomb) and nature.normal == "actual"

    @cached_property
    def actual(self) -> bool:
        """Whether some friction does, so that there may be no answer, or several."""
        return any(self.follows_actual(j) for rub in self.rubs for j in rub.members)

    def drifts(self, k: int) -> bool:
        """Whether the sliding velocity of a friction is not zero where nothing moves, as on a belt."""
        at_rest = dict.fromkeys(self.form.velocities, S.Zero)
        return any(s.xreplace(at_rest) != 0 for s in self.rubs[k].sliding)

    def name(self, k: int) -> str:
        """What a friction is called: by the constraints it is of."""
        return ", ".join(self.form.constraints[j].name for j in self.rubs[k].members)

    def words(self, mode: Mode) -> str:
        """A mode for people to read."""
        names = [c.name for c in self.form.constraints]
        said = [f"{names[j]} {'closed' if j in mode.closed else 'open'}" for j in self.one_sided]
        said += [f"{self.name(k)} {state}" for k, state in enumerate(mode.rubs) if state != OFF]
        pressed = zip(self.pressed, mode.normals, strict=True)
        said += [f"{names[j]} λ {_sign(e)} 0" for j, e in pressed if j in self.active(mode)]
        said += [f"{g.about} {_sign(s)} 0" for g, s in zip(self.gated.gates, mode.signs, strict=True)]
        return ", ".join(said) or "smooth"


def _sign(sign: int) -> str:
    return {1: ">", -1: "<"}.get(sign, "=")


def _rubs(form: Statement) -> tuple[Rub, ...]:
    groups: dict[tuple[tuple[int, ...], tuple[Expr, ...]], list[int]] = {}
    for j, c in enumerate(form.constraints):
        if isinstance(c.nature, Coulomb):
            given = c.nature.sliding
            key = ((), given) if given else (sliding(form, c) or (), ())
            groups.setdefault(key, []).append(j)
    return tuple(Rub(tuple(members), particle, given) for (particle, given), members in groups.items())


@lru_cache(maxsize=64)
def switches(form: Statement) -> Switches:
    """What switches in a statement without values, kept for the next run."""
    return Switches(form)
