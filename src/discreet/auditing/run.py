"""The audit: find revealing events on one half of the reports, bound their chances on the other half.

All protected pairs of a small context are audited, some of a large one. For a feature, the sets that matter are those
of the outcomes with the largest likelihood ratios: outcomes are sorted by the ratio seen in one part of the reports,
and each initial segment is scored on another part by the same limits that will be used in the end, so that a set which
fits only by chance scores badly. A program is also audited for noise that is the same at every start: a constant seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ..bulk.words import secure
from ..contexts import Context
from ..core.domain import Value, listed_values
from ..core.errors import InvalidInput
from ..core.random import Source, check_source
from ..estimation.results.intervals import check_confidence
from ..estimation.tails import binomial_lower, binomial_upper
from .counting import (
    BATCH,
    BITS,
    ClaimedRatio,
    Counts,
    Event,
    Feature,
    FeatureSet,
    Mask,
    Pair,
    SignCombination,
    Stage,
    choose_bytes,
    choose_features,
    count_hits,
    count_stage,
    draw_batches,
)
from .result import Audit, Finding
from .subjects import Subject, subject_of, text_of_value

MAX_VALUES = 16
"""The most values that an audit samples unless pairs are given."""

MAX_CLASSES = 2048
"""The most classes of values that are all compared to find partners."""


def choose_pairs(context: Context, rng: Source) -> list[tuple[int, int]]:
    """All ordered pairs with a finite entry among the values of a context, or among some values of a large one.

    From a context with more than `MAX_VALUES` values: the tightest pair, then the first and last of the domain with
    one partner each, then random values, each with a random partner from which it is protected, while there is room.
    """
    if context.size <= MAX_VALUES:
        values = list(range(context.size))
    else:
        values = _choose_values(context, rng)
    return [(x, z) for x in values for z in values if x != z and isinstance(context.at(x, z), Fraction)]


def check_pairs(context: Context, pairs: Iterable[tuple[Value, Value]]) -> list[tuple[int, int]]:
    """Pairs of values by number, each checked to be protected."""
    checked = []
    for given in listed_values(pairs, "pairs"):
        if not isinstance(given, (tuple, list)) or len(given) != 2:
            raise InvalidInput(f"pairs: {given!r} must be a pair of values")
        x, z = given
        pair = context.domain.number_of(x), context.domain.number_of(z)
        if pair[0] == pair[1] or not isinstance(context.at(*pair), Fraction):
            raise InvalidInput(f"pairs: {x!r} is not protected from {z!r}; E must be finite there")
        checked.append(pair)
    return list(dict.fromkeys(checked))


def _choose_values(context: Context, rng: Source) -> list[int]:
    if context.tightest is None:
        return []
    partners = _partners(context)
    values = list(dict.fromkeys(context.tightest))
    tried = [0, context.size - 1]
    for _ in range(100 * MAX_VALUES):
        if len(values) >= MAX_VALUES:
            break
        x = tried.pop(0) if tried else _below(context.size, rng)
        label = context.class_of[x]
        if classes := partners(label, rng):
            members = context.members[classes[_below(len(classes), rng)]]
            z = members[_below(len(members), rng)]
            values = list(dict.fromkeys([*values, x, z])) if x != z else values
    return sorted(values[:MAX_VALUES])


def _partners(context: Context) -> Callable[[int, Source], Sequence[int]]:
    """For a class, the classes that it is protected from or that are protected from it; of many, a random one."""
    count = len(context.members)
    if count > MAX_CLASSES:

        def random(c: int, rng: Source) -> Sequence[int]:
            d = _below(count, rng)
            either = (context.between(c, d), context.between(d, c))
            return [d] if c != d and any(isinstance(entry, Fraction) for entry in either) else []

        return random
    partners: dict[int, list[int]] = {}
    for c, d in context.finite():
        partners.setdefault(c, []).append(d)
        partners.setdefault(d, []).append(c)
    return lambda c, rng: partners.get(c, [])


def _below(bound: int, rng: Source) -> int:
    """A whole number below the bound, uniform enough for a choice of test cases."""
    return rng.take(1)[0] * bound >> 64


RUN_LENGTH = 2048
"""Reports of one value requested from each start."""
MAX_TRIED = 6
"""How many values, and pairs per value, are tried."""


def find_repeated_noise(
    subject: Subject, context: Context, pairs: Sequence[tuple[int, int]], level: float
) -> list[Finding]:
    """A finding of epsilon = inf if two starts write the same reports although these vary and depend on the value.

    Were all reports independent, two starts would agree on m reports of a value with chance c**m, c the chance
    that two reports agree. From the m/2 disjoint pairs of neighbours in one run c is bounded at half the level; if
    then c**m is below the other half, equal runs refute independence: the noise is known beforehand, and the
    report at some position is a different constant for x and for z. A value whose reports do not vary shows nothing,
    and the next is tried; the `level` is shared among those tried.
    """
    tried = list(dict.fromkeys(value for pair in pairs for value in pair))[:MAX_TRIED]
    for value in tried:
        first, second = (subject.reports(value, RUN_LENGTH).whole() for _ in range(2))
        if not np.array_equal(first, second):
            return []
        agree = int((first[0::2] == first[1::2]).sum())
        share = level / 2 / len(tried)
        if float(binomial_upper(agree, RUN_LENGTH // 2, share)) ** RUN_LENGTH <= share:
            break
    else:
        return []
    event = f"two starts of the program wrote the same {RUN_LENGTH} reports: the noise is constant"
    for x, z in [pair for pair in pairs if value in pair][:MAX_TRIED]:
        other = subject.reports(z if value == x else x, RUN_LENGTH).whole()
        if places := int((first != other).sum()):
            names = context.values[x], context.values[z]
            return [Finding(*names, context.at(x, z), math.inf, event, places, 0, RUN_LENGTH)]
    return []


Array = NDArray[np.float64]

SIGNS_PER_VALUE = 2
"""How many signs of x, and of z, are combined for a pair."""


def score(hits: Array | Counts, others: Array | Counts, n: int, z: float) -> Array:
    """log(lower limit of the chance under x / upper limit under z) by Wilson's limits, z standard errors wide."""
    p, q = hits / n, others / n
    c = z * z / n
    low = (p + c / 2 - np.sqrt(c * p * (1 - p) + c * c / 4)) / (1 + c)
    high = (q + c / 2 + np.sqrt(c * q * (1 - q) + c * c / 4)) / (1 + c)
    result: Array = np.log(np.maximum(low, 1e-300)) - np.log(high)
    return result


