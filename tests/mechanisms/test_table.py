"""Laws of tables: any exact channel, drawn and certified as it stands."""

from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.core.errors import InvalidInput, InvalidReport, NotIdentifiable, PrivacyViolation
from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.tables.table import Table
from discreet.wire import Spec

CONTEXT = Context.uniform(range(2), "1")


def table(rows, context=CONTEXT):
    return dc.mechanism(context, "table", rows=rows)


@pytest.mark.parametrize("rows", [[["2/3", "1/3"], ["1/3", "2/3"]], [[Fraction(2, 3), Fraction(1, 3)], ["1/3", "2/3"]]])
def test_exact_probabilities_are_rounded_to_words_and_certified(rows):
    mechanism = table(rows)
    assert abs(mechanism.channel()[0][0] - Fraction(2, 3)) < Fraction(1, 2**63)
    assert mechanism.certificate.realised == pytest.approx(np.log(2))


def test_whole_units_are_taken_as_they_are():
    rows = [[2**63 + 5, 2**63 - 5], [2**62, 3 * 2**62]]
    assert table(rows).sampler.rows == tuple(map(tuple, rows))


def test_a_report_that_tells_for_certain_is_refused():
    """A pair without any bound must not pass for a pair without any leak."""
    for rows in ([[1, 0], [0, 1]], [[1, 0], ["1/2", "1/2"]], [["1/2", "1/2", 0], ["1/2", "1/4", "1/4"]]):
        with pytest.raises(PrivacyViolation, match="for certain"):
            table(rows)


def test_a_table_that_leaks_a_little_too_much_is_refused():
    with pytest.raises(PrivacyViolation, match=r"leaks 1\.00"):
        table([["0.7311", "0.2689"], ["0.2689", "0.7311"]])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0.5, 0.5], [0.5, 0.5]], "not a float"),
        ([["x", 1], [1, 0]], "must be an exact probability"),
        ([["1/0", 1], [1, 0]], "must be an exact probability"),
        ([["1/2", "1/3"], ["1/2", "1/2"]], "add up to 2**64"),
        ([["1/2", "1/2"], [1]], "non-negative units that add up"),
        ([["3/2", "-1/2"], ["1/2", "1/2"]], "must not be negative"),
        ([[], []], "must not be empty"),
        ([["1/2", "1/2"]], "sampler is for 1 values; the context has 2"),
    ],
)
def test_rows_that_are_no_channel_are_refused(rows, message):
    with pytest.raises(InvalidInput) as refused:
        table(rows)
    assert message in str(refused.value)


def test_rows_are_all_that_a_table_takes():
    with pytest.raises(InvalidInput, match="table needs rows=: one row per value"):
        dc.mechanism(CONTEXT, "table")
    with pytest.raises(InvalidInput, match="table takes no parameter d"):
        dc.mechanism(CONTEXT, "table", rows=[[1]], d=2)


def test_a_report_without_weight_cannot_occur_and_nothing_is_counted():
    mechanism = table([["2/3", "1/3", 0], ["1/3", "2/3", 0]])
    with pytest.raises(InvalidReport, match="2 cannot occur"):
        mechanism.tally([0, 2])
    counts = np.zeros(3, dtype=np.int64)
    with pytest.raises(InvalidReport):
        decoder_of(mechanism.sampler).count(counts, np.array([0, 2], dtype=np.uint64), 0)
    assert not counts.any()


def test_values_that_reports_do_not_tell_apart_have_no_estimate():
    mechanism = table([["1/2", "1/2"], ["1/2", "1/2"]])
    with pytest.raises(NotIdentifiable):
        _ = dc.estimate(mechanism.tally([0, 1])).stderr


def test_a_square_table_is_decoded_by_its_inverse():
    mechanism = table([["2/3", "1/3"], ["1/3", "2/3"]])
    inverse = np.linalg.inv(np.array([[2 / 3, 1 / 3], [1 / 3, 2 / 3]]))
    assert np.allclose(decoder_of(mechanism.sampler).decode(np.array([10.0, 20.0])), np.array([10, 20]) @ inverse)


def test_a_table_tells_its_rows():
    assert Table([[2**64]]).describe() == {"name": "table", "rows": [[str(2**64)]]}


OVER = [["1/2", "1/6", "1/6", "1/6"], ["1/6", "1/2", "1/6", "1/6"], ["1/4", "1/4", "3/8", "1/8"]]
THREE = Context.uniform(range(3), "2")


def test_a_table_is_weighted_for_the_shares_that_are_expected():
    """The error is the least there is at the prior, and no estimate is biased; another prior does worse there."""
    prior = [0.7, 0.2, 0.1]
    even, weighted = table(OVER, THREE), dc.mechanism(THREE, "table", rows=OVER, prior=prior)
    errors = [decoder_of(made).second_moments(np.array(prior)).sum() for made in (even, weighted)]
    q, p = np.array(even.channel(), dtype=float), np.array(prior)
    assert errors[1] == pytest.approx(np.trace(np.linalg.inv((q / (p @ q)) @ q.T)), rel=1e-12)
    assert errors[1] < errors[0]
    assert np.allclose(decoder_of(weighted.sampler).decode(q), np.eye(3))
    assert weighted.fingerprint == even.fingerprint


def test_the_prior_of_a_table_survives_its_spec_and_an_even_one_is_not_told():
    prior = [0.7, 0.2, 0.1]
    weighted = dc.mechanism(THREE, "table", rows=OVER, prior=prior)
    again = Spec.of_mechanism(weighted).mechanism
    assert again.sampler.prior == tuple(prior)
    assert again.sampler.describe()["prior"] == prior
    assert "prior" not in dc.mechanism(THREE, "table", rows=OVER, prior=[1 / 3] * 3).sampler.describe()
    assert "prior" not in weighted.sampler.weighted([1 / 3] * 3).describe()


def test_a_value_that_is_not_expected_is_still_estimated_without_bias():
    rows = [["1/2", "1/2", 0], ["1/4", "3/4", 0], ["1/4", "1/4", "1/2"]]
    context = Context.matrix(range(3), [[0, 2, 2], [2, 0, 2], ["inf", "inf", 0]])
    made = dc.mechanism(context, "table", rows=rows, prior=[0.5, 0.5, 0])
    q = np.array(made.channel(), dtype=float)
    assert np.allclose(decoder_of(made.sampler).decode(q), np.eye(3))
