"""One peer on one problem: setup, best run, error and drift, or the reason why there is none."""

import os
import sys
from collections.abc import Callable
from contextlib import contextmanager
from time import perf_counter

import numpy as np

from peers import NotApplicable, Run, load
from problems import Problem
from reference import Reference

ENOUGH = 0.25  # seconds after which more repeats than asked for add nothing
LONG = 5.0  # seconds: a run that takes so long is not repeated
WRONG = 0.1  # metres off: not the motion that was asked for


def measure(key: str, problem: Problem, reference: Reference, repeats: int, small: bool) -> list[dict]:
    """A row for each mode and accuracy of the peer (`small`: two modes, one accuracy).

    `setup_seconds` is all that a first run takes beyond a later one.
    """
    about = {"problem": problem.name, "peer": key}
    try:
        peer = load(key)
    except ImportError as missing:
        return [about | {"status": "not installed", "reason": str(missing)}]
    rows = []
    for plan in peer.plans(problem)[: 2 if small else None]:
        this = about | {"mode": plan.mode}
        getattr(peer, "forget", lambda: None)()
        try:
            with quiet():
                begin = perf_counter()
                run = peer.prepare(problem, plan.mode)
                prepared = perf_counter() - begin
            for accuracy in plan.accuracies[: 1 if small else None]:
                with quiet():
                    row = _timed(run, accuracy, repeats)
                verdict = _judged(row.pop("run"), problem, reference)
                if getattr(peer, "SHARED", False):  # what the first accuracy compiles serves all
                    prepared += row["setup_seconds"]
                    row["setup_seconds"] = 0.0
                row["setup_seconds"] += prepared
                rows.append(this | {"accuracy": accuracy} | row | verdict)
        except NotApplicable as reason:
            rows.append(this | {"status": "not applicable", "reason": str(reason)})
        except Exception as failure:  # whatever a peer raises is its result
            rows.append(this | {"status": "failed", "reason": _first_words(failure)})
    return rows


def _timed(run: Callable[[float | None], Run], accuracy: float | None, repeats: int) -> dict:
    begin = perf_counter()
    out = run(accuracy)
    first = perf_counter() - begin
    times, inner = [], [out.seconds]
    while len(times) < repeats or (repeats > 1 and sum(times) < ENOUGH):
        begin = perf_counter()
        out = run(accuracy)
        times.append(perf_counter() - begin)
        inner.append(out.seconds)
        if times[-1] > LONG:
            break
    own = min((s for s in inner if s is not None), default=None)
    return {
        "setup_seconds": max(0.0, first - min(times)),
        "run_seconds": min(times),
        "integration_seconds": own,
        "repeats": len(times),
        "steps": out.steps,
        "run": out,
    }


def _judged(out: Run, problem: Problem, reference: Reference) -> dict:
    end = np.atleast_2d(out.q)[-1].astype(np.longdouble)
    error = float(np.abs(problem.positions(end) - reference.positions).max())
    verdict = {"status": "done", "error": error, "drift": problem.drift(out.q, out.v)}
    if not error < WRONG:
        verdict |= {"status": "wrong", "reason": f"ends {error:.2g} m from where it should"}
    return verdict


def _first_words(failure: Exception) -> str:
    lines = [line.strip() for line in str(failure).splitlines() if line.strip()]
    return f"{type(failure).__name__}: {lines[-1][:160] if lines else 'no message'}"


@contextmanager
def quiet():
    """Nothing a compiled peer prints by itself reaches the terminal."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for stream, saved in zip((1, 2), kept, strict=True):
            os.dup2(saved, stream)
            os.close(saved)
        os.close(nowhere)
