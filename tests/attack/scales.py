"""The scale law: with rows by factors of ten, in other units of coordinates, mass and time, it is the same motion.

A case is moved in its own units, then with its start and all that is stated changed by a few roundings, and in others.
What comes of the last is said in the first units. How far it may be off is measured by the second: it is what the
motion makes of rounding, and where that already changes what happens, nothing is asked any more.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from sympy import Expr, Integer, Symbol

from .case import Case, Question, spread
from .draw import Draw
from .statement import Nature, Point, Row, Statement
from .units import Units

EPS = 2.0**-52
CHANGE = 16 * EPS  # of a start and of what is stated, relative to each value: 3.6e-15
TWINS = 3  # how often
AMPLIFIED = 32.0  # how much more than such a change the rounding of a run may do
STEP = 64.0  # times the accuracy of the run: what each step may add (DEFECT of dalembert.motion.tolerances)
BALANCE = 4 * EPS  # of forces in balance (FORCES of dalembert.motion.tolerances)
WORST = 1e-3  # where rounding makes more of a difference than that, nothing is compared
SEVERAL = 1e-9  # events so close in time, relative to the run, happen together: their order is nothing
MINIMA = ("passed", "crossing")  # where a square is least: known in time to the root of rounding
POWER = 8


class Course(NamedTuple):
    """A motion in the first units: how it ended and when, states (k, 2n) at times (k,), and what happened.

    `pace` is the largest acceleration that the active forces could give: forces in balance are known to its rounding.
    """

    ending: str
    words: str
    end: float
    times: np.ndarray
    states: np.ndarray
    last: np.ndarray
    events: list[tuple[float, tuple[str, ...]]]
    steps: int
    pace: float


class Outcome(NamedTuple):
    """What is the same, differs or cannot be told; `error` is the largest difference over the one allowed."""

    differs: str = ""
    uncertain: str = ""
    error: float = 0.0


class Stated(NamedTuple):
    """A system with a start and what is asked of its run."""

    statement: Statement
    start: Mapping[Expr, float]
    times: np.ndarray
    options: Mapping[str, Any]


def question(name: str) -> Question:
    """The question whether CLASS:SEED or gallery:MODEL is the same in units drawn by its name, or NAME@DRAW."""
    place, _, number = name.partition("@")
    label, stated = _stated(place)
    units, words = drawn(Draw(f"scales {place}", int(number or 0)), stated.statement)
    return Question(
        f"{label}: {words}",
        lambda program: compared(program, stated, units),
        lambda found: found.differs,
        doubt=lambda found: found.uncertain,
        error=lambda found: found.error,
    )


def _stated(place: str) -> tuple[str, Stated]:
    """A case or a model by its name, with its label."""
    kind, _, name = place.partition(":")
    if kind == "gallery":
        return name, of_gallery(name)
    from .registry import make

    case = make(place)
    assert isinstance(case, Case)
    options = {k: v for k, v in case.options.items() if k != "max_seconds"}  # nothing that follows the clock
    return case.label, Stated(case.statement, case.start, np.asarray(case.times, float), options)


def of_gallery(name: str) -> Stated:
    """A model of the gallery in plain data."""
    import dalembert as program
    from dalembert import gallery

    system = program.System.load(gallery.path(name))
    values = dict(system.parameters)
    start = {key: float(value.xreplace(values)) for key, value in system.initial}
    return Stated(of_system(system), start, spread(float(system.until), 24), {})


def of_system(system: Any) -> Statement:
    """A system of the program's in plain data."""
    given: dict[str, Any] = {
        "coordinates": system.coordinates,
        "parameters": dict(system.parameters),
        "rows": tuple(_row(c) for c in system.constraints),
    }
    moves = system.unconstrained
    if hasattr(moves, "points"):
        points = tuple(Point(p.mass, p.position, p.force) for p in moves.points)
        return Statement(**given, points=points, potential=moves.potential)
    if hasattr(moves, "function"):
        return Statement(
            **given, lagrangian=moves.function, forces=dict(zip(system.coordinates, moves.forces, strict=True))
        )
    return Statement(**given, mass=moves.mass.tolist(), forces=moves.forces)


