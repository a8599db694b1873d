"""What all pages have in common: nobody is kept out, nothing foreign runs, and a phone is wide enough."""

from pathlib import Path

import pytest

from .conftest import HEALTH

AXE = Path(__file__).parents[2] / "pages" / "node_modules" / "axe-core" / "axe.min.js"
READY = {
    "/": "Health survey|health survey",
    "/design": "Proved with whole numbers",
    "/answer/{health}": "What is promised",
    "/results/{health}": "Save and publish",
    "/results/{places}": "Save and publish",
}


def shown(opened, path, health, places, **more):
    page = opened(path.format(health=health, places=places), **more)
    page.get_by_text(READY[path].split("|")[-1]).first.wait_for()
    return page


@pytest.mark.parametrize("path", READY)
def test_nobody_is_kept_out(opened, health, places, path, theme):
    page = shown(opened, path, health, places, theme=theme)
    if "answer" in path:
        page.get_by_role("radio").first.check()
    page.context.pages[0].evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
    assert [(one["id"], one["nodes"][0]["html"][:120]) for one in found] == []


@pytest.mark.parametrize("path", READY)
def test_a_phone_is_wide_enough(opened, health, places, path):
    page = shown(opened, path, health, places, width=360)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


LONG = "Donaudampfschifffah" * 5


@pytest.mark.parametrize("path", ["/", "/answer/{}", "/results/{}"])
def test_a_long_word_makes_no_page_wider(opened, collector, path):
    long = {"title": LONG, "question": LONG, "words": {"HIV": LONG}, "labels": {"region": [LONG, "south"]}}
    page = opened(path.format(collector.begin({**HEALTH, **long}, 200, first=LONG, second="south")), width=360)
    page.get_by_text({"/": LONG, "/answer/{}": "What is promised"}.get(path, "Save and publish")).first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("path", READY)
def test_only_scripts_of_the_collector_run(opened, collector, health, places, path):
    page = shown(opened, path, health, places)
    answer = page.request.get(collector.url + path.format(health=health, places=places))
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "default-src 'none'" in policy
    assert ("unsafe-inline" in policy) == (path.startswith(("/results", "/design")))
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/pages/none.js", "/pages/../secrets", "/pages/made/none.js", "/answer/a/b"])
def test_there_is_nothing_else(opened, collector, path):
    page = opened("/", tokens=False)
    assert page.request.get(collector.url + path).status == 404


def test_pages_are_compressed_and_asked_for_again(opened, collector):
    page = opened("/", tokens=False)
    answer = page.request.get(f"{collector.url}/pages/made/plot.js")
    assert answer.headers["content-encoding"] == "gzip"
    again = page.request.get(f"{collector.url}/pages/made/plot.js", headers={"if-none-match": answer.headers["etag"]})
    assert again.status == 304


def test_the_licences_that_bundles_name_can_be_read_beside_them(opened, collector):
    page = opened("/", tokens=False)
    for name in ("plot.js", "h3.js"):
        assert "LICENSES.txt" in page.request.get(f"{collector.url}/pages/made/{name}").text().partition("\n")[0]
    notices = page.request.get(f"{collector.url}/pages/made/LICENSES.txt").text()
    assert "@observablehq/plot" in notices
    assert "Apache License" in notices
    assert "ISC License" in notices


def test_addresses_that_nobody_has_are_counted_together(opened, collector):
    page = opened("/", tokens=False)
    for number in range(100):  # as many as counters show
        page.request.get(f"{collector.url}/pages/{number}")
    token = {"authorization": f"Bearer {collector.tokens['analyst']}"}
    told = page.request.get(f"{collector.url}/metrics", headers=token).text()
    assert 'route="/pages"' in told
    assert "/pages/" not in told
