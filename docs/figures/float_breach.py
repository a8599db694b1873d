"""How far the comparison of floats is off its claim, and how far ours is below it, over epsilon."""

import math
from fractions import Fraction
from pathlib import Path

import discreet as dc
from discreet.core.exact import gap
from discreet.plots.picture import ESTIMATE, INK, TRUTH, new_figure, plain, save

EPSILONS = [f"{number / 4:g}" for number in range(1, 148)]


def float_gap(epsilon: str) -> float:
    """Claimed minus realised epsilon of `random() < p`, exactly: below zero for a breach, -inf for certainty.

    `random()` is a multiple of 2**-53, each equally likely, so the truth is told by ceil(p 2**53) of them.
    """
    p = math.exp(float(epsilon)) / (1 + math.exp(float(epsilon)))
    truth = Fraction(math.ceil(p * 2**53), 2**53)
    return gap(Fraction(epsilon), truth / (1 - truth)) if truth < 1 else -math.inf


def our_gap(epsilon: str) -> float:
    """The same of randomized response as it is drawn here; the certificate says it."""
    return dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon=epsilon)).certificate.gap


def draw(path: Path) -> None:
    """Save the picture."""
    figure = new_figure(7.0, 3.8)
    axes = figure.subplots()
    floats = [(float(epsilon), float_gap(epsilon)) for epsilon in EPSILONS]
    kinds = {
        "floats, more than claimed": (TRUTH, "D", [(x, -y) for x, y in floats if -math.inf < y < 0]),
        "floats, less than claimed": (INK, "o", [(x, y) for x, y in floats if y >= 0]),
        "integers and a certificate: always less": (ESTIMATE, "s", [(float(e), our_gap(e)) for e in EPSILONS]),
    }
    for name, (colour, marker, points) in kinds.items():
        axes.plot(*zip(*points, strict=True), marker, color=colour, markersize=3, label=name)
    axes.set_yscale("log")
    plain(axes, x_label="epsilon claimed", y_label="distance of the realised epsilon from it")
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    save(figure, path)
