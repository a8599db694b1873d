"""ClasswiseMixture: what a report shows of classes of alike values, proved on channels written out."""

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest

import discreet as dc
from discreet.bulk.samplers import compiled_sampler
from discreet.checks import check_every_word, check_mechanism
from discreet.checks.law import largest_ratio
from discreet.core.errors import InvalidInput, NotIdentifiable, PrivacyViolation
from discreet.core.exact import exp_below
from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.composed.blocks import BlockResponse
from discreet.mechanisms.composed.even_cover import EvenCover, places_of
from discreet.mechanisms.law import Row
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.tables.classwise_mixture import ClasswiseMixture, ClasswiseMixtureLaw
from discreet.mechanisms.tables.table import Table
from discreet.mechanisms.uniform.cyclic import Projective
from discreet.mechanisms.uniform.randomized_response import RandomizedResponse
from discreet.mechanisms.uniform.subset import Subset
from discreet.mechanisms.uniform.unary import Unary
from discreet.wire import Spec, law_text, parse_law

ONE, SPACE = Fraction(1), 1 << 64
CLASS_OF = [0, 1, 0, 2, 0, 2, 2, 2]
CONTEXT = dc.Context.uniform(range(8), epsilon="4")
PRIOR = [0.3, 0.1, 0.05, 0.05, 0.1, 0.2, 0.1, 0.1]
PAIR = [RandomizedResponse(3, ONE), Subset(4, ONE, d=2)]
PADDED = [Projective(3, ONE, family="singer", key=(2, 3)), RandomizedResponse(4, ONE)]


