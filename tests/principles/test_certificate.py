"""The certificate says what holds, and fails when something does not."""

import json
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalembert.principles as principles
from dalembert.principles import Instant, certificate, certify, geometry
from principles.support import cases, laws, make, size, tolerance


@laws
@given(cases())
def test_every_consistent_instant_passes(case):
    result = certify(case.now)
    assert result.passed, result.text()
    assert result.rank == case.rank
    assert result.redundant == (case.rank < case.now.m)
    assert result.degrees_of_freedom == case.now.n - case.rank
    assert len(result.dependencies) == case.now.m - case.rank
    assert set(result.answers) == set(principles)
    json.dumps(result.as_dict(), allow_nan=False)
    assert result.text().count("✓") == len(result.checks)


@laws
@given(cases(free=True))
def test_its_numbers_are_those_of_the_definitions(case):
    now, result = case.now, certify(case.now)
    q = result.answer.acceleration
    bound = tolerance(case) * size(now, q) ** 2 * 10
    off = q - np.linalg.solve(now.M, now.Q + now.C)
    np.testing.assert_allclose(result.gauss_measure, off @ now.M @ off, atol=bound)
    assert np.all(result.gauss_excess > 0)
    np.testing.assert_allclose(result.gauss_excess, result.predicted_excess, atol=bound * 100)
    np.testing.assert_allclose(result.virtual.T @ result.virtual, np.eye(now.n - case.rank), atol=1e-12)
    np.testing.assert_allclose(result.virtual_work, result.virtual.T @ result.answer.force)
    np.testing.assert_allclose(result.residual, now.A @ q - now.b)


@pytest.mark.parametrize(
    ("spoil", "failing"),
    [
        (lambda a: a._replace(acceleration=a.acceleration * (1 + 1e-6)), {"agreement", "dynamics", "constraints"}),
        (lambda a: a._replace(ideal=a.ideal * (1 + 1e-6)), {"agreement", "dynamics", "multipliers"}),
        (lambda a: a._replace(nonideal=a.nonideal * (1 + 1e-6)), {"agreement", "dynamics", "virtual work"}),
        (lambda a: a._replace(multipliers=a.multipliers + 1e-6), {"agreement", "multipliers"}),
        (
            lambda a: a._replace(ideal=a.ideal + 1e-6 * a.nonideal, nonideal=a.nonideal * (1 - 1e-6)),
            {"agreement", "ideal work", "orthogonality", "multipliers"},
        ),
    ],
    ids=["acceleration", "ideal", "nonideal", "multipliers", "split"],
)
@pytest.mark.parametrize("name", principles)
def test_one_wrong_principle_is_found_and_named(monkeypatch, name, spoil, failing):
    true = principles[name]
    wrong = dict(principles) | {name: lambda now: spoil(true(now))}
    monkeypatch.setattr(certificate, "REGISTRY", MappingProxyType(wrong))
    result = certify(make(5, n=5, rank=2, extra=1).now)
    assert not result.passed
    assert failing <= {check.name for check in result.checks if not check.passed}
    assert name in result.disagreeing
    assert result.text().startswith("FAILED")
    assert not result.as_dict()["passed"]


@pytest.mark.parametrize("ratio", [1.0, 1e-8, 1e8])
def test_multipliers_that_are_not_the_shortest_are_found(monkeypatch, ratio):
    """The right force, shared otherwise among redundant rows, whatever their sizes: only their length tells."""
    now = Instant(np.eye(2), [0, -9.81], [[0.6, 0.8], [0.6 * ratio, 0.8 * ratio]], [-1, -ratio])
    assert certify(now).passed

    def wrong(now):
        answer = principles.explicit(now)
        shift = answer.multipliers[1] * np.array([-ratio, 1.0]) * 1e-6
        return answer._replace(multipliers=answer.multipliers + shift)

    monkeypatch.setattr(certificate, "REGISTRY", MappingProxyType(dict.fromkeys(principles, wrong)))
    assert {check.name for check in certify(now).checks if not check.passed} == {"least norm"}


