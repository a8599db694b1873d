"""The page of the person asked: the question, what is promised, the answer, and a collector that lies."""

import json
import re

import pytest

from discreet.core.documents import parse_toml
from discreet.gallery import EXAMPLES

from .conftest import HEALTH

GALLERY = {one.name: json.loads(json.dumps(parse_toml(one.text), default=str)) for one in EXAMPLES}


SEND = re.compile("^(Scramble my answer and send|Send)$")


def counted(collector, name):
    return collector.ask(f"/collections/{name}/progress", role="analyst")["n"]


def test_a_person_answers_and_is_counted(collector, opened):
    name = collector.begin({**HEALTH, "minimum": 1})
    page = opened(f"/answer/{name}", tokens=False)
    page.get_by_label("an HIV infection").check()
    told = page.locator("section[aria-label='What your report can reveal']").inner_text()
    assert "at most 4.49 times as likely as before" in told
    assert "After: of 100 of them who send the same report as you, at most 34 with the answer" in told
    page.get_by_text("Optional, not protected").click()
    page.get_by_label("region").select_option("south")
    page.get_by_role("button", name=SEND).click()
    page.get_by_role("heading", name="Your report was sent").wait_for()
    sent = json.loads(page.locator("pre").inner_text())
    assert sorted(sent) == ["fingerprint", "labels", "reports", "version"]
    assert counted(collector, name) == 1
    assert "Privacy budget used: 1.5 of 12" in page.locator("main").inner_text()


def test_the_same_answer_again_sends_nothing_new(collector, opened):
    name = collector.begin({**HEALTH, "minimum": 1})
    page = opened(f"/answer/{name}", tokens=False)
    for _ in range(2):
        page.get_by_label("cold").check()
        page.get_by_role("button", name=SEND).click()
        page.get_by_role("heading", name="Your report was sent").wait_for()
        assert page.get_by_role("row", name="A health survey 1.5 1").count() == 1  # by its title, not by its address
        page.reload()
        page.get_by_text("You have already answered this survey in this browser.").wait_for()
    assert counted(collector, name) == 1
    page.get_by_label("allergy").check()
    page.get_by_role("button", name=SEND).click()
    page.get_by_role("alert").get_by_text("takes no change").wait_for()


@pytest.mark.parametrize("lie", ["law", "number"])
def test_a_collector_that_lies_is_refused(collector, opened, lie):
    name = collector.begin({**HEALTH, "minimum": 1})
    page = opened("/", tokens=False)

    def changed(route):
        route.fulfill(body=route.fetch().text().replace('"epsilon":"1.5"', '"epsilon":"0.1"'))

    def renumbered(route):
        route.fulfill(body=json.dumps(route.fetch().json() | {"fingerprint": 64 * "0"}))

    page.route(f"**/collections/{name}{'/law' if lie == 'law' else ''}", changed if lie == "law" else renumbered)
    page.goto(f"{collector.url}/answer/{name}")
    page.get_by_role("heading", name="This survey is not safe to answer").wait_for()
    assert "Nothing was sent" in page.get_by_role("alert").inner_text()
    assert page.get_by_role("radio").count() == 0
    assert counted(collector, name) == 0


def test_a_law_that_leaks_is_refused_though_its_number_is_right(collector, opened):
    import hashlib

    name = collector.begin({**HEALTH, "minimum": 1})
    page = opened("/", tokens=False)
    law = page.evaluate("async (path) => (await fetch(path)).text()", f"/collections/{name}/law")
    leaking = law.replace('"epsilon":"1.5"', '"epsilon":"0.1"')
    assert leaking != law
    number = hashlib.sha256(leaking.encode()).hexdigest()
    page.route(f"**/collections/{name}/law", lambda route: route.fulfill(body=leaking))

    def renumbered(route):
        found = route.fetch().json()
        route.fulfill(body=json.dumps(found | {"fingerprint": number}))

    page.route(f"**/collections/{name}", renumbered)
    page.goto(f"{collector.url}/answer/{name}")
    page.get_by_role("heading", name="This survey is not safe to answer").wait_for()


def test_an_answer_that_may_show_says_so(collector, opened, health):
    page = opened(f"/answer/{health}", tokens=False)
    page.get_by_label("nothing").check()
    page.get_by_role("heading", name="This answer is not protected").wait_for()
    page.get_by_label("addiction").check()
    page.get_by_role("heading", name="What your report can reveal").wait_for()
    assert page.get_by_role("heading", name="This answer is not protected").count() == 0


