"""Any number between two bounds on the pages: designed, answered, cut at its bounds, and found again as a mean."""

import json
import re
import urllib.request

import numpy as np
import pytest

import discreet as dc

from .test_common import AXE

INCOME = {
    "title": "Incomes",
    "question": "What is your income a month?",
    "kind": "number",
    "unit": "euros",
    "spec": {
        "domain": {"low": 0, "high": 4000, "clip": True, "outside": ["prefer not to say"]},
        "context": {"form": "numbers", "epsilon": "3"},
    },
    "words": {"prefer not to say": "rather not"},
    "minimum": 50,
    "changes": "refuse",
    "access": "open",
    "language": "en",
    "translations": {"de": {"title": "Einkommen", "question": "Wie hoch ist Ihr Einkommen im Monat?", "unit": "Euro"}},
}
FIELD = "What is your income a month?"


def income(collector, **other):
    return collector.declare({**INCOME, **other})


def law_of(collector, name):
    made = collector.ask(f"/collections/{name}")
    with urllib.request.urlopen(collector.url + made["law"]) as answer:
        return dc.wire.parse_law(answer.read().decode())


def answered(collector, name, numbers, seed=1):
    """Reports of people with these numbers."""
    law = law_of(collector, name)
    reports = law.randomize_many(numbers, dc.random.seeded(seed)).tolist()
    body = {"fingerprint": law.fingerprint, "reports": reports, "version": 1}
    collector.ask(f"/collections/{name}/reports", body, **{"idempotency-key": f"people-{name}-{seed}"})


def violations(page):
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
    return [(one["id"], one["nodes"][0]["html"][:120]) for one in found]


def test_a_number_is_answered_and_one_beyond_the_bounds_says_what_it_counts_as(collector, opened, tmp_path):
    name = income(collector)
    page = opened(f"/answer/{name}", tokens=False)
    field = page.get_by_role("textbox", name=FIELD)
    field.wait_for()
    assert field.get_attribute("inputmode") == "decimal"
    page.get_by_text("A number from 0 to 4,000. Numbers above 4,000 count as 4,000").wait_for()
    status = page.locator("#q0-said")
    field.fill("abc")
    field.press("Tab")
    assert status.text_content() == "Please enter a number, in digits."
    field.fill("1,234.56")
    assert status.text_content() == ""
    page.get_by_text("1,234.56").first.wait_for()
    field.fill("5000")
    assert status.text_content() == "This counts as 4,000."
    page.get_by_role("radio", name="rather not").check()
    assert field.input_value() == ""
    field.fill("900.5")
    assert not violations(page)
    assert not page.get_by_role("radio", name="rather not").is_checked()
    page.get_by_role("button", name=re.compile("scramble", re.I)).click()
    page.get_by_role("heading", name="Your report was sent").wait_for()
    sent = json.loads(page.locator("pre").text_content())
    law = law_of(collector, name)
    assert sent["fingerprint"] == law.fingerprint
    assert law.sampler.is_report(sent["reports"][0])


def test_a_number_beyond_bounds_that_do_not_count_is_refused_and_a_decimal_comma_is_read(collector, opened):
    spec = {**INCOME["spec"], "domain": {"low": "-10", "high": 50}}
    name = income(collector, spec=spec, words={})
    page = opened(f"/answer/{name}", tokens=False, locale="de-DE")
    field = page.get_by_role("textbox", name="Wie hoch ist Ihr Einkommen im Monat?")
    field.wait_for()
    assert field.get_attribute("inputmode") == "text"  # keypads for decimals have no minus
    field.fill("51")
    field.press("Tab")
    assert page.locator("#q0-said").text_content() == "Bitte geben Sie eine Zahl von -10 bis 50 ein."
    assert page.get_by_role("button", name=re.compile("senden", re.I)).is_disabled()
    field.fill("-7,5")
    assert page.locator("#q0-said").text_content() == ""
    page.get_by_text("-7,5").first.wait_for()


