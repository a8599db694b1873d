"""Laws of reading: what an analyst is told is what the library says of the same reports."""

import io
import json
from datetime import date, timedelta

import numpy as np
import pyarrow.parquet as pq
import pytest
from asking import SPEC
from click.testing import CliRunner

import discreet as dc
from discreet.bulk.report_files import reports_to_bytes
from discreet.bulk.words import seeded
from discreet.cli import main
from discreet.collector import export, results
from discreet.collector.results import compare_groups, first_day
from discreet.collector.service import COUNT_STEP
from discreet.collector.store import tallies
from discreet.collector.store.protocol import Snapshot, UploadRecord
from discreet.core.errors import StoreFailed, Unavailable
from discreet.estimation.decoders import decoder_of

from .stores import sqlite_in

METHODS = {"unbiased": dc.estimate, "project": dc.project, "likelihood": dc.likelihood, "shrink": dc.shrink}


def planted(service, name, seed, *, day="2026-11-17", labels=(), count=400):
    """Store reports of a day and a label, and give them back."""
    mechanism = service.mechanism(name)
    reports = mechanism.randomize_indices(np.arange(count) % 5, seeded(seed))
    packed = reports_to_bytes(mechanism, reports)
    service.store.add([UploadRecord(name, f"planted-{seed}", b"", day, labels, packed, count, "{}")])
    return reports


@pytest.fixture
def filled(service, name):
    """Reports of two weeks and three days, and of no week."""
    held = {
        ("1", "2026-11-01"): planted(service, name, 1, day="2026-11-01", labels=(("week", "1"),)),
        ("1", "2026-11-02"): planted(service, name, 2, day="2026-11-02", labels=(("week", "1"),), count=300),
        ("2", "2026-11-02"): planted(service, name, 3, day="2026-11-02", labels=(("week", "2"),), count=500),
        ("", "2026-11-09"): planted(service, name, 4, day="2026-11-09"),
        ("3", "2026-11-09"): planted(service, name, 5, day="2026-11-09", labels=(("week", "3"),), count=3),
    }
    return held


def of(service, name, held, keep):
    arrays = [reports for cell, reports in held.items() if keep(*cell)]
    return service.mechanism(name).tally(np.concatenate(arrays))


def shares(service, name, query=""):
    answered = service.get(f"/collections/{name}/shares{query}", role="analyst")
    assert answered.status == 200, answered.content
    return answered.json


@pytest.mark.parametrize("method", METHODS)
def test_shares_are_those_of_the_library(service, name, filled, method):
    found = shares(service, name, f"?method={method}&confidence=0.9")
    (cell,) = found["cells"]
    tally = of(service, name, filled, lambda week, day: week != "3")
    expected = METHODS[method](tally).to_dict(confidence=0.9)
    assert "covariance" not in cell["result"], "it would be most of the answer"
    del expected["covariance"]
    assert {key: cell["result"][key] for key in expected} == json.loads(json.dumps(expected))
    assert (cell["n"], cell["missing"], cell["labels"]) == (1600, 0, {})
    assert cell["result"]["influence"] > 1
    assert cell["result"]["blocks"]["names"] == ["north", "south"]


def test_shares_by_label_are_those_of_the_reports_with_that_label(service, name, filled):
    cells = shares(service, name, "?by=week")["cells"]
    assert [cell["labels"]["week"] for cell in cells] == [None, "1", "2", "3"]
    for cell in cells[:3]:
        wanted = cell["labels"]["week"] or ""
        tally = of(service, name, filled, lambda week, day, wanted=wanted: week == wanted)
        assert cell["result"]["shares"] == dc.estimate(tally).shares.tolist()
        assert cell["n"] == tally.n
    assert (cells[3]["n"], cells[3]["missing"], cells[3]["result"]) == (0, 5, None)


def test_shares_over_days_are_those_of_the_reports_of_these_days(service, name, filled):
    cells = shares(service, name, "?days=7")["cells"]
    assert [cell["days"] for cell in cells] == [["2026-11-01", "2026-11-07"], ["2026-11-08", "2026-11-14"]]
    tally = of(service, name, filled, lambda week, day: day <= "2026-11-07")
    assert cells[0]["result"]["shares"] == dc.estimate(tally).shares.tolist()
    assert len(shares(service, name, "?days=1")["cells"]) == 3
    assert len(shares(service, name, "?days=1&by=week")["cells"]) == 4