def _row(row: Any) -> Row:
    kind, nature = type(row).__name__, row.nature
    match type(nature).__name__:
        case "Viscous" | "Quadratic" as drag:
            made = Nature(drag, (nature.coefficient,))
        case "Coulomb":
            options = {key: getattr(nature, key) for key in ("static", "normal", "sliding", "of")}
            made = Nature("Coulomb", (nature.coefficient,), options)
        case "Prescribed":
            pairs = nature.components
            made = Nature("Prescribed", (dict(pairs) if pairs[0][0] is not None else [c for _, c in pairs],))
        case _:
            made = Nature()
    more = {"restitution": row.restitution, "impact_friction": row.impact_friction} if kind == "OneSided" else {}
    return Row(kind, dict(row.coefficients) if kind == "Differential" else row.expr, row.name, made, more)


def drawn(draw: Draw, statement: Statement) -> tuple[Units, str]:
    """Other units, and what they are in words: factors of ten for what is drawn, as numbers or as parameters."""
    kinds = ["length", "time", "mass", "coordinates", "all", *(["rows", "everything"] if statement.rows else [])]
    kind = draw.choice(*kinds)
    values: dict[Expr, float] = {}
    symbols = draw.coin(0.3)

    def factor(name: str, asked: bool) -> Any:
        power = draw.whole(-POWER, POWER) if asked else 0
        if not power:
            return Integer(1)
        if not symbols:
            return Integer(10) ** power
        symbol = Symbol(f"unit_{name}", positive=True)
        values[symbol] = 10.0**power
        return symbol

    length = factor("length", kind in ("length", "all", "everything"))
    lengths = dict.fromkeys(statement.coordinates, length)
    if kind in ("coordinates", "everything") and not together(statement):
        lengths = {q: factor(f"q{i}", True) for i, q in enumerate(statement.coordinates)}
    elif kind == "coordinates":
        lengths = dict.fromkeys(statement.coordinates, factor("length", True))
    time = factor("time", kind in ("time", "all", "everything"))
    energy = factor("mass", kind in ("mass", "all", "everything"))
    rows = [factor(f"row{i}", kind in ("rows", "everything")) for i in range(len(statement.rows))]
    units = Units(lengths, time, energy, rows[:1] * len(rows) if shared(statement) else rows, values)
    numbers = {
        "lengths": [units.number(lengths[q]) for q in statement.coordinates],
        "time": [units.number(time)],
        "energy": [units.number(energy)],
        "rows": [units.number(r) for r in units.rows],
    }
    told = [f"{k} {', '.join(f'{e:g}' for e in v)}" for k, v in numbers.items() if any(e != 1 for e in v)]
    return units, f"{kind}{' as parameters' if symbols else ''} ({'; '.join(told) or 'as it is'})"


def shared(statement: Statement) -> bool:
    """Whether all rows have one factor: friction that follows several multipliers takes them as forces alike."""
    return any(row.nature.options.get("of") for row in statement.rows)


def together(statement: Statement) -> bool:
    """Whether all coordinates have one unit: points do, and a particle whose velocity has a length."""

    def one(nature: Nature) -> bool:
        if nature.name == "Coulomb":
            return nature.options.get("sliding") is None
        return nature.name in ("Viscous", "Quadratic", "Prescribed")

    return bool(statement.points) or any(one(row.nature) for row in statement.rows)


def compared(program: Any, stated: Stated, units: Units) -> Outcome:
    """A motion in its own units and in others."""
    first = moved(program, stated)
    rng = np.random.default_rng(0)
    twins = [moved(program, *rounded(rng, stated)) for _ in range(TWINS)]
    span, accuracy = float(stated.times[-1] - stated.times[0]), float(stated.options.get("tolerance") or EPS)
    return judged(first, twins, moved(program, stated, units), span, accuracy)


def rounded(rng: np.random.Generator, stated: Stated) -> tuple[Stated, Units]:
    """The same with every value of its start, and all that is stated by factors, changed by a few roundings."""
    values: dict[Expr, float] = {}

    def factor(name: str) -> Expr:
        symbol = Symbol(f"unit_{name}", positive=True)
        values[symbol] = 1.0 + CHANGE * rng.choice([-1.0, 1.0])
        return symbol

    statement = stated.statement
    names = ["length"] * len(statement.coordinates) if together(statement) else None
    lengths = {q: factor(names[i] if names else f"q{i}") for i, q in enumerate(statement.coordinates)}
    rows = [factor("row" if shared(statement) else f"row{i}") for i in range(len(statement.rows))]
    units = Units(lengths, factor("time"), factor("mass"), rows, values)
    start = {key: value * (1.0 + CHANGE * rng.choice([-1.0, 1.0])) for key, value in stated.start.items()}
    return stated._replace(start=start), units


