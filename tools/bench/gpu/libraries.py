"""Emitted libraries called with PyTorch's tensors on its current stream."""
import ctypes
import os
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "test", "support")]

import torch

import strata

ALIGNMENT = 256  # of the pool


class GpuLibrary(strata.Library):
    """A library made with --on-gpu-tensors --user-device-memory, loaded on the current device; where sizes vary, for
    |sizes|."""

    def __init__(self, path, sizes=None):
        super().__init__(path)
        self.sizes = self.dims(sizes)
        self.check(self.description.load(None, torch.cuda.current_stream().cuda_stream))
        torch.cuda.synchronize()
        size = self.description.device_memory_size(self.sizes)
        self.memory = torch.empty(size + ALIGNMENT, dtype=torch.uint8, device="cuda")

    def check(self, status):
        if status:
            raise RuntimeError(f"status {status}: {self.description.error().decode()}")

    def binding(self, tensors):
        """A function that enqueues a call on the current stream."""
        pointers = (ctypes.c_void_p * len(tensors))(*[tensor.data_ptr() for tensor in tensors])
        base = -(-self.memory.data_ptr() // ALIGNMENT) * ALIGNMENT

        def run(keep_alive=tensors):
            self.check(self.description.run(pointers, self.sizes, base, torch.cuda.current_stream().cuda_stream))

        return run

    def unload(self):
        self.check(self.description.unload())


def unload(cases):
    """Lets go of the libraries of |cases| and of the memory that these hold: no graph that launches them is left."""
    while cases:
        torch.cuda.synchronize()
        cases.pop().library.unload()
    torch.cuda.empty_cache()
