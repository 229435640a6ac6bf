"""Cases that leave something out are found, by their place and with the word where; trying numbers says the same."""

import re
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Abs, And, Eq, Function, Ne, Not, Or, Piecewise, Rational, Xor, pi, sin, symbols, true
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.model import uncovered
from dalembert.model.writing import canonical

x, y = dynamicsymbols("x y")
t = dynamicsymbols._t
a, b, m, mu = symbols("a b m mu", real=True)


def raw(*cases):
    """A Piecewise as it is written: SymPy would make its last case `otherwise` where it sees that it is."""
    return Piecewise(*cases, evaluate=False)


COVERED = [
    raw((1, x > 0), (2, True)),
    raw((1, x > 0), (2, x <= 0)),
    raw((1, x < 0), (2, x > 0), (3, Eq(x, 0))),
    raw((1, Ne(x, 1)), (2, Eq(x, 1))),
    raw((1, x < 0), (2, And(x >= 0, x < 1)), (3, x >= 1)),
    raw((1, Not(And(x > 0, x < 1))), (2, Or(x > Rational(1, 3), x < 0.5))),
    raw((1, x < a), (2, x >= a)),
    raw((1, 2 * x - 2 * a < 0), (2, a - x <= 0)),
    raw((1, -x < 3), (2, x <= -3)),
    raw((1, 0.5 * x < 1), (2, x >= 2)),
    raw((1, x.diff() > pi), (2, x.diff() <= pi)),
    raw((1, sin(x) * y < 1), (2, sin(x) * y > 0)),
    raw((1, And(x > 0, y > 0)), (2, Or(x <= 0, y <= 0))),
    raw((1, t < 1), (2, t >= 1)),
    raw((1, Xor(x > 0, y > 0)), (2, Not(Xor(x > 0, y > 0)))),
    raw((1, x > 1e299), (2, x < 2e299)),
]
UNCOVERED = [
    (raw((1, x > 0)), "no case holds at x = -1"),
    (raw((1, x > 0), (2, x < 0)), "no case holds at x = 0"),
    (raw((1, x < 0), (2, x > 1)), "no case holds at x = 0.5"),
    (raw((1, x < 0), (2, And(x >= 0, x < 1)), (3, x > 1)), "no case holds at x = 1"),
    (raw((1, Eq(x, 3))), "no case holds at x = 0"),
    (raw((1, Ne(x, 3))), "no case holds at x = 3"),
    (raw((1, -2 * x > 4), (2, x > -1.5)), "no case holds at x = -1.75"),
    (raw((1, x.diff() < pi), (2, x.diff() > pi)), "no case holds at x' = 3.14159265359"),
    (raw((1, Function("V")(x) > 0)), "no case holds at V(x(t)) = -1"),
    (raw((1, x < a), (2, x > a)), "no case holds at a - x = 0"),
    (raw((1, x < a), (2, x >= b)), "no case would hold where a - x < 0 and b - x > 0"),
    (raw((1, And(x > 0, y > 0)), (2, x < 0)), "no case would hold where x > 0 and y < 0"),
    (raw((1, Abs(x) < 1), (2, x >= 1), (3, x <= -1)), "no case would hold where abs(x) > 1 and -1 < x < 1"),  # refused
    (raw((1, And(x > 0, x < 0))), "no case holds at x = -1"),
    (raw((1, Or(*(y > k * x for k in range(2, 14))))), "cannot be told, there are too many conditions"),
]


@pytest.mark.parametrize("cases", COVERED, ids=str)
def test_cases_that_cover_everything(cases):
    assert uncovered(canonical(cases)) is None


@pytest.mark.parametrize(("cases", "words"), UNCOVERED, ids=lambda part: str(part)[:60])
def test_cases_that_leave_something_out(cases, words):
    assert words in uncovered(canonical(cases))


def relations(quantities):
    make = [lambda u, c: u < c, lambda u, c: u <= c, lambda u, c: u > c, lambda u, c: u >= c, Eq, Ne]
    cuts = st.integers(-2, 2)
    return st.tuples(st.sampled_from(make), st.sampled_from(quantities), cuts).map(lambda p: p[0](p[1], p[2]))


def conditions(quantities):
    return st.recursive(
        relations(quantities),
        lambda inner: st.one_of(
            st.tuples(inner, inner).map(lambda p: And(*p, evaluate=False)),
            st.tuples(inner, inner).map(lambda p: Or(*p, evaluate=False)),
            inner.map(Not),
        ),
        max_leaves=4,
    )


def told(found):
    """What is said of cases with these conditions; SymPy makes a single case that always holds its value."""
    cases = canonical(raw(*enumerate(found)))
    return uncovered(cases) if isinstance(cases, Piecewise) else None


def holds(condition, place):
    return condition.xreplace(place) == true


@settings(deadline=None, max_examples=150, derandomize=True)
@given(st.lists(conditions([x, -x, 2 * x + 1]), min_size=1, max_size=3))
def test_of_one_quantity_by_trying_numbers(found):
    """2x + 1 and x are cut at multiples of 1/2 up to 2: multiples of 1/4 up to 3 meet every piece of the line."""
    words = told(found)
    missed = [k for k in range(-12, 13) if not any(holds(c, {x: Rational(k, 4)}) for c in found)]
    assert (words is None) is (not missed)
    if words is not None:
        value = Rational(re.fullmatch(r"no case holds(?: at x = (\S+))?", words).group(1) or 0)
        assert not any(holds(c, {x: value}) for c in found)


@settings(deadline=None, max_examples=100, derandomize=True)
@given(st.lists(conditions([x, y]), min_size=1, max_size=3))
def test_of_two_quantities_by_trying_numbers(found):
    words = told(found)
    places = [{x: Rational(i, 2), y: Rational(j, 2)} for i, j in product(range(-5, 6), repeat=2)]
    assert (words is None) is all(any(holds(c, place) for c in found) for place in places)


HALF = Piecewise((1, x > 0))
L = m * (x.diff() ** 2 + y.diff() ** 2) / 2
STATEMENTS = {
    "the Lagrangian": lambda: da.System.from_lagrangian(L + HALF, [x, y]),
    "the force on coordinate 2": lambda: da.System.from_lagrangian(L, [x, y], forces={y: 1 + sin(HALF)}),
    "Q[1]": lambda: da.System.from_forces([[1]], [HALF], [x]),
    "the potential": lambda: da.System.from_particles([da.Particle(m, x)], potential=HALF),
    "constraint 'wire'": lambda: da.System.from_lagrangian(L, [x, y], constraints=[da.Holonomic(y - HALF, "wire")]),
    "the nature of constraint 'wire'": lambda: da.System.from_lagrangian(
        L, [x, y], constraints=[da.OneSided(y, name="wire", nature=da.Coulomb(mu * HALF))]
    ),
    "the initial value of x": lambda: da.System.from_lagrangian(
        L, [x, y], initial={x: Piecewise((1, a > 0))}, parameters={a: 1.0}
    ),
}


@pytest.mark.parametrize("where", STATEMENTS)
def test_a_statement_says_where(where):
    with pytest.raises(da.ModelError) as caught:
        STATEMENTS[where]()
    (fault,) = caught.value.faults
    name = "a" if "initial" in where else "x"
    assert fault == (
        f"{where} contains a Piecewise without a value, no case holds at {name} = -1; give it a last case (value, True)"
    )


def test_every_one_of_them_is_told():
    with pytest.raises(da.ModelError) as caught:
        da.System.from_lagrangian(L + HALF * Piecewise((1, y < 2)), [x, y], forces={x: HALF})
    assert len(caught.value.faults) == 3
