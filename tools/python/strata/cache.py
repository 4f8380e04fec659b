"""Compiled models on disk, shared by processes.

    CACHE/v1/<sum>/             lib<name>.so of one compile, or all files of a library: sum of the model, options,
                                compiler, machine
    CACHE/v1/<sum>.files        of a model that is a file: the other files that it consists of, with their sums

What a process makes lies in a folder of its own until one rename puts it into place, so that every entry is whole. An
entry is used again by its sum alone: files that changed are other sums. The oldest go where all have more bytes than
STRATA_CACHE_SIZE; one that a process has loaded stays valid for it.
"""
from __future__ import annotations

import hashlib
import json
import os
import pathlib
import shutil
import tempfile
import time
from typing import Any, Callable, Dict, Iterable, List, Optional, Union

from . import scratch

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
# Of the variables STRATA_..., those that no library depends on.
_NOT_OPTIONS = {"STRATA_CACHE_DIR", "STRATA_CACHE_SIZE", "STRATA_BIN", "STRATA_NUM_THREADS", "STRATA_TRACE",
                "STRATA_WEIGHTS_PATH", "STRATA_SOURCE", "STRATA_MODELS", "STRATA_SEED", "STRATA_JOBS"}


def folder() -> Optional[pathlib.Path]:
    """Where compiled models are kept; None: nowhere."""
    named = os.environ.get("STRATA_CACHE_DIR")
    if named is not None:
        return pathlib.Path(named) / "v1" if named else None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(base, "strata", "v1")


def limit() -> int:
    """The most bytes that the folder shall have."""
    text = os.environ.get("STRATA_CACHE_SIZE", "8G").strip().upper().rstrip("B")
    number, unit = text.rstrip("KMGT"), text[-1:] if text[-1:] in "KMGT" else ""
    try:
        return int(float(number) * _UNITS[unit])
    except ValueError:
        raise ValueError(f"STRATA_CACHE_SIZE: expected bytes, as in 500M or 20G, got '{text}'") from None


def sum_of_file(path: Union[str, os.PathLike[str]]) -> str:
    """Of its bytes."""
    total = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            total.update(block)
    return total.hexdigest()


def sum_of(*parts: Any) -> str:
    """Of what JSON can write."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _machine() -> List[str]:
    """What a library compiled for the device present depends on."""
    lines = []
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            wanted = ("model name", "flags", "Features")
            first = file.read().partition("\n\n")[0]
            lines = [line for line in first.splitlines() if line.startswith(wanted)]
    except OSError:
        pass
    for card in sorted(pathlib.Path("/proc/driver/nvidia/gpus").glob("*/information")):
        try:
            lines += [line for line in card.read_text(encoding="utf-8").splitlines() if line.startswith("Model")]
        except OSError:
            pass
    return lines + [os.environ.get(name, "") for name in ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")]


def surroundings() -> List[Any]:
    """Of a compile, beside model, options and compiler."""
    variables = sorted(item for item in os.environ.items()
                       if item[0].startswith("STRATA_") and item[0] not in _NOT_OPTIONS)
    return [_machine(), variables]


def _write(path: pathlib.Path, text: str) -> None:
    """All or nothing."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix="new-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(name, path)


def _size(entry: pathlib.Path) -> int:
    total = 0
    for path in entry.glob("*"):
        try:
            total += path.stat().st_size
        except OSError:
            pass  # another process removes it
    return total


def _remove(entry: pathlib.Path, root: pathlib.Path) -> None:
    """Out of its place in one step, so that nobody sees a part of it."""
    aside = pathlib.Path(tempfile.mkdtemp(dir=root, prefix="new-"))
    try:
        os.rename(entry, aside / "old")
    except OSError:
        pass  # another process was faster
    shutil.rmtree(aside, ignore_errors=True)


def _age(path: pathlib.Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _shrink(root: pathlib.Path, kept: pathlib.Path) -> None:
    for path in root.glob("new-*"):
        if _age(path) < time.time() - 86400:  # of a process that was killed
            shutil.rmtree(path, ignore_errors=True)
    entries = [entry for entry in root.iterdir() if entry.is_dir() and not entry.name.startswith("new-")]
    sizes = {entry: _size(entry) for entry in entries}
    total, most = sum(sizes.values()), limit()
    for entry in sorted(entries, key=_age):
        if total <= most:
            break
        if entry != kept:
            _remove(entry, root)
            total -= sizes[entry]


def _root() -> Optional[pathlib.Path]:
    root = folder()
    if root is None:
        return None
    try:
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.rmdir(tempfile.mkdtemp(dir=root, prefix="new-"))
    except OSError:
        return None  # read-only, or full: then without
    return root


class Files:
    """The files a model consists of beside its own, as the sum |key| of model and options knows them."""

    def __init__(self, root: pathlib.Path, key: str, base: pathlib.Path) -> None:
        self._path, self._base = root / f"{key}.files", base

    def known(self) -> Optional[List[str]]:
        try:
            return json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def note(self, names: Iterable[str]) -> List[str]:
        listed = sorted(os.path.relpath(name, self._base) for name in names)
        _write(self._path, json.dumps(listed))
        return listed

    def sums(self, names: Iterable[str]) -> Optional[Dict[str, str]]:
        try:
            return {name: sum_of_file(self._base / name) for name in names}
        except OSError:
            return None  # one is gone: the compiler says it better


def _place(made: pathlib.Path, entry: pathlib.Path) -> pathlib.Path:
    """|made| in its place; or what another process put there meanwhile."""
    try:
        os.rename(made, entry)
    except OSError:
        if not entry.is_dir():
            raise
        shutil.rmtree(made, ignore_errors=True)
    return entry


def entry_for(key_of: Callable[[], str], base: pathlib.Path, make: Callable[[pathlib.Path], List[str]],
              reads: bool) -> pathlib.Path:
    """The folder of a compile: that of an earlier one, where the cache has it and |reads| says so; else make(folder),
    which returns the files, beside the model itself, that the library was made from. key_of(): the sum of model and
    options; |base|: what these files are relative to."""
    root = _root()
    if root is None:
        made = scratch.lasting()
        make(made)
        return made
    key = key_of()
    files = Files(root, key, base)
    names = files.known() if reads else None
    sums = files.sums(names) if names is not None else None
    if sums is not None:
        entry = root / sum_of(key, sums)
        try:
            os.utime(entry)
            return entry
        except OSError:
            pass  # not there
    made = pathlib.Path(tempfile.mkdtemp(dir=root, prefix="new-"))
    try:
        names = files.note(make(made))
        entry = root / sum_of(key, files.sums(names))
        if not reads and entry.is_dir():
            _remove(entry, root)
        entry = _place(made, entry)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
    _shrink(root, entry)
    return entry


def clear() -> None:
    """Removes everything."""
    root = folder()
    if root:
        shutil.rmtree(root, ignore_errors=True)
