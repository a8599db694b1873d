"""The likelihood of reports: its derivatives, its maximum, and what is said where there is none."""

import numpy as np
import pytest
from scipy import optimize

import discreet as dc
from discreet.analysis.regression.design_matrix import design_of
from discreet.analysis.regression.multinomial_likelihood import MultinomialLikelihood, answers_of
from discreet.core.errors import InvalidInput

N = 1500
C = np.random.default_rng(1).normal(size=N)
TRUTH = np.array([[0, 0], [0.5, 0.6], [-0.3, -0.7], [0.2, 0.1]])
CASES = {
    "rr": (dc.Context.uniform(range(4), "2"), "randomized_response"),
    "hadamard": (dc.Context.uniform(range(4), "2"), "hadamard"),
    "subset": (dc.Context.uniform(range(4), "1"), "subset"),
    "unary": (dc.Context.uniform(range(4), "2"), "unary"),
    "blocks": (dc.Context.blocks({"a": [0, 1], "b": [2, 3]}, "1"), "randomized_response"),
    "high_low": (dc.Context.high_low(range(4), [0, 1], "2"), "hadamard"),
}


def survey(case, seed=2, **columns):
    mechanism = dc.mechanism(CASES[case][0], CASES[case][1])
    noise = np.random.default_rng(seed).gumbel(size=(N, 4))
    held = (np.stack([np.ones(N), C], axis=1) @ TRUTH.T + noise).argmax(axis=1)
    reports = mechanism.randomize_indices(held, dc.random.seeded(seed))
    return dc.Survey(mechanism, reports, labels={"c": C}, **columns)


def minus_log_likelihood(sample, weights):
    """Written out from the exact channel, and from nothing that the model is made of."""
    mechanism = sample.mechanism
    places = {report: place for place, report in enumerate(mechanism.reports())}
    likely = np.array(mechanism.channel(), dtype=float)[:, [places[int(y)] for y in sample.waves[0].reports]].T

    def value(b):
        logits = np.stack([np.ones(N), C], axis=1) @ np.concatenate([[0, 0], b]).reshape(4, 2).T
        odds = np.exp(logits)
        return -weights @ np.log((odds / odds.sum(axis=1, keepdims=True) * likely).sum(axis=1))

    return value


@pytest.mark.parametrize("case", CASES)
def test_the_maximum_is_the_one_that_scipy_finds(case):
    weights = 1 + np.arange(N) % 3
    sample = survey(case, weights=weights)
    found, value = dc.multinomial(sample, on=["c"], against=0), minus_log_likelihood(sample, weights)
    assert found.log_likelihood == pytest.approx(-value(found.coefficients), rel=1e-10)
    best = optimize.minimize(value, np.zeros(6), method="BFGS", options={"gtol": 1e-3})
    assert found.log_likelihood >= -best.fun - 1e-7 * abs(best.fun)
    assert found.coefficients == pytest.approx(best.x, abs=2e-2 * found.stderr.max())


def test_the_derivatives_are_those_of_the_likelihood():
    sample = survey("subset", weights=np.random.default_rng(3).uniform(0.5, 2, N))
    design = design_of(sample, ["c"])
    likelihood = MultinomialLikelihood(design, answers_of(design, np.arange(4)), np.arange(4))
    b, step = (TRUTH[1:] + 0.1).reshape(-1), 1e-5
    here, value = likelihood.at(b), likelihood.value
    assert here.value == pytest.approx(value(b), rel=1e-12)
    units = np.eye(6) * step
    rise = [(value(b + e) - value(b - e)) / step / 2 for e in units]
    assert here.gradient == pytest.approx(rise, rel=1e-5, abs=1e-5)
    terms = np.concatenate([rows for _, rows in likelihood.terms(b)])
    assert here.gradient == pytest.approx(likelihood.cells.weights @ terms)
    ends = [[likelihood.at(b + sign * e).gradient for sign in (1, -1)] for e in units]
    bends = np.array([(up - down) / step / 2 for up, down in ends])
    assert here.complete - here.left == pytest.approx(-bends, rel=1e-5, abs=1e-4)


def test_people_who_count_twice_are_two_people():
    weights = 1 + np.arange(N) % 2
    once, sample = survey("hadamard"), survey("hadamard", weights=weights)
    twice = dc.Survey(once.mechanism, np.repeat(once.waves[0].reports, weights), labels={"c": np.repeat(C, weights)})
    found, expected = dc.multinomial(sample, on=["c"]), dc.multinomial(twice, on=["c"])
    assert found.coefficients == pytest.approx(expected.coefficients, abs=1e-8)
    assert found.log_likelihood == pytest.approx(expected.log_likelihood)
    # but they tell only once what they tell: errors are those of N people
    assert (found.stderr > 1.02 * expected.stderr).all()
    assert found.test("c").rest is not None