def units(*weights):
    """So many words that their parts are near these weights."""
    found = [SPACE * weight // sum(weights) for weight in weights]
    return (*found[:-1], SPACE - sum(found[:-1]))


def types(inners, marks, rows=((3, 2, 1), (1, 2, 2), (2, 1, 3)), class_of=CLASS_OF):
    laws = tuple(inner.law for inner in inners)
    return ClasswiseMixture.from_law(
        ClasswiseMixtureLaw(Row.of(class_of), tuple(units(*row) for row in rows), marks, laws, 64)
    )


def several():
    """One type shows two classes, one shows one, one none."""
    return types(PAIR, ((1, 0, 2), (0, 0, 2), (0, 0, 0)))


def alone():
    """Each type shows one class at most, in places that are not all values'."""
    return types(PADDED, ((1, 0, 0), (0, 0, 2), (0, 0, 0)))


def channel(sampler):
    return [[sampler.probability(x, y) for y in sampler.reports()] for x in range(sampler.size)]


@pytest.mark.parametrize(
    "made",
    [
        several(),
        several().weighted(PRIOR),
        alone().weighted(PRIOR),
        types(PADDED, ((1, 0, 2), (0, 0, 2), (0, 0, 0))).weighted(PRIOR),
        types([], ((0, 0), (0, 0)), ((3, 1), (1, 2)), [0, 1]),
    ],
    ids=["several", "weighted", "alone", "padded", "nothing shown"],
)
def test_it_keeps_every_law(made):
    mechanism = Mechanism(dc.Context.uniform(range(made.size), epsilon="4"), made)
    assert {"moments", "unbiased", "pairs", "reach", "round trips"} <= set(check_mechanism(mechanism))


def test_the_sampler_runs_its_law_word_for_word():
    pair = [RandomizedResponse(2, Fraction(2)), RandomizedResponse(3, Fraction(2))]
    made = types(pair, ((1, 2), (0, 2), (0, 0)), ((3, 2, 1), (1, 2, 2)), [0, 1, 0, 1, 1])
    assert check_every_word(made, factory=lambda width: made.with_word_bits(width, Fraction(2))) == 1
    assert check_every_word(alone()) >= 1

    class Careless(ClasswiseMixture):
        def draw(self, x, words, ops):
            return super().draw(x - x, words, ops)

    careless = Careless.from_law(alone().with_word_bits(6).law)
    with pytest.raises(dc.errors.CheckFailed, match="its law says"):
        check_every_word(alone(), factory=lambda width: careless)


def test_a_report_is_a_type_and_independent_reports_of_the_classes_that_it_marks():
    made = several()
    first, second = PAIR
    even = [Fraction(-(-(z + 1) * SPACE // 3) - -(-z * SPACE // 3), SPACE) for z in range(3)]
    for x in range(8):
        own = made.law.units[made.class_of[x]]
        for part, shown in product(first.reports(), second.reports()):
            chances = [
                first.probability(made.place[x], part)
                if made.class_of[x] == 0
                else sum(share * first.probability(z, part) for z, share in enumerate(even)),
                second.probability(made.place[x], shown)
                if made.class_of[x] == 2
                else EvenCover(second).probability(shown),
            ]
            report = part + (shown << first.bits)
            assert made.probability(x, report) == Fraction(own[0], SPACE) * prod(chances)
        assert made.probability(x, made.offsets[2]) == Fraction(own[2], SPACE)
        assert sum(made.probability(x, y) for y in made.reports()) == 1


def test_cover_reports_are_uniform_up_to_the_parts_of_words_and_bounded_by_their_ratios():
    for inner in (*PAIR, *PADDED, Subset(4, ONE, d=1, word_bits=10), RandomizedResponse(3, ONE, word_bits=6)):
        cover = {y: EvenCover(inner).probability(y) for y in inner.reports()}
        assert sum(cover.values()) == 1
        assert max(cover.values()) - min(cover.values()) <= Fraction(len(cover), 1 << inner.word_bits)
        above, below = EvenCover(inner).largest_ratios
        for x, y in product(range(inner.size), cover):
            assert inner.probability(x, y) <= above * cover[y]
            assert cover[y] <= below * inner.probability(x, y)
        if inner.word_bits == 64:
            assert above <= max(inner.probability(0, y) / cover[y] for y in cover) * (1 + Fraction(1, 1 << 40))
    assert places_of(Unary(3, ONE)) is None


def test_the_certificate_is_the_largest_ratio_of_the_channel_and_a_unit_less_is_refused():
    """With fewer words for a type in the class of z, the largest ratio of x to z is above what E allows."""
    inners = [RandomizedResponse(3, Fraction(1, 2)), RandomizedResponse(2, Fraction(1, 2))]
    class_of, weight = [0, 0, 0, 1, 1], SPACE // 5
    context = dc.Context.uniform(range(5), epsilon="1")

    def made(fewest):
        rows = ((weight, SPACE - weight), (fewest, SPACE - fewest))
        return ClasswiseMixture.from_law(
            ClasswiseMixtureLaw(Row.of(class_of), rows, ((1, 2), (0, 0)), tuple(inner.law for inner in inners), 64)
        )

    low, high = 1, weight
    while high - low > 1:
        middle = (low + high) // 2
        try:
            Mechanism(context, made(middle))
            high = middle
        except PrivacyViolation:
            low = middle
    tight = Mechanism(context, made(high))
    scale = 1 << 64 * 3
    rows = [[int(entry * scale) for entry in row] for row in channel(tight.sampler)]
    true = largest_ratio(rows[0], rows[3])
    assert true <= tight.certificate.ratio <= true * (1 + Fraction(1, 1 << 60))
    assert exp_below(ONE) >= true
    with pytest.raises(PrivacyViolation, match="more than the 1 that E allows"):
        Mechanism(context, made(high - 1))


def test_a_class_that_never_writes_a_type_is_told_from_those_that_do():
    made = types([], ((0, 0), (0, 0)), ((3, 1), (1, 0)), [0, 1])
    assert [(pair.x, pair.z) for pair in made.ratio_bounds()] == [(1, 0)]
    with pytest.raises(PrivacyViolation, match="for certain"):
        Mechanism(dc.Context.uniform(range(2), epsilon="9"), made)


@pytest.mark.parametrize("made", [several(), alone()], ids=["all places values'", "padded"])
def test_no_linear_estimate_has_less_error_at_the_assumed_shares_where_all_places_are_values(made):
    """The least-variance estimator of the same channel as a table, at the even shares that tables assume."""
    rows = channel(made)
    written = Table.of_fractions(rows)
    even = np.full(8, 1 / 8)
    least = np.sum(decoder_of(written).second_moments(even))
    error = np.sum(decoder_of(made).second_moments(even))
    assert least <= error * (1 + 1e-9)
    if made.marked[0][0].inner is not made.inners[0] or places_of(made.inners[0]).places == made.inners[0].size:
        assert error == pytest.approx(least, rel=1e-9)
    else:
        assert error < 1.2 * least


def test_the_assumed_shares_weigh_the_estimate_and_are_no_part_of_the_law():
    plain, other = Mechanism(CONTEXT, several()), Mechanism(CONTEXT, several().weighted(PRIOR))
    assert plain.fingerprint == other.fingerprint
    shares = np.array(PRIOR)
    errors = [float(np.sum(decoder_of(made).second_moments(shares))) for made in (other, plain)]
    assert errors[0] < errors[1]
    for made in (plain, other):
        assert np.allclose(decoder_of(made).decode(decoder_of(made).expected_counts(shares)), shares)


def test_it_goes_over_the_wire_by_its_law_with_its_prior():
    mechanism = Mechanism(CONTEXT, several().weighted(PRIOR))
    read = Spec.of(Spec.of_mechanism(mechanism).as_dict()).mechanism
    assert read.fingerprint == mechanism.fingerprint == parse_law(law_text(mechanism)).fingerprint
    assert read.sampler.masses == pytest.approx(mechanism.sampler.masses)
    named = dc.mechanism(CONTEXT, "types", law=mechanism.description["law"], prior=PRIOR)
    assert named.fingerprint == mechanism.fingerprint
    with pytest.raises(InvalidInput, match="types needs law="):
        dc.mechanism(CONTEXT, "types")
    with pytest.raises(InvalidInput, match="must be of kind 'types' here"):
        dc.mechanism(CONTEXT, "types", law=dc.mechanism(CONTEXT, "hadamard").description["law"])


def test_wide_reports_hold_sets_side_by_side_and_the_type_in_a_word_of_its_own():
    class_of = [0] * 70 + [1] + [2] * 100
    inners = [Subset(70, ONE, d=20), Subset(100, ONE, d=30), Projective(100, ONE)]
    made = types(inners, ((1, 0, 2), (1, 0, 3), (0, 0, 0)), class_of=class_of)
    assert made.bits == 3 * 64 + 2
    report = (3 << 192) - 1
    assert not made.is_report(report)
    check_mechanism(Mechanism(dc.Context.uniform(range(171), epsilon="4"), made))


def test_there_is_no_compiled_sampler_and_bulk_is_one_by_one():
    mechanism = Mechanism(CONTEXT, several())
    assert compiled_sampler(mechanism.sampler) is None
    values = [7, 0, 1, 3] * 2000
    bulk = mechanism.randomize_indices(values, dc.random.seeded(3))
    source = dc.random.seeded(3)
    assert bulk[:200].tolist() == [mechanism.randomize_index(x, source) for x in values[:200]]


def test_types_inside_blocks_are_counted_and_estimated_block_by_block():
    inner = several()
    blocks = BlockResponse([0] * 8 + [1] * 8 + [2] * 3, [inner, inner, RandomizedResponse(3, ONE)])
    context = dc.Context.blocks({"a": range(8), "b": range(8, 16), "c": range(16, 19)}, epsilon="4")
    check_mechanism(Mechanism(context, blocks))
    shares, decoder = np.arange(1.0, 20) / 190, decoder_of(blocks)
    assert np.allclose(decoder.decode(decoder.expected_counts(shares)), shares)


def test_estimates_of_people_are_near_their_shares():
    """Six standard errors, false alarms below 1e-8: of every share, and of the most likely ones."""
    mechanism = Mechanism(CONTEXT, several())
    people = np.repeat(np.arange(8), [4000, 1000, 3000, 500, 2000, 6000, 2500, 1000])
    tally = mechanism.tally(mechanism.randomize_indices(people, dc.random.seeded(5)))
    shares = np.bincount(people) / len(people)
    found = dc.estimate(tally)
    assert (np.abs(found.shares - shares) < 6 * found.stderr).all()
    assert found.shares.sum() == pytest.approx(1)
    assert (np.abs(dc.likelihood(tally).shares - shares) < 6 * found.stderr).all()
    assert (np.abs(dc.shrink(tally).shares - shares) < 6 * found.stderr).all()


def test_counts_that_no_reports_have_are_refused():
    mechanism = Mechanism(CONTEXT, several())
    tally = mechanism.tally(mechanism.randomize_indices([0, 3, 5] * 40, dc.random.seeded(1)))
    counts = tally.counts.copy()
    assert dc.Tally(mechanism, counts, tally.n) == tally
    row = counts[:3]  # the reports of the first class in the first type
    row[int(row.argmax())] -= 1
    with pytest.raises(InvalidInput, match="reports of one type show as many reports of each class"):
        dc.Tally(mechanism, counts, tally.n - 1)
    with pytest.raises(InvalidInput, match="in what a type shows of a class, every set holds 2"):
        dc.Tally(mechanism, tally.counts + np.eye(len(counts), dtype=np.int64)[3], tally.n)
    for forged in (mechanism.sampler.outputs, 3, 0):
        with pytest.raises(dc.errors.InvalidReport):
            mechanism.tally([forged])


@pytest.mark.parametrize(
    ("marks", "rows"),
    [
        (((1, 0, 0), (0, 0, 0), (0, 0, 0)), ((3, 2, 1), (1, 2, 2), (2, 1, 3))),  # a class of which nothing is shown
        (((1, 0, 2), (0, 0, 2), (0, 0, 0)), ((3, 2, 1), (1, 2, 2), (3, 2, 1))),  # two classes with one row
    ],
)
def test_classes_that_types_do_not_tell_apart_have_no_estimate(marks, rows):
    inners = PAIR[: 1 if all(row[2] == 0 for row in marks) else 2]
    made = types(inners, marks, rows)
    assert decoder_of(several()).influence() > 0  # the control
    with pytest.raises(NotIdentifiable, match="types: "):
        decoder_of(made).influence()


LAW = several().law


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"class_of": Row.of([0, 1, 0, 3, 0, 2, 2, 2])}, "classes must be numbered 0 to 2"),
        ({"class_of": Row.of([0, 0, 0, 2, 0, 2, 2, 2])}, "classes must be numbered 0 to 2"),
        ({"units": LAW.units[:2]}, "classes must be numbered 0 to 1"),
        ({"units": (*LAW.units[:2], LAW.units[2][:2])}, "one row per class and one column per type"),
        ({"units": (*LAW.units[:2], (SPACE, 1, -1))}, "must not be negative"),
        ({"units": (*LAW.units[:2], (SPACE, 1, 0))}, "each row must add up to"),
        ({"units": ((SPACE, 0, 0),) * 3}, "each type must be that of some report"),
        ({"marks": LAW.marks[:2]}, "one row per class and one column per type"),
        ({"marks": ((1, 0, 3), *LAW.marks[1:])}, "use each of its inner laws"),
        ({"marks": ((1, 0, -1), *LAW.marks[1:])}, "use each of its inner laws"),
        ({"marks": ((1, 0), *LAW.marks[1:])}, "use each of its inner laws"),
        ({"marks": ((1, 1, 2), *LAW.marks[1:])}, "several values, and an inner law for as many"),
        ({"marks": ((1, 0, 1), (0, 0, 2), (0, 0, 0))}, "several values, and an inner law for as many"),
        ({"inners": (PAIR[0].law, Unary(4, ONE).law)}, "must have cover reports"),
        ({"inners": (PAIR[0].law, several().law)}, "must have cover reports"),
        ({"inners": (PAIR[0].law, Subset(4, ONE, d=2, word_bits=32).law)}, "its width of words"),
        ({"word_bits": 65}, "word_bits=65"),
    ],
)
def test_a_law_that_contradicts_itself_is_refused(change, match):
    fields = {name: getattr(LAW, name) for name in ("class_of", "units", "marks", "inners", "word_bits")}
    assert ClasswiseMixture.from_law(ClasswiseMixtureLaw(**fields)).size == 8
    with pytest.raises(InvalidInput, match=match):
        ClasswiseMixture.from_law(ClasswiseMixtureLaw(**{**fields, **change}))
