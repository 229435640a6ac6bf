"""What a check found, in words and for programs: passed, off the constraints, contradictory."""

import json
from unicodedata import combining

import numpy as np
import pytest
from sympy import symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.derive import Residuals
from dalembert.show import Finding

x, y, z = dynamicsymbols("x y z")
t = dynamicsymbols._t
m, g, R, mu = symbols("m g R mu", positive=True)


def ring(initial, *more, nature=da.Coulomb(mu)):  # noqa: B008  (a frozen value)
    return da.System.from_lagrangian(
        m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y,
        [x, y],
        constraints=[da.Holonomic(x**2 + y**2 - R**2, name="ring", nature=nature), *more],
        parameters={m: 2.0, g: 9.81, R: 1.0, mu: 0.2},
        initial=initial,
    )


TWO = da.Nonholonomic(x.diff() - 3 * t, "slow"), da.Nonholonomic(2 * x.diff() - 8 * t, "fast")
STARTS = {
    "passed": ring({x: 0.6, y: -0.8, x.diff(): 0.8, y.diff(): 0.6}),
    "off in place": ring({x: 0.7, y: -0.8, x.diff(): 0.8, y.diff(): 0.7}),
    "off in velocity": ring({x: 0.6, y: -0.8, x.diff(): 0.8, y.diff(): 0}),
    "contradiction": ring({x: 0.6, y: -0.8}, *TWO, nature=da.Ideal()),
    "contradiction with friction": ring({x: 0.6, y: -0.8}, *TWO),
    "free": da.System.from_lagrangian(m * x.diff() ** 2 / 2, [x], parameters={m: 1.0}),
}


@pytest.fixture(scope="module")
def findings():
    return {name: system.check() for name, system in STARTS.items()}


def test_passed(findings):
    finding = findings["passed"]
    assert finding.passed
    assert finding.on_constraints
    text = finding.text()
    assert text.splitlines()[-1] == "PASSED"
    assert "satisfies every constraint" in text
    assert "x = 0.6, y = -0.8, x' = 0.8, y' = 0.6" in text


def test_power_is_that_of_friction(findings):
    """The ideal force does no work on the ring; friction μN takes μ N v: N = m (v² − g y)/R with v = 1."""
    expected = -0.2 * 2.0 * (1 + 9.81 * 0.8)
    assert findings["passed"].power == pytest.approx(expected, rel=1e-12)
    assert f"q̇ᵀQᶜ: {expected:.6g}" in findings["passed"].text()


@pytest.mark.parametrize(
    ("name", "level", "rate", "length"),
    [("off in place", 0.49 + 0.64 - 1, 0.0, (1.4**2 + 1.6**2) ** 0.5), ("off in velocity", 0.0, 0.96, 2.0)],
)
def test_a_start_off_the_constraints(findings, name, level, rate, length):
    finding = findings[name]
    assert not finding.on_constraints
    assert not finding.passed
    assert finding.residuals.level == pytest.approx([level], abs=1e-12)
    assert finding.residuals.rate == pytest.approx([rate], abs=1e-12)
    assert finding.residuals.distance == pytest.approx([max(level, rate) / length])
    text = finding.text()
    assert "DOES NOT SATISFY the constraints" in text
    assert f"distance {max(level, rate) / length:.3g}" in text
    assert text.splitlines()[-1] == "FAILED: the start does not satisfy the constraints"


