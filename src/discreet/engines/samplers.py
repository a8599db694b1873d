"""The compiled sampler of a randomizer, used only after it has reproduced the reports of plain integers."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..arithmetic import INTEGERS, MASK
from ..random import seeded
from . import kernels, row_kernels
from .bulk import Sampler, outside_domain, report_type
from .packed import Packed, packed

if TYPE_CHECKING:
    from ..mechanisms.randomizer import Randomizer

TRIED = 1 << 14
"""Words used for the trial, or those of two reports if that is more."""

_made: weakref.WeakKeyDictionary[Randomizer, Sampler | None] = weakref.WeakKeyDictionary()


def compiled_sampler(randomizer: Randomizer) -> Sampler | None:
    """The sampler as machine code; None if there is none.

    It is first tried on a few reports. If one differs, a warning says so and the sampler is not used.
    """
    if randomizer not in _made:
        law = packed(randomizer)
        _made[randomizer] = None if law is None else _tried(randomizer, law)
    return _made[randomizer]


def _tried(randomizer: Randomizer, law: Packed) -> Sampler | None:
    sampler = _sampler(law, randomizer.size, randomizer.words)
    n = max(2, min(256, TRIED // randomizer.words))
    spread = np.linspace(0, randomizer.size - 1, n).astype(np.uint32)
    x = (spread + np.arange(n, dtype=np.uint32)) % np.uint32(randomizer.size)  # all values of a small domain, often
    words = seeded(0).fill(n * randomizer.words)
    words[: randomizer.words] = 0
    words[-randomizer.words :] = MASK
    columns = -(-randomizer.bits // 64)
    out = np.empty(n if columns == 1 else (n, columns), dtype=report_type(randomizer.bits))
    sampler(x, words, out)
    rows = words.reshape(n, randomizer.words)
    for i in range(n):
        expected = randomizer.draw(int(x[i]), [int(word) for word in rows[i]], INTEGERS)
        if expected != _integer(np.atleast_1d(out[i]).tolist()):
            warnings.warn(
                f"the compiled sampler of {randomizer.name} differs from the plain one and is not used",
                RuntimeWarning,
                stacklevel=2,
            )
            return None
    return sampler


def _integer(words: Sequence[int]) -> int:
    return sum(word << 64 * place for place, word in enumerate(words))


def _sampler(law: Packed, size: int, stride: int) -> Sampler:
    of_rows, of_entries, plain = row_kernels.fill_rows, kernels.fill_by_entry, kernels.fill
    below, each = np.uint64(size), np.uint64(stride)

    def sample(x: NDArray[Any], words: NDArray[np.uint64], out: NDArray[Any]) -> None:
        fill = of_rows if out.ndim == 2 else of_entries if hasattr(law.form, "entries") else plain
        if not fill(law.form, below, np.ascontiguousarray(x), words, each, out):
            raise outside_domain(x, size)

    return sample
