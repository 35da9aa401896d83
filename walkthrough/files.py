"""Writing a file whole, or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def write_whole(path: Path, content: str | bytes, *, new: bool = False) -> None:
    """Give a file this content, text in UTF-8. Where that fails, OSError, all is as it was.

    It is written beside and then takes the name, so that a reader, or a crash at any moment, finds
    the old file or the new one, never a half; not even a link is followed. `new`: where anything
    has the name already, FileExistsError.
    """
    if new and os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    beside = path.with_name(f".{path.name[:50]}.{os.getpid()}")  # a name has 255 bytes at the most
    data = content.encode() if isinstance(content, str) else content
    try:
        beside.write_bytes(data)
        if path.is_file():  # who may read it stays as it was
            beside.chmod(path.stat().st_mode)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
