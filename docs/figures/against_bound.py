"""The errors of three mechanisms beside the bound that none is below, over epsilon."""

from pathlib import Path

import discreet as dc
from discreet.plots import plot_curves

K = 20
EPSILONS = ["0.25", "0.5", "0.75", "1", "1.5", "2", "2.5", "3", "3.5", "4"]
NAMES = {"randomized response": "randomized_response", "Hadamard": "hadamard", "subset": "subset"}


def ratio(name: str, epsilon: str) -> float:
    """The squared error of a mechanism at even shares over the least that any mechanism can have there."""
    context = dc.Context.uniform(range(K), epsilon=epsilon)
    found = dc.bounds.compare(dc.mechanism(context, name), 1)
    return found.attained["squared_error"].value / found.lower["squared_error"].value


def draw(path: Path) -> None:
    """Save the picture."""
    series = {title: [ratio(name, epsilon) for epsilon in EPSILONS] for title, name in NAMES.items()}
    series["no mechanism below"] = [1.0] * len(EPSILONS)
    panel = {"title": f"{K} values", "x": [float(epsilon) for epsilon in EPSILONS], "series": series}
    plot_curves([panel], path, x_label="epsilon", y_label="squared error over the bound", log_y=True)
