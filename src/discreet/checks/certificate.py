"""The certificate holds, also for the channel written out, and one unit more is refused."""

from __future__ import annotations

import math
from fractions import Fraction

from ..core.errors import CheckFailed, PrivacyViolation
from ..core.exact import exp_below, within
from ..mechanisms.certificate import verify
from ..mechanisms.law import WORD_BITS
from ..mechanisms.mechanism import Mechanism
from .law import channel_of, is_small


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
            try:
                verify(rows, context=context)
            except PrivacyViolation:
                return
            raise CheckFailed(f"{mechanism.name}: a law with one unit too many for report {y} of {x} was certified")


def _moved(row: list[Fraction], y: int, weight: Fraction) -> list[Fraction] | None:
    """The row with `weight` on y, the difference taken from the others; None if they do not have enough."""
    missing = weight - row[y]
    if missing <= 0 or weight > 1:
        return None
    share = missing / (1 - row[y])
    return [weight if at == y else entry * (1 - share) for at, entry in enumerate(row)]
