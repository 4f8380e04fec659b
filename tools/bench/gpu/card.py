"""The card present, by its driver alone: buffers, and times from CUDA graphs between two events."""
import ctypes
import math
import os
import statistics
import sys
import time

import numpy as np

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "test", "support")]

import gpu
import strata

BATCH_SECONDS, MOST_CALLS = 2.5e-3, 400
BLOCK = 1 << 22  # elements that are drawn; larger buffers repeat them
PROCESSORS, RELAXED = 16, 2  # CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, CU_STREAM_CAPTURE_MODE_RELAXED


def drawn(dtype, count):
    """Random normal numbers, as bytes of a type of graph.BITS."""
    random = np.random.RandomState(1)
    if dtype in ("i8", "f8E4M3FN"):
        return random.randint(0, 256, count).astype(np.uint8) & (0xff if dtype == "i8" else 0xbf)  # below infinity
    values = random.standard_normal(count).astype(np.float32)
    if dtype == "bf16":
        return (values.view(np.uint32) >> 16).astype(np.uint16)
    return values.astype({"f16": np.float16, "f32": np.float32}[dtype])


class Card(gpu.Driver):
    def __init__(self, rounds, idle):
        try:
            super().__init__()
        except (OSError, RuntimeError) as error:
            raise RuntimeError(f"no GPU, or no driver of one: {error}") from error
        self.rounds, self.idle, self.held = rounds, idle, []
        name, value = ctypes.create_string_buffer(128), ctypes.c_int()
        self.call("cuDeviceGetName", name, 128, 0)
        self.call("cuDeviceGetAttribute", ctypes.byref(value), PROCESSORS, 0)
        self.name, self.processors = name.value.decode(), value.value
        self.events = [ctypes.c_void_p() for _ in range(2)]
        for event in self.events:
            self.call("cuEventCreate", ctypes.byref(event), 0)

    #===-- Buffers -----------------------------------------------------------------------------------------------------

    def buffer(self, size):
        """Lasts until release()."""
        self.held.append(self.allocate(size))
        return self.held[-1]

    def filled(self, dtype, count):
        data = drawn(dtype, min(count, BLOCK))
        size, done = count * data.itemsize, data.nbytes
        memory = self.buffer(size)
        self.upload(memory, data)
        while done < size:
            part = min(done, size - done)
            self.call("cuMemcpyDtoDAsync_v2", ctypes.c_uint64(memory + done), ctypes.c_uint64(memory),
                      ctypes.c_size_t(part), self.stream)
            done += part
        self.synchronize()
        return memory

    def release(self):
        self.synchronize()
        for memory in self.held:
            self.free(memory)
        self.held = []

    #===-- Times -------------------------------------------------------------------------------------------------------

    def elapsed(self, run):
        """Seconds that what |run| enqueues takes."""
        milliseconds = ctypes.c_float()
        self.call("cuEventRecord", self.events[0], self.stream)
        run()
        self.call("cuEventRecord", self.events[1], self.stream)
        self.call("cuEventSynchronize", self.events[1])
        self.call("cuEventElapsedTime", ctypes.byref(milliseconds), *self.events)
        return milliseconds.value * 1e-3

    def captured(self, runs, count):
        graph, execution = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuStreamBeginCapture_v2", self.stream, RELAXED)
        for i in range(count):
            runs[i % len(runs)]()
        self.call("cuStreamEndCapture", self.stream, ctypes.byref(graph))
        self.call("cuGraphInstantiateWithFlags", ctypes.byref(execution), graph, ctypes.c_uint64(0))
        self.call("cuGraphDestroy", graph)
        return execution

    def time(self, runs, count=None, after=None):
        """Seconds of a call, of runs in turn: the median of batches with pauses between. |after| is called behind each
        batch."""
        for run in runs:
            run()
        self.synchronize()
        if not count:
            estimate = max(min(self.elapsed(runs[0]) for _ in range(2)), 1e-6)
            count = max(len(runs), min(MOST_CALLS, math.ceil(BATCH_SECONDS / estimate)))
        count = count if self.rounds > 1 else len(runs)
        execution, times = self.captured(runs, count), []
        for i in range(self.rounds + 1):
            time.sleep(self.idle)
            seconds = self.elapsed(lambda: self.call("cuGraphLaunch", execution, self.stream)) / count
            times += [seconds] if i else []  # the first uploads the graph
            if after:
                after()
        self.call("cuGraphExecDestroy", execution)
        return statistics.median(times)

    def keep_busy(self, runs, seconds):
        """Runs without pause; seconds of a call in the second half."""
        execution, times, end = self.captured(runs, len(runs)), [], time.perf_counter() + seconds
        while time.perf_counter() < end or len(times) < 4:
            times.append(self.elapsed(lambda: self.call("cuGraphLaunch", execution, self.stream)) / len(runs))
        self.call("cuGraphExecDestroy", execution)
        return statistics.median(times[len(times) // 2:])


class Kernels(strata.Library):
    """A library made with --on-gpu-tensors --user-device-memory."""

    def __init__(self, card, path):
        super().__init__(path)
        self.card = card
        self.check(self.description.load(None, card.stream))
        card.synchronize()
        self.memory = card.buffer(self.description.device_memory_size(None))

    def check(self, status):
        if status:
            raise RuntimeError(f"status {status}: {self.description.error().decode()}")

    def binding(self, tensors):
        pointers = (ctypes.c_void_p * len(tensors))(*tensors)
        return lambda: self.check(self.description.run(pointers, None, self.memory, self.card.stream))

    def unload(self):
        self.card.synchronize()
        self.check(self.description.unload())
        self.close()
