"""Goodness of fit: what it finds in honest and in other reports, and what it says of tests that do not exist."""

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput

from .reference import B5, figures, survey
from .simulated import band, tallies

UNIFORM = {
    k: np.array(shares) / sum(shares)
    for k, shares in {2: [3, 1], 5: [4, 3, 2, 1, 1], 50: [1 / (x + 2) for x in range(50)]}.items()
}


def uniform(k, name):
    return dc.mechanism(dc.Context.uniform(range(k), "1"), name)


def rejections(made):
    """How often each test, and any of them after correction, rejects at 5 %."""
    found = [dc.goodness_of_fit(tally) for tally in made]
    tests = {check.test for check in found[0].checks}
    rates = {
        test: np.mean([check.p < 0.05 for one in found for check in one.checks if check.test == test]) for test in tests
    }
    return rates | {"any": np.mean([one.p < 0.05 for one in found])}


def any_rejected(made):
    return rejections(made)["any"]


def test_the_reference_survey():
    sample = survey(uniform(5, "hadamard"), B5, 2)
    found = dc.goodness_of_fit(sample)
    expected = figures()["B screen p: sum, negative, cells"]
    assert [check.test for check in found.checks] == ["sum", "negative", "cells"]
    assert [check.p for check in found.checks] == pytest.approx(
        expected, abs=1e-3
    )  # which took variances at projected shares
    assert found.checks[2].df == 8 - 5
    again = dc.goodness_of_fit(dc.project(sample.tally))
    assert [check.p for check in again.checks] == [check.p for check in found.checks]


@pytest.mark.parametrize(("name", "k"), [("hadamard", 5), ("projective", 50)])
def test_honest_reports_are_rejected_as_often_as_the_level_says(name, k):
    """With 1,000 surveys a share is within 0.034 of 5 % but for one time in a million."""
    found = rejections(tallies(uniform(k, name), UNIFORM[k], 2000, 1000, seed=1))
    for test in ("sum", "cells"):
        assert abs(found[test] - 0.05) < band(0.05, 1000)
    assert found["negative"] < 0.05 + band(0.05, 1000)
    strange = rejections(tallies(uniform(k, name), UNIFORM[k], 2000, 50, seed=2, strange=0.1, sent=3))
    assert abs(strange["cells"] - 0.05) > band(0.05, 1000), "the control: other reports are not passed"


def test_sets_and_blocks_are_tested_by_what_they_have():
    blocks = dc.Context.blocks({name: [f"{name}{i}" for i in range(6)] for name in "abcdefgh"}, "1")
    mechanism = dc.mechanism(blocks, "hadamard")
    made = list(tallies(mechanism, np.full(48, 1 / 48), 4000, 400, seed=3))
    rates = rejections(made)
    for test in ("sum", "cells"):
        assert abs(rates[test] - 0.05) < band(0.05, 400)
    found = dc.goodness_of_fit(made[0])
    assert {check.where for check in found.blocks} == set("abcdefgh")
    assert found.checks[0].df == 8
    assert found.checks[2].df == sum(check.df for check in found.blocks if check.test == "cells") == 8 * (8 - 6)
    unary = list(tallies(uniform(5, "unary"), UNIFORM[5], 1000, 300, seed=4))
    assert abs(rejections(unary)["sum"] - 0.05) < band(0.05, 300)
    assert "sets" in dc.goodness_of_fit(unary[0]).left_out["cells"]


def test_one_block_that_is_wrong_is_named():
    context = dc.Context.blocks({"a": list("pqrst"), "b": list("uvwxyz"), "alone": ["o"]}, "1")
    mechanism = dc.mechanism(context, "hadamard")
    reports = mechanism.randomize_indices(np.arange(6000) % 12, dc.random.seeded(5))
    reports[:300] = mechanism.randomize("u", dc.random.seeded(6))
    found = dc.goodness_of_fit(mechanism.tally(reports))
    low = {check.where for check, p in zip(found.blocks, found.block_adjusted, strict=True) if p < 0.001}
    assert low == {"b"}
    assert "b" in found.table()["where"]
    assert "a" not in found.table()["where"]


def test_power_against_one_fixed_report():
    """10 % send one report: seen at once where there are more reports than values, not where there are as many."""
    for name, k in (("hadamard", 5), ("projective", 50)):
        assert any_rejected(tallies(uniform(k, name), UNIFORM[k], 2000, 60, seed=7, strange=0.1, sent=1)) == 1.0
    few, rr = UNIFORM[5], uniform(5, "randomized_response")
    assert any_rejected(tallies(rr, few, 2000, 200, seed=8, strange=0.1, sent=0)) < 0.02
    assert any_rejected(tallies(rr, few, 2000, 200, seed=9, strange=0.6, sent=0)) > 0.9
    two = uniform(2, "randomized_response")
    assert any_rejected(tallies(two, UNIFORM[2], 2000, 200, seed=10, strange=0.3, sent=1)) == 0.0


