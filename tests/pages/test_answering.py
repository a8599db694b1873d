"""The page of the person asked: the question, what is promised, the answer, and a collector that lies."""

import json

import pytest

from .conftest import HEALTH


def counted(collector, name):
    return collector.ask(f"/collections/{name}/progress", role="analyst")["n"]


def test_a_person_answers_and_is_counted(collector, opened):
    name = collector.begin({**HEALTH, "minimum": 1})
    page = opened(f"/answer/{name}", tokens=False)
    page.get_by_label("an HIV infection").check()
    told = page.locator("section[aria-label='What your report can show']").inner_text()
    assert "grow by at most 4.49 times" in told
    assert "Of 100 who send your very report, at most 34 hold it." in told
    page.get_by_text("Say more, openly").click()
    page.get_by_label("region").select_option("south")
    page.get_by_role("button", name="Randomize here").click()
    page.get_by_role("heading", name="Your report was sent").wait_for()
    sent = json.loads(page.locator("pre").inner_text())
    assert sorted(sent) == ["fingerprint", "labels", "reports", "version"]
    assert counted(collector, name) == 1
    assert "Spent so far: 1.5 of 4" in page.locator("main").inner_text()


def test_the_same_answer_again_sends_nothing_new(collector, opened):
    name = collector.begin({**HEALTH, "minimum": 1})
    page = opened(f"/answer/{name}", tokens=False)
    for _ in range(2):
        page.get_by_label("cold").check()
        page.get_by_role("button", name="Randomize here").click()
        page.get_by_role("heading", name="Your report was sent").wait_for()
        page.reload()
    assert counted(collector, name) == 1
    page.get_by_label("allergy").check()
    page.get_by_role("button", name="Randomize here").click()
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
    page.get_by_role("heading", name="Better not to answer this").wait_for()
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
    page.get_by_role("heading", name="Better not to answer this").wait_for()


def test_an_answer_that_may_show_says_so(collector, opened, health):
    page = opened(f"/answer/{health}", tokens=False)
    page.get_by_label("nothing").check()
    page.get_by_role("heading", name="This answer is not hidden").wait_for()
    page.get_by_label("addiction").check()
    assert page.get_by_role("heading", name="This answer is not hidden").count() == 0


def test_many_answers_are_searched(collector, opened, places):
    page = opened(f"/answer/{places}", tokens=False)
    page.get_by_label("Search among 18 answers").fill("dunmere b")
    assert page.get_by_role("radio").count() == 3
    page.get_by_label("Dunmere B2").check()
    assert "It may show for certain that your answer is not" in page.locator("main").inner_text()


def test_a_collection_that_is_not_there_is_said(opened, collector):
    page = opened("/answer/none", tokens=False, quiet=False)
    page.get_by_role("heading", level=1).wait_for()
    assert "Nothing was sent" in page.get_by_role("alert").inner_text()


def test_the_page_is_small(collector, opened, health):
    """Below 60 KB in all, as sent over the wire."""
    page = opened("/", tokens=False)
    sizes = {}
    page.on("response", lambda answer: sizes.__setitem__(answer.url, answer.request.sizes()["responseBodySize"]))
    page.goto(f"{collector.url}/answer/{health}")
    page.get_by_role("radio").first.wait_for()
    page.wait_for_load_state("networkidle")
    assert sum(sizes.values()) < 60_000
    assert any("participant.js" in url for url in sizes)
