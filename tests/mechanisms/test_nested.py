"""Laws of nested blocks: less is hidden between blocks than inside them, and no more than E allows."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.checks import check_mechanism
from discreet.core.errors import InvalidEpsilon, InvalidInput, NotServed
from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.tree.nested import Nested
from discreet.mechanisms.tree.nested_choice import innermost, nested_error
from discreet.mechanisms.uniform.cyclic import Projective
from discreet.mechanisms.uniform.hadamard import Hadamard
from discreet.mechanisms.uniform.randomized_response import RandomizedResponse
from discreet.mechanisms.uniform.subset import Subset


def blocks(sizes, inside, outside):
    """Blocks of these sizes at `inside`, all values at `outside` from each other."""
    starts = np.cumsum([0, *sizes]).tolist()
    named = {b: range(start, start + size) for b, (start, size) in enumerate(zip(starts, sizes, strict=False))}
    return Context.blocks(named, inside) & Context.uniform(range(starts[-1]), outside)


def tree(size):
    """Pairs in fours: 1 in a pair, 2 in a four, 4 beyond."""

    def apart(x, z):
        return 0 if x == z else 1 if x // 2 == z // 2 else 2 if x // 4 == z // 4 else 4

    return Context.matrix(range(size), [[apart(x, z) for z in range(size)] for x in range(size)])


def error(sampler):
    k = sampler.size
    return float(decoder_of(sampler).second_moments(np.full(k, 1 / k)).sum()) - 1 / k


def closed_form(count, size, inside, outside, d):
    """f0 - 1/k with one high block of which d values are high, all in a low block alike."""
    k, e, a = count * size, math.exp(inside), math.exp(outside - inside)
    high, low = a * (size + d * (e - 1)), size
    square = a * a * (size + d * (e * e - 1))
    mean = (high + (count - 1) * low) / k
    of_blocks = (high**2 + (count - 1) * low**2) / (size * mean**2)
    first = (of_blocks - k) / (count - 1)
    second = ((square + (count - 1) * size) / mean**2 - of_blocks) / (count * (size - 1))
    return (count - 1) / first + count * (size - 1) / second


@pytest.mark.parametrize(
    ("count", "size", "inside", "outside", "expected"),
    [(5, 5, "1", "3", 22.760), (10, 20, "1", "3", 213.78), (3, 30, "1", "2.5", 174.05)],
)
def test_equal_blocks_have_the_error_of_the_closed_form(count, size, inside, outside, expected):
    inner = innermost(size, Fraction(inside), Fraction(outside), blocks=count, bits=None)
    made = Nested([x // size for x in range(count * size)], [inner] * count, Fraction(outside))
    best = min(closed_form(count, size, float(inside), float(outside), d) for d in range(1, size))
    assert error(made) == pytest.approx(best, rel=1e-9) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("d", [1, 3, 5])
def test_the_error_by_which_a_set_is_chosen_is_that_of_the_mechanism(d):
    inner = Subset(6, Fraction(1), d=d)
    made = Nested([x // 6 for x in range(24)], [inner] * 4, Fraction(5, 2))
    levels = float(inner.p), float(inner.q), float(inner.r)
    found = nested_error(*levels, size=6, blocks=4, inside=1.0, outside=2.5)
    assert found - 1 / 24 == pytest.approx(error(made), rel=1e-9)


@pytest.mark.parametrize("sizes", [[2, 2], [1, 2, 3], [4, 1, 1], [2, 5, 3]])
@pytest.mark.parametrize("levels", [("0.1", "0.5"), ("1", "3"), ("3", "3.5")])
def test_blocks_of_any_sizes_keep_the_laws(sizes, levels):
    done = check_mechanism(("nested", blocks(sizes, *levels)))
    assert {"every word", "pairs", "unbiased", "moments", "round trips"} <= set(done)


@pytest.mark.parametrize("size", [5, 7, 8])
def test_blocks_inside_blocks_keep_the_laws(size):
    mechanism = dc.mechanism(tree(size), "nested")
    assert {"pairs", "unbiased", "moments", "round trips"} <= set(check_mechanism(mechanism))
    assert any(part.name == "nested" for part in mechanism.sampler.kinds)


INNER = {
    "projective": Projective(6, Fraction(1), family="singer", key=(3, 3)),
    "rr": RandomizedResponse(6, Fraction(1)),
}


@pytest.mark.parametrize("inner", INNER.values(), ids=INNER)
def test_any_base_with_blank_reports_serves_inside(inner):
    made = Nested([x // 6 for x in range(18)], [inner] * 3, Fraction(2))
    context = blocks([6, 6, 6], "1", "2")
    assert {"pairs", "unbiased", "moments"} <= set(check_mechanism(dc.Mechanism(context, made)))


def test_the_ratio_across_is_all_that_e_allows():
    mechanism = dc.mechanism(blocks([3, 4, 5], "1", "3"), "nested")
    found = {(pair.x, pair.z): math.log(pair.ratio) for pair in mechanism.sampler.ratio_bounds()}
    assert found[0, 3] == pytest.approx(3, abs=1e-9)
    assert found[0, 1] == pytest.approx(1, abs=1e-9)


def test_one_unit_less_for_a_block_leaks():
    """The control: the words of other people's blocks are as few as E allows."""
    mechanism = dc.mechanism(blocks([3, 3], "1", "3"), "nested")
    law = mechanism.law()
    leaking = replace(law, units=(law.units[0] - 2**40, *law.units[1:]))
    with pytest.raises(dc.errors.PrivacyViolation, match=r"leaks 3\.0"):
        dc.Mechanism(mechanism.context, Nested.from_law(leaking))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"units": (1,)}, "units for each"),
        ({"units": (0, 5)}, "units for each"),
        ({"units": (2**63, 2**63)}, "leave words for the own one"),
        ({"kinds": (Hadamard(3, Fraction(1)).law,)}, "cover reports"),
    ],
)
def test_laws_that_contradict_themselves_are_refused(change, message):
    law = dc.mechanism(blocks([3, 3], "1", "3"), "nested").law()
    with pytest.raises(InvalidInput, match=message):
        Nested.from_law(replace(law, **change))


