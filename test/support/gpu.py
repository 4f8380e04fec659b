"""Calling emitted GPU libraries from Python, whatever they take: tensors on the host or on the device, the library's
memory or the caller's.

The driver is the one that STRATA_CUDA_DRIVER or STRATA_HIP_DRIVER names, else the real one; use_stand_in() names the
tests' stand-in (test/support/driver), which runs what was compiled with --device=emulated, and AMD's code objects, and
checks every call. Needs numpy only.
"""
import ctypes
import os
import subprocess
import sys

import numpy as np

import strata

STAND_IN = os.path.join(os.environ.get("STRATA_TEST_BIN", os.path.join(strata.BIN, "..", "test", "bin")),
                        "libstrata_test_cuda.so")
USER_MEMORY, DEVICE_TENSORS = 1, 2  # STRATA_LIBRARY_...


def use_stand_in():
    """Makes every library of this process and its children use the stand-in for the driver."""
    os.environ["STRATA_CUDA_DRIVER"] = os.environ["STRATA_HIP_DRIVER"] = os.path.abspath(STAND_IN)


def in_processes(script, environments):
    """Runs the script again for each device in a process of its own, since the stand-in asks once which it is, with the
    device in front of this one's arguments and what |environments| has for it besides; what to exit with."""
    failed = [device for device, environment in environments.items()
              if subprocess.run([sys.executable, os.path.abspath(script), device, *sys.argv[1:]],
                                env={**os.environ, **environment}, check=False).returncode]
    return f"failed: {', '.join(failed)}" if failed else 0


def report_drawn(cases):
    """strata.report, on the stand-in, of |cases|, of a name and a function of a generator each, which the name and the
    run's seed make."""
    use_stand_in()
    strata.report((name, lambda name=name, check=check: check(strata.generator_of(name))) for name, check in cases)


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


def load_driver(variable, names):
    """The shared library that the environment's |variable| names, else the first of |names| that there is."""
    names = [os.environ[variable]] if variable in os.environ else names
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            reason = error
    raise RuntimeError(f"no driver: {reason}")


class Driver:
    """The calls of the CUDA driver API that callers of a library make."""

    VARIABLE, LIBRARIES = "STRATA_CUDA_DRIVER", ["libcuda.so.1"]
    CALLS = {"stream": "cuStreamCreate", "allocate": "cuMemAlloc_v2", "free": "cuMemFree_v2",
             "upload": "cuMemcpyHtoDAsync_v2", "download": "cuMemcpyDtoHAsync_v2", "synchronize": "cuStreamSynchronize",
             "begin": "cuStreamBeginCapture_v2", "end": "cuStreamEndCapture",
             "instantiate": "cuGraphInstantiateWithFlags", "launch": "cuGraphLaunch", "close": "cuStreamDestroy_v2"}

    def __init__(self):
        self._dll = load_driver(self.VARIABLE, self.LIBRARIES)
        self.is_stand_in = hasattr(self._dll, "strata_test_driver_alive")
        self._failing = None
        self.use_device()
        self.stream = ctypes.c_void_p()
        self.call(self.CALLS["stream"], ctypes.byref(self.stream), 1)  # not ordered with the default stream

    def use_device(self):
        self.context = ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), 0)
        self.call("cuCtxSetCurrent", self.context)

    def call(self, name, *arguments):
        status = getattr(self._dll, name)(*arguments)
        if status:
            raise RuntimeError(f"{name}: error {status}")

    def allocate(self, size):
        memory = ctypes.c_uint64()
        self.call(self.CALLS["allocate"], ctypes.byref(memory), ctypes.c_size_t(max(size, 1)))
        return memory.value

    def free(self, memory):
        self.call(self.CALLS["free"], ctypes.c_uint64(memory))

    def upload(self, memory, array):
        if array.nbytes:
            self.call(self.CALLS["upload"], ctypes.c_uint64(memory), ctypes.c_void_p(array.ctypes.data),
                      ctypes.c_size_t(array.nbytes), self.stream)

    def download(self, array, memory):
        if array.nbytes:
            self.call(self.CALLS["download"], ctypes.c_void_p(array.ctypes.data), ctypes.c_uint64(memory),
                      ctypes.c_size_t(array.nbytes), self.stream)

    def synchronize(self):
        self.call(self.CALLS["synchronize"], self.stream)

    def capture(self, enqueue):
        """A graph, instantiated, of what |enqueue| puts on our stream."""
        graph, instance = ctypes.c_void_p(), ctypes.c_void_p()
        self.call(self.CALLS["begin"], self.stream, 0)
        enqueue()
        self.call(self.CALLS["end"], self.stream, ctypes.byref(graph))
        self.call(self.CALLS["instantiate"], ctypes.byref(instance), graph, ctypes.c_uint64(0))
        return instance

    def replay(self, instance):
        self.call(self.CALLS["launch"], instance, self.stream)

    def fail(self, name, n, error=719):
        """Makes the stand-in's |n|-th call of a function from now on fail; 0: none."""
        self._failing = name and name.encode()  # which the stand-in keeps
        self._dll.strata_test_driver_fail(self._failing, ctypes.c_long(n), error)

    def failed(self):
        """The function that failed since then; None: none yet."""
        self._dll.strata_test_driver_failed.restype = ctypes.c_char_p
        name = self._dll.strata_test_driver_failed()
        return name and name.decode()

    def executed(self):
        """Launches and copies that the stand-in has carried out."""
        self._dll.strata_test_driver_executed.restype = ctypes.c_long
        return self._dll.strata_test_driver_executed()

    def code_runs_on(self, arch):
        """Whether the code object that the stand-in has loaded last is one for |arch|, as 0x942."""
        self._dll.strata_test_driver_code_runs_on.restype = ctypes.c_bool
        return self._dll.strata_test_driver_code_runs_on(ctypes.c_uint(arch))

    def is_prompt(self, on):
        """Whether the stand-in carries out work when it is enqueued."""
        self._dll.strata_test_driver_prompt(ctypes.c_bool(on))

    def may_only_enqueue(self, on):
        """Whether the stand-in shall refuse everything but work on our stream."""
        if self.is_stand_in and on:
            self._dll.strata_test_driver_call_begin(self.stream)
        elif self.is_stand_in:
            self._dll.strata_test_driver_call_end()


