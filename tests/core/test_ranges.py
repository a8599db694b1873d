from __future__ import annotations

import pytest

import discreet as dc
from discreet.core.errors import BeyondLimits, InvalidSpec
from discreet.core.fields import range_of, values_in
from discreet.core.limits import Limits, metering
from discreet.wire import Spec


def test_both_ends_are_included():
    assert range_of({"from": 18, "to": 99}, "values") == range(18, 100)
    assert list(range_of({"from": -4, "to": 2, "step": 3}, "values")) == [-4, -1, 2]
    assert list(range_of({"from": 7, "to": 7}, "values")) == [7]


def test_a_list_is_taken_as_it_is():
    assert values_in(["a", 3], "values") == ["a", 3]


BAD = {
    "no end": ({"from": 1}, "values.to is missing"),
    "no beginning": ({"to": 1}, "values.from is missing"),
    "another entry": ({"from": 1, "to": 2, "by": 1}, "values.by is not a known entry; the entries are from, step, to"),
    "text": ({"from": "1", "to": 2}, "values.from must be a whole number, not text"),
    "truth": ({"from": 1, "to": True}, "values.to must be a whole number, not true or false"),
    "no step": ({"from": 1, "to": 2, "step": 0}, "values.step=0 must be at least 1"),
    "downwards": ({"from": 2, "to": 1}, "values.to=1 must be at least values.from=2"),
    "an end between two steps": (
        {"from": 0, "to": 99, "step": 5},
        "values.to=99 must be 0 plus a multiple of the step, 5",
    ),
    "beyond what JSON keeps": (
        {"from": 0, "to": 1 << 53, "step": 1 << 53},
        "values.to must be between -2**53 and 2**53",
    ),
    "beyond all bounds": ({"from": -(10**4000), "to": 0}, "values.from must be between -2**53 and 2**53"),
}


@pytest.mark.parametrize(("data", "message"), BAD.values(), ids=BAD.keys())
def test_it_is_refused_in_one_line(data, message):
    with pytest.raises(InvalidSpec) as refused:
        range_of(data, "values")
    assert message in str(refused.value)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize("count", [10**12, 1001])
def test_a_range_beyond_the_limit_is_refused(count):
    with metering(Limits(values=1000)):
        assert len(range_of({"from": 1, "to": 1000}, "values")) == 1000
        with pytest.raises(BeyondLimits, match=f"values: values={count} is beyond the limit of 1000"):
            range_of({"from": 1, "to": count}, "values")


def test_many_ranges_together_are_refused_before_any_is_expanded():
    blocks = {f"b{i}": {"from": i * 10**6, "to": i * 10**6 + 10**6 - 1} for i in range(1000)}
    with pytest.raises(BeyondLimits, match=r"context\.blocks: values=1000000000 is beyond"):
        Spec.of({"context": {"form": "blocks", "blocks": blocks, "epsilon": 1}})


def test_a_range_has_the_fingerprint_of_the_list_it_stands_for():
    context = {"form": "uniform", "epsilon": 1}
    short = Spec.of({"domain": {"values": {"from": 18, "to": 99}}, "context": context})
    long = Spec.of({"domain": {"values": list(range(18, 100))}, "context": context})
    assert short.mechanism.fingerprint == long.mechanism.fingerprint
    assert short.mechanism.randomize(18, dc.random.seeded(1)) == long.mechanism.randomize(18, dc.random.seeded(1))
    assert short.context.domain.index_of_text("99") == 81
    assert Spec.of(short.resolved().as_dict()).mechanism.fingerprint == long.mechanism.fingerprint
