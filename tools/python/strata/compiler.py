"""The program `strata`: where it is, and running it."""
from __future__ import annotations

import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
from importlib import metadata
from typing import Iterator, Optional, Sequence
from urllib.parse import unquote, urlparse

from . import later
from .errors import CompileError, CompilerNotFound

OUR_VARIABLES = ("STRATA_CACHE_DIR", "STRATA_CACHE_SIZE")  # which mean nothing to the compiler
PACKAGE = pathlib.Path(__file__).resolve().parent


def _source_folders() -> Iterator[pathlib.Path]:
    """tools/python of the checkout that this package is in, or was installed from."""
    yield PACKAGE.parent
    try:
        text = metadata.distribution("strata-compiler").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return
    url = urlparse(json.loads(text)["url"]) if text else None
    if url and url.scheme == "file":
        yield pathlib.Path(unquote(url.path))


def _candidates() -> Iterator[pathlib.Path]:
    named = os.environ.get("STRATA_BIN")
    if named:
        yield pathlib.Path(named, "strata") if os.path.isdir(named) else pathlib.Path(named)
        return
    yield PACKAGE / "bin" / "strata"
    found = shutil.which("strata")
    if found:
        yield pathlib.Path(found)
    for folder in _source_folders():
        if (folder.parent / "options.def").exists():
            yield folder.parent.parent / "build" / "bin" / "strata"


def find() -> str:
    """The program's path."""
    for path in _candidates():
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    raise CompilerNotFound("the program `strata` is not in $STRATA_BIN" if os.environ.get("STRATA_BIN") else
                           "there is no program `strata`: build it (docs/python.md), put it into PATH, or name its "
                           "folder by STRATA_BIN")


@functools.lru_cache(maxsize=8)
def _version(path: str, size: int, changed: int) -> str:
    return subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout


def identity(path: str) -> str:
    """A text that differs where another compiler could make another library."""
    status = os.stat(path)
    return f"{_version(path, status.st_size, status.st_mtime_ns)}{status.st_size} {status.st_mtime_ns}"


def _warn(errors: str) -> str:
    """|errors| without the compiler's warnings, which become Python's."""
    mark, rest = "strata: warning: ", []
    for line in errors.splitlines():
        if line.startswith(mark):
            later.warn(line[len(mark):])
        else:
            rest.append(line)
    return "\n".join(rest)


def run(arguments: Sequence[str], *, shows: bool = False, program: Optional[str] = None) -> str:
    """Runs the compiler; its standard output, which is printed where the caller |shows| it."""
    environment = {name: value for name, value in os.environ.items() if name not in OUR_VARIABLES}
    done = subprocess.run([program or find(), *arguments], capture_output=True, text=True, errors="replace", check=False,
                          env=environment)
    errors = _warn(done.stderr)
    if done.returncode:
        raise CompileError(errors.strip() or f"the compiler ended with status {done.returncode}")
    if shows:
        sys.stdout.write(done.stdout)
        sys.stderr.write(errors + "\n" if errors else "")
    return done.stdout
