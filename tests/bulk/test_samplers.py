"""Compiled samplers give the reports of the plain integers, word for word, or are not used."""

import gc
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.bulk import samplers
from discreet.bulk.kernels import TILE
from discreet.bulk.packed import pack
from discreet.bulk.randomizing import randomize_indices, report_type
from discreet.bulk.samplers import compiled_sampler
from discreet.bulk.words import seeded
from discreet.checks.execution import as_integers
from discreet.core.arithmetic import INTEGERS
from discreet.estimation.arrays.arithmetic import ARRAYS
from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.composed.blocks import BlockResponse
from discreet.mechanisms.composed.high_low import HighLowResponse
from discreet.mechanisms.lines_and_grids.geometric import Geometric
from discreet.mechanisms.uniform.cyclic import Projective
from discreet.mechanisms.uniform.cyclotomic import Cyclotomic
from discreet.mechanisms.uniform.hadamard import Hadamard
from discreet.mechanisms.uniform.randomized_response import RandomizedResponse
from discreet.mechanisms.uniform.subset import Subset
from discreet.mechanisms.uniform.unary import OptimisedUnary, Unary

ONE = Fraction(1)
BASES = [Hadamard, RandomizedResponse, Projective, Cyclotomic, Subset, Unary]


def blocks(*parts):
    """Blocks whose values are spread over the domain, not one block after the other."""
    labels = [block for block, part in enumerate(parts) for _ in range(part.size)]
    return BlockResponse([int(label) for label in np.random.default_rng(1).permutation(labels)], parts)


def named(context, name):
    return dc.mechanism(context, name).sampler


FORMS = {
    **{f"{base.name} on {k}": base(k, ONE) for base in BASES for k in (3, 5, 60)},
    "hadamard on 1": Hadamard(1, ONE),
    "hadamard on 2": Hadamard(2, ONE),
    "hadamard on 43750": Hadamard(43_750, Fraction(3)),
    "randomized response on 1": RandomizedResponse(1, ONE),
    "randomized response, small epsilon": RandomizedResponse(1000, Fraction(1, 100)),
    "projective, long table": Projective(5000, Fraction(2)),
    "subset on 64": Subset(64, ONE),
    "subset on 65": Subset(65, ONE),
    "subset on 300": Subset(300, ONE),
    "subset of two words a draw": Subset(150_000, Fraction(9)),
    "unary on 64": Unary(64, ONE),
    "unary on 65": OptimisedUnary(65, ONE),
    "unary on 200": Unary(200, ONE),
    **{f"high-low {base.name}": HighLowResponse(40, range(3, 33, 2), base(15, ONE), ONE) for base in BASES},
    "high-low subset on 64": HighLowResponse(70, range(64), Subset(64, ONE), ONE),
    "high-low subset on 100": HighLowResponse(300, range(5, 105), Subset(100, ONE), ONE),
    "high-low unary on 70": HighLowResponse(90, range(20, 90), Unary(70, ONE), ONE),
    "high-low with all sensitive": HighLowResponse(12, range(12), Hadamard(12, ONE), ONE),
    "blocks of hadamard": blocks(*[Hadamard(size, ONE) for size in (5, 250, 31, 32, 1)], RandomizedResponse(1, ONE)),
    "blocks of hadamard, two epsilons": blocks(Hadamard(5, ONE), Hadamard(9, Fraction(2)), Hadamard(6, ONE)),
    **{f"blocks of {base.name}": blocks(base(7, ONE), base(20, ONE), base(7, Fraction(2))) for base in BASES},
    "blocks of everything": blocks(
        *[base(9, ONE) for base in BASES], OptimisedUnary(5, ONE), RandomizedResponse(1, ONE)
    ),
    "mangat": named(dc.Context.binary("no", "yes", epsilon=("inf", "1")), "mangat"),
    "exponential": named(dc.Context.metric(range(9), lambda a, b: abs(a - b), "0.5"), "exponential"),
    "geometric": Geometric(40, Fraction(1, 2)),
    "geometric, far": Geometric(5000, Fraction(2)),
}


