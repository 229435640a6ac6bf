"""A pendulum and what sensors on it would have written down."""

import numpy as np
import xarray

from motion.systems import pendulum, x, y

START = {x: 0.6, y: -0.8}
SIGMA = {"x_ddot": 0.05, "y_ddot": 0.08, "reaction_x": 0.1, "reaction_y": 0.1}


def swing(count=60, until=2.0):
    """A motion and its dataset at so many times."""
    motion = pendulum().simulate(START, until=until, samples=np.linspace(0, until, count))
    return motion, motion.dataset


def log(data, seed=0, sigma=SIGMA, rows=tuple(SIGMA), **faults):
    """What sensors read along a dataset, with normal errors; `faults` are added."""
    random = np.random.default_rng(seed)
    force = data.ideal_force + data.nonideal_force
    true = {
        "x_ddot": data.x_ddot,
        "y_ddot": data.y_ddot,
        "reaction_x": force.sel(coordinate="x"),
        "reaction_y": force.sel(coordinate="y"),
    }
    read = {name: true[name].values + sigma[name] * random.normal(size=data.sizes["time"]) for name in rows}
    return {"time": data.time.values} | {name: v + faults.get(name, 0.0) for name, v in read.items()}


def states(data):
    """The states alone, as a dataset."""
    return xarray.Dataset({name: data[name] for name in ("x", "y", "x_dot", "y_dot")}, {"time": data.time})


def write_csv(path, columns, change=None):
    """A CSV file of columns; `change` may edit its lines."""
    lines = [",".join(columns)]
    lines += [",".join(repr(float(v)) for v in row) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join(change(lines) if change else lines) + "\n", encoding="utf-8")
    return path
