from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import discreet as dc
from discreet.cli.after.estimate import METHODS
from discreet.estimation.tally import read_tally
from discreet.wire import Spec

KEYS = {"n", "method", "values", "shares", "stderr", "low", "high", "confidence"}


@pytest.fixture
def tally(discreet):
    discreet("randomize", "survey.toml", "answers.txt", "-o", "r.txt", "--insecure-seed", 5)
    discreet("tally", "survey.toml", "r.txt", "-o", "tally.json")
    return read_tally("tally.json", Spec.read("survey.toml").mechanism)


def told(done):
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_json_gives_the_estimate_under_the_agreed_keys(discreet, tally):
    found = told(discreet("estimate", "survey.toml", "tally.json", "--json"))
    estimate = dc.estimate(tally)
    low, high = estimate.interval(0.95)
    assert set(found) >= KEYS
    assert (found["n"], found["method"], found["confidence"]) == (300, "unbiased", 0.95)
    assert found["values"] == ["n1", "n2", "n3", "s1", "s2"]
    for key, numbers in (("shares", estimate.shares), ("stderr", estimate.stderr), ("low", low), ("high", high)):
        assert found[key] == numbers.tolist()


def test_confidence_and_simultaneity_are_passed_on(discreet, tally):
    estimate = dc.estimate(tally)
    found = told(discreet("estimate", "survey.toml", "tally.json", "--json", "--confidence", 0.5))
    assert found["low"] == estimate.interval(0.5)[0].tolist()
    found = told(discreet("estimate", "survey.toml", "tally.json", "--json", "--simultaneous"))
    assert found["high"] == estimate.simultaneous_interval(0.95)[1].tolist()


@pytest.mark.parametrize("dash", [[], ["-"]], ids=["nothing", "dash"])
def test_a_tally_is_read_from_a_pipe(dash, discreet, tally, folder):
    piped = discreet("estimate", "survey.toml", *dash, "--json", input=(folder / "tally.json").read_bytes())
    assert told(piped) == told(discreet("estimate", "survey.toml", "tally.json", "--json"))


@pytest.mark.parametrize("method", [method for method in METHODS if method not in ("unbiased", "smooth")])
def test_the_other_methods_give_a_distribution_and_say_that_it_is_biased(method, discreet, tally):
    found = told(discreet("estimate", "survey.toml", "tally.json", "--json", "--method", method))
    assert min(found["shares"]) >= 0
    assert sum(found["shares"]) == pytest.approx(1, abs=1e-6)
    assert "biased" in found["method"]
    result = getattr(dc, METHODS[method])(tally)
    low, high = result.interval(0.95)
    assert (found["low"], found["high"]) == (low.tolist(), high.tolist())
    assert found["stderr"] is None
    lines = discreet("estimate", "survey.toml", "tally.json", "--method", method).stdout.splitlines()
    assert f"- shares by {result.method}" in lines
    assert lines[1].split()[2] == "-"
    assert any(line.startswith("- no stderr: ") for line in lines)


def test_intervals_that_hold_together_are_given_where_there_are_any(discreet, tally):
    options = ["estimate", "survey.toml", "tally.json", "--simultaneous", "--method"]
    for method, make in (("projection", dc.project), ("shrink", dc.shrink)):
        found = told(discreet(*options, method, "--json"))
        assert found["low"] == make(tally).simultaneous_interval(0.95)[0].tolist()


def test_the_table_has_a_row_a_value_and_notes(discreet, tally):
    lines = discreet("estimate", "survey.toml", "tally.json").stdout.splitlines()
    assert lines[0].split() == ["value", "share", "stderr", "low", "high"]
    rows = [line.split() for line in lines[1:6]]
    assert [row[0] for row in rows] == ["n1", "n2", "n3", "s1", "s2"]
    shares = dc.estimate(tally).shares
    assert [float(row[1]) for row in rows] == pytest.approx(shares, abs=1e-4)
    assert lines[6] == lines[10] == ""
    assert [line.split()[0] for line in lines[7:10]] == ["block", "north", "south"]
    assert lines[11] == "- 300 reports of blocks(hadamard); each interval at 0.95 confidence"
    assert lines[12] == "- reports show their block: its share is a plain frequency"
    assert lines[13] == "- shares are unbiased: some may be below 0, and they need not add up to 1"
    assert lines[14].startswith("- a crafted report weighs up to 2.16 people on one value: 1 % of such reports can mov")
    assert len(lines) == 15
    together = discreet("estimate", "survey.toml", "tally.json", "--simultaneous", "--confidence", 0.9).stdout
    assert "- 300 reports of blocks(hadamard); all intervals together at 0.9 confidence\n" in together