def moved(program: Any, stated: Stated, units: Units | None = None) -> Course:
    """What comes of a system in other units, said in the first."""
    statement, start, times, options = stated
    unit, size = 1.0, np.ones(2 * len(statement.coordinates))
    if units is not None:
        unit, size = units.number(units.time), units.sizes(statement.coordinates)
        start, options = units.start(statement.coordinates, start), units.options(options)
        statement = units.statement(statement)
    scaled = times / unit
    try:
        system = statement.system(program)
        motion = system.simulate(
            dict(start), **{"until": scaled[-1], "t0": scaled[0], "samples": scaled, "throw": False, **options}
        )
    except Exception as error:
        words = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        nothing = np.zeros((0, len(size)))
        return Course(type(error).__name__, words, float(times[0]), times[:0], nothing, size * np.nan, [], 0, 0.0)
    place = np.searchsorted(scaled, motion.t)  # the end of a run that stops is no sample
    kept = np.flatnonzero(scaled[np.minimum(place, len(scaled) - 1)] == motion.t)
    return Course(
        str(motion.status.ending),
        str(motion.status),
        float(motion.end_time) * unit,
        times[place[kept]],
        (np.asarray(motion.y).T * size)[kept],
        np.asarray(motion.end_values) * size,
        [(float(e.time) * unit, _told(e, {c.name for c in system.constraints})) for e in motion.events],
        int(motion.statistics["steps"]),
        0.0 if units else _pace(system, motion),
    )


def _told(event: Any, rows: Collection[str]) -> tuple[str, ...]:
    """What an event says; of a switching function, which has the numbers of its units, its signs alone."""
    if set(event.name.split(", ")) <= set(rows):
        return event.kind, event.name, event.before, event.after
    return event.kind, "", *("".join(c for c in text if c in "<>=") for text in (event.before, event.after))


