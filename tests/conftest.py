"""What every test is run under: no deadlines, and one process for all that start a Spark."""

import pytest
from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


def pytest_itemcollected(item):
    """Where tests run side by side, those on Spark share a process, and with it one Java and one cluster."""
    if item.get_closest_marker("spark"):
        item.add_marker(pytest.mark.xdist_group("spark"))
