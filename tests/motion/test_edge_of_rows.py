"""A motion that comes to the edge of where a constraint exists ends there, in words, at its true time."""

import pytest
from scipy.special import ellipe
from sympy import acos, asin, sqrt
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

pytest.importorskip("heyoka", reason="heyoka has wheels for Linux only")
x, y = dynamicsymbols("x y")
X, Y = x.diff(), y.diff()

ARCS = {
    "asin": (x - asin(y), 1),
    "acos": (x + acos(y), 1),
    "minus asin": (x + asin(y), -1),
    "root": (x - sqrt(1 - y**2), 0),
}


@pytest.mark.parametrize("arc", ARCS)
@pytest.mark.parametrize("tolerance", [None, 1e-8])
def test_a_free_point_on_an_arc_that_ends(arc, tolerance):
    """On y = sin x from (0, 0) at its speed √2 it is at the crest, where asin ends, after E(1/2) = ∫ √(1 + cos²)/√2."""
    relation, along = ARCS[arc]
    system = da.System.from_lagrangian((X**2 + Y**2) / 2, [x, y], constraints=[da.Holonomic(relation, "arc")])
    start = {X: along, Y: 1.0} if along else {x: 1.0, y: 0.0, Y: 1.0}
    start |= {x: -1.5707963267948966, y: 0.0} if arc == "acos" else {}
    edge = ellipe(0.5) if along else 1.5707963267948966
    motion = system.simulate(start, until=3.0, throw=False, tolerance=tolerance)
    assert motion.status.ending in ("broken", "singular")
    assert any(words in motion.status for words in ("1 - y**2", "has no direction", "grow without bound"))
    assert motion.end_time == pytest.approx(edge, abs=1e-4)
    assert motion.end_time <= edge + 1e-6


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_in_any_unit(size):
    """y = u sin x from the origin at the speed √(1 + u²): E(u²/(1 + u²)) to the crest."""
    system = da.System.from_lagrangian((X**2 + Y**2) / 2, [x, y], constraints=[da.Holonomic(x - asin(y / size))])
    motion = system.simulate({X: 1.0, Y: size}, until=3.0, throw=False)
    assert motion.status.ending in ("broken", "singular")
    assert motion.end_time == pytest.approx(ellipe(size**2 / (1 + size**2)), abs=1e-4)
