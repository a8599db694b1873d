from __future__ import annotations

import json


def test_the_table_has_a_row_for_each_kind_of_value(discreet):
    done = discreet("exposure", "survey.toml")
    assert done.exit_code == 0
    assert "promised high" in done.stdout
    assert "times in 100 instead of 20" in done.stdout


def test_a_prior_and_words_for_one_value(discreet, folder):
    (folder / "prior.json").write_text('{"n1": 0.2, "n2": 0.2, "n3": 0.2, "s1": 0.2, "s2": 0.2}')
    done = discreet("exposure", "survey.toml", "--prior", "prior.json", "--value", "n1")
    assert done.stdout.splitlines()[0] == "Your report shows your block; inside it:"
    told = json.loads(discreet("exposure", "survey.toml", "--value", "n1", "--json").stdout)
    assert "\n".join(told["sentences"]) + "\n" == done.stdout


def test_json_has_guesses_and_ranges(discreet):
    told = json.loads(discreet("exposure", "survey.toml", "--json").stdout)
    assert told["guess_without"] == 0.2 < told["guess"] < 1
    assert all(row["promised_low"] <= row["low"] <= row["high"] <= row["promised_high"] for row in told["values"])


def test_a_picture(discreet, folder):
    assert discreet("exposure", "survey.toml", "--plot", "p.png").exit_code == 0
    assert (folder / "p.png").stat().st_size > 5000


def test_bad_input_is_one_line_and_exit_code_2(discreet):
    for arguments in (["--value", "nobody"], ["--prior", "missing.json"], ["--plot", "p.gif"]):
        done = discreet("exposure", "survey.toml", *arguments)
        assert done.exit_code == 2
        assert len(done.stderr.splitlines()) == 1
