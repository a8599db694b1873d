"""Reports of forms as one number: every report of every strategy there and back, and nothing else is one."""

from itertools import product

import pytest

import discreet as dc
from discreet.core.errors import InvalidReport
from discreet.wire.form import EACH, ONE, STRATEGIES, TOGETHER
from discreet.wire.form_reports import ReportPacking

QUESTIONS = {"smokes": ["no", "yes"], "drinks": ["never", "weekly", "daily"], "travels": ["bus", "car", "bike", "none"]}


def packing_of(strategy, questions=QUESTIONS, epsilon="1"):
    return ReportPacking(dc.Form(questions, strategy, epsilon=epsilon))


def reports_of(packing):
    """Every report that somebody can send."""
    named = {part: list(sampler.reports()) for part, sampler in packing.samplers.items()}
    if packing.form.strategy == ONE:
        return [{part: y} for part, ys in named.items() for y in ys]
    return [dict(zip(named, ys, strict=True)) for ys in product(*named.values())]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_report_has_its_own_number_and_no_other_number_is_a_report(strategy):
    packing = packing_of(strategy)
    numbers = {packing.pack(report): report for report in reports_of(packing)}
    assert len(numbers) == len(reports_of(packing))
    assert max(numbers) < 1 << packing.bits
    for number in range(1 << packing.bits):
        assert packing.is_report(number) == (number in numbers)
        if number in numbers:
            assert packing.unpack(number) == numbers[number]
            assert packing.from_json(packing.to_json(number)) == number
    assert not packing.is_report(1 << packing.bits)


def test_the_places_of_the_parts_are_those_of_the_contract():
    each, one = packing_of(EACH), packing_of(ONE)
    first, second, _ = (sampler.bits for sampler in each.samplers.values())
    held = {part: list(sampler.reports())[-1] for part, sampler in each.samplers.items()}
    assert each.pack(held) == held["smokes"] | held["drinks"] << first | held["travels"] << first + second
    assert one.pack({"drinks": 1}) == 1 << one.shift | 1
    together = packing_of(TOGETHER)
    assert all(together.pack(report) == next(iter(report.values())) for report in reports_of(together))


def test_wide_reports_are_written_as_digits_of_one_length():
    packing = packing_of(EACH, {f"q{i}": range(1000) for i in range(8)})
    assert packing.bits > 53
    report = packing.form.randomize(dict.fromkeys(packing.form.names, 7), dc.random.seeded(1))
    text = packing.to_json(packing.pack(report))
    assert len(text) == -(-packing.bits // 4)
    assert packing.unpack(packing.from_json(text)) == report
    for wrong in (text.upper(), text[1:], "0" + text, 7, None):
        if wrong != text:
            with pytest.raises(InvalidReport):
                packing.from_json(wrong)


@pytest.mark.parametrize("wrong", [-1, True, 1.0, "1", None, 1 << 400])
def test_what_is_no_report_is_refused(wrong):
    with pytest.raises(InvalidReport, match="report="):
        packing_of(EACH).from_json(wrong)