def test_levels_that_leave_no_room_and_contexts_without_blocks_are_refused():
    inner = Subset(4, Fraction(3), d=1)
    with pytest.raises(InvalidEpsilon, match="beyond what words"):
        Nested([0] * 4 + [1] * 4, [inner] * 2, Fraction(1, 2))
    for context in (Context.uniform(range(4), "1"), Context.metric(range(4), lambda x, z: abs(x - z), "1")):
        with pytest.raises(NotServed, match="blocks inside each other"):
            dc.mechanism(context, "nested")


def test_nested_blocks_beat_what_ignores_them():
    explained = dc.explain(blocks([5] * 5, "1", "3"))
    assert explained.chosen.name == "nested"
    assert explained.candidates[0].error == pytest.approx(22.760, rel=1e-4)
    errors = {candidate.name: candidate.error for candidate in explained.candidates}
    assert errors["subset"] > 3 * errors["nested"]
    assert errors["tight"] > 1.05 * errors["nested"]


def test_few_bits_are_kept_to():
    explained = dc.explain(blocks([12] * 4, "1", "3"), bits=7)
    assert all(candidate.bits <= 7 for candidate in explained.candidates)
    assert explained.chosen.name == "nested"


@pytest.mark.parametrize("context", [blocks([2, 3, 1], "1", "3"), tree(8)], ids=["blocks", "tree"])
def test_blocks_certified_all_at_once_keep_the_laws(context, monkeypatch):
    one_by_one = dc.mechanism(context, "nested").certificate
    monkeypatch.setattr("discreet.mechanisms.tree.nested.FEW", 1)
    mechanism = dc.mechanism(context, "nested")
    assert {"pairs", "unbiased", "moments", "round trips"} <= set(check_mechanism(mechanism))
    assert mechanism.certificate.fingerprint == one_by_one.fingerprint
    assert 0 <= mechanism.certificate.gap < 1e-12


def many(count):
    return Context.nested({b: [2 * b, 2 * b + 1] for b in range(count)}, ["1", "4"])


def test_thousands_of_blocks_are_certified():
    mechanism = dc.mechanism(many(3000), "nested")
    assert mechanism.certificate.gap >= 0
    assert math.log(mechanism.sampler.max_ratios()(0, 2)) == pytest.approx(4, abs=1e-9)


def test_one_block_of_thousands_with_fewer_units_leaks():
    """The control: the block may be any of them."""
    mechanism = dc.mechanism(many(300), "nested")
    law = mechanism.law()
    units = list(law.units)
    units[217] -= 2**40
    with pytest.raises(dc.errors.PrivacyViolation, match=r"leaks 4\.0"):
        dc.Mechanism(mechanism.context, Nested.from_law(replace(law, units=tuple(units))))


def test_two_values_of_thousands_that_changed_blocks_leak():
    """The control: the blocks are those of the context."""
    mechanism = dc.mechanism(many(300), "nested")
    law = mechanism.law()
    block_of = list(law.block_of)
    block_of[0], block_of[-1] = block_of[-1], block_of[0]
    with pytest.raises(dc.errors.PrivacyViolation, match=r"leaks 4"):
        dc.Mechanism(mechanism.context, Nested.from_law(replace(law, block_of=type(law.block_of).of(block_of))))
