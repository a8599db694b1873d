"""The error of an average over waves, where each wave was made a distribution before and where it was not."""

from pathlib import Path

import numpy as np
from _surveys import WAYS, estimated, shares_of

from discreet.plots import plot_curves

SURVEYS = 2000
WAVES = [1, 2, 4, 8, 16, 32, 64, 128]


def draw(path: Path) -> None:
    """Save the picture: how far the mean of so many waves is from the truth."""
    truth = shares_of("Zipf")
    series = {}
    for way, rows in estimated("Zipf", SURVEYS).items():
        series[way] = [distance(rows, waves, truth) for waves in WAVES]
    panel = {"title": "50 values, shares by Zipf's law", "x": WAVES, "series": {way: series[way] for way in WAYS}}
    labels = {"x_label": "waves averaged", "y_label": "total variation of the average"}
    plot_curves([panel], path, log_x=True, log_y=True, **labels)


def distance(rows: np.ndarray, waves: int, truth: np.ndarray) -> float:
    """Half the sum of absolute errors of averages over so many surveys in a row, their mean."""
    groups = rows[: len(rows) // waves * waves].reshape(-1, waves, len(truth)).mean(axis=1)
    return float(np.abs(groups - truth).sum(axis=1).mean() / 2)
