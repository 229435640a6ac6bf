"""Exact arithmetic at random points: residues modulo primes, reals of 50 digits, and jets of expressions over both."""

from dalembert.derive.exact.germs import Germs
from dalembert.derive.exact.leaf import leaf_points
from dalembert.derive.exact.numbers import Unvalued
from dalembert.derive.exact.residues import PRIMES, Points
from dalembert.derive.exact.trials import PROVED, Evidence, Untried, tried, vanishes

__all__ = [
    "PRIMES",
    "PROVED",
    "Evidence",
    "Germs",
    "Points",
    "Untried",
    "Unvalued",
    "leaf_points",
    "tried",
    "vanishes",
]
