"""How many times fewer people a high-low context needs than uniform privacy, over the part that is sensitive."""

from pathlib import Path

import discreet as dc
from discreet.plots import plot_curves

K = 100
SENSITIVE = [1, 2, 3, 5, 8, 12, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99]


def error(context: dc.Context, prior: list[float]) -> float:
    """n times the expected total squared error of the best mechanism at these shares, by its closed form."""
    return dc.explain(context, prior=prior, bits=None).candidates[0].error


def gain(sensitive: int, epsilon: str, held: float) -> float:
    """Uniform privacy over high-low, where a part `held` of the people hold one of the sensitive values."""
    prior = [held / sensitive] * sensitive + [(1 - held) / (K - sensitive)] * (K - sensitive)
    context = dc.Context.high_low(range(K), sensitive=range(sensitive), epsilon=epsilon)
    return error(dc.Context.uniform(range(K), epsilon=epsilon), prior) / error(context, prior)


def draw(path: Path) -> None:
    """Save the picture: a panel for each part of the people that holds a sensitive value."""
    panels = [
        {
            "title": f"{100 * held:.0f} % of the people hold a sensitive value",
            "x": SENSITIVE,
            "series": {f"epsilon {e}": [gain(s, e, held) for s in SENSITIVE] for e in ("0.5", "1", "2", "4")},
        }
        for held in (0.05, 0.5)
    ]
    labels = {"x_label": f"sensitive values of {K}", "y_label": "times fewer people than uniform privacy"}
    plot_curves(panels, path, log_y=True, columns=2, **labels)
