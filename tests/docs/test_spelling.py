"""Every word of the documentation is in a dictionary, in docs/words.txt, or a name in the list of references."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("docs/notebooks/*.py")})
NO_PROSE = [
    re.compile(pattern, re.MULTILINE | re.DOTALL)
    for pattern in (
        r"^ *(`{3,}).*?^ *\1 *$",  # blocks of code
        r"^# ---$.*?^# ---$",  # the head of a notebook
        r"^:[\w-]+:.*?$",  # options of directives
        r"<!--.*?-->",
        r"`[^`]*`",
        r"\$\$.*?\$\$",
        r"\$[^$]*\$",
        r"\]\([^)]*\)",
        r"https?://\S+",
        r"<[^>]+>",
    )
]
WORD = re.compile(r"[A-Za-zÀ-ÿ]+(?:'[a-z]+)?")


def prose(page: Path) -> str:
    """The sentences of a page, or of the text cells of a notebook."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".py":
        cells = re.split(r"^# %%", text, flags=re.MULTILINE)
        text = "\n".join(re.sub(r"^# ?", "", cell, flags=re.M) for cell in cells if cell.startswith(" [markdown]"))
    for pattern in NO_PROSE:
        text = pattern.sub(" ", text)
    return text


@cache
def dictionary():
    from spellchecker import SpellChecker

    return SpellChecker(language="en", distance=1)


@cache
def ours() -> frozenset[str]:
    """The project's own words, and the names of authors."""
    listed = (ROOT / "docs" / "words.txt").read_text(encoding="utf-8").split()
    named = WORD.findall((ROOT / "docs" / "reference" / "references.md").read_text(encoding="utf-8"))
    return frozenset(listed) | {name.removesuffix("'s").lower() for name in named}


def unknown(text: str) -> list[str]:
    """The words of a text that nobody knows; of hyphenated ones each part."""
    words = {word.removesuffix("'s").lower() for word in WORD.findall(text)}
    return sorted(word for word in words if len(word) > 2 and word not in ours() and not dictionary().known([word]))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_word_is_spelt_right(page):
    assert unknown(prose(page)) == []


def test_wrong_spellings_are_found():  # the control
    assert unknown("The mechanxsm is receixved, the mechanism is received.") == ["mechanxsm", "receixved"]


def test_every_word_of_the_list_is_needed():
    text = " ".join(prose(page) for page in PAGES)
    used = {word.removesuffix("'s").lower() for word in WORD.findall(text)}
    listed = (ROOT / "docs" / "words.txt").read_text(encoding="utf-8").split()
    assert listed == sorted(set(listed) & used - set(dictionary().known(listed)))
