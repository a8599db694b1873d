"""Python, NumPy, Numba, Node and Chromium write the same reports from the same words."""

import json
import shutil
from pathlib import Path

import pytest

from discreet.checks import check_vectors

SMALL = Path(__file__).parents[2] / "client" / "vectors.small.jsonl"
SOURCE = SMALL.parent / "src" / "discreet.js"

IN_A_PAGE = """
async ([file, module]) => {
  const [client, { checkVectors }] = await Promise.all([import(module), import("/tests/checking.mjs")]);
  const text = await (await fetch(file)).text();
  return checkVectors(text.trimEnd().split("\\n"), client);
}
"""


@pytest.fixture
def changed(tmp_path):
    """The small file with one report changed, and the number of its line."""
    lines = SMALL.read_text(encoding="utf-8").splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("[") and json.loads(line)[2] == 1)
    x, words, _ = json.loads(lines[at])
    lines[at] = json.dumps([x, words, 0], separators=(",", ":"))
    path = tmp_path / "changed.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path, at + 1


def announced(path):
    """How many laws and vectors a file says it has."""
    with path.open(encoding="utf-8") as file:
        told = json.loads(file.readline())
    return told["laws"], told["vectors"]


@pytest.mark.slow
def test_integers_and_arrays_write_every_report_of_the_large_file(large):
    done = check_vectors(large)
    laws, vectors = announced(large)
    assert vectors >= 100_000
    assert (done.laws, done.integers, done.numpy) == (laws, vectors, vectors)
    assert done.numba > vectors / 2


@pytest.mark.slow
def test_node_writes_every_report_of_the_large_file(node, large):
    laws, vectors = announced(large)
    told = {"laws": laws, "vectors": vectors, "wrong": 0, "first": None}
    assert node.json("tests/vectors.mjs", large) == told


@pytest.mark.slow
def test_the_sources_write_every_report_of_the_large_file_in_node(node, large):
    laws, vectors = announced(large)
    told = {"laws": laws, "vectors": vectors, "wrong": 0, "first": None}
    assert node.json("tests/vectors.mjs", large, SOURCE) == told


@pytest.mark.slow
@pytest.mark.parametrize("module", ["/src/discreet.js", "/dist/discreet.min.js"])
def test_chromium_writes_every_report_of_the_large_file(page, site, large, module):
    shutil.copyfile(large, site[1] / "large.jsonl")
    laws, vectors = announced(large)
    told = {"laws": laws, "vectors": vectors, "wrong": 0, "first": None}
    assert page.evaluate(IN_A_PAGE, ["/files/large.jsonl", module]) == told


def test_a_changed_report_is_found_in_node(node, changed):
    path, line = changed
    done = node.run("tests/vectors.mjs", path)
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert told["wrong"] == 1
    assert told["first"].startswith(f"line {line}: ")


def test_a_changed_report_is_found_in_chromium(page, site, changed):
    path, line = changed
    shutil.copyfile(path, site[1] / "changed.jsonl")
    told = page.evaluate(IN_A_PAGE, ["/files/changed.jsonl", "/dist/discreet.min.js"])
    assert told["wrong"] == 1
    assert told["first"].startswith(f"line {line}: ")


def test_a_file_that_is_cut_off_is_found_in_node(node, tmp_path):
    path = tmp_path / "cut.jsonl"
    path.write_text("".join(SMALL.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")
    told = node.json("tests/vectors.mjs", path)
    assert told["wrong"] == 1
    assert told["first"].endswith("the file is not complete")


def test_a_law_with_another_fingerprint_is_refused_in_node(node, tmp_path):
    lines = SMALL.read_text(encoding="utf-8").splitlines()
    lines[1] = lines[1].replace(lines[1][16:20], "0000", 1)
    path = tmp_path / "other.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    told = node.json("tests/vectors.mjs", path)
    assert told["wrong"] == 1
    assert told["first"].startswith("line 2: the law is refused: ")
