"""The lines that add the client to a web page, as the documentation has them, under its content security policy."""

import base64
import hashlib
import json
import shutil
from pathlib import Path

import pytest

import discreet as dc
from discreet.wire import law_text

MECHANISM = dc.mechanism(dc.Context.uniform(["none", "cold", "flu"], "1"), "hadamard")
CLIENT = Path(__file__).parents[2] / "client"
MODULES = ("discreet.min.js", "participant.min.js")
SCRIPT = """
  import { Participant } from "/files/participant.min.js";
  const collection = await new Participant({ cap: "4" }).open("/files/survey.json");
  document.querySelector("form").onsubmit = (event) => (event.preventDefault(),
    collection.answer(event.target.elements.answer.value).then((receipt) => (document.title = receipt.state)));
  document.title = "ready";
"""


def digest(algorithm, content):
    return f"{algorithm}-{base64.b64encode(hashlib.new(algorithm, content).digest()).decode()}"


@pytest.fixture
def folder(site):
    """A page with the client and a collection, and what it is allowed."""
    base, folder = site
    for name in MODULES:
        shutil.copyfile(CLIENT / "dist" / name, folder / name)
    hashes = {name: digest("sha384", (folder / name).read_bytes()) for name in MODULES}
    links = "".join(f'<link rel="modulepreload" href="/files/{name}" integrity="{hashes[name]}" />' for name in MODULES)
    allowed = f"default-src 'none'; script-src 'self' '{digest('sha256', SCRIPT.encode())}'; connect-src {base}"
    (folder / "survey.html").write_text(
        f'<!doctype html><meta http-equiv="content-security-policy" content="{allowed}" />{links}'
        f'<form><input name="answer" value="flu" /><button>Send</button></form><script type="module">{SCRIPT}</script>'
    )
    document = {
        "version": 1,
        "title": "A survey",
        "question": "Which?",
        "fingerprint": MECHANISM.fingerprint,
        "law": "law.json",
        "reports": "reports",
        "changes": "refuse",
    }
    (folder / "survey.json").write_text(json.dumps(document))
    (folder / "law.json").write_text(law_text(MECHANISM))
    return folder


def wait(page, title):
    """Until a page has this title; its policy allows no script of ours to tell."""
    for _ in range(300):
        if page.title() == title:
            return
        page.wait_for_timeout(50)
    pytest.fail(f"the page is {page.title()!r}, not {title!r}")


def test_the_lines_of_the_documentation_answer_a_collection(browser, site, folder):
    with browser.new_context() as context:
        sent = []
        context.route("**/reports", lambda route: (sent.append(route.request.post_data), route.fulfill(status=204)))
        page = context.new_page()
        page.goto(f"{site[0]}/files/survey.html")
        wait(page, "ready")
        page.click("button")
        wait(page, "accepted")
        assert [sorted(json.loads(body)) for body in sent] == [["fingerprint", "reports", "version"]]


@pytest.mark.parametrize("name", MODULES)
def test_a_module_with_one_byte_more_does_not_run(browser, site, folder, name):
    (folder / name).write_bytes((folder / name).read_bytes() + b"\n")
    with browser.new_context() as context:
        page = context.new_page()
        said = []
        page.on("console", lambda message: said.append(message.text))
        page.goto(f"{site[0]}/files/survey.html")
        page.wait_for_timeout(500)
        assert page.title() == ""
        assert any("integrity" in text for text in said)
