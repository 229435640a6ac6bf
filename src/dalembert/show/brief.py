"""A statement in a few words, without deriving anything: its constraints as stated, and the nature of their forces."""

from typing import NamedTuple, Self

from dalembert.model import Constraint, Coulomb, Nature, Prescribed, Quadratic, Viscous
from dalembert.show.notation import plain


class Brief(NamedTuple):
    """A constraint: its name, its kind, the relation as stated, and the nature of its force in words."""

    name: str
    kind: str
    relation: str
    nature: str

    @classmethod
    def of(cls, constraint: Constraint) -> Self:
        """The constraint in words; a differential form is shown divided by dt."""
        kind = type(constraint).__name__.lower()
        return cls(constraint.name, kind, f"{plain(constraint.expr)} = 0", nature_in_words(constraint.nature))


def nature_in_words(nature: Nature) -> str:
    """What a constraint force does besides what it must."""
    match nature:
        case Viscous(coefficient=c):
            return f"viscous drag, c = {plain(c)}"
        case Quadratic(coefficient=c):
            return f"drag as the square of the speed, c = {plain(c)}"
        case Coulomb(coefficient=mu):
            return f"Coulomb friction, mu = {plain(mu)}"
        case Prescribed():
            return "prescribed work"
        case _:
            return "ideal"


def counted(number: int, one: str, many: str = "") -> str:
    """`1 constraint`, `2 constraints`, `no constraints`."""
    return f"{number or 'no'} {one if number == 1 else many or one + 's'}"
