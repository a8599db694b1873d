"""The endpoint for the web pages: the files of `discreet.collector.pages`, read once, with their security policy."""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from importlib.resources import files

from ..http.response import HttpProblem, HttpResponse

PAGES_WITH_CHARTS = ("results.html", "design.html")
"""Pages with charts: the library that draws them puts a style sheet inside each."""

POLICY = (
    "default-src 'none'; script-src 'self'; worker-src {worker}; connect-src 'self'; img-src 'self' data: blob:; "
    "style-src 'self'{style}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The security policy of a page: its own scripts, and this origin."""

WORKER = "worker.js"
WORKER_POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'"
"""The script that works beside the answer page, and its security policy."""

MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}

PAGES = {"/": "overview.html", "/design": "design.html"}
"""Pages at an address of their own."""

COLLECTION_PAGES = {"answer": "answer.html", "results": "results.html"}
"""Pages about one collection, at ``/answer/{id}`` and so on."""

PARTS = ("design", "results", "shared")
"""The folders of sentences that the answer page does not need, below ``languages``."""

FOLDERS = (
    ("", ""),
    ("made/", "made"),
    ("languages/", "languages"),
    *((f"languages/{part}/", f"languages/{part}") for part in PARTS),
    ("", "made/small"),
)
"""What the names of files begin with, and their folders; the last has smaller files in place of some of the first."""

FILES_PREFIX = "/pages/"
"""Where the other files are."""


def page_name(path: str) -> str | None:
    """The file at an address; None if there is no page there."""
    if path in PAGES:
        return PAGES[path]
    parts = path.split("/")
    if len(parts) == 3 and parts[1] in COLLECTION_PAGES and parts[2]:
        return COLLECTION_PAGES[parts[1]]
    return path.removeprefix(FILES_PREFIX) if path.startswith(FILES_PREFIX) else None


def page(name: str, headers: dict[bytes, bytes]) -> HttpResponse:
    """The response with a file; `HttpProblem` if there is none, or the pages were not built."""
    file = _files().get(name)
    if file is None:
        unbuilt = name.startswith("made/") or not any(other.startswith("made/") for other in _files())
        detail = "the pages were not built: run make pages" if unbuilt else "there is nothing at this address"
        raise HttpProblem("not_found", detail)
    content, compressed, media_type, about = file
    if headers.get(b"if-none-match", b"").decode("latin-1") == about["etag"]:
        return HttpResponse(status=304, headers=about)
    if b"gzip" in headers.get(b"accept-encoding", b""):
        return HttpResponse(compressed, 200, {**about, "content-encoding": "gzip"}, media_type)
    return HttpResponse(content, 200, about, media_type)


@cache
def _files() -> dict[str, tuple[bytes, bytes, str, dict[str, str]]]:
    """The files by names such as ``answer.html`` or ``made/plot.js``: plain, compressed, media type and headers."""
    pages = {}
    root = files("discreet.collector.pages")
    for prefix, path in FOLDERS:
        folder = root.joinpath(path)
        if not folder.is_dir():
            continue
        for entry in folder.iterdir():
            suffix = "." + entry.name.rpartition(".")[2]
            if entry.is_file() and suffix in MEDIA_TYPES:
                content = entry.read_bytes()
                tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
                about = {"etag": tag, "cache-control": "no-cache", "vary": "accept-encoding"}
                if suffix == ".html":
                    style = " 'unsafe-inline'" if entry.name in PAGES_WITH_CHARTS else ""
                    worker = "'self'" if entry.name == COLLECTION_PAGES["answer"] else "'none'"
                    about["content-security-policy"] = POLICY.format(style=style, worker=worker)
                elif entry.name == WORKER:
                    about["content-security-policy"] = WORKER_POLICY
                pages[prefix + entry.name] = content, gzip.compress(content, mtime=0), MEDIA_TYPES[suffix], about
    return pages
