"""How often the best guess of somebody's value is right after one report, over epsilon, for three mechanisms."""

from pathlib import Path

import discreet as dc
from discreet.plots import plot_curves

K = 15
EPSILONS = ["0.25", "0.5", "0.75", "1", "1.5", "2", "2.5", "3", "3.5", "4", "4.5", "5"]


def guess(name: str, epsilon: str) -> float:
    """The part of people whose value is guessed right, all values being equally likely."""
    return dc.exposure(dc.mechanism(dc.Context.uniform(range(K), epsilon=epsilon), name)).guess


def draw(path: Path) -> None:
    """Save the picture."""
    names = {"randomized response": "randomized_response", "subset": "subset", "Hadamard": "hadamard"}
    series = {title: [guess(name, epsilon) for epsilon in EPSILONS] for title, name in names.items()}
    series["without a report"] = [1 / K] * len(EPSILONS)
    panel = {"title": f"{K} values, equally likely", "x": [float(e) for e in EPSILONS], "series": series}
    plot_curves([panel], path, x_label="epsilon", y_label="right guesses")
