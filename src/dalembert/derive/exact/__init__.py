"""Exact arithmetic at random points: residues modulo primes, reals of 50 digits, and jets of expressions over both."""

from dalembert.derive.exact.germs import Germs
from dalembert.derive.exact.leaf import leaf_points
from dalembert.derive.exact.numbers import Unvalued
from dalembert.derive.exact.reals import Real
from dalembert.derive.exact.residues import PRIMES, Points
from dalembert.derive.exact.trials import PROVED, UNTRIED, Evidence, Untried, is_closed, tried, vanishes

__all__ = [
    "PRIMES",
    "PROVED",
    "UNTRIED",
    "Evidence",
    "Germs",
    "Points",
    "Real",
    "Untried",
    "Unvalued",
    "is_closed",
    "leaf_points",
    "tried",
    "vanishes",
]
