"""Exact arithmetic at random points: residues modulo primes, balls of real numbers, jets of expressions over both."""

from dalembert.derive.exact.algebraic import constant_is_zero
from dalembert.derive.exact.constants import is_plainly_zero, settled
from dalembert.derive.exact.decimals import Together, exact
from dalembert.derive.exact.germs import Germs
from dalembert.derive.exact.leaf import leaf_points
from dalembert.derive.exact.numbers import Unvalued
from dalembert.derive.exact.reals import Real
from dalembert.derive.exact.residues import PRIMES, Points
from dalembert.derive.exact.trials import BY_ROUNDING, PROVED, UNTRIED, Evidence, Untried, is_closed, tried, vanishes

__all__ = [
    "BY_ROUNDING",
    "PRIMES",
    "PROVED",
    "UNTRIED",
    "Evidence",
    "Germs",
    "Points",
    "Real",
    "Together",
    "Untried",
    "Unvalued",
    "constant_is_zero",
    "exact",
    "is_closed",
    "is_plainly_zero",
    "leaf_points",
    "settled",
    "tried",
    "vanishes",
]
