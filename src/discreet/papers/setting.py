"""How an experiment is run: how many repetitions, on which data, with how many processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

from tqdm import tqdm

Job = TypeVar("Job")
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
        """How often to repeat: as requested, or the default of the form."""
        if self.runs is not None:
            return self.runs
        return full if self.full else short

    def each(self, work: Callable[[Job], Outcome], jobs: Iterable[Job], label: str) -> list[Outcome]:
        """``[work(job) for job in jobs]`` with a progress bar, in several processes where that helps.

        The results depend on the jobs alone, so they are the same for any number of processes.
        """
        listed = list(jobs)
        workers = min(self.workers or os.cpu_count() or 1, len(listed))
        with tqdm(total=len(listed), desc=label, unit="job", disable=None) as bar:
            if workers < 2:
                outcomes = []
                for job in listed:
                    outcomes.append(work(job))
                    bar.update()
                return outcomes
            with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
                waiting = {pool.submit(work, job): place for place, job in enumerate(listed)}
                by_place: dict[int, Outcome] = {}
                for done in as_completed(waiting):
                    by_place[waiting[done]] = done.result()
                    bar.update()
            return [by_place[place] for place in range(len(listed))]
