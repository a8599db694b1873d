"""Maximum likelihood: never falling, at the optimum, with standard errors that hold."""

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import InvalidInput, Unavailable
from discreet.estimation.results import likelihood
from discreet.estimation.results.likelihood import _Model

CONTEXTS = {
    "uniform": dc.Context.uniform(range(12), "1"),
    "blocks": dc.Context.blocks({"a": range(6), "b": [6], "c": range(7, 16)}, "1"),
    "high_low": dc.Context.high_low(range(12), [1, 2, 5, 7], "1"),
    "binary": dc.Context.binary("no", "yes", ("inf", "1")),
}
NAMES = ["randomized_response", "hadamard", "projective", "subset", "unary"]


def cases() -> list[tuple[str, str]]:
    return [(form, name) for form in CONTEXTS for name in (NAMES if form != "binary" else ["binary"])]


def survey(form: str, name: str, n: int = 20_000) -> dc.Tally:
    mechanism = dc.mechanism(CONTEXTS[form], name)
    size = mechanism.context.size
    shares = np.arange(1, size + 1) ** 2 / (np.arange(1, size + 1) ** 2).sum()
    held = np.random.default_rng(2).choice(size, p=shares, size=n)
    return mechanism.tally(mechanism.randomize_indices(held, dc.random.seeded(4)))


@pytest.mark.parametrize(("form", "name"), cases())
def test_the_likelihood_never_falls(form: str, name: str) -> None:
    model = _Model(survey(form, name))
    size = len(model.block_of)
    shares = model.step(np.full(size, 1 / size))
    values = model.values(shares)
    for _ in range(40):
        shares, new = model.accelerate(shares, values)
        assert (new >= values - 1e-7 * np.abs(values)).all()
        values = new


@pytest.mark.parametrize(("form", "name"), cases())
def test_no_distribution_is_more_likely_by_more_than_the_gap(form: str, name: str) -> None:
    tally = survey(form, name)
    found = dc.likelihood(tally)
    assert found.shares.min() >= 0
    assert found.shares.sum() == pytest.approx(1)
    assert found.gap < 0.5
    model = _Model(tally)
    rng = np.random.default_rng(5)
    for _ in range(200):
        other = 0.7 * found.shares + 0.3 * rng.dirichlet(np.ones(len(found.shares)))
        assert float(model.values(other).sum()) <= found.log_likelihood + found.gap


def test_the_gradient_is_that_of_the_likelihood() -> None:
    for form, name in cases():
        model = _Model(survey(form, name, n=500))
        size = len(model.block_of)
        shares = np.full(size, 1 / size)
        gradient = model.gradient(shares)
        for x in range(size):
            step = np.zeros(size)
            step[x] = 1e-6
            slope = (model.values(shares + step).sum() - model.values(shares - step).sum()) / 2e-6
            assert slope == pytest.approx(gradient[x], rel=1e-4), (form, name, x)


def test_block_totals_are_kept_exactly() -> None:
    tally = survey("blocks", "hadamard")
    found = dc.likelihood(tally).shares
    totals = list(dc.estimate(tally).block_totals.values())
    assert [found[:6].sum(), found[6], found[7:].sum()] == pytest.approx(totals)


@pytest.mark.parametrize("name", ["randomized_response", "hadamard", "subset"])
def test_standard_errors_match_the_spread_of_many_surveys(name: str) -> None:
    """A sample deviation of 400 surveys lies within 25 % of the truth: false alarm below 1e-10 a value."""
    mechanism = dc.mechanism(dc.Context.uniform(range(6), "2"), name)
    shares = np.array([0.1, 0.1, 0.15, 0.15, 0.2, 0.3])
    rng = np.random.default_rng(11)
    found, told = [], []
    for seed in range(400):
        held = rng.choice(6, p=shares, size=4000)
        one = dc.likelihood(mechanism.tally(mechanism.randomize_indices(held, dc.random.seeded(seed))))
        found.append(one.shares)
        told.append(one.stderr)
    ratio = np.std(found, axis=0) / np.mean(told, axis=0)
    assert np.all(np.abs(ratio - 1) < 0.25)
    assert not np.all(np.abs(ratio / 2 - 1) < 0.25), "the control: errors off by two are seen"


