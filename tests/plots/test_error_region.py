"""The picture of an error region."""

from __future__ import annotations

import pytest

import discreet as dc
from discreet.core.errors import InvalidInput
from discreet.plots.regions import closed, plot_error_region
from discreet.theory.channels.testing import attained_region

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_a_region_is_drawn(tmp_path, kind):
    region = attained_region(dc.mechanism(dc.Context.binary("no", "yes", ("0.5", "2"))), "no", "yes")
    path = tmp_path / f"region.{kind}"
    plot_error_region(region, path, title="unequal protection")
    assert path.stat().st_size > 2000
    if kind == "svg":
        assert b"<svg" in path.read_bytes()


def test_the_polygon_is_closed_by_its_reflection():
    xs, ys = zip(*closed([(0.0, 1.0), (0.2, 0.3), (1.0, 0.0)]), strict=True)
    assert xs == (0.0, 0.2, 1.0, 1.0, 0.8, 0.0)
    assert ys == (1.0, 0.3, 0.0, 0.0, 0.7, 1.0)


def test_another_kind_of_file_is_refused(tmp_path):
    region = attained_region(dc.mechanism(dc.Context.uniform([0, 1], "1")), 0, 1)
    with pytest.raises(InvalidInput, match="must be a"):
        plot_error_region(region, tmp_path / "region.gif")
