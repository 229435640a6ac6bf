"""First integrals as linear combinations of stated functions, by linear algebra modulo primes."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from sympy import Expr

from dalembert.derive.integrals.nullspace import contract, kernel, rank
from dalembert.derive.integrals.recover import Recovery, setting
from dalembert.derive.integrals.sets import Basis, Conditions, Pfaffian, conditions, gradient


def combined(forms: Pfaffian, basis: Basis, found: Sequence[Expr], wanted: int) -> Iterator[dict[Expr, Expr]]:
    """Up to `wanted` integrals Σ c m as {m: c}, independent of each other and of those found, simplest first."""
    now = conditions(forms, basis, len(basis), values=setting(forms.parameters))
    solved = kernel(now.matrix.reshape(-1, len(basis)), now.prime)
    if not solved.free:
        return
    known = _slopes(forms, found, now)
    recovery = Recovery(forms.parameters, partial(conditions, forms, basis))
    for vector in solved.vectors:
        larger = np.vstack([known, contract(now.gradients[0], vector[:, None], now.prime).T])
        if rank(larger, now.prime) < len(larger):
            continue
        support = [int(k) for k in np.flatnonzero(vector)]
        coefficients = recovery.coefficients(support)
        if coefficients is None:
            continue
        known = larger
        yield dict(zip(map(basis.function, support), coefficients, strict=True))
        wanted -= 1
        if not wanted:
            return


def _slopes(forms: Pfaffian, found: Sequence[Expr], now: Conditions) -> np.ndarray:
    if not found:
        return np.zeros((0, len(forms.moving)), dtype=np.int64)
    return np.stack([gradient(f, forms.moving, now.points)[now.good[0]] for f in found])
