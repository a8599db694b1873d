"""Documents as plain data: read within the limits, and refused where no reader could use them.

Files that appear under their name complete or not at all, and what runs that were killed have left of them.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, BinaryIO

from .errors import InvalidInput, InvalidSpec
from .limits import DEPTH, DIGITS, allowed, check_bytes, check_work

BITS = (10**DIGITS).bit_length()
"""The most bits of a whole number."""

PIECE = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*"""
LONG_KEY = re.compile(rf"(?:^[ \t]*+|[\[{{,]\s*+)(?:{PIECE}){{{DEPTH}}}", re.MULTILINE)
"""A dotted key of TOML with more tables inside each other than any document has; parsing it takes their square."""

LONG_NUMBER = re.compile(r"(?<=[=\[,\s])[+-]?\d[\w.+-]{10000}")
"""A number of TOML with more digits than any document has; its parser keeps some 50 bytes for each."""


def read_document(path: str | Path) -> bytes:
    """The bytes of a file that is a document; `BeyondLimits`, without reading on, if there are too many."""
    with open(path, "rb") as file:
        content = file.read(allowed().bytes + 1)
    check_bytes(len(content), str(path))
    return content


KEY_WORK, ENTRY_WORK = 40, 12
"""The work of reading a key, a table or a list of TOML, and an entry of a list, measured."""


def parse_toml(written: str) -> dict[str, Any]:
    """TOML as plain data, numbers as the decimals they print; `InvalidSpec` says where it is malformed."""
    keys, entries = written.count("=") + written.count("["), written.count(",")
    check_work(KEY_WORK * keys + ENTRY_WORK * entries, f"a spec of about {keys} keys, tables and lists")
    if LONG_KEY.search(written):
        raise InvalidSpec(f"this is not a spec: tables must be at most {DEPTH} deep in each other")
    if LONG_NUMBER.search(written):
        raise InvalidSpec(f"this is not a spec: a number must have at most {DIGITS} digits")
    try:
        data = tomllib.loads(written, parse_float=decimal)
    except (ValueError, RecursionError) as problem:
        raise InvalidSpec(f"this is not TOML: {problem}") from None
    check_plain(data, InvalidSpec)
    return data


def decimal(text: str) -> Decimal:
    """A number with a point or an exponent, as the decimal it prints; `ValueError` for one beyond all decimals."""
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError("a number beyond all decimals") from None


def check_plain(data: Any, error: type[InvalidInput]) -> None:
    """Raise `error` for lists and tables too deep in each other, too long a number, or text that is not Unicode."""
    level, depth = [data], 0
    while level:
        if depth > DEPTH:
            raise error(f"lists and tables must be at most {DEPTH} deep in each other")
        below: list[Any] = []
        for entry in level:
            if isinstance(entry, Mapping):
                below += entry
                below += entry.values()
            elif isinstance(entry, list):
                below += entry
            elif isinstance(entry, int):
                if entry.bit_length() > BITS:
                    raise error(f"a number must have at most {DIGITS} digits")
            elif isinstance(entry, str) and not entry.isascii():
                _check_text(entry, error)
        level, depth = below, depth + 1


def _check_text(entry: str, error: type[InvalidInput]) -> None:
    try:
        entry.encode()
    except UnicodeEncodeError:
        raise error("text must not have lone surrogates, which UTF-8 cannot say") from None


try:
    import fcntl as _locks
except ImportError:  # not on Windows: nothing is locked there, and so nothing is cleared away
    _locks = None  # type: ignore[assignment]

fcntl: Any = _locks


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write that replaces `path` if all goes well, and leaves no trace if not.

    It is written beside the target under another name, forced to disk and renamed. Drafts that killed runs have
    left there are removed; a run that is alive holds a lock on its own. Anything other than a regular file, such
    as a device, is written directly.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as device:
            yield device
        return
    target = Path(os.path.realpath(path))
    _clear(target)
    try:
        opened, draft = _draft(target)
    except OSError as problem:
        raise type(problem)(problem.errno, problem.strerror, str(path)) from None
    try:
        with opened as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if fcntl is None:
                file.close()  # Windows renames no open file
            if target.exists():
                shutil.copymode(target, draft)
            os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _draft(target: Path) -> tuple[BinaryIO, Path]:
    """A new file beside the target, and its name; where files can be locked, it is."""
    while True:
        draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
        file = draft.open("xb")
        with suppress(OSError):
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), os.lstat(draft)):
                return file, draft
        file.close()  # another run has taken it for a stale one before it was locked


def _clear(target: Path) -> None:
    """Remove the drafts of this target that nobody holds a lock on."""
    if fcntl is None:
        return
    name = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}\.part")
    with suppress(OSError), os.scandir(target.parent) as entries:
        for draft in [entry.path for entry in entries if name.fullmatch(entry.name)]:
            with suppress(OSError):  # in use, somebody else's, or already gone
                _remove_if_stale(draft)


def _remove_if_stale(draft: str) -> None:
    opened = os.open(draft, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if stat.S_ISREG(os.fstat(opened).st_mode):
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(opened), os.lstat(draft)):
                os.unlink(draft)
    finally:
        os.close(opened)
