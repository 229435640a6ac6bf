"""COMPILE: the statement in compiled expressions, its elimination unrolled; and the plain twin that needs neither.

Importing this room does not import heyoka: `engine` does, when the compiled engine is asked for.
"""

import sys
from importlib.util import find_spec
from typing import Any, Literal

from dalembert.derive.shaking import patterns
from dalembert.engine.narrow import is_narrow
from dalembert.engine.protocol import POWERS, WORKS, Along, Choice, Steps, Variant, Watch, polynomials_at
from dalembert.engine.smoothness import NotSmooth, refuse_switches, refuse_unknown
from dalembert.engine.time_limit import OutOfTime, deadline

__all__ = [
    "POWERS",
    "WORKS",
    "Along",
    "Choice",
    "EngineName",
    "NotSmooth",
    "OutOfTime",
    "Steps",
    "Variant",
    "Watch",
    "compile_seconds",
    "compiled_engine",
    "deadline",
    "engine",
    "is_narrow",
    "patterns",
    "polynomials_at",
    "refuse_switches",
    "refuse_unknown",
]

EngineName = Literal["taylor", "plain"]


def compiled_engine() -> bool:
    """Whether the compiled engine can be used: heyoka is installed."""
    try:
        return find_spec("heyoka") is not None
    except (ImportError, ValueError):  # something stands in its way
        return False


def compile_seconds() -> float:
    """The seconds this process has spent so far in derivation and compilation for the compiled engine."""
    compiling = getattr(
        sys.modules.get("dalembert.engine.compiled"), "compiling", None
    )  # not yet, while it is imported
    return float(compiling.seconds) if compiling is not None else 0.0


def engine(name: EngineName, tolerance: float, compact: bool | None = None) -> Any:
    """The compiled engine or its plain twin, at a tolerance; `compact` is the mode of compilation (None: chosen)."""
    if name == "plain":
        from dalembert.engine.plain import Plain

        return Plain(tolerance)
    from dalembert.engine.taylor import Taylor

    return Taylor(tolerance, compact)
