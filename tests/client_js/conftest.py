"""A site and a file of vectors for the tests of the client in JavaScript."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from discreet.checks import write_vectors

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "client"


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
