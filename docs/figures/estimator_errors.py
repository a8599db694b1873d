"""The squared error of each way from a tally to shares, beside that of the unbiased one, for four shapes of shares."""

from pathlib import Path

from _surveys import SHAPES, WAYS, estimated, shares_of

from discreet.plots import plot_bars

SURVEYS = 400


def draw(path: Path) -> None:
    """Save the picture."""
    errors: dict[str, list[float]] = {way: [] for way in WAYS}
    for shape in SHAPES:
        made = estimated(shape, SURVEYS)
        total = {way: float(((rows - shares_of(shape)) ** 2).sum()) for way, rows in made.items()}
        for way in WAYS:
            errors[way].append(total[way] / total["unbiased"])
    plot_bars(list(SHAPES), errors, path, y_label="squared error, unbiased = 1")