def best_prefix(
    form: tuple[Counts, Counts], scored: tuple[Counts, Counts], n: int, z: float
) -> tuple[Array, NDArray[np.int64], NDArray[np.int64]]:
    """Over the last axis: the best score, the order of the outcomes, and how many of them the best set takes."""
    order = np.argsort(-(form[0] + 0.5) / (form[1] + 0.5), axis=-1, kind="stable")
    sums = [np.cumsum(np.take_along_axis(part, order, axis=-1), axis=-1) for part in scored]
    scores = score(sums[0], sums[1], n, z)
    taken = scores.argmax(axis=-1)
    return np.take_along_axis(scores, taken[..., None], axis=-1)[..., 0], order, taken + 1


def _mask(order: NDArray[np.int64], taken: int) -> Mask:
    mask = np.zeros(len(order), dtype=bool)
    mask[order[:taken]] = True
    return mask


def best_event(pair: Pair, looks: FeatureSet, form: Stage, scored: Stage, z: float) -> Event:
    """The event with the highest score for x against z, over everything that was looked at."""

    def of_feature(feature: Feature, by: Counts, on: Counts, rows: Pair) -> Event:
        first, second = rows
        value, order, taken = best_prefix((by[first], by[second]), (on[first], on[second]), scored.n, z)
        return Event(feature, _mask(order, int(taken)), float(value))

    options = [
        of_feature(feature, by, on, pair)
        for feature, by, on in zip(looks.features, form.features, scored.features, strict=True)
    ]
    options += [
        of_feature(feature, by, on, (0, 1))
        for feature, by, on in zip(looks.special[pair], form.special[pair], scored.special[pair], strict=True)
    ]
    options += _of_bytes(pair, looks, form, scored, z)
    return max(options, key=lambda event: event.score)


