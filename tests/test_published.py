"""Published problems, with the numbers in print: accelerations and multipliers at given states."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Matrix, cos, sin, sqrt, symbols, tan
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

t = dynamicsymbols._t

ANDREWS = {
    "m1": 0.04325, "m2": 0.00365, "m3": 0.02373, "m4": 0.00706, "m5": 0.0705, "m6": 0.00706, "m7": 0.05498, "xa":
    -0.06934, "ya": -0.00227, "xb": -0.03635, "yb": 0.03273, "xc": 0.014, "yc": 0.072, "c0": 4530.0, "i1":
    2.194e-06, "i2": 4.41e-07, "i3": 5.255e-06, "i4": 5.667e-07, "i5": 1.169e-05, "i6": 5.667e-07, "i7": 1.912e-05,
    "d": 0.028, "da": 0.0115, "e": 0.02, "ea": 0.01421, "rr": 0.007, "ra": 0.00092, "l0": 0.07785, "ss": 0.035,
    "sa": 0.01874, "sb": 0.01043, "sc": 0.018, "sd": 0.02, "ta": 0.02308, "tb": 0.00916, "u": 0.04, "ua": 0.01228,
    "ub": 0.00449, "zf": 0.02, "zt": 0.04, "fa": 0.01421, "mom": 0.033,
}  # fmt: skip


def squeezer():
    """Andrews' squeezing mechanism: 7 angles, 3 closed planar loops (Hairer and Wanner, section VII.7)."""
    be, th, ga, ph, de, om, ep = q = dynamicsymbols("be th ga ph de om ep")
    s = {name: symbols(name) for name in ANDREWS}
    bodies = [
        (s["m1"], s["i1"], s["ra"] * cos(be), s["ra"] * sin(be), be),
        (s["m2"], s["i2"], s["rr"] * cos(be) - s["da"] * cos(be + th),
         s["rr"] * sin(be) - s["da"] * sin(be + th), be + th),
        (s["m3"], s["i3"], s["sa"] * sin(ga) + s["sb"] * cos(ga), -s["sa"] * cos(ga) + s["sb"] * sin(ga), ga),
        (s["m4"], s["i4"], s["zt"] * cos(de) + (s["e"] - s["ea"]) * sin(ph + de),
         s["zt"] * sin(de) - (s["e"] - s["ea"]) * cos(ph + de), ph + de),
        (s["m5"], s["i5"], s["ta"] * cos(de) - s["tb"] * sin(de), s["ta"] * sin(de) + s["tb"] * cos(de), de),
        (s["m6"], s["i6"], s["u"] * sin(ep) + (s["zf"] - s["fa"]) * cos(om + ep),
         -s["u"] * cos(ep) + (s["zf"] - s["fa"]) * sin(om + ep), om + ep),
        (s["m7"], s["i7"], s["ua"] * sin(ep) - s["ub"] * cos(ep), -s["ua"] * cos(ep) - s["ub"] * sin(ep), ep),
    ]  # fmt: skip
    kinetic = sum((m * (x.diff(t) ** 2 + y.diff(t) ** 2) + i * a.diff(t) ** 2) / 2 for m, i, x, y, a in bodies)
    length = sqrt(
        (s["sd"] * cos(ga) + s["sc"] * sin(ga) + s["xb"] - s["xc"]) ** 2
        + (s["sd"] * sin(ga) - s["sc"] * cos(ga) + s["yb"] - s["yc"]) ** 2
    )
    crank = s["rr"] * cos(be) - s["d"] * cos(be + th), s["rr"] * sin(be) - s["d"] * sin(be + th)
    loops = [
        crank[0] - s["ss"] * sin(ga) - s["xb"],
        crank[1] + s["ss"] * cos(ga) - s["yb"],
        crank[0] - s["e"] * sin(ph + de) - s["zt"] * cos(de) - s["xa"],
        crank[1] + s["e"] * cos(ph + de) - s["zt"] * sin(de) - s["ya"],
        crank[0] - s["zf"] * cos(om + ep) - s["u"] * sin(ep) - s["xa"],
        crank[1] - s["zf"] * sin(om + ep) + s["u"] * cos(ep) - s["ya"],
    ]
    return da.System.from_lagrangian(
        kinetic - s["c0"] / 2 * (length - s["l0"]) ** 2,
        q,
        forces={be: s["mom"]},
        constraints=[da.Holonomic(f) for f in loops],
        parameters={s[name]: value for name, value in ANDREWS.items()},
    )


