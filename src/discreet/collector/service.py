"""The state of a running collector, its metrics and its background work: counts of refusals, snapshots, forgetting."""

from __future__ import annotations

import asyncio
import secrets
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import Any, TypeVar

from ..core.errors import DiscreetError
from .batching import ShownCounts, grouping_of, shown_uploads
from .catalogue import Catalogue, ServedCollection
from .http.limits import BodyReader, RateLimiter, TurnGate
from .logs import log_event, log_failure
from .settings import Settings
from .store.opening import draft_folder
from .store.protocol import Grouping, Store
from .store.tallies import TAIL_REPORTS, Cell, CellCounts, count_reports
from .store.writer import GroupCommitWriter

T = TypeVar("T")

BUCKET_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""The upper bounds of the histogram of upload times, in seconds."""


FULL_SECONDS = 60
"""How long documents say that there is no room, after an upload found none."""

COUNT_STEP = 100
"""What is counted of people's requests is shown in such steps."""


def in_steps(number: int, offset: int = 0) -> int:
    """A number as it is shown."""
    return (number + offset) // COUNT_STEP * COUNT_STEP


WATCHING_ROUTES = ("/health", "/ready", "/metrics")
"""What proxies and monitors ask for, again and again."""


class Metrics:
    """Counters since the start of the process, for Prometheus; nothing in them is about any single person.

    Whoever reads an exact counter every few seconds knows when each upload came. So counters move in steps of
    `COUNT_STEP`, from a place in the first step that is drawn at random and not shown: when one moves, a request came,
    and nobody can tell which of so many. Only failures of the service, which stored nothing, are shown one by one.
    """

    def __init__(self) -> None:
        self.started = time.time()
        self._offsets: defaultdict[object, int] = defaultdict(lambda: secrets.randbelow(COUNT_STEP))
        self.requests: Counter[tuple[str, str, int]] = Counter()
        self.accepted: Counter[str] = Counter()
        self.refused: Counter[tuple[str, str]] = Counter()
        self.uploads: Counter[str] = Counter()
        self.last_round = 0.0
        self.is_forgetting_held = False
        self._times = [0] * (len(BUCKET_BOUNDS) + 1)
        self._seconds = 0.0
        self._times_left = COUNT_STEP - self._offsets["upload_seconds"]
        self._shown_times: tuple[list[int], float] | None = None

    def observe_upload(self, seconds: float) -> None:
        """Note how long an upload took."""
        self._times[bisect_left(BUCKET_BOUNDS, seconds)] += 1
        self._seconds += seconds
        self._times_left -= 1
        if not self._times_left:
            self._show_times()

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """All of it in Prometheus's text form; `gauges` are current numbers with their help."""
        lines = _family("start_time_seconds", "gauge", "When the process started.", {"": int(self.started)})
        for counter, name, about, labels in COUNTERS:
            rows = {}
            for key, exact in sorted(getattr(self, counter).items()):
                texts = (key,) if isinstance(key, str) else key
                failed = counter == "requests" and key[-1] >= 500
                number = exact if failed else in_steps(exact, self._offsets[counter, key])
                if not number:  # that a row appears would tell when the first request came
                    continue
                rows[",".join(f'{label}="{text}"' for label, text in zip(labels, texts, strict=True))] = number
            lines += _family(name, "counter", about, rows)
        lines += self._histogram()
        about = "When a round of background work last ended without an error."
        lines += _family("background_round_time_seconds", "gauge", about, {"": int(self.last_round)})
        about = "1 while nothing is forgotten because the clock is far ahead of the day noted last."
        lines += _family("forgetting_held", "gauge", about, {"": int(self.is_forgetting_held)})
        for name, (about, number) in gauges.items():
            lines += _family(name, "gauge", about, {"": number})
        return "\n".join(lines) + "\n"

    def _show_times(self) -> None:
        """Add the times of a full step to those that are shown; the first step, which was shorter, is dropped."""
        if self._shown_times is None:
            self._shown_times = [0] * len(self._times), 0.0
        else:
            times, seconds = self._shown_times
            self._shown_times = (
                [old + new for old, new in zip(times, self._times, strict=True)],
                seconds + self._seconds,
            )
        self._times, self._seconds, self._times_left = [0] * len(self._times), 0.0, COUNT_STEP

    def _histogram(self) -> Iterable[str]:
        """The times of the uploads of all full steps."""
        name, total = "upload_seconds", 0
        times, seconds = self._shown_times or ([0] * len(self._times), 0.0)
        yield from _family(name, "histogram", "Time from the first byte of an upload's body to its answer.", {})
        for bound, n in zip((*map(str, BUCKET_BOUNDS), "+Inf"), times, strict=True):
            total += n
            yield f'discreet_{name}_bucket{{le="{bound}"}} {total}'
        yield f"discreet_{name}_sum {seconds:.6f}"
        yield f"discreet_{name}_count {total}"


