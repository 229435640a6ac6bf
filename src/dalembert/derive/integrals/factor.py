"""Integrating factors of one 1-form, sought as products of powers: μ = Π p^c exp(Σ a m).

d(μ ω) = 0 is linear in the exponents: Σ c (dp/p) ∧ ω + Σ a dm ∧ ω + dω = 0. Prelle and Singer 1983 show that a plane
form with an elementary integral has such a factor; symmetries give more candidates, 1/ω(Z) for each field Z whose flow
carries ω into a multiple of itself.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from sympy import (
    Add,
    Expr,
    Integer,
    Matrix,
    Mul,
    Poly,
    Symbol,
    cancel,
    exp,
    fraction,
    gcd_list,
    lcm_list,
    log,
    together,
)
from sympy.polys.polyerrors import BasePolynomialError

from dalembert.derive.effort import spend, weigh
from dalembert.derive.exact import Points, Unvalued
from dalembert.derive.integrals.nullspace import kernel
from dalembert.derive.integrals.recover import Recovery, setting
from dalembert.derive.integrals.sets import DRAWS, SPARE, Basis, Conditions, Pfaffian, slope
from dalembert.derive.integrals.shapes import exponents, factors, generators, split

DEGREE = 2  # of the exponent Σ a m in what occurs in the form
MOST_TERMS = 300  # of a row that is cancelled
STEPS = 1e-3  # for each pair of functions
MOST_BASIS = 400  # functions that exponents are sought for


def factor_of(forms: Pfaffian) -> Expr | None:
    """μ with μ ω closed, for the first of the forms alone; None when it has none of this shape."""
    gens = generators(forms)
    bases = dict.fromkeys((*factors(forms, gens), *_scalings(forms)))
    basis = Basis(gens, exponents(gens, DEGREE), tuple(map(log, bases)))
    if len(basis) > MOST_BASIS:
        return None
    spend(STEPS * len(basis) ** 2)
    ask = partial(_closing, forms, basis)
    now = ask(len(basis) + 1, values=setting(forms.parameters))
    solved = kernel(now.matrix.reshape(-1, len(basis) + 1), now.prime)
    if not solved.free or solved.free[-1] != len(basis):
        return None
    support = [int(k) for k in np.flatnonzero(solved.vectors[-1])]
    found = Recovery(forms.parameters, ask).coefficients(support)
    if found is None:
        return None
    scale = found[-1]
    parts = {basis.function(k): cancel(c / scale) for k, c in zip(support[:-1], found[:-1], strict=True)}
    powers = Mul(*(m.args[0] ** c for m, c in parts.items() if isinstance(m, log)))
    return powers * exp(Add(*(c * m for m, c in parts.items() if not isinstance(m, log))))


def _closing(forms: Pfaffian, basis: Basis, unknowns: int, **drawn: Any) -> Conditions:
    """The coefficients of dx_i ∧ dx_j in dm ∧ ω for every m of the basis, and in dω as the last column."""
    pairs = list(combinations(range(len(forms.moving)), 2))
    wanted = (unknowns + SPARE) // max(1, len(pairs)) + 2
    for times in DRAWS:
        points = Points(forms.variables, wanted * times, **drawn)
        p, row = points.prime, forms.at(points)[:, 0]
        slopes = basis.gradients(forms.moving, points)
        matrix = np.zeros((points.count, len(pairs), len(basis) + 1), dtype=np.int64)
        for k, (i, j) in enumerate(pairs):
            matrix[:, k, :-1] = (slopes[:, i] * row[:, j, None] % p - slopes[:, j] * row[:, i, None] % p) % p
            x, y = forms.moving[i], forms.moving[j]
            turn = slope(forms.rows[0].get(y, Integer(0)), x), slope(forms.rows[0].get(x, Integer(0)), y)
            matrix[:, k, -1] = (points.of(turn[0]) - points.of(turn[1])) % p
        good = np.flatnonzero(points.good)
        if good.size >= wanted:
            good = good[:wanted]
            return Conditions(matrix[good], slopes[good], points, good, p)
    raise Unvalued("too few points where all coefficients are defined")


def reduced(row: Mapping[Symbol, Expr], forms: Pfaffian) -> Pfaffian:
    """The form of a row, multiplied so that its coefficients have no denominators and no common factor."""
    pivot = next(iter(row.values()))
    weigh(*(e / pivot for e in row.values()), most=MOST_TERMS)
    ratios = {x: cancel(together(e / pivot)) for x, e in row.items()}
    bottom = lcm_list([fraction(e)[1] for e in ratios.values()])
    tops = {x: cancel(e * bottom) for x, e in ratios.items()}
    common = gcd_list(list(tops.values()))
    return Pfaffian(({x: cancel(e / common) for x, e in tops.items()},), forms.variables)


def _scalings(forms: Pfaffian) -> Iterator[Expr]:
    """Factors of Σ w x ω_x for weights w under which the form is homogeneous."""
    row = forms.rows[0]
    try:
        polys = {x: Poly(row[x], *forms.moving) for x in forms.moving}
    except BasePolynomialError:
        return
    if any(c.free_symbols & set(forms.variables) for poly in polys.values() for c in poly.coeffs()):
        return
    degrees = [
        [e + (y == x) for e, y in zip(m, forms.moving, strict=True)] for x, p in polys.items() for m in p.monoms()
    ]
    for weights in Matrix([[a - b for a, b in zip(d, degrees[0], strict=True)] for d in degrees]).nullspace():
        flow = Add(*(w * x * row[x] for w, x in zip(weights, forms.moving, strict=True)))
        weigh(flow, most=MOST_TERMS)
        if flow.expand() != 0:
            yield from split(flow.expand(), forms)