def test_power_against_reports_at_random():
    bots = tallies(uniform(5, "hadamard"), UNIFORM[5], 2000, 200, seed=11, strange=0.3)
    assert 0.5 < rejections(bots)["sum"] < 0.95
    assert any_rejected(tallies(uniform(5, "randomized_response"), UNIFORM[5], 2000, 200, seed=12, strange=0.3)) < 0.02


def test_no_test_sees_people_who_claim_another_value():
    mechanism = uniform(5, "hadamard")
    shares = 0.6 * UNIFORM[5] + 0.4 * np.eye(5)[0]
    assert any_rejected(tallies(mechanism, shares, 2000, 300, seed=13)) < 0.05 + band(0.05, 300)
    assert "claim another value" in str(dc.goodness_of_fit(next(tallies(mechanism, shares, 2000, 1, seed=13))))


MECHANISMS = {
    "two values": dc.Context.uniform(["no", "yes"], "1"),
    "subset": (dc.Context.uniform(range(12), "1"), "subset"),
    "cyclotomic": (dc.Context.uniform(range(7), "1"), "cyclotomic"),
    "high-low with Hadamard": (dc.Context.high_low(range(30), range(6), "1"), "hadamard"),
    "high-low": dc.Context.high_low(range(30), range(6), "1"),
    "one-sided": dc.Context.binary("no", "yes", epsilon=("inf", "1")),
    "a line": dc.Context.metric(range(8), "line", "0.7"),
    "nested": dc.Context.nested({"a": {"b": [1, 2], "c": [3, 4]}, "d": {"e": [5, 6]}}, ["0.5", "1", "2"]),
    "graded": dc.Context.graded({"none": "inf", "cold": "3", "flu": "2", "worse": "0.5"}),
    "pairs": dc.Context.uniform(["no", "yes"], "1") * dc.Context.uniform(range(3), "2"),
}


@pytest.mark.parametrize("asked", MECHANISMS.values(), ids=MECHANISMS)
def test_every_mechanism_can_be_screened(asked):
    """A test exists or is left out with a reason, and honest reports pass (false alarm below 1e-6)."""
    mechanism = dc.mechanism(*asked) if isinstance(asked, tuple) else dc.mechanism(asked)
    reports = mechanism.randomize_indices(np.arange(3000) % mechanism.context.size, dc.random.seeded(14))
    found = dc.goodness_of_fit(mechanism.tally(reports))
    tests = {check.test for check in found.checks}
    assert tests | set(found.left_out) == {"sum", "negative", "cells"}
    assert not tests & set(found.left_out)
    assert not found.p < 1e-6
    assert all(reason in str(found) for reason in found.left_out.values())


def test_large_domains_need_no_matrix():
    mechanism = dc.mechanism(dc.Context.uniform(range(10_000), "1"), "hadamard")
    reports = mechanism.randomize_indices(np.arange(50_000) % 10_000, dc.random.seeded(15))
    found = dc.goodness_of_fit(mechanism.tally(reports))
    assert found.checks[2].df == 16_384 - 10_000
    assert found.p > 1e-6
    few = dc.goodness_of_fit(mechanism.tally(reports[:2000]))
    assert few.left_out["cells"] == "fewer reports (2,000) than cells (16,384)"


def test_the_result_is_one_of_the_analysis(tmp_path):
    mechanism = uniform(5, "hadamard")
    reports = mechanism.randomize_indices(np.arange(2000) % 5, dc.random.seeded(16))
    reports[:200] = 6
    found = dc.goodness_of_fit(dc.Survey(mechanism, reports))
    assert found.standing_out == 6
    assert "report 6" in str(found)
    assert found.to_dict()["least_p"] < 1e-6
    assert list(found.to_pandas()["test"]) == ["sum", "negative", "cells"]
    assert repr(found).startswith("<GoodnessOfFit of 2,000 reports of hadamard")
    found.plot(tmp_path / "cells.png")
    dc.goodness_of_fit(uniform(5, "randomized_response").tally([0, 1, 2, 3, 4] * 9)).plot(tmp_path / "shares.svg")
    assert (tmp_path / "cells.png").stat().st_size > 1000
    assert "<svg" in (tmp_path / "shares.svg").read_text()


def test_what_cannot_be_screened():
    mechanism = uniform(5, "hadamard")
    with pytest.raises(InvalidInput, match="nothing to test"):
        dc.goodness_of_fit(mechanism.tally())
    with pytest.raises(InvalidInput, match="must be a tally or a result"):
        dc.goodness_of_fit([1, 2, 3])
    both = dc.Survey(mechanism, [1, 2]) + dc.Survey(uniform(5, "unary"), [1, 2])
    with pytest.raises(InvalidInput, match="several mechanisms"):
        dc.goodness_of_fit(both)
