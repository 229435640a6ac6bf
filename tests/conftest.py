"""Without heyoka, tests of the compiled engine are skipped and the word that it is missing is no error."""

import pytest

from dalembert.engine import compiled_engine


def pytest_configure(config):
    config.addinivalue_line("markers", "compiled: about the compiled engine, which needs heyoka")
    if not compiled_engine():
        config.addinivalue_line("filterwarnings", "ignore:heyoka is not installed")


def pytest_collection_modifyitems(items):
    if compiled_engine():
        return
    for item in items:
        if item.get_closest_marker("compiled"):
            item.add_marker(pytest.mark.skip(reason="heyoka is not installed"))