COUNTERS = (
    ("requests", "requests_total", "Requests by route, method and status.", ("route", "method", "status")),
    ("accepted", "reports_accepted_total", "Reports that were stored durably.", ("collection",)),
    ("refused", "refused_total", "Refused reports and requests by reason.", ("collection", "reason")),
    ("uploads", "uploads_total", "Uploads that were answered, by what became of them.", ("outcome",)),
)
"""The counters of `Metrics`: attribute, name, help and labels."""


def _family(name: str, kind: str, about: str, rows: Mapping[str, float]) -> list[str]:
    """The lines of one metric; `rows` has a number for each text of labels."""
    head = [f"# HELP discreet_{name} {about}", f"# TYPE discreet_{name} {kind}"]
    return head + [f"discreet_{name}{f'{{{labels}}}' if labels else ''} {number}" for labels, number in rows.items()]


TICK_SECONDS = 1.0
"""The time between two rounds of background work."""

LOG_TICKS = 60
"""The rounds between two lines of the log about traffic."""

IN_FLIGHT = timedelta(minutes=1)
"""How long uploads that came before the time of closing have to be stored."""

FORGET_TICKS = 600
"""The rounds between two looks for days that are to be forgotten."""

MIX_UPLOADS = 10_000
"""Uploads are mixed when a new day has come, and when so many have come, since nothing is stored meanwhile."""

MIX_TICKS = 3600
"""The rounds after which uploads are mixed although their day is not over; they are mixed again when it is."""

MAX_DAYS_AHEAD = 3
"""A clock that is more days ahead of the day noted last is not believed: nothing is forgotten by it."""


LARGE_TURN_BYTES = 1 << 20
"""The most bytes of large bodies that are decoded and stored at any time, unless one has more."""


