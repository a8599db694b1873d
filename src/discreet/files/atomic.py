"""Files that appear under their name complete or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write that replaces `path` if all goes well, and leaves no trace if not.

    It is written beside the target under another name, forced to disk and renamed. Anything other than a
    regular file, such as a device, is written directly.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            yield file
        return
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        file = draft.open("xb")
    except OSError as problem:
        raise type(problem)(problem.errno, problem.strerror, str(path)) from None
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, draft)
        os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
