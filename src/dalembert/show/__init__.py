"""SHOW: what has been derived and proved, for people to read."""

from typing import TYPE_CHECKING, Any

from dalembert.show.classification import Classification
from dalembert.show.equations import Equations
from dalembert.show.finding import Finding, apart
from dalembert.show.summary import Summary

if TYPE_CHECKING:
    from dalembert.show.pictures import plot

__all__ = ["Classification", "Equations", "Finding", "Summary", "apart", "plot"]


def __getattr__(name: str) -> Any:
    """Pictures are read when they are asked for: nothing else waits for matplotlib."""
    if name == "plot":
        from dalembert.show.pictures import plot

        return plot
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
