"""A cache in the user's folder of what "auto" chose for a spec and what a design arrived at.

An entry holds the name and parameters of the mechanism, or its law, and its fingerprint. Nothing rests on it: the
mechanism is made anew and certified anew, one with another fingerprint is not used, and an entry that cannot be read or
written is passed over. ``DISCREET_CACHE`` names another folder, and ``DISCREET_CACHE=off`` keeps nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import InvalidInput

if TYPE_CHECKING:
    from ..mechanisms.mechanism import Mechanism
    from ..wire import Spec

MAX_ENTRY_BYTES = 1 << 24
"""The most bytes that an entry may have; a larger one is neither written nor read."""


def recall(spec: Spec) -> Mechanism | None:
    """The mechanism that was chosen for the spec earlier, made and certified anew, or None."""
    entry = _entry(spec, {"choice": dict(spec.choice)})
    return None if entry is None else entry[0]


def remember(spec: Spec, chosen: Mechanism) -> None:
    """Store what was chosen for the spec; a folder that cannot be written to is passed over."""
    _store(spec, {"choice": dict(spec.choice)}, chosen.sampler.describe(), chosen, {})


def recall_design(spec: Spec, asked: Mapping[str, Any]) -> tuple[Mechanism, dict[str, Any]] | None:
    """The mechanism that was designed for a spec under these options, certified anew, and what was printed of it."""
    return _entry(spec, {"design": dict(asked)})


def remember_design(
    spec: Spec, asked: Mapping[str, Any], mechanism: Mechanism, prior: Sequence[float], said: Mapping[str, Any]
) -> None:
    """Store what was designed for a spec under these options, with what was printed of it."""
    choice = {"name": "law", "law": mechanism.description["law"], "prior": [str(share) for share in prior]}
    _store(spec, {"design": dict(asked)}, choice, mechanism, said)


def _entry(spec: Spec, asked: Mapping[str, Any]) -> tuple[Mechanism, dict[str, Any]] | None:
    from ..core.canonical import loads
    from ..wire.choices import is_auto, mechanism_of

    file = _file(spec, asked)
    try:
        if file is None or file.stat().st_size > MAX_ENTRY_BYTES:
            return None
        entry = loads(file.read_bytes(), InvalidInput)
        if not isinstance(entry, dict) or not isinstance(entry.get("choice"), dict) or is_auto(entry["choice"]):
            return None
        mechanism, said = mechanism_of(spec.context, entry["choice"]), entry.get("said")
        return (
            (mechanism, said) if mechanism.fingerprint == entry.get("fingerprint") and isinstance(said, dict) else None
        )
    except Exception:  # whatever is wrong with an entry, the work can be done again
        return None


def _store(
    spec: Spec, asked: Mapping[str, Any], choice: Mapping[str, Any], mechanism: Mechanism, said: Mapping[str, Any]
) -> None:
    from ..core.documents import replacing

    file = _file(spec, asked)
    entry = {"choice": choice, "fingerprint": mechanism.fingerprint, "said": said}
    written = json.dumps(entry, ensure_ascii=True).encode()
    if file is None or len(written) > MAX_ENTRY_BYTES:
        return
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with replacing(file) as out:
            out.write(written)
    except OSError:
        return


def _file(spec: Spec, asked: Mapping[str, Any]) -> Path | None:
    """The file of a spec and options, named by the hash of all that the entry depends on, this version included."""
    from .. import __version__
    from ..core.canonical import canonical

    folder = _folder()
    if folder is None:
        return None
    about: dict[str, Any] = {
        "version": __version__,
        "domain": spec.context.domain.describe(),
        "context": spec.context.describe(),
    }
    return folder / f"{hashlib.sha256(canonical({**about, **asked}).encode()).hexdigest()}.json"


def _folder() -> Path | None:
    """The cache folder, or None if nothing is to be stored."""
    asked = os.environ.get("DISCREET_CACHE")
    if asked == "off":
        return None
    if asked:
        return Path(asked)
    cache = os.environ.get("XDG_CACHE_HOME", "")
    try:
        home = Path(cache) if os.path.isabs(cache) else Path.home() / ".cache"
    except RuntimeError:  # a user without a home
        return None
    return home / "discreet"