@pytest.fixture(scope="module", name="squeezer")
def _squeezer():
    return squeezer()


def test_squeezer_at_its_start(squeezer):
    q = [-0.06171389001427645, 0, 0.4552798191630704, 0.2226683901658859, 0.48736497954384255, -0.2226683901658859,
         1.2305474445498212]  # fmt: skip
    state = dict(zip((*squeezer.coordinates, *squeezer.velocities), (*q, *[0] * 7), strict=True))
    certificate = squeezer.verify(state)
    assert certificate.passed
    assert squeezer.residuals(state).level == pytest.approx(0, abs=1e-16)
    assert_allclose(certificate.answer.acceleration[:2], [14222.443919954114, -10666.832939965585], rtol=1e-11)
    assert_allclose(certificate.answer.acceleration[2:], 0, atol=1e-6)
    # published with M a = F − Gᵀλ
    assert_allclose(-certificate.answer.multipliers[:2], [98.56687039624109, -6.122688344255662], rtol=1e-11)


def test_squeezer_in_full_motion(squeezer):
    """At 0.03 s, the state recomputed in quadruple precision: the printed tables are good to 1e-6 here."""
    q = [15.8107711951537070971, -15.75637105841183946973, 0.0408222401196458048583, -0.534730116342079593770,
         0.524409965879954069372, 0.534730116342079593770, 1.04808074104193787307]  # fmt: skip
    v = [1139.92030225910606420, -1424.37929517754007320, 11.0329119106185937453, 19.2933741050320408316,
         0.573569914829502453818, -19.2933741050320408316, 0.323179149249130874991]  # fmt: skip
    a = [-24631.7631228746344701, 51850.3196364642315338, 324102.600707578605812, 566749.422000995326493,
         16743.6354183454446096, -566749.422000995326493, 9826.50780154416268849]  # fmt: skip
    lam = [199.1753481045387, -29.755309974971535, 23.066543611622155, 31.452725275771154, 22.64249478639438,
           11.617392352611295]  # fmt: skip
    state = dict(zip((*squeezer.coordinates, *squeezer.velocities), (*q, *v), strict=True))
    certificate = squeezer.verify(state)
    assert certificate.passed
    assert certificate.rank == 6
    assert_allclose(certificate.answer.acceleration, a, rtol=1e-9)
    assert_allclose(-certificate.answer.multipliers, lam, rtol=1e-9)


def test_chaplygin_sleigh():
    """v̇ = a ω² and ω̇ = −a v ω/(J/m + a²) (Neimark and Fufaev; Bloch, section 1.7)."""
    x, y, th = dynamicsymbols("x y th")
    m, J, a = symbols("m J a", positive=True)
    values = {m: 2.0, J: 0.3, a: 0.4}
    sleigh = da.System.from_lagrangian(
        m * ((x.diff() - a * sin(th) * th.diff()) ** 2 + (y.diff() + a * cos(th) * th.diff()) ** 2) / 2
        + J * th.diff() ** 2 / 2,
        [x, y, th],
        constraints=[da.Nonholonomic(-x.diff() * sin(th) + y.diff() * cos(th))],
        parameters=values,
    )
    angle, speed, turn = 0.3, 0.5, 2.0
    state = {x: 0, y: 0, th: angle, x.diff(): speed * np.cos(angle), y.diff(): speed * np.sin(angle), th.diff(): turn}
    certificate = sleigh.verify(state)
    assert certificate.passed
    xdd, ydd, thdd = certificate.answer.acceleration
    assert xdd * np.cos(angle) + ydd * np.sin(angle) == pytest.approx(0.4 * turn**2, rel=1e-12)
    assert thdd == pytest.approx(-0.4 * speed * turn / (0.3 / 2.0 + 0.16), rel=1e-12)


