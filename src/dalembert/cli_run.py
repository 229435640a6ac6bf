"""What `dalembert run` does: check everything that was asked, move, keep."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dalembert.cli_progress import Bar

if TYPE_CHECKING:
    from dalembert.motion.certificate import MotionCertificate
    from dalembert.show import Summary
    from dalembert.system import Motion, System

PICTURES = (".png", ".svg", ".pdf")
MODEL, DATA, SUMMARY = "model.toml", "motion.nc", "summary.json"


@dataclass(frozen=True)
class Wanted:
    """What was asked on the command line; None is left to the model, or to the usual."""

    model: str
    file: Path
    until: float | None
    changes: Sequence[str]
    tolerance: float | None
    samples: int | None
    engine: str | None
    folder: Path | None
    picture: Path | None


def move(system: "System", wanted: Wanted) -> "Motion":
    """The motion as it was asked for, however it ended; raises `ModelError` with every fault of what was asked."""
    from dalembert.model import StateError, refuse

    faults: list[str] = []
    parameters = _parameters(system, wanted.changes, faults)
    faults += _obstacles(wanted)
    refuse(StateError, "what was asked", faults)
    until = system.until if wanted.until is None else wanted.until
    with Bar(sys.stderr, until) as bar:
        return system.simulate(
            until=wanted.until,
            tolerance=wanted.tolerance,
            samples=wanted.samples,
            parameters=parameters,
            engine=wanted.engine,  # type: ignore[arg-type]  # checked where all faults of a run are found together
            progress=bar,
            throw=False,
        )


def keep(
    motion: "Motion", summary: "Summary", wanted: Wanted, certificate: "MotionCertificate | None" = None
) -> list[str]:
    """Write what was asked for, and say which files were written."""
    kept = []
    if (folder := wanted.folder) is not None:
        folder.mkdir(parents=True, exist_ok=True)
        _keep_model(motion, wanted, folder / MODEL)
        motion.save(folder / DATA)
        text = dumps(document(motion, summary, wanted, certificate), ensure_ascii=False, indent=2, allow_nan=False)
        (folder / SUMMARY).write_text(text + "\n", encoding="utf-8")
        kept += [str(folder / name) for name in (DATA, SUMMARY, MODEL)]
    if wanted.picture is not None:
        motion.plot().savefig(wanted.picture)
        kept.append(str(wanted.picture))
    return kept


def _keep_model(motion: "Motion", wanted: Wanted, path: Path) -> None:
    """Write the model that moves like this when it is run again: the file as it is where nothing else was asked."""
    values = dict(zip(motion.system.symbols, map(float, motion.values), strict=True))
    asked = {"until": wanted.until, "tolerance": wanted.tolerance, "engine": wanted.engine}
    moved = motion.system.with_parameters(values).with_run(**asked)
    if moved == motion.system:
        path.write_bytes(wanted.file.read_bytes())
    else:
        moved.save(path)


def document(
    motion: "Motion", summary: "Summary", wanted: Wanted, certificate: "MotionCertificate | None" = None
) -> dict[str, Any]:
    """The run for a program to read; the samples only where their number was asked for."""
    found = {"model": wanted.model, "name": summary.name, **summary.as_dict()}
    if wanted.samples is not None:
        found["samples"] = {"state": list(summary.end), "t": motion.t.tolist(), "y": motion.y.tolist()}
    if certificate is not None:
        found["certificate"] = certificate.as_dict()
    return found


def _parameters(system: "System", changes: Sequence[str], faults: list[str]) -> dict[str, float]:
    """The values given by NAME=VALUE."""
    from dalembert.model import name_of

    known = [s.name for s in system.symbols]
    moving = {name_of(key) for key in (*system.coordinates, *system.velocities)}
    values: dict[str, float] = {}
    for change in changes:
        name, equals, text = (part.strip() for part in change.partition("="))
        value = _number(text)
        if not equals or not name:
            faults.append(f"--set {change!r} is not of the form NAME=VALUE")
            continue
        if value is None:
            faults.append(f"--set {name}: {text!r} is not a number")
        if name in values:
            faults.append(f"--set {name} is given more than once")
        elif name in moving:
            faults.append(f"--set {name}: {name} is not a parameter but moves; its start is stated in the model file")
        elif name not in known:
            faults.append(f"--set {name}: there is no such parameter; {_hint(name, known)}")
        values[name] = value or 0.0
    return values


def _number(text: str) -> float | None:
    from dalembert.model import as_number

    try:
        return as_number(float(text))
    except ValueError:
        return None


def _hint(name: str, known: Sequence[str]) -> str:
    if near := get_close_matches(name, known, n=1):
        return f"did you mean {near[0]}?"
    return f"there are {', '.join(known[:20])}" if known else "the model has none"


def _obstacles(wanted: Wanted) -> Iterator[str]:
    """What is known before the run to be in the way of keeping it."""
    if (folder := wanted.folder) is not None:
        above = next(p for p in (folder, *folder.absolute().parents) if p.exists())
        if not above.is_dir():
            yield f"-o {folder}: {above} is a file, a directory is meant"
    if wanted.picture is not None:
        yield from picture_faults("--plot", wanted.picture)


def picture_faults(option: str, picture: Path) -> Iterator[str]:
    """What is in the way of drawing a picture to a file."""
    if picture.suffix.lower() not in PICTURES:
        yield f"{option} {picture}: the name must end in {', '.join(PICTURES[:-1])} or {PICTURES[-1]}"
    elif picture.is_dir() or not picture.absolute().parent.is_dir():
        yield f"{option} {picture}: there is no such directory, or it is one itself"
