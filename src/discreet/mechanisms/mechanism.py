"""`Mechanism`: a context and the sampler that serves it, certified when made."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from copy import copy
from fractions import Fraction
from functools import cached_property
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, Self

from ..contexts import Context
from ..contexts.forms.numbers import check_numbers
from ..core import errors, tables
from ..core.arithmetic import INTEGERS
from ..core.canonical import canonical
from ..core.domain import Value, listed_values
from ..core.errors import InvalidInput, InvalidReport, RandomnessFailure, UnknownValue, check_type
from ..core.limits import check
from ..core.random import check_source, pause
from ..core.registry import Registry
from .certificate import Certificate, verify
from .law import WORD_BITS, Law, plain_law
from .sampler import Sampler

if TYPE_CHECKING:
    from ..core.random import Source
    from ..estimation.tally import Tally

VERSION = 2
"""The version of descriptions, and so of fingerprints."""

MARK = "#"
"""How no name of a report may begin."""

IN_BULK: Registry[Any] = Registry(
    {
        "Tally": "estimation.tally:Tally",
        "columns_of": "bulk.scores:columns_of",
        "encode": "bulk.encoding:encode",
        "randomize_indices": "bulk.randomizing:randomize_indices",
        "randomize_positions": "bulk.randomizing:randomize_positions",
        "scores_of": "bulk.scores:scores_of",
    }
)
"""What a mechanism does with many values or reports, which needs NumPy: found when it is first asked for."""

MAX_CHANNEL_ENTRIES = 1 << 22
"""The largest number of entries that `channel` writes out."""


class Mechanism:
    """A channel from values to reports that provably satisfies its context.

    `served` is the context that the sampler satisfies by its structure; it implies `context`,
    which may be weaker (a metric served by the classical mechanism at its smallest entry).
    Construction verifies both, and raises `PrivacyViolation` rather than make a mechanism that leaks.
    `report_names` are what people write for the reports 0, 1, ... by hand (`dc.by_hand`); else there are none.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["bus", "car", "bike"], epsilon="1"))
    >>> mechanism
    <randomized_response for Context.uniform(3 values, epsilon=1), 2 bits per report>
    >>> mechanism.bits, round(mechanism.certificate.realised, 6), mechanism.fingerprint[:12]
    (2, 1.0, '94adbfc1be80')
    >>> reports = mechanism.randomize_many(["bus", "car", "car"] * 1000, dc.random.seeded(1))
    >>> mechanism.tally(reports)
    <tally of 3000 reports of randomized_response>
    """

    report_names: Sequence[str] = ()

    def __init__(self, context: Context, sampler: Sampler, *, served: Context | None = None) -> None:
        check_type("context", context, Context, "a context")
        check_type("sampler", sampler, Sampler, "a sampler")
        check_type("served", context if served is None else served, Context, "a context")
        _check_words(fitting(sampler, context))
        check("report_bits", sampler.bits, sampler.name)
        check_numbers(context)
        self.context = context
        self.sampler = sampler
        self.served = context if served is None else served
        self.certificate: Certificate = verify(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """What was pickled draws from the words that its law is about, or is refused."""
        _check_words(state["sampler"])
        self.__dict__.update(state)

    @property
    def name(self) -> str:
        """The name of the sampler, with the composition around it."""
        inner, parts = str(self.sampler.describe()["name"]), self.served.parts or ()
        if len(parts) > 1:
            return f"blocks({inner})"
        return f"high_low({inner})" if parts and not parts[0].is_uniform else inner

    @property
    def bits(self) -> int:
        """How many bits hold any report."""
        return self.sampler.bits

    @property
    def words(self) -> int:
        """How many random words a report takes: those that place a number between nodes, then those of the law."""
        return self.context.domain.draws + self.sampler.words

    def law(self) -> Law:
        """The law by which reports are drawn: whole numbers, sets and other laws, no behaviour."""
        return self.sampler.law

    @cached_property
    def description(self) -> dict[str, Any]:
        """Everything that the promise rests on, as plain data: the values, the context and the law."""
        return {
            "version": VERSION,
            "domain": self.context.domain.describe(),
            "context": self.context.describe(),
            "law": plain_law(self.sampler.law),
        }

    @property
    def published(self) -> str:
        """The canonical JSON of the description; what it says of the context is written once for all its mechanisms."""
        law = canonical(plain_law(self.sampler.law))
        return f'{{{self.context.published},"law":{law},"version":{VERSION}}}'

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the canonical description: two mechanisms that share it have the same law."""
        return hashlib.sha256(self.published.encode()).hexdigest()

    def randomize(self, value: Value, rng: Source) -> int:
        """One person's report; only the standard library is used.

        A random pause, up to as long again as the work took, hides what the time could tell of value and outcome.

        >>> import discreet as dc
        >>> mechanism = dc.mechanism(dc.Context.uniform(["bus", "car", "bike"], epsilon="1"))
        >>> rng = dc.random.seeded(1)  # for real people: dc.random.secure()
        >>> [mechanism.randomize("car", rng) for _ in range(8)]
        [0, 1, 1, 0, 1, 1, 0, 1]
        """
        begun = perf_counter_ns()
        domain = self.context.domain
        position = domain.position(value)
        words = _taken(rng, self.words)
        report = int(self.sampler.draw(domain.place(position, words), words[domain.draws :], INTEGERS))
        pause(begun)
        return report

    def randomize_index(self, x: int, rng: Source) -> int:
        """The report of the value numbered `x`."""
        if isinstance(x, bool) or not isinstance(x, int) or not 0 <= x < self.context.size:
            shown = f"index {x!r}" if errors.show_values else "an index"
            raise UnknownValue(f"{shown} must be a whole number from 0 to {self.context.size - 1}")
        return int(self.sampler.draw(x, _taken(rng, self.sampler.words), INTEGERS))

    def randomize_many(self, values: Any, rng: Source, *, unknown: str = "error") -> Any:
        """The reports of many values, in order, as a NumPy array: those of `randomize` one by one, from the same words.

        `values` is a list, a NumPy array, or a column of pandas, polars or Arrow. `unknown` says what becomes of a null
        or a value outside the domain: "error" refuses it, naming the row; "drop" leaves it out; and any other text
        is the value to use instead.

        >>> import discreet as dc
        >>> mechanism = dc.mechanism(dc.Context.uniform(["bus", "car", "bike"], epsilon="1"))
        >>> mechanism.randomize_many(["bus", "car", "bike", "car"], dc.random.seeded(1))
        array([1, 1, 2, 0], dtype=uint8)
        """
        encoded = IN_BULK["encode"](self.context.domain, values, unknown=unknown)
        return IN_BULK["randomize_positions"](self, encoded.indices, rng)

    def randomize_indices(self, indices: Any, rng: Source) -> Any:
        """The reports of many values given by their numbers in the domain, 0 to k - 1, as a NumPy array."""
        return IN_BULK["randomize_indices"](self.sampler, indices, rng)

    def tally(self, reports: Any = ()) -> Tally:
        """The counts of these reports, ready to be merged and estimated.

        >>> import discreet as dc
        >>> mechanism = dc.mechanism(dc.Context.uniform(["bus", "car", "bike"], epsilon="1"))
        >>> first, second = mechanism.tally([0, 1, 1]), mechanism.tally([2])
        >>> (first + second).n
        4
        """
        counted: Tally = IN_BULK["Tally"].of(self, reports)
        return counted

    def score(self, reports: Any, weights: Any, *, shares: Any = None) -> Any:
        """One number a report, as a NumPy array, whose mean for a person who holds x is the weight of x.

        Sums, differences and regressions of scores are unbiased for those of the weights that people hold. `weights`
        are as for `Estimate.query`. With `shares` the scores are calibrated: what the reports show exactly (the block
        of each) is used, so that they vary least where values follow these shares; they stay unbiased everywhere.

        >>> import discreet as dc
        >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="2"))
        >>> reports = mechanism.randomize_many(["yes", "no", "no", "no"] * 500, dc.random.seeded(1))
        >>> round(float(mechanism.score(reports, [0, 1]).mean()), 2)
        0.25
        """
        return IN_BULK["scores_of"](self, reports, weights, shares)

    def columns(self, reports: Any) -> Any:
        """The probability of each report under each value, n x k, up to a factor of its own for each report."""
        return IN_BULK["columns_of"](self, reports)

    def channel(self) -> list[list[Fraction]]:
        """The exact matrix Q of a small domain: one row per value, one column per report in the order of `reports`.

        >>> import discreet as dc
        >>> mechanism = dc.by_hand.warner(p="3/4")
        >>> [[str(entry) for entry in row] for row in mechanism.channel()]
        [['3/4', '1/4'], ['1/4', '3/4']]
        """
        columns = self.reports()
        if len(columns) * self.context.size > MAX_CHANNEL_ENTRIES:
            raise InvalidInput(f"channel: {self.context.size} x {len(columns)} entries are too many to write out")
        return [[self.sampler.probability(x, y) for y in columns] for x in range(self.context.size)]

    def with_report_names(self, names: Iterable[str]) -> Self:
        """This mechanism with names for its reports 0, 1, ..., as people write them on paper; the law is the same."""
        named = copy(self)
        named.report_names = check_report_names(names, self.sampler.outputs)
        return named

    def reports_of(self, names: Iterable[Any]) -> list[int]:
        """The reports that a column of names stands for; `InvalidReport` says in which row there is none of them.

        >>> import discreet as dc
        >>> design = dc.by_hand.forced_response(truth="2/3")
        >>> design.reports_of(["yes", "no", "yes"])
        [1, 0, 1]
        """
        numbers = {name: number for number, name in enumerate(self.report_names)}
        reports = []
        for row, name in enumerate(listed_values(names, "names")):
            if not isinstance(name, str) or name not in numbers:
                known = ", ".join(map(repr, self.report_names))
                rule = f"one of {known}" if known else "a number: reports of this mechanism have no names"
                raise InvalidReport(f"report in row {row} must be {rule}")
            reports.append(numbers[name])
        return reports

    def reports(self) -> Sequence[int]:
        """Every report that can occur, in order (small domains)."""
        if self.sampler.outputs > 1 << 24:
            raise InvalidInput(f"reports: {self.sampler.outputs} reports are too many to list")
        return list(self.sampler.reports())

    def _repr_html_(self) -> str:
        named = [("mechanism", self.name), ("context", repr(self.context)), ("bits per report", self.bits)]
        return tables.facts([*named, ("SHA-256 of the law", self.fingerprint)])

    def __repr__(self) -> str:
        return f"<{self.name} for {self.context!r}, {self.bits} bits per report>"


