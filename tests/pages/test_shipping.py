"""What is shipped: the demonstration that `make run` starts, and distributions with the built pages inside."""

import re
import shutil
import signal
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from pathlib import Path

import pytest

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


MADE = {
    f"discreet/collector/pages/made/{name}"
    for name in (
        "plot.js",
        "h3.js",
        "participant.js",
        "chunk.js",
        "questionnaire.js",
        "LICENSES.txt",
        "small/answer.js",
        "small/worker.js",
    )
}
PAGES = {f"discreet/collector/pages/{name}.html" for name in ("answer", "results", "design", "overview")}
LANGUAGE_PARTS = ("design", "results", "shared")
OWN = {
    f"discreet/collector/pages/{name}"
    for name in ("style.css", "answer.js", "languages/en.js", *(f"languages/{part}/ar.js" for part in LANGUAGE_PARTS))
}


def build(target, source, folder):
    """What hatchling makes of a folder with the sources, as a process of its own."""
    line = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(folder)]
    return subprocess.run(line, cwd=source, capture_output=True, text=True, timeout=300, check=False)


def names_in(wheel):
    with zipfile.ZipFile(wheel) as file:
        return set(file.namelist())


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The folder that a source distribution unpacks to."""
    folder = tmp_path_factory.mktemp("sdist")
    done = build("sdist", ROOT, folder)
    assert done.returncode == 0, done.stderr
    (packed,) = folder.glob("discreet-*.tar.gz")
    with tarfile.open(packed) as file:
        file.extractall(folder, filter="data")
    return folder / packed.name.removesuffix(".tar.gz")


def test_a_wheel_has_the_pages_inside(tmp_path):
    assert build("wheel", ROOT, tmp_path).returncode == 0
    (wheel,) = tmp_path.glob("discreet-*.whl")
    assert names_in(wheel) >= MADE | PAGES | OWN


def test_a_wheel_from_the_source_distribution_has_them_too(unpacked, tmp_path):
    assert build("wheel", unpacked, tmp_path).returncode == 0
    (wheel,) = tmp_path.glob("discreet-*.whl")
    assert names_in(wheel) >= MADE | PAGES | OWN
    assert not [name for name in names_in(wheel) if "node_modules" in name]


def test_what_builds_the_pages_is_in_the_source_distribution(unpacked):
    for name in (
        "Makefile",
        "pages/build.mjs",
        "pages/package-lock.json",
        "client/bundle.mjs",
        "client/src/discreet.js",
    ):
        assert (unpacked / name).is_file()


@pytest.mark.parametrize("target", ["wheel", "sdist"])
def test_nothing_is_built_without_the_pages_unless_it_is_asked_for(unpacked, tmp_path, monkeypatch, target):
    bare = tmp_path / "bare"
    shutil.copytree(unpacked, bare, ignore=shutil.ignore_patterns("made", "docs", "tests"))
    done = build(target, bare, tmp_path / "refused")
    assert done.returncode != 0
    assert "run `make pages` first" in done.stderr
    assert not list(tmp_path.glob("refused/*"))
    monkeypatch.setenv("DISCREET_WITHOUT_PAGES", "1")
    assert build(target, bare, tmp_path / "bare-built").returncode == 0


def test_the_licences_of_all_that_the_pages_take_from_others_go_along():
    folder = ROOT / "src" / "discreet" / "collector" / "pages" / "made"
    notices = (folder / "LICENSES.txt").read_text(encoding="utf-8")
    for name in ("@observablehq/plot", "d3-array", "internmap", "h3-js"):
        assert re.search(rf"^{name} [\d.]+: ", notices, re.MULTILINE)
    assert "no file of its own" not in notices
    assert all(
        (folder / name).read_text(encoding="utf-8").startswith("/*! the licences") for name in ("plot.js", "h3.js")
    )