@pytest.mark.parametrize("name", FORMS)
def test_compiled_reports_equal_those_of_numpy_word_for_word(name):
    sampler = FORMS[name]
    assert compiled_sampler(sampler) is not None
    n = max(20, min(3000, 200_000 // sampler.words))
    x = np.random.default_rng(2).integers(0, sampler.size, n).astype(np.uint32)
    expected = randomize_indices(sampler, x, seeded(4), engine="numpy")
    found = randomize_indices(sampler, x, seeded(4), engine="numba")
    assert found.dtype == expected.dtype
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("name", [name for name in FORMS if FORMS[name].words == 1])
def test_compiled_reports_are_right_at_every_edge_of_a_law_of_one_word(name):
    """Words next to every multiple of a 97th of the word space, and both ends of it."""
    sampler = FORMS[name]
    steps = [(i << 64) // 97 for i in range(97)]
    words = np.array(sorted({(s + d) % 2**64 for s in steps for d in (-1, 0, 1)}), dtype=np.uint64)
    out = np.empty(len(words), dtype=report_type(sampler.bits))
    for x in {0, sampler.size // 2, sampler.size - 1}:
        compiled_sampler(sampler)(np.full(len(words), x, dtype=np.uint32), words, out)
        assert as_integers(out) == [sampler.draw(x, [int(u)], INTEGERS) for u in words]


NARROW = {
    "hadamard": Hadamard(5, ONE, word_bits=10),
    "randomized response": RandomizedResponse(5, ONE, word_bits=10),
    "projective": Projective(6, ONE, word_bits=10),
    "cyclotomic": Cyclotomic(6, ONE, word_bits=10),
    "high-low cyclotomic": HighLowResponse(9, range(6), Cyclotomic(6, ONE, word_bits=10), ONE),
    "high-low projective": HighLowResponse(9, range(6), Projective(6, ONE, word_bits=10), ONE),
    "blocks": blocks(Hadamard(5, ONE, word_bits=10), RandomizedResponse(3, ONE, word_bits=10)),
}


@pytest.mark.parametrize("name", NARROW)
def test_compiled_reports_are_right_over_every_word_of_a_small_word_space(name):
    sampler = NARROW[name]
    words = np.arange(1 << 10, dtype=np.uint64) << np.uint64(54)
    out = np.empty(len(words), dtype=report_type(sampler.bits))
    for value in range(sampler.size):
        x = np.full(len(words), value, dtype=np.uint32)
        compiled_sampler(sampler)(x, words, out)
        assert np.array_equal(out, sampler.draw(x.astype(np.uint64), [words], ARRAYS))


def test_a_compiled_sampler_that_differs_is_reported_and_not_used(monkeypatch):
    def one_unit_too_many(sampler):
        law = pack(sampler)
        return law._replace(form=law.form._replace(true_last=np.uint64(2**63)))

    sampler = Hadamard(300, ONE)
    expected = randomize_indices(sampler, np.arange(300), seeded(5), engine="numpy")
    monkeypatch.setattr(samplers, "pack", one_unit_too_many)
    with pytest.warns(RuntimeWarning, match="hadamard differs from the plain one and is not used"):
        found = randomize_indices(sampler, np.arange(300), seeded(5), engine="numba")
    assert np.array_equal(found, expected)
    assert compiled_sampler(sampler) is None  # and is not tried again


def hadamard_blocks(sizes):
    return BlockResponse(
        [b for b, size in enumerate(sizes) for _ in range(size)], [Hadamard(size, ONE) for size in sizes]
    )


TRIED = {
    "many values": Hadamard(43_750, ONE),
    "not a power of two": RandomizedResponse(10_007, ONE),
    "wide sets": Subset(300, ONE),
    "many words": Unary(3000, ONE),
    "high-low": HighLowResponse(10_000, range(7, 5000, 2), Hadamard(2497, ONE), ONE),
    "blocks of many sizes": hadamard_blocks([3, 5000, 17, 1, 4000, 260, 2]),
    "mixed blocks": blocks(Projective(900, ONE), Hadamard(5000, ONE), Subset(11, ONE), RandomizedResponse(7, ONE)),
}


def faults(sampler):
    """For each of several sets of values: a compiled sampler that is wrong for these alone."""
    groups = decoder_of(sampler).groups()
    yield "the first value", [0]
    yield "the last value", [sampler.size - 1]
    for number, group in enumerate(groups):
        yield f"group {number}", group.values.ravel()
        yield f"the first value of group {number}", group.values[0, :1]
        yield f"the last value of group {number}", group.values[-1, -1:]
    for name, some in {"pass": sampler.disclosed, "are sensitive": getattr(sampler, "sensitive", ())}.items():
        if some:
            yield f"the first and last of those that {name}", [some[0], some[-1]]
            yield f"the last of those that {name}", some[-1:]


@pytest.mark.parametrize("name", TRIED)
def test_a_compiled_sampler_that_is_wrong_for_one_value_or_one_group_alone_is_caught(name, monkeypatch):
    sampler = TRIED[name]
    make = samplers._compiled_fill
    law = pack(sampler)
    assert samplers._try(sampler, law) is not None  # the control: without a fault it is used
    for fault, values in faults(sampler):

        def planted(*arguments, wrong=values):
            sound = make(*arguments)

            def sample(x, words, out):
                sound(x, words, out)
                out[np.isin(x, wrong)] ^= out.dtype.type(1)

            return sample

        monkeypatch.setattr(samplers, "_compiled_fill", planted)
        with pytest.warns(RuntimeWarning, match="differs from the plain one"):
            assert samplers._try(sampler, law) is None, fault


def test_a_compiled_sampler_that_is_wrong_beyond_its_first_tile_is_caught(monkeypatch):
    sampler, make = FORMS["high-low hadamard"], samplers._compiled_fill

    def planted(*arguments):
        sound = make(*arguments)

        def sample(x, words, out):
            sound(x, words, out)
            out[TILE:] ^= out.dtype.type(1)

        return sample

    monkeypatch.setattr(samplers, "_compiled_fill", planted)
    with pytest.warns(RuntimeWarning, match="differs from the plain one"):
        assert samplers._try(sampler, pack(sampler)) is None


def test_a_compiled_sampler_is_made_once_and_forgotten_with_its_sampler():
    sampler = Hadamard(30, ONE)
    assert compiled_sampler(sampler) is compiled_sampler(sampler)
    gc.collect()
    before = len(samplers._compiled)
    del sampler
    gc.collect()
    assert len(samplers._compiled) == before - 1
