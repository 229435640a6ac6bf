"""What a user would pick to move a constrained system: one peer a file, one signature, one registry.

A peer is a module with

    NAME                    what a reader calls it
    NEEDS                   the distributions it needs, whose versions are reported
    SHARED                  (if true) one compilation serves every accuracy of a mode
    forget()                (if there is one) drops compiled code kept from before
    plans(problem)          modes to measure, each with the accuracies (tolerances or step sizes) to try
    prepare(problem, mode)  a function of an accuracy that runs the problem once, from start to end

`prepare` or its function raises `NotApplicable` where the peer has no means to state the problem, and whatever it
raises by itself where it fails; both are reported, neither is hidden.
"""

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

import numpy as np

PEERS = {
    "dalembert": "ours",
    "by-hand": "heyoka_by_hand",
    "compiled-scipy": "compiled_scipy",
    "sympy": "sympy_scipy",
    "casadi": "casadi_cvodes",
    "jax": "jax_diffrax",
    "exudyn": "exudyn_alpha",
    "mujoco": "mujoco_rk4",
}
TOLERANCES = (1e-9, 1e-11, 1e-13)


class NotApplicable(Exception):
    """The peer cannot state this problem, or would take unreasonably long; the message says why."""


class Plan(NamedTuple):
    """A way of using a peer, and the accuracies to try: tolerances, or steps in seconds; None is its own default."""

    mode: str
    accuracies: tuple[float | None, ...]


class Run(NamedTuple):
    """Where a run ended: q and, where it has them, v, of shape (n,) or (samples, n) with the end last.

    `steps` as the peer counts them; `seconds` where the peer times its own integration apart from the whole call.
    """

    q: np.ndarray
    v: np.ndarray | None = None
    steps: int | None = None
    seconds: float | None = None


Runner = Callable[[float | None], Run]


def load(key: str):
    """The module of a peer; raises ImportError where what it needs is not installed."""
    return import_module(f"peers.{PEERS[key]}")
