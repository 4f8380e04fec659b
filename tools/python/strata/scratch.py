"""Folders in the system's place for temporary files.

A folder is locked (flock) as long as it is used. A process that is killed removes none of its own; the next that makes
one removes all that nobody has locked.
"""
from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import pathlib
import shutil
import tempfile
from typing import Iterator, Optional, Tuple

_PREFIX = "strata-python-"
_ATTEMPTS = 3  # at a folder that no other process takes for left over before it is locked


def _lock(path: pathlib.Path) -> Optional[int]:
    """A descriptor of the folder, locked; None: another process has it, or it is gone."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), os.stat(path)):
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None


def _is_own(path: pathlib.Path) -> bool:
    try:
        return path.lstat().st_uid == os.getuid()
    except OSError:
        return False


def _remove(path: pathlib.Path, lock: Optional[int]) -> None:
    shutil.rmtree(path, ignore_errors=True)
    if lock is not None:
        os.close(lock)


def _sweep() -> None:
    for path in pathlib.Path(tempfile.gettempdir()).glob(_PREFIX + "*"):
        lock = _lock(path) if _is_own(path) else None
        if lock is not None:
            _remove(path, lock)


def _make() -> Tuple[pathlib.Path, Optional[int]]:
    """A new folder, and its lock: None on a file system without."""
    _sweep()
    for _ in range(_ATTEMPTS):
        path = pathlib.Path(tempfile.mkdtemp(prefix=_PREFIX))
        lock = _lock(path)
        if lock is not None:
            return path, lock
        _remove(path, lock)
    return pathlib.Path(tempfile.mkdtemp(prefix=_PREFIX)), None


@contextlib.contextmanager
def folder() -> Iterator[pathlib.Path]:
    """For the time of a with."""
    path, lock = _make()
    try:
        yield path
    finally:
        _remove(path, lock)


def lasting() -> pathlib.Path:
    """For as long as the process lives."""
    path, lock = _make()
    atexit.register(_remove, path, lock)
    return path
