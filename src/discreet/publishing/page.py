"""A release report as one page: its own styles, pictures drawn as SVG, and no script that runs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from ..core import tables
from ..estimation.results.intervals import quantile

MAX_DRAWN = 60
"""The most rows of a picture; the table has all of them."""
MAX_NAME = 26
"""The most letters of a name in a picture."""
LEFT, RIGHT, WIDTH, ROW = 190, 680, 760, 18
"""The sides of the picture's axis, its width, and the height of a row."""

STYLE = """
:root{color-scheme:light dark;--ink:light-dark(#1d2126,#e9ebee);--soft:light-dark(#555d66,#a9b1ba);
--line:light-dark(#d8dbdf,#3b4048);--paper:light-dark(#fdfcfa,#16181c);--pale:light-dark(#cfe3f1,#2b4557);
--fill:light-dark(#0072b2,#56a9dc)}
body{font:16px/1.55 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:50rem;margin:2rem auto;
padding:0 1rem;overflow-wrap:anywhere}td,thead th{overflow-wrap:normal}h1{line-height:1.2;margin-bottom:.3rem}
h2{margin-top:2rem}.soft{color:var(--soft)}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:.93rem}
th,td{text-align:right;padding:.25rem .5rem;border-bottom:1px solid var(--line)}th:first-child{text-align:left;
font-weight:400}thead th{font-weight:600}code{overflow-wrap:anywhere;font-size:.85em}svg{width:100%;height:auto}
svg text{fill:var(--ink);font:12px system-ui,sans-serif}.wide{overflow-x:auto}.wide svg{min-width:34rem}
.wide td{white-space:nowrap}@media(max-width:30rem){table{font-size:.8rem}th,td{padding:.25rem .2rem}}
"""


def page(data: Mapping[str, Any]) -> str:
    """The page of a report's data."""
    return _whole(
        data,
        f"""<p class="soft">{escape(data["question"])}</p>
<p><strong>{escape(_facts(data))}</strong> {escape(data["opening"])}</p>
<h2>What people were promised</h2>
{_list(data["promise"]["sentences"])}
<h2>What was found</h2>
{_reading(data)}
{_found(data)}
{_blocks(data["blocks"])}
<h2>What the numbers do not say</h2>
{_list(data["caveats"])}
<h2>How it can be checked</h2>
<p>{_checked(data)}</p>
{_made(data, data["method"]["name"])}""",
    )


def form_page(data: Mapping[str, Any]) -> str:
    """The page of the data of a report about several questions."""
    questions = list(data["questions"].values())
    shared = {_reading(one) for one in questions}
    parts = [
        f'<h3>{place}. {escape(one["question"])}</h3>\n<p class="soft">{one["n"]:,} reports.</p>\n'
        f"{_reading(one) if len(shared) > 1 else ''}{_found(one)}{_blocks(one['blocks'])}"
        f"{_list([line for line in one['caveats'] if line not in data['caveats']])}"
        for place, one in enumerate(questions, 1)
    ]
    proofs = "".join(f"<li>{_checked(one)}</li>" for one in questions)
    return _whole(
        data,
        f"""<p><strong>{escape(_facts(data))}</strong> {escape(data["opening"])}</p>
<h2>What people were promised</h2>
{_list(data["promise"]["sentences"])}
<h2>What was found</h2>
{shared.pop() if len(shared) == 1 else ""}
{"".join(parts)}
<h2>What the numbers do not say</h2>
{_list(data["caveats"])}
<h2>How it can be checked</h2>
<p>The rules of the whole questionnaire have the SHA-256 <code>{escape(data["law"]["fingerprint"])}</code>.
Question by question:</p>
<ol>{proofs}</ol>
{_made(data, questions[0]["method"]["name"])}""",
    )


