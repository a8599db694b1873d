"""How often x is told from z by somebody who has all fresh reports of one person, over their number."""

from pathlib import Path

import discreet as dc
from discreet.plots import plot_curves

TIMES = [1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 365]


def success(epsilon: str, times: int) -> float:
    """The part of right answers to the question whether a person holds x or z, from so many fresh reports."""
    mechanism = dc.mechanism(dc.Context.uniform(range(15), epsilon=epsilon), "hadamard")
    return dc.repeated(mechanism, times).success(0, 1)


def draw(path: Path) -> None:
    """Save the picture."""
    series = {
        f"epsilon {epsilon}": [success(epsilon, times) for times in TIMES] for epsilon in ("2", "1", "0.5", "0.1")
    }
    panel = {"title": "Hadamard response, 15 values", "x": TIMES, "series": series}
    labels = {"x_label": "fresh reports about one value", "y_label": "right answers, x or z"}
    plot_curves([panel], path, log_x=True, **labels)
