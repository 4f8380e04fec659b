"""Models on a GPU, the emulated one: arrays on the host and on the device, memory, streams, devices."""
import contextlib
import ctypes
import os

import package
from package import raises, support

STAND_IN = os.path.join(os.environ.get("STRATA_TEST_BIN", os.path.join(support.BIN, "..", "test", "bin")),
                        "libstrata_test_cuda.so")
os.environ["STRATA_CUDA_DRIVER"] = os.path.abspath(STAND_IN)

import numpy as np

import onnx_file
import strata
from onnx_file import FLOAT
from strata import arrays

GPU = {"target": "nvgpu", "device": "emulated_90"}
RANDOM = np.random.default_rng(3)


class Driver:
    """What a framework does with the driver."""

    def __init__(self):
        self.dll = ctypes.CDLL(os.environ["STRATA_CUDA_DRIVER"])
        self.context, self.stream = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), 0)
        self.call("cuCtxSetCurrent", self.context)
        self.call("cuStreamCreate", ctypes.byref(self.stream), 1)

    def call(self, name, *arguments):
        assert getattr(self.dll, name)(*arguments) == 0, name


DRIVER = Driver()


class DeviceArray:
    """What numba and others have: memory on the device, and __cuda_array_interface__."""

    def __init__(self, values):
        values = np.ascontiguousarray(values)
        self.shape, self.dtype, memory = values.shape, values.dtype, ctypes.c_uint64()
        DRIVER.call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(max(values.nbytes, 1)))
        self.address = memory.value
        DRIVER.call("cuMemcpyHtoDAsync_v2", memory, ctypes.c_void_p(values.ctypes.data), ctypes.c_size_t(values.nbytes),
                    DRIVER.stream)
        DRIVER.call("cuStreamSynchronize", DRIVER.stream)

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.address, False), "version": 3,
                "strides": None, "stream": DRIVER.stream.value}

    def host(self):
        values = np.empty(self.shape, self.dtype)
        DRIVER.call("cuMemcpyDtoHAsync_v2", ctypes.c_void_p(values.ctypes.data), ctypes.c_uint64(self.address),
                    ctypes.c_size_t(values.nbytes), DRIVER.stream)
        DRIVER.call("cuStreamSynchronize", DRIVER.stream)
        return values


class Framework:
    """A framework with a stream and an allocator, as torch and cupy are."""
    name, has_stream = "framework", True
    read = staticmethod(arrays.CudaArrayInterface.read)
    allocated = 0

    def empty(self, spec, shape, device):
        array = FrameworkArray(np.zeros(shape, spec.numpy))
        return array, array.address

    def memory(self, size, device):
        self.allocated += 1
        owner = DeviceArray(np.zeros(size, np.uint8))
        return owner.address, owner

    def stream(self, array, device):
        return DRIVER.stream.value

    def on(self, device):
        return contextlib.nullcontext()

    def synchronize(self, device):
        raise AssertionError("nothing may wait")


class FrameworkArray(DeviceArray):
    pass


FRAMEWORK = arrays._KINDS[FrameworkArray] = Framework()


def softmax_of_product(x, w):
    e = x @ w
    e = np.exp(e - e.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


W = RANDOM.standard_normal((40, 24)).astype(np.float32) / 6


def make_model():
    graph = onnx_file.Graph(opset=18)
    x = graph.input("x", FLOAT, ["batch", 40])
    h = graph.node("Softmax", [graph.node("MatMul", [x, graph.constant("w", W)])])
    graph.node("MatMul", [h, graph.constant("v", np.eye(24, dtype=np.float32))], ["y"])
    graph.output("y", FLOAT, ["batch", 24])
    graph.save("gpu.onnx")


def inputs(batch):
    x = RANDOM.standard_normal((batch, 40)).astype(np.float32)
    return x, softmax_of_product(x, W)


def close(got, expected):
    assert np.allclose(got, expected, rtol=2e-2, atol=2e-3), np.abs(got - expected).max()


def host_arrays():
    net = strata.compile("gpu.onnx", **GPU)
    for batch in (1, 7):
        x, expected = inputs(batch)
        close(net(x), expected)


def arrays_without_a_stream():
    """The library has memory and a stream of its own; results by out=."""
    net = strata.compile("gpu.onnx", **GPU)
    x, expected = inputs(5)
    y = DeviceArray(np.zeros((5, 24), np.float32))
    assert net(DeviceArray(x), out=y) is y
    close(y.host(), expected)
    with raises(TypeError, "out="):
        net(DeviceArray(x))
    close(net(x), expected)  # from the host again
    with raises(TypeError, "out, y: lies on the host, the arguments on GPU 0"):
        net(DeviceArray(x), out=np.zeros((5, 24), np.float32))


def arrays_of_a_framework():
    """On its stream, with its memory, and nothing else: the stand-in refuses any other call of the driver."""
    net = strata.compile("gpu.onnx", **GPU)
    x, expected = inputs(6)
    placed = FrameworkArray(x)
    close(net(placed).host(), expected)  # loads
    out = FrameworkArray(np.zeros((6, 24), np.float32))
    memory = DeviceArray(np.zeros(net._library._plans[((6, 40),)].memory_size, np.uint8))
    allocate, FRAMEWORK.memory = FRAMEWORK.memory, lambda size, device: (memory.address, memory)
    DRIVER.dll.strata_test_driver_call_begin(DRIVER.stream)
    net(placed, out=out)
    DRIVER.dll.strata_test_driver_call_end()
    FRAMEWORK.memory = allocate
    close(out.host(), expected)
    assert type(net(placed)) is FrameworkArray
    x, expected = inputs(9)
    close(net(FrameworkArray(x)).host(), expected)


def chosen_by_option():
    net = strata.compile("gpu.onnx", **GPU, on_gpu_tensors=True)
    x, expected = inputs(3)
    with raises(TypeError, "x: lies on the host"):
        net(x)
    close(net(FrameworkArray(x)).host(), expected)
    net = strata.compile("gpu.onnx", **GPU, on_gpu_tensors=False)
    close(net(x), expected)
    with raises(TypeError, "x: lies on a GPU", "on_gpu_tensors=True"):
        net(FrameworkArray(x))
    net = strata.compile("gpu.onnx", **GPU, on_gpu_tensors=True, user_device_memory=True)
    with raises(TypeError, "torch or cupy"):
        net(DeviceArray(x), out=DeviceArray(np.zeros((3, 24), np.float32)))


def a_library_for_the_host():
    net = strata.compile("gpu.onnx")
    x, _ = inputs(3)
    with raises(TypeError, "x: lies on a GPU", "target='nvgpu'"):
        net(DeviceArray(x), out=DeviceArray(x))


def profiled_and_saved():
    net = strata.compile("gpu.onnx", **GPU)
    x, expected = inputs(4)
    profile = net.profile(x, num_iters=2)
    assert len(profile) == net._library.description.n_launches and profile[0].kernel
    net.save_library("saved/libgpu.so")
    close(strata.load("saved/libgpu.so")(x), expected)
    assert "kernel k0" in net.explain()


def amd():
    """The other driver, by name only: what is compiled says it is for it."""
    assert strata.compile("gpu.onnx", target="amdgpu", device="gfx942")._library.target == "amdgpu"


make_model()
support.report([(case.__name__, case) for case in (
    host_arrays, arrays_without_a_stream, arrays_of_a_framework, chosen_by_option, a_library_for_the_host,
    profiled_and_saved, amd)])
