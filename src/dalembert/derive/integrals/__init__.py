"""First integrals of sets of 1-forms, in symbols."""

from dalembert.derive.integrals.potential import integrating_factor, potential
from dalembert.derive.integrals.search import find_integrals

__all__ = ["find_integrals", "integrating_factor", "potential"]
