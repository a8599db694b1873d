"""Release reports: whole, honest, and harmless wherever they are opened."""

import html
import json
import re

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput
from discreet.publishing.sentences import opening_of

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


def test_one_bit_is_one_bit():
    asked = dc.mechanism(dc.Context.uniform(["no", "yes"], "1"), "randomized_response")
    page = dc.release(dc.estimate(asked.tally([0, 1, 1])), title="One").to_html()
    assert "</code>, 1 bit each, by" in page


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
    survey = dc.Survey(BLOCKS, estimate.mechanism.randomize_many(["a", "d"] * 50, dc.random.seeded(1)))
    survey.labels[nasty] = np.array([nasty, "x"] * 50)
    more = {"title": nasty, "period": nasty, "asked_by": nasty, "words": {"a": nasty}}
    results = survey.by(nasty), survey.by(nasty, query={"a": 1}), dc.compare(survey, by=nasty)
    for one in (page, *(dc.release(result, **more).to_html() for result in results)):
        assert "<script>alert" not in one
        assert one.count("</script>") == 1
        assert "<b>" not in one


@pytest.mark.parametrize("method", [dc.estimate, dc.project, dc.likelihood, dc.shrink])
def test_every_method_can_be_published(estimate, method):
    data = dc.release(method(estimate.tally), title="A survey").to_dict()
    assert data["method"]["biased"] == (method is not dc.estimate)
    assert dc.release(method(estimate.tally), title="A survey").to_html().startswith("<!doctype html>")


def test_shares_below_0_are_explained():
    mechanism = dc.mechanism(dc.Context.uniform(range(20), "0.5"))
    tally = mechanism.tally(mechanism.randomize_indices(np.zeros(200, dtype=int), dc.random.seeded(3)))
    assert (dc.estimate(tally).shares < 0).any()
    assert any(
        "negative share means" in line for line in dc.release(dc.estimate(tally), title="x").to_dict()["caveats"]
    )
    assert not any(
        "negative share means" in line for line in dc.release(dc.project(tally), title="x").to_dict()["caveats"]
    )


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


# -- weights, groups and differences ---------------------------------------------------------------------------

YEARS = ["<9", "9-11", "12", "13-15"]
GRADED = dc.mechanism(dc.Context.graded(dict(zip(YEARS, ["1", "2", "2", "2"], strict=True))))
WHO = np.random.default_rng(1)
HELD = WHO.choice(YEARS, size=2000, p=[0.1, 0.2, 0.6, 0.1])
LABELS = {"town": WHO.choice(["lima", "oslo"], size=2000)}
PLAIN = dc.Survey(GRADED, GRADED.randomize_many(HELD, dc.random.seeded(1)), labels=LABELS)
WEIGHTED = dc.Survey(
    GRADED,
    PLAIN.waves[0].reports,
    labels=LABELS,
    weights=np.where(HELD == "12", 0.5, 2.0) * WHO.uniform(0.9, 1.1, 2000),
)


def rows_of(page: str) -> list[list[str]]:
    """The rows of all tables of a page, as text."""
    rows = re.findall(r"<tr><th scope=\"row\">(.*?)</tr>", page)
    return [[html.unescape(cell) for cell in re.split(r"</th><td>|</td><td>|</td>", row)[:-1]] for row in rows]


def test_a_weighted_survey_is_published_with_its_weights():
    data = dc.release(WEIGHTED.shares(), title="Schooling").to_dict()
    shares = WEIGHTED.shares()
    assert data["shares"] == shares.estimate[0].tolist()
    assert (data["low"], data["high"]) == tuple(end[0].tolist() for end in shares.interval())
    assert data["shares"] != pytest.approx(PLAIN.shares().estimate[0].tolist(), abs=0.02)
    assert "Errors allow for weights." in data["remarks"]
    assert data["sampling_stderr"] is None
    assert "dark part" not in data["caption"]
    assert "dark part" in dc.release(PLAIN.shares(), title="Schooling").to_dict()["caption"]


def test_an_unweighted_survey_is_published_as_its_tally_is():
    names = ("n", "shares", "stderr", "low", "high", "sampling_stderr", "law", "certificate", "promise", "order")
    one, two = (dc.release(r, title="x").to_dict() for r in (PLAIN.shares(), dc.estimate(PLAIN.tally)))
    for name in names:
        assert one[name] == (pytest.approx(two[name]) if isinstance(two[name], list) else two[name])


def test_groups_are_published_one_below_the_other():
    by = WEIGHTED.by("town")
    report = dc.release(by, title="Towns")
    data = report.to_dict()
    assert data["shares"] is data["low"] is None
    assert [panel["heading"] for panel in data["panels"]] == ["town lima", "town oslo"]
    assert [panel["n"] for panel in data["panels"]] == by.moments.sizes.tolist()
    for panel, estimate in zip(data["panels"], by.estimate, strict=True):
        assert panel["estimate"] == estimate.tolist()
    page = report.to_html()
    assert [row[0] for row in rows_of(page)] == YEARS * 2
    assert rows_of(page)[2][1] == f"{100 * by.estimate[0][2]:.1f} %"


