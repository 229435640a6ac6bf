"""Whether forms have real values anywhere: residues do not ask, for modulo a prime every logarithm has a value."""

from random import Random

from sympy import Expr, Pow, S, acos, acosh, asin, atanh, log

from dalembert.derive.exact import Germs, Real, Unvalued
from dalembert.derive.exact.leaf import rough_points
from dalembert.derive.exact.trials import SPREADS
from dalembert.derive.forms.frobenius import Row
from dalembert.derive.forms.ground import Ground

ENDING = (log, asin, acos, acosh, atanh)  # functions that end somewhere, as roots do
TRIES = 48


def is_real_somewhere(row: Row, ground: Ground) -> bool:
    """Whether a place was found at which all coefficients of a row have real values."""
    ending = [e for a in row for e in a.atoms(Pow, *ENDING) if e.free_symbols and _ends(e)]
    if not ending:
        return True
    try:
        if ground.near and _exists(row, Real(Random(0), ground.near)):
            return True
        tries = (Real(Random(k), spread=SPREADS[k % len(SPREADS)], signs=k % 3 > 0) for k in range(TRIES))
        return any(_exists(row, real) for real in tries) or _sought(row, ending, ground)
    except Unvalued:
        return True


def _ends(e: Expr) -> bool:
    return not isinstance(e, Pow) or not e.exp.is_Integer


def _exists(row: Row, real: Real) -> bool:
    germs = Germs(real, (), 0)
    for a in row:
        germs.jet(a)
    return bool(real.good.all())


def _sought(row: Row, ending: list[Expr], ground: Ground) -> bool:
    """Whether a place is found where what stands under logarithms and roots is one, and under inverse functions ½."""
    half = (asin, acos, atanh)
    wanted = [e.args[0] - (S.Half if isinstance(e, half) else S.One) for e in ending]
    return any(_exists(row, Real(Random(0), at)) for at in rough_points(wanted, ground.variables, ground.near))
