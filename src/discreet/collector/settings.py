"""Settings of a collector: from flags, else the environment, else a TOML file, else the defaults here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from ..core.documents import parse_toml, read_document
from ..core.errors import InvalidInput, shown

ENVIRONMENT = "DISCREET_SERVE_"
"""What the names of environment variables begin with: ``DISCREET_SERVE_PORT`` is `port`."""

ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9a-f:]+\](:[0-9]{1,5})?", re.ASCII)


@dataclass(frozen=True)
class Settings:
    """Every setting with its default."""

    store: str = "discreet.db"
    """Where all is kept: the path of a SQLite file, or the address of a PostgreSQL database."""
    heads: str = "discreet-heads"
    """The folder of this machine that says how far a PostgreSQL store was written, so that a loss is noticed."""
    host: str = "127.0.0.1"
    """The address to listen at."""
    port: int = 8000
    """The port to listen at; 0 takes a free one."""
    prefix: str = ""
    """The path under which a proxy shows the service, such as /survey."""
    public_url: str = ""
    """The origin at which people reach it, such as https://survey.example.org; links begin with it and the prefix."""
    origins: tuple[str, ...] = ()
    """The origins whose pages may read public addresses and send reports."""
    body_bytes: int = 1 << 24
    """The most bytes of one body."""
    bodies_bytes: int = 18 * (1 << 20)
    """The most bytes of all large bodies together, from their first byte to their answer."""
    uploads_per_second: int = 20_000
    """How many uploads are let in per second; 0 for any number."""
    wrong_tokens_per_second: int = 10
    """How many wrong tokens are looked at per second, and ten times as many at once; 0 for any number."""
    uploads_at_once: int = 2_000
    """How many uploads may wait for the disk."""
    connections: int = 10_000
    """How many connections may be open."""
    seconds: int = 10
    """How long a request may take to arrive; slower ones are closed."""
    stop_seconds: int = 20
    """How long a stop waits for requests that are under way."""
    forget_after: int = 0
    """After how many days reports are deleted; 0 for never."""

    def __post_init__(self) -> None:
        for name, least, most in RANGES:
            if not least <= getattr(self, name) <= most:
                raise InvalidInput(f"{name}={getattr(self, name)} must be from {least} to {most}")
        if self.bodies_bytes < self.body_bytes:
            raise InvalidInput(f"bodies_bytes={self.bodies_bytes} must be at least body_bytes={self.body_bytes}")
        for origin in self.origins:
            if not ORIGIN.fullmatch(origin):
                raise InvalidInput(f"origins: {shown(origin)} must be an origin such as https://example.org")
        if self.public_url and not ORIGIN.fullmatch(self.public_url):
            raise InvalidInput(
                f"public_url={shown(self.public_url)} must be an origin such as https://example.org; a path is prefix"
            )
        if self.prefix and not re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", self.prefix):
            raise InvalidInput(f"prefix={shown(self.prefix)} must be a path such as /survey")
        if not self.store or not self.host:
            raise InvalidInput("store and host must not be empty")


RANGES = (
    ("port", 0, 65_535),
    ("body_bytes", 1_024, 1 << 30),
    ("bodies_bytes", 1 << 16, 1 << 40),
    ("uploads_per_second", 0, 10**9),
    ("wrong_tokens_per_second", 0, 10**6),
    ("uploads_at_once", 1, 10**6),
    ("connections", 1, 10**6),
    ("seconds", 1, 15),
    ("stop_seconds", 1, 3_600),
    ("forget_after", 0, 36_500),
)
"""The smallest and largest value of each number."""

KINDS = {field.name: str(field.type) for field in fields(Settings)}


def settings_of(flags: Mapping[str, Any], environment: Mapping[str, str], file: str | Path | None = None) -> Settings:
    """The settings from flags, else the environment, else the file, else the defaults; unknown names are refused."""
    settings: dict[str, Any] = {}
    if file is not None:
        read = parse_toml(read_document(file).decode("utf-8", errors="replace"))
        settings |= {name: _check_type(name, entry, f"{file}: {name}") for name, entry in read.items()}
    for variable, text in environment.items():
        if variable.startswith(ENVIRONMENT) and variable != f"{ENVIRONMENT}SETTINGS":
            name = variable.removeprefix(ENVIRONMENT).lower()
            settings[name] = _check_type(name, _parse(name, text), variable)
    settings |= {name: _check_type(name, entry, name) for name, entry in flags.items() if entry is not None}
    return Settings(**settings)


def _parse(name: str, text: str) -> Any:
    """The value of a setting that is given as text in the environment."""
    kind = KINDS.get(name)
    if kind == "int":
        return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else text
    return [part.strip() for part in text.split(",") if part.strip()] if kind == "tuple[str, ...]" else text


TYPES: dict[str, tuple[type | tuple[type, ...], str]] = {
    "int": (int, "a whole number"),
    "str": (str, "text"),
    "tuple[str, ...]": ((list, tuple), "a list of texts"),
}
"""What a setting of each kind may be given as."""


def _check_type(name: str, entry: Any, source: str) -> Any:
    if name not in KINDS:
        raise InvalidInput(f"{source} is not a setting; the settings are {', '.join(KINDS)}")
    accepted, what = TYPES[KINDS[name]]
    texts = entry if isinstance(entry, (list, tuple)) else ()
    if not isinstance(entry, accepted) or isinstance(entry, bool) or not all(isinstance(text, str) for text in texts):
        raise InvalidInput(f"{source}={shown(entry)} must be {what}")
    return tuple(entry) if isinstance(entry, list) else entry
