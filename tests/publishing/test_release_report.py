"""Release reports: whole, honest, and harmless wherever they are opened."""

import json
import re

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput

BLOCKS = dc.mechanism(dc.Context.blocks({"north": ["a", "b", "c"], "south": ["d", "e"]}, "1"), "randomized_response")


@pytest.fixture(scope="module")
def estimate():
    held = np.random.default_rng(0).integers(5, size=3000)
    return dc.estimate(BLOCKS.tally(BLOCKS.randomize_indices(held, dc.random.seeded(1))))


def test_a_report_says_what_was_promised_and_found(estimate):
    report = dc.release(estimate, title="Where people live", question="Where?", words={"a": "Aldermoor"})
    data = report.to_dict()
    assert data["n"] == 3000
    assert data["law"]["fingerprint"] == BLOCKS.fingerprint
    assert data["certificate"]["realised"] <= data["certificate"]["claimed"] == 1
    assert data["words"][0] == "Aldermoor"
    assert data["shares"] == estimate.shares.tolist()
    assert data["low"] == estimate.interval()[0].tolist()
    assert data["blocks"]["names"] == ["north", "south"]
    assert not any("budget" in sentence for sentence in data["promise"]["sentences"])
    sampling = np.sqrt(estimate.shares * (1 - estimate.shares) / 3000)
    assert data["sampling_stderr"] == pytest.approx(sampling)
    assert (np.array(data["sampling_stderr"]) < estimate.stderr).all()


def test_the_page_needs_nothing_else_and_has_its_data_inside(estimate):
    report = dc.release(estimate, title="Where people live")
    page = report.to_html()
    assert not re.search(r"(src|href)=", page)
    inside = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1]
    assert json.loads(inside) == json.loads(json.dumps(report.to_dict()))
    assert "default-src 'none'" in page


def test_nothing_that_is_given_is_read_as_markup(estimate):
    nasty = "</script><script>alert(1)</script><b>"
    page = dc.release(estimate, title=nasty, question=nasty, words={"a": nasty}, notes=(nasty,)).to_html()
    assert "<script>alert" not in page
    assert page.count("</script>") == 1
    assert "<b>" not in page


@pytest.mark.parametrize("method", [dc.estimate, dc.project, dc.likelihood, dc.shrink])
def test_every_method_can_be_published(estimate, method):
    data = dc.release(method(estimate.tally), title="A survey").to_dict()
    assert data["method"]["biased"] == (method is not dc.estimate)
    assert dc.release(method(estimate.tally), title="A survey").to_html().startswith("<!doctype html>")


def test_shares_below_0_are_explained():
    mechanism = dc.mechanism(dc.Context.uniform(range(20), "0.5"))
    tally = mechanism.tally(mechanism.randomize_indices(np.zeros(200, dtype=int), dc.random.seeded(3)))
    assert (dc.estimate(tally).shares < 0).any()
    assert any("below 0 means" in line for line in dc.release(dc.estimate(tally), title="x").to_dict()["caveats"])
    assert not any("below 0 means" in line for line in dc.release(dc.project(tally), title="x").to_dict()["caveats"])


def test_a_file_is_written_by_its_name(estimate, tmp_path):
    report = dc.release(estimate, title="A survey")
    report.write(tmp_path / "report.html")
    report.write(tmp_path / "report.json")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == report.to_html()
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["title"] == "A survey"
    with pytest.raises(InvalidInput, match=r"\.html or a \.json"):
        report.write(tmp_path / "report.pdf")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"title": ""}, "title must not be empty"),
        ({"title": 3}, "title"),
        ({"title": "x", "confidence": 2}, "confidence"),
    ],
)
def test_what_cannot_be_published_is_refused(estimate, given, said):
    with pytest.raises(InvalidInput, match=said):
        dc.release(estimate, **given)


def test_nothing_is_published_about_no_reports():
    with pytest.raises(InvalidInput, match="no reports"):
        dc.release(dc.estimate(BLOCKS.tally()), title="x")
    with pytest.raises(InvalidInput, match="result"):
        dc.release(BLOCKS.tally(), title="x")
