"""The multipliers of the ideal constraint force as functions of the new coordinates: release from constraints.

M, Q, A, b are pulled back first, where they are short, and then S λ = b − A M⁻¹ Q is solved, S = A M⁻¹ Aᵀ.
"""

from functools import lru_cache

from sympy import Expr, Matrix, zeros

from dalembert.derive.closed import singular
from dalembert.derive.effort import TooMuch, effort
from dalembert.derive.independence import independence
from dalembert.derive.linear import NotSolved, solve
from dalembert.derive.prepared import prepared
from dalembert.derive.reducing.chart import Chart
from dalembert.derive.tidy import tidy
from dalembert.derive.variants import bare

EFFORT = 8.0


class NoClosedForm(Exception):
    """The multipliers are not found as expressions; the reason is the message."""


@lru_cache(maxsize=8)
def multipliers(chart: Chart) -> tuple[Expr, ...]:
    """λ of every constraint of the system, all of them ideal and in force, in the symbols of the chart.

    Raises NoClosedForm where rows are redundant, where M is singular, and where it takes too much effort.
    """
    system = bare(chart.system)
    rows = independence(system.form()).rows
    if len(rows) < len(system.constraints):
        names = [c.name for j, c in enumerate(system.constraints) if j not in rows]
        raise NoClosedForm(f"the constraints are redundant ({', '.join(map(repr, names))}), so it is not unique")
    try:
        with effort(EFFORT):
            return tuple(_solved(chart))
    except (NotSolved, TooMuch) as error:
        raise NoClosedForm(str(error)) from None


def _solved(chart: Chart) -> list[Expr]:
    kept = prepared(bare(chart.system))
    d, n, m = kept.derived, chart.n, len(chart.system.constraints)

    def pulled(e: Expr) -> Expr:
        return tidy(chart.pull_from(kept.algebra, e))

    M, A = zeros(n, n), zeros(m, n)
    for place, entry in d.M.items():
        M[place] = pulled(entry)
    for place, entry in d.A.items():
        A[place] = pulled(entry)
    Q, b = Matrix(n, 1, list(map(pulled, d.Q))), Matrix(m, 1, list(map(pulled, d.b)))
    if singular(M):  # the equivalent mass matrix that the constraints make regular
        M, Q = M + A.T * A, Q + A.T * b
    inverted = solve(M, Matrix.hstack(Q, A.T))
    a, w = inverted[:, 0], inverted[:, 1:]
    return [tidy(e) for e in solve((A * w).applyfunc(tidy), (b - A * a).applyfunc(tidy))]
