"""Whatever finite numbers stand in an instant, what comes back is finite, or an error in words."""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import dalembert.principles as principles
from dalembert.principles import ContradictionError, Instant, InstantError, MassError, Trust
from principles.support import laws

IN_WORDS = (InstantError, MassError, ContradictionError)
ENTRIES = {
    "any size": st.one_of(
        st.just(0.0),
        st.sampled_from([1.0, -1.0, 5e-324, -5e-324, 2.3e-308, 1e-300, 1e300, -1e300, 1e150, 1e-150, 1e-17]),
        st.floats(-1e300, 1e300),
        st.builds(lambda sign, power: sign * 10.0**power, st.sampled_from([1.0, -1.0]), st.integers(-300, 300)),
    ),
    "common": st.builds(lambda a, power: a * 10.0**power, st.integers(-3, 3), st.integers(-9, 9)),
}


def reconciled(now):
    rows = [("constraint", i) for i in range(now.m)]
    return principles.reconcile(now, Trust([*rows, ("acceleration", 0)]), [*now.b, 0.0])


FUNCTIONS = dict(principles.REGISTRY) | {
    "certify": principles.certify,
    "dependencies": principles.dependencies,
    "independent_rows": principles.independent_rows,
    "geometry": principles.geometry,
    "scaled": principles.scaled,
    "least_squares": principles.least_squares,
    "weighted": lambda now: principles.least_squares(now, np.linspace(1, 2, now.m)),
    "reconcile": reconciled,
}


@st.composite
def instants(draw, entries):
    """Any symmetric M, any Q, A, b and C; often a diagonal M that is positive, to get past the first refusals."""
    n, m = draw(st.integers(1, 4)), draw(st.integers(0, 4))
    M = draw(arrays.arrays(float, (n, n), elements=entries))
    M = np.triu(M) + np.triu(M, 1).T
    if draw(st.booleans()):
        M = np.diag(np.abs(np.diag(M)))
    A, b, Q, C = (draw(arrays.arrays(float, shape, elements=entries)) for shape in ((m, n), (m,), (n,), (n,)))
    return Instant(M, Q, A, b, C)


def finite(found):
    parts = found if isinstance(found, tuple) else vars(found).values()
    return all(np.isfinite(part).all() for part in parts if isinstance(part, np.ndarray))


@pytest.mark.parametrize("kind", ENTRIES)
@settings(laws, max_examples=300)
@given(data=st.data())
def test_finite_numbers_give_finite_answers_or_errors_in_words(kind, data):
    """NumPy's and LAPACK's own errors and warnings, which count as errors here, do not come out."""
    now = data.draw(instants(ENTRIES[kind]))
    for name, function in FUNCTIONS.items():
        with suppress(*IN_WORDS):
            assert finite(function(now)), name


@settings(laws, max_examples=100)
@given(st.integers(0, 2**32 - 1), st.integers(-240, 240))
def test_an_instant_however_large_or_small_as_a_whole_is_answered(seed, power):
    """Masses, loads and rows times 10^power: the same answer, far beyond where a square overflows."""
    random = np.random.default_rng(seed)
    n, m = int(random.integers(1, 5)), int(random.integers(0, 4))
    G, A = random.normal(size=(n, n)), random.normal(size=(m, n))
    M, Q, C = G @ G.T + np.eye(n), random.normal(size=n), random.normal(size=n)
    b = A @ random.normal(size=n)
    size = 10.0**power
    one = Instant(M, Q, A, b, C)
    two = Instant(size * (M + M.T) / 2, size * Q, size * A, size * b, size * C)
    for principle in principles.values():
        first, second = principle(one), principle(two)
        np.testing.assert_allclose(second.acceleration, first.acceleration, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(second.ideal / size, first.ideal, rtol=1e-9, atol=1e-11)


def test_an_answer_that_no_number_can_hold_is_told():
    now = Instant([[1e-200]], [1e200])
    for principle in principles.values():
        with pytest.raises(InstantError, match="acceleration: it is too large"):
            principle(now)


def test_entries_beyond_the_largest_are_refused():
    with pytest.raises(InstantError, match=r"Q: values up to 1e\+307 are too large"):
        Instant(np.eye(2), [1e307, 0])
