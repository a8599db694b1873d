"""The epsilon that holds against whoever sees a shuffled batch, over its size, certified at a delta of a millionth."""

from pathlib import Path

import discreet as dc
from discreet.plots import plot_curves

SIZES = [10, 30, 100, 300, 1000, 3000, 10_000, 100_000, 1_000_000]


def epsilon_of(own: str, n: int) -> float:
    """The epsilon of one pair in a batch of n reports, each of them at epsilon `own` by itself."""
    mechanism = dc.mechanism(dc.Context.uniform(range(15), epsilon=own), "hadamard")
    return dc.shuffled(mechanism, n).epsilon(0, 1, delta=1e-6)


def draw(path: Path) -> None:
    """Save the picture."""
    series = {f"E = {own}": [epsilon_of(own, n) for n in SIZES] for own in ("4", "2", "1", "0.5")}
    panel = {"title": "Hadamard response, 15 values", "x": SIZES, "series": series}
    labels = {"x_label": "reports in the batch", "y_label": "epsilon at delta 1e-6"}
    plot_curves([panel], path, log_x=True, log_y=True, **labels)
