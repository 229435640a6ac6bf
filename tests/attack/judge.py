"""The verdict on one case: the program is asked through its public interface, and compared with the truth."""

import warnings
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from .case import WORST, Case, Question, Truth


class Verdict(StrEnum):
    """What came of a case."""

    RIGHT = "right"
    REFUSED = "truly refused"
    UNFOUNDED = "refused without reason"
    WRONG = "wrong"
    HUNG = "hung"
    CRASHED = "crashed"
    UNCERTAIN = "uncertain truth"  # does not count


GOOD = {Verdict.RIGHT, Verdict.REFUSED, Verdict.UNCERTAIN}


class Result(NamedTuple):
    """A verdict with the reason for it; `error` is the largest error over the one allowed."""

    verdict: Verdict
    words: str = ""
    error: float | None = None


def certain(case: Case | Question, truth: Truth | None) -> str:
    """Why the truth cannot judge; empty where it can."""
    if isinstance(case, Question):
        return ""
    allowed = case.allowed(truth)
    if not allowed <= max(WORST, case.tolerance or 0):
        return f"a small error of the start grows by {truth.growth:.0e}"
    if not truth.error <= allowed / 10:
        return f"the truth is off by {truth.error:.0e}, {allowed:.0e} is asked"
    return ""


def judge(case: Case | Question, truth: Truth | None, twice: bool = False) -> Result:
    """Run the program on a case, `twice` to see the same bits again; how long it may take is up to the caller."""
    import dalembert as program

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            if isinstance(case, Question):
                return _answer(case, program)
            return _moved(case, truth, program, twice)
        except Exception as error:
            return _raised(case, error, program)


def _raised(case, error: Exception, program) -> Result:
    """An exception is a refusal where the program names its type on its public page."""
    words = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    if not any(getattr(program, kind.__name__, None) is kind for kind in type(error).__mro__):
        return Result(Verdict.CRASHED, words)
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if (motion := getattr(error, "motion", None)) is not None:
        kinds.add(str(motion.status.ending))
    true = case.refusals | getattr(case, "ends", frozenset())
    return Result(Verdict.REFUSED if kinds & true else Verdict.UNFOUNDED, words)


def _answer(case: Question, program) -> Result:
    answer = case.ask(program)
    if fault := case.wrong(answer):
        return Result(Verdict.WRONG, fault, case.error(answer))
    if doubt := case.doubt(answer):
        return Result(Verdict.UNCERTAIN, doubt)
    return Result(Verdict.RIGHT, "", case.error(answer))


def _moved(case: Case, truth: Truth, program, twice: bool) -> Result:
    system = case.statement.system(program)
    times = np.asarray(case.times, float)
    asked = {
        "until": times[-1],
        "t0": times[0],
        "samples": np.r_[times[0:-1:2], times[-1]],
        "throw": False,
        **case.options,
    }
    motion = system.simulate(dict(case.start), **asked)
    ending, reached = str(motion.status.ending), float(motion.t[-1])
    words = str(motion.status)
    stopped = ending != "finished"
    if stopped and truth.end is None and ending not in case.refusals:
        return Result(Verdict.UNFOUNDED, words)
    if stopped and truth.end is not None and ending not in case.ends | case.refusals:
        return Result(Verdict.UNFOUNDED, words)
    if not stopped and truth.end is not None:
        return Result(Verdict.WRONG, f"finished, but there is no motion after t = {truth.end:.9g}")
    if stopped:
        reached = float(motion.end_time)
    if stopped and truth.end is not None and ending in case.ends:
        late = (reached - truth.end) / (times[-1] - times[0])
        if not -case.early <= late <= case.slack:
            return Result(Verdict.WRONG, f"ends at t = {reached:.9g}, truth {truth.end:.9g}: {words}")
    try:
        fault, error = _compared(case, truth, motion, reached, stopped)
    except Exception as failed:
        return Result(Verdict.CRASHED, f"{words}, but to look at it raises {type(failed).__name__}: {failed}"[:400])
    faults = [fault] if fault else []
    faults += [f for law in case.laws for f in law(motion)]
    if not stopped:
        try:
            motion.summary()
        except Exception as failed:
            return Result(Verdict.CRASHED, f"{words}, but summary() raises {type(failed).__name__}: {failed}"[:400])
    if twice:
        again = system.simulate(dict(case.start), **asked)
        if not np.array_equal(again.y, motion.y):
            faults.append("a second run gives other numbers")
    if faults:
        return Result(Verdict.WRONG, "; ".join(faults)[:400], error)
    return Result(Verdict.REFUSED if stopped else Verdict.RIGHT, words if stopped else "", error)


