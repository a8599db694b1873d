"""Laws of mechanisms: certified when made, named, fingerprinted, and strict about values."""

import gc
import os
import pickle
import sys
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import discreet as dc
from discreet import Context
from discreet.core.errors import InvalidInput, PrivacyViolation, RandomnessFailure, UnknownValue
from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.build import BASES, OTHERS
from discreet.mechanisms.composed.blocks import BlockResponse
from discreet.mechanisms.composed.mixture import Mixture
from discreet.mechanisms.law import plain_law
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.uniform.randomized_response import RandomizedResponse

CONTEXT = Context.uniform(list("abcd"), "1")


def test_no_mechanism_is_made_that_leaks():
    with pytest.raises(PrivacyViolation, match="'a' against 'b' leaks 2, more than the 1 that E allows"):
        Mechanism(CONTEXT, RandomizedResponse(4, Fraction(2)))


def test_a_symmetric_randomizer_is_held_against_every_entry_of_an_unsymmetric_context():
    """The pair that stands for all in the sampler is not the strictest of E."""
    entries = [[0, 2, 1], [2, 0, 2], [2, 2, 0]]
    context = Context.matrix(range(3), entries)
    with pytest.raises(PrivacyViolation, match="0 against 2 leaks 2, more than the 1"):
        Mechanism(context, RandomizedResponse(3, Fraction(2)))
    assert Mechanism(context, RandomizedResponse(3, Fraction(1))).certificate.claimed == 1


def test_one_inner_randomizer_is_held_against_every_block_that_uses_it():
    inner = RandomizedResponse(2, Fraction(1))
    strict = Context.blocks({0: [0, 1], 1: [2, 3]}, {0: "1", 1: "0.5"})
    with pytest.raises(PrivacyViolation, match=r"2 against 3 leaks 1, more than the 0\.5"):
        Mechanism(strict, BlockResponse([0, 0, 1, 1], [inner, inner]))


def test_blocks_do_not_pass_for_a_context_that_hides_the_block():
    inner = RandomizedResponse(2, Fraction(1))
    with pytest.raises(PrivacyViolation, match="some report tells 'a' from 'c' for certain"):
        Mechanism(CONTEXT, BlockResponse([0, 0, 1, 1], [inner, inner]))


def test_the_served_context_must_imply_the_one_asked_for():
    lax = Context.uniform(list("abcd"), "2")
    with pytest.raises(PrivacyViolation):
        Mechanism(CONTEXT, RandomizedResponse(4, Fraction(2)), served=lax)
    made = Mechanism(lax, RandomizedResponse(4, Fraction(1)), served=CONTEXT)
    assert made.certificate.claimed == 2
    assert made.certificate.realised == pytest.approx(1)


def test_the_randomizer_has_the_size_of_the_context():
    with pytest.raises(InvalidInput, match="sampler is for 3 values; the context has 4"):
        Mechanism(CONTEXT, RandomizedResponse(3, Fraction(1)))


@pytest.mark.parametrize("stranger", ["z", 0, None, ["a"]])
def test_a_value_outside_the_domain_is_refused_and_takes_no_words(stranger):
    mechanism = dc.mechanism(CONTEXT)
    with pytest.raises(UnknownValue, match="must be one of the 4 values"):
        mechanism.randomize(stranger, dc.random.replay([]))


@pytest.mark.parametrize("wrong", [[4], [-1], [0.5], ["a"], [True], [[0, 1]], np.array([2**63], dtype=np.uint64)])
def test_indices_outside_the_domain_are_refused_in_bulk(wrong):
    with pytest.raises(UnknownValue, match="ind"):
        dc.mechanism(CONTEXT).randomize_indices(wrong, dc.random.seeded(1))


def steps_of(work):
    """Every instruction of Python that `work` runs, as (code, place) pairs."""
    steps, before = [], sys.gettrace()

    def trace(frame, event, _):
        frame.f_trace_opcodes = True
        if event == "opcode":
            steps.append((frame.f_code.co_name, frame.f_lasti))
        return trace

    gc.disable()  # what others do when garbage is collected is not of the work
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
        gc.enable()
    return steps


