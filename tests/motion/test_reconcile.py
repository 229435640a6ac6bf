"""`da.reconcile` at an instant: rows by name, trusts in every form, and all that can be wrong with them."""

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert import gallery
from motion.systems import four_bar, g, m, pendulum, t, x, y

STATE = {x: 0.6, y: -0.8, x.diff(): 0.8, y.diff(): 0.6}


def held():
    """A mass whose height is held by two rods that were measured differently, and that slides along x."""
    return da.System.from_lagrangian(
        m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y,
        [x, y],
        constraints=[da.Holonomic(y - 1 - t**2, "one"), da.Holonomic(2 * y - 2 - t**2 / 2, "two")],
        parameters={m: 1.0, g: 9.81},
    )


HELD = {x: 0.0, y: 1.0, x.diff(): 0.0, y.diff(): 0.0}


def test_with_nothing_said_it_is_least_squares_with_weights_of_one():
    found, expected = da.reconcile(held(), HELD), da.least_squares(held().instant(HELD))
    assert isinstance(found, da.Reconciliation)
    assert_allclose(found.acceleration, expected.acceleration, atol=1e-12)
    assert_allclose(found.force, expected.force, atol=1e-12)
    assert_allclose(found.acceleration, [0, (2 + 2 * 1) / 5])  # ÿ = 2 and 2 ÿ = 1, which weighs four times as much


@pytest.mark.parametrize(
    "trust",
    [
        {"weights": [4.0, 1.0]},
        {"weights": {"one": 4, "two": 1}},
        {"weights": np.diag([4.0, 1.0])},
        {"sigma": (0.5, 1.0)},
        {"sigma": {"two": 1.0, "one": 0.5}},
        {"weights": {"one": 4.0}, "sigma": {"two": 1.0}},
    ],
    ids=str,
)
def test_trusts_in_every_form(trust):
    found = da.reconcile(held(), HELD, **trust)
    assert_allclose(found.acceleration[1], (4 * 2 + 2 * 1) / 8)
    assert_allclose(found.acceleration_covariance[1, 1], 1 / 8)
    assert [row.name for row in found.rows] == ["one", "two"]


def test_a_matrix_of_weights_beside_the_trust_in_another_row():
    W = np.array([[4.0, 1.0], [1.0, 1.0]])
    found = da.reconcile(held(), HELD, W, sigma={"y_ddot": 0.1}, measured={"y_ddot": 0.7})
    H = np.array([1.0, 2.0, 1.0])
    whole = np.zeros((3, 3))
    whole[:2, :2], whole[2, 2] = W, 100
    assert_allclose(found.acceleration[1], H @ whole @ [2.0, 1.0, 0.7] / (H @ whole @ H))
    expected = da.least_squares(held().instant(HELD), W)
    assert_allclose(da.reconcile(held(), HELD, W).acceleration, expected.acceleration, atol=1e-14)


def test_what_is_not_named_holds_exactly():
    found = da.reconcile(held(), HELD, sigma={"one": 0.1})
    assert_allclose(found.acceleration[1], 0.5)
    assert found.suspect == "one"
    with pytest.raises(da.ContradictionError, match="“one” and “two”") as caught:
        da.reconcile(held(), HELD, sigma={"y_ddot": 0.1}, measured={"y_ddot": 2.0})
    assert "need not hold exactly" in caught.value.__notes__[0]


def test_measured_right_sides():
    """b of a row as it was measured, exact without a trust."""
    found = da.reconcile(held(), HELD, sigma={"one": 0.1}, measured={"one": 3.0, "two": 5.0})
    assert_allclose(found.acceleration[1], 2.5)
    assert_allclose(found.rows[0].residual, 0.5)
    assert found.rows[0].measured == 3.0