def _pace(system: Any, motion: Any) -> float:
    """The largest |M⁻¹| |Q| at the first samples and the last; zero where an instant has no answer."""
    found = 0.0
    keys = (*system.coordinates, *system.velocities)
    for k in {0, 1, len(motion.t) // 2, len(motion.t) - 1}:
        try:
            now = system.instant(dict(zip(keys, motion.y[:, k], strict=True)), motion.t[k])
            found = max(found, float((np.abs(np.linalg.inv(now.M)) @ np.abs(now.Q)).max()))
        except (IndexError, ValueError, RuntimeError, np.linalg.LinAlgError):
            continue
    return found


def judged(first: Course, twins: Sequence[Course], other: Course, span: float, accuracy: float = EPS) -> Outcome:
    """How the course in other units compares with the first, by what its twins make of rounding."""
    if doubt := next((t.words for t in twins if t.ending != first.ending), ""):
        return Outcome(uncertain=f"rounding changes the ending: {first.words} or {doubt}"[:300])
    if other.ending != first.ending:
        return Outcome(differs=f"{first.words}; in other units {other.words}"[:400])
    if not len(first.times):
        return Outcome()
    steps = STEP * accuracy * max(first.steps, 8)
    sure, allowed = _events_allowed(first, twins, span, steps)
    worst = 0.0
    told = _clusters([e for e in other.events if e[0] < sure], span)
    for (time, names), late in zip(_clusters([e for e in first.events if e[0] < sure], span), allowed, strict=True):
        if not told or told[0][1] != names:
            return Outcome(differs=f"{_said(names)} at t = {time:.9g}; in other units {_heard(told)}"[:400])
        off = abs(told.pop(0)[0] - time)
        worst = max(worst, off / late)
        if off > late:
            return Outcome(f"{_said(names)} at t = {time:.15g}, in other units off by {off:.1e}; allowed {late:.1e}")
    if told:
        return Outcome(differs=f"only in other units {_heard(told)}"[:400])
    found = _states(first, twins, other, sure, steps, worst)
    if found.differs or found.uncertain:
        return found
    if sure < first.end:
        few = sure < first.times[0] + span / 2
        return found._replace(uncertain=f"rounding changes what happens from t = {sure:.6g} on" if few else "")
    late = AMPLIFIED * max(abs(t.end - first.end) for t in twins) + steps * span
    off = abs(other.end - first.end)
    worst = max(found.error, off / late)
    if off > late:
        return Outcome(f"ends at t = {first.end:.15g}, in other units off by {off:.1e}; allowed {late:.1e}")
    return Outcome(error=worst)


def _clusters(events: Sequence[tuple[float, tuple[str, ...]]], span: float) -> list[tuple[float, list]]:
    """Events that happen together: when, and what, in an order of their own."""
    out: list[tuple[float, list]] = []
    for time, name in events:
        if out and time - out[-1][0] <= SEVERAL * span:
            out[-1] = (out[-1][0], sorted([*out[-1][1], name]))
        else:
            out.append((time, [name]))
    return out


def _events_allowed(first: Course, twins: Sequence[Course], span: float, steps: float) -> tuple[float, list[float]]:
    """Until when all twins tell the same events, and how far off each may be."""
    mine = _clusters(first.events, span)
    others = [_clusters(twin.events, span) for twin in twins]
    allowed, sure = [], np.inf
    for k, (time, names) in enumerate(mine):
        found = [o[k] if k < len(o) else (np.inf, []) for o in others]
        late = max(abs(o[0] - time) for o in found)
        if any(o[1] != names for o in found) or late > WORST * span:
            sure = min(time, *(o[0] for o in found)) - 2 * SEVERAL * span
            break
        least = any(name[0] in MINIMA for name in names)
        allowed.append(AMPLIFIED * late + (max(steps, EPS**0.5) if least else steps) * span)
    else:
        more = [o[len(mine)][0] for o in others if len(o) > len(mine)]
        sure = min(more) - 2 * SEVERAL * span if more else np.inf
    return sure, allowed[: sum(time < sure for time, _ in mine)]


def _states(first: Course, twins: Sequence[Course], other: Course, sure: float, steps: float, worst: float) -> Outcome:
    """States at the times that all have, relative to natural sizes.

    The natural size of coordinates, and of velocities, is the largest so far, or the usual one where that is larger.
    A velocity off by rounding leads a coordinate away in time, and so do forces in balance a velocity.
    """
    n = first.states.shape[1] // 2
    count = min(len(c.times) for c in (first, *twins, other))
    found = np.array([[np.abs(s[:n]).max(), np.abs(s[n:]).max()] for s in first.states]).reshape(-1, 2)
    sizes = np.maximum(np.maximum.accumulate(found), np.median(found, axis=0))
    jumps = np.array([t for t, _ in first.events])
    span = first.times[-1] - first.times[0]
    rounding = np.zeros(2)
    for k in range(count):
        time, state = first.times[k], first.states[k]
        if time >= sure:
            break
        if len(jumps) and np.abs(jumps - time).min() <= WORST * span:
            continue  # right before or after a jump
        change = np.max([np.abs(t.states[k] - state) for t in twins], axis=0)
        rounding = np.maximum(rounding, [change[:n].max(), change[n:].max()])
        since = time - first.times[0]
        largest = np.maximum(sizes[k], first.pace * np.array([since**2, since]))
        if (rounding > WORST * largest).any():
            few = since < span / 2
            return Outcome("", f"rounding grows to {np.nanmax(rounding / largest):.0e}" if few else "", worst)
        adrift = steps * sizes[k, 1] + BALANCE * since * first.pace
        places, speeds = AMPLIFIED * rounding + steps * sizes[k] + adrift * np.array([since, 1.0])
        allowed = np.repeat([places, speeds], n)
        off = np.abs(other.states[k] - state)
        ratio = np.where(off > 0, off / np.where(allowed > 0, allowed, np.finfo(float).tiny), 0.0)
        worst = max(worst, float(ratio.max()))
        if not worst <= 1:
            i = int(ratio.argmax())
            return Outcome(
                f"{'q' if i < n else 'v'}{i % n + 1} at t = {time:.9g} is {state[i]:.15g}, in other units off by "
                f"{off[i]:.1e}; allowed {allowed[i]:.1e}",
                error=worst,
            )
    return Outcome(error=worst)


def _said(names: Sequence[tuple[str, ...]]) -> str:
    return " and ".join(f"{kind} {name}" + (f" ({a} to {b})" if a or b else "") for kind, name, a, b in names)


def _heard(told: Sequence[tuple[float, list]]) -> str:
    return f"{_said(told[0][1])} at t = {told[0][0]:.9g}" if told else "nothing more"