def test_block_standard_errors_are_those_of_the_block_alone() -> None:
    tally = survey("blocks", "randomized_response")
    stderr = dc.likelihood(tally).asymptotic_stderr
    assert stderr.shape == (16,)
    assert np.isfinite(stderr).all()
    assert (stderr > 0).all()


def test_probing_agrees_with_inverting(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = dc.mechanism(dc.Context.uniform(range(300), "2"), "hadamard")
    shares = np.arange(300, 600) / np.arange(300, 600).sum()
    held = np.random.default_rng(2).choice(300, p=shares, size=400_000)
    found = dc.likelihood(mechanism.tally(mechanism.randomize_indices(held, dc.random.seeded(4))))
    inverted = found.asymptotic_stderr
    monkeypatch.setattr(likelihood, "MAX_DENSE_SIZE", 100)
    probed = dc.likelihood(found.tally).asymptotic_stderr
    assert np.mean(probed / inverted) == pytest.approx(1, abs=0.02)
    assert np.abs(probed / inverted - 1).max() < 0.15
    assert np.abs(probed / inverted - 1).max() > 0, "the two ways are different computations"


def test_it_says_what_it_is() -> None:
    assert dc.likelihood(survey("uniform", "subset")).method.startswith("composite")
    whole = dc.likelihood(survey("uniform", "hadamard"))
    assert whole.method.startswith("maximum")
    assert whole.n == 20_000
    assert len(whole.values) == 12


def test_no_reports_have_no_likelihood() -> None:
    with pytest.raises(InvalidInput, match="n=0"):
        dc.likelihood(dc.mechanism(CONTEXTS["uniform"]).tally())


def test_an_empty_block_has_unknown_errors() -> None:
    mechanism = dc.mechanism(CONTEXTS["blocks"], "hadamard")
    tally = mechanism.tally(mechanism.randomize_indices(np.zeros(50, dtype=int), dc.random.seeded(1)))
    found = dc.likelihood(tally)
    assert found.shares[:6].sum() == pytest.approx(1)
    assert np.isfinite(found.asymptotic_stderr[:6]).all()
    assert np.isinf(found.asymptotic_stderr[6:]).all()


def test_reports_that_all_show_one_value_leave_the_others_uncertain() -> None:
    mechanism = dc.mechanism(CONTEXTS["high_low"], "hadamard")
    found = dc.likelihood(mechanism.tally([mechanism.sampler.base] * 5))
    assert found.shares[0] == pytest.approx(1, abs=1e-6)
    assert np.isfinite(found.asymptotic_stderr).all()
    assert (found.asymptotic_stderr[[1, 2, 5, 7]] > 0.1).all()


@pytest.mark.parametrize("name", ["randomized_response", "hadamard", "projective"])
def test_values_not_seen_in_a_small_survey_are_no_better_known_than_the_reports_allow(name: str) -> None:
    mechanism = dc.mechanism(dc.Context.uniform(range(20), "1"), name)
    tally = mechanism.tally(mechanism.randomize_indices(np.zeros(5, dtype=int), dc.random.seeded(1)))
    stderr = dc.likelihood(tally).asymptotic_stderr
    assert np.isfinite(stderr).all()
    assert (stderr > 0.3 * dc.estimate(tally).stderr).all(), "five reports of twenty values say next to nothing"


def test_shares_near_zero_have_no_normal_error_and_say_so():
    mechanism = dc.mechanism(dc.Context.metric(range(30), "line", "0.3"))
    people = np.random.default_rng(1).choice(30, 2000, p=np.r_[np.full(10, 0.1), np.zeros(20)])
    result = dc.likelihood(mechanism.tally(mechanism.randomize_many(people.tolist(), dc.random.seeded(1))))
    for ask in (lambda: result.stderr, lambda: result.query({0: 1}).stderr):
        with pytest.raises(Unavailable, match="2 standard errors above 0"):
            ask()
    assert (result.asymptotic_stderr > 0).all()
    low, high = result.interval()
    assert (low <= result.shares).all()
    assert (result.shares <= high).all()
    plain = dc.mechanism(dc.Context.uniform(range(3), epsilon="2"))
    inside = dc.likelihood(plain.tally(plain.randomize_many([0, 1, 2] * 300, dc.random.seeded(1))))
    assert np.array_equal(inside.stderr, inside.asymptotic_stderr)  # the control
