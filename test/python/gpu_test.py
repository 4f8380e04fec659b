"""Models on a GPU, the emulated one: arrays on the host and on the device, memory, streams, devices."""
import contextlib
import ctypes
import os
import typing

import package
from package import raises, support

STAND_IN = os.path.join(os.environ.get("STRATA_TEST_BIN", os.path.join(support.BIN, "..", "test", "bin")),
                        "libstrata_test_cuda.so")
os.environ["STRATA_CUDA_DRIVER"] = os.path.abspath(STAND_IN)
os.environ["STRATA_TEST_DRIVER_DEVICES"] = "2"

import numpy as np

import onnx_file
import strata
from onnx_file import FLOAT
from strata import arrays

GPU = {"target": "nvgpu", "device": "emulated_90"}
RANDOM = np.random.default_rng(3)


class Driver:
    """What a framework does with the driver: the primary contexts of two devices, and a current stream of each."""

    def __init__(self):
        self.dll = ctypes.CDLL(os.environ["STRATA_CUDA_DRIVER"])
        self.contexts, self.streams, self.device = [], [], 0
        self.call("cuInit", 0)
        for device in range(2):
            self.contexts.append(ctypes.c_void_p())
            self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.contexts[-1]), device)
            self.select(device)
            self.streams.append(self.new_stream())
        self.select(0)

    def call(self, name, *arguments):
        assert getattr(self.dll, name)(*arguments) == 0, name

    def new_stream(self):
        stream = ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(stream), 1)
        return stream

    def select(self, device):
        self.device = device
        self.call("cuCtxSetCurrent", self.contexts[device])

    def current(self):
        context = ctypes.c_void_p()
        self.call("cuCtxGetCurrent", ctypes.byref(context))
        return context.value

    @property
    def stream(self):
        return self.streams[self.device]

    @contextlib.contextmanager
    def on(self, device):
        before = self.device
        self.select(device)
        try:
            yield
        finally:
            self.select(before)

    @contextlib.contextmanager
    def with_stream(self, stream):
        """Another current stream of the device."""
        device, before = self.device, self.stream
        self.streams[device] = stream
        try:
            yield
        finally:
            self.streams[device] = before


DRIVER = Driver()


class Device(typing.NamedTuple):
    id: int


class DeviceArray:
    """What numba and others have: memory on the device, and __cuda_array_interface__."""

    def __init__(self, values, device=0):
        values = np.ascontiguousarray(values)
        self.shape, self.dtype, self.device = values.shape, values.dtype, Device(device)
        memory = ctypes.c_uint64()
        with DRIVER.on(device):
            DRIVER.call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(max(values.nbytes, 1)))
        self.address = memory.value
        self.fill(values)

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.address, False), "version": 3,
                "strides": None, "stream": DRIVER.streams[self.device.id].value}

    def _copy(self, name, *arguments):
        with DRIVER.on(self.device.id):
            DRIVER.call(name, *arguments, DRIVER.stream)
            DRIVER.call("cuStreamSynchronize", DRIVER.stream)

    def fill(self, values):
        values = np.ascontiguousarray(values)
        self._copy("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(self.address), ctypes.c_void_p(values.ctypes.data),
                   ctypes.c_size_t(values.nbytes))

    def host(self):
        values = np.empty(self.shape, self.dtype)
        self._copy("cuMemcpyDtoHAsync_v2", ctypes.c_void_p(values.ctypes.data), ctypes.c_uint64(self.address),
                   ctypes.c_size_t(values.nbytes))
        return values


class Framework:
    """A framework with a stream and an allocator, as torch and cupy are."""
    name, has_stream = "framework", True
    read = staticmethod(arrays.CudaArrayInterface.read)
    on = staticmethod(DRIVER.on)

    def empty(self, spec, shape, device):
        array = FrameworkArray(np.zeros(shape, spec.numpy), device)
        return array, array.address

    def memory(self, size, device):
        owner = DeviceArray(np.zeros(size, np.uint8), device)
        return owner.address, owner

    def stream(self, array, device):
        return DRIVER.streams[device].value

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