@pytest.mark.parametrize("key", ["x_ddot", x.diff(t, 2)], ids=str)
def test_every_kind_of_row(key):
    """The pendulum of mass 1: a rod, a force, an accelerometer and a load cell, against normal equations."""
    swing = pendulum()
    now = swing.instant(STATE)
    sigma = {"rod": 0.1, key: 0.05, "force_y": 0.02, "reaction_x": 0.1}
    found = da.reconcile(swing, STATE, sigma=sigma, measured={key: -5.3, "reaction_x": -5.0, "force_y": -9.8})
    assert [row.name for row in found.rows] == ["rod", "force_y", "x_ddot", "reaction_x"]
    # with m ẍ = 2 x λ exact and m ÿ − 2 y λ = Q_y uncertain, λ and Q_y are all that is open
    J = np.array([[1.2, 0.0], [-1.6, 1.0]])  # (ẍ, ÿ) = J (λ, Q_y)
    rows = np.vstack([now.A @ J, [0, 1], J[0], [1.2, 0]])
    y_ = np.array([now.b[0], -9.8, -5.3, -5.0])
    W = np.diag([1 / s**2 for s in (0.1, 0.02, 0.05, 0.1)])
    theta = np.linalg.solve(rows.T @ W @ rows, rows.T @ W @ y_)
    assert_allclose(found.acceleration, J @ theta)
    assert_allclose(found.force, np.array([1.2, -1.6]) * theta[0])
    assert_allclose(found.acceleration_covariance, J @ np.linalg.inv(rows.T @ W @ rows) @ J.T, atol=1e-12)


def test_a_start_a_time_and_parameters():
    swing = pendulum()
    start = swing.start({x: 0.6, y: -0.8, x.diff(): 0.8, y.diff(): 0.6})
    assert_allclose(da.reconcile(swing, start).acceleration, da.reconcile(swing, STATE).acceleration)
    assert_allclose(da.reconcile(swing, STATE, parameters={g: 0.0}).acceleration, [-0.6, 0.8])
    with pytest.raises(da.ModelError, match="System"):
        da.reconcile(swing.instant(STATE), STATE)


def test_an_open_contact_has_no_row():
    ball = da.System.from_lagrangian(
        m * y.diff() ** 2 / 2 - m * g * y, [y], constraints=[da.OneSided(y, name="floor")], parameters={m: 1.0, g: 9.81}
    )
    up, down = {y: 1.0, y.diff(): 0.0}, {y: 0.0, y.diff(): 0.0}
    assert_allclose(da.reconcile(ball, up).acceleration, [-9.81])
    assert_allclose(da.reconcile(ball, down).acceleration, [0.0])
    with pytest.raises(da.ModelError, match="'floor', a contact that is open"):
        da.reconcile(ball, up, {"floor": 1.0})


def test_work_doing_forces():
    """Where rows agree, friction is that of the rows as stated (where they do not: test_reconcile_work.py)."""
    ring = da.System.load(gallery.path("rough-ring"))
    found, answer = da.reconcile(ring, STATE), da.principles.explicit(ring.instant(STATE))
    assert_allclose(found.nonideal, answer.nonideal)
    assert_allclose(found.ideal, answer.ideal)


def test_names_of_coordinates_that_collide():
    """Keys follow the variables of a dataset: beside a coordinate x_ddot, the acceleration of x has another name."""
    x_ddot, energy = dynamicsymbols("x_ddot energy")
    system = da.System.from_forces(np.eye(3).tolist(), [1, 2, 3], [x, x_ddot, energy])
    state = dict.fromkeys((*system.coordinates, *system.velocities), 0.0)
    found = da.reconcile(
        system, state, sigma={"x_ddot_": 0.1, "force_energy_": 0.1}, measured={"x_ddot_": 1.5, "force_energy_": 3.5}
    )
    assert_allclose(found.acceleration, [1, 2, 3.5])
    named = da.System.from_forces([[1]], [1], [x], constraints=[da.Holonomic(x, "force_x")])
    with pytest.raises(da.ModelError, match="'force_x', which is a constraint and an impressed force"):
        da.reconcile(named, {x: 0, x.diff(): 0}, {"force_x": 1.0})


