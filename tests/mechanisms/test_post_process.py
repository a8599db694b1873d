"""Post-processing keeps privacy: the exact product of two laws, certified for the same context."""

from __future__ import annotations

from fractions import Fraction

import pytest

import discreet as dc
from discreet.checks import check_every_word, check_mechanism
from discreet.core.errors import InvalidInput
from discreet.mechanisms.composed.post_process import PostProcessed, post_process
from discreet.mechanisms.uniform.randomized_response import RandomizedResponse
from discreet.mechanisms.uniform.subset import Subset

U3 = dc.Context.uniform(["a", "b", "c"], "1")
BLUR = [["1/2", "1/4", "1/4", 0], [0, "1/3", "1/3", "1/3"], ["1/5", "1/5", "1/5", "2/5"]]


def product(q, w):
    return [
        [sum(a * Fraction(b) for a, b in zip(row, column, strict=True)) for column in zip(*w, strict=True)] for row in q
    ]


def test_the_channel_is_the_product_to_the_last_unit():
    before = dc.mechanism(U3, "randomized_response")
    after = post_process(before, BLUR)
    exact = product(before.channel(), BLUR)
    for row, wanted in zip(after.channel(), exact, strict=True):
        assert sum(row) == 1
        assert all(abs(a - b) <= Fraction(3, 1 << 64) for a, b in zip(row, wanted, strict=True))


def test_chances_that_are_whole_units_give_the_exact_product():
    before = dc.mechanism(U3, "randomized_response")
    merge = [[1, 0], [0, 1], [0, 1]]
    after = post_process(before, merge)
    assert after.channel() == product(before.channel(), merge)


@pytest.mark.parametrize(
    ("context", "name"),
    [
        (U3, "randomized_response"),
        (U3, "subset"),
        (U3, "unary"),
        (U3, "hadamard"),
        (dc.Context.blocks({"x": ["a", "b"], "y": ["c", "d"]}, {"x": "1", "y": "2"}), "auto"),
        (dc.Context.high_low(["a", "b", "c"], ["a"], "1"), "auto"),
        (dc.Context.binary("a", "b", ("inf", "1")), "auto"),
    ],
)
def test_post_processing_never_leaks_more(context, name):
    before = dc.mechanism(context, name)
    blur = [
        [Fraction(2, 3) if (y - v) % 3 == 0 else Fraction(1, 6) for v in range(3)] for y in range(len(before.reports()))
    ]
    after = post_process(before, blur)
    assert after.certificate.realised <= before.certificate.realised
    assert after.context is context


def test_the_sampler_follows_the_product_over_every_word():
    def factory(bits):
        third = (1 << bits) // 3
        rows = [[third, third, (1 << bits) - 2 * third], [0, 1 << bits, 0], [1, 2, (1 << bits) - 3]]
        return PostProcessed(RandomizedResponse(3, Fraction(1), word_bits=bits), rows)

    assert check_every_word(factory(64), factory=factory) == 3

    def sets(bits):
        inner = Subset(3, Fraction(1), d=2, word_bits=bits)
        return PostProcessed(inner, [[1 << bits, 0], [1, (1 << bits) - 1], [0, 1 << bits]])

    assert check_every_word(sets(64), factory=sets) > 0


def test_the_result_keeps_every_law_of_a_mechanism():
    def factory(bits):
        third = (1 << bits) // 3
        return PostProcessed(
            RandomizedResponse(3, Fraction(1), word_bits=bits),
            [[(1 << bits) - third, third, 0], [0, (1 << bits) - third, third], [third, 0, (1 << bits) - third]],
        )

    after = post_process(
        dc.mechanism(U3, "randomized_response"), [["2/3", "1/3", 0], [0, "2/3", "1/3"], ["1/3", 0, "2/3"]]
    )
    assert {"every word", "channel", "unbiased", "moments", "scalar is vector"} <= set(
        check_mechanism(after, factory=factory)
    )


def test_estimates_work_from_processed_reports():
    after = post_process(dc.mechanism(U3, "randomized_response"), BLUR)
    tally = after.tally(after.randomize_indices([0] * 3000 + [1] * 1000, dc.random.seeded(1)))
    estimate = dc.estimate(tally)
    assert abs(estimate.shares - [0.75, 0.25, 0]).max() < 6 * estimate.stderr.max()


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1], [1]], "one per report, 3"),
        ([[1], [1], ["1/2"]], r"matrix\[2\] must be"),
        ([[1, 0], [1, 0], [1]], r"matrix\[2\] must be"),
        ([[0.5, 0.5]] * 3, "must be exact"),
        ([[2, -1]] * 3, "must not be negative"),
        ([["x"]] * 3, "must be an exact probability"),
        ([[]] * 3, r"matrix\[0\] must be"),
    ],
)
def test_what_is_no_stochastic_matrix_is_refused(matrix, message):
    with pytest.raises(InvalidInput, match=message):
        post_process(dc.mechanism(U3, "randomized_response"), matrix)


def test_too_many_reports_to_write_out_are_refused():
    with pytest.raises(InvalidInput, match="more than 4096"):
        post_process(dc.mechanism(dc.Context.uniform(range(30), "1"), "unary"), [])
