"""How many times fewer people a block context needs than uniform privacy, over the number of equal blocks."""

from pathlib import Path

import discreet as dc
from discreet.plots import plot_curves

K = 240
NUMBERS = [1, 2, 3, 4, 6, 8, 12, 20, 30, 40, 60, 80, 120]


def error(context: dc.Context) -> float:
    """n times the expected total squared error of the best mechanism, at even shares, by its closed form."""
    return dc.explain(context, bits=None).candidates[0].error


def blocks(number: int, epsilon: str) -> dc.Context:
    """K values in so many equal blocks."""
    size = K // number
    members = {f"block {b}": range(b * size, (b + 1) * size) for b in range(number)}
    return dc.Context.blocks(members, epsilon=epsilon)


def draw(path: Path) -> None:
    """Save the picture."""
    series = {}
    for epsilon in ("0.5", "1", "2", "4"):
        uniform = error(dc.Context.uniform(range(K), epsilon=epsilon))
        series[f"epsilon {epsilon}"] = [uniform / error(blocks(number, epsilon)) for number in NUMBERS]
    series["as many as there are blocks"] = NUMBERS
    panel = {"title": f"{K} values in equal blocks", "x": NUMBERS, "series": series}
    labels = {"x_label": "blocks", "y_label": "times fewer people than uniform privacy"}
    plot_curves([panel], path, log_x=True, log_y=True, **labels)