def _of_bytes(pair: Pair, looks: FeatureSet, form: Stage, scored: Stage, z: float) -> list[Event]:
    """The best set of values of one byte, and the best single bit, over all bytes at once."""
    x, other = pair
    on = scored.places[:, x], scored.places[:, other]
    value, order, taken = best_prefix((form.places[:, x], form.places[:, other]), on, scored.n, z)
    top = int(value.argmax())
    of_bits = score(on[0] @ BITS.T, on[1] @ BITS.T, scored.n, z)
    place, bit = np.unravel_index(int(of_bits.argmax()), of_bits.shape)
    return [
        Event(looks.places[top], _mask(order[top], int(taken[top])), float(value[top])),
        Event(looks.places[int(place)], BITS[int(bit)], float(of_bits[place, bit])),
    ]


def signs_of(pair: Pair, looks: FeatureSet, learnt: Stage, z: float) -> SignCombination | None:
    """The strongest signs of x and of z in the first reports, to be combined."""
    signs: dict[tuple[str, int], Event] = {}
    for favoured, against in (pair, pair[::-1]):
        best: list[tuple[tuple[str, int], Event]] = []
        for feature, table in zip(looks.features, learnt.features, strict=True):
            values = score(table[favoured], table[against], learnt.n, z)
            top = int(values.argmax())
            best.append(((feature.name, top), Event(feature, np.arange(feature.size) == top, float(values[top]))))
        bits = score(learnt.places[:, favoured] @ BITS.T, learnt.places[:, against] @ BITS.T, learnt.n, z)
        for flat in np.argsort(-bits, axis=None, kind="stable")[: 8 * SIGNS_PER_VALUE]:
            place, top = divmod(int(flat), len(BITS))
            byte = looks.places[place]
            best.append(((byte.name, top % 8), Event(byte, BITS[top], float(bits[place, top]))))
        best.sort(key=lambda one: -one[1].score)
        room = len(signs) + SIGNS_PER_VALUE
        for key, sign in best:
            if len(signs) < room:
                signs.setdefault(key, sign)
    return SignCombination(tuple(signs.values())) if len(signs) > 1 else None


MIN_SAMPLES = 600
"""The fewest samples per value that an audit can use."""

MAX_SAMPLES = 1 << 40
"""The most samples per value that anyone can wait for."""


