"""MuJoCo: rods as bodies on hinges (its own joint coordinates), RK4 with a fixed step, the loop of steps in C++.

A rod of the chain hangs on two crossed hinges and carries its mass at the tip; a point is given the least inertia that
MuJoCo admits. The four-bar loop is closed by an equality on a tendon, which MuJoCo treats as a stiff spring, so that
stating it twice does no harm and stating it once is not exact. Where a rod of a long chain swings near the dead point
of its hinges, the error is larger than the step alone would make it.
"""

from typing import NamedTuple

import mujoco
import numpy as np
from mujoco import rollout

from peers import NotApplicable, Plan, Run

NAME = "MuJoCo, RK4"
NEEDS = ("mujoco",)
STEPS = (1e-2, 2e-3, 1e-3, 5e-4, 2e-4)
LARGEST = 100
POINT = 2e-15  # inertia of a mass point: MuJoCo refuses 1e-15


class Rods(NamedTuple):
    """From each rod's hinge to its tip (k, 3), the axes of its hinges, their rates at the start, and gravity."""

    tips: np.ndarray
    axes: list
    rates: np.ndarray
    gravity: tuple[float, float, float]


def plans(problem):
    if problem.kind == "four-bar":
        return [Plan("hinges and a tendon", STEPS)]
    return [Plan("hinges", STEPS[1:3] if problem.size > 10 else STEPS)]


def rods(problem) -> Rods:
    """The rods as they lie at the start, where every angle is zero."""
    g, n = problem.names.g if problem.kind != "knife edge" else 0.0, problem.n
    q, v = problem.start[:n], problem.start[n:]
    flat = [[(0, 0, 1)]] * 2
    if problem.kind == "chain":
        tips = np.diff(q.reshape(-1, 3), axis=0, prepend=0)
        axes = [[(0, 1, 0), np.cross(tip, (0, 1, 0))] for tip in tips]
        return Rods(tips, axes, np.zeros(2 * problem.size), (0, 0, -g))
    if problem.kind == "pendulum":
        return Rods(np.array([[np.sin(a), -np.cos(a), 0] for a in q]), flat, np.zeros(2), (0, -g, 0))
    if problem.kind == "four-bar":
        tips, turns = (np.diff(part.reshape(2, 2), axis=0, prepend=0) for part in (q, v))
        spins = np.array([(t[0] * w[1] - t[1] * w[0]) / (t @ t) for t, w in zip(tips, turns, strict=True)])
        return Rods(np.column_stack([tips, np.zeros(2)]), flat, np.diff(spins, prepend=0), (0, -g, 0))
    raise NotApplicable("it has no constraints on velocities")


def row(numbers) -> str:
    return " ".join(repr(float(x)) for x in numbers)


def description(problem, mechanism: Rods, step: float) -> str:
    """The model as MuJoCo's XML."""
    bodies, closing = "", ""
    for k in reversed(range(len(mechanism.tips))):
        tip, hook = mechanism.tips[k], mechanism.tips[k - 1] if k else np.zeros(3)
        joints = "".join(f'<joint axis="{row(axis)}"/>' for axis in mechanism.axes[k])
        point = f'<inertial pos="{row(tip)}" mass="1" diaginertia="{row([POINT] * 3)}"/>'
        point += f'<site name="s{k}" pos="{row(tip)}"/>'
        bodies = f'<body pos="{row(hook)}">{joints}{point}{bodies}</body>'
    if problem.kind == "four-bar":
        bodies += f'<site name="pivot" pos="{row([problem.names.d, 0, 0])}"/>'
        copies = range(2 if problem.redundant else 1)
        tendons = (f'<spatial name="t{k}"><site site="pivot"/><site site="s1"/></spatial>' for k in copies)
        stiff = f'solref="{row([2 * step, 1])}" solimp="0.9999 0.9999 0.001 0.5 2"'
        equal = (f'<tendon tendon1="t{k}" {stiff}/>' for k in copies)
        closing = f"<tendon>{''.join(tendons)}</tendon><equality>{''.join(equal)}</equality>"
    option = f'<option timestep="{step!r}" integrator="RK4" gravity="{row(mechanism.gravity)}" tolerance="1e-14">'
    option += '<flag contact="disable"/></option>'
    return f"<mujoco>{option}<worldbody>{bodies}</worldbody>{closing}</mujoco>"


def prepare(problem, _mode):
    if problem.size > LARGEST:
        raise NotApplicable(f"not run above {LARGEST} masses: the work of a step grows with its cube")
    mechanism, ready = rods(problem), {}
    zeros = np.zeros(len(mechanism.rates))

    def run(step):
        if step not in ready:
            model = mujoco.MjModel.from_xml_string(description(problem, mechanism, step))
            ready[step] = model, mujoco.MjData(model)
        model, data = ready[step]
        count = round(problem.until / step)
        states, _ = rollout.rollout(model, data, np.concatenate([[0.0], zeros, mechanism.rates])[None], nstep=count)
        data.qpos[:] = states[0, -1, 1 : 1 + model.nq]
        mujoco.mj_kinematics(model, data)
        if not np.isfinite(data.site_xpos).all() or data.warning.number.any():
            raise RuntimeError("the motion became unstable")
        return Run(coordinates(problem, data), None, count)

    return run


def coordinates(problem, data):
    tips = data.site_xpos[: len(data.xipos) - 1]
    if problem.kind == "chain":
        return tips.ravel().copy()
    if problem.kind == "pendulum":
        return problem.start[:2] + np.cumsum(data.qpos)
    return np.array([data.site("s0").xpos[:2], data.site("s1").xpos[:2]]).ravel()
