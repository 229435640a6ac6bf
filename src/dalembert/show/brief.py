"""A statement in a few words, without deriving anything: its constraints as stated, and the nature of their forces."""

from collections.abc import Iterator
from typing import NamedTuple, Self

from dalembert.model import Constraint, Coulomb, Nature, OneSided, Prescribed, Quadratic, Viscous
from dalembert.show.notation import plain

KINDS = {"OneSided": "one-sided"}  # where it is not the name of the class in small letters


class Brief(NamedTuple):
    """A constraint: its name, its kind, the relation as stated, and the nature of its force in words.

    `restitution` is that of a contact, "" for other constraints.
    """

    name: str
    kind: str
    relation: str
    nature: str
    restitution: str = ""

    @classmethod
    def of(cls, constraint: Constraint) -> Self:
        """The constraint in words; a differential form is shown divided by dt."""
        kind = type(constraint).__name__
        named = constraint.name, KINDS.get(kind, kind.lower())
        nature = nature_in_words(constraint.nature)
        if not isinstance(constraint, OneSided):
            return cls(*named, f"{plain(constraint.expr)} = 0", nature)
        nature += ", in impacts too" if constraint.impact_friction else ""
        return cls(*named, f"{plain(constraint.expr)} ≥ 0", nature, plain(constraint.restitution))

    @property
    def words(self) -> str:
        """Kind, restitution where it is not 0, and nature."""
        bounces = [f"restitution {self.restitution}"] if self.restitution not in ("", "0", "0.0") else []
        return ", ".join([self.kind, *bounces, self.nature])


def nature_in_words(nature: Nature) -> str:
    """What a constraint force does besides what it must."""
    match nature:
        case Viscous(coefficient=c):
            return f"viscous drag, c = {plain(c)}"
        case Quadratic(coefficient=c):
            return f"drag as the square of the speed, c = {plain(c)}"
        case Coulomb():
            return ", ".join(_friction(nature))
        case Prescribed():
            return "prescribed work"
        case _:
            return "ideal"


def _friction(nature: Coulomb) -> Iterator[str]:
    """Friction, and what is said of it beyond its coefficient."""
    yield f"Coulomb friction, mu = {plain(nature.coefficient)}"
    if nature.static is not None:
        yield f"static {plain(nature.static)}"
    if nature.sliding is not None:
        components = ", ".join(map(plain, nature.sliding))
        yield f"sliding velocity {components if len(nature.sliding) == 1 else f'({components})'}"
    if nature.of:
        yield f"pressed by {', '.join(nature.of)}"
    if nature.normal == "actual":
        yield "by the actual normal force"


def counted(number: int, one: str, many: str = "") -> str:
    """`1 constraint`, `2 constraints`, `no constraints`."""
    return f"{number or 'no'} {one if number == 1 else many or one + 's'}"
