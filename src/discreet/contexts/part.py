"""What a context says of values that may be told from all others."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Part:
    """Values that may be distinguished from all the others, and what is required among them.

    ``E[x, z] = level`` for x in `sensitive` and any other z in `members`, infinite for other x.
    """

    name: Hashable
    members: Sequence[int]
    sensitive: Sequence[int]
    level: Fraction

    @property
    def is_uniform(self) -> bool:
        """True if every member is sensitive."""
        return len(self.sensitive) == len(self.members)
