"""The client in JavaScript: from the text of a law to the first report, and reports a second, in Node and in Chromium.

    python bench/client.py [--tries N]

A process, or a page, is new for every try, so that nothing is warm; the least of the tries is shown, and the median of
the first report. Needs what `make test` installs.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import discreet as dc
from discreet.core import tables
from discreet.wire import law_text

ROOT = Path(__file__).parents[1]
NODE = Path(sys.executable).with_name("node")
KS = [1000, 43_750]
IN_A_PAGE = """
async ([text, fingerprint]) => {
  const [client, { measure }] = await Promise.all([
    import("/client/dist/discreet.min.js"),
    import("/bench/client.mjs"),
  ]);
  return measure(client, text, fingerprint);
}
"""
COLUMNS = [
    ("values", "d"),
    ("mechanism", "s"),
    ("law, kB", ".1f"),
    ("where", "s"),
    ("first report, ms", ".1f"),
    ("median", ".1f"),
    ("reports/s", ",.0f"),
]

Run = Callable[[str, str], dict[str, float]]


def mechanisms() -> Iterator[dc.Mechanism]:
    """What "auto" takes for a uniform, a block and a high-low context."""
    for k in KS:
        yield dc.mechanism(dc.Context.uniform(range(k), "1"))
        yield dc.mechanism(dc.Context.blocks({f"b{i}": range(i, k, 25) for i in range(25)}, "1"))
        yield dc.mechanism(dc.Context.high_low(range(k), range(k // 5), "1"))


def in_node(text: str, fingerprint: str) -> dict[str, float]:
    """Measured in a new process."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        line = [NODE, ROOT / "bench" / "client.mjs", file.name, fingerprint]
        told: dict[str, float] = json.loads(subprocess.run(line, check=True, capture_output=True, text=True).stdout)
        return told


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def chromium() -> Iterator[Run]:
    """Measured in a new page of a Chromium."""
    from playwright.sync_api import sync_playwright

    script = ROOT / "client" / "tests" / "chromium.mjs"
    where: Any = json.loads(subprocess.run([NODE, script], check=True, capture_output=True, text=True).stdout)
    libraries = {"LD_LIBRARY_PATH": where["libraries"]} if where["libraries"] else {}
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=ROOT)) as server,
        sync_playwright() as driver,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        started = driver.chromium.launch(
            executable_path=where["executable"], args=["--no-sandbox"], env={**os.environ, **libraries}
        )

        def run(text: str, fingerprint: str) -> dict[str, float]:
            page = started.new_page()
            page.goto(f"http://127.0.0.1:{server.server_port}/client/tests/page.html")
            told: dict[str, float] = page.evaluate(IN_A_PAGE, [text, fingerprint])
            page.close()
            return told

        yield run
        started.close()
        server.shutdown()


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tries", type=int, default=5)
    tries = parser.parse_args().tries
    rows = []
    with chromium() as in_page:
        for mechanism in mechanisms():
            text = law_text(mechanism)
            for where, run in (("Node", in_node), ("Chromium", in_page)):
                told = [run(text, mechanism.fingerprint) for _ in range(tries)]
                first = [one["first"] for one in told]
                best = max(one["rate"] for one in told)
                rows.append(
                    (
                        mechanism.context.size,
                        mechanism.name,
                        len(text) / 1000,
                        where,
                        min(first),
                        statistics.median(first),
                        best,
                    )
                )
    print(tables.text(COLUMNS, rows))


if __name__ == "__main__":
    main()
