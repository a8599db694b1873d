from __future__ import annotations

import json
import re

from discreet import papers
from discreet.core.errors import MissingExtra
from discreet.papers.report import ExperimentReport


def test_without_a_name_the_experiments_are_listed(discreet):
    done = discreet("papers")
    assert done.exit_code == 0
    assert "acharya2020-table1" in done.stdout
    assert "wang2016-table1" in done.stdout


def test_an_experiment_prints_its_table_and_writes_its_page(discreet, folder):
    done = discreet("papers", "acharya2020-figure1", "-o", "out")
    assert done.exit_code == 0
    assert "corner P_FA" in done.stdout
    assert "on two free cores" in done.stderr  # the time, beforehand
    assert {path.name for path in (folder / "out").iterdir()} >= {
        "acharya2020-figure1.md",
        "acharya2020-figure1-corners.tsv",
    }


def test_figures_come_in_three_formats_or_those_asked_for(discreet, folder):
    discreet("papers", "acharya2020-figure1", "-o", "all")
    assert {path.suffix for path in (folder / "all").iterdir()} == {".md", ".tsv", ".png", ".svg", ".pdf"}
    discreet("papers", "acharya2020-figure1", "-o", "one", "--format", "svg")
    assert {path.suffix for path in (folder / "one").iterdir()} == {".md", ".tsv", ".svg"}


def test_another_format_is_refused(refused):
    assert "'gif' is not one of 'png', 'svg', 'pdf'" in refused("papers", "acharya2020-figure1", "--format", "gif")


def test_a_malformed_check_in_file_is_refused_before_anything_is_written(refused, folder):
    (folder / "checkins.txt").write_text("0\t2010-10-19T23:55:27Z\t30.2\n")
    said = refused("papers", "all", "-o", "out", "--gowalla", "checkins.txt")
    assert "checkins.txt, line 1: must be user, time, latitude, longitude and place, separated by tabs" in said
    assert not (folder / "out").exists()


def test_full_states_its_time_beforehand(discreet):
    done = discreet("papers", "acharya2020-figure1", "--full")
    assert re.match(r"about \d+ s on two free cores\n", done.stderr)


def test_the_same_as_json(discreet):
    done = discreet("papers", "acharya2020-figure1", "--json")
    (told,) = json.loads(done.stdout)
    assert told["name"] == "acharya2020-figure1"
    assert all(check["holds"] for check in told["checks"])


def test_a_name_that_is_none_is_refused(refused):
    assert refused("papers", "figure9").startswith("name='figure9' must be all, a paper or one of")


class Lacking(papers.Experiment):
    def run(self, setting):
        raise MissingExtra("h3", "geo")


class Plain(papers.Experiment):
    def run(self, setting):
        return ExperimentReport(self.name, self.title, "done")


def test_of_several_one_that_lacks_an_extra_is_left_out(discreet, monkeypatch):
    monkeypatch.setattr(papers, "EXPERIMENTS", (Lacking("some-map", "", 1, 1), Plain("some-table", "a table", 1, 1)))
    done = discreet("papers", "some")
    assert done.exit_code == 0
    assert "some-map: not run: h3 is not installed: pip install 'discreet[geo]'" in done.stderr
    assert "some-table: a table" in done.stdout


def test_one_alone_that_lacks_an_extra_is_refused(refused, monkeypatch):
    monkeypatch.setattr(papers, "EXPERIMENTS", (Lacking("map", "", 1, 1),))
    assert "h3 is not installed" in refused("papers", "map", "--runs", 1)
