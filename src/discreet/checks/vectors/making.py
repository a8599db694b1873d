"""Make vectors: how many of each law, and what they say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ...core.arithmetic import INTEGERS
from ...core.errors import InvalidInput
from ...mechanisms.laws import FOLLOWERS
from ...mechanisms.mechanism import Mechanism
from ...wire import law_text
from .file import Vector, header, section
from .laws import all_laws, small_laws
from .words import asked

COUNT, FEW = 120_000, 2_000
"""How many vectors are made by default, of all laws and of the small ones."""

MOST = 1 << 15
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
    x, words = asked(mechanism, count, seed)
    for value, row in zip(x.tolist(), words.tolist(), strict=True):
        yield Vector(value, tuple(row), int(mechanism.sampler.draw(value, row, INTEGERS)))


def _has(law: Mechanism, kinds: Sequence[str]) -> bool:
    text = law_text(law)
    return not kinds or any(f'"kind":"{kind}"' in text for kind in kinds)


def shared(laws: Sequence[Mechanism], count: int) -> list[int]:
    """How many vectors each law gets: half of them shared by all laws, the other half by all kinds.

    A law whose reports take many words gets as many as `MOST` allows, and the others get what it leaves.
    """
    of = Counter(law.law().kind for law in laws)
    shares = [1 / len(laws) + 1 / len(of) / of[law.law().kind] for law in laws]
    most = [max(8, MOST * count // COUNT // law.sampler.words) for law in laws]
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
