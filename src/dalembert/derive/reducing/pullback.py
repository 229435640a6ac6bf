"""The unconstrained system and the constraints pulled back along y = y(x, t), exactly.

    L'(x, ẋ, t) = L(y, J ẋ + y_t, t),   F' = Jᵀ F;   M' = Jᵀ M J,   Q' = Jᵀ (Q − M γ)

Zubelevich, section 3. What comes out is made shorter, with an effort that is counted.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sympy import Add, Expr, ImmutableDenseMatrix, S

from dalembert.derive.effort import Budget, TooMuch
from dalembert.derive.reducing.chart import Chart
from dalembert.derive.tidy import tidy
from dalembert.model import (
    Constraint,
    Differential,
    Holonomic,
    Lagrangian,
    MassAndForce,
    ModelError,
    Nonholonomic,
    OneSided,
    Particles,
    time,
)
from dalembert.model.constraints import Stated

EFFORT = 2.0  # to make everything shorter


class Shortener:
    """Makes expressions shorter with some units of effort in all; after that it leaves them as they are."""

    def __init__(self, units: float | None = None) -> None:
        self._budget = Budget(EFFORT if units is None else units)
        self.exhausted = False

    def __call__(self, e: Expr, how: Callable[[Expr], Expr] = tidy) -> Expr:
        """The expression, shorter where effort is left."""
        if e.is_Atom:
            return e
        try:
            with self._budget:
                return how(e)
        except TooMuch:
            self.exhausted = True
            return e


def unconstrained(chart: Chart, added: Sequence[Expr], short: Shortener) -> Lagrangian | MassAndForce:
    """The pulled-back system, with the forces `added` (k,) that come with it, in the symbols of the chart."""
    body = chart.system.unconstrained
    if isinstance(body, MassAndForce):
        return _mass_and_force(chart, body, added, short)
    stated: Lagrangian = body.lagrangian if isinstance(body, Particles) else body
    forces = chart.covector({i: chart.pull(f) for i, f in enumerate(stated.forces) if f != 0})
    total = tuple(short(f) + extra for f, extra in zip(forces, added, strict=True))
    return Lagrangian(by_degree(chart, chart.pull(stated.function), short), total)


def by_degree(chart: Chart, L: Expr, short: Shortener) -> Expr:
    """L = ½ ẋᵀ M ẋ + Bᵀ ẋ + L₀ with M, B, L₀ made short; L itself where it is not quadratic in the velocities."""
    a = chart.algebra
    slope = a.gradient(L, a.v)
    curve = {i: a.gradient(p, a.v) for i, p in slope.items()}
    if any(a.gradient(entry, a.v) for row in curve.values() for entry in row.values()):
        return short(L)
    rest = dict.fromkeys(a.v, S.Zero)
    terms = []
    for i in sorted(slope):
        terms.append(short(slope[i].xreplace(rest)) * a.v[i])
        for j, entry in curve[i].items():
            if j >= i:
                entry = short(entry)
                terms.append((entry / 2 if i == j else entry) * a.v[i] * a.v[j])
    return Add(*terms, short(L.xreplace(rest), _level))


def _level(e: Expr) -> Expr:
    """The part without velocities, as it stands where nothing of it is saved: a potential is read by its factors."""
    shorter = tidy(e)
    return e if e.count_ops() <= shorter.count_ops() + 1 else shorter


def _mass_and_force(chart: Chart, body: MassAndForce, added: Sequence[Expr], short: Shortener) -> MassAndForce:
    n, k = chart.n, chart.k
    M = {(i, j): e for i in range(n) for j in range(n) if (e := chart.pull(body.mass[i, j])) != 0}
    carried = [Add(*(M[i, j] * chart.bias[j] for j in range(n) if (i, j) in M)) for i in range(n)]
    Q = chart.covector({i: chart.pull(body.forces[i]) - carried[i] for i in range(n)})
    entries: dict[tuple[int, int], list[Expr]] = {}
    for (i, j), mass in M.items():
        for r, left in chart.J[i].items():
            for s, right in chart.J[j].items():
                if r <= s:
                    entries.setdefault((r, s), []).append(left * mass * right)
    upper = {place: short(Add(*terms)) for place, terms in entries.items()}
    mass = ImmutableDenseMatrix(k, k, lambda r, s: upper.get((min(r, s), max(r, s)), S.Zero))
    return MassAndForce(mass, tuple(short(q) + extra for q, extra in zip(Q, added, strict=True)))


def restored(chart: Chart, body: Lagrangian | MassAndForce) -> Lagrangian | MassAndForce:
    """The same in the coordinates themselves."""
    up = chart.algebra.restore
    if isinstance(body, Lagrangian):
        return Lagrangian(up(body.function), tuple(map(up, body.forces)))
    return MassAndForce(ImmutableDenseMatrix(up(body.mass)), tuple(map(up, body.forces)))


def constraint(chart: Chart, stated: Constraint, nature: Any, short: Shortener) -> Stated:
    """A constraint that stays, in the new coordinates, of this nature.

    Raises ModelError where nothing that moves is left of it, or only coordinates of a relation among velocities.
    """
    up = chart.algebra.restore
    match stated:
        case Differential():
            return Differential(_form(chart, stated, short), stated.name, nature)
        case Nonholonomic():
            expr = short(chart.pull(stated.expr))
            if not expr.has(*chart.algebra.v):
                raise ModelError(
                    f"constraint {stated.name!r}",
                    [f"no velocity is left in it: {up(expr)} = 0; state it as Holonomic, and reduce again"],
                )
            return Nonholonomic(up(expr), stated.name, nature)
        case OneSided():
            gap, bounces = up(short(chart.pull(stated.expr))), up(chart.pull(stated.restitution))
            return OneSided(gap, bounces, stated.name, nature, stated.impact_friction)
        case _:
            return Holonomic(up(short(chart.pull(stated.expr))), stated.name, nature)


def _form(chart: Chart, stated: Differential, short: Shortener) -> dict[Expr, Expr]:
    """The coefficients Ω = ω J of a differential form, and ω y_t + a_t of dt."""
    place = {q: i for i, q in enumerate(chart.system.coordinates)}
    along = {place[q]: chart.pull(a) for q, a in stated.coefficients if q != time()}
    flows = [a * chart.drift[i] for i, a in along.items()]
    flows += [chart.pull(a) for q, a in stated.coefficients if q == time()]
    up = chart.algebra.restore
    parts = zip(chart.embedding.new, chart.covector(along), strict=True)
    form = {q: up(short(e)) for q, e in parts}
    return form | {time(): up(short(Add(*flows)))}


def combined(terms: Iterable[Mapping[int, Expr]]) -> dict[int, Expr]:
    """The sum of sparse vectors."""
    out: dict[int, list[Expr]] = {}
    for one in terms:
        for i, e in one.items():
            out.setdefault(i, []).append(e)
    return {i: Add(*es) for i, es in out.items()}
