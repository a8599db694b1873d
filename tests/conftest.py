"""What every test is run under: the same examples, no deadlines, no cache of choices; one cluster, one browser."""

import os

import pytest
from hypothesis import settings

settings.register_profile("patient", deadline=None, derandomize=True, database=None)
settings.load_profile("patient")

os.environ["DISCREET_CACHE"] = "off"  # for the commands that tests start, too: the user's own folder is never touched


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Where tests run side by side, those on Spark share a process, and with it one Java and one cluster.

    So do those of the client, and with it one Chromium and one large file of vectors.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            if nodeid.startswith("tests/client_js/"):
                return "client"
            return "spark" if nodeid.startswith("tests/spark/") or "[docs/spark.md]" in nodeid else nodeid

    return Together(config, log)