def test_days_are_grouped_from_the_first():
    assert first_day("2026-11-17", "2026-11-01", 7) == "2026-11-15"
    assert first_day("2026-11-01", "2026-11-01", 1) == "2026-11-01"
    assert date.fromisoformat(first_day("2027-01-01", "2026-12-31", 2)) == date(2026, 12, 31)


def test_an_empty_collection_says_what_is_missing(service, name):
    (cell,) = shares(service, name)["cells"]
    assert (cell["n"], cell["missing"], cell["result"]) == (0, 5, None)
    assert [cell["n"] for cell in shares(service, name, "?by=week")["cells"]] == [0, 0, 0]
    answered = service.get(f"/collections/{name}/tally", role="analyst")
    assert (answered.status, answered.code) == (409, "below_minimum")
    assert "fewer than 5" in answered.json["detail"]
    assert service.get(f"/collections/{name}/export", role="analyst").code == "below_minimum"


def test_what_cannot_be_given_honestly_is_said(service, name, filled, monkeypatch):
    def refuse(tally):
        raise Unavailable("there is no honest answer")

    monkeypatch.setitem(results.METHODS, "likelihood", refuse)
    answered = service.get(f"/collections/{name}/shares?method=likelihood", role="analyst")
    assert (answered.status, answered.code) == (422, "unavailable")
    assert answered.json["detail"] == "there is no honest answer"


def test_progress_counts_by_label_and_day(service, name, filled):
    found = service.get(f"/collections/{name}/progress", role="analyst").json
    assert (found["n"], found["minimum"], found["missing"], found["state"]) == (1600, 5, 0, "open")
    assert found["labels"] == {"week": {"1": 700, "2": 500}}
    assert found["days"] == {"2026-11-01": 400, "2026-11-02": 800, "2026-11-09": 400}


def test_the_tally_is_one_that_the_command_line_reads(service, name, filled, tmp_path):
    answered = service.get(f"/collections/{name}/tally", role="analyst")
    (tmp_path / "tally.json").write_bytes(answered.content)
    (tmp_path / "survey.toml").write_text(SPEC)
    done = CliRunner().invoke(main, ["estimate", str(tmp_path / "survey.toml"), str(tmp_path / "tally.json"), "--json"])
    assert json.loads(done.stdout)["shares"] == shares(service, name)["cells"][0]["result"]["shares"]


def test_tallies_are_the_same_with_a_snapshot_and_without(service, name, filled, monkeypatch):
    before = shares(service, name, "?by=week&days=1")
    assert service.store.snapshot(name) == Snapshot(0, {})
    monkeypatch.setattr(tallies, "TAIL_REPORTS", 1000)
    tallies.count_reports(service.store, name, service.mechanism(name))
    assert shares(service, name, "?by=week&days=1") == before
    kept = service.store.snapshot(name)
    assert kept.position == 5
    assert sum(len(counts) for counts in kept.tallies.values()) == 5 * 8 * decoder_of(service.mechanism(name)).cells
    planted(service, name, 6, labels=(("week", "3"),), count=100)
    counted = tallies.count_reports(service.store, name, service.mechanism(name))
    assert (counted.reports, counted.tally().n) == (100, 1703)
    monkeypatch.setattr(tallies, "MAX_PENDING_BYTES", 1)
    service.store.keep_snapshot(name, Snapshot(0, {}))
    again = tallies.count_reports(service.store, name, service.mechanism(name))
    assert again.tally() == counted.tally()


def test_snapshots_are_kept_while_reports_come_where_each_is_shown_by_itself(service, name, monkeypatch):
    each = service.made(minimum=1)
    monkeypatch.setattr(tallies, "TAIL_REPORTS", 100)
    for one in (each, name):
        planted(service, one, 1)
        service.service.count_accepted(one, 10**6)
    service.service._keep_snapshots()
    assert [service.store.snapshot(one).position > 0 for one in (each, name)] == [True, False]
    assert service.service._new_reports[name] < 10**6