def _whole(data: Mapping[str, Any], body: str) -> str:
    """A page with its title and styles around what it says, and its data inside."""
    inside = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", "").replace("\u2029", "")
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{escape(data["title"])}</title><style>{STYLE}</style></head><body>
<main><h1>{escape(data["title"])}</h1>
{body}
</main>
<script type="application/json" id="data">{inside}</script>
</body></html>
"""


def _checked(data: Mapping[str, Any]) -> str:
    """The law of a question, and its proof."""
    law = data["law"]
    return (
        f"Reports were chosen at random by the mechanism <code>{escape(law['mechanism'])}</code>, {_bits(law['bits'])} "
        f"each, by\npublished rules (the law) with the SHA-256 <code>{escape(law['fingerprint'])}</code>. "
        f"{_proof(data['certificate'])}"
    )


def _made(data: Mapping[str, Any], method: str) -> str:
    """How the numbers were made, and where they are for programs."""
    return (
        f"<p>Method: {escape(method)}; intervals at {100 * data['confidence']:g} % confidence. Made by\n"
        f"{escape(data['made_by'])}. The data of this page are in its source, under the id <code>data</code>.</p>"
    )


def _facts(data: Mapping[str, Any]) -> str:
    """How many reports there are, of how many people, and who asked when."""
    facts = f"{data['n']:,} reports"
    if data["asked"] is not None:
        facts += f" of {data['asked']:,} people who were asked, {100 * data['response_rate']:.1f} %"
    who = [f"asked by {data['asked_by']}"] if data["asked_by"] else []
    return "; ".join([facts, *who, *([data["period"]] if data["period"] else [])]) + "."


def _list(sentences: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences) + "</ul>"


def _bits(count: int) -> str:
    return "1 bit" if count == 1 else f"{count} bits"


def _proof(proof: Mapping[str, Any]) -> str:
    if proof["claimed"] is None:
        return "It promises nothing, so there is nothing to prove."
    x, z = (escape(str(proof["tightest"][name])) for name in ("x", "z"))
    return (
        "The proof uses exact whole numbers: of all pairs of answers, the likelihood ratio comes closest to its limit "
        f"for {x} against {z}, with epsilon {proof['claimed']:.10g} promised and {proof['realised']:.10g} reached."
    )


def _panels(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The panels with the names of their rows, in the order in which these are shown."""
    whole = {name: data[name] for name in ("stderr", "low", "high", "sampling_stderr")} | {"estimate": data["shares"]}
    panels = data["panels"] or [{"heading": None, "names": None, "n": None, **whole}]
    shown = []
    for panel in panels:
        order = data["order"] if panel["names"] is None else range(len(panel["names"]))
        names = data["words"] if panel["names"] is None else panel["names"]
        columns = {key: cells for key, cells in panel.items() if isinstance(cells, list)} | {"names": names}
        rows = {key: [cells[x] for x in order] for key, cells in columns.items()}
        grouped = "group" if panel["heading"] is not None else "query"
        shown.append({**panel, **rows, "of": "answer" if panel["names"] is None else grouped})
    return shown


def _reading(data: Mapping[str, Any]) -> str:
    """How a picture is read, and what its numbers are."""
    return f'<p class="soft">{escape(data["caption"])} {escape(data["method"]["sentence"])}</p>'


def _found(data: Mapping[str, Any]) -> str:
    """Every panel as a picture and a table, all on one scale, and what is said of them."""
    panels = _panels(data)
    scale, parts = _Scale(panels, data["unit"] == "share", data["difference"]), []
    for panel in panels:
        if panel["heading"] is not None:
            of = "" if panel["n"] is None else f" <span class='soft'>({panel['n']:,} reports)</span>"
            parts.append(f"<h3>{escape(str(panel['heading']))}{of}</h3>")
        parts += [scale.picture(panel, data), scale.table(panel)]
    notes = "".join(f"<p>No {escape(name)}: {escape(reason)}</p>" for name, reason in data["notes"].items())
    return "\n".join(parts) + notes + (_list(data["remarks"]) if data["remarks"] else "")


def _blocks(blocks: Mapping[str, Any] | None) -> str:
    if blocks is None:
        return ""
    rows = zip(*(blocks[name] for name in ("names", "shares", "low", "high")), strict=True)
    heads = ("group", "share", "from", "to")
    return "<h3>Groups, which reports show openly</h3>" + _html_table(heads, [[n, *map(_percent, r)] for n, *r in rows])


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.{2 if abs(share) < 0.01 else 1}f} %"


