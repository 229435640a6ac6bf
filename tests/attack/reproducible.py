"""The same input gives the same bits, whatever the load: models in fresh processes while every core is kept busy.

Hashed are the times, states, forces, events and words of a motion, and what is derived in symbols; what the clock says
of a run (its statistics) is not.
"""

import hashlib
import json
import multiprocessing as mp
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
TIMES = 10
LIMIT = 600.0  # seconds a process may take


def fingerprints(name: str) -> dict[str, str]:
    """The hash of each part of what comes of a gallery model."""
    import dalembert as da
    from dalembert import gallery

    system = da.System.load(gallery.path(name))
    return {key: hashlib.sha256(value).hexdigest() for key, value in (*_derived(system), *_moved(system, da))}


def _derived(system: Any) -> Iterator[tuple[str, bytes]]:
    """What is derived in symbols, as text."""
    for key, ask in (
        ("equations", lambda: system.equations().text() + system.equations().latex()),
        ("classification", lambda: str(system.classify())),
        ("minimal", lambda: str(system.minimal())),
        ("check", lambda: str(system.check())),
    ):
        yield key, _words(ask).encode()


def _words(ask: Any) -> str:
    try:
        return str(ask())
    except (ValueError, RuntimeError, ArithmeticError) as error:  # what is refused is refused in the same words
        return f"{type(error).__name__}: {error}"


def _moved(system: Any, program: Any) -> Iterator[tuple[str, bytes]]:
    """What comes of a run, in bits; or the words in which it is refused."""
    try:
        motion = system.simulate(throw=False)
    except (ValueError, RuntimeError, ArithmeticError) as error:
        yield "refused", f"{type(error).__name__}: {error}".encode()
        return
    yield "status", str(motion.status).encode()
    yield "events", repr([tuple(event) for event in motion.events]).encode()
    yield "times", motion.t.tobytes()
    yield "states", motion.y.tobytes() + motion.end_values.tobytes() + repr(motion.end_time).encode()
    for key, part in zip(type(motion.along)._fields, motion.along, strict=True):
        yield key, part.tobytes()
    yield "works", motion.works.tobytes()
    yield "between", motion.at(motion.t[:-1] + 0.37 * (motion.t[1:] - motion.t[:-1])).tobytes()


@contextmanager
def busy(count: int | None = None) -> Iterator[None]:
    """Every core is kept busy, or `count` of them."""
    context = mp.get_context("spawn")
    spinners = [context.Process(target=_spin, daemon=True) for _ in range(count or os.cpu_count() or 1)]
    for spinner in spinners:
        spinner.start()
    try:
        yield
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.join()


def _spin() -> None:
    while True:
        pass


def once(names: Sequence[str], salt: str, compiled: bool = True) -> dict[str, dict[str, str]]:
    """The fingerprints of models from a fresh process, whose hashes of text have a seed of their own.

    `compiled`: code that was compiled before may be taken from heyoka's cache.
    """
    code = (
        "import json, sys, warnings; warnings.simplefilter('ignore'); from attack.reproducible import fingerprints\n"
        "print(json.dumps({name: fingerprints(name) for name in sys.argv[1:]}))"
    )
    path = os.pathsep.join([str(TESTS), str(TESTS.parent / "src")])
    with TemporaryDirectory() as folder:
        cache = {} if compiled else {"HEYOKA_CACHE_DIR": folder}
        done = subprocess.run(
            [sys.executable, "-c", code, *names],
            check=True,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            env=os.environ | {"PYTHONPATH": path, "PYTHONHASHSEED": salt} | cache,
        )
    return json.loads(done.stdout.splitlines()[-1])


def differences(runs: Sequence[dict[str, dict[str, str]]]) -> dict[str, list[str]]:
    """By model, the parts that are not the same in all runs."""
    found = {
        name: sorted({key for run in runs for key in (*run[name], *first) if run[name].get(key) != first.get(key)})
        for name, first in runs[0].items()
    }
    return {name: parts for name, parts in found.items() if parts}


def main(output: str | None = None) -> int:
    """Every model of the gallery ten times, each time in a fresh process on a busy machine."""
    import dalembert
    from dalembert import gallery

    models, runs, bad = gallery.names(), [], {}
    with busy():
        for k in range(TIMES):
            runs.append(once(models, str(k), compiled=k % 5 != 4))
            bad = differences(runs)
            print(f"{k + 1}/{TIMES} {bad or 'the same bits'}", flush=True)
            made = {
                "version": dalembert.__version__,
                "times": len(runs),
                "compiled_afresh": (k + 1) // 5,
                "spinners": os.cpu_count(),
                "models": len(models),
                "differs": bad,
                "fingerprints": {name: {key: h[:16] for key, h in parts.items()} for name, parts in runs[0].items()},
            }
            if output:  # as it stands: a run that is stopped says how far it came
                Path(output).write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    return 1 if bad else 0
