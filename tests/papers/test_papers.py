from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from discreet.core.errors import InvalidInput
from discreet.papers import EXPERIMENTS, find
from discreet.papers.report import BEGIN, END

RESULTS = Path(__file__).parents[2] / "docs" / "results"


def test_every_experiment_has_its_file():
    for experiment in EXPERIMENTS:
        assert find_spec(f"discreet.papers.{experiment.name.replace('-', '_')}")


def test_a_name_is_one_experiment_a_paper_or_all():
    assert [e.name for e in find("beaten")] == ["beaten"]
    assert {e.name for e in find("acharya2020")} == {
        "acharya2020-figure1",
        "acharya2020-figure2",
        "acharya2020-table1",
        "acharya2020-figure3",
    }
    assert find("all") == EXPERIMENTS
    with pytest.raises(InvalidInput, match="name='figure1' must be all, a paper or one of acharya2020-figure1"):
        find("figure1")


def test_every_experiment_has_its_page_in_the_results():
    assert {page.stem for page in RESULTS.glob("*.md")} == {e.name for e in EXPERIMENTS} | {"index", "gallery"}
    index = (RESULTS / "index.md").read_text(encoding="utf-8")
    for experiment in EXPERIMENTS:
        assert f"]({experiment.name}.md)" in index
        page = (RESULTS / f"{experiment.name}.md").read_text(encoding="utf-8")
        assert f"Made by `discreet papers {experiment.name}" in page
        assert "agreed" not in page


def test_every_picture_of_the_results_is_a_drawing_on_a_page_and_lean():
    pages = "".join(page.read_text(encoding="utf-8") for page in RESULTS.glob("*.md"))
    assert not list(RESULTS.glob("*.png"))
    drawings = list(RESULTS.glob("*.svg"))
    assert set(re.findall(r"]\(([\w-]+)\.svg\)", pages)) == {path.stem for path in drawings}
    for path in drawings:
        assert path.stat().st_size < 360_000
        assert not re.search(r' d="[^"]*\.\d{3}', path.read_text(encoding="utf-8"))  # hundredths of a point


def test_what_is_printed_stands_beside_ours_on_top_of_its_page():
    for name, printed in (("acharya2020-table1", "0.591"), ("wang2016-table1", "0.0336"), ("asoodeh2021", "0.19")):
        page = (RESULTS / f"{name}.md").read_text(encoding="utf-8")
        top, _, rest = page.partition(END)
        assert rest
        assert len(top.partition(BEGIN)[0].strip().splitlines()) == 1  # the heading
        assert "printed" in top
        assert "difference" in top
        assert f"| {printed} |" in top


def test_every_page_on_check_ins_names_its_data():
    for name in ("acharya2020-table1", "acharya2020-figure3", "beaten", "partitions"):
        page = (RESULTS / f"{name}.md").read_text(encoding="utf-8")
        assert "Data, semi-synthetic stand-in: semi-synthetic Gowalla" in page


def test_the_short_forms_fit_in_ten_minutes_by_their_own_word():
    assert sum(e.short for e in EXPERIMENTS) < 600
