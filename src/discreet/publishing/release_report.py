"""`release`: a result as a report that stands by itself: promise, proof, method, numbers and caveats."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..client.promise import promise, worded
from ..core.atomic import replacing
from ..core.errors import InvalidInput, check_type
from ..core.exact import text_of
from ..estimation.decoders import decoder_of
from ..estimation.results.block_columns import block_columns
from ..estimation.results.intervals import check_confidence
from ..estimation.results.shares import Shares
from ..estimation.results.unbiased import Estimate
from .page import page

VERSION = 1
"""The version of the data."""

METHODS = {
    True: "These shares are pulled away from the truth a little, to be nearer to it on the whole.",
    False: "These shares are right on average: over many surveys like this one their errors cancel. Some may be below "
    "0, and they need not add up to 1.",
}


@dataclass(frozen=True)
class Release:
    """A release report: `to_dict` for programs, `to_html` for people, `write` by the name of the file.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1"))
    >>> report = dc.release(dc.estimate(mechanism.tally([1] * 600 + [0] * 400)), title="Smoking in 2026")
    >>> report.to_html()[:15], "Smoking in 2026" in report.to_html()
    ('<!doctype html>', True)
    """

    result: Shares
    title: str
    question: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    confidence: float = 0.95
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Everything in the report as plain data."""
        result, mechanism = self.result, self.result.mechanism
        found = result.to_dict(confidence=self.confidence)
        shares = np.clip(np.nan_to_num(result.shares), 0, 1)
        sampling = np.sqrt(shares * (1 - shares) / max(result.n, 1))
        return {
            "version": VERSION,
            "made_by": f"discreet {__version__}",
            "title": self.title,
            "question": self.question,
            "n": result.n,
            "promise": {
                "form": mechanism.context.form,
                "epsilon": text_of(mechanism.context.largest),
                "shows": bool(mechanism.context.shows),
                "sentences": self._promise(),
            },
            "certificate": mechanism.certificate.as_dict(),
            "law": {"fingerprint": mechanism.fingerprint, "mechanism": mechanism.name, "bits": mechanism.bits},
            "method": {"name": result.method, "biased": result.biased, "sentence": METHODS[result.biased]},
            "confidence": float(self.confidence),
            "values": found["values"],
            "words": [worded(value, self.words) for value in result.values],
            **{name: found[name] for name in ("shares", "stderr", "low", "high", "notes")},
            "sampling_stderr": [float(one) for one in sampling],
            "blocks": block_columns(result.tally, confidence=self.confidence),
            "caveats": [*self._caveats(), *self.notes],
        }

    def to_html(self) -> str:
        """The report as one page that needs nothing else, with its data inside."""
        return page(self.to_dict())

    def write(self, path: str | Path) -> None:
        """Write the report, whole or not at all: a page to .html, data to .json."""
        suffix = Path(path).suffix
        if suffix not in (".html", ".json"):
            raise InvalidInput(f"{path}: a release report must be an .html or a .json file")
        text = self.to_html() if suffix == ".html" else json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n"
        with replacing(path) as file:
            file.write(text.encode())

    def _promise(self) -> list[str]:
        spending = "This answer spends"
        sentences = promise(self.result.mechanism.context, "refuse", self.words)
        return [sentence for sentence in sentences if not sentence.startswith(spending)]

    def _caveats(self) -> list[str]:
        result, mechanism = self.result, self.result.mechanism
        weight = decoder_of(mechanism).influence()
        lines = [
            f"Each interval holds with a confidence of {self.confidence:.4g}; of many, some will miss the truth.",
            "The intervals are about chance, in who was asked and in the noise. They say nothing of people who did not "
            "answer, or who did not answer truly.",
            f"Nobody's answer is known, so nobody could check it: one crafted report can weigh as much as {weight:.3g} "
            "people on one value.",
            "Reports of the same people in another survey tell more of them together than each alone: what was "
            "promised adds up.",
        ]
        if isinstance(result, Estimate) and not math.isnan(float(np.min(result.shares))) and np.min(result.shares) < 0:
            lines.insert(1, "A share below 0 means that there were too few reports to tell it from 0.")
        return lines


def release(
    result: Shares,
    *,
    title: str,
    question: str = "",
    words: Mapping[str, str] | None = None,
    confidence: float = 0.95,
    notes: tuple[str, ...] = (),
) -> Release:
    """A report about any result, to be published: `title` heads it, `question` is what people were asked.

    `words` say values in other words, and `notes` are further caveats of yours.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1"))
    >>> estimate = dc.estimate(mechanism.tally([1] * 600 + [0] * 400))
    >>> report = dc.release(estimate, title="Smoking in 2026", question="Do you smoke?")
    >>> report.title, report.to_dict()["n"]
    ('Smoking in 2026', 1000)
    """
    check_type("result", result, Shares, "a result, such as that of dc.estimate")
    check_confidence(confidence)
    for name, text in (("title", title), ("question", question)):
        check_type(name, text, str, "text")
    check_type("words", {} if words is None else words, Mapping, "a mapping from values to words")
    if not isinstance(notes, (tuple, list)) or not all(isinstance(note, str) for note in notes):
        raise InvalidInput("notes must be a list of texts")
    if not title.strip():
        raise InvalidInput("title must not be empty")
    if not result.n:
        raise InvalidInput("result has no reports: there is nothing to publish")
    return Release(result, title, question, dict(words or {}), float(confidence), tuple(notes))
