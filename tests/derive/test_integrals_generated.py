"""Random functions whose differentials are mixed by random matrices are got back, and the time limit is kept."""

import random
from time import process_time

import pytest
from sympy import Integer, Matrix, cos, diag, exp, expand, eye, sin

from dalembert.derive.effort import UNIT, effort
from dalembert.derive.integrals.search import find_integrals
from derive.forms import differential, mixed, names, rank

x, y, z, w, theta, t = names("x y z w theta t")
CASES, AT_LEAST = 100, 97


def polynomial(rng, generators):
    """Two to four terms of degree one to three with small coefficients."""
    total = Integer(0)
    for _ in range(rng.randint(2, 4)):
        term = Integer(rng.choice([-3, -2, -1, 1, 2, 3]))
        for _ in range(rng.randint(1, 3)):
            term *= rng.choice(generators)
        total += term
    return total


def generated(seed):
    """Functions, the forms that span their differentials, and the variables."""
    rng = random.Random(seed)
    variables = [x, y, z, w][: rng.randint(2, 4)] + ([t] if rng.random() < 0.3 else [])
    generators = list(variables)
    if rng.random() < 0.35:
        generators += [sin(theta), cos(theta)]
        variables.append(theta)
    count = rng.choice([1, 2, 2, 2, 3]) if len(variables) > 3 else 1 + (len(variables) > 2)
    functions = [polynomial(rng, generators) for _ in range(count)]
    while rank([differential(f, variables) for f in functions], variables) < count:
        functions = [polynomial(rng, generators) for _ in range(count)]
    lower, upper = eye(count), eye(count)
    for i in range(count):
        for j in range(i):
            lower[i, j], upper[j, i] = rng.choice(variables), rng.choice(variables)
    scale = diag(*(rng.choice([Integer(1), x, 1 + x * y, 1 / x, 2 + sin(x)]) for _ in range(count)))
    matrix = scale * lower * upper
    rows = mixed(functions, variables, matrix)
    if rng.random() < 0.5:
        rows = [{s: expand(e) for s, e in row.items()} for row in rows]
    return functions, rows, variables


def test_mixed_sets_are_unmixed():
    """At least 97 of 100 sets give all their integrals within a second each; none gives a false one."""
    complete, began = 0, process_time()
    for seed in range(CASES):
        functions, rows, variables = generated(seed)
        found = find_integrals(rows, variables, len(functions), 1.0)
        complete += len(found) == len(functions)
        slopes = [differential(f, variables) for f in found]
        assert rank(slopes, variables) == len(found), seed
        assert rank(slopes + [differential(f, variables) for f in functions], variables) == len(functions), seed
    assert complete >= AT_LEAST
    assert process_time() - began < CASES


@pytest.mark.parametrize("seed", range(8))
def test_part_of_a_set(seed):
    """With a form added that is in general position, only the old integrals are left, and they are found."""
    functions, rows, variables = generated(seed)
    p, q, s = names("p q s")
    rows = [*rows, {p: Integer(1), q: s, x: y}]
    matrix = Matrix(len(rows), len(rows), lambda i, j: Integer(1) if i == j else [x, p, Integer(0)][(i + j) % 3])
    every = [*variables, p, q, s]
    table = matrix * Matrix([[row.get(v, 0) for v in every] for row in rows])
    rows = [{v: table[i, j] for j, v in enumerate(every)} for i in range(table.rows)]
    found = find_integrals(rows, every, len(functions) + 1, 0.4)
    both = [differential(f, every) for f in (*functions, *found)]
    assert len(found) == len(functions)
    assert rank(both, every) == len(functions)


def test_what_was_found_survives_the_end_of_the_effort():
    """A simple integral beside one that is never found: the effort is kept and the first comes back."""
    hard = {z: Integer(1), w: sin(z * w) * exp(w**2), t: (z + w) ** 9, theta: z}
    with effort(100.0) as counted:
        found = find_integrals([{x: y, y: x}, hard], [x, y, z, w, theta, t], 2, 0.5)
    assert found == [x * y]
    assert 0 < 100.0 * UNIT - counted.left < 1.0 * UNIT


@pytest.mark.parametrize("seconds", [0.0, 1e-4])
def test_no_time(seconds):
    began = process_time()
    found = find_integrals([{x: (x + y + z) ** 40, y: (x - y) ** 30, z: (x * z + 1) ** 20}], [x, y, z], 1, seconds)
    assert found == []
    assert process_time() - began < 2.0
