"""What any one report can make of a belief, at most and at least, by what was believed before."""

from pathlib import Path

import discreet as dc
from discreet.plots import plot_curves

SHARES = [number / 50 for number in range(51)]


def believed(share: float, epsilon: str, *, against: bool) -> float:
    """The share of x among those who send the same report: odds times e**E at most, over e**E at least."""
    context = dc.Context.uniform(["x", "not x"], epsilon=epsilon)
    if share in (0, 1):
        return share
    if against:
        return 1 - believed(1 - share, epsilon, against=False)
    odds = context.posterior_odds_bound("x", "not x", prior_odds=share / (1 - share))
    return odds / (1 + odds)


def draw(path: Path) -> None:
    """Save the picture: a band for each epsilon around what was believed before."""
    bands, series = {}, {"nothing learnt": SHARES}
    for epsilon in ("2", "1", "0.5"):
        highs = [believed(share, epsilon, against=False) for share in SHARES]
        lows = [believed(share, epsilon, against=True) for share in SHARES]
        series[f"epsilon {epsilon}"] = highs
        bands[f"epsilon {epsilon}"] = (lows, highs)
    panel = {"title": "", "x": SHARES, "series": series, "bands": bands}
    plot_curves([panel], path, x_label="share of x before the report", y_label="share of x after it")
