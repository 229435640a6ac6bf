"""`Reduction`: a system in generalized coordinates, what was eliminated, the proof, and the way back."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from sympy import Expr, Symbol
from sympy.core.relational import Relational

from dalembert import derive, motion
from dalembert.derive.reducing.embedding import Embedding, embedding, subject
from dalembert.derive.reducing.placing import Placing, State
from dalembert.derive.reducing.proof import Proof, prove
from dalembert.derive.reducing.reduced import reduced
from dalembert.derive.reducing.solving import solved_embedding
from dalembert.derive.reducing.worked import Rubbing
from dalembert.derive.tape import Tape
from dalembert.model import Lagrangian, ModelError, StateError, name_of, refuse
from dalembert.motion.lift import Lifted, LiftedMotion, lift_motion, lift_state
from dalembert.motion.lower import lowered, lowered_start, old_start
from dalembert.principles import explicit
from dalembert.show.reduced import reduction_dict, reduction_text

if TYPE_CHECKING:
    from dalembert.system import System


@dataclass(frozen=True, eq=False, repr=False)
class Reduction:
    """A system reduced by an embedding y = y(x, t), and the way back to y.

    `system` is the reduced system, like any other, of the new coordinates; `original` the one it was made of.
    `embedding` gives the old coordinates that are no longer there. `eliminated` and `kept` are constraints by name;
    `singular` are relations where the embedding fails, and `notes` say what else must be known. `proof` has the figures
    of covariance and positive definiteness. `lift` leads back, `lower` there.
    """

    system: "System"
    original: "System"
    embedding: Mapping[Expr, Expr]
    eliminated: tuple[str, ...]
    kept: tuple[str, ...]
    singular: tuple[Relational, ...]
    notes: tuple[str, ...]
    proof: Proof
    _placing: Placing
    _rubs: tuple[Rubbing, ...] = ()
    _open: tuple[str, ...] = ()

    @overload
    def lift(self, state: motion.Trajectory) -> LiftedMotion: ...

    @overload
    def lift(self, state: Mapping[Any, Any], t: float = ..., parameters: Mapping[Any, Any] | None = ...) -> Lifted: ...

    def lift(
        self,
        state: Mapping[Any, Any] | motion.Trajectory,
        t: float | None = None,
        parameters: Mapping[Any, Any] | None = None,
    ) -> Lifted | LiftedMotion:
        """Positions, velocities, accelerations and reactions in the old coordinates, at a state or along a motion.

        A state names every new coordinate and velocity. A motion is one of `system`; it brings its own times and
        values, and `parameters` may only give those it does not have. With ÿ = J ẍ + γ the constraint force is
        Qᶜ = M ÿ − Q, also where friction sticks; its ideal part is Aᵀ λ had all constraints been ideal.
        Raises `StateError` with all that is wrong with what was given.
        """
        if isinstance(state, motion.Trajectory):
            return self._lift_motion(state, t, parameters)
        t = 0.0 if t is None else t
        values = self._values(parameters)
        given = {s: values[s] for s in self.system.symbols}
        numbers = derive.numbers(self.system, state, t, given)
        k = len(self.system.coordinates)
        at = State(np.array(numbers[:k]), np.array(numbers[k : 2 * k]), numbers[2 * k], values)
        if self._placing.fails(self._placing.at(at).J):
            where = ", ".join(f"{name_of(q)} = {x:.6g}" for q, x in zip(self.system.coordinates, at.x, strict=True))
            raise StateError(f"the state {where}", ["the embedding fails here: ∂y/∂x has lost its rank"])
        self._refuse_rest(numbers)
        now = self.system.instant(state, t, given)
        apart = [*self._open, *(c.name for c in self.system.constraints if c.name not in now.constraints)]
        own = [values[s] for s in self.original.symbols]
        return lift_state(self._placing, at, explicit(now).acceleration, own, apart)

    def lower(
        self, state: Mapping[Any, Any], t: float = 0.0, parameters: Mapping[Any, Any] | None = None
    ) -> dict[Expr, float]:
        """The state of the reduced system that a state of the original is, by new coordinates and velocities.

        Where several are the same place, such as angles a turn apart, it is the least one. Raises `StateError` where
        the state is not on the embedding, with how far it is off.
        """
        values = self._values(parameters)
        given = {s: values[s] for s in self.original.symbols}
        numbers = derive.numbers(self.original, state, t, given)
        n = len(self.original.coordinates)
        x, v = lowered(self._placing, np.array(numbers[: 2 * n]), numbers[2 * n], values)
        keys = (*self.system.coordinates, *self.system.velocities)
        return dict(zip(keys, map(float, [*x, *v]), strict=True))

    def text(self, width: int = 110) -> str:
        """For a person to read, on lines of at most `width` columns."""
        return reduction_text(self, width)

    def as_dict(self) -> dict[str, Any]:
        """For a program to read: JSON-ready, expressions in the notation of model files."""
        return reduction_dict(self)

    def __str__(self) -> str:
        return self.text()

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """What a notebook shows."""
        printer.text(self.text())

    def __repr__(self) -> str:
        names = ", ".join(map(name_of, self.system.coordinates))
        return f"<Reduction to {names}: {', '.join(self.eliminated) or 'nothing'} eliminated>"

    def _lift_motion(
        self, moved: motion.Trajectory, t: float | None, parameters: Mapping[Any, Any] | None
    ) -> LiftedMotion:
        if moved.system.form() != self.system.form():
            raise StateError("lift", ["the motion is not one of the reduced system; simulate `reduction.system`"])
        own = dict(zip(moved.system.symbols, map(float, moved.values), strict=True))
        faults = [] if t is None else [f"t = {t!r} is given, but a motion has its own times"]
        named = {getattr(key, "name", key) for key in parameters} if isinstance(parameters, Mapping) else set()
        if twice := [f"{s.name} = {own[s]:.6g}" for s in own if s.name in named]:
            faults.append(f"the motion has its own {', '.join(twice)}: simulate again with other values")
        refuse(StateError, "lift", faults)
        return lift_motion(self._placing, moved, self._values(parameters, own), self._open, self._rubs)

    def _values(self, parameters: Any, own: Mapping[Symbol, float] | None = None) -> dict[Symbol, float]:
        """A value for every parameter of both systems."""
        faults: list[str] = []
        values = {**dict(self.original.values), **dict(self.system.values), **(own or {})}
        known = {s.name: s for s in self._placing.symbols}
        if parameters is not None and not isinstance(parameters, Mapping):
            raise StateError("the parameters", [f"{parameters!r} is not a mapping from parameters to numbers"])
        for key, value in (parameters or {}).items():
            symbol = known.get(key if isinstance(key, str) else getattr(key, "name", ""))
            if symbol is None or not (isinstance(key, str) or key == symbol):
                faults.append(f"{key} is not a parameter ({', '.join(known) or 'there are none'})")
            else:
                values[symbol] = value
        if missing := [s.name for s in known.values() if s not in values]:
            faults.append(f"no value is given for {', '.join(missing)}")
        refuse(StateError, "the parameters", faults)
        return {s: values[s] for s in known.values()}

    def _refuse_rest(self, numbers: list[float]) -> None:
        """At rest, a friction that has become a force has no direction, unless it has no size."""
        keys = [*self.system.coordinates, *self.system.velocities]
        for rub in self._rubs:
            stand_ins = derive.prepared(self.system).algebra
            tape = Tape(
                [*stand_ins.q, *stand_ins.v, stand_ins.t, *stand_ins.parameters.values()],
                [stand_ins.convert(rub.size), stand_ins.convert(rub.speed)],
            )
            size, speed = tape(numbers)
            if size != 0 and speed == 0:
                at = ", ".join(f"{name_of(key)} = {value:.6g}" for key, value in zip(keys, numbers, strict=False))
                raise StateError(
                    f"the state {at}",
                    [
                        f"the friction of {rub.constraint!r} has no direction at rest (its bound is {size:.6g}): "
                        "whether it sticks or slips cannot be told at one instant; lift a motion"
                    ],
                )


def reduce(
    system: "System", given: Mapping[Any, Any] | None, coordinates: Iterable[Expr] | None, keep: Iterable[str]
) -> Reduction:
    """The reduction of a system; `System.reduce` says what the arguments are."""
    if given is None:
        if coordinates is not None:
            raise ModelError(subject(system), ["coordinates are given without an embedding: give both, or neither"])
        found: Embedding = solved_embedding(system, old_start(system), keep)
    else:
        found = embedding(system, given, coordinates)
    parts = reduced(system, found, keep)
    start, note = lowered_start(parts.placing, system)
    common: dict[str, Any] = {
        "constraints": parts.constraints,
        "parameters": dict(system.values),
        "name": system.name,
        "initial": start,
        "until": system.until,
    }
    body = parts.body
    if isinstance(body, Lagrangian):
        forces = dict(zip(found.new, body.forces, strict=True))
        new = type(system).from_lagrangian(body.function, found.new, forces=forces, **common)
    else:
        new = type(system).from_forces(body.mass, body.forces, found.new, **common)
    new = new.with_run(tolerance=system.tolerance, engine=system.engine)
    proof = prove(parts.placing, system, new)
    notes = (*parts.notes, note) if note else parts.notes
    stated = MappingProxyType(found.stated)
    return Reduction(
        new,
        system,
        stated,
        parts.eliminated,
        parts.kept,
        parts.singular,
        notes,
        proof,
        parts.placing,
        parts.rubs,
        parts.open,
    )
