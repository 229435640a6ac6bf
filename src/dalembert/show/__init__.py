"""SHOW: what has been derived and proved, for people to read."""

from dalembert.show.equations import Equations
from dalembert.show.finding import Finding

__all__ = ["Equations", "Finding"]
