"""What a reduction is, in words: what was eliminated, the embedding, the reduced system, where it fails, the proof."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from sympy import Expr
from sympy.core.relational import Relational

from dalembert.derive.reducing.proof import Proof
from dalembert.model import Lagrangian, MassAndForce, Statement, name_of
from dalembert.show.brief import Brief, counted
from dalembert.show.notation import flat, plain, wrapped


class Reduction(Protocol):
    """What is shown of a reduction."""

    @property
    def system(self) -> Statement:
        """The reduced system."""

    @property
    def original(self) -> Statement:
        """The system it was made of."""

    @property
    def embedding(self) -> Mapping[Expr, Expr]:
        """The old coordinates that gave way, and what they are."""

    @property
    def eliminated(self) -> tuple[str, ...]:
        """The constraints that are no longer there."""

    @property
    def kept(self) -> tuple[str, ...]:
        """Those that are."""

    @property
    def singular(self) -> tuple[Relational, ...]:
        """Where the embedding fails."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What else must be known."""

    @property
    def proof(self) -> Proof:
        """How well the theorems hold."""


def reduction_text(r: Reduction, width: int = 110) -> str:
    """For a person to read, on lines of at most `width` columns."""
    return "\n".join(_lines(r, width))


def _lines(r: Reduction, width: int) -> Iterator[str]:
    n, k = len(r.original.coordinates), len(r.system.coordinates)
    names = ", ".join(map(name_of, r.system.coordinates))
    yield wrapped(f"Reduced from {counted(n, 'coordinate')} to {k}: {names}", width, "    ")
    yield wrapped(f"Eliminated: {', '.join(r.eliminated) or 'no constraint'}", width, "    ")
    yield "Embedding"
    for q, e in r.embedding.items():
        yield flat(f"  {name_of(q)}", e, width)
    yield "Reduced system"
    for label, e in _body(r.system):
        yield flat(f"  {label}", e, width)
    if r.kept:
        yield "Constraints that stay"
        for c in r.system.constraints:
            brief = Brief.of(c)
            yield wrapped(f"  {brief.name}: {brief.relation} ({brief.words})", width, "    ")
    if r.system.initial:
        yield wrapped("Start: " + ", ".join(f"{name_of(q)} = {plain(e)}" for q, e in r.system.initial), width, "    ")
    for note in r.notes:
        yield wrapped(f"Note: {note}.", width, "    ")
    p = r.proof
    definite = "M is not positive definite by itself" if p.definiteness is None else (
        f"M' is positive definite, its least eigenvalue {p.definiteness:.3g} times its largest"
    )  # fmt: skip
    yield wrapped(f"Proof at {p.states} random states: covariance to {p.covariance:.2g}; {definite}.", width, "    ")


def _body(system: Statement) -> Iterator[tuple[str, Expr]]:
    """What a reduced system is made of, each part with its name; what is zero is left out."""
    body, names = system.unconstrained, [name_of(q) for q in system.coordinates]
    if isinstance(body, Lagrangian):
        yield "L", body.function
        yield from ((f"F[{name}]", f) for name, f in zip(names, body.forces, strict=True) if f != 0)
    elif isinstance(body, MassAndForce):
        for i, one in enumerate(names):
            for j, other in enumerate(names[i:], i):
                if body.mass[i, j] != 0:
                    yield f"M[{one}, {other}]", body.mass[i, j]
        yield from ((f"Q[{name}]", f) for name, f in zip(names, body.forces, strict=True))


def reduction_dict(r: Reduction) -> dict[str, Any]:
    """For a program to read: JSON-ready, expressions in the notation of model files."""
    return {
        "coordinates": [name_of(q) for q in r.system.coordinates],
        "eliminated": list(r.eliminated),
        "kept": list(r.kept),
        "embedding": {name_of(q): plain(e) for q, e in r.embedding.items()},
        "system": {label: plain(e) for label, e in _body(r.system)},
        "constraints": [Brief.of(c)._asdict() for c in r.system.constraints],
        "start": {name_of(q): plain(e) for q, e in r.system.initial},
        "singular": [f"{plain(s.lhs)} {s.rel_op} {plain(s.rhs)}" for s in r.singular],
        "notes": list(r.notes),
        "proof": r.proof._asdict(),
    }
