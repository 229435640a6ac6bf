"""What a user would write or pick for motions across switches: SciPy with events, and MuJoCo's contact."""

from importlib.metadata import version
from math import cos, sin
from time import perf_counter
from typing import NamedTuple

from scipy.integrate import solve_ivp

from switched import Belt, G

RTOL, ATOL = 1e-12, 1e-14
SETTLED = 1.0  # seconds in which a block may sink into its contact


def belt(stated: Belt, until: float) -> list[float]:
    """The times at which a block on a belt slips: DOP853 from event to event, the two equations by hand."""
    k, v, mu, static = stated

    def sticks(_t, _s):
        return [v, 0.0]

    def slips(_t, s):
        return [s[1], mu * G - k * s[0]]

    def breaks(_t, s):
        return static * G - k * abs(s[0])

    def catches(_t, s):
        return s[1] - v

    breaks.terminal = catches.terminal = True
    breaks.direction, catches.direction = -1, 1
    time, state, stuck, found = 0.0, [0.0, v], True, []
    while time < until:
        right, event = (sticks, breaks) if stuck else (slips, catches)
        leg = solve_ivp(right, (time, until), state, method="DOP853", rtol=RTOL, atol=ATOL, events=event)
        if leg.status != 1:
            break
        time, state = leg.t_events[0][-1], [leg.y_events[0][-1][0], v]
        if stuck:
            found.append(float(time))
        stuck = not stuck
    return found


class Creep(NamedTuple):
    """How far a block that friction should hold has moved along its slope, in how long, and how long that took."""

    metres: float
    lasts: float
    run_seconds: float


MUJOCO = {
    "default": "",
    "elliptic cone, impratio 100": 'cone="elliptic" impratio="100"',
    "elliptic cone, 20 noslip iterations": 'cone="elliptic" noslip_iterations="20"',
}


def mujoco_creep(setting: str, slope: float, mu: float, until: float) -> Creep:
    """A box of 1 kg on a plane that gravity pulls it along; friction is `mu`, the contact as MuJoCo makes it.

    Raises ImportError where MuJoCo is not installed.
    """
    import mujoco

    pull = f"{G * sin(slope)!r} 0 {-G * cos(slope)!r}"
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option gravity="{pull}" {MUJOCO[setting]}/><worldbody>'
        f'<geom type="plane" size="1 1 1" friction="{mu} 0 0"/>'
        f'<body pos="0 0 0.05"><freejoint/><geom type="box" size="0.1 0.1 0.05" mass="1" friction="{mu} 0 0"/></body>'
        "</worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    while data.time < SETTLED:
        mujoco.mj_step(model, data)
    begin, first, clock = data.time, float(data.qpos[0]), perf_counter()
    while data.time < until:
        mujoco.mj_step(model, data)
    return Creep(float(data.qpos[0]) - first, data.time - begin, perf_counter() - clock)


def versions() -> dict[str, str]:
    """Of what is installed."""
    found = {"scipy": version("scipy")}
    try:
        import mujoco  # noqa: F401
    except ImportError:
        return found
    return found | {"mujoco": version("mujoco")}
