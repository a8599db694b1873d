"""The notebooks are jupytext files that Jupyter opens, and run from top to bottom; what they assert is so."""

import os
import types
from pathlib import Path

import jupytext
import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.py"))
READERS = ["researcher", "survey_team", "telemetry_engineer"]


def cells(notebook: Path, kind: str) -> list[str]:
    return [cell.source for cell in jupytext.read(notebook).cells if cell.cell_type == kind]


def run(text: str, name: str) -> dict[str, object]:
    """Run code in a namespace of its own, as a kernel would."""
    module = types.ModuleType(name)
    exec(compile(text, name, "exec"), module.__dict__)
    return module.__dict__


@pytest.fixture
def own_folders(tmp_path, monkeypatch):
    """Files go to a folder of the test; commands that are started find the package."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_there_is_one_for_each_reader():
    assert [notebook.stem for notebook in NOTEBOOKS] == READERS


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_jupyter_opens_it(notebook):
    text = notebook.read_text(encoding="utf-8")
    assert text.startswith("# ---\n# jupyter:\n")
    made = jupytext.reads(text)  # by its own header, not told in which format it is
    assert made.metadata["jupytext"]["text_representation"]["format_name"] == "percent"
    assert made.metadata["kernelspec"]["name"] == "python3"
    again = jupytext.reads(jupytext.writes(made, fmt="py:percent"), fmt="py:percent")
    assert [cell.source for cell in again.cells] == [cell.source for cell in made.cells]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_teaches_in_short_cells(notebook):
    told, code = cells(notebook, "markdown"), cells(notebook, "code")
    assert told[0].startswith("# ")
    assert sum(line.startswith("## ") for text in told for line in text.splitlines()) >= 8
    assert len(told) >= 15
    assert len(code) >= 15
    assert max(len(text.splitlines()) for text in told + code) <= 30
    for number, text in enumerate(code):
        compile(text, f"{notebook.stem}, code cell {number}", "exec")


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_drawing_is_described(notebook):
    drawings = [cell for cell in jupytext.read(notebook).cells if cell.source.endswith('.svg")')]
    assert len(drawings) >= 2
    assert all(cell.metadata["mystnb"]["image"]["alt"] for cell in drawings)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_says_that_real_collections_are_not_seeded(notebook):
    told = " ".join(" ".join(cells(notebook, "markdown")).split()).lower()
    assert "made up" in told or "simulated" in told
    assert "never seed" in told or "never seeded" in told


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs_and_its_claims_hold(notebook, own_folders, capsys):
    code = cells(notebook, "code")
    claims = sum(text.count("assert ") for text in code)
    assert claims >= 10
    run("\n\n".join(code), notebook.stem)
    assert len(capsys.readouterr().out.splitlines()) > 20
    drawn = sorted(own_folders.rglob("*.svg"))
    assert len(drawn) == sum(text.count("SVG(folder") for text in code)
    assert all(path.stat().st_size < 200_000 for path in drawn)


def test_a_claim_that_does_not_hold_is_noticed():  # the control
    with pytest.raises(AssertionError):
        run("share = 0.2\nassert share > 0.3", "wrong")
