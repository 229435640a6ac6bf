"""The work that forces have done, by quadrature of their power along the steps.

The integrator knows nothing of it, so that energy minus work is a measure of the motion that the motion did not use.
A power is no polynomial of the order of the steps: t¹⁵ has the power t³¹/16. So the last coefficients of what is taken
for the power, as a series of Legendre's polynomials, tell how exact a quadrature is, and where it is not exact, halves
are taken for the whole.
"""

from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial.legendre import leggauss, legvander

from dalembert.derive import Array
from dalembert.engine import WORKS
from dalembert.motion.smooth.leg import Course
from dalembert.motion.tolerances import EPS, tolerance

HALVINGS = 40  # of a step, towards a moment in which all happens
MANY = 16  # times as many pieces as at first: what is still rough everywhere is rounding
SLOWLY = 2  # the same of the plain engine, whose steps are short and whose powers take long


class Rule(NamedTuple):
    """Gauss' rule over a length of one: nodes and weights (j,), what gives the last coefficients (c, j), and powers.

    A series whose coefficient of degree d is the part r of its largest goes on, at degree 2 j, as r to the power 2 j/d:
    that is the first that j nodes do not know.
    """

    nodes: Array
    weights: Array
    last: Array
    powers: Array


def _rule(count: int) -> Rule:
    nodes, weights = leggauss(count)
    degrees = np.arange(count)
    series = (2 * degrees[:, None] + 1) / 2 * (legvander(nodes, count - 1) * weights[:, None]).T
    last = slice(count - 2, None)  # of odd and of even degree
    return Rule(nodes / 2 + 0.5, weights / 2, series[last], 2 * count / degrees[last])


RULES = {count: _rule(count) for count in (5, 10)}
BRIEF = _rule(3)  # of a moment of more than second order
MIDDLE = BRIEF._replace(nodes=np.array([0.5]), weights=np.array([1.0]))  # of one of second order


class Works(NamedTuple):
    """Work since the beginning of a course: (w,) at its end, (k, w) at times in it; `moved`: ∫ |power| dt over it."""

    end: Array
    at: Array
    moved: float


class Pieces(NamedTuple):
    """Parts of steps, by place: how long after the step each begins (k,), and how long it is.

    They are measured by ∫ |power| dt up to their ends: `before` (k,) those that follow each other, from a `first` on.
    """

    places: Array
    delays: Array
    spans: Array
    before: Array
    first: Array

    def since(self, values: Array) -> Array:
        """The sums of values (k, …) from the first of those that follow each other on."""
        total = np.cumsum(values, axis=0)
        group = np.flatnonzero(self.first)[np.cumsum(self.first) - 1]
        out: Array = total - (total - values)[group]
        return out


def works(engine: Any, course: Course, times: Array, places: Array, look: float, before: float) -> Works:
    """The work since the beginning of the course, at its end and at times (k,) in steps by place, in their order.

    `look`: the power is looked at nowhere further apart than this. `before`: ∫ |power| dt before the course.
    """
    setup = course.legs[0].setup
    names = engine.works(setup)
    end, at = np.zeros(len(WORKS)), np.zeros((len(times), len(WORKS)))
    if not names:
        return Works(end, at, 0.0)
    quadrature = _Quadrature(engine, course, look)
    steps = np.arange(course.steps)
    whole = Pieces(steps, np.zeros(course.steps), course.spans, np.full(course.steps, before), steps == 0)
    own, moved = quadrature.over(whole)
    so_far, measured = np.vstack([np.zeros(own.shape[1]), np.cumsum(own, axis=0)]), np.append(0.0, np.cumsum(moved))
    columns = [WORKS.index(name) for name in names]
    end[columns] = so_far[-1]
    if len(times):
        first = np.append(True, places[1:] != places[:-1])
        delays = times - course.begins[places]
        begins = np.where(first, 0.0, np.append(0.0, delays[:-1]))
        parts = Pieces(places, begins, delays - begins, before + measured[places], first)
        at[:, columns] = so_far[places] + parts.since(quadrature.over(parts)[0])
        at[times == course.end] = end
    return Works(end, at, float(measured[-1]))


