"""A trend over five waves: the share in each wave, and the line through all reports."""

from pathlib import Path

import numpy as np

import discreet as dc
from discreet.plots.picture import ESTIMATE, INK, INTERVAL, TRUTH, new_figure, plain, save


def made_up() -> dc.Survey:
    """Twenty thousand people who do not exist: the share of often grows by 0.025 a year."""
    mechanism = dc.mechanism(dc.Context.uniform(["never", "once", "often"], epsilon="1"))
    people, n = np.random.default_rng(1), 20_000
    region = people.choice(["east", "north", "south"], n)
    since = people.integers(0, 5, n)
    often = 0.12 + 0.025 * since + 0.1 * (region == "north")
    u = people.random(n)
    held = np.where(u < often, 2, np.where(u < often + 0.3, 1, 0))
    return dc.Survey(mechanism, mechanism.randomize_indices(held, dc.random.seeded(1)), labels={"since": since})


def draw(path: str | Path) -> None:
    """Dots with intervals wave by wave, the fitted line with its band, and the true line."""
    survey, often = made_up(), {"often": 1}
    waves = survey.by("since", query=often).table()
    line = dc.regress(survey, often, on=["since"]).predict({"since": list(range(5))}).table()
    years = [2022 + wave for wave in waves["since"]]
    figure = new_figure(6.4, 3.2)
    axes = figure.subplots()
    axes.fill_between(years, line["low"], line["high"], color=INTERVAL, alpha=0.4, linewidth=0, label="95 % band")
    axes.plot(years, line["estimate"], color=ESTIMATE, linewidth=1.6, label="trend through all reports")
    axes.vlines(years, waves["low"], waves["high"], color=INK, linewidth=1.2)
    axes.plot(years, waves["estimate"], "o", color=INK, markersize=5, label="share in the wave")
    truth = [0.12 + 0.025 * wave + 0.1 / 3 for wave in range(5)]
    axes.plot(years, truth, color=TRUTH, linewidth=1.2, linestyle=(0, (4, 3)), label="truth")
    axes.set_xticks(years)
    axes.set_ylim(0, 0.34)
    plain(axes, y_label="share who say often")
    axes.legend(loc="lower right", frameon=False, fontsize=8, labelcolor=INK)
    save(figure, path)