@contextlib.contextmanager
def memory_that_is_there(net, key, device=0):
    """Nothing is allocated by calls inside."""
    memory = DeviceArray(np.zeros(net._library._plans[key].memory_size, np.uint8), device)
    FRAMEWORK.memory = lambda size, device: (memory.address, memory)
    try:
        yield
    finally:
        del FRAMEWORK.memory


def arrays_of_a_framework():
    """On its stream, with its memory, and nothing else: the stand-in refuses any other call of the driver."""
    net = strata.compile("gpu.onnx", **GPU)
    x, expected = inputs(6)
    placed = FrameworkArray(x)
    close(net(placed).host(), expected)  # loads
    out = FrameworkArray(np.zeros((6, 24), np.float32))
    with memory_that_is_there(net, ((6, 40),)):
        DRIVER.dll.strata_test_driver_call_begin(DRIVER.stream)
        net(placed, out=out)
        DRIVER.dll.strata_test_driver_call_end()
    close(out.host(), expected)
    assert type(net(placed)) is FrameworkArray
    x, expected = inputs(9)
    close(net(FrameworkArray(x)).host(), expected)


def a_second_stream():
    """The one that is current at the call."""
    net = strata.compile("gpu.onnx", **GPU)
    x, expected = inputs(6)
    placed, out = FrameworkArray(x), FrameworkArray(np.zeros((6, 24), np.float32))
    net(placed)
    other = DRIVER.new_stream()
    with memory_that_is_there(net, ((6, 40),)), DRIVER.with_stream(other):
        DRIVER.dll.strata_test_driver_call_begin(other)
        net(placed, out=out)
        DRIVER.dll.strata_test_driver_call_end()
        close(out.host(), expected)


def a_graph():
    """A call that is captured, and replayed with other values."""
    net = strata.compile("gpu.onnx", **GPU)
    placed, out = FrameworkArray(inputs(6)[0]), FrameworkArray(np.zeros((6, 24), np.float32))
    net(placed)
    graph, executable = ctypes.c_void_p(), ctypes.c_void_p()
    with memory_that_is_there(net, ((6, 40),)):
        DRIVER.call("cuStreamBeginCapture_v2", DRIVER.stream, 0)
        net(placed, out=out)
        DRIVER.call("cuStreamEndCapture", DRIVER.stream, ctypes.byref(graph))
        DRIVER.call("cuGraphInstantiateWithFlags", ctypes.byref(executable), graph, ctypes.c_uint64(0))
        for _ in range(2):
            x, expected = inputs(6)
            placed.fill(x)
            DRIVER.call("cuGraphLaunch", executable, DRIVER.stream)
            close(out.host(), expected)


def a_second_device():
    """Arrays say which; the current device stays as it is. Each has the code and weights once."""
    net = strata.compile("gpu.onnx", **GPU)
    for device in (1, 0, 1):
        x, expected = inputs(5)
        got = net(FrameworkArray(x, device))
        assert got.device.id == device and DRIVER.device == 0
        close(got.host(), expected)
    assert net._library._loaded == {0, 1}
    y = DeviceArray(np.zeros((5, 24), np.float32), 1)  # and without a stream of theirs
    net(DeviceArray(x, 1), out=y)
    close(y.host(), expected)
    assert DRIVER.device == 0 and DRIVER.current() == DRIVER.contexts[0].value
    with raises(TypeError, "out, y: lies on GPU 0, the arguments on GPU 1"):
        net(FrameworkArray(x, 1), out=FrameworkArray(np.zeros((5, 24), np.float32), 0))


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
    host_arrays, arrays_without_a_stream, arrays_of_a_framework, a_second_stream, a_graph, a_second_device, chosen_by_option, a_library_for_the_host,
    profiled_and_saved, amd)])
