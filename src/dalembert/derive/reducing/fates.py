"""What becomes of each constraint on an embedding: it vanishes, stays, is an open contact, or makes it wrong."""

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from sympy import Expr, Float

from dalembert.derive.reducing.bounds import bounds
from dalembert.derive.reducing.chart import Chart
from dalembert.derive.reducing.embedding import said
from dalembert.derive.reducing.identity import Verdict, vanishes
from dalembert.derive.reducing.pullback import Shortener
from dalembert.model import Holonomic, OneSided, as_number, name_of


class Fate(NamedTuple):
    """Whether a constraint vanishes on the embedding, and what is left of it if not.

    `lost` is whether a contact has lost its coordinates, `open` why it is known to be open then, "" where it is not.
    """

    constraint: Any
    left: Expr
    verdict: Verdict
    lost: bool = False
    open: str = ""


def fate_of(chart: Chart, constraint: Any) -> Fate:
    """What becomes of a constraint."""
    left, verdict = chart.pull(constraint.expr), vanishes(*chart.pull_exact(constraint.expr))
    if not isinstance(constraint, OneSided) or verdict.vanishes or left.free_symbols & {*chart.algebra.q}:
        return Fate(constraint, left, verdict)
    if left.is_positive:
        return Fate(constraint, left, verdict, True, "always open on the embedding")
    low, _ = bounds(_valued(chart, left))
    return Fate(constraint, left, verdict, True, "open on the embedding for the values given" if low > 0 else "")


def _valued(chart: Chart, e: Expr) -> Expr:
    own = chart.algebra.parameters
    return e.xreplace({own[s]: Float(value) for s, value in chart.system.values})


def fate_faults(chart: Chart, fate: Fate, held: Collection[str]) -> Iterator[str]:
    """Why a constraint makes the embedding wrong."""
    c, verdict = fate.constraint, fate.verdict
    if not verdict.vanishes and verdict.tried == 0 and not verdict.side:
        yield f"constraint {c.name!r} has no real value on the embedding at any of the points tried"
    elif isinstance(c, Holonomic) and not verdict.vanishes and c.name not in held:
        residual, point = _residual(chart, fate)
        hint = _hint(chart, fate)
        yield (
            f"the embedding does not satisfy the constraint {c.name!r}: {residual} is left of it, {_size(verdict)}"
            f"{point}; {hint}correct the embedding, or let it stay: keep=[{c.name!r}]"
        )
    elif fate.lost and not fate.open:
        yield f"no coordinate is left of the contact {c.name!r}, {_lost(chart, fate)}"


def _lost(chart: Chart, fate: Fate) -> str:
    """What is wrong with a contact that has lost its coordinates, and what to do."""
    shown, valued = said(chart.algebra.restore(fate.left)), _valued(chart, fate.left)
    if valued.has(chart.algebra.t):
        return (
            f"{shown} >= 0, and with time alone it may close, which nothing could prevent: reduce a system without it, "
            "as long as it is open"
        )
    value = as_number(valued)
    if value is None:
        return f"{shown} >= 0, and whether it is open depends on parameters: give them values, or declare them positive"
    if value < 0:
        return f"{shown} >= 0, and it is violated: it is {value:.6g} for the values given; correct the embedding"
    return f"{shown} >= 0, and it touches for the values given only: write the parameters in the embedding"


def _residual(chart: Chart, fate: Fate) -> tuple[str, str]:
    """What is left of a constraint, in words, and the point at which it was evaluated."""
    up = chart.algebra.restore
    text = said(up(Shortener(1.0)(fate.left)))
    values = ", ".join(f"{name_of(up(s))} = {v:.6g}" for s, v in fate.verdict.at.items())
    return text, f" at {values}" if values else ""


def _size(verdict: Verdict) -> str:
    """How much is left, where a number says it."""
    if not verdict.side:
        return f"which is {verdict.value:.6g}"
    return f"which is {verdict.value:.6g} on one side of its switches" if verdict.value else "which switches"


def _hint(chart: Chart, fate: Fate) -> str:
    """Whether it would hold for the values given of the parameters."""
    if chart.system.values and vanishes(_valued(chart, fate.left)).vanishes:
        return "it holds for the values given of the parameters only, so write the parameters in the embedding; "
    return ""


def remarks(fate: Fate, held: Collection[str]) -> Iterator[str]:
    """What is to be known of a constraint that is no longer there."""
    name, verdict = fate.constraint.name, fate.verdict
    if fate.open:
        yield f"the contact {name!r} is {fate.open}, and left out"
    if not verdict.vanishes:
        return
    if name in held:
        yield f"{name!r} is named in keep, but the embedding satisfies it: it is eliminated all the same"
    if isinstance(fate.constraint, OneSided):
        yield f"the contact {name!r} is taken as closed: as it is while it pushes, λ ≥ 0 in the lifted motion"
    if verdict.rounded:
        yield f"{name!r} holds but for the rounding of decimal fractions, which 13 digits of its terms do not show"
    elif not verdict.shown:
        yield f"that {name!r} holds was seen in numbers of 50 digits at {verdict.tried} random points, not exactly"
