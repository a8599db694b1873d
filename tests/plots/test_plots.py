from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ElementTree

import pytest

import discreet as dc
from discreet import plots
from discreet.core.errors import InvalidInput, MissingExtra
from discreet.plots import plot_shares

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture(autouse=True)
def words_as_text(monkeypatch):
    monkeypatch.setitem(matplotlib.rcParams, "svg.fonttype", "none")


def panel(size, **more):
    shares = [(x + 1) / (size * (size + 1) / 2) for x in range(size)]
    low, high = [share - 0.02 for share in shares], [share + 0.02 for share in shares]
    return {"values": [f"v{x}" for x in range(size)], "shares": shares, "low": low, "high": high, **more}


def words(path):
    return {"".join(node.itertext()).strip() for node in ElementTree.parse(path).iter() if node.tag.endswith("}text")}


def test_a_picture_names_values_title_and_legend(tmp_path):
    plot_shares(panel(4, title="one way"), tmp_path / "p.svg", title="Shares", truth=[0.1, 0.2, 0.3, 0.4])
    found = words(tmp_path / "p.svg")
    assert {"v0", "v1", "v2", "v3", "Shares", "one way", "estimate", "interval", "truth", "share of people"} <= found


def test_without_the_truth_none_is_drawn(tmp_path):
    plot_shares(panel(4), tmp_path / "p.svg")
    assert "truth" not in words(tmp_path / "p.svg")


def test_panels_share_their_values_and_groups_have_heads(tmp_path):
    groups = ["north", "north", "south", "south"]
    panels = [panel(4, title="left", groups=groups), panel(4, title="right", groups=groups)]
    plot_shares(panels, tmp_path / "p.svg")
    assert {"left", "right", "north", "south", "v3"} <= words(tmp_path / "p.svg")


def test_of_many_values_the_largest_are_drawn_and_said_so(tmp_path):
    plot_shares(panel(100), tmp_path / "p.svg", title="Shares")
    found = words(tmp_path / "p.svg")
    assert "Shares: the 60 largest of 100 shares" in found
    assert {f"v{x}" for x in range(40, 100)} <= found
    assert "v39" not in found


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_the_name_says_the_kind_of_picture(suffix, tmp_path):
    plot_shares(panel(3), tmp_path / f"p.{suffix}")
    beginning = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
    assert (tmp_path / f"p.{suffix}").read_bytes().startswith(beginning)


def test_an_estimate_is_drawn_as_the_library_gives_it(tmp_path):
    mechanism = dc.mechanism(dc.Context.uniform(["a", "b", "c"], 1))
    estimate = dc.estimate(mechanism.tally([mechanism.randomize("a", dc.random.seeded(1)) for _ in range(50)]))
    low, high = estimate.interval()
    found = {"values": estimate.values, "shares": estimate.shares, "low": low, "high": high}
    plot_shares(found, tmp_path / "p.png")
    assert (tmp_path / "p.png").stat().st_size > 5000


def test_no_reports_are_an_empty_picture(tmp_path):
    mechanism = dc.mechanism(dc.Context.uniform(["a", "b", "c"], 1))
    estimate = dc.estimate(mechanism.tally())
    low, high = estimate.interval()
    with pytest.raises(InvalidInput, match="there is nothing to draw"):
        plot_shares({"values": "abc", "shares": estimate.shares, "low": low, "high": high}, tmp_path / "p.png")
    assert list(tmp_path.iterdir()) == []


BAD = {
    "another kind": (panel(3), "p.gif", None, "a picture must be a .png, .svg or .pdf file"),
    "unlike panels": ([panel(3), panel(4)], "p.png", None, "panels must show the same values"),
    "another truth": (panel(3), "p.png", [1.0], "truth has 1 shares; it must have one per value, 3"),
}


@pytest.mark.parametrize(("panels", "name", "truth", "message"), BAD.values(), ids=BAD.keys())
def test_it_is_refused(panels, name, truth, message, tmp_path):
    with pytest.raises(InvalidInput, match=re.escape(message)):
        plot_shares(panels, tmp_path / name, truth=truth)
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_the_install_line_is_named(tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=re.escape("pip install 'discreet[plot]'")):
        plot_shares(panel(3), tmp_path / "p.png")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_imported_before_a_picture_is_drawn():
    assert plots.__name__ == "discreet.plots"
    assert "matplotlib" not in vars(plots)


@pytest.mark.parametrize("make", [dc.estimate, dc.project, dc.likelihood, dc.shrink])
def test_any_result_can_be_drawn(make, tmp_path):
    mechanism = dc.mechanism(dc.Context.uniform(["yes", "no", "maybe"], "1"))
    result = make(mechanism.tally([0, 1, 1, 2, 0]))
    plot_shares(result, tmp_path / "p.svg", confidence=0.9)
    assert {"yes", "no", "maybe", "estimate", "interval", result.method} <= words(tmp_path / "p.svg")
    plot_shares([result, dc.estimate(result)], tmp_path / "two.svg")
    assert {result.method, "unbiased"} <= words(tmp_path / "two.svg")


def test_shares_without_intervals_are_drawn_alone(tmp_path):
    plot_shares(panel(3) | {"low": None, "high": None}, tmp_path / "p.svg")
    assert "interval" not in words(tmp_path / "p.svg")


def test_no_reports_leave_nothing_to_draw(tmp_path):
    nothing = dc.estimate(dc.mechanism(dc.Context.uniform(range(3), "1")).tally())
    with pytest.raises(InvalidInput, match="nothing to draw"):
        plot_shares(nothing, tmp_path / "p.svg")