class HipDriver(Driver):
    """The same of HIP."""

    VARIABLE = "STRATA_HIP_DRIVER"
    LIBRARIES = ["libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"]
    CALLS = {"stream": "hipStreamCreateWithFlags", "allocate": "hipMalloc", "free": "hipFree",
             "upload": "hipMemcpyHtoDAsync", "download": "hipMemcpyDtoHAsync", "synchronize": "hipStreamSynchronize",
             "begin": "hipStreamBeginCapture", "end": "hipStreamEndCapture",
             "instantiate": "hipGraphInstantiateWithFlags", "launch": "hipGraphLaunch", "close": "hipStreamDestroy"}

    def use_device(self):
        self.call("hipInit", 0)
        self.call("hipSetDevice", 0)

    def name(self):
        """What the card is called, and its architecture."""
        properties = ctypes.create_string_buffer(8192)  # a struct that begins with the name, longer in each version
        get = "hipGetDevicePropertiesR0600"
        self.call(get if hasattr(self._dll, get) else "hipGetDeviceProperties", properties, 0)
        at = properties.raw.find(b"gfx")
        arch = properties.raw[at:].split(b"\0")[0].decode() if at >= 0 else "unknown"
        return properties.value.decode(errors="replace"), arch

    def version(self):
        """HIP's, as 60443484 is 6.4; 0: it does not say."""
        version = ctypes.c_int()
        if hasattr(self._dll, "hipRuntimeGetVersion"):
            self.call("hipRuntimeGetVersion", ctypes.byref(version))
        return version.value


class Library(strata.Library):
    """A GPU library; run() takes and gives arrays on the host."""

    _driver = None
    may_wait = False  # a call may wait for its stream, which the others must not

    def __init__(self, path):
        super().__init__(path)
        self.user_memory = bool(self.description.flags & USER_MEMORY)
        self.device_tensors = bool(self.description.flags & DEVICE_TENSORS)
        if (self.user_memory or self.device_tensors) and not Library._driver:
            Library._driver = HipDriver() if self.description.target == b"amdgpu" else Driver()

    _check = strata.Library.check

    def _call(self, tensors, pool, sizes):
        pointers = (ctypes.c_void_p * len(tensors))(*tensors)
        self._driver.may_only_enqueue(self.user_memory and not self.may_wait)
        stream = self._driver.stream if self.user_memory else None
        status = self.description.run(pointers, self.dims(sizes), pool, stream)
        self._driver.may_only_enqueue(False)
        self._check(status)

    def run(self, inputs, sizes=None, replays=0):
        """With |replays| the call, of the caller's memory and tensors on the device, is captured and replayed."""
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
        if replays:
            graph = driver.capture(lambda: self._call(memory, pool, sizes))
        for _ in range(replays):
            driver.replay(graph)
        if not replays:
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
