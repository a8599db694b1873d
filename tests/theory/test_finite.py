"""What is said of a channel or a matrix is said of the mechanism that has it and of the context that states it."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import discreet as dc
from discreet import bounds
from discreet.core.errors import InvalidInput

VALUES = ["a", "b", "c", "d", "e"]
CONTEXT = dc.Context.uniform(VALUES, "1")
MADE = dc.mechanism(CONTEXT)
P0, P1 = [0.1, 0.2, 0.3, 0.2, 0.2], [0.3, 0.2, 0.1, 0.25, 0.15]
OF_A_CHANNEL = {
    "capacity": lambda Q: bounds.capacity(Q, tolerance=1e-6),
    "channel_chernoff_exponent": lambda Q: bounds.channel_chernoff_exponent(Q, P0, P1),
    "channel_stein_exponent": lambda Q: bounds.channel_stein_exponent(Q, P0, P1),
    "eta_gamma": lambda Q: bounds.eta_gamma(Q, 2),
    "eta_kl": bounds.eta_kl,
    "eta_tv": bounds.eta_tv,
    "mutual_information": lambda Q: bounds.mutual_information(Q, P0),
    "pair_curve": lambda Q: bounds.pair_curve(Q, 0, 1),
    "pairwise_delta": lambda Q: bounds.pairwise_delta(Q, CONTEXT).tolist(),
    "pairwise_epsilon": lambda Q: bounds.pairwise_epsilon(Q).tolist(),
    "privacy_curve": bounds.privacy_curve,
    "users_enough": lambda Q: bounds.users_enough(Q, P0, P1, errors=0.01),
}


@pytest.mark.parametrize("name", OF_A_CHANNEL)
def test_a_mechanism_is_read_as_its_exact_channel(name):
    assert OF_A_CHANNEL[name](MADE) == OF_A_CHANNEL[name](MADE.channel())
    other = dc.mechanism(dc.Context.uniform(VALUES, "2"))
    assert OF_A_CHANNEL[name](other) != OF_A_CHANNEL[name](MADE)  # the control


def test_every_public_function_of_a_channel_is_asked():
    functions = [name for name in bounds.__all__ if inspect.isfunction(getattr(bounds, name))]
    asked = {name for name in functions if "Q" in inspect.signature(getattr(bounds, name)).parameters}
    assert asked == set(OF_A_CHANNEL)


def test_a_context_is_read_as_its_matrix():
    for function in (bounds.context_tv_contraction, bounds.context_kl_contraction):
        for context in (CONTEXT, dc.Context.uniform(VALUES, "0.5"), dc.Context.high_low(VALUES, ["a"], "2")):
            assert function(context) == pytest.approx(function(context.matrix()), rel=1e-12)
    assert bounds.context_tv_contraction(dc.Context.uniform(VALUES, "0.5")) == pytest.approx(np.tanh(0.25))


def test_a_mechanism_with_too_many_reports_is_refused():
    with pytest.raises(InvalidInput, match="too many"):
        bounds.eta_tv(dc.mechanism(dc.Context.uniform(range(60), "0.1"), "subset"))
