"""Laws of periods: people who answer again under another label are not counted as others."""

import json

import numpy as np
import pytest
from scipy.stats import binom

import discreet as dc
from discreet.bulk.report_files import reports_to_bytes
from discreet.bulk.words import seeded
from discreet.client import Client, Response
from discreet.collector.results import Breakdown, mean_of, shares_by_cell
from discreet.collector.store.protocol import UploadOutcome, UploadRecord
from discreet.collector.store.tallies import CellCounts

PEOPLE, WEEKS = 30, 8
YES_NO = dc.mechanism(dc.Context.uniform(["no", "yes"], "1"))


def cells_of(yes, sizes=(PEOPLE,) * WEEKS):
    """The counts of weeks in which so many of the reports say yes."""
    weeks = ((((("week", str(week)),), "2026-11-17"), [n - yes, yes]) for week, n in enumerate(sizes))
    return CellCounts(YES_NO, {cell: np.array(counts) for cell, counts in weeks})


def coverage(share, period):
    """The exact probability that the interval of all weeks covers a share, where 30 people send the same each week."""
    (_, said_by_no), (_, said_by_yes) = YES_NO.channel()
    chance = float(share * said_by_yes + (1 - share) * said_by_no)
    covered = 0.0
    for yes in range(PEOPLE + 1):
        (cell,) = shares_by_cell(cells_of(yes), Breakdown(), 1, period=period)
        if cell["result"]["low"][1] <= share <= cell["result"]["high"][1]:
            covered += float(binom.pmf(yes, PEOPLE, chance))
    return covered


@pytest.mark.parametrize("share", [0.05, 0.3, 0.5])
def test_intervals_of_all_periods_cover_where_the_same_people_answer_in_each(share):
    assert coverage(share, "week") >= 0.935
    assert coverage(share, None) < 0.7  # thirty people counted as 240


def test_a_mean_over_periods_is_weighted_by_reports():
    (cell,) = shares_by_cell(cells_of(10, (20, 60)), Breakdown(), 1, period="week")
    (plain,) = shares_by_cell(cells_of(10, (20, 60)), Breakdown(), 1)
    assert (cell["n"], cell["periods"], cell["result"]["n"]) == (80, 2, 80)
    assert "periods" not in plain
    assert cell["result"]["shares"] == pytest.approx(plain["result"]["shares"], abs=1e-12)
    assert all(one > other for one, other in zip(cell["result"]["stderr"], plain["result"]["stderr"], strict=True))


def test_a_column_that_one_period_lacks_is_lacking():
    there = {"shares": [0.5], "stderr": [1.0], "low": [None], "high": [1.0], "notes": {}}
    lacking = {**there, "stderr": None, "notes": {"stderr": "there is none"}}
    merged = mean_of([there, lacking], [1, 1])
    assert (merged["stderr"], merged["low"], merged["notes"]) == (None, [None], {"stderr": "there is none"})


@pytest.fixture
def weekly(service):
    """A collection of three weeks in which the same 40 people answered; two of the weeks have reports."""
    name = service.made(period="week")
    mechanism = service.mechanism(name)
    reports = reports_to_bytes(mechanism, mechanism.randomize_indices(np.arange(40) % 5, seeded(1)))
    for week in "12":
        service.store.add([UploadRecord(name, week, b"", "2026-11-17", (("week", week),), reports, 40, "{}")])
    return name


def test_what_takes_reports_for_people_is_given_for_one_period(service, weekly):
    for place in ("tally", "release?form=json"):
        assert service.get(f"/collections/{weekly}/{place}", role="analyst").code == "unavailable"
    for place in ("tally?period=1", "release?form=json&period=1"):
        assert service.get(f"/collections/{weekly}/{place}", role="analyst").json["n"] == 40
    assert service.get(f"/collections/{weekly}/release?form=json&period=1", role="analyst").json["period"] == "week 1"
    assert service.get(f"/collections/{weekly}/tally?period=3", role="analyst").code == "below_minimum"
    assert service.get(f"/collections/{weekly}/tally?period=4", role="analyst").code == "parameter"
    assert service.get(f"/collections/{service.made()}/tally?period=1", role="analyst").code == "parameter"


def test_shares_and_differences_know_the_periods(service, weekly):
    def found(query):
        return service.get(f"/collections/{weekly}/{query}", role="analyst").json

    (total,), (first,) = found("shares")["cells"], found("shares?period=1")["cells"]
    assert (total["n"], total["periods"], first["n"]) == (80, 2, 40)
    for column in ("shares", "stderr", "low", "high"):
        assert total["result"][column] == pytest.approx(first["result"][column])
        assert total["result"]["blocks"][column] == pytest.approx(first["result"]["blocks"][column])
    assert [cell["n"] for cell in found("shares?by=week")["cells"]] == [40, 40, 0]
    (pair,) = found("differences?by=week")["pairs"]
    assert pair["difference"] == pytest.approx([0] * 5)


