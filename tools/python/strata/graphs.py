"""Which graphs of a framework are compiled, and what becomes of those that cannot be."""
from __future__ import annotations

import threading
import warnings
from typing import Any, Callable, Tuple, Type

from .errors import CompilerNotFound, Fallback, StrataError
from .options import Options


class Chooser:
    """The graphs of one function are numbered as they come; torch_polyblocks_select_graphs and _filter_graphs name them
    by number, by `graph_<number>`, or by the name that the framework's logs give them."""

    def __init__(self, options: Options) -> None:
        self._select, self._filter = options.torch_polyblocks_select_graphs, options.torch_polyblocks_filter_graphs
        self._count, self._lock = 0, threading.Lock()

    def next(self, name: str = "") -> Tuple[int, str, bool]:
        """The next graph's number and name, and whether it is to be compiled."""
        with self._lock:
            number, self._count = self._count, self._count + 1
        names = {number, str(number), f"graph_{number}", name}
        wanted = self._select is None or not names.isdisjoint(self._select)
        unwanted = self._filter is not None and not names.isdisjoint(self._filter)
        return number, f"graph_{number}" + (f" ({name})" if name else ""), wanted and not unwanted


def numbered(options: Options, number: int) -> Options:
    """The options of one of several compiles of a function: with aot, files of all but the first have its number."""
    return options.with_(aot_name=f"{options.aot_name}_{number}") if options.aot and number else options


def compile_or_fall_back(build: Callable[[], Any], own: Any, name: str, options: Options,
                         unsupported: Tuple[Type[Exception], ...] = ()) -> Any:
    """What build() makes; the framework's |own| function, with a warning, where it cannot be compiled, or with
    strict_target that error."""
    expected: Tuple[Type[Exception], ...] = (StrataError, *unsupported)
    try:
        return build()
    except CompilerNotFound:
        raise
    except expected as error:
        if options.strict_target:
            raise
        reason = str(error).strip().splitlines() or [type(error).__name__]
        more = f" (and {len(reason) - 1} lines more)" if len(reason) > 1 else ""
        warnings.warn(f"{name} runs without strata: {reason[0]}{more}", Fallback, stacklevel=3)
        return own
