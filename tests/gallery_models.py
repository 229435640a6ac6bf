"""The models of the gallery by what moving them takes: contacts and dry friction switch, the others are smooth."""

import dalembert as da
from dalembert import gallery

CONTRADICTORY = ["contradiction"]


def switches(name):
    """Whether a model has a contact that may open and close, or friction that may stick and slip."""
    rows = da.System.load(gallery.path(name)).constraints
    return any(isinstance(row, da.OneSided) or isinstance(row.nature, da.Coulomb) for row in rows)


SWITCHING = [name for name in gallery.names() if switches(name)]
SMOOTH = [name for name in gallery.names() if name not in (*SWITCHING, *CONTRADICTORY)]
