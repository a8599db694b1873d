"""The exact error of a survey of 10,000 people against epsilon, under three contexts."""

import numpy as np

import discreet as dc
from discreet.planning.objective import objective_of
from discreet.plots import plot_curves

VALUES = list(range(40))
BLOCKS = {number: VALUES[10 * number : 10 * number + 10] for number in range(4)}
EPSILONS = ["0.25", "0.5", "0.75", "1", "1.5", "2", "3", "4"]
CONTEXTS = {
    "classical: everything hidden": lambda epsilon: dc.Context.uniform(VALUES, epsilon),
    "4 blocks of 10 values": lambda epsilon: dc.Context.blocks(BLOCKS, epsilon),
    "5 of 40 values sensitive": lambda epsilon: dc.Context.high_low(VALUES, sensitive=VALUES[:5], epsilon=epsilon),
}
PEOPLE = 10_000


def draw(path):
    """Draw the figure."""
    even = np.full(len(VALUES), 1 / len(VALUES))

    def error(context):
        return (objective_of(context, None).error(dc.mechanism(context), even) / PEOPLE) ** 0.5

    series = {name: [error(made(epsilon)) for epsilon in EPSILONS] for name, made in CONTEXTS.items()}
    unhidden = objective_of(dc.Context.uniform(VALUES, "1"), None).unhidden(even)
    series["no privacy"] = [(unhidden / PEOPLE) ** 0.5] * len(EPSILONS)
    panel = {"title": "40 values, 10,000 people", "x": [float(epsilon) for epsilon in EPSILONS], "series": series}
    note = "Exact: root of the expected squared error of all shares, unbiased, even shares. No data."
    plot_curves([panel], path, x_label="epsilon", y_label="error of all shares", log_x=True, log_y=True, note=note)
