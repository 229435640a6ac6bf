"""What the natures of eliminated constraints become: active forces Jᵀ C of the reduced system.

The multipliers of the ideal problem stand in them as functions of x, ẋ, t. A friction that slides in one direction is
written by the sign of its velocity, so that it can stick; in more directions it is a force along v/|v|.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sympy import Add, Expr, Mul, Rational, S, sign, sqrt

from dalembert.derive.natures import Friction, coulomb
from dalembert.derive.prepared import Prepared
from dalembert.derive.reducing.chart import Chart
from dalembert.derive.reducing.coupling import coupled
from dalembert.derive.reducing.pullback import Shortener, combined
from dalembert.derive.reducing.pulled_natures import alone, cannot, known
from dalembert.model import Coulomb, Ideal, ModelError


@dataclass(frozen=True)
class Rubbing:
    """A friction that has become an active force: of a constraint, at most `size`, against the `speed`."""

    constraint: str
    size: Expr
    speed: Expr


@dataclass(frozen=True)
class Worked:
    """What the eliminated constraints leave of their natures: forces (k,), the frictions in them, and notes."""

    forces: tuple[Expr, ...]
    rubs: tuple[Rubbing, ...] = ()
    notes: tuple[str, ...] = ()


def eliminated(chart: Chart, rows: Collection[int], short: Shortener) -> Worked:
    """The active forces Jᵀ C that the natures of eliminated constraints become, in the symbols of the chart.

    Raises ModelError where that cannot be said exactly, with the advice to keep such a constraint.
    """
    own = [j for j in rows if not isinstance(chart.system.constraints[j].nature, Ideal)]
    if not own:
        return Worked((S.Zero,) * chart.k)
    for j in own:
        _refuse_friction(chart, j)
    kept = alone(chart, own)
    d = kept.derived
    subject = ", ".join(chart.system.constraints[j].name for j in own)
    lam = known(chart, kept, [*d.C, *(f.size for f in d.friction)], rows, subject, named=False)
    C = {i: chart.pull_from(kept.algebra, e, lam) for i, e in enumerate(d.C) if e != 0}
    forces: list[dict[int, Expr]] = [dict(enumerate(short(e) for e in chart.covector(C)))]
    rubs, notes = [], []
    for f in d.friction:
        size = _roots(chart.pull_from(kept.algebra, f.size, lam), short)
        force, rub = _rubbed(chart, kept, f, size, short)
        forces.append(force)
        if rub is None:
            notes.append(
                f"the friction of {f.constraint!r} slides in more than one direction: as a force against the velocity "
                "it cannot stick, and a motion ends where it comes to rest; leave the constraint where it should stick"
            )
        else:
            rubs.append(rub)
    _refuse_coupled(chart, rows, {r.constraint for r in rubs}, kept)
    total = combined(forces)
    return Worked(tuple(total.get(j, S.Zero) for j in range(chart.k)), tuple(rubs), tuple(notes))


def _refuse_friction(chart: Chart, row: int) -> None:
    constraint = chart.system.constraints[row]
    nature = constraint.nature
    if not isinstance(nature, Coulomb):
        return
    if nature.normal == "actual":
        raise cannot(constraint.name, "friction follows the actual normal force, which is found with the acceleration")
    if nature.static is not None and nature.static != nature.coefficient:
        raise cannot(constraint.name, "an active force holds what is at rest no better than it slows down what moves")


def _refuse_coupled(chart: Chart, rows: Collection[int], rubbing: Collection[str], kept: Prepared) -> None:
    """Frictions that stick, eliminated or not, must not change the multipliers in what becomes an active force."""
    constraints, d = chart.system.constraints, kept.derived
    used = [
        j for j, lam in enumerate(kept.algebra.lam) if any(e.has(lam) for e in (*d.C, *(f.size for f in d.friction)))
    ]
    sticking = {*rubbing, *(c.name for j, c in enumerate(constraints) if j not in rows)}
    for name, j in coupled(chart, sticking, used):
        own = next(constraints[r].name for r in rows if not isinstance(constraints[r].nature, Ideal))
        subject = name if name in rubbing else own
        raise ModelError(
            f"the nature of constraint {subject!r}",
            [
                f"where the friction of {name!r} sticks, the force that holds changes that of {constraints[j].name!r}, "
                "which presses, and an active force would stick up to another bound: leave the constraint out of the "
                "embedding, or state the friction as an active force in the system itself"
            ],
        )


def _rubbed(
    chart: Chart, kept: Prepared, f: Friction[Expr], size: Expr, short: Shortener
) -> tuple[dict[int, Expr], Rubbing | None]:
    """−size Jᵀ along/speed; in one direction by the sign of its velocity, so that it can stick."""
    a = chart.algebra
    square = chart.pull_from(kept.algebra, f.speed**2)
    given = _given(chart, f.constraint)
    moved = {j for j in range(chart.k) if square.has(a.v[j])}
    still = dict.fromkeys(a.v, S.Zero)
    if given is not None and len(given) == 1:
        slope = {j: short(g) for j, g in a.gradient(given[0], a.v).items()}
        speed = Add(*(g * a.v[j] for j, g in slope.items()), short(given[0].xreplace(still)))
        factor = _common(slope, speed, a.v)
        if factor is not None:  # s = g ẋ: |g| and the sign of ẋ
            ((j, g),) = slope.items()
            return {j: -_signed(size * abs(g), a.v[j])}, Rubbing(f.constraint, size * abs(g), a.v[j])
        force = _signed(size, speed)
        return {j: -force * g for j, g in slope.items()}, Rubbing(f.constraint, size, speed)
    if len(moved) == 1 and square.xreplace(still) == 0:
        (j,) = moved
        length = sqrt(short(square.xreplace({**still, a.v[j]: S.One})))
        load = short(size * length)
        return {j: -_signed(load, a.v[j])}, Rubbing(f.constraint, load, a.v[j])
    along = chart.covector({i: chart.pull_from(kept.algebra, e) for i, e in f.along.items()})
    speed = sqrt(short(square))
    return {j: -size * short(e) / speed for j, e in enumerate(along) if e != 0}, None


def _signed(size: Expr, speed: Expr) -> Expr:
    """size · sign(speed); a size that is a multiple of |speed| does not switch: |s| sign(s) = s."""
    for factor in Mul.make_args(size):
        base, power = factor.as_base_exp()
        if base == abs(speed) and power.is_Integer and power > 0:
            return size / factor * speed * abs(speed) ** (power - 1)
    return size * sign(speed)


def _common(slope: dict[int, Expr], speed: Expr, v: Sequence[Expr]) -> Expr | None:
    """The factor g of a velocity g ẋ of one coordinate, or None."""
    if len(slope) != 1:
        return None
    ((j, g),) = slope.items()
    return g if speed == g * v[j] else None


def _given(chart: Chart, name: str) -> list[Expr] | None:
    """The sliding velocity of a friction, where it was given, pulled back."""
    (row,) = (j for j, c in enumerate(chart.system.constraints) if c.name == name)
    stated = coulomb(chart.system, row).sliding
    return None if stated is None else [chart.pull(s) for s in stated]


def _roots(e: Expr, short: Shortener) -> Expr:
    """The expression with what stands under roots made short first, so that perfect squares are seen."""
    half = Rational(1, 2)
    shown = e.replace(lambda p: p.is_Pow and p.exp == half, lambda p: sqrt(short(p.base)))
    return short(shown)
