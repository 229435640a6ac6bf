"""An embedding y = y(x, t) as a person gives it: old coordinates by expressions of new ones, time and parameters."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Derivative, Expr, Symbol
from sympy.core.function import AppliedUndef

from dalembert.model import ModelError, Statement, is_coordinate, is_velocity, name_of, refuse
from dalembert.model.checks import coordinates_in, expression, names_once, no_reactions, parameters_in, velocities_in
from dalembert.model.writing import write

LONGEST = 300  # characters of an expression that an error shows


@dataclass(frozen=True)
class Embedding:
    """y = y(x, t): of n `old` coordinates y, the `places` y_i as expressions of k `new` coordinates x.

    An old coordinate that is also a new one is given by itself. `local` says in words on what part it stands, where it
    was found and not given.
    """

    old: tuple[Expr, ...]
    new: tuple[Expr, ...]
    places: tuple[Expr, ...]
    local: tuple[str, ...] = ()

    @property
    def stated(self) -> dict[Expr, Expr]:
        """The coordinates that give way, with what they are; those that stay are left out."""
        return {q: e for q, e in zip(self.old, self.places, strict=True) if q != e}


def embedding(system: Statement, given: Any, coordinates: Any = None) -> Embedding:
    """The embedding a person gives, every fault of it in one `ModelError`.

    `given` maps old coordinates (or their names) to expressions; old ones it does not name stay. `coordinates` are the
    new ones in order; where it is left out, the old ones that stay in their order, then the others in the order in
    which the expressions of the old coordinates name them, by name within one expression.
    """
    what = subject(system)
    if not isinstance(given, Mapping):
        raise ModelError(what, [f"the embedding is {given!r}; give a mapping {{old coordinate: expression}}"])
    faults: list[str] = []
    named = dict(_named(system, given, faults))
    places = tuple(named.get(q, q) for q in system.coordinates)
    found = _order(system, places)
    new = found if coordinates is None else _listed(coordinates, faults)
    faults += _against(system, named, found, new)
    refuse(ModelError, what, faults)
    return Embedding(system.coordinates, new, places)


def subject(system: Statement) -> str:
    """What an error about a reduction is about."""
    return f"the reduction of {system.name!r}" if system.name else "the reduction"


def names_of(system: Statement, keep: Any) -> tuple[str, ...]:
    """The constraints to keep, one name or several."""
    listed = (keep,) if isinstance(keep, str) else tuple(keep) if isinstance(keep, Iterable) else (keep,)
    refuse(
        ModelError,
        subject(system),
        (f"keep has {x!r}; the name of a constraint is meant" for x in listed if not isinstance(x, str)),
    )
    return listed


def said(expr: Expr) -> str:
    """An expression in the notation of model files, x' a velocity, or SymPy's where a file could not say it."""
    try:
        text = write(expr)
    except ModelError:
        parts = {q for q in expr.atoms(AppliedUndef, Derivative) if is_coordinate(q) or is_velocity(q)}
        text = str(expr.xreplace({q: Symbol(name_of(q)) for q in parts}))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _named(system: Statement, given: Mapping[Any, Any], faults: list[str]) -> Iterator[tuple[Expr, Expr]]:
    """The old coordinates that are given, each with its expression."""
    by_name = {name_of(q): q for q in system.coordinates}
    seen = set()
    for key, value in given.items():
        own = by_name.get(key) if isinstance(key, str) else key if key in by_name.values() else None
        if own is None:
            faults.append(f"the embedding gives {key}, which is not a coordinate ({', '.join(by_name)})")
            continue
        if own in seen:
            faults.append(f"the embedding gives {name_of(own)} twice")
        seen.add(own)
        what = f"the embedding of {name_of(own)}"
        expr, found = expression(value, what)
        faults += found
        if expr is None:
            continue
        faults += no_reactions(expr, what)
        if moving := velocities_in(expr):
            listed = ", ".join(sorted(map(name_of, moving)))
            faults.append(f"{what} contains the velocity {listed}: places depend on coordinates, time and parameters")
        yield own, expr


def _order(system: Statement, places: Iterable[Expr]) -> tuple[Expr, ...]:
    """The coordinates in the places: old ones in their order, then the others as they are met."""
    met = [q for e in places for q in sorted(coordinates_in(e), key=name_of)]
    stay = [q for q in system.coordinates if q in met]
    return tuple(dict.fromkeys([*stay, *met]))


def _listed(coordinates: Any, faults: list[str]) -> tuple[Expr, ...]:
    """The new coordinates as they are listed."""
    if is_coordinate(coordinates):
        return (coordinates,)
    if isinstance(coordinates, (str, Mapping)) or not isinstance(coordinates, Iterable):
        faults.append(f"the coordinates are {coordinates!r}; give the new ones in order")
        return ()
    listed = tuple(coordinates)
    faults += [
        f"the new coordinate {q!r} is not a dynamicsymbol x(t): make it by dynamicsymbols({str(q)!r})"
        for q in listed
        if not is_coordinate(q)
    ]
    faults += names_once((name_of(q) for q in listed if is_coordinate(q)), "coordinate")
    return tuple(q for q in listed if is_coordinate(q))


def _against(
    system: Statement, named: Mapping[Expr, Expr], found: tuple[Expr, ...], new: tuple[Expr, ...]
) -> Iterator[str]:
    """What does not go together: the embedding, the new coordinates, and the parameters of the system."""
    for q in system.coordinates:
        if q in named and q in found and named[q] != q:
            yield f"{name_of(q)} is given by the embedding and stands in it too: give the new coordinate another name"
        elif q not in named and q not in new:
            yield f"{name_of(q)} is not given by the embedding, so it stays, but it is not among the coordinates"
    known = ", ".join(map(name_of, new))
    for q in found:
        if q not in new and q not in system.coordinates:
            yield f"the embedding uses {name_of(q)}, which is not among the new coordinates ({known})"
    for q in new:
        if q in named and named[q] != q:
            yield f"{name_of(q)} is among the new coordinates, but the embedding gives it as {named[q]}"
        elif q not in found:
            yield f"the new coordinate {name_of(q)} does not stand in the embedding: nothing moves with it"
    if not new and not found:
        yield "no coordinates are left: the embedding would freeze the whole system"
    foreign = sorted(parameters_in(named.values()) - set(system.symbols), key=lambda s: s.name)
    if system.values:  # a system all of whose parameters are open may have some more
        for s in foreign:
            yield (
                f"the embedding uses {s}, which is not a parameter of the system and has no value: put a number or a "
                "parameter of the system in its place, or make it a dynamicsymbol"
            )
    twins = {q.name: q for q in system.symbols}
    for s in foreign:
        if s.name in twins:
            yield f"the {s} of the embedding and the {s} of the system are different symbols: declare them alike"
