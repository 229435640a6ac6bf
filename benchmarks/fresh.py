"""What is measured in a process of its own: compilation with an empty and a filled cache, and the command line.

heyoka keeps compiled code in the folder named by HEYOKA_CACHE_DIR; an empty folder makes a cold start. The same file is
the program those processes run: `python benchmarks/fresh.py CASE`, which prints one line of JSON.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

MODEL = "rolling-disk"  # a small model in which nothing switches
COMMAND = ["-m", "dalembert", "run", MODEL]
IMPORTS = ["-c", "import sympy, heyoka"]
PENDULUMS = {"8-link pendulum, absolute angles": (8, False), "8-link pendulum, relative angles": (8, True)}
SMALL_PENDULUMS = {"2-link pendulum, absolute angles": (2, False)}
LIMIT = 900  # seconds


class Failed(RuntimeError):
    """A process ended with an error; the message is the last line it wrote."""


def process(arguments: list[str], cache: str) -> tuple[float, str]:
    """Run Python on the arguments with its compiled code in `cache`; wall seconds and what it printed."""
    here = Path(__file__).resolve().parent
    begin = perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=LIMIT, cwd=here,
        env=os.environ | {"HEYOKA_CACHE_DIR": cache},
    )  # fmt: skip
    seconds = perf_counter() - begin
    if done.returncode:
        raise Failed((done.stderr.strip().splitlines() or ["no message"])[-1])
    return seconds, done.stdout


def compilation(n: int) -> dict:
    """The chain of n masses to its first motion, in two fresh processes: the cache empty, then filled."""
    with TemporaryDirectory() as cache:
        cold, warm = (json.loads(process(["fresh.py", f"chain {n}"], cache)[1]) for _ in range(2))
    return {"masses": n, "cold": cold, "warm": warm}


def command(repeats: int) -> dict:
    """Wall seconds of the command line on a small model, against importing what it stands on."""
    with TemporaryDirectory() as cache:
        process(COMMAND, cache), process(IMPORTS, cache)  # compile Python files, read libraries from disk
        warm = min(process(COMMAND, cache)[0] for _ in range(repeats))
        imports = min(process(IMPORTS, cache)[0] for _ in range(repeats))
    cold = []
    for _ in range(repeats):
        with TemporaryDirectory() as cache:
            cold.append(process(COMMAND, cache)[0])
    return {"imports": imports, "warm": warm, "cold": min(cold)}


def statement(case: str) -> dict:
    """From a Lagrangian to code ready to run, cold: this project (compact mode) and SymPy."""
    with TemporaryDirectory() as cache:
        mine = json.loads(process(["fresh.py", case], cache)[1])["seconds"]
        peer = json.loads(process(["fresh.py", case, "sympy"], cache)[1])["seconds"]
    return {"case": case, "seconds": mine, "sympy_seconds": peer, "ratio": peer / mine}


def child(case: str, peer: str | None) -> dict:
    """What a fresh process does: the Lagrangian is written, then the clock starts."""
    from derivation import pendulum
    from peers import ours, sympy_scipy
    from peers.statement import Stated, state
    from problems import chain

    pendulums = PENDULUMS | SMALL_PENDULUMS
    if case in pendulums:
        written = pendulum(*pendulums[case])
        stated, until = Stated(written.L, written.q, written.v, [], [], written.values, written.state), 1e-3
    else:
        problem = chain(int(case.split()[1]), 1.0)
        stated, until = state(problem), problem.until
    begin = perf_counter()
    if peer == "sympy":
        sympy_scipy.derive(stated)
        return {"seconds": perf_counter() - begin}
    motion = ours.system(stated).simulate(stated.start, until=until, samples=2, compile="compact")
    seconds, facts = perf_counter() - begin, motion.statistics
    return {
        "seconds": seconds - facts["run_seconds"],
        "compile_seconds": facts["compile_seconds"],
        "run_seconds": facts["run_seconds"],
        "steps": facts["steps"],
    }


if __name__ == "__main__":
    print(json.dumps(child(sys.argv[1], *sys.argv[2:3] or [None])))