UNIFORM, NAMES = Context.uniform(range(13), "1"), Context.uniform([f"place {i}" for i in range(13)], "1")
BLOCKS = Context.blocks({"a": range(6), "b": range(6, 13)}, "1")
HIGH_LOW = Context.high_low(range(13), [2, 3, 5, 7, 11], "1")
SMALL = Context.uniform(range(3), "1")
EQUAL = {
    **{f"{name} uniform": dc.mechanism(UNIFORM, name) for name in [*BASES, *OTHERS]},
    **{f"{name} by name": dc.mechanism(NAMES, name) for name in BASES},
    **{f"{name} blocks": dc.mechanism(BLOCKS, name) for name in BASES},
    **{f"{name} high-low": dc.mechanism(HIGH_LOW, name) for name in BASES},
    "utility rappor": dc.mechanism(HIGH_LOW, "utility_rappor"),
    "many values": dc.mechanism(Context.uniform(range(200_000), "1"), "randomized_response"),
    "binary": dc.mechanism(Context.binary("no", "yes", ("2", "1")), "binary"),
    "exponential": dc.mechanism(Context.metric(range(13), lambda a, b: abs(a - b), "1"), "exponential"),
    "geometric": dc.mechanism(Context.metric(range(13), lambda a, b: abs(a - b), "1"), "geometric"),
    "nested": dc.mechanism(
        Context.blocks({"a": range(6), "b": range(6, 12)}, "1") & Context.uniform(range(12), "3"), "nested"
    ),
    "levels": dc.mechanism(Context.nested({b: range(4 * b, 4 * b + 4) for b in range(3)}, ["0.5", "1.5"]), "levels"),
    "paired": dc.mechanism(SMALL * SMALL, "paired", first={"name": "hadamard"}, second={"name": "projective"}),
    "torus": dc.mechanism(Context.metric([(i, j) for i in range(4) for j in range(3)], "l2", "1"), "torus"),
    "ring": dc.mechanism(Context.metric(range(13), "ring", "1"), "ring"),
    "product": dc.compose(dc.mechanism(SMALL), dc.mechanism(SMALL, "hadamard")).exact(),
    "post-processed": dc.post_process(
        dc.mechanism(SMALL, "randomized_response"), [["1/2", "1/2", 0], [0, 1, 0], [0, 0, 1]]
    ),
}