def audit(
    subject: object,
    *,
    context: Context | None = None,
    samples: int = 100_000,
    confidence: float = 1 - 1e-6,
    pairs: Iterable[tuple[Value, Value]] | None = None,
    progress: Callable[[int, int], None] | None = None,
    rng: Source | None = None,
) -> Audit:
    """A lower bound on the actual epsilon of a mechanism, a function or a command, on the bytes it writes.

    `subject` is a mechanism, a function from a value to a report (or a `Bulk` of many), or a command line that
    reads one value per line and writes one report per line; the last two need the `context` that they claim.
    Reports are taken as bytes, in order. Half of the `samples` reports of each value serve to find,
    for each ordered pair (x, z) with finite E[x, z], an event S that tells x from z; on the other half

        ``epsilon_lower = log(L / U)``,  L <= Pr(S | x),  U >= Pr(S | z)

    by Clopper and Pearson's exact limits, each at level ``(1 - confidence) / 2`` over the number of pairs, so
    that all the bounds hold together with `confidence`, whatever the subject is, if its reports are independent.
    A context of more than 16 values is audited on a choice of its pairs unless `pairs` are given. A command is
    started afresh for every batch, and a breach is also reported if two starts give the same noise.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1"))
    >>> audit = dc.audit(mechanism, samples=20_000, rng=dc.random.seeded(1))
    >>> audit.breach, round(audit.epsilon_lower, 1)
    (False, 0.9)

    References: Clopper1934, Acharya2020 (Definition 2), Ding2018 and Jagielski2020 (events, then limits).
    """
    if isinstance(samples, bool) or not isinstance(samples, int) or not MIN_SAMPLES <= samples <= MAX_SAMPLES:
        raise InvalidInput(f"samples={repr(samples)[:60]} must be a whole number from {MIN_SAMPLES} to {MAX_SAMPLES}")
    check_confidence(confidence)
    source = secure() if rng is None else rng
    check_source(source)
    audited, asked = subject_of(subject, context, source)
    claimed = asked.closure_if_cheap()
    chosen = choose_pairs(claimed, source) if pairs is None else check_pairs(claimed, pairs)
    if not chosen:
        raise InvalidInput("context protects no pair of values; there is nothing to audit")
    values = sorted({x for pair in chosen for x in pair})
    total, done = samples * len(values), 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None:
            progress(done, total)

    tests = len(chosen) + audited.restarts
    level = (1 - confidence) / tests
    numbered = [(values.index(x), values.index(z)) for x, z in chosen]
    findings = _findings(audited, claimed, values, numbered, samples, level, advance)
    if audited.restarts:
        findings += find_repeated_noise(audited, claimed, chosen, level)
    return Audit(audited.name, tuple(findings), confidence, samples, claimed.protected_pairs)


def _findings(
    subject: Subject,
    context: Context,
    values: Sequence[int],
    pairs: Sequence[Pair],
    samples: int,
    level: float,
    advance: Callable[[int], None],
) -> list[Finding]:
    n = samples // 2
    first = min(samples // 6, BATCH)
    form = (samples - n - first) // 2
    events = _events(subject, context, values, pairs, (first, form, samples - n - first - form), level, advance)
    counted = count_hits(draw_batches(subject, values, n, advance), events)
    hits, others = zip(*(counted[pair] for pair in pairs), strict=True)
    low, high = binomial_lower(hits, n, level / 2), binomial_upper(others, n, level / 2)
    findings = []
    for i, pair in enumerate(pairs):
        x, z = values[pair[0]], values[pair[1]]
        bound = max(0.0, math.log(low[i] / high[i])) if low[i] > 0 else 0.0
        names, claimed = (context.values[x], context.values[z]), context.at(x, z)
        findings.append(Finding(*names, claimed, bound, str(events[pair]), hits[i], others[i], n))
    return findings


def _events(
    subject: Subject,
    context: Context,
    values: Sequence[int],
    pairs: Sequence[Pair],
    sizes: tuple[int, int, int],
    level: float,
    advance: Callable[[int], None],
) -> dict[Pair, Event]:
    """The most revealing event of each pair: features from the first reports, sets from the next, then scores."""
    z = -NormalDist().inv_cdf(level / 2)
    first, form, scored = sizes
    seen = [subject.reports(x, first) for x in values]
    features = choose_features(seen, [text_of_value(context.values[x]) for x in values])
    places = choose_bytes(seen, values)
    learnt = count_stage(enumerate(seen), len(values), first, FeatureSet(features, places, {}))
    advance(first * len(values))
    laws = [subject.claimed_law(x) for x in values]
    special: dict[Pair, list[Feature]] = {}
    for pair in pairs:
        together = signs_of(pair, FeatureSet(features, places, {}), learnt, z)
        law, other = laws[pair[0]], laws[pair[1]]
        special[pair] = [together] if together else []
        if law is not None and other is not None:
            special[pair].append(ClaimedRatio(law, other))
    looks = FeatureSet(features, places, special)
    ordered, judged = (
        count_stage(draw_batches(subject, values, n, advance), len(values), n, looks) for n in (form, scored)
    )
    return {pair: best_event(pair, looks, ordered, judged, z) for pair in pairs}
