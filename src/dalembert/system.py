"""`System` and `Motion`: a statement and a run with the verbs of every room, the two objects people hold."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Self
from warnings import warn

import numpy as np
from sympy import Expr

from dalembert import derive, motion, show
from dalembert.model import ModelError, StateError, Statement, name_of
from dalembert.principles import Certificate, ContradictionError, Instant, MassError, certify, least_squares

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dalembert.reduction import Reduction


@dataclass(frozen=True)
class System(Statement):
    """A constrained mechanical system: state it once, then ask.

    Make one by `from_lagrangian`, `from_forces`, `from_particles` or `load`. M q̈ = Q + Qᶜ with Qᶜ = Qᶜ_i + Qᶜ_ni, and
    Qᶜ_i = Aᵀ λ with A = ∂f/∂q (∂f/∂q̇ for a nonholonomic f) for f = 0 as it was stated.
    """

    def equations(self) -> show.Equations:
        """The explicit equation of motion in symbols: closed forms where they can be read, else factored."""
        return show.Equations.of(derive.closed_form(self))

    def classify(self) -> show.Classification:
        """What each constraint is (holonomic, also in disguise, or not) and what they are together: rank, integrals,
        degrees of freedom.
        """
        try:
            begun = motion.stated_start(self, None)
        except ModelError:  # a start off the constraints, or one without values, gives no constants
            begun = replace(self, initial=())
        return show.Classification.of(derive.classify(begun))

    def integrate_constraints(self, start: Mapping[Any, Any] | motion.Start | None = None) -> Self:
        """The equivalent system in which constraints that can be integrated are stated holonomically.

        The constants of their integrals come from `start`, or the system's own, at t = 0. Constraints that can be
        integrated but are left, because work-doing forces follow their multipliers or the integral was not found, are
        named in a warning. Raises ModelError where a constant is needed and no start is given.
        """
        begin = motion.stated_start(self, start)
        done = derive.integrated(begin)
        for reason in done.kept:
            warn(f"left as it is: {reason}", stacklevel=2)
        return replace(begin, constraints=done.constraints)

    def minimal(self, velocities: Any = None) -> show.Minimal:
        """The equations of motion in n − k independent velocities (Maggi, Kane), to read and to compute with.

        `velocities`: a list of velocities of the system, or a mapping from new names to expressions linear in the
        velocities; chosen where left out. Raises ModelError with every fault of them.
        """
        return show.Minimal.of(derive.minimal(self, velocities))

    def instant(self, state: Mapping[Any, Any], t: float = 0.0, parameters: Mapping[Any, Any] | None = None) -> Instant:
        """M, Q, A, b, C as arrays at a state, a mapping from every coordinate and velocity to its value.

        One-sided constraints that are not in contact there are left out, as they would be in a motion, and so are those
        that would have to pull. Raises `StateError` with all that is missing, foreign or does not exist at this state.
        """
        return derive.instant(derive.in_contact(self, state, t, parameters).system, state, t, parameters)

    def verify(
        self, state: Mapping[Any, Any], t: float = 0.0, parameters: Mapping[Any, Any] | None = None
    ) -> Certificate:
        """Every principle's answer at a state, side by side, with the laws they must obey.

        It passes only where the state is on the constraints: elsewhere there is no motion for it to be about. Of the
        contacts that touch those bear that push; `.let_go` names those that would have to pull, and are not in force.
        """
        return self._certified(derive.in_contact(self, state, t, parameters), state, t, parameters)

    def _certified(
        self,
        touching: derive.InContact[Self],
        state: Mapping[Any, Any],
        t: float = 0.0,
        parameters: Mapping[Any, Any] | None = None,
    ) -> Certificate:
        """The certificate of what acts at a state."""
        off = derive.residuals(touching.system, state, t, parameters)
        now = derive.instant(touching.system, state, t, parameters)
        part, far = off.part.tolist(), off.distance.tolist()
        return certify(now, distance=far, off=part, pushing=touching.pushing, let_go=touching.let_go)

    def geometry(
        self, state: Mapping[Any, Any] | None = None, t: float = 0.0, parameters: Mapping[Any, Any] | None = None
    ) -> show.Geometry:
        """The scaled accelerations at a state, null space and range, N and T: `.scaled`, `.text()`, `.figure()`.

        At the start of the statement where no state is given; contacts that are open there are no constraints.
        """
        at: Mapping[Any, Any] = self._named(motion.own_start(self, parameters, t)) if state is None else state
        return show.Geometry(self.instant(at, t, parameters), self.name, t, self.coordinates)

    def figure(
        self, state: Mapping[Any, Any] | None = None, t: float = 0.0, parameters: Mapping[Any, Any] | None = None
    ) -> "Figure":
        """Figure 1 of Udwadia and Kalaba 2001 at a state, for two or three coordinates, as a matplotlib figure.

        Raises ModelError for other numbers of coordinates.
        """
        return self.geometry(state, t, parameters).figure()

    def residuals(
        self, state: Mapping[Any, Any], t: float = 0.0, parameters: Mapping[Any, Any] | None = None
    ) -> derive.Residuals:
        """How far a state is off the constraints: `.level`, `.rate` and `.distance` of each constraint.

        `.part` is the larger of the first two relative to the terms that make it up, `.on` whether that is no more than
        1e-9: then the state is on the constraint.
        """
        return derive.residuals(self, state, t, parameters)

    def start(
        self,
        guess: Mapping[Any, Any],
        fixed: Iterable[Any] = (),
        t: float = 0.0,
        parameters: Mapping[Any, Any] | None = None,
    ) -> motion.Start:
        """The consistent state nearest to `guess` in the metric of M, what is `fixed` held; says what was moved.

        What the guess does not name is taken as zero. `.proved` and `.reason` say how it is known that none is nearer,
        `.equally_near` has those that are as near: then the one whose first differing value is larger is taken. Raises
        `StateError` with each residual where there is none.
        """
        return motion.start(self, guess, fixed, t, parameters)

    def simulate(
        self,
        start: Mapping[Any, Any] | motion.Start | motion.Trajectory | None = None,
        until: float | None = None,
        *,
        t0: float | None = None,
        tolerance: float | None = None,
        samples: Any = None,
        parameters: Mapping[Any, Any] | None = None,
        engine: Literal["taylor", "plain"] | None = None,
        compile: Literal["auto", "compact", "full"] = "auto",
        drift: float | None = None,
        singular: Literal["stop", "pass"] = "stop",
        max_step: float | None = None,
        max_steps: int | None = None,
        max_seconds: float | None = None,
        progress: Callable[[motion.Progress], object] | None = None,
        throw: bool = True,
    ) -> "Motion":
        """Move the system from `start` until a time.

        Main arguments:

        - `start`: values by coordinates and velocities, held as they are; what is not stated is zero or, where that
          does not satisfy the constraints, solved from them, nearest to zero where that is unique. Or what `start()`
          returns, or a motion to go on from its end; the statement's own start where it is left out, as its `until` is.
        - `tolerance`: relative error of a step; machine precision where it is left out.
        - `samples`: a count of uniform times, or the times; 201 where it is left out. `Motion.at` gives any other time.
        - `parameters`: values over those of the statement. A new value or start compiles nothing anew.

        Others: `t0` the time of the start (0). `engine` "taylor" (compiled) or "plain" (SciPy, slow). `compile`
        "compact" (fast to compile) or "full" (fast to run), chosen by size and length. `drift`: how far, relative to
        the size of the state, the motion may be off the constraints before it is put back (256 times the tolerance).
        `singular`: "stop" where the rank of the constraints drops or M becomes singular, or "pass" over it.
        `max_step`: the longest step, for a force that acts so briefly that a step could pass over it. `max_steps`,
        `max_seconds`: limits, the seconds from the call on. `progress` is called about ten times a second; False
        stops the run.

        Raises ModelError with every fault of what was asked. A run that does not come to its end raises RunError, whose
        `.motion` holds all that was computed; with `throw=False` that motion is returned and `.status` says why.
        """
        return motion.simulate(
            Motion, self, start, until, t0=t0, tolerance=tolerance, samples=samples, parameters=parameters,
            engine=engine, compile=compile, drift=drift, singular=singular, max_step=max_step, max_steps=max_steps,
            max_seconds=max_seconds, progress=progress, throw=throw,
        )  # fmt: skip

    def reduce(
        self,
        embedding: Mapping[Any, Any] | None = None,
        coordinates: Iterable[Expr] | None = None,
        *,
        keep: Iterable[str] = (),
    ) -> "Reduction":
        """The system in generalized coordinates x by an embedding y = y(x, t), with the way back.

        `embedding` maps old coordinates (or their names) to expressions of the new coordinates, time and parameters;
        old ones it does not name stay. `coordinates` are the new ones in order: where they are left out, the old ones
        that stay, then the others as they are met. Without an embedding one is sought by solving the holonomic
        constraints. A holonomic constraint must hold identically on it, unless it is named in `keep`.

        Raises ModelError with every constraint that does not hold and its residual, where the embedding is not an
        immersion or freezes more than the constraints do, and where the nature of a force cannot be pulled back.
        """
        from dalembert.reduction import reduce  # a run does not wait for it

        return reduce(self, embedding, coordinates, keep)

    def check(self) -> show.Finding:
        """Whether the start satisfies the constraints and every principle gives the same answer there.

        What the start does not state is what a run would take. Contacts that are open there are no constraints, nor are
        those that would have to pull. Friction at rest sticks or slips as it does in the motion from there.
        """
        try:
            begun = motion.own_start(self)
            state, solved = self._named(begun), begun.solved
        except StateError as error:
            state, solved = derive.initial_state(self), ()
            if len(self.initial) < len(state):  # what is left open has no value that could be looked at
                stated = {name_of(key): state[key] for key, _ in self.initial}
                return show.Finding(stated, tuple(c.name for c in self.constraints), None, None, refused=error)
        try:
            return self._found(state, solved)
        except derive.AtRestError:
            from dalembert.motion.first_mode import first_mode  # friction at rest is rare

            begins = first_mode(self, state)
            if begins is None:
                raise
            acting = self.without((*begins.apart, *begins.certificate.let_go))
            found = self._looked_at(acting, state, begins.apart, begins.certificate.let_go, solved)
            return self._with(replace(found, mode=begins.mode), begins.certificate, state)

    def _found(self, state: Mapping[Expr, float], solved: tuple[str, ...]) -> show.Finding:
        """What is found at a whole state by the instant alone."""
        touching = derive.in_contact(self, state)
        found = self._looked_at(touching.system, state, touching.apart, touching.let_go.names, solved)
        try:
            return self._with(found, self._certified(touching, state), state)
        except ContradictionError as error:
            from dalembert.motion.reconciling import reconcile  # rows that contradict are rare

            try:
                reconciled = least_squares(reconcile(touching.system, state).now)
            except (ContradictionError, MassError, StateError):  # a work-doing force that is not determined
                reconciled = None
            return replace(found, contradiction=error, reconciled=reconciled)

    def _looked_at(
        self,
        acting: Self,
        state: Mapping[Expr, float],
        apart: tuple[str, ...],
        let_go: tuple[str, ...],
        solved: tuple[str, ...],
    ) -> show.Finding:
        """A state and what is left of the constraints that act there."""
        named = {name_of(key): value for key, value in state.items()}
        rows = tuple(c.name for c in acting.constraints)
        return show.Finding(named, rows, acting.residuals(state), None, apart=apart, let_go=let_go, solved=solved)

    def _with(self, found: show.Finding, certificate: Certificate, state: Mapping[Expr, float]) -> show.Finding:
        """A finding with its certificate, and the power of the forces in it."""
        velocity = np.array([state[v] for v in self.velocities])
        return replace(found, certificate=certificate, power=float(velocity @ certificate.answer.force))

    def _named(self, begun: motion.Begun) -> dict[Expr, float]:
        """A state by coordinates and velocities."""
        return dict(zip((*self.coordinates, *self.velocities), map(float, begun.state), strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class Motion(motion.Trajectory):
    """How a system moved: `t`, `y`, `at(t)`, `dataset`, `events`, `status`, `statistics`; nothing in it changes."""

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """The motion in a file that `save` wrote."""
        return motion.load(path, cls, System)

    def summary(self) -> show.Summary:
        """What happened, for a person (`.text()`) and for a program (`.as_dict()`)."""
        return show.Summary.of(self)

    def __str__(self) -> str:
        return self.summary().text()

    def plot(self) -> "Figure":
        """Coordinates, constraint forces in their two parts, energy balance and drift, as a matplotlib figure."""
        return show.plot(self)
