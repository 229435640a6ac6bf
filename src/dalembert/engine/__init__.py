"""COMPILE: the statement in compiled expressions, its elimination unrolled once, symbolically and sparsely."""

from dalembert.engine.expressions import Compiled, NotSmooth
from dalembert.engine.recipe import Recipe, recipe

__all__ = ["Compiled", "NotSmooth", "Recipe", "recipe"]
