"""Motions that are the same to the last bit."""

from dataclasses import fields

import numpy as np
import xarray


def same(a, b):
    """Every field and every derived array, bit for bit."""
    for field in fields(a):
        mine, other = getattr(a, field.name), getattr(b, field.name)
        if isinstance(mine, np.ndarray):
            assert mine.shape == other.shape, field.name
            assert mine.tobytes() == other.tobytes(), field.name
            assert not other.flags.writeable, field.name
        else:
            assert mine == other, field.name
            assert type(mine) is type(other), field.name
    for mine, other in zip((*a.along, a.residual, a.balance), (*b.along, b.residual, b.balance), strict=True):
        assert (mine.shape, mine.tobytes()) == (other.shape, other.tobytes())
    assert xarray.Dataset.identical(a.dataset, b.dataset)
    return True
