"""What is written can be read back: reports, tallies and the spec."""

from __future__ import annotations

from ..bulk.words import seeded
from ..core.errors import CheckFailed, InvalidSpec, NotServed
from ..mechanisms.mechanism import Mechanism
from .words import some_values


def check_round_trips(mechanism: Mechanism, *, seed: int = 1) -> bool:
    """Reports and tallies survive JSON, text and bytes, and the spec gives the same fingerprint and reports.

    Returns False where no spec can describe the mechanism (a sampler of one's own).
    """
    from .. import wire
    from ..estimation.tally_json import parse_tally, tally_text

    reports = [mechanism.randomize_index(int(x), seeded(seed + i)) for i, x in enumerate(_some(mechanism, seed))]
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
    return _spec(mechanism, reports, seed)


def _some(mechanism: Mechanism, seed: int) -> list[int]:
    return [int(x) for x in some_values(mechanism.context.size, 12, seed)]


def _spec(mechanism: Mechanism, reports: list[int], seed: int) -> bool:
    from ..wire import Spec

    try:
        spec = Spec.of_mechanism(mechanism)
    except (InvalidSpec, NotServed):
        return False
    again = spec.mechanism
    same = [again.randomize_index(x, seeded(seed + i)) for i, x in enumerate(_some(mechanism, seed))]
    if again.fingerprint != mechanism.fingerprint or same != reports:
        raise CheckFailed(f"{mechanism.name}: the mechanism read back from its spec is a different one")
    return True
