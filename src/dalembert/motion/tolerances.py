"""Every tolerance of a motion in one table, with what it is relative to (docs/tolerances.md shows it).

Nothing is decided by an absolute size: each number below multiplies the natural scale of the very quantity it is about.
The natural scale of a coordinate or a velocity is the largest it has been of late; the size of an expression is that of
the terms it is made of (`engine/magnitudes.py`).
"""

from typing import NamedTuple

EPS = 2.0**-52


class Tolerance(NamedTuple):
    """A number, what it is relative to, and what is decided by it."""

    value: float
    relative_to: str
    decides: str


TABLE = {
    "DEFECT": Tolerance(
        64.0,
        "the tolerance of the run (at least ε) times the largest of the velocity of late",
        "the largest defect h |v̇ − q̈| of a step that stands",
    ),
    "ROUNDING": Tolerance(
        64 * EPS,
        "the change of an acceleration when every input changes by its natural scale",
        "a defect that is rounding of the acceleration itself and no error of the step",
    ),
    "FORCES": Tolerance(
        4 * EPS,
        "the accelerations that forces as large as those that act could give the coordinate; the change of an "
        "acceleration when every operation that leads to it changes by all it gives",
        "a defect that is rounding of forces in balance, or of the terms of a force",
    ),
    "WORK": Tolerance(
        16 * EPS,
        "∫ |power| dt so far (the tolerance of the run where that is more)",
        "how far off a quadrature may be, by its last coefficients, before halves are taken for the whole",
    ),
    "DRIFT": Tolerance(
        256.0,
        "the tolerance of the run times the size of the terms of the constraint",
        "how far off a constraint a motion may be before it is put back",
    ),
    "AIM": Tolerance(1 / 16, "DRIFT", "from where on a long run is put back at the end of a batch of steps"),
    "HOPELESS": Tolerance(
        1e-6, "the size of the terms of the constraint", "a residual that projection cannot remove: a contradiction"
    ),
    "DEPENDENT": Tolerance(
        1e-13,
        "the diagonal entry of S = A M⁻¹ Aᵀ of the very row",
        "a pivot of the constraints that is zero: the rank drops",
    ),
    "VANISHES": Tolerance(
        1e-22, "its own largest value within the step", "a row or a mass that vanishes (their squares are watched)"
    ),
    "MASSLESS": Tolerance(1e-14, "the diagonal entry of M of the very coordinate", "a pivot of M that is zero"),
    "ROOT": Tolerance(
        1e-22, "its own largest value within the step", "what stands under a root is zero: the square of a length"
    ),
    "SOUND": Tolerance(1e-6, "as DEPENDENT", "a pivot at which the last state before a singular place is kept"),
    "WEAK": Tolerance(1e-2, "as DEPENDENT", "a pivot at which other rows are taken, where there are redundant ones"),
    "TIE": Tolerance(
        2.0**11 * EPS,
        "the size of the terms of the guard (a gap, a sliding velocity, a bound of friction, a switching function)",
        "a guard that is zero: what switches at the same time",
    ),
    "BESIDE": Tolerance(
        2.0**-27,
        "the step",
        "how far beyond a point without a Taylor series a motion is carried by the last polynomial",
    ),
    "PASSED": Tolerance(
        2.0**-26,
        "the velocity of late, or what forces make of it in the longest step before",
        "the defect beyond a singular place on the branch that goes on smoothly",
    ),
    "RETRACED": Tolerance(
        2.0**-33,
        "the largest of the coordinate or velocity of late, with what forces could make of it in the window",
        "a state that another integrator reaches too (DEFECT times the accuracy of the run where that is more)",
    ),
    "KEPT": Tolerance(
        4.0,
        "DRIFT, or the drift that was asked for, times the size of the terms of the constraint or of its rate",
        "how far off a constraint a state of a motion may be",
    ),
    "BALANCE": Tolerance(
        256.0,
        "the accuracy of the run times its steps, times the terms of the energy and the work done",
        "how far energy less work may stray along a motion",
    ),
    "GUARD": Tolerance(
        2.0**25 * EPS,
        "the size of the terms of the guard, as TIE (DRIFT times the accuracy of the run where that is more)",
        "a gap, a force or a switching function on the side that the mode of a motion says",
    ),
    "SAID": Tolerance(
        2.0**-30,
        "the accelerations at work: those of the active forces, of the constraint forces, and the acceleration itself",
        "accelerations and forces that a motion says and a principle finds, or two statements of the same forces",
    ),
    "RESTITUTION": Tolerance(
        2.0**-30,
        "the terms of the rate of the gap, with velocities as large as they have been of late",
        "a contact that parts at the rate its restitution asks for, or does not close on",
    ),
    "UNSEEN": Tolerance(
        2.0**-29,
        "the size of the terms of the gap",
        "how high a contact whose bounces are ended may yet have gone, where they are of several; of one it is a part",
    ),
    "JUMP": Tolerance(
        2.0**-24,
        "the largest of the velocity of late (DRIFT times the accuracy of the run where that is more)",
        "a velocity that jumps, which an event must tell",
    ),
}


def tolerance(name: str) -> float:
    """The number of that name."""
    return TABLE[name].value
