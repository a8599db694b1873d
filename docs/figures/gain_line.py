"""What distances gain over uniform privacy at the epsilon of neighbours, for shares and for the mean.

The tables for shares are searched for, which takes most of a minute.
"""

from pathlib import Path

import discreet as dc
from discreet.plots import plot_curves

SIZES = [2, 3, 4, 6, 8, 12, 16, 24, 32]
EPSILONS = ("0.1", "0.5", "1")


def line(k: int, epsilon: str) -> dc.Context:
    """The values 0 to k - 1, E growing by epsilon a step."""
    return dc.Context.metric(range(k), "line", epsilon=epsilon)


def gain_of_shares(k: int, epsilon: str) -> float:
    """The best uniform mechanism over the best table that is found for the line."""
    uniform = dc.explain(dc.Context.uniform(range(k), epsilon=epsilon), bits=None).candidates[0].error
    return uniform / dc.design(line(k, epsilon), seconds=15).error


def gain_of_mean(k: int, epsilon: str) -> float:
    """The best uniform mechanism for the mean over the line's best closed form."""
    uniform = dc.explain(dc.Context.uniform(range(k), epsilon=epsilon), query="mean", bits=None).candidates[0].error
    return uniform / dc.explain(line(k, epsilon), query="mean", bits=None).candidates[0].error


def draw(path: Path) -> None:
    """Save the picture: a panel for each question."""
    panels = [
        {
            "title": title,
            "x": SIZES,
            "series": {f"epsilon {epsilon} a step": [gain(k, epsilon) for k in SIZES] for epsilon in EPSILONS},
        }
        for title, gain in (("all shares", gain_of_shares), ("the mean", gain_of_mean))
    ]
    labels = {"x_label": "values on the line", "y_label": "times fewer people than uniform privacy"}
    plot_curves(panels, path, log_y=True, columns=2, **labels)
