"""The scale law, short: models of the gallery and generated systems are the same motion in other units."""

import numpy as np
import pytest
from sympy import Rational, Symbol, cos, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from attack.judge import GOOD, Verdict
from attack.pool import Bench
from attack.registry import CLASSES, make
from attack.report import scales
from attack.scales import Course, judged, of_gallery
from attack.statement import Nature, Row, Statement, prescribed
from attack.units import Units
from dalembert import gallery

pytestmark = pytest.mark.compiled
LIMIT = 120.0  # seconds of the processor a case may take
HEAVY = {
    "redundant": (1, 2),
    "singular": (1, 4),
    "light": (0, 2),
    "scaled": (0, 2),
    "rheonomic": (1, 2),
}  # seeds of classes that have heavy ones
GENERATED = [f"{kind}:{seed}" for kind in CLASSES for seed in HEAVY.get(kind, (0, 1, 2))]
MENDED = {
    "gallery:hemisphere@3": "a row out of force had the size 1, beside which it vanished in force",
    "rheonomic:10": "rows were chosen by their lengths between powers of two, where a step happened to be looked at",
    "onesided:23": "a gap at rest was judged by coordinates that are rounding: paradox",
    "switching:20": "a shortened step near |x|^(5/3) was taken for the end of a run, and never left",
    "light:26": "a mass matrix singular to rounding was moved before it was refused",
    "impacts:25": "what an impact strikes was told by the sign of rounding",
    "switching:9": "the force along a surface was the difference of what jumps and of the slope of its function",
}


@pytest.fixture(scope="module")
def bench():
    with Bench() as made:
        yield made


@pytest.mark.parametrize("name", [*(f"gallery:{model}" for model in gallery.names()), *GENERATED, *MENDED])
def test_the_same_in_other_units(name, bench):
    record = bench.record(f"scales:{name}", LIMIT)
    assert record.verdict in GOOD, f"{record.label}: {record.verdict}: {record.words}"
    if name in MENDED:
        assert record.verdict == Verdict.RIGHT, record.words


def test_another_motion_differs():
    """The comparison sees what it is there for: another end, another event, another state, another time."""
    times = np.linspace(0.0, 1.0, 9)
    states = np.column_stack([np.cos(times), -np.sin(times)])
    event = [(0.4, ("impact", "floor", "open", "closed"))]
    one = Course("finished", "finished: reached t = 1", 1.0, times, states, states[-1], event, 10, 1.0)
    twins = [one._replace(states=states * (1 + 1e-15))] * 2
    assert judged(one, twins, one, 1.0) == (("", "", 0.0))
    for other in (
        one._replace(ending="broken", words="broken: at once"),
        one._replace(events=[]),
        one._replace(events=[(0.4 + 1e-10, event[0][1])]),
        one._replace(events=[(0.4, ("impact", "wall", "open", "closed"))]),
        one._replace(events=[*event, (0.7, ("impact", "wall", "open", "closed"))]),
        one._replace(states=states * (1 + 1e-11)),
        one._replace(end=1.0 - 1e-10),
    ):
        assert judged(one, twins, other, 1.0).differs
    doubtful = one._replace(events=[(0.2, ("impact", "wall", "open", "closed"))])
    assert judged(one, [doubtful], one._replace(events=[]), 1.0).uncertain


def test_natures_keep_their_meaning():
    """Forces that follow reactions, differential forms and drag, in other units: the same acceleration of the same."""
    x, y, z = dynamicsymbols("x y z")
    X, Y, Z = x.diff(), y.diff(), z.diff()
    k = Symbol("k", positive=True)
    t = dynamicsymbols._t

    def force(program):
        pulled = program.multiplier("bar") + program.ideal_force(y) * (1 + sin(t)) + program.ideal_magnitude()
        return {x: -k * pulled * X, z: cos(t) * program.multiplier("way") * Y}

    old = Statement(
        (x, y, z),
        (X**2 + 2 * Y**2 + Z**2) / 2 + X * Z / 3 - x * y - 3 * y + x * z,
        forces={x: sin(t)},
        rows=(
            Row("Differential", {x: 1 + y**2, y: x, z: y, t: cos(t)}, "bar", prescribed(force)),
            Row("Nonholonomic", X + 2 * x * Y + x, "way", Nature("Quadratic", (1 + x**2,))),
        ),
        parameters={k: 0.3},
    )
    a = Rational(1, 100)
    units = Units({x: a, y: a, z: a}, 1000, 10**7, [Rational(1, 10**5), 10**4])
    state, time = {x: 0.7, y: -0.4, z: 0.2, X: 0.5, Y: 1.2, Z: -0.3}, 0.9
    one = da.principles["explicit"](old.system(da).instant(state, time))
    new = units.statement(old).system(da).instant(units.start((x, y, z), state), time / 1000)
    two = da.principles["explicit"](new)
    assert two.acceleration * 1e-2 / 1e6 == pytest.approx(one.acceleration, rel=1e-12)
    assert np.abs(one.nonideal).max() > 0.1
    assert two.nonideal == pytest.approx(1e7 * 1e-2 * one.nonideal, rel=1e-12)
    assert two.multipliers == pytest.approx(one.multipliers * [1e12, 1e7 * 1e3 / 1e4], rel=1e-12)


def test_plain_data_is_the_model():
    for name in gallery.names():
        system = da.System.load(gallery.path(name))
        stated = of_gallery(name)
        assert stated.statement.system(da).form() == system.form()


def test_the_report_lists_what_is_not_the_same():
    with Bench() as one:
        records = [one.record("scales:gallery:contradiction", LIMIT)]
    bad = records[0]._replace(case="scales:smooth:3@0", verdict=str(Verdict.HUNG), words="no answer in 3 s")
    made = scales([*records, bad], 0, "1")
    assert made["counts"] == {"same": 1, "differs": 1, "uncertain": 0}
    assert made["differs"][0]["replay"] == "python -m tests.attack --replay scales:smooth:3@0"
    assert make("scales:gallery:belt@2").label.startswith("belt: ")
