"""How an experiment is run, and what it shows: tables, figures and checks, printed and saved."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from pathlib import Path
from textwrap import TextWrapper
from typing import Any, TypeVar

from tqdm import tqdm

from ..core import tables
from ..core.errors import MissingExtra
from ..plots.picture import KINDS

Draw = Callable[[Path], None]
"""What draws a picture into the file of that name, in the format that the name means."""

BEGIN, END = "<!-- beside the print -->", "<!-- so much for the print -->"
"""What encloses the table beside the print on a page, so that another page can show it too."""

fill = TextWrapper(100).fill


@dataclass(frozen=True)
class ReportTable:
    """Rows of plain values under named columns, each with the format it is shown in (as for `format`)."""

    name: str
    caption: str
    columns: Sequence[tables.Column]
    rows: Sequence[Sequence[Any]]

    def text(self) -> str:
        """The table for a terminal: numbers to the right, words to the left."""
        return f"{self.caption}\n{tables.text(self.columns, self._finite)}"

    def markdown(self) -> str:
        """The table in Markdown."""
        return f"{self.caption}\n\n{tables.markdown(self.columns, self._finite)}"

    @property
    def _finite(self) -> list[list[Any]]:
        return [[_plain(cell) for cell in row] for row in self.rows]

    def tsv(self) -> str:
        """The values themselves, at six digits, for other programs."""
        rows = [[f"{cell:.6g}" if isinstance(cell, float) else str(cell) for cell in row] for row in self.rows]
        return "".join("\t".join(row) + "\n" for row in ([name for name, _ in self.columns], *rows))

    def as_dict(self) -> dict[str, Any]:
        """The table as plain data."""
        return {"caption": self.caption, "columns": [name for name, _ in self.columns], "rows": self._finite}


def beside_the_print(caption: str, rows: Sequence[tuple[str, str, float]], *, form: str = ".4f") -> ReportTable:
    """The table of what the paper prints, what comes out here, and the relative difference."""
    columns = [("", "s"), ("printed", "s"), ("ours", form), ("difference", "+.1%")]
    body = [(what, printed, ours, ours / float(printed.replace(",", "")) - 1) for what, printed, ours in rows]
    return ReportTable("beside", caption, columns, body)


def _plain(cell: Any) -> Any:
    """The value as JSON data, which has no nan or infinity."""
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


@dataclass(frozen=True)
class CheckedClaim:
    """A statement about the numbers, whether it holds, and the numbers that say so."""

    claim: str
    holds: bool
    found: str

    def __str__(self) -> str:
        return f"{'holds' if self.holds else 'does not hold'}: {self.claim} ({self.found})"


@dataclass(frozen=True)
class ExperimentReport:
    """One experiment's outcome: what was done, what holds, the tables and the figures."""

    name: str
    title: str
    said: str
    """Paragraphs separated by empty lines."""
    tables: Sequence[ReportTable] = ()
    checks: Sequence[CheckedClaim] = ()
    figures: dict[str, Draw] = field(default_factory=dict)
    """Each by the name of its files without the suffix."""
    data: Mapping[str, str] = field(default_factory=dict)
    """What each data set is, by the name that it has in tables and figures."""
    options: str = ""
    """The options of the command that made it."""
    command_name: str = "papers"
    """The command that makes it; one that makes many takes the name of this one first."""
    beside: ReportTable | None = None
    """What the paper prints beside ours, which a page begins with."""
    captions: Mapping[str, str] = field(default_factory=dict)
    """What stands above each figure on the page, in Markdown; figures with captions follow the tables."""

    @property
    def command(self) -> str:
        """The command that makes the report again."""
        which = f" {self.name}" if self.name != self.command_name else ""
        return f"discreet {self.command_name}{which} {self.options}".rstrip()

    @property
    def all_tables(self) -> list[ReportTable]:
        """The table beside the print, if there is one, and the others."""
        return [*([self.beside] if self.beside is not None else []), *self.tables]

    @property
    def sources(self) -> list[str]:
        """A line for each data set, which stands right above the tables."""
        return [f"Data, {name}: {label}." for name, label in self.data.items()]

    @property
    def paragraphs(self) -> list[str]:
        """The text, one line per paragraph."""
        return [" ".join(part.split()) for part in self.said.split("\n\n")]

    def text(self) -> str:
        """The report for a terminal."""
        parts = [f"{self.name}: {self.title}", *map(fill, (*self.paragraphs, *self.sources))]
        parts += [table.text() for table in self.all_tables]
        if self.checks:
            parts.append("\n".join(map(str, self.checks)))
        return "\n\n".join(parts)

    def markdown(self, pictures: Mapping[str, Sequence[str]]) -> str:
        """The report in Markdown, with these pictures: for each figure its files, of which the first is shown."""
        figures: list[str] = []
        for name, (shown, *others) in ((name, files) for name, files in pictures.items() if files):
            figures += [self.captions[name]] if name in self.captions else []
            figures.append(f"![{self.title}]({shown})")
            if others:
                figures.append(f"The same as {' and '.join(f'[{Path(o).suffix[1:].upper()}]({o})' for o in others)}.")
        results = ["\n".join(f"- {check}" for check in self.checks)] if self.checks else []
        results += [*self.sources, *(table.markdown() for table in self.tables)]
        first, last = (results, figures) if self.captions else (figures, results)
        compared = [BEGIN, self.beside.markdown(), END] if self.beside is not None else []
        head = [f"# {self.title[0].upper()}{self.title[1:]}", *compared, *self.paragraphs]
        return "\n\n".join([*head, *first, *last, f"Made by `{self.command}`."]) + "\n"

    def save(self, data_folder: Path, formats: Sequence[str] = KINDS) -> tuple[list[Path], str]:
        """Write the page, one TSV per table and each figure in these formats, of which the page shows the first.

        Return what was written, and why a picture was not.
        """
        data_folder.mkdir(parents=True, exist_ok=True)
        written, missing = [], ""
        pictures: dict[str, list[str]] = {name: [] for name in self.figures}
        for name, draw in self.figures.items():
            for suffix in formats:
                path = data_folder / f"{name}.{suffix}"
                try:
                    draw(path)
                except MissingExtra as absent:
                    missing = str(absent)
                else:
                    written.append(path)
                    pictures[name].append(path.name)
        page = data_folder / f"{self.name}.md"
        page.write_text(self.markdown(pictures), encoding="utf-8")
        for table in self.all_tables:
            written.append(data_folder / f"{self.name}-{table.name}.tsv")
            written[-1].write_text(table.tsv(), encoding="utf-8")
        return [page, *written], missing

    def as_dict(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "name": self.name,
            "title": self.title,
            "command": self.command,
            "said": self.paragraphs,
            "data": dict(self.data),
            "tables": {table.name: table.as_dict() for table in self.all_tables},
            "checks": [asdict(check) for check in self.checks],
        }


Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class Setting:
    """The choices for one run; by default, the short form on the best data available.

    `runs` replaces an experiment's own number of repetitions; `gowalla` is the check-in file of
    SNAP; `workers` is the number of processes, by default one per core.
    """

    full: bool = False
    runs: int | None = None
    gowalla: Path | None = None
    workers: int | None = None

    @property
    def options(self) -> str:
        """The options of `discreet papers` that the numbers depend on."""
        asked = ["--full"] if self.full else []
        asked += [] if self.runs is None else [f"--runs {self.runs}"]
        asked += [] if self.gowalla is None else [f"--gowalla {self.gowalla.name}"]
        return " ".join(asked)

    def repetitions(self, *, short: int, full: int) -> int:
        """How often to repeat: as requested, or as the short or the full run does."""
        if self.runs is not None:
            return self.runs
        return full if self.full else short

    def repeat(
        self, work: Callable[..., Outcome], cases: Iterable[Sequence[Any]], runs: int, label: str
    ) -> list[list[Outcome]]:
        """For each case, the outcomes of ``work(*case, run)`` for every number of a run."""
        outcomes = self.each(work, [(*case, run) for case in cases for run in range(runs)], label)
        return [outcomes[start : start + runs] for start in range(0, len(outcomes), runs)]

    def each(self, work: Callable[..., Outcome], jobs: Iterable[Sequence[Any]], label: str) -> list[Outcome]:
        """``[work(*job) for job in jobs]`` with a progress bar, in several processes where that helps.

        The results depend on the jobs alone, so they are the same for any number of processes.
        """
        listed = list(jobs)
        workers = min(self.workers or os.cpu_count() or 1, len(listed))
        with tqdm(total=len(listed), desc=label, unit="job", disable=None) as bar:
            if workers < 2:
                outcomes = []
                for job in listed:
                    outcomes.append(work(*job))
                    bar.update()
                return outcomes
            with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
                waiting = {pool.submit(work, *job): place for place, job in enumerate(listed)}
                by_place: dict[int, Outcome] = {}
                for done in as_completed(waiting):
                    by_place[waiting[done]] = done.result()
                    bar.update()
            return [by_place[place] for place in range(len(listed))]
