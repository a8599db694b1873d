"""`release`: a result as a report that stands by itself, with promise, proof, method, numbers and caveats.

As HTML it is one page with its own styles, a picture drawn by hand, and no script that runs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..client.promise import promise, value_text
from ..core.documents import replacing
from ..core.errors import InvalidInput, check_type
from ..core.exact import text_of
from ..estimation.decoders import decoder_of
from ..estimation.results.intervals import check_confidence, quantile
from ..estimation.results.shares import Shares
from ..estimation.results.unbiased import Estimate, block_columns

MAX_DRAWN = 60
"""The most values in the picture; the table has all of them."""

RANDOMIZED = (
    "What was collected are reports, not answers: each answer was randomized on its holder's own device, and the "
    "shares below were recovered from all reports together."
)

STYLE = """
:root{color-scheme:light dark;--ink:light-dark(#1d2126,#e9ebee);--soft:light-dark(#555d66,#a9b1ba);
--line:light-dark(#d8dbdf,#3b4048);--paper:light-dark(#fdfcfa,#16181c);--pale:light-dark(#cfe3f1,#2b4557);
--fill:light-dark(#0072b2,#56a9dc)}
body{font:16px/1.55 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:50rem;margin:2rem auto;
padding:0 1rem}h1{line-height:1.2;margin-bottom:.3rem}h2{margin-top:2rem}.soft{color:var(--soft)}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:.93rem}
th,td{text-align:right;padding:.25rem .5rem;border-bottom:1px solid var(--line)}th:first-child{text-align:left;
font-weight:400}thead th{font-weight:600}code{overflow-wrap:anywhere;font-size:.85em}svg{width:100%;height:auto}
svg text{fill:var(--ink);font:12px system-ui,sans-serif}.wide{overflow-x:auto}
"""


INSECURE = "These reports are for trial only: a seed drew some of them, and whoever knows it can undo them."
"""The first caveat of a report about such reports."""


def page(data: Mapping[str, Any]) -> str:
    """The page of a report's data."""
    inside = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", "").replace("\u2029", "")
    law, proof, promised = data["law"], data["certificate"], data["promise"]
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{escape(data["title"])}</title><style>{STYLE}</style></head><body>
<h1>{escape(data["title"])}</h1>
<p class="soft">{escape(data["question"])}</p>
<p><strong>{data["n"]:,} reports.</strong> {"" if proof["claimed"] is None else RANDOMIZED}</p>
<h2>What people were promised</h2>
{_list(promised["sentences"])}
<h2>What was found</h2>
{_picture(data)}
<p class="soft">The dot is the estimate. The dark part of its interval is what asking only so many people leaves open;
the pale rest is the noise that protects them. {escape(data["method"]["sentence"])}</p>
{_table(data)}
{_blocks(data["blocks"])}
<h2>What the numbers do not say</h2>
{_list(data["caveats"])}
<h2>How it can be checked</h2>
<p>Reports were drawn by <code>{escape(law["mechanism"])}</code>, {law["bits"]} bits each, under the law whose
SHA-256 is <code>{escape(law["fingerprint"])}</code>. {_proof(proof)}</p>
<p>Shares by method: {escape(data["method"]["name"])}; intervals at {data["confidence"]:g} confidence.
{escape(data["made_by"])}. The data of this page are inside it, under the id <code>data</code>.</p>
<script type="application/json" id="data">{inside}</script>
</body></html>
"""


def _list(sentences: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences) + "</ul>"


def _proof(proof: Mapping[str, Any]) -> str:
    if proof["claimed"] is None:
        return "It promises nothing that would have to be proved."
    x, z = (escape(str(proof["tightest"][name])) for name in ("x", "z"))
    return (
        "The proof is by whole numbers: of all pairs of answers, the likelihood ratio comes nearest to what E allows "
        f"for {x} against {z}, with epsilon {proof['claimed']:.10g} promised and {proof['realised']:.10g} realised."
    )


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.{2 if abs(share) < 0.01 else 1}f} %"


def _order(data: Mapping[str, Any]) -> list[int]:
    return sorted(range(len(data["values"])), key=lambda x: -(data["shares"][x] or 0.0))


def _table(data: Mapping[str, Any]) -> str:
    order = _order(data)
    columns = [data["words"], *(data[name] for name in ("shares", "stderr", "low", "high"))]
    rows = [[None if column is None else column[x] for column in columns] for x in order]
    notes = "".join(f"<p>No {escape(name)}: {escape(reason)}</p>" for name, reason in data["notes"].items())
    return _html_table(("answer", "share", "standard error", "from", "to"), rows) + notes


def _blocks(blocks: Mapping[str, Any] | None) -> str:
    if blocks is None:
        return ""
    rows = zip(*(blocks[name] for name in ("names", "shares", "low", "high")), strict=True)
    return "<h3>Groups, which every report shows</h3>" + _html_table(("group", "share", "from", "to"), rows)


def _html_table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table with a name at the head of every row and shares behind it."""
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    body = "".join(
        f'<tr><th scope="row">{escape(str(name))}</th>' + "".join(f"<td>{_percent(x)}</td>" for x in shares) + "</tr>"
        for name, *shares in rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _picture(data: Mapping[str, Any]) -> str:
    """Dots and intervals, the largest share first."""
    order = _order(data)[:MAX_DRAWN]
    ends = [data["shares"][x] or 0.0 for x in order]
    for name in ("low", "high"):
        ends += [data[name][x] for x in order if data[name] is not None and data[name][x] is not None]
    low, high = min(0.0, *ends), max(0.01, *ends)
    left, right, z = 190, 690, quantile(data["confidence"])

    def at(share: float) -> float:
        return round(left + (right - left) * (share - low) / (high - low), 1)

    marks = [f'<line x1="{at(0)}" x2="{at(0)}" y1="4" y2="{18 * len(order) + 8}" stroke="var(--soft)"/>']
    for row, x in enumerate(order):
        y, share = 18 * row + 16, data["shares"][x] or 0.0
        name = str(data["words"][x])
        marks.append(f'<text x="{left - 10}" y="{y + 4}" text-anchor="end">{escape(name[:26])}</text>')
        if data["low"] is not None and data["low"][x] is not None:
            begin, end = data["low"][x], data["high"][x]
            half = z * data["sampling_stderr"][x]
            marks.append(_bar(at(begin), at(end), y, "var(--pale)"))
            marks.append(_bar(at(max(begin, share - half)), at(min(end, share + half)), y, "var(--fill)"))
        marks.append(f'<circle cx="{at(share)}" cy="{y}" r="3.5" fill="var(--ink)"/>')
        marks.append(f'<text x="{right + 8}" y="{y + 4}">{_percent(share)}</text>')
    label = f"Shares of {len(order)} answers with their intervals"
    return f'<svg viewBox="0 0 760 {18 * len(order) + 14}" role="img" aria-label="{label}">{"".join(marks)}</svg>'


def _bar(begin: float, end: float, y: int, colour: str) -> str:
    return (
        f'<rect x="{begin}" y="{y - 4}" width="{max(0.0, round(end - begin, 1))}" height="8" rx="2" fill="{colour}"/>'
    )


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
        data = result.to_dict(confidence=self.confidence)
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
            "values": data["values"],
            "words": [value_text(value, self.words) for value in result.values],
            **{name: data[name] for name in ("shares", "stderr", "low", "high", "notes")},
            "sampling_stderr": [float(one) for one in sampling],
            "blocks": block_columns(result.tally, confidence=self.confidence),
            "caveats": [*self._caveats(), *self.notes],
            **({"insecure": True} if result.tally.insecure else {}),
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
        sentences = promise(self.result.mechanism.context, "refuse", self.words)
        return [sentence for sentence in sentences if not sentence.startswith("This answer spends")]

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
        if result.tally.insecure:
            lines.insert(0, INSECURE)
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
