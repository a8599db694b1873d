"""What an interval says: its two parts in one survey, and how often it holds over many."""

from pathlib import Path
from typing import Any

import numpy as np

import discreet as dc
from discreet.plots.picture import ESTIMATE, INK, INTERVAL, TRUTH, new_figure, plain, save

ANSWERS = ["never", "monthly", "weekly", "daily"]
HELD = [0.55, 0.33, 0.11, 0.01]
MECHANISM = dc.mechanism(dc.Context.uniform(ANSWERS, epsilon="1"))


def survey(people: int, noise: int) -> dc.Estimate:
    """The shares that 3,000 people drawn by one seed and randomized by another give."""
    held = np.random.default_rng(people).choice(4, size=3000, p=HELD)
    return dc.estimate(MECHANISM.tally(MECHANISM.randomize_indices(held, dc.random.seeded(noise))))


def one_survey(axes: Any, found: dc.Estimate) -> None:
    """Each share with its interval; the dark part would be there without any noise."""
    low, high = found.interval()
    sampling = 1.96 * np.sqrt(found.plug_in * (1 - found.plug_in) / found.n)
    rows = np.arange(4)
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.hlines(rows, low, high, color=INTERVAL, linewidth=9, label="with the noise that protects")
    axes.hlines(
        rows, found.shares - sampling, found.shares + sampling, color=ESTIMATE, linewidth=9, label="asking 3,000"
    )
    axes.plot(found.shares, rows, "o", color=INK, markersize=5, label="estimate")
    axes.plot(HELD, rows, "|", color=TRUTH, markersize=18, markeredgewidth=2, label="truth")
    axes.set_yticks(rows, ANSWERS)
    axes.set_ylim(3.6, -0.6)


def many_surveys(axes: Any, value: str) -> None:
    """The interval of one share in forty surveys; those that miss the truth stand out."""
    at, truth = ANSWERS.index(value), HELD[ANSWERS.index(value)]
    axes.axvline(truth, color=TRUTH, linewidth=1.4)
    for row in range(40):
        found = survey(row + 100, row + 100)
        low, high = (float(end[at]) for end in found.interval())
        colour = ESTIMATE if low <= truth <= high else TRUTH
        axes.plot([low, high], [row, row], color=INTERVAL if colour == ESTIMATE else TRUTH, linewidth=2)
        axes.plot(found[value], row, "o", color=colour, markersize=3)
    axes.set_yticks([])
    axes.set_xticks([0, 0.05, 0.1, 0.15, 0.2])


def draw(path: str | Path) -> None:
    """One survey at the left, forty at the right."""
    figure = new_figure(7.4, 3.4)
    left, right = figure.subplots(1, 2, width_ratios=[1.15, 1])
    one_survey(left, survey(4, 12))
    many_surveys(right, "weekly")
    plain(left, title="one survey", x_label="share of people")
    plain(right, title="the share of weekly in forty surveys", x_label="share of people")
    figure.legend(
        *left.get_legend_handles_labels(), loc="outside lower left", ncols=4, frameon=False, fontsize=8, labelcolor=INK
    )
    save(figure, path)
