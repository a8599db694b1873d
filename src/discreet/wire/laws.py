"""Published laws: the canonical JSON whose hash is the fingerprint, and the way back."""

from __future__ import annotations

from ..core.canonical import loads
from ..core.errors import InvalidSpec
from ..mechanisms.mechanism import Mechanism
from .spec import Spec


def law_text(mechanism: Mechanism) -> str:
    """The published law of a mechanism: its values, its context and its law as canonical JSON.

    The SHA-256 of this text, as UTF-8 with nothing before or after, is the fingerprint.
    """
    return mechanism.published


def parse_law(written: str) -> Mechanism:
    """The mechanism that a published law describes, certified from its integers alone.

    `InvalidSpec` unless the text is exactly what `law_text` gives, `PrivacyViolation` if it breaks its context.
    """
    data = loads(written, InvalidSpec)
    if not isinstance(data, dict) or set(data) != {"version", "domain", "context", "law"}:
        raise InvalidSpec("a published law must hold version, domain, context and law, and nothing else")
    mechanism = Spec.of(data).mechanism
    if law_text(mechanism) != written:
        raise InvalidSpec(
            "a published law must be canonical JSON: keys sorted, no spaces, each number written in one way only"
        )
    return mechanism
