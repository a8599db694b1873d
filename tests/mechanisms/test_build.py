"""Laws of mechanisms by name, and of the structure that serves any context."""

import cProfile
import math
from fractions import Fraction

import pytest

import discreet as dc
from discreet import Context, Domain
from discreet.contexts import Blocks
from discreet.contexts.structure.simplify import coarsest_served
from discreet.core.errors import InvalidInput, NotServed
from discreet.mechanisms.mechanism import Mechanism


@pytest.mark.parametrize("context", [Context.uniform(range(4), "1"), Context.blocks({0: range(4)}, "1")])
def test_an_unknown_name_is_refused_with_the_known_ones(context):
    with pytest.raises(NotServed, match=r"mechanism='magic' must be one of .*hadamard.*subset"):
        dc.mechanism(context, "magic")


def test_parameters_that_do_not_fit_are_refused():
    context = Context.uniform(range(4), "1")
    with pytest.raises(InvalidInput, match="d must go with a named mechanism, not with auto"):
        dc.mechanism(context, d=2)
    with pytest.raises(InvalidInput, match="hadamard takes no parameter d"):
        dc.mechanism(context, "hadamard", d=2)


def test_a_name_that_has_no_form_for_the_context_is_not_served():
    high_low = Context.high_low(range(8), range(4), "1")
    for name in ("general_hadamard", "binary", "warner"):
        with pytest.raises(NotServed):
            dc.mechanism(high_low, name)
    with pytest.raises(NotServed, match="utility_rappor"):
        dc.mechanism(Context.blocks({0: range(4), 1: range(4, 6)}, "1"), "utility_rappor")


def test_the_structure_of_a_matrix_is_its_components_at_their_smallest_entries():
    inf = "inf"
    matrix = Context.matrix(range(5), [[0, 1, inf, inf, inf], [3, 0, inf, inf, inf], [inf, inf, 0, 2, inf],
                                       [inf, inf, 2, 0, inf], [inf, inf, inf, inf, 0]])  # fmt: skip
    served = coarsest_served(matrix)
    assert served.form == "blocks"
    assert served.implies(matrix)
    assert [served.at(0, 1), served.at(2, 3), served.at(0, 4)] == [1, 2, math.inf]


def test_a_chain_of_finite_entries_is_one_component():
    chain = Context.matrix(range(3), [[0, 1, "inf"], [1, 0, 2], ["inf", 2, 0]])
    served = coarsest_served(chain)
    assert served.form == "uniform"
    assert served.level == 1


def test_combined_sensitive_sets_are_served_as_one():
    context = Context.high_low(range(6), [0], "1") & Context.high_low(range(6), [1], "2")
    served = coarsest_served(context)
    assert served.form == "high_low"
    assert served.sensitive == (0, 1)
    assert served.level == Fraction(1)
    assert dc.mechanism(context).certificate.claimed == 1


def test_a_mechanism_is_made_in_no_time_for_a_large_domain():
    """Fewer than 300,000 function calls for 43,750 values in 50 blocks, whatever the machine."""
    sizes = [43_750 // 50] * 50
    context = Blocks.from_sizes(Domain(range(43_750)), sizes, "1")
    profile = cProfile.Profile()
    mechanism = profile.runcall(dc.mechanism, context, "hadamard")
    assert isinstance(mechanism, Mechanism)
    assert sum(entry.callcount for entry in profile.getstats()) < 300_000


def test_one_value_alone_has_nothing_to_hide_from():
    for context in (Context.matrix(["a"], [[0]]), Context.metric(["a"], lambda a, b: 0, "1")):
        assert dc.mechanism(context).bits == 1
        assert dc.mechanism(context, "hadamard").randomize("a", dc.random.secure()) == 0


@pytest.mark.parametrize("epsilon", ["5000", "1e300", "1e-300"])
def test_an_epsilon_beyond_floats_is_refused_by_name_whatever_the_mechanism(epsilon):
    for name in ("subset", "projective", "hadamard", "auto"):
        with pytest.raises(InvalidInput):
            dc.mechanism(Context.uniform(range(9), epsilon), name)


def test_what_does_not_belong_to_a_named_mechanism_is_refused():
    context = Context.uniform(range(40), "1")
    blocks = Context.blocks({0: range(3), 1: range(3, 6)}, "1")
    with pytest.raises(InvalidInput, match="bits=3 must go with auto, not with 'subset'"):
        dc.mechanism(context, "subset", bits=3)
    with pytest.raises(InvalidInput, match="hadamard takes no parameter word_bits"):
        dc.mechanism(context, "hadamard", word_bits=16)
    with pytest.raises(InvalidInput, match="projective: family, key cannot be used as given"):
        dc.mechanism(context, "projective", family="singer", key=5)
    with pytest.raises(NotServed, match="mechanism='bogus' takes no inner"):
        dc.mechanism(blocks, "bogus", inner=[{"name": "subset"}] * 2)
    with pytest.raises(InvalidInput, match=r"inner\[0\] must map name to the name of a sampler"):
        dc.mechanism(blocks, "mixed", inner=[{"nam": "subset"}] * 2)
    with pytest.raises(InvalidInput, match="mixture needs parts="):
        dc.mechanism(Context.high_low(range(5), [0, 1], "1"), "mixture", parts=[], units=[])