def different_steps(mechanism):
    """How many different sequences of instructions make reports of the values of one part."""
    sampler, domain = mechanism.sampler, mechanism.context.domain
    part = decoder_of(mechanism).groups()[0].values[0].tolist()
    source, seen, reports = dc.random.seeded(1), set(), set()
    mechanism.randomize(domain[part[0]], source)  # what is worked out only once
    extremes = [[0] * sampler.words, [2**64 - 1] * sampler.words]
    dc.random.replay(extremes[0])
    for words in [*extremes, *(source.take(sampler.words) for _ in range(25))]:
        for x in {part[0], part[len(part) // 2], part[-1], *part[:13]}:

            def work(x=x, words=words):
                reports.add(mechanism.randomize_index(domain.index(domain[x]), dc.random.replay(words)))

            seen.add(tuple(steps_of(work)))
    assert len(reports) > 1
    return len(seen)


@pytest.mark.parametrize("name", EQUAL)
def test_every_value_and_outcome_runs_through_the_same_instructions(name):
    assert different_steps(EQUAL[name]) == 1


def test_a_value_or_an_outcome_that_takes_a_way_of_its_own_is_seen():
    class Early(RandomizedResponse):
        def draw(self, x, words, ops):
            report = super().draw(x, words, ops)
            return report if report == x else report + 0

    class Search(RandomizedResponse):
        def draw(self, x, words, ops):
            return super().draw(next(z for z in range(self.size) if z == x), words, ops)

    for fault in (Early, Search):
        assert different_steps(Mechanism(UNIFORM, fault(13, Fraction(1)))) > 1


def test_a_random_pause_of_at_most_the_time_taken_follows_the_work(monkeypatch):
    mechanism = dc.mechanism(CONTEXT)
    clock = SimpleNamespace(now=0, read=0)

    def read():
        clock.read += 1
        clock.now += 10 if clock.read > 2 else 1000  # the work takes a thousand, a look at the clock ten
        return clock.now

    for module in (sys.modules["discreet.core.random"], sys.modules[Mechanism.__module__]):
        monkeypatch.setattr(module, "perf_counter_ns", read)
    waited = []
    for part in (0, 2**15, 2**16 - 1):
        monkeypatch.setattr(os, "urandom", lambda count, part=part: part.to_bytes(count, "little"))
        clock.now = clock.read = 0
        mechanism.randomize("a", dc.random.replay([0] * mechanism.sampler.words))
        waited.append(clock.now - 2000)
    assert waited == [10, 500, 1000]


def test_no_report_is_given_that_cannot_be_delayed(monkeypatch):
    def fail(count):
        raise OSError("no entropy")

    mechanism = dc.mechanism(CONTEXT)
    monkeypatch.setattr(os, "urandom", fail)
    with pytest.raises(RandomnessFailure, match="no report was made"):
        mechanism.randomize("a", dc.random.seeded(1))


def test_no_values_make_no_reports():
    for name in ("hadamard", "subset"):
        reports = dc.mechanism(CONTEXT, name).randomize_indices([], dc.random.seeded(1))
        assert len(reports) == 0


def test_names_tell_the_composition():
    values = list("abcdef")
    assert dc.mechanism(Context.uniform(values, "1"), "subset").name == "subset"
    assert dc.mechanism(Context.high_low(values, ["a"], "1"), "subset").name == "high_low(randomized_response)"
    assert dc.mechanism(Context.high_low(values, ["a", "b"], "1"), "unary").name == "high_low(unary)"
    assert dc.mechanism(Context.blocks({0: values[:3], 1: values[3:]}, "1"), "hadamard").name == "blocks(hadamard)"
    assert repr(dc.mechanism(CONTEXT, "hadamard")) == (
        "<hadamard for Context.uniform(4 values, epsilon=1), 3 bits per report>"
    )


def test_the_fingerprint_is_the_same_for_the_same_and_another_for_another():
    def print_of(context=CONTEXT, name="subset", **parameters):
        return dc.mechanism(context, name, **parameters).fingerprint

    same = print_of()
    assert same == print_of() == print_of(Context.uniform(list("abcd"), "1.0"))
    others = [
        print_of(name="hadamard"),
        print_of(d=2),
        print_of(Context.uniform(list("abcd"), "1.1")),
        print_of(Context.uniform(list("abdc"), "1")),
        print_of(Context.high_low(list("abcd"), list("abcd"), "1")),
    ]
    assert len({same, *others}) == 6
    assert len(same) == 64


def test_the_channel_is_written_out_only_when_small():
    assert len(dc.mechanism(CONTEXT, "hadamard").channel()[0]) == 8
    with pytest.raises(InvalidInput, match="are too many to list"):
        dc.mechanism(Context.uniform(range(30), "1"), "subset").channel()
    with pytest.raises(InvalidInput, match="entries are too many to write out"):
        dc.mechanism(Context.uniform(range(3000), "1"), "hadamard").channel()


@pytest.mark.parametrize("width", [8, 10, 63])
def test_a_law_of_narrower_words_than_are_drawn_makes_no_mechanism(width):
    """Its channel would not be the one that reports follow: 64-bit words are drawn, whatever the law says."""
    narrow = RandomizedResponse(4, Fraction(1, 2), word_bits=width)
    with pytest.raises(InvalidInput, match=f"word_bits={width} must be 64"):
        Mechanism(CONTEXT, narrow)
    with pytest.raises(InvalidInput, match=f"word_bits={width} must be 64"):
        dc.mechanism(CONTEXT, "law", law=plain_law(narrow.law))
    with pytest.raises(InvalidInput, match="takes no parameter word_bits"):
        dc.mechanism(CONTEXT, "randomized_response", word_bits=width)
    for wrapped in (BlockResponse([0, 0, 0, 0], [narrow]), Mixture([narrow], [1 << width], [0.25] * 4)):
        with pytest.raises(InvalidInput, match=f"word_bits={width} must be 64"):
            Mechanism(CONTEXT, wrapped)


def test_nor_does_a_pickle():
    mechanism = dc.mechanism(CONTEXT, "randomized_response")
    assert pickle.loads(pickle.dumps(mechanism)).fingerprint == mechanism.fingerprint
    mechanism.sampler = RandomizedResponse(4, Fraction(1), word_bits=10)
    with pytest.raises(InvalidInput, match="word_bits=10 must be 64"):
        pickle.loads(pickle.dumps(mechanism))


def test_what_is_published_is_the_canonical_description():
    from discreet.core.canonical import canonical

    shown = dc.Context.high_low(["a", "b", "ü"], ["b"], "1") * dc.Context.metric(range(3), "ring", "1/3")
    for context in (dc.Context.uniform(range(3), "1"), shown, dc.Context.nested({0: [1, 2], 1: [3]}, [1, 2])):
        made = dc.mechanism(context)
        assert made.published == canonical(made.description)
