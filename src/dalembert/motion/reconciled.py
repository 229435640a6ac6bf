"""What comes back from reconciling a series: the answer at every time, and which row to doubt over all of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from dalembert.derive import Array
from dalembert.model import Statement, name_of
from dalembert.motion.dataset import SIGN, units, variable_names
from dalembert.motion.rowkeys import Plan
from dalembert.motion.samples import Moment, Samples
from dalembert.principles.reconcile_text import counted, hidden, series_fault, series_table, verdict
from dalembert.principles.snooping import chance
from dalembert.principles.snooping_series import Course, Fault, course, snoop_series
from dalembert.principles.trust import Kind

if TYPE_CHECKING:
    from xarray import Dataset


class SeriesRow(NamedTuple):
    """An uncertain row over a series.

    `times` at which it can be checked, its mean `redundancy`, `rms` of residual/σ, the `largest` |studentized| and
    when; `statistic` Σ studentized², χ² of `times` degrees when nothing is wrong, and its p_value; offset ±
    offset_sigma, how far the row alone would be off if it were so by one amount at all times; glitch ± glitch_sigma,
    how far if it were so at largest_time alone.
    """

    name: str
    kind: Kind
    sigma: float
    times: int
    redundancy: float
    rms: float
    largest: float
    largest_time: float
    statistic: float
    p_value: float
    offset: float
    offset_sigma: float
    glitch: float
    glitch_sigma: float


@dataclass(frozen=True, eq=False, repr=False)
class ReconciledSeries:
    """The reconciled motion at k times, and how well the rows agree over all of them.

    `rows`, one for each uncertain row; chi_square over all times, of `redundancy` degrees when nothing is wrong, and
    its p_value; suspects, the names of rows found at fault at this level, and the kind of the fault: "offset", by one
    amount at all times, "glitch", at one time, or "varying"; notes, what else is to be known of the states. `dataset`
    has everything at every time.
    """

    system: Statement
    t: Array
    samples: Samples
    rows: tuple[SeriesRow, ...]
    chi_square: float
    redundancy: int
    p_value: float
    level: float
    suspects: tuple[str, ...]
    fault: Fault | None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        system: Statement,
        times: Array,
        moments: Sequence[Moment],
        plan: Plan,
        level: float,
        notes: tuple[str, ...] = (),
    ) -> Self:
        """The series of what was found at each time."""
        times, samples = np.array(times), Samples.of(moments)
        times.setflags(write=False)
        over = course(
            [m.found.shown for m in moments],
            [m.found.seen for m in moments],
            samples.studentized,
            samples.redundancy,
            [m.stand.parallel for m in moments],
        )
        suspects, fault = snoop_series(over, level)
        whole, degrees = float(samples.chi_square.sum()), int(samples.degrees.sum())
        return cls(
            system=system,
            t=times,
            samples=samples,
            rows=tuple(_summary(times, samples, plan, over)),
            chi_square=whole,
            redundancy=degrees,
            p_value=chance(whole, degrees),
            level=level,
            suspects=tuple(plan.names[i] for i in suspects),
            fault=fault,
            notes=notes,
        )

    @property
    def suspect(self) -> str | None:
        """The row most likely at fault; None where none is, or where `suspects` cannot be told apart."""
        return self.suspects[0] if len(self.suspects) == 1 else None

    @property
    def fault_time(self) -> float | None:
        """When the fault is, where it is a glitch."""
        return next(
            (row.largest_time for row in self.rows if row.name in self.suspects and self.fault == "glitch"), None
        )

    @property
    def detected(self) -> bool:
        """Whether some row is found at fault, even if it cannot be told which."""
        return bool(self.suspects)

    @property
    def not_checkable(self) -> tuple[str, ...]:
        """The rows of which nothing else speaks at any time."""
        return tuple(row.name for row in self.rows if not row.times)

    @property
    def dataset(self) -> "Dataset":
        """Everything at every time: an `xarray.Dataset` (variables: see docs/reconcile.md), a new one each time."""
        from xarray import Dataset, Variable

        names, unit, s = variable_names(self.system), units(self.system), self.samples
        variables = {
            name: Variable("time", s.acceleration[:, i], {"long_name": f"acceleration {of}''", "of": of})
            for i, (name, of) in enumerate(zip(names.acceleration, self._coordinates, strict=True))
        }
        for name, dims, values, words, measure in _columns(self, unit.force, unit.multiplier):
            variables[name] = Variable(dims, values, {"long_name": words} | ({"units": measure} if measure else {}))
        labels = {
            "coordinate": self._coordinates,
            "constraint": [c.name for c in self.system.constraints],
            "row": [row.name for row in self.rows],
        }
        coordinates = {name: Variable(name, np.array(who, dtype=str)) for name, who in labels.items()}
        coordinates["time"] = Variable("time", self.t, {"long_name": "time", "units": "s"})
        coordinates["kind"] = Variable("row", np.array([row.kind for row in self.rows], dtype=str))
        return Dataset(variables, coordinates, {"system": self.system.name, "level": self.level, "sign": SIGN})

    @property
    def _coordinates(self) -> list[str]:
        return [name_of(q) for q in self.system.coordinates]

    def text(self) -> str:
        """For a person to read, in plain Unicode."""
        first = verdict(self.suspects, self.p_value, self.level, self.redundancy)
        lines = [first]
        if self.fault is not None:
            row = next(row for row in self.rows if row.name in self.suspects)
            lines.append(series_fault(row, self.fault, self.suspect is not None))
        span = f" from {self.t[0]:.6g} to {self.t[-1]:.6g}" if len(self.t) > 1 else f", t = {self.t[0]:.6g}"
        lines.append(
            f"{counted(len(self.t), 'time')}{span}, redundancy {self.redundancy} in all: "
            f"χ² = {self.chi_square:.4g}, p = {self.p_value:.2g}"
        )
        return "\n".join([*lines, *hidden(self.not_checkable), *self.notes, *series_table(self.rows, self.suspects)])

    def __str__(self) -> str:
        return self.text()

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """What a notebook shows."""
        printer.text(self.text())

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self.t)} times, {len(self.rows)} rows, suspects {list(self.suspects)}>"

    def as_dict(self) -> dict[str, Any]:
        """The summary for a program to read; `dataset` has the numbers at every time."""
        plain = ("chi_square", "redundancy", "p_value", "level", "detected", "suspect", "fault", "fault_time")
        return {
            "times": [len(self.t), float(self.t[0]), float(self.t[-1])],
            **{name: getattr(self, name) for name in plain},
            "suspects": list(self.suspects),
            "not_checkable": list(self.not_checkable),
            "notes": list(self.notes),
            "rows": [row._asdict() for row in self.rows],
        }


def _summary(times: Array, s: Samples, plan: Plan, over: Course) -> Iterator[SeriesRow]:
    """Each row over all times."""
    for i, (name, row, sigma) in enumerate(zip(plan.names, plan.trust.rows, plan.trust.sigma.tolist(), strict=True)):
        w, count, statistic = s.studentized[:, i], int(over.times[i]), float(over.statistic[i])
        worst = int(np.argmax(np.abs(w)))
        yield SeriesRow(
            name,
            row.kind,
            sigma,
            count,
            float(s.redundancy[:, i].mean()),
            float(np.sqrt(np.mean(s.residual[:, i] ** 2)) / sigma),
            float(abs(w[worst])),
            float(times[worst]),
            statistic,
            chance(statistic, count),
            float(over.offset[i]),
            float(over.offset_sigma[i]),
            float(s.fault[worst, i]),
            float(s.fault_sigma[worst, i]),
        )


def _columns(found: ReconciledSeries, force: str, multiplier: str) -> Iterator[tuple[str, Any, Array, str, str]]:
    """Name, dimensions, values, words and unit of every variable but the accelerations."""
    s, sigma = found.samples, np.array([row.sigma for row in found.rows])
    p_value = np.array([chance(c, d) for c, d in zip(s.chi_square.tolist(), s.degrees.tolist(), strict=True)])
    along, row = ("time", "coordinate"), ("time", "row")
    yield "acceleration_sigma", along, s.acceleration_sigma, "standard deviation of the acceleration", ""
    yield "force", along, s.force, "constraint force", force
    yield "force_sigma", along, s.force_sigma, "standard deviation of the constraint force", force
    yield "ideal_force", along, s.ideal, "constraint force, ideal part", force
    yield "nonideal_force", along, s.nonideal, "constraint force, work-doing part", force
    yield "multiplier", ("time", "constraint"), s.multipliers, "multiplier λ", multiplier
    yield "measured", row, s.measured, "what the row read or states", ""
    yield "adjusted", row, s.measured - s.residual, "what the row should have read", ""
    yield "residual", row, s.residual, "measured less adjusted", ""
    yield "normalized", row, s.residual / sigma, "residual by standard deviation", "1"
    yield "studentized", row, s.studentized, "residual by its own standard deviation, 0 where it cannot be checked", "1"
    yield "redundancy_number", row, s.redundancy, "part of a fault that shows, from 0 to 1", "1"
    yield "sigma", "row", sigma, "standard deviation of the row", ""
    yield "chi_square", "time", s.chi_square, "χ² of the rows", "1"
    yield "redundancy", "time", s.degrees, "degrees of freedom of χ²", "1"
    yield "p_value", "time", p_value, "probability of so large a χ² when nothing is wrong", "1"
