"""Pictures: shares, estimates, curves, bars, maps, error regions and accounts; the only part that needs matplotlib.

>>> import tempfile
>>> from pathlib import Path
>>> import discreet as dc
>>> path = Path(tempfile.mkdtemp()) / "shares.svg"
>>> panel = {"values": ["bus", "car"], "shares": [0.4, 0.6], "low": [0.35, 0.55], "high": [0.45, 0.65]}
>>> dc.plots.plot_shares(panel, path)
>>> path.exists()
True
"""

from .bars import plot_bars, plot_deviations, plot_dots, plot_noncompliance
from .curves import plot_curves, plot_design, plot_exposure, plot_points, plot_ratios, plot_repeated, plot_shuffled
from .maps import plot_maps, plot_partitions
from .matrices import plot_matrices, plot_table
from .regions import plot_error_region, plot_regions
from .shares import plot_estimates, plot_shares

__all__ = [
    "plot_bars",
    "plot_curves",
    "plot_design",
    "plot_deviations",
    "plot_dots",
    "plot_error_region",
    "plot_estimates",
    "plot_noncompliance",
    "plot_exposure",
    "plot_maps",
    "plot_matrices",
    "plot_partitions",
    "plot_points",
    "plot_ratios",
    "plot_regions",
    "plot_repeated",
    "plot_shares",
    "plot_shuffled",
    "plot_table",
]


def __dir__() -> list[str]:
    return __all__
