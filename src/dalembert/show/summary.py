"""What happened in a run, in numbers a person asks for first: where it ended, what switched, energy, forces, cost."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple, Self

import numpy as np

from dalembert.derive import mass_and_rows
from dalembert.engine import WORKS
from dalembert.model import MassAndForce, OneSided, name_of
from dalembert.motion import Event, Status, Trajectory
from dalembert.motion.peaks import force_peaks
from dalembert.principles import Instant, independent_rows
from dalembert.show.brief import Brief, counted
from dalembert.show.course import Course, counts, course, events_listed, modes_listed
from dalembert.show.layout import aligned, cut, duration
from dalembert.show.notation import wrapped
from dalembert.show.starting import state_in_words

MOST = 12  # coordinates or constraints that are listed; what is beyond is counted
MARGIN = "  "


class Peak(NamedTuple):
    """The largest constraint force on a coordinate along the motion: when, and its two parts."""

    coordinate: str
    time: float
    total: float
    ideal: float
    nonideal: float


@dataclass(frozen=True, eq=False)
class Summary:
    """A motion in brief. Energy and balance are those at the samples; None where a run has none.

    The largest forces are those along the motion, between samples too.

    `start` and `end` are states by name, `solved` what of the start was not stated but solved from the constraints,
    `work` is by whose force does it, `balance` is how far energy less work
    strays from what it was, `forces` has one peak a coordinate (none where there are no constraints), `freedom` is
    n − k: coordinates less independent constraints, contacts not counted, and `course` has the modes of what switches.
    """

    name: str
    status: Status
    times: tuple[float, float]
    samples: int
    start: Mapping[str, float]
    solved: tuple[str, ...]
    end: Mapping[str, float]
    parameters: Mapping[str, float]
    constraints: tuple[Brief, ...]
    freedom: int
    energy: tuple[float, float] | None
    kinetic: bool
    work: Mapping[str, float]
    balance: float | None
    forces: tuple[Peak, ...]
    events: tuple[Event, ...]
    course: Course
    statistics: Mapping[str, Any]

    @classmethod
    def of(cls, motion: Trajectory) -> Self:
        """What happened in a motion."""
        system, along = motion.system, motion.along
        keys = [name_of(key) for key in (*system.coordinates, *system.velocities)]
        sampled = len(motion.t) > 0
        return cls(
            name=system.name,
            status=motion.status,
            times=(float(motion.t[0]) if sampled else motion.end_time, motion.end_time),
            samples=len(motion.t),
            start=dict(zip(keys, motion.begin_values.tolist(), strict=True)),
            solved=tuple(motion.statistics.get("solved", ())),
            end=dict(zip(keys, motion.end_values.tolist(), strict=True)),
            parameters=dict(zip((s.name for s in system.symbols), motion.values.tolist(), strict=True)),
            constraints=tuple(map(Brief.of, system.constraints)),
            freedom=len(system.coordinates) - _rank(motion),
            energy=(float(along.energy[0]), float(along.energy[-1])) if sampled else None,
            kinetic=isinstance(system.unconstrained, MassAndForce),
            work=dict(zip(WORKS, motion.end_works.tolist(), strict=True)),
            balance=float(np.abs(motion.balance - motion.balance[0]).max()) if sampled else None,
            forces=tuple(_peaks(motion)) if sampled and system.constraints else (),
            events=motion.events,
            course=course(motion),
            statistics=dict(motion.statistics),
        )

    @property
    def largest_force(self) -> Peak | None:
        """The largest constraint force on any coordinate."""
        return max(self.forces, key=lambda peak: abs(peak.total), default=None)

    def text(self, width: int = 110) -> str:
        """For a person to read, on lines of at most `width` columns."""
        return f"{self.stated(width)}\n\n{self.happened(width)}"

    def stated(self, width: int = 110) -> str:
        """The equation of motion in brief: its size, and the constraints as they were stated."""
        return "\n".join([self._equation(width), *self._constraints(width)])

    def happened(self, width: int = 110) -> str:
        """Where each coordinate ended and what held it; what switched; one fact a line; and how the run ended."""
        facts = list(self._facts())
        indent = len(MARGIN) + max(len(name) for name, _ in facts) + 2
        lines = []
        for name, words in facts:
            rest = wrapped(words, max(width - indent, 20)).replace("\n", "\n" + " " * indent)
            lines.append(f"{MARGIN}{name}".ljust(indent) + rest)
        switched = events_listed(self.events, width, MARGIN), modes_listed(self.course, width, MARGIN)
        parts = [self._coordinates(width), *switched, lines, [wrapped(str(self.status), width, MARGIN)]]
        return "\n\n".join("\n".join(part) for part in parts if part)

    def as_dict(self) -> dict[str, Any]:
        """For a program to read; a number that does not exist is None."""
        largest = self.largest_force
        found: dict[str, Any] = _finite(
            {
                "ok": self.status.ok,
                "status": str(self.status),
                "ending": str(self.status.ending),
                "time": {"start": self.times[0], "end": self.times[1]},
                "parameters": dict(self.parameters),
                "constraints": [brief._asdict() for brief in self.constraints],
                "degrees_of_freedom": self.freedom,
                "start": dict(self.start),
                "solved": list(self.solved),
                "end": dict(self.end),
                "energy": None if self.energy is None else {"start": self.energy[0], "end": self.energy[1]},
                "work": dict(self.work),
                "balance_error": self.balance,
                "drift": self.statistics.get("largest_drift"),
                "largest_force": None if largest is None else largest._asdict(),
                "forces": [peak._asdict() for peak in self.forces],
                "events": [event._asdict() for event in self.events],
                "event_counts": counts(self.events),
                "modes": [
                    {"mode": stay.words, "time": stay.duration, "spans": stay.spans} for stay in self.course.stays
                ],
                "always": self.course.always,
                "statistics": dict(self.statistics),
            }
        )
        return found

    def _equation(self, width: int) -> str:
        n, m = len(self.end) // 2, len(self.constraints)
        law = "M q̈ = Q + Qᶜ, A q̈ = b" if m else "M q̈ = Q"
        contacts = sum(bool(c.restitution) for c in self.constraints)
        spare = m - contacts - (n - self.freedom)
        kinds = ((contacts if contacts < m else 0, "one-sided"), (spare, "redundant"))
        of_them = ", ".join(f"{number} of them {what}" for number, what in kinds if number)
        rows = counted(m, "one-sided constraint" if 0 < contacts == m else "constraint")
        sizes = f"{counted(n, 'coordinate')}, {rows}" + (f" ({of_them})" if of_them else "")
        fewer = ", fewer in contact" if contacts else ""
        freedom = f"{counted(self.freedom, 'degree', 'degrees')} of freedom{fewer}"
        return wrapped(f"{law}: {sizes}, {freedom}", width, MARGIN)

    def _constraints(self, width: int) -> Iterator[str]:
        """Each on a line of its own; a relation too long for it is cut."""
        listed = self.constraints[:MOST]
        names = max((len(c.name) for c in listed), default=0)
        for c in listed:
            head, tail = f"{MARGIN}{c.name:<{names}}  ", f"   {c.words}"
            room = width - len(head) - len(tail)
            if len(c.relation) <= room or room >= 24:
                yield head + cut(c.relation, room) + tail
            else:
                yield cut(head + c.relation, width)
                yield wrapped(MARGIN * 2 + tail.strip(), width, MARGIN * 2)
        yield from _and_more(len(self.constraints))

    def _coordinates(self, width: int) -> list[str]:
        """A table: where each coordinate ended, and the largest constraint force on it."""
        n = len(self.end) // 2
        names, values = list(self.end)[:n], list(self.end.values())
        working = self._working
        rows: list[list[str | float]] = [["", "at the end", "velocity"]]
        if self.forces:
            rows[0] += ["largest Qᶜ", *(["ideal", "work-doing"] if working else []), "at t"]
        for i, name in enumerate(names[:MOST]):
            row: list[str | float] = [name, values[i], values[n + i]]
            if self.forces:
                peak = self.forces[i]
                row += [peak.total, *([peak.ideal, peak.nonideal] if working else []), peak.time]
            rows.append(row)
        return [*aligned(rows, width, MARGIN), *_and_more(n)]

    def _facts(self) -> Iterator[tuple[str, str]]:
        """What else there is to say, each with a label; the largest force only where the table may not show it."""
        yield "start", state_in_words(self.start, self.solved)
        if self.energy is not None and self.balance is not None:
            kind = " (kinetic)" if self.kinetic else ""
            yield "energy", f"{self.energy[0]:.6g} at the start, {self.energy[1]:.6g} at the end{kind}"
            yield "work", self._work()
            strays = f"strays by at most {self.balance:.2g}" if self.balance else "stays what it was"
            yield "balance", f"energy less work {strays}"
        if self.constraints and (drift := self.statistics.get("largest_drift")) is not None:
            times = int(self.statistics.get("projections", 0))
            back = f", put back {counted(times, 'time')}" if times else ""
            off = f"at most {drift:.2g} of the size of the state off the constraints" if drift else "none"
            yield "drift", off + back
        if len(self.forces) > MOST and (peak := self.largest_force):
            parts = f"ideal {peak.ideal:.6g}, work-doing {peak.nonideal:.6g}"
            yield "largest Qᶜ", f"{peak.total:.6g} on {peak.coordinate} at t = {peak.time:.6g} ({parts})"
        yield "samples", f"{self.samples} from t = {self.times[0]:.6g} on; energy is that at the samples"
        yield "cost", self._cost()

    def _work(self) -> str:
        said = f"{self.work['force']:.6g} by active forces"
        if not self.constraints:
            return said
        by = self.work["ideal"] + self.work["nonideal"]
        parts = f" ({self.work['ideal']:.6g} ideal, {self.work['nonideal']:.6g} work-doing)" if self._working else ""
        impacts = f", {self.work['impact']:.6g} by impacts" if self.work["impact"] else ""
        return f"{said}, {by:.6g} by constraint forces{parts}{impacts}"

    @property
    def _working(self) -> bool:
        """Whether some constraint force is stated to do work of its own."""
        return any(c.nature != "ideal" for c in self.constraints)

    def _cost(self) -> str:
        facts = self.statistics
        crossed = int(facts.get("switches", 0))
        over = f" over {counted(crossed, 'switch', 'switches')}" if crossed else ""
        said = f"{counted(int(facts['steps']), 'step')}{over} in {duration(facts['run_seconds'])}"
        if facts.get("compile_seconds"):
            said += f", compiled in {duration(facts['compile_seconds'])}"
        return f"{said} ({facts['engine']}, tolerance {facts['tolerance']:.2g})"

    def __str__(self) -> str:
        return self.text()

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """What a notebook shows."""
        printer.text(self.text())


def _rank(motion: Trajectory) -> int:
    """How many of the constraints are independent at the end of the run, those that are one-sided left out."""
    last, hard = motion.episodes[-1], [not isinstance(c, OneSided) for c in motion.system.constraints]
    if last.mode is None and (motion.settings.engine == "taylor" or len(last.choice.rows) < 2):
        return len(last.choice.rows)
    if sum(hard) < 2 or not len(motion.t):
        return sum(hard)
    M, (A, b, *_) = mass_and_rows(motion.system, [*motion.y[:, 0], motion.t[0], *motion.values])
    nothing = np.zeros(len(M))
    return len(independent_rows(Instant(M, nothing, A[hard], b[hard], nothing)))


def _peaks(motion: Trajectory) -> Iterator[Peak]:
    for name, (time, ideal, nonideal) in zip(motion.names(), force_peaks(motion), strict=True):
        yield Peak(name, time, ideal + nonideal, ideal, nonideal)


def _and_more(number: int) -> Iterator[str]:
    if number > MOST:
        yield f"{MARGIN}… and {number - MOST} more"


def _finite(value: Any) -> Any:
    """The same with None for every number that is not finite, and Python's own numbers for NumPy's."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not isfinite(value) else value
