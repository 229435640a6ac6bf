"""Exudyn: point masses and distance constraints, the implicit generalised-α method with a fixed step."""

import exudyn as exu
import numpy as np
from exudyn.itemInterface import (
    Force,
    MarkerBodyPosition,
    MassPoint,
    NodePoint,
    ObjectConnectorDistance,
    ObjectGround,
)

from peers import NotApplicable, Plan, Run

NAME = "Exudyn, generalised-α"
NEEDS = ("exudyn",)
STEPS = (1e-2, 1e-3, 1e-4)


def plans(problem):
    if problem.size > 3:
        return [Plan("index 2", STEPS[:2])]
    modes = ["index 2", "index 2, singular Jacobian ignored"] if problem.redundant else ["index 2", "index 3"]
    return [Plan(mode, STEPS) for mode in modes]


def masses_and_rods(problem):
    """Places and velocities of the masses in space, and rods as (mass, mass or a fixed place, length)."""
    p, n = problem.names, problem.n
    q, v = problem.start[:n], problem.start[n:]
    if problem.kind == "chain":
        rods = [(k, k - 1 if k else np.zeros(3), p.l) for k in range(problem.size)]
        return q.reshape(-1, 3), v.reshape(-1, 3), rods, 2
    if problem.kind == "pendulum":
        places = np.array([[np.sin(q[0]), -np.cos(q[0]), 0], [np.sin(q[0]) + np.sin(q[1]), -np.cos(q).sum(), 0]])
        return places, np.zeros((2, 3)), [(0, np.zeros(3), p.l), (1, 0, p.l)], 1
    if problem.kind == "four-bar":
        rods = [(0, np.zeros(3), p.a), (1, 0, p.b), (1, np.array([p.d, 0, 0]), p.c)] * (2 if problem.redundant else 1)
        places, rates = (np.column_stack([part.reshape(2, 2), np.zeros(2)]) for part in (q, v))
        return places, rates, rods, 1
    raise NotApplicable("no knife edge among its joints, only a user function in Python called in every iteration")


def assemble(problem):
    places, rates, rods, up = masses_and_rods(problem)
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    weight = np.zeros(3)
    weight[up] = -problem.names.m * problem.names.g
    nodes, markers = [], []
    for place, rate in zip(places, rates, strict=True):
        nodes.append(mbs.AddNode(NodePoint(referenceCoordinates=place, initialVelocities=rate)))
        body = mbs.AddObject(MassPoint(physicsMass=problem.names.m, nodeNumber=nodes[-1]))
        markers.append(mbs.AddMarker(MarkerBodyPosition(bodyNumber=body)))
        mbs.AddLoad(Force(markerNumber=markers[-1], loadVector=weight))
    for mass, other, length in rods:
        if isinstance(other, np.ndarray):
            ground = mbs.AddObject(ObjectGround(referencePosition=other))
            end = mbs.AddMarker(MarkerBodyPosition(bodyNumber=ground))
        else:
            end = markers[other]
        mbs.AddObject(ObjectConnectorDistance(markerNumbers=[end, markers[mass]], distance=length))
    mbs.Assemble()
    return container, nodes


def settings(problem, mode, step):
    out = exu.SimulationSettings()
    time = out.timeIntegration
    time.numberOfSteps, time.endTime = round(problem.until / step), problem.until
    time.generalizedAlpha.useIndex2Constraints = mode.startswith("index 2")
    time.generalizedAlpha.useNewmark = mode.startswith("index 2")
    time.generalizedAlpha.spectralRadius = 1.0 if mode.startswith("index 2") else 0.9
    time.newton.useModifiedNewton = True
    time.newton.relativeTolerance = time.newton.absoluteTolerance = 1e-10
    time.verboseMode = 0
    out.solution.file.write = out.solution.sensors.active = False
    out.linearSolver.ignoreSingularJacobian = "ignored" in mode
    out.linearSolver.solverType = getattr(exu.LinearSolverType, "EigenSparse" if problem.size > 3 else "EigenDense")
    return out


def prepare(problem, mode):
    container, nodes = assemble(problem)

    def run(step):
        mbs = container.GetSystem(0)
        if not mbs.SolveDynamic(settings(problem, mode, step), showCausingItems=False):
            raise RuntimeError("Newton's iteration did not converge")
        places = np.array([mbs.GetNodeOutput(n, exu.OutputVariableType.Position) for n in nodes])
        return Run(coordinates(problem, places), None, round(problem.until / step))

    return run


def coordinates(problem, places):
    if problem.kind == "chain":
        return places.ravel()
    if problem.kind == "pendulum":
        (x, y, _), (u, w, _) = places
        return np.array([np.arctan2(x, -y), np.arctan2(u - x, y - w)])
    return places[:, :2].ravel()
