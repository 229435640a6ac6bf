"""What constraints are: holonomic or not, alone and as a set, with their integrals, rank and degrees of freedom."""

from dataclasses import dataclass

from sympy import Expr

from dalembert.derive.exact import Evidence
from dalembert.derive.forms.singular import Place
from dalembert.model import Constraint


@dataclass(frozen=True)
class Kind:
    """What one constraint is, taken by itself.

    - `holonomic`: it is, or can be integrated to, f(q, t) = const; `integral` is f where it was found, `factor` the
      integrating factor μ with df = μ ω, and `constant` the value of f at the start.
    - `exact`: its form ω is a differential as it was written.
    - `linear`: in the velocities. `catastatic`: rest satisfies it (no term of dt). `rheonomic`: it moves: f depends on
      time, or, where there is no f, the coefficients do.
    - `form`: the coefficients of ω by coordinate, and by t; None where it is not linear.
    - `singular`: where its coefficients all vanish, each a tuple of expressions that are zero there.
    """

    constraint: Constraint
    holonomic: bool
    exact: bool
    linear: bool
    catastatic: bool
    rheonomic: bool
    evidence: Evidence
    integral: Expr | None = None
    factor: Expr | None = None
    constant: Expr | None = None
    form: tuple[tuple[Expr, Expr], ...] | None = None
    singular: tuple[Place, ...] = ()

    @property
    def name(self) -> str:
        """The name of the constraint."""
        return self.constraint.name


@dataclass(frozen=True)
class Relation:
    """A row that depends on others: row = Σ coefficient · other, on the constraints; None where only numbers say so."""

    row: str
    on: tuple[str, ...]
    coefficients: tuple[Expr, ...] | None


@dataclass(frozen=True)
class Kinds:
    """What the constraints of a system are, one by one and together.

    - `integrable`: how many independent functions f(q, t) the constraints together keep constant, `integrals` those
      that were found, with their `constants` at the start; `holonomic` where there are as many as independent rows.
    - `rank` k of the rows, `dependent` rows with their `relations`, and those that are `contradictory`: `apart` are
      those of them that no configuration satisfies, for others there is no velocity.
    - `touching` are relations that were found to hold together only where their gradients depend on each other: k is
      the rank there, `integrable` the number elsewhere, and what moves, and how, gradients do not determine.
    - `degrees_of_freedom` n − k of the velocities, `configuration_freedom` n − `integrable` of the positions.
    - `contacts` are counted as open. `growth`: how many directions the brackets add, depth by depth.
    """

    coordinates: tuple[Expr, ...]
    constraints: tuple[Kind, ...]
    holonomic: bool
    integrable: int
    integrals: tuple[Expr, ...]
    constants: tuple[Expr | None, ...]
    rank: int
    dependent: tuple[str, ...]
    relations: tuple[Relation, ...]
    contradictory: tuple[str, ...]
    apart: tuple[str, ...]
    touching: tuple[str, ...]
    contacts: tuple[str, ...]
    singular: tuple[Place, ...]
    growth: tuple[int, ...]
    evidence: Evidence
    notes: tuple[str, ...] = ()

    @property
    def degrees_of_freedom(self) -> int:
        """n − k: how many velocities are free."""
        return len(self.coordinates) - self.rank

    @property
    def configuration_freedom(self) -> int:
        """How many coordinates are free: n less the number of integrals."""
        return len(self.coordinates) - self.integrable

    def __getitem__(self, name: str) -> Kind:
        """The constraint of a name."""
        for kind in self.constraints:
            if kind.name == name:
                return kind
        raise KeyError(name)