def test_a_query_has_a_row_for_each_group():
    report = dc.release(PLAIN.by("town", query={"12": 1}), title="Twelve years")
    (panel,) = report.to_dict()["panels"]
    assert (panel["heading"], panel["names"]) == ("12", ["town lima", "town oslo"])
    assert [row[0] for row in rows_of(report.to_html())] == ["town lima", "town oslo"]
    numbers = dc.mechanism(dc.Context.uniform(range(1, 6), "2"))
    reports = numbers.randomize_many([1, 2, 3, 4, 5] * 200, dc.random.seeded(1))
    mean = dc.release(dc.Survey(numbers, reports).query("mean"), title="Mean")
    assert mean.to_dict()["unit"] == "number"
    assert "%" not in rows_of(mean.to_html())[0][1]


def test_differences_are_published_with_their_p_values():
    comparison = dc.compare(WEIGHTED, by="town")
    report = dc.release(comparison, title="Towns compared")
    (panel,) = report.to_dict()["panels"]
    assert panel["heading"] == "oslo − lima"
    assert panel["estimate"] == comparison.difference[0].tolist()
    assert panel["adjusted_p"] == comparison.adjusted_p[0].tolist()
    page = report.to_html()
    assert "difference in percentage points" in page
    assert [row[0] for row in rows_of(page)] == YEARS
    assert len(rows_of(page)[0]) == 7


def test_reports_of_several_mechanisms_are_not_one_report():
    other = dc.mechanism(dc.Context.uniform(YEARS, "1"))
    more = dc.Survey(other, other.randomize_many(HELD, dc.random.seeded(2)), labels=LABELS)
    with pytest.raises(InvalidInput, match="several mechanisms"):
        dc.release((PLAIN + more).shares(), title="x")


@pytest.mark.parametrize("given", [PLAIN, PLAIN.tally, PLAIN.tallies("town"), None])
def test_what_is_no_result_is_told_how_to_become_one(given):
    with pytest.raises(InvalidInput, match=r"^result of type \w+ must be a result: .*survey\.shares\(\)"):
        dc.release(given, title="x")


# -- order, axis and facts -------------------------------------------------------------------------------------

DAYS = ["mon", "tue", "wed", "thu", "fri"]
ORDERED = {
    "numbers": (dc.Context.uniform([30, 10, 20], "1"), [1, 2, 0]),
    "line": (dc.Context.metric(["low", "top", "mid"], "line", "1", points=[0, 2, 1]), [0, 2, 1]),
    "ring": (dc.Context.metric(DAYS, "ring", "1", points=[0, 1, 2, 3, 4], around=5), [0, 1, 2, 3, 4]),
    "graded": (dc.Context.graded({"a": "1", "b": "2", "c": "3"}), [0, 1, 2]),
    "unordered": (dc.Context.uniform(["a", "b", "c"], "1"), None),
    "two": (dc.Context.uniform(["no", "yes"], "1"), None),
    "blocks": (dc.Context.blocks({"x": ["a", "b"], "y": ["c"]}, "1"), None),
    "high-low": (dc.Context.high_low(["a", "b", "c"], ["a"], "1"), None),
}


@pytest.mark.parametrize(("context", "order"), ORDERED.values(), ids=ORDERED)
def test_answers_in_an_order_keep_it_and_others_go_by_their_share(context, order):
    mechanism = dc.mechanism(context)
    held = WHO.integers(context.size, size=900)
    estimate = dc.estimate(mechanism.tally(mechanism.randomize_indices(held, dc.random.seeded(1))))
    largest = [int(x) for x in np.argsort(-estimate.shares)]
    shown = dc.release(estimate, title="x")
    assert shown.to_dict()["order"] == (largest if order is None else order)
    assert [row[0] for row in rows_of(shown.to_html())][: context.size] == [
        str(context.values[x]) for x in shown.to_dict()["order"]
    ]
    assert dc.release(estimate, title="x", order="largest").to_dict()["order"] == largest
    given = dc.release(estimate, title="x", order="given").to_dict()["order"]
    assert given == (list(range(context.size)) if order is None else order)


def test_the_picture_has_an_axis_at_round_numbers(estimate):
    page = dc.release(estimate, title="x").to_html()
    ticks = re.findall(r'text-anchor="middle">([\d.-]+) %</text>', page)
    assert ticks[0] == "0"
    assert len(ticks) >= 3
    steps = np.diff([float(tick) for tick in ticks])
    assert steps == pytest.approx(steps[0])
    assert "share of people" in page


