"""A model file, and what reading makes of a text."""

import dalembert as da
from dalembert.model.files import loads

# The example of the design.
RING = """
name = "Bead on a rough ring"
coordinates = ["x", "y"]
lagrangian = "m/2*(x'^2 + y'^2) - m*g*y"

[parameters]
m = 1.0
g = 9.81
R = 1.0
mu = 0.2

[[constraints]]
name = "ring"
holonomic = "x^2 + y^2 - R^2"
nature = { coulomb = "mu" }

[start]
x = "R"

[run]
until = 10
"""

BASE = 'coordinates = ["x", "y"]\nlagrangian = "m*x\'^2 + m*y\'^2"\n'
VALUED = BASE + "[parameters]\nm = 1.0\nR = 2\n"


def read(text):
    return loads(text, da.System)
