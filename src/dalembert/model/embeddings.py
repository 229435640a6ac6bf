"""An embedding as text, `x = R*cos(theta); y = R*sin(theta)`, read with the grammar of model files."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sympy import Expr

from dalembert.model.checks import name_of
from dalembert.model.clock import function_of_time
from dalembert.model.errors import ModelError, refuse
from dalembert.model.grammar import NAME_PATTERN, RESERVED, ExpressionError, Scope, is_name, parse
from dalembert.model.statement import Statement

OPENING, CLOSING, ENDS = "([", ")]", ";\n"


class ReadEmbedding(NamedTuple):
    """Old coordinates with what they are, and the new coordinates: those of the names that are not known."""

    places: dict[Expr, Expr]
    new: tuple[Expr, ...]


def read_embedding(texts: Iterable[str], system: Statement, names: Iterable[str] = ()) -> ReadEmbedding:
    """The embedding that equations `old = expression` state, one after the other between commas or semicolons.

    Names that are neither coordinates nor parameters of the system are new coordinates; where `names` are given they
    are the new coordinates, and no others are meant. Raises ModelError with every fault.
    """
    old = {name_of(q): q for q in system.coordinates}
    parameters = {s.name: s for s in system.symbols}
    equations, faults = _equations(texts)
    listed = list(names)
    faults += [f"{name!r} is not a name for a coordinate" for name in listed if not is_name(name) or name in RESERVED]
    faults += [f"{name} is a parameter of the system" for name in listed if name in parameters]
    found = listed or [name for _, right in equations for name in NAME_PATTERN.findall(right)]
    fresh = [name for name in dict.fromkeys(found) if name not in {*old, *parameters, *RESERVED}]
    places_in = {**old, **{name: function_of_time(name) for name in fresh}}
    scope = Scope(places_in, parameters, velocities=False, kind="embedding")
    places: dict[Expr, Expr] = {}
    for left, right in equations:
        if left not in old:
            faults.append(f"{left!r} is not a coordinate of the system; it has {', '.join(old)}")
        elif old[left] in places:
            faults.append(f"{left} is given more than once")
        else:
            try:
                places[old[left]] = parse(right, scope)
            except ExpressionError as error:
                faults += [f"{left}: {fault}" for fault in error.faults]
    refuse(ModelError, "the embedding", faults)
    return ReadEmbedding(places, tuple(scope.coordinates[name] for name in listed))


def _equations(texts: Iterable[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Pairs of left and right sides, and what is none."""
    pairs: list[tuple[str, str]] = []
    faults: list[str] = []
    for text in texts:
        for piece in _pieces(text):
            left, sign, right = piece.partition("=")
            if sign and left.strip() and right.strip():
                pairs.append((left.strip(), right.strip()))
            else:
                faults.append(f"{piece.strip()!r} is no equation; write x = R*cos(theta); y = R*sin(theta)")
    if not pairs and not faults:
        faults.append("it is empty; write x = R*cos(theta); y = R*sin(theta)")
    return pairs, faults


def _pieces(text: str) -> Iterator[str]:
    """The parts of a text between semicolons, ends of lines, and commas that stand in no brackets."""
    depth, piece = 0, ""
    for c in text:
        depth += (c in OPENING) - (c in CLOSING)
        if c in ENDS or (c == "," and depth <= 0):
            if piece.strip():
                yield piece
            depth, piece = 0, ""
        else:
            piece += c
    if piece.strip():
        yield piece
