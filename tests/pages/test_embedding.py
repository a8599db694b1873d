"""The element inside another site: three origins, a strict content security policy, and a network that goes away."""

import gzip
import json
import re
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from .conftest import HEALTH, Collector
from .questionnaires import declaration
from .test_questionnaires import AXE, counted

ROOT = Path(__file__).parents[2]
HEALTH = {**HEALTH, "minimum": 1}
DIST = ROOT / "client" / "dist"
MAX_ELEMENT = 20_000
MAX_LOADED = 60_000
ELEMENT = "discreet-questionnaire"
LISTEN = """
window.told = [];
for (const name of ["opened", "answered", "sent", "refused"])
  addEventListener(`discreet-${name}`, ({ type, detail }) => told.push([type.slice(9), JSON.stringify(detail)]));
"""
STYLE = """
:root { color-scheme: light dark }
body { margin: 1rem auto; max-width: 40rem; font: 1rem/1.5 serif; color: CanvasText; background: Canvas }
"""


class Site:
    """A site on loopback: its address, the pages and headers of our own, else the files of the built client."""

    def __init__(self):
        site = self
        self.pages, self.headers = {}, {}

        class Handler(SimpleHTTPRequestHandler):
            def end_headers(self):
                for name, text in site.headers.items():
                    self.send_header(name, text)
                super().end_headers()

            def do_GET(self):
                kind, text = site.pages.get(self.path, (None, None))
                if kind is None:
                    return super().do_GET()
                self.send_response(200)
                self.send_header("content-type", f"text/{kind}; charset=utf-8")
                self.end_headers()
                return self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=DIST))
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def stop(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture(scope="module")
def sites():
    """The site that embeds, one that may not, and the one that serves the client."""
    made = [Site(), Site(), Site()]
    made[2].headers["access-control-allow-origin"] = "*"
    for site in made[:2]:
        site.pages |= {"/listen.js": ("javascript", LISTEN), "/site.css": ("css", STYLE)}
    yield made
    for site in made:
        site.stop()


@pytest.fixture(scope="module")
def collector(tmp_path_factory, sites):
    made = Collector(tmp_path_factory.mktemp("collector"), "--origin", sites[0].url)
    yield made
    assert made.stop() == 0


@pytest.fixture
def embedded(browser, collector, sites):
    """Open a page of a site that embeds collections, under a strict policy; its console says nothing unexpected."""
    contexts, problems = [], []

    def open_page(
        *names,
        site=0,
        client=None,
        theme="light",
        width=1000,
        more="",
        expected=None,
        opened=None,
        connect=None,
        worker="'self'",
    ):
        host, scripts = sites[site], sites[site if client is None else client]
        host.headers["content-security-policy"] = (
            f"default-src 'none'; script-src {scripts.url} 'self'; style-src 'self'; base-uri 'none'; "
            f"connect-src {connect or collector.url}; worker-src {worker}"
        )
        address = f"{collector.url}/collections"
        elements = "".join(
            f'<{ELEMENT} id="e{i}" src="{address}/{name}" {more}></{ELEMENT}>' for i, name in enumerate(names)
        )
        host.pages["/"] = (
            "html",
            '<!doctype html><html lang="en"><head><title>A newspaper</title>'
            '<meta name="viewport" content="width=device-width" />'
            f'<link rel="stylesheet" href="/site.css" /><script src="/listen.js"></script>'
            f'<script type="module" src="{scripts.url}/element.min.js"></script></head>'
            f"<body><main><h1>A newspaper</h1><p>What do you think?</p>{elements}</main></body></html>",
        )
        size = {"width": width, "height": 900}
        context = opened.context if opened else browser.new_context(color_scheme=theme, viewport=size, locale="en-US")
        contexts.append(context)
        page = context.new_page()

        def heard(message):
            if message.type in ("error", "warning") and not (expected and re.search(expected, message.text)):
                problems.append(message.text)

        page.on("console", heard)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(host.url)
        return page

    yield open_page
    for context in dict.fromkeys(contexts):
        context.close()
    assert not problems


def told(page):
    return [(name, json.loads(text)) for name, text in page.evaluate("told")]


def inside(page):
    """What a person reads in the first element."""
    return page.locator("#e0 > div").first.inner_text()


def wait(page, is_done):
    """Until it is so, for at most ten seconds; the policy of the page allows no script of ours to tell."""
    for _ in range(100):
        if is_done():
            return
        page.wait_for_timeout(100)


def choose(page, word, element="#e0"):
    """Answer the question about health."""
    place = page.locator(element)
    place.get_by_label(word, exact=True).check()
    place.get_by_role("heading", name="What your report can reveal").wait_for()
    place.locator("form button[type=submit]").click()


def fill(page, element="#e0"):
    """Answer the questionnaire about work."""
    place = page.locator(element)
    place.locator("#agreed").check()
    place.locator("#q0 input").nth(1).check()
    place.locator("#q1 input[type=range]").focus()
    page.keyboard.press("ArrowUp")
    place.locator("#q2 input").first.fill("35")
    place.locator("#q3 input").first.check()
    place.locator("#q4 input").first.check()
    place.locator("#q4-done").check()
    place.locator("form button[type=submit]").click()


def sent(page, heading="Your report was sent", element="#e0"):
    page.locator(element).get_by_role("heading", name=heading).wait_for(timeout=60_000)
    return json.loads(page.locator(f"{element} pre").inner_text())


NO_WORKER = "blob:|TrustedScript"
"""What a browser says of a worker that the policy of the page does not allow."""

HERE = "document.documentElement.dir, document.documentElement.lang, document.adoptedStyleSheets.length"


@pytest.mark.parametrize(
    ("client", "worker", "workers"),
    [(None, "'self'", 1), (2, "blob:", 1), (2, "'self'", 0), (None, "'self'; require-trusted-types-for 'script'", 0)],
    ids=["of this site", "of another site", "of another site without blob", "trusted types"],
)
def test_a_single_question_is_answered_inside_another_site(collector, embedded, client, worker, workers):
    name = collector.begin(HEALTH)
    page = embedded(name, client=client, worker=worker, expected=None if workers else NO_WORKER)
    page.locator("#e0").get_by_role("heading", name="What were you last treated for?").wait_for()
    assert len(page.workers) == workers
    assert page.title() == "A newspaper"
    assert page.evaluate(f"[{HERE}]") == ["", "en", 0]
    choose(page, "an HIV infection")
    assert sent(page).keys() == {"fingerprint", "reports", "version"}
    assert counted(collector, name) == 1
    (first, about), (second, detail) = told(page)
    assert (first, second) == ("opened", "answered")
    assert about == {"collection": f"{collector.url}/collections/{name}", "title": HEALTH["title"]}
    assert detail["receipt"]["state"] == "accepted"
    assert "HIV" not in json.dumps(detail)
    page.locator("#e0").get_by_text(re.compile("for 127.0.0.1:[0-9]+ alone")).wait_for()


@pytest.mark.parametrize("client", [None, 2], ids=["of this site", "of another site"])
def test_a_number_is_answered_inside_another_site_by_what_is_loaded_for_it(collector, embedded, client):
    spec = {"domain": {"low": 0, "high": 4000, "clip": True}, "context": {"form": "numbers", "epsilon": "1"}}
    income = {"title": "Incomes", "question": "What do you earn?", "kind": "number", "unit": "euros", "spec": spec}
    name = collector.declare({**income, "minimum": 1, "changes": "refuse", "access": "open"})
    page = embedded(name, client=client, worker="'self'" if client is None else "blob:")
    place = page.locator("#e0")
    place.get_by_role("textbox", name=income["question"]).fill("850.5")
    place.get_by_role("heading", name="What your report can reveal").wait_for()
    place.locator("form button[type=submit]").click()
    assert len(sent(page)["reports"]) == 1
    assert counted(collector, name) == 1
    loaded = page.evaluate("performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert not any("questionnaire.min.js" in address for address in loaded)


def test_a_questionnaire_in_german_is_one_report_and_comes_back_as_it_was_left(collector, embedded):
    name = collector.declare(declaration("each"))
    page = embedded(name, more='lang="de" cap="15"', expected="no address was refused")
    place = page.locator("#e0")
    place.get_by_role("heading", name="Arbeit und Gesundheit").wait_for()
    assert place.get_by_role("spinbutton").input_value() == "15"
    place.locator("#q0 input").nth(1).check()
    page.evaluate("window.left = document.getElementById('e0'); left.remove()")
    page.wait_for_timeout(200)
    assert page.workers == []
    page.evaluate("document.querySelector('main').append(left)")
    assert place.locator("#q0 input").nth(1).is_checked()
    page.evaluate("left.lang = 'en'")
    place.get_by_role("heading", name="Work and health").wait_for()
    assert place.locator("#q0 input").nth(1).is_checked()
    page.evaluate("left.lang = 'ar'")
    place.get_by_role("heading", name="العمل والصحة").wait_for()
    assert page.evaluate("getComputedStyle(left.shadowRoot.firstElementChild).direction") == "rtl"
    page.evaluate("left.lang = 'de'")
    place.get_by_role("heading", name="Arbeit und Gesundheit").wait_for()
    fill(page)
    assert len(sent(page, "Ihre Meldung wurde gesendet")["reports"]) == 1
    assert counted(collector, name) == 1
    assert page.evaluate("[left.src, left.cap, left.lang]") == [f"{collector.url}/collections/{name}", "15", "de"]
    place.get_by_text("von 15").wait_for()
    other = f"{collector.url}/collections/{collector.begin(HEALTH)}"
    page.evaluate(f"left.src = '{other}'")
    place.get_by_role("heading", name=HEALTH["question"]).wait_for()
    page.evaluate("left.removeAttribute('src')")
    place.get_by_text("Diese Umfrage").wait_for()


def test_a_collection_that_says_something_else_when_the_element_comes_back_gets_no_answer(collector, embedded):
    name = collector.declare(declaration("each"))
    page = embedded(name, expected="was refused .document.")
    place = page.locator("#e0")
    place.get_by_role("heading", name="Work and health").wait_for()

    def other(route):
        response = route.fetch()
        route.fulfill(response=response, json={**response.json(), "introduction": "All this is about your father."})

    for changes in (False, True):
        page.evaluate("window.left = document.getElementById('e0'); left.remove()")
        wait(page, lambda: page.workers == [])
        if changes:
            page.context.route(f"**/collections/{name}", other)
        page.evaluate("document.querySelector('main').append(left)")
        wait(page, lambda: page.workers != [])
        page.wait_for_timeout(500)
        assert (place.locator("form").count() == 0) == changes
    assert [kind for kind, _ in told(page)] == ["opened", "refused"]
    assert counted(collector, name) == 0


def test_what_is_answered_offline_is_sent_once_when_the_network_is_back(collector, embedded):
    health, work = collector.begin(HEALTH), collector.declare(declaration("each"))
    page = embedded(health, work, expected="ERR_INTERNET_DISCONNECTED")
    page.locator("#e1").get_by_role("heading", name="Work and health").wait_for()
    page.locator("#e0").get_by_role("heading", name="What were you last treated for?").wait_for()
    page.context.set_offline(True)
    choose(page, "an HIV infection")
    fill(page, "#e1")
    sent(page, "Your report is waiting")
    sent(page, "Your report is waiting", "#e1")
    outcomes = [(kind, detail["receipt"]["state"]) for kind, detail in told(page)[2:]]
    assert outcomes == [("answered", "queued"), ("answered", "queued")]
    assert (counted(collector, health), counted(collector, work)) == (0, 0)
    page.context.set_offline(False)
    sent(page)
    sent(page, element="#e1")
    assert [(kind, detail["receipt"]["state"]) for kind, detail in told(page)[4:]] == 2 * [("sent", "accepted")]
    assert (counted(collector, health), counted(collector, work)) == (1, 1)


def test_what_was_checked_before_can_be_answered_while_the_collector_is_away(collector, embedded):
    work = collector.declare(declaration("each"))
    seen = embedded(work)
    seen.locator("#e0").get_by_role("heading", name="Work and health").wait_for()
    seen.wait_for_timeout(300)
    seen.context.route(f"{collector.url}/**", lambda route: route.abort())
    page = embedded(work, opened=seen, expected="ERR_FAILED")
    page.locator("#e0").get_by_role("heading", name="Work and health").wait_for()
    fill(page)
    sent(page, "Your report is waiting")
    other = embedded(collector.begin(HEALTH), opened=seen, expected="ERR_FAILED|cannot be read by this page")
    other.locator("#e0").get_by_role("heading", name="The survey could not be loaded").wait_for()  # it was never seen
    seen.context.unroute(f"{collector.url}/**")
    again = embedded(work, opened=seen)  # what waits is sent when the site is opened again
    again.locator("#e0").get_by_role("heading", name="Work and health").wait_for()
    wait(again, lambda: counted(collector, work))
    assert counted(collector, work) == 1


@pytest.mark.parametrize("wrong", ["origin", "policy"])
def test_a_site_that_may_not_read_the_collector_is_told_so(collector, embedded, sites, wrong):
    name = collector.begin(HEALTH)
    site = 1 if wrong == "origin" else 0
    blocked = "CORS|ERR_FAILED|violates the .*Content Security Policy|cannot be read by this page"
    page = embedded(name, site=site, expected=blocked, connect=None if site else "'none'")
    messages = []
    page.on("console", lambda message: messages.append(message.text))
    place = page.locator("#e0")
    place.get_by_role("heading", name="The survey could not be loaded").wait_for()
    assert f"does not allow the site {sites[site].url.removeprefix('http://')} to show this survey" in inside(page)
    assert "Nothing was sent" in inside(page)
    place.get_by_role("button", name="Try again").click()
    wait(page, lambda: len(told(page)) == 2)
    assert any(f"--origin {sites[site].url}" in text and f"connect-src {collector.url}" in text for text in messages)
    assert [(kind, detail["code"]) for kind, detail in told(page)] == 2 * [("refused", "unreachable")]


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_closed_collection_spends_nothing(collector, embedded, when):
    name = collector.begin(HEALTH)
    if when == "before":
        collector.ask(f"/collections/{name}/close", {})
    page = embedded(name, expected="discreet-questionnaire: .* was refused")
    place = page.locator("#e0")
    if when == "after":
        place.get_by_role("heading", name="What were you last treated for?").wait_for()
        collector.ask(f"/collections/{name}/close", {})
        choose(page, "an HIV infection")
    place.get_by_role("heading", name="This survey takes no answers").wait_for()
    assert "none of your privacy budget was used" in inside(page)
    assert [(kind, detail["code"]) for kind, detail in told(page) if kind != "opened"] == [("refused", "closed")]
    assert not re.search('"(debit|report|upload)"', journal(page))


def journal(page):
    """The lines of the ledger of the site."""
    return page.evaluate(
        """() => new Promise((found) => {
          const asked = indexedDB.open("discreet");
          asked.onsuccess = () => {
            if (!asked.result.objectStoreNames.contains("journal")) return found("");
            const lines = asked.result.transaction("journal").objectStore("journal");
            const read = lines.getAll(IDBKeyRange.bound(0, Infinity));
            read.onsuccess = () => found(read.result.join(""));
          };
        })"""
    )


def test_two_elements_answered_at_once_share_one_ledger(collector, embedded):
    first, second = collector.begin(HEALTH), collector.begin({**HEALTH, "title": "Another", "question": "And before?"})
    page = embedded(first, second)
    for element in ("#e0", "#e1"):
        page.locator(element).get_by_label("an HIV infection").check()
        page.locator(element).get_by_role("heading", name="What your report can reveal").wait_for()
    press = "shadowRoot.querySelector('button[type=submit]').click()"
    page.evaluate(f"for (const id of ['e0', 'e1']) document.getElementById(id).{press}")
    for element in ("#e0", "#e1"):
        sent(page, element=element)
    assert (counted(collector, first), counted(collector, second)) == (1, 1)
    lines = [json.loads(line) for line in journal(page).splitlines()]
    kinds = [line["entry"]["kind"] if "entry" in line else line["kind"] for line in lines]
    assert kinds.count("debit") == 2


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everyone_can_use_it_on_a_narrow_screen(collector, embedded, theme):
    names = collector.begin({**HEALTH, "consent": "It is kept."}), collector.declare(declaration("each"))
    for number, name in enumerate(names):
        page = embedded(name, theme=theme, width=360)
        page.locator("#e0 form").wait_for()
        for element in page.locator("#e0 summary").all():
            element.click()
        page.evaluate(AXE.read_text())
        for _ in range(2):
            found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
            assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found] == []
            assert page.evaluate("document.documentElement.scrollWidth") <= 360
            if page.locator("#e0 pre").count():
                break
            if number:
                fill(page)
            else:
                page.locator("#e0").get_by_label("I have read this and agree.").check()
                choose(page, "an HIV infection")
            sent(page)


def test_the_style_of_a_site_is_taken_up_and_its_rules_are_not(collector, embedded):
    page = embedded(collector.begin(HEALTH), more='style-of-its-own=""')
    page.locator("#e0 form").wait_for()
    own = "--discreet-accent: rgb(4, 5, 6); --discreet-ink: rgb(7, 8, 9); --discreet-radius: 3px"
    rules = f"h2 {{ color: rgb(1, 2, 3) }} {ELEMENT} {{ {own} }}"
    page.evaluate(
        """(rules) => {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(rules);
          document.adoptedStyleSheets = [sheet];
        }""",
        rules,
    )
    style = "(name, what) => getComputedStyle(document.getElementById('e0').shadowRoot.querySelector(name))[what]"
    assert page.evaluate(f"({style})('h2', 'color')") == "rgb(7, 8, 9)"
    assert page.evaluate(f"({style})('button[type=submit]', 'backgroundColor')") == "rgb(4, 5, 6)"
    assert page.evaluate(f"({style})('button[type=submit]', 'borderRadius')") == "3px"
    assert page.evaluate(f"({style})('h2', 'fontFamily')") == "serif"


def test_the_element_is_small():
    files = [*DIST.glob("*.js"), *DIST.glob("languages/*.js")]
    packed = {path.name: len(gzip.compress(path.read_bytes(), 9)) for path in files}
    assert packed["element.min.js"] < MAX_ELEMENT
    loaded = ("element.min.js", "element_worker.min.js", "participant.min.js", "discreet.min.js", "ar.js")
    assert sum(packed[name] for name in loaded) < MAX_LOADED
    said = (ROOT / "docs" / "how-to" / "embed.md").read_text(encoding="utf-8")
    assert f"{MAX_ELEMENT:,} bytes" in said
    assert f"{MAX_LOADED:,} bytes" in said


def test_an_invitation_goes_along_and_is_told_to_nobody_else(collector, embedded):
    name = collector.begin({**HEALTH, "access": "invitation"})
    (secret,) = collector.ask(f"/collections/{name}/invitations", {"count": 1})["invitations"]
    page = embedded(f"{name}#invitation={secret}")
    choose(page, "an HIV infection")
    assert "labels" not in sent(page)
    assert counted(collector, name) == 1
    assert secret not in json.dumps(told(page))
    assert secret not in inside(page)


@pytest.mark.parametrize("src", ["", "//[", "ftp://a.example/b", "https://"])
def test_an_address_that_is_none_is_refused_in_words(collector, embedded, src):
    page = embedded(more="", expected="was refused|cannot be read")
    page.evaluate(
        "(src) => document.querySelector('main').append("
        "Object.assign(document.createElement('discreet-questionnaire'), { src, id: 'e0' }))",
        src,
    )
    page.locator("#e0").get_by_role("heading", name="This survey is not safe to answer").wait_for()
    assert [(kind, detail["code"]) for kind, detail in told(page)] == [("refused", "address")]
