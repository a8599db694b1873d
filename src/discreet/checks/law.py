"""The law as stated: channel, reports, ratios and certificate; and what is written can be read back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from typing import Any

from ..bulk.words import seeded
from ..core.errors import CheckFailed, InvalidReport, InvalidSpec, NotServed, PrivacyViolation
from ..core.exact import exp_below, log_of, within
from ..mechanisms.certificate import verify
from ..mechanisms.law import WORD_BITS
from ..mechanisms.mechanism import Mechanism
from .execution import must_refuse, some_values

MAX_REPORTS, MAX_ENTRIES = 1 << 10, 1 << 13
"""The largest numbers of reports and of channel entries that are enumerated."""

SLACK = 1e-8
"""How far a certified epsilon may lie above the true one."""


def is_small(mechanism: Mechanism) -> bool:
    """True if the whole channel can be written out quickly."""
    outputs = mechanism.sampler.outputs
    return outputs <= MAX_REPORTS and outputs * mechanism.context.size <= MAX_ENTRIES


@lru_cache(maxsize=8)
def channel_of(mechanism: Mechanism) -> list[list[Fraction]]:
    """`Mechanism.channel`, written out once for all checks."""
    return mechanism.channel()


def check_channel(mechanism: Mechanism) -> None:
    """Every row of the channel adds up to exactly one (small domains)."""
    for x, row in enumerate(channel_of(mechanism)):
        if min(row) < 0 or sum(row) != 1:
            raise CheckFailed(f"{mechanism.name}: row {x} of the channel adds up to {sum(row)}, not to 1")


def check_reports(mechanism: Mechanism) -> None:
    """`reports`, `is_report`, `probability` and `check_report` agree on what can be written (small domains)."""
    sampler = mechanism.sampler
    listed = list(sampler.reports())
    if sorted(set(listed)) != listed:
        raise CheckFailed(f"{mechanism.name}: reports() must list every report once, in order")
    column = {y: number for number, y in enumerate(listed)}
    channel = channel_of(mechanism)
    for y in range(-2, sampler.outputs + 3):
        if y in column:
            positive = any(row[column[y]] for row in channel)
        else:
            positive = any(sampler.probability(x, y) for x in range(sampler.size))
        if not positive == (y in column) == sampler.is_report(y):
            raise CheckFailed(
                f"{mechanism.name}: report {y} is {'' if y in column else 'not '}listed, is_report says "
                f"{sampler.is_report(y)}, its probability is {'positive' if positive else 'zero'}"
            )
        if not positive:
            _check_forgery(mechanism, y)
    for forged in (True, float(listed[0]), str(listed[0]), None):
        _check_forgery(mechanism, forged)


def _check_forgery(mechanism: Mechanism, y: Any) -> None:
    message = f"{mechanism.name}: check_report accepts the forged report {y!r}"
    must_refuse(lambda: mechanism.sampler.check_report(y), InvalidReport, message)


def check_pairs(mechanism: Mechanism) -> None:
    """`ratio_bounds` bounds the true largest ratio of every ordered pair of values, tightly (small domains).

    A pair that `ratio_bounds` leaves out must be one that some report tells apart for certain.
    """
    sampler, channel = mechanism.sampler, channel_of(mechanism)
    labels = sampler.class_of
    stated = {(labels[pair.x], labels[pair.z]): pair.ratio for pair in sampler.ratio_bounds()}
    scale = math.lcm(*(entry.denominator for row in channel for entry in row))
    units = [[int(entry * scale) for entry in row] for row in channel]
    for x, z in permutations(range(sampler.size), 2):
        true = largest_ratio(units[x], units[z])
        bound = stated.get((labels[x], labels[z]))
        if (true is None) != (bound is None) or (true and bound and true > bound):
            raise CheckFailed(
                f"{mechanism.name}: {x} against {z} has the largest ratio {_shown(true)}; "
                f"ratio_bounds() says {_shown(bound)}"
            )
        if true and bound and mechanism.served.at(x, z) <= 10 and log_of(bound) - log_of(true) > SLACK:
            raise CheckFailed(
                f"{mechanism.name}: {x} against {z} leaks {log_of(true):.12}; ratio_bounds() says {log_of(bound):.12}"
            )


def _shown(ratio: Fraction | None) -> str:
    return "infinity" if ratio is None else f"exp({log_of(ratio):.20})"


def largest_ratio(own: Sequence[int], other: Sequence[int]) -> Fraction | None:
    """The largest ratio of two rows of units over all reports, exactly; None if a report tells them apart."""
    most, over = 0, 1
    for a, b in zip(own, other, strict=True):
        if a and not b:
            return None
        if a * over > most * b:
            most, over = a, b
    return Fraction(most, over)


def check_certificate(mechanism: Mechanism) -> None:
    """The mechanism is certified; on small domains its channel is too, but not with one unit of weight too many."""
    certificate = verify(mechanism)
    if not within(certificate.ratio, certificate.claimed) or not certificate.realised <= float(certificate.claimed):
        raise CheckFailed(f"{mechanism.name}: realised {certificate.realised} is above {certificate.claimed}")
    if is_small(mechanism):
        channel = channel_of(mechanism)
        verify(channel, context=mechanism.context)
        _refuses_a_unit(mechanism, channel)


def _refuses_a_unit(mechanism: Mechanism, channel: list[list[Fraction]]) -> None:
    """Check that giving the likeliest report of a protected value one unit more than E allows is refused."""
    context = mechanism.context
    if context.tightest is None:
        return
    x, z = context.tightest
    asked = context.at(x, z)
    assert isinstance(asked, Fraction)
    unit = Fraction(1, 1 << WORD_BITS)
    for y in sorted(range(len(channel[x])), key=lambda y: channel[z][y]):
        most = math.floor(exp_below(asked) * channel[z][y] / unit) * unit
        forged = _moved(channel[x], y, most + unit)
        if forged is not None:
            rows = [forged if row is channel[x] else row for row in channel]
            message = f"{mechanism.name}: a law with one unit too many for report {y} of {x} was certified"
            must_refuse(lambda rows=rows: verify(rows, context=context), PrivacyViolation, message)  # type: ignore[misc]
            return


def _moved(row: list[Fraction], y: int, weight: Fraction) -> list[Fraction] | None:
    """The row with `weight` on y, the difference taken from the others; None if they do not have enough."""
    missing = weight - row[y]
    if missing <= 0 or weight > 1:
        return None
    share = missing / (1 - row[y])
    return [weight if at == y else entry * (1 - share) for at, entry in enumerate(row)]


def check_round_trips(mechanism: Mechanism, *, seed: int = 1) -> bool:
    """Reports and tallies survive JSON, text and bytes, and the spec gives the same fingerprint and reports.

    Returns False where no spec can describe the mechanism (a sampler of one's own).
    """
    from .. import wire
    from ..estimation.tally import parse_tally, tally_text

    values = some_values(mechanism.context.size, 12, seed).tolist()
    reports = [mechanism.randomize_index(x, seeded(seed + i)) for i, x in enumerate(values)]
    for y in reports:
        trips = {
            "JSON": wire.report_from_json(mechanism, wire.report_to_json(mechanism, y)),
            "text": wire.report_from_text(mechanism, wire.report_to_text(mechanism, y)),
            "bytes": wire.report_from_bytes(mechanism, wire.report_to_bytes(mechanism, y)),
        }
        for way, back in trips.items():
            if back != y:
                raise CheckFailed(f"{mechanism.name}: report {y} comes back from {way} as {back}")
    tally = mechanism.tally(reports)
    if parse_tally(mechanism, tally_text(tally)) != tally:
        raise CheckFailed(f"{mechanism.name}: a tally comes back changed from its file")
    try:
        again = wire.Spec.of_mechanism(mechanism).mechanism
    except (InvalidSpec, NotServed):
        return False
    same = [again.randomize_index(x, seeded(seed + i)) for i, x in enumerate(values)]
    if again.fingerprint != mechanism.fingerprint or same != reports:
        raise CheckFailed(f"{mechanism.name}: the mechanism read back from its spec is a different one")
    return True
