from __future__ import annotations

import re
import sys

import numpy as np
import pytest

from discreet.gallery import example


@pytest.fixture
def printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    example.main()
    return capsys.readouterr().out


def test_the_made_up_shares_are_a_distribution():
    assert example.SHARES.sum() == pytest.approx(1)
    assert len(set(example.DISTRICTS)) == len(example.SHARES) == 18
    assert len(example.CLINICS) == 4


def test_the_example_prints_certificates_shares_and_errors_and_says_where_the_picture_is(printed, tmp_path):
    for promise in example.contexts():
        assert printed.count(promise) == 2
    assert printed.count("claimed 1, realised 1") == 3
    for district in example.DISTRICTS:
        assert district in printed
    assert f"picture: {tmp_path / 'survey.png'}\n" in printed
    assert (tmp_path / "survey.png").read_bytes().startswith(b"\x89PNG")
    assert max(map(len, printed.splitlines())) <= 130


def test_protecting_less_costs_less(printed):
    errors = [float(found) for found in re.findall(r"([\d.]+) points +\d+ of 18", printed)]
    assert len(errors) == 3
    classical, blocks, high_low = errors
    assert blocks < classical / 1.5
    assert high_low < classical / 1.5


def test_the_printed_shares_are_the_estimates(printed):
    answers = np.random.default_rng(2020).choice(example.DISTRICTS, size=example.PEOPLE, p=example.SHARES)
    first = example.survey(next(iter(example.contexts().values())), answers, example.dc.random.seeded(0))
    row = next(line for line in printed.splitlines() if line.startswith(example.DISTRICTS[0]))
    assert f"{100 * first['shares'][0]:.2f} ± {100 * first['stderr'][0]:.2f}" in row


def test_without_matplotlib_the_numbers_still_come(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    example.main()
    done = capsys.readouterr()
    assert "typical error" in done.out
    assert done.err == "no picture: matplotlib is not installed: pip install 'discreet[plot]'\n"
    assert list(tmp_path.iterdir()) == []
