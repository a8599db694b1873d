from __future__ import annotations

import json

import pytest


def test_the_table_has_lower_attained_and_upper_side_by_side(discreet):
    done = discreet("bounds", "survey.toml", "--n", 10000)
    assert done.exit_code == 0
    assert done.stdout.splitlines()[1].split() == ["lower", "attained", "upper"]
    assert "blocks(hadamard), n = 10,000" in done.stdout
    assert done.stderr == ""


def test_json_names_every_bound_by_its_source(discreet):
    told = json.loads(discreet("bounds", "survey.toml", "--n", 10000, "--json").stdout)
    for quantity in ("squared_error", "squared_error_worst", "total_variation_worst"):
        low, attained, high = (told[side][quantity] for side in ("lower", "attained", "upper"))
        assert 0 < low["value"] <= attained["value"] <= high["value"] * (1 + 1e-9)
        assert low["source"]
        assert high["source"]
        assert attained["source"] == "blocks(hadamard)"
    assert told["n"] == 10000


def test_a_prior_changes_what_is_said_of_these_shares_only(discreet, folder):
    (folder / "prior.json").write_text('{"n1": 0.6, "n2": 0.1, "n3": 0.1, "s1": 0.1, "s2": 0.1}')
    even = json.loads(discreet("bounds", "survey.toml", "--n", 100, "--json").stdout)
    given = json.loads(discreet("bounds", "survey.toml", "--n", 100, "--prior", "prior.json", "--json").stdout)
    assert given["attained"]["squared_error"] != even["attained"]["squared_error"]
    assert given["lower"]["total_variation_worst"] == even["lower"]["total_variation_worst"]


def test_users_for_a_target(discreet):
    told = json.loads(discreet("bounds", "survey.toml", "--n", 100, "--tv", 0.05, "--json").stdout)["users"]
    assert told["lower"] < told["attained"] <= told["upper"] < told["upper_printed"]
    assert "users for a total variation of 0.05" in discreet("bounds", "survey.toml", "--n", 100, "--tv", 0.05).stdout


def test_the_error_region_of_a_pair(discreet, folder):
    told = json.loads(discreet("bounds", "survey.toml", "--n", 100, "--pair", "n1", "n2", "--json").stdout)["region"]
    assert told["attained"][0] == told["allowed"][0] == [0, 1]
    text = discreet("bounds", "survey.toml", "--n", 100, "--pair", "n1", "n2", "--plot", "region.png").stdout
    assert "tests between 'n1' and 'n2'" in text
    assert (folder / "region.png").stat().st_size > 2000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing option '--n'"),
        (("--n", "0"), "not in the range"),
        (("--n", "10", "--tv", "2"), "tv=2.0 must be between 0 and 1"),
        (("--n", "10", "--plot", "a.png"), "give --pair X Z"),
        (("--n", "10", "--pair", "n1", "x"), "value='x' must be one of"),
        (("--n", "10", "--prior", "answers.txt"), "not JSON"),
    ],
)
def test_bad_input_is_one_line(refused, arguments, message):
    assert message in refused("bounds", "survey.toml", *arguments)
