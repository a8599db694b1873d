"""The least-squares fit of cells against the same equations written out."""

import numpy as np
import pytest

import discreet as dc
from discreet.analysis.diagnostics.goodness_of_fit import fit_cells
from discreet.estimation.decoders import decoder_of


@pytest.mark.parametrize("name", ["hadamard", "projective", "cyclotomic"])
def test_the_fit_solves_the_normal_equations(name):
    mechanism = dc.mechanism(dc.Context.uniform(range(11), "1.5"), name)
    part, rng = decoder_of(mechanism.sampler), np.random.default_rng(1)
    shares = rng.dirichlet(np.ones(11), size=3)
    frequencies = rng.dirichlet(np.full(part.cells, 9.0), size=3)
    fit, law = fit_cells(part, frequencies, shares)
    Q = part.expected_counts(np.eye(11))
    for f, p, one, weights in zip(frequencies, shares, fit, law, strict=True):
        assert weights == pytest.approx(p @ Q)
        root = np.sqrt(weights)
        best = np.linalg.lstsq((Q / root).T, f / root, rcond=None)[0]
        assert one == pytest.approx(best @ Q, abs=1e-9)


def test_a_law_of_the_channel_is_fitted_as_it_is():
    part = decoder_of(dc.mechanism(dc.Context.high_low(range(20), range(4), "1"), "hadamard").sampler)
    shares = np.random.default_rng(2).dirichlet(np.ones(20))[None, :]
    law = part.expected_counts(shares)
    fit, _ = fit_cells(part, law, np.full((1, 20), 0.05))
    assert fit == pytest.approx(law, abs=1e-10)


def test_equations_that_are_not_solved_say_so(monkeypatch):
    monkeypatch.setattr("discreet.analysis.diagnostics.goodness_of_fit.MAX_STEPS", -40)
    mechanism = dc.mechanism(dc.Context.uniform(range(11), "1"), "hadamard")
    part = decoder_of(mechanism.sampler)
    frequencies = np.random.default_rng(3).dirichlet(np.ones(part.cells), size=1)
    fit, _ = fit_cells(part, frequencies, np.full((1, 11), 1 / 11))
    assert np.isnan(fit).all()
    counts = np.bincount(np.arange(100) % 16, minlength=16)
    assert "did not settle" in dc.goodness_of_fit(dc.Tally(mechanism, counts, 100)).left_out["cells"]
