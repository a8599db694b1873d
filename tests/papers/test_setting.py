from __future__ import annotations

import operator
from pathlib import Path

from discreet.papers.report import Setting


def test_the_form_says_how_often_unless_told():
    assert Setting().repetitions(short=2, full=9) == 2
    assert Setting(full=True).repetitions(short=2, full=9) == 9
    assert Setting(full=True, runs=4).repetitions(short=2, full=9) == 4


def test_any_number_of_processes_gives_the_same_in_the_same_order():
    jobs = [(number,) for number in range(7)]
    serial = Setting(workers=1).each(operator.neg, jobs, "jobs")
    assert serial == [-number for (number,) in jobs]
    assert Setting(workers=2).each(operator.neg, jobs, "jobs") == serial


def test_the_options_that_the_numbers_depend_on_are_told():
    assert Setting(workers=3).options == ""
    assert Setting(full=True, runs=4, gowalla=Path("somewhere/checkins.txt")).options == (
        "--full --runs 4 --gowalla checkins.txt"
    )


def test_no_jobs_are_no_work():
    assert Setting().each(operator.neg, [], "jobs") == []
