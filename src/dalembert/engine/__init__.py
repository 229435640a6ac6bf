"""COMPILE: the statement in compiled expressions, its elimination unrolled; and the plain twin that needs neither.

Importing this room does not import heyoka: `flow` does, when the compiled engine is asked for.
"""

import sys
from importlib.util import find_spec
from math import inf
from typing import Literal

import numpy as np

from dalembert.derive import Array, form
from dalembert.derive.switching.stage import Stage, whole
from dalembert.engine.flow import POWERS, WORKS, Along, Choice, Flow, Piece, Watch
from dalembert.engine.smooth import NotSmooth, refuse_switches, refuse_unknown
from dalembert.model import Statement

__all__ = [
    "POWERS",
    "WORKS",
    "Along",
    "Choice",
    "Engine",
    "Flow",
    "NotSmooth",
    "Piece",
    "Watch",
    "compile_seconds",
    "compiled_engine",
    "distance",
    "flow",
    "refuse_switches",
    "refuse_unknown",
]

Engine = Literal["taylor", "plain"]


def compiled_engine() -> bool:
    """Whether the compiled engine can be used: heyoka is installed."""
    try:
        return find_spec("heyoka") is not None
    except (ImportError, ValueError):  # something stands in its way
        return False


def compile_seconds() -> float:
    """The seconds this process has spent so far in derivation and compilation for the compiled engine."""
    program = sys.modules.get("dalembert.engine.program")
    return program.compiling.seconds if program else 0.0


def distance(engine: Engine, system: Statement, values: Array, t: float, state: Array) -> float:
    """How far a state (2n,) is from the constraints, by the compiled functions; infinite where they cannot tell.

    They are the ones a run needs, and cost less than the derivation in symbols that names what is wrong.
    """
    refuse_switches(system)
    m = len(system.constraints)
    if engine == "plain" or not m:
        return inf if m else 0.0
    from dalembert.engine.program import code

    compiled = code(whole(form(system)), Choice(tuple(range(m)), False))
    out = compiled.watch(state[None, :], np.array([t]), compiled.numbers(values))[0, : 3 * m]
    level, rate, length = out.reshape(3, m)
    with np.errstate(all="ignore"):
        worst = float((np.maximum(np.abs(level), np.abs(rate)) / length).max())
    return worst if worst == worst else inf


def flow(
    engine: Engine,
    system: Statement,
    values: Array,
    t: float,
    state: Array,
    tolerance: float,
    compact: bool | None = None,
    choice: Choice | None = None,
    stage: Stage | None = None,
) -> Flow:
    """An engine ready to move a system from a state (2n,) at t with parameter values in the order of `symbols`.

    `compact` is the mode of compilation (None: chosen by size and length); `choice` a choice of rows made before. A
    `stage` of a system that switches is moved as it is, `values` being those of its statement.
    Raises NotSmooth where the statement switches, StateError, MassError or ContradictionError where no motion exists.
    """
    if stage is None:
        refuse_switches(system)
    if engine == "plain":
        from dalembert.engine.plain import Plain

        return Plain(system, values, t, state, tolerance)
    from dalembert.engine.taylor import Taylor

    return Taylor(system, values, t, state, tolerance, compact, choice, stage)
