"""The words that a collection shows for its values: none may pass for another answer."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from ..contexts import Context
from ..core.domain import Domain
from ..core.errors import InvalidInput, shown
from ..core.numbers import NumberDomain
from ..wire.texts import TURNS

MARKS = re.compile("[\u061c\u200e\u200f]")
"""Invisible characters of a direction: with them 1/2 is shown as 2/1."""

BLANK_CATEGORIES = frozenset(("Cc", "Cf", "Zl", "Zp", "Zs"))
BLANKS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
"""Characters without a picture that are in none of these categories."""


def visible(text: str) -> str:
    """What can be seen of a text: its compatibility form (NFKC) without blank and invisible characters."""
    if text.isascii() and text.isprintable():
        return text.replace(" ", "")
    plain = BLANKS.sub("", unicodedata.normalize("NFKC", text))
    return "".join(c for c in plain if unicodedata.category(c) not in BLANK_CATEGORIES)


def appearance(text: str) -> str:
    """The same for all texts that a reader may take for each other: what is visible, without the case of letters.

    >>> appearance("HIV\\u200b ") == appearance("hiv")
    True
    """
    return unicodedata.normalize("NFKC", visible(text).upper().lower())


def check_words(values: Domain, words: Mapping[str, str]) -> None:
    """Raise `InvalidInput` if a word can be taken for another value or word, or a value's text for another's.

    A person picks an answer, and reads what is promised of it, by these texts. So each must be visible and keep the
    direction of writing; a word must differ in its `appearance` from every other word and from the text of every other
    value, and what is `visible` of two values must differ. Beside numbers none may look like one.
    """
    looks: dict[str, str] = {}
    is_scale = isinstance(values, NumberDomain)
    for value, word in words.items():
        name = f"words[{shown(value)}]={shown(word)}"
        if not _readable(word):
            raise InvalidInput(f"{name} must be visible, without characters that turn the direction of writing")
        if is_scale and _looks_like_number(word):
            raise InvalidInput(f"{name} must not look like a number, which is an answer")
        if (other := looks.setdefault(appearance(word), value)) != value:
            raise InvalidInput(f"{name} must not look like the words for {shown(other)}")
    if not words and values.stored_range is not None:
        return
    seen: dict[str, str] = {}
    for text in map(str, values.outside if isinstance(values, NumberDomain) else values):
        if (other := looks.get(appearance(text), text)) != text:
            raise InvalidInput(f"words[{shown(other)}]={shown(words[other])} must not look like {shown(text)}, a value")
        if is_scale and _looks_like_number(text):
            raise InvalidInput(f"values: {shown(text)} must not look like a number, which is another answer")
        if not _readable(text) or seen.setdefault(visible(text), text) != text:
            raise InvalidInput(f"values: {shown(text)} must be visible, and must not look like another value")


def check_blocks(context: Context) -> None:
    """Raise `InvalidInput` if the name of a block cannot be read, or turns the sentence that it stands in around."""
    for part in context.parts or ():
        if not _readable(str(part.name)):
            raise InvalidInput(f"blocks: {shown(part.name)} must be visible and keep the direction of writing")


def _looks_like_number(text: str) -> bool:
    """True if a reader may take it for a number: there are digits in it and no letters."""
    kinds = {unicodedata.category(character)[0] for character in visible(text)}
    return "N" in kinds and "L" not in kinds


def _readable(text: str) -> bool:
    return bool(visible(text)) and not TURNS.search(text) and not MARKS.search(text)