def test_values_without_neighbours_are_not_smoothed_and_numbers_are(discreet, tally):
    found = discreet("estimate", "survey.toml", "tally.json", "--method", "smooth")
    assert (found.exit_code, "these values have no neighbours" in found.stderr) == (2, True)
    Spec(dc.Context.numbers(0, 8, "2")).write("numbers.toml")
    Path("numbers.txt").write_text("\n".join(["1.5", "2", "3.25", "7"] * 100) + "\n")
    discreet("randomize", "numbers.toml", "numbers.txt", "-o", "n.txt", "--insecure-seed", 5)
    discreet("tally", "numbers.toml", "n.txt", "-o", "numbers.json")
    smoothed = told(discreet("estimate", "numbers.toml", "numbers.json", "--json", "--method", "smooth"))
    assert sum(smoothed["shares"]) == pytest.approx(1)
    assert "towards neighbours" in smoothed["method"]


@pytest.mark.parametrize("method", [method for method in METHODS if method != "smooth"])
def test_blocks_have_their_totals_whatever_the_method(discreet, tally, method):
    found = told(discreet("estimate", "survey.toml", "tally.json", "--json", "--method", method))["blocks"]
    assert set(found) == {"names", "shares", "stderr", "low", "high"}
    assert dict(zip(found["names"], found["shares"], strict=True)) == dc.estimate(tally).block_totals
    assert found["names"] == ["north", "south"]
    assert found["shares"] == pytest.approx([2 / 3, 1 / 3]), "the values in the file"
    assert found["stderr"] == pytest.approx([(2 / 9 / 300) ** 0.5] * 2)


def test_the_largest_blocks_are_picked_with_the_largest_shares(discreet, tally):
    found = told(discreet("estimate", "survey.toml", "tally.json", "--json", "--top", 1))["blocks"]
    assert found["names"] == ["north"]
    assert len(found["low"]) == 1
    assert "south" not in discreet("estimate", "survey.toml", "tally.json", "--top", 1).stdout


def test_intervals_of_blocks_that_hold_together_are_wider(discreet, tally):
    each, both = (
        told(discreet("estimate", "survey.toml", "tally.json", "--json", *option))["blocks"]
        for option in ([], ["--simultaneous"])
    )
    assert both["low"][0] < each["low"][0] < each["high"][0] < both["high"][0]


def test_a_context_without_blocks_has_no_totals(discreet, folder):
    (folder / "flat.toml").write_text(
        '[domain]\nsize = 3\n[context]\nform = "uniform"\nepsilon = 1\n[mechanism]\nname = "hadamard"\n'
    )
    discreet("tally", "flat.toml", "--unmarked", "-o", "flat.json", input="0\n1\n")
    assert told(discreet("estimate", "flat.toml", "flat.json", "--json"))["blocks"] is None
    assert "block" not in discreet("estimate", "flat.toml", "flat.json").stdout


def test_more_reports_give_more_digits(discreet, folder):
    (folder / "two.toml").write_text('[domain]\nsize = 2\n[context]\nform = "uniform"\nepsilon = 1\n')
    mechanism = Spec.read("two.toml").mechanism
    many = {"fingerprint": mechanism.fingerprint, "n": 10**12, "counts": [6 * 10**11, 4 * 10**11]}
    (folder / "many.json").write_text(json.dumps(many))
    share = discreet("estimate", "two.toml", "many.json").stdout.splitlines()[1].split()[1]
    assert len(share.partition(".")[2]) == 8


def test_the_largest_shares_can_be_picked(discreet, tally):
    found = told(discreet("estimate", "survey.toml", "tally.json", "--json", "--top", 2))
    shares = sorted(dc.estimate(tally).shares.tolist(), reverse=True)
    assert found["shares"] == shares[:2]
    assert len(found["values"]) == len(found["low"]) == 2
    assert len(told(discreet("estimate", "survey.toml", "tally.json", "--json", "--top", 99))["values"]) == 5


def test_picking_the_largest_is_owned_up_to(discreet, tally):
    note = "- the largest shares were picked after the fact, and look large: --simultaneous allows for that\n"
    assert note in discreet("estimate", "survey.toml", "tally.json", "--top", 2).stdout
    for args in (["--top", 2, "--simultaneous"], ["--top", 5], []):
        assert note not in discreet("estimate", "survey.toml", "tally.json", *args).stdout


