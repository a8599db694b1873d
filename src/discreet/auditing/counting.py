"""What an audit looks at in a report, and how often: features of byte strings, and counts of their outcomes.

Each feature maps a byte string to one of a few outcomes; an event is a set of outcomes of one feature. Any function of
the report may be used without harm to the bound, which is only ever made on fresh reports; good features make it sharp.
They are chosen once, from the first reports seen: the whole report, its length, single bytes (and so bits), its first
and last bytes as numbers, and for text its words in order and where each audited value's own text appears among them.
Two more are made for one pair of values: its strongest signs combined, and the claimed likelihood ratio.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from .strings import END, Strings
from .subjects import Subject

Codes = NDArray[np.int64]
Counts = NDArray[np.int64]
Mask = NDArray[np.bool_]
Pair = tuple[int, int]
"""Two of the audited values, by their positions in the list."""

BATCH = 1 << 16
"""Reports held at a time."""

MAX_OUTCOMES = 4096
"""The most outcomes that a feature distinguishes; the rest are one outcome."""
MAX_END_BYTES = 96
"""How many bytes at either end of a long report are looked at one by one."""
MAX_POSITIONS = 16
"""How many positions of a word are distinguished."""
MAX_DESCRIBED = 4
"""How many outcomes the description of an event spells out."""
MAX_RATIOS = 64
"""The most likelihood ratios that are distinguished."""


class Feature(ABC):
    """A map from reports to outcomes 0 .. size-1."""

    name: str
    size: int

    @abstractmethod
    def codes(self, batch: Strings) -> Codes:
        """The outcome of every report."""

    def codes_of(self, batch: Strings) -> Codes:
        """`codes`, computed once per batch."""
        return batch.cached(self, lambda: self.codes(batch))

    def count(self, batch: Strings) -> Counts:
        """How many reports have each outcome."""
        return np.bincount(self.codes(batch), minlength=self.size)

    def outcome(self, code: int) -> str:
        """An outcome in words."""
        return str(code)

    def event(self, mask: NDArray[np.bool_]) -> str:
        """The event that the outcome is in the set, in words."""
        chosen = np.nonzero(mask)[0]
        if len(chosen) == self.size:
            return f"{self.name} is anything"
        if len(chosen) > self.size // 2:
            left = np.nonzero(~mask)[0]
            return f"{self.name} is not {self._listed(left)}"
        return f"{self.name} is {self._listed(chosen)}"

    def _listed(self, codes: NDArray[np.int64]) -> str:
        named = " or ".join(self.outcome(int(code)) for code in codes[:MAX_DESCRIBED])
        return named if len(codes) <= MAX_DESCRIBED else f"one of {len(codes)} outcomes such as {named}"


class Byte(Feature):
    """The byte at one position, from the beginning or, if negative, from the end."""

    size = END + 1

    def __init__(self, place: int) -> None:
        self.place = place
        self.name = f"byte {place}" if place >= 0 else f"byte {-place} from the end"

    def codes(self, batch: Strings) -> Codes:
        return batch.byte(self.place)

    def outcome(self, code: int) -> str:
        return "beyond the end" if code == END else f"0x{code:02x}"

    def event(self, mask: NDArray[np.bool_]) -> str:
        for bit in range(8):
            if np.array_equal(mask, BITS[bit]):
                return f"bit {bit} of {self.name} is 1"
            if np.array_equal(mask, BITS[8 + bit]):
                return f"bit {bit} of {self.name} is 0"
        return super().event(mask)


_PLACES = np.arange(END + 1)
BITS = np.array(
    [(_PLACES >> bit & 1 == 1) & (_PLACES != END) for bit in range(8)]
    + [(_PLACES >> bit & 1 == 0) & (_PLACES != END) for bit in range(8)]
)
"""The outcomes of a byte with each bit set, then with each bit clear."""


class FrequentOutcomes(Feature):
    """A feature with many outcomes, of which those frequent in the first reports are distinguished."""

    def __init__(
        self,
        name: str,
        keys: Callable[[Strings], NDArray[np.uint64]],
        seen: Iterable[Strings],
        describe: Callable[[Strings, int, int], str],
    ) -> None:
        self.name = name
        self._keys = keys
        totals: dict[int, int] = {}
        self._texts: dict[int, str] = {}
        for batch in seen:
            distinct, first, counts = np.unique(keys(batch), return_index=True, return_counts=True)
            frequent = np.sort(np.argsort(-counts, kind="stable")[:MAX_OUTCOMES])
            columns = (column[frequent].tolist() for column in (distinct, first, counts))
            for key, row, count in zip(*columns, strict=True):
                totals[key] = totals.get(key, 0) + count
                if key not in self._texts:
                    self._texts[key] = describe(batch, row, key)
        most = sorted(totals, key=lambda key: (-totals[key], key))[:MAX_OUTCOMES]
        self._known = np.array(sorted(most), dtype=np.uint64)
        self.size = len(self._known) + 1

    def codes(self, batch: Strings) -> Codes:
        keys = self._keys(batch)
        at = np.searchsorted(self._known, keys)
        held = np.minimum(at, len(self._known) - 1)
        return np.where(self._known[held] == keys, at, len(self._known)).astype(np.int64)

    def outcome(self, code: int) -> str:
        return self._texts[int(self._known[code])] if code < len(self._known) else "none of the frequent ones"


def choose_features(seen: Sequence[Strings], texts: Iterable[bytes]) -> list[Feature]:
    """The features for reports like those seen, where `texts` is how each audited value is written."""
    features: list[Feature] = [FrequentOutcomes("the report", Strings.whole, seen, _string)]
    if not _level(seen):
        features.append(FrequentOutcomes("the length", lambda batch: batch.lengths.astype(np.uint64), seen, _number))
    if all(batch.items is not None and batch.is_text() for batch in seen):
        features += _text_features(seen, texts)
    for count in (2, 4, 8):
        if max(batch.width for batch in seen) > count:
            ends = ("the beginning", Strings.head), ("the end", Strings.tail)
            features += [
                FrequentOutcomes(f"{name} ({count} bytes)", partial(end, count=count), seen, _part(count))
                for name, end in ends
            ]
    return features


def choose_bytes(seen: Sequence[Strings], values: Iterable[int]) -> list[Byte]:
    """The bytes worth looking at: all of a short report, or both ends and the audited values' own positions."""
    width = max(batch.width for batch in seen)
    if width <= 2 * MAX_END_BYTES:
        places = set(range(width))
    else:
        places = set(range(MAX_END_BYTES)) | set(range(width - MAX_END_BYTES, width))
        for x in values:
            places |= {at for at in (x, x // 8, width - 1 - x, width - 1 - x // 8) if 0 <= at < width}
    backwards = [] if _level(seen) else range(-min(width, 8), 0)
    return [Byte(place) for place in (*sorted(places), *backwards)]


def _level(seen: Sequence[Strings]) -> bool:
    return len({batch.width for batch in seen}) == 1 and all(batch.level for batch in seen)


def _string(batch: Strings, row: int, key: int) -> str:
    data = batch.rows[row, : batch.lengths[row]].tobytes()
    short = data if len(data) <= 24 else data[:20]
    plain = batch.items is not None and all(32 <= c < 127 for c in short)
    shown = repr(short)[1:] if plain else f"0x{short.hex()}"
    return shown if len(data) <= 24 else f"{shown}... ({len(data)} bytes)"


def _number(batch: Strings, row: int, key: int) -> str:
    return str(key)


def _part(count: int) -> Callable[[Strings, int, int], str]:
    def describe(batch: Strings, row: int, key: int) -> str:
        data = key.to_bytes(8, "little")[:count]
        plain = batch.items is not None and all(32 <= c < 127 for c in data)
        return repr(data)[1:] if plain else f"0x{data.hex()}"

    return describe


# -- text: the words of a report, in order ------------------------------------------------------------


def _word_at(batch: Strings, place: int) -> NDArray[np.uint64]:
    words = [words[place] if -len(words) <= place < len(words) else b"" for words in batch.words]
    return Strings.of(words).whole()


def _describe_word(place: int) -> Callable[[Strings, int, int], str]:
    def describe(batch: Strings, row: int, key: int) -> str:
        words = batch.words[row]
        return repr(words[place].decode()) if -len(words) <= place < len(words) else "missing"

    return describe


def _count(batch: Strings) -> NDArray[np.uint64]:
    return np.array([len(words) for words in batch.words], dtype=np.uint64)


class Place(Feature):
    """Where the text of one value appears among the words of a report: 0, 1, ..., further on, or nowhere."""

    size = MAX_POSITIONS + 2

    def __init__(self, text: bytes, texts: frozenset[bytes]) -> None:
        self.text, self._texts = text, texts
        self.name = f"the place of the word {text.decode(errors='replace')!r}"

    def codes(self, batch: Strings) -> Codes:
        places = np.full(len(batch), MAX_POSITIONS + 1)
        for row, words in enumerate(batch.words_among(self._texts)):
            if self.text in words:
                places[row] = min(batch.words[row].index(self.text), MAX_POSITIONS)
        return places

    def outcome(self, code: int) -> str:
        return (
            str(code) if code < MAX_POSITIONS else f"{MAX_POSITIONS} or later" if code == MAX_POSITIONS else "nowhere"
        )


def _text_features(seen: Sequence[Strings], texts: Iterable[bytes]) -> list[Feature]:
    if all(len(words) <= 1 for batch in seen for words in batch.words):
        return []
    named = {0: "the first word", 1: "the second word", -1: "the last word"}
    own = frozenset(text for text in texts if Strings.of([text]).words == [[text]])
    return [
        FrequentOutcomes("the number of words", _count, seen, _number),
        *(FrequentOutcomes(name, partial(_word_at, place=at), seen, _describe_word(at)) for at, name in named.items()),
        *(Place(text, own) for text in sorted(own)),
    ]


@dataclass(frozen=True, eq=False)
class Event:
    """A set of outcomes of one feature, and how well it tells a pair apart."""

    feature: Feature
    mask: Mask
    score: float

    def holds(self, batch: Strings) -> NDArray[np.uint8]:
        """1 for every report in the event."""
        key = self.feature, self.mask.tobytes()
        return batch.cached(key, lambda: self.mask[self.feature.codes_of(batch)].astype(np.uint8))

    def __str__(self) -> str:
        return self.feature.event(self.mask)


class SignCombination(Feature):
    """Which of a few events, the signs of a value, a report is in: with s signs, 2**s outcomes."""

    def __init__(self, signs: Sequence[Event]) -> None:
        self.signs = signs
        self.size = 1 << len(signs)

    def codes(self, batch: Strings) -> Codes:
        total = np.zeros(len(batch), dtype=np.uint8)
        for number, sign in enumerate(self.signs):
            total |= sign.holds(batch) << number
        return total.astype(np.int64)

    def event(self, mask: Mask) -> str:
        chosen = [self.outcome(int(code)) for code in np.nonzero(mask)[0]]
        return " or ".join(f"({one})" for one in chosen) if len(chosen) > 1 else chosen[0]

    def outcome(self, code: int) -> str:
        return " and ".join(str(s) if code >> i & 1 else f"not {s}" for i, s in enumerate(self.signs))


class ClaimedRatio(Feature):
    """The likelihood ratio of x against z under the claimed laws, in classes of equal ratio."""

    def __init__(self, law: NDArray[np.float64], other: NDArray[np.float64]) -> None:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(law > 0, np.log(law) - np.log(other), -np.inf)
        rounded = np.round(np.where(np.isnan(ratio), -np.inf, ratio), 9)
        self._levels, self._class = np.unique(rounded, return_inverse=True)
        if len(self._levels) > MAX_RATIOS:
            self._levels = np.unique(np.quantile(rounded, np.linspace(0, 1, MAX_RATIOS), method="lower"))
            self._class = np.searchsorted(self._levels, rounded, side="right") - 1
        self._class = self._class.astype(np.uint8)
        self.size = len(self._levels) + 1

    def codes(self, batch: Strings) -> Codes:
        reports = batch.head(8)
        known = reports < len(self._class)
        return np.where(known, self._class[np.where(known, reports, 0)].astype(np.int64), self.size - 1)

    def event(self, mask: Mask) -> str:
        levels = [f"{self._levels[code]:.4g}" for code in np.nonzero(mask[:-1])[0]]
        stray = ["not claimed at all"] if mask[-1] else []
        return f"the claimed log likelihood ratio is {' or '.join(levels + stray)}"


# -- counting -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FeatureSet:
    """What an audit looks at: features for all pairs, single bytes, and features made for one pair."""

    features: Sequence[Feature]
    places: Sequence[Byte]
    special: Mapping[Pair, Sequence[Feature]]


@dataclass(frozen=True)
class Stage:
    """Counts of outcomes in n reports per value.

    `features` has for each feature one row per value, `places` is indexed by byte, value and outcome,
    `special` has for each pair's features the rows of x and of z.
    """

    n: int
    features: list[Counts]
    places: Counts
    special: Mapping[Pair, list[Counts]]


def draw_batches(
    subject: Subject, values: Sequence[int], n: int, progress: Callable[[int], None]
) -> Iterator[tuple[int, Strings]]:
    """n fresh reports of every value in batches, each with the position of its value."""
    for row, x in enumerate(values):
        for begin in range(0, n, BATCH):
            batch = subject.reports(x, min(BATCH, n - begin))
            yield row, batch
            progress(len(batch))


def count_stage(batches: Iterable[tuple[int, Strings]], values: int, n: int, looks: FeatureSet) -> Stage:
    """Count the outcomes of all features in the batches of n reports of each value; of a pair's only on its two."""
    stage = Stage(
        n,
        [np.zeros((values, feature.size), dtype=np.int64) for feature in looks.features],
        np.zeros((len(looks.places), values, Byte.size), dtype=np.int64),
        {pair: [np.zeros((2, one.size), dtype=np.int64) for one in own] for pair, own in looks.special.items()},
    )
    for row, batch in batches:
        for table, feature in zip(stage.features, looks.features, strict=True):
            table[row] += np.bincount(feature.codes_of(batch), minlength=feature.size)
        for table, byte in zip(stage.places, looks.places, strict=True):
            table[row] += byte.count(batch)
        for pair, own in looks.special.items():
            if row in pair:
                for table, one in zip(stage.special[pair], own, strict=True):
                    table[pair.index(row)] += one.count(batch)
    return stage


def count_hits(batches: Iterable[tuple[int, Strings]], events: Mapping[Pair, Event]) -> dict[Pair, list[int]]:
    """For each pair, how many reports of x and how many of z are in its event."""
    hits = {pair: [0, 0] for pair in events}
    for row, batch in batches:
        by_feature: dict[Feature, list[Pair]] = {}
        for pair in events:
            if row in pair:
                by_feature.setdefault(events[pair].feature, []).append(pair)
        for feature, pairs in by_feature.items():
            counts = feature.count(batch)
            for pair in pairs:
                hits[pair][pair.index(row)] += int(counts @ events[pair].mask)
    return hits
