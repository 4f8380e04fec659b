"""Calling emitted GPU libraries from Python, whatever they take: tensors on the host or on the device, the library's
memory or the caller's.

The driver is the one that STRATA_CUDA_DRIVER names, else the real one; use_stand_in() names the tests' stand-in
(test/support/driver), which runs what was compiled with --device=emulated and checks every call. Needs numpy only.
"""
import ctypes
import os

import numpy as np

import strata

STAND_IN = os.path.join(os.environ.get("STRATA_TEST_BIN", os.path.join(strata.BIN, "..", "test", "bin")),
                        "libstrata_test_cuda.so")
USER_MEMORY, DEVICE_TENSORS = 1, 2  # STRATA_LIBRARY_...


def use_stand_in():
    """Makes every library of this process and its children use the stand-in for the driver."""
    os.environ["STRATA_CUDA_DRIVER"] = os.environ["STRATA_HIP_DRIVER"] = os.path.abspath(STAND_IN)


def report_drawn(cases):
    """strata.report, on the stand-in, of |cases|, of a name and a function of a generator each: all of one seed."""
    use_stand_in()
    seed = np.random.SeedSequence().entropy
    print(f"seed {seed}", flush=True)
    strata.report((name, lambda check=check: check(np.random.default_rng(seed))) for name, check in cases)


def compile_case(case, name, schedule="", options=(), device="emulated_90"):
    """The library of a level2.Case for the emulated device, its products carried out as a line of a schedule says."""
    options = ["--target=nvgpu", f"--device={device}", *options]
    with open(f"{name}.mlir", "w", encoding="utf-8") as file:
        file.write(case.text())
    if schedule:
        options.append(f"--schedule={name}.schedule")
        with open(f"{name}.schedule", "w", encoding="utf-8") as file:
            file.write(schedule + "\n")
    return strata.compile_library(f"{name}.mlir", ".", name, options)[0]


class Driver:
    """The calls of the CUDA driver API that callers of a library make."""

    def __init__(self):
        self._dll = ctypes.CDLL(os.environ.get("STRATA_CUDA_DRIVER", "libcuda.so.1"))
        self.is_stand_in = hasattr(self._dll, "strata_test_driver_alive")
        self._failing = None
        self.context = ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), 0)
        self.call("cuCtxSetCurrent", self.context)
        self.stream = ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(self.stream), 1)  # not ordered with the default stream

    def call(self, name, *arguments):
        status = getattr(self._dll, name)(*arguments)
        if status:
            raise RuntimeError(f"{name}: error {status}")

    def allocate(self, size):
        memory = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(max(size, 1)))
        return memory.value

    def free(self, memory):
        self.call("cuMemFree_v2", ctypes.c_uint64(memory))

    def upload(self, memory, array):
        if array.nbytes:
            self.call("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(memory), ctypes.c_void_p(array.ctypes.data),
                      ctypes.c_size_t(array.nbytes), self.stream)

    def download(self, array, memory):
        if array.nbytes:
            self.call("cuMemcpyDtoHAsync_v2", ctypes.c_void_p(array.ctypes.data), ctypes.c_uint64(memory),
                      ctypes.c_size_t(array.nbytes), self.stream)

    def synchronize(self):
        self.call("cuStreamSynchronize", self.stream)

    def fail(self, name, n, error=719):
        """Makes the stand-in's |n|-th call of a function from now on fail; 0: none."""
        self._failing = name and name.encode()  # which the stand-in keeps
        self._dll.strata_test_driver_fail(self._failing, ctypes.c_long(n), error)

    def failed(self):
        """The function that failed since then; None: none yet."""
        self._dll.strata_test_driver_failed.restype = ctypes.c_char_p
        name = self._dll.strata_test_driver_failed()
        return name and name.decode()

    def may_only_enqueue(self, on):
        """Whether the stand-in shall refuse everything but work on our stream."""
        if self.is_stand_in and on:
            self._dll.strata_test_driver_call_begin(self.stream)
        elif self.is_stand_in:
            self._dll.strata_test_driver_call_end()


class Library(strata.Library):
    """A GPU library; run() takes and gives arrays on the host."""

    _driver = None
    may_wait = False  # a call may wait for its stream, which the others must not

    def __init__(self, path):
        super().__init__(path)
        self.user_memory = bool(self.description.flags & USER_MEMORY)
        self.device_tensors = bool(self.description.flags & DEVICE_TENSORS)
        if (self.user_memory or self.device_tensors) and not Library._driver:
            Library._driver = Driver()

    _check = strata.Library.check

    def _call(self, tensors, pool, sizes):
        pointers = (ctypes.c_void_p * len(tensors))(*tensors)
        self._driver.may_only_enqueue(self.user_memory and not self.may_wait)
        status = self.description.run(pointers, self.dims(sizes), pool, self._driver.stream if self.user_memory else None)
        self._driver.may_only_enqueue(False)
        self._check(status)

    def run(self, inputs, sizes=None):
        if not self.user_memory and not self.device_tensors:
            return super().run(inputs, sizes)
        driver = self._driver
        if self.user_memory:
            self._check(self.description.load(None, driver.stream))
        arrays = [np.ascontiguousarray(value, strata.DTYPES[info.dtype]) for value, info in zip(inputs, self.inputs)]
        outputs = [strata.aligned(info.stored() if sizes is None else self.output_shape(i, sizes),
                                  strata.DTYPES[info.dtype]) for i, info in enumerate(self.outputs)]
        pool = driver.allocate(self.description.device_memory_size(self.dims(sizes)))
        if not self.device_tensors:
            self._call([array.ctypes.data for array in arrays + outputs], pool, sizes)
            driver.synchronize()
            driver.free(pool)
            return outputs
        memory = [driver.allocate(array.nbytes) for array in arrays + outputs]
        for array, place in zip(arrays, memory):
            driver.upload(place, array)
        driver.synchronize()
        self._call(memory, pool, sizes)
        for array, place in zip(outputs, memory[len(arrays):]):
            driver.download(array, place)
        driver.synchronize()
        for place in memory + [pool]:
            driver.free(place)
        return outputs

    def unload(self):
        """Frees everything; then the file may be replaced."""
        self._check(self.description.unload())
