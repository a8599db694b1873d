"""Pictures: shares with intervals, curves, bars, maps and error regions; the one place that needs matplotlib."""

from .shares import plot_shares

__all__ = ["plot_shares"]
