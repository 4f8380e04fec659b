"""Calling an emitted library in a child process with every tensor between pages that cannot be touched.

    outputs = run(path, inputs, [Call(at_end=True, poison=0xFF, threads=1), ...])

A library whose sizes vary is called with those of the inputs, unless others are given.

Inputs cannot be written, outputs hold |poison| before the call, and so does the workspace where the caller gives one. A
tensor ends at a page's end, as near as its alignment allows, or begins at a page; the rest of its pages is watched. The
calls must agree bit for bit. What a library does wrong, a crash of the child too, is a Problem. Needs numpy only.
"""
import ctypes
import mmap
import os
import resource
import signal
import time

import numpy as np

import strata

PAGE = mmap.PAGESIZE
SLACK = 0xC3          # what lies on a tensor's pages beside it
WORKSPACE_ALIGNMENT = 256
SECONDS = 60          # for all calls together
READ_ONLY, UNTOUCHABLE = 1, 0
USER_MEMORY = 1       # STRATA_LIBRARY_USER_MEMORY

_libc = ctypes.CDLL(None, use_errno=True)


class Problem(Exception):
    """What a library did that it must not do."""


class Call:
    """How one call is made: tensors at the end of their pages or at the beginning; |poison| is a byte; |threads| 0: as
    many as the library takes by itself."""

    def __init__(self, at_end=True, poison=0xFF, threads=0):
        self.at_end, self.poison, self.threads = at_end, poison, threads


# What shows most in few calls.
CALLS = [Call(at_end=True, poison=0xFF, threads=1), Call(at_end=False, poison=0x5A, threads=3),
         Call(at_end=True, poison=0x00, threads=2)]


def round_up(size, multiple):
    return -(-size // multiple) * multiple


class Pages:
    """|size| bytes aligned to |alignment|, shared with the child, a page that cannot be touched before and behind."""

    def __init__(self, size, alignment, at_end):
        self.inner = round_up(max(size, 1), PAGE)
        self.memory = mmap.mmap(-1, self.inner + 2 * PAGE)
        self.bytes = np.frombuffer(self.memory, np.uint8)
        self.bytes[:] = SLACK
        self.first = PAGE + (self.inner - round_up(size, alignment) if at_end else 0)
        self.size = size
        self.protect(0, PAGE, UNTOUCHABLE)
        self.protect(PAGE + self.inner, PAGE, UNTOUCHABLE)

    def protect(self, first, size, how):
        if _libc.mprotect(ctypes.c_void_p(self.bytes.ctypes.data + first), ctypes.c_size_t(size), how):
            raise OSError(ctypes.get_errno(), "mprotect")

    def address(self):
        return self.bytes.ctypes.data + self.first

    def data(self):
        return self.bytes[self.first:self.first + self.size]

    def fill(self, content, read_only=False):
        self.data()[...] = content
        if read_only:
            self.protect(PAGE, self.inner, READ_ONLY)

    def check(self, name):
        before = self.bytes[PAGE:self.first]
        behind = self.bytes[self.first + self.size:PAGE + self.inner]
        for side, slack in (("before", before), ("behind", behind)):
            changed = np.flatnonzero(slack != SLACK)
            if changed.size:
                raise Problem(f"{name}: byte {changed[0]} of the {slack.size} watched {side} it was written")


def raw(array):
    return np.frombuffer(np.ascontiguousarray(array).tobytes(), np.uint8)


class Tensors:
    """The memory of one call."""

    def __init__(self, library, inputs, sizes, call):
        alignment, at_end = library.description.alignment, call.at_end
        self.dims = library.dims(sizes)

        def pages(info, size):
            return Pages(size, alignment or max(1, np.dtype(strata.DTYPES[info.dtype]).itemsize), at_end)

        self.inputs = [pages(info, raw(value).size) for info, value in zip(library.inputs, inputs)]
        self.outputs = [pages(info, size) for info, size in zip(library.outputs, library.output_bytes(sizes))]
        for memory, info, value in zip(self.inputs, library.inputs, inputs):
            if sizes is None and raw(value).size != info.size:
                raise Problem(f"{info.name.decode()}: {raw(value).size} bytes, expected {info.size}")
            memory.fill(raw(value), read_only=True)
        self.workspace = self._workspace(library, call)
        for memory in self.outputs + ([self.workspace] if self.workspace else []):
            memory.fill(call.poison)

    def _workspace(self, library, call):
        if not library.description.flags & USER_MEMORY:
            return None
        return Pages(library.description.device_memory_size(self.dims), WORKSPACE_ALIGNMENT, call.at_end)

    def call(self, library):
        pointers = [memory.address() for memory in self.inputs + self.outputs]
        workspace = self.workspace.address() if self.workspace else None
        return library.description.run((ctypes.c_void_p * len(pointers))(*pointers), self.dims, workspace, None)

    def check(self, library):
        for memory, info in zip(self.inputs + self.outputs, library.inputs + library.outputs):
            memory.check(info.name.decode())
        if self.workspace:
            self.workspace.check("the workspace")

    def results(self, library):
        contents = [memory.data().copy() for memory in self.outputs]
        for i, (content, info) in enumerate(zip(contents, library.outputs)):
            shape = info.dims() if self.dims is None else library.output_shape(i, self.dims)
            if info.dtype in strata.HALF_BYTES and np.prod(shape) % 2:
                content[-1] &= 15  # no element: it is left as it was
        return contents


def _child(library, calls, tensors, message):
    """All calls, in the child; 0, or the error is in |message|."""
    description = library.description
    status = description.load(None, None)
    for call, memory in zip(calls, tensors):
        if description.set_threads:
            status = status or description.set_threads(call.threads)
        status = status or memory.call(library)
    status = status or description.unload()
    if status:
        text = description.error()[:PAGE - 1]
        message[:len(text)] = text
    return 1 if status else 0


def _wait(child, seconds):
    """The child's status; None: it took too long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def in_child(function, seconds=SECONDS):
    """Runs function(message) in a child; a Problem unless it returns 0."""
    message = mmap.mmap(-1, PAGE)
    child = os.fork()
    if child == 0:
        status = 2
        try:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            status = function(message)
        except BaseException as error:  # whatever it is, nothing of the parent may run here
            text = repr(error).encode()[:PAGE - 1]
            message[:len(text)] = text
        os._exit(status)
    status = _wait(child, seconds)
    if status is None:
        raise Problem(f"does not end within {seconds} s")
    if os.WIFSIGNALED(status):
        raise Problem(f"killed by {signal.Signals(os.WTERMSIG(status)).name}")
    if status:
        raise Problem("call failed: " + message[:].rstrip(b"\0").decode(errors="replace"))


def run(path, inputs, calls, sizes=None):
    """The bytes of each output. |inputs|: arrays in the library's order, of its element types; |sizes|: where they vary,
    by default those of the arrays."""
    library = strata.Library(path)
    try:
        return _run(library, inputs, calls, sizes or library.sizes_of([np.shape(value) for value in inputs]))
    finally:
        library.close()


def _run(library, inputs, calls, sizes):
    tensors = [Tensors(library, inputs, sizes, call) for call in calls]
    in_child(lambda message: _child(library, calls, tensors, message))
    for memory in tensors:
        memory.check(library)
    first = tensors[0].results(library)
    for call, memory in zip(calls[1:], tensors[1:]):
        for info, a, b in zip(library.outputs, first, memory.results(library)):
            if not np.array_equal(a, b):
                raise Problem(f"{info.name.decode()}: another result with {call.threads} threads, poison "
                              f"{call.poison:#x} and tensors at the {'end' if call.at_end else 'beginning'} of pages")
    return first
