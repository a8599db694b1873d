"""A release report as one page of HTML: its own styles, a picture drawn by hand, and no script that runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ..estimation.results.intervals import quantile

DRAWN = 60
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
    columns = ("shares", "stderr", "low", "high")
    rows = "".join(
        f'<tr><th scope="row">{escape(str(data["words"][x]))}</th>'
        + "".join(f"<td>{_percent(None if data[name] is None else data[name][x])}</td>" for name in columns)
        + "</tr>"
        for x in _order(data)
    )
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("answer", "share", "standard error", "from", "to"))
    notes = "".join(f"<p>No {escape(name)}: {escape(reason)}</p>" for name, reason in data["notes"].items())
    return f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>{notes}'


def _blocks(blocks: Mapping[str, Any] | None) -> str:
    if blocks is None:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{escape(str(name))}</th><td>{_percent(share)}</td><td>{_percent(low)}</td>'
        f"<td>{_percent(high)}</td></tr>"
        for name, share, low, high in zip(blocks["names"], blocks["shares"], blocks["low"], blocks["high"], strict=True)
    )
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("group", "share", "from", "to"))
    return (
        "<h3>Groups, which every report shows</h3>"
        f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _picture(data: Mapping[str, Any]) -> str:
    """Dots and intervals, the largest share first."""
    order = _order(data)[:DRAWN]
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
    told = f"Shares of {len(order)} answers with their intervals"
    return f'<svg viewBox="0 0 760 {18 * len(order) + 14}" role="img" aria-label="{told}">{"".join(marks)}</svg>'


def _bar(begin: float, end: float, y: int, colour: str) -> str:
    return (
        f'<rect x="{begin}" y="{y - 4}" width="{max(0.0, round(end - begin, 1))}" height="8" rx="2" fill="{colour}"/>'
    )