class Service:
    """Everything that endpoints share. Used in an ``async with`` statement, around all requests."""

    def __init__(self, settings: Settings, store: Store, writer: GroupCommitWriter) -> None:
        self.settings, self.store, self.writer = settings, store, writer
        self.catalogue = Catalogue(store, prefix=settings.prefix)
        self.bodies = BodyReader(settings.body_bytes, settings.bodies_bytes)
        self.turns = TurnGate(LARGE_TURN_BYTES)
        self.uploads = RateLimiter(settings.uploads_per_second, 2 * settings.uploads_per_second)
        self.wrong_tokens = RateLimiter(settings.wrong_tokens_per_second, 10 * settings.wrong_tokens_per_second)
        self.readers = asyncio.Semaphore(2)
        self.drafts = draft_folder(settings.store, settings.heads)
        self.token_changes = asyncio.Lock()
        self._decoding = ThreadPoolExecutor(1, thread_name_prefix="large uploads")
        self.metrics = Metrics()
        self.waiting_uploads = 0
        self._full_until = 0.0
        self._shown: dict[str, ShownCounts] = {}
        self._forgotten_before = self._looked_at = ""
        self._is_new_day = False
        self._new_refusals: Counter[tuple[str, str]] = Counter()
        self._new_reports: Counter[str] = Counter()
        self._logged_requests: Counter[int] = Counter()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Service:
        await asyncio.to_thread(self.catalogue.refresh)
        await self._try(self._note_day)  # before an upload comes with the day of a wrong clock
        self._task = asyncio.create_task(self._work())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        self._decoding.shutdown()
        self.drafts.remove()
        await self._try(self._keep_refusals)

    # -- called by endpoints ----------------------------------------------------------------------
    async def decode(self, function: Callable[..., T], *arguments: Any) -> T:
        """What a function makes of a large body: off the event loop, and one body at a time."""
        return await asyncio.get_running_loop().run_in_executor(self._decoding, function, *arguments)

    def count_refused(self, collection: str, reason: str, number: int = 1) -> None:
        """Note that reports or requests were refused."""
        self._new_refusals[collection, reason] += number
        self.metrics.refused[collection, reason] += number

    def count_accepted(self, collection: str, reports: int) -> None:
        """Note that reports were stored."""
        self._new_reports[collection] += reports
        self.metrics.accepted[collection] += reports

    async def find(self, name: str) -> ServedCollection | None:
        """The collection of this id, even if another process made it a moment ago."""
        served = self.catalogue.get(name)
        if served is None and self.catalogue.is_stale:
            await asyncio.to_thread(self.catalogue.refresh)
            served = self.catalogue.get(name)
        return served

    def is_over(self, served: ServedCollection) -> bool:
        """True if no more reports can be stored; one whose time has passed is closed for good at the first look.

        Not by a clock that is not believed.
        """
        passed = served.state(datetime.now(UTC) - IN_FLIGHT) == "closed"
        if passed and not served.closed and not self.metrics.is_forgetting_held:
            self.catalogue.close(served)
            log_event("a collection was closed, its time having passed", collection=served.id)
        return served.closed

    def shown_counts(self, served: ServedCollection) -> CellCounts:
        """The counts of the reports of a collection that may be shown."""
        rules, over = served.declaration, self.is_over(served)
        kept = self._shown.setdefault(served.id, ShownCounts(served.instrument.law, rules.minimum, rules.period))
        return kept.look(self.store, served.id, closed=over)

    def shown_reports(self, served: ServedCollection) -> Iterator[tuple[Cell, list[bytes]]]:
        """The packed reports of a collection that may be shown, batch by batch, with their labels and days."""
        rules, over = served.declaration, self.is_over(served)
        return shown_uploads(self.store, served.id, rules.minimum, rules.period, closed=over)

    def note_full(self) -> None:
        """Say for a while that there is no room for reports, so that people are not asked for them."""
        self._full_until = time.monotonic() + FULL_SECONDS

    def document(self, served: ServedCollection) -> bytes:
        """What clients read of a collection now."""
        state = served.state(datetime.now(UTC))
        return served.documents["full" if state == "open" and time.monotonic() < self._full_until else state]

    def describe(self, served: ServedCollection) -> dict[str, Any]:
        """The state of a collection, what was refused of it and why, and its invitations.

        Spent invitations and refused reports are counted in steps of `minimum`, as reports are shown: who looks before
        and after one person answers sees a difference of 0 or of at least `minimum`.
        """
        invitations, spent = self.store.invitations(served.id)
        step = served.declaration.minimum
        counts = {code: n for (name, code), n in sorted(self.store.refusals().items()) if name == served.id}
        return {
            "state": served.state(datetime.now(UTC)),
            "minimum": step,
            "refused": {code: n // step * step for code, n in counts.items() if n >= step},
            "invitations": {"made": invitations, "spent": spent // step * step},
        }

    # -- background work -------------------------------------------------------------------------
    async def _work(self) -> None:
        for tick in range(1, 1 << 62):
            await asyncio.sleep(TICK_SECONDS)
            work: list[Callable[[], object]] = [self._note_day, self._keep_refusals, self._keep_snapshots, self._mix]
            if tick % LOG_TICKS == 0:
                work.append(self._log_requests)
            if tick % MIX_TICKS == 0:
                work.append(self._mix_today)
            if tick % FORGET_TICKS == 1:
                work.append(self.forget if self.settings.forget_after else self.store.erase)
            if all([await self._try(one) for one in work]):
                self.metrics.last_round = time.time()

    async def _try(self, work: Callable[[], object]) -> bool:
        """Do a part of the background work in a thread; False, with a line in the log, if it failed."""
        try:
            await asyncio.to_thread(work)
        except Exception as problem:
            log_failure("background work failed; it is tried again", problem)
            return False
        return True

    def _note_day(self) -> None:
        """Note in the store that a day has come, or hold forgetting if the clock cannot be believed."""
        today = datetime.now(UTC).date()
        if self._looked_at == today.isoformat():
            return
        last = self.store.last_day()
        ahead = (today - date.fromisoformat(last)).days if last else 0
        self.metrics.is_forgetting_held = ahead > MAX_DAYS_AHEAD
        if self.metrics.is_forgetting_held:
            log_event("nothing is forgotten: is the clock right? serve --trust-clock says so", last=last, ahead=ahead)
        if ahead >= 0:  # noted even if held, since uploads now come with the day of a wrong clock
            self.store.note_day(last if last and self.metrics.is_forgetting_held else today.isoformat())
        self._looked_at, self._is_new_day = today.isoformat(), True

    def _keep_refusals(self) -> None:
        counts, self._new_refusals = self._new_refusals, Counter()
        if counts:
            try:
                self.store.refuse(counts)
            except BaseException:
                self._new_refusals.update(counts)
                raise

    def _mix(self) -> None:
        if self._is_new_day:  # or the process is new: what came today is mixed again, however often it starts
            self._mix_today()
            self._is_new_day = False
        else:
            self.store.mix(least=MIX_UPLOADS, groupings=self._grouping)

    def _mix_today(self) -> None:
        """Mix what came today so far; it is mixed again with the rest of the day."""
        self.store.mix(day=self._looked_at, groupings=self._grouping)

    def _grouping(self, collection: str) -> Grouping | None:
        """How the uploads of a collection are shown together, be it one that another process made a moment ago."""
        if self.catalogue.get(collection) is None:
            with suppress(DiscreetError):  # one that cannot be read shows nothing
                self.catalogue.refresh()
        served = self.catalogue.get(collection)
        return None if served is None else grouping_of(served.declaration.minimum, served.declaration.period)

    def _keep_snapshots(self) -> None:
        for name, reports in list(self._new_reports.items()):
            served = self.catalogue.get(name)
            if reports > TAIL_REPORTS and served is not None:
                if served.declaration.minimum == 1:  # whole batches are counted as they are shown
                    count_reports(self.store, name, served.instrument.law)
                self._new_reports[name] -= reports

    def forget(self) -> int:
        """Delete the reports of days that are old enough, and say how many; once a day, since it copies the files."""
        self._note_day()
        if self.metrics.is_forgetting_held:
            self.store.erase()
            return 0
        before = (datetime.now(UTC).date() - timedelta(days=self.settings.forget_after)).isoformat()
        if before == self._forgotten_before:
            self.store.erase()
            return 0
        count = self.store.forget(before=before, groupings=self._grouping)
        self._forgotten_before = before
        if count:
            log_event("reports were forgotten", before=before, reports=count)
        return count

    def _log_requests(self) -> None:
        """One line of the log for all requests since the last one, once they are enough to hide each other."""
        now: Counter[int] = Counter()
        for (route, _, status), number in self.metrics.requests.items():
            if route not in WATCHING_ROUTES:
                now[status] += number
        news = now - self._logged_requests
        if news.total() >= COUNT_STEP:
            self._logged_requests = now
            log_event("requests since the last such line", statuses={str(one): news[one] for one in sorted(news)})
