"""Every mechanism has its page of proofs, with the sections a reader looks for and a block that checks them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from discreet.mechanisms.build import BASES, MAKERS, OTHERS
from discreet.mechanisms.laws import FOLLOWERS

PROOFS = Path(__file__).parents[2] / "docs" / "proofs"

TOGETHER = {
    "adaptive": "composition",
    "cyclic": "projective",
    "mangat": "binary",
    "product": "composition",
    "response": "randomized_response",
    "warner": "binary",
}
"""Names that share the page of another mechanism: special cases, and kinds of law with a name of their own."""

NAMES = sorted({*BASES, *OTHERS, *MAKERS, *FOLLOWERS} - {"law"})
"""Every mechanism and every kind of law; "law" stands for a law that is given as data, of any kind."""

SECTIONS = ["Law", "Privacy", "Estimator and error", "Report and words", "Check", "Sources"]


def page_of(name: str) -> Path:
    return PROOFS / f"{TOGETHER.get(name, name).replace('_', '-')}.md"


def missing(name: str, text: str) -> list[str]:
    """What the page of a mechanism lacks."""
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    lacks = [f"section {section}" for section in SECTIONS if section not in headings]
    check = text.partition("## Check")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```python\n(.*?)^```$", check, re.MULTILINE | re.DOTALL)
    wanted = {"its name": name, "the exact channel": ".channel()", "the library's error": "squared_error("}
    if "<!-- not run" in check or not blocks:
        return [*lacks, "a block that is run"]
    return [*lacks, *(what for what, sign in wanted.items() if sign not in "".join(blocks))]


def shown(name: str) -> str:
    """How a page names the mechanism in its block: the function that makes it, where it is made of others."""
    made = {"adaptive": "dc.adaptive", "blocks": "Context.blocks", "high_low": "Context.high_low"}
    made |= {"post_processed": "dc.post_process", "product": "dc.compose", "response": "randomized_response"}
    return (made | {"cyclic": "projective"}).get(name, name)


@pytest.mark.parametrize("name", NAMES)
def test_every_mechanism_has_its_page_with_a_block_that_checks_it(name):
    assert missing(shown(name), page_of(name).read_text(encoding="utf-8")) == []


def test_every_page_is_in_the_table_of_contents():
    index = (PROOFS / "index.md").read_text(encoding="utf-8")
    listed = index.partition(":hidden:")[2].partition("```")[0].split()
    assert sorted(listed) == sorted(page.stem for page in PROOFS.glob("*.md") if page.stem != "index")


def test_a_mechanism_without_a_page_is_noticed():
    assert not page_of("no_such_mechanism").exists()


@pytest.mark.parametrize(
    ("old", "new", "lack"),
    [
        ("## Privacy", "## Other", "section Privacy"),
        ("```python", "```text", "a block that is run"),
        ("```python", "<!-- not run: too slow -->\n```python", "a block that is run"),
        ("squared_error(", "other(", "the library's error"),
        ('"subset"', '"other"', "its name"),
    ],
)
def test_a_page_that_lacks_something_is_noticed(old, new, lack):
    text = page_of("subset").read_text(encoding="utf-8")
    assert lack not in missing("subset", text)
    assert lack in missing("subset", text.replace(old, new))
