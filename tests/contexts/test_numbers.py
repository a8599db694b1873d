"""What is promised for numbers, and that it holds for those between the nodes."""

import math
from fractions import Fraction
from itertools import product

import pytest

import discreet as dc
from discreet.contexts import HighLow
from discreet.contexts.forms.places import LineOrRing
from discreet.core.errors import InvalidContext, InvalidInput, InvalidSpec
from discreet.core.exact import exp_below


def channel(mechanism, position):
    """The exact chances of the reports of a number, by its place on the grid."""
    domain = mechanism.context.domain
    node, rest = divmod(position, domain.units)
    rows = mechanism.channel()
    chance = Fraction((rest << 64) // domain.units, 1 << 64)
    upper = rows[min(node + 1, domain.nodes - 1)]
    return [(1 - chance) * low + chance * high for low, high in zip(rows[node], upper, strict=True)]


def ratio(mechanism, x, z):
    return max(p / q for p, q in zip(channel(mechanism, x), channel(mechanism, z), strict=True))


def test_any_two_numbers_are_hidden_as_the_nodes_are():
    mechanism = dc.mechanism(dc.Context.numbers(0, 4, "1", step=1, decimals=1))
    for x, z in product(range(0, 41, 3), repeat=2):
        assert ratio(mechanism, x, z) <= mechanism.certificate.ratio
    assert str(mechanism.context.number_bounds) == "any two at most 1"


@pytest.mark.parametrize("step", ["1", "0.5"])
def test_by_distance_numbers_inside_a_step_are_hidden_by_their_distance_too(step):
    context = dc.Context.numbers(0, 3, "1", step=step, decimals=3, distance="line")
    mechanism, unit = dc.mechanism(context), Fraction(1, 1000)
    for x, z in [(0, 1), (1, 0), (499, 500), (500, 499), (998, 1001), (1200, 1700), (2999, 3000), (0, 3000)]:
        assert ratio(mechanism, x, z) <= exp_below(abs(x - z) * unit)
    assert context.number_bounds.a_unit <= 1
    # the control: nodes hidden by epsilon times their distance let numbers inside a step leak (e**h - 1) / h a unit
    naive = dc.mechanism(LineOrRing(context.domain, "line", "1"))
    leaked = max(math.log(ratio(naive, *pair)) / unit for x in range(0, 3000, 100) for pair in ((x, x + 1), (x + 1, x)))
    assert leaked > 1.2
    assert naive.context.number_bounds.a_unit >= leaked


def test_graded_numbers_take_the_smaller_epsilon_of_the_two_steps_beside_a_node():
    context = dc.Context.numbers(0, 4, "4", step=1, grades={(2, 3): "1", (3, 4): "2"})
    assert [str(context.epsilon(x, 0 if x else 4)) for x in range(5)] == ["4", "4", "1", "1", "2"]
    with pytest.raises(InvalidContext, match=r"grades: .* the lower one first"):
        dc.Context.numbers(0, 4, "4", grades={(3, 2): "1"})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"distance": "ring"}, 'must be "line"'),
        ({"distance": "line", "rounding": "nearest"}, "rounding must be at random"),
        ({"distance": "line", "grades": {(0, 1): 1}}, "one of distance and grades"),
        ({"distance": "line", "epsilon": "1e-20"}, "must be at least 1e-15"),
        ({"grades": {}}, "must be {"),
        ({"grades": {0: 1}}, "must be a pair of numbers"),
    ],
)
def test_contexts_of_numbers_that_cannot_be_are_refused(options, message):
    with pytest.raises(InvalidContext, match=message):
        dc.Context.numbers(0, 4, **{"epsilon": "1", **options})


def test_numbers_are_asked_by_themselves_and_are_never_shown():
    numbers = dc.Context.numbers(0, 4, "1", step=1)
    with pytest.raises(InvalidContext, match="asked by themselves"):
        numbers * dc.Context.uniform(["no", "yes"], "1")
    shown = HighLow(numbers.domain, [4], "1")
    with pytest.raises(InvalidInput, match="must all be hidden from each other"):
        dc.mechanism(shown)


@pytest.mark.parametrize(
    "context",
    [
        dc.Context.numbers(0, 4000, "1", clip=True),
        dc.Context.numbers("-1", "1", "0.5", step="0.25", rounding="nearest"),
        dc.Context.numbers(0, 3, "1", step="0.5", distance="line"),
        dc.Context.numbers(0, 8, "4", step=1, grades={(6, 8): "1"}),
        dc.Context.numbers(0, 4, "1", step=1).with_outside(["prefer not to say"], "1"),
    ],
    ids=["uniform", "nearest", "line", "graded", "outside"],
)
def test_specs_and_published_laws_keep_numbers(context):
    mechanism = dc.mechanism(context)
    spec = dc.Spec.of_mechanism(mechanism)
    assert spec.mechanism.fingerprint == mechanism.fingerprint == spec.resolved().mechanism.fingerprint
    read = dc.wire.parse_published(mechanism.published)
    assert read.published == mechanism.published
    assert read.context.domain == context.domain
    assert str(read.context.number_bounds) == str(context.number_bounds)


def spec_of(domain, **context):
    return dc.Spec.of({"domain": domain, "context": {"form": "numbers", "epsilon": "1", **context}})


def test_a_spec_says_numbers_as_python_does():
    domain = {"low": 0, "high": 4, "step": 1}
    grades = [{"from": 2, "to": 4, "epsilon": "1/2"}]
    assert spec_of(domain).context == dc.Context.numbers(0, 4, "1", step=1)
    assert spec_of(domain, distance="line").context == dc.Context.numbers(0, 4, "1", step=1, distance="line")
    assert spec_of(domain, grades=grades).context == dc.Context.numbers(0, 4, "1", step=1, grades={(2, 4): "1/2"})


@pytest.mark.parametrize(
    ("domain", "context", "message"),
    [
        ({"low": 0}, {}, "domain.high is missing"),
        ({"low": 0, "high": 4, "values": [1]}, {}, "exactly one of"),
        ({"low": 0, "high": 4, "clip": 1}, {}, "domain.clip must be true or false"),
        ({"values": [1, 2]}, {}, "needs a domain with low and high"),
        ({"low": 0, "high": 4}, {"grades": [{"from": 1, "to": 2}]}, r"context.grades\[0\].epsilon is missing"),
    ],
)
def test_specs_of_numbers_that_are_wrong_are_refused_by_the_name_of_the_entry(domain, context, message):
    with pytest.raises(InvalidSpec, match=message):
        spec_of(domain, **context)
