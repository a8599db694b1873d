"""The papers' figures and tables reproduced, and the library's results on the same data.

``discreet papers`` lists the experiments; each is one file here with a function ``run(setting) -> Report``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING

from ..core.errors import InvalidInput

if TYPE_CHECKING:
    from .report import ExperimentReport, Setting


@dataclass(frozen=True)
class Experiment:
    """One figure, table or comparison: what it shows, and about how many seconds it takes on two cores."""

    name: str
    title: str
    short: int
    full: int

    def run(self, setting: Setting) -> ExperimentReport:
        """Run the experiment, whose module is loaded only now, for its tables, figures and checks."""
        module = import_module(f"{__name__}.{self.name.replace('-', '_')}")
        report: ExperimentReport = module.run(setting)
        return replace(report, options=setting.options)


EXPERIMENTS = (
    Experiment("acharya2020-figure1", "the errors a test can reach under an asymmetric context", 2, 2),
    Experiment("acharya2020-figure2", "four distributions on 1,000 values, classical and in blocks", 15, 30),
    Experiment("acharya2020-table1", "check-ins on 43,750 cells, classical and in blocks", 20, 100),
    Experiment("acharya2020-figure3", "the heat map of check-ins, and what is left of it", 15, 15),
    Experiment("wang2016-table1", "subset selection beside randomized response, 41 settings", 30, 200),
    Experiment("asoodeh2021", "bounds on the Bayes risk, contraction and their closed forms", 10, 10),
    Experiment("beaten", "the paper's method beside ours on the same data", 50, 300),
    Experiment("partitions", "blocks that follow cities beside uniform grids", 110, 350),
    Experiment("shrunk", "shrinkage beside projection on every data set at hand", 25, 350),
    Experiment("means", "means and cumulative shares beside the mechanisms of the literature", 40, 180),
    Experiment("domains", "page categories, a census table and a survey of affairs", 15, 50),
)
"""Every experiment, in the order of ``discreet papers all``."""


def find(name: str) -> tuple[Experiment, ...]:
    """The experiments called `name`, those of a paper (``acharya2020``), or ``all`` of them."""
    chosen = tuple(e for e in EXPERIMENTS if name in ("all", e.name) or e.name.startswith(f"{name}-"))
    if not chosen:
        known = ", ".join(experiment.name for experiment in EXPERIMENTS)
        raise InvalidInput(f"name={name!r} must be all, a paper or one of {known}")
    return chosen
