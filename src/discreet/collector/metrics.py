"""Metrics of a process in Prometheus's text format, with nothing about any single person."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping

BUCKET_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""The upper bounds of the histogram of upload times, in seconds."""


class Metrics:
    """Counters since the start of the process: requests, reports, refusals, and times of uploads."""

    def __init__(self) -> None:
        self.started = time.time()
        self.requests: Counter[tuple[str, str, int]] = Counter()
        self.accepted: Counter[str] = Counter()
        self.refused: Counter[tuple[str, str]] = Counter()
        self.uploads: Counter[str] = Counter()
        self._times = [0] * (len(BUCKET_BOUNDS) + 1)
        self._seconds = 0.0

    def observe_upload(self, seconds: float) -> None:
        """Note how long an upload took."""
        self._times[bisect_left(BUCKET_BOUNDS, seconds)] += 1
        self._seconds += seconds

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """All of it in Prometheus's text form; `gauges` are current numbers with their help."""
        lines = [
            *_family("discreet_start_time_seconds", "gauge", "When the process started.", [({}, int(self.started))]),
            *_family(
                "discreet_requests_total",
                "counter",
                "Requests by route, method and status.",
                [
                    ({"route": route, "method": method, "status": str(status)}, n)
                    for (route, method, status), n in sorted(self.requests.items())
                ],
            ),
            *_family(
                "discreet_reports_accepted_total",
                "counter",
                "Reports that were stored durably.",
                [({"collection": name}, n) for name, n in sorted(self.accepted.items())],
            ),
            *_family(
                "discreet_refused_total",
                "counter",
                "Refused reports and requests by reason.",
                [({"collection": name, "reason": code}, n) for (name, code), n in sorted(self.refused.items())],
            ),
            *_family(
                "discreet_uploads_total",
                "counter",
                "Uploads that were answered, by what became of them.",
                [({"outcome": outcome}, n) for outcome, n in sorted(self.uploads.items())],
            ),
            *self._histogram(),
        ]
        for name, (help_, number) in gauges.items():
            lines += _family(f"discreet_{name}", "gauge", help_, [({}, number)])
        return "\n".join(lines) + "\n"

    def _histogram(self) -> Iterable[str]:
        name, total = "discreet_upload_seconds", 0
        yield f"# HELP {name} Time from the first byte of an upload's body to its answer."
        yield f"# TYPE {name} histogram"
        for bound, n in zip((*map(str, BUCKET_BOUNDS), "+Inf"), self._times, strict=True):
            total += n
            yield f'{name}_bucket{{le="{bound}"}} {total}'
        yield f"{name}_sum {self._seconds:.6f}"
        yield f"{name}_count {total}"


def _family(name: str, kind: str, help_: str, rows: Iterable[tuple[dict[str, str], float]]) -> Iterable[str]:
    yield f"# HELP {name} {help_}"
    yield f"# TYPE {name} {kind}"
    for labels, number in rows:
        inside = ",".join(f'{key}="{text}"' for key, text in labels.items())
        yield f"{name}{{{inside}}} {number}" if inside else f"{name} {number}"