@pytest.mark.parametrize("width", [1000, 360])
def test_results_show_the_mean_and_where_numbers_were_cut(collector, opened, width):
    name = income(collector)
    rng = np.random.default_rng(5)
    held = [*np.round(rng.gamma(2, 700, 3000), 2).tolist(), *["prefer not to say"] * 1000]
    answered(collector, name, held)
    page = opened(f"/results/{name}", width=width)
    mean = page.locator("p.mean")
    mean.wait_for()
    said = mean.text_content()
    assert said.endswith("(of numbers cut at 0 and 4,000)")
    value, low, high = (float(one.replace(",", "")) for one in re.findall(r"([\d,.]+)\s?euros", said))
    true = np.mean([min(one, 4000) for one in held[:3000]])
    assert low < true < high
    assert low < value < high < 2500
    page.get_by_text("Numbers above 4,000 were counted as 4,000").wait_for()
    assert re.search(r"About 7\d\.\d% of people gave a number", page.locator("main").text_content())
    assert not violations(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_question_for_any_number_is_designed_and_started(collector, opened):
    page = opened("/design")
    page.get_by_label("The question, as people will read it").fill("How long is your way to work?")
    page.get_by_label("Kind of answer").select_option("number")
    page.get_by_label("Asked as").select_option("any")
    page.get_by_label("Smallest").fill("0")
    page.get_by_label("Largest").fill("120")
    page.get_by_label("Unit, such as years").fill("minutes")
    page.get_by_text("the mean is right within").wait_for()
    assert page.get_by_label("Numbers beyond them count as the nearest of the two").is_checked()
    page.get_by_label("Title", exact=True).fill("Ways to work")
    page.get_by_role("button", name="Start this collection").click()
    name = page.get_by_role("link", name="the page to answer").get_attribute("href").rpartition("/")[2]
    law = law_of(collector, name)
    assert law.context.domain.describe()["high"] == "120"
    assert law.context.domain.clip
    assert str(law.context.number_bounds) == "any two at most 1"


FORM = {
    "title": "Work and travel",
    "spec": {
        "form": {"strategy": "each"},
        "questions": [
            {
                "name": "minutes",
                "domain": {"low": 0, "high": 120, "step": "2", "clip": True},
                "context": {"form": "numbers", "distance": "line", "epsilon": "0.05"},
            },
            {
                "name": "children",
                "domain": {"low": 0, "high": 10, "step": 1, "clip": True},
                "context": {"form": "numbers", "epsilon": "2"},
            },
        ],
    },
    "questions": [
        {"name": "minutes", "question": "How long was your way?", "unit": "minutes", "kind": "number"},
        {"name": "children", "question": "How many children?", "kind": "scale"},
    ],
    "labels": {"region": ["north", "south"]},
    "minimum": 50,
    "changes": "refuse",
    "access": "open",
}


def test_a_questionnaire_of_numbers_is_answered_on_a_phone_and_told_at_a_glance(collector, opened):
    name = collector.declare(FORM)
    page = opened(f"/answer/{name}", tokens=False, width=360)
    field = page.get_by_role("textbox", name="How long was your way?")
    field.fill("45.5")
    page.get_by_text("compared with “").first.wait_for()  # by distance: nearer ones are harder to tell
    page.get_by_role("button", name="One step up").click()
    page.get_by_role("combobox", name="Language").select_option("de")
    page.get_by_text("Eine Zahl von 0 bis 120").wait_for()
    field = page.get_by_role("textbox", name="How long was your way?")
    assert field.input_value() == "45,5"  # what was typed is kept, as the language writes it
    assert not violations(page)
    page.get_by_role("button", name=re.compile("senden")).click()
    page.get_by_role("heading", name="Ihre Meldung wurde gesendet").wait_for()
    form = dc.wire.published.parse_published(
        urllib.request.urlopen(f"{collector.url}/collections/{name}/law").read().decode()
    )
    rng = np.random.default_rng(1)
    for seed, region in enumerate(("north", "south")):
        held = {
            "minutes": (rng.uniform(0, 60, 1500) + 30 * seed).round(1).tolist(),
            "children": rng.integers(0, 4, 1500).tolist(),
        }
        from discreet.wire.form_reports import ReportPacking

        packing, made = ReportPacking(form), form.randomize_many(held, dc.random.seeded(seed))
        rows = zip(*(made.reports[part].tolist() for part in form.parts), strict=True)
        reports = [packing.to_json(packing.pack(dict(zip(form.parts, row, strict=True)))) for row in rows]
        body = {"fingerprint": form.fingerprint, "reports": reports, "version": 1, "labels": {"region": region}}
        collector.ask(f"/collections/{name}/reports", body, **{"idempotency-key": f"people-{name}-{seed}"})
    page = opened(f"/results/{name}")
    page.get_by_text("Mean: about").nth(1).wait_for()
    assert not violations(page)
    page.get_by_role("button", name="More about this question: How long was your way?").click()
    page.get_by_role("heading", name="Means by group").wait_for()
    said = page.locator("dl dd").all_inner_texts()
    north, south = (float(re.search(r"about ([\d.]+)", one)[1]) for one in said)
    assert abs(south - north - 30) < 15


def test_a_file_with_a_number_is_opened_and_saved_as_the_same(collector, opened, tmp_path):
    path = tmp_path / "asked.toml"
    domain = '{low = "0", high = "4000", clip = true}'
    path.write_text(
        f'title = "Incomes"\nquestion = "What is it?"\nkind = "number"\nunit = "euros"\ndomain = {domain}\n'
        'context = {form = "numbers", epsilon = "1"}\n'
    )
    page = opened("/design")
    page.get_by_text("Open a questionnaire or spec file").click()
    page.locator("input[type=file]").first.set_input_files(path)
    page.get_by_text("the mean is right within").wait_for()
    assert page.get_by_label("Largest").input_value() == "4000"
    assert page.get_by_label("Asked as").input_value() == "any"
    with page.expect_download() as kept:
        page.get_by_role("button", name="Download the questionnaire file").click()
    kept.value.save_as(tmp_path / "saved.toml")
    saved = dc.wire.Questionnaire.read(tmp_path / "saved.toml")
    assert saved.spec.fingerprint == dc.wire.Questionnaire.read(path).spec.fingerprint
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("dialog").get_by_text("Numbers above 4,000 count as 4,000").wait_for()


def test_numbers_are_designed_by_distance_beside_another_question(collector, opened):
    page = opened("/design")
    page.get_by_label("The question, as people will read it").fill("How long is your way?")
    page.get_by_label("Kind of answer").select_option("number")
    page.get_by_label("Asked as").select_option("any")
    page.get_by_label("Smallest").fill("0.5")
    page.get_by_label("Largest").fill("60.5")
    page.get_by_label("Unit, such as years").fill("km")
    page.get_by_label("Exact positions on a scale").check()
    page.get_by_label("The epsilon below is for two answers this far apart, in km").fill("20")
    page.get_by_text("at a distance of 20").wait_for()
    page.get_by_label("Numbers beyond them count as the nearest of the two").uncheck()
    page.get_by_role("button", name="Add a question").click()
    page.get_by_label("The question, as people will read it").fill("Do you walk?")
    page.get_by_label("Kind of answer").select_option("yes/no")
    page.get_by_text(re.compile("mean: ± [0-9.]+.km")).wait_for()
    page.get_by_text("together: not worked out").or_(page.get_by_text("one report: not worked out")).wait_for()
    assert not violations(page)
    page.get_by_label("Title", exact=True).fill("Ways")
    page.get_by_role("button", name="Start this collection").click()
    name = page.get_by_role("link", name="the page to answer").get_attribute("href").rpartition("/")[2]
    with urllib.request.urlopen(f"{collector.url}/collections/{name}/law") as answer:
        form = dc.wire.published.parse_published(answer.read().decode())
    context = next(iter(form.questions.values())).context
    assert str(context.number_bounds).startswith("at most 0.05 times their distance")
    assert not context.domain.clip
    assert context.domain.normalized("33.3") == "33.3"
