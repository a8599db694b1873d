"""Every mechanism in every context at awkward sizes keeps every law."""

from contextlib import suppress
from itertools import islice, product

import pytest

import discreet as dc
from discreet import Context
from discreet.checks import check_mechanism
from discreet.checks.vectors.laws import registered_samplers, small_examples
from discreet.core.errors import InvalidInput
from discreet.mechanisms.build import BASES, OTHERS

ALWAYS = {"certificate", "equal words", "scalar is vector", "counting", "merging", "round trips"}
ENUMERATED = {"channel", "reports", "pairs", "columns", "scores", "unbiased", "moments", "reach"}


def uniform(k, epsilon):
    return Context.uniform(range(k), epsilon)


def half_sensitive(k, epsilon):
    return Context.high_low(range(k), range(k // 2, k), epsilon)


def one_sensitive(k, epsilon):
    return Context.high_low(range(k), [k - 1], epsilon)


def all_sensitive(k, epsilon):
    return Context.high_low(range(k), range(k), epsilon)


def blocks(k, epsilon):
    """Two blocks of k at different epsilons, one of two and one of a single value, not in order."""
    names = {"many": range(0, 3 * k, 3), "one": [1], "two": [2, 4], "others": range(3 * k, 4 * k)}
    return Context.blocks(names, {"many": epsilon, "one": "1", "two": epsilon, "others": "1"})


def check(name, context):
    """The laws that a base keeps."""
    return set(check_mechanism((name, context)))


def cases(forms, sizes, epsilons=("1",)):
    """Every base in every context for which it exists: cyclotomic response has no family of blocks for some sizes."""
    return [
        (name, form, k, epsilon)
        for name, form, k, epsilon in product(BASES, forms, sizes, epsilons)
        if name != "cyclotomic" or exists(name, form(k, epsilon))
    ]


def exists(name, context):
    with suppress(InvalidInput):
        return dc.mechanism(context, name) is not None
    return False


FORMS = [uniform, half_sensitive, one_sensitive, all_sensitive, blocks]


@pytest.mark.parametrize(("name", "form", "k", "epsilon"), cases(FORMS, [1, 2, 3, 6]))
def test_every_mechanism_keeps_every_law_by_full_enumeration(name, form, k, epsilon):
    done = check(name, form(k, epsilon))
    assert done >= ALWAYS | {"every word"}
    if form is not blocks or k < 6:
        assert done >= ENUMERATED


@pytest.mark.parametrize(
    ("name", "form", "k", "epsilon"), cases([uniform, half_sensitive, blocks], [2, 5], ["0.01", "5", "20"])
)
def test_every_mechanism_keeps_every_law_at_small_and_large_epsilon(name, form, k, epsilon):
    assert check(name, form(k, epsilon)) >= ALWAYS


@pytest.mark.parametrize("k", [7, 8, 9, 15, 16, 17])
@pytest.mark.parametrize("form", [uniform, half_sensitive, blocks])
@pytest.mark.parametrize("name", ["randomized_response", "hadamard", "projective"])
def test_one_word_mechanisms_keep_every_law_around_powers_of_two(name, form, k):
    assert set(check_mechanism((name, form(k, "0.5")))) >= ALWAYS | {"every word"}


@pytest.mark.parametrize("k", [14, 15, 16, 17, 62, 63, 64, 65])
@pytest.mark.parametrize("form", [uniform, half_sensitive, one_sensitive, blocks])
@pytest.mark.parametrize("name", ["unary", "subset"])
def test_set_valued_reports_keep_the_laws_across_the_width_of_a_word(name, form, k):
    assert set(check_mechanism((name, form(k, "1")))) >= ALWAYS


@pytest.mark.parametrize(("name", "form", "k", "epsilon"), cases([uniform, half_sensitive, blocks], [1000], ["2"]))
def test_a_thousand_values_keep_the_laws(name, form, k, epsilon, monkeypatch):
    monkeypatch.setattr("discreet.checks.execution.MAX_BITS", 0)  # the words of so many values are not run in full
    assert check(name, form(k, epsilon)) >= ALWAYS


@pytest.mark.parametrize("k", [1, 2, 3, 6, 7, 8, 9])
@pytest.mark.parametrize("epsilon", ["0.01", "1", "5"])
def test_the_general_hadamard_baseline_keeps_the_laws(k, epsilon):
    assert set(check_mechanism(("general_hadamard", uniform(k, epsilon)))) >= ALWAYS | {"every word"}
    assert set(check_mechanism(("general_hadamard", blocks(min(k, 3), epsilon)))) >= ALWAYS


EXAMPLES = [(name, place) for name, kind in registered_samplers().items() for place, _ in enumerate(kind.examples())]


@pytest.mark.parametrize(("name", "place"), EXAMPLES)
def test_the_examples_of_every_registered_sampler_keep_the_laws(name, place):
    mechanism = next(islice(small_examples()[name], place, None))
    assert isinstance(mechanism.sampler, registered_samplers()[name])
    assert set(check_mechanism(mechanism)) >= ALWAYS


def test_every_registered_sampler_is_a_base_or_has_examples_of_its_own():
    bases = {*BASES, *OTHERS, "cyclic"}  # cyclic response is what two bases have in common
    assert set(registered_samplers()) - {name for name, _ in EXAMPLES} <= bases


@pytest.mark.parametrize("parts", [[("subset", 1), ("subset", 2)], [("subset", 2), ("subset", 3)]])
def test_a_mixture_of_two_sizes_keeps_the_laws(parts):
    told = [{"name": name, "d": d} for name, d in parts]
    context = Context.high_low(range(6), [0, 2, 3, 5], "1")
    mechanism = dc.mechanism(context, "mixture", parts=told, units=[2**62, 3 * 2**62])
    assert set(check_mechanism(mechanism)) >= ALWAYS | ENUMERATED


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_utility_rappor_baseline_keeps_the_laws(k):
    for form in (half_sensitive, one_sensitive, all_sensitive):
        assert set(check_mechanism(("utility_rappor", form(k, "1")))) >= ALWAYS | ENUMERATED | {"every word"}


@pytest.mark.parametrize("k", [3, 5, 8, 9])
@pytest.mark.parametrize("epsilon", ["0.01", "1", "5"])
def test_cyclotomic_response_keeps_the_laws(k, epsilon):
    assert set(check_mechanism(("cyclotomic", uniform(k, epsilon)))) >= ALWAYS | {"every word"}
    high_low = Context.high_low(range(k + 2), range(k), epsilon)
    assert set(check_mechanism(("cyclotomic", high_low))) >= ALWAYS | {"every word"}


LEVELS = [("1", "1"), ("0.01", "5"), ("20", "0.1"), ("inf", "1"), ("1", "inf"), ("inf", "inf")]


@pytest.mark.parametrize("epsilon", LEVELS)
@pytest.mark.parametrize("name", ["auto", "binary", "warner"])
def test_two_values_keep_the_laws_for_any_two_epsilons(name, epsilon):
    context = Context.binary("no", "yes", epsilon)
    assert set(check_mechanism((name, context))) >= ALWAYS | ENUMERATED | {"every word"}


@pytest.mark.parametrize("epsilon", [("0", "0"), ("0", "1"), ("1", "0"), ("0", "inf"), ("inf", "0")])
def test_two_values_at_epsilon_zero_keep_the_laws_that_need_no_estimate(epsilon):
    done = set(check_mechanism(("binary", Context.binary("no", "yes", epsilon))))
    assert done >= ALWAYS | {"every word", "channel", "reports", "pairs"}
    assert "unbiased" not in done


def test_mangats_response_keeps_the_laws():
    assert "unbiased" in check_mechanism(("mangat", Context.binary("no", "yes", ("inf", "1"))))


MATRIX = [[0, "1", "inf", "2"], ["2", 0, "1", "inf"], ["1", "1", 0, "1"], ["inf", "3", "1", 0]]
ARBITRARY = {
    "metric": Context.metric(range(6), lambda x, z: abs(x - z), "1"),
    "far metric": Context.metric([0, 1, 300], lambda x, z: abs(x - z), "1"),
    "metric in parts": Context.metric([0, 1, 5, 6], lambda x, z: abs(x - z) if abs(x - z) < 2 else "inf", "1"),
    "matrix": Context.matrix(range(4), MATRIX),
    "both": Context.high_low(range(6), [0], "1") & Context.high_low(range(6), [1], "2"),
    "sum": Context.high_low(range(6), [0, 3], "1") + Context.blocks({0: [0, 1, 2], 1: [3, 4, 5]}, "1"),
    "crossing blocks": Context.blocks({0: [0, 1, 2], 1: [3, 4, 5]}, "1")
    & Context.matrix(range(6), [[0 if x == z else 2 if x % 2 == z % 2 else "inf" for z in range(6)] for x in range(6)]),
}


@pytest.mark.parametrize("name", ["auto", "randomized_response", "subset", "projective"])
@pytest.mark.parametrize("context", ARBITRARY.values(), ids=ARBITRARY)
def test_arbitrary_contexts_are_served_and_keep_the_laws(context, name):
    assert set(check_mechanism((name, context))) >= ALWAYS | {"every word"}


@pytest.mark.parametrize("context", [ARBITRARY["metric"], ARBITRARY["far metric"], ARBITRARY["metric in parts"]])
def test_the_exponential_table_keeps_the_laws(context):
    assert set(check_mechanism(("exponential", context))) >= ALWAYS | ENUMERATED | {"every word"}


@pytest.mark.parametrize("context", [ARBITRARY[name] for name in ("metric", "far metric", "metric in parts", "matrix")])
def test_the_tight_table_keeps_the_laws(context):
    assert set(check_mechanism(("tight", context))) >= ALWAYS | ENUMERATED | {"every word"}


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
@pytest.mark.parametrize(
    "cells", [[(0, 0), (1, 1)], [(0, 3), (2, 1), (4, 5), (0, 1)], [(i, j) for i in range(4) for j in range(3)]]
)
def test_noise_on_a_torus_keeps_the_laws(cells, norm):
    context = Context.metric(cells, norm, "1")
    assert set(check_mechanism(("torus", context))) >= ALWAYS | ENUMERATED | {"every word"}


@pytest.mark.parametrize("levels", [("0.01", "0.5"), ("1", "3"), ("3", "3.5"), ("10", "20")])
@pytest.mark.parametrize("sizes", [(2, 2), (1, 2, 3), (4, 1), (3, 3, 3)])
def test_marks_by_levels_keep_the_laws(sizes, levels):
    starts = [sum(sizes[:b]) for b in range(len(sizes))]
    named = {b: range(start, start + size) for b, (start, size) in enumerate(zip(starts, sizes, strict=True))}
    assert set(check_mechanism(("levels", Context.nested(named, levels)))) >= ALWAYS


@pytest.mark.parametrize("k", [14, 15, 16, 17, 62, 63, 64, 65])
def test_marks_by_levels_keep_the_laws_across_the_width_of_a_word(k):
    context = Context.nested({"a": range(k), "b": range(k, 2 * k)}, ["0.5", "1"])
    assert set(check_mechanism(("levels", context))) >= ALWAYS


@pytest.mark.parametrize("epsilon", ["0.01", "1", "5", "18"])
@pytest.mark.parametrize("values", [range(3), range(4), [4, 1, 3, 2, 0], range(12)], ids=["3", "4", "5", "12"])
def test_the_ring_response_keeps_the_laws(values, epsilon):
    context = Context.metric(values, "ring", epsilon)
    assert set(check_mechanism(("ring", context))) >= ALWAYS | ENUMERATED | {"every word"}


@pytest.mark.parametrize("epsilon", ["0.01", "1", "5", "20"])
@pytest.mark.parametrize("values", [range(2), range(3), [4, 1, 3, 2, 5, 6], range(9)], ids=["2", "3", "6", "9"])
def test_the_geometric_response_keeps_the_laws(values, epsilon):
    context = Context.metric(values, lambda x, z: abs(x - z), epsilon)
    assert set(check_mechanism(("geometric", context))) >= ALWAYS | ENUMERATED | {"every word"}


@pytest.mark.parametrize(
    "names", [("hadamard", "geometric"), ("randomized_response", "tight"), ("projective", "geometric")]
)
def test_two_questions_keep_the_laws(names):
    questions = uniform(3, "1") * Context.metric(range(4), "line", "0.5")
    first, second = ({"name": name} for name in names)
    mechanism = dc.mechanism(questions, "paired", first=first, second=second)
    assert set(check_mechanism(mechanism)) >= ALWAYS | ENUMERATED | {"every word"}


def test_a_table_that_the_user_brings_keeps_the_laws():
    rows = [["1/2", "1/4", "1/4", 0], ["1/4", "1/2", "1/4", 0], ["1/4", "1/4", "1/2", 0]]
    mechanism = dc.mechanism(uniform(3, "1"), "table", rows=rows)
    assert set(check_mechanism(mechanism)) >= ALWAYS | ENUMERATED | {"every word"}