def disc():
    """A thin disc rolling on a plane, z down: 6 coordinates, one holonomic and two nonholonomic constraints."""
    yaw, lean, spin, x, y, z = q = dynamicsymbols("yaw lean spin x y z")
    m, r, g = symbols("m r g", positive=True)
    turn = Matrix([[cos(yaw), -sin(yaw), 0], [sin(yaw), cos(yaw), 0], [0, 0, 1]])
    tilt = Matrix([[1, 0, 0], [0, cos(lean), -sin(lean)], [0, sin(lean), cos(lean)]])
    own = Matrix([lean.diff(), spin.diff() + yaw.diff() * sin(lean), yaw.diff() * cos(lean)])  # in the tilted frame
    omega = turn * tilt * own
    velocity = Matrix([x, y, z]).diff(t)
    contact = velocity + omega.cross(turn * tilt * Matrix([0, 0, r]))
    inertia = m * r**2 / 4
    L = m * velocity.dot(velocity) / 2 + inertia * (own[0] ** 2 + 2 * own[1] ** 2 + own[2] ** 2) / 2 + m * g * z
    return da.System.from_lagrangian(
        L,
        q,
        constraints=[
            da.Holonomic(z + r * cos(lean), name="on the plane"),
            da.Nonholonomic(contact[0], name="rolls in x"),
            da.Nonholonomic(contact[1], name="rolls in y"),
        ],
        parameters={m: 1.3, r: 0.7, g: 9.81},
    ), contact


def test_rolling_disc():
    """Kane and Levinson: u₁' = (−u₃² tan q₂ + 6 u₂u₃ + 4 g/r sin q₂)/5, u₂' = −⅔ u₁u₃, u₃' = −2u₁u₂ + u₁u₃ tan q₂."""
    system, contact = disc()
    yaw, lean, spin, x, y, z = system.coordinates
    place = {yaw: 0.3, lean: 0.4, spin: 0.2, x: 0.1, y: -0.2, z: -0.7 * np.cos(0.4)}
    speeds = {yaw.diff(): 1.1, lean.diff(): 0.6, spin.diff(): 2.3, z.diff(): 0.7 * np.sin(0.4) * 0.6}
    values = dict(system.values)
    at = {**speeds, **place, **values}
    free = contact.xreplace({x.diff(): 0, y.diff(): 0}).xreplace(at)
    state = {**place, **speeds, x.diff(): -float(free[0]), y.diff(): -float(free[1])}
    assert system.residuals(state).distance == pytest.approx(0, abs=1e-14)
    certificate = system.verify(state)
    assert certificate.passed
    u1, u2, u3 = 0.6, 2.3 + 1.1 * np.sin(0.4), 1.1 * np.cos(0.4)
    expected = [
        (-(u3**2) * tan(0.4) + 6 * u2 * u3 + 4 * 9.81 / 0.7 * np.sin(0.4)) / 5,
        -2 * u1 * u3 / 3,
        -2 * u1 * u2 + u1 * u3 * tan(0.4),
    ]
    yawdd, leandd, spindd = certificate.answer.acceleration[:3]
    found = [
        leandd,
        spindd + yawdd * np.sin(0.4) + 1.1 * np.cos(0.4) * 0.6,
        yawdd * np.cos(0.4) - 1.1 * np.sin(0.4) * 0.6,
    ]
    assert_allclose(found, np.array(expected, dtype=float), rtol=1e-10)
