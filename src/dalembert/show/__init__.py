"""SHOW: what has been derived, for people to read."""

from dalembert.show.equations import Equations

__all__ = ["Equations"]