def test_of_very_many_answers_the_picture_says_how_many_it_shows():
    mechanism = dc.mechanism(dc.Context.uniform(range(80), "4"))
    many = dc.estimate(mechanism.tally(mechanism.randomize_many(list(range(80)) * 30, dc.random.seeded(1))))
    page = dc.release(many, title="x").to_html()
    assert "the 60 largest of 80" in page
    assert page.count("<circle") == 60
    assert [row[0] for row in rows_of(page)] == [str(x) for x in range(80)]


def test_who_asked_when_and_how_many_are_said_if_given(estimate):
    plain = dc.release(estimate, title="x").to_html()
    assert "<strong>3,000 reports.</strong>" in plain
    told = dc.release(estimate, title="x", period="May 2026", asked_by="The Bureau", asked=4000)
    assert told.to_dict()["response_rate"] == 0.75
    assert "3,000 reports of 4,000 people who were asked, 75.0 %; asked by The Bureau; May 2026." in told.to_html()
    for asked in (2999, 3.5, True, "many"):
        with pytest.raises(InvalidInput, match=r"asked=.* at least the 3000 people who answered"):
            dc.release(estimate, title="x", asked=asked)
    for wrong in ({"randomized": "cloud"}, {"order": "best"}, {"period": 2026}, {"asked_by": 5}):
        with pytest.raises(InvalidInput, match=next(iter(wrong))):
            dc.release(estimate, title="x", **wrong)


# -- true sentences --------------------------------------------------------------------------------------------

ALL_HIDDEN = dc.Context.uniform(["a", "b", "c"], "1")
PAIRS = dc.Context.blocks({"x": ["a", "b"], "y": ["c", "d"]}, "1")
ALONE = dc.Context.blocks({"x": ["a", "b"], "y": ["c"]}, "1")
SOME = dc.Context.high_low(["a", "b", "c"], ["a"], "1")
NOTHING = dc.Context.blocks({"x": ["a"], "y": ["b"]}, "1")


def told(context: dc.Context, **given: str) -> str:
    mechanism = dc.mechanism(context)
    tally = mechanism.tally(mechanism.randomize_indices(np.arange(900) % context.size, dc.random.seeded(1)))
    return html.unescape(dc.release(dc.estimate(tally), title="x", **given).to_html())


def test_a_device_is_claimed_only_if_the_caller_says_so():
    for context in (ALL_HIDDEN, PAIRS, ALONE, SOME):
        assert "own device" not in told(context)
        assert "own device" not in told(context, randomized="file")
        assert "own device" in told(context, randomized="device")
        assert "not against whoever held the answers" in told(context, randomized="file")
    assert "was randomized" not in told(NOTHING, randomized="device")


def test_that_each_answer_was_randomized_is_said_only_where_each_is_hidden():
    for given in ({}, {"randomized": "device"}, {"randomized": "file"}):
        for context in (ALL_HIDDEN, PAIRS):
            assert "each answer was randomized" in told(context, **given)
        for context in (ALONE, SOME, NOTHING):
            assert "each answer was randomized" not in told(context, **given)


def test_what_a_report_tells_of_its_answer_follows_from_the_context():
    said = {
        "No report tells its answer": ALL_HIDDEN,
        "Every report tells the group of its answer, but not the answer": PAIRS,
        "Some answers may show in their reports": SOME,
        "Whether answers are true was not checked": NOTHING,
    }
    for words, context in said.items():
        assert [words in told(other) for other in said.values()] == [other is context for other in said.values()]
    assert "Some answers may show in their reports" in told(ALONE)


def test_a_heavy_report_is_said_to_weigh_more():
    light, heavy = (
        re.search(r"can count as up to ([\d.]+) people", " ".join(dc.release(r, title="x").to_dict()["caveats"]))[1]
        for r in (PLAIN.shares(), WEIGHTED.shares())
    )
    assert float(heavy) > 1.5 * float(light)


@pytest.mark.long
def test_a_long_word_does_not_make_the_page_wider(estimate, browser, tmp_path):
    long = "Donaudampfschifffah" * 5
    report = dc.release(estimate, title=long, question=long, words={"a": long}, asked_by=long)
    (tmp_path / "report.html").write_text(report.to_html(), encoding="utf-8")
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto((tmp_path / "report.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()


def test_the_opening_of_several_questions_is_true_of_all_of_them():
    context = dc.Context
    hidden = context.uniform(["a", "b"], "1")
    some = context.high_low(["a", "b"], ["b"], "1")
    nothing = context.blocks({"x": ["a"], "y": ["b"]}, "1")
    assert "each answer was randomized" in opening_of([hidden, hidden], "device")
    for partly in ([hidden, some], [some, nothing, hidden]):
        assert "as far as the promise below goes" in opening_of(partly, "device")
    assert "some questions were counted as they are" in opening_of([hidden, nothing], "device")
    assert "nothing was promised" in opening_of([nothing, nothing], "device")
