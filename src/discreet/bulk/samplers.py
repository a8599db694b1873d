"""The compiled form of a sampler, used only after it has reproduced the reports of plain integers."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.arithmetic import INTEGERS, MASK
from ..estimation.decoders import decoder_of
from . import kernels
from .packed import Packed, PackedCycle, PackedCycles, pack
from .randomizing import Fill, outside_domain, report_type
from .row_kernels import fill_rows
from .words import seeded

if TYPE_CHECKING:
    from ..mechanisms.sampler import Sampler


TRIAL_WORDS = 1 << 14
"""Words used for random reports of the trial; the first and last values of every group are tried in any case."""

MAX_TRIAL_REPORTS = 1 << 10
"""The most random reports of the trial: more than the compiled loops take at a time."""

MAX_TRIAL_WORDS_HELD = 1 << 17
"""Words of the trial held at a time, or those of one report if that is more."""

_compiled: weakref.WeakKeyDictionary[Sampler, Fill | None] = weakref.WeakKeyDictionary()


def compiled_sampler(sampler: Sampler) -> Fill | None:
    """The sampler as machine code; None if there is none.

    It is first tried on the first, last and random values of every group. If one report differs, a warning says so
    and the sampler is not used.
    """
    if sampler not in _compiled:
        law = pack(sampler)
        _compiled[sampler] = None if law is None else _try(sampler, law)
    return _compiled[sampler]


def _try(sampler: Sampler, law: Packed) -> Fill | None:
    fill = _compiled_fill(law, sampler.size, sampler.words)
    edges = first_and_last(sampler)
    values = np.concatenate([edges, edges, edges, _random_values(sampler)])
    source, step = seeded(0), max(1, MAX_TRIAL_WORDS_HELD // sampler.words)
    for begin in range(0, len(values), step):
        x = values[begin : begin + step]
        words = source.fill(len(x) * sampler.words).reshape(len(x), sampler.words)
        words[: max(0, len(edges) - begin)] = 0
        words[max(0, len(edges) - begin) : max(0, 2 * len(edges) - begin)] = MASK
        if _differs(fill, sampler, x, words):
            warnings.warn(
                f"the compiled sampler of {sampler.name} differs from the plain one and is not used",
                RuntimeWarning,
                stacklevel=2,
            )
            return None
    return fill


def first_and_last(sampler: Sampler) -> NDArray[np.uint32]:
    """The first and last values of all: of the domain, of every group's first and last part, and of those that pass."""
    ends = [0, sampler.size - 1]
    for group in decoder_of(sampler).groups():
        ends += np.asarray(group.values)[[0, 0, -1, -1], [0, -1, 0, -1]].tolist()
    if passed := sampler.disclosed:
        held = np.setdiff1d(np.arange(sampler.size), passed)
        ends += [passed[0], passed[-1], *held[[0, -1][: held.size]].tolist()]
    return np.unique(np.array(ends, dtype=np.uint32))


def _random_values(sampler: Sampler) -> NDArray[np.uint32]:
    """All values of a small domain, else some of every group; then some of all."""
    rng, count = np.random.default_rng(0), min(MAX_TRIAL_REPORTS, TRIAL_WORDS // sampler.words)
    if sampler.size <= count // 2:
        chosen = [np.arange(sampler.size)]
    else:
        groups = decoder_of(sampler).groups()
        each = max(1, count // 2 // len(groups))
        chosen = [rng.choice(np.ravel(group.values), each) for group in groups]
    return np.concatenate([*chosen, rng.integers(0, sampler.size, count // 2)]).astype(np.uint32)


def _differs(fill: Fill, sampler: Sampler, x: NDArray[np.uint32], words: NDArray[np.uint64]) -> bool:
    """True if a compiled report is not that of plain integers."""
    columns = -(-sampler.bits // 64)
    out = np.empty(len(x) if columns == 1 else (len(x), columns), dtype=report_type(sampler.bits))
    fill(x, words.reshape(-1), out)
    drawn = zip(x.tolist(), words.tolist(), out.reshape(len(x), columns).tolist(), strict=True)
    return any(sampler.draw(value, row, INTEGERS) != _integer(report) for value, row, report in drawn)


def _integer(words: Sequence[int]) -> int:
    return sum(word << 64 * place for place, word in enumerate(words))


def _compiled_fill(law: Packed, size: int, stride: int) -> Fill:
    below, each = np.uint64(size), np.uint64(stride)
    one_word = kernels.fill_by_place if isinstance(law.form, PackedCycle | PackedCycles) else kernels.fill
    if hasattr(law.form, "entries"):
        one_word = kernels.fill_by_entry

    def fill(x: NDArray[Any], words: NDArray[np.uint64], out: NDArray[Any], before: int = 0) -> None:
        kernel = fill_rows if out.ndim == 2 else one_word
        if not kernel(law.form, below, np.ascontiguousarray(x), words[before:], each + np.uint64(before), out):
            raise outside_domain(size)

    return fill
