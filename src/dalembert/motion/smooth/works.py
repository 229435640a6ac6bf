"""The work that forces have done, by quadrature of their power along the steps.

The integrator knows nothing of it, so that energy minus work is a measure of the motion that the motion did not use.
"""

from typing import Any

import numpy as np
from numpy.polynomial.legendre import leggauss

from dalembert.derive import Array
from dalembert.engine import WORKS
from dalembert.motion.smooth.leg import Course
from dalembert.motion.tolerances import EPS

RULES = {count: (leggauss(count)[0] / 2 + 0.5, leggauss(count)[1] / 2) for count in (5, 10)}


def works(engine: Any, course: Course, times: Array, places: Array) -> tuple[Array, Array]:
    """The work since the beginning of the course, (4,) at its end and (k, 4) at times in steps by place."""
    setup = course.legs[0].setup
    names = engine.works(setup)
    end, at = np.zeros(len(WORKS)), np.zeros((len(times), len(WORKS)))
    if not names:
        return end, at
    steps = np.arange(course.steps)
    own = _integrals(engine, course, steps, course.spans)
    so_far = np.vstack([np.zeros(own.shape[1]), np.cumsum(own, axis=0)])
    columns = [WORKS.index(name) for name in names]
    end[columns] = so_far[-1]
    if len(times):
        at[:, columns] = so_far[places] + _integrals(engine, course, places, times - course.begins[places])
    return end, at


def _integrals(engine: Any, course: Course, places: Array, spans: Array) -> Array:
    """∫ power dt (k, w) over the first part of steps, so long each."""
    nodes, weights = RULES[10 if course.coefficients.shape[2] > 10 else 5]  # exact for what the polynomials are
    times = (course.begins[places][:, None] + spans[:, None] * nodes).ravel()
    each = np.repeat(places, len(nodes))
    states = course.states(times, each)
    power = engine.powers(course.legs[0].setup, times, states, course.numbers(each))
    done = np.einsum("kjw,j->kw", power.reshape(len(places), len(nodes), -1), weights) * spans[:, None]
    brief = np.flatnonzero([course.legs[k].brief for k in course.leg_of[places]])
    if len(brief):  # a moment in which friction has a direction in its middle, if anywhere
        middle, mine = course.begins[places[brief]] + spans[brief] / 2, places[brief]
        there = engine.powers(course.legs[0].setup, middle, course.states(middle, mine), course.numbers(mine))
        done[brief] = there * spans[brief, None]
    none = spans <= 4 * EPS * np.abs(course.begins[places])  # where friction begins to slip, it has no direction
    out: Array = np.where(none[:, None], 0.0, done)
    return out
