"""Figure 1 of Acharya2020: the errors that a test between two values can reach."""

from __future__ import annotations

from pathlib import Path

from ..contexts import Context
from ..mechanisms.build import mechanism
from ..plots import plot_regions
from .report import CheckedClaim, ExperimentReport, ReportTable, Setting

PAIRS = (("1", "1"), ("0.5", "2"), ("2", "0.5"), ("1", "inf"))
"""(E[x, z], E[z, x]): symmetric, x hidden better, z hidden better, and Mangat's, where z needs no hiding."""


def attained_errors(forward: str, backward: str) -> tuple[float, float]:
    """The errors of the test that believes the report of the library's binary mechanism: (false alarm, missed)."""
    x, z = mechanism(Context.binary("x", "z", epsilon=(forward, backward)), "binary").channel()
    return float(z[0]), float(x[1])


def run(setting: Setting) -> ExperimentReport:
    """The regions, and a check that the mechanism reaches their corners."""
    rows, regions, gap = [], {}, 0.0
    for forward, backward in PAIRS:
        region = Context.binary("x", "z", epsilon=(forward, backward)).error_region("x", "z")
        reached = attained_errors(forward, backward)
        gap = max(gap, *(abs(a - b) for a, b in zip(region.corner, reached, strict=True)))
        rows.append((forward, backward, *region.corner, *reached, region.allows(*reached)))
        regions[f"E[x,z] = {forward}, E[z,x] = {backward}"] = region.corners
    columns = [("E[x,z]", "s"), ("E[z,x]", "s"), ("corner P_FA", ".6f"), ("corner P_MD", ".6f")]
    columns += [("reached P_FA", ".6f"), ("reached P_MD", ".6f"), ("allowed", "s")]
    return ExperimentReport(
        "acharya2020-figure1",
        "the errors a test can reach under an asymmetric context",
        """
        Acharya2020, Figure 1 and Theorem 1: whoever tests x against z from one report has a false alarm rate
        P_FA = Pr(say x | z) and a missed detection rate P_MD = Pr(say z | x) in the shaded region. Where E[x, z]
        is smaller than E[z, x] (second row), its corner has many false alarms for x and few missed detections: a
        verdict of x proves little, so x is hidden better than z. (The paper's text says that missed detections
        rise; by its (8) it is false alarms.) The paper's figure names no epsilons; ours are in the table.

        The corner is (a(1-b), b(1-a))/(1-ab) with a = exp(-E[x,z]) and b = exp(-E[z,x]); the second coordinate
        of the paper's (23) is misprinted. The library's binary mechanism, in whole units of 64-bit words, reaches
        it in these four contexts, to the precision of the table.
        """,
        [
            ReportTable(
                "corners", "Corners of the regions, and the errors that the mechanism gives a test", columns, rows
            )
        ],
        [
            CheckedClaim("the mechanism reaches every corner, to 1e-12", gap < 1e-12, f"largest gap {gap:.1g}"),
            CheckedClaim("and never passes it", all(row[-1] for row in rows), f"{len(rows)} contexts"),
        ],
        {"acharya2020-figure1": lambda path: _draw(regions, path)},
    )


def _draw(regions: dict[str, list[tuple[float, float]]], path: Path) -> None:
    note = "Shaded: the errors that a test can have under the context, after Theorem 1 of Acharya2020; exact, no data."
    labels = {"x_label": "false alarm: says x of z", "y_label": "missed detection: says z of x"}
    plot_regions(regions, path, **labels, note=note)
