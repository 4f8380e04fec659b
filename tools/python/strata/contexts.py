"""The current GPU of a thread, for arrays whose framework does not say it: libraries work in the current context."""
from __future__ import annotations

import contextlib
import ctypes
import functools
import os
from typing import Any, Iterator, Optional

AS_IT_IS = contextlib.nullcontext()


@functools.lru_cache(maxsize=None)
def _driver() -> Optional[ctypes.CDLL]:
    """CUDA's; None where there is none."""
    try:
        driver = ctypes.CDLL(os.environ.get("STRATA_CUDA_DRIVER") or "libcuda.so.1")
    except OSError:
        return None
    return driver if driver.cuInit(0) == 0 else None


@functools.lru_cache(maxsize=None)
def _primary(device: int) -> Optional[ctypes.c_void_p]:
    """The context that CUDA's runtime, and so every framework, works in; kept to the end."""
    driver, context = _driver(), ctypes.c_void_p()
    if driver is None or driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device):
        return None
    return context


@contextlib.contextmanager
def _pushed(driver: Any, context: ctypes.c_void_p) -> Iterator[None]:
    driver.cuCtxPushCurrent_v2(context)
    try:
        yield
    finally:
        driver.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))


def on(device: int) -> Any:
    """A context manager, in which |device| is the thread's current one."""
    context = _primary(device)
    return _pushed(_driver(), context) if context else AS_IT_IS
