from __future__ import annotations

import json


def test_the_sum_of_e_stands_beside_what_the_laws_give_away(discreet):
    done = discreet("repeated", "survey.toml", "--times", 30)
    assert done.exit_code == 0
    assert "30 x blocks(hadamard), at delta 1e-06" in done.stdout
    told = json.loads(discreet("repeated", "survey.toml", "--times", 30, "--json").stdout)
    assert all(row["epsilon"] <= row["claimed"] for row in told["pairs"])


def test_shuffled_batches_need_one_number_for_all(discreet):
    done = discreet("repeated", "survey.toml", "--times", 3, "--shuffled", 1000)
    assert done.exit_code == 2
    assert "block" in done.stderr


def test_a_picture_of_the_pair(discreet, folder):
    done = discreet("repeated", "survey.toml", "--times", 10, "--pair", "n1", "n2", "--plot", "p.png")
    assert done.exit_code == 0
    assert (folder / "p.png").stat().st_size > 5000


def test_bad_input_is_one_line_and_exit_code_2(discreet):
    for arguments in ([], ["--times", 0], ["--times", 2, "--delta", 3], ["--times", 2, "--plot", "p.png"]):
        done = discreet("repeated", "survey.toml", *arguments)
        assert done.exit_code == 2
        assert len(done.stderr.splitlines()) == 1
