"""Whether the cases of a `Piecewise` cover everything: where none of them holds it would have no value.

Every comparison in the conditions is brought to the form u ⋛ c, a quantity u against a number c. The numbers cut the
line of u into points and open intervals, on each of which all comparisons of u are decided. The conditions are tried on
every one of them; where there are several quantities, on every combination, also on those that can never occur: what is
refused then needs a last case that always holds, and nothing without a value is let through.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from math import prod
from typing import NamedTuple, TypeAlias

from sympy import Add, And, Basic, Expr, Mul, Not, Or, Piecewise, S, false, true
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from dalembert.model.constants import Refused, shown
from dalembert.model.errors import ModelError
from dalembert.model.nodes import SIGN_OF, Nodes
from dalembert.model.writing import write

MOST_TRIED = 20_000  # combinations of points and intervals
Decided: TypeAlias = dict[Basic, bool]  # the truth of each comparison


class _Comparison(NamedTuple):
    """u `sign` number, with sign one of < <= > >= == !=."""

    quantity: Expr
    sign: str
    number: float


class _Piece(NamedTuple):
    """A point or an interval of the line of a quantity: a value in it and all of it in words, and what holds there."""

    value: str
    words: str
    holds: Decided


def uncovered(p: Piecewise) -> str | None:
    """Where no case holds: "no case holds at x = 1", "no case would hold where x < 0 and y > 1"; None if one does."""
    conditions = [condition for _, condition in p.args]
    if true in conditions:
        return None
    lines = _lines(conditions)
    if prod(map(len, lines)) > MOST_TRIED:
        return "whether a case always holds cannot be told, there are too many conditions"
    for pieces in product(*lines):
        decided = {comparison: holds for piece in pieces for comparison, holds in piece.holds.items()}
        if not any(_holds(condition, decided) for condition in conditions):
            return _told(pieces)
    return None


def _told(pieces: Sequence[_Piece]) -> str:
    """That no case holds there."""
    if len(pieces) == 1:
        return f"no case holds at {pieces[0].value}"
    return f"no case would hold where {' and '.join(p.words for p in pieces)}" if pieces else "no case holds"


def _lines(conditions: Sequence[Boolean]) -> list[list[_Piece]]:
    """The pieces of the line of each quantity, intervals before points."""
    nodes = Nodes()
    compared: dict[Expr, dict[Basic, _Comparison]] = {}
    lines: list[list[_Piece]] = []
    for atom in dict.fromkeys(a for condition in conditions for a in _atoms(condition)):
        comparison = _comparison(atom, nodes)
        if comparison is None:  # neither decided nor understood: it may hold or not
            lines.append([_Piece(said := f"{shown(atom)} is {truth}", said, {atom: truth}) for truth in (False, True)])
        else:
            compared.setdefault(comparison.quantity, {})[atom] = comparison
    return [*lines, *(list(_pieces(u, atoms)) for u, atoms in compared.items())]


def _atoms(condition: Boolean) -> Iterator[Basic]:
    """What the condition joins by and, or and not."""
    if isinstance(condition, (And, Or, Not)):
        for part in condition.args:
            yield from _atoms(part)
    elif condition not in (true, false):
        yield condition


def _holds(condition: Boolean, decided: Decided) -> bool:
    if isinstance(condition, And):
        return all(_holds(part, decided) for part in condition.args)
    if isinstance(condition, Or):
        return any(_holds(part, decided) for part in condition.args)
    if isinstance(condition, Not):
        return not _holds(condition.args[0], decided)
    return decided.get(condition, condition is true)


def _comparison(atom: Basic, nodes: Nodes) -> _Comparison | None:
    """left ⋛ right as u ⋛ c: a number is split off, and u has 1 before the first of its terms."""
    if not isinstance(atom, Relational) or type(atom) not in SIGN_OF or not all(isinstance(a, Expr) for a in atom.args):
        return None
    left, right = atom.args
    try:
        terms = Add.make_args(nodes.sum([left, nodes.product([S.NegativeOne, right])]))
        values = [nodes.value(term) for term in terms]
        constant = sum(value for value in values if value is not None)
        moving = [_split(term) for term, value in zip(terms, values, strict=True) if value is None]
        if not moving:
            return None
        first, quantity = min(moving, key=lambda pair: str(pair[1]))
        if len(moving) > 1:
            quantity = nodes.sum(nodes.product([c / first, u]) for c, u in moving)
    except Refused:
        return None
    sign = SIGN_OF[type(atom)]
    return _Comparison(quantity, sign if first > 0 else sign.translate(str.maketrans("<>", "><")), -constant / first)


def _split(term: Expr) -> tuple[Expr, Expr]:
    """The number before a term, and the term without it."""
    number, *factors = Mul.make_args(term)
    return (number, Mul(*factors, evaluate=False)) if number.is_Number and factors else (S.One, term)


def _pieces(quantity: Expr, compared: dict[Basic, _Comparison]) -> Iterator[_Piece]:
    u = _text(quantity)
    cuts = sorted({float(c.number) for c in compared.values()})
    low, high = cuts[0], cuts[-1]
    spots = [(low - max(1, abs(low)), f"{u} < {_number(low)}"), (high + max(1, abs(high)), f"{u} > {_number(high)}")]
    spots += [((a + b) / 2, f"{_number(a)} < {u} < {_number(b)}") for a, b in pairwise(cuts)]
    spots += [(cut, f"{u} = {_number(cut)}") for cut in cuts]
    for value, words in spots:
        holds = {atom: _decided(value, c.sign, float(c.number)) for atom, c in compared.items()}
        yield _Piece(f"{u} = {_number(value)}", words, holds)


def _decided(value: float, sign: str, number: float) -> bool:
    order = {"<": value < number, ">": value > number, "==": value == number, "!=": value != number}
    return order[sign] if sign in order else order[sign[0]] or order["=="]


def _text(quantity: Expr) -> str:
    try:
        return write(quantity)
    except ModelError:
        return shown(quantity)


def _number(value: float) -> str:
    return f"{value:.12g}"
