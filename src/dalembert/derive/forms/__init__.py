"""Constraints as 1-forms: what they are, how much of a set is integrable, and the set stated holonomically."""

from dalembert.derive.forms.classify import classify
from dalembert.derive.forms.integrate import Integrated, integrated
from dalembert.derive.forms.kinds import Kind, Kinds, Relation

__all__ = ["Integrated", "Kind", "Kinds", "Relation", "classify", "integrated"]
