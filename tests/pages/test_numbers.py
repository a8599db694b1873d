"""Any number between two bounds on the pages: designed, answered, cut at its bounds, and found again as a mean."""

import json
import re

import numpy as np
import pytest

import discreet as dc

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
    import urllib.request

    with urllib.request.urlopen(collector.url + made["law"]) as answer:
        return dc.wire.parse_law(answer.read().decode())


def answered(collector, name, numbers, seed=1):
    """Reports of people with these numbers."""
    law = law_of(collector, name)
    reports = law.randomize_many(numbers, dc.random.seeded(seed)).tolist()
    body = {"fingerprint": law.fingerprint, "reports": reports, "version": 1}
    collector.ask(f"/collections/{name}/reports", body, **{"idempotency-key": f"people-{name}-{seed}"})


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
    assert not page.get_by_role("radio", name="rather not").is_checked()
    page.screenshot(path="/tmp/asks/answer.png", full_page=True)
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
    page.screenshot(path=f"/tmp/asks/results{width}.png", full_page=True)
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
    page.screenshot(path="/tmp/asks/design.png", full_page=True)
    assert page.get_by_label("Numbers beyond them count as the nearest of the two").is_checked()
    page.get_by_label("Title", exact=True).fill("Ways to work")
    page.get_by_role("button", name="Start this collection").click()
    name = page.get_by_role("link", name="the page to answer").get_attribute("href").rpartition("/")[2]
    law = law_of(collector, name)
    assert law.context.domain.describe()["high"] == "120"
    assert law.context.domain.clip
    assert str(law.context.number_bounds) == "any two at most 1"
