from __future__ import annotations

import math

import pytest
from scipy import special

import discreet as dc
from discreet.core.errors import InvalidInput
from discreet.estimation.results.unbiased import block_columns

CONTEXT = dc.Context.blocks({"a": ["a1", "a2"], "b": ["b1", "b2", "b3"]}, 1)


def tally_of(people):
    mechanism = dc.mechanism(CONTEXT, "hadamard")
    return mechanism.tally([mechanism.randomize(value, dc.random.seeded(i)) for i, value in enumerate(people)])


def exact_coverage(n: int, share: float, confidence: float) -> float:
    """The chance that the interval holds the share, summed over all outcomes; no simulation."""
    inside = 0.0
    for hits in range(n + 1):
        tally = tally_of(["a1"] * hits + ["b1"] * (n - hits))
        found = block_columns(tally, confidence=confidence)
        assert found is not None
        if found["low"][0] <= share <= found["high"][0]:
            inside += math.comb(n, hits) * share**hits * (1 - share) ** (n - hits)
    return inside


def test_totals_are_the_frequencies_with_the_error_of_a_sample():
    found = block_columns(tally_of(["a1"] * 30 + ["b2"] * 70))
    assert found["names"] == ["a", "b"]
    assert found["shares"] == [0.3, 0.7]
    assert found["stderr"] == pytest.approx([math.sqrt(0.3 * 0.7 / 100)] * 2)
    jeffreys, exact = (
        [special.betaincinv(30 + one, 71 - one, 0.025), special.betaincinv(31 - one, 70 + one, 0.975)]
        for one in (0.5, 0)
    )
    assert exact[0] < found["low"][0] < jeffreys[0]
    assert jeffreys[1] < found["high"][0] < exact[1]


def test_intervals_cover_as_often_as_they_say():
    """Exactly, at shares and an n where the lattice does not matter much; half the confidence is the control."""
    assert sum(exact_coverage(40, share, 0.95) for share in (0.2, 0.35, 0.5)) / 3 == pytest.approx(0.95, abs=0.02)
    assert exact_coverage(40, 0.35, 0.5) < 0.7


def test_a_block_that_nobody_is_in_keeps_an_interval():
    found = block_columns(tally_of(["a1"] * 50))
    assert found["shares"] == [1.0, 0.0]
    assert found["low"][1] == 0.0 < found["high"][1] < 0.1
    assert found["low"][0] > 0.9 < found["high"][0] == 1.0


def test_nothing_is_known_of_no_reports():
    found = block_columns(tally_of([]))
    assert found == {"names": ["a", "b"], **{key: [None, None] for key in ("shares", "stderr", "low", "high")}}


def test_one_block_has_no_total_to_speak_of():
    assert block_columns(dc.mechanism(dc.Context.uniform(["a", "b"], 1)).tally()) is None


def test_a_confidence_outside_is_refused():
    with pytest.raises(InvalidInput, match="confidence=2 must be between 0 and 1"):
        block_columns(tally_of([]), confidence=2)