class TestContacts:
    """A ball over a table: open, on it, below it, and leaving or hitting it."""

    @staticmethod
    def ball(height, speed=0.0):
        return da.System.from_lagrangian(
            m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y,
            [x, y],
            constraints=[da.OneSided(y, name="table"), da.Holonomic(x - 1, "rail")],
            parameters={m: 2.0, g: 9.81},
            initial={x: 1, y: height, y.diff(): speed},
        ).check()

    @pytest.mark.parametrize(("height", "speed"), [(0.5, 0.0), (0.5, -3.0), (0.0, 1.0), (0.0, -1.0)])
    def test_out_of_contact_it_is_no_constraint(self, height, speed):
        finding = self.ball(height, speed)
        assert finding.passed
        assert (finding.constraints, finding.apart) == (("rail",), ("table",))
        assert finding.certificate.answer.acceleration == pytest.approx([0, -9.81])
        assert "Out of contact, and not in force: table" in finding.text()
        assert finding.as_dict()["out_of_contact"] == ["table"]

    def test_in_contact_it_is_one(self):
        finding = self.ball(0.0)
        assert finding.passed
        assert (finding.constraints, finding.apart) == (("table", "rail"), ())
        assert finding.certificate.answer.multipliers == pytest.approx([2 * 9.81, 0])
        assert "Out of contact" not in finding.text()

    @pytest.mark.parametrize("speed", [0.0, 1.0])
    def test_inside_the_table_is_no_place_to_start(self, speed):
        finding = self.ball(-0.1, speed)
        assert not finding.passed
        assert "FAILED: the start does not satisfy the constraints" in finding.text()

    @pytest.mark.parametrize("slides", [0.0, 1.0])
    def test_what_would_have_to_pull_lets_go(self, slides):
        """Gravity upwards: the table lets go at once, its friction with it, and the ball goes up by g."""
        up = da.System.from_lagrangian(
            m * (x.diff() ** 2 + y.diff() ** 2) / 2 + m * g * y,
            [x, y],
            constraints=[da.OneSided(y, name="table", nature=da.Coulomb(mu)), da.OneSided(-x, name="wall")],
            parameters={m: 2.0, g: 9.81, mu: 0.5},
            initial={x: -1, x.diff(): slides},
        )
        finding = up.check()
        assert finding.passed
        assert (finding.apart, finding.let_go) == (("wall",), ("table",))
        assert finding.certificate.answer.acceleration == pytest.approx([0, 9.81])
        assert "let go because they would have to pull: table" in finding.text()
        assert finding.as_dict()["let_go"] == ["table"]
        verified = up.verify({x: -1, y: 0, x.diff(): slides, y.diff(): 0})
        assert verified.passed
        assert verified.let_go == ("table",)
        assert {check.name for check in verified.checks} >= {"contacts"}
        moved = up.simulate(until=0.1)
        assert moved.dataset.y_ddot[0] == pytest.approx(9.81)

    def test_friction_may_press_a_contact_that_its_load_alone_would_lift(self):
        """A body that slides on a wall and is dragged down by it onto a foot: with μ = 1 it is pressed there.

        Along y: load up 5, friction of the wall −μN = −8. The foot bears 3, and lets go without friction.
        """
        sliding = {x: 0, y: 0, z: 0, x.diff(): 0, y.diff(): 0, z.diff(): 1}
        wall = da.OneSided(x, name="wall", nature=da.Prescribed({y: -da.multiplier("wall"), z: 0}))
        feet = [wall, da.OneSided(y, name="foot")]
        energy = (x.diff() ** 2 + y.diff() ** 2 + z.diff() ** 2) / 2 - 8 * x + 5 * y
        body = da.System.from_lagrangian(energy, [x, y, z], constraints=feet)
        found = body.verify(sliding)
        assert found.passed
        assert found.let_go == ()
        assert found.answer.acceleration == pytest.approx([0, 0, 0])
        ideal = body.without(["wall"])._changed(constraints=(da.OneSided(x, name="wall"), feet[1]))
        assert ideal.verify(sliding).let_go == ("foot",)

    def test_what_presses_may_be_open(self):
        """Friction on the rail that the table presses: there is none while nothing touches the table."""
        pressed = da.Holonomic(x - 1, "rail", da.Coulomb(mu, sliding=y.diff(), of="table"))
        system = da.System.from_lagrangian(
            m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y,
            [x, y],
            constraints=[da.OneSided(y, name="table"), pressed],
            parameters={m: 2.0, g: 9.81, mu: 0.5},
            initial={x: 1, y: 1, y.diff(): -2},
        )
        assert system.check().power == 0