BAD = {
    "unknown rows": (
        {"weights": {"rodd": 1}, "measured": {"x_dot": 1.0}},
        ["did you mean 'rod'", "did you mean 'x_ddot'"],
    ),
    "far from any": ({"sigma": {"temperature": 1}}, ["its rows are the constraints ('rod'), and force_x, x_ddot"]),
    "not positive": ({"weights": {"rod": -1}}, ["weights['rod'] is -1; a weight is a positive number"]),
    "zero": ({"sigma": [0.0]}, ["sigma['rod'] is 0.0; a standard deviation is a positive number"]),
    "no number": ({"sigma": {"rod": float("nan"), "force_x": "a"}}, ["['rod'] is nan", "['force_x'] is 'a'"]),
    "both": ({"weights": [1.0], "sigma": {"rod": 1.0}}, ["'rod' has a weight and a sigma"]),
    "matrix and sigma": ({"weights": [[1.0]], "sigma": [1.0]}, ["'rod' has a weight and a sigma"]),
    "twice": ({"sigma": {"x_ddot": 1.0, x.diff(t, 2): 1.0}, "measured": {"x_ddot": 1}}, ["['x_ddot'] is given twice"]),
    "length": ({"weights": [1.0, 2.0]}, ["there are 2 for 1 constraint ('rod')"]),
    "scalar": ({"weights": 3.0}, ["weights=3.0 was given: give a mapping by row, or a sequence of one number"]),
    "text": ({"sigma": "rod"}, ["sigma='rod' was given: give a mapping"]),
    "ragged": ({"weights": [[1.0], [1.0, 2.0]]}, ["give a mapping by row"]),
    "matrix shape": ({"weights": np.eye(2)}, ["shape (2, 2) found; (1,) or (1, 1) expected"]),
    "matrix of words": ({"weights": [["a"]]}, ["not a matrix of real numbers"]),
    "matrix not positive": ({"weights": [[-1.0]]}, ["not positive definite"]),
    "a symbol": ({"sigma": {x: 1.0}}, ["sigma names x(t), which is no row of this system"]),
    "no trust": ({"measured": {"x_ddot": 1.0}}, ["say sigma={'x_ddot': …}"]),
    "nothing measured": ({"sigma": {"reaction_x": 1.0}}, ["'reaction_x' has a trust, but nothing was measured"]),
    "measured twice": (
        {"sigma": {"x_ddot": 1.0}, "measured": {"x_ddot": 1.0, x.diff(t, 2): 1.0}},
        ["measured gives 'x_ddot' twice"],
    ),
    "measured no number": ({"measured": {"rod": "high"}}, ["measured gives 'rod' the value 'high'"]),
    "measured no mapping": ({"measured": [1.0]}, ["for one instant give a mapping"]),
    "too sure": ({"sigma": {"rod": 1e-160}}, ["out of range"]),
    "level": ({"level": 1.0}, ["level is 1.0"]),
}


@pytest.mark.parametrize(("asked", "said"), BAD.values(), ids=BAD)
def test_bad_input(asked, said):
    with pytest.raises(da.ModelError) as caught:
        da.reconcile(pendulum(), STATE, **asked)
    assert caught.value.subject == "reconcile"
    assert len(caught.value.faults) == len(said), caught.value
    for fault, words in zip(caught.value.faults, said, strict=True):
        assert words in fault


def test_all_faults_in_one_error():
    with pytest.raises(da.ModelError) as caught:
        da.reconcile(pendulum(), {x: 1}, {"rod": -1, "rodd": 1}, measured={"y_ddot": 3}, parameters={"k": 1}, level=2.0)
    said = ("level", "['rod'] is -1", "'rodd'", "'y_ddot' is measured", "k is not a parameter", "lacks y, x', y'")
    assert len(caught.value.faults) == len(said)
    for words in said:
        assert words in str(caught.value)
    with pytest.raises(da.StateError, match="lacks"):
        da.reconcile(pendulum(), {x: 1})


def test_the_page_shows_what_is_printed(capsys):
    page = (Path(__file__).parents[2] / "docs" / "reconcile.md").read_text(encoding="utf-8")
    code, shown = (re.search(rf"^```{kind}\n(.*?)^```$", page, re.M | re.S)[1] for kind in ("python", "text"))
    exec(compile(code, "reconcile.md", "exec"), {})
    assert capsys.readouterr().out == shown


def test_rods_of_which_one_is_wrong():
    """A mechanism of one degree of freedom, each rod stated three times: the row that is off by 8 σ is named."""
    bars = four_bar(times=3)
    start = bars.start(dict(zip(bars.coordinates, (0.6, 0.8, 1.9, 1.2), strict=True)))
    names = [c.name for c in bars.constraints]
    b = dict(zip(names, bars.instant(start.state).b, strict=True))
    random = np.random.default_rng(4)
    right = 0
    for trial in range(100):
        wrong = names[trial % len(names)]
        read = {name: value + 0.01 * random.normal() + 0.08 * (name == wrong) for name, value in b.items()}
        found = da.reconcile(bars, start, sigma=dict.fromkeys(names, 0.01), measured=read)
        right += found.suspect == wrong
    assert right >= 95
    assert found.redundancy == 6
