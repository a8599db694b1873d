"""The pages of the collector: files of `discreet.collector.pages`, read once, and what they may do in a browser."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from starlette.responses import Response

from ..http.problems import Problem

STYLED = ("results.html", "design.html")
"""Pages with charts: the library that draws them puts a style sheet inside each."""

POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self' data: blob:; style-src 'self'{}; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What a page may do: its own scripts, and this origin."""

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}

NAMED = {"/": "overview.html", "/design": "design.html"}
"""Pages at an address of their own."""

FOR_ONE = {"answer": "answer.html", "results": "results.html"}
"""Pages about one collection, at ``/answer/{id}`` and so on."""

BELOW = "/pages/"
"""Where the other files are."""


@dataclass(frozen=True)
class File:
    """A file as it is sent, plain and compressed."""

    content: bytes
    packed: bytes
    media_type: str
    tag: str
    policy: str


def name_of(path: str) -> str | None:
    """The file at an address; None if there is no page there."""
    if path in NAMED:
        return NAMED[path]
    parts = path.split("/")
    if len(parts) == 3 and parts[1] in FOR_ONE and parts[2]:
        return FOR_ONE[parts[1]]
    return path.removeprefix(BELOW) if path.startswith(BELOW) else None


def page(name: str, headers: dict[bytes, bytes]) -> Response:
    """The answer to a request for a file; `Problem` if there is none, or the pages were not built."""
    found = _files().get(name)
    if found is None:
        unbuilt = name.startswith("made/") or not any(other.startswith("made/") for other in _files())
        said = "the pages were not built: run make pages" if unbuilt else "there is nothing at this address"
        raise Problem("not_found", said)
    marks = {"etag": found.tag, "cache-control": "no-cache", "vary": "accept-encoding"}
    if found.policy:
        marks["content-security-policy"] = found.policy
    if headers.get(b"if-none-match", b"").decode("latin-1") == found.tag:
        return Response(status_code=304, headers=marks)
    if b"gzip" in headers.get(b"accept-encoding", b""):
        return Response(found.packed, headers={**marks, "content-encoding": "gzip"}, media_type=found.media_type)
    return Response(found.content, headers=marks, media_type=found.media_type)


@cache
def _files() -> dict[str, File]:
    """Every file of the pages by its name, such as ``answer.html`` or ``made/plot.js``."""
    found = {}
    root = files("discreet.collector.pages")
    for prefix, folder in (("", root), ("made/", root / "made")):
        if not folder.is_dir():
            continue
        for entry in folder.iterdir():
            suffix = "." + entry.name.rpartition(".")[2]
            if entry.is_file() and suffix in TYPES:
                content = entry.read_bytes()
                tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
                styled = " 'unsafe-inline'" if entry.name in STYLED else ""
                policy = POLICY.format(styled) if suffix == ".html" else ""
                packed = gzip.compress(content, mtime=0)
                found[prefix + entry.name] = File(content, packed, TYPES[suffix], tag, policy)
    return found
