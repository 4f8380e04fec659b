"""Runs compiled modules on bytes: in the caller's process, or as `execute.py FOLDER...`, one after the other.

A folder has libmodel.so and `inputs`; `outputs` is left there. Tensors on the host lie against a page that cannot be
touched, so that an access past their end is a crash; the bytes before them and the outputs are poisoned. Tensors on the
device have an allocation each, so that a checker of memory sees what is past either end.
"""
import ctypes
import functools
import mmap
import os
import pickle
import sys

import numpy as np

import gpu
import strata

POISON = 0xA5
_mprotect = ctypes.CDLL(None, use_errno=True).mprotect
_mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


class Guarded:
    """Memory of a tensor, which ends where an unmapped page begins and has poison before it."""

    def __init__(self, size, data=None):
        room = (size // mmap.PAGESIZE + 1) * mmap.PAGESIZE
        self._map = mmap.mmap(-1, room + mmap.PAGESIZE)
        self._begin, self._end = room - size, room
        self._map[:room] = bytes([POISON]) * self._begin + (data if data is not None else bytes([POISON]) * size)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        assert _mprotect(start + room, mmap.PAGESIZE, 0) == 0
        self.address = start + self._begin

    def data(self):
        return self._map[self._begin:self._end]

    def is_intact_before(self):
        return not self._map[:self._begin].strip(bytes([POISON]))


def check(library, status):
    if status:
        raise RuntimeError(f"status {status}: {library.description.error().decode()}")


def _call(library, addresses, sizes):
    pointers = (ctypes.c_void_p * len(addresses))(*addresses)
    check(library, library.description.run(pointers, library.dims(sizes), None, None))


def _run_on_host(library, inputs, sizes):
    memory = [Guarded(len(data), data) for data in inputs]
    memory += [Guarded(size) for size in library.output_bytes(sizes)]
    _call(library, [m.address for m in memory], sizes)
    assert all(m.is_intact_before() for m in memory), "bytes before a tensor are overwritten"
    assert all(m.data() == data for m, data in zip(memory, inputs)), "an input is overwritten"
    return [m.data() for m in memory[len(inputs):]]


driver_of_process = functools.cache(gpu.Driver)


def _run_on_device(library, inputs, sizes):
    driver = driver_of_process()
    poisoned = [bytes([POISON]) * size for size in library.output_bytes(sizes)]
    arrays = [np.frombuffer(data, np.uint8).copy() for data in [*inputs, *poisoned]]
    memory = [driver.allocate(array.nbytes) for array in arrays]
    for place, array in zip(memory, arrays):
        driver.upload(place, array)
    driver.synchronize()
    _call(library, memory, sizes)
    for array, place in zip(arrays, memory):
        driver.download(array, place)
    driver.synchronize()
    for place in memory:
        driver.free(place)
    assert all(array.tobytes() == data for array, data in zip(arrays, inputs)), "an input is overwritten"
    return [array.tobytes() for array in arrays[len(inputs):]]


def run(library, inputs, sizes=None):
    """The bytes of the outputs; |sizes|: of the call, where they vary."""
    on_device = library.description.flags & gpu.DEVICE_TENSORS
    return (_run_on_device if on_device else _run_on_host)(library, inputs, sizes)


def main(folders):
    for folder in folders:
        print(folder, flush=True)  # what a checker prints next is about this one
        library = strata.Library(os.path.join(folder, "libmodel.so"))
        with open(os.path.join(folder, "inputs"), "rb") as file:
            outputs = run(library, pickle.load(file))
        with open(os.path.join(folder, "outputs"), "wb") as file:
            pickle.dump(outputs, file)
        check(library, library.description.unload())


if __name__ == "__main__":
    main(sys.argv[1:])