def _taken(rng: Source, count: int) -> Sequence[int]:
    """So many words of a source."""
    check_source(rng)
    words = rng.take(count)
    if len(words) != count:
        raise RandomnessFailure(f"asked for {count} words, got {len(words)}; no report was made")
    return words


def fitting(sampler: Sampler, context: Context) -> Sampler:
    """The sampler; `InvalidInput` if it is for more or fewer values than the context has."""
    if sampler.size != context.size:
        raise InvalidInput(f"sampler is for {sampler.size} values; the context has {context.size}")
    return sampler


def check_report_names(names: Iterable[str], count: int) -> tuple[str, ...]:
    """The names of `count` reports; `InvalidInput` unless they are different texts that lines of a file can hold."""
    texts = tuple(listed_values(names, "reports"))
    if not all(isinstance(name, str) and name and name.isprintable() and name == name.strip() for name in texts):
        raise InvalidInput("reports must be text on one line, none empty, without spaces around it")
    if any(str(name).startswith(MARK) for name in texts):
        raise InvalidInput(f"reports must not begin with {MARK}, as the marks in files of reports do")
    if len(texts) != count or len(set(texts)) != count:
        raise InvalidInput(f"reports: {len(texts)} names must be {count} different ones, one per report")
    return tuple(map(str, texts))


def _check_words(sampler: Sampler) -> None:
    """Refuse a law of narrower words than sources give: its channel would not be the one that reports are drawn by."""
    if sampler.word_bits != WORD_BITS:
        raise InvalidInput(f"word_bits={sampler.word_bits} must be {WORD_BITS}, the width of the words that are drawn")
