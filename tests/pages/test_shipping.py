"""What is shipped: the demonstration that `make run` starts, and a wheel with the built pages inside."""

import re
import signal
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_demonstration_serves_three_collections_and_stops_cleanly():
    line = [sys.executable, "-m", "discreet.gallery.demo", "--port", "0"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as demo:
        link = next(found for said in demo.stdout if (found := re.search(r"(http://\S+)/#admin=\S+&analyst=\S+", said)))
        with urllib.request.urlopen(f"{link[1]}/collections") as answer:
            assert answer.read().count(b'"state":"open"') == 3
        with urllib.request.urlopen(f"{link[1]}/") as answer:
            assert b"Collections" in answer.read()
        demo.send_signal(signal.SIGINT)
        assert demo.wait(30) == 0


def test_a_wheel_has_the_pages_inside(tmp_path):
    line = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q", "-w", tmp_path, ROOT]
    subprocess.run(line, check=True, capture_output=True, timeout=300)
    (wheel,) = tmp_path.glob("discreet-*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    made = {f"discreet/collector/pages/made/{name}.js" for name in ("plot", "h3", "discreet", "participant")}
    pages = {f"discreet/collector/pages/{name}.html" for name in ("answer", "results", "design", "overview")}
    assert made | pages | {"discreet/collector/pages/style.css", "discreet/pages/answer.js"} <= names