def test_log_odds_against_another_value_say_the_same():
    sample = survey("rr")
    first, other = dc.multinomial(sample, on=["c"], against=0), dc.multinomial(sample, on=["c"], against=2)
    assert other.values == (2, 0, 1, 3)
    assert other.log_likelihood == pytest.approx(first.log_likelihood, rel=1e-10)
    assert other.matrix[0] == pytest.approx(-first.matrix[1], abs=1e-6)
    for one, same in ((other.stderr[:2], first.stderr[2:4]), (other.p[:2], first.p[2:4])):
        assert one == pytest.approx(same, rel=1e-5)
    (low, high), (first_low, first_high) = other.interval(), first.interval()
    assert low[:2] == pytest.approx(-first_high[2:4], abs=1e-5)
    assert high[:2] == pytest.approx(-first_low[2:4], abs=1e-5)
    assert other.test("c").p == pytest.approx(first.test("c").p, rel=1e-5)
    assert other.matrix[1] == pytest.approx(first.matrix[0] - first.matrix[1], abs=1e-6)
    assert other.predict({"c": 1}).estimates[[1, 2, 0, 3]] == pytest.approx(first.predict({"c": 1}).estimates, abs=1e-7)


def test_reports_of_other_mechanisms_add_to_the_likelihood():
    both = survey("rr") + survey("hadamard", seed=5)
    found = dc.multinomial(both, on=["c"], against=0)
    parts = [dc.multinomial(one, on=["c"], against=0) for one in (survey("rr"), survey("hadamard", seed=5))]
    assert found.log_likelihood < sum(part.log_likelihood for part in parts)
    assert (found.stderr < np.minimum(*(part.stderr for part in parts))).all()
    assert np.abs(found.matrix - TRUTH[1:]).max() < 5 * found.stderr.max()


def test_the_score_of_a_term_is_near_the_ratio_of_likelihoods_with_and_without_it():
    noise = np.random.default_rng(7).normal(size=N)
    found = dc.multinomial(survey("rr"), on=["c", ("noise", noise)])
    less = found.without("noise")
    assert less.names == ("(constant)", "c")
    test = found.test("noise")
    assert test.method == "score"
    assert test.statistic == pytest.approx(2 * (found.log_likelihood - less.log_likelihood), rel=0.1)
    assert (test.df, test.p > 1e-4) == (3, True)
    assert found.test("c").p < 1e-12
    assert found.test().df == 6
    with pytest.raises(InvalidInput, match="name='moon' must be one of"):
        found.test("moon")
    with pytest.raises(InvalidInput, match="terms: at least one must be named"):
        found.without()
    with pytest.raises(InvalidInput, match="there is no term to test"):
        dc.multinomial(survey("rr"), on=[]).test()


def test_predicted_shares_add_up_and_carry_the_errors_of_the_coefficients():
    found = dc.multinomial(survey("rr"), on=["c"], against=0)
    shares = found.predict({"c": [0.0, 1.0]})
    assert shares.estimates.reshape(2, 4).sum(axis=1) == pytest.approx([1, 1])
    assert shares.table()["value"] == [0, 1, 2, 3] * 2

    def at_one(b):
        odds = np.exp(np.concatenate([[0], b.reshape(3, 2) @ [1, 1]]))
        return odds / odds.sum()

    b, step = found.coefficients, 1e-6
    slopes = np.array([(at_one(b + step * e) - at_one(b - step * e)) / (2 * step) for e in np.eye(6)]).T
    assert shares.stderr[4:] == pytest.approx(np.sqrt(np.diag(slopes @ found.covariance @ slopes.T)), rel=1e-6)
    low, high = shares.interval()
    assert (low > 0).all()
    assert (high < 1).all()


def test_a_value_that_nobody_holds_has_no_log_odds_and_the_others_have():
    mechanism = dc.mechanism(dc.Context.uniform(range(4), "6"), "randomized_response")
    held = np.random.default_rng(3).integers(0, 3, N)
    sample = dc.Survey(
        mechanism, held, labels={"c": C}
    )  # the value 3 is reported by nobody, less than noise alone would
    found = dc.multinomial(sample, on=["c"], against=0)
    assert found.infinite.tolist() == [False, False, True]
    assert np.isfinite(found.stderr[:4]).all()
    assert np.isnan(found.stderr[4:]).all()
    assert any("WARNING: the coefficients of 3 have no finite maximum" in remark for remark in found.remarks())
    shares = found.predict({"c": 0})
    assert shares.estimates[3] < 1e-3
    assert np.isnan(shares.stderr[3])
    assert np.isfinite(shares.stderr[:3]).all()


def test_thousands_of_different_reports():
    mechanism = dc.mechanism(dc.Context.uniform(range(24), "1"), "unary")
    sample = dc.Survey(mechanism, np.random.default_rng(3).integers(0, 1 << 24, 6000))
    found = dc.multinomial(sample, on=[])
    assert not found.answers.complete
    assert "but for a constant" in found.remarks()[0]
    assert found.predict().estimates.sum() == pytest.approx(1)


def test_too_many_coefficients_are_refused():
    mechanism = dc.mechanism(dc.Context.uniform(range(600), "1"), "hadamard")
    sample = dc.Survey(mechanism, np.arange(1, 51), labels={"c": C[:50]})
    with pytest.raises(InvalidInput, match="1,198 in all where 1,000 are the most; `regress` explains"):
        dc.multinomial(sample, on=["c"])
