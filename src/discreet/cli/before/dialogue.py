"""Questions to somebody at a terminal: an answer that cannot be read is asked for again, and none is ever lost."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from ...core.canonical import loads
from ...core.documents import replacing
from ...core.errors import DiscreetError, InvalidInput

T = TypeVar("T")
MAX_SAID = 10_000
"""The most answers that a draft may hold."""


class Dialogue:
    """Asks, and keeps every answer in a draft, so that whoever stops can go on.

    `draft` is the file of the draft, None to keep none; it is there from the first answer until `finish`.
    """

    def __init__(self, draft: Path | None = None) -> None:
        self.draft = draft
        self.said: list[tuple[str, str]] = []
        self._earlier: deque[tuple[str, str]] = deque()
        self._defaults: dict[str, deque[str]] = {}

    # -- drafts ------------------------------------------------------------------------------------
    def offer_draft(self) -> None:
        """Go on from the draft of an earlier run, if there is one and it is wanted."""
        earlier = self._read_draft()
        if not earlier:
            return
        count = f"{len(earlier)} answer{'s' if len(earlier) > 1 else ''}"
        options = {"go on": "from where you stopped", "begin anew": "and forget them"}
        asked = Dialogue()
        if asked.choose(f"{self.draft} keeps {count} of an earlier run", options, default="go on") == "go on":
            self._earlier = deque(earlier)

    def _read_draft(self) -> list[tuple[str, str]]:
        if self.draft is None or not self.draft.exists():
            return []
        try:
            data = loads(self.draft.read_text(encoding="utf-8"), InvalidInput)
        except (OSError, ValueError):
            return []
        said = data.get("said") if isinstance(data, Mapping) else None
        if not isinstance(said, list) or len(said) > MAX_SAID:
            return []
        pairs = [(one[0], one[1]) for one in said if isinstance(one, list) and list(map(type, one)) == [str, str]]
        return pairs if len(pairs) == len(said) else []

    def _keep(self) -> None:
        if self.draft is not None:
            with replacing(self.draft) as file:
                file.write(json.dumps({"said": [*self.said, *self._earlier]}, ensure_ascii=False).encode())

    def finish(self) -> None:
        """Remove the draft: what was said is where it belongs."""
        if self.draft is not None:
            self.draft.unlink(missing_ok=True)

    # -- questions ---------------------------------------------------------------------------------
    def ask(
        self, question: str, read: Callable[[str], T], *, default: str | None = None, prompt: str | None = None
    ) -> T:
        """The answer to a question, as `read` reads it; asked again, with the reason, until it can be read.

        `default` is what an empty answer means; None if there must be one. `prompt` stands at the line of the answer,
        where the question stands above it.
        """
        while True:
            if self._earlier and self._earlier[0][0] != question:
                self._earlier.clear()  # another version asks otherwise from here on
            again = bool(self._earlier)
            answer = self._earlier.popleft()[1] if again else self._prompt(question, default, prompt or question)
            try:
                given = read(answer)
            except InvalidInput as problem:
                self._earlier.clear()
                click.echo(f"  {problem}")
                continue
            if again:
                click.echo(f"{prompt or question}: {answer}")
            self.said.append((question, answer))
            self._keep()
            return given

    def _prompt(self, question: str, default: str | None, prompt: str) -> str:
        before = self._defaults.get(question)
        if before:
            default = before.popleft()
        if default is not None:
            answer: str = click.prompt(prompt, default=default, show_default=bool(default), type=str)
            return answer.strip()
        while not (answer := click.prompt(prompt, default="", show_default=False, type=str).strip()):
            click.echo("  there must be an answer")
        return answer

    def choose(self, question: str, options: Mapping[str, str], *, default: str | None = None) -> str:
        """One of some options, given by its number or its name."""
        keys = list(options)
        width = max(map(len, keys))
        click.echo(f"{question}:")
        for number, (key, what) in enumerate(options.items(), start=1):
            click.echo(f"  {number}  {key:<{width}}  {what}".rstrip())

        def read(answer: str) -> str:
            if answer in options:
                return answer
            if answer.isascii() and answer.isdigit() and 1 <= int(answer[:9]) <= len(keys):
                return keys[int(answer) - 1]
            names = ", ".join(repr(key) for key in keys)
            raise InvalidInput(f"{answer!r} must be a number from 1 to {len(keys)}, or a name: {names}")

        chosen = None if default is None else str(keys.index(default) + 1)
        return self.ask(question, read, default=chosen, prompt="Number")

    def confirm(self, question: str, *, default: bool) -> bool:
        """A question of yes or no."""

        def read(answer: str) -> bool:
            if answer.lower() in ("y", "yes", "1"):
                return True
            if answer.lower() in ("n", "no", "2"):
                return False
            raise InvalidInput(f"{answer!r} must be y or n")

        return self.ask(f"{question} (y/n)", read, default="y" if default else "n")

    def checked(self, ask: Callable[[], T], check: Callable[[T], Any]) -> T:
        """What some questions give together, asked again, with what was said as their defaults, until it holds."""
        while True:
            start, replayed = len(self.said), bool(self._earlier)
            given = ask()
            try:
                check(given)
            except DiscreetError as problem:
                if len(self.said) == start:
                    raise  # nothing was asked, so that nothing can be said otherwise
                click.echo(f"  {problem}\n  Once more: Enter keeps what you said.")
                if replayed:
                    self._earlier.clear()
                self._defaults = {}
                for question, answer in self.said[start:]:
                    self._defaults.setdefault(question, deque()).append(answer)
                del self.said[start:]
                self._keep()
                continue
            self._defaults = {}
            return given