def test_forgotten_days_are_gone_from_every_answer(make):
    service = make(forget_after=30)
    name = service.made()
    planted(service, name, 1, day="2020-01-01")
    planted(service, name, 2, day=date.today().isoformat(), count=50)
    assert service.service.forget() == 400
    assert shares(service, name)["cells"][0]["n"] == 50


def test_reports_that_are_shown_together_are_forgotten_together(make, tmp_path):
    """The analyst's figures of before and after differ by whole batches, and the report that waits is gone."""
    service, store = make(forget_after=30), sqlite_in(tmp_path)
    name, today = service.made(), date.today()
    store.create(*service.store.collections(), day=today.isoformat())
    service.store = service.service.store = service.service.catalogue._store = store
    days = [40, 40, 40, 40, 40, 35, 35, 32, 2, 1, 40]
    for number, ago in enumerate(days):
        planted(service, name, number, day=(today - timedelta(days=ago)).isoformat(), count=1)
    served = service.service.catalogue.get(name)
    assert service.service.shown_counts(served).tally().n == 10
    assert service.service.forget() == 6
    assert service.service.shown_counts(served).tally().n == 5
    assert [batch.count for batch in store.batches(name)] == [1] * 5
    store.shut()


def test_a_day_is_forgotten_once_and_again_if_that_failed(make, monkeypatch):
    service = make(forget_after=30)
    calls = []

    def forget(*, before, groupings):
        calls.append(before)
        if len(calls) == 1:
            raise StoreFailed("busy")
        return 0

    monkeypatch.setattr(service.store, "forget", forget)
    with pytest.raises(StoreFailed):
        service.service.forget()
    assert [service.service.forget() for _ in range(3)] == [0, 0, 0]
    assert len(calls) == 2
    monkeypatch.setattr(service.service, "_forgotten_before", "2020-01-01")  # the next day
    service.service.forget()
    assert len(calls) == 3


# -- differences ------------------------------------------------------------------------------------


def test_differences_are_tested_between_labels_with_enough_reports(service, name, filled):
    found = service.get(f"/collections/{name}/differences?by=week", role="analyst").json
    assert [(pair["first"], pair["second"]) for pair in found["pairs"]] == [(None, "1"), (None, "2"), ("1", "2")]
    assert found["left_out"] == [{"label": "3", "n": 0, "missing": 5}]
    one, two = (of(service, name, filled, lambda week, day, w=w: week == w) for w in ("1", "2"))
    gap = dc.estimate(one).shares - dc.estimate(two).shares
    assert found["pairs"][2]["difference"] == pytest.approx(gap.tolist(), abs=1e-12)
    assert 0 <= found["omnibus"]["p"] <= 1
    assert found["omnibus"]["df"] == 2 * 4  # two groups more, and shares that add up to one
    for pair in found["pairs"]:
        assert all(raw <= corrected <= 1 for raw, corrected in zip(pair["p"], pair["adjusted"], strict=True))
    assert service.get(f"/collections/{name}/differences", role="analyst").code == "parameter"


def test_too_many_tests_are_refused(service, name, filled, monkeypatch):
    monkeypatch.setattr("discreet.collector.endpoints.analyst.MAX_TESTS", 2)
    assert service.get(f"/collections/{name}/differences?by=week", role="analyst").code == "unavailable"


def test_equal_groups_are_rarely_called_different_and_unequal_ones_are():
    """False alarms: 200 pairs at 0.05; more than 27 have a probability of 1e-6 if the test is right."""
    mechanism = dc.mechanism(dc.Context.uniform(range(5), "1"), "hadamard")
    values = np.arange(2000) % 5
    rng = seeded(11)
    alarms = 0
    for _ in range(200):
        groups = {name: mechanism.tally(mechanism.randomize_indices(values, rng)) for name in "ab"}
        (pair,) = compare_groups(groups)["pairs"]
        alarms += min(pair["adjusted"]) < 0.05
    assert alarms <= 27
    moved = mechanism.tally(mechanism.randomize_indices(np.zeros(2000, dtype=int), rng))
    (pair,) = compare_groups({"a": groups["a"], "b": moved})["pairs"]
    assert max(pair["adjusted"][:1]) < 1e-6


