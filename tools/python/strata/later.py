"""Work that goes on beside the caller's own."""
from __future__ import annotations

import contextvars
import threading
import warnings
from typing import Any, Callable, List, Optional

_kept: contextvars.ContextVar[Optional[List[str]]] = contextvars.ContextVar("strata_kept_warnings", default=None)


def warn(text: str) -> None:
    """As warnings.warn. Python's filters are of the whole process, and others may replace them meanwhile: work in a
    thread of its own keeps what it says until the caller asks for its result."""
    kept = _kept.get()
    if kept is None:
        warnings.warn(text, stacklevel=3)
    else:
        kept.append(text)


class Later:
    """The result of work(), which a thread does. The process does not end before it."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._warnings: List[str] = []
        self._result: Any = None
        self._error: Optional[BaseException] = None
        self._thread = threading.Thread(target=self._run, args=(work,), name="strata-compile")
        self._thread.start()

    def _run(self, work: Callable[[], Any]) -> None:
        _kept.set(self._warnings)
        try:
            self._result = work()
        except BaseException as error:  # the caller's, once it asks
            self._error = error

    def result(self) -> Any:
        """Waits for it. What it said is said now, what it raised is raised."""
        self._thread.join()
        while self._warnings:
            warnings.warn(self._warnings.pop(0), stacklevel=2)
        if self._error is not None:
            raise self._error
        return self._result