def _html_table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table with a name at the head of every row and numbers, as text, behind it."""
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    body = "".join(
        f'<tr><th scope="row">{escape(str(name))}</th>' + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
        for name, *cells in rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


class _Scale:
    """The axis that all panels share, and how numbers are written."""

    def __init__(self, panels: Sequence[Mapping[str, Any]], share: bool, difference: bool) -> None:
        ends = [x for panel in panels for key in ("estimate", "low", "high") for x in panel[key] or () if x is not None]
        self.share, self.difference = share, difference
        self.low, self.high = float(min(0.0, *ends)), float(max(0.0, *ends))
        if self.high - self.low < 0.01 * share or self.high == self.low:
            self.high = self.low + (0.01 if share else 1.0)
        errors = [x for panel in panels for x in panel["stderr"] or () if x]
        self.digits = tables.digits(min(errors, default=None))
        power = 10.0 ** math.floor(math.log10((self.high - self.low) / 4))
        self.step = next(power * m for m in (1, 2, 5, 10) if (self.high - self.low) / (power * m) <= 6)

    def text(self, number: float | None) -> str:
        """A number as it is written."""
        if number is None or self.share:
            return _percent(number).removesuffix(" %" if self.difference else "")
        return f"{number:.{self.digits}f}"

    def at(self, number: float) -> float:
        """The place of a number on the axis."""
        return round(LEFT + (RIGHT - 8 - LEFT) * (number - self.low) / (self.high - self.low), 1)

    def axis(self, height: int, label: str) -> list[str]:
        """Lines at round numbers, the one at 0 darker, with the numbers and what they are below."""
        marks = []
        for tick in range(math.ceil(self.low / self.step), math.floor(self.high / self.step) + 1):
            x, number = self.at(tick * self.step), round(tick * self.step, 12)
            text = f"{round(100 * number, 9):g}{'' if self.difference else ' %'}" if self.share else f"{number:g}"
            colour = "var(--soft)" if tick == 0 else "var(--line)"
            marks.append(f'<line x1="{x}" x2="{x}" y1="4" y2="{height}" stroke="{colour}"/>')
            marks.append(f'<text x="{x}" y="{height + 15}" text-anchor="middle">{text}</text>')
        middle = (LEFT + RIGHT) / 2
        return [*marks, f'<text x="{middle}" y="{height + 33}" text-anchor="middle">{escape(label)}</text>']

    def picture(self, panel: Mapping[str, Any], data: Mapping[str, Any]) -> str:
        """Dots and intervals on the axis; of very many the largest."""
        estimates = [x or 0.0 for x in panel["estimate"]]
        largest = sorted(range(len(estimates)), key=lambda x: -abs(estimates[x]))[:MAX_DRAWN]
        height = ROW * len(largest) + 8
        label = "share of people" if self.share else "estimate"
        if self.difference:
            label = "difference in percentage points" if self.share else "difference"
        if len(estimates) > MAX_DRAWN:
            label += f"; the {MAX_DRAWN} largest of {len(estimates):,}"
        marks = self.axis(height, label)
        for row, x in enumerate(sorted(largest)):
            marks += self._row(panel, x, ROW * row + 16, quantile(data["confidence"]))
        said = escape(f"{panel['heading'] or 'Shares'}: {len(largest)} estimates with their intervals", quote=True)
        drawing = f'<svg viewBox="0 0 {WIDTH} {height + 40}" role="img" aria-label="{said}">{"".join(marks)}</svg>'
        return f'<div class="wide" tabindex="0" role="group" aria-label="A picture of the table">{drawing}</div>'

    def _row(self, panel: Mapping[str, Any], x: int, y: int, z: float) -> list[str]:
        number, name = panel["estimate"][x], str(panel["names"][x])
        short = name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…"
        marks = [f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end">{escape(short)}</text>']
        if panel["low"] is not None and panel["low"][x] is not None:
            begin, end = panel["low"][x], panel["high"][x]
            sampling = panel["sampling_stderr"]
            marks.append(_bar(self.at(begin), self.at(end), y, "var(--pale)" if sampling else "var(--fill)"))
            if sampling:
                inside = max(begin, number - z * sampling[x]), min(end, number + z * sampling[x])
                marks.append(_bar(self.at(inside[0]), self.at(inside[1]), y, "var(--fill)"))
        if number is not None:
            marks.append(f'<circle cx="{self.at(number)}" cy="{y}" r="3.5" fill="var(--ink)"/>')
        return [*marks, f'<text x="{RIGHT + 8}" y="{y + 4}">{self.text(number)}</text>']

    def table(self, panel: Mapping[str, Any]) -> str:
        """All rows of a panel."""
        what = "share" if self.share else "estimate"
        heads = [panel["of"], "difference" if self.difference else what, "standard error", "from", "to"]
        size = len(panel["names"])
        columns = [panel[key] or [None] * size for key in ("estimate", "stderr", "low", "high")]
        rows = [[name, *map(self.text, numbers)] for name, *numbers in zip(panel["names"], *columns, strict=True)]
        if self.difference:
            heads += ["p", "adjusted p"]
            for key in ("p", "adjusted_p"):
                for row, p in zip(rows, panel[key], strict=True):
                    row.append("–" if p is None else escape(tables.p_value(p)))
        return _html_table(heads, rows)


def _bar(begin: float, end: float, y: int, colour: str) -> str:
    return (
        f'<rect x="{begin}" y="{y - 4}" width="{max(0.0, round(end - begin, 1))}" height="8" rx="2" fill="{colour}"/>'
    )