def test_great_influence_is_a_warning(discreet, folder):
    (folder / "big.toml").write_text(
        '[domain]\nsize = 500\n[context]\nform = "uniform"\nepsilon = 1\n[mechanism]\nname = "randomized_response"\n'
    )
    discreet("tally", "big.toml", "--unmarked", "-o", "big.json", input="5\n7\n")
    shown = discreet("estimate", "big.toml", "big.json").stdout
    assert "- WARNING: a crafted report weighs up to 291 people on one value: 1 % of such reports can move" in shown
    assert told(discreet("estimate", "big.toml", "big.json", "--json"))["influence"] == pytest.approx(291.4, abs=0.1)


def test_no_reports_are_no_error(discreet):
    discreet("tally", "survey.toml", "--unmarked", "-o", "empty.json", input="")
    found = told(discreet("estimate", "survey.toml", "empty.json", "--json"))
    assert found["n"] == 0
    assert found["shares"] == found["stderr"] == found["low"] == [None] * 5
    assert found["blocks"]["shares"] == found["blocks"]["high"] == [None] * 2
    shown = discreet("estimate", "survey.toml", "empty.json").stdout
    assert "- no reports yet: nothing is known about the shares\n" in shown
    assert "crafted" not in shown


def test_a_picture_is_drawn_beside_the_table(discreet, tally, folder):
    done = discreet("estimate", "survey.toml", "tally.json", "--plot", "shares.png", "--top", 3)
    assert done.exit_code == 0
    assert len(done.stdout.splitlines()) == 14
    assert (folder / "shares.png").read_bytes().startswith(b"\x89PNG")


BAD = {
    "a confidence of two": (["--confidence", "2"], "confidence=2.0 must be between 0 and 1"),
    "a confidence of nothing": (["--confidence", "0"], "confidence=0.0 must be between 0 and 1"),
    "a confidence of nan": (["--confidence", "nan"], "confidence=nan must be between 0 and 1"),
    "a confidence of words": (
        ["--confidence", "high"],
        "Invalid value for '--confidence': 'high' is not a valid float. Try 'discreet estimate --help'.",
    ),
    "an unknown method": (
        ["--method", "guess"],
        f"Invalid value for '--method': 'guess' is not one of {str([*METHODS])[1:-1]}. Try 'discreet estimate --help'.",
    ),
    "none of the top": (
        ["--top", "0"],
        "Invalid value for '--top': 0 is not in the range x>=1. Try 'discreet estimate --help'.",
    ),
    "a picture of another kind": (["--plot", "shares.doc"], "shares.doc: a picture must be a .png, .svg or .pdf file"),
    "a picture nowhere": (["--plot", "none/shares.png"], "none/shares.png: No such file or directory"),
}


@pytest.mark.parametrize(("args", "message"), BAD.values(), ids=BAD.keys())
def test_bad_options_are_one_line(args, message, refused, tally):
    assert refused("estimate", "survey.toml", "tally.json", *args) == message


def test_a_picture_without_the_extra_names_the_install_line(refused, tally, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = refused("estimate", "survey.toml", "tally.json", "--plot", "shares.png")
    assert message == "matplotlib is not installed: pip install 'discreet[plot]'"


def test_bad_tallies_are_one_line(refused, tally, folder):
    assert refused("estimate", "survey.toml", "none.json") == "none.json: No such file or directory"
    broken = "standard input: a tally must be a JSON object with fingerprint, n and counts"
    assert refused("estimate", "survey.toml", input="[]") == broken
    (folder / "other.toml").write_text((folder / "survey.toml").read_text().replace("hadamard", "unary"))
    message = refused("estimate", "other.toml", "tally.json")
    assert message.startswith("tally.json: this tally is of blocks(hadamard) (")
    told_twice = json.loads((folder / "tally.json").read_text())
    (folder / "twice.json").write_text(json.dumps(told_twice | {"n": 600}))
    assert refused("estimate", "survey.toml", "twice.json") == "twice.json: counts add up to 300 reports, but n=600"


@pytest.mark.parametrize("method", [*METHODS][1:])
def test_nothing_can_be_made_a_distribution_of_no_reports(method, refused, discreet):
    discreet("tally", "survey.toml", "--unmarked", "-o", "empty.json", input="")
    assert "reports" in refused("estimate", "survey.toml", "empty.json", "--method", method)
