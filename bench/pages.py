"""How heavy and how quick the pages are: ``python bench/pages.py``, in a Chromium slowed down four times.

Bytes as sent and the time until the answer page can be used, for a single question and for a questionnaire of every
kind; from a law to the first report, at full speed; the longest task while 1,000 values are sorted; and the time that
the design page takes to answer a change.
"""

from __future__ import annotations

import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from discreet.wire.questionnaire import Questionnaire

ROOT = Path(__file__).parents[1]
KINDS = ROOT / "src/discreet/gallery/health-questionnaire.toml"
SLOWER = 4
TRIES = 9

MANY = {
    "title": "A thousand",
    "question": "Which?",
    "spec": {
        "domain": {"size": 1000},
        "context": {"form": "uniform", "epsilon": "1"},
        "mechanism": {"name": "hadamard"},
    },
    "minimum": 1,
    "changes": "refuse",
    "access": "open",
}
FEW = MANY | {
    "title": "A few",
    "spec": {"domain": {"values": ["a", "b", "c"]}, "context": {"form": "uniform", "epsilon": "1"}},
}
WATCH = """() => {
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) window.longest = Math.max(window.longest, task.duration);
  }).observe({ entryTypes: ["longtask"] });
}"""


def slowed(page: Page) -> None:
    """Slow a page's processor down."""
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})


FIRST = """async ([text, names]) => {
  const [client, { checkForm, answering }] = await Promise.all(
    ["participant", "questionnaire"].map((name) => import(`/pages/made/${name}.js`)));
  const begun = performance.now();
  if (!names) {
    const law = await client.checkLaw(text);
    law.written(law.draw(0, client.randomWords(law.words)));
  } else {
    const form = await checkForm(text);
    const answers = Object.fromEntries(names.map((name, i) => [name, form.questions[i].values[0]]));
    const one = answering(form, answers, names);
    one.written(one.draw(0, client.randomWords(one.words)));
  }
  return performance.now() - begun;
}"""


def answer(page: Page, url: str, kind: str) -> None:
    """Bytes and time of the page of the person asked: what headers say of each file, without the headers."""
    loaded: set[str] = set()
    page.on("response", lambda got: loaded.add(got.url))
    slowed(page)
    page.goto(url)
    page.get_by_role("radio").first.wait_for()
    ready = page.evaluate("performance.now()")
    page.wait_for_load_state("networkidle")
    size = sum(int(page.request.get(one).headers["content-length"]) for one in loaded)
    print(f"answer page, {kind}: {size:,} bytes, ready after {ready:.0f} ms at a {SLOWER}th of the speed")


def first(browser: Browser, url: str, kind: str) -> None:
    """The time from the text of the law to the first report, in new pages of the collector."""
    times = []
    for _ in range(TRIES):
        page = browser.new_page()
        page.goto(url)
        page.get_by_role("radio").first.wait_for()
        about = page.request.get(url.replace("/answer/", "/collections/")).json()
        law = page.request.get(f"{url.partition('/answer/')[0]}{about['law']}").text()
        names = [one["name"] for one in about["questions"]] if "questions" in about else None
        times.append(page.evaluate(FIRST, [law, names]))
        page.close()
    print(f"first report, {kind}: {statistics.median(times):.1f} ms, at most {max(times):.1f} ms, in {TRIES} new pages")


def results(page: Page, url: str, link: str) -> None:
    """The longest task while a table of 1,000 values is sorted and searched."""
    page.goto(url + link)
    page.get_by_text("Save and publish").wait_for()
    page.wait_for_timeout(1500)
    page.evaluate(WATCH)
    region = page.get_by_role("region", name="Every share with its interval")
    for head in ("answer", "share", "from"):
        region.get_by_role("button", name=head).click()
        page.wait_for_timeout(300)
    page.get_by_label("Search").first.fill("12")
    page.mouse.wheel(0, 3000)
    page.wait_for_timeout(500)
    longest = page.evaluate("longest")
    print(f"results of 1,000 values: the longest task while sorting, searching and scrolling takes {longest:.0f} ms")


def design(page: Page, url: str, link: str) -> None:
    """How long a change of epsilon takes to be worked out and shown."""
    page.goto(url + link)
    page.get_by_text("Computed in").wait_for()
    times = []
    for epsilon in ("1.5", "2", "2.5", "3"):
        page.get_by_label("Epsilon: the lower").fill(epsilon)
        page.get_by_text(f"(epsilon {epsilon})").wait_for()
        times.append(int(re.findall(r"Computed in (\d+) ms", page.locator("main").inner_text())[0]))
    print(f"design page: a change is worked out in {times} ms")


def main() -> None:
    """Start a collector, fill it, and look."""
    where = json.loads(
        subprocess.check_output([ROOT / ".venv/bin/node", ROOT / "client/tests/chromium.mjs"], text=True)
    )
    libraries = {"LD_LIBRARY_PATH": where["libraries"]} if where["libraries"] else {}
    with tempfile.TemporaryDirectory() as folder:
        line = [sys.executable, "-m", "discreet", "serve", "--store", f"{folder}/bench.db", "--port", "0"]
        serving = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert serving.stdout is not None
        said = serving.stdout.readline()
        base = re.findall(r"http://[0-9.:]+", said)[0]
        admin, analyst = (re.findall(rf"discreet-{role}-[0-9a-f]+", said)[0] for role in ("admin", "analyst"))
        link = f"#admin={admin}&analyst={analyst}"

        def ask(path: str, data: object, **headers: str) -> dict[str, str]:
            sent = {"authorization": f"Bearer {admin}", "content-type": "application/json", **headers}
            request = urllib.request.Request(base + path, json.dumps(data).encode(), sent)
            with urllib.request.urlopen(request) as got:
                found: dict[str, str] = json.loads(got.read())
                return found

        whole = Questionnaire.read(KINDS).declaration()
        whole["spec"]["form"]["strategy"] = "each"
        few, many, kinds = ask("/collections", FEW), ask("/collections", MANY), ask("/collections", whole)
        reports = {"fingerprint": many["fingerprint"], "reports": [17 * i % 1024 for i in range(20_000)], "version": 1}
        ask(f"/collections/{many['id']}/reports", reports, **{"idempotency-key": "bench"})
        try:
            with sync_playwright() as driver:
                browser = driver.chromium.launch(
                    executable_path=where["executable"], args=["--no-sandbox"], env={**os.environ, **libraries}
                )
                for kind, made in (("one question", few), ("every kind", kinds)):
                    answer(browser.new_page(), f"{base}/answer/{made['id']}", kind)
                    first(browser, f"{base}/answer/{made['id']}", kind)
                results(browser.new_page(), f"{base}/results/{many['id']}", link)
                design(browser.new_page(), f"{base}/design", link)
                browser.close()
        finally:
            serving.send_signal(signal.SIGINT)
            serving.wait(30)


if __name__ == "__main__":
    main()