class TestFrictionAtRest:
    """A block on a rough table, pulled: what it does is decided as in the motion that begins there.

    Forward is a quarter turn to the left of the direction in which the table pushes.
    """

    @staticmethod
    def block(pull, contact=da.Holonomic, lift=0.0, speed=0.0):
        return da.System.from_lagrangian(
            m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y,
            [x, y],
            forces={x: pull, y: lift},
            constraints=[contact(y, name="table", nature=da.Coulomb(mu))],
            parameters={m: 2.0, g: 9.81, mu: 0.2},
            initial={x: 0, y: 0, y.diff(): speed},
        )

    @pytest.mark.parametrize("contact", [da.Holonomic, da.OneSided])
    @pytest.mark.parametrize(
        ("pull", "word"), [(0, "sticks"), (3, "sticks"), (5, "slips backward"), (-5, "slips forward")]
    )
    def test_it_sticks_or_slips(self, contact, pull, word):
        finding = self.block(pull, contact).check()
        assert finding.passed
        assert f"table {word}" in finding.mode
        expected = 0.0 if word == "sticks" else (pull - np.sign(pull) * 0.2 * 2 * 9.81) / 2
        assert finding.certificate.answer.acceleration == pytest.approx([expected, 0], abs=1e-12)
        assert {check.name for check in finding.certificate.checks} >= {"friction", "modes"}
        assert "Friction is at rest here" in finding.text()
        document = finding.as_dict()
        assert document["mode"] == finding.mode
        json.dumps(document, allow_nan=False)

    def test_lifted_it_is_free_of_friction(self):
        finding = self.block(1, da.OneSided, lift=30.0).check()
        assert finding.passed
        assert (finding.let_go, finding.mode) == (("table",), "")
        assert finding.certificate.answer.acceleration == pytest.approx([0.5, 15 - 9.81])

    def test_an_instant_by_itself_still_does_not_say(self):
        with pytest.raises(da.StateError, match="cannot be told at one instant"):
            self.block(3).verify({x: 0, y: 0, x.diff(): 0, y.diff(): 0})

    def test_without_the_compiled_engine_it_is_refused(self, monkeypatch):
        from dalembert.motion import first_mode

        monkeypatch.setattr(first_mode, "compiled_engine", lambda: False)
        with pytest.raises(da.StateError, match="cannot be told at one instant"):
            self.block(3).check()


def test_contradiction(findings):
    finding = findings["contradiction"]
    assert not finding.passed
    assert finding.certificate is None
    assert finding.contradiction is not None
    text = " ".join(finding.text().split())
    assert "“slow” and “fast” contradict each other" in text
    assert "Least squares" in text
    assert finding.text().splitlines()[-1] == "FAILED: constraint rows contradict each other"
    # ẍ − 3 = r and 2 ẍ − 8 = s with r + 2 s = 0: ẍ = 19/5
    document = finding.as_dict()
    assert document["reconciled"]["acceleration"][0] == pytest.approx(19 / 5)
    assert document["reconciled"]["unsatisfied"] == pytest.approx([0, 0.8, -0.4], abs=1e-12)
    assert "contradict" in document["contradiction"]


def test_contradiction_where_friction_needs_the_multipliers(findings):
    finding = findings["contradiction with friction"]
    assert not finding.passed
    assert finding.reconciled is None
    assert "“slow” and “fast” contradict each other" in " ".join(finding.text().split())
    assert finding.as_dict()["reconciled"] is None


def test_without_constraints(findings):
    assert findings["free"].passed
    assert "constraint:" not in findings["free"].text()
    assert "Power" not in findings["free"].text()


@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("width", [50, 79, 110])
def test_text_fits(findings, name, width):
    lines = findings[name].text(width).splitlines()
    assert max(sum(not combining(c) for c in line) for line in lines) <= max(width, 59)  # the table is 59 wide
    assert all(line == line.rstrip() for line in lines)
    assert findings[name].text(width).split() == findings[name].text(500).split()  # no word is lost


@pytest.mark.parametrize("name", STARTS)
def test_dictionary(findings, name):
    document = findings[name].as_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert document["passed"] is findings[name].passed
    assert [row["constraint"] for row in document["residuals"]] == [c.name for c in STARTS[name].constraints]
    assert document["state"].keys() == {
        q + dot for q in ("x", "y")[: len(STARTS[name].coordinates)] for dot in ("", "'")
    }


def test_a_distance_that_does_not_exist_is_null(findings):
    """Where the gradient vanishes and the row does not hold: infinitely far in the first order, null in JSON."""
    finding = ring(dict.fromkeys((x, y, x.diff(), y.diff()), 0)).check()
    assert finding.residuals.distance[0] == np.inf
    assert finding.as_dict()["residuals"][0]["distance"] is None
    assert not finding.passed
    json.dumps(finding.as_dict(), allow_nan=False)


def test_every_reason_is_named(findings):
    good = findings["passed"]
    bad = Residuals(*(np.array([value]) for value in (0.1, 0.0, 0.1, 0.05, 0.0)))
    assert Finding(good.state, good.constraints, bad, good.certificate).verdict.count("and") == 0
    assert Finding(good.state, good.constraints, good.residuals, good.certificate).verdict == "PASSED"