def test_a_state_off_the_constraints_does_not_pass():
    now = Instant(np.eye(2), [0, -9.81], [[0.6, 0.8]], [-1], constraints=["ring"])
    assert certify(now, distance=[1e-12], off=[1e-12]).passed
    off = certify(now, distance=[0.5], off=[0.3])
    assert [check.name for check in off.checks if not check.passed] == ["on constraints"]
    assert "by 0.5 at “ring”" in off.text()
    lost = certify(now, distance=[np.inf], off=[np.inf])
    json.dumps(lost.as_dict(), allow_nan=False)
    assert not lost.passed


def test_the_gauss_checks_fail_when_all_principles_are_wrong_together(monkeypatch):
    """A possible acceleration that is not the nearest one: agreement cannot see it, the measure does."""
    case = make(5, n=5, rank=2, extra=1)
    v = certify(case.now).virtual[:, 0]

    def wrong(now):
        answer = principles.explicit(now)
        return answer._replace(acceleration=answer.acceleration + 3 * v, ideal=answer.ideal + now.M @ (3 * v))

    monkeypatch.setattr(certificate, "REGISTRY", MappingProxyType(dict.fromkeys(principles, wrong)))
    failed = {check.name for check in certify(case.now).checks if not check.passed}
    assert {"excess", "ideal work", "virtual work", "multipliers"} <= failed
    assert not {"agreement", "dynamics", "constraints"} & failed


def test_the_text_names_rows_and_coordinates():
    now = Instant(np.eye(2), [0, -9.81], [[0.6, 0.8], [1.2, 1.6]], [-1, -2], coordinates=["x", "y"],
                  constraints=["ring", "ring doubled"])  # fmt: skip
    text = certify(now).text()
    assert "PASSED: 11 of 11" in text
    assert "“ring doubled” = 2 “ring”" in text
    assert "1 degree of freedom" in text
    assert 20 <= len(text.splitlines()) <= 30
    assert certify(now).text() == text, "the same seed gives the same certificate"


def test_without_freedom_there_is_nothing_to_compare_gauss_with():
    result = certify(Instant(np.eye(2), [1, 2], np.eye(2), [3, 4]))
    assert result.passed
    assert result.gauss_excess.size == 0
    assert "excess" not in {check.name for check in result.checks}


@laws
@given(cases())
def test_geometry(case):
    now, found = case.now, geometry(case.now)
    answer = principles.multipliers(now)
    bound = tolerance(case)
    np.testing.assert_allclose(found.N @ found.N, found.N, atol=bound)
    np.testing.assert_allclose(found.T @ found.T, found.T, atol=bound)
    np.testing.assert_allclose(found.N + found.T, np.eye(now.n), atol=1e-12)
    np.testing.assert_allclose(np.trace(found.T), case.rank, atol=bound)
    L = np.linalg.cholesky(now.M)
    scale = size(now, answer.acceleration)
    deviation = answer.acceleration - np.linalg.solve(now.M, now.Q)
    assert np.linalg.norm(L.T @ (found.toward + found.along - deviation)) <= bound * scale
    assert abs(found.inner) <= bound * scale**2
    np.testing.assert_allclose(now.A @ found.toward, found.dissatisfaction, atol=bound * scale * np.abs(now.A).sum())
    np.testing.assert_allclose(now.A @ found.virtual, 0, atol=bound * np.abs(now.A).sum())
    assert found.virtual.shape == (now.n, now.n - case.rank)
    assert not found.replaced


@laws
@given(cases(), st.integers(0, 2**32 - 1))
def test_it_passes_in_any_units_of_rows_and_coordinates(case, seed):
    """Rows over 16 decades and coordinates over 12; the multipliers of redundant rows are the hard part."""
    now, random = case.now, np.random.default_rng(seed)
    f, u = 10.0 ** random.integers(-8, 9, now.m), 10.0 ** random.integers(-6, 7, now.n)
    other = Instant(u[:, None] * now.M * u, u * now.Q, f[:, None] * now.A * u, f * now.b, u * now.C)
    result = certify(other)
    assert result.passed, result.text()
    assert result.rank == case.rank
