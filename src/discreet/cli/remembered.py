"""What "auto" chose for a spec, kept in the user's cache folder so that no later command chooses again.

An entry holds the name and parameters of the mechanism and its fingerprint. Nothing rests on it: the mechanism is made
anew and certified anew, one with another fingerprint is not used, and an entry that cannot be read or written is
passed over. ``DISCREET_CACHE`` names another folder, and ``DISCREET_CACHE=off`` keeps nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..mechanisms.mechanism import Mechanism
    from ..wire import Spec

LARGEST = 1 << 24
"""The most bytes that an entry may have; a larger one is neither written nor read."""


def recall(spec: Spec) -> Mechanism | None:
    """The mechanism that was chosen for the spec earlier, made and certified anew, or None."""
    from ..errors import InvalidInput
    from ..strict_json import loads
    from ..wire.choices import is_auto, mechanism_of

    file = _file(spec)
    try:
        if file is None or file.stat().st_size > LARGEST:
            return None
        entry = loads(file.read_bytes(), InvalidInput)
        if not isinstance(entry, dict) or not isinstance(entry.get("choice"), dict) or is_auto(entry["choice"]):
            return None
        made = mechanism_of(spec.context, entry["choice"])
        return made if made.fingerprint == entry.get("fingerprint") else None
    except Exception:  # whatever is wrong with an entry, the choice can be made again
        return None


def remember(spec: Spec, chosen: Mechanism) -> None:
    """Keep what was chosen for the spec, whole or not at all; a folder that cannot be written to is passed over."""
    from ..files.atomic import replacing

    file = _file(spec)
    entry = {"choice": chosen.randomizer.describe(), "fingerprint": chosen.fingerprint}
    written = json.dumps(entry, ensure_ascii=True).encode()
    if file is None or len(written) > LARGEST:
        return
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with replacing(file) as out:
            out.write(written)
    except OSError:
        return


def _file(spec: Spec) -> Path | None:
    """Where the choice for a spec is kept: by the hash of all that it depends on, this version included."""
    from .. import __version__
    from ..canonical import canonical

    folder = _folder()
    if folder is None:
        return None
    domain = spec.context.domain
    asked: dict[str, Any] = {
        "version": __version__,
        "domain": {"size": len(domain)} if domain.is_range else {"values": list(domain)},
        "context": spec.context.describe(),
        "choice": dict(spec.choice),
    }
    return folder / f"{hashlib.sha256(canonical(asked).encode()).hexdigest()}.json"


def _folder() -> Path | None:
    """The folder of what is remembered, or None if nothing is to be."""
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