def test_groups_without_any_doubt_differ_or_not():
    mechanism = dc.mechanism(dc.Context.blocks({"a": ["x"], "b": ["y"]}, "1"), "hadamard")
    x, y = (mechanism.tally(mechanism.randomize_indices([i] * 50, seeded(1))) for i in (0, 1))
    (same,) = compare_groups({"1": x, "2": x})["pairs"]
    assert same["p"] == [1.0, 1.0]
    (other,) = compare_groups({"1": x, "2": y})["pairs"]
    assert max(other["p"]) < 1e-6


# -- export -----------------------------------------------------------------------------------------


def exported(service, name):
    answered = service.get(f"/collections/{name}/export", role="analyst")
    assert answered.status == 200
    assert answered.headers["content-type"] == "application/vnd.apache.parquet"
    return answered.content


def test_an_export_holds_all_reports_that_are_shown_sorted(service, name, filled):
    table = pq.read_table(io.BytesIO(exported(service, name)))
    assert table.column_names == ["report", "day", "week"]
    rows = table.to_pylist()
    assert len(rows) == 1600
    for (week, day), reports in filled.items():
        if len(reports) < 5:
            continue
        found = [row["report"] for row in rows if (row["week"] or "", row["day"]) == (week, day)]
        assert found == sorted(reports.tolist())


def test_an_export_does_not_tell_the_order_of_arrival(make):
    contents = []
    for order in ([1, 2, 3], [3, 1, 2]):
        service = make()
        name = service.made(minimum=1)
        for seed in order:
            planted(service, name, seed, count=20)
        contents.append(pq.read_table(io.BytesIO(exported(service, name))).to_pylist())
    assert contents[0] == contents[1]


def test_the_headers_of_an_export_are_given_without_it(service, name, filled):
    answered = service.ask("HEAD", f"/collections/{name}/export", role="analyst")
    assert (answered.status, answered.content) == (200, b"")
    assert int(answered.headers["content-length"]) > 0


def test_an_export_that_fails_leaves_no_file(service, name, filled, monkeypatch):
    def broken(*_):
        raise StoreFailed("gone")

    monkeypatch.setattr("discreet.collector.endpoints.analyst.write_parquet", broken)
    assert service.get(f"/collections/{name}/export", role="analyst").code == "busy"
    assert [left.name for left in service.service.drafts.path().iterdir()] == ["lock"]


def test_wide_reports_are_exported_sorted_too(service, monkeypatch):
    monkeypatch.setattr(export, "MAX_WRITTEN_BYTES", 100)
    spec = '[domain]\nsize = 70\n[context]\nform = "uniform"\nepsilon = "1"\n[mechanism]\nname = "unary"\n'
    name = service.made(spec=spec, words=None, labels=None)
    planted(service, name, 1, count=50)
    planted(service, name, 2, count=50)
    column = pq.read_table(io.BytesIO(exported(service, name)))["report"].to_pylist()
    assert column == sorted(column, key=lambda packed: packed[::-1])


def test_an_export_is_one_that_the_command_line_tallies(service, name, filled, tmp_path):
    (tmp_path / "reports.parquet").write_bytes(exported(service, name))
    (tmp_path / "survey.toml").write_text(SPEC)
    files = [str(tmp_path / "survey.toml"), str(tmp_path / "reports.parquet")]
    done = CliRunner().invoke(main, ["tally", *files, "--quiet"])
    assert json.loads(done.stdout) == service.get(f"/collections/{name}/tally", role="analyst").json


# -- counters ---------------------------------------------------------------------------------------


def test_metrics_count_by_route_and_reason(service, name):
    for _ in range(2 * COUNT_STEP):
        service.send(name, [0, 99])
        service.get("/nowhere/at/all")
    text = service.get("/metrics", role="metrics").content.decode()
    assert f'discreet_reports_accepted_total{{collection="{name}"}} 200\n' in text
    assert f'discreet_refused_total{{collection="{name}",reason="report_impossible"}} 200\n' in text
    assert 'discreet_requests_total{route="/collections/{id}/reports",method="POST",status="200"} 200\n' in text
    assert 'route="other"' in text
    assert 'discreet_upload_seconds_bucket{le="+Inf"} 100\n' in text  # the first step is dropped
    assert "nowhere" not in text
    for line in text.splitlines():
        assert line.startswith("# ") or len(line.rsplit(" ", 1)) == 2
