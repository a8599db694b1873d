"""The results as one picture: rates of ours and of peers, and the cost as n and k grow."""

from __future__ import annotations

from pathlib import Path

from measure import Result


def draw(results: list[Result], path: Path) -> None:
    """Write the picture."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(16, 6), layout="constrained")
    for k, shift in ((1000, -0.2), (43_750, 0.2)):
        bars = [
            r for r in results if r.k == k and r.rate and r.section in ("privatise", "peers") and "decode" not in r.case
        ]
        names = [r.case.replace(", privatise", "") for r in bars]
        left.barh([i + shift for i in range(len(bars))], [r.rate for r in bars], height=0.4, label=f"k = {k}")
        if k == 1000:
            left.set_yticks(range(len(bars)), names)
    left.set(xscale="log", xlabel="reports a second of one core", title="Privatise")
    left.invert_yaxis()
    if left.patches:
        left.legend()
    lines = [r for r in results if r.section == "growth"]
    fewest = min((r.n for r in lines), default=0)
    for axes, letter, kept in ((middle, "n", "k = 1000"), (right, "k", f"n = {fewest:,}")):
        for case in dict.fromkeys(r.case for r in lines):
            mine = [r for r in lines if r.case == case and (r.k == 1000 if letter == "n" else r.n == fewest)]
            points = sorted((getattr(r, letter), 1e9 / r.rate) for r in mine)
            axes.plot(*zip(*points, strict=True), marker="o", label=f"{case}, {kept}")
        axes.set(xscale="log", xlabel=letter, ylabel="nanoseconds a report", title=f"Cost as {letter} grows")
        axes.set_ylim(bottom=0)
        if axes.lines:
            axes.legend()
    figure.savefig(path, dpi=120)
