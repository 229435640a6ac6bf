"""What the constraints of a system are, in words a student understands, and for a program."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Self

from sympy import Expr

from dalembert.derive import Kind, Kinds
from dalembert.derive.exact import PROVED, UNTRIED
from dalembert.model import ON_POSITIONS, OneSided, name_of
from dalembert.show.brief import Brief, counted
from dalembert.show.notation import plain, wrapped
from dalembert.show.recognised import recognised


@dataclass(frozen=True)
class Classification(Kinds):
    """What each constraint is, and what they are together; `.text()` says it, `.as_dict()` gives it to a program."""

    @classmethod
    def of(cls, kinds: Kinds) -> Self:
        """The same, able to show itself."""
        return cls(**{f.name: getattr(kinds, f.name) for f in fields(kinds)})

    def text(self, width: int = 110) -> str:
        """For a person to read, on lines of at most `width` columns."""
        lines: list[str] = []
        for kind in self.constraints:
            lines.append(wrapped(f"{kind.name}: {Brief.of(kind.constraint).relation}", width, "    "))
            lines += [wrapped(f"  {words}", width, "    ") for words in self._alone(kind)]
        lines += [wrapped(words, width, "  ") for words in self._together()]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """What a notebook shows."""
        printer.text(self.text())

    def _alone(self, kind: Kind) -> Iterator[str]:
        """What one constraint is, sentence by sentence."""
        yield " ".join(_verdict(kind, self))
        if words := recognised(kind):
            yield f"In other words: {words}."
        if kind.singular:
            yield f"It says nothing where {_places(kind.singular)}."

    def _together(self) -> Iterator[str]:
        if self.touching:
            yield self._touching()
        free = f"{self.degrees_of_freedom} of {len(self.coordinates)} in the velocities"
        words = f"rank {self.rank}; degrees of freedom: {free}, {self.configuration_freedom} in the positions"
        if self.touching:
            words = f"rank {self.rank}, there"
        elif self.rank and not self.contradictory:
            words += f"; {self._kind()}"
        if self.contacts:
            names = ", ".join(self.contacts)
            words += f"; contacts ({names}) are counted as open, and take freedom away while they are closed"
        yield f"Together: {words}."
        for relation in self.relations:
            yield f"Redundant: {_relation(relation.row, relation.on, relation.coefficients)}."
        if self.contradictory:
            yield from self._contradictory()
        own = {kind.integral for kind in self.constraints}
        for f, constant in zip(self.integrals, self.constants, strict=True):
            if f not in own:
                yield f"Together they keep {_const(f, constant)}."
        if others := [p for p in self.singular if all(p not in kind.singular for kind in self.constraints)]:
            yield f"The rank drops where {_places(others)}."
        yield from (f"Note: {note}." for note in self.notes)

    def _touching(self) -> str:
        """What is known where relations hold only where their gradients depend on each other."""
        if len(self.touching) == 1:
            where = f"{self.touching[0]} was found to hold only where its gradient vanishes"
        else:
            names = f"{', '.join(self.touching[:-1])} and {self.touching[-1]}"
            where = f"{names} were found to meet only where they touch: there their gradients depend on each other"
        return f"Degenerate: {where}, and neither what is free there nor a motion is determined by them."

    def _contradictory(self) -> Iterator[str]:
        """What is against what."""
        if self.apart:
            stated = [
                k for k in self.constraints if isinstance(k.constraint, ON_POSITIONS) and k.name not in self.apart
            ]
            others = any(not isinstance(k.constraint, OneSided) for k in stated)
            whole = f"{', '.join(self.apart)} and the other relations" if others else ", ".join(self.apart)
            yield f"Contradictory: no configuration satisfies {whole}."
        if rates := [name for name in self.contradictory if name not in self.apart]:
            names = ", ".join(rates)
            yield f"Contradictory at general positions: there no velocity satisfies {names} and the rows before."

    def _kind(self) -> str:
        known = self.evidence.words
        if self.holonomic:
            return f"the set is holonomic ({known})"
        if known == UNTRIED.words:
            least = f", besides {self.integrable} of them," if self.integrable else ""
            return f"the set counts as nonholonomic; whether combinations of it{least} are integrable was not tried"
        if not self.integrable:
            sure = "is integrable" if known == PROVED.words else "was found to be integrable"
            return f"the set is nonholonomic, no combination of it {sure} ({known})"
        return f"the set is nonholonomic, with {counted(self.integrable, 'integrable combination')} ({known})"

    def as_dict(self) -> dict[str, Any]:
        """For a program to read; expressions in the notation of model files."""
        return {
            "constraints": [_as_dict(kind) for kind in self.constraints],
            "holonomic": self.holonomic,
            "integrable": self.integrable,
            "integrals": [
                {"integral": plain(f), "constant": None if c is None else plain(c)}
                for f, c in zip(self.integrals, self.constants, strict=True)
            ],
            "rank": self.rank,
            "degrees_of_freedom": self.degrees_of_freedom,
            "configuration_freedom": self.configuration_freedom,
            "dependent": [
                {
                    "constraint": r.row,
                    "on": list(r.on),
                    "coefficients": None if r.coefficients is None else list(map(plain, r.coefficients)),
                }
                for r in self.relations
            ],
            "contradictory": list(self.contradictory),
            "apart": list(self.apart),
            "touching": list(self.touching),
            "contacts": list(self.contacts),
            "singular": [list(map(plain, place)) for place in self.singular],
            "growth": list(self.growth),
            "evidence": self.evidence.words,
            "notes": list(self.notes),
        }


def _verdict(kind: Kind, whole: Kinds) -> Iterator[str]:
    moves = "rheonomic (it moves with time)" if kind.rheonomic else "scleronomic (it does not depend on time)"
    if isinstance(kind.constraint, OneSided):
        yield f"A contact: holonomic while it is closed, {moves}."
    elif isinstance(kind.constraint, ON_POSITIONS):
        yield f"Holonomic: a relation among coordinates, {moves}."
    elif kind.linear and not kind.form:
        yield "It says nothing: all its coefficients vanish."
    elif kind.holonomic:
        found = "" if kind.integral is None else f"{_const(kind.integral, kind.constant)}: "
        how = "it is exact as written" if kind.exact else "with an integrating factor"
        if not kind.exact and kind.factor is not None:
            how += f", {plain(kind.factor)}"
        yield f"{found}{'holonomic' if found else 'Holonomic'} in disguise ({how}), {moves}."
        if kind.integral is None:
            yield "Its integral exists, but was not found in closed form."
    elif not kind.linear:
        yield "Not linear in the velocities, and counted as nonholonomic: it limits velocities, not positions."
    else:
        yield "Nonholonomic: it limits velocities, and no relation among coordinates and time follows from it alone."
        if whole.holonomic:
            yield "Together with the others it can be integrated."
    if kind.linear and not isinstance(kind.constraint, ON_POSITIONS):
        if not kind.catastatic:
            yield "Acatastatic: rest does not satisfy it."
        if not kind.holonomic and kind.rheonomic:
            yield "Its coefficients depend on time (rheonomic)."


def _const(f: Expr, constant: Expr | None) -> str:
    return f"{plain(f)} = const" + ("" if constant is None else f" ({plain(constant)} at the start)")


def _places(places: Any) -> str:
    """Where expressions vanish."""
    return "; or ".join(" and ".join(f"{plain(e)} = 0" for e in place) for place in places)


def _relation(row: str, on: tuple[str, ...], coefficients: tuple[Expr, ...] | None) -> str:
    if not on:
        return f"{row!r} says nothing"
    if coefficients is None:
        return f"{row!r} follows from {', '.join(map(repr, on))} where the constraints hold"
    terms = [repr(name) if c == 1 else f"({plain(c)})·{name!r}" for name, c in zip(on, coefficients, strict=True)]
    return f"{row!r} = {' + '.join(terms) or '0'}"


def _as_dict(kind: Kind) -> dict[str, Any]:
    return {
        "name": kind.name,
        "stated": Brief.of(kind.constraint).kind,
        "relation": Brief.of(kind.constraint).relation,
        "form": None if kind.form is None else {f"d{name_of(q)}": plain(a) for q, a in kind.form},
        "holonomic": kind.holonomic,
        "exact": kind.exact,
        "linear": kind.linear,
        "catastatic": kind.catastatic,
        "rheonomic": kind.rheonomic,
        "integral": None if kind.integral is None else plain(kind.integral),
        "factor": None if kind.factor is None else plain(kind.factor),
        "constant": None if kind.constant is None else plain(kind.constant),
        "singular": [list(map(plain, place)) for place in kind.singular],
        "recognised": recognised(kind),
        "evidence": kind.evidence.words,
    }