@pytest.mark.parametrize("when", ["before it is opened", "while it is open"])
def test_a_question_that_was_closed_is_neither_asked_nor_paid_for(collector, opened, when):
    name = collector.begin(HEALTH)
    page = opened("/", tokens=False)
    if when == "while it is open":
        page.goto(f"{collector.url}/answer/{name}")
        page.get_by_label("cold").check()
    collector.ask(f"/collections/{name}/close", {})
    if when == "before it is opened":
        page.goto(f"{collector.url}/answer/{name}")
    else:
        page.get_by_role("button", name=SEND).click()
    page.get_by_role("heading", name="This survey takes no answers").wait_for()
    said = page.get_by_role("alert").inner_text()
    assert "Those who run this survey have closed it." in said
    assert "none of your privacy budget was used" in said
    assert page.get_by_role("radio").count() == 0
    assert counted(collector, name) == 0
    other = collector.begin(HEALTH)
    page.goto(f"{collector.url}/answer/{other}")
    page.get_by_text("What is promised").wait_for()
    if when == "while it is open":
        page.get_by_text("Your privacy budget", exact=True).click()
        page.get_by_text("Privacy budget used: 0 of 12").wait_for()
    else:
        assert budget_of(page).count() == 1  # not even a budget was set


@pytest.mark.parametrize(
    ("kept", "said"), [("true", "keeps this record until you clear"), ("false", "may delete this record")]
)
def test_the_browser_is_asked_to_keep_the_ledger_and_no_more_is_said_than_it_grants(collector, opened, kept, said):
    name = collector.begin(HEALTH)
    page = opened("/", tokens=False)
    page.add_init_script(
        f"navigator.storage.persist = async () => {{ window.asked = 1 + (window.asked ?? 0); return {kept}; }};"
    )
    page.goto(f"{collector.url}/answer/{name}")
    page.get_by_label("cold").check()
    assert page.evaluate("window.asked") is None  # not before there is something to keep
    page.get_by_role("button", name=SEND).click()
    page.get_by_text(said).wait_for()
    assert page.evaluate("window.asked") == 1