def _compared(case: Case, truth: Truth, motion: Any, reached: float, stopped: bool) -> tuple[str, float]:
    """What is wrong with the states, the events and the columns, and the largest error over the allowed one."""
    times, allowed, scale = np.asarray(case.times, float), case.allowed(truth), case.scale(truth)
    span = times[-1] - times[0]
    # near an end without a limit of velocity the last moment says nothing
    inside = times <= reached - (case.slack * span if stopped else 0.0)
    seen = np.array([np.asarray(motion.at(t), float) for t in times[inside]]).reshape(-1, truth.states.shape[1])
    worst, fault = 0.0, ""
    off = np.abs(seen - np.asarray(truth.states[inside], float)) / scale[inside]
    off[np.isnan(np.asarray(truth.states[inside], float))] = 0.0
    if off.size:
        where = np.unravel_index(np.nanargmax(np.where(np.isfinite(off), off, np.inf)), off.shape)
        worst = float(off[where]) / allowed
        if not worst <= 1:
            keys = [*case.statement.coordinates, *(q.diff() for q in case.statement.coordinates)]
            name = str(keys[where[1]]).replace("(t)", "")
            fault = (
                f"{name} at t = {times[inside][where[0]]:.6g} is {seen[where]:.12g}, "
                f"truth {float(truth.states[inside][where]):.12g}, allowed {allowed * scale[inside][where]:.1e}"
            )
    if not fault:
        fault = _samples(motion, times, truth, scale, allowed)
    if not fault:
        fault = _events(case, truth, motion, reached, span)
    if not fault and not stopped:
        fault = _columns(case, truth, motion, allowed)
    return fault, worst


def _samples(motion, times, truth, scale, allowed) -> str:
    """The samples are the same motion."""
    for k, t in enumerate(np.asarray(motion.t)):
        place = np.flatnonzero(times == t)
        if not len(place) or np.isnan(np.asarray(truth.states[place[0]], float)).any():
            continue
        off = np.abs(np.asarray(motion.y)[:, k] - np.asarray(truth.states[place[0]], float)) / scale[place[0]]
        if not off.max() <= allowed:
            return f"the sample at t = {t:.6g} is off by {off.max():.1e}, the state there is not"
    return ""


def _events(case, truth, motion, reached, span) -> str:
    """Every event of the truth is told, of its kind and at its time."""
    told = [(float(e.time), str(e.kind)) for e in motion.events]
    for time, kind in truth.events:
        if time > reached - case.slack * span:
            continue
        near = [abs(t - time) for t, k in told if k == kind]
        if not near or min(near) > case.slack * span:
            return f"no event {kind} at t = {time:.9g}; told: {told[:6]}"
    return ""


def _columns(case, truth, motion, allowed) -> str:
    """Forces and multipliers."""
    if not truth.columns:
        motion.dataset  # noqa: B018  (it must exist)
        return ""
    data = motion.dataset
    rows = np.searchsorted(np.asarray(case.times, float), np.asarray(motion.t))
    for name, values in truth.columns.items():
        true = np.asarray(values, float)[rows]
        found = np.asarray(data[name].values).reshape(true.shape)
        scale = np.nanmax(np.abs(true)) or 1.0
        off = np.abs(found - true) / scale
        off[np.isnan(true)] = 0.0
        if not off.max() <= max(allowed, 1e-9) * 10:
            k = np.unravel_index(off.argmax(), off.shape)
            return f"{name} at t = {motion.t[k[0]]:.6g} is {found[k]:.9g}, truth {true[k]:.9g}"
    return ""
