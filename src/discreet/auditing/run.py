"""The audit: find revealing events on one half of the reports, bound their chances on the other half."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from statistics import NormalDist

from ..bulk.words import secure
from ..contexts import Context
from ..core.domain import Value
from ..core.errors import InvalidInput
from ..core.random import Source, check_source
from ..estimation.results.intervals import check_confidence
from ..estimation.tails import binomial_lower, binomial_upper
from .counting import BATCH, FeatureSet, Pair, PairFeature, count_batches, count_stage
from .features import Byte, Feature, choose_bytes, choose_features
from .pair_features import Ratio
from .pairs import check_pairs, choose_pairs
from .restart import find_repeated_noise
from .result import Audit, Finding
from .search import Event, best_event, signs_of
from .subjects import Subject, subject_of, text_of_value

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
    looks = _features_used(events)
    tested = count_stage(subject, values, n, looks, advance)
    hits, others = [], []
    for pair in pairs:
        event = events[pair]
        if isinstance(event.feature, Byte):
            rows = tested.places[looks.places.index(event.feature)][list(pair)]
        elif isinstance(event.feature, Feature):
            rows = tested.features[looks.features.index(event.feature)][list(pair)]
        else:
            rows = tested.special[pair][0]
        hits.append(int(rows[0] @ event.mask))
        others.append(int(rows[1] @ event.mask))
    low, high = binomial_lower(hits, n, level / 2), binomial_upper(others, n, level / 2)
    return [
        Finding(
            context.values[values[pair[0]]],
            context.values[values[pair[1]]],
            context.at(values[pair[0]], values[pair[1]]),
            max(0.0, math.log(low[i] / high[i])) if low[i] > 0 else 0.0,
            str(events[pair]),
            hits[i],
            others[i],
            n,
        )
        for i, pair in enumerate(pairs)
    ]


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
    learnt = count_batches(seen, FeatureSet(features, places, {}))
    advance(first * len(values))
    laws = [subject.claimed_law(x) for x in values]
    special: dict[Pair, list[PairFeature]] = {}
    for pair in pairs:
        together = signs_of(pair, FeatureSet(features, places, {}), learnt, z)
        law, other = laws[pair[0]], laws[pair[1]]
        special[pair] = [together] if together else []
        if law is not None and other is not None:
            special[pair].append(Ratio(law, other))
    looks = FeatureSet(features, places, special)
    ordered = count_stage(subject, values, form, looks, advance)
    judged = count_stage(subject, values, scored, looks, advance)
    return {pair: best_event(pair, looks, ordered, judged, z) for pair in pairs}


def _features_used(events: dict[Pair, Event]) -> FeatureSet:
    """The features that the chosen events look at."""
    used = [event.feature for event in events.values()]
    features = list(dict.fromkeys(f for f in used if isinstance(f, Feature) and not isinstance(f, Byte)))
    places = list(dict.fromkeys(f for f in used if isinstance(f, Byte)))
    special = {pair: [e.feature] for pair, e in events.items() if not isinstance(e.feature, Feature)}
    return FeatureSet(features, places, special)