def test_the_law_is_checked_in_a_worker_of_this_origin(collector, opened):
    name = collector.begin(HEALTH)
    page = opened("/", tokens=False)
    with page.expect_response("**/pages/worker.js") as script, page.expect_worker() as started:
        answer = page.goto(f"{collector.url}/answer/{name}")
    assert started.value.url == f"{collector.url}/pages/worker.js"
    assert "worker-src 'self';" in answer.headers["content-security-policy"]
    assert (
        script.value.headers["content-security-policy"] == "default-src 'none'; script-src 'self'; connect-src 'self'"
    )
    page.get_by_role("radio").first.wait_for()
    fetched = page.evaluate("() => performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert not any(url.endswith("/law") for url in fetched)  # the page itself never has it


def test_answers_that_another_law_has_asked_about_are_named(collector, opened):
    name = collector.begin(HEALTH)
    page = opened(f"/answer/{name}", tokens=False)
    page.get_by_label("cold").check()
    page.get_by_role("button", name=SEND).click()
    page.get_by_role("heading", name="Your report was sent").wait_for()
    spec = {**HEALTH["spec"], "context": {**HEALTH["spec"]["context"], "epsilon": "1"}}
    other = collector.begin({**HEALTH, "spec": spec})
    page.goto(f"{collector.url}/answer/{other}")
    page.get_by_text(f"5 of these 5 answers were also answers to {collector.url}/collections/{name}, which").wait_for()


def test_many_answers_are_searched(collector, opened, places):
    page = opened(f"/answer/{places}", tokens=False)
    page.get_by_label("Search 18 answers").fill("dunmere b")
    assert page.get_by_role("radio").count() == 3
    page.get_by_label("Dunmere B2").check()
    page.get_by_text("It may rule out for certain").wait_for()


def test_places_are_pressed_on_a_map(collector, opened):
    """The press is nearest to the cell in the second row from below and the third column from the left."""
    points = [[x, y] for y in range(4) for x in range(5)]
    spec = {
        "domain": {"values": [f"cell {x} {y}" for x, y in points]},
        "context": {"form": "metric", "norm": "l2", "epsilon": "0.5", "points": points},
    }
    page = opened(f"/answer/{collector.begin({**HEALTH, 'words': {}, 'spec': spec})}", tokens=False)
    page.get_by_text("Press your place on the map").wait_for()
    box = page.locator("svg.map").bounding_box()
    cell = page.locator("svg.map circle").nth(points.index([2, 1])).bounding_box()
    page.mouse.click(cell["x"] + 0.6 * cell["width"], cell["y"] + 0.4 * cell["height"])
    assert page.get_by_role("radio", name="cell 2 1").is_checked()
    assert page.get_by_role("searchbox").input_value() == "cell 2 1"
    assert cell["y"] > box["y"] + box["height"] / 2  # north is up
    page.get_by_text("Your report makes “cell 2 1” at most").wait_for()
    page.locator("svg.map circle").first.click()
    assert page.get_by_role("radio", name="cell 0 0").is_checked()
    assert page.locator("svg.map circle.chosen").count() == 1


def test_a_collection_that_is_not_there_is_said(opened, collector):
    page = opened("/answer/none", tokens=False, quiet=False)
    page.get_by_role("heading", name="This survey was not found").wait_for()
    assert "Nothing was sent" in page.get_by_role("alert").inner_text()


def budget_of(page):
    return page.get_by_role("group", name="Your privacy budget")


def test_the_budget_is_the_persons_and_is_set_once(collector, opened):
    page = opened(f"/answer/{collector.begin(HEALTH)}", tokens=False)
    page.get_by_label("cold").check()
    budget_of(page).get_by_label("Budget").select_option(label="another number")
    budget_of(page).get_by_label("Your own number").fill("1")
    page.get_by_role("alert").get_by_text("This question uses 1.5").wait_for()
    assert page.get_by_role("button", name=SEND).is_disabled()
    budget_of(page).get_by_label("Your own number").fill("2")
    page.get_by_role("button", name=SEND).click()
    page.get_by_text("Privacy budget used: 1.5 of 2. Remaining: 0.5").wait_for()
    page.reload()
    page.get_by_text("What is promised").wait_for()
    assert budget_of(page).count() == 0
    page.get_by_label("cold").check()  # the same answer again uses nothing
    page.get_by_role("button", name=SEND).click()
    page.get_by_role("heading", name="Your report was sent").wait_for()


def test_a_question_that_needs_more_than_is_left_says_so_before_it_is_asked(collector, opened):
    page = opened(f"/answer/{collector.begin(HEALTH)}", tokens=False)
    page.get_by_label("cold").check()
    budget_of(page).get_by_label("Budget").select_option("4")
    page.get_by_role("button", name=SEND).click()
    page.get_by_role("heading", name="Your report was sent").wait_for()
    spec = {"domain": {"values": ["no", "yes"]}, "context": {"form": "uniform", "epsilon": "3"}}
    name = collector.begin({**HEALTH, "spec": spec, "words": {}})
    page.goto(f"{collector.url}/answer/{name}")
    page.get_by_role("alert").get_by_text("It uses 3, and 2.5 of 4 remain").wait_for()
    page.get_by_label("yes").check()
    page.get_by_role("heading", name="What your report can reveal").wait_for()
    assert page.get_by_role("button", name=SEND).is_disabled()
    assert counted(collector, name) == 0


@pytest.mark.parametrize("name", sorted(GALLERY))
def test_every_context_of_the_gallery_can_be_answered_with_the_usual_budget(collector, opened, name):
    declared = {**HEALTH, "spec": GALLERY[name], "words": {}, "labels": {}}
    page = opened(f"/answer/{collector.begin(declared)}", tokens=False)
    page.get_by_role("radio").first.check()
    assert "million" not in page.locator("#meant").inner_text()
    page.get_by_role("button", name=SEND).click()
    page.get_by_role("heading", name="Your report was sent").wait_for()


@pytest.mark.long
@pytest.mark.parametrize(("epsilon", "said"), [("13", "at most 443000 times"), ("14", "a million times as likely as")])
def test_odds_beyond_a_million_are_no_bound(collector, opened, epsilon, said):
    spec = {"domain": {"values": ["no", "yes"]}, "context": {"form": "uniform", "epsilon": epsilon}}
    page = opened(f"/answer/{collector.begin({**HEALTH, 'spec': spec, 'words': {}})}", tokens=False)
    page.get_by_label("yes").check()
    page.get_by_role("heading", name="What your report can reveal").wait_for()
    text = page.locator("#meant").inner_text().replace(",", "")
    assert said in text
    assert ("at most" in text.split("After")[0]) == (epsilon == "13")


def test_a_distance_has_its_unit(collector, opened):
    declared = {**HEALTH, "spec": GALLERY["ages"], "words": {}, "labels": {}, "kind": "number", "unit": "years"}
    page = opened(f"/answer/{collector.begin(declared)}", tokens=False)
    page.get_by_role("textbox").fill("37")
    page.get_by_text("compared with “27 years” or “47 years”").wait_for()
    page.get_by_text("What is promised, and what this page has checked").click()
    page.get_by_text("an answer at a distance of 10 “years”").wait_for()


def test_an_age_is_explained_by_ages_near_it(collector, opened):
    declared = {**HEALTH, "spec": GALLERY["ages"], "words": {}, "labels": {}}
    page = opened(f"/answer/{collector.begin(declared)}", tokens=False)
    page.get_by_role("searchbox").fill("37")
    page.get_by_label("37").check()
    page.get_by_text("compared with “27” or “47”").wait_for()
