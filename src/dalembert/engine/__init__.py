"""COMPILE: the statement in compiled expressions, its elimination unrolled; and the plain twin that needs neither.

Importing this room does not import heyoka: `flow` does, when the compiled engine is asked for.
"""

from importlib.util import find_spec
from typing import Literal

from dalembert.derive import Array
from dalembert.engine.flow import WORKS, Along, Choice, Flow, Piece, Watch
from dalembert.engine.smooth import NotSmooth, refuse_switches
from dalembert.model import Statement

__all__ = ["WORKS", "Along", "Choice", "Engine", "Flow", "NotSmooth", "Piece", "Watch", "compiled_engine", "flow"]

Engine = Literal["taylor", "plain"]


def compiled_engine() -> bool:
    """Whether the compiled engine can be used: heyoka is installed."""
    try:
        return find_spec("heyoka") is not None
    except (ImportError, ValueError):  # something stands in its way
        return False


def flow(
    engine: Engine,
    system: Statement,
    values: Array,
    t: float,
    state: Array,
    tolerance: float,
    compact: bool | None = None,
    choice: Choice | None = None,
) -> Flow:
    """An engine ready to move a system from a state (2n,) at t with parameter values in the order of `symbols`.

    `compact` is the mode of compilation (None: chosen by size and length); `choice` a choice of rows made before.
    Raises NotSmooth where the statement switches, StateError, MassError or ContradictionError where no motion exists.
    """
    refuse_switches(system)
    if engine == "plain":
        from dalembert.engine.plain import Plain

        return Plain(system, values, t, state, tolerance)
    from dalembert.engine.taylor import Taylor

    return Taylor(system, values, t, state, tolerance, compact, choice)