class _Quadrature:
    """Quadrature of the powers along a course."""

    def __init__(self, engine: Any, course: Course, look: float) -> None:
        self._engine, self._course, self._look = engine, course, look
        self._rule = RULES[10 if course.coefficients.shape[2] > 10 else 5]
        self._exact = max(tolerance("WORK"), float(engine.defect_bound))
        self._brief = np.array([leg.brief for leg in course.legs])
        self._resolved = np.array([leg.resolved for leg in course.legs])
        self._has_brief = bool(self._brief.any())

    def over(self, pieces: Pieces) -> tuple[Array, Array]:
        """∫ power dt (k, w) and ∫ |power| dt (k,) over pieces."""
        course, nodes = self._course, len(self._rule.nodes)
        places, delays, spans = pieces[:3]
        done = np.zeros((len(places), len(self._engine.works(course.legs[0].setup))))
        moved, scales = np.zeros(len(places)), pieces.before
        live = spans > 4 * EPS * np.abs(course.begins[places])  # where friction begins to slip, it has no direction
        if self._has_brief:  # a moment in which friction has a direction in its middle, if anywhere
            brief = np.flatnonzero(live & self._brief[course.leg_of[places]])
            live[brief] = False
            whole = self._resolved[course.leg_of[places[brief]]]
            for rule, mine in ((MIDDLE, brief[~whole]), (BRIEF, brief[whole])):
                for node, weight in zip(rule.nodes, rule.weights, strict=True) if len(mine) else ():
                    power = self._power(places[mine], delays[mine] + node * spans[mine])
                    done[mine] += weight * power * spans[mine, None]
        each = np.flatnonzero(live)
        counts = np.ceil(spans[each] / (self._look * nodes)).astype(int).clip(1)
        at, lengths, each = _parted(delays[each], spans[each], counts, each)
        most = (SLOWLY if self._engine.name == "plain" else MANY) * len(each)
        for level in range(HALVINGS):
            if not len(each):
                break
            power = self._power(
                np.repeat(places[each], nodes), np.ravel(at[:, None] + lengths[:, None] * self._rule.nodes)
            )
            power = power.reshape(len(each), nodes, -1)
            found = np.einsum("kjw,j->kw", power, self._rule.weights) * lengths[:, None]
            if not level:
                np.add.at(moved, each, np.einsum("kjw,j->k", np.abs(power), self._rule.weights) * lengths)
                scales = pieces.before + pieces.since(moved)
            rough = np.flatnonzero(self._off(power, lengths) > self._exact * scales[each])
            if level + 1 == HALVINGS or 2 * len(rough) > most:
                rough = rough[:0]
            found[rough] = 0.0
            np.add.at(done, each, found)
            at, lengths, each = _parted(at[rough], lengths[rough], np.full(len(rough), 2), each[rough])
        return done, moved

    def _power(self, places: Array, delays: Array) -> Array:
        """The powers (k, w) so long after the beginning of steps: the time itself is known to its rounding only."""
        course = self._course
        states, times = course.within(delays, places), course.begins[places] + delays
        found: Array = self._engine.powers(course.legs[0].setup, times, states, course.numbers(places))
        return found

    def _off(self, power: Array, spans: Array) -> Array:
        """How far off (k,) the quadratures may be: by how the series would go on, judged by its last coefficients."""
        with np.errstate(invalid="ignore", divide="ignore", over="ignore", under="ignore"):
            largest = np.abs(power).max(axis=1)
            parts = np.abs(np.einsum("cj,kjw->ckw", self._rule.last, power)) / largest
            worst = reduce(np.maximum, (part**p for part, p in zip(parts, self._rule.powers, strict=True)))
            off: Array = spans * np.where(largest > 0, worst * largest, 0.0).sum(axis=1)
        return off


def _parted(begins: Array, spans: Array, counts: Array, owners: Array) -> tuple[Array, Array, Array]:
    """Pieces in so many equal parts each: when they begin, how long they are, and whose they are."""
    lengths, owners, begins = (np.repeat(x, counts) for x in (spans / counts, owners, begins))
    return begins + lengths * (np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)), lengths, owners
