from __future__ import annotations

import json


def test_every_block_has_its_own_number_of_reports(discreet):
    done = discreet("shuffled", "survey.toml", "--block", "north=1000", "--block", "south=400")
    assert done.exit_code == 0
    assert "hidden by the own block" in done.stdout
    assert "only E holds" in done.stdout


def test_json_has_the_agreed_keys_for_a_pair(discreet):
    done = discreet(
        "shuffled", "survey.toml", "--n", 1000, "--among", "n1", "--among", "n2", "--pair", "n1", "n2", "--json"
    )
    told = json.loads(done.stdout)
    assert told["hiders"] == ["n1", "n2"]
    assert [(row["x"], row["z"]) for row in told["pairs"]] == [("n1", "n2"), ("n2", "n1")]
    assert all(0 < row["attained"] <= row["epsilon"] < row["claimed"] for row in told["pairs"])


def test_the_least_batch_for_an_epsilon(discreet):
    done = discreet("shuffled", "survey.toml", "--epsilon", 0.2)
    assert "takes batches of at least" in done.stdout
    assert "of every block" in done.stdout
    told = json.loads(discreet("shuffled", "survey.toml", "--epsilon", 0.2, "--json").stdout)
    assert told["batch_needed"] > 100


def test_a_tally_says_how_many_there_are(discreet, folder):
    (folder / "values.txt").write_text("n1\n" * 50 + "s1\n" * 70)
    discreet("randomize", "survey.toml", "values.txt", "-o", "reports.txt", "--insecure-seed", 1)
    discreet("tally", "survey.toml", "reports.txt", "-o", "tally.json")
    told = json.loads(discreet("shuffled", "survey.toml", "--tally", "tally.json", "--json").stdout)
    assert sorted({row["n"] for row in told["pairs"]}) == [50, 70]


def test_a_picture_of_the_pair(discreet, folder):
    done = discreet(
        "shuffled", "survey.toml", "--block", "north=99", "--block", "south=9", "--pair", "n1", "n2", "--plot", "p.svg"
    )
    assert done.exit_code == 0
    assert "n1 against n2" in (folder / "p.svg").read_text() or (folder / "p.svg").stat().st_size > 5000


def test_bad_input_is_one_line_and_exit_code_2(discreet):
    for arguments in (
        ["--n", 100],
        [],
        ["--n", 100, "--epsilon", 1],
        ["--block", "west=3"],
        ["--block", "north=many"],
        ["--n", 9, "--among", "nobody"],
        ["--n", 9, "--among", "n1", "--delta", 2],
        ["--n", 9, "--plot", "p.png"],
    ):
        done = discreet("shuffled", "survey.toml", *arguments)
        assert done.exit_code == 2, arguments
        assert len(done.stderr.splitlines()) == 1, done.stderr
