"""Make test vectors: which values and words are tried, and how many of each law.

Words are the first and the last ones, both sides of the thresholds of a law, and random ones.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...bulk.words import Stream, seeded
from ...core.arithmetic import MASK
from ...core.domain import Value
from ...core.errors import InvalidInput
from ...core.numbers import NumberDomain
from ...estimation.arrays.arithmetic import ARRAYS
from ...mechanisms.law import plain_law
from ...mechanisms.laws import FOLLOWERS
from ...mechanisms.mechanism import Mechanism
from ...mechanisms.sampler import Sampler
from ...wire import law_text
from .file import Vector, drawn, header, section
from .laws import all_laws, small_laws

Words = NDArray[np.uint64]

EDGES = (0, MASK, 1, MASK - 1, 1 << 63, (1 << 63) - 1)
"""Words that are tried in all places at once."""


class Draws(NamedTuple):
    """Value numbers, and for each a row of words."""

    x: Words
    words: Words


def choose_draws(mechanism: Mechanism, count: int, seed: int) -> Draws:
    """`count` different values with their words, which depend on the law and the seed alone."""
    digest = hashlib.sha256(f"{seed} {mechanism.fingerprint}".encode()).digest()
    source, sampler = seeded(int.from_bytes(digest[:8], "big")), mechanism.sampler
    edges = _edges(sampler, count // 8)
    numbers = _numbers(mechanism, count // 8, source)
    thresholds = _thresholds(sampler, count // 6, source)
    few = _different([edges, numbers, thresholds], count)
    more = _random(sampler, count - len(few.x), source)
    return Draws(np.concatenate([few.x, more.x]), np.concatenate([few.words, more.words]))


def _below(size: int, count: int, source: Stream) -> Words:
    return ARRAYS.position(source.fill(count), size)


def _values(size: int, count: int, source: Stream) -> Words:
    """Random values, every fourth of them near the ends of the domain or a power of two."""
    near = sorted({v for p in (0, *(1 << i for i in range(size.bit_length())), size) for v in (p - 1, p, p + 1)})
    ends = np.array([v for v in near if 0 <= v < size], dtype=np.uint64)
    x, at = _below(size, count, source), _below(len(ends), count, source)
    x[::4] = ends[at[::4]]
    return x


def _random(sampler: Sampler, count: int, source: Stream) -> Draws:
    words = source.fill(count * sampler.words).reshape(count, sampler.words)
    return Draws(_values(sampler.size, count, source), words)


def _edges(sampler: Sampler, most: int) -> Draws:
    """The first and the last value with the first and last words."""
    ends = sorted({0, sampler.size - 1})
    rows = [(x, word) for word in EDGES for x in ends][:most]
    words = np.array([word for _, word in rows], dtype=np.uint64)
    return Draws(np.array([x for x, _ in rows], dtype=np.uint64), np.repeat(words[:, None], sampler.words, axis=1))


def _numbers(mechanism: Mechanism, count: int, source: Stream) -> Draws:
    """Random words of which one is a number of the law, or a sum of its first numbers, or one less or more."""
    near = {number + by for number in _whole(plain_law(mechanism.law())) for by in (-1, 0, 1)}
    known = np.array(sorted(number for number in near if 0 <= number <= MASK), dtype=np.uint64)
    draws = _random(mechanism.sampler, count, source)
    places = _below(mechanism.sampler.words, count, source)
    draws.words[np.arange(count), places] = known[_below(len(known), count, source)]
    return draws


def _whole(data: Any) -> Iterator[int]:
    """Every whole number in the data of a law, and the running sums of its rows."""
    if isinstance(data, str):
        if data.isdigit():
            yield int(data)
    elif isinstance(data, dict):
        for key, entry in data.items():
            if key != "bits":
                yield from _whole(entry)
    elif isinstance(data, list):
        for entry in data:
            yield from _whole(entry)
        if not any(isinstance(entry, (dict, list)) for entry in data):
            yield from accumulate(map(int, data))
    else:
        yield data


def _thresholds(sampler: Sampler, count: int, source: Stream) -> Draws:
    """Random words with one next to, at and after a threshold: where the report changes while the others stay."""
    lanes = np.arange(count)
    x, words = _random(sampler, count, source)
    places = _below(sampler.words, count, source)
    low, high = _ends(count, source)
    first = _drawn(sampler, x, _with(words, lanes, places, low))
    differs = _other(first, _drawn(sampler, x, _with(words, lanes, places, high)))
    while np.any(high - low > 1):
        middle = low + ((high - low) >> np.uint64(1))
        changed = _other(first, _drawn(sampler, x, _with(words, lanes, places, middle)))
        low, high = np.where(changed, low, middle), np.where(changed, middle, high)
    sides = [_with(words, lanes, places, word)[differs] for word in (low, high, high + (high < np.uint64(MASK)))]
    return Draws(np.tile(x[differs], 3), np.concatenate(sides))


def _ends(count: int, source: Stream) -> tuple[Words, Words]:
    """Two different words a lane, the lower first; every fourth begins with the first word or ends with the last."""
    one, two = source.fill(count), source.fill(count)
    one[::4], two[1::4] = 0, MASK
    low, high = np.minimum(one, two), np.maximum(one, two)
    return low, np.where(low == high, low ^ np.uint64(1), high)


def _with(words: Words, lanes: NDArray[Any], places: Words, word: Words) -> Words:
    changed = words.copy()
    changed[lanes, places] = word
    return changed


def _drawn(sampler: Sampler, x: Words, words: Words) -> NDArray[Any]:
    return np.asarray(sampler.draw(x, [words[:, place] for place in range(sampler.words)], ARRAYS))


def _other(reports: NDArray[Any], others: NDArray[Any]) -> NDArray[np.bool_]:
    other: NDArray[np.bool_] = reports != others
    return other if other.ndim == 1 else np.any(other, axis=1)


def _different(parts: list[Draws], most: int) -> Draws:
    """The parts one after the other, without what was there before."""
    x, words = (np.concatenate(column) for column in zip(*parts, strict=True))
    rows = np.concatenate([x[:, None], words], axis=1)
    first = np.unique(rows, axis=0, return_index=True)[1] if len(rows) else np.arange(0)
    chosen = np.sort(first)[:most]
    return Draws(x[chosen], words[chosen])


COUNT, FEW = 120_000, 2_000
"""How many vectors are made by default, of all laws and of the small ones."""

MAX_WORDS = 1 << 15
"""The most words in the vectors of one law, of `COUNT`, unless more are asked for than fit."""


def write_vectors(
    laws: Iterable[Mechanism] | None = None,
    *,
    count: int | None = None,
    seed: int = 1,
    kinds: Sequence[str] = (),
    small: bool = False,
) -> Iterator[str]:
    """The lines of a file of `count` vectors of these laws: all that there are, or the small ones, unless given.

    `kinds` keeps the laws that have one of these kinds anywhere in them. The same laws and seed give the same file.
    """
    for kind in kinds:
        if kind not in FOLLOWERS:
            raise InvalidInput(f"kind={kind!r} must be one of {', '.join(FOLLOWERS)}")
    given = laws if laws is not None else small_laws() if small else all_laws()
    chosen = list({law.fingerprint: law for law in given if _has(law, kinds)}.values())
    if not chosen:
        raise InvalidInput(f"kind={' or '.join(kinds)} is in none of these laws")
    wanted = count if count is not None else FEW if small else COUNT
    counts = shared(chosen, wanted)
    yield header(len(chosen), sum(counts))
    for law, number in zip(chosen, counts, strict=True):
        yield from section(law, vectors(law, number, seed))


def vectors(mechanism: Mechanism, count: int, seed: int) -> Iterator[Vector]:
    """`count` vectors of a law; the reports are those of plain integers."""
    x, words = choose_draws(mechanism, count, seed)
    domain, rows = mechanism.context.domain, words.tolist()
    if isinstance(domain, NumberDomain):
        chance = Random(f"{seed} {mechanism.fingerprint}")
        for node, row in zip(x.tolist(), rows, strict=True):
            held = number_held(domain, node, chance)
            position = domain.position(held)
            more = [_rounding(domain, position, chance)] * domain.draws + row
            yield Vector(position, tuple(more), drawn(mechanism, position, more), held)
        return
    for value, row in zip(x.tolist(), rows, strict=True):
        yield Vector(value, tuple(row), drawn(mechanism, value, row))


def number_held(domain: NumberDomain, node: int, chance: Random) -> Value:
    """What somebody may hold near a node, or beyond the bounds that clip it, in many ways to write it."""
    if node >= domain.nodes:
        return domain.outside[node - domain.nodes]
    step, unit = domain.units, 10**domain.decimals
    by = chance.choice([0, 1, -1, step // 2, (step + 1) // 2, -(step // 2), chance.randrange(-step + 1, step)])
    exact = Fraction(domain.first + node * step + by, unit) + Fraction(chance.choice([0, 0, 4, 5, 9, -5]), 10 * unit)
    if domain.clip and chance.randrange(4) == 0:
        exact += chance.choice([-2, 2]) * (domain.high - domain.low)
    if not domain.clip:
        exact = min(max(exact, domain.low), domain.high)
    places = domain.decimals + chance.choice([1, 1, 3])
    plain = f"{'-' if exact < 0 else ''}{abs(exact) * 10**places // 1:0{places + 1}d}"
    text = f"{plain[:-places]}.{plain[-places:]}"
    short = text.rstrip("0").rstrip(".")
    return chance.choice([short, short, text, f"{plain}e-{places}", f"{plain}E-0{places}"])


def _rounding(domain: NumberDomain, position: int, chance: Random) -> int:
    """A word that rounds: at the ends, at both sides of the threshold, or any."""
    rest = min(position, domain.last - domain.first) % domain.units
    threshold = (rest << 64) // domain.units
    word: int = chance.choice([0, MASK, threshold - 1, threshold, threshold + 1, chance.getrandbits(64)])
    return min(max(word, 0), MASK)


def _has(law: Mechanism, kinds: Sequence[str]) -> bool:
    text = law_text(law)
    return not kinds or any(f'"kind":"{kind}"' in text for kind in kinds)


def shared(laws: Sequence[Mechanism], count: int) -> list[int]:
    """How many vectors each law gets: half of them shared by all laws, the other half by all kinds.

    A law whose reports take many words gets as many as `MAX_WORDS` allows, and the others get what it leaves.
    """
    of = Counter(law.law().kind for law in laws)
    shares = [1 / len(laws) + 1 / len(of) / of[law.law().kind] for law in laws]
    most = [max(8, MAX_WORDS * count // COUNT // law.words) for law in laws]
    counts, left = [0] * len(laws), count
    while left and (open_ := [i for i in range(len(laws)) if counts[i] < most[i]]):
        total, before = sum(shares[i] for i in open_), left
        for i in open_:
            more = min(most[i] - counts[i], int(before * shares[i] / total), left)
            counts[i], left = counts[i] + more, left - more
        if left == before:  # fewer than there are laws
            for i in open_[:left]:
                counts[i] += 1
            return counts
    for i in range(len(laws)):
        counts[i] += left // len(laws) + (i < left % len(laws))
    return counts