def test_groups_over_several_periods_are_not_compared(service):
    name = service.made(labels={"week": ["1", "2"], "land": ["a", "b"]}, period="week")
    mechanism = service.mechanism(name)
    reports = reports_to_bytes(mechanism, mechanism.randomize_indices(np.arange(40) % 5, seeded(1)))
    for number, (week, land) in enumerate([("1", "a"), ("1", "b"), ("2", "a")]):
        labels = (("land", land), ("week", week))
        service.store.add([UploadRecord(name, str(number), b"", "2026-11-17", labels, reports, 40, "{}")])
    assert service.get(f"/collections/{name}/differences?by=land", role="analyst").code == "unavailable"
    found = service.get(f"/collections/{name}/differences?by=land&period=1", role="analyst").json
    assert len(found["pairs"]) == 1


@pytest.mark.parametrize("period", ["day", 3, "", ["week"]])
def test_a_period_is_a_label(service, period):
    answered = service.create(period=period)
    assert (answered.status, answered.code) == (422, "declaration")
    assert "period" in json.dumps(answered.json)


# -- one report in a small cell ---------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_one_report_is_not_what_two_figures_differ_by(service, seed):
    """A week with one report: neither a total, nor a count, nor an export, nor a look before and after shows it."""
    name = service.made(minimum=100)
    mechanism = service.mechanism(name)

    def send(week, count, number):
        reports = mechanism.randomize_indices(np.arange(count) % 5, seeded(seed + number))
        record = UploadRecord(
            name, str(number), b"", "2026-11-17", (("week", week),), reports_to_bytes(mechanism, reports), count, "{}"
        )
        service.store.add([record])

    def seen():
        places = (
            "shares",
            "shares?by=week",
            "shares?days=1",
            "progress",
            "tally",
            "release?form=json",
            "differences?by=week",
        )
        answers = [service.get(f"/collections/{name}/{place}", role="analyst").content for place in places]
        return [
            *answers,
            service.get("/overview", role="admin").content,
            service.get(f"/collections/{name}/export", role="analyst").content,
        ]

    send("1", 500, 1)
    before = seen()
    send("2", 1, 2)
    assert seen() == before
    send("2", 99, 3)
    assert all(one != other for one, other in zip(seen(), before, strict=True))


def test_what_is_shown_after_the_time_of_closing_is_the_last_of_it(service):
    """A collection whose time has passed is closed for good before its last batch is shown, so that none can follow."""
    name = service.made(minimum=50, closes="2001-01-01T00:00:00Z")
    mechanism = service.mechanism(name)

    def add(number, week, count):
        packed = reports_to_bytes(mechanism, mechanism.randomize_indices(np.arange(count) % 5, seeded(number)))
        record = UploadRecord(name, str(number), b"", "2026-11-17", (("week", week),), packed, count, "{}")
        return service.store.add([record])[0].outcome

    def total():
        return service.get(f"/collections/{name}/progress", role="analyst").json["n"]

    service.service.metrics.is_forgetting_held = True  # by a clock that is not believed nothing is closed
    assert {add(1, "1", 30), add(2, "2", 30)} == {UploadOutcome.STORED}
    assert total() == 0
    assert add(3, "2", 1) is UploadOutcome.STORED
    service.service.metrics.is_forgetting_held = False
    assert total() == 61
    assert add(4, "2", 1) is UploadOutcome.CLOSED
    assert total() == 61


# -- the clients of this project ----------------------------------------------------------------------


class InProcess:
    """A way to a service without a network."""

    def __init__(self, service):
        self.service = service

    def send(self, request, *, limit):
        answered = self.service.ask(
            request.method, request.address.target, request.body or b"", list(request.headers.items())
        )
        return Response(answered.status, answered.headers, answered.content)


@pytest.mark.parametrize(("period", "expected"), [(None, [PEOPLE]), ("week", [PEOPLE] * WEEKS)])
def test_people_who_answer_every_week_count_once_or_once_in_each_week(service, tmp_path, period, expected):
    weeks = [str(week) for week in range(WEEKS)]
    name = service.made(labels={"week": weeks}, period=period, minimum=1)
    for person in range(PEOPLE):
        client = Client(ledger=tmp_path / f"{person}.jsonl", cap="1", transport=InProcess(service))
        collection = client.open(f"https://collector.example/collections/{name}")
        for week in weeks:
            assert collection.answer("n1", labels={"week": week}).state == "accepted"
        assert client.ledger.spent == 1
    (total,) = service.get(f"/collections/{name}/shares", role="analyst").json["cells"]
    cells = service.get(f"/collections/{name}/shares?by=week", role="analyst").json["cells"]
    assert (total["n"], total.get("periods", 1)) == (sum(expected), len(expected))
    assert [cell["n"] for cell in cells if cell["n"]] == expected
