"""Rows whose scale a force depends on: stated holonomically they mean the same, or stay as they are with the reason."""

import warnings

import pytest
from numpy.testing import assert_allclose
from sympy import Rational, exp
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

t = dynamicsymbols._t
x, y = dynamicsymbols("x y")
X, Y = x.diff(t), y.diff(t)
LINE = Y - X / 2

SCALED = {  # the line times a factor that vanishes nowhere; an integral of the line does not know it
    "by velocity": LINE * (1 + X**2),
    "by place": LINE * (2 + x**2),
    "by both": LINE * exp(X) * (1 + y**2),
    "below": LINE / (1 + X**2 + Y**2),
    "by a number": 3 * LINE,
    "as it is": LINE,
}
NATURES = {
    "friction": da.Coulomb(Rational(1, 10), sliding=X),
    "friction of the actual force": da.Coulomb(Rational(1, 10), normal="actual", sliding=X),
    "its multiplier": da.Prescribed({x: -da.multiplier("row") * X / 5}),
    "of one particle": da.Coulomb(Rational(1, 10)),
    "its size": da.Prescribed({x: -da.ideal_magnitude("row") * X / 5}),
    "viscous": da.Viscous(Rational(1, 3)),
    "ideal": da.Ideal(),
}
KEEPING = ("friction", "friction of the actual force", "its multiplier")  # whose force follows the multiplier itself


def stated(psi, nature) -> da.System:
    start = {x: 0, y: Rational(1, 3), X: 1, Y: Rational(1, 2)}
    row = da.Nonholonomic(psi, name="row", nature=nature)
    return da.System.from_lagrangian((X**2 + Y**2) / 2 - 2 * y, [x, y], constraints=[row], initial=start)


@pytest.mark.parametrize("psi", SCALED.values(), ids=SCALED)
@pytest.mark.parametrize("nature", NATURES.values(), ids=NATURES)
def test_the_motion_is_the_same(psi, nature) -> None:
    one = stated(psi, nature)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = one.integrate_constraints()
    first, second = (s.simulate(until=1.0, samples=11) for s in (one, other))
    assert_allclose(second.y, first.y, atol=1e-9)


@pytest.mark.parametrize("nature", [NATURES[name] for name in KEEPING], ids=KEEPING)
@pytest.mark.parametrize("name", ["by velocity", "by place", "by both", "below"])
def test_a_scale_that_a_force_depends_on_is_kept(name, nature) -> None:
    one = stated(SCALED[name], nature)
    with pytest.warns(UserWarning, match="multiplier"):
        assert one.integrate_constraints().constraints == one.constraints


@pytest.mark.parametrize("nature", [v for name, v in NATURES.items() if name not in KEEPING])
@pytest.mark.parametrize("psi", SCALED.values(), ids=SCALED)
def test_others_are_integrated(psi, nature) -> None:
    assert isinstance(stated(psi, nature).integrate_constraints().constraints[0], da.Holonomic)


def test_the_multiplier_of_another_row() -> None:
    """A force that belongs to one row and follows the multiplier of another."""
    z = dynamicsymbols("z")
    rows = [
        da.Nonholonomic(LINE * (1 + X**2), name="row"),
        da.Nonholonomic(z.diff(t), name="held", nature=da.Prescribed({x: -da.multiplier("row") * X / 5})),
    ]
    start = {x: 0, y: Rational(1, 3), X: 1, Y: Rational(1, 2)}
    L = (X**2 + Y**2 + z.diff(t) ** 2) / 2 - 2 * y
    one = da.System.from_lagrangian(L, [x, y, z], constraints=rows, initial=start)
    with pytest.warns(UserWarning, match="multiplier"):
        other = one.integrate_constraints()
    assert other.constraints[0] == one.constraints[0]
    assert isinstance(other.constraints[1], da.Holonomic)
    assert_allclose(other.simulate(until=1.0).y, one.simulate(until=1.0).y, atol=1e-9)


@pytest.mark.parametrize("normal", ["ideal", "actual"])
@pytest.mark.parametrize("psi", SCALED.values(), ids=SCALED)
def test_friction_of_a_mass_point_follows_the_force(psi, normal) -> None:
    """N = |λ ∂φ/∂r| of a mass point, whatever the scale of the row: it is integrated."""
    nature = da.Coulomb(Rational(1, 10), normal=normal, sliding=X + Y / 2)
    row = da.Nonholonomic(psi, name="row", nature=nature)
    start = {x: 0, y: Rational(1, 3), X: 1, Y: Rational(1, 2)}
    one = da.System.from_particles([da.Particle(1, [x, y])], potential=2 * y, constraints=[row], initial=start)
    other = one.integrate_constraints()
    assert isinstance(other.constraints[0], da.Holonomic)
    first, second = (s.simulate(until=1.0, samples=11) for s in (one, other))
    assert_allclose(second.y, first.y, atol=1e-9)


def test_redundant_rows_share_a_force_by_their_scales() -> None:
    """The multipliers of least norm depend on how long rows are, and friction on the multipliers."""
    rows = [
        da.Nonholonomic(LINE * (1 + X**2), name="row", nature=da.Coulomb(Rational(1, 10))),
        da.Nonholonomic(2 * LINE, name="again"),
    ]
    start = {x: 0, y: Rational(1, 3), X: 1, Y: Rational(1, 2)}
    one = da.System.from_lagrangian((X**2 + Y**2) / 2 - 2 * y, [x, y], constraints=rows, initial=start)
    with pytest.warns(UserWarning, match="redundant"):
        other = one.integrate_constraints()
    assert other.constraints[0] == one.constraints[0]
